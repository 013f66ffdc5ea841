//! The texts of the second and further extractors.
//!
//! serde reads and writes them as keys `text_NAME` beside `text`, where NAME is the extractor's name.

use std::fmt;

use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};
use serde::ser::Serializer;

use super::form::Form;

/// The text that a further extractor selected on the page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ExtractedText {
    /// Name of the extractor (of its preset).
    pub extractor: String,
    /// The text, in the form of [`Document::text`](super::Document::text). May be empty.
    pub text: String,
    /// The form of the text, if the output's format asks for it.
    pub(crate) form: Form,
}

impl ExtractedText {
    /// What comes before the extractor's name in a key.
    pub(crate) const PREFIX: &str = "text_";

    /// Creates the text of an extractor.
    pub fn new(extractor: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            extractor: extractor.into(),
            text: text.into(),
            form: Form::default(),
        }
    }
}

/// Writes each text as an entry of the document's map.
pub(super) fn serialize<S: Serializer>(texts: &[ExtractedText], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(
        texts
            .iter()
            .map(|text| (format!("{}{}", ExtractedText::PREFIX, text.extractor), &text.text)),
    )
}

/// Takes the keys `text_NAME` from the keys of a document that are no fields, and ignores the others.
pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<ExtractedText>, D::Error> {
    deserializer.deserialize_map(Texts)
}

struct Texts;

impl<'de> Visitor<'de> for Texts {
    type Value = Vec<ExtractedText>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a document")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut texts = Vec::new();
        while let Some(key) = map.next_key::<String>()? {
            match key.strip_prefix(ExtractedText::PREFIX) {
                Some(extractor) => texts.push(ExtractedText::new(extractor, map.next_value::<String>()?)),
                None => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(texts)
    }
}
