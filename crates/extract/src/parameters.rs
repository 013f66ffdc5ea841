//! Parameters of extractors as plain data, and what can be wrong with them.
//!
//! A method's parameters are a struct with `serde` derives. [`Parameters`] is the same as named values, which is what a
//! configuration file or a sweep holds. The sections of a program's configuration can be held in the same way.

use std::collections::{BTreeMap, btree_map};
use std::error::Error;
use std::fmt;

use serde::de::value::{MapAccessDeserializer, SeqDeserializer};
use serde::de::{self, DeserializeOwned, DeserializeSeed, Expected, IntoDeserializer, MapAccess, Unexpected, Visitor};
use serde::{Deserialize, Serialize};

use crate::strip::PatternError;
use crate::value::Value;

/// Named values, in the order of their names.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Parameters(BTreeMap<String, Value>);

impl Parameters {
    /// No parameter.
    pub fn new() -> Self {
        Self::default()
    }

    /// The value of a parameter.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.get(name)
    }

    /// Sets a parameter.
    pub fn set(&mut self, name: impl Into<String>, value: impl Into<Value>) {
        self.0.insert(name.into(), value.into());
    }

    /// All parameters, in the order of their names.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// The names, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// These parameters with the values of `changes` in place of their own.
    ///
    /// # Errors
    /// A change has an unknown name, or a value of another kind.
    pub fn overlaid(&self, changes: &Parameters) -> Result<Self, ParameterError> {
        let mut all = self.clone();
        for (name, value) in changes.iter() {
            let default = self.get(name).ok_or_else(|| ParameterError::UnknownName {
                name: name.to_owned(),
                known: self.names().map(str::to_owned).collect(),
            })?;
            let value = value.of_kind(default).ok_or_else(|| ParameterError::WrongKind {
                name: name.to_owned(),
                expected: default.kind(),
                found: value.kind(),
            })?;
            all.set(name, value);
        }
        Ok(all)
    }

    /// The fields of a struct of plain values.
    #[doc(hidden)]
    pub fn of(fields: &impl Serialize) -> Self {
        let table = toml::Table::try_from(fields).unwrap_or_default();
        // No parameter is a section.
        let plain = |value| Value::from_toml(value).filter(|value| !matches!(value, Value::Section(_)));
        let values = table
            .into_iter()
            .filter_map(|(name, value)| Some((name, plain(value)?)));
        Self(values.collect())
    }

    /// A struct whose fields have these values.
    #[doc(hidden)]
    pub fn into_fields<T: DeserializeOwned>(self) -> Result<T, ParameterError> {
        let fields = Fields {
            rest: self.0.into_iter(),
            next: None,
        };
        T::deserialize(MapAccessDeserializer::new(fields)).map_err(|DecodeError(error)| error)
    }
}

impl FromIterator<(String, Value)> for Parameters {
    fn from_iter<I: IntoIterator<Item = (String, Value)>>(values: I) -> Self {
        Self(values.into_iter().collect())
    }
}

/// A mistake in a preset or its parameters.
#[derive(Debug)]
#[non_exhaustive]
pub enum ParameterError {
    /// There is no built-in preset of this name.
    UnknownPreset {
        /// The name.
        name: String,
    },
    /// The method has no such parameter.
    UnknownName {
        /// The name.
        name: String,
        /// The names that there are.
        known: Vec<String>,
    },
    /// The value is of another kind than the parameter.
    WrongKind {
        /// The parameter.
        name: String,
        /// The kind of the parameter.
        expected: &'static str,
        /// The kind of the value.
        found: &'static str,
    },
    /// The value is not one of the parameter's choices.
    UnknownChoice {
        /// The parameter.
        name: String,
        /// The value.
        value: String,
        /// The choices.
        choices: &'static [&'static str],
    },
    /// The parameter does not take the value.
    Invalid {
        /// The parameter; empty where the error is of several.
        name: String,
        /// The requirement, as the end of a sentence: “must lie between 0 and 1, not be 2”.
        requirement: String,
    },
    /// The file that a parameter names cannot be used.
    Patterns {
        /// The file.
        path: String,
        /// The mistake in it.
        source: PatternError,
    },
}

impl ParameterError {
    /// The error of a value that a parameter does not take. `requirement` ends the sentence that the name begins.
    pub fn invalid(name: &str, requirement: impl Into<String>) -> Self {
        Self::Invalid {
            name: name.to_owned(),
            requirement: requirement.into(),
        }
    }

    /// Checks that a number is not 0 and at most `most`.
    pub(crate) fn check_count(name: &str, value: u32, most: u32) -> Result<(), Self> {
        if (1..=most).contains(&value) {
            return Ok(());
        }
        let requirement = format!("must lie between 1 and {most}, not be {value}");
        Err(Self::invalid(name, requirement))
    }

    /// Checks that a number is at most `most`.
    pub(crate) fn check_at_most(name: &str, value: u32, most: u32) -> Result<(), Self> {
        if value <= most {
            return Ok(());
        }
        Err(Self::invalid(name, format!("must be at most {most}, not {value}")))
    }

    /// Checks that a value lies between 0 and 1.
    pub(crate) fn check_share(name: &str, value: f64) -> Result<(), Self> {
        if (0.0..=1.0).contains(&value) {
            Ok(())
        } else {
            Err(Self::invalid(name, format!("must lie between 0 and 1, not be {value}")))
        }
    }
}

impl fmt::Display for ParameterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownPreset { name } => write!(f, "there is no built-in preset “{name}”"),
            Self::UnknownName { name, .. } => write!(f, "“{name}” is no parameter"),
            Self::WrongKind { name, expected, found } => write!(f, "“{name}” takes {expected}, not {found}"),
            Self::UnknownChoice { name, value, choices } => {
                let choices: Vec<String> = choices.iter().map(|choice| format!("“{choice}”")).collect();
                write!(f, "“{name}” takes one of {}, not “{value}”", choices.join(", "))
            }
            Self::Invalid { name, requirement } if name.is_empty() => f.write_str(requirement),
            Self::Invalid { name, requirement } => write!(f, "“{name}” {requirement}"),
            Self::Patterns { path, source } => write!(f, "patterns file {path}: {source}"),
        }
    }
}

impl Error for ParameterError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Patterns { source, .. } => Some(source),
            _ => None,
        }
    }
}

/// Hands the values to a struct one by one, and puts their names into errors.
struct Fields {
    rest: btree_map::IntoIter<String, Value>,
    next: Option<(String, Value)>,
}

impl<'de> MapAccess<'de> for Fields {
    type Error = DecodeError;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, DecodeError> {
        self.next = self.rest.next();
        let name = self.next.as_ref().map(|(name, _)| name.as_str().into_deserializer());
        name.map(|name: de::value::StrDeserializer<DecodeError>| seed.deserialize(name))
            .transpose()
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, DecodeError> {
        let next = self.next.take();
        let (name, value) = next.ok_or_else(|| de::Error::custom("a value without a name"))?;
        seed.deserialize(Field(value)).map_err(|error| error.named(&name))
    }
}

/// One value as a source of a field.
struct Field(Value);

impl<'de> de::Deserializer<'de> for Field {
    type Error = DecodeError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        match self.0 {
            Value::Boolean(value) => visitor.visit_bool(value),
            Value::Integer(value) => visitor.visit_i64(value),
            Value::Float(value) => visitor.visit_f64(value),
            Value::Text(value) => visitor.visit_string(value),
            Value::List(values) => visitor.visit_seq(SeqDeserializer::new(values.into_iter().map(Field))),
            Value::Section(values) => visitor.visit_map(Fields {
                rest: values.into_iter(),
                next: None,
            }),
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        let Value::Text(value) = self.0 else {
            return self.deserialize_any(visitor);
        };
        let text: de::value::StringDeserializer<DecodeError> = value.into_deserializer();
        text.deserialize_enum(name, variants, visitor)
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}

impl IntoDeserializer<'_, DecodeError> for Field {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

/// An error of decoding that does not know its parameter yet.
#[derive(Debug)]
struct DecodeError(ParameterError);

impl DecodeError {
    fn named(self, parameter: &str) -> Self {
        let mut error = self.0;
        if let ParameterError::UnknownChoice { name, .. } | ParameterError::Invalid { name, .. } = &mut error {
            parameter.clone_into(name);
        }
        Self(error)
    }
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Error for DecodeError {}

impl de::Error for DecodeError {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self(ParameterError::invalid(
            "",
            format!("does not take this value: {message}"),
        ))
    }

    fn invalid_value(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        let number = match found {
            Unexpected::Signed(number) => i128::from(number),
            Unexpected::Unsigned(number) => i128::from(number),
            _ => return de::Error::custom(found),
        };
        // Serde names the field's type. A range is clearer to people who do not write Rust.
        let (least, most): (i128, i128) = match expected.to_string().as_str() {
            "u8" => (0, u8::MAX.into()),
            "u16" => (0, u16::MAX.into()),
            "u32" => (0, u32::MAX.into()),
            "u64" | "usize" => (0, u64::MAX.into()),
            "i32" => (i32::MIN.into(), i32::MAX.into()),
            _ => return de::Error::custom(number),
        };
        let range = if number < 0 && least == 0 {
            "0 or more".to_owned()
        } else {
            format!("{least} to {most}")
        };
        Self(ParameterError::invalid(
            "",
            format!("takes a whole number, {range}, not {number}"),
        ))
    }

    fn unknown_variant(variant: &str, expected: &'static [&'static str]) -> Self {
        Self(ParameterError::UnknownChoice {
            name: String::new(),
            value: variant.to_owned(),
            choices: expected,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CoreEx, contentex};

    fn error(changes: &[(&str, Value)]) -> String {
        let changes = changes.iter().map(|(name, value)| ((*name).to_owned(), value.clone()));
        let all = Parameters::of(&contentex::Parameters::paper()).overlaid(&changes.collect());
        let decoded = all.and_then(Parameters::into_fields::<contentex::Parameters>);
        decoded.expect_err("an error").to_string()
    }

    #[test]
    fn fields_become_values_and_back() {
        let paper = CoreEx::paper();
        let values = Parameters::of(&paper);
        assert_eq!(values.get("threshold"), Some(&Value::Float(0.9)));
        assert_eq!(values.get("scoring"), Some(&Value::Text("weighted".into())));
        assert_eq!(values.into_fields::<CoreEx>().expect("the fields"), paper);
    }

    #[test]
    fn errors_name_the_parameter() {
        assert_eq!(error(&[("tiem", Value::Boolean(true))]), "“tiem” is no parameter");
        assert_eq!(
            error(&[("threshold", Value::Boolean(true))]),
            "“threshold” takes a number, not true or false"
        );
        assert_eq!(
            error(&[("extend", Value::Text("fallin".into()))]),
            "“extend” takes one of “falling”, “below”, not “fallin”"
        );
        assert_eq!(
            error(&[("colon_words", Value::Integer(-1))]),
            "“colon_words” takes a whole number, 0 or more, not -1"
        );
        assert_eq!(
            error(&[("colon_words", Value::Integer(1 << 32))]),
            "“colon_words” takes a whole number, 0 to 4294967295, not 4294967296"
        );
        assert!(error(&[("threshold", Value::Integer(1)), ("x", Value::Integer(1))]).contains("“x”"));
    }
}
