//! The numbers of an active run: how far it is, how fast, and how long it will take.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use dehusk_engine::memory;
use dehusk_engine::pipeline::{ActiveArchive, Progress};
use dehusk_web::{duration, size};

/// Rates are those of this time.
const RECENT: Duration = Duration::from_secs(30);

/// Most archives that a line names.
const NAMED: usize = 4;

/// Takes the numbers of a run from time to time.
pub(super) struct Meter {
    progress: Arc<Progress>,
    started: Instant,
    /// Earlier moments: the time since the start, stored bytes, documents.
    recent: VecDeque<(Duration, u64, u64)>,
    /// The meter of the run's first pass, once that was seen.
    first_pass: Option<Box<Meter>>,
    is_first_pass: bool,
}

/// The numbers of a run at one moment.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Snapshot {
    pub(super) bytes: u64,
    pub(super) total: u64,
    pub(super) documents: u64,
    pub(super) archives: u64,
    pub(super) total_archives: u64,
    pub(super) documents_per_second: f64,
    pub(super) bytes_per_second: f64,
    pub(super) left: Option<Duration>,
    pub(super) memory: u64,
    pub(super) active: Vec<ActiveArchive>,
    /// The numbers of the first pass, which looks for the originals of revisits, while it is active.
    pub(super) first_pass: Option<Box<Snapshot>>,
    /// Whether these are the numbers of a first pass.
    pub(super) is_first_pass: bool,
}

impl Meter {
    pub(super) fn new(progress: Arc<Progress>) -> Self {
        Self {
            progress,
            started: Instant::now(),
            recent: VecDeque::from([(Duration::ZERO, 0, 0)]),
            first_pass: None,
            is_first_pass: false,
        }
    }

    fn of_first_pass(progress: Arc<Progress>) -> Self {
        Self {
            is_first_pass: true,
            ..Self::new(progress)
        }
    }

    /// The numbers now.
    pub(super) fn snapshot(&mut self) -> Snapshot {
        let load = |counter: &std::sync::atomic::AtomicU64| counter.load(Ordering::Relaxed);
        let first_pass = self.progress.first_pass().map(|pass| {
            // The run's own rates begin after it.
            self.recent = VecDeque::from([(self.started.elapsed(), 0, 0)]);
            let meter = self
                .first_pass
                .get_or_insert_with(|| Box::new(Self::of_first_pass(pass)));
            Box::new(meter.snapshot())
        });
        let progress = &*self.progress;
        let snapshot = Snapshot {
            bytes: load(&progress.bytes),
            total: load(&progress.total_bytes),
            documents: load(&progress.documents),
            archives: load(&progress.archives),
            total_archives: load(&progress.total_archives),
            memory: memory::resident().map_or(0, |(now, _)| now),
            active: progress.active(),
            first_pass,
            is_first_pass: self.is_first_pass,
            ..Snapshot::default()
        };
        self.with_rates(snapshot, self.started.elapsed())
    }

    fn with_rates(&mut self, mut snapshot: Snapshot, elapsed: Duration) -> Snapshot {
        self.recent.push_back((elapsed, snapshot.bytes, snapshot.documents));
        // The oldest moment is the last one that is not recent.
        while self
            .recent
            .get(1)
            .is_some_and(|(at, ..)| elapsed.saturating_sub(*at) >= RECENT)
        {
            self.recent.pop_front();
        }
        let (at, bytes, documents) = self.recent.front().copied().unwrap_or_default();
        let seconds = elapsed.saturating_sub(at).as_secs_f64().max(1e-9);
        snapshot.documents_per_second = snapshot.documents.saturating_sub(documents) as f64 / seconds;
        snapshot.bytes_per_second = snapshot.bytes.saturating_sub(bytes) as f64 / seconds;
        let to_read = snapshot.total.checked_sub(snapshot.bytes);
        let is_known = elapsed > Duration::from_secs(1) && snapshot.bytes_per_second > 0.0;
        snapshot.left = to_read.filter(|_| is_known && snapshot.total > 0).and_then(|left| {
            let seconds = left as f64 / snapshot.bytes_per_second;
            Duration::try_from_secs_f64(seconds).ok()
        });
        snapshot
    }
}

impl Snapshot {
    /// The numbers to show: those of the first pass, while it is active.
    pub(super) fn shown(&self) -> &Self {
        self.first_pass.as_deref().unwrap_or(self)
    }

    /// The numbers beside the bar.
    pub(super) fn text(&self) -> String {
        let mut parts = Vec::new();
        if self.is_first_pass {
            parts.push("looking for the originals of revisits".to_owned());
        }
        if self.total_archives > 1 {
            parts.push(format!("{}/{} archives", self.archives, self.total_archives));
        }
        if !self.is_first_pass {
            parts.push(format!("{} pages", self.documents));
            parts.push(format!("{:.0}/s", self.documents_per_second));
        }
        parts.push(format!("{}/s", size(self.bytes_per_second as u64)));
        if let Some(left) = self.left {
            parts.push(format!("{} left", duration(left)));
        }
        if self.memory > 0 {
            parts.push(format!("{} memory", size(self.memory)));
        }
        parts.join(", ")
    }

    /// The numbers on a line of their own, with the archives that are being read.
    pub(super) fn line(&self) -> String {
        let of = match self.total {
            0 => String::new(),
            total => format!(" of {}", size(total)),
        };
        let active: Vec<String> = self.active.iter().take(NAMED).map(archive).collect();
        let active = match active.len() {
            0 => String::new(),
            _ => format!("; {}", active.join(", ")),
        };
        format!("{}{of}, {}{active}", size(self.bytes), self.text())
    }

    /// A line for each of the archives that are being read.
    pub(super) fn archive_lines(&self) -> impl Iterator<Item = String> {
        self.active.iter().map(archive)
    }

    /// The numbers for programs.
    pub(super) fn json(&self) -> Value {
        let active = |a: &ActiveArchive| json!({"archive": a.name, "bytes": a.bytes, "total_bytes": a.total});
        let mut numbers = json!({
            "bytes": self.bytes,
            "total_bytes": self.total,
            "documents": self.documents,
            "archives": self.archives,
            "total_archives": self.total_archives,
            "documents_per_second": self.documents_per_second,
            "bytes_per_second": self.bytes_per_second,
            "seconds_left": self.left.map_or(0.0, |left| left.as_secs_f64()),
            "memory_bytes": self.memory,
            "active": self.active.iter().map(active).collect::<Vec<_>>(),
        });
        if let Some(pass) = &self.first_pass {
            numbers["first_pass"] = pass.json();
        }
        numbers
    }
}

/// How far an archive is.
fn archive(archive: &ActiveArchive) -> String {
    let name = dehusk_archive::escape::terminal(&archive.name);
    match archive.total {
        0 => format!("{name} {}", size(archive.bytes)),
        total => format!(
            "{name} {:.0}% of {}",
            archive.bytes as f64 / total as f64 * 100.0,
            size(total)
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(meter: &mut Meter, seconds: u64, bytes: u64) -> Snapshot {
        let snapshot = Snapshot {
            bytes,
            total: 1_000_000,
            documents: bytes / 1000,
            ..Snapshot::default()
        };
        meter.with_rates(snapshot, Duration::from_secs(seconds))
    }

    #[test]
    fn rates_and_the_time_left_are_those_of_the_last_half_minute() {
        let mut meter = Meter::new(Arc::default());
        let first = at(&mut meter, 10, 10_000);
        assert_eq!((first.bytes_per_second, first.documents_per_second), (1_000.0, 1.0));
        assert_eq!(first.left, Some(Duration::from_secs(990)));
        for seconds in (20..=100).step_by(10) {
            at(&mut meter, seconds, 10_000 + (seconds - 10) * 5_000);
        }
        let last = at(&mut meter, 110, 510_000);
        assert_eq!(
            (last.bytes_per_second, last.left),
            (5_000.0, Some(Duration::from_secs(98)))
        );
    }

    #[test]
    fn a_line_has_the_position_of_each_archive() {
        let snapshot = Snapshot {
            bytes: 500_000,
            total: 1_000_000,
            documents: 40,
            archives: 1,
            total_archives: 3,
            documents_per_second: 20.0,
            bytes_per_second: 250_000.0,
            left: Some(Duration::from_secs(2)),
            memory: 90_000_000,
            active: vec![ActiveArchive {
                name: "a.warc.gz".into(),
                bytes: 30,
                total: 60,
            }],
            ..Snapshot::default()
        };
        let line = "500.0 kB of 1.0 MB, 1/3 archives, 40 pages, 20/s, 250.0 kB/s, 2s left, 90.0 MB memory; a.warc.gz \
            50% of 60 B";
        assert_eq!(snapshot.line(), line);
    }

    #[test]
    fn a_first_pass_is_shown_instead_of_a_run_without_progress() {
        let pass = Snapshot {
            bytes: 500_000,
            total: 1_000_000,
            bytes_per_second: 250_000.0,
            left: Some(Duration::from_secs(2)),
            is_first_pass: true,
            ..Snapshot::default()
        };
        let run = Snapshot {
            total: 1_000_000,
            first_pass: Some(Box::new(pass)),
            ..Snapshot::default()
        };
        let line = "500.0 kB of 1.0 MB, looking for the originals of revisits, 250.0 kB/s, 2s left";
        assert_eq!(run.shown().line(), line);
        let json = run.json();
        assert_eq!(
            (&json["bytes"], &json["first_pass"]["bytes"]),
            (&0.into(), &500_000.into())
        );
    }

    #[test]
    fn a_stream_has_no_time_left() {
        let mut meter = Meter::new(Arc::default());
        let snapshot = Snapshot {
            bytes: 500,
            ..Snapshot::default()
        };
        assert_eq!(meter.with_rates(snapshot, Duration::from_secs(5)).left, None);
    }
}
