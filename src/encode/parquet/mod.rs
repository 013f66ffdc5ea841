//! Documents as a Parquet file, with the columns of [`columns`](super::columns).
//!
//! A worker writes each part as a small Parquet file of its own, with one row group and without dictionaries. So a column of
//! it is pages that depend on nothing else, and the writer makes a larger row group of many parts by putting their pages
//! behind each other. Compression and encoding stay with the workers. A row group ends where the documents of its parts
//! take more than 64 MiB before compression, so shards are the same for every number of threads.
//!
//! - `part`: the workers' half
//! - `write`: the writer's half
//! - `read`: the documents of a shard

mod part;
mod read;
mod write;

use parquet::basic::{Compression as Codec, GzipLevel, ZstdLevel};
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterPropertiesBuilder};

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

/// How parts and shards are written. Statistics of texts help no reader, and would have to be joined.
fn properties(compression: Compression) -> WriterPropertiesBuilder {
    WriterProperties::builder()
        .set_created_by(CREATED_BY.to_owned())
        .set_compression(codec(compression))
        .set_dictionary_enabled(false)
        .set_statistics_enabled(EnabledStatistics::None)
        .set_offset_index_disabled(true)
}

/// The codec with its level. A level out of range becomes the nearest valid one.
fn codec(compression: Compression) -> Codec {
    match compression {
        Compression::Zstd(level) => Codec::ZSTD(ZstdLevel::try_new(level.clamp(1, 22)).unwrap_or_default()),
        Compression::Gzip(level) => Codec::GZIP(GzipLevel::try_new(level.clamp(1, 9)).unwrap_or_default()),
        Compression::None => Codec::UNCOMPRESSED,
    }
}
