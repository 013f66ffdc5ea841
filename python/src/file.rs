//! A Python file as a stream of bytes.

use std::collections::BTreeSet;
use std::io::{self, Read};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::exceptions::{PyException, PyUnicodeError};
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyString};

use crate::config::type_name;

/// A file that can be read once, from the position at which it was passed; if it can seek, more than once.
#[derive(Debug)]
pub struct PythonFile {
    file: Py<PyAny>,
    /// The position at which the file was passed. `None` if it cannot seek.
    start: Option<u64>,
    /// Whether it was read before.
    is_used: AtomicBool,
    interrupt: Interrupt,
}

/// The first exception of a file that is not an ordinary error, such as `KeyboardInterrupt` or `SystemExit`. It ends
/// the work, and the caller raises it unchanged.
#[derive(Clone, Debug, Default)]
pub struct Interrupt(Arc<Mutex<Option<PyErr>>>);

impl Interrupt {
    /// Takes the exception, if there is one.
    pub fn take(&self) -> Option<PyErr> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn set(&self, error: PyErr) {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get_or_insert(error);
    }
}

/// The files that are being read, by their addresses. One file may be among the archives several times.
static BUSY: Mutex<BTreeSet<usize>> = Mutex::new(BTreeSet::new());

impl PythonFile {
    /// A file among the archives, whose exceptions that are not ordinary errors go to `interrupt`.
    pub fn new(file: &Bound<'_, PyAny>, interrupt: Interrupt) -> PyResult<Self> {
        let can_seek = file.call_method0("seekable").and_then(|seekable| seekable.is_truthy());
        let start = match can_seek {
            Ok(true) => file.call_method0("tell").and_then(|start| start.extract()).ok(),
            _ => None,
        };
        Ok(Self {
            file: file.clone().unbind(),
            start,
            is_used: AtomicBool::new(false),
            interrupt,
        })
    }

    /// Begins to read the file.
    pub fn open(self: &Arc<Self>) -> io::Result<Reading> {
        if !busy(|files| files.insert(self.address())) {
            return Err(io::Error::other("is being read by another iterator"));
        }
        // From here on, dropping it lets others read the file.
        let reading = Reading(Arc::clone(self));
        let is_used = self.is_used.swap(true, Ordering::AcqRel);
        match self.start {
            // Others may have moved it meanwhile, even before it is read for the first time.
            Some(start) => attached(|py| {
                let sought = self.file.bind(py).call_method1("seek", (start,));
                sought.map(drop).map_err(|e| self.raised(py, "seek", e))
            })?,
            None if is_used => return Err(io::Error::other("cannot seek, so it can be read only once")),
            None => {}
        }
        Ok(reading)
    }

    /// An exception as the error that ends the archive.
    fn raised(&self, py: Python<'_>, method: &str, error: PyErr) -> io::Error {
        let class = error.get_type(py);
        let class = class.qualname().map_or_else(|_| String::new(), |name| name.to_string());
        let is_text = error.is_instance_of::<PyUnicodeError>(py);
        let remedy = if is_text { "; open the file in binary mode" } else { "" };
        let message = format!("{method}() raised {class}: {}{remedy}", error.value(py));
        if !error.is_instance_of::<PyException>(py) {
            self.interrupt.set(error);
        }
        io::Error::other(message)
    }

    fn address(&self) -> usize {
        self.file.as_ptr() as usize
    }
}

/// A file that is being read.
#[derive(Debug)]
pub struct Reading(Arc<PythonFile>);

impl Read for Reading {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        attached(|py| {
            let result = self.0.file.bind(py).call_method1("read", (buffer.len(),));
            let result = result.map_err(|e| self.0.raised(py, "read", e))?;
            if let Ok(bytes) = result.cast::<PyBytes>() {
                return copy(bytes.as_bytes(), buffer);
            }
            if let Ok(bytes) = result.cast::<PyByteArray>() {
                return copy(&bytes.to_vec(), buffer);
            }
            if result.is_instance_of::<PyString>() {
                return Err(io::Error::other(
                    "read() gave str, not bytes; open the file in binary mode",
                ));
            }
            let found = type_name(&result);
            Err(io::Error::other(format!("read() gave {found}, not bytes")))
        })
    }
}

impl Drop for Reading {
    fn drop(&mut self) {
        busy(|files| files.remove(&self.0.address()));
    }
}

fn busy(change: impl FnOnce(&mut BTreeSet<usize>) -> bool) -> bool {
    change(&mut BUSY.lock().unwrap_or_else(PoisonError::into_inner))
}

fn copy(bytes: &[u8], buffer: &mut [u8]) -> io::Result<usize> {
    let Some(start) = buffer.get_mut(..bytes.len()) else {
        let (given, asked) = (bytes.len(), buffer.len());
        let message = format!("read() gave {given} bytes, more than the {asked} that were asked for");
        return Err(io::Error::other(message));
    };
    start.copy_from_slice(bytes);
    Ok(bytes.len())
}

/// Does some of the work in Python, if that has not ended.
fn attached<T>(work: impl FnOnce(Python<'_>) -> io::Result<T>) -> io::Result<T> {
    Python::try_attach(work).unwrap_or_else(|| Err(io::Error::other("Python has ended")))
}
