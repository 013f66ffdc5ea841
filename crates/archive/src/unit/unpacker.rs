//! The decoder of an archive's compression, whichever it is.

use super::Step;
use super::gzip::Gzip;
use super::zstd::{self, Zstd};
use crate::bytes::input::Input;
use crate::framing::Framing;

/// The decoder of an archive's compression.
pub(crate) enum Unpacker {
    Gzip(Box<Gzip>),
    Zstd(Box<Zstd>),
}

impl Unpacker {
    pub(crate) fn gzip(framing: Framing) -> Self {
        Unpacker::Gzip(Box::new(Gzip::new(framing)))
    }

    pub(crate) fn zstd(framing: Framing, setting: &zstd::Setting) -> Self {
        Unpacker::Zstd(Box::new(Zstd::new(framing, setting)))
    }

    /// A decoder of the same kind that has read nothing yet.
    pub(crate) fn another(&self) -> Self {
        match self {
            Unpacker::Gzip(gzip) => Self::gzip(gzip.framing()),
            Unpacker::Zstd(zstd) => Self::zstd(zstd.framing(), zstd.setting()),
        }
    }

    /// Does one step, appending decoded bytes to `out`.
    pub(crate) fn step(&mut self, input: &mut Input<'_>, out: &mut Vec<u8>) -> Step {
        match self {
            Unpacker::Gzip(gzip) => gzip.step(input, out),
            Unpacker::Zstd(zstd) => zstd.step(input, out),
        }
    }
}
