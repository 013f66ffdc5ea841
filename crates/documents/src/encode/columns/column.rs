//! The values of one field of many documents.

use std::sync::Arc;

use arrow_array::{
    ArrayRef, BooleanArray, Float64Array, Int32Array, Int64Array, StringArray, TimestampMicrosecondArray,
};
use arrow_buffer::{BooleanBuffer, Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::ArrowError;

use super::instant;
use crate::document::{FieldType, FieldValue};

/// A growing column.
#[derive(Debug)]
pub(super) struct Column {
    values: Values,
    /// Whether each value is known.
    known: Vec<bool>,
}

/// Whole numbers have a sign: many readers know no others.
#[derive(Debug)]
enum Values {
    /// All texts, and where each ends.
    Text(Vec<u8>, Vec<usize>),
    /// Microseconds.
    Instant(Vec<i64>),
    Small(Vec<i32>),
    Whole(Vec<i64>),
    Float(Vec<f64>),
    Boolean(Vec<bool>),
}

impl Column {
    pub(super) fn new(field_type: FieldType) -> Self {
        let values = match field_type {
            FieldType::Text => Values::Text(Vec::new(), Vec::new()),
            FieldType::Instant => Values::Instant(Vec::new()),
            FieldType::U16 => Values::Small(Vec::new()),
            FieldType::U32 | FieldType::U64 => Values::Whole(Vec::new()),
            FieldType::F64 => Values::Float(Vec::new()),
            FieldType::Boolean => Values::Boolean(Vec::new()),
        };
        Self {
            values,
            known: Vec::new(),
        }
    }

    /// The memory that the values take, in bytes.
    pub(super) fn size(&self) -> usize {
        let values = match &self.values {
            Values::Text(text, ends) => text.len() + ends.len() * size_of::<i32>(),
            Values::Small(values) => size_of_val(values.as_slice()),
            Values::Instant(values) | Values::Whole(values) => size_of_val(values.as_slice()),
            Values::Float(values) => size_of_val(values.as_slice()),
            Values::Boolean(values) => values.len(),
        };
        values + self.known.len()
    }

    pub(super) fn push(&mut self, value: FieldValue<'_>) {
        let is_known = self.push_value(value);
        self.known.push(is_known);
    }

    pub(super) fn push_null(&mut self) {
        // A value of another type than the column's is its zero.
        self.push_value(FieldValue::Boolean(false));
        self.known.push(false);
    }

    /// Returns whether the column can hold the value. A text that is no instant is unknown, and a number that is too
    /// large becomes the largest.
    fn push_value(&mut self, value: FieldValue<'_>) -> bool {
        let integer = match value {
            FieldValue::Integer(n) => n,
            _ => 0,
        };
        match &mut self.values {
            Values::Text(text, ends) => {
                if let FieldValue::Text(value) = value {
                    text.extend_from_slice(value.as_bytes());
                }
                ends.push(text.len());
            }
            Values::Instant(values) => {
                let instant = match value {
                    FieldValue::Text(text) => instant::parse(text),
                    _ => None,
                };
                values.push(instant.unwrap_or_default());
                return instant.is_some();
            }
            Values::Small(values) => values.push(i32::try_from(integer).unwrap_or(i32::MAX)),
            Values::Whole(values) => values.push(i64::try_from(integer).unwrap_or(i64::MAX)),
            Values::Float(values) => values.push(match value {
                FieldValue::Float(n) => n,
                _ => 0.0,
            }),
            Values::Boolean(values) => values.push(value == FieldValue::Boolean(true)),
        }
        true
    }

    /// Brings the column to this number of rows: it drops values, or adds nulls.
    pub(super) fn resize(&mut self, rows: usize) {
        self.truncate(rows);
        while self.known.len() < rows {
            self.push_null();
        }
    }

    pub(super) fn truncate(&mut self, rows: usize) {
        self.known.truncate(rows);
        match &mut self.values {
            Values::Text(text, ends) => {
                ends.truncate(rows);
                text.truncate(ends.last().copied().unwrap_or_default());
            }
            Values::Small(values) => values.truncate(rows),
            Values::Instant(values) | Values::Whole(values) => values.truncate(rows),
            Values::Float(values) => values.truncate(rows),
            Values::Boolean(values) => values.truncate(rows),
        }
    }

    /// Takes the values out as an array.
    pub(super) fn take(&mut self) -> Result<ArrayRef, ArrowError> {
        use std::mem::take;
        let known = take(&mut self.known);
        let nulls = known.contains(&false).then(|| NullBuffer::from(known));
        Ok(match &mut self.values {
            Values::Text(text, ends) => Arc::new(strings(take(text), &take(ends), nulls)?),
            Values::Instant(values) => {
                let values = TimestampMicrosecondArray::try_new(take(values).into(), nulls)?;
                Arc::new(values.with_timezone(instant::ZONE))
            }
            Values::Small(values) => Arc::new(Int32Array::try_new(take(values).into(), nulls)?),
            Values::Whole(values) => Arc::new(Int64Array::try_new(take(values).into(), nulls)?),
            Values::Float(values) => Arc::new(Float64Array::try_new(take(values).into(), nulls)?),
            Values::Boolean(values) => Arc::new(BooleanArray::new(BooleanBuffer::from(take(values)), nulls)),
        })
    }
}

fn strings(text: Vec<u8>, ends: &[usize], nulls: Option<NullBuffer>) -> Result<StringArray, ArrowError> {
    let offsets = std::iter::once(&0).chain(ends).map(|end| {
        i32::try_from(*end)
            .map_err(|_| ArrowError::InvalidArgumentError("a column of texts is larger than 2 GiB".into()))
    });
    let offsets: Vec<i32> = offsets.collect::<Result<_, _>>()?;
    StringArray::try_new(
        OffsetBuffer::new(ScalarBuffer::from(offsets)),
        Buffer::from_vec(text),
        nulls,
    )
}
