//! The exceptions of the package. They are defined in `package/dehusk/_errors.py`.

use std::ffi::CString;

use dehusk::{ConfigError, Dropped};
use pyo3::exceptions::PyUserWarning;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;

/// An exception class of `dehusk._errors`.
fn class<'py>(py: Python<'py>, cell: &'static PyOnceLock<Py<PyType>>, name: &str) -> PyResult<Bound<'py, PyType>> {
    cell.import(py, "dehusk._errors", name).cloned()
}

fn raise(class: PyResult<Bound<'_, PyType>>, arguments: impl pyo3::PyErrArguments + 'static) -> PyErr {
    match class {
        Ok(class) => PyErr::from_type(class, arguments),
        Err(error) => error,
    }
}

pub fn config(py: Python<'_>, error: &ConfigError) -> PyErr {
    static CELL: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let key = error.key().map(str::to_owned);
    raise(class(py, &CELL, "ConfigError"), (error.to_string(), key))
}

/// A value that no configuration can hold.
pub fn config_type(py: Python<'_>, key: &str, found: &str) -> PyErr {
    static CELL: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let message = format!("“{key}” cannot be {found}");
    raise(class(py, &CELL, "ConfigError"), (message, Some(key.to_owned())))
}

/// Archives could not be read, or not to their ends: their names and messages.
pub fn archives(py: Python<'_>, failed: Vec<(String, String)>) -> PyErr {
    static CELL: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let message = messages(&failed);
    raise(class(py, &CELL, "ArchiveError"), (message, failed))
}

/// Returns the messages of archives that failed, one a line.
pub fn messages(failed: &[(String, String)]) -> String {
    let messages: Vec<&str> = failed.iter().map(|(_, message)| message.as_str()).collect();
    messages.join("\n")
}

pub fn input(py: Python<'_>, message: String) -> PyErr {
    static CELL: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    raise(class(py, &CELL, "InputError"), (message,))
}

/// Something that is a bug, or that the system refused.
pub fn internal(py: Python<'_>, message: String) -> PyErr {
    static CELL: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    raise(class(py, &CELL, "InternalError"), (message,))
}

/// A run could not begin, or not continue.
pub fn run(py: Python<'_>, message: &str) -> PyErr {
    static CELL: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    raise(class(py, &CELL, "RunError"), (with_arguments(message),))
}

/// Another run holds the directory.
pub fn in_use(py: Python<'_>, message: &str) -> PyErr {
    static CELL: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    raise(class(py, &CELL, "InUseError"), (with_arguments(message),))
}

/// A message of a run, with the arguments of the function for the options of the program.
fn with_arguments(message: &str) -> String {
    let message = message.replace("pass --changed ", "pass changed=True ");
    message.replace(" --overwrite to start", " overwrite=True to start")
}

/// A page has no document.
pub fn dropped(py: Python<'_>, dropped: Dropped) -> PyErr {
    static CELL: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let (kind, reason) = (dropped.outcome(), dropped.reason());
    raise(
        class(py, &CELL, "Dropped"),
        (dropped.to_string(), kind, reason, dropped.rule()),
    )
}

/// Warns of something that does not end the work.
///
/// # Errors
/// Python is set to raise warnings as errors.
pub fn warn(py: Python<'_>, message: &str) -> PyResult<()> {
    let message = CString::new(message.replace('\0', " ")).unwrap_or_default();
    PyErr::warn(py, &py.get_type::<PyUserWarning>(), &message, 1)
}
