//! Code that the tests of extractors share.

pub mod contentex;
pub mod documented;
pub mod nce;
pub mod outcome;
