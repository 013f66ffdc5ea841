//! `dehusk eval`: figures worked out by hand, what does not join, truth of a wrong shape, sweeps; nowhere a NaN.
#![allow(clippy::unwrap_used)]

mod common;
mod program;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use dehusk::dom::parse::parse;
use dehusk::dom::view::ViewBuffers;
use dehusk::dom::{Buffers, Dom, text};
use dehusk::eval::Truth;
use dehusk::eval::measure::{Bag, Prf};
use dehusk::eval::nodes::{Labels, NodeCounts};
use dehusk::eval::words::Lexicon;
use dehusk::extract::Selection;
use dehusk::strip::{Forms, Strip};
use program::{Ended, Place, SAMPLE, make};
use serde_json::{Value, json};

const SAMPLE_TRUTH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/sample/truth.jsonl");

fn stdout(ended: &Ended) -> String {
    String::from_utf8(ended.stdout.clone()).unwrap()
}

fn object(ended: &Ended) -> Value {
    serde_json::from_slice(&ended.stdout).unwrap_or_else(|e| panic!("{e}\n{}", ended.stderr))
}

/// A line of truth about the page at a URL.
fn truth(url: &str, text: &str) -> String {
    json!({"record_id": format!("<urn:test:response:{url}>"), "url": url, "text": text}).to_string()
}

/// A page of several paragraphs after a menu of links.
fn page(url: &str, paragraphs: &[&str]) -> Vec<u8> {
    let text: String = paragraphs.iter().map(|p| format!("<p>{p}</p>")).collect();
    let html = format!("<title>A</title><ul><li><a href=/>Home</a><li><a href=/n>News</a></ul><div>{text}</div>");
    make::response(url, "200 OK", "text/html", html.as_bytes())
}

/// Rows of one group by extractor.
fn rows<'r>(report: &'r Value, by: &str) -> Vec<&'r Value> {
    report["groups"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|r| r["by"] == by)
        .collect()
}

/// The figure of the first row over all pages.
fn figure(report: &Value, key: &str) -> f64 {
    rows(report, "all")[0][key].as_f64().unwrap()
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-6
}

#[test]
fn figures_are_those_worked_out_by_hand() {
    let place = Place::new();
    // coreex-modern keeps the three paragraphs: 4 + 3 + 3 = 10 words, in three nodes.
    let archive = page(
        "http://a.test/1",
        &["one two three four", "five six seven", "eight nine ten"],
    );
    place.write("a.warc", archive);
    // The truth has the first and, before it, the last paragraph, and two words that the page does not have.
    place.write(
        "t.jsonl",
        truth(
            "http://a.test/1",
            "Eight, nine, ten.\n\nOne two three four\n\neleven twelve",
        ),
    );
    let report = object(&place.dehusk(&["eval", "--truth", "t.jsonl", "a.warc", "--format", "json"]));
    let expected = [
        // 7 words of 10 extracted and 9 true: P 7/10, R 7/9, F1 2·7/19.
        ("bag_precision", 0.7),
        ("bag_recall", 7.0 / 9.0),
        ("bag_f1", 14.0 / 19.0),
        // In order only “one two three four” or “eight nine ten” can be kept: 4. Score 4/(10 + 9 - 4).
        ("lcs_precision", 0.4),
        ("lcs_recall", 4.0 / 9.0),
        ("lcs_f1", 8.0 / 19.0),
        ("lcs_score", 4.0 / 15.0),
        // Answers: the first and the third paragraph, 2 of the 3 nodes and 7 of their 10 words.
        ("nodes_precision", 2.0 / 3.0),
        ("nodes_recall", 1.0),
        ("nodes_f1", 0.8),
        ("text_precision", 0.7),
        ("text_recall", 1.0),
        ("text_f1", 1.4 / 1.7),
        // Less than nine tenths of the truth, in order: missed.
        ("correct", 0.0),
        ("wrong", 0.0),
        ("missed", 1.0),
        ("no_output", 0.0),
    ];
    for (key, value) in expected {
        assert!(
            near(figure(&report, key), value),
            "{key}: {} is not {value}",
            figure(&report, key)
        );
    }
    let (own, whole) = (figure(&report, "own_ms"), figure(&report, "page_ms"));
    assert!(own >= 0.0 && own < whole, "{own} {whole}");
}

#[test]
fn verdicts_follow_their_rule() {
    let place = Place::new();
    let words = |from: u32, to: u32| (from..to).map(|i| format!("w{i}")).collect::<Vec<_>>().join(" ");
    let paragraphs = [words(0, 50), words(50, 100)];
    let paragraphs: Vec<&str> = paragraphs.iter().map(String::as_str).collect();
    // Each extraction is the page's hundred words.
    let cases = [
        ("http://a.test/entire", words(0, 100), "correct"),
        // 100 of 111 words are 0.9009…
        ("http://a.test/nearly", words(0, 111), "correct"),
        ("http://a.test/part", words(0, 112), "missed"),
        // 90 of the 100 words extracted.
        ("http://a.test/enough", words(0, 90), "correct"),
        ("http://a.test/noise", words(0, 89), "wrong"),
    ];
    let archive: Vec<u8> = cases.iter().flat_map(|(url, ..)| page(url, &paragraphs)).collect();
    place.write("a.warc", archive);
    let lines: Vec<String> = cases.iter().map(|(url, text, _)| truth(url, text)).collect();
    place.write("t.jsonl", lines.join("\n"));
    let arguments = [
        "eval",
        "--truth",
        "t.jsonl",
        "a.warc",
        "--format=json",
        "--per-page",
        "--metrics=verdict",
    ];
    let report = object(&place.dehusk(&arguments));
    let pages = report["pages"].as_array().unwrap();
    for (page, (url, _, verdict)) in pages.iter().zip(&cases) {
        for name in ["correct", "wrong", "missed"] {
            assert_eq!(page[name].as_f64().unwrap() == 1.0, name == *verdict, "{url}");
        }
    }
    assert!(near(figure(&report, "correct"), 0.6));
}

#[test]
fn what_does_not_join_is_counted_and_listed_on_both_sides() {
    let place = Place::new();
    let gone = make::response("http://a.test/gone", "404 Not Found", "text/html", b"<p>Gone it is.");
    let archive = [
        page("http://a.test/known", &["Every word of this is known."]),
        page("http://a.test/unknown", &["No truth knows this."]),
        page("http://a.test/known", &["A second record of the same id."]),
        make::record("request", "http://a.test/known", "", b"GET / HTTP/1.1\r\n\r\n"),
        gone,
    ];
    place.write("a.warc", archive.concat());
    let lines = [
        truth("http://a.test/absent", "Not in the archive at all."),
        truth("http://a.test/gone", "Gone it is."),
        truth("http://a.test/known", "Every word of this is known."),
    ];
    place.write("t.jsonl", lines.join("\n"));
    let ended = place.dehusk(&["eval", "--truth", "t.jsonl", "a.warc", "--format", "json"]);
    assert_eq!(ended.status, 3);
    let report = object(&ended);
    let join = &report["join"];
    assert_eq!((&join["truth"], &join["joined"]), (&json!(3), &json!(1)));
    let expected = json!([
        {"record_id": "urn:test:response:http://a.test/absent", "why": "not in the archives"},
        {"record_id": "urn:test:response:http://a.test/gone", "why": "filtered as status"},
    ]);
    assert_eq!(join["without_page"], expected);
    assert_eq!(join["without_truth"].as_array().unwrap().len(), 1);
    assert_eq!(
        join["without_truth"][0]["record_id"],
        "urn:test:response:http://a.test/unknown"
    );
    assert_eq!(join["repeated"].as_array().unwrap().len(), 1);
    // What has no page is without output.
    assert!(near(figure(&report, "bag_f1"), 1.0 / 3.0));
    assert!(near(figure(&report, "nodes_f1"), 1.0 / 3.0));
    assert!(near(figure(&report, "no_output"), 2.0 / 3.0));
    let joined = place.dehusk(&[
        "eval",
        "--truth",
        "t.jsonl",
        "a.warc",
        "--format",
        "json",
        "--joined-only",
    ]);
    assert!(near(figure(&object(&joined), "bag_f1"), 1.0));
    assert_eq!(rows(&object(&joined), "all")[0]["pages"], 1);
    // People read the same.
    let text = stdout(&place.dehusk(&["eval", "--truth", "t.jsonl", "a.warc"]));
    for line in [
        "lines of truth: 3, joined with pages: 1",
        "lines of truth without a page: 2",
        "  urn:test:response:http://a.test/gone: filtered as status",
        "pages without truth: 1",
        "records with the id of an earlier one, not looked at: 1",
    ] {
        assert!(text.lines().any(|l| l == line), "“{line}” is not in\n{text}");
    }
}

#[test]
fn nothing_that_joins_is_an_error() {
    let place = Place::new();
    place.write("a.warc", page("http://a.test/1", &["Some words."]));
    place.write("t.jsonl", truth("http://a.test/2", "Some words."));
    let ended = place.dehusk(&["eval", "--truth", "t.jsonl", "a.warc"]);
    assert_eq!(ended.status, 1);
    assert!(
        ended.stderr.contains("no line of truth joins a page"),
        "{}",
        ended.stderr
    );
}

#[test]
fn an_archive_that_cannot_be_read_does_not_keep_the_others_from_it() {
    let place = Place::new();
    place.write("a.warc", page("http://a.test/1", &["Some words."]));
    place.write("t.jsonl", truth("http://a.test/1", "Some words."));
    let ended = place.dehusk(&["eval", "--truth", "t.jsonl", "absent.warc", "a.warc"]);
    assert_eq!(ended.status, 1);
    let text = stdout(&ended);
    assert!(
        text.contains("not read: absent.warc: no such file") && text.contains("joined with pages: 1"),
        "{text}"
    );
    let piped = place.dehusk_fed(
        &["eval", "--truth", "t.jsonl", "-"],
        &page("http://a.test/1", &["Some words."]),
    );
    assert_eq!(piped.status, 0, "{}", piped.stderr);
}

#[test]
fn truth_of_a_wrong_shape_is_named_by_line_and_key() {
    let place = Place::new();
    place.write("a.warc", page("http://a.test/1", &["Some words."]));
    let good = truth("http://a.test/1", "Some words.");
    let cases = [
        ("{\"record_id\": \"x\"", "t.jsonl:2: is no JSON"),
        ("[1]", "t.jsonl:2: is a list, not an object"),
        ("{\"text\": \"x\"}", "t.jsonl:2: “record_id” is missing"),
        (
            "{\"recordid\": \"x\", \"text\": \"\"}",
            "t.jsonl:2: “record_id” is missing; did you mean “recordid”?",
        ),
        (
            "{\"record_id\": \"x\", \"text\": null}",
            "t.jsonl:2: “text” takes a string, not null",
        ),
        (
            "{\"record_id\": 5, \"text\": \"\"}",
            "t.jsonl:2: “record_id” takes a string, not a number",
        ),
        (
            "{\"record_id\": \"<>\", \"text\": \"\"}",
            "t.jsonl:2: “record_id” is empty",
        ),
        (
            "{\"record_id\": \"x\", \"text\": \"\", \"lang\": [\"en\"]}",
            "t.jsonl:2: “lang” takes a string or null, not a list",
        ),
        (
            good.as_str(),
            "t.jsonl:2: “record_id” urn:test:response:http://a.test/1 stands in an earlier line too",
        ),
    ];
    for (line, message) in cases {
        place.write("t.jsonl", format!("{good}\n{line}\n"));
        let ended = place.dehusk(&["eval", "--truth", "t.jsonl", "a.warc"]);
        assert_eq!(ended.status, 1, "{line}");
        assert!(ended.stderr.contains(message), "{line}: {}", ended.stderr);
    }
    place.write("t.jsonl", "\n\n");
    let ended = place.dehusk(&["eval", "--truth", "t.jsonl", "a.warc"]);
    assert!(
        ended.stderr.contains("t.jsonl: holds no line of truth"),
        "{}",
        ended.stderr
    );
    let ended = place.dehusk(&["eval", "--truth", "absent.jsonl", "a.warc"]);
    assert!(
        ended.status == 1 && ended.stderr.contains("absent.jsonl: cannot be read"),
        "{}",
        ended.stderr
    );
}

#[test]
fn truth_may_be_compressed_and_its_keys_may_be_null() {
    let place = Place::new();
    place.write("a.warc", page("http://a.test/1", &["Some words."]));
    let id = "urn:test:response:http://a.test/1";
    let line = json!({"record_id": id, "text": "Some words.", "lang": null, "more": {"a": [1]}}).to_string();
    let plain = format!("\u{feff}{line}\r\n\n");
    place.write("plain", &plain);
    place.write("gz", [make::gzip(b"\n"), make::gzip(plain.as_bytes())].concat());
    place.write("zst", make::zstd(plain.as_bytes()));
    for name in ["plain", "gz", "zst"] {
        let ended = place.dehusk(&["eval", "--truth", name, "a.warc", "--format", "json"]);
        assert_eq!(ended.status, 0, "{name}: {}", ended.stderr);
        assert!(near(figure(&object(&ended), "bag_f1"), 1.0));
    }
}

#[test]
fn figures_do_not_depend_on_threads_or_company() {
    let place = Place::new();
    let measures = "--metrics=bag,lcs,nodes,text,verdict";
    let common = [
        "eval",
        "--truth",
        SAMPLE_TRUTH,
        SAMPLE,
        measures,
        "--format",
        "json",
        "--per-page",
        "--worst",
        "3",
    ];
    let with = |more: &[&str]| {
        let ended = place.dehusk(&[&common, more].concat());
        assert_eq!(ended.status, 3, "one record of the sample is damaged: {}", ended.stderr);
        ended.stdout
    };
    let all = with(&["-e", "all", "--threads", "1"]);
    assert!(
        all == with(&["-e", "all", "--threads", "5"]),
        "threads make a difference"
    );
    let all: Value = serde_json::from_slice(&all).unwrap();
    let alone: Value = serde_json::from_slice(&with(&["-e", "coreex"])).unwrap();
    let of_coreex: Vec<&Value> = rows(&all, "all")
        .into_iter()
        .filter(|r| r["extractor"] == "coreex")
        .collect();
    assert_eq!(of_coreex, rows(&alone, "all"));
    assert_eq!(all["join"]["joined"], 53);
    let extractors = all["extractors"].as_array().unwrap().len();
    assert_eq!(all["pages"].as_array().unwrap().len(), 53 * extractors);
    assert_eq!(all["worst"].as_array().unwrap().len(), 3 * extractors);
    let languages: usize = rows(&alone, "language")
        .iter()
        .map(|r| r["pages"].as_u64().unwrap() as usize)
        .sum();
    assert_eq!(languages, 53, "every page is in one language's group");
}

#[test]
fn every_format_tells_the_same() {
    let place = Place::new();
    let archive = [
        page("http://www.a.test/1", &["Some words here."]),
        page("http://b.test/2", &["More of them."]),
    ];
    place.write("a.warc", archive.concat());
    let lines = [
        truth("http://www.a.test/1", "Some words here."),
        truth("http://b.test/2", "None"),
    ];
    place.write("t.jsonl", lines.join("\n"));
    let common = [
        "eval",
        "--truth",
        "t.jsonl",
        "a.warc",
        "--metrics",
        "bag",
        "--by",
        "site,all",
    ];
    let told = |more: &[&str]| stdout(&place.dehusk(&[&common, more].concat()));
    let text = "\
lines of truth: 2, joined with pages: 2

By site

                                words
group   pages  extractor             P       R      F1
a.test  1      coreex-modern    1.0000  1.0000  1.0000
b.test  1      coreex-modern    0.0000  0.0000  0.0000

All pages

                               words
group  pages  extractor             P       R      F1
all    2      coreex-modern    0.5000  0.5000  0.5000
";
    assert_eq!(told(&[]), text);
    let markdown = "\
- lines of truth: 2, joined with pages: 2

### By site

| group | pages | extractor | words P | words R | words F1 |
|---|---|---|--:|--:|--:|
| a.test | 1 | coreex-modern | 1.0000 | 1.0000 | 1.0000 |
";
    assert!(told(&["--format", "markdown"]).starts_with(markdown));
    let csv = "\
by,group,extractor,pages,bag_precision,bag_recall,bag_f1,url,place
site,a.test,coreex-modern,1,1.000000,1.000000,1.000000,,
site,b.test,coreex-modern,1,0.000000,0.000000,0.000000,,
all,all,coreex-modern,2,0.500000,0.500000,0.500000,,
worst,urn:test:response:http://b.test/2,coreex-modern,1,0.000000,0.000000,0.000000,http://b.test/2,a.warc@";
    let told_csv = told(&["--format", "csv", "--worst", "1"]);
    assert!(told_csv.starts_with(csv), "{told_csv}");
    // The place is one that `inspect` takes.
    let worst = told_csv.lines().last().unwrap().rsplit(',').next().unwrap();
    assert!(stdout(&place.dehusk(&["inspect", worst])).contains("b.test/2"));
    let ended = place.dehusk(&[&common[..], &["-o", "out.txt"]].concat());
    assert_eq!((ended.status, ended.stdout.len()), (0, 0));
    assert_eq!(std::fs::read_to_string(place.path("out.txt")).unwrap(), text);
}

#[test]
fn nothing_is_ever_undefined() {
    let place = Place::new();
    let html = |url: &str, body: &str| make::response(url, "200 OK", "text/html", body.as_bytes());
    let pages = [
        ("http://a.test/empty", "<html></html>"),
        ("http://a.test/blank", "<p> </p><p>…</p>"),
        (
            "http://a.test/links",
            "<ul><li><a href=/a>One</a><li><a href=/b>Two</a></ul>",
        ),
        ("http://a.test/one", "word"),
        ("http://a.test/script", "<script>var x = 1;</script>"),
    ];
    let archive: Vec<u8> = pages.iter().flat_map(|(url, body)| html(url, body)).collect();
    place.write("a.warc", archive);
    for text in ["", "word", "…"] {
        let lines: Vec<String> = pages.iter().map(|(url, _)| truth(url, text)).collect();
        place.write("t.jsonl", lines.join("\n"));
        for format in ["text", "markdown", "csv", "json"] {
            let arguments = [
                "eval",
                "--truth=t.jsonl",
                "a.warc",
                "-e=all",
                "--per-page",
                "--worst=2",
                "--format",
                format,
            ];
            let ended = place.dehusk(&arguments);
            assert_eq!(ended.status, 0, "{}", ended.stderr);
            let told = stdout(&ended).to_lowercase();
            let undefined = told
                .split(|c: char| !c.is_alphanumeric())
                .find(|w| ["nan", "inf", "null"].contains(w));
            assert_eq!(undefined, None, "{format} of “{text}”");
        }
    }
    // An empty truth is met by an empty text.
    place.write("t.jsonl", truth("http://a.test/empty", ""));
    let report = object(&place.dehusk(&["eval", "--truth", "t.jsonl", "a.warc", "--format", "json"]));
    let keys = [
        "bag_f1",
        "lcs_f1",
        "lcs_score",
        "nodes_f1",
        "text_f1",
        "correct",
        "no_output",
    ];
    assert!(keys.iter().all(|key| figure(&report, key) == 1.0), "{report}");
}

#[test]
fn sweeps_have_a_row_a_value_and_a_curve() {
    let place = Place::new();
    let common = [
        "eval",
        "--truth",
        SAMPLE_TRUTH,
        SAMPLE,
        "--format",
        "json",
        "--svg",
        "curves.svg",
    ];
    let sweeps = [
        "--sweep",
        "coreex.weight_ratio=0.9..0.99:0.03",
        "--sweep",
        "coreex-modern.threshold=0.5..0.9:0.4",
    ];
    let ended = place.dehusk(&[&common[..], &sweeps].concat());
    let report = object(&ended);
    let names = [
        "coreex.weight_ratio=0.9",
        "coreex.weight_ratio=0.93",
        "coreex.weight_ratio=0.96",
        "coreex.weight_ratio=0.99",
        "coreex-modern.threshold=0.5",
        "coreex-modern.threshold=0.9",
    ];
    assert_eq!(report["extractors"], json!(names));
    // The preset's own value gives the preset's own figures.
    let plain = object(&place.dehusk(&[&common[..6], &["-e", "coreex,coreex-modern"]].concat()));
    let f1 = |report: &Value, name: &str| {
        let all = rows(report, "all");
        all.iter().find(|r| r["extractor"] == name).unwrap()["lcs_f1"].clone()
    };
    assert_eq!(f1(&report, names[3]), f1(&plain, "coreex"));
    assert_eq!(f1(&report, names[5]), f1(&plain, "coreex-modern"));
    let svg = std::fs::read_to_string(place.path("curves.svg")).unwrap();
    let mut reader = quick_xml::Reader::from_str(&svg);
    let mut lines = 0;
    loop {
        match reader.read_event().unwrap() {
            quick_xml::events::Event::Eof => break,
            quick_xml::events::Event::Empty(e) if e.name().as_ref() == "polyline" => lines += 1,
            _ => {}
        }
    }
    assert_eq!(lines, 2 * 3, "precision, recall and F1 of each sweep");
    assert!(!svg.contains("NaN") && !svg.contains("inf"));
    // A preset of one's own is swept by its own name, beside extractors that are asked for; what it sets to a whole
    // number may be swept all the same.
    place.write(
        "c.toml",
        "[presets.mine]\nbase = \"coreex\"\nweight_ratio = 0.9\nthreshold = 0\n",
    );
    let sweep = "mine.threshold=0.9..0.9:1";
    let arguments = [&common[..6], &["--config", "c.toml", "-e", "coreex", "--sweep", sweep]].concat();
    let report = object(&place.dehusk(&arguments));
    assert_eq!(report["extractors"], json!(["coreex", "mine.threshold=0.9"]));
    assert_ne!(f1(&report, "coreex"), Value::Null);
}

#[test]
fn sweeps_that_cannot_be_are_wrong_usage() {
    let place = Place::new();
    let common = ["eval", "--truth", SAMPLE_TRUTH, SAMPLE, "--sweep"];
    for (sweep, message) in [
        ("coreex", "is not of the form"),
        ("coreex.treshold=0..1:0.5", "did you mean “threshold”?"),
        ("corex.threshold=0..1:0.5", "did you mean “coreex”?"),
        ("coreex.threshold=0..2:1", "between 0 and 1"),
    ] {
        let ended = place.dehusk(&[&common[..], &[sweep]].concat());
        assert!(
            ended.status == 2 && ended.stderr.contains(message),
            "{sweep}: {}",
            ended.stderr
        );
    }
    let twice = ["coreex.threshold=0..1:1", "--sweep", "coreex.threshold=0..1:0.5"];
    let ended = place.dehusk(&[&common[..], &twice].concat());
    assert!(ended.stderr.contains("is swept twice"), "{}", ended.stderr);
    let without = ["coreex.threshold=0..1:1", "--svg", "x.svg", "--metrics", "time"];
    let ended = place.dehusk(&[&common[..], &without].concat());
    assert!(
        ended.status == 2 && ended.stderr.contains("curves need"),
        "{}",
        ended.stderr
    );
}

/// A page's nodes as text, answers between brackets.
fn labelled(page: &str, truth: &str) -> String {
    let dom = parse(page, Buffers::default());
    let labels = label(&dom, truth);
    let nodes = (0..dom.len()).filter(|id| dom.node(*id).tag.is_text() && labels.is_node(*id));
    let shown = nodes.map(|id| {
        let text = match text::text_of(&dom, id) {
            empty if empty.is_empty() => dom.raw(id).to_owned(),
            text => text,
        };
        if labels.is_answer(id) {
            format!("[{text}]")
        } else {
            text
        }
    });
    shown.collect::<Vec<_>>().join(" ")
}

fn label(dom: &Dom<'_>, truth: &str) -> Labels {
    let mut lexicon = Lexicon::default();
    let mut words = Vec::new();
    lexicon.read(truth, &mut words);
    Labels::new(dom, &mut lexicon, &words)
}

#[test]
fn nodes_are_labelled_by_the_runs_that_they_share_with_the_truth() {
    // A link of one word inside a sentence is an answer, the same word in the menu is not.
    assert_eq!(
        labelled(
            "<nav><a href=/>Home</a></nav><p>They went <a href=/h>home</a> in the rain.</p>",
            "They went home in the rain."
        ),
        "Home [They went] [home] [in the rain.]"
    );
    // What stands twice in the page and once in the truth is an answer once: where the longer run is.
    assert_eq!(
        labelled(
            "<aside>A long walk home</aside><h1>A long walk home</h1><p>It rained.</p>",
            "A long walk home\n\nIt rained."
        ),
        "A long walk home [A long walk home] [It rained.]"
    );
    // At least half of a node's words: four of eight are enough, four of nine are not.
    assert_eq!(labelled("<p>a b c d e f g h</p>", "a b c d"), "[a b c d e f g h]");
    assert_eq!(labelled("<p>a b c d e f g h i</p>", "a b c d"), "a b c d e f g h i");
    // Two words are chance, unless the truth has no more.
    assert_eq!(
        labelled("<p>of the</p><p>one two three</p>", "of the x one two three"),
        "of the [one two three]"
    );
    assert_eq!(labelled("<p>Hello</p><p>you there</p>", "hello"), "[Hello] you there");
    // No words, no node; neither in the head nor in what is never shown; code is a node that is never an answer.
    assert_eq!(
        labelled(
            "<title>One two three</title><p>One two three</p><p>—</p><style>one two three</style>\
             <iframe>one two three</iframe><noscript>four five six</noscript><script>one(two, three)</script>",
            "One two three"
        ),
        "[One two three] four five six one(two, three)"
    );
    assert_eq!(
        labelled("<p>北京大学的桥</p><p>新闻</p>", "北京大学的桥"),
        "[北京大学的桥] 新闻"
    );
    assert_eq!(labelled("<p>One two three</p>", ""), "One two three");
    assert_eq!(labelled("", "One two three"), "");
}

#[test]
fn selections_are_counted_without_what_is_masked() {
    // Nodes: body > p (3 words, answer), form > p (2 words), p (3 words, answer).
    let page = "<body><p>one two three</p><form><p>x y</p></form><p>four five six</p></body>";
    let dom = parse(page, Buffers::default());
    let labels = label(&dom, "one two three z four five six");
    let strip = |forms| Strip {
        forms,
        scripts: true,
        hidden: false,
        statements: None,
    };
    let (kept, ignored) = (strip(Forms::Keep), strip(Forms::Ignore));
    let whole = Selection {
        ranges: vec![dom.subtree(dom.body())],
        ..Selection::default()
    };
    let counts = |nodes, words, answers, answer_words| NodeCounts {
        nodes,
        words,
        answers,
        answer_words,
    };
    let view = kept.view(&dom, ViewBuffers::default());
    assert_eq!(labels.extracted(&view, &whole), counts(3, 8, 2, 6));
    assert_eq!(labels.extracted(&view, &Selection::default()), counts(0, 0, 0, 0));
    let view = ignored.view(&dom, ViewBuffers::default());
    assert_eq!(labels.extracted(&view, &whole), counts(2, 6, 2, 6));
    assert_eq!(labels.all(), counts(3, 8, 2, 6));
}

#[test]
fn a_page_is_explained() {
    let place = Place::new();
    let html =
        "<title>T</title><ul><li><a href=/>Home</a></ul><div id=main class='a b'><p>One two three</p><p>four</p></div>";
    place.write("p.html", html);
    let ended = place.dehusk(&["extract", "p.html", "--explain", "-e", "coreex"]);
    let told = stdout(&ended);
    assert_eq!(ended.status, 0);
    // div: 4/0, set 4/0; body: 5/1 with the set {div}. Both sets score .99·1 + .01·4/5 = .998; the body is higher.
    for part in [
        "coreex: score 0.9980, 4 of 5 words kept, in 1 subtrees\n",
        "rule: of the node whose set scores highest, the children with a ratio above 0.9; score = 0.99·ratio",
        "html > body > div#main  “One two three four”\n      because it is in the set of #",
        "(textCnt 4, linkCnt 0, ratio 1.0000)",
        "highest scores of ",
    ] {
        assert!(told.contains(part), "“{part}” is not in\n{told}");
    }
    place.write("e.html", "<p><a href=/>Home</a></p>");
    let ended = place.dehusk(&["extract", "e.html", "--explain"]);
    assert!(
        ended.status == 0 && stdout(&ended).contains("kept: nothing"),
        "{}",
        stdout(&ended)
    );
    let record = make::response("http://a.test/", "200 OK", "text/html", html.as_bytes());
    place.write("a.warc", record);
    let told = stdout(&place.dehusk(&["inspect", "a.warc@0", "-e", "coreex,coreex-modern"]));
    assert!(
        told.contains("\ncoreex: score 0.9980") && told.contains("\ncoreex-modern: score"),
        "{told}"
    );
}

/// Where the script of the corpora lies that scores bags of words, if it is there.
fn script() -> Option<String> {
    let path = format!("{}/../bench/score.py", common::folder());
    let there = Path::new(&path).is_file() && Command::new("python3").arg("--version").output().is_ok();
    if !there {
        eprintln!("skipped: {path} or python3 is absent");
    }
    there.then_some(path)
}

#[test]
fn bags_of_words_are_those_of_the_corpora_s_own_script() {
    let Some(script) = script() else { return };
    for corpus in ["daniel-dev", "wcxb-dev"] {
        let file = |ending: &str| format!("{}/{corpus}.{ending}", common::folder());
        let (archive, truth) = (file("warc.gz"), file("truth.jsonl.gz"));
        if !Path::new(&archive).is_file() {
            eprintln!("skipped: {archive} is absent");
            continue;
        }
        let place = Place::new();
        place.run(&[&archive, "--extractor", "coreex-modern"]);
        let documents = place.path("out/documents");
        let scored = Command::new("python3")
            .arg(&script)
            .arg(&truth)
            .arg(&documents)
            .output()
            .unwrap();
        let scored = String::from_utf8(scored.stdout).unwrap();
        let arguments = [
            "eval",
            "--truth",
            &truth,
            &archive,
            "--metrics",
            "bag",
            "-e",
            "coreex-modern",
            "--format=csv",
        ];
        let ended = place.dehusk(&arguments);
        let mut figures = BTreeMap::new();
        for line in stdout(&ended).lines().skip(1) {
            let cells: Vec<&str> = line.split(',').collect();
            let shares: Vec<f64> = cells[3..7].iter().map(|cell| cell.parse().unwrap()).collect();
            figures.insert((cells[0].to_owned(), cells[1].to_owned()), shares);
        }
        // The script groups by language, or by type of page where there is none.
        let by = if corpus.starts_with("daniel") {
            "language"
        } else {
            "page_type"
        };
        let mut compared = 0;
        for line in scored.lines().skip(1) {
            let (group, rest) = line.split_once(" n=").unwrap();
            let group = group.trim();
            let kind = if group == "all" { "all" } else { by };
            let numbers = rest.split(['=', ' ']).filter_map(|n| n.parse::<f64>().ok());
            let ours = &figures[&(kind.to_owned(), group.to_owned())];
            let pairs: Vec<(f64, f64)> = ours.iter().copied().zip(numbers).collect();
            // The script rounds to four digits, and we to six.
            let agree = pairs.len() == 4 && pairs.iter().all(|(a, b)| (a - b).abs() < 0.000_051);
            assert!(agree, "{corpus} {group}: {pairs:?}");
            compared += 1;
        }
        assert!(compared > 5, "{scored}");
    }
}

#[test]
fn answers_hold_what_the_truth_of_a_corpus_says() {
    let Some(pages) = common::corpus("wcxb-dev") else {
        return;
    };
    let path = format!("{}/wcxb-dev.truth.jsonl.gz", common::folder());
    let truth = Truth::read(&[path.into()]).unwrap();
    let mut lexicon = Lexicon::default();
    let mut sum = [0.0; 3];
    for page in &pages {
        let line = &truth.lines[truth.find(&page.id).unwrap()];
        lexicon.clear();
        let (mut wanted, mut answered) = (Vec::new(), Vec::new());
        lexicon.read(&line.text, &mut wanted);
        let dom = parse(&page.html, Buffers::default());
        let labels = Labels::new(&dom, &mut lexicon, &wanted);
        let answers = (0..dom.len()).filter(|id| labels.is_answer(*id));
        let ranges: Vec<_> = answers.map(|id| id..id + 1).collect();
        let mut text = String::new();
        text::render(&dom, &ranges, &[], &mut text);
        lexicon.read(&text, &mut answered);
        let common = Bag::new(&wanted).common(&answered);
        let prf = Prf::of(common, answered.len() as u32, wanted.len() as u32);
        sum = [sum[0] + prf.precision, sum[1] + prf.recall, sum[2] + prf.f1];
    }
    let means = sum.map(|s| s / pages.len() as f64);
    eprintln!("the answers' text against the truth: P, R, F1 {means:?}");
    assert!(means[2] > 0.9, "{means:?}");
}
