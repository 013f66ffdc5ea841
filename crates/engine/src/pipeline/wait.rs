//! Waits for another thread that end when the pipeline is asked to stop.

use std::io;
use std::time::Duration;

use crossbeam_channel::{Receiver, RecvTimeoutError};

use super::progress::Stop;

/// How often a wait checks whether the pipeline is asked to stop.
pub(super) const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Why nothing was received.
pub(super) enum WaitError {
    /// The pipeline was asked to stop.
    Stopped,
    /// The sender is gone.
    Disconnected,
}

/// Waits for what another thread sends.
///
/// # Errors
/// The pipeline was asked to stop, or the sender is gone.
pub(super) fn receive<T>(receiver: &Receiver<T>, stop: &Stop) -> Result<T, WaitError> {
    loop {
        match receiver.recv_timeout(POLL_INTERVAL) {
            Ok(sent) => return Ok(sent),
            Err(RecvTimeoutError::Disconnected) => return Err(WaitError::Disconnected),
            Err(RecvTimeoutError::Timeout) if stop.requested() => return Err(WaitError::Stopped),
            Err(RecvTimeoutError::Timeout) => {}
        }
    }
}

impl WaitError {
    /// The error of a read. A thread that reads sends something last, unless it panics; `panicked` is the message then.
    pub(super) fn of_read(self, panicked: &str) -> io::Error {
        io::Error::other(match self {
            Self::Stopped => "the run was stopped",
            Self::Disconnected => panicked,
        })
    }
}
