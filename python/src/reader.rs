//! `read()`: archives as an iterator over record batches, and as an Arrow stream.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Poll;

use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, to_ffi};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{Array, RecordBatch as ArrowBatch, RecordBatchReader, StructArray};
use arrow_schema::{ArrowError, Schema, SchemaRef};
use dehusk::Processor;
use dehusk::shards::arrow::BatchReader;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyList};

use crate::stream::{Account, Source, Stream, StreamError};
use crate::{config, document, error, input};

/// Read the documents of archives, with all threads, in the order of the archives.
///
/// Parameters
/// ----------
/// archives : path, bytes, memoryview, file, or an iterable of them
///     A path may also be a directory, a glob, ``@list`` or an address. A file is open in binary mode.
/// config : mapping or path, optional
///     Sections with their keys, as in ``pipeline.toml``; or the path of such a file.
/// threads : int, optional
///     How many threads do heavy work at a time. The default is the number of cores.
/// errors : "raise" or "report"
///     Whether archives that fail raise ``ArchiveError`` at the end, when the documents of all others are read. With
///     "report", they are only in ``Reader.archives``.
///
/// Returns
/// -------
/// Reader
///     An iterable of record batches, and an Arrow stream.
#[pyfunction]
#[pyo3(signature = (archives, config=None, *, threads=None, errors="raise"))]
pub fn read(
    py: Python<'_>,
    archives: &Bound<'_, PyAny>,
    config: Option<&Bound<'_, PyAny>>,
    threads: Option<usize>,
    errors: &str,
) -> PyResult<Reader> {
    let raises = match errors {
        "raise" => true,
        "report" => false,
        other => {
            let message = format!("errors is “raise” or “report”, not “{other}”");
            return Err(PyValueError::new_err(message));
        }
    };
    let config = config::config(config, threads)?;
    let processor = Processor::new(&config).map_err(|e| error::config(py, &e))?;
    let source = Source {
        fields: processor.fields(),
        extractors: config.extractors().iter().skip(1).cloned().collect(),
        archives: input::archives(&config, archives)?,
        config,
        raises,
    };
    Ok(Reader {
        source: Arc::new(source),
        account: Mutex::default(),
    })
}

/// The documents of archives. Each iterator, and each Arrow stream, reads the archives again.
#[pyclass(module = "dehusk", frozen)]
pub struct Reader {
    source: Arc<Source>,
    /// The account of the iterator or stream that was made last.
    account: Mutex<Option<Arc<Mutex<Account>>>>,
}

impl Reader {
    fn stream(&self) -> Stream {
        let stream = Stream::new(Arc::clone(&self.source));
        *self.account.lock().unwrap_or_else(PoisonError::into_inner) = Some(stream.account());
        stream
    }

    fn account(&self) -> Option<Arc<Mutex<Account>>> {
        self.account.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

#[pymethods]
impl Reader {
    fn __iter__(&self) -> BatchIterator {
        BatchIterator {
            stream: Mutex::new(self.stream()),
            is_closed: AtomicBool::new(false),
        }
    }

    /// The schema, as the Arrow PyCapsule interface asks for it.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        schema_capsule(py, &self.source.schema())
    }

    /// A new stream, as the Arrow PyCapsule interface asks for it. It reads nothing before its first batch.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // The interface lets a producer give its own schema.
        let _ = requested_schema;
        stream_capsule(py, self.stream())
    }

    /// What became of each archive that the last iterator or stream has finished: dicts, as in ``run.json``.
    #[getter]
    fn archives<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        match self.account() {
            Some(account) => to_python(py, &lock(&account).archives),
            None => Ok(PyList::empty(py).into_any()),
        }
    }

    /// The failed records and skipped ranges that the last iterator or stream has met: dicts, as in ``failed.jsonl``.
    /// The first 100,000 are kept; ``archives`` counts all.
    #[getter]
    fn failures<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        match self.account() {
            Some(account) => to_python(py, &lock(&account).failures),
            None => Ok(PyList::empty(py).into_any()),
        }
    }

    fn __repr__(&self) -> String {
        format!("<dehusk.Reader of {} archives>", self.source.archives.inputs.len())
    }
}

fn lock(account: &Mutex<Account>) -> std::sync::MutexGuard<'_, Account> {
    account.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A value as Python has it, by way of JSON.
pub fn to_python<'py>(py: Python<'py>, value: &impl serde::Serialize) -> PyResult<Bound<'py, PyAny>> {
    let json = serde_json::to_string(value).map_err(|e| error::internal(py, e.to_string()))?;
    py.import("json")?.call_method1("loads", (json,))
}

/// An iterator over the record batches of a reader. If it is dropped, its threads end.
#[pyclass(module = "dehusk", frozen)]
pub struct BatchIterator {
    /// No thread that holds it runs Python's code, such as handlers of signals: they may use the iterator.
    stream: Mutex<Stream>,
    /// Whether the iterator is to end, so that a thread that waits for a batch does so no longer.
    is_closed: AtomicBool,
}

impl BatchIterator {
    fn poll(&self) -> Poll<Result<Option<ArrowBatch>, StreamError>> {
        let mut stream = self.stream.lock().unwrap_or_else(PoisonError::into_inner);
        if self.is_closed.load(Ordering::Acquire) {
            stream.close();
        }
        stream.poll()
    }
}

#[pymethods]
impl BatchIterator {
    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<RecordBatch>> {
        loop {
            let polled = py.detach(|| self.poll());
            if let Err(error) = py.check_signals() {
                self.close(py);
                return Err(error);
            }
            return match polled {
                Poll::Pending => continue,
                Poll::Ready(Ok(batch)) => Ok(batch.map(|batch| RecordBatch { batch })),
                Poll::Ready(Err(StreamError::Archives(failed))) => Err(error::archives(py, failed)),
                Poll::Ready(Err(StreamError::Interrupted(error))) => Err(error),
                Poll::Ready(Err(error)) => Err(error::internal(py, error.to_string())),
            };
        }
    }

    /// End the iterator and its threads.
    fn close(&self, py: Python<'_>) {
        self.is_closed.store(true, Ordering::Release);
        py.detach(|| self.stream.lock().unwrap_or_else(PoisonError::into_inner).close());
    }

    fn __enter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __exit__(
        &self,
        py: Python<'_>,
        _class: &Bound<'_, PyAny>,
        _value: &Bound<'_, PyAny>,
        _traceback: &Bound<'_, PyAny>,
    ) {
        self.close(py);
    }
}

/// Documents as columns. Arrow libraries take it without a copy.
#[pyclass(module = "dehusk", frozen)]
pub struct RecordBatch {
    batch: ArrowBatch,
}

#[pymethods]
impl RecordBatch {
    /// The number of documents.
    #[getter]
    fn num_rows(&self) -> usize {
        self.batch.num_rows()
    }

    fn __len__(&self) -> usize {
        self.batch.num_rows()
    }

    /// The schema, as the Arrow PyCapsule interface asks for it.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        schema_capsule(py, &self.batch.schema())
    }

    /// The columns, as the Arrow PyCapsule interface asks for them.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
        let _ = requested_schema;
        let columns = StructArray::from(self.batch.clone());
        let arrow = |e: ArrowError| error::internal(py, e.to_string());
        let (array, _): (FFI_ArrowArray, FFI_ArrowSchema) = to_ffi(&columns.to_data()).map_err(arrow)?;
        let array = PyCapsule::new_with_value(py, array, c"arrow_array")?;
        Ok((schema_capsule(py, &self.batch.schema())?, array))
    }

    /// The documents as dicts. What is unknown is ``None``. ``created`` is a string, as in JSON.
    fn to_pylist<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let broken = |e: dehusk::shards::arrow::ReadError| error::internal(py, e.to_string());
        let list = PyList::empty(py);
        let mut documents = BatchReader::new(&self.batch).map_err(broken)?;
        while let Some(document) = documents.next_document().map_err(broken)? {
            list.append(document::to_dict(py, &document)?)?;
        }
        Ok(list)
    }

    fn __repr__(&self) -> String {
        format!("<dehusk.RecordBatch of {} documents>", self.batch.num_rows())
    }
}

fn schema_capsule<'py>(py: Python<'py>, schema: &Schema) -> PyResult<Bound<'py, PyCapsule>> {
    let schema = FFI_ArrowSchema::try_from(schema).map_err(|e| error::internal(py, e.to_string()))?;
    PyCapsule::new_with_value(py, schema, c"arrow_schema")
}

fn stream_capsule(py: Python<'_>, stream: Stream) -> PyResult<Bound<'_, PyCapsule>> {
    let reader = ArrowReader {
        schema: stream.schema(),
        stream,
    };
    PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(Box::new(reader)), c"arrow_array_stream")
}

/// A stream for a consumer that knows nothing of Python.
struct ArrowReader {
    schema: SchemaRef,
    stream: Stream,
}

impl Iterator for ArrowReader {
    type Item = Result<ArrowBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let next = self.stream.next(|| {
            if is_interrupted() {
                return Err(StreamError::Pipeline("interrupted".into()));
            }
            Ok(())
        });
        next.map_err(|error| ArrowError::ExternalError(Box::new(error)))
            .transpose()
    }
}

impl RecordBatchReader for ArrowReader {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }
}

/// Whether Python has a signal that ends the work. The consumer reports an error of its own, so the signal is raised
/// again.
fn is_interrupted() -> bool {
    if !crate::stream::is_main_thread() {
        return false;
    }
    let raised = |py: Python<'_>| {
        let is_raised = py.check_signals().is_err();
        if is_raised {
            // If it cannot be raised again, the consumer's own error still ends the work.
            let _ = py
                .import("_thread")
                .and_then(|module| module.call_method0("interrupt_main"));
        }
        is_raised
    };
    Python::try_attach(raised).unwrap_or(false)
}
