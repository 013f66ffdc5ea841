//! Documents as Arrow columns, and columns back to documents. The columns are the fields that the documents have, in
//! the order of the schema: those of the metadata are in the struct `metadata`, and after it comes a column `text_NAME`
//! for each further extractor.
//!
//! An unknown value is null, if the schema allows it to be unknown. Whole numbers have a sign, and the time of the
//! crawl is a timestamp.
//!
//! - `column`: the values of one field
//! - `instant`: timestamps
//! - `read`: the documents of a batch that another program may have written

mod column;
mod instant;
mod read;

use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions, StructArray};
use arrow_schema::{ArrowError, DataType, Field as ArrowField, Fields, Schema, TimeUnit};

use crate::document::{Document, ExtractedText, Field, FieldSet, FieldType, FieldValue};
use column::Column;
pub use read::{BatchReader, ReadError};

/// The column of the fields in the metadata.
const METADATA: &str = "metadata";

/// The prefix of an extractor's name in the name of its column.
const TEXT_PREFIX: &str = ExtractedText::PREFIX;

/// The schema of batches whose documents have these fields, and the texts of these further extractors.
pub fn schema(fields: FieldSet, extractors: &[String]) -> Schema {
    let (metadata, top): (Vec<&Field>, Vec<&Field>) = fields.iter().partition(|field| field.is_in_metadata());
    let mut fields: Vec<ArrowField> = top.into_iter().map(arrow_field).collect();
    let metadata: Fields = metadata.into_iter().map(arrow_field).collect();
    fields.push(ArrowField::new(METADATA, DataType::Struct(metadata), false));
    let mut extractors: Vec<&String> = extractors.iter().collect();
    extractors.sort();
    fields.extend(extractors.into_iter().map(|name| text_field(name)));
    Schema::new(fields)
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
        FieldType::Instant => DataType::Timestamp(TimeUnit::Microsecond, Some(instant::ZONE.into())),
        FieldType::U16 => DataType::Int32,
        FieldType::U32 | FieldType::U64 => DataType::Int64,
        FieldType::F64 => DataType::Float64,
        FieldType::Boolean => DataType::Boolean,
    }
}

/// Collects documents as columns.
#[derive(Debug)]
pub struct Columns {
    fields: Vec<(&'static Field, Column)>,
    /// The texts of further extractors, sorted by their names.
    texts: Vec<(String, Column)>,
    rows: usize,
}

impl Columns {
    /// Columns for documents that have these fields, and the texts of these further extractors.
    pub fn new(fields: FieldSet, extractors: &[String]) -> Self {
        let column = |field: &'static Field| (field, Column::new(field.field_type()));
        let mut columns = Self {
            fields: fields.iter().map(column).collect(),
            texts: Vec::new(),
            rows: 0,
        };
        for extractor in extractors {
            columns.text_column(extractor);
        }
        columns
    }

    /// How many documents there are.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// About how much memory the documents take, in bytes.
    pub fn size(&self) -> usize {
        self.columns().map(Column::size).sum()
    }

    fn columns(&self) -> impl Iterator<Item = &Column> {
        let texts = self.texts.iter().map(|(_, column)| column);
        self.fields.iter().map(|(_, column)| column).chain(texts)
    }

    /// Adds a document. Fields without a column are left out, but for texts of further extractors.
    pub fn push(&mut self, document: &Document) {
        // A panic may have left a row that is not complete.
        let rows = self.rows;
        self.truncate(rows);
        for (field, column) in &mut self.fields {
            if field.is_unknown(document) {
                column.push_null()
            } else {
                column.push(finite(field.get(document)))
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
        let fields = self.fields.iter_mut().map(|(_, column)| column);
        fields.chain(texts).for_each(|column| column.truncate(rows));
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
        let schema = schema(self.fields.iter().map(|(field, _)| *field).collect(), &names);
        let rows = std::mem::take(&mut self.rows);
        let (mut top, mut metadata) = (Vec::<ArrayRef>::new(), Vec::<ArrayRef>::new());
        let mut error = None;
        // Every column is taken, also after an error, so that all of them are empty.
        let mut take = |column: &mut Column, arrays: &mut Vec<ArrayRef>| match column.take() {
            Ok(array) => arrays.push(array),
            Err(e) => error = Some(e),
        };
        for (field, column) in &mut self.fields {
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
