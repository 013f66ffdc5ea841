//! `dehusk topics --index`: topics that last from night to night.

use std::collections::BTreeSet;
use std::fs;

use serde_json::{Value, json};

use crate::program::{Place, make};

const NIGHTS: usize = 30;

/// Nights between the beginnings of two events, and nights of an event.
const BETWEEN: usize = 3;
const LENGTH: usize = 5;

/// A word. It differs from others in its first six characters, by which terms are distinguished.
fn word(kind: &str, number: usize, i: usize) -> String {
    let letter = |n: usize| char::from(b'a' + (n % 26) as u8);
    format!("{}{}{}{kind}", letter(i), letter(number), letter(number / 26))
}

/// A story: each of the words of its event in a sentence with a word of its own.
fn story(kind: &str, event: usize, own: usize) -> String {
    let sentence = |i| {
        let (shared, own) = (word(kind, event, i), word("own", own, i));
        format!("The {shared} and the {own} were there when it was in the rain. ")
    };
    (0..8).map(sentence).collect()
}

fn page(host: &str, night: usize, text: &str) -> Vec<u8> {
    let html = format!(
        "<!doctype html><html lang=en><title>News of {host}</title><meta property=article:published_time \
         content=2024-04-{:02}><body><p>{text}</p>",
        night + 1
    );
    make::response(
        &format!("https://{host}.example/"),
        "200 OK",
        "text/html; charset=utf-8",
        html.as_bytes(),
    )
}

/// The events of a night.
fn events(night: usize) -> impl Iterator<Item = usize> {
    (0..=night / BETWEEN).filter(move |event| night < event * BETWEEN + LENGTH)
}

/// Thirty runs: each night a story of each event, one that nothing else is about, and a copy of a story of the night
/// before.
fn nights(place: &Place) -> Vec<String> {
    let text = |event: usize, night: usize| story("event", event, 30 * event + night);
    for night in 0..NIGHTS {
        let mut pages = Vec::new();
        for event in events(night) {
            pages.push(page(&format!("e{event}n{night}"), night, &text(event, night)));
        }
        let alone = story("alone", night, 400 + night);
        pages.push(page(&format!("alone{night}"), night, &alone));
        if let Some(event) = night.checked_sub(1).and_then(|before| events(before).next()) {
            pages.push(page(
                &format!("copy{night}"),
                night,
                &(text(event, night - 1) + "Mirrored."),
            ));
        }
        place.write(&format!("n{night:02}.warc"), pages.concat());
        place
            .run_to(&format!("n{night:02}"), &[&format!("n{night:02}.warc")])
            .ends_with(0);
    }
    (0..NIGHTS).map(|night| format!("n{night:02}")).collect()
}

const WINDOW: [&str; 2] = ["--window", "3"];

fn topics(place: &Place, runs: &[&str], output: &str, more: &[&str]) {
    let arguments = [&["topics"], runs, &["-o", output, "--overwrite"], &WINDOW, more].concat();
    let ended = place.dehusk(&arguments);
    assert_eq!((ended.status, ended.stderr.as_str()), (0, ""), "{arguments:?}");
}

fn text(place: &Place, name: &str) -> String {
    fs::read_to_string(place.path(name)).unwrap()
}

fn lines(place: &Place, name: &str) -> Vec<Value> {
    text(place, name)
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// The numbers of the index.
fn index(place: &Place, output: &str) -> Value {
    serde_json::from_str::<Value>(&text(place, &format!("{output}/topics.json"))).unwrap()["index"].clone()
}

#[test]
fn thirty_nights_are_one_pass_over_all() {
    let place = Place::new();
    let nights = nights(&place);
    let nights: Vec<&str> = nights.iter().map(String::as_str).collect();
    let mut night_by_night = String::new();
    let mut most_open = 0;
    for night in &nights {
        topics(&place, &[night], "news", &["--index", "topics.store"]);
        night_by_night += &text(&place, "news/assignments.jsonl");
        most_open = most_open.max(index(&place, "news")["open"].as_u64().unwrap());
    }
    // One command that adds all nights gives the same bytes.
    topics(&place, &nights, "all", &["--index", "other.store"]);
    assert_eq!(text(&place, "all/assignments.jsonl"), night_by_night);
    assert_eq!(index(&place, "all")["topics"], index(&place, "news")["topics"]);
    // The near-duplicates of a single night are no result of thirty.
    assert!(place.path("news/clusters").exists() && !place.path("all/clusters").exists());

    // One pass without an index, which sees all stories at once, puts each document into the same topic.
    topics(&place, &nights, "plain", &[]);
    let assigned = |output: &str| -> Vec<(Value, Value, Value)> {
        let lines = lines(&place, &format!("{output}/assignments.jsonl")).into_iter();
        lines
            .map(|line| (line["id"].clone(), line["topic"].clone(), line["story"].clone()))
            .collect()
    };
    assert_eq!(assigned("plain"), assigned("all"));
    let described = |output: &str| -> Vec<Value> {
        let facts = [
            "topic",
            "language",
            "stories",
            "documents",
            "sites",
            "undated",
            "first",
            "days",
        ];
        let line = |line: Value| facts.iter().map(|key| line[key].clone()).collect::<Value>();
        lines(&place, &format!("{output}/topics.jsonl"))
            .into_iter()
            .map(line)
            .collect()
    };
    assert_eq!(described("plain"), described("all"));
    // All stories of an event have one name, from its first night to its last.
    let names = |part: &str| -> BTreeSet<String> {
        let lines = assigned("all")
            .into_iter()
            .filter(|(id, ..)| id.as_str().unwrap().contains(part));
        lines.map(|(_, topic, _)| topic.as_str().unwrap().to_owned()).collect()
    };
    let events: Vec<BTreeSet<String>> = (0..NIGHTS / BETWEEN)
        .map(|event| names(&format!("//e{event}n")))
        .collect();
    assert!(events.iter().all(|names| names.len() == 1), "{events:?}");
    assert_eq!(events.iter().collect::<BTreeSet<_>>().len(), NIGHTS / BETWEEN);

    // Closed topics are in no night's memory: there are two events, and what was alone within the window.
    let of_all = index(&place, "all")["topics"].as_u64().unwrap();
    assert_eq!(of_all, names("").len() as u64);
    assert!(most_open < 10, "{most_open} of {of_all}");
}

#[test]
fn a_record_with_a_wrong_clock_closes_no_topic() {
    let place = Place::new();
    for night in 0..2 {
        let own = |event: usize| {
            page(
                &format!("e{event}n{night}"),
                night,
                &story("event", event, 30 * event + night),
            )
        };
        let mut pages = vec![own(0), own(1)];
        if night == 0 {
            let html = format!("<html lang=en><title>Late</title><p>{}</p>", story("alone", 0, 400));
            let block = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n{html}");
            let fields = "Content-Type: application/http; msgtype=response\r\n";
            let head = ("response", "urn:test:late", "2099-01-01T00:00:00Z");
            pages.push(make::record_of(head, "https://late.example/", fields, block.as_bytes()));
        }
        let name = format!("n{night}");
        place.write(&format!("{name}.warc"), pages.concat());
        place.run_to(&name, &[&format!("{name}.warc")]).ends_with(0);
        let arguments = [
            &["topics", &name, "-o", &name.replace('n', "news")],
            &WINDOW[..],
            &["--index", "topics.store"],
        ];
        let ended = place.dehusk(&arguments.concat());
        assert_eq!(ended.status, 0, "{}", ended.stderr);
        let said = "1 documents are dated after their night, as by a wrong clock, and count as undated; the first: urn:test:late";
        assert_eq!(ended.stderr.contains(said), night == 0, "{}", ended.stderr);
    }
    let of = |night: usize, event: usize| -> Value {
        let all = lines(&place, &format!("news{night}/assignments.jsonl")).into_iter();
        let host = format!("//e{event}n{night}");
        all.filter(|line| line["id"].as_str().unwrap().contains(&host))
            .map(|line| line["topic"].clone())
            .collect()
    };
    for event in 0..2 {
        assert_eq!(of(0, event), of(1, event), "event {event}");
    }
    let index = [index(&place, "news0"), index(&place, "news1")].map(|index| index["ahead"].clone());
    assert_eq!(index, [json!(1), json!(0)]);
}

#[test]
fn a_night_that_is_added_again_changes_nothing() {
    let place = Place::new();
    let nights = nights(&place);
    for night in &nights[..3] {
        topics(&place, &[night], "news", &["--index", "topics.store"]);
    }
    let (before, counts) = (text(&place, "news/assignments.jsonl"), index(&place, "news"));
    assert_eq!(counts["added"], 3);
    topics(&place, &[&nights[2]], "news", &["--index", "topics.store"]);
    assert_eq!(text(&place, "news/assignments.jsonl"), before);
    let again = index(&place, "news");
    assert_eq!((&again["added"], &again["topics"]), (&json!(0), &counts["topics"]));
    // The topic has the stories of all nights, although the command read one.
    let event = &lines(&place, "news/topics.jsonl")[0];
    assert_eq!((&event["stories"], &event["documents"]), (&json!(3), &json!(5)));
    assert_eq!(event["days"].as_array().unwrap().len(), 3);
}

#[test]
fn an_index_that_does_not_fit_is_named_and_left_as_it_is() {
    let place = Place::new();
    let nights = nights(&place);
    topics(&place, &[&nights[0]], "news", &["--index", "topics.store"]);
    let before = text(&place, "news/assignments.jsonl");
    for (more, status, message) in [
        (
            &["--index", "topics.store", "--window", "9"][..],
            1,
            "was made with --window 3",
        ),
        (
            &["--index", "topics.store.clusters"],
            1,
            "is a store of clusters, not of topics",
        ),
        (&["--index", "n01.warc"], 1, "is no store of dehusk"),
        (&["--index", "n00/topics.store"], 2, "is in the directory of a run"),
    ] {
        let ended = place.dehusk(&[&["topics", "n01", "-o", "other"], more].concat());
        assert_eq!(ended.status, status, "{more:?}: {}", ended.stderr);
        assert!(ended.stderr.contains(message), "{}", ended.stderr);
        assert!(!place.path("other").exists(), "{more:?}");
    }
    topics(&place, &[&nights[0]], "news", &["--index", "topics.store"]);
    assert_eq!(text(&place, "news/assignments.jsonl"), before);
    assert_eq!(index(&place, "news")["added"], 0);
}

#[test]
fn an_index_without_its_clusters_or_with_others_is_refused() {
    let place = Place::new();
    let nights = nights(&place);
    topics(&place, &[&nights[0]], "news", &["--index", "topics.store"]);
    topics(&place, &[&nights[1]], "else", &["--index", "else.store"]);
    let clusters = place.path("topics.store.clusters");
    fs::rename(&clusters, place.path("kept")).unwrap();
    let refused = |message: &str| {
        let arguments = [
            &["topics", &nights[2], "-o", "other", "--index", "topics.store"],
            &WINDOW[..],
        ];
        let ended = place.dehusk(&arguments.concat());
        assert_eq!(ended.status, 1, "{}", ended.stderr);
        assert!(ended.stderr.contains(message), "{}", ended.stderr);
        assert!(!place.path("other").exists());
    };
    refused("topics.store.clusters: is not there");
    assert!(!clusters.exists());
    fs::copy(place.path("else.store.clusters"), &clusters).unwrap();
    refused("topics.store.clusters: does not know 1 of the 1 shards of topics.store");
    fs::rename(place.path("kept"), &clusters).unwrap();
    topics(&place, &[&nights[2]], "other", &["--index", "topics.store"]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_night_that_is_killed_at_any_write_is_added_whole_or_not_at_all() {
    const STORES: [&str; 2] = ["topics.store", "topics.store.clusters"];
    const INDEX: [&str; 2] = ["--index", STORES[0]];
    let place = Place::new();
    let nights = nights(&place);
    topics(&place, &[&nights[0]], "news", &INDEX);
    let copy = |from: &str, to: &str| {
        fs::copy(place.path(from), place.path(to)).unwrap();
    };
    STORES.iter().for_each(|name| copy(name, &format!("{name}.before")));
    topics(&place, &[&nights[1]], "whole", &INDEX);
    let expected = text(&place, "whole/assignments.jsonl");

    // Adds the night anew and is killed before a write; returns how many there are if it is not.
    let killed = |write: usize| -> Option<usize> {
        STORES.iter().for_each(|name| copy(&format!("{name}.before"), name));
        let mut command = place.command();
        place.preload(&mut command, "kill_at_write");
        command.args(
            [
                &["topics", &nights[1], "-o", "killed", "--overwrite"],
                &WINDOW[..],
                &INDEX,
            ]
            .concat(),
        );
        command.env("KILL_AT", write.to_string());
        command.env("KILL_FILE", fs::canonicalize(place.path(STORES[0])).unwrap());
        let ended = place.spawn(command, std::process::Stdio::null()).end();
        let writes = ended.stderr.lines().find_map(|line| line.strip_suffix(" writes"));
        writes.map(|count| count.parse().unwrap())
    };
    let writes = killed(0).unwrap();
    for write in (1..writes).step_by(writes / 8 + 1).chain(writes - 3..=writes) {
        assert_eq!(killed(write), None, "{write} of {writes}");
        topics(&place, &[&nights[1]], "again", &INDEX);
        assert_eq!(text(&place, "again/assignments.jsonl"), expected, "{write} of {writes}");
        let index = [index(&place, "again"), index(&place, "whole")].map(|index| index["topics"].clone());
        assert_eq!(index[0], index[1]);
    }
}

#[test]
fn a_store_that_another_process_holds_is_refused() {
    let place = Place::new();
    place.write("n0.warc", page("e0n0", 0, &story("event", 0, 0)));
    place.run_to("n0", &["n0.warc"]).ends_with(0);
    let add = |folder: &str| place.dehusk(&["topics", "n0", "-o", folder, "--index", "topics.store"]);
    assert_eq!(add("news0").status, 0);
    let held = fs::File::options()
        .read(true)
        .write(true)
        .open(place.path("topics.store"));
    let held = held.unwrap();
    held.lock().unwrap();
    let ended = add("again");
    assert_eq!(ended.status, 1);
    let message = "topics.store: the store is in use by another process; start this one again when that has ended";
    assert!(ended.stderr.contains(message), "{}", ended.stderr);
    assert!(!place.path("again").exists());
    drop(held);
    assert_eq!(add("again").status, 0);
}
