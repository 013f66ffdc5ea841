//! Reads a finished run back: its account, and the documents of its shards in every format.
//!
//! - `account`: `run.json`, as far as every version of the program writes it

mod account;

pub(crate) use account::ArchiveAccount;
pub use account::{Account, AccountError, RunShard};
pub use dehusk_documents::condition::{Condition, Value};
