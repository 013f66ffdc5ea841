//! Indexes of records in Parquet, such as Common Crawl's columnar index: a row a record, with the columns
//! `warc_filename`, `warc_record_offset` and `warc_record_length`.

use std::fs::File;

/// The bytes of an index.
#[derive(Debug)]
pub enum IndexBytes {
    /// A file.
    File(File),
    /// They are in memory.
    Memory(Vec<u8>),
}

/// The place of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexedRecord {
    /// The archive, as the index names it.
    pub archive: String,
    /// Offset in bytes.
    pub offset: u64,
    /// Length in bytes.
    pub length: u64,
    /// The label of its language (`content_languages`); `""` if the index has none, or if languages are not asked for.
    pub language: String,
}

/// Whether a file begins as those of Parquet do.
pub fn is_parquet(start: &[u8]) -> bool {
    start.starts_with(b"PAR1")
}

/// Gives the records of an index to `take` that meet all conditions, in their order. `with_languages` is whether their
/// languages are asked for.
///
/// # Errors
/// A fault of the index or a condition, with its row. A build without the feature `parquet` reads none.
#[cfg(not(feature = "parquet"))]
pub fn read(
    _: IndexBytes,
    _: &[crate::condition::ColumnCondition],
    _: bool,
    _: &mut dyn FnMut(IndexedRecord),
) -> Result<(), String> {
    Err("is Parquet, which this build does not read".to_owned())
}

/// Whether this build reads indexes in Parquet.
pub const IS_BUILT_IN: bool = cfg!(feature = "parquet");

#[cfg(feature = "parquet")]
pub use reader::read;

#[cfg(feature = "parquet")]
mod reader {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::Arc;

    use bytes::Bytes;
    use parquet::basic::{ConvertedType, LogicalType, Repetition, TimeUnit, Type as PhysicalType};
    use parquet::data_type::Decimal;
    use parquet::errors::ParquetError;
    use parquet::file::metadata::RowGroupMetaData;
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::reader::RowIter;
    use parquet::record::{Field, Row};
    use parquet::schema::types::{Type, TypePtr};

    use super::{IndexBytes, IndexedRecord};
    use dehusk_archive::calendar::iso_date;

    use crate::condition::{ColumnCondition, ColumnTest};
    use crate::document::{FieldType, FieldValue};
    use crate::suggestion::nearest;

    /// The columns with the place of a record.
    const PLACE: [&str; 3] = ["warc_filename", "warc_record_offset", "warc_record_length"];

    /// Gives the records of an index to `take` that meet all conditions, in their order. `with_languages` is whether
    /// their languages are asked for: only then their column is read.
    ///
    /// # Errors
    /// A fault of the index or a condition, with its row.
    pub fn read(
        bytes: IndexBytes,
        conditions: &[ColumnCondition],
        with_languages: bool,
        take: &mut dyn FnMut(IndexedRecord),
    ) -> Result<(), String> {
        // Some damage makes the reader panic.
        let read = catch_unwind(AssertUnwindSafe(|| match bytes {
            IndexBytes::File(file) => {
                let reader = SerializedFileReader::new(file).map_err(damaged)?;
                rows(&reader, conditions, with_languages, take)
            }
            IndexBytes::Memory(bytes) => {
                let reader = SerializedFileReader::new(Bytes::from(bytes)).map_err(damaged)?;
                rows(&reader, conditions, with_languages, take)
            }
        }));
        read.unwrap_or_else(|_| Err("is damaged".to_owned()))
    }

    fn damaged(error: ParquetError) -> String {
        format!("is damaged, or no Parquet of gzip, Snappy or zstd: {error}")
    }

    /// The column of languages, which not every index has.
    const LANGUAGES: &str = "content_languages";

    /// A condition with the name of its column.
    struct Filter<'c> {
        column: &'c str,
        test: ColumnTest,
        /// Whether the column has instants that the reader gives as nanoseconds.
        is_nanoseconds: bool,
    }

    fn rows(
        reader: &dyn FileReader,
        conditions: &[ColumnCondition],
        with_languages: bool,
        take: &mut dyn FnMut(IndexedRecord),
    ) -> Result<(), String> {
        let schema = reader.metadata().file_metadata().schema_descr().root_schema();
        let columns = PLACE
            .iter()
            .copied()
            .chain(conditions.iter().map(ColumnCondition::column));
        let mut fields: Vec<TypePtr> = Vec::new();
        for name in columns {
            let field = column(schema, name)?;
            if !fields.iter().any(|known| known.name() == name) {
                fields.push(field);
            }
        }
        if with_languages
            && let Ok(languages) = column(schema, LANGUAGES)
            && !fields.iter().any(|known| known.name() == LANGUAGES)
        {
            fields.push(languages);
        }
        for (name, expected) in PLACE.iter().zip([FieldType::Text, FieldType::U64, FieldType::U64]) {
            let found = type_of(&*column(schema, name)?)?;
            if found != expected {
                return Err(format!(
                    "the column {name} is a {}, not a {}",
                    found.name(),
                    expected.name()
                ));
            }
        }
        let mut filters = Vec::new();
        for condition in conditions {
            let column = column(schema, condition.column())?;
            filters.push(Filter {
                column: condition.column(),
                test: condition.of_type(type_of(&column)?)?,
                is_nanoseconds: is_nanoseconds(&column),
            });
        }
        let projection = Type::group_type_builder(schema.name()).with_fields(fields).build();
        let projection = projection.map_err(damaged)?;
        let mut row_number = 0_u64;
        for group in 0..reader.num_row_groups() {
            let metadata = reader.metadata().row_group(group);
            if filters.iter().any(|filter| filter.excludes(metadata)) {
                row_number += u64::try_from(metadata.num_rows()).unwrap_or_default();
                continue;
            }
            let group = reader.get_row_group(group).map_err(damaged)?;
            let rows = RowIter::from_row_group(Some(projection.clone()), &*group).map_err(damaged)?;
            for row in rows {
                row_number += 1;
                let wrong = |what: String| format!("row {row_number}: {what}");
                let row = row.map_err(|e| wrong(damaged(e)))?;
                if filters.iter().all(|filter| filter.holds(&row)) {
                    take(record(&row).map_err(wrong)?);
                }
            }
        }
        Ok(())
    }

    /// The column of a name at the top of the schema.
    fn column(schema: &Type, name: &str) -> Result<TypePtr, String> {
        let found = schema.get_fields().iter().find(|field| field.name() == name);
        found.map(Arc::clone).ok_or_else(|| {
            let names = schema.get_fields().iter().map(|field| field.name());
            format!("has no column {name}{}", nearest(name, names))
        })
    }

    fn type_of(column: &Type) -> Result<FieldType, String> {
        let is_plain = column.is_primitive() && column.get_basic_info().repetition() != Repetition::REPEATED;
        if !is_plain {
            return Err(format!(
                "the column {} holds several values, which no condition can compare",
                column.name()
            ));
        }
        match column.get_basic_info().converted_type() {
            ConvertedType::DATE | ConvertedType::TIMESTAMP_MILLIS | ConvertedType::TIMESTAMP_MICROS => {
                return Ok(FieldType::Instant);
            }
            ConvertedType::DECIMAL => return Ok(FieldType::F64),
            ConvertedType::TIME_MILLIS | ConvertedType::TIME_MICROS => {
                let name = column.name();
                return Err(format!(
                    "the column {name} holds times of the day, which no condition can compare"
                ));
            }
            _ if is_nanoseconds(column) => return Ok(FieldType::Instant),
            _ => {}
        }
        Ok(match column.get_physical_type() {
            PhysicalType::INT96 => FieldType::Instant,
            PhysicalType::BOOLEAN => FieldType::Boolean,
            PhysicalType::INT32 | PhysicalType::INT64 => FieldType::U64,
            PhysicalType::FLOAT | PhysicalType::DOUBLE => FieldType::F64,
            _ => FieldType::Text,
        })
    }

    fn is_nanoseconds(column: &Type) -> bool {
        let logical = column.get_basic_info().logical_type_ref();
        matches!(logical, Some(LogicalType::Timestamp(timestamp)) if timestamp.unit == TimeUnit::NANOS)
    }

    /// The time this many seconds after 1970, as conditions write it: `2024-03-01T05:00:00Z`. Empty before that year.
    fn instant(seconds: i64) -> String {
        u64::try_from(seconds).map_or_else(|_| String::new(), iso_date)
    }

    /// The value of a decimal number.
    fn decimal(value: &Decimal) -> f64 {
        let negative = value.data().first().is_some_and(|byte| byte & 0x80 != 0);
        let start = if negative { -1 } else { 0 };
        let digits = value
            .data()
            .iter()
            .fold(start, |sum: i128, byte| sum << 8 | i128::from(*byte));
        digits as f64 / 10_f64.powi(value.scale())
    }

    impl Filter<'_> {
        fn holds(&self, row: &Row) -> bool {
            match cell(row, self.column) {
                Some(Field::Bool(value)) => self.test.holds(FieldValue::Boolean(*value)),
                Some(Field::Float(value)) => self.test.holds(FieldValue::Float((*value).into())),
                Some(Field::Double(value)) => self.test.holds(FieldValue::Float(*value)),
                Some(Field::Str(value)) => self.test.holds(FieldValue::Text(value)),
                Some(Field::Date(days)) => {
                    let date = instant(i64::from(*days) * 86_400);
                    self.test
                        .holds(FieldValue::Text(date.split('T').next().unwrap_or_default()))
                }
                Some(Field::TimestampMillis(time)) => self.test.holds(FieldValue::Text(&instant(time / 1000))),
                Some(Field::TimestampMicros(time)) => self.test.holds(FieldValue::Text(&instant(time / 1_000_000))),
                Some(Field::Long(time)) if self.is_nanoseconds => {
                    self.test.holds(FieldValue::Text(&instant(time / 1_000_000_000)))
                }
                Some(Field::Decimal(value)) => self.test.holds(FieldValue::Float(decimal(value))),
                Some(Field::Bytes(value)) => {
                    let text = std::str::from_utf8(value.data());
                    text.is_ok_and(|text| self.test.holds(FieldValue::Text(text)))
                }
                Some(field) => match integer(field) {
                    Some(Ok(value)) => self.test.holds(FieldValue::Integer(value)),
                    Some(Err(value)) => self.test.holds(FieldValue::Float(value as f64)),
                    None => false,
                },
                None => false,
            }
        }

        /// Whether the statistics of a row group show that no row of it can meet the condition.
        fn excludes(&self, group: &RowGroupMetaData) -> bool {
            let Some(only) = self.test.only() else { return false };
            let mut columns = group.columns().iter();
            let column = columns.find(|column| column.column_path().string() == self.column);
            let Some(statistics) = column.and_then(|column| column.statistics()) else {
                return false;
            };
            if statistics.is_min_max_deprecated() {
                return false;
            }
            let is_below = statistics.min_bytes_opt().is_some_and(|least| only.as_bytes() < least);
            let is_above = statistics.max_bytes_opt().is_some_and(|most| only.as_bytes() > most);
            is_below || is_above
        }
    }

    fn cell<'r>(row: &'r Row, column: &str) -> Option<&'r Field> {
        let mut cells = row.get_column_iter();
        cells.find(|(name, _)| *name == column).map(|(_, field)| field)
    }

    /// The whole number of a cell; the error has a negative one. `None` for anything else.
    fn integer(field: &Field) -> Option<Result<u64, i64>> {
        let signed = |value: i64| u64::try_from(value).map_err(|_| value);
        Some(match field {
            Field::Byte(value) => signed((*value).into()),
            Field::Short(value) => signed((*value).into()),
            Field::Int(value) => signed((*value).into()),
            Field::Long(value) => signed(*value),
            Field::UByte(value) => Ok((*value).into()),
            Field::UShort(value) => Ok((*value).into()),
            Field::UInt(value) => Ok((*value).into()),
            Field::ULong(value) => Ok(*value),
            _ => return None,
        })
    }

    /// The place in a row.
    fn record(row: &Row) -> Result<IndexedRecord, String> {
        let number = |column: &str| match cell(row, column).and_then(integer) {
            Some(Ok(value)) => Ok(value),
            Some(Err(value)) => Err(format!("{column} is {value}; it takes numbers from 0 on")),
            None => Err(format!("{column} is missing")),
        };
        let text = |column: &str| match cell(row, column) {
            Some(Field::Str(name)) => name.clone(),
            Some(Field::Bytes(name)) => String::from_utf8_lossy(name.data()).into_owned(),
            _ => String::new(),
        };
        let archive = text(PLACE[0]);
        if archive.is_empty() {
            return Err(format!("{} is missing", PLACE[0]));
        }
        Ok(IndexedRecord {
            archive,
            offset: number(PLACE[1])?,
            length: number(PLACE[2])?,
            language: text(LANGUAGES),
        })
    }
}
