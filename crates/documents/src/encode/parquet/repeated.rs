//! The columns whose values repeat. The writer gives them a dictionary for each row group: a dictionary of a part would
//! hold for that part alone.

use std::io::Write;

use parquet::column::reader::ColumnReader;
use parquet::data_type::{ByteArray, ByteArrayType};
use parquet::errors::ParquetError;
use parquet::file::reader::RowGroupReader;
use parquet::file::writer::SerializedRowGroupWriter;
use parquet::schema::types::ColumnDescriptor;

use crate::document::{FIELDS, Field, FieldType};

/// The paths of these columns.
pub(super) fn paths() -> impl Iterator<Item = Vec<String>> {
    FIELDS.iter().filter(|field| repeats(field)).map(path)
}

/// The path of a field's column.
pub(super) fn path(field: &Field) -> Vec<String> {
    field.key().split('.').map(str::to_owned).collect()
}

/// Whether the values of a field are few.
fn repeats(field: &Field) -> bool {
    const NAMES: [&str; 13] = [
        "source",
        "version",
        "file_path",
        "mime",
        "charset",
        "charset_source",
        "sitename",
        "kind",
        "hostname",
        "language",
        "language_claimed",
        "extractor",
        "flags",
    ];
    field.field_type() == FieldType::Text && (NAMES.contains(&field.name()) || field.name().ends_with("_from"))
}

/// The values of such a column in a row group that is not written yet.
#[derive(Debug)]
pub(super) struct Repeated {
    values: Vec<ByteArray>,
    /// Whether each is null, if the column can have nulls.
    levels: Option<Vec<i16>>,
}

impl Repeated {
    /// An empty column; `None` if its values are not known to repeat.
    pub(super) fn new(column: &ColumnDescriptor) -> Option<Self> {
        let is_known = paths().any(|path| path == column.path().parts());
        is_known.then(|| Self {
            values: Vec::new(),
            levels: (column.max_def_level() > 0).then(Vec::new),
        })
    }

    /// Adds the values of a part's column.
    pub(super) fn add(&mut self, part: &dyn RowGroupReader, column: usize) -> Result<(), ParquetError> {
        let ColumnReader::ByteArrayColumnReader(mut reader) = part.get_column_reader(column)? else {
            return Err(ParquetError::General("a column of texts has another type".into()));
        };
        let rows = usize::try_from(part.metadata().num_rows())?;
        let mut left = rows;
        while left > 0 {
            let (read, ..) = reader.read_records(left, self.levels.as_mut(), None, &mut self.values)?;
            if read == 0 {
                return Err(ParquetError::General("a part is cut".into()));
            }
            left -= read;
        }
        Ok(())
    }

    /// Writes the column, with its dictionary and its statistics.
    pub(super) fn write<W: Write + Send>(
        self,
        group: &mut SerializedRowGroupWriter<'_, W>,
    ) -> Result<(), ParquetError> {
        let Some(mut column) = group.next_column()? else {
            return Err(ParquetError::General(
                "a row group has fewer columns than its parts".into(),
            ));
        };
        column
            .typed::<ByteArrayType>()
            .write_batch(&self.values, self.levels.as_deref(), None)?;
        column.close()
    }
}
