//! Drift as text of 80 columns.

use super::{Drift, HostDrift, Night};
use crate::diff::text::{end_of, push, sides};
use dehusk_archive::escape::terminal;
use dehusk_web::grouped;

/// Most languages that are listed. JSON has all.
const LANGUAGES: usize = 10;

/// Width of a host.
const HOST: usize = 34;

pub(super) fn text(drift: &Drift, most: usize) -> String {
    let mut out = String::new();
    sides(&drift.a.runs, &drift.b.runs, &mut out);
    push(&mut out, &format!("{:30}{:>14}{:>14}", "", "A", "B"));
    for (name, value) in FIGURES {
        push(
            &mut out,
            &format!("{name:30}{:>14}{:>14}", value(&drift.a), value(&drift.b)),
        );
    }
    for (language, a, b) in languages(drift, LANGUAGES) {
        let name = format!("  language {}", terminal(&language));
        push(&mut out, &format!("{name:30}{:>14}{:>14}", percent(a), percent(b)));
    }
    let changed = &drift.changed_hosts;
    push(
        &mut out,
        &format!(
            "\n{} of {} hosts with {} documents and more in A have changed",
            grouped(changed.len() as u64),
            grouped(drift.judged_hosts),
            grouped(drift.least_documents)
        ),
    );
    if !changed.is_empty() {
        push(
            &mut out,
            &format!(
                "{:HOST$}{:>16}{:>16}{:>14}",
                "host and signs", "documents", "words", "score"
            ),
        );
    }
    changed.iter().take(most).for_each(|host| push_host(host, &mut out));
    if changed.len() > most {
        let left = grouped((changed.len() - most) as u64);
        push(&mut out, &format!("… and {left} more; --format json lists all"));
    }
    for problem in &drift.problems {
        push(&mut out, &format!("not read: {}", terminal(problem)));
    }
    out
}

/// Two lines: the host with its figures, and its signs.
fn push_host(host: &HostDrift, out: &mut String) {
    let signs: Vec<&str> = host.signs.iter().map(|sign| sign.name()).collect();
    let pair = |a: String, b: String| format!("{a} → {b}");
    let (a, b) = (&host.a, &host.b);
    push(
        out,
        &format!(
            "{:HOST$}{:>16}{:>16}{:>14}\n  {}",
            end_of(if host.host.is_empty() { "(none)" } else { &host.host }, HOST - 1),
            pair(grouped(a.documents), grouped(b.documents)),
            pair(format!("{:.0}", a.words), format!("{:.0}", b.words)),
            pair(format!("{:.2}", a.score), format!("{:.2}", b.score)),
            signs.join(", ")
        ),
    );
}

/// A figure of a night.
type Figure = (&'static str, fn(&Night) -> String);

/// The figures of a night that tables have.
pub(super) const FIGURES: [Figure; 8] = [
    ("pages", |night| grouped(night.pages)),
    ("  emitted", |night| percent(night.emitted_share)),
    ("documents", |night| grouped(night.documents)),
    ("  words, geometric mean", |night| format!("{:.1}", night.words)),
    ("  score, mean", |night| format!("{:.4}", night.score)),
    ("hosts", |night| grouped(night.hosts)),
    ("shards not read", |night| grouped(night.unread_shards)),
    ("runs not finished", |night| grouped(night.unfinished_runs)),
];

pub(super) fn percent(share: f64) -> String {
    format!("{:.2} %", 100.0 * share)
}

/// The most frequent languages of both nights, with their shares.
pub(super) fn languages(drift: &Drift, most: usize) -> Vec<(String, f64, f64)> {
    let share = |night: &Night, language: &str| {
        let n = night.languages.get(language).copied().unwrap_or_default();
        n as f64 / night.documents.max(1) as f64
    };
    let mut names: Vec<&String> = drift.a.languages.keys().chain(drift.b.languages.keys()).collect();
    names.sort_unstable();
    names.dedup();
    let mut shares: Vec<_> = names
        .into_iter()
        .map(|name| (name.clone(), share(&drift.a, name), share(&drift.b, name)))
        .collect();
    shares.sort_by(|x, y| (y.1 + y.2).total_cmp(&(x.1 + x.2)));
    shares.truncate(most);
    shares
}
