//! Texts that the pages of a site share: the store that `dehusk sites` makes, and what a run reads of it.
//!
//! - `sketch`: the sketch of a page
//! - `host`: the pages that are remembered of a host; `entry` is their form in the store
//! - `layouts`: which of them have one structure
//! - `gather`: pages of many hosts, within bounded memory
//! - `make`: archives → a store
//! - `lookup`: the other pages of a page's host, for extractors

mod entry;
mod gather;
mod host;
mod layouts;
mod lookup;
mod make;
mod sketch;

pub use host::{HostPages, RepeatedText};
pub use layouts::Layout;
pub(crate) use lookup::{HostCache, SharedMetadata};
pub use lookup::{RepeatedWords, Sites};
pub use make::{MadeSites, SitesError, make_sites};
pub(crate) use sketch::{PageSketch, Sketcher, host_of};
