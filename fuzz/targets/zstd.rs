//! Zstd frames, skippable frames and dictionaries; input as for gzip.
#![no_main]

mod archive;
mod pack;

use dehusk_testing::archives::make;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| archive::check(&pack::packed(bytes, |unit| make::zstd(unit, &[]))));
