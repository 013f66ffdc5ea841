//! Work on finished runs. It reads the files of runs, and depends on no code that makes them.
//!
//! - [`readback`]: a run's account, fields of its documents, conditions on them
//! - [`cluster`]: near-duplicates among the documents of runs
//! - [`search`]: words in the documents of runs
//! - [`topics`]: topics among the documents of runs, with a page of their timeline
//! - [`diff`]: compares runs document by document
//! - [`results`]: a directory that a command writes its results to

pub mod cluster;
pub mod diff;
pub mod readback;
pub mod results;
pub mod search;
pub mod topics;
