//! `dehusk diff --drift`: two nights of different pages compared.

use std::fs;

use serde_json::{Value, json};

use crate::program::{Ended, Place, make};

const ENGLISH: &str =
    "the river was higher than it had been in the spring and the people of the village left their houses";

/// A night: 25 pages of each host, with as many words each.
fn night(place: &Place, name: &str, hosts: &[(&str, usize)]) {
    let mut pages = Vec::new();
    for (host, words) in hosts {
        for n in 0..25 {
            // As many words, and enough of them English ones.
            let text: Vec<&str> = ENGLISH.split(' ').cycle().take(*words + n % 3).collect();
            pages.extend(make::page(&format!("https://{host}/{name}/{n}"), &text.join(" ")));
        }
    }
    place.write(&format!("{name}.warc"), pages);
    place.run_to(name, &[&format!("{name}.warc")]).ends_with(0);
}

/// Of three hosts, one loses most of its words, and one is not crawled the next night.
fn two_nights() -> Place {
    let place = Place::new();
    night(
        &place,
        "monday",
        &[("same.example", 60), ("changed.example", 60), ("absent.example", 60)],
    );
    night(
        &place,
        "tuesday",
        &[("same.example", 60), ("changed.example", 12), ("new.example", 60)],
    );
    place
}

fn drift(place: &Place, arguments: &[&str]) -> Ended {
    place.dehusk(&[&["diff", "monday", "tuesday", "--drift"], arguments].concat())
}

fn printed(ended: &Ended) -> &str {
    assert_eq!((ended.status, ended.stderr.as_str()), (0, ""));
    std::str::from_utf8(&ended.stdout).unwrap()
}

#[test]
fn hosts_whose_words_or_documents_fell_are_listed() {
    let place = two_nights();
    let found: Value = serde_json::from_str(printed(&drift(&place, &["--format", "json"]))).unwrap();
    let hosts: Vec<(&Value, &Value)> = found["changed_hosts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|host| (&host["host"], &host["signs"]))
        .collect();
    let expected = [
        (&json!("absent.example"), &json!(["documents"])),
        (&json!("changed.example"), &json!(["words"])),
    ];
    assert_eq!(hosts, expected);
    assert_eq!(found["judged_hosts"], 3);
    assert_eq!(
        found["changed_by_sign"],
        json!({"words": 1, "score": 0, "language": 0, "documents": 1})
    );
    let words = |side: &str| found["changed_hosts"][1][side]["words"].as_f64().unwrap();
    assert!((60.0..62.0).contains(&words("a")) && (12.0..14.0).contains(&words("b")));
    let (a, b) = (&found["a"], &found["b"]);
    assert_eq!(
        (&a["pages"], &a["emitted_share"], &a["hosts"]),
        (&json!(75), &json!(1.0), &json!(3))
    );
    assert_eq!(b["documents"], 75);
}

#[test]
fn pages_that_a_rule_leaves_out_lower_the_emitted_share_and_other_records_do_not() {
    let place = Place::new();
    let long = "Some words of a page. ".repeat(20);
    let image = make::response("https://a.example/i", "200 OK", "image/png", b"png");
    place.write(
        "monday.warc",
        [make::page("https://a.example/1", &long), image].concat(),
    );
    place.write(
        "tuesday.warc",
        [
            make::page("https://a.example/2", &long),
            make::page("https://a.example/3", "Short."),
        ]
        .concat(),
    );
    for name in ["monday", "tuesday"] {
        place
            .run_to(name, &[&format!("{name}.warc"), "--min-words", "10"])
            .ends_with(0);
    }
    let found: Value = serde_json::from_str(printed(&drift(&place, &["--format", "json"]))).unwrap();
    let of = |side: &str| (found[side]["pages"].clone(), found[side]["emitted_share"].clone());
    assert_eq!((of("a"), of("b")), ((json!(1), json!(1.0)), (json!(2), json!(0.5))));
}

#[test]
fn nights_that_are_alike_have_no_host_that_changed() {
    let place = two_nights();
    let ended = place.dehusk(&["diff", "monday", "monday", "--drift"]);
    assert!(printed(&ended).contains("0 of 3 hosts with 20 documents and more in A have changed"));
    let ended = drift(&place, &["--least-documents", "0"]);
    assert_eq!(ended.status, 2);
    assert!(ended.stderr.contains("0 is not in 1.."), "{}", ended.stderr);
    let none_judged = drift(&place, &["--least-documents", "26"]);
    assert!(printed(&none_judged).contains("0 of 0 hosts"));
}

#[test]
fn text_and_html_show_the_hosts() {
    let place = two_nights();
    let ended = drift(&place, &[]);
    let text = printed(&ended);
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    assert!(text.contains("changed.example"), "{text}");
    let ended = drift(&place, &["--format", "html", "--worst", "1"]);
    let html = printed(&ended);
    assert!(html.contains("absent.example") && !html.contains("changed.example"));
}

#[test]
fn metrics_are_replaced_in_one_step_and_no_other_file_is() {
    let place = two_nights();
    for _ in 0..2 {
        printed(&drift(&place, &["--format", "metrics", "-o", "drift.prom"]));
    }
    let text = fs::read_to_string(place.path("drift.prom")).unwrap();
    for line in [
        "dehusk_drift_pages{side=\"a\"} 75",
        "dehusk_drift_emitted_share{side=\"b\"} 1",
        "dehusk_drift_judged_hosts 3",
        "dehusk_drift_changed_hosts{sign=\"words\"} 1",
        "dehusk_drift_host_documents{host=\"changed.example\",sign=\"words\"} 25",
    ] {
        assert!(text.lines().any(|found| found == line), "{line}\n{text}");
    }
    // Whatever the alerts ask for is there.
    let alerts = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/operations/alerts.yml");
    let alerts = fs::read_to_string(alerts).unwrap();
    let names = alerts.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    let names: Vec<&str> = names.filter(|name| name.starts_with("dehusk_drift_")).collect();
    assert!(!names.is_empty());
    for name in names {
        assert!(
            text.lines()
                .any(|line| line.starts_with(&format!("{name}{{")) || line.starts_with(&format!("{name} "))),
            "{name}"
        );
    }
    place.write("notes.txt", b"mine");
    let ended = drift(&place, &["--format", "metrics", "-o", "notes.txt"]);
    assert_eq!(ended.status, 2);
    assert_eq!(fs::read(place.path("notes.txt")).unwrap(), b"mine");
}

#[test]
fn an_empty_or_damaged_night_does_not_look_healthy() {
    let place = two_nights();
    let metric = |text: &str, name: &str| -> f64 {
        let line = text.lines().find_map(|line| line.strip_prefix(name));
        line.unwrap_or_else(|| panic!("{name}\n{text}")).trim().parse().unwrap()
    };
    place.write("empty.warc", b"");
    let ended = place.run_to("empty", &["empty.warc"]);
    assert!(place.path("empty/run.json").exists(), "{}", ended.ended.stderr);
    let ended = place.dehusk(&["diff", "monday", "empty", "--drift", "--format", "metrics"]);
    let text = String::from_utf8(ended.stdout).unwrap();
    assert_eq!(metric(&text, "dehusk_drift_changed_hosts{sign=\"documents\"}"), 3.0);
    assert_eq!(metric(&text, "dehusk_drift_documents{side=\"b\"}"), 0.0);

    let run = place.path("tuesday/run.json");
    let shard = fs::read_dir(place.path("tuesday/documents"))
        .unwrap()
        .next()
        .unwrap()
        .unwrap()
        .path();
    let half = fs::read(&shard).unwrap();
    fs::write(&shard, &half[..half.len() / 2]).unwrap();
    let report = fs::read_to_string(&run).unwrap();
    fs::write(&run, report.replace("\"complete\"", "\"interrupted\"")).unwrap();
    let ended = drift(&place, &["--format", "metrics", "-o", "drift.prom"]);
    assert_eq!(ended.status, 1, "{}", ended.stderr);
    let text = fs::read_to_string(place.path("drift.prom")).unwrap();
    for (side, expected) in [("a", 0.0), ("b", 1.0)] {
        for name in ["unread_shards", "unfinished_runs"] {
            assert_eq!(
                metric(&text, &format!("dehusk_drift_{name}{{side=\"{side}\"}}")),
                expected,
                "{name} {side}"
            );
        }
    }
    let text = String::from_utf8(drift(&place, &[]).stdout).unwrap();
    assert!(text.contains("shards not read"), "{text}");
}

#[test]
fn all_signs_of_a_host_are_in_the_table() {
    let place = Place::new();
    night(
        &place,
        "monday",
        &[("a-host-of-some-length.example", 600), ("same.example", 60)],
    );
    let short = "Kurz ist der Text, und er ist auf Deutsch. ";
    let pages: Vec<Vec<u8>> = (0..6)
        .map(|n| make::page(&format!("https://a-host-of-some-length.example/t/{n}"), short))
        .chain((0..80).map(|n| make::page(&format!("https://same.example/t/{n}"), &ENGLISH.repeat(3))))
        .collect();
    place.write("tuesday.warc", pages.concat());
    place.run_to("tuesday", &["tuesday.warc"]).ends_with(0);
    let found: Value = serde_json::from_str(printed(&drift(&place, &["--format", "json"]))).unwrap();
    let signs = found["changed_hosts"][0]["signs"].as_array().unwrap().iter();
    let signs: Vec<&str> = signs.map(|sign| sign.as_str().unwrap()).collect();
    assert!(signs.len() >= 3, "{signs:?}");
    let ended = drift(&place, &[]);
    let text = printed(&ended);
    assert!(text.lines().any(|line| line.trim() == signs.join(", ")), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
}

#[test]
fn metrics_and_hosts_need_drift() {
    let place = two_nights();
    for arguments in [&["--format", "metrics"][..], &["--least-documents", "3"]] {
        let ended = place.dehusk(&[&["diff", "monday", "tuesday"], arguments].concat());
        assert_eq!(ended.status, 2, "{arguments:?}");
        assert!(ended.stderr.contains("--drift"), "{}", ended.stderr);
    }
}
