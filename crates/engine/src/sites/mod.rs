//! Texts that the pages of a site share: the store that `dehusk sites` makes, and what a run reads of it.
//!
//! - `sketch`: the sketch of a page
//! - `host`: the pages that are remembered of a host, and their form in the store
//! - `gather`: pages of many hosts, within bounded memory
//! - `make`: archives → a store
//! - `lookup`: the other pages of a page's host, for extractors

mod gather;
mod host;
mod lookup;
mod make;
mod sketch;

pub use host::{HostPages, RepeatedText};
pub(crate) use lookup::HostCache;
pub use lookup::Sites;
pub use make::{MadeSites, SitesError, make_sites};
pub(crate) use sketch::{PageSketch, Sketcher, host_of};
