//! The metrics of `dehusk diff --drift --format metrics`.

use super::text::{MetricsText, as_lines, escaped};
use dehusk_corpus::diff::{Drift, Night};

/// A figure of a night, with its help.
type Figure = (&'static str, &'static str, fn(&Night) -> f64);

const FIGURES: [Figure; 7] = [
    ("drift_pages", "Pages of the night.", |night| night.pages as f64),
    (
        "drift_emitted_share",
        "The share of pages that became documents.",
        |night| night.emitted_share,
    ),
    ("drift_documents", "Documents of the night.", |night| {
        night.documents as f64
    }),
    ("drift_words", "The geometric mean of words.", |night| night.words),
    ("drift_score", "The mean score.", |night| night.score),
    (
        "drift_unread_shards",
        "Shards that could not be read to their end.",
        |night| night.unread_shards as f64,
    ),
    ("drift_unfinished_runs", "Runs that are not finished.", |night| {
        night.unfinished_runs as f64
    }),
];

/// The drift in the text format of Prometheus, with at most `most` hosts. Side `a` is the earlier night, `b` the later.
pub(in crate::cli) fn drift_text(drift: &Drift, most: usize) -> String {
    let mut text = MetricsText::default();
    let nights = [("a", &drift.a), ("b", &drift.b)];
    for (name, help, value) in FIGURES {
        let lines = nights.map(|(side, night)| (format!("side=\"{side}\""), value(night)));
        text.metric(name, "gauge", help, &as_lines(&lines));
    }
    let languages = nights.iter().flat_map(|(side, night)| {
        night.languages.iter().map(move |(language, n)| {
            let labels = format!("side=\"{side}\",language=\"{}\"", escaped(language));
            (labels, *n as f64 / night.documents.max(1) as f64)
        })
    });
    let help = "The share of documents in a language.";
    text.metric(
        "drift_language_share",
        "gauge",
        help,
        &as_lines(&languages.collect::<Vec<_>>()),
    );
    text.gauge(
        "drift_judged_hosts",
        "Hosts that were judged.",
        drift.judged_hosts as f64,
    );
    let by_sign = drift.changed_by_sign.iter();
    let by_sign: Vec<_> = by_sign
        .map(|(sign, n)| (format!("sign=\"{}\"", sign.name()), *n as f64))
        .collect();
    let help = "Hosts that have changed, by sign.";
    text.metric("drift_changed_hosts", "gauge", help, &as_lines(&by_sign));
    let hosts = drift.changed_hosts.iter().take(most).flat_map(|host| {
        host.signs.iter().map(|sign| {
            let labels = format!("host=\"{}\",sign=\"{}\"", escaped(&host.host), sign.name());
            (labels, host.a.documents as f64)
        })
    });
    let help = "Documents of the earlier night of the hosts that have changed.";
    text.metric(
        "drift_host_documents",
        "gauge",
        help,
        &as_lines(&hosts.collect::<Vec<_>>()),
    );
    text.finish()
}
