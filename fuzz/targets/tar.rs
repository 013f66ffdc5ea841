//! Entries of tar files, without compression.
#![no_main]

mod archive;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| archive::check(bytes));
