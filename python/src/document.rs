//! One document as a Python object.

use dehusk::Processor;
use dehusk::schema::{Field, FieldType, FieldValue};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::error;

/// The main content of a page, with its metadata.
#[pyclass(module = "dehusk", frozen)]
pub struct Document {
    document: dehusk::Document,
}

impl Document {
    pub fn new(document: dehusk::Document) -> Self {
        Self { document }
    }
}

#[pymethods]
impl Document {
    /// The main content.
    #[getter]
    fn text(&self) -> &str {
        &self.document.text
    }

    /// The readers' comments, if the extractor keeps them apart from ``text``; else ``None``.
    #[getter]
    fn comments(&self) -> Option<&str> {
        Some(self.document.comments.as_str()).filter(|comments| !comments.is_empty())
    }

    /// Version of the program, hash of the configuration and number of the schema.
    #[getter]
    fn version(&self) -> &str {
        &self.document.version
    }

    /// What else is known of the page: a dict. What is unknown is ``None``; what the configuration did not ask for is
    /// not there.
    #[getter]
    fn metadata<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        fields_of(py, &self.document, true)
    }

    /// All of it, with the keys of a run's documents. Unlike in a record batch, ``created`` is a string, as in JSON.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        to_dict(py, &self.document)
    }

    fn __repr__(&self) -> String {
        let metadata = &self.document.metadata;
        format!("<dehusk.Document of {} words: {:?}>", metadata.words, metadata.title)
    }
}

/// A document as a dict.
pub fn to_dict<'py>(py: Python<'py>, document: &dehusk::Document) -> PyResult<Bound<'py, PyDict>> {
    let dict = fields_of(py, document, false)?;
    dict.set_item("metadata", fields_of(py, document, true)?)?;
    for more in &document.more_texts {
        dict.set_item(format!("text_{}", more.extractor), &more.text)?;
    }
    Ok(dict)
}

fn fields_of<'py>(py: Python<'py>, document: &dehusk::Document, in_metadata: bool) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    let fields = document.fields();
    for field in fields.iter().filter(|field| field.is_in_metadata() == in_metadata) {
        let value = match field.get(document) {
            _ if field.is_unknown(document) => py.None().into_bound(py),
            FieldValue::Text(text) => text.into_bound_py_any(py)?,
            FieldValue::Integer(n) => n.into_bound_py_any(py)?,
            FieldValue::Float(n) => n.into_bound_py_any(py)?,
            FieldValue::Boolean(b) => b.into_bound_py_any(py)?,
        };
        dict.set_item(field.name(), value)?;
    }
    Ok(dict)
}

/// The hash of a configuration, as documents and ``run.json`` have it.
#[pyfunction]
#[pyo3(name = "_config_hash", signature = (config=None))]
pub fn config_hash(py: Python<'_>, config: Option<&Bound<'_, PyAny>>) -> PyResult<String> {
    let config = crate::config::config(config, None)?;
    config.hash().map_err(|e| error::config(py, &e))
}

/// One field of a document: its name, its type, and whether it is in ``metadata``.
type FieldRow = (&'static str, &'static str, bool);

/// The fields of the documents that a configuration asks for, in order, and the names of its further extractors.
#[pyfunction]
#[pyo3(name = "_fields", signature = (config=None))]
pub fn fields<'py>(py: Python<'py>, config: Option<&Bound<'py, PyAny>>) -> PyResult<(Vec<FieldRow>, Vec<String>)> {
    let config = crate::config::config(config, None)?;
    let processor = Processor::new(&config).map_err(|e| error::config(py, &e))?;
    let further = config.extractors().iter().skip(1).cloned().collect();
    let row = |field: &'static Field| {
        let field_type = match field.field_type() {
            FieldType::Text => "string",
            FieldType::Instant => "timestamp",
            FieldType::U16 => "int32",
            FieldType::U32 | FieldType::U64 => "int64",
            FieldType::F64 => "double",
            FieldType::Boolean => "bool",
            _ => "unknown",
        };
        (field.name(), field_type, field.is_in_metadata())
    };
    Ok((processor.fields().iter().map(row).collect(), further))
}
