//! One stage at a time, over the pages of one archive: read, decode, parse, extract, write; and what a page takes with
//! one extractor, and with all seven of the papers.
//!
//! `DEHUSK_BENCH_ARCHIVE` names the archive; the sample in the repository is the default, so that the figures of two
//! machines can be compared. Throughput is in bytes of decoded blocks (read), of HTML (decode, parse, extract) and of
//! documents (write). Models of learned extractors are scored over a page of random numbers; their throughput is in
//! blocks. `inflate` is libdeflate alone over the members that `read` inflates and frames: the floor under it.
#![allow(missing_docs, clippy::unwrap_used)]

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};

use dehusk::Config;
use dehusk::Document;
use dehusk::Page;
use dehusk::Processor;
use dehusk_archive::http::{self, Scratch};
use dehusk_archive::{Archive, RecordType};
use dehusk_documents::encode::{Compression, Compressor, jsonl, xml};
use dehusk_engine::config::Rules;
use dehusk_engine::provenance::ArchiveName;

use dehusk_extract::fusion::Model;
use dehusk_extract::fusion::training::{Matrix, Rule, Scratch as ModelScratch};
use dehusk_extract::{CoreEx, Extractor, PRESETS, PageContext, ViewPool};
use dehusk_html::{Buffers, parse, parse_strict, render_text};

#[path = "../crates/extract/src/fusion/model/tests/reference.rs"]
#[allow(dead_code)]
mod reference;

/// The input of the stages.
struct Input {
    archive: Archive,
    /// Blocks of the response records.
    blocks: Vec<Vec<u8>>,
    pages: Vec<String>,
    documents: Vec<Document>,
}

fn input() -> Input {
    let default = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/sample/sample.warc.gz").to_owned();
    let archive = Archive::open(std::env::var("DEHUSK_BENCH_ARCHIVE").unwrap_or(default)).unwrap();
    let mut processor = Processor::new(&Config::default()).unwrap();
    let rules = Rules::new(&Config::default()).unwrap();
    let (mut blocks, mut pages, mut documents) = (Vec::new(), Vec::new(), Vec::new());
    let mut records = archive.records();
    let mut scratch = Scratch::default();
    while let Some(record) = records.next_record() {
        if record.header.record_type != RecordType::Response || record.failure.is_some() {
            continue;
        }
        blocks.push(record.block.to_vec());
        let Ok(page) = Page::from_record(&record, &rules, &mut scratch, ArchiveName::default()) else {
            continue;
        };
        if let Ok(document) = processor.document(&page) {
            documents.push(document);
            pages.push(page.html.into_owned());
        }
    }
    drop(records);
    Input {
        archive,
        blocks,
        pages,
        documents,
    }
}

fn stages(c: &mut Criterion) {
    let Input {
        archive,
        blocks,
        pages,
        documents,
    } = input();
    let html = Throughput::Bytes(pages.iter().map(|p| p.len() as u64).sum());
    let mut group = c.benchmark_group("stages");
    group.sample_size(10);

    group.throughput(Throughput::Bytes(blocks.iter().map(|b| b.len() as u64).sum()));
    group.bench_function("read", |b| {
        b.iter(|| {
            let mut records = archive.records();
            let mut bytes = 0;
            while let Some(record) = records.next_record() {
                bytes += record.block.len();
            }
            bytes
        });
    });

    // Members are whole files' worth of bytes in memory; they are gone before the next stage.
    let mut members = dehusk_testing::members::Members::find(archive.name()).expect("the archive was read before");
    group.bench_function("inflate", |b| b.iter(|| members.inflate()));
    drop(members);

    let mut scratch = Scratch::default();
    group.throughput(html.clone());
    group.bench_function("decode", |b| {
        b.iter(|| {
            for block in &blocks {
                let Some((head, at)) = http::parse_head(block) else {
                    continue;
                };
                let Ok(body) = http::decode_body(&head, &block[at..], usize::MAX, &mut scratch) else {
                    continue;
                };
                black_box(dehusk_html::decode(body.bytes, head.charset().as_deref()).is_ok());
            }
        });
    });

    group.bench_function("parse", |b| {
        let mut buffers = Buffers::default();
        b.iter(|| {
            for page in &pages {
                let dom = parse(page, std::mem::take(&mut buffers));
                black_box(dom.len());
                buffers = dom.into_buffers();
            }
        });
    });

    group.bench_function("parse strictly", |b| {
        let mut buffers = Buffers::default();
        b.iter(|| {
            for page in &pages {
                if let Ok(dom) = parse_strict(page, std::mem::take(&mut buffers)) {
                    black_box(dom.len());
                    buffers = dom.into_buffers();
                }
            }
        });
    });

    let doms: Vec<_> = pages.iter().map(|page| parse(page, Buffers::default())).collect();
    for (name, coreex) in [("coreex", CoreEx::paper()), ("coreex-modern", CoreEx::modern())] {
        group.bench_function(format!("extract by {name}"), |b| {
            let mut pool = ViewPool::default();
            b.iter(|| {
                for dom in &doms {
                    let page = PageContext::with_pool(dom, "", std::mem::take(&mut pool));
                    let selection = coreex.extract(&page);
                    let mut out = String::new();
                    render_text(dom, &selection.ranges, page.view(&coreex.strip()).masked(), &mut out);
                    black_box(out);
                    pool = page.into_pool();
                }
            });
        });
    }

    let seven = PRESETS
        .iter()
        .filter(|name| !name.ends_with("-modern") && !name.starts_with("fusion"));
    for (name, presets) in [("coreex", vec!["coreex"]), ("seven", seven.copied().collect())] {
        let config = Config::builder().extractors(presets).build().unwrap();
        let mut processor = Processor::new(&config).unwrap();
        group.bench_function(format!("analyze: {name}"), |b| {
            b.iter(|| {
                for html in &pages {
                    let analyzed = processor.analyze(&Page::from_text(html.as_str(), ""), |analysis| {
                        black_box(analysis.extractions().count())
                    });
                    assert!(analyzed.is_ok());
                }
            });
        });
    }

    let mut lines = Vec::new();
    documents.iter().for_each(|document| jsonl::write(document, &mut lines));
    group.throughput(Throughput::Bytes(lines.len() as u64));
    let mut out = Vec::new();
    group.bench_function("write jsonl", |b| {
        b.iter(|| {
            out.clear();
            documents.iter().for_each(|document| jsonl::write(document, &mut out));
            black_box(out.len())
        });
    });
    group.bench_function("write xml", |b| {
        b.iter(|| {
            out.clear();
            documents.iter().for_each(|document| {
                xml::write(document, &mut out);
            });
            black_box(out.len())
        });
    });
    for (name, compression) in [
        ("zstd", Compression::Zstd(Compression::ZSTD_LEVEL)),
        ("gzip", Compression::Gzip(Compression::GZIP_LEVEL)),
    ] {
        let mut compressor = Compressor::new(compression).unwrap();
        group.bench_function(format!("compress by {name}"), |b| {
            b.iter(|| {
                out.clear();
                for chunk in lines.chunks(512 << 10) {
                    compressor.compress(chunk, &mut out).unwrap();
                }
                black_box(out.len())
            });
        });
    }
    group.finish();
}

/// The scorers of the learned extractors, over a page of the average size of wcxb-dev. The values of a model do not
/// change its cost.
fn models(c: &mut Criterion) {
    const BLOCKS: usize = 292;
    const FEATURES: usize = 200;
    let mut matrix = Matrix::default();
    reference::fill(&mut matrix, BLOCKS, FEATURES);
    let words = [10; BLOCKS];
    let mut group = c.benchmark_group("models");
    group.throughput(Throughput::Elements(BLOCKS as u64));
    for (name, trees, networks) in [
        ("400 trees", 400, &[][..]),
        ("network 16 wide, 2 layers", 0, &[(16, 2)]),
        ("network 32 wide, 3 layers", 0, &[(32, 3)]),
        ("network 64 wide, 4 layers", 0, &[(64, 4)]),
    ] {
        let bytes = reference::TestModel::random(trees, networks, 100, FEATURES).to_bytes(0);
        let model = Model::from_bytes(&bytes, 0, FEATURES).unwrap();
        let (mut scratch, mut logits) = (ModelScratch::default(), Vec::new());
        group.bench_function(name, |b| {
            b.iter(|| model.score(&matrix, &words, &mut scratch, &mut logits))
        });
    }
    group.finish();
}

criterion_group!(benches, stages, models);
criterion_main!(benches);
