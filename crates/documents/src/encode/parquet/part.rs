//! The workers' half: documents → a part, which is a small Parquet file after its length.

use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_writer::ArrowWriterOptions;
use parquet::errors::ParquetError;

use super::super::columns::Columns;
use super::super::compress::Compression;
use super::super::encoder::{EncodeError, Encoder};
use super::properties::part_properties;
use crate::document::{Document, ExtractedText};

/// The length of a part, before it: 8 bytes, little-endian.
pub(super) const LENGTH: usize = 8;

/// Pages of a part are not cut further: a part is small.
const WHOLE: usize = usize::MAX;

#[derive(Debug)]
pub(super) struct PartEncoder {
    compression: Compression,
    /// The part's documents; `None` before the first, which decides the columns.
    columns: Option<Columns>,
}

impl PartEncoder {
    pub(super) fn new(compression: Compression) -> Self {
        Self {
            compression,
            columns: None,
        }
    }

    fn write(&self, mut columns: Columns, out: &mut Vec<u8>) -> Result<(), ParquetError> {
        let batch = columns.take_batch()?;
        let schema = batch.schema();
        let texts = schema.fields().iter().map(|field| field.name().as_str());
        let properties = part_properties(
            self.compression,
            texts.filter(|name| name.starts_with(ExtractedText::PREFIX)),
        )
        .set_data_page_size_limit(WHOLE)
        .set_data_page_row_count_limit(WHOLE)
        .set_write_batch_size(batch.num_rows().max(1))
        .set_max_row_group_row_count(None)
        .build();
        let options = ArrowWriterOptions::new()
            .with_properties(properties)
            .with_skip_arrow_metadata(true);
        let mut writer = ArrowWriter::try_new_with_options(out, batch.schema(), options)?;
        writer.write(&batch)?;
        writer.close()?;
        Ok(())
    }
}

impl Encoder for PartEncoder {
    fn add(&mut self, document: &Document) {
        let columns = self.columns.get_or_insert_with(|| Columns::new(document.fields(), &[]));
        columns.push(document);
    }

    fn pending(&self) -> usize {
        self.columns.as_ref().map_or(0, Columns::size)
    }

    fn finish_part(&mut self, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        // The next part's columns depend on its documents alone.
        let Some(columns) = self.columns.take().filter(|columns| columns.rows() > 0) else {
            return Ok(());
        };
        let mut part = Vec::with_capacity(columns.size() / 2);
        self.write(columns, &mut part)
            .map_err(|error| EncodeError::Encode(error.into()))?;
        out.extend_from_slice(&(part.len() as u64).to_le_bytes());
        out.extend_from_slice(&part);
        Ok(())
    }

    fn discard(&mut self) {
        self.columns = None;
    }
}
