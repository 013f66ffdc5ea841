//! The documents of a batch that another program may have written.
//!
//! Columns are found by their names, in any order. Whole numbers may have any width, and numbers and texts may be null:
//! then they are unknown. Columns that the schema does not know are ignored.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, TimestampMicrosecondType,
    TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type, UInt32Type,
    UInt64Type,
};
use arrow_array::{Array, ArrayRef, RecordBatch, StructArray};
use arrow_schema::{DataType, TimeUnit};
use thiserror::Error;

use super::{METADATA, TEXT_PREFIX, instant};
use crate::document::{Document, ExtractedText, FIELDS, Field, FieldValue};

/// Why a batch holds no documents.
#[derive(Debug, Error)]
#[error("{0}")]
pub struct ReadError(String);

/// Reads the documents of a batch, one after the other.
#[derive(Debug, Default)]
pub struct BatchReader {
    fields: Vec<(&'static Field, ArrayRef)>,
    texts: Vec<(String, ArrayRef)>,
    rows: usize,
    next: usize,
}

impl BatchReader {
    /// Begins with the first row of a batch.
    ///
    /// # Errors
    /// The batch lacks `id` or `text`, or `metadata` is not a struct.
    pub fn new(batch: &RecordBatch) -> Result<Self, ReadError> {
        let metadata: Option<&StructArray> = match batch.column_by_name(METADATA) {
            Some(column) => Some(
                column
                    .as_struct_opt()
                    .ok_or_else(|| ReadError(format!("{METADATA} is {}, not a struct", column.data_type())))?,
            ),
            None => None,
        };
        let mut fields = Vec::new();
        for field in FIELDS {
            let column = if field.is_in_metadata() {
                metadata.and_then(|metadata| metadata.column_by_name(field.name()))
            } else {
                batch.column_by_name(field.name())
            };
            match column {
                Some(column) => fields.push((field, column.clone())),
                None if matches!(field.name(), "id" | "text") => {
                    return Err(ReadError(format!("there is no column {}", field.name())));
                }
                None => {}
            }
        }
        let schema = batch.schema_ref();
        let columns = schema.fields().iter().zip(batch.columns());
        let texts = columns.filter_map(|(field, column)| {
            let name = field.name().strip_prefix(TEXT_PREFIX)?;
            Some((name.to_owned(), column.clone()))
        });
        Ok(Self {
            fields,
            texts: texts.collect(),
            rows: batch.num_rows(),
            next: 0,
        })
    }

    /// Returns the next document; `None` after the last.
    ///
    /// # Errors
    /// A value has a type that its field cannot hold.
    pub fn next_document(&mut self) -> Result<Option<Document>, ReadError> {
        if self.next >= self.rows {
            return Ok(None);
        }
        let row = self.next;
        self.next += 1;
        let mut document = Document::without_fields();
        for (field, column) in &self.fields {
            let instant = timestamp(column, row);
            let value = match &instant {
                _ if column.is_null(row) && !field.is_nullable() && field.group().is_none() => {
                    return Err(ReadError(format!("{} is null", field.key())));
                }
                _ if column.is_null(row) => None,
                Some(text) => Some(FieldValue::Text(text)),
                None => Some(
                    value(column, row)
                        .ok_or_else(|| ReadError(format!("{} cannot be {}", field.key(), column.data_type())))?,
                ),
            };
            field
                .set_column(&mut document, value)
                .map_err(|error| ReadError(error.to_string()))?;
        }
        for (extractor, column) in &self.texts {
            match value(column, row) {
                _ if column.is_null(row) => {}
                Some(FieldValue::Text(text)) => document.more_texts.push(ExtractedText::new(extractor, text)),
                _ => {
                    let data_type = column.data_type();
                    return Err(ReadError(format!("{TEXT_PREFIX}{extractor} cannot be {data_type}")));
                }
            }
        }
        Ok(Some(document))
    }
}

/// The value of a column of timestamps, which is not null.
fn timestamp(column: &ArrayRef, row: usize) -> Option<String> {
    let (number, in_second) = match column.data_type() {
        DataType::Timestamp(TimeUnit::Second, _) => (column.as_primitive::<TimestampSecondType>().value(row), 1),
        DataType::Timestamp(TimeUnit::Millisecond, _) => {
            (column.as_primitive::<TimestampMillisecondType>().value(row), 1_000)
        }
        DataType::Timestamp(TimeUnit::Microsecond, _) => {
            (column.as_primitive::<TimestampMicrosecondType>().value(row), 1_000_000)
        }
        DataType::Timestamp(TimeUnit::Nanosecond, _) => (
            column.as_primitive::<TimestampNanosecondType>().value(row),
            1_000_000_000,
        ),
        _ => return None,
    };
    Some(instant::format(number, in_second))
}

/// A value that is not null. `None` if no field has values of its type.
fn value(column: &ArrayRef, row: usize) -> Option<FieldValue<'_>> {
    let signed = |n: i64| u64::try_from(n).ok().map(FieldValue::Integer);
    Some(match column.data_type() {
        DataType::Utf8 => FieldValue::Text(column.as_string::<i32>().value(row)),
        DataType::LargeUtf8 => FieldValue::Text(column.as_string::<i64>().value(row)),
        DataType::Utf8View => FieldValue::Text(column.as_string_view().value(row)),
        DataType::Boolean => FieldValue::Boolean(column.as_boolean().value(row)),
        DataType::Float64 => FieldValue::Float(column.as_primitive::<Float64Type>().value(row)),
        DataType::Float32 => FieldValue::Float(column.as_primitive::<Float32Type>().value(row).into()),
        DataType::UInt8 => FieldValue::Integer(column.as_primitive::<UInt8Type>().value(row).into()),
        DataType::UInt16 => FieldValue::Integer(column.as_primitive::<UInt16Type>().value(row).into()),
        DataType::UInt32 => FieldValue::Integer(column.as_primitive::<UInt32Type>().value(row).into()),
        DataType::UInt64 => FieldValue::Integer(column.as_primitive::<UInt64Type>().value(row)),
        DataType::Int8 => signed(column.as_primitive::<Int8Type>().value(row).into())?,
        DataType::Int16 => signed(column.as_primitive::<Int16Type>().value(row).into())?,
        DataType::Int32 => signed(column.as_primitive::<Int32Type>().value(row).into())?,
        DataType::Int64 => signed(column.as_primitive::<Int64Type>().value(row))?,
        _ => return None,
    })
}
