//! Work in a thread of its own, while this thread handles Python's signals.

use std::thread;
use std::time::Duration;

use crossbeam_channel::{RecvTimeoutError, bounded};
use pyo3::prelude::*;

use crate::error;

/// Time between two checks for a signal of Python.
pub const WAIT: Duration = Duration::from_millis(100);

/// Does some work in a thread and waits for its result, without the GIL.
///
/// # Errors
/// Python has a signal, such as Ctrl-C: the work continues, and its result is dropped. Or the work panicked.
pub fn interruptible<T: Send + 'static>(py: Python<'_>, work: impl FnOnce() -> T + Send + 'static) -> PyResult<T> {
    let result = wait_for(py, "input", work, || py.check_signals())?;
    result.ok_or_else(|| error::internal(py, "the input panicked".into()))
}

/// Does some work in a thread of this name and waits for its result, without the GIL. Returns `None` if the work
/// panicked.
///
/// # Errors
/// The error of `check`, which is called every [`WAIT`]: the work continues, and its result is dropped.
pub fn wait_for<T: Send + 'static>(
    py: Python<'_>,
    thread: &str,
    work: impl FnOnce() -> T + Send + 'static,
    mut check: impl FnMut() -> PyResult<()>,
) -> PyResult<Option<T>> {
    // Nothing is sent: the channel closes when the work ends, also by a panic.
    let (running, ended) = bounded::<()>(0);
    let spawned = thread::Builder::new().name(thread.into()).spawn(move || {
        let _running = running;
        work()
    });
    let thread = spawned.map_err(|e| error::internal(py, format!("no thread can be started: {e}")))?;
    while let Err(RecvTimeoutError::Timeout) = py.detach(|| ended.recv_timeout(WAIT)) {
        check()?;
    }
    Ok(py.detach(|| thread.join().ok()))
}
