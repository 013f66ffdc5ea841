//! Times pages that are made to be slow, and ordinary pages that are made long.
//!
//!     cargo study hostile [KIND...]                # pages of 1 MiB: each may take one second
//!     cargo study hostile growth 8 64 [KIND...]    # two sizes in MiB: time may grow only as the size does
//!
//! Each kind of page goes through every stage with every preset, also with those that the papers compare with.
//!
//! - The first form fails with status 1 if a page takes more than a second with any preset, from bytes to document.
//! - The second form fails with status 1 if a stage takes more than three times as long as its growth in size allows.
//!
//! Both print the slowest pages first, with their slowest stage. The second also prints the stage that grew most for
//! each kind when it is done with it. Parsing with `normalize` is a stage of its own that belongs to no preset. It runs
//! within the default limits.

mod inline;
mod kinds;
pub mod ordinary;

use std::error::Error;
use std::process::ExitCode;

use crate::shared::Outcome;
use crate::shared::cpu_time::seconds;

use dehusk::Document;
use dehusk::Page;
use dehusk_documents::encode::{jsonl, xml};
use dehusk_extract::{PageContext, registry};
use dehusk_html::{Buffers, Limits, TextForm, parse, parse_strict_within};
use dehusk_metadata::{self as metadata, PageFacts};

/// The most seconds that a page of at most 1 MiB may take.
const MOST: f64 = 1.0;

/// The factor by which the time of a stage may grow faster than the size of the page.
const SLACK: f64 = 3.0;

/// Times below this many seconds are too short to compare.
const NOISE: f64 = 0.02;

pub fn main(arguments: &[String]) -> Outcome {
    match arguments.split_first() {
        Some((first, rest)) if first == "growth" => match rest {
            [small, large, kinds @ ..] => growth(small.parse()?, large.parse()?, kinds),
            _ => Err("growth needs two sizes in MiB".into()),
        },
        _ => limits(arguments),
    }
}

/// The seconds that one page took, by stage. The stages of the presets come last.
struct Times(Vec<(String, f64)>);

impl Times {
    fn measure(html: &str) -> Result<Self, Box<dyn Error>> {
        let mut times = Vec::new();
        let mut stage = |name: String, started: f64| times.push((name, seconds() - started));
        let mut unlabelled = html.as_bytes().to_vec();
        unlabelled.iter_mut().step_by(16).for_each(|b| *b = 0xe9);
        let started = seconds();
        let _ = dehusk_html::decode(&unlabelled, None);
        stage("detect".into(), started);
        let started = seconds();
        let page =
            Page::from_bytes(html.as_bytes(), "https://a.example/").unwrap_or_else(|_| Page::from_text(html, ""));
        stage("decode".into(), started);
        let started = seconds();
        let dom = parse(&page.html, Buffers::default());
        stage("parse".into(), started);
        let started = seconds();
        let _ = metadata::read(&dom, PageFacts::default());
        stage("metadata".into(), started);
        let started = seconds();
        let _ = parse_strict_within(&page.html, Buffers::default(), Limits::default());
        stage("normalize: parse".into(), started);
        for name in registry::all() {
            let preset = registry::preset(name).ok_or("a listed preset is missing")?;
            let started = seconds();
            let page = PageContext::new(&dom, "");
            let view = page.view(preset.strip());
            stage(format!("{name}: strip"), started);
            let started = seconds();
            let selection = page.selection(&preset);
            stage(format!("{name}: extract"), started);
            let started = seconds();
            let (mut text, mut markdown, mut xhtml) = (String::new(), String::new(), String::new());
            selection.render_text(&view, &mut text);
            let form = TextForm::markdown().with_links(true).with_images(true);
            selection.render(&view, form, &mut markdown);
            selection.render_xhtml(&view, &mut xhtml);
            stage(format!("{name}: render"), started);
            let started = seconds();
            let mut document = Document::default();
            document.text = text;
            let mut out = Vec::new();
            jsonl::write(&document, &mut out);
            xml::write(&document, &mut out);
            stage(format!("{name}: write"), started);
        }
        Ok(Self(times))
    }

    /// The sum for one preset: the common stages, and its own.
    fn with(&self, preset: &str) -> f64 {
        let own = |name: &str| name.strip_prefix(preset).is_some_and(|rest| rest.starts_with(": "));
        let counts = |name: &str| !name.contains(": ") || own(name);
        self.0.iter().filter(|(name, _)| counts(name)).map(|(_, t)| t).sum()
    }

    fn slowest(&self) -> Option<&(String, f64)> {
        self.0.iter().max_by(|a, b| a.1.total_cmp(&b.1))
    }
}

fn limits(wanted: &[String]) -> Outcome {
    let mut rows = Vec::new();
    for (name, make) in kinds::chosen(wanted)? {
        let html = make(1 << 20);
        let times = Times::measure(&html)?;
        let worst = registry::all().map(|p| (times.with(p), p));
        let Some((seconds, preset)) = worst.max_by(|a, b| a.0.total_cmp(&b.0)) else {
            continue;
        };
        let all: f64 = times.0.iter().map(|(_, t)| t).sum();
        let (stage, slow) = times.slowest().cloned().unwrap_or_default();
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
    Ok(ExitCode::from(u8::from(rows.first().is_some_and(|row| row.0 > MOST))))
}

fn growth(small: usize, large: usize, wanted: &[String]) -> Outcome {
    let mut rows = Vec::new();
    for (name, make) in kinds::chosen(wanted)? {
        let (small, large) = (make(small << 20), make(large << 20));
        let size = large.len() as f64 / small.len() as f64;
        let (small, large) = (Times::measure(&small)?, Times::measure(&large)?);
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
    Ok(ExitCode::from(u8::from(rows.first().is_some_and(|row| row.0 > SLACK))))
}
