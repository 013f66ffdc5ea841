//! How long pages take that were made to take long, and ordinary ones that were made long.
//!
//!     cargo run --release --example hostile                          # every kind at 1 MiB: a page may take a second
//!     cargo run --release --example hostile -- growth 8 64 [KIND…]   # at two sizes in MiB: time grows as size does
//!
//! Each kind of page goes through every stage with every preset. The first form ends with status 1 where a page takes
//! more than a second with any one preset, from bytes to written document; the second where a stage takes more than
//! three times as long as its size calls for. Both print the slowest first, with the stage that was slow; the second says
//! for each kind, as it goes, what grew most. Parsing with `normalize` is a stage of its own, under the limits of the
//! configuration, and belongs to no preset.
#![allow(clippy::unwrap_used)]

mod kinds;
mod ordinary;

use std::process::ExitCode;
use std::sync::LazyLock;
use std::time::Instant;

use dehusk::document::Document;
use dehusk::extract::{PRESETS, PageContext, registry};
use dehusk_html::{Buffers, Limits, parse, parse_strict_within};
use dehusk::encode::{jsonl, xml};
use dehusk::page::Page;
use dehusk::{metadata};

/// What any page of at most a mebibyte may take, in seconds.
const MOST: f64 = 1.0;

/// How much longer than its size calls for a stage may take.
const SLACK: f64 = 3.0;

/// Below this a figure says nothing of growth, in seconds.
const NOISE: f64 = 0.02;

/// Seconds of work that this thread has done: on a busy machine the clock would count what others do. Where the system
/// does not tell, the clock has to do.
fn now() -> f64 {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    let told = std::fs::read_to_string("/proc/thread-self/schedstat");
    let nanoseconds = told.ok().and_then(|text| text.split(' ').next()?.parse::<f64>().ok());
    nanoseconds.map_or_else(|| START.elapsed().as_secs_f64(), |n| n / 1e9)
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.split_first() {
        Some((first, rest)) if first == "growth" => match rest {
            [small, large, kinds @ ..] => growth(small.parse().unwrap(), large.parse().unwrap(), kinds),
            _ => panic!("growth needs two sizes in MiB"),
        },
        _ => limits(&arguments),
    }
}

/// The seconds that one page took, by stage; the presets' stages come last, in their order.
struct Times(Vec<(String, f64)>);

impl Times {
    fn of(html: &str) -> Self {
        let mut times = Vec::new();
        let mut stage = |name: String, started: f64| times.push((name, now() - started));
        let mut unlabelled = html.as_bytes().to_vec();
        unlabelled.iter_mut().step_by(16).for_each(|b| *b = 0xe9);
        let started = now();
        let _ = dehusk_html::decode(&unlabelled, None);
        stage("detect".into(), started);
        let started = now();
        let page = Page::from_bytes(html.as_bytes(), "https://a.example/").unwrap_or_else(|_| Page {
            html: html.into(),
            ..Page::default()
        });
        stage("decode".into(), started);
        let started = now();
        let dom = parse(&page.html, Buffers::default());
        stage("parse".into(), started);
        let started = now();
        let _ = metadata::read(&dom);
        stage("metadata".into(), started);
        let started = now();
        let _ = parse_strict_within(&page.html, Buffers::default(), Limits::default());
        stage("normalize: parse".into(), started);
        for name in PRESETS {
            let preset = registry::preset(name).unwrap();
            let started = now();
            let page = PageContext::new(&dom, "");
            let view = page.view(preset.strip());
            stage(format!("{name}: strip"), started);
            let started = now();
            let selection = page.selection(&preset);
            stage(format!("{name}: extract"), started);
            let started = now();
            let (mut text, mut xhtml) = (String::new(), String::new());
            selection.render_text(&view, &mut text);
            selection.render_xhtml(&view, &mut xhtml);
            stage(format!("{name}: render"), started);
            let started = now();
            let mut document = Document::default();
            document.text = text;
            let mut out = Vec::new();
            jsonl::write(&document, &mut out);
            xml::write(&document, &mut out);
            stage(format!("{name}: write"), started);
        }
        Self(times)
    }

    /// With one preset: what comes before all of them, and the preset's own.
    fn with(&self, preset: &str) -> f64 {
        let own = |name: &str| name.strip_prefix(preset).is_some_and(|rest| rest.starts_with(": "));
        let counts = |name: &str| !name.contains(": ") || own(name);
        self.0.iter().filter(|(name, _)| counts(name)).map(|(_, t)| t).sum()
    }

    fn slowest(&self) -> &(String, f64) {
        self.0.iter().max_by(|a, b| a.1.total_cmp(&b.1)).unwrap()
    }
}

fn limits(wanted: &[String]) -> ExitCode {
    let mut rows = Vec::new();
    for (name, make) in kinds::chosen(wanted) {
        let html = make(1 << 20);
        let times = Times::of(&html);
        let worst = PRESETS.iter().map(|p| (times.with(p), *p));
        let (seconds, preset) = worst.max_by(|a, b| a.0.total_cmp(&b.0)).unwrap();
        let all: f64 = times.0.iter().map(|(_, t)| t).sum();
        let (stage, slow) = times.slowest().clone();
        rows.push((seconds, preset, all, stage, slow, name));
    }
    rows.sort_by(|a, b| b.0.total_cmp(&a.0));
    println!(
        "{:>8} {:<18} {:>8}  slowest stage, and the kind of page, of {} kinds",
        "seconds",
        "with",
        "all",
        rows.len()
    );
    for (seconds, preset, all, stage, slow, kind) in rows.iter().take(20) {
        println!("{seconds:>8.3} {preset:<18} {all:>8.3}  {stage} {slow:.3}: {kind}");
    }
    ExitCode::from(u8::from(rows[0].0 > MOST))
}

fn growth(small: usize, large: usize, wanted: &[String]) -> ExitCode {
    let mut rows = Vec::new();
    for (name, make) in kinds::chosen(wanted) {
        let (small, large) = (make(small << 20), make(large << 20));
        let size = large.len() as f64 / small.len() as f64;
        let (small, large) = (Times::of(&small), Times::of(&large));
        let from = rows.len();
        for ((stage, before), (_, after)) in small.0.iter().zip(&large.0) {
            let excess = after / before.max(NOISE) / size;
            rows.push((excess, stage.clone(), *before, *after, name));
        }
        rows[from..].sort_by(|a, b| b.0.total_cmp(&a.0));
        let (excess, stage, before, after, _) = &rows[from];
        eprintln!("{excess:>6.2} {before:>7.3} {after:>8.3}  {stage}: {name}");
    }
    rows.sort_by(|a, b| b.0.total_cmp(&a.0));
    println!(
        "{:>6} {:>7} {:>8}  stage: kind",
        "excess",
        format!("{small} MiB"),
        format!("{large} MiB")
    );
    for (excess, stage, before, after, kind) in rows.iter().take(20) {
        println!("{excess:>6.2} {before:>7.3} {after:>8.3}  {stage}: {kind}");
    }
    ExitCode::from(u8::from(rows[0].0 > SLACK))
}
