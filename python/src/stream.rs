//! The documents of archives as record batches. Nothing here holds a Python object but the files among the inputs.
//!
//! The pipeline starts with the first batch that is asked for, so a stream that is only asked for its schema reads
//! nothing.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::task::Poll;
use std::thread::ThreadId;

use arrow_array::RecordBatch;
use arrow_schema::{Schema, SchemaRef};
use dehusk::input::DocumentsError;
use dehusk::report::{ArchiveReport, Failure};
use dehusk::schema::FieldSet;
use dehusk::shards::arrow::{self as columns, Columns};
use dehusk::{Config, Documents};
use pyo3::prelude::*;
use thiserror::Error;

use crate::error;
use crate::input::Archives;
use crate::interruptible::WAIT;

/// Failures that an account holds. The archives' reports count all of them.
const FAILURES_HELD: usize = 100_000;

/// The archives to read, and how. Several streams may read the same.
#[derive(Debug)]
pub struct Source {
    pub config: Config,
    pub archives: Archives,
    /// The fields of the documents.
    pub fields: FieldSet,
    /// The names of the further extractors.
    pub extractors: Vec<String>,
    /// Whether the archives that fail are an error at the end.
    pub raises: bool,
}

impl Source {
    pub fn schema(&self) -> Schema {
        columns::schema(self.fields, &self.extractors)
    }
}

/// The account of the archives of a stream.
#[derive(Debug, Default)]
pub struct Account {
    pub archives: Vec<ArchiveReport>,
    pub failures: Vec<Failure>,
}

/// Why there is no batch.
#[derive(Debug, Error)]
pub enum StreamError {
    /// Archives could not be read, or not to their ends: their names and messages.
    #[error("{}", error::messages(.0))]
    Archives(Vec<(String, String)>),
    /// The pipeline ended.
    #[error("{0}")]
    Pipeline(String),
    /// A file among the archives raised an exception that is not an ordinary error, such as `KeyboardInterrupt`.
    #[error("{0}")]
    Interrupted(PyErr),
    /// The stream belongs to another process, from which this one was forked.
    #[error("the iterator belongs to the process that this one was forked from")]
    Forked,
}

/// A running pipeline, which can be ended from elsewhere.
type Running = Mutex<Option<Documents>>;

/// The pipelines that may be running, each with the process that its threads belong to.
static RUNNING: Mutex<Vec<(u32, Weak<Running>)>> = Mutex::new(Vec::new());

static MAIN_THREAD: OnceLock<ThreadId> = OnceLock::new();

/// Notes the thread that imports the package. Usually that is Python's main thread, which alone handles signals.
pub fn note_main_thread() {
    MAIN_THREAD.get_or_init(|| std::thread::current().id());
}

pub fn is_main_thread() -> bool {
    MAIN_THREAD.get() == Some(&std::thread::current().id())
}

/// Locks a mutex. Poisoning is ignored: the pipeline catches its own panics.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Batches of documents, in order.
#[derive(Debug)]
pub struct Stream {
    source: Arc<Source>,
    running: Arc<Running>,
    columns: Columns,
    account: Arc<Mutex<Account>>,
    state: StreamState,
    process: u32,
}

#[derive(Debug, PartialEq, Eq)]
enum StreamState {
    New,
    Running,
    Ended,
}

impl Stream {
    pub fn new(source: Arc<Source>) -> Self {
        let columns = Columns::new(source.fields, &source.extractors);
        Self {
            source,
            running: Arc::default(),
            columns,
            account: Arc::default(),
            state: StreamState::New,
            process: std::process::id(),
        }
    }

    pub fn schema(&self) -> SchemaRef {
        Arc::new(self.source.schema())
    }

    /// The account, which grows with the stream.
    pub fn account(&self) -> Arc<Mutex<Account>> {
        Arc::clone(&self.account)
    }

    /// Waits for the next batch, without Python. `check` is called while it waits, and ends the wait with an error.
    pub fn next(
        &mut self,
        mut check: impl FnMut() -> Result<(), StreamError>,
    ) -> Result<Option<RecordBatch>, StreamError> {
        loop {
            let polled = if self.source.archives.needs_python || is_main_thread() {
                // This thread may hold the GIL, which the files among the archives need.
                detached(|| self.poll())
            } else {
                self.poll()
            };
            match polled {
                Poll::Ready(batch) => {
                    let batch = batch?;
                    if let Err(error) = check() {
                        self.close();
                        return Err(error);
                    }
                    return Ok(batch);
                }
                Poll::Pending => {
                    if let Err(error) = check() {
                        self.close();
                        return Err(error);
                    }
                }
            }
        }
    }

    /// Waits a moment for the next batch.
    pub fn poll(&mut self) -> Poll<Result<Option<RecordBatch>, StreamError>> {
        // A consumer of an Arrow stream could not catch it, and would take what follows for the end.
        match catch_unwind(AssertUnwindSafe(|| self.poll_batch())) {
            Ok(polled) => match self.source.archives.interrupt.take() {
                Some(error) => {
                    self.close();
                    Poll::Ready(Err(StreamError::Interrupted(error)))
                }
                None => polled,
            },
            Err(_) => {
                self.close();
                let message = "reading ended in a panic; this is a bug in dehusk, please report it";
                Poll::Ready(Err(StreamError::Pipeline(message.into())))
            }
        }
    }

    fn poll_batch(&mut self) -> Poll<Result<Option<RecordBatch>, StreamError>> {
        if self.process != std::process::id() {
            return Poll::Ready(Err(StreamError::Forked));
        }
        match self.state {
            StreamState::New => {
                let inputs = self.source.archives.inputs.iter().cloned();
                match dehusk::documents(&self.source.config, inputs) {
                    Ok(documents) => *lock(&self.running) = Some(documents),
                    Err(error) => return Poll::Ready(Err(StreamError::Pipeline(error.to_string()))),
                }
                self.state = StreamState::Running;
                let mut all = lock(&RUNNING);
                all.retain(|(_, running)| running.strong_count() > 0);
                all.push((self.process, Arc::downgrade(&self.running)));
            }
            StreamState::Running => {}
            StreamState::Ended => return Poll::Ready(Ok(None)),
        }
        let running = Arc::clone(&self.running);
        let mut guard = lock(&running);
        let Some(documents) = guard.as_mut() else {
            self.state = StreamState::Ended;
            return Poll::Ready(Err(StreamError::Pipeline("the iterator was closed".into())));
        };
        loop {
            let batch = documents.poll_batch(WAIT);
            let mut account = lock(&self.account);
            let room = FAILURES_HELD.saturating_sub(account.failures.len());
            account
                .failures
                .extend(documents.take_failures().into_iter().take(room));
            let inputs = &self.source.archives.inputs;
            let known = account.archives.len();
            for (input, outcome) in inputs.iter().zip(documents.outcomes()).skip(known) {
                account
                    .archives
                    .push(ArchiveReport::of_outcome(input.label(), outcome.clone()));
            }
            let failed = match batch {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(Some(Ok(documents))) => {
                    documents.iter().for_each(|document| self.columns.push(document));
                    let batch = self.columns.take_batch();
                    return Poll::Ready(batch.map(Some).map_err(|e| StreamError::Pipeline(e.to_string())));
                }
                // The other archives are read before the error is reported.
                Poll::Ready(Some(Err(DocumentsError::Archive(_)))) => continue,
                Poll::Ready(Some(Err(error))) => Some(StreamError::Pipeline(error.to_string())),
                Poll::Ready(None) => {
                    let failed = account.archives.iter().filter(|archive| !archive.error.is_empty());
                    let failed: Vec<_> = failed.map(|a| (a.path.clone(), a.error.clone())).collect();
                    (self.source.raises && !failed.is_empty()).then_some(StreamError::Archives(failed))
                }
            };
            self.state = StreamState::Ended;
            *guard = None;
            return Poll::Ready(failed.map_or(Ok(None), Err));
        }
    }

    /// Ends the stream and its threads.
    pub fn close(&mut self) {
        self.state = StreamState::Ended;
        let documents = lock(&self.running).take();
        end(documents, self.process);
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        self.close();
    }
}

/// Ends a pipeline of a process. Its threads may be waiting for Python, which this thread may hold.
fn end(documents: Option<Documents>, process: u32) {
    let mut documents = documents;
    if process != std::process::id() {
        // This process was forked, and the threads stayed in the other one.
        std::mem::forget(documents);
    } else if documents.is_some() {
        detached(|| drop(documents.take()));
    }
}

/// Does some of the work while other threads may use Python.
fn detached<T: Send>(mut work: impl FnMut() -> T + Send) -> T {
    match Python::try_attach(|py| py.detach(&mut work)) {
        Some(done) => done,
        // Python has ended.
        None => work(),
    }
}

/// Ends the threads of all iterators. Python calls it before it ends.
#[pyfunction]
#[pyo3(name = "_close_all")]
pub fn close_all() {
    let all = std::mem::take(&mut *lock(&RUNNING));
    for (process, running) in all {
        let Some(running) = running.upgrade() else { continue };
        // The thread that holds it is at work with it, and ends it itself.
        let documents = running.try_lock().ok().and_then(|mut documents| documents.take());
        end(documents, process);
    }
}
