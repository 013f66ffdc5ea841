//! The writer's half: parts → row groups → a shard.

use std::fmt;
use std::io::{self, Write};
use std::sync::Arc;

use bytes::Bytes;
use parquet::column::writer::ColumnCloseResult;
use parquet::errors::ParquetError;
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::statistics::Statistics;
use parquet::file::writer::SerializedFileWriter;

use super::super::compress::Compression;
use super::super::encoder::ShardWriter;
use super::super::partial_file::{FilePosition, PartialFile, SealedFile, WriteError};
use super::part::LENGTH;
use super::properties::shard_properties;
use super::repeated::Repeated;
use super::statistics;

/// A row group ends with the part that brings its documents past this many bytes before compression. Readers like large
/// groups; the writer holds one in memory, compressed.
const ROW_GROUP: i64 = 64 << 20;

/// Writes one shard.
pub(super) struct FileWriter {
    compression: Compression,
    stage: Stage,
    /// The parts of the row group that is not written yet, column by column.
    columns: Vec<PendingColumn>,
    /// Their rows.
    rows: i64,
    /// Their size before compression, in bytes.
    size: i64,
}

/// Before the first part, the columns of the file are not known.
enum Stage {
    Empty(PartialFile),
    Begun(Box<SerializedFileWriter<Target>>),
    /// The end is written.
    Sealed(PartialFile),
    /// A write failed.
    Broken,
}

/// A column of a row group that is not written yet.
enum PendingColumn {
    Pages(Box<ColumnPages>),
    Repeated(Repeated),
}

/// The pages of a column of a row group.
struct ColumnPages {
    /// The description of the first part's column.
    metadata: ColumnChunkMetaData,
    pages: Vec<u8>,
    values: i64,
    uncompressed: i64,
    /// `None` if a part has none.
    statistics: Option<Statistics>,
}

/// A partial file as something to write to.
struct Target(PartialFile);

impl Write for Target {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.append(bytes).map_err(io::Error::other)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl FileWriter {
    pub(super) fn new(file: PartialFile, compression: Compression) -> Self {
        Self {
            compression,
            stage: Stage::Empty(file),
            columns: Vec::new(),
            rows: 0,
            size: 0,
        }
    }

    /// The file has the columns of its first part.
    fn begin(&mut self, part: &ParquetMetaData) -> Result<(), ParquetError> {
        if !matches!(self.stage, Stage::Empty(_)) {
            return Ok(());
        }
        if let Stage::Empty(file) = std::mem::replace(&mut self.stage, Stage::Broken) {
            let schema = part.file_metadata().schema_descr().root_schema_ptr();
            let properties = Arc::new(shard_properties(self.compression).build());
            let writer = SerializedFileWriter::new(Target(file), schema, properties)?;
            self.stage = Stage::Begun(Box::new(writer));
        }
        Ok(())
    }

    fn add_part(&mut self, part: &[u8]) -> Result<(), ParquetError> {
        let bytes = Bytes::copy_from_slice(part);
        let reader = SerializedFileReader::new(bytes)?;
        let metadata = reader.metadata();
        self.begin(metadata)?;
        for (number, group) in metadata.row_groups().iter().enumerate() {
            if self.columns.is_empty() {
                self.columns = group.columns().iter().map(PendingColumn::new).collect();
            }
            if self.columns.len() != group.num_columns() {
                let message = "the documents of a shard must have texts of the same extractors";
                return Err(ParquetError::General(message.into()));
            }
            let rows = reader.get_row_group(number)?;
            for (place, (column, chunk)) in self.columns.iter_mut().zip(group.columns()).enumerate() {
                match column {
                    PendingColumn::Pages(pages) => pages.add(chunk, part)?,
                    PendingColumn::Repeated(repeated) => repeated.add(rows.as_ref(), place)?,
                }
            }
            self.rows += group.num_rows();
            self.size += group.total_byte_size();
        }
        if self.size > ROW_GROUP {
            self.finish_row_group()?;
        }
        Ok(())
    }

    fn finish_row_group(&mut self) -> Result<(), ParquetError> {
        let Stage::Begun(writer) = &mut self.stage else {
            return Ok(());
        };
        let columns = std::mem::take(&mut self.columns);
        let rows = std::mem::take(&mut self.rows);
        self.size = 0;
        if columns.is_empty() {
            return Ok(());
        }
        let mut group = writer.next_row_group()?;
        for column in columns {
            match column {
                PendingColumn::Pages(pages) => {
                    let (pages, close) = pages.finish(rows)?;
                    group.append_column(&pages, close)?;
                }
                PendingColumn::Repeated(repeated) => repeated.write(&mut group)?,
            }
        }
        group.close()?;
        Ok(())
    }

    /// Writes the end of the file, and takes the file out.
    fn end(&mut self) -> Result<PartialFile, WriteError> {
        self.attempt(Self::finish_row_group)?;
        match std::mem::replace(&mut self.stage, Stage::Broken) {
            Stage::Empty(file) | Stage::Sealed(file) => Ok(file),
            Stage::Begun(writer) => {
                let path = writer.inner().0.path();
                let target = writer.into_inner().map_err(|error| write_error(error, path))?;
                Ok(target.0)
            }
            Stage::Broken => {
                let broken = ParquetError::General("an earlier write to it failed".into());
                Err(write_error(broken, Default::default()))
            }
        }
    }

    /// Does some of the work. After an error the shard can no longer be finished.
    fn attempt(&mut self, work: impl FnOnce(&mut Self) -> Result<(), ParquetError>) -> Result<(), WriteError> {
        let path = match &self.stage {
            Stage::Empty(file) | Stage::Sealed(file) => file.path(),
            Stage::Begun(writer) => writer.inner().0.path(),
            Stage::Broken => Default::default(),
        };
        work(self).map_err(|error| {
            self.stage = Stage::Broken;
            write_error(error, path)
        })
    }
}

impl PendingColumn {
    fn new(metadata: &ColumnChunkMetaData) -> Self {
        match Repeated::new(metadata.column_descr()) {
            Some(repeated) => Self::Repeated(repeated),
            None => Self::Pages(Box::new(ColumnPages::new(metadata))),
        }
    }
}

impl ColumnPages {
    fn new(metadata: &ColumnChunkMetaData) -> Self {
        Self {
            metadata: metadata.clone(),
            pages: Vec::new(),
            values: 0,
            uncompressed: 0,
            statistics: None,
        }
    }

    /// Adds the pages of a part's column.
    fn add(&mut self, chunk: &ColumnChunkMetaData, part: &[u8]) -> Result<(), ParquetError> {
        if chunk.column_descr() != self.metadata.column_descr() {
            let message = "the documents of a shard must have the same fields";
            return Err(ParquetError::General(message.into()));
        }
        let (start, length) = chunk.byte_range();
        let range = usize::try_from(start)?..usize::try_from(start.saturating_add(length))?;
        let pages = part
            .get(range)
            .ok_or_else(|| ParquetError::General("a part is cut".into()))?;
        self.statistics = match (self.pages.is_empty(), &self.statistics, chunk.statistics()) {
            (true, _, first) => first.cloned(),
            (false, Some(known), Some(more)) => statistics::joined(known, more),
            (false, ..) => None,
        };
        self.pages.extend_from_slice(pages);
        self.values += chunk.num_values();
        self.uncompressed += chunk.uncompressed_size();
        Ok(())
    }

    /// The pages, and their metadata for the file.
    fn finish(self, rows: i64) -> Result<(Bytes, ColumnCloseResult), ParquetError> {
        let length = self.pages.len();
        let mut metadata = ColumnChunkMetaData::builder(self.metadata.column_descr_ptr())
            .set_compression_codec(self.metadata.compression_codec())
            .set_encodings_mask(*self.metadata.encodings_mask())
            .set_num_values(self.values)
            .set_total_compressed_size(i64::try_from(length)?)
            .set_total_uncompressed_size(self.uncompressed)
            .set_data_page_offset(0);
        if let Some(statistics) = self.statistics {
            metadata = metadata.set_statistics(statistics);
        }
        let metadata = metadata.build()?;
        let close = ColumnCloseResult {
            bytes_written: length as u64,
            rows_written: u64::try_from(rows)?,
            metadata,
            bloom_filter: None,
            column_index: None,
            offset_index: None,
        };
        Ok((Bytes::from(self.pages), close))
    }
}

impl ShardWriter for FileWriter {
    fn write(&mut self, parts: &[u8]) -> Result<(), WriteError> {
        self.attempt(|writer| {
            let mut rest = parts;
            while let Some((length, after)) = rest.split_first_chunk::<LENGTH>() {
                let length = usize::try_from(u64::from_le_bytes(*length))?;
                let (part, after) = after
                    .split_at_checked(length)
                    .ok_or_else(|| ParquetError::General("a part is cut".into()))?;
                writer.add_part(part)?;
                rest = after;
            }
            Ok(())
        })
    }

    /// The metadata of the row groups is in memory until the end, so the file cannot be continued.
    fn position(&self) -> Option<FilePosition> {
        None
    }

    fn sync(&mut self) -> Result<(), WriteError> {
        Ok(())
    }

    fn seal(&mut self) -> Result<SealedFile, WriteError> {
        let mut file = self.end()?;
        file.sync()?;
        let sealed = file.sealed();
        self.stage = Stage::Sealed(file);
        Ok(sealed)
    }

    fn suspend(self: Box<Self>) {
        match self.stage {
            Stage::Sealed(file) => file.suspend(),
            Stage::Empty(_) | Stage::Begun(_) | Stage::Broken => {}
        }
    }

    fn finish(mut self: Box<Self>) -> Result<u64, WriteError> {
        self.end()?.commit()
    }
}

impl fmt::Debug for FileWriter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FileWriter({} rows that are not written)", self.rows)
    }
}

/// The error of the file itself, if that is what failed.
fn write_error(error: ParquetError, path: std::path::PathBuf) -> WriteError {
    let source = match error {
        ParquetError::External(inner) => match inner.downcast::<io::Error>() {
            Ok(error) => match error.downcast::<WriteError>() {
                Ok(error) => return error,
                Err(error) => error,
            },
            Err(inner) => io::Error::other(inner),
        },
        other => io::Error::other(other),
    };
    WriteError {
        action: "be written",
        path,
        source,
    }
}
