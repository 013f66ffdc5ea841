//! The columns of the table of documents: their types, names and values.

use rusqlite::types::ToSqlOutput;
use rusqlite::{ToSql, types};

use crate::document::{Document, Field, FieldType, FieldValue};

/// Returns the SQL type of a field's column.
pub(super) fn column_type(field: &Field) -> &'static str {
    match field.field_type() {
        FieldType::Text | FieldType::Instant => "TEXT",
        FieldType::F64 => "REAL",
        FieldType::U16 | FieldType::U32 | FieldType::U64 | FieldType::Boolean => "INTEGER",
    }
}

/// Returns a name as SQL quotes it.
pub(super) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// A value of a column; `None` is null.
pub(super) struct Value<'d>(pub(super) Option<FieldValue<'d>>);

impl<'d> Value<'d> {
    pub(super) fn new(field: &Field, document: &'d Document) -> Self {
        Self((!field.is_unknown(document)).then(|| field.get(document)))
    }
}

impl ToSql for Value<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        use types::Value as Owned;
        use types::ValueRef::Text;
        Ok(match self.0 {
            None => ToSqlOutput::Owned(Owned::Null),
            Some(FieldValue::Text(text)) => ToSqlOutput::Borrowed(Text(text.as_bytes())),
            // Numbers of SQLite have a sign. No offset or count is near the limit.
            Some(FieldValue::Integer(n)) => ToSqlOutput::Owned(Owned::Integer(i64::try_from(n).unwrap_or(i64::MAX))),
            // A number that is not finite is unknown to every format.
            Some(FieldValue::Float(n)) => ToSqlOutput::Owned(Owned::Real(if n.is_finite() { n } else { 0.0 })),
            Some(FieldValue::Boolean(b)) => ToSqlOutput::Owned(Owned::Integer(i64::from(b))),
        })
    }
}
