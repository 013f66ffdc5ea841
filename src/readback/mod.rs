//! Reads a finished run back: its account, and the documents of its shards in every format.
//!
//! - `account`: `run.json`, as far as every version of the program writes it
//! - `value`: one field of a document, by its name
//! - `condition`: which documents are asked for, such as `words >= 50`

mod account;
mod condition;
mod value;

pub(crate) use account::{Account, AccountError, ArchiveAccount};
pub(crate) use condition::Condition;
pub(crate) use value::Value;
