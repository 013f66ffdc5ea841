//! Work in a thread of its own, while Python's signals are heard.

use std::thread;
use std::time::Duration;

use crossbeam_channel::{RecvTimeoutError, bounded};
use pyo3::prelude::*;

use crate::error;

/// How long a wait lasts before it looks whether Python has a signal for it.
pub const WAIT: Duration = Duration::from_millis(100);

/// Does some work and waits for it, without the GIL.
///
/// # Errors
/// Python has a signal, such as Ctrl-C: then the work goes on, and its result is dropped. Or the work panicked.
pub fn interruptible<T: Send + 'static>(py: Python<'_>, work: impl FnOnce() -> T + Send + 'static) -> PyResult<T> {
    let (sender, ended) = bounded(1);
    let work = move || {
        // If the waiter is gone, the result is not needed.
        let _ = sender.send(work());
    };
    let spawned = thread::Builder::new().name("input".into()).spawn(work);
    spawned.map_err(|e| error::internal(py, format!("no thread can be started: {e}")))?;
    loop {
        match py.detach(|| ended.recv_timeout(WAIT)) {
            Ok(result) => return Ok(result),
            Err(RecvTimeoutError::Disconnected) => return Err(error::internal(py, "the input panicked".into())),
            Err(RecvTimeoutError::Timeout) => py.check_signals()?,
        }
    }
}
