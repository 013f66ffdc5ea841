//! Words in the documents of runs, and their facets.

use serde_json::{Value, json};

use super::Served;
use crate::program::{Place, json_lines, make};

const SAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/sample/sample.warc.gz");

impl Served {
    /// Searches to the end.
    fn search(&self, query: &str) -> Value {
        let mut path = format!("/inspector/search?{query}");
        loop {
            let answer = self.ask(&format!("GET {path}"), b"");
            assert_eq!(answer.status, 200, "{path}: {}", answer.text());
            let found = answer.json();
            match found["search"].as_str() {
                Some(number) => path = format!("/inspector/search?search={number}"),
                None => return found,
            }
        }
    }
}

/// A server of a run over the sample.
fn served() -> Served {
    let place = Place::new();
    place.run(&[SAMPLE]);
    Served::start_in(place, &["out"])
}

fn sum(facet: &Value) -> u64 {
    facet.as_array().unwrap().iter().map(|of| of[1].as_u64().unwrap()).sum()
}

#[test]
fn hits_are_those_of_the_command_with_their_records() {
    let served = served();
    let found = served.search("words=the");
    let ended = served.place.dehusk(&["search", "out", "the", "--json", "-n", "1000"]);
    let expected = json_lines(&ended.stdout);
    let hits = found["hits"].as_array().unwrap();
    assert_eq!(
        (found["found"].as_u64(), hits.len()),
        (Some(expected.len() as u64), expected.len())
    );
    for (hit, expected) in hits.iter().zip(&expected) {
        assert_eq!(hit["url"], expected["url"]);
        let place = hit["at"].as_str().unwrap().replace('+', "%2B");
        let page = served.ask(&format!("GET /inspector/page?input={}&at={place}", hit["input"]), b"");
        assert_eq!(page.json()["record"]["url"], hit["url"]);
    }
}

#[test]
fn facets_count_all_hits_and_choose_among_them() {
    let served = served();
    let found = served.search("words=the");
    assert_eq!(sum(&found["facets"]["day"]), found["found"].as_u64().unwrap());
    for (facet, value) in ["host", "language", "day"].map(|name| (name, &found["facets"][name][0])) {
        let narrowed = served.search(&format!("words=the&{facet}={}", value[0].as_str().unwrap()));
        assert_eq!(narrowed["found"], value[1], "{facet}");
    }
    let none = served.search("words=the&language=en&host=nowhere.example");
    assert_eq!((&none["found"], &none["hits"]), (&json!(0), &json!([])));
}

#[test]
fn hits_of_an_archive_that_is_gone_are_shown_without_it() {
    let place = Place::new();
    let archive = place.write("a.warc", make::page("https://a.example/", "one boat"));
    place.run(&["a.warc"]);
    let served = Served::start_in(place, &["out"]);
    assert_eq!(served.search("words=boat")["hits"][0]["input"], 0);
    std::fs::remove_file(archive).unwrap();
    let hit = &served.search("words=boat")["hits"][0];
    assert_eq!(
        (&hit["input"], &hit["url"]),
        (&Value::Null, &json!("https://a.example/"))
    );
}

#[test]
fn wrong_searches_are_named() {
    let served = served();
    let refusal = |query: &str| served.ask(&format!("GET /inspector/search?{query}"), b"").refusal();
    assert_eq!(refusal("words="), (400, "words".to_owned()));
    assert_eq!(refusal("word=a"), (400, "unknown_parameter".to_owned()));
    assert_eq!(refusal("search=77"), (404, "no_search".to_owned()));
    let shard = served.place.path("out/documents/sample.jsonl.zst");
    std::fs::write(shard, "changed").unwrap();
    let found = served.search("words=the");
    assert!(
        found["messages"][0].as_str().unwrap().contains("sample.jsonl.zst"),
        "{found}"
    );
    let without = Served::start(&[SAMPLE]);
    let refusal = without.ask("GET /inspector/search?words=a", b"").refusal();
    assert_eq!(refusal, (404, "no_run".to_owned()));
}

#[test]
fn each_search_reads_the_runs_that_are_asked_anew() {
    let place = Place::new();
    for (folder, host) in [("one", "a.example"), ("two", "b.example")] {
        place.write("a.warc", make::page(&format!("https://{host}/"), "one boat"));
        place.run_to(folder, &["a.warc"]);
    }
    let served = Served::start_in(place, &["one", "two", "./one"]);
    let all = served.search("words=boat");
    let hosts = |found: &Value| -> Vec<Value> {
        let hits = found["hits"].as_array().unwrap().iter();
        hits.map(|hit| json!([hit["run"], hit["run_name"], hit["host"]]))
            .collect()
    };
    assert_eq!(
        hosts(&all),
        [json!([0, "one", "a.example"]), json!([1, "two", "b.example"])]
    );
    assert_eq!(all["messages"], json!([]));
    assert_eq!(
        hosts(&served.search("words=boat&run=1")),
        [json!([1, "two", "b.example"])]
    );
    let refusal = served.ask("GET /inspector/search?words=boat&run=2", b"").refusal();
    assert_eq!(refusal, (404, "no_run".to_owned()));
    // The run is begun again.
    let account = served.place.path("two/run.json");
    let text = std::fs::read_to_string(&account).unwrap();
    assert!(text.contains("\"complete\""));
    std::fs::write(&account, text.replace("\"complete\"", "\"interrupted\"")).unwrap();
    let message = served.search("words=boat")["messages"][0].as_str().unwrap().to_owned();
    assert!(message.contains("two: the run is interrupted"), "{message}");
    std::fs::remove_file(account).unwrap();
    let found = served.search("words=boat");
    assert_eq!(hosts(&found), [json!([0, "one", "a.example"])]);
    assert!(found["messages"][0].as_str().unwrap().contains("two/run.json"));
}
