//! TOML → [`Config`], with errors that name the key and the nearest valid one.

use toml::{Table, Value};

use super::{Config, ConfigError};
use crate::extract::{self, PRESETS, ParameterError, Parameters, Preset, registry};

/// Reads a file's text and further settings.
pub(super) fn read(text: &str, settings: &[String]) -> Result<Config, ConfigError> {
    let mut table: Table = text
        .parse()
        .map_err(|e: toml::de::Error| ConfigError(e.to_string().trim_end().into()))?;
    for setting in settings {
        apply(&mut table, setting)?;
    }
    let known = as_table(&Config::default())?;
    for (key, value) in &table {
        match (key.as_str(), value) {
            ("presets", Value::Table(presets)) => {
                for (name, preset) in presets {
                    check_preset(name, preset)?;
                }
            }
            _ => check(&known, key, value, "")?,
        }
    }
    let config: Config = table
        .try_into()
        .map_err(|e: toml::de::Error| ConfigError(with_nearest(e.to_string().trim_end())))?;
    Ok(config)
}

/// A value as the table that a file would hold.
pub(super) fn as_table<T: serde::Serialize>(value: &T) -> Result<Table, ConfigError> {
    Table::try_from(value).map_err(|e| ConfigError(e.to_string()))
}

/// Puts `a.b=value` into a table. What is no TOML value is taken as a string.
fn apply(table: &mut Table, setting: &str) -> Result<(), ConfigError> {
    let (path, text) = setting.split_once('=').ok_or_else(|| {
        ConfigError(format!(
            "“{setting}” is not of the form key=value, such as select.min_words=50"
        ))
    })?;
    let value = format!("v = {text}")
        .parse::<Table>()
        .ok()
        .and_then(|mut t| t.remove("v"))
        .unwrap_or_else(|| Value::String(text.to_owned()));
    let mut place = table;
    let mut keys = path.trim().split('.').peekable();
    while let Some(key) = keys.next() {
        if keys.peek().is_none() {
            place.insert(key.to_owned(), value);
            return Ok(());
        }
        let inner = place.entry(key).or_insert_with(|| Value::Table(Table::new()));
        place = inner
            .as_table_mut()
            .ok_or_else(|| ConfigError(format!("“{key}” in “{path}” is a value, not a section")))?;
    }
    Ok(())
}

/// Checks that a key is known, and that its value is of the right kind.
fn check(known: &Table, key: &str, value: &Value, path: &str) -> Result<(), ConfigError> {
    let full = if path.is_empty() {
        key.to_owned()
    } else {
        format!("{path}.{key}")
    };
    let Some(default) = known.get(key) else {
        return Err(ConfigError(format!(
            "unknown key “{full}”{}",
            nearest(key, known.keys().map(|k| k.as_str()))
        )));
    };
    match (default, value) {
        (Value::Table(inner), Value::Table(table)) => table
            .iter()
            .try_for_each(|(key, value)| check(inner, key, value, &full)),
        (Value::Float(_), Value::Integer(_)) => Ok(()),
        _ if default.same_type(value) => Ok(()),
        _ => Err(ConfigError(format!(
            "“{full}” takes {}, not {}",
            kind(default),
            kind(value)
        ))),
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::String(_) => "a string",
        Value::Integer(_) => "a whole number",
        Value::Float(_) => "a number",
        Value::Boolean(_) => "true or false",
        Value::Datetime(_) => "a date",
        Value::Array(_) => "a list",
        Value::Table(_) => "a section",
    }
}

/// Checks a preset of one's own: its base and its keys.
fn check_preset(name: &str, preset: &Value) -> Result<(), ConfigError> {
    let Value::Table(preset) = preset else {
        return Err(ConfigError(format!(
            "“presets.{name}” takes a section, not {}",
            kind(preset)
        )));
    };
    if PRESETS.contains(&name) {
        return Err(ConfigError(format!(
            "“presets.{name}” has the name of a built-in preset; choose another"
        )));
    }
    if name.is_empty()
        || !name
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'))
    {
        return Err(ConfigError(format!(
            "“presets.{name}”: a name has letters, digits, - and _ only"
        )));
    }
    let checked = preset_parameters(preset).and_then(|(base, changes)| registry::check(base, &changes));
    checked.map_err(|e| preset_error(name, &e))
}

/// Builds a user's preset from its base and the values that it changes.
pub(super) fn build_preset(name: &str, preset: &Table) -> Result<Preset, ConfigError> {
    let built = preset_parameters(preset).and_then(|(base, changes)| registry::build(name, base, &changes));
    built.map_err(|e| preset_error(name, &e))
}

/// The base of a user's preset, and the values that it changes.
pub(crate) fn preset_parameters(preset: &Table) -> Result<(&str, Parameters), ParameterError> {
    let base = preset.get("base").and_then(Value::as_str).unwrap_or_default();
    let known = registry::parameters(base).ok_or_else(|| ParameterError::UnknownPreset { name: base.to_owned() })?;
    let mut changes = Parameters::new();
    for (name, value) in preset.iter().filter(|(name, _)| *name != "base") {
        let value = match value {
            Value::Boolean(value) => extract::Value::Bool(*value),
            Value::Integer(value) => extract::Value::Integer(*value),
            Value::Float(value) => extract::Value::Float(*value),
            Value::String(value) => extract::Value::Text(value.clone()),
            // No parameter takes these.
            Value::Datetime(_) | Value::Array(_) | Value::Table(_) => match known.get(name) {
                Some(default) => {
                    return Err(ParameterError::WrongKind {
                        name: name.clone(),
                        expected: default.kind(),
                        found: kind(value),
                    });
                }
                // The name is reported as unknown, whatever its value.
                None => extract::Value::Bool(false),
            },
        };
        changes.set(name, value);
    }
    Ok((base, changes))
}

/// An error of a user's preset, with the full key and the nearest valid one.
fn preset_error(preset: &str, error: &ParameterError) -> ConfigError {
    ConfigError(match error {
        ParameterError::UnknownPreset { name } => {
            let hint = nearest(name, PRESETS.iter().copied());
            format!("“presets.{preset}.base” must name a built-in preset, not “{name}”{hint}")
        }
        ParameterError::UnknownName { name, known } => {
            let hint = nearest(name, known.iter().map(String::as_str));
            format!("unknown key “presets.{preset}.{name}”{hint}")
        }
        ParameterError::WrongKind { name, expected, found } => {
            format!("“presets.{preset}.{name}” takes {expected}, not {found}")
        }
        ParameterError::UnknownChoice { value, choices, .. } => {
            format!("presets.{preset}: {error}{}", nearest(value, choices.iter().copied()))
        }
        other => format!("presets.{preset}: {other}"),
    })
}

/// A user's preset with hashes of the content of files in place of their paths, for the configuration's hash.
pub(super) fn by_content(preset: &Table, built: Option<&Preset>) -> Table {
    let mut preset = preset.clone();
    for (key, hash) in built.into_iter().flat_map(Preset::file_hashes) {
        preset.insert((*key).to_owned(), Value::String(format!("{hash:016x}")));
    }
    preset
}

/// An error of deserialisation; where it lists the valid values, with the nearest of them.
fn with_nearest(message: &str) -> String {
    let quoted: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
    let hint = match quoted.split_first() {
        Some((wrong, valid)) if message.contains("unknown variant") => nearest(wrong, valid.iter().copied()),
        _ => String::new(),
    };
    format!("{message}{hint}")
}

/// “; did you mean …?”, or the list of what is valid where nothing is near.
pub(crate) fn nearest<'a>(wrong: &str, valid: impl Iterator<Item = &'a str>) -> String {
    let valid: Vec<&str> = valid.collect();
    let near = valid
        .iter()
        .map(|v| {
            (
                strsim::damerau_levenshtein(&wrong.to_lowercase(), &v.to_lowercase()),
                *v,
            )
        })
        .min()
        .filter(|(distance, v)| *distance <= v.len().max(wrong.len()) / 2);
    match near {
        Some((_, near)) => format!("; did you mean “{near}”?"),
        None => format!("; valid are {}", valid.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str, settings: &[&str]) -> String {
        let settings: Vec<String> = settings.iter().map(|s| (*s).to_owned()).collect();
        read(text, &settings).expect_err("an error").0
    }

    #[test]
    fn unknown_keys_name_the_nearest() {
        assert_eq!(
            error("[select]\nmin_word = 3", &[]),
            "unknown key “select.min_word”; did you mean “min_words”?"
        );
        assert_eq!(error("[slect]\n", &[]), "unknown key “slect”; did you mean “select”?");
        assert!(error("[output]\nformat = \"jsnl\"", &[]).ends_with("did you mean “jsonl”?"));
        assert!(error("", &["output.compresion=gzip"]).contains("“compression”"));
        assert!(error("[presets.mine]\nbase = \"corex\"", &[]).contains("“coreex”"));
        assert!(error("[presets.mine]\nbase = \"coreex\"\nthreshhold = 1", &[]).contains("“threshold”"));
    }

    #[test]
    fn values_of_the_wrong_kind_are_named() {
        assert_eq!(
            error("[select]\nmin_words = \"many\"", &[]),
            "“select.min_words” takes a whole number, not a string"
        );
        assert!(error("[presets.mine]\nbase = \"coreex\"\nthreshold = 2", &[]).contains("between 0 and 1"));
    }

    #[test]
    fn settings_beat_the_file() {
        let settings = ["select.min_words=7".to_owned(), "output.source=my crawl".to_owned()];
        let config = read("[select]\nmin_words = 3", &settings).expect("a configuration");
        assert_eq!(
            (config.select.min_words, config.output.source.as_str()),
            (7, "my crawl")
        );
    }
}
