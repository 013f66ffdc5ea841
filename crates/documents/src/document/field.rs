//! Access to the entries of the schema: the methods of [`Field`], and those of [`FieldSet`] and [`Document`] that name
//! fields.

use std::fmt;

use super::field_set::{FieldGroup, FieldSet};
use super::schema::{Document, FIELDS, Field};
use super::value::{FieldError, FieldType, FieldValue};

impl Field {
    /// Returns the name, such as `url`. Names are unique in a document.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Returns whether the field is in `metadata`.
    pub fn is_in_metadata(&self) -> bool {
        self.in_metadata
    }

    /// Returns the path of the field in JSON, such as `metadata.url`.
    pub fn key(&self) -> String {
        let parent = if self.in_metadata { "metadata." } else { "" };
        format!("{parent}{}", self.name)
    }

    /// Returns the type of the field's values.
    pub fn field_type(&self) -> FieldType {
        self.field_type
    }

    /// Returns the unit or the range of a number, such as `bytes`.
    pub fn unit(&self) -> Option<&'static str> {
        self.unit
    }

    /// Returns what the field means, in Markdown.
    pub fn meaning(&self) -> &'static str {
        self.meaning
    }

    /// Returns the group that a configuration asks for to have the field; `None` if documents always have it.
    pub fn group(&self) -> Option<FieldGroup> {
        self.group
    }

    /// Returns whether a document may not know the value. Formats with nulls write null then.
    pub fn is_nullable(&self) -> bool {
        self.is_nullable
    }

    /// Returns whether the document does not know the value: it does not have the field, or it is `""` or 0 there.
    pub fn is_unknown(&self, document: &Document) -> bool {
        let is_default = || match self.get(document) {
            FieldValue::Text(text) => text.is_empty(),
            FieldValue::Integer(n) => n == 0,
            FieldValue::Float(n) => n == 0.0 || !n.is_finite(),
            FieldValue::Boolean(b) => !b,
        };
        !document.fields.contains(self) || (self.is_nullable && is_default())
    }

    /// Returns the document's value.
    pub fn get<'d>(&self, document: &'d Document) -> FieldValue<'d> {
        (self.get)(document)
    }

    /// Sets the document's value. The document has the field then.
    ///
    /// # Errors
    ///
    /// The value has another type, or is too large for the field. The document is unchanged.
    pub fn set(&self, document: &mut Document, value: FieldValue<'_>) -> Result<(), FieldError> {
        if (self.set)(document, value) {
            document.fields.insert(self);
            return Ok(());
        }
        Err(self.error(value.to_string()))
    }

    /// Sets the document's value from a column, in which an unknown value is null. If the field is not nullable, the
    /// document does not have it then.
    #[cfg(any(feature = "arrow", feature = "sqlite"))]
    pub(crate) fn set_column(&self, document: &mut Document, value: Option<FieldValue<'_>>) -> Result<(), FieldError> {
        if let Some(value) = value {
            return self.set(document, value);
        }
        if self.is_nullable {
            document.fields.insert(self);
        }
        Ok(())
    }

    /// Sets the document's value from its text, as XML and CSV hold it.
    ///
    /// # Errors
    ///
    /// The text is not a value of the field's type. The document is unchanged.
    pub fn parse(&self, document: &mut Document, text: &str) -> Result<(), FieldError> {
        let value = match self.field_type {
            FieldType::Text | FieldType::Instant => Some(FieldValue::Text(text)),
            FieldType::U16 | FieldType::U32 | FieldType::U64 => text.parse().ok().map(FieldValue::Integer),
            FieldType::F64 => text.parse().ok().filter(|n: &f64| n.is_finite()).map(FieldValue::Float),
            FieldType::Boolean => text.parse().ok().map(FieldValue::Boolean),
        };
        match value {
            Some(value) => self.set(document, value),
            None => Err(self.error(text.to_owned())),
        }
    }

    fn error(&self, value: String) -> FieldError {
        FieldError {
            field: self.name,
            expected: self.field_type,
            value,
        }
    }
}

impl FieldSet {
    /// Every field.
    pub const ALL: FieldSet = FieldSet::first(FIELDS.len());

    /// The fields that documents have if the configuration asks for these groups.
    pub fn with_groups(groups: &[FieldGroup]) -> Self {
        let is_asked = |field: &&Field| field.group().is_none_or(|group| groups.contains(&group));
        FIELDS.iter().filter(is_asked).collect()
    }

    /// Returns whether a field is in the set.
    pub fn contains(self, field: &Field) -> bool {
        self.has(field.place)
    }

    /// Returns the fields in the order of the schema.
    pub fn iter(self) -> impl Iterator<Item = &'static Field> {
        FIELDS.iter().filter(move |field| self.contains(field))
    }

    /// Adds a field.
    pub fn insert(&mut self, field: &Field) {
        self.add(field.place);
    }

    /// Removes a field.
    pub fn remove(&mut self, field: &Field) {
        self.clear(field.place);
    }
}

/// Every field, as in [`Document::default`].
impl Default for FieldSet {
    fn default() -> Self {
        Self::ALL
    }
}

impl<'f> FromIterator<&'f Field> for FieldSet {
    fn from_iter<I: IntoIterator<Item = &'f Field>>(fields: I) -> Self {
        let mut set = Self::NONE;
        fields.into_iter().for_each(|field| set.insert(field));
        set
    }
}

impl fmt::Debug for FieldSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter().map(Field::name)).finish()
    }
}

impl Document {
    /// Returns the fields that the document has. One that was read from a shard has those of the run that wrote it.
    pub fn fields(&self) -> FieldSet {
        self.fields
    }

    /// Returns a document that has no field yet, for readers that add one after the other.
    pub(crate) fn without_fields() -> Self {
        Self {
            fields: FieldSet::NONE,
            ..Self::default()
        }
    }

    /// Sets which fields the document has.
    pub fn set_fields(&mut self, fields: FieldSet) {
        self.fields = fields;
    }
}

// The bits of a set.
const _: () = assert!(FIELDS.len() < u128::BITS as usize);
