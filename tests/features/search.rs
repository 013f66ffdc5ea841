//! `dehusk search` over runs with a full-text index.

use serde_json::Value;

use crate::program::{Place, json_lines, make};

const SAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/sample/sample.warc.gz");
const TRIGRAM: &str = "output.tokenizer=\"trigram\"";

fn hits(place: &Place, run: &str, arguments: &[&str]) -> Vec<Value> {
    let ended = place.dehusk(&[&["search", run, "--json"], arguments].concat());
    assert_eq!((ended.status, ended.stderr.as_str()), (0, ""));
    json_lines(&ended.stdout)
}

/// Runs the sample into a folder. Returns the account.
fn run(place: &Place, folder: &str, arguments: &[&str]) -> Value {
    let ended = place.dehusk(&[&["run", SAMPLE, "-o", folder, "--quiet"], arguments].concat());
    // The sample has damage.
    assert_eq!(ended.status, 3, "{}", ended.stderr);
    serde_json::from_slice(&std::fs::read(place.path(folder).join("run.json")).unwrap()).unwrap()
}

/// Runs of the sample without an index, with one of words, and with one of trigrams.
fn runs() -> Place {
    let place = Place::new();
    run(&place, "plain", &[]);
    run(&place, "words", &["--format", "sqlite"]);
    run(&place, "trigram", &["--format", "sqlite", "--set", TRIGRAM]);
    place
}

#[test]
fn an_index_finds_what_reading_finds() {
    let place = runs();
    let queries = [
        "skeg",
        "the",
        "\"night ferry\"",
        "pont suspendu",
        "e",
        "Werft",
        "青石镇",
        "青石",
        "木",
        "木桥 的",
        "boat nowhere",
    ];
    let mut count = 0;
    for words in queries {
        let ids = |run: &str| {
            let found = hits(&place, run, &[words, "-n", "1000"]);
            let mut ids: Vec<String> = found.iter().map(|hit| hit["id"].as_str().unwrap().to_owned()).collect();
            ids.sort();
            ids
        };
        let plain = ids("plain");
        count += plain.len();
        assert_eq!(ids("words"), plain, "{words}");
        assert_eq!(ids("trigram"), plain, "{words}");
    }
    assert!(count > 30, "{count}");
}

#[test]
fn hits_of_an_index_are_the_best_first() {
    let place = runs();
    let all = hits(&place, "words", &["the", "-n", "1000"]);
    let ranks: Vec<f64> = all.iter().map(|hit| hit["rank"].as_f64().unwrap()).collect();
    assert!(
        ranks.len() > 10 && ranks.is_sorted_by(|one, other| one >= other),
        "{ranks:?}"
    );
    assert_eq!(hits(&place, "words", &["the", "-n", "3"]), all[..3]);
    // Chinese is not in an index of words, so it is read.
    assert_eq!(hits(&place, "words", &["青石镇"])[0]["rank"], Value::Null);
    assert!(hits(&place, "trigram", &["青石镇"])[0]["rank"].is_f64());
}

#[test]
fn a_filter_does_not_take_hits_from_the_limit() {
    let place = runs();
    let all = hits(&place, "words", &["the", "-n", "1000"]);
    let last = all.last().unwrap();
    let host = last["hostname"].as_str().unwrap();
    let found = hits(&place, "words", &["the", "-n", "1", "--host", host]);
    assert_eq!(found[0]["hostname"], host);
}

#[test]
fn another_index_is_another_run() {
    let place = Place::new();
    let hash = |folder: &str, arguments: &[&str]| run(&place, folder, arguments)["config_hash"].clone();
    let plain = hash("plain", &[]);
    assert_eq!(hash("words", &["--format", "sqlite"]), plain);
    assert_ne!(hash("trigram", &["--format", "sqlite", "--set", TRIGRAM]), plain);
    // A format without an index does not depend on it.
    assert_eq!(hash("unused", &["--set", TRIGRAM]), plain);
    let wrong = place.dehusk(&["run", SAMPLE, "-o", "wrong", "--set", "output.tokenizer=\"trigrams\""]);
    assert!(
        wrong.status == 2 && wrong.stderr.contains("trigram"),
        "{}",
        wrong.stderr
    );
}

#[test]
fn a_damaged_index_is_named() {
    let place = Place::new();
    run(&place, "out", &["--format", "sqlite"]);
    let path = place.path("out/documents/sample.sqlite");
    let database = rusqlite::Connection::open(&path).unwrap();
    database
        .execute_batch("DELETE FROM documents WHERE number = 4")
        .unwrap();
    drop(database);
    let ended = place.dehusk(&["search", "out", "skeg"]);
    assert!(
        ended.status == 1 && ended.stderr.contains("sample.sqlite"),
        "{}",
        ended.stderr
    );
}

#[test]
fn hits_of_indexes_come_first_and_the_others_after_them_in_order() {
    let place = Place::new();
    let texts = [
        "a boat among many other words of a page",
        "boat",
        "a boat, the boat, another boat",
    ];
    for (folder, format) in [("ranked", "sqlite"), ("read", "jsonl"), ("late", "sqlite")] {
        let pages = (0..)
            .zip(texts)
            .map(|(n, text)| make::page(&format!("https://{folder}{n}.example/"), text));
        place.write(&format!("{folder}.warc"), pages.collect::<Vec<_>>().concat());
        let archive = format!("{folder}.warc");
        place.dehusk(&["run", &archive, "-o", folder, "--format", format, "--quiet"]);
    }
    let found = |runs: &[&str], limit: &str| -> Vec<String> {
        let ended = place.dehusk(&[&["search"], runs, &["boat", "--json", "-n", limit]].concat());
        let hits = json_lines(&ended.stdout);
        hits.iter().map(|hit| hit["url"].as_str().unwrap().to_owned()).collect()
    };
    let ranked = found(&["ranked"], "9");
    let read: Vec<String> = (0..3).map(|n| format!("https://read{n}.example/")).collect();
    let both = [&ranked[..], &read[..]].concat();
    assert_eq!(both.len(), 6);
    // Whatever the order of the runs and the limit.
    for limit in 1..=7 {
        let expected = &both[..limit.min(6)];
        assert_eq!(found(&["ranked", "read"], &limit.to_string()), expected, "{limit}");
        assert_eq!(found(&["read", "ranked"], &limit.to_string()), expected, "{limit}");
    }
    // An index of as many hits as were asked for has no more.
    let says = |limit: &str| place.dehusk(&["search", "ranked", "boat", "-n", limit]).stderr;
    assert_eq!(says("3"), "3 documents\n");
    assert_eq!(says("2"), "the best 2; --limit 10 shows more\n");
    let indexes = found(&["ranked", "late"], "9");
    assert_eq!(found(&["read", "ranked", "read", "late"], "4"), indexes[..4]);
}
