//! How parts and shards are encoded and compressed.

use parquet::basic::{Compression as Codec, GzipLevel, ZstdLevel};
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterPropertiesBuilder};
use parquet::schema::types::ColumnPath;

use super::super::compress::Compression;
use super::repeated;

/// The name of the program in a Parquet file.
const CREATED_BY: &str = concat!("dehusk ", env!("CARGO_PKG_VERSION"));

/// The properties that parts and shards have in common. The long texts have no statistics: no reader asks for the
/// smallest.
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

/// The properties of parts that have the texts of further extractors in columns of these names. The columns whose
/// values repeat stay plain, because the writer decodes them.
pub(super) fn part_properties<'n>(
    compression: Compression,
    texts: impl Iterator<Item = &'n str>,
) -> WriterPropertiesBuilder {
    let properties = without_statistics(properties(compression), texts);
    repeated::paths().fold(properties, |properties, path| {
        let path = ColumnPath::new(path);
        properties
            .set_column_compression(path.clone(), Codec::UNCOMPRESSED)
            .set_column_statistics_enabled(path, EnabledStatistics::None)
    })
}

/// The properties of shards.
pub(super) fn shard_properties(compression: Compression) -> WriterPropertiesBuilder {
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
