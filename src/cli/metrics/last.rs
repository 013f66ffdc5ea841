//! The metrics of the last run that ended. The next run keeps them in the file until it ends itself, so an alert on
//! them lasts until a run has shown that its reason is gone.

use std::collections::BTreeMap;
use std::path::Path;

use super::Ending;
use super::text::MetricsText;
use dehusk_documents::bounded;
use dehusk_engine::run::RunState;

/// How the names of these metrics begin in the file.
const BEGINNING: &str = "dehusk_last_";

/// Largest file that is read, in bytes. One of this program has a few kilobytes.
const LIMIT: u64 = 1 << 20;

/// Each metric and what it is, in the order of the file.
const METRICS: [(&str, &str); 6] = [
    ("exit_status", "The exit status of the last run that ended."),
    ("end_time_seconds", "When that was, in seconds since 1970."),
    (
        "success_time_seconds",
        "When a run last ended with status 0 or 3, in seconds since 1970.",
    ),
    (
        "records_time_seconds",
        "When a run last ended that went through its archives and found records, in seconds since 1970.",
    ),
    ("records", "The records of that run, by what became of them."),
    (
        "skipped_bytes",
        "Stored and decoded bytes of the ranges that it skipped.",
    ),
];

/// The values, by the name of the metric with its labels.
#[derive(Default)]
pub(super) struct LastRun(BTreeMap<String, f64>);

impl LastRun {
    /// Reads the values of an earlier run from a file of metrics; none if there is no such file.
    pub(super) fn read(path: &Path) -> Self {
        let text = bounded::read_text(path, LIMIT).unwrap_or_default();
        let values = text.lines().filter_map(|line| {
            let (name, value) = line.strip_prefix(BEGINNING)?.rsplit_once(' ')?;
            let metric = name.split('{').next()?;
            let is_known = METRICS.iter().any(|(known, _)| *known == metric);
            Some((name.to_owned(), value.parse().ok()?)).filter(|_| is_known)
        });
        Self(values.collect())
    }

    /// Enters how a run ended.
    pub(super) fn enter(&mut self, ending: &Ending<'_>, now: f64) {
        let mut set = |name: &str, value: f64| {
            self.0.insert(name.to_owned(), value);
        };
        set("exit_status", f64::from(ending.exit_status));
        set("end_time_seconds", now);
        if matches!(ending.exit_status, 0 | 3) {
            set("success_time_seconds", now);
        }
        // A run that was stopped or found nothing new shows nothing of the crawl.
        let ledger = ending.ledger.filter(|ledger| ledger.framed > 0);
        if let Some(ledger) = ledger.filter(|_| ending.state == RunState::Complete) {
            set("records_time_seconds", now);
            set(
                "skipped_bytes",
                (ledger.skipped_bytes + ledger.skipped_decoded_bytes) as f64,
            );
            for (class, count) in [
                ("emitted", ledger.emitted),
                ("filtered", ledger.filtered.sum()),
                ("failed", ledger.failed.sum()),
            ] {
                set(&format!("records{{class=\"{class}\"}}"), count as f64);
            }
        }
    }

    pub(super) fn write(&self, text: &mut MetricsText) {
        for (metric, help) in METRICS {
            let of_metric = |name: &str| {
                let labels = name.strip_prefix(metric)?;
                match labels.strip_prefix('{') {
                    Some(labels) => labels.strip_suffix('}'),
                    None => Some("").filter(|_| labels.is_empty()),
                }
                .map(str::to_owned)
            };
            let lines: Vec<(String, f64)> = self
                .0
                .iter()
                .filter_map(|(name, value)| Some((of_metric(name)?, *value)))
                .collect();
            if !lines.is_empty() {
                text.metric(&format!("last_{metric}"), "gauge", help, &super::as_lines(&lines));
            }
        }
    }
}
