//! The records of a run are shown by the settings of the run.

use serde_json::Value;

use super::Served;
use crate::program::Place;

const SAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/sample/sample.warc.gz");

impl Served {
    /// How many records of the first archive have an outcome and a reason.
    fn count(&self, query: &str, outcome: &str, reason: &str) -> u64 {
        let (mut count, mut from) = (0, "0".to_owned());
        loop {
            let path = format!("/inspector/records?{query}&limit=200&from={from}");
            let listed = self.ask(&format!("GET {path}"), b"").json();
            let records = listed["records"]
                .as_array()
                .unwrap_or_else(|| panic!("{listed}"))
                .iter();
            count += records
                .filter(|r| r["outcome"] == outcome && r["reason"] == reason)
                .count() as u64;
            match listed["next"].as_str() {
                Some(next) => from = next.replace('+', "%2B"),
                None => return count,
            }
        }
    }

    fn extractor(&self, query: &str) -> Value {
        let page = self.ask(&format!("GET /inspector/page?at=12421&{query}"), b"").json();
        page["explanation"]["extractor"].clone()
    }
}

/// Changes the account of the run in `out`.
fn change(place: &Place, change: impl FnOnce(&mut Value)) {
    let path = place.path("out/run.json");
    let mut account: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    change(&mut account);
    std::fs::write(&path, account.to_string()).unwrap();
}

#[test]
fn verdicts_and_extractors_are_those_of_the_run() {
    let place = Place::new();
    let run = place.run(&[SAMPLE, "-e", "coreex", "--set", "select.min_words=250"]);
    // Named by itself, too.
    let served = Served::start_in(place, &["out", SAMPLE]);
    let short = run.total("filtered.too_short");
    assert!(short > 0);
    assert_eq!(served.count("outcome=filtered", "filtered", "too_short"), short);
    assert_eq!(served.count("outcome=filtered&run=0", "filtered", "too_short"), short);
    assert_eq!(served.count("outcome=filtered&run=server", "filtered", "too_short"), 0);
    assert_eq!(served.extractor(""), "coreex");
    assert_eq!(served.extractor("run=server"), "fusion");
    // The settings of a request go over those of the run.
    assert_eq!(served.extractor("extractor=cetd-ds"), "cetd-ds");
    let report = served.ask("GET /report", b"");
    assert!(
        report
            .text()
            .contains("#input=0&amp;run=0&amp;outcome=filtered%3Atoo_short")
    );
}

#[test]
fn two_runs_of_an_archive_keep_their_settings_apart() {
    let place = Place::new();
    place.run_to("one", &[SAMPLE, "-e", "coreex"]);
    place.run_to("two", &[SAMPLE, "-e", "cetd-ds"]);
    let served = Served::start_in(place, &["one", "two"]);
    for (query, extractor) in [("run=0", "coreex"), ("run=1", "cetd-ds"), ("", "coreex")] {
        assert_eq!(served.extractor(query), extractor, "{query}");
        // With a setting, too, for which rules are kept.
        assert_eq!(
            served.extractor(&format!("{query}&set=select.min_words=2")),
            extractor,
            "{query}"
        );
    }
    let refusal = served.ask("GET /inspector/page?run=2", b"").refusal();
    assert_eq!(refusal, (404, "no_run".to_owned()));
}

#[test]
fn settings_that_cannot_be_used_are_named() {
    let place = Place::new();
    place.run(&[SAMPLE]);
    change(&place, |account| {
        account["config"]["extract"]["extractors"] = serde_json::json!(["gone"])
    });
    let served = Served::start_in(place, &["out"]);
    let answer = served.ask("GET /inspector/page?at=12421", b"");
    assert_eq!(answer.refusal(), (409, "run_settings".to_owned()));
    assert!(answer.text().contains("gone"), "{}", answer.text());
    assert_eq!(served.extractor("run=server"), "fusion");
}

#[test]
fn settings_that_mean_something_else_now_are_noted() {
    let place = Place::new();
    place.run(&[SAMPLE]);
    let same = Served::start_in(place, &["out"]);
    let note = |served: &Served| served.ask("GET /inspector/records?limit=1", b"").json()["note"].clone();
    assert_eq!(note(&same), Value::Null);
    change(&same.place, |account| account["config_hash"] = "00000000".into());
    let out = same.place.path("out");
    let changed = Served::start(&[out.to_str().unwrap()]);
    assert!(note(&changed).as_str().unwrap().contains("mean something else now"));
}
