//! Paths, bytes and Python's files → archives.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

use dehusk::{ArchiveInput, Config};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyMemoryView, PyString};

use crate::config::type_name;
use crate::error;
use crate::file::{Interrupt, PythonFile};
use crate::interruptible::interruptible;

/// The archives that an argument names.
#[derive(Debug, Default)]
pub struct Archives {
    pub inputs: Vec<ArchiveInput>,
    /// Whether some of them are Python's files, so that reading them needs Python.
    pub needs_python: bool,
    /// The exception of one of Python's files that ends the work.
    pub interrupt: Interrupt,
}

/// The name of an archive of bytes or of a file without a name. The second and further ones get a number.
const UNNAMED: &str = "memory";

/// Reads one source, or a list of them.
pub fn archives(config: &Config, argument: &Bound<'_, PyAny>) -> PyResult<Archives> {
    let py = argument.py();
    let mut collector = Collector {
        config,
        archives: Archives::default(),
        paths: Vec::new(),
    };
    if is_one(argument)? {
        collector.add(argument)?;
    } else {
        let items = argument.try_iter().map_err(|_| wrong_type(argument))?;
        for item in items {
            collector.add(&item?)?;
        }
    }
    collector.add_paths(py)?;
    if collector.archives.inputs.is_empty() {
        return Err(error::input(py, "no archive is named".into()));
    }
    Ok(collector.archives)
}

fn is_one(argument: &Bound<'_, PyAny>) -> PyResult<bool> {
    Ok(argument.is_instance_of::<PyString>()
        || argument.is_instance_of::<PyBytes>()
        || argument.is_instance_of::<PyByteArray>()
        || argument.is_instance_of::<PyMemoryView>()
        || argument.hasattr("__fspath__")?
        || argument.hasattr("read")?)
}

/// Archives that are collected from what was given.
struct Collector<'c> {
    config: &'c Config,
    archives: Archives,
    /// Paths that are still to be expanded, because globs, lists and directories may name many.
    paths: Vec<OsString>,
}

impl Collector<'_> {
    /// Adds one source.
    fn add(&mut self, item: &Bound<'_, PyAny>) -> PyResult<()> {
        if let Ok(bytes) = item.cast::<PyBytes>() {
            return self.add_bytes(item.py(), bytes.as_bytes().to_vec());
        }
        if let Ok(bytes) = item.cast::<PyByteArray>() {
            return self.add_bytes(item.py(), bytes.to_vec());
        }
        if item.is_instance_of::<PyMemoryView>() {
            return self.add_bytes(item.py(), item.call_method0("tobytes")?.extract()?);
        }
        if item.hasattr("read")? {
            self.add_paths(item.py())?;
            let name = item.getattr("name").and_then(|name| name.extract::<PathBuf>());
            let name = name.unwrap_or_else(|_| self.unnamed());
            let file = Arc::new(PythonFile::new(item, self.archives.interrupt.clone())?);
            let input = ArchiveInput::stream(name, move || file.open());
            self.archives.inputs.push(input);
            self.archives.needs_python = true;
            return Ok(());
        }
        let path: PathBuf = item.extract().map_err(|_| wrong_type(item))?;
        self.paths.push(path.into_os_string());
        Ok(())
    }

    fn add_bytes(&mut self, py: Python<'_>, bytes: Vec<u8>) -> PyResult<()> {
        self.add_paths(py)?;
        let name = self.unnamed();
        self.archives.inputs.push(ArchiveInput::source(name, Arc::new(bytes)));
        Ok(())
    }

    /// A name for an archive that has none: it depends on its place in the list alone.
    fn unnamed(&self) -> PathBuf {
        match self.archives.inputs.len() {
            0 => UNNAMED.into(),
            n => format!("{UNNAMED}-{}", n + 1).into(),
        }
    }

    fn add_paths(&mut self, py: Python<'_>) -> PyResult<()> {
        if self.paths.is_empty() {
            return Ok(());
        }
        let (config, named) = (self.config.clone(), std::mem::take(&mut self.paths));
        // A prefix or a list may be remote.
        let found = interruptible(py, move || dehusk::input::from_arguments(&config, named))?;
        let found = found.map_err(|e| error::input(py, e.to_string()))?;
        self.archives.inputs.extend(found.archives);
        Ok(())
    }
}

fn wrong_type(item: &Bound<'_, PyAny>) -> PyErr {
    let found = type_name(item);
    PyTypeError::new_err(format!(
        "an archive is a path, bytes or a file that is open in binary mode, not {found}"
    ))
}
