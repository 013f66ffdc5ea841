//! `--metrics FILE`: the numbers of an active run in the text format of Prometheus, for its textfile collector.
//!
//! The file is replaced in one step every few seconds, and once more when the run has ended or was refused. A file that
//! is not of metrics is never replaced, and neither is one of the run.
//!
//! - `drift`: those of a comparison of nights
//! - `last`: the metrics of the last run that ended, while the next one is active
//! - `text`: the text format

mod drift;
mod last;
mod text;

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crossbeam_channel::{RecvTimeoutError, Sender, bounded};

pub(super) use drift::drift_text;
use last::LastRun;
use text::{MetricsText, as_lines, records};

use super::meter::{Meter, Snapshot};
use super::output::say;
use super::{Failure, USAGE};
use dehusk_archive::escape;
use dehusk_documents::encode::{PartialFile, WriteError};
use dehusk_documents::folder::{resolved, run_around};
use dehusk_engine::ledger::Ledger;
use dehusk_engine::pipeline::Progress;
use dehusk_engine::run::{Report, RunState};

/// Time between two writes.
const INTERVAL: Duration = Duration::from_secs(5);

/// How every file of metrics begins.
const BEGINNING: &str = "# HELP dehusk_";

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
    last: LastRun,
    /// Nothing more is written: the file shows how the run ended.
    ended: bool,
}

/// How a run ended.
struct Ending<'a> {
    state: RunState,
    exit_status: u8,
    /// Its ledger. A run that was refused has none.
    ledger: Option<&'a Ledger>,
}

impl Metrics {
    /// Writes the file for the first time, and starts a thread that writes it again and again.
    ///
    /// # Errors
    /// The file is in the directory of the run, holds something else, or cannot be written.
    pub(super) fn start(path: &Path, run: &Path, progress: &Arc<Progress>) -> Result<Self, Failure> {
        refuse_other("--metrics", path, Some(run))?;
        let mut writer = Writer::new(path, progress);
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

    /// Sets the hash of the run's configuration.
    pub(super) fn set_config(&self, hash: &str) {
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        hash.clone_into(&mut writer.config_hash);
    }

    /// Writes how the run ended.
    pub(super) fn conclude(&self, report: &Report) {
        self.end(&Ending {
            state: report.state,
            exit_status: report.exit_status(),
            ledger: Some(&report.totals.ledger),
        });
    }

    /// Writes that there was nothing to do.
    pub(super) fn conclude_idle(&self, exit_status: u8) {
        self.end(&Ending {
            state: RunState::Complete,
            exit_status,
            ledger: None,
        });
    }

    /// Writes that the run was refused, or failed without a report.
    pub(super) fn conclude_failed(&self, exit_status: u8) {
        self.end(&Ending {
            state: RunState::Failed,
            exit_status,
            ledger: None,
        });
    }

    fn end(&self, ending: &Ending<'_>) {
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        if let Err(e) = writer.write(Some(ending)) {
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

/// Writes that a run was refused because its arguments cannot be read, if they ask for metrics in a way that can be.
pub(super) fn refuse_arguments(arguments: impl Iterator<Item = OsString>) {
    let arguments: Vec<String> = arguments.map(|a| a.to_string_lossy().into_owned()).collect();
    if arguments.first().is_none_or(|command| command != "run") {
        return;
    }
    let value = |names: &[&str]| {
        arguments.iter().enumerate().find_map(|(at, argument)| {
            let joined = |name: &&str| argument.strip_prefix(name)?.strip_prefix('=').map(str::to_owned);
            if names.contains(&argument.as_str()) {
                arguments.get(at + 1).cloned()
            } else {
                names.iter().find_map(joined)
            }
        })
    };
    let Some(path) = value(&["--metrics"]).map(PathBuf::from) else {
        return;
    };
    let run = value(&["--output", "-o"]).map(PathBuf::from);
    if refuse_other("--metrics", &path, run.as_deref()).is_ok() {
        let refused = Ending {
            state: RunState::Failed,
            exit_status: USAGE,
            ledger: None,
        };
        // The message about the arguments is what matters.
        let _ = Writer::new(&path, &Arc::new(Progress::default())).write(Some(&refused));
    }
}

/// Replaces a file of metrics in one step.
///
/// # Errors
/// It is in the directory of a run, holds something else, or cannot be written.
pub(super) fn replace(path: &Path, text: &str) -> Result<(), Failure> {
    refuse_other("-o", path, None)?;
    write(path, text).map_err(Failure::other)
}

fn write(path: &Path, text: &str) -> Result<(), WriteError> {
    let mut file = PartialFile::create(path, true)?;
    file.append(text.as_bytes())?;
    file.commit()?;
    Ok(())
}

/// Refuses a file of the run, and one that holds something else, such as an archive. `flag` named it.
fn refuse_other(flag: &str, path: &Path, run: Option<&Path>) -> Result<(), Failure> {
    let refused = |why: &str| Failure::usage(format!("{flag} {}: {why}; choose another file", escape::path(path)));
    if run.is_some_and(|run| resolved(path).starts_with(resolved(run))) {
        return Err(refused("it is in the directory of the run"));
    }
    if let Some(run) = run_around(path) {
        return Err(refused(&format!(
            "it is in the directory of a run, {}",
            escape::path(&run)
        )));
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    if let Some(folder) = folder.filter(|folder| !folder.exists()) {
        return Err(Failure::other(format!(
            "{flag} {}: there is no folder “{}”; create it",
            escape::path(path),
            escape::path(folder)
        )));
    }
    match fs::metadata(path) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(e) => Err(refused(&format!("it cannot be read: {e}"))),
        // Opening a pipe would wait for its writer.
        Ok(found) if !found.is_file() => Err(refused("it is no regular file")),
        Ok(_) => {
            let mut beginning = Vec::new();
            let read = File::open(path).and_then(|file| file.take(BEGINNING.len() as u64).read_to_end(&mut beginning));
            match read {
                Err(e) => Err(refused(&format!("it cannot be read: {e}"))),
                Ok(_) if beginning != BEGINNING.as_bytes() => {
                    Err(refused("it is there and holds no metrics of dehusk"))
                }
                Ok(_) => Ok(()),
            }
        }
    }
}

impl Writer {
    fn new(path: &Path, progress: &Arc<Progress>) -> Self {
        Self {
            path: path.to_owned(),
            progress: Arc::clone(progress),
            meter: Meter::new(Arc::clone(progress)),
            config_hash: String::new(),
            started: seconds_since_1970(),
            last: LastRun::read(path),
            ended: false,
        }
    }

    fn write(&mut self, ending: Option<&Ending<'_>>) -> Result<(), WriteError> {
        if let Some(ending) = ending {
            self.last.enter(ending, seconds_since_1970());
        }
        let text = self.text(ending);
        write(&self.path, &text)
    }

    fn text(&mut self, ending: Option<&Ending<'_>>) -> String {
        let mut text = MetricsText::default();
        self.add_run(&mut text, ending);
        let snapshot = self.meter.snapshot();
        add_input(&mut text, &snapshot, ending.is_none());
        match ending.and_then(|ending| ending.ledger) {
            Some(ledger) => add_ledger(&mut text, ledger),
            None => add_ledger(&mut text, &self.progress.ledger()),
        }
        add_speed(&mut text, &snapshot, ending.is_none());
        self.last.write(&mut text);
        text.finish()
    }

    /// The program, the state of the run, and when it started and ended.
    fn add_run(&self, text: &mut MetricsText, ending: Option<&Ending<'_>>) {
        let (version, config) = (env!("CARGO_PKG_VERSION"), &self.config_hash);
        let info = format!("version=\"{version}\",config=\"{config}\"");
        text.metric("info", "gauge", "The program and its configuration.", &[(&info, 1.0)]);
        let help = "When the run started, in seconds since 1970.";
        text.gauge("start_time_seconds", help, self.started);
        let state = ending.map_or(RunState::Running, |ending| ending.state);
        let states = [
            ("running", RunState::Running),
            ("complete", RunState::Complete),
            ("interrupted", RunState::Interrupted),
            ("failed", RunState::Failed),
        ];
        let states = states.map(|(name, known)| (format!("state=\"{name}\""), f64::from(u8::from(known == state))));
        text.metric("state", "gauge", "1 for the state of the run.", &as_lines(&states));
        if let Some(ending) = ending {
            let help = "When the run ended, in seconds since 1970.";
            text.gauge("end_time_seconds", help, seconds_since_1970());
            let status = f64::from(ending.exit_status);
            text.gauge("exit_status", "The exit status of the run.", status);
        }
    }
}

/// Adds the amount of input, and the part of it that was read.
fn add_input(text: &mut MetricsText, snapshot: &Snapshot, is_active: bool) {
    text.gauge("archives", "Archives of the run.", snapshot.total_archives as f64);
    let done = snapshot.archives as f64;
    text.counter("archives_done_total", "Archives that are finished.", done);
    let help = "Stored bytes of all archives, as far as known.";
    text.gauge("input_bytes", help, snapshot.total as f64);
    let help = "Stored bytes that are finished.";
    text.counter("read_bytes_total", help, snapshot.bytes as f64);
    if let Some(pass) = snapshot.first_pass.as_ref().filter(|_| is_active) {
        let help = "Stored bytes in which the first pass looks for the originals of revisits.";
        text.gauge("first_pass_input_bytes", help, pass.total as f64);
        let help = "Stored bytes in which it has looked.";
        text.gauge("first_pass_read_bytes", help, pass.bytes as f64);
    }
}

/// Adds the numbers of records and bytes by outcome.
fn add_ledger(text: &mut MetricsText, ledger: &Ledger) {
    let help = "Records, by what became of them.";
    text.metric("records_total", "counter", help, &as_lines(&records(ledger)));
    let notes = ledger.notes.iter();
    let notes: Vec<_> = notes.map(|(note, n)| (format!("note=\"{note}\""), n as f64)).collect();
    text.metric(
        "notes_total",
        "counter",
        "Oddities that lost nothing.",
        &as_lines(&notes),
    );
    let skipped = ledger.skipped_bytes as f64;
    text.counter("skipped_bytes_total", "Stored bytes of skipped ranges.", skipped);
}

fn add_speed(text: &mut MetricsText, snapshot: &Snapshot, is_active: bool) {
    let help = "Documents a second, of the last half minute.";
    text.gauge("documents_per_second", help, snapshot.documents_per_second);
    let help = "Stored bytes a second, of the last half minute.";
    text.gauge("bytes_per_second", help, snapshot.bytes_per_second);
    if let Some(left) = snapshot.left.filter(|_| is_active) {
        let help = "Estimated time to the end of the run.";
        text.gauge("left_seconds", help, left.as_secs_f64());
    }
    if snapshot.memory > 0 {
        text.gauge("resident_memory_bytes", "Resident memory.", snapshot.memory as f64);
    }
}

fn seconds_since_1970() -> f64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0.0, |since| since.as_secs() as f64)
}
