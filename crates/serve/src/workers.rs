//! The threads that work on pages.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use crossbeam_channel::{Sender, unbounded};
use tokio::sync::{OwnedSemaphorePermit, oneshot};

use crate::http::Refusal;
use dehusk_engine::config::Rules;
use dehusk_engine::processor::Processor;

/// How often it is looked whether a task has begun. A message from the worker would wake the thread of all connections
/// once more for each request.
const LOOK: Duration = Duration::from_millis(100);

type Task = Box<dyn FnOnce(&mut Worker) + Send>;

/// A thread's own.
pub(crate) struct Worker {
    processor: Option<Processor>,
    /// When the task has to be done. The caller does not wait longer for it.
    deadline: Instant,
}

impl Worker {
    /// A processor with these rules. If the task before had the same, it has the buffers of that.
    pub(crate) fn processor(&mut self, rules: &Arc<Rules>) -> &mut Processor {
        let kept = self
            .processor
            .take()
            .filter(|processor| Arc::ptr_eq(processor.rules(), rules));
        self.processor
            .insert(kept.unwrap_or_else(|| Processor::with_rules(Arc::clone(rules))))
    }

    /// Whether the time for the task is over.
    pub(crate) fn is_late(&self) -> bool {
        Instant::now() > self.deadline
    }
}

/// All workers. They take tasks in the order in which they came.
pub(crate) struct Workers {
    tasks: Sender<Task>,
    timeout: Duration,
}

impl Workers {
    /// Starts so many threads.
    pub(crate) fn start(threads: usize, timeout: Duration) -> std::io::Result<Self> {
        let (tasks, queue) = unbounded::<Task>();
        for number in 0..threads {
            let queue = queue.clone();
            let work = move || {
                let mut worker = Worker {
                    processor: None,
                    deadline: Instant::now(),
                };
                for task in queue {
                    worker.deadline = Instant::now() + timeout;
                    // After a panic the client gets an error, because the sender of the result is dropped.
                    let _ = catch_unwind(AssertUnwindSafe(|| task(&mut worker)));
                }
            };
            std::thread::Builder::new()
                .name(format!("worker-{number}"))
                .spawn(work)?;
        }
        Ok(Self { tasks, timeout })
    }

    /// Lets a worker do a task, and waits for its result. The permit, which bounds the tasks, is held until the worker
    /// is done, even if nobody waits any more.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        permit: Arc<OwnedSemaphorePermit>,
        task: impl FnOnce(&mut Worker) -> T + Send + 'static,
    ) -> Result<T, Refusal> {
        let (send, mut result) = oneshot::channel();
        let begun = Arc::new(OnceLock::new());
        let begin = Arc::clone(&begun);
        let task: Task = Box::new(move |worker| {
            // The client may have gone while its task waited.
            if !send.is_closed() {
                let _ = begin.set(Instant::now());
                let result = task(worker);
                // Before the answer, so that who has it can ask again.
                drop(permit);
                let _ = send.send(result);
            }
        });
        let ended = || Refusal::new(500, "panic", "the request made a worker panic; this is a bug in dehusk");
        self.tasks.send(task).map_err(|_| ended())?;
        loop {
            let left = begun
                .get()
                .map_or(LOOK, |begun: &Instant| self.timeout.saturating_sub(begun.elapsed()));
            if let Ok(result) = tokio::time::timeout(left, &mut result).await {
                return result.map_err(|_| ended());
            }
            if begun.get().is_some_and(|begun| begun.elapsed() >= self.timeout) {
                let seconds = self.timeout.as_secs_f64();
                let message = format!("the work took longer than {seconds} seconds; see --timeout");
                return Err(Refusal::new(503, "timeout", message));
            }
        }
    }
}
