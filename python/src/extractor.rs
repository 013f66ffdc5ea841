//! One page → its document.

use std::sync::{Mutex, PoisonError};

use dehusk::{Dropped, Processor};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyString};

use crate::config::type_name;
use crate::document::Document;
use crate::{config, error};

/// Takes the main content out of single pages. Several threads may use one extractor.
#[pyclass(module = "dehusk", frozen)]
pub struct Extractor {
    processors: Mutex<Processors>,
    /// The argument, for copies of the extractor in other processes.
    config: Option<Py<PyAny>>,
}

#[pymethods]
impl Extractor {
    #[new]
    #[pyo3(signature = (config=None))]
    fn new(py: Python<'_>, config: Option<Bound<'_, PyAny>>) -> PyResult<Self> {
        let resolved = config::config(config.as_ref(), None)?;
        let processor = py.detach(|| Processor::new(&resolved));
        let processors = Processors {
            first: processor.map_err(|e| error::config(py, &e))?,
            idle: Vec::new(),
        };
        Ok(Self {
            processors: Mutex::new(processors),
            config: config.map(copied).transpose()?,
        })
    }

    /// Extract the document of a page.
    ///
    /// Parameters
    /// ----------
    /// html : bytes or str
    ///     The page. The encoding of bytes is found in them.
    /// url : str, optional
    ///     Its address, which helps to find the author, the site and so on.
    ///
    /// Raises
    /// ------
    /// Dropped
    ///     The page has no document. ``reason`` gives the cause.
    #[pyo3(signature = (html, url=""))]
    fn extract(&self, py: Python<'_>, html: &Bound<'_, PyAny>, url: &str) -> PyResult<Document> {
        let result = if let Ok(bytes) = html.cast::<PyBytes>() {
            let bytes = bytes.as_bytes();
            py.detach(|| self.process(|processor| processor.page(bytes, url)))
        } else if let Ok(text) = html.cast::<PyString>() {
            let text = text.to_cow()?;
            py.detach(|| self.process(|processor| processor.text(&text, url)))
        } else if let Ok(bytes) = html.cast::<PyByteArray>() {
            // Another thread may change it meanwhile.
            let bytes = bytes.to_vec();
            py.detach(|| self.process(|processor| processor.page(&bytes, url)))
        } else {
            let found = type_name(html);
            return Err(PyTypeError::new_err(format!("a page is bytes or str, not {found}")));
        };
        result.map(Document::new).map_err(|reason| error::dropped(py, reason))
    }

    /// For copies in other processes.
    fn __reduce__<'py>(this: &Bound<'py, Self>) -> (Bound<'py, PyAny>, (Option<Py<PyAny>>,)) {
        let py = this.py();
        let config = this.get().config.as_ref().map(|config| config.clone_ref(py));
        (this.get_type().into_any(), (config,))
    }
}

/// A copy of a configuration, because what was given may be changed later. What cannot be copied is kept as it is.
fn copied(config: Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
    let copy = config.py().import("copy")?.call_method1("deepcopy", (&config,));
    Ok(copy.unwrap_or(config).unbind())
}

/// Processors with the same rules: as many as calls were made at a time.
struct Processors {
    /// The processor that the others are copies of.
    first: Processor,
    idle: Vec<Processor>,
}

impl Processors {
    fn take(&mut self) -> Processor {
        self.idle.pop().unwrap_or_else(|| self.first.clone())
    }
}

impl Extractor {
    fn process<T>(&self, work: impl FnOnce(&mut Processor) -> Result<T, Dropped>) -> Result<T, Dropped> {
        let processors = || self.processors.lock().unwrap_or_else(PoisonError::into_inner);
        let mut processor = processors().take();
        let result = work(&mut processor);
        processors().idle.push(processor);
        result
    }
}
