//! The workers' half: documents → a part, which is a small Parquet file behind its length.

use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_writer::ArrowWriterOptions;
use parquet::errors::ParquetError;

use super::super::columns::Columns;
use super::super::compress::Compression;
use super::super::encoder::{EncodeError, Encoder};
use super::properties;
use crate::document::Document;

/// The length of a part, before it: 8 bytes, little-endian.
pub(super) const LENGTH: usize = 8;

/// Pages of a part are not cut further: a part is small.
const WHOLE: usize = usize::MAX;

#[derive(Debug)]
pub(super) struct PartEncoder {
    compression: Compression,
    columns: Columns,
}

impl PartEncoder {
    pub(super) fn new(compression: Compression) -> Self {
        Self {
            compression,
            columns: Columns::default(),
        }
    }

    fn write(&mut self, out: &mut Vec<u8>) -> Result<(), ParquetError> {
        let batch = self.columns.take_batch()?;
        let properties = properties(self.compression)
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
        self.columns.push(document);
    }

    fn pending(&self) -> usize {
        self.columns.size()
    }

    fn finish_part(&mut self, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        if self.columns.rows() == 0 {
            return Ok(());
        }
        let mut part = Vec::with_capacity(self.columns.size() / 2);
        let result = self.write(&mut part);
        // The texts of further extractors depend on the documents alone.
        self.columns = Columns::default();
        result.map_err(|error| EncodeError::Encode(error.into()))?;
        out.extend_from_slice(&(part.len() as u64).to_le_bytes());
        out.extend_from_slice(&part);
        Ok(())
    }

    fn discard(&mut self) {
        self.columns.clear();
    }
}
