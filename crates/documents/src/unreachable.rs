//! Errors of a network or a server that is down, after which the same command may succeed later. They bear one kind,
//! which every error that is made of them keeps.

use std::error::Error;
use std::io;

/// The kind of these errors.
pub const UNREACHABLE: io::ErrorKind = io::ErrorKind::NetworkUnreachable;

/// Whether an error, or one that caused it, is of this kind.
pub fn is_unreachable(error: &(dyn Error + 'static)) -> bool {
    let mut next = Some(error);
    while let Some(error) = next {
        let kind = error.downcast_ref::<io::Error>().map(io::Error::kind);
        if kind == Some(UNREACHABLE) {
            return true;
        }
        next = error.source();
    }
    false
}
