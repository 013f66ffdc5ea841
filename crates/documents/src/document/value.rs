//! The types and values of fields: [`FieldType`], [`FieldValue`], and the Rust types that fields can have.

use std::fmt;

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
