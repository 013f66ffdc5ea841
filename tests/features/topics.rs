//! `dehusk topics`: which stories are about the same event.

use std::fs;

use serde_json::{Value, json};

use crate::program::{Place, make};

/// The words that the stories of an event have in common.
const FLOOD: &[&str] = &["flood", "river", "dam", "harvest", "village", "rescue"];
const COMET: &[&str] = &["comet", "telescope", "orbit", "astronomer", "tail", "sky"];

/// The stories of other events.
const OTHERS: usize = 40;

/// A story of an event: each of its words in a sentence with a word of the story's own.
fn story<S: AsRef<str>>(event: &[S], own: &str) -> String {
    let sentence = |(i, word): (usize, &S)| {
        let (letter, word) = (letter(i), word.as_ref());
        format!("The {word} and the {letter}{own} were there when it was in the rain. ")
    };
    event.iter().enumerate().map(sentence).collect()
}

fn german_story<S: AsRef<str>>(event: &[S], own: &str) -> String {
    let sentence = |(i, word): (usize, &S)| {
        let (letter, word) = (letter(i), word.as_ref());
        format!("Der {word} und die {letter}{own} waren auch noch nicht da, als es in der Nacht war. ")
    };
    event.iter().enumerate().map(sentence).collect()
}

fn letter(i: usize) -> char {
    char::from(b'a' + (i % 26) as u8)
}

/// The words of an event that nothing else is about.
fn other_event(number: usize) -> Vec<String> {
    let word = |i| format!("{}{}{}thing", letter(number), letter(number / 26), letter(i));
    (0..6).map(word).collect()
}

fn page(host: &str, published: &str, title: &str, text: &str) -> Vec<u8> {
    let html = format!(
        "<!doctype html><html lang=en><title>{title}</title><meta property=article:published_time content={published}>\
         <body><p>{text}</p>"
    );
    make::response(
        &format!("https://{host}.example/"),
        "200 OK",
        "text/html; charset=utf-8",
        html.as_bytes(),
    )
}

/// Three stories of a flood, of which one is there twice, and two others.
fn news() -> Vec<Vec<u8>> {
    vec![
        page("c", "2024-05-03", "Dam breaks", &story(FLOOD, "cedar")),
        page("a", "2024-05-01", "River rises", &story(FLOOD, "anvil")),
        page("b", "2024-05-02", "Village flooded", &story(FLOOD, "bacon")),
        page(
            "m",
            "2024-05-03",
            "River rises, again",
            &(story(FLOOD, "anvil") + "Mirrored."),
        ),
        page("d", "2024-05-02", "A comet", &story(COMET, "delta")),
    ]
}

fn others() -> Vec<Vec<u8>> {
    let other = |number| {
        let (host, text) = (format!("other{number}"), story(&other_event(number), "other"));
        page(&host, "2024-05-02", "Other news", &text)
    };
    (0..OTHERS).map(other).collect()
}

/// A run with these pages, and after them with stories of other events, by which common words are distinguished from
/// rare ones.
fn place_with(pages: &[Vec<u8>]) -> Place {
    let place = Place::new();
    place.write("news.warc", [pages.concat(), others().concat()].concat());
    place.run_to("run", &["news.warc"]).ends_with(0);
    place
}

fn lines(place: &Place, name: &str) -> Vec<Value> {
    let text = fs::read_to_string(place.path(name)).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn summary(place: &Place, name: &str) -> Value {
    serde_json::from_slice(&fs::read(place.path(name)).unwrap()).unwrap()
}

#[test]
fn stories_of_an_event_are_a_topic() {
    let place = place_with(&news());
    let ended = place.dehusk(&["topics", "run", "-o", "topics"]);
    assert_eq!((ended.status, ended.stderr.as_str()), (0, ""));
    let topics = lines(&place, "topics/topics.jsonl");
    assert_eq!(topics.len(), 1, "{topics:?}");
    let topic = &topics[0];
    assert_eq!(
        (&topic["stories"], &topic["documents"], &topic["sites"]),
        (&json!(3), &json!(4), &json!(4))
    );
    assert_eq!(topic["language"], "en");
    assert_eq!(
        (&topic["first"]["date"], &topic["first"]["title"]),
        (&json!("2024-05-01"), &json!("River rises"))
    );
    assert_eq!(
        topic["days"],
        json!([
            {"day": "2024-05-01", "stories": 1, "documents": 1},
            {"day": "2024-05-02", "stories": 1, "documents": 1},
            {"day": "2024-05-03", "stories": 1, "documents": 2},
        ])
    );
    let terms: Vec<&str> = topic["terms"]
        .as_array()
        .unwrap()
        .iter()
        .map(|t| t["term"].as_str().unwrap())
        .collect();
    for word in FLOOD {
        assert!(terms.contains(word), "{word}: {terms:?}");
    }
    let assigned = lines(&place, "topics/assignments.jsonl");
    let of_flood: Vec<bool> = assigned.iter().map(|line| line["topic"] == topic["topic"]).collect();
    assert_eq!(
        of_flood[..5],
        [true, true, true, true, false],
        "in the order of the run"
    );
    let are_stories: Vec<&Value> = assigned.iter().map(|line| &line["story"]).collect();
    assert_eq!(are_stories[..5], [true, true, true, false, true]);
    assert_eq!(
        place.names("topics"),
        [
            "assignments.jsonl",
            "clusters",
            "topics.html",
            "topics.json",
            "topics.jsonl"
        ]
    );
}

#[test]
fn the_order_of_the_runs_changes_no_topic() {
    let place = Place::new();
    for (run, pages) in [news(), others()].concat().chunks(15).enumerate() {
        let archive = format!("{run}.warc");
        place.write(&archive, pages.concat());
        place.run_to(&run.to_string(), &[&archive]).ends_with(0);
    }
    let topics = |runs: &[&str], name: &str| {
        place.dehusk(&["cluster", "0", "1", "2", "-o", "near", "--overwrite"]);
        let ended = place.dehusk(&[&["topics", "--clusters", "near", "-o", name], runs].concat());
        assert_eq!(ended.status, 0, "{}", ended.stderr);
        fs::read(place.path(&format!("{name}/topics.jsonl"))).unwrap()
    };
    assert_eq!(
        topics(&["0", "1", "2"], "forward"),
        topics(&["2", "1", "0"], "backward")
    );
}

#[test]
fn languages_are_kept_apart() {
    let mut pages = news();
    pages.push(page("e", "2024-05-02", "Hochwasser", &german_story(FLOOD, "erika")));
    pages.push(page("f", "2024-05-02", "Flut", &german_story(FLOOD, "fritz")));
    pages.extend((0..OTHERS).map(|number| {
        let (host, text) = (format!("andere{number}"), german_story(&other_event(number), "andere"));
        page(&host, "2024-05-02", "Anderes", &text)
    }));
    let place = place_with(&pages);
    place.dehusk(&["topics", "run", "-o", "topics"]);
    let found: Vec<(Value, Value)> = lines(&place, "topics/topics.jsonl")
        .iter()
        .map(|topic| (topic["language"].clone(), topic["stories"].clone()))
        .collect();
    assert_eq!(found, [(json!("en"), json!(3)), (json!("de"), json!(2))]);
}

#[test]
fn a_topic_ends_when_no_story_comes() {
    let mut pages = news();
    pages.push(page("late", "2024-04-20", "An earlier flood", &story(FLOOD, "early")));
    let place = place_with(&pages);
    place.dehusk(&["topics", "run", "-o", "week", "--window", "7"]);
    assert_eq!(lines(&place, "week/topics.jsonl")[0]["stories"], 3);
    place.dehusk(&["topics", "run", "-o", "month", "--window", "30"]);
    assert_eq!(lines(&place, "month/topics.jsonl")[0]["stories"], 4);
}

#[test]
fn documents_with_too_few_words_are_counted() {
    let mut pages = news();
    pages.push(page(
        "short",
        "2024-05-02",
        "",
        "The flood was in the village, and it was over.",
    ));
    let undated = page("undated", "never", "A flood", &story(FLOOD, "udder"));
    let undated = String::from_utf8(undated)
        .unwrap()
        .replace("2024-05-06T07:08:09Z", "an evening in May");
    pages.push(undated.into_bytes());
    let nonsense: String = (0..40).map(|i| format!("qx{i}zk wv{i}jj ")).collect();
    pages.push(page("nonsense", "2024-05-02", "Xqzw", &nonsense));
    let place = place_with(&pages);
    let ended = place.dehusk(&["topics", "run", "-o", "topics"]);
    assert_eq!(ended.status, 0, "{}", ended.stderr);
    let sums = summary(&place, "topics/topics.json");
    assert_eq!(
        (&sums["documents"], &sums["short"], &sums["undated"]),
        (&json!(8 + OTHERS), &json!(1), &json!(1))
    );
    let topic = &lines(&place, "topics/topics.jsonl")[0];
    assert_eq!(
        (&topic["stories"], &topic["undated"]),
        (&json!(4), &json!(1)),
        "it came last, into the open topic"
    );
    assert_eq!(topic["first"]["date"], "2024-05-01");
    let assigned = lines(&place, "topics/assignments.jsonl");
    assert_eq!((&assigned[5]["topic"], &assigned[6]["date"]), (&json!(""), &json!("")));
    let text = String::from_utf8(ended.stdout).unwrap();
    assert!(text.contains("1 documents with too few words"), "{text}");
}

#[test]
fn clusters_are_those_that_are_named() {
    let place = place_with(&news());
    place.write("none.jsonl", "");
    let ended = place.dehusk(&["topics", "run", "-o", "topics", "--clusters", "none.jsonl"]);
    assert_eq!(ended.status, 0);
    assert!(
        ended.stderr.contains("45 documents are not in the file of clusters"),
        "{}",
        ended.stderr
    );
    assert_eq!(lines(&place, "topics/topics.jsonl")[0]["stories"], 4, "each counts");
    assert!(!place.path("topics/clusters").exists());
    place.write("broken.jsonl", "{\"id\":\"a\"}\n");
    for (file, message) in [
        ("missing.jsonl", "missing.jsonl: cannot be read"),
        ("broken.jsonl", "line 1"),
    ] {
        let ended = place.dehusk(&["topics", "run", "-o", "other", "--clusters", file]);
        assert_eq!(ended.status, 1);
        assert!(ended.stderr.contains(message), "{}", ended.stderr);
    }
}

#[test]
fn what_cannot_be_done_is_refused() {
    let place = place_with(&news());
    assert_eq!(place.dehusk(&["topics", "run", "-o", "topics"]).status, 0);
    for (arguments, message) in [
        (&["run", "-o", "topics"][..], "--overwrite"),
        (&["run", "-o", "run"], "no file of topics"),
        (&["run", "-o", "other", "--threshold", "0"], "--threshold"),
        (&["run", "-o", "other", "--threshold", "NaN"], "--threshold"),
        (&["run", "-o", "other", "--min-stories", "0"], "--min-stories"),
    ] {
        let ended = place.dehusk(&[&["topics"], arguments].concat());
        assert_eq!(ended.status, 2, "{arguments:?}");
        assert!(ended.stderr.contains(message), "{}", ended.stderr);
    }
    assert_eq!(
        place.dehusk(&["topics", "run", "-o", "topics", "--overwrite"]).status,
        0
    );
    let ended = place.dehusk(&["topics", "nowhere", "-o", "other"]);
    assert_eq!(ended.status, 1);
    assert!(ended.stderr.contains("nowhere/run.json"), "{}", ended.stderr);
}

#[test]
fn an_incomplete_run_is_named() {
    let place = place_with(&news());
    let path = place.path("run/run.json");
    let mut report: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    report["state"] = json!("interrupted");
    fs::write(&path, report.to_string()).unwrap();
    let ended = place.dehusk(&["topics", "run", "-o", "topics"]);
    assert_eq!(ended.status, 3);
    assert!(ended.stderr.contains("run: the run is interrupted"), "{}", ended.stderr);
    let page = fs::read_to_string(place.path("topics/topics.html")).unwrap();
    assert!(page.contains("the run is interrupted"));
}

/// The page's own script is the only one that its policy lets run.
#[test]
fn the_page_needs_nothing_else() {
    let mut pages = news();
    pages.push(page(
        "h",
        "2024-05-02",
        "&lt;script&gt;alert(1)&lt;/script&gt;",
        &story(FLOOD, "haste"),
    ));
    let place = place_with(&pages);
    place.dehusk(&["topics", "run", "-o", "topics"]);
    let page = fs::read_to_string(place.path("topics/topics.html")).unwrap();
    let size = &lines(&place, "topics/topics.jsonl")[0]["stories"];
    let size = format!("<span class=\"name\"><span class=\"quiet\">{size}</span> ");
    for part in [
        "River rises",
        "2024-05-01: 1 document<",
        "href=\"https://a.example/\"",
        &size,
    ] {
        assert!(page.contains(part), "{part}");
    }
    assert_eq!(page.matches("<script").count(), 1);
    assert!(
        page.contains("default-src 'none'; ") && page.contains("script-src 'sha256-"),
        "{page}"
    );
    for other in ["<link", "<img", "src=", "@import", "url(", "unsafe-eval", "onclick"] {
        assert!(!page.contains(other), "{other}");
    }
}

#[test]
fn days_are_on_the_axis_to_scale() {
    let mut pages = news();
    pages.push(page("late", "2024-04-20", "An earlier flood", &story(FLOOD, "early")));
    let place = place_with(&pages);
    place.dehusk(&["topics", "run", "-o", "topics", "--window", "30"]);
    let page = fs::read_to_string(place.path("topics/topics.html")).unwrap();
    assert!(page.contains("<svg viewBox=\"0 0 14 100\""), "{page}");
    let bars: Vec<&str> = page.split("<rect x=\"").skip(1).collect();
    let days: Vec<&str> = bars.iter().map(|bar| bar.split('"').next().unwrap()).collect();
    assert_eq!(days, ["0", "11", "12", "13"], "days since the first one");
    for label in [
        "<span style=\"left:0%\">2024-04-20</span>",
        "<span style=\"left:50%\">2024-04-27</span>",
        "<span style=\"left:100%\">2024-05-03</span>",
    ] {
        assert!(page.contains(label), "{label}");
    }
}

/// Without its script, the page shows all topics, with links to each fifty of them.
#[test]
fn each_fifty_topics_are_a_page() {
    let mut pages = news();
    pages.extend((OTHERS..2 * OTHERS).map(|number| {
        let text = story(&other_event(number), "other");
        page(&format!("more{number}"), "2024-05-02", "More news", &text)
    }));
    let place = place_with(&pages);
    place.dehusk(&["topics", "run", "-o", "topics", "--min-stories", "1"]);
    let topics = lines(&place, "topics/topics.jsonl").len();
    assert!((51..=100).contains(&topics), "{topics}");
    let page = fs::read_to_string(place.path("topics/topics.html")).unwrap();
    assert_eq!(page.matches("<details class=\"topic\"").count(), topics);
    let first = page.find("<h3 class=\"sheet\" id=\"from1\">1 to 50</h3>").unwrap();
    let second = page
        .find(&format!("<h3 class=\"sheet\" id=\"from51\">51 to {topics}</h3>"))
        .unwrap();
    assert_eq!(page[first..second].matches("<details ").count(), 50);
    assert!(page.contains(&format!("<a href=\"#from51\">51 to {topics}</a>")));
    assert!(
        page.contains("<form class=\"filter\" id=\"filter\" hidden>"),
        "only the script shows it"
    );
}

/// The pages of the sample have menus, footers and notes on cookies in common, and no events.
#[test]
fn boilerplate_is_no_topic() {
    let place = Place::new();
    let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/sample/sample.warc.gz");
    place.dehusk(&["run", "-o", "run", sample, "--extractor", "fusion"]);
    let ended = place.dehusk(&["topics", "run", "-o", "topics", "--window", "100000"]);
    assert_eq!(ended.status, 0, "{}", ended.stderr);
    for topic in lines(&place, "topics/topics.jsonl") {
        let terms = topic["terms"].to_string();
        for word in ["cookies", "consent", "advertising", "privacy", "newsletter"] {
            assert!(!terms.contains(&format!("\"{word}\"")), "{topic}");
        }
    }
}
