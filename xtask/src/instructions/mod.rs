//! A fixed workload for counting instructions: every stage from decoded bytes to JSONL, on pages made here.
//!
//! `.ci/instructions` runs this under callgrind and compares the count of each stage with that in `counts.txt`. The
//! workload uses no clock, threads or files, so two runs differ only by the random keys of hash tables.

mod pages;

use std::hint::black_box;
use std::process::ExitCode;

use crate::task::Outcome;

use dehusk::{Config, Processor};
use dehusk_documents::encode::jsonl;
use dehusk_extract::{PRESETS, PageContext, Preset, registry};
use dehusk_html::{Buffers, Dom, parse};
use dehusk_metadata::{self as metadata, PageFacts};

/// Callgrind counts what runs inside this function.
#[inline(never)]
fn counted(work: &mut dyn FnMut()) {
    work();
}

fn stage(name: &str, mut work: impl FnMut()) {
    println!("stage {name}");
    counted(&mut work);
}

pub fn main() -> Outcome {
    // Some code depends on the features of the processor, so counts differ between machines.
    println!("processor: {}", features());
    let pages = pages::all();
    let presets = presets();
    let mut processor = Processor::new(&config(&presets)?)?;
    warm_up(&mut processor, &pages);
    stage("decode", || {
        for page in &pages {
            black_box(dehusk_html::decode(page.as_bytes(), None).is_ok());
        }
    });
    let mut doms: Vec<Dom> = Vec::with_capacity(pages.len());
    stage("parse", || {
        doms.extend(pages.iter().map(|page| parse(page, Buffers::default())));
    });
    for preset in &presets {
        extract(preset, &doms);
    }
    stage("metadata", || {
        for dom in &doms {
            black_box(metadata::read(dom, PageFacts::default()));
        }
    });
    let documents: Vec<_> = pages
        .iter()
        .filter_map(|page| processor.page(page.as_bytes(), "https://a.example/").ok())
        .collect();
    let mut out = Vec::new();
    stage("jsonl", || {
        documents.iter().for_each(|document| jsonl::write(document, &mut out));
    });
    black_box(out.len());
    Ok(ExitCode::SUCCESS)
}

/// The learned extractors, those of the papers, and one with values of ours.
fn presets() -> Vec<Preset> {
    let names = PRESETS
        .iter()
        .filter(|name| **name == "coreex-modern" || !name.ends_with("-modern"));
    names.filter_map(|name| registry::preset(name)).collect()
}

fn config(presets: &[Preset]) -> Result<Config, Box<dyn std::error::Error>> {
    let names = presets.iter().map(|preset| preset.name.clone());
    Ok(Config::builder().extractors(names).build()?)
}

/// Compiles what each process compiles once and fills the caches of the thread. In a long run these do not matter.
fn warm_up(processor: &mut Processor, pages: &[String]) {
    for page in pages.iter().take(pages::KINDS) {
        black_box(processor.page(page.as_bytes(), "").is_ok());
    }
}

/// Counts the strip and view of a preset, and its selection with rendering.
fn extract(preset: &Preset, doms: &[Dom<'_>]) {
    let pages: Vec<_> = doms.iter().map(|dom| PageContext::new(dom, "")).collect();
    stage(&format!("{}: view", preset.name), || {
        for page in &pages {
            black_box(page.view(preset.strip()));
        }
    });
    stage(&format!("{}: extract", preset.name), || {
        for page in &pages {
            let mut text = String::new();
            page.selection(preset)
                .render_text(&page.view(preset.strip()), &mut text);
            black_box(text);
        }
    });
}

#[cfg(target_arch = "x86_64")]
fn features() -> String {
    let has = [
        ("ssse3", is_x86_feature_detected!("ssse3")),
        ("sse4.2", is_x86_feature_detected!("sse4.2")),
        ("popcnt", is_x86_feature_detected!("popcnt")),
        ("avx", is_x86_feature_detected!("avx")),
        ("avx2", is_x86_feature_detected!("avx2")),
        ("bmi1", is_x86_feature_detected!("bmi1")),
        ("bmi2", is_x86_feature_detected!("bmi2")),
        ("erms", is_x86_feature_detected!("ermsb")),
        ("avx512f", is_x86_feature_detected!("avx512f")),
    ];
    let names: Vec<_> = has.iter().filter(|(_, has)| *has).map(|(name, _)| *name).collect();
    names.join(" ")
}

#[cfg(not(target_arch = "x86_64"))]
fn features() -> String {
    std::env::consts::ARCH.to_owned()
}
