//! `dehusk eval --tables`: the papers' figures beside those of the pages.

use crate::program::Place;
use crate::program::eval::{object, page, stdout, truth};

/// Two truth files with a page each, and their archive.
fn place() -> Place {
    let place = Place::new();
    let urls = ["http://a.test/1", "http://a.test/2"];
    let text = "The ferry was late again today, it came at noon and left at one.";
    place.write("a.warc", urls.map(|url| page(url, &[text])).concat());
    place.write("one.truth.jsonl", truth(urls[0], text));
    place.write("two.jsonl", truth(urls[1], text));
    place
}

const COMMAND: [&str; 6] = ["eval", "--truth", "one.truth.jsonl", "--truth", "two.jsonl", "a.warc"];

#[test]
fn each_truth_file_is_a_source_beside_those_of_the_paper() {
    let place = place();
    let ended = place.dehusk(&[&COMMAND[..], &["--tables", "cetd", "-e", "fusion"]].concat());
    assert_eq!((ended.status, ended.stderr.as_str()), (0, ""));
    let text = stdout(&ended);
    let lines: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
    let has = |cells: &[&str]| assert!(lines.iter().any(|line| line == cells), "{cells:?} is not in\n{text}");
    assert!(text.contains("cetd, Table 4: F1 of words in order, in %"), "{text}");
    has(&["here"]);
    has(&["extractor", "one", "two"]);
    has(&["cectd-ds", "100.00", "100.00"]);
    has(&[
        "cectd-ds", "96.51", "98.92", "89.04", "95.43", "91.67", "98.77", "96.15", "95.21",
    ]);
    // No paper has it.
    has(&["fusion", "-", "-", "-", "-", "-", "-", "-", "-"]);
    assert!(
        text.contains("\n\nA misprint: Table 1 has 92.23 for cetd-ds on Chaos."),
        "{text}"
    );
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
}

#[test]
fn every_paper_has_tables_in_every_format() {
    let place = place();
    let all = ["--tables", "coreex,contentex,nce,econ,cetd"];
    let run = |format: &str| place.dehusk(&[&COMMAND[..], &all, &["--format", format]].concat());
    let report = object(&run("json"));
    let tables = report["tables"].as_array().unwrap();
    assert_eq!(tables.len(), 16);
    let coreex = tables.iter().find(|table| table["paper"] == "coreex").unwrap();
    let rows = coreex["rows"].as_array().unwrap();
    let names: Vec<&str> = rows.iter().map(|row| row["extractor"].as_str().unwrap()).collect();
    assert_eq!(
        names[..5],
        ["coreex R1", "coreex R2", "coreex R3", "coreex R4", "coreex"]
    );
    assert_eq!(rows[4]["figures"]["CoreEx"]["R"], 98.62);
    assert_eq!(rows[4]["figures"]["two"]["R"], 100.0);
    let csv = stdout(&run("csv"));
    assert!(csv.starts_with("paper,table,extractor,family,column,figure\n"), "{csv}");
    assert!(csv.contains("econ,IV: ms a page,econ,ECON,whole,15\n"), "{csv}");
    // The truth names no title.
    assert!(!csv.contains("titles,one,title"), "{csv}");
    let parts = tables
        .iter()
        .find(|table| table["title"].as_str().unwrap().starts_with("Figure 9"));
    assert_eq!(
        parts.unwrap()["rows"][0]["figures"],
        serde_json::json!({"CoreEx": {"title": 80.0}})
    );
    let markdown = stdout(&run("markdown"));
    assert!(markdown.contains("| extractor | one: P | one: R |"), "{markdown}");
}

#[test]
fn what_makes_no_table_is_refused() {
    let place = place();
    let error = |more: &[&str]| {
        let ended = place.dehusk(&[&COMMAND[..], more].concat());
        assert_eq!(ended.status, 2, "{more:?}");
        ended.stderr
    };
    assert!(error(&["--tables", "vips"]).contains("possible values: coreex, contentex, nce, econ, cetd"));
    for more in [
        "--by=site",
        "--metrics=bag",
        "--per-page",
        "--worst=1",
        "--sweep=coreex.threshold=0..1:1",
    ] {
        assert!(
            error(&["--tables", "cetd", more]).contains("cannot be used with"),
            "{more}"
        );
    }
}
