//! Rules over the numbers of a document, alone or as presets.

use std::fmt;

use crate::document::{Document, FIELDS, Field, FieldType, FieldValue};

/// A preset: its name and its rules.
type Preset = (&'static str, &'static [&'static str]);

/// The published presets. `docs/documents.md` has their sources and what was left out.
const PRESETS: [Preset; 3] = [
    (
        "gopher",
        &[
            "words >= 50",
            "words <= 100000",
            "quality_mean_word_length >= 3",
            "quality_mean_word_length <= 10",
            "quality_symbol_share <= 0.1",
            "quality_bullet_line_share <= 0.9",
            "quality_ellipsis_line_share <= 0.3",
            "quality_alphabetic_share >= 0.8",
            "quality_stop_words >= 2",
            "quality_duplicate_line_share <= 0.3",
            "quality_duplicate_line_character_share <= 0.2",
            "quality_top_2gram_share <= 0.2",
            "quality_duplicate_5gram_share <= 0.15",
        ],
    ),
    ("c4", &["quality_sentences >= 3", "quality_curly_brackets <= 0"]),
    (
        "fineweb",
        &[
            "quality_punctuated_line_share >= 0.12",
            "quality_duplicate_line_character_share <= 0.1",
            "quality_short_line_share <= 0.67",
        ],
    ),
];

/// A bound of a number of a document.
#[derive(Clone, Copy)]
pub struct QualityRule {
    preset: &'static str,
    field: &'static Field,
    is_least: bool,
    limit: f64,
}

impl QualityRule {
    /// Returns whether a document meets the rule.
    #[doc(hidden)]
    pub fn holds(&self, document: &Document) -> bool {
        let value = match self.field.get(document) {
            FieldValue::Integer(n) => n as f64,
            FieldValue::Float(n) => n,
            FieldValue::Text(_) | FieldValue::Boolean(_) => return true,
        };
        if self.is_least {
            value >= self.limit
        } else {
            value <= self.limit
        }
    }
}

/// The rule's name in `run.json`: `gopher: words >= 50`, or without a preset `words >= 50`.
impl fmt::Display for QualityRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.preset.is_empty() {
            write!(f, "{}: ", self.preset)?;
        }
        let sign = if self.is_least { ">=" } else { "<=" };
        write!(f, "{} {sign} {}", self.field.name(), self.limit)
    }
}

impl fmt::Debug for QualityRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "QualityRule({self})")
    }
}

impl PartialEq for QualityRule {
    fn eq(&self, other: &Self) -> bool {
        let key = |rule: &Self| (rule.preset, rule.field.name(), rule.is_least, rule.limit.to_bits());
        key(self) == key(other)
    }
}

impl Eq for QualityRule {}

/// A mistake in a text that should be a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuleError {
    /// It is neither a preset nor of the form `KEY >= NUMBER` or `KEY <= NUMBER`.
    Form,
    /// No document has such a number.
    Key,
}

/// Returns the rules that an item of `select.quality` names: those of a preset, or a single one.
///
/// # Errors
/// The item is neither.
pub fn parse(item: &str) -> Result<Vec<QualityRule>, RuleError> {
    match PRESETS.iter().find(|(name, _)| *name == item) {
        Some((name, rules)) => rules.iter().map(|rule| parse_rule(rule, name)).collect(),
        None => Ok(vec![parse_rule(item, "")?]),
    }
}

fn parse_rule(rule: &str, preset: &'static str) -> Result<QualityRule, RuleError> {
    let (key, limit, is_least) = match (rule.split_once(">="), rule.split_once("<=")) {
        (Some((key, limit)), None) => (key, limit, true),
        (None, Some((key, limit))) => (key, limit, false),
        _ => return Err(RuleError::Form),
    };
    let limit = limit.trim().parse().ok().filter(|limit: &f64| limit.is_finite());
    let key = key.trim();
    Ok(QualityRule {
        preset,
        field: number_fields()
            .find(|field| field.name() == key)
            .ok_or(RuleError::Key)?,
        is_least,
        limit: limit.ok_or(RuleError::Form)?,
    })
}

/// The names of the presets.
pub fn presets() -> impl Iterator<Item = &'static str> {
    PRESETS.iter().map(|(name, _)| *name)
}

/// The names of the numbers that rules can bound.
pub fn numbers() -> impl Iterator<Item = &'static str> {
    number_fields().map(Field::name)
}

fn number_fields() -> impl Iterator<Item = &'static Field> {
    let is_number = |field: &&Field| {
        !matches!(
            field.field_type(),
            FieldType::Text | FieldType::Instant | FieldType::Boolean
        )
    };
    FIELDS.iter().filter(|field| field.is_in_metadata()).filter(is_number)
}
