//! Two extractors side by side.

use serde_json::Value;

use super::{PAGE, Served};

const SAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/sample/sample.warc.gz");
const TRUTH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/sample/truth.jsonl");

fn get(served: &Served, path: &str) -> Value {
    let answer = served.ask(&format!("GET {path}"), b"");
    assert_eq!(answer.status, 200, "{path}: {}", answer.text());
    answer.json()
}

/// One side of a difference, without what surrounds the words.
fn side(difference: &Value, side: u64) -> String {
    let pieces = difference["pieces"].as_array().unwrap().iter();
    let pieces = pieces.filter(|piece| piece[0] == 0 || piece[0] == side);
    pieces.map(|piece| piece[1].as_str().unwrap()).collect()
}

#[test]
fn a_difference_has_both_texts() {
    let served = Served::start(&[SAMPLE]);
    let compared = get(&served, "/inspector/compare?at=12421&extractor=fusion&with=coreex");
    let difference = &compared["differences"][0];
    for (number, extractor) in [(1, "fusion"), (2, "coreex")] {
        let page = get(&served, &format!("/inspector/page?at=12421&extractor={extractor}"));
        assert_eq!(side(difference, number), page["text"].as_str().unwrap(), "{extractor}");
    }
    assert!(side(difference, 1) != side(difference, 2));
    let agreement = compared["agreement"].as_f64().unwrap();
    assert!(agreement > 0.0 && agreement < 1.0, "{agreement}");
    assert_eq!(compared["measures"], Value::Null);
}

#[test]
fn the_measures_are_those_of_eval() {
    let served = Served::start(&[SAMPLE, "--truth", TRUTH]);
    let report = served.evaluate(TRUTH, "fusion,coreex");
    let compared = get(&served, "/inspector/compare?at=12421&extractor=fusion&with=coreex");
    let measures = compared["measures"].as_array().unwrap();
    assert_eq!(measures.len(), 2);
    for (extractor, measures) in ["fusion", "coreex"].into_iter().zip(measures) {
        let place = format!("{SAMPLE}@12421");
        let is_page = |row: &&Value| row["extractor"] == extractor && row["place"] == *place;
        let row = report["pages"].as_array().unwrap().iter().find(is_page).unwrap();
        assert_eq!(measures["extractor"], extractor);
        for (ours, theirs) in [("f1", "bag_f1"), ("precision", "bag_precision"), ("score", "lcs_score")] {
            let [ours, theirs] = [&measures[ours], &row[theirs]].map(|value| value.as_f64().unwrap());
            assert!((ours - theirs).abs() < 1e-6, "{extractor}: {ours} and {theirs}");
        }
    }
    let of: Vec<&Value> = compared["differences"]
        .as_array()
        .unwrap()
        .iter()
        .map(|d| &d["of"])
        .collect();
    assert_eq!(of[1][1], "truth");
}

#[test]
fn the_frame_shows_who_keeps_what() {
    let served = Served::start(&[SAMPLE]);
    let frame = served.ask("GET /inspector/frame?at=12421&extractor=fusion&with=coreex", b"");
    let classes = |name: &str| frame.text().matches(&format!(" class=\"{name}\"")).count();
    assert!(classes("k") > 0 && classes("one") + classes("other") > 0 && classes("l") > 0);
    // Both give their reasons, by their names.
    assert!(frame.text().contains("fusion: #") && frame.text().contains("coreex: #"));
}

#[test]
fn records_show_how_much_the_two_agree() {
    let served = Served::start(&[SAMPLE]);
    let listed = get(
        &served,
        "/inspector/records?extractor=fusion&with=coreex&outcome=emitted&limit=5",
    );
    for record in listed["records"].as_array().unwrap() {
        let place = record["at"].as_str().unwrap().replace('+', "%2B");
        let compared = get(
            &served,
            &format!("/inspector/compare?at={place}&extractor=fusion&with=coreex"),
        );
        assert_eq!(record["agreement"], compared["agreement"]);
    }
}

#[test]
fn wrong_comparisons_are_named() {
    let served = Served::start(&[SAMPLE]);
    let refusal = |query: &str| served.ask(&format!("GET /inspector/compare?{query}"), b"").refusal();
    assert_eq!(refusal("at=12421"), (400, "with".to_owned()));
    assert_eq!(
        refusal("at=12421&extractor=coreex&with=coreex"),
        (400, "with".to_owned())
    );
    assert_eq!(refusal("at=12421&with=coreexx"), (400, "extractor".to_owned()));
    assert_eq!(refusal("at=97939&with=coreex"), (422, "gzip_data".to_owned()));
    let missing = served
        .place
        .dehusk(&["serve", "--port", "0", "--truth", "missing.jsonl"]);
    assert!(
        missing.stderr.contains("missing.jsonl: cannot be read"),
        "{}",
        missing.stderr
    );
    assert_eq!(served.ask("POST /extract", PAGE.as_bytes()).status, 200);
}
