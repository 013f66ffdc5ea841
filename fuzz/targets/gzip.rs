//! Gzip members, by way of the streaming inflater and of libdeflate.
//!
//! Checksums would stop nearly all input at the first member. So what starts with an even byte is taken as it is, and
//! the rest of what starts with an odd one is packed into members first and then damaged as its second and third byte
//! say.
#![no_main]

mod archive;
mod pack;

use dehusk_testing::archives::make;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| archive::check(&pack::packed(bytes, make::gzip)));
