//! Packs a record as a member or frame of its own.

use std::io::{self, Write};

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::Container;

/// The level of zstd.
const ZSTD_LEVEL: i32 = 3;

/// Packs a record: as a gzip member, as a zstd frame with its size and a checksum, or not at all.
///
/// # Errors
/// There is not enough memory.
pub fn pack(record: &[u8], container: Container) -> io::Result<Vec<u8>> {
    match container {
        Container::Plain => Ok(record.to_vec()),
        Container::Gzip => {
            let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
            encoder.write_all(record)?;
            encoder.finish()
        }
        Container::Zstd => {
            let mut encoder = zstd::stream::write::Encoder::new(Vec::new(), ZSTD_LEVEL)?;
            encoder.set_pledged_src_size(Some(record.len() as u64))?;
            encoder.include_contentsize(true)?;
            encoder.include_checksum(true)?;
            encoder.write_all(record)?;
            encoder.finish()
        }
    }
}
