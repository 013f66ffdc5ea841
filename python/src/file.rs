//! A Python file as a stream of bytes.

use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyString};

use crate::config::type_name;

/// A file that can be read from where it stood, once; if it can seek, more than once.
#[derive(Debug)]
pub struct PythonFile {
    file: Py<PyAny>,
    /// Where the file stood. `None` if it cannot seek.
    start: Option<u64>,
    /// Whether it was read before.
    is_used: AtomicBool,
    /// Whether a thread reads it now.
    is_busy: AtomicBool,
}

impl PythonFile {
    pub fn new(file: &Bound<'_, PyAny>) -> PyResult<Self> {
        let can_seek = file.call_method0("seekable").and_then(|seekable| seekable.is_truthy());
        let start = match can_seek {
            Ok(true) => file.call_method0("tell").and_then(|start| start.extract()).ok(),
            _ => None,
        };
        Ok(Self {
            file: file.clone().unbind(),
            start,
            is_used: AtomicBool::new(false),
            is_busy: AtomicBool::new(false),
        })
    }

    /// Begins to read the file.
    pub fn open(self: &Arc<Self>) -> io::Result<Reading> {
        if self.is_busy.swap(true, Ordering::AcqRel) {
            return Err(io::Error::other("is being read by another iterator"));
        }
        // From here on, dropping it lets others read the file.
        let reading = Reading(Arc::clone(self));
        if self.is_used.swap(true, Ordering::AcqRel) {
            let Some(start) = self.start else {
                return Err(io::Error::other("cannot seek, so it can be read only once"));
            };
            attached(|py| {
                let sought = self.file.bind(py).call_method1("seek", (start,));
                sought.map(drop).map_err(|e| raised(py, "seek", &e))
            })?;
        }
        Ok(reading)
    }
}

/// A file that is being read.
#[derive(Debug)]
pub struct Reading(Arc<PythonFile>);

impl Read for Reading {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        attached(|py| {
            let result = self.0.file.bind(py).call_method1("read", (buffer.len(),));
            let result = result.map_err(|e| raised(py, "read", &e))?;
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
        self.0.is_busy.store(false, Ordering::Release);
    }
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

fn raised(py: Python<'_>, method: &str, error: &PyErr) -> io::Error {
    let class = error.get_type(py);
    let class = class.qualname().map_or_else(|_| String::new(), |name| name.to_string());
    io::Error::other(format!("{method}() raised {class}: {}", error.value(py)))
}
