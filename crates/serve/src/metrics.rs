//! The numbers of the server, in the text format of Prometheus.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The upper bounds of the histogram of times, in seconds.
const BOUNDS: [f64; 8] = [0.005, 0.01, 0.025, 0.1, 0.25, 1.0, 5.0, 30.0];

/// Counts of the server since it started.
#[derive(Default)]
pub(crate) struct Metrics(Mutex<Numbers>);

#[derive(Default)]
struct Numbers {
    /// By path and status.
    requests: BTreeMap<(&'static str, u16), u64>,
    /// By path.
    times: BTreeMap<&'static str, Histogram>,
    /// By outcome and reason.
    pages: BTreeMap<(&'static str, &'static str), u64>,
    connections: u64,
    refused_connections: u64,
    active: u64,
    body_bytes: u64,
}

#[derive(Default)]
struct Histogram {
    counts: [u64; BOUNDS.len()],
    sum: f64,
    all: u64,
}

impl Metrics {
    fn numbers(&self) -> MutexGuard<'_, Numbers> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts a connection, which is served or refused.
    pub(crate) fn connected(&self, is_served: bool) {
        let mut numbers = self.numbers();
        if is_served {
            numbers.connections += 1;
        } else {
            numbers.refused_connections += 1;
        }
    }

    /// Counts a request that begins.
    pub(crate) fn begin(&self) {
        self.numbers().active += 1;
    }

    /// Counts a request that is answered. `path` is one of the routes, or `""`.
    pub(crate) fn answered(&self, path: &'static str, status: u16, time: Duration) {
        let mut numbers = self.numbers();
        numbers.active = numbers.active.saturating_sub(1);
        *numbers.requests.entry((path, status)).or_default() += 1;
        let histogram = numbers.times.entry(path).or_default();
        let seconds = time.as_secs_f64();
        for (count, bound) in histogram.counts.iter_mut().zip(BOUNDS) {
            *count += u64::from(seconds <= bound);
        }
        histogram.sum += seconds;
        histogram.all += 1;
    }

    /// Counts a page and what became of it.
    pub(crate) fn page(&self, outcome: &'static str, reason: &'static str, bytes: usize) {
        let mut numbers = self.numbers();
        *numbers.pages.entry((outcome, reason)).or_default() += 1;
        numbers.body_bytes += bytes as u64;
    }

    /// All numbers. Labels are names of closed lists and numbers, which need no escapes.
    pub(crate) fn text(&self) -> String {
        let numbers = self.numbers();
        let mut out = String::new();
        let version = format!("{{version=\"{}\"}}", env!("CARGO_PKG_VERSION"));
        metric(&mut out, "info", "gauge", "The program.", [(version, 1.0)]);
        let requests = numbers.requests.iter().map(|((path, status), count)| {
            let labels = format!("{{path=\"{path}\",status=\"{status}\"}}");
            (labels, *count as f64)
        });
        metric(&mut out, "requests_total", "counter", "Answered requests.", requests);
        let pages = numbers.pages.iter().map(|((outcome, reason), count)| {
            let labels = format!("{{outcome=\"{outcome}\",reason=\"{reason}\"}}");
            (labels, *count as f64)
        });
        metric(
            &mut out,
            "pages_total",
            "counter",
            "Pages by what became of them.",
            pages,
        );
        let one = |value: u64| [(String::new(), value as f64)];
        metric(
            &mut out,
            "page_bytes_total",
            "counter",
            "Bytes of these pages.",
            one(numbers.body_bytes),
        );
        metric(
            &mut out,
            "requests_active",
            "gauge",
            "Requests that are not answered yet.",
            one(numbers.active),
        );
        metric(
            &mut out,
            "connections_total",
            "counter",
            "Connections that were served.",
            one(numbers.connections),
        );
        let help = "Connections beyond the limit.";
        metric(
            &mut out,
            "connections_refused_total",
            "counter",
            help,
            one(numbers.refused_connections),
        );
        let name = "request_seconds";
        let mut lines = Vec::new();
        for (path, histogram) in &numbers.times {
            for (bound, count) in BOUNDS.iter().zip(histogram.counts) {
                lines.push((format!("_bucket{{path=\"{path}\",le=\"{bound}\"}}"), count as f64));
            }
            lines.push((format!("_bucket{{path=\"{path}\",le=\"+Inf\"}}"), histogram.all as f64));
            lines.push((format!("_sum{{path=\"{path}\"}}"), histogram.sum));
            lines.push((format!("_count{{path=\"{path}\"}}"), histogram.all as f64));
        }
        metric(
            &mut out,
            name,
            "histogram",
            "Time from a request's head to its answer.",
            lines,
        );
        if let Some((memory, _)) = dehusk_engine::memory::resident() {
            metric(
                &mut out,
                "resident_memory_bytes",
                "gauge",
                "Resident memory.",
                one(memory),
            );
        }
        out
    }
}

fn metric(out: &mut String, name: &str, kind: &str, help: &str, lines: impl IntoIterator<Item = (String, f64)>) {
    // Writing to a string cannot fail.
    let _ = writeln!(
        out,
        "# HELP dehusk_serve_{name} {help}\n# TYPE dehusk_serve_{name} {kind}"
    );
    for (labels, value) in lines {
        let _ = writeln!(out, "dehusk_serve_{name}{labels} {value}");
    }
}
