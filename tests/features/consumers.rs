//! The data that a host program gets from the pipeline and from single records: batches, failures, and the documents
//! that a run gives.

use std::fs;
use std::sync::Arc;

use dehusk::archive::{ReadOptions, RecordType};
use dehusk::report::{Failed, Failure, PageFault};
use dehusk::{Archive, Config, Document, Dropped, Processor};
use dehusk_engine::config::Rules;
use dehusk_extract::strip::Strip;
use dehusk_extract::{CoreEx, Extractor, PageContext, Preset, Selection};

use crate::make;

const SAMPLE: &str = "docs/sample/sample.warc.gz";

fn documents() -> Vec<Document> {
    let documents = dehusk::documents(&Config::default(), [SAMPLE]).unwrap();
    documents.collect::<Result<_, _>>().unwrap()
}

#[test]
fn batches_are_the_documents_of_the_iterator() {
    let mut batches = dehusk::documents(&Config::default(), [SAMPLE, SAMPLE]).unwrap();
    let expected = [documents(), documents()].concat();
    let first = batches.next().unwrap().unwrap();
    // The documents that the iterator has not given yet are the first batch.
    let mut all = vec![first];
    while let Some(batch) = batches.next_batch() {
        let batch = batch.unwrap();
        assert!(!batch.is_empty());
        all.extend(batch);
    }
    assert_eq!(all, expected);
    assert_eq!(batches.outcomes().len(), 2);
}

#[test]
fn the_failures_are_those_of_a_run() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("a.warc.gz");
    let mut stored: Vec<u8> = (0..20)
        .flat_map(|n| {
            make::gzip(&make::page(
                &format!("https://a.example/{n}"),
                "We went out early in the morning, up the hill behind the village, and it rained until we were home.",
            ))
        })
        .collect();
    let middle = stored.len() / 2;
    stored[middle..middle + 200].fill(0);
    fs::write(&path, stored).unwrap();
    let config = Config::builder().extractors(["coreex"]).build().unwrap();
    let mut documents = dehusk::documents(&config, [path.as_path()]).unwrap();
    let emitted = documents.by_ref().filter(Result::is_ok).count();
    let failures = documents.take_failures();
    assert!(emitted > 10 && !failures.is_empty(), "{emitted} {failures:?}");
    assert!(documents.take_failures().is_empty());
    let out = place.path().join("out");
    dehusk::run(&config, [path], &out).unwrap();
    let lines = fs::read_to_string(out.join("failed.jsonl")).unwrap();
    let of_run: Vec<Failure> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(failures, of_run);
}

#[test]
fn a_record_s_document_is_that_of_the_run() {
    let mut processor = Processor::new(&Config::default()).unwrap();
    let archive = Archive::open(SAMPLE).unwrap();
    let mut records = archive.records();
    let mut made = Vec::new();
    while let Some(record) = records.next_record() {
        made.extend(processor.record(&record, SAMPLE));
    }
    assert_eq!(made, documents());
}

#[derive(Debug)]
struct Panics(CoreEx);

impl Extractor for Panics {
    fn strip(&self) -> Strip {
        self.0.strip()
    }

    fn extract(&self, page: &PageContext<'_>) -> Selection {
        assert!(!page.url().contains("boo"), "a defect for a test");
        self.0.extract(page)
    }
}

#[test]
fn a_panic_costs_one_record() {
    let mut rules = Rules::new(&Config::default()).unwrap();
    rules.presets = vec![Preset::new("panics", Arc::new(Panics(CoreEx::modern())))];
    let mut processor = Processor::with_rules(Arc::new(rules));
    let html = b"<p>A page of quiet words, and some more of them.";
    let document = processor.page(html, "https://a.example/").unwrap();
    assert_eq!(
        processor.page(html, "https://boo.example/").unwrap_err(),
        Dropped::Failed(Failed::from(PageFault::Panic))
    );
    assert_eq!(
        processor.text(std::str::from_utf8(html).unwrap(), "").unwrap().text,
        document.text
    );
    let stored = [
        make::page("https://boo.example/", "A page of quiet words."),
        make::page("https://a.example/", "A page of quiet words."),
    ];
    let archive = Archive::from_source("a", Arc::new(stored.concat()), ReadOptions::default()).unwrap();
    let mut records = archive.records();
    let mut results = Vec::new();
    while let Some(record) = records.next_record() {
        if record.header.record_type == RecordType::Response {
            results.push(processor.record(&record, "a").map(|document| document.text));
        }
    }
    assert_eq!(
        results,
        [
            Err(Dropped::Failed(PageFault::Panic.into())),
            Ok("A page of quiet words.".to_owned())
        ]
    );
}
