//! A fixed workload whose instructions are counted: every stage from decoded bytes to JSONL, over pages made here.
//!
//! `.ci/instructions` runs this under callgrind and compares each stage's count with the one in `counts.txt`. Neither
//! clock nor threads nor files play a part, so two runs differ by what hash tables' random keys change and no more.
#![allow(clippy::unwrap_used)]

mod pages;

use std::hint::black_box;

use dehusk::extract::{DEFAULT_PRESET, PRESETS, PageContext, Preset, registry};
use dehusk_html::{Buffers, Dom, parse};
use dehusk::encode::jsonl;
use dehusk::{Config, Processor, metadata};

/// What is counted is what runs inside of this function; the name of a stage stands on a line of its own.
#[inline(never)]
fn counted(work: &mut dyn FnMut()) {
    work();
}

fn stage(name: &str, mut work: impl FnMut()) {
    println!("stage {name}");
    counted(&mut work);
}

fn main() {
    // Code that is chosen by what the processor can do makes counts differ between machines.
    println!("processor: {}", features());
    let pages = pages::all();
    warm_up(&pages);
    stage("decode", || {
        for page in &pages {
            black_box(dehusk_html::decode(page.as_bytes(), None).is_ok());
        }
    });
    let mut doms: Vec<Dom> = Vec::with_capacity(pages.len());
    stage("parse", || {
        doms.extend(pages.iter().map(|page| parse(page, Buffers::default())));
    });
    for preset in presets() {
        count_preset(&preset, &doms);
    }
    stage("metadata", || {
        for dom in &doms {
            black_box(metadata::read(dom));
        }
    });
    let mut processor = Processor::new(&config()).unwrap();
    let documents: Vec<_> = pages
        .iter()
        .map(|page| processor.page(page.as_bytes(), "https://a.example/").unwrap())
        .collect();
    let mut out = Vec::new();
    stage("jsonl", || {
        documents.iter().for_each(|document| jsonl::write(document, &mut out));
    });
    black_box(out.len());
}

/// The default extractor, and those of the papers.
fn presets() -> Vec<Preset> {
    let papers = PRESETS.iter().filter(|name| !name.ends_with("-modern"));
    let names = std::iter::once(&DEFAULT_PRESET).chain(papers);
    names.map(|name| registry::preset(name).unwrap()).collect()
}

fn config() -> Config {
    let names = presets().into_iter().map(|preset| preset.name);
    Config::builder().extractors(names).build().unwrap()
}

/// Compiles what is compiled once a process and makes each thread's caches, which a long run does not feel.
fn warm_up(pages: &[String]) {
    let mut processor = Processor::new(&config()).unwrap();
    for page in pages.iter().take(pages::KINDS) {
        processor.page(page.as_bytes(), "").unwrap();
    }
}

/// Counts a preset's strip with its view, and its choice with the text of it.
fn count_preset(preset: &Preset, doms: &[Dom<'_>]) {
    let pages: Vec<_> = doms.iter().map(|dom| PageContext::new(dom, "")).collect();
    stage(&format!("{}: view", preset.name), || {
        for page in &pages {
            black_box(page.view(preset.strip()));
        }
    });
    stage(&format!("{}: extract", preset.name), || {
        for page in &pages {
            let mut text = String::new();
            page.selection(preset).render_text(&page.view(preset.strip()), &mut text);
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
