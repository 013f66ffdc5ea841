//! Stores that are not checked as a whole when they are opened, so that opening a large one takes no more time.
//!
//! Damage is found when it is met: by the check of a value, by an error of the database, or by a panic of it.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{self, AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Once;

use dehusk_archive::escape;
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use super::{StoreError, StoreErrorKind};

thread_local! {
    /// Whether this thread uses a store, so that a panic is an error.
    static IS_GUARDED: Cell<bool> = const { Cell::new(false) };

    /// Where in the source the last such panic was.
    static PANICKED_AT: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Silences panics of threads that use a store. All others are reported as before.
fn silence_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let report = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if IS_GUARDED.try_with(Cell::get).unwrap_or_default() {
                let place = info.location().map(ToString::to_string);
                let _ = PANICKED_AT.try_with(|at| at.replace(place));
            } else {
                report(info);
            }
        }));
    });
}

/// Uses a store. The database panics at some damage. The error has the message and the place of the panic, since it
/// may be a mistake of the program, too.
pub(super) fn guarded<T>(path: &Path, work: impl FnOnce() -> Result<T, StoreError>) -> Result<T, StoreError> {
    silence_panics();
    let before = IS_GUARDED.replace(true);
    let done = catch_unwind(AssertUnwindSafe(work));
    IS_GUARDED.set(before);
    done.unwrap_or_else(|panic| Err(damaged(path, &unreadable_page(&*panic))))
}

fn unreadable_page(panic: &(dyn Any + Send)) -> String {
    let message = panic.downcast_ref::<String>().map(String::as_str);
    let message = message.or_else(|| panic.downcast_ref::<&str>().copied());
    let place = PANICKED_AT.take();
    let said = [message, place.as_deref()].into_iter().flatten().collect::<Vec<_>>();
    let said = said.join(", at ");
    format!("a page of the file is not readable: {}", escape::terminal(&said))
}

pub(super) fn damaged(path: &Path, why: &str) -> StoreError {
    let source = why.into();
    StoreError::new(path, StoreErrorKind::Corrupt { source })
}

/// The error of a page that cannot be read. The file is a store, so one that ends too early is damaged.
pub(super) fn unreadable(path: &Path, error: impl Into<redb::Error>) -> StoreError {
    let error = StoreError::from_redb(path, error.into());
    match error.kind {
        StoreErrorKind::Foreign => damaged(path, "a page of the file is missing"),
        _ => error,
    }
}

/// The error of a value that is not as it was written.
pub(super) fn wrong_value(path: &Path) -> StoreError {
    damaged(path, "a value is not as it was written")
}

/// The check of a value: XXH3 of its bytes, seeded with that of its key. So a value that is found under another key is
/// damage, too.
pub(super) fn check_of(key: &[u8], bytes: &[u8]) -> u64 {
    xxh3_64_with_seed(bytes, xxh3_64(key))
}

/// A value: the check of its bytes, and the bytes.
pub fn sealed(key: &[u8], bytes: &[u8]) -> Vec<u8> {
    let mut value = Vec::with_capacity(8 + bytes.len());
    value.extend(check_of(key, bytes).to_le_bytes());
    value.extend(bytes);
    value
}

/// The bytes of a value that begins with its check, without that. `None` if they are not as they were written.
pub fn checked<'v>(key: &[u8], value: &'v [u8]) -> Option<&'v [u8]> {
    let (check, bytes) = value.split_first_chunk()?;
    (u64::from_le_bytes(*check) == check_of(key, bytes)).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_of_a_panic_has_its_message_and_its_place() {
        let numbers: Vec<u32> = Vec::new();
        let failed = guarded(Path::new("store"), || Ok(numbers[7])).unwrap_err().to_string();
        let message = "the store is damaged (a page of the file is not readable: index out of bounds: the len is 0 but \
            the index is 7, at ";
        assert!(failed.contains(message), "{failed}");
        assert!(failed.contains("guard.rs:"), "{failed}");
    }
}
