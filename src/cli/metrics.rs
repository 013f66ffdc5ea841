//! `--metrics FILE`: the numbers of an active run in the text format of Prometheus, for its textfile collector.
//!
//! The file is replaced in one step every few seconds, and once more when the run has ended.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crossbeam_channel::{RecvTimeoutError, Sender, bounded};

use super::Failure;
use super::meter::Meter;
use super::output::say;
use crate::encode::{PartialFile, WriteError};
use crate::ledger::Ledger;
use crate::pipeline::Progress;
use crate::run::{Report, RunState};

/// Time between two writes.
const INTERVAL: Duration = Duration::from_secs(5);

/// Writes the file while a run is active.
pub(super) struct Metrics {
    writer: Arc<Mutex<Writer>>,
    /// Dropping it ends the thread.
    end: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

struct Writer {
    path: PathBuf,
    progress: Arc<Progress>,
    meter: Meter,
    config_hash: String,
    started: f64,
    /// Nothing more is written: the file says how the run ended.
    ended: bool,
}

impl Metrics {
    /// Writes the file for the first time, and goes on in a thread.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(super) fn start(path: &Path, progress: &Arc<Progress>, config_hash: &str) -> Result<Self, Failure> {
        let mut writer = Writer {
            path: path.to_owned(),
            progress: Arc::clone(progress),
            meter: Meter::new(Arc::clone(progress)),
            config_hash: config_hash.to_owned(),
            started: seconds_since_1970(),
            ended: false,
        };
        writer.write(None).map_err(Failure::other)?;
        let writer = Arc::new(Mutex::new(writer));
        let (end, ended) = bounded::<()>(0);
        let shared = Arc::clone(&writer);
        let write = move || {
            while ended.recv_timeout(INTERVAL) == Err(RecvTimeoutError::Timeout) {
                let mut writer = shared.lock().unwrap_or_else(PoisonError::into_inner);
                // A disk that is full now may not be so later.
                if !writer.ended {
                    let _ = writer.write(None);
                }
            }
        };
        // A run can do without its metrics in between.
        let thread = thread::Builder::new().name("metrics".into()).spawn(write).ok();
        Ok(Self {
            writer,
            end: Some(end),
            thread,
        })
    }

    /// Writes how the run ended.
    pub(super) fn conclude(&self, report: &Report) {
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        if let Err(e) = writer.write(Some(report)) {
            say(format!("dehusk: the metrics are not up to date: {e}"));
        }
        writer.ended = true;
    }
}

impl Drop for Metrics {
    fn drop(&mut self) {
        drop(self.end.take());
        if let Some(thread) = self.thread.take() {
            // A panic in it must not end the run.
            let _ = thread.join();
        }
    }
}

impl Writer {
    fn write(&mut self, report: Option<&Report>) -> Result<(), WriteError> {
        let text = self.text(report);
        let mut file = PartialFile::create(&self.path, true)?;
        file.append(text.as_bytes())?;
        file.commit()?;
        Ok(())
    }

    fn text(&mut self, report: Option<&Report>) -> String {
        let snapshot = self.meter.snapshot();
        let ledger = match report {
            Some(report) => report.totals.ledger.clone(),
            None => self.progress.ledger(),
        };
        let mut text = Text::default();
        let info = format!(
            "version=\"{}\",config=\"{}\"",
            env!("CARGO_PKG_VERSION"),
            self.config_hash
        );
        text.metric("info", "gauge", "The program and its configuration.", &[(&info, 1.0)]);
        text.one(
            "start_time_seconds",
            "gauge",
            "When the run started, in seconds since 1970.",
            self.started,
        );
        let state = report.map_or(RunState::Running, |report| report.state);
        let states = [
            ("running", RunState::Running),
            ("complete", RunState::Complete),
            ("interrupted", RunState::Interrupted),
            ("failed", RunState::Failed),
        ];
        let states = states.map(|(name, known)| (format!("state=\"{name}\""), f64::from(u8::from(known == state))));
        text.metric("state", "gauge", "1 for the state of the run.", &as_lines(&states));
        if let Some(report) = report {
            text.one(
                "end_time_seconds",
                "gauge",
                "When the run ended, in seconds since 1970.",
                seconds_since_1970(),
            );
            let status = f64::from(report.exit_status());
            text.one("exit_status", "gauge", "The exit status of the run.", status);
        }
        text.one(
            "archives",
            "gauge",
            "Archives of the run.",
            snapshot.total_archives as f64,
        );
        text.one(
            "archives_done_total",
            "counter",
            "Archives that are finished.",
            snapshot.archives as f64,
        );
        text.one(
            "input_bytes",
            "gauge",
            "Stored bytes of all archives, as far as known.",
            snapshot.total as f64,
        );
        text.one(
            "read_bytes_total",
            "counter",
            "Stored bytes that are finished.",
            snapshot.bytes as f64,
        );
        text.metric(
            "records_total",
            "counter",
            "Records, by what became of them.",
            &as_lines(&records(&ledger)),
        );
        let notes: Vec<_> = ledger
            .notes
            .iter()
            .map(|(note, n)| (format!("note=\"{note}\""), n as f64))
            .collect();
        text.metric(
            "notes_total",
            "counter",
            "Oddities that lost nothing.",
            &as_lines(&notes),
        );
        let skipped = ledger.skipped_bytes as f64;
        text.one(
            "skipped_bytes_total",
            "counter",
            "Stored bytes of skipped ranges.",
            skipped,
        );
        let rate = snapshot.documents_per_second;
        text.one(
            "documents_per_second",
            "gauge",
            "Documents a second, of the last half minute.",
            rate,
        );
        let rate = snapshot.bytes_per_second;
        text.one(
            "bytes_per_second",
            "gauge",
            "Stored bytes a second, of the last half minute.",
            rate,
        );
        if let Some(left) = snapshot.left.filter(|_| report.is_none()) {
            text.one(
                "left_seconds",
                "gauge",
                "Estimated time to the end of the run.",
                left.as_secs_f64(),
            );
        }
        if snapshot.memory > 0 {
            text.one(
                "resident_memory_bytes",
                "gauge",
                "Resident memory.",
                snapshot.memory as f64,
            );
        }
        text.0
    }
}

fn seconds_since_1970() -> f64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0.0, |since| since.as_secs() as f64)
}

/// The classes of records and their numbers.
fn records(ledger: &Ledger) -> Vec<(String, f64)> {
    let mut lines = vec![("class=\"emitted\",reason=\"\"".to_owned(), ledger.emitted as f64)];
    let filtered = ledger
        .filtered
        .iter()
        .map(|(reason, n)| ("filtered", reason.to_string(), n));
    let failed = ledger
        .failed
        .iter()
        .map(|(reason, n)| ("failed", reason.to_string(), n));
    lines.extend(filtered.chain(failed).map(|(class, reason, n)| {
        let labels = format!("class=\"{class}\",reason=\"{reason}\"");
        (labels, n as f64)
    }));
    lines
}

fn as_lines(lines: &[(String, f64)]) -> Vec<(&str, f64)> {
    lines.iter().map(|(labels, value)| (labels.as_str(), *value)).collect()
}

/// The text format. Labels hold names of closed lists, versions and hashes, which need no escapes.
#[derive(Default)]
struct Text(String);

impl Text {
    fn metric(&mut self, name: &str, kind: &str, help: &str, lines: &[(&str, f64)]) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.0, "# HELP dehusk_{name} {help}\n# TYPE dehusk_{name} {kind}");
        for (labels, value) in lines {
            let labels = if labels.is_empty() {
                String::new()
            } else {
                format!("{{{labels}}}")
            };
            let _ = writeln!(self.0, "dehusk_{name}{labels} {value}");
        }
    }

    fn one(&mut self, name: &str, kind: &str, help: &str, value: f64) {
        self.metric(name, kind, help, &[("", value)]);
    }
}
