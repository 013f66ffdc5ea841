//! A finished run as a page of HTML.

use std::collections::HashMap;
use std::time::Duration;

use super::super::report::{ArchiveReport, ArchiveState, Report, RunState};
use super::sample::Sample;
use super::{outcome, settings};
use crate::memory;
use crate::pipeline::Observed;
use dehusk_web::{Bar, Series, bars, colored_bars, duration, escape, figures, grouped, lines, page, size, table};

/// Most archives in the table. `run.json` has all.
const ARCHIVES: usize = 1000;

/// Most languages and hosts that are listed.
const NAMES: usize = 15;

/// The page about a run.
pub(super) fn html(report: &Report, samples: &[Sample], observed: &Observed) -> String {
    let ledger = &report.totals.ledger;
    let state = run_state(report.state);
    let mut body = format!("<h1>Run: {state}</h1>\n");
    outcome::outcome(report, &mut body);
    let seconds = report.timing.seconds.max(1e-9);
    // Of this execution only, as the other rates are.
    let bytes = samples.last().map_or(0, |sample| sample.bytes);
    let most_memory = memory::resident().map_or_else(|| "unknown".to_owned(), |(_, most)| size(most));
    let counted: u64 = observed.words.groups().map(|(_, n)| n).sum();
    // An execution that made no document, as one that takes an archive out, has no rates.
    let has_rates = counted > 0 || ledger.emitted == 0;
    let mut numbers = vec![
        ("archives", grouped(report.totals.archives)),
        ("stored bytes", size(report.totals.bytes)),
        ("records", grouped(ledger.framed)),
        ("documents", grouped(ledger.emitted)),
        ("failed", grouped(ledger.failed.sum())),
        ("skipped", size(ledger.skipped_bytes)),
        ("time", short(report.timing.all_seconds())),
    ];
    if has_rates {
        numbers.extend([
            ("documents per second", format!("{:.0}", report.timing.pages_per_second)),
            ("stored bytes per second", size((bytes as f64 / seconds) as u64)),
            ("most memory", most_memory),
        ]);
    }
    body.push_str(&figures(&numbers));
    if has_rates && report.timing.earlier_seconds > 0.0 {
        body.push_str(&format!(
            "<p class=\"quiet\">The run was resumed. Rates, throughput and memory are those of its last execution, \
             which took {}.</p>\n",
            short(report.timing.seconds)
        ));
    }
    outcome::failures(report, &mut body);
    throughput(samples, &mut body);
    reasons(report, &mut body);
    if counted > 0 {
        noticed(observed, &mut body);
    }
    if !has_rates {
        body.push_str(
            "<p class=\"quiet\">All documents were there before, so this page cannot tell their sizes, languages, \
             hosts and slow pages.</p>\n",
        );
    } else if counted < ledger.emitted {
        body.push_str(&format!(
            "<p class=\"quiet\">Sizes, languages, hosts and slow pages are those of the {} documents that this \
             execution made; the others were there before.</p>\n",
            grouped(counted)
        ));
    }
    archives(report, &mut body);
    settings::settings(report, &mut body);
    page(&format!("Run: {state}"), &body)
}

fn run_state(state: RunState) -> &'static str {
    match state {
        RunState::Running => "running",
        RunState::Complete => "complete",
        RunState::Interrupted => "interrupted",
        RunState::Failed => "failed",
    }
}

fn archive_state(state: ArchiveState) -> &'static str {
    match state {
        ArchiveState::Pending => "pending",
        ArchiveState::Complete => "complete",
        ArchiveState::Damaged => "damaged",
        ArchiveState::Failed => "failed",
        ArchiveState::Interrupted => "interrupted",
    }
}

fn short(seconds: f64) -> String {
    match seconds {
        0.0..10.0 => format!("{seconds:.1}s"),
        _ => duration(Duration::from_secs_f64(seconds.max(0.0))),
    }
}

/// Rates over time, between one sample and the next, and memory.
fn throughput(samples: &[Sample], body: &mut String) {
    let rate = |of: fn(&Sample) -> u64| -> Vec<(f64, f64)> {
        let between = samples.windows(2).filter(|pair| pair[1].seconds > pair[0].seconds);
        let rate = |pair: &[Sample]| {
            let done = of(&pair[1]).saturating_sub(of(&pair[0])) as f64;
            (pair[1].seconds, done / (pair[1].seconds - pair[0].seconds))
        };
        between.map(rate).collect()
    };
    let (documents, bytes) = (rate(|s| s.documents), rate(|s| s.bytes));
    if documents.len() < 2 {
        return;
    }
    let memory: Vec<(f64, f64)> = samples.iter().skip(1).map(|s| (s.seconds, s.memory as f64)).collect();
    body.push_str("<h2>Throughput</h2>\n<div class=\"charts\">\n");
    let of_size = |n: f64| size(n as u64);
    for (caption, points, class, label) in [
        (
            "documents per second",
            &documents,
            "first",
            &(|n| format!("{n:.0}")) as &dyn Fn(f64) -> String,
        ),
        ("stored bytes per second", &bytes, "first", &of_size),
        ("resident memory", &memory, "second", &of_size),
    ] {
        if points.iter().any(|(_, y)| *y > 0.0) {
            body.push_str(&lines(caption, &[Series { points, class }], short, label));
        }
    }
    body.push_str("</div>\n");
}

fn reasons(report: &Report, body: &mut String) {
    let ledger = &report.totals.ledger;
    let mut list = vec![Bar {
        name: "emitted".to_owned(),
        value: ledger.emitted,
    }];
    let bar = |class: &str, name: &str, value: u64| Bar {
        name: format!("{class}: {name}"),
        value,
    };
    list.extend(
        ledger
            .filtered
            .iter()
            .map(|(reason, n)| bar("filtered", reason.name(), n)),
    );
    list.extend(ledger.failed.iter().map(|(reason, n)| bar("failed", reason.name(), n)));
    let class = |bar: &Bar| {
        if bar.name.starts_with("failed: ") {
            "fill bad"
        } else {
            "fill"
        }
    };
    body.push_str(&format!("<h2>Records by reason</h2>\n{}", colored_bars(&list, class)));
    for (title, list) in [
        (
            "Filtered by rules of quality",
            ledger
                .quality_rules
                .iter()
                .map(|(rule, n)| (rule.clone(), *n))
                .collect(),
        ),
        (
            "Filtered by lists of hosts",
            ledger.host_lists.iter().map(|(list, n)| (list.clone(), *n)).collect(),
        ),
        (
            "Filtered by wishes",
            ledger.wishes.iter().map(|(wish, n)| (wish.clone(), *n)).collect(),
        ),
        (
            "Files of office programs",
            ledger.office_files.iter().map(|(kind, n)| (kind.clone(), *n)).collect(),
        ),
        (
            "Notes",
            ledger
                .notes
                .iter()
                .map(|(note, n)| (note.name().to_owned(), n))
                .collect(),
        ),
    ] {
        let list: Vec<(String, u64)> = list;
        if !list.is_empty() {
            let list: Vec<Bar> = list.into_iter().map(|(name, value)| Bar { name, value }).collect();
            body.push_str(&format!("<h2>{title}</h2>\n{}", bars(&list)));
        }
    }
}

fn noticed(observed: &Observed, body: &mut String) {
    let words = observed.words.groups().map(|(least, value)| Bar {
        name: format!("from {}", grouped(least)),
        value,
    });
    let bytes = observed.page_bytes.groups().map(|(least, value)| Bar {
        name: format!("from {}", size(least)),
        value,
    });
    body.push_str(&format!(
        "<div class=\"charts\">\n<section><h2>Words of documents</h2>\n{}</section>\n\
         <section><h2>Sizes of pages</h2>\n{}</section>\n\
         <section><h2>Languages</h2>\n{}</section>\n<section><h2>Hosts</h2>\n{}{}</section>\n</div>\n",
        bars(&words.collect::<Vec<_>>()),
        bars(&bytes.collect::<Vec<_>>()),
        most(&observed.languages),
        most(&observed.hosts),
        if observed.hosts_cut {
            "<p class=\"quiet\">There are very many hosts; counts are approximate.</p>\n"
        } else {
            ""
        }
    ));
    let row = |page: &crate::pipeline::SlowPage| {
        vec![
            format!(
                "{}<br><span class=\"quiet\">{}</span>",
                escape(&page.url),
                escape(&page.place)
            ),
            format!("{:.0} ms", page.time.as_secs_f64() * 1e3),
        ]
    };
    let rows: Vec<_> = observed.slowest.iter().map(row).collect();
    body.push_str(&format!("<h2>Slowest pages</h2>\n{}", table(&["page", "time"], &rows)));
}

/// The names that occur most as bars, and the sum of the others.
fn most(counts: &HashMap<String, u64>) -> String {
    let mut sorted: Vec<(&String, u64)> = counts.iter().map(|(name, n)| (name, *n)).collect();
    sorted.sort_unstable_by(|one, other| other.1.cmp(&one.1).then_with(|| one.0.cmp(other.0)));
    let bar = |(name, value): &(&String, u64)| Bar {
        name: if name.is_empty() {
            "unknown".to_owned()
        } else {
            (*name).clone()
        },
        value: *value,
    };
    let list: Vec<Bar> = sorted.iter().take(NAMES).map(bar).collect();
    let others: u64 = sorted.iter().skip(NAMES).map(|(_, n)| n).sum();
    let mut html = bars(&list);
    if others > 0 {
        let names = grouped((sorted.len() - NAMES) as u64);
        html.push_str(&format!("<p class=\"quiet\">{names} others: {}</p>\n", grouped(others)));
    }
    html
}

/// Marks a text as bad. The text has no markup.
fn bad(text: &str) -> String {
    format!("<span class=\"bad\">{text}</span>")
}

fn archives(report: &Report, body: &mut String) {
    let headings = [
        "archive",
        "state",
        "bytes",
        "records",
        "documents",
        "filtered",
        "failed",
        "skipped",
    ];
    let row = |archive: &ArchiveReport| {
        let ledger = &archive.ledger;
        let error = match archive.error.as_str() {
            "" => String::new(),
            error => format!("<br><span class=\"bad\">{}</span>", escape(error)),
        };
        let state = archive_state(archive.state);
        let failed = grouped(ledger.failed.sum());
        let is_bad = matches!(archive.state, ArchiveState::Failed | ArchiveState::Damaged);
        vec![
            format!("{}{error}", escape(&archive.path)),
            if is_bad { bad(state) } else { state.to_owned() },
            size(archive.bytes),
            grouped(ledger.framed),
            grouped(ledger.emitted),
            grouped(ledger.filtered.sum()),
            if ledger.failed.sum() > 0 { bad(&failed) } else { failed },
            size(ledger.skipped_bytes),
        ]
    };
    // Archives that need a look come first.
    let mut sorted: Vec<&ArchiveReport> = report.archives.iter().collect();
    sorted.sort_by_key(|archive| archive.state == ArchiveState::Complete);
    let rows: Vec<_> = sorted.into_iter().take(ARCHIVES).map(row).collect();
    body.push_str(&format!("<h2>Archives</h2>\n{}", table(&headings, &rows)));
    let left = report.archives.len().saturating_sub(ARCHIVES);
    if left > 0 {
        body.push_str(&format!(
            "<p class=\"quiet\">{} more archives are in run.json.</p>\n",
            grouped(left as u64)
        ));
    }
}
