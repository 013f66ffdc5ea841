//! Paths, bytes and Python's files → archives.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

use dehusk::ArchiveInput;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyString};

use crate::config::type_name;
use crate::error;
use crate::file::PythonFile;

/// The archives that an argument names.
#[derive(Debug, Default)]
pub struct Archives {
    pub inputs: Vec<ArchiveInput>,
    /// Whether some of them are Python's files, so that reading them needs Python.
    pub needs_python: bool,
}

/// What one archive of bytes or of a file without a name is called, and its number from the second on.
const UNNAMED: &str = "memory";

/// Reads one source, or a list of them.
pub fn archives(argument: &Bound<'_, PyAny>) -> PyResult<Archives> {
    let py = argument.py();
    let mut archives = Archives::default();
    let mut paths: Vec<OsString> = Vec::new();
    if is_one(argument)? {
        add(argument, &mut archives, &mut paths)?;
    } else {
        let items = argument.try_iter().map_err(|_| wrong_type(argument))?;
        for item in items {
            add(&item?, &mut archives, &mut paths)?;
        }
    }
    add_paths(py, &mut archives, &mut paths)?;
    if archives.inputs.is_empty() {
        return Err(error::input(py, "no archive is named".into()));
    }
    Ok(archives)
}

fn is_one(argument: &Bound<'_, PyAny>) -> PyResult<bool> {
    Ok(argument.is_instance_of::<PyString>()
        || argument.is_instance_of::<PyBytes>()
        || argument.is_instance_of::<PyByteArray>()
        || argument.hasattr("__fspath__")?
        || argument.hasattr("read")?)
}

/// Adds one source. Paths are collected, because globs, lists and directories may stand for many.
fn add(item: &Bound<'_, PyAny>, archives: &mut Archives, paths: &mut Vec<OsString>) -> PyResult<()> {
    if let Ok(bytes) = item.cast::<PyBytes>() {
        return add_bytes(item.py(), bytes.as_bytes().to_vec(), archives, paths);
    }
    if let Ok(bytes) = item.cast::<PyByteArray>() {
        return add_bytes(item.py(), bytes.to_vec(), archives, paths);
    }
    if item.hasattr("read")? {
        add_paths(item.py(), archives, paths)?;
        let name = item.getattr("name").and_then(|name| name.extract::<PathBuf>());
        let name = name.unwrap_or_else(|_| unnamed(archives));
        let file = Arc::new(PythonFile::new(item)?);
        archives.inputs.push(ArchiveInput::stream(name, move || file.open()));
        archives.needs_python = true;
        return Ok(());
    }
    let path: PathBuf = item.extract().map_err(|_| wrong_type(item))?;
    paths.push(path.into_os_string());
    Ok(())
}

fn add_bytes(py: Python<'_>, bytes: Vec<u8>, archives: &mut Archives, paths: &mut Vec<OsString>) -> PyResult<()> {
    add_paths(py, archives, paths)?;
    let name = unnamed(archives);
    archives.inputs.push(ArchiveInput::source(name, Arc::new(bytes)));
    Ok(())
}

/// A name for an archive that has none: it depends on its place in the list alone.
fn unnamed(archives: &Archives) -> PathBuf {
    match archives.inputs.len() {
        0 => UNNAMED.into(),
        n => format!("{UNNAMED}-{}", n + 1).into(),
    }
}

fn add_paths(py: Python<'_>, archives: &mut Archives, paths: &mut Vec<OsString>) -> PyResult<()> {
    if paths.is_empty() {
        return Ok(());
    }
    let named = std::mem::take(paths);
    // A prefix or a list may be behind a network.
    let found = py.detach(|| dehusk::inputs_from_arguments(named));
    let found = found.map_err(|e| error::input(py, e.to_string()))?;
    archives.inputs.extend(found.archives);
    Ok(())
}

fn wrong_type(item: &Bound<'_, PyAny>) -> PyErr {
    let found = type_name(item);
    PyTypeError::new_err(format!(
        "an archive is a path, bytes or a file that is open in binary mode, not {found}"
    ))
}
