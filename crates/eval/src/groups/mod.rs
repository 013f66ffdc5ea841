//! Measures groupings of documents, such as clusters of near-duplicates or topics, against a known grouping.
//!
//! - [`labels`] reads a grouping, whose `lines` are JSON lines, or a table of ids and groups.
//! - [`score()`] joins a grouping with the known one by the documents' ids.
//! - [`clusters`]: pairs, BCubed and the adjusted Rand index.
//! - [`detection`]: the detection cost of topic detection and tracking.
//! - [`table`] writes the figures.
//!
//! All measures are computed from the contingency table of the two groupings, so time and memory grow with the
//! documents, never with their pairs.

pub mod clusters;
pub mod detection;
pub mod labels;
mod lines;
pub mod score;
pub mod table;

pub use labels::{Labels, LabelsError};
pub use score::{Kind, Score, score};
