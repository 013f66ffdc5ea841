//! `dehusk search`: words in the documents of runs.

use serde_json::Value;

use crate::program::{Ended, Place, SAMPLE, json_lines, make};

fn text(ended: &Ended) -> String {
    String::from_utf8(ended.stdout.clone()).unwrap()
}

/// The hits of a search in `out`.
fn hits(place: &Place, arguments: &[&str]) -> Vec<Value> {
    let ended = place.dehusk(&[&["search", "out", "--json"], arguments].concat());
    assert_eq!((ended.status, ended.stderr.as_str()), (0, ""));
    json_lines(&ended.stdout)
}

fn urls(hits: &[Value]) -> Vec<&str> {
    hits.iter().map(|hit| hit["url"].as_str().unwrap()).collect()
}

/// A run over pages with these hosts and texts.
fn run(place: &Place, pages: &[(&str, &str)]) {
    let pages = pages
        .iter()
        .map(|(host, text)| make::page(&format!("https://{host}/"), text));
    place.write("a.warc", pages.collect::<Vec<_>>().concat());
    place.run(&["a.warc"]).ends_with(0);
}

#[test]
fn every_format_gives_the_same_hits() {
    let formats: [&[&str]; 3] = [&[], &["--compression", "gzip"], &["--format", "xml"]];
    let found = formats.map(|format| {
        let place = Place::new();
        place.run(&[&[SAMPLE][..], format].concat());
        let mut all = Vec::new();
        for words in ["skeg", "the", "\"night ferry\"", "青石镇", "木", "pont suspendu"] {
            all.extend(hits(&place, &[words, "-n", "1000"]));
        }
        all
    });
    assert!(found[0].len() > 20, "{}", found[0].len());
    assert!(found[0] == found[1] && found[0] == found[2]);
}

#[test]
fn hits_are_the_documents_that_have_all_words() {
    let place = Place::new();
    let run = place.run(&[SAMPLE]);
    let found = hits(&place, &["BOAT the", "-n", "1000"]);
    let has = |document: &Value| {
        let both = format!("{}\n{}", document["metadata"]["title"], document["text"]).to_lowercase();
        let words: Vec<&str> = both.split(|c: char| !c.is_alphanumeric()).collect();
        words.contains(&"boat") && words.contains(&"the")
    };
    let expected: Vec<Value> = run.documents().into_iter().filter(has).collect();
    let expected: Vec<&str> = expected
        .iter()
        .map(|d| d["metadata"]["url"].as_str().unwrap())
        .collect();
    assert!(!expected.is_empty());
    assert_eq!(urls(&found), expected);
}

#[test]
fn a_hit_shows_the_words_and_its_record() {
    let place = Place::new();
    place.run(&[SAMPLE]);
    let ended = place.dehusk(&["search", "out", "skeg pebble"]);
    let out = text(&ended);
    assert!(
        out.contains("**Skeg** stuck halfway") && out.contains("a **pebble** in the box"),
        "{out}"
    );
    assert!(out.contains("\n  en · 2026-05-04 · "), "{out}");
    assert_eq!(ended.stderr, "1 document\n");
    let hit = &hits(&place, &["skeg pebble"])[0];
    let inspected = place.dehusk(&["inspect", hit["place"].as_str().unwrap()]);
    assert!(text(&inspected).contains(hit["url"].as_str().unwrap()));
}

#[test]
fn filters_choose_among_the_hits() {
    let place = Place::new();
    let english = "A harbour of the north, and the boats that came to it every morning before the sun was up.";
    run(
        &place,
        &[
            ("www.one.example", english),
            ("two.example", english),
            ("notone.example", english),
            (
                "one.example",
                "青石镇百年木桥修缮完工，港口 harbour 开放。清晨六点不到，桥头就聚集了几十位居民，他们中的许多人从小每天过桥。",
            ),
        ],
    );
    assert_eq!(hits(&place, &["harbour"]).len(), 4);
    let below = hits(&place, &["harbour", "--host", "One.example"]);
    assert_eq!(urls(&below), ["https://www.one.example/", "https://one.example/"]);
    assert_eq!(
        urls(&hits(&place, &["harbour", "--language", "zh"])),
        ["https://one.example/"]
    );
    let two = hits(
        &place,
        &[
            "harbour",
            "--host",
            "two.example",
            "--host",
            "notone.example",
            "--where",
            "url ~ two",
        ],
    );
    assert_eq!(urls(&two), ["https://two.example/"]);
}

#[test]
fn the_limit_is_kept_in_the_order_of_the_runs() {
    let place = Place::new();
    run(
        &place,
        &[
            ("a.example", "one boat"),
            ("b.example", "two boats, one boat"),
            ("c.example", "a boat"),
        ],
    );
    let ended = place.dehusk(&["search", "out", "boat", "-n", "2"]);
    let out = text(&ended);
    let at = |host: &str| out.find(host);
    assert!(
        at("a.example") < at("b.example") && at("b.example").is_some() && at("c.example").is_none(),
        "{out}"
    );
    assert_eq!(ended.stderr, "the first 2; --limit 10 shows more\n");
    // As many as there are.
    assert_eq!(
        place.dehusk(&["search", "out", "boat", "-n", "3"]).stderr,
        "3 documents\n"
    );
    assert_eq!(
        place.dehusk(&["search", "out", "ship"]).stderr,
        "no document has these words\n"
    );
}

#[test]
fn several_runs_are_searched_in_order() {
    let place = Place::new();
    for (folder, host) in [("nights/1", "a.example"), ("nights/2", "b.example")] {
        place.write("a.warc", make::page(&format!("https://{host}/"), "one boat"));
        place.run_to(folder, &["a.warc"]);
    }
    let ended = place.dehusk(&["search", "nights", "nights/1", "boat", "--json"]);
    let found = json_lines(&ended.stdout);
    assert_eq!(
        urls(&found),
        ["https://a.example/", "https://b.example/", "https://a.example/"]
    );
    assert_eq!(found[1]["run"], "nights/2");
}

#[test]
fn escapes_of_terminals_do_nothing() {
    let place = Place::new();
    run(&place, &[("a.example", "a boat &#27;[31m\u{9b}2J red \u{202e}back")]);
    let ended = place.dehusk(&["search", "out", "boat"]);
    let out = text(&ended);
    assert!(out.contains("**boat**"), "{out}");
    assert!(!out.contains(['\u{1b}', '\u{9b}', '\u{202e}']), "{out:?}");
}

#[test]
fn what_cannot_be_searched_is_named() {
    let place = Place::new();
    run(&place, &[("a.example", "one boat")]);
    let refused = |arguments: &[&str], status: i32, message: &str| {
        let ended = place.dehusk(&[&["search"], arguments].concat());
        assert!(
            ended.status == status && ended.stderr.contains(message),
            "{arguments:?}: {}",
            ended.stderr
        );
    };
    refused(&["out", "… !"], 2, "there is no word to search for");
    refused(&["boat"], 2, "give the runs, and after them the words");
    refused(&["out", "boat", "-n", "0"], 2, "--limit must lie between");
    refused(&["out", "boat", "--where", "words"], 2, "is not a condition");
    refused(&["missing", "boat"], 1, "missing/run.json: no such file");
    refused(&["a.warc", "boat"], 1, "is a file");
    refused(&["out", "one", "boat"], 1, "quote them: dehusk search out 'one boat'");
    refused(&["missing", "boat"], 1, "nothing was found in what could be read");
    // A shard with other bytes than the run wrote is named, and the rest is searched.
    let names = place.names("out/documents");
    place.write(&format!("out/documents/{}", names[0]), "changed");
    refused(&["out", "boat"], 1, &names[0]);
}
