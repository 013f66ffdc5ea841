//! The values of one field of many documents.

use std::sync::Arc;

use arrow_array::{
    ArrayRef, BooleanArray, Float64Array, Int32Array, Int64Array, StringArray, UInt16Array, UInt32Array, UInt64Array,
};
use arrow_buffer::{BooleanBuffer, Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::ArrowError;

use crate::document::{FieldType, FieldValue};

/// A growing column.
#[derive(Debug)]
pub(super) struct Column {
    values: Values,
    /// Whether each value is known.
    known: Vec<bool>,
}

#[derive(Debug)]
enum Values {
    /// All texts, and where each ends.
    Text(Vec<u8>, Vec<usize>),
    U16(Vec<u16>),
    U32(Vec<u32>),
    U64(Vec<u64>),
    F64(Vec<f64>),
    Boolean(Vec<bool>),
}

impl Column {
    pub(super) fn new(field_type: FieldType) -> Self {
        let values = match field_type {
            FieldType::Text => Values::Text(Vec::new(), Vec::new()),
            FieldType::U16 => Values::U16(Vec::new()),
            FieldType::U32 => Values::U32(Vec::new()),
            FieldType::U64 => Values::U64(Vec::new()),
            FieldType::F64 => Values::F64(Vec::new()),
            FieldType::Boolean => Values::Boolean(Vec::new()),
        };
        Self {
            values,
            known: Vec::new(),
        }
    }

    /// What the values take in memory, in bytes.
    pub(super) fn size(&self) -> usize {
        let values = match &self.values {
            Values::Text(text, ends) => text.len() + ends.len() * size_of::<i32>(),
            Values::U16(values) => size_of_val(values.as_slice()),
            Values::U32(values) => size_of_val(values.as_slice()),
            Values::U64(values) => size_of_val(values.as_slice()),
            Values::F64(values) => size_of_val(values.as_slice()),
            Values::Boolean(values) => values.len(),
        };
        values + self.known.len()
    }

    pub(super) fn push(&mut self, value: FieldValue<'_>) {
        self.push_value(value);
        self.known.push(true);
    }

    pub(super) fn push_null(&mut self) {
        // A value of another type than the column's is its zero.
        self.push_value(FieldValue::Boolean(false));
        self.known.push(false);
    }

    fn push_value(&mut self, value: FieldValue<'_>) {
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
            Values::U16(values) => values.push(u16::try_from(integer).unwrap_or(u16::MAX)),
            Values::U32(values) => values.push(u32::try_from(integer).unwrap_or(u32::MAX)),
            Values::U64(values) => values.push(integer),
            Values::F64(values) => values.push(match value {
                FieldValue::Float(n) => n,
                _ => 0.0,
            }),
            Values::Boolean(values) => values.push(value == FieldValue::Boolean(true)),
        }
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
            Values::U16(values) => values.truncate(rows),
            Values::U32(values) => values.truncate(rows),
            Values::U64(values) => values.truncate(rows),
            Values::F64(values) => values.truncate(rows),
            Values::Boolean(values) => values.truncate(rows),
        }
    }

    /// Takes the values out as an array, of signed whole numbers if asked for. A number that is too large becomes the largest.
    pub(super) fn take(&mut self, is_signed: bool) -> Result<ArrayRef, ArrowError> {
        use std::mem::take;
        let known = take(&mut self.known);
        let nulls = known.contains(&false).then(|| NullBuffer::from(known));
        Ok(match &mut self.values {
            Values::Text(text, ends) => Arc::new(strings(take(text), &take(ends), nulls)?),
            Values::U16(values) if is_signed => {
                let values = take(values).into_iter().map(i32::from);
                Arc::new(Int32Array::try_new(values.collect(), nulls)?)
            }
            Values::U32(values) if is_signed => {
                let values = take(values).into_iter().map(i64::from);
                Arc::new(Int64Array::try_new(values.collect(), nulls)?)
            }
            Values::U64(values) if is_signed => {
                let values = take(values).into_iter().map(|n| i64::try_from(n).unwrap_or(i64::MAX));
                Arc::new(Int64Array::try_new(values.collect(), nulls)?)
            }
            Values::U16(values) => Arc::new(UInt16Array::try_new(take(values).into(), nulls)?),
            Values::U32(values) => Arc::new(UInt32Array::try_new(take(values).into(), nulls)?),
            Values::U64(values) => Arc::new(UInt64Array::try_new(take(values).into(), nulls)?),
            Values::F64(values) => Arc::new(Float64Array::try_new(take(values).into(), nulls)?),
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
