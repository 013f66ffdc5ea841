//! One comparison of a condition: `words >= 50`.

use std::cmp::Ordering;

use regex::{Regex, RegexBuilder};

use super::value::Value;
use crate::document::{Document, FieldType, FieldValue};
use dehusk_metadata::language;

/// The signs, longer ones before those that they begin with.
const SIGNS: [(&str, Sign); 9] = [
    (">=", Sign::AtLeast),
    ("<=", Sign::AtMost),
    ("!=", Sign::Not),
    ("!~", Sign::NoMatch),
    ("==", Sign::Is),
    ("=", Sign::Is),
    ("<", Sign::Below),
    (">", Sign::Above),
    ("~", Sign::Match),
];

/// Memory that a regular expression may take, in bytes, so that a hostile one is refused.
const REGEX_LIMIT: usize = 10 << 20;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sign {
    Is,
    Not,
    AtLeast,
    AtMost,
    Above,
    Below,
    Match,
    NoMatch,
}

impl Sign {
    /// The characters that a sign begins with.
    pub(super) const STARTS: [char; 5] = ['=', '!', '<', '>', '~'];

    /// The sign that a text begins with, and the rest of the text.
    pub(super) fn split(text: &str) -> Option<(Self, &str)> {
        SIGNS
            .iter()
            .find_map(|(mark, sign)| Some((*sign, text.strip_prefix(mark)?)))
    }

    /// Whether it takes a regular expression.
    pub(super) fn is_pattern(self) -> bool {
        matches!(self, Self::Match | Self::NoMatch)
    }
}

/// A field, a sign, and what the field is compared with.
#[derive(Clone, Debug)]
pub(super) struct Comparison {
    value: Value,
    test: Test,
}

/// A sign, and what a value is compared with.
#[derive(Clone, Debug)]
pub(super) struct Test {
    sign: Sign,
    operand: Operand,
}

#[derive(Clone, Debug)]
enum Operand {
    Text(String),
    Integer(u64),
    Number(f64),
    Boolean(bool),
    Pattern(Regex),
    /// A language, and its documents in every script if it names none.
    Language([String; 1]),
}

impl Comparison {
    /// The comparison of a field's value with an operand.
    ///
    /// # Errors
    /// The operand is not of the field's type.
    pub(super) fn new(value: Value, sign: Sign, operand: &str) -> Result<Self, String> {
        let operand = match sign {
            Sign::Is | Sign::Not if value.is_language() => Operand::Language([operand.to_owned()]),
            _ => Operand::parse(sign, value.field_type(), operand)?,
        };
        Ok(Self {
            value,
            test: Test { sign, operand },
        })
    }

    /// Why a document does not have the field, if its run did not compute it.
    pub(super) fn absence(&self, document: &Document) -> Option<String> {
        self.value.absence(document)
    }

    /// Whether it is true of a document. It is false if the document does not have the text.
    pub(super) fn holds(&self, document: &Document) -> bool {
        self.value.get(document).is_some_and(|value| self.test.holds(value))
    }
}

impl Test {
    /// The comparison of values of a type with an operand.
    ///
    /// # Errors
    /// The operand is not of that type.
    pub(super) fn new(sign: Sign, field_type: FieldType, operand: &str) -> Result<Self, String> {
        let operand = Operand::parse(sign, field_type, operand)?;
        Ok(Self { sign, operand })
    }

    /// Whether it is true of a value.
    pub(super) fn holds(&self, value: FieldValue<'_>) -> bool {
        if let (FieldValue::Text(text), Operand::Pattern(pattern)) = (value, &self.operand) {
            return pattern.is_match(text) == (self.sign == Sign::Match);
        }
        let order = self.operand.compare(value);
        match self.sign {
            Sign::Is => order == Some(Ordering::Equal),
            Sign::Not => order != Some(Ordering::Equal),
            Sign::AtLeast => matches!(order, Some(Ordering::Greater | Ordering::Equal)),
            Sign::AtMost => matches!(order, Some(Ordering::Less | Ordering::Equal)),
            Sign::Above => order == Some(Ordering::Greater),
            Sign::Below => order == Some(Ordering::Less),
            Sign::Match | Sign::NoMatch => false,
        }
    }
}

impl Operand {
    fn parse(sign: Sign, field_type: FieldType, text: &str) -> Result<Self, String> {
        match field_type {
            FieldType::Text | FieldType::Instant if sign.is_pattern() => {
                let pattern = RegexBuilder::new(text).size_limit(REGEX_LIMIT).build();
                Ok(Self::Pattern(pattern.map_err(|e| e.to_string())?))
            }
            _ if sign.is_pattern() => Err("only texts can be matched with a regular expression".to_owned()),
            FieldType::Text | FieldType::Instant => Ok(Self::Text(text.to_owned())),
            FieldType::Boolean => match text.parse() {
                Ok(value) if matches!(sign, Sign::Is | Sign::Not) => Ok(Self::Boolean(value)),
                _ => Err("a boolean is “= true” or “= false”".to_owned()),
            },
            _ => match (text.parse(), text.parse()) {
                (Ok(integer), _) => Ok(Self::Integer(integer)),
                (_, Ok(number)) if f64::is_finite(number) => Ok(Self::Number(number)),
                _ => Err(format!("“{text}” is not a number")),
            },
        }
    }

    /// How a value compares with the operand.
    fn compare(&self, value: FieldValue<'_>) -> Option<Ordering> {
        match (value, self) {
            (FieldValue::Text(value), Self::Text(operand)) => Some(value.cmp(operand)),
            (FieldValue::Text(value), Self::Language(languages)) if language::is_among(value, languages) => {
                Some(Ordering::Equal)
            }
            (FieldValue::Boolean(value), Self::Boolean(operand)) => Some(value.cmp(operand)),
            (FieldValue::Integer(value), Self::Integer(operand)) => Some(value.cmp(operand)),
            (FieldValue::Integer(value), Self::Number(operand)) => (value as f64).partial_cmp(operand),
            (FieldValue::Float(value), Self::Integer(operand)) => value.partial_cmp(&(*operand as f64)),
            (FieldValue::Float(value), Self::Number(operand)) => value.partial_cmp(operand),
            _ => None,
        }
    }
}
