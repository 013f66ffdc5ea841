//! Reads a finished run back: its account, and the documents of its shards in every format.
//!
//! - `account`: `run.json`, as far as every version of the program writes it
//! - `value`: one field of a document, by its name
//! - `condition`: which documents are asked for, such as `words >= 50`

mod account;
mod condition;
mod value;

pub(crate) use account::ArchiveAccount;
pub use account::{Account, AccountError};
pub use condition::Condition;
pub use value::Value;
