//! The configuration by its keys, such as `select.min_words`.

use toml::Table;

use super::layer;
use super::named::NamedSections;
use super::{Config, ConfigError};
use dehusk_extract::Value;

impl Config {
    /// Returns the value of a key, such as `select.min_words` or `presets.mine.threshold`. Returns `None` if there is
    /// no such key.
    ///
    /// ```
    /// use dehusk::{Config, Value};
    ///
    /// let config = Config::default();
    /// assert_eq!(config.get("select.min_words"), Some(Value::Integer(0)));
    /// assert_eq!(config.get("output.compression"), Some("zstd".into()));
    /// assert_eq!(config.get("select.min_wrods"), None);
    /// ```
    pub fn get(&self, key: &str) -> Option<Value> {
        for named in NamedSections::ALL {
            let inside = key.strip_prefix(named.path()).and_then(|rest| rest.strip_prefix('.'));
            if let Some((name, key)) = inside.and_then(|inside| inside.split_once('.')) {
                return named.value(self, name, key);
            }
        }
        let (section, name) = key.split_once('.')?;
        self.section(section)?.values().get(name).cloned()
    }

    /// Sets a key, such as `select.min_words`.
    ///
    /// ```
    /// let mut config = dehusk::Config::default();
    /// config.set("select.min_words", 50)?;
    /// config.set("select.languages", ["en", "de"])?;
    /// # Ok::<(), dehusk::ConfigError>(())
    /// ```
    ///
    /// # Errors
    /// There is no such key, or the value is of another type. The configuration is as before then. What depends on
    /// several keys is checked where the configuration is used.
    pub fn set(&mut self, key: &str, value: impl Into<Value>) -> Result<(), ConfigError> {
        let mut layer = Table::new();
        layer::insert(&mut layer, key, value.into().into_toml())?;
        layer::apply(self, layer, None)
    }

    /// Returns the configuration with other values for some keys. `values` are sections by their names, as in
    /// `pipeline.toml`.
    ///
    /// ```
    /// use dehusk::{Config, Value};
    ///
    /// let select = Value::Section([("min_words".to_owned(), Value::Integer(50))].into());
    /// let config = Config::default().with_values([("select".to_owned(), select)])?;
    /// assert_eq!(config.get("select.min_words"), Some(Value::Integer(50)));
    /// # Ok::<(), dehusk::ConfigError>(())
    /// ```
    ///
    /// # Errors
    /// There is no such key, or a value is of another type.
    pub fn with_values(self, values: impl IntoIterator<Item = (String, Value)>) -> Result<Self, ConfigError> {
        let layer = values.into_iter().map(|(key, value)| (key, value.into_toml()));
        layer::applied(self, layer.collect(), None)
    }

    /// Returns the configuration with other values for some keys, in text such as `select.min_words=50`. The value is
    /// TOML; what is not TOML is taken as a string.
    ///
    /// # Errors
    /// A setting has another form, or has an unknown key or an invalid value.
    pub fn with_settings(self, settings: impl IntoIterator<Item: AsRef<str>>) -> Result<Self, ConfigError> {
        let mut layer = Table::new();
        for setting in settings {
            layer::add_setting(&mut layer, setting.as_ref())?;
        }
        layer::applied(self, layer, None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn section<const N: usize>(values: [(&str, Value); N]) -> Value {
        Value::Section(values.map(|(key, value)| (key.to_owned(), value)).into())
    }

    #[test]
    fn mistakes_have_the_messages_of_a_file() {
        let message = |name: &str, key: &str, value: Value| {
            let values = [(name.to_owned(), section([(key, value)]))];
            let config = Config::default().with_values(values);
            config.expect_err("a mistake").to_string()
        };
        for (name, key, value, expected) in [
            (
                "select",
                "min_word",
                Value::Integer(3),
                "unknown key “select.min_word”; did you mean “min_words”?",
            ),
            (
                "select",
                "min_words",
                "3".into(),
                "“select.min_words” takes a whole number, not a string",
            ),
            (
                "select",
                "min_words",
                section([]),
                "“select.min_words” takes a whole number, not a section",
            ),
            (
                "slect",
                "min_words",
                Value::Integer(3),
                "unknown key “slect”; did you mean “select”?",
            ),
        ] {
            assert_eq!(message(name, key, value.clone()), expected);
            let mut config = Config::default();
            let error = config.set(&format!("{name}.{key}"), value).expect_err("a mistake");
            assert_eq!((error.to_string().as_str(), config), (expected, Config::default()));
        }
    }

    #[test]
    fn a_section_may_hold_sections() {
        let mine = section([("base", "coreex".into()), ("threshold", 0.5.into())]);
        let config = Config::default().with_values([("presets".to_owned(), section([("mine", mine)]))]);
        let config = config.expect("a configuration");
        assert_eq!(config.get("presets.mine.base"), Some("coreex".into()));
        assert_eq!(config.get("presets.mine.threshold"), Some(0.5.into()));
        assert_eq!(config.get("presets.mine.scoring"), Some("weighted".into()));
        assert_eq!(
            (config.get("presets.mine.scroing"), config.get("presets.other.base")),
            (None, None)
        );
    }

    #[test]
    fn what_is_set_is_what_is_there() {
        let mut config = Config::default();
        config.set("select.languages", ["en", "de"]).expect("a list");
        config.set("select.languages", ["fr"]).expect("a list");
        assert_eq!(config.get("select.languages"), Some(["fr"].into()));
        assert_eq!(
            (config.get("select"), config.get("min_words"), config.get("")),
            (None, None, None)
        );
        let wrong = config.set("min_words", 3).expect_err("no section").to_string();
        assert!(wrong.contains("min_words"), "{wrong}");
    }
}
