//! The values that settings have: parameters of extractors, and the keys of a program's configuration.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The value of a setting: of a key of the configuration, or of a parameter of an extractor.
///
/// ```
/// use dehusk_extract::Value;
///
/// assert_eq!(Value::from(50), Value::Integer(50));
/// assert_eq!(Value::from(["en", "de"]), Value::List(vec!["en".into(), "de".into()]));
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum Value {
    /// True or false.
    Boolean(bool),
    /// A whole number.
    Integer(i64),
    /// A number.
    Float(f64),
    /// A text: a name, a path, or one of several choices.
    Text(String),
    /// A list of values.
    List(Vec<Value>),
    /// A section: values by their keys.
    Section(BTreeMap<String, Value>),
}

impl Value {
    /// Returns what kind of value it is, in words.
    pub fn kind(&self) -> &'static str {
        match self {
            Value::Boolean(_) => "true or false",
            Value::Integer(_) => "a whole number",
            Value::Float(_) => "a number",
            Value::Text(_) => "a string",
            Value::List(values) if values.iter().all(|value| matches!(value, Value::Text(_))) => "a list of strings",
            Value::List(values) if values.iter().all(Value::is_number) => "a list of numbers",
            Value::List(_) => "a list of other values",
            Value::Section(_) => "a section",
        }
    }

    fn is_number(&self) -> bool {
        matches!(self, Value::Integer(_) | Value::Float(_))
    }

    /// Returns this value as a value of the same kind as `default`, or `None` if it is of another kind. A whole number
    /// is also a number.
    pub(crate) fn of_kind(&self, default: &Value) -> Option<Value> {
        match (default, self) {
            (Value::Float(_), Value::Integer(n)) => Some(Value::Float(*n as f64)),
            _ => (default.kind() == self.kind()).then(|| self.clone()),
        }
    }

    /// Returns the same value as TOML.
    #[doc(hidden)]
    pub fn into_toml(self) -> toml::Value {
        match self {
            Value::Boolean(value) => value.into(),
            Value::Integer(value) => value.into(),
            Value::Float(value) => value.into(),
            Value::Text(value) => value.into(),
            Value::List(values) => values.into_iter().map(Value::into_toml).collect::<Vec<_>>().into(),
            Value::Section(values) => {
                let values = values.into_iter().map(|(key, value)| (key, value.into_toml()));
                toml::Value::Table(values.collect())
            }
        }
    }

    /// Returns the value of a TOML value, or `None` if that is or holds a date.
    #[doc(hidden)]
    pub fn from_toml(value: toml::Value) -> Option<Self> {
        Some(match value {
            toml::Value::Boolean(value) => Value::Boolean(value),
            toml::Value::Integer(value) => Value::Integer(value),
            toml::Value::Float(value) => Value::Float(value),
            toml::Value::String(value) => Value::Text(value),
            toml::Value::Datetime(_) => return None,
            toml::Value::Array(values) => Value::List(values.into_iter().map(Self::from_toml).collect::<Option<_>>()?),
            toml::Value::Table(values) => {
                let values = values
                    .into_iter()
                    .map(|(key, value)| Some((key, Self::from_toml(value)?)));
                Value::Section(values.collect::<Option<_>>()?)
            }
        })
    }
}

macro_rules! value_from {
    ($($type:ty => $variant:ident,)+) => {
        $(impl From<$type> for Value {
            fn from(value: $type) -> Self {
                Value::$variant(value.into())
            }
        })+
    };
}

value_from! {
    bool => Boolean, i32 => Integer, u32 => Integer, i64 => Integer, f64 => Float, &str => Text, String => Text,
    BTreeMap<String, Value> => Section,
}

/// A number above `i64::MAX` becomes `i64::MAX`, which no setting takes.
impl From<u64> for Value {
    fn from(value: u64) -> Self {
        Value::Integer(i64::try_from(value).unwrap_or(i64::MAX))
    }
}

/// As for `u64`.
impl From<usize> for Value {
    fn from(value: usize) -> Self {
        Value::from(value as u64)
    }
}

impl<T: Into<Value>> From<Vec<T>> for Value {
    fn from(values: Vec<T>) -> Self {
        Value::List(values.into_iter().map(Into::into).collect())
    }
}

impl<T: Into<Value>, const N: usize> From<[T; N]> for Value {
    fn from(values: [T; N]) -> Self {
        Value::List(values.into_iter().map(Into::into).collect())
    }
}
