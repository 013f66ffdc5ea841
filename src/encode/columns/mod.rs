//! Documents as Arrow columns, and columns back to documents. The fields are those of the schema, in its order: those of
//! the metadata are in the struct `metadata`, and behind it comes a column `text_NAME` for each further extractor.
//!
//! An unknown value is null, if the schema says that it can be unknown.
//!
//! - `column`: the values of one field
//! - `read`: the documents of a batch that another program may have written

mod column;
mod read;

use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions, StructArray};
use arrow_schema::{ArrowError, DataType, Field as ArrowField, Fields, Schema};

use crate::document::{Document, ExtractedText, FIELDS, Field, FieldType, FieldValue};
use column::Column;
pub use read::{BatchReader, ReadError};

/// The column of the fields in the metadata.
const METADATA: &str = "metadata";

/// What comes before the name of an extractor in the name of its column.
const TEXT_PREFIX: &str = ExtractedText::PREFIX;

/// The schema of batches whose documents have the texts of these further extractors.
pub fn schema(extractors: &[String]) -> Schema {
    let (metadata, top): (Vec<&Field>, Vec<&Field>) = FIELDS.iter().partition(|field| field.is_in_metadata());
    let mut fields: Vec<ArrowField> = top.into_iter().map(arrow_field).collect();
    let metadata: Fields = metadata.into_iter().map(arrow_field).collect();
    fields.push(ArrowField::new(METADATA, DataType::Struct(metadata), false));
    let mut extractors: Vec<&String> = extractors.iter().collect();
    extractors.sort();
    fields.extend(extractors.into_iter().map(|name| text_field(name)));
    Schema::new(fields)
}

/// The same schema with signed whole numbers, for programs that know no others.
pub fn signed(schema: &Schema) -> Schema {
    let fields = schema.fields().iter().map(|field| signed_field(field));
    Schema::new(fields.collect::<Fields>())
}

fn signed_field(field: &ArrowField) -> ArrowField {
    let data_type = match field.data_type() {
        DataType::UInt16 => DataType::Int32,
        DataType::UInt32 | DataType::UInt64 => DataType::Int64,
        DataType::Struct(fields) => DataType::Struct(fields.iter().map(|field| signed_field(field)).collect()),
        other => other.clone(),
    };
    field.clone().with_data_type(data_type)
}

fn arrow_field(field: &Field) -> ArrowField {
    ArrowField::new(field.name(), arrow_type(field.field_type()), field.is_nullable())
}

fn text_field(extractor: &str) -> ArrowField {
    ArrowField::new(format!("{TEXT_PREFIX}{extractor}"), DataType::Utf8, true)
}

fn arrow_type(field_type: FieldType) -> DataType {
    match field_type {
        FieldType::Text => DataType::Utf8,
        FieldType::U16 => DataType::UInt16,
        FieldType::U32 => DataType::UInt32,
        FieldType::U64 => DataType::UInt64,
        FieldType::F64 => DataType::Float64,
        FieldType::Boolean => DataType::Boolean,
    }
}

/// Collects documents as columns.
#[derive(Debug)]
pub struct Columns {
    fields: Vec<Column>,
    /// The texts of further extractors, sorted by their names.
    texts: Vec<(String, Column)>,
    rows: usize,
    /// Whether whole numbers are signed.
    is_signed: bool,
}

impl Default for Columns {
    fn default() -> Self {
        Self::with_extractors(&[])
    }
}

impl Columns {
    /// Columns for documents that have the texts of these further extractors.
    pub fn with_extractors(extractors: &[String]) -> Self {
        let mut columns = Self {
            fields: FIELDS.iter().map(|field| Column::new(field.field_type())).collect(),
            texts: Vec::new(),
            rows: 0,
            is_signed: false,
        };
        for extractor in extractors {
            columns.text_column(extractor);
        }
        columns
    }

    /// The same columns with signed whole numbers, as [`signed`] has them.
    pub fn signed(mut self, is_signed: bool) -> Self {
        self.is_signed = is_signed;
        self
    }

    /// How many documents there are.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// What the documents take in memory, about, in bytes.
    pub fn size(&self) -> usize {
        self.all().map(Column::size).sum()
    }

    fn all(&self) -> impl Iterator<Item = &Column> {
        self.fields.iter().chain(self.texts.iter().map(|(_, column)| column))
    }

    /// Adds a document.
    pub fn push(&mut self, document: &Document) {
        // A panic may have left a row that is not complete.
        let rows = self.rows;
        self.truncate(rows);
        for (column, field) in self.fields.iter_mut().zip(FIELDS) {
            match field.is_unknown(document) {
                true => column.push_null(),
                false => column.push(finite(field.get(document))),
            }
        }
        for more in &document.more_texts {
            self.text_column(&more.extractor).push(FieldValue::Text(&more.text));
        }
        for (_, column) in &mut self.texts {
            column.resize(rows + 1);
        }
        self.rows += 1;
    }

    /// Drops all documents.
    pub fn clear(&mut self) {
        self.truncate(0);
    }

    fn truncate(&mut self, rows: usize) {
        let texts = self.texts.iter_mut().map(|(_, column)| column);
        self.fields
            .iter_mut()
            .chain(texts)
            .for_each(|column| column.truncate(rows));
        self.rows = rows;
    }

    /// The column of an extractor's text. A new one has nulls for the documents before.
    fn text_column(&mut self, extractor: &str) -> &mut Column {
        let place = match self.texts.binary_search_by(|(name, _)| name.as_str().cmp(extractor)) {
            Ok(place) => place,
            Err(place) => {
                let mut column = Column::new(FieldType::Text);
                column.resize(self.rows);
                self.texts.insert(place, (extractor.to_owned(), column));
                place
            }
        };
        &mut self.texts[place].1
    }

    /// Takes out the documents as one batch.
    ///
    /// # Errors
    /// The texts of a column are larger than 2 GiB together. The documents are dropped.
    pub fn take_batch(&mut self) -> Result<RecordBatch, ArrowError> {
        let names: Vec<String> = self.texts.iter().map(|(name, _)| name.clone()).collect();
        let mut schema = schema(&names);
        if self.is_signed {
            schema = signed(&schema);
        }
        let rows = std::mem::take(&mut self.rows);
        let (mut top, mut metadata) = (Vec::<ArrayRef>::new(), Vec::<ArrayRef>::new());
        let mut error = None;
        // Every column is taken, also behind an error, so that all of them are empty then.
        let mut take = |column: &mut Column, arrays: &mut Vec<ArrayRef>| match column.take(self.is_signed) {
            Ok(array) => arrays.push(array),
            Err(e) => error = Some(e),
        };
        for (column, field) in self.fields.iter_mut().zip(FIELDS) {
            let arrays = if field.is_in_metadata() {
                &mut metadata
            } else {
                &mut top
            };
            take(column, arrays);
        }
        let mut texts = Vec::new();
        for (_, column) in &mut self.texts {
            take(column, &mut texts);
        }
        if let Some(error) = error {
            return Err(error);
        }
        let metadata_fields = match schema.field_with_name(METADATA)?.data_type() {
            DataType::Struct(fields) => fields.clone(),
            _ => Fields::empty(),
        };
        top.push(Arc::new(StructArray::try_new(metadata_fields, metadata, None)?));
        top.extend(texts);
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        RecordBatch::try_new_with_options(Arc::new(schema), top, &options)
    }
}

/// As in JSON, a number that is not finite is 0.
fn finite(value: FieldValue<'_>) -> FieldValue<'_> {
    match value {
        FieldValue::Float(n) if !n.is_finite() => FieldValue::Float(0.0),
        value => value,
    }
}
