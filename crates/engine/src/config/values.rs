//! TOML values as values of the configuration, and errors of them with their full keys.

use toml::{Table, Value};

use super::error::not_built_in;
use super::unknown::UnknownKey;
use super::{ConfigError, ConfigErrorKind};
use dehusk_archive::redact;
use dehusk_documents::suggestion::nearest;
use dehusk_extract::{self as extract, ParameterError, Parameters};

/// The values of a section. `known` are those that it may have.
pub(super) fn parameters(section: Table, known: &Parameters, path: &str) -> Result<Parameters, ConfigError> {
    let parameter = |(name, value): (String, Value)| {
        let type_name = type_name(&value);
        match extract::Value::from_toml(value) {
            Some(value) if is_plain(&value) => Ok((name, value)),
            _ => {
                let key = format!("{path}.{name}");
                Err(match known.get(&name) {
                    Some(below) => wrong_type(&key, below.kind(), type_name),
                    None => UnknownKey::new(&key, &name, &Vec::from_iter(known.names())).into(),
                })
            }
        }
    };
    section.into_iter().map(parameter).collect()
}

/// Whether a key may take the value.
fn is_plain(value: &extract::Value) -> bool {
    use extract::Value::{Boolean, List, Section};
    match value {
        List(values) => !values
            .iter()
            .any(|value| matches!(value, List(_) | Section(_) | Boolean(_))),
        Section(_) => false,
        _ => true,
    }
}

/// An error of a value in the section `path`, with its full key and the nearest valid key or value.
pub(super) fn located(error: ParameterError, path: &str) -> ConfigError {
    let full = |name: &str| match name {
        "" => path.to_owned(),
        name => format!("{path}.{name}"),
    };
    let located = match &error {
        ParameterError::UnknownName { name, known } => {
            let known: Vec<&str> = known.iter().map(String::as_str).collect();
            UnknownKey::new(&full(name), name, &known).into()
        }
        ParameterError::WrongKind { name, expected, found } => wrong_type(&full(name), expected, found),
        ParameterError::UnknownChoice { name, value, choices } => {
            let (key, valid) = (full(name), choices.join(", "));
            let hint = not_built_in(value).unwrap_or_else(|| nearest(value, choices.iter().copied()));
            ConfigError::invalid(&key, format!("“{key}” takes one of {valid}, not “{value}”{hint}"))
        }
        ParameterError::Invalid { name, requirement } if !name.is_empty() => {
            let key = full(name);
            // It may name a file.
            ConfigError::invalid(&key, format!("“{key}” {}", redact::message(requirement)))
        }
        other => ConfigError::invalid(path, format!("{path}: {other}")),
    };
    located.with_source(error)
}

pub(super) fn wrong_type(key: &str, expected: &str, found: &str) -> ConfigError {
    let message = format!("“{key}” takes {expected}, not {found}");
    ConfigError::new(ConfigErrorKind::WrongType, message).with_key(key)
}

pub(super) fn type_name(value: &Value) -> &'static str {
    match value {
        Value::String(_) => "a string",
        Value::Integer(_) => "a whole number",
        Value::Float(_) => "a number",
        Value::Boolean(_) => "true or false",
        Value::Datetime(_) => "a date",
        Value::Array(_) => "a list of other values",
        Value::Table(_) => "a section",
    }
}
