//! The types of the schema's entries: [`Field`], [`FieldType`] and [`FieldValue`].

use std::fmt;

use super::field_set::FieldGroup;
use super::schema::Document;

/// One field of a [`Document`].
///
/// ```
/// use dehusk::{Document, FIELDS, FieldValue};
///
/// let url = FIELDS.iter().find(|field| field.key() == "metadata.url").expect("a field");
/// let mut document = Document::default();
/// url.set(&mut document, FieldValue::Text("https://blog.example/"))?;
/// assert_eq!(url.get(&document), FieldValue::Text("https://blog.example/"));
/// # Ok::<(), dehusk::FieldError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Field {
    pub(super) name: &'static str,
    pub(super) place: u8,
    pub(super) in_metadata: bool,
    pub(super) field_type: FieldType,
    pub(super) unit: Option<&'static str>,
    pub(super) is_nullable: bool,
    pub(super) group: Option<FieldGroup>,
    pub(super) meaning: &'static str,
    pub(super) get: fn(&Document) -> FieldValue<'_>,
    pub(super) set: fn(&mut Document, FieldValue<'_>) -> bool,
}

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

    /// Notes that a format has null for the value. What is not nullable, the document does not have then.
    #[cfg(any(feature = "arrow", feature = "sqlite"))]
    pub(crate) fn set_unknown(&self, document: &mut Document) {
        if self.is_nullable {
            document.fields.insert(self);
        }
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

/// The type of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FieldType {
    /// UTF-8 text.
    Text,
    /// Text that is an instant in UTC, to the second: `YYYY-MM-DDThh:mm:ssZ`. Its values are texts.
    Instant,
    /// Whole number of 16 bits without a sign.
    U16,
    /// Whole number of 32 bits without a sign.
    U32,
    /// Whole number of 64 bits without a sign.
    U64,
    /// Floating-point number of 64 bits.
    F64,
    /// True or false.
    Boolean,
}

impl FieldType {
    /// Returns the name of the type in the documentation, such as `whole number`.
    pub fn name(self) -> &'static str {
        match self {
            FieldType::Text => "string",
            FieldType::Instant => "instant",
            FieldType::U16 | FieldType::U32 | FieldType::U64 => "whole number",
            FieldType::F64 => "number",
            FieldType::Boolean => "boolean",
        }
    }
}

/// A field's value in a document.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FieldValue<'d> {
    /// The value of a [`FieldType::Text`] or [`FieldType::Instant`].
    Text(&'d str),
    /// The value of a [`FieldType::U16`], [`FieldType::U32`] or [`FieldType::U64`].
    Integer(u64),
    /// The value of a [`FieldType::F64`].
    Float(f64),
    /// The value of a [`FieldType::Boolean`].
    Boolean(bool),
}

impl fmt::Display for FieldValue<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FieldValue::Text(text) => f.write_str(text),
            FieldValue::Integer(n) => write!(f, "{n}"),
            // With its decimal point, so that it stays a float.
            FieldValue::Float(n) => write!(f, "{n:?}"),
            FieldValue::Boolean(b) => write!(f, "{b}"),
        }
    }
}

/// A value that a field cannot hold.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FieldError {
    /// Name of the field.
    pub field: &'static str,
    /// Type of the field.
    pub expected: FieldType,
    /// The value, as text.
    pub value: String,
}

impl fmt::Display for FieldError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        /// Bytes of the value that the message shows.
        const SHOWN: usize = 80;
        let end = self.value.floor_char_boundary(SHOWN.min(self.value.len()));
        let shown = &self.value[..end];
        write!(
            f,
            "{} cannot be {shown:?}: it is a {}",
            self.field,
            self.expected.name()
        )?;
        match self.expected {
            FieldType::U16 => f.write_str(" of 16 bits"),
            FieldType::U32 => f.write_str(" of 32 bits"),
            FieldType::U64 => f.write_str(" of 64 bits"),
            _ => Ok(()),
        }
    }
}

impl std::error::Error for FieldError {}

/// A Rust type that a field can have.
pub(super) trait Typed {
    const TYPE: FieldType;

    fn get(&self) -> FieldValue<'_>;

    /// Returns `false` and changes nothing if the value does not fit.
    fn set(&mut self, value: FieldValue<'_>) -> bool;
}

impl Typed for String {
    const TYPE: FieldType = FieldType::Text;

    fn get(&self) -> FieldValue<'_> {
        FieldValue::Text(self)
    }

    fn set(&mut self, value: FieldValue<'_>) -> bool {
        let FieldValue::Text(text) = value else { return false };
        text.clone_into(self);
        true
    }
}

impl Typed for f64 {
    const TYPE: FieldType = FieldType::F64;

    fn get(&self) -> FieldValue<'_> {
        FieldValue::Float(*self)
    }

    fn set(&mut self, value: FieldValue<'_>) -> bool {
        let FieldValue::Float(n) = value else { return false };
        *self = n;
        true
    }
}

impl Typed for bool {
    const TYPE: FieldType = FieldType::Boolean;

    fn get(&self) -> FieldValue<'_> {
        FieldValue::Boolean(*self)
    }

    fn set(&mut self, value: FieldValue<'_>) -> bool {
        let FieldValue::Boolean(b) = value else { return false };
        *self = b;
        true
    }
}

macro_rules! whole_numbers {
    ($($number:ty => $field_type:ident,)+) => {$(
        impl Typed for $number {
            const TYPE: FieldType = FieldType::$field_type;

            fn get(&self) -> FieldValue<'_> {
                FieldValue::Integer(u64::from(*self))
            }

            fn set(&mut self, value: FieldValue<'_>) -> bool {
                let FieldValue::Integer(n) = value else { return false };
                <$number>::try_from(n).map(|n| *self = n).is_ok()
            }
        }
    )+};
}

whole_numbers! {
    u16 => U16,
    u32 => U32,
    u64 => U64,
}
