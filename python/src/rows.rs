//! Rows that a thread of their own reads, as an iterator for Python.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, bounded};
use pyo3::prelude::*;

use crate::error;
use crate::interruptible::WAIT;

/// Rows that wait to be taken: enough that reading and taking overlap, few enough to be held in memory.
const ROWS_HELD: usize = 64;

/// A row: what makes its Python object, or raises its error.
type Row = Box<dyn for<'py> FnOnce(Python<'py>) -> PyResult<Bound<'py, PyAny>> + Send>;

/// Where the thread puts its rows.
pub struct RowSender(Sender<Row>);

impl RowSender {
    /// Hands a row on. Returns whether more are wanted.
    pub fn send(&self, row: impl for<'py> FnOnce(Python<'py>) -> PyResult<Bound<'py, PyAny>> + Send + 'static) -> bool {
        self.0.send(Box::new(row)).is_ok()
    }
}

/// An iterator over what is read in another thread. If it is dropped, the thread ends.
#[pyclass(module = "dehusk", frozen)]
pub struct Rows {
    /// `None` after the last row, after an error, and once it is closed.
    rows: Mutex<Option<Receiver<Row>>>,
}

impl Rows {
    /// Starts the thread that reads.
    pub fn start(py: Python<'_>, read: impl FnOnce(&RowSender) + Send + 'static) -> PyResult<Self> {
        let (sender, rows) = bounded(ROWS_HELD);
        let spawned = thread::Builder::new().name("rows".into()).spawn(move || {
            let sender = RowSender(sender);
            // Without this, a panic would look like the end.
            if catch_unwind(AssertUnwindSafe(|| read(&sender))).is_err() {
                sender.send(|py| Err(error::internal(py, "reading panicked".into())));
            }
        });
        spawned.map_err(|e| error::internal(py, format!("no thread can be started: {e}")))?;
        Ok(Self {
            rows: Mutex::new(Some(rows)),
        })
    }

    fn receiver(&self) -> Option<Receiver<Row>> {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, Option<Receiver<Row>>> {
        self.rows.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl Rows {
    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let Some(rows) = self.receiver() else {
            return Ok(None);
        };
        loop {
            let received = py.detach(|| rows.recv_timeout(WAIT));
            let row = match received {
                Ok(row) => row(py),
                Err(RecvTimeoutError::Timeout) => match py.check_signals() {
                    Ok(()) if self.lock().is_some() => continue,
                    Ok(()) => return Ok(None),
                    Err(error) => Err(error),
                },
                Err(RecvTimeoutError::Disconnected) => {
                    self.close();
                    return Ok(None);
                }
            };
            if row.is_err() {
                self.close();
            }
            return row.map(Some);
        }
    }

    /// End the iterator and its thread.
    fn close(&self) {
        *self.lock() = None;
    }
}
