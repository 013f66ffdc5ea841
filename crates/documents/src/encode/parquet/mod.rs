//! Documents as a Parquet file, with the columns of [`columns`](super::columns).
//!
//! A worker writes each part as a small Parquet file of its own, with one row group and without dictionaries. So a column of
//! it is pages that depend on nothing else, and the writer makes a larger row group of many parts by putting their pages
//! behind each other. Compression and encoding stay with the workers, but for the few columns whose values repeat: those get a
//! dictionary for each row group. A row group ends where the documents of its parts take more than 64 MiB before compression, so
//! shards are the same for every number of threads.
//!
//! - `part`: the workers' half
//! - `write`: the writer's half
//! - `repeated`: the columns with dictionaries
//! - `statistics`: the statistics of a column of several parts
//! - `read`: the documents of a shard

mod part;
mod read;
mod repeated;
mod statistics;
mod write;

use parquet::basic::{Compression as Codec, GzipLevel, ZstdLevel};
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterPropertiesBuilder};
use parquet::schema::types::ColumnPath;

use super::compress::Compression;
use super::format::{Definition, Reader};

pub(super) static DEFINITION: Definition = Definition {
    name: "parquet",
    extension: "parquet",
    changes: None,
    compresses_inside: true,
    has_elements: false,
    encoder: |compression| Box::new(part::PartEncoder::new(compression)),
    writer: |file, compression| Ok(Box::new(write::FileWriter::new(file, compression))),
    resume: None,
    reader: Reader::Whole(read::open),
};

/// What a Parquet file says it was written by.
const CREATED_BY: &str = concat!("dehusk ", env!("CARGO_PKG_VERSION"));

/// How parts and shards are written. Of the long texts, nobody asks for the least.
fn properties(compression: Compression) -> WriterPropertiesBuilder {
    let properties = WriterProperties::builder()
        .set_created_by(CREATED_BY.to_owned())
        .set_compression(codec(compression))
        .set_dictionary_enabled(false)
        .set_statistics_enabled(EnabledStatistics::Chunk)
        .set_offset_index_disabled(true);
    without_statistics(properties, ["text", "comments"])
}

fn without_statistics<'n>(
    properties: WriterPropertiesBuilder,
    names: impl IntoIterator<Item = &'n str>,
) -> WriterPropertiesBuilder {
    names.into_iter().fold(properties, |properties, name| {
        properties.set_column_statistics_enabled(name.into(), EnabledStatistics::None)
    })
}

/// How parts are written that have these further texts. The writer decodes the columns whose values repeat.
fn part_properties<'n>(compression: Compression, texts: impl Iterator<Item = &'n str>) -> WriterPropertiesBuilder {
    let properties = without_statistics(properties(compression), texts);
    repeated::paths().fold(properties, |properties, path| {
        let path = ColumnPath::new(path);
        properties
            .set_column_compression(path.clone(), Codec::UNCOMPRESSED)
            .set_column_statistics_enabled(path, EnabledStatistics::None)
    })
}

/// How shards are written.
fn shard_properties(compression: Compression) -> WriterPropertiesBuilder {
    repeated::paths().fold(properties(compression), |properties, path| {
        properties.set_column_dictionary_enabled(ColumnPath::new(path), true)
    })
}

/// The codec with its level. A level out of range becomes the nearest valid one.
fn codec(compression: Compression) -> Codec {
    match compression {
        Compression::Zstd(level) => Codec::ZSTD(ZstdLevel::try_new(level.clamp(1, 22)).unwrap_or_default()),
        Compression::Gzip(level) => Codec::GZIP(GzipLevel::try_new(level.clamp(1, 9)).unwrap_or_default()),
        Compression::None => Codec::UNCOMPRESSED,
    }
}
