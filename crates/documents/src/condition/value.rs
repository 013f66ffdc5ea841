//! One field of a document, chosen by its name.

use crate::document::{Document, FIELDS, Field, FieldType, FieldValue};
use crate::suggestion::nearest_word;

/// How the keys of further extractors' texts begin.
const MORE_TEXT: &str = "text_";

/// A field that a command line names.
#[derive(Clone, Debug)]
pub enum Value {
    /// A field of the schema.
    Field(&'static Field),
    /// The text of a further extractor.
    MoreText(String),
}

impl Value {
    /// The field of this name, such as `url`, `metadata.url` or `text_coreex`.
    ///
    /// # Errors
    /// No document can have it.
    pub fn named(name: &str) -> Result<Self, String> {
        if let Some(field) = FIELDS.iter().find(|f| f.name() == name || f.key() == name) {
            return Ok(Self::Field(field));
        }
        match name.strip_prefix(MORE_TEXT) {
            Some(extractor) if !extractor.is_empty() => Ok(Self::MoreText(extractor.to_owned())),
            _ => {
                let near = nearest_word(name, FIELDS.iter().map(Field::name));
                let hint = near.map(|near| format!("; did you mean “{near}”?")).unwrap_or_default();
                Err(format!("“{name}” is not a field of a document{hint}"))
            }
        }
    }

    /// Whether it is the language of a text.
    pub(super) fn is_language(&self) -> bool {
        matches!(self, Self::Field(field) if field.name() == "language")
    }

    /// Its type.
    pub fn field_type(&self) -> FieldType {
        match self {
            Self::Field(field) => field.field_type(),
            Self::MoreText(_) => FieldType::Text,
        }
    }

    /// Why the document does not have the field, if its run did not compute it. A text of a further extractor has no
    /// such reason.
    pub fn absence(&self, document: &Document) -> Option<String> {
        let Self::Field(field) = self else { return None };
        let name = field.name();
        match (document.fields().contains(field), field.group()) {
            (true, _) => None,
            (false, Some(group)) => Some(format!(
                "its run did not compute {name}; a run with {} does",
                group.setting()
            )),
            (false, None) => Some(format!("another version of the program wrote it, which had no {name}")),
        }
    }

    /// The document's value; `None` if the document does not have it.
    pub fn get<'d>(&self, document: &'d Document) -> Option<FieldValue<'d>> {
        match self {
            Self::Field(field) => document.fields().contains(field).then(|| field.get(document)),
            Self::MoreText(extractor) => {
                let mut texts = document.more_texts.iter();
                let found = texts.find(|more| more.extractor == *extractor)?;
                Some(FieldValue::Text(&found.text))
            }
        }
    }

    /// The same, and `None` also if the document does not know the value.
    pub fn known<'d>(&self, document: &'d Document) -> Option<FieldValue<'d>> {
        match self {
            Self::Field(field) if field.is_unknown(document) => None,
            _ => self.get(document),
        }
    }
}
