//! The job of a pipeline.

use std::sync::Arc;

use super::chunk::Start;
use super::originals::Originals;
use super::progress::{Progress, Stop};
use crate::config::Rules;
use crate::input::ArchiveInput;
use dehusk_documents::store::Seen;

/// In which order archives are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Several at a time, as they are read.
    AsRead,
    /// One after the other, in the order of the inputs.
    AsListed,
}

/// The product that workers make of records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Product {
    /// They are encoded in the configured format, as parts of a shard.
    Encoded,
    /// They stay as they are, for a consumer in this process.
    Documents,
    /// There are none: only the places of records are wanted, by which revisits find their originals.
    Places,
    /// There are none: only sketches of the pages are wanted, by which the pages of a site are compared.
    Sketches,
}

/// The job of a pipeline.
pub(crate) struct Job<'j> {
    /// The archives, with [shard names of their own](crate::input::name_shards).
    pub inputs: &'j [ArchiveInput],
    /// Where the reading of each archive begins. Those that are not listed begin at their starts.
    pub starts: &'j [Start],
    pub rules: &'j Arc<Rules>,
    /// How many threads do heavy work at a time.
    pub threads: usize,
    pub product: Product,
    pub order: Order,
    /// The payloads that earlier runs have emitted.
    pub seen: Option<&'j Seen>,
    /// Where the originals of revisits are, if these are to become documents.
    pub originals: Option<&'j Originals>,
    pub progress: &'j Progress,
    pub stop: &'j Stop,
}
