//! `dehusk eval`: figures worked out by hand, formats, sweeps; nowhere a NaN.

use crate::program::eval::{SAMPLE_TRUTH, figure, near, object, page, rows, stdout, truth};
use crate::program::{Place, SAMPLE, make};
use serde_json::{Value, json};

/// An archive of pages of one paragraph each, `a.warc`, and their truth, `t.jsonl`. The page is the URL, the paragraph
/// and the truth.
fn place(pages: &[(&str, &str, &str)]) -> Place {
    let place = Place::new();
    let archive: Vec<u8> = pages.iter().flat_map(|(url, text, _)| page(url, &[text])).collect();
    place.write("a.warc", archive);
    let lines: Vec<String> = pages.iter().map(|(url, _, text)| truth(url, text)).collect();
    place.write("t.jsonl", lines.join("\n"));
    place
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
fn figures_do_not_depend_on_threads_or_on_other_extractors() {
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
fn every_format_has_the_same_figures() {
    let place = place(&[
        ("http://www.a.test/1", "Some words here.", "Some words here."),
        ("http://b.test/2", "More of them.", "None"),
    ]);
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
group   pages  extractor             P       R      F1  F1(PR)
a.test  1      coreex-modern    1.0000  1.0000  1.0000  1.0000
b.test  1      coreex-modern    0.0000  0.0000  0.0000  0.0000

All pages

                               words
group  pages  extractor             P       R      F1  F1(PR)
all    2      coreex-modern    0.5000  0.5000  0.5000  0.5000
";
    assert_eq!(told(&[]), text);
    let markdown = "\
- lines of truth: 2, joined with pages: 2

### By site

| group | pages | extractor | words P | words R | words F1 | words F1(PR) |
|---|---|---|--:|--:|--:|--:|
| a.test | 1 | coreex-modern | 1.0000 | 1.0000 | 1.0000 | 1.0000 |
";
    assert!(told(&["--format", "markdown"]).starts_with(markdown));
    let csv = "\
by,group,extractor,pages,bag_precision,bag_recall,bag_f1,bag_f1_of_means,url,place
site,a.test,coreex-modern,1,1.000000,1.000000,1.000000,1.000000,,
site,b.test,coreex-modern,1,0.000000,0.000000,0.000000,0.000000,,
all,all,coreex-modern,2,0.500000,0.500000,0.500000,0.500000,,
worst,urn:test:response:http://b.test/2,coreex-modern,1,0.000000,0.000000,0.000000,0.000000,http://b.test/2,a.warc@";
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

/// All extractors and measures over one text node of 10 MB, with a truth of a part of it.
#[test]
fn a_huge_text_has_defined_figures() {
    let place = Place::new();
    let text = "A word, and more. ".repeat(2_000_000 / 18);
    let record = make::response("http://a.test/huge", "200 OK", "text/html", text.as_bytes());
    place.write("a.warc", record);
    place.write("t.jsonl", truth("http://a.test/huge", &text[..18 * 1000]));
    let report = object(&place.dehusk(&["eval", "--truth=t.jsonl", "a.warc", "-e=all", "--format=json"]));
    for row in rows(&report, "all") {
        // All is kept: of 111,111 sentences a thousand are true, and the node is no answer.
        for (key, value) in [
            ("bag_recall", 1.0),
            ("lcs_recall", 1.0),
            ("bag_precision", 0.009),
            ("nodes_f1", 0.0),
        ] {
            assert!((row[key].as_f64().unwrap() - value).abs() < 1e-6, "{key} of {row}");
        }
        assert!(row.as_object().unwrap().values().all(|v| !v.is_null()), "{row}");
    }
}

/// A curve without points is refused before the work, and a file that cannot be written is named then too.
#[test]
fn curves_that_cannot_be_drawn_are_refused_at_once() {
    let place = Place::new();
    let common = [
        "eval",
        "--truth",
        SAMPLE_TRUTH,
        SAMPLE,
        "--sweep",
        "coreex.threshold=0..1:0.5",
    ];
    for (more, status, message) in [
        (&["--svg", "c.svg", "--by", "site"][..], 2, "curves need all pages"),
        (&["--svg", "c.svg", "--metrics", "time"], 2, "curves need all pages"),
        (&["--svg", "none/c.svg"], 1, "cannot be created: No such file"),
        (&["-o", "none/figures"], 1, "cannot be created: No such file"),
    ] {
        let ended = place.dehusk(&[&common[..], more].concat());
        assert_eq!(ended.status, status, "{more:?}: {}", ended.stderr);
        assert!(ended.stderr.contains(message), "{more:?}: {}", ended.stderr);
    }
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
fn impossible_sweeps_are_wrong_usage() {
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

/// CoreEx and CETD take the F1 of the mean precision and the mean recall, not the mean of the pages' F1.
#[test]
fn both_aggregations_of_f1_are_given() {
    let six = "one two three four five six";
    let twelve = "one two three four five six seven eight nine ten eleven twelve";
    // Precision 1/2 and recall 1; precision 1 and recall 1/2.
    let place = place(&[
        ("http://a.test/1", six, "one two three"),
        ("http://b.test/2", six, twelve),
    ]);
    let report = object(&place.dehusk(&["eval", "--truth", "t.jsonl", "a.warc", "--format", "json"]));
    for measure in ["bag", "lcs"] {
        assert!(near(figure(&report, &format!("{measure}_f1")), 2.0 / 3.0), "{report}");
        assert!(
            near(figure(&report, &format!("{measure}_f1_of_means")), 0.75),
            "{report}"
        );
    }
}

/// Every flag that the help lists has an effect on figures.
#[test]
fn the_help_describes_the_flags_of_eval() {
    let place = Place::new();
    let help = stdout(&place.dehusk(&["eval", "--help"]));
    assert!(help.contains("`all` is every preset"), "{help}");
    assert!(!help.contains("text_NAME") && !help.contains("--min-words"), "{help}");
    let ended = place.dehusk(&["eval", "--truth", SAMPLE_TRUTH, SAMPLE, "--min-words", "5"]);
    assert_eq!(ended.status, 2, "{}", ended.stderr);
}
