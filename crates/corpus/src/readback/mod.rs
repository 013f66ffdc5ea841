//! Reads a finished run back: its account, and the documents of its shards in every format.
//!
//! - `account`: `run.json`, as far as every version of the program writes it
//! - `value`: one field of a document, by its name
//! - `comparison`: one of them compared with a value, such as `words >= 50`
//! - `condition`: which documents are asked for: comparisons joined by `and`, `or` and `not`

mod account;
mod comparison;
mod condition;
mod value;

pub(crate) use account::ArchiveAccount;
pub use account::{Account, AccountError, RunShard};
pub use condition::Condition;
pub use value::Value;
