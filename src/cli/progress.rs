//! Shows the progress of a run: bars on a terminal, plain lines or JSON elsewhere.

use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use crossbeam_channel::{RecvTimeoutError, Sender, bounded};
use indicatif::{MultiProgress, ProgressBar, ProgressStyle};

use super::log;
use super::meter::{Meter, Snapshot};
use super::output::say;
use dehusk_engine::pipeline::Progress;

/// The bar and its numbers, on one line of the terminal. Numbers that do not fit are cut.
const TEMPLATE: &str = "{bar:14} {percent:>3}% {wide_msg}";

/// A line below the bar for an archive that is being read.
const ARCHIVE_TEMPLATE: &str = "  {wide_msg}";

/// Most archives that have a line.
const ARCHIVES: usize = 4;

/// How often the bar is redrawn.
const BAR_INTERVAL: Duration = Duration::from_millis(200);

/// How often a plain line is written.
const LINE_INTERVAL: Duration = Duration::from_secs(30);

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    Silent,
    Bar,
    Lines,
    Json,
}

/// The display of an active run.
pub(super) struct Display {
    style: Style,
    bars: Bars,
    /// Dropping it ends the thread that draws.
    end: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// The bar of the run, and lines for the archives that are being read.
#[derive(Clone)]
struct Bars {
    all: MultiProgress,
    run: ProgressBar,
    archives: Vec<ProgressBar>,
}

impl Bars {
    fn new() -> Self {
        let all = MultiProgress::new();
        let run = all.add(ProgressBar::new(0));
        if let Ok(template) = ProgressStyle::with_template(TEMPLATE) {
            run.set_style(template);
        }
        Self {
            all,
            run,
            archives: Vec::new(),
        }
    }

    fn draw(&mut self, snapshot: &Snapshot) {
        let snapshot = snapshot.shown();
        self.run.set_length(snapshot.total.max(snapshot.bytes));
        self.run.set_position(snapshot.bytes);
        self.run.set_message(snapshot.text());
        if snapshot.total_archives < 2 {
            return;
        }
        let lines: Vec<String> = snapshot.archive_lines().take(ARCHIVES).collect();
        while self.archives.len() < lines.len() {
            let bar = self.all.add(ProgressBar::new_spinner());
            if let Ok(template) = ProgressStyle::with_template(ARCHIVE_TEMPLATE) {
                bar.set_style(template);
            }
            self.archives.push(bar);
        }
        for (at, bar) in self.archives.iter().enumerate() {
            bar.set_message(lines.get(at).cloned().unwrap_or_default());
        }
    }

    fn clear(&self) {
        // Clearing a terminal that is gone cannot matter.
        let _ = self.all.clear();
    }
}

impl Display {
    pub(super) fn start(style: Style, progress: Arc<Progress>) -> Self {
        let bars = Bars::new();
        let (end, ended) = bounded::<()>(0);
        let mut drawn = bars.clone();
        let mut meter = Meter::new(progress);
        let draw = move || {
            let every = match style {
                Style::Silent => return,
                Style::Bar => BAR_INTERVAL,
                Style::Lines | Style::Json => LINE_INTERVAL,
            };
            while ended.recv_timeout(every) == Err(RecvTimeoutError::Timeout) {
                let snapshot = meter.snapshot();
                match style {
                    Style::Bar => drawn.draw(&snapshot),
                    Style::Lines => say(snapshot.shown().line()),
                    Style::Json => log::event("info", "progress", snapshot.json()),
                    Style::Silent => {}
                }
            }
            drawn.clear();
        };
        // A run can do without its display.
        let thread = std::thread::Builder::new().name("display".into()).spawn(draw).ok();
        Self {
            style,
            bars,
            end: Some(end),
            thread,
        }
    }

    /// Writes a line above the bar.
    pub(super) fn line(&self, text: &str) {
        match self.style {
            Style::Silent | Style::Json => {}
            Style::Bar => {
                // As for every other line, it does not matter if its reader is gone.
                let _ = self.bars.all.println(text);
            }
            Style::Lines => say(text),
        }
    }

    /// Removes the bar, and does not wait for the thread.
    pub(super) fn clear(&self) {
        if self.style == Style::Bar {
            self.bars.clear();
        }
    }

    /// Ends the thread and removes the bar.
    pub(super) fn finish(mut self) {
        drop(self.end.take());
        if let Some(thread) = self.thread.take() {
            // A panic in the display must not end the run.
            let _ = thread.join();
        }
        self.clear();
    }
}
