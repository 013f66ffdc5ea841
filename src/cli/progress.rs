//! Shows the progress of a run: a bar on a terminal, plain lines elsewhere.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crossbeam_channel::{RecvTimeoutError, Sender, bounded};
use indicatif::{ProgressBar, ProgressStyle};

use super::output::say;
use crate::pipeline::Progress;

/// The bar and its numbers, on one line of the terminal. Numbers that do not fit are cut.
const TEMPLATE: &str = "{bar:14} {percent:>3}% {wide_msg}";

/// How often the bar is redrawn.
const BAR_INTERVAL: Duration = Duration::from_millis(200);

/// How often a plain line is written.
const LINE_INTERVAL: Duration = Duration::from_secs(30);

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    Silent,
    Bar,
    Lines,
}

/// The display of an active run.
pub(super) struct Display {
    style: Style,
    bar: ProgressBar,
    /// Dropping it ends the thread that draws.
    end: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Display {
    pub(super) fn start(style: Style, progress: Arc<Progress>) -> Self {
        let bar = match style {
            Style::Bar => ProgressBar::new(0),
            _ => ProgressBar::hidden(),
        };
        if let Ok(template) = ProgressStyle::with_template(TEMPLATE) {
            bar.set_style(template);
        }
        let (end, ended) = bounded::<()>(0);
        let drawn = bar.clone();
        let draw = move || {
            let started = Instant::now();
            let every = if style == Style::Bar {
                BAR_INTERVAL
            } else {
                LINE_INTERVAL
            };
            while ended.recv_timeout(every) == Err(RecvTimeoutError::Timeout) {
                let snapshot = Snapshot::take(&progress, started);
                match style {
                    Style::Bar => snapshot.draw(&drawn),
                    Style::Lines => say(snapshot.line()),
                    Style::Silent => return,
                }
            }
        };
        // A run can do without its display.
        let thread = std::thread::Builder::new().name("display".into()).spawn(draw).ok();
        Self {
            style,
            bar,
            end: Some(end),
            thread,
        }
    }

    /// Writes a line above the bar.
    pub(super) fn line(&self, text: &str) {
        match self.style {
            Style::Silent => {}
            Style::Bar => self.bar.println(text),
            Style::Lines => say(text),
        }
    }

    /// Removes the bar, and does not wait for the thread.
    pub(super) fn clear(&self) {
        self.bar.finish_and_clear();
    }

    /// Ends the thread and removes the bar.
    pub(super) fn finish(mut self) {
        drop(self.end.take());
        if let Some(thread) = self.thread.take() {
            // A panic in the display must not end the run.
            let _ = thread.join();
        }
        self.bar.finish_and_clear();
    }
}

/// A duration in its two largest units, such as `2h05m`.
fn short_duration(duration: Duration) -> String {
    let seconds = duration.as_secs();
    let (minutes, hours) = (seconds / 60, seconds / 3600);
    match hours {
        0 if minutes == 0 => format!("{seconds}s"),
        0 => format!("{minutes}m{:02}s", seconds % 60),
        1..48 => format!("{hours}h{:02}m", minutes % 60),
        _ => format!("{}d{:02}h", hours / 24, hours % 24),
    }
}

/// The numbers of a run at one moment.
struct Snapshot {
    bytes: u64,
    total: u64,
    documents: u64,
    archives: u64,
    total_archives: u64,
    rate: f64,
    left: Option<Duration>,
}

impl Snapshot {
    fn take(progress: &Progress, started: Instant) -> Self {
        let bytes = progress.bytes.load(Ordering::Relaxed);
        let total = progress.total_bytes.load(Ordering::Relaxed);
        let documents = progress.documents.load(Ordering::Relaxed);
        let elapsed = started.elapsed();
        let left = (bytes > 0 && total >= bytes)
            .then(|| elapsed.mul_f64((total - bytes) as f64 / bytes as f64))
            .filter(|_| elapsed > Duration::from_secs(1));
        Self {
            bytes,
            total,
            documents,
            archives: progress.archives.load(Ordering::Relaxed),
            total_archives: progress.total_archives.load(Ordering::Relaxed),
            rate: documents as f64 / elapsed.as_secs_f64().max(1e-9),
            left,
        }
    }

    fn text(&self) -> String {
        let left = self
            .left
            .map(|left| format!(", {} left", short_duration(left)))
            .unwrap_or_default();
        let archives = match self.total_archives {
            0 | 1 => String::new(),
            total => format!("{}/{total} archives, ", self.archives),
        };
        format!("{archives}{} pages, {:.0}/s{left}", self.documents, self.rate)
    }

    fn draw(&self, bar: &ProgressBar) {
        bar.set_length(self.total.max(self.bytes));
        bar.set_position(self.bytes);
        bar.set_message(self.text());
    }

    fn line(&self) -> String {
        let of = if self.total > 0 {
            format!(" of {:.1}", self.total as f64 / 1e6)
        } else {
            String::new()
        };
        format!("{:.1}{of} MB, {}", self.bytes as f64 / 1e6, self.text())
    }
}
