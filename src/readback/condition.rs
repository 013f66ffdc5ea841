//! Conditions on a document's fields: `words >= 50`, `language = en`, `url ~ ^https://blog[.]`.

use std::cmp::Ordering;

use regex::{Regex, RegexBuilder};

use super::value::Value;
use crate::document::{Document, FieldType, FieldValue};

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
enum Sign {
    Is,
    Not,
    AtLeast,
    AtMost,
    Above,
    Below,
    Match,
    NoMatch,
}

/// A condition that a document meets or does not.
#[derive(Clone, Debug)]
pub struct Condition {
    value: Value,
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
}

impl Condition {
    /// The condition that a text states: `FIELD SIGN VALUE`.
    ///
    /// # Errors
    /// What is wrong with the text.
    pub fn parse(text: &str) -> Result<Self, String> {
        let form = || format!("“{text}” is not a condition such as “words >= 50” or “language = en”");
        let at = text.find(['=', '!', '<', '>', '~']).ok_or_else(form)?;
        let (name, rest) = text.split_at(at);
        let (mark, sign) = SIGNS.iter().find(|(mark, _)| rest.starts_with(mark)).ok_or_else(form)?;
        let value = Value::named(name.trim())?;
        let operand = unquoted(rest[mark.len()..].trim());
        let operand = Operand::of(*sign, value.field_type(), operand).map_err(|e| format!("“{text}”: {e}"))?;
        Ok(Self {
            value,
            sign: *sign,
            operand,
        })
    }

    /// Whether a document meets the condition. A text that the document does not have meets none.
    pub fn holds(&self, document: &Document) -> bool {
        let Some(value) = self.value.get(document) else {
            return false;
        };
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
    fn of(sign: Sign, field_type: FieldType, text: &str) -> Result<Self, String> {
        let is_pattern = matches!(sign, Sign::Match | Sign::NoMatch);
        match field_type {
            FieldType::Text if is_pattern => {
                let pattern = RegexBuilder::new(text).size_limit(REGEX_LIMIT).build();
                Ok(Self::Pattern(pattern.map_err(|e| e.to_string())?))
            }
            _ if is_pattern => Err("only texts can be matched with a regular expression".to_owned()),
            FieldType::Text => Ok(Self::Text(text.to_owned())),
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
            (FieldValue::Boolean(value), Self::Boolean(operand)) => Some(value.cmp(operand)),
            (FieldValue::Integer(value), Self::Integer(operand)) => Some(value.cmp(operand)),
            (FieldValue::Integer(value), Self::Number(operand)) => (value as f64).partial_cmp(operand),
            (FieldValue::Float(value), Self::Integer(operand)) => value.partial_cmp(&(*operand as f64)),
            (FieldValue::Float(value), Self::Number(operand)) => value.partial_cmp(operand),
            _ => None,
        }
    }
}

/// A value without the double quotes around it.
fn unquoted(text: &str) -> &str {
    let inner = text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    inner.unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document() -> Document {
        let mut document = Document {
            created: "2024-05-06T07:08:09Z".into(),
            ..Document::default()
        };
        document.metadata.url = "https://blog.example/walk".into();
        document.metadata.words = 120;
        document.metadata.score = 0.5;
        document
    }

    #[test]
    fn conditions_compare_by_the_type_of_the_field() {
        for (text, holds) in [
            ("words >= 120", true),
            ("words>120", false),
            ("words < 120.5", true),
            ("metadata.score <= 1", true),
            ("score != 0.5", false),
            ("truncated = false", true),
            ("created >= 2024-05-01", true),
            ("created < 2024-05-01", false),
            ("url ~ ^https://blog[.]", true),
            ("url !~ walk$", false),
            ("title = \"\"", true),
            ("url == https://blog.example/walk", true),
            ("text_coreex = x", false),
        ] {
            let condition = Condition::parse(text).expect(text);
            assert_eq!(condition.holds(&document()), holds, "{text}");
        }
    }

    #[test]
    fn what_is_no_condition_is_explained() {
        for (text, message) in [
            ("words", "is not a condition such as"),
            ("words ! 3", "is not a condition such as"),
            ("wrods >= 3", "did you mean “words”?"),
            ("words >= many", "“many” is not a number"),
            ("words ~ 3", "only texts can be matched"),
            ("truncated > true", "a boolean is"),
            ("url ~ (", "unclosed group"),
            ("url ~ (\\w{1000}){1000}", "size limit"),
        ] {
            let error = Condition::parse(text).expect_err(text);
            assert!(error.contains(message), "{text}: {error}");
        }
    }
}
