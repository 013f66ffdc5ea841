//! A configuration given as values of another program: a Python dict, a JSON object.

use toml::{Table, Value};

use super::{Config, ConfigError, layer};

/// A value of a configuration, or a section of them.
///
/// ```
/// use dehusk::{Config, ConfigValue};
///
/// let select = ConfigValue::Section(vec![("min_words".into(), ConfigValue::Integer(50))]);
/// let config = Config::default().with_values([("select".to_owned(), select)])?;
/// assert_eq!(config.select.min_words, 50);
/// # Ok::<(), dehusk::ConfigError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ConfigValue {
    /// True or false.
    Boolean(bool),
    /// A whole number.
    Integer(i64),
    /// A number.
    Float(f64),
    /// A string.
    Text(String),
    /// A list of values.
    List(Vec<ConfigValue>),
    /// A section: values by their keys. Of two values of one key, the last one counts.
    Section(Vec<(String, ConfigValue)>),
}

impl From<ConfigValue> for Value {
    fn from(value: ConfigValue) -> Self {
        match value {
            ConfigValue::Boolean(value) => Value::Boolean(value),
            ConfigValue::Integer(value) => Value::Integer(value),
            ConfigValue::Float(value) => Value::Float(value),
            ConfigValue::Text(value) => Value::String(value),
            ConfigValue::List(values) => Value::Array(values.into_iter().map(Value::from).collect()),
            ConfigValue::Section(values) => Value::Table(table(values)),
        }
    }
}

fn table(values: impl IntoIterator<Item = (String, ConfigValue)>) -> Table {
    let values = values.into_iter();
    values.map(|(key, value)| (key, value.into())).collect()
}

impl Config {
    /// The configuration with other values for some keys. `values` are sections by their names, as in `pipeline.toml`.
    ///
    /// # Errors
    /// An unknown key or an invalid value.
    pub fn with_values(self, values: impl IntoIterator<Item = (String, ConfigValue)>) -> Result<Self, ConfigError> {
        layer::apply(self, table(values), None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(section: &str, key: &str, value: ConfigValue) -> String {
        let section = (section.to_owned(), ConfigValue::Section(vec![(key.to_owned(), value)]));
        let result = Config::default().with_values([section]);
        result.expect_err("a mistake").to_string()
    }

    #[test]
    fn mistakes_have_the_messages_of_a_file() {
        for (section, key, value, expected) in [
            (
                "select",
                "min_word",
                ConfigValue::Integer(3),
                "unknown key “select.min_word”; did you mean “min_words”?",
            ),
            (
                "select",
                "min_words",
                ConfigValue::Text("3".into()),
                "“select.min_words” takes a whole number, not a string",
            ),
            (
                "select",
                "min_words",
                ConfigValue::Section(Vec::new()),
                "“select.min_words” takes a whole number, not a section",
            ),
            (
                "slect",
                "min_words",
                ConfigValue::Integer(3),
                "unknown key “slect”; did you mean “select”?",
            ),
        ] {
            assert_eq!(message(section, key, value), expected);
        }
    }

    #[test]
    fn a_section_may_hold_sections() {
        let mine = ConfigValue::Section(vec![
            ("base".into(), ConfigValue::Text("coreex".into())),
            ("threshold".into(), ConfigValue::Float(0.5)),
        ]);
        let presets = ConfigValue::Section(vec![("mine".into(), mine)]);
        let config = Config::default().with_values([("presets".to_owned(), presets)]);
        assert_eq!(config.expect("a configuration").presets["mine"].base(), "coreex");
    }
}
