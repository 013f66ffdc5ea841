//! A dict or a file → a configuration.

use std::path::PathBuf;

use dehusk::{Config, ConfigValue};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};

use crate::error;

/// How deep the sections of a dict may lie in each other.
const DEPTH: usize = 8;

/// The configuration that an argument `config` describes: `None`, a dict of sections, or the path of a TOML file.
pub fn config(argument: Option<&Bound<'_, PyAny>>, threads: Option<usize>) -> PyResult<Config> {
    let mut config = match argument {
        None => Config::default(),
        Some(argument) => {
            let py = argument.py();
            if let Ok(dict) = argument.cast::<PyDict>() {
                let values = section(dict, "", 0)?;
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
        config.run.threads = threads;
    }
    Ok(config)
}

fn section(dict: &Bound<'_, PyDict>, path: &str, depth: usize) -> PyResult<Vec<(String, ConfigValue)>> {
    let py = dict.py();
    let mut values = Vec::with_capacity(dict.len());
    for (key, item) in dict.iter() {
        let Ok(name) = key.extract::<String>() else {
            return Err(error::config_type(py, &format!("a key in {path}"), &type_name(&key)));
        };
        let full = match path {
            "" => name.clone(),
            path => format!("{path}.{name}"),
        };
        values.push((name, value(&item, &full, depth)?));
    }
    Ok(values)
}

fn value(item: &Bound<'_, PyAny>, path: &str, depth: usize) -> PyResult<ConfigValue> {
    let wrong = || error::config_type(item.py(), path, &type_name(item));
    if depth > DEPTH {
        return Err(error::config_type(item.py(), path, "nested so deeply"));
    }
    // A boolean is also an integer in Python.
    Ok(if let Ok(value) = item.cast::<PyBool>() {
        ConfigValue::Boolean(value.is_true())
    } else if item.is_instance_of::<PyInt>() {
        let value = item.extract();
        ConfigValue::Integer(value.map_err(|_| error::config_type(item.py(), path, "a number of this size"))?)
    } else if item.is_instance_of::<PyFloat>() {
        ConfigValue::Float(item.extract()?)
    } else if item.is_instance_of::<PyString>() {
        ConfigValue::Text(item.extract().map_err(|_| wrong())?)
    } else if let Ok(dict) = item.cast::<PyDict>() {
        ConfigValue::Section(section(dict, path, depth + 1)?)
    } else if item.is_instance_of::<PyList>() || item.is_instance_of::<PyTuple>() {
        let items = item.try_iter()?;
        let values = items.map(|item| value(&item?, path, depth + 1));
        ConfigValue::List(values.collect::<PyResult<_>>()?)
    } else {
        return Err(wrong());
    })
}

/// The name of a value's type.
pub fn type_name(value: &Bound<'_, PyAny>) -> String {
    let name = value.get_type().qualname();
    name.map_or_else(|_| "a value".to_owned(), |name| name.to_string())
}
