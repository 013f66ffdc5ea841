//! A mapping or a file → a configuration.

use std::collections::BTreeMap;
use std::path::PathBuf;

use dehusk::{Config, Value};
use pyo3::exceptions::PyOverflowError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyFloat, PyInt, PyList, PyMapping, PyString, PyTuple};

use crate::error;

/// How deep the sections of a mapping may lie in each other.
const DEPTH: usize = 8;

/// The configuration that an argument `config` describes: `None`, a mapping of sections, or the path of a TOML file.
pub fn config(argument: Option<&Bound<'_, PyAny>>, threads: Option<usize>) -> PyResult<Config> {
    let mut config = match argument {
        None => Config::default(),
        Some(argument) => {
            let py = argument.py();
            if let Ok(mapping) = argument.cast::<PyMapping>() {
                let values = section(mapping, "", 0)?;
                let config = Config::default().with_values(values);
                config.map_err(|e| error::config(py, &e))?
            } else {
                let path: PathBuf = argument
                    .extract()
                    .map_err(|_| error::config_type(py, "config", &type_name(argument)))?;
                Config::from_file(&path).map_err(|e| error::config(py, &e))?
            }
        }
    };
    if let Some(threads) = threads {
        let set = config.set("run.threads", threads);
        set.map_err(|e| Python::attach(|py| error::config(py, &e)))?;
    }
    Ok(config)
}

fn section(mapping: &Bound<'_, PyMapping>, path: &str, depth: usize) -> PyResult<BTreeMap<String, Value>> {
    let py = mapping.py();
    let mut values = BTreeMap::new();
    for pair in mapping.items()? {
        let (key, item): (Bound<'_, PyAny>, Bound<'_, PyAny>) = pair.extract()?;
        let Ok(name) = key.extract::<String>() else {
            let place = match path {
                "" => "config".to_owned(),
                path => path.to_owned(),
            };
            return Err(error::config_type(
                py,
                &format!("a key of {place}"),
                &text_or_type(&key),
            ));
        };
        let full = match path {
            "" => name.clone(),
            path => format!("{path}.{name}"),
        };
        let value = value(&item, &full, depth)?;
        values.insert(name, value);
    }
    Ok(values)
}

fn value(item: &Bound<'_, PyAny>, path: &str, depth: usize) -> PyResult<Value> {
    let wrong = || error::config_type(item.py(), path, &type_name(item));
    if depth > DEPTH {
        return Err(error::config_type(item.py(), path, "nested so deeply"));
    }
    // A boolean is also an integer in Python.
    Ok(if let Ok(value) = item.cast::<PyBool>() {
        Value::Boolean(value.is_true())
    } else if item.is_instance_of::<PyInt>() || item.hasattr("__index__")? {
        // NumPy's whole numbers are of other types.
        let value = item.extract();
        Value::Integer(value.map_err(|e: PyErr| {
            if e.is_instance_of::<PyOverflowError>(item.py()) {
                error::config_type(item.py(), path, "a number of this size")
            } else {
                wrong()
            }
        })?)
    } else if item.is_instance_of::<PyFloat>() {
        Value::Float(item.extract()?)
    } else if item.is_instance_of::<PyString>() {
        let text = item.extract();
        Value::Text(text.map_err(|_| error::config_type(item.py(), path, &text_or_type(item)))?)
    } else if let Ok(mapping) = item.cast::<PyMapping>() {
        Value::Section(section(mapping, path, depth + 1)?)
    } else if item.is_instance_of::<PyList>() || item.is_instance_of::<PyTuple>() {
        let items = item.try_iter()?;
        let values = items.map(|item| value(&item?, path, depth + 1));
        Value::List(values.collect::<PyResult<_>>()?)
    } else {
        return Err(wrong());
    })
}

/// The name of a value's type.
pub fn type_name(value: &Bound<'_, PyAny>) -> String {
    let name = value.get_type().qualname();
    name.map_or_else(|_| "a value".to_owned(), |name| name.to_string())
}

/// The text of a value, or the name of its type if it cannot be read as text.
fn text_or_type(value: &Bound<'_, PyAny>) -> String {
    if value.is_instance_of::<PyString>() {
        return "text with a half of a surrogate pair".to_owned();
    }
    type_name(value)
}
