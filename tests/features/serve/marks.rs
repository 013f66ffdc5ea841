//! Marks of people become truth.

use serde_json::{Value, json};

use super::client::Answer;
use super::{PAGE, Served};
use crate::program::{Place, make};

const SAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/sample/sample.warc.gz");
const FORUM: &str = "at=12421";

impl Served {
    fn marking(place: Place) -> Self {
        Self::start_in(place, &[SAMPLE, "--truth-out", "truth.jsonl"])
    }

    fn read(&self, path: &str) -> Value {
        let answer = self.ask(&format!("GET {path}"), b"");
        assert_eq!(answer.status, 200, "{path}: {}", answer.text());
        answer.json()
    }

    /// Sends what a page of this server would.
    fn write(&self, path: &str, body: &Value) -> Answer {
        let headers = [("Sec-Fetch-Site", "same-origin"), ("Content-Type", "application/json")];
        self.ask_with(&format!("POST {path}"), &headers, body.to_string().as_bytes())
    }

    /// Marks a page as the extractor proposes. Returns the listing.
    fn mark_as_proposed(&self, query: &str) -> Value {
        let blocks = self.read(&format!("/inspector/blocks?{query}"));
        let blocks = blocks["blocks"].as_array().unwrap();
        let kept: Vec<usize> = (0..blocks.len()).filter(|at| blocks[*at][1] == 1).collect();
        let answer = self.write(
            &format!("/inspector/mark?{query}"),
            &json!({"blocks": blocks.len(), "kept": kept}),
        );
        assert_eq!(answer.status, 200, "{}", answer.text());
        answer.json()
    }

    fn truth(&self) -> String {
        std::fs::read_to_string(self.place.path("truth.jsonl")).unwrap()
    }
}

#[test]
fn what_is_marked_as_proposed_is_the_text_of_the_document() {
    let served = Served::marking(Place::new());
    let listed = served.mark_as_proposed(FORUM);
    assert_eq!(listed["pages"].as_array().unwrap().len(), 1);
    let line: Value = serde_json::from_str(&served.truth()).unwrap();
    assert_eq!(line["text"], served.read(&format!("/inspector/page?{FORUM}"))["text"]);
    assert_eq!(line["lang"], "en");
}

#[test]
fn the_measures_of_marks_are_those_of_eval() {
    let served = Served::marking(Place::new());
    let blocks = served.read(&format!("/inspector/blocks?{FORUM}"))["blocks"]
        .as_array()
        .unwrap()
        .len();
    // Not what any extractor keeps.
    let marks = json!({"blocks": blocks, "kept": [1, 2, 16, 17]});
    let listed = served.write(&format!("/inspector/mark?{FORUM}"), &marks).json();
    let id = listed["pages"][0]["id"].as_str().unwrap();
    let measured = served.read(&format!("/inspector/measure?id={id}"));
    let report = served.evaluate("truth.jsonl", "all");
    let rows = report["pages"].as_array().unwrap();
    assert!(rows.len() > 10);
    for row in rows {
        let measures = measured["measures"].as_array().unwrap().iter();
        let of = measures.clone().find(|of| of["extractor"] == row["extractor"]).unwrap();
        for (ours, theirs) in [("f1", "bag_f1"), ("recall", "bag_recall"), ("score", "lcs_score")] {
            let [ours, theirs] = [&of[ours], &row[theirs]].map(|value| value.as_f64().unwrap());
            assert!((ours - theirs).abs() < 1e-6, "{}: {ours} and {theirs}", of["extractor"]);
        }
    }
}

#[test]
fn the_first_command_that_is_shown_reads_the_marks() {
    let served = Served::marking(Place::new());
    served.mark_as_proposed(FORUM);
    let commands = served.read("/inspector/marks")["commands"].clone();
    let command = commands[0]
        .as_str()
        .unwrap()
        .strip_prefix("dehusk ")
        .unwrap()
        .to_owned();
    let features = served.place.dehusk(&Vec::from_iter(command.split(' ')));
    assert!(features.stderr.contains("1 pages, 55 blocks"), "{}", features.stderr);
    assert!(commands[1].as_str().unwrap().contains("-m training features"));
}

#[test]
fn marks_outlive_the_server_and_are_taken_back() {
    let mut served = Served::marking(Place::new());
    served.mark_as_proposed(FORUM);
    let first = served.truth();
    let blocks = served.read(&format!("/inspector/blocks?{FORUM}"));
    assert!(blocks["marked"].as_array().unwrap().len() > 10);
    served.mark_as_proposed("at=341");
    let undone = served.write("/inspector/undo", &Value::Null).json();
    assert_eq!(undone["pages"].as_array().unwrap().len(), 1);
    assert_eq!(served.truth(), first);
    // The same file continues in another server, but only in one at a time.
    let path = served.place.path("truth.jsonl");
    let second = served
        .place
        .dehusk(&["serve", "--port", "0", SAMPLE, "--truth-out", path.to_str().unwrap()]);
    assert!(
        second.stderr.contains("another server marks pages in it"),
        "{}",
        second.stderr
    );
    served.stop();
    let again = Served::start(&[SAMPLE, "--truth-out", path.to_str().unwrap()]);
    assert_eq!(
        again.read(&format!("/inspector/blocks?{FORUM}"))["marked"],
        blocks["marked"]
    );
    let listed = again.read("/inspector/marks");
    assert_eq!(listed["pages"][0]["at"], "12421");
    // So do its changes.
    assert_eq!(listed["undo"], true);
    let undone = again.write("/inspector/undo", &Value::Null).json();
    assert_eq!((&undone["undo"], served.truth()), (&json!(false), String::new()));
    // The changes of another program are not written over.
    std::fs::write(&path, &first).unwrap();
    let answer = again.write(&format!("/inspector/mark?{FORUM}"), &json!({"blocks": 55, "kept": [1]}));
    assert_eq!(answer.refusal(), (409, "changed".to_owned()));
}

#[test]
fn only_pages_of_the_server_write() {
    let served = Served::marking(Place::new());
    let body = json!({"blocks": 55, "kept": []}).to_string();
    let path = format!("POST /inspector/mark?{FORUM}");
    for headers in [
        &[("Content-Type", "application/json")][..],
        &[("Origin", "http://evil.example")],
        &[("Sec-Fetch-Site", "cross-site")],
        &[("Host", "evil.example"), ("Sec-Fetch-Site", "same-origin")],
    ] {
        let refusal = served.ask_with(&path, headers, body.as_bytes()).refusal();
        assert_eq!(refusal.0, 403, "{headers:?}");
    }
    assert!(!served.place.path("truth.jsonl").exists());
    let own = format!("http://127.0.0.1:{}", served.port);
    let host = format!("127.0.0.1:{}", served.port);
    let answer = served.ask_with(&path, &[("Host", &host), ("Origin", &own)], body.as_bytes());
    assert_eq!(answer.status, 200, "{}", answer.text());
}

#[test]
fn a_server_without_a_truth_file_writes_nothing() {
    let served = Served::start(&[SAMPLE]);
    assert_eq!(served.read("/inspector/inputs")["marks"], false);
    for path in ["blocks?at=12421", "marks", "measure?id=a"] {
        let refusal = served.ask(&format!("GET /inspector/{path}"), b"").refusal();
        assert_eq!(refusal, (404, "no_truth_out".to_owned()), "{path}");
    }
    for path in ["mark?at=12421", "unmark?id=a", "undo"] {
        let refusal = served
            .write(&format!("/inspector/{path}"), &json!({"blocks": 55, "kept": []}))
            .refusal();
        assert_eq!(refusal, (404, "no_truth_out".to_owned()), "{path}");
    }
    assert_eq!(std::fs::read_dir(served.place.path("")).unwrap().count(), 0);
}

#[test]
fn wrong_marks_are_named() {
    let served = Served::marking(Place::new());
    let refusal = |query: &str, body: Value| served.write(&format!("/inspector/mark?{query}"), &body).refusal();
    for body in [
        json!([]),
        json!({"blocks": 55}),
        json!({"blocks": 55, "kept": [55]}),
        json!({"blocks": 55, "kept": [-1]}),
        json!({"blocks": u64::MAX, "kept": []}),
    ] {
        assert_eq!(refusal(FORUM, body.clone()), (400, "json".to_owned()), "{body}");
    }
    assert_eq!(
        refusal(FORUM, json!({"blocks": 54, "kept": []})),
        (409, "changed".to_owned())
    );
    let marks = || json!({"blocks": 1, "kept": []});
    assert_eq!(refusal("at=97939", marks()), (422, "gzip_data".to_owned()));
    let pasted = served.ask("POST /inspector/paste", PAGE.as_bytes()).json();
    let pasted = format!("pasted={}", pasted["pasted"].as_str().unwrap());
    assert_eq!(refusal(&pasted, marks()), (422, "no_record".to_owned()));
    assert_eq!(
        served.write("/inspector/unmark?id=urn:a", &Value::Null).refusal(),
        (404, "no_page".to_owned())
    );
    assert!(!served.place.path("truth.jsonl").exists());
    let archive = served
        .place
        .dehusk(&["serve", "--port", "0", SAMPLE, "--truth-out", SAMPLE]);
    assert!(archive.stderr.contains("is compressed"), "{}", archive.stderr);
    for (arguments, message) in [
        (&["--truth-out", "-"][..], "give --truth-out a file"),
        (&["--measure-from", "2"], "--truth-out <FILE>"),
    ] {
        let ended = served
            .place
            .dehusk(&[&["serve", "--port", "0", SAMPLE], arguments].concat());
        assert_eq!(ended.status, 2, "{}", ended.stderr);
        assert!(ended.stderr.contains(message), "{}", ended.stderr);
    }
    served.place.run(&[SAMPLE]);
    let inside = served
        .place
        .dehusk(&["serve", "--port", "0", "out", "--truth-out", "out/truth.jsonl"]);
    assert!(
        inside.stderr.contains("is in the directory of a run"),
        "{}",
        inside.stderr
    );
}

/// The places of the pages of an archive.
fn places(served: &Served) -> Vec<String> {
    let listed = served.read("/inspector/records?limit=50");
    let records = listed["records"].as_array().unwrap().iter();
    records
        .map(|record| record["at"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn a_second_record_with_the_same_id_is_refused() {
    let place = Place::new();
    let url = "https://a.example/";
    place.write(
        "a.warc",
        [make::page(url, "One walk."), make::page(url, "Another walk.")].concat(),
    );
    let served = Served::start_in(place, &["a.warc", "--truth-out", "truth.jsonl"]);
    let places = places(&served);
    served.mark_as_proposed(&format!("at={}", places[0]));
    let first = served.truth();
    // The marks of the first are not shown as those of the second.
    let second = format!("at={}", places[1]);
    assert_eq!(
        served.read(&format!("/inspector/blocks?{second}"))["marked"],
        Value::Null
    );
    let marks = json!({"blocks": 1, "kept": [0], "was": null});
    let answer = served.write(&format!("/inspector/mark?{second}"), &marks);
    assert_eq!(answer.refusal(), (409, "other_record".to_owned()));
    assert!(
        answer.text().contains(&format!("a.warc@{}", places[0])),
        "{}",
        answer.text()
    );
    assert_eq!(served.truth(), first);
}

#[test]
fn marks_find_their_archive_by_another_name() {
    let place = Place::new();
    place.write("a.warc", make::page("https://a.example/", "One walk in the rain."));
    let mut served = Served::start_in(place, &["a.warc", "--truth-out", "truth.jsonl"]);
    let listed = served.mark_as_proposed("at=0");
    served.stop();
    let id = listed["pages"][0]["id"].as_str().unwrap();
    let truth = served.place.path("truth.jsonl");
    let with = |archive: &str| Served::start(&[archive, "--truth-out", truth.to_str().unwrap()]);
    let check = |again: &Served| {
        let listed = again.read("/inspector/marks");
        assert_eq!(listed["pages"][0]["input"], 0);
        assert!(listed["commands"][0].as_str().unwrap().contains("a.warc"));
        assert!(again.read("/inspector/blocks?at=0")["marked"].is_array());
        again.read(&format!("/inspector/measure?id={id}"));
        again.mark_as_proposed("at=0");
    };
    // It has moved for a server that runs elsewhere.
    check(&with(served.place.path("a.warc").to_str().unwrap()));
    // The line has the whole path now.
    let place = served.place.path("");
    check(&with(&format!("{}/./a.warc", place.display())));
    assert_eq!(served.truth().lines().count(), 1);
}

#[test]
fn marks_from_two_tabs_do_not_replace_one_another() {
    let served = Served::marking(Place::new());
    let path = format!("/inspector/mark?{FORUM}");
    let mark = |kept: &[usize], was: Value| served.write(&path, &json!({"blocks": 55, "kept": kept, "was": was}));
    assert_eq!(mark(&[1], Value::Null).status, 200);
    let first = served.truth();
    for was in [Value::Null, json!([2])] {
        assert_eq!(mark(&[3], was).refusal(), (409, "marked".to_owned()));
    }
    assert_eq!(served.truth(), first);
    assert_eq!(mark(&[3], json!([1])).status, 200);
}

#[test]
fn comparisons_are_measured_by_the_marks() {
    let place = Place::new();
    let unnamed = String::from_utf8(make::page("https://a.example/", "One walk. And a way home.")).unwrap();
    let lines = unnamed
        .split_inclusive('\n')
        .filter(|line| !line.starts_with("WARC-Record-ID"));
    place.write("a.warc", lines.collect::<String>());
    place.write("truth.jsonl", "{\"record_id\": \"urn:other\", \"text\": \"T\"}\n");
    let served = Served::start_in(
        place,
        &["a.warc", "--truth", "truth.jsonl", "--truth-out", "truth.jsonl"],
    );
    let compare = |served: &Served| served.read("/inspector/compare?at=0&extractor=fusion&with=coreex");
    assert_eq!(compare(&served)["measures"], Value::Null);
    served.mark_as_proposed("at=0");
    let compared = compare(&served);
    assert_eq!(compared["measures"][0]["f1"], 1.0);
    // A record without an id is found in a truth that nobody changes, too.
    let path = served.place.path("a.warc");
    let truth = served.place.path("truth.jsonl");
    let other = Served::start(&[path.to_str().unwrap(), "--truth", truth.to_str().unwrap()]);
    assert_eq!(compare(&other), compared);
}
