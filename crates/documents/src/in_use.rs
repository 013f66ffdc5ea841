//! Waits a short time for what another process has: one that was just killed keeps its locks until the system has freed
//! its memory.

use std::fs::{File, TryLockError};
use std::thread;
use std::time::{Duration, Instant};

/// How long to wait in all, and between two attempts.
const PATIENCE: Duration = Duration::from_secs(2);
const PAUSE: Duration = Duration::from_millis(20);

/// Attempts something until another process no longer has it, for at most two seconds. Returns the last result.
pub fn wait<T, E>(mut attempt: impl FnMut() -> Result<T, E>, is_in_use: impl Fn(&E) -> bool) -> Result<T, E> {
    let end = Instant::now() + PATIENCE;
    loop {
        match attempt() {
            Err(error) if is_in_use(&error) && Instant::now() < end => thread::sleep(PAUSE),
            result => return result,
        }
    }
}

/// Locks a file.
///
/// # Errors
/// Another process still has the lock after two seconds, or the system refuses.
pub fn lock(file: &File) -> Result<(), TryLockError> {
    wait(|| file.try_lock(), |error| matches!(error, TryLockError::WouldBlock))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attempts_end_at_a_success_or_another_error() {
        for (last, attempts) in [(Ok(7), 3), (Err("damaged"), 3)] {
            let mut count = 0;
            let attempt = || {
                count += 1;
                if count < attempts { Err("in use") } else { last }
            };
            assert_eq!(wait(attempt, |error| *error == "in use"), last);
            assert_eq!(count, attempts);
        }
    }
}
