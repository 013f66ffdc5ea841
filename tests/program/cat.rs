//! `dehusk cat` and `dehusk inspect --find`: a run read back.

use std::fs;
use std::io::Read;
use std::process::Stdio;

use serde_json::Value;

use crate::program::{Ended, Place, SAMPLE, json_lines, make};

const FORMATS: [&[&str]; 4] = [
    &[],
    &["--compression", "gzip"],
    &["--compression", "none"],
    &["--format", "xml"],
];

fn lines(ended: &Ended) -> Vec<String> {
    let text = String::from_utf8(ended.stdout.clone()).unwrap();
    text.lines().map(str::to_owned).collect()
}

/// Two archives of three pages, run into `out`.
fn three_pages(place: &Place) {
    let page = |n: u32, words: &str| make::page(&format!("https://p{n}.example/"), words);
    let first = [
        page(1, "One short page."),
        page(2, "This page is somewhat longer than the first."),
    ];
    place.write("a.warc", first.concat());
    place.write("b.warc", page(3, "Line one.</p><p>Line two."));
    place.run(&["a.warc", "b.warc"]).ends_with(0);
}

#[test]
fn every_format_reads_back_as_the_same_lines() {
    let place = Place::new();
    let plain = place.run_to("plain", &[SAMPLE, "--compression", "none"]);
    let expected: Vec<Value> = json_lines(plain.shard());
    for (n, format) in FORMATS.iter().enumerate() {
        let folder = format!("out{n}");
        place.run_to(&folder, &[&[SAMPLE][..], format].concat());
        let ended = place.dehusk(&["cat", &folder]);
        assert_eq!((ended.status, ended.stderr.as_str()), (0, ""));
        let got = json_lines(&ended.stdout);
        let key = |d: &Value| {
            (
                d["id"].clone(),
                d["metadata"]["url"].clone(),
                d["metadata"]["words"].clone(),
            )
        };
        assert_eq!(
            Vec::from_iter(got.iter().map(key)),
            Vec::from_iter(expected.iter().map(key))
        );
        if !format.contains(&"xml") {
            assert!(ended.stdout == plain.shard(), "the lines of {format:?} differ");
        }
    }
    let shard = place.dehusk(&["cat", "plain/documents/sample.jsonl"]);
    assert!(shard.stdout == plain.shard());
}

#[test]
fn a_field_is_printed_for_each_document_of_all_shards() {
    let place = Place::new();
    three_pages(&place);
    let urls = ["https://p1.example/", "https://p2.example/", "https://p3.example/"];
    assert_eq!(lines(&place.dehusk(&["cat", "out", "--field", "url"])), urls);
    assert_eq!(
        lines(&place.dehusk(&["cat", "out", "out", "-f", "metadata.url"])),
        [urls, urls].concat()
    );
    assert_eq!(lines(&place.dehusk(&["cat", "out", "-f", "truncated"])), ["false"; 3]);
    let ended = place.dehusk(&["cat", "out", "-f", "text", "-0", "--url", urls[2]]);
    assert_eq!(ended.stdout, b"Line one.\n\nLine two.\0");
}

#[test]
fn documents_are_chosen_by_id_url_and_conditions() {
    let place = Place::new();
    three_pages(&place);
    for (arguments, urls) in [
        (&["--id", "urn:test:response:https://p2.example/"][..], &[2][..]),
        (&["--id", "<urn:test:response:https://p2.example/>"], &[2]),
        (
            &["--url", "https://p1.example/", "--url", "https://p3.example/"],
            &[1, 3],
        ),
        (&["--where", "words > 4"], &[2]),
        (&["--where", "words <= 4", "--where", "file_path = b.warc"], &[3]),
        (&["--where", "url ~ p[12]"], &[1, 2]),
        (&["--where", "words > 4 or file_path = b.warc"], &[2, 3]),
        (&["--where", "not (words > 4 or file_path = b.warc)"], &[1]),
        (&["--id", "nothing"], &[]),
    ] {
        let ended = place.dehusk(&[&["cat", "out", "-f", "url"], arguments].concat());
        let expected: Vec<String> = urls.iter().map(|n| format!("https://p{n}.example/")).collect();
        assert_eq!((ended.status, lines(&ended)), (0, expected), "{arguments:?}");
    }
}

/// A page whose title needs quotes in CSV and backslashes in TSV.
fn a_page_with_an_odd_title(place: &Place) {
    let title = "One, \"two\" \\ three";
    let text = "<p>Several words of a page.</p><p>Second.</p>";
    let body = format!("<html><head><title>{title}</title></head><body>{text}</body></html>");
    place.write(
        "a.warc",
        make::response("https://a.example/", "200 OK", "text/html", body.as_bytes()),
    );
    place.run(&["a.warc"]).ends_with(0);
}

#[test]
fn several_fields_are_rows() {
    let place = Place::new();
    a_page_with_an_odd_title(&place);
    let fields = ["--field", "title,text,words", "-f", "author", "--format"];
    for (format, expected) in [
        (
            "csv",
            "title,text,words,author\n\"One, \"\"two\"\" \\ three\",\"Several words of a page.\n\nSecond.\",6,\n",
        ),
        (
            "tsv",
            "title\ttext\twords\tauthor\nOne, \"two\" \\\\ three\tSeveral words of a page.\\n\\nSecond.\t6\t\n",
        ),
    ] {
        let ended = place.dehusk(&[&["cat", "out"], &fields[..], &[format]].concat());
        assert_eq!((ended.status, ended.stderr.as_str()), (0, ""));
        assert_eq!(String::from_utf8(ended.stdout).unwrap(), expected);
    }
    let ended = place.dehusk(&["cat", "out", "--field", "words,title,metadata.url"]);
    let expected = r#"{"words":6,"title":"One, \"two\" \\ three","metadata.url":"https://a.example/"}"#;
    assert_eq!(lines(&ended), [expected]);
    let ended = place.dehusk(&[
        "cat",
        "out",
        "-f",
        "url,words",
        "--format",
        "csv",
        "--where",
        "words > 99",
    ]);
    assert_eq!(lines(&ended), ["url,words"]);
}

#[test]
fn texts_of_further_extractors_are_fields() {
    let place = Place::new();
    place.run(&[SAMPLE, "-e", "coreex-modern,coreex"]);
    let ended = place.dehusk(&["cat", "out", "-f", "text_coreex", "-0"]);
    assert_eq!(ended.status, 0, "{}", ended.stderr);
    assert!(ended.stdout.split(|b| *b == 0).any(|text| text.len() > 100));
    let ended = place.dehusk(&["cat", "out", "-f", "text_nce"]);
    assert_eq!(ended.status, 1);
    assert!(
        ended.stderr.contains("no document has a field text_nce"),
        "{}",
        ended.stderr
    );
}

#[test]
fn a_reader_that_hangs_up_ends_it_quietly() {
    let place = Place::new();
    let page = make::page("https://a.example/", &"many words in a page ".repeat(2_000));
    place.write("a.warc", page.repeat(20));
    place.run(&["a.warc"]).ends_with(0);
    let mut child = place
        .command()
        .args(["cat", "out", "out", "out"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut start = [0; 10];
    child.stdout.take().unwrap().read_exact(&mut start).unwrap();
    let mut errors = String::new();
    child.stderr.take().unwrap().read_to_string(&mut errors).unwrap();
    assert_eq!((child.wait().unwrap().code(), errors.as_str()), (Some(0), ""));
}

#[test]
fn what_cannot_be_read_is_named_and_the_rest_is_printed() {
    let place = Place::new();
    three_pages(&place);
    let shard = place.path("out/documents/a.jsonl.zst");
    let bytes = fs::read(&shard).unwrap();
    fs::write(&shard, &bytes[..bytes.len() / 2]).unwrap();
    place.write(
        "foreign/run.json",
        r#"{"program": "other 1.0", "state": "complete", "archives": []}"#,
    );
    place.write("broken/run.json", "{");
    let sly = r#"{"program": "dehusk 0.1.0", "state": "complete", "archives": [{"shards": ["../x.jsonl"]}]}"#;
    place.write("sly/run.json", sly);
    let runs = ["missing", "foreign", "broken", "sly", "out"];
    let ended = place.dehusk(&[&["cat", "-f", "url"], &runs[..]].concat());
    assert_eq!(ended.status, 1);
    assert_eq!(lines(&ended).last().unwrap(), "https://p3.example/");
    for message in [
        "missing/run.json: no such file, so this is not the directory of a run",
        "foreign/run.json: is the report of another program, “other 1.0”",
        "broken/run.json: is not the report of a run: ",
        "sly/run.json: is not the report of a run: it names a shard outside of its directory: ../x.jsonl",
        "out/documents/a.jsonl.zst: ",
    ] {
        assert!(ended.stderr.contains(message), "{message}: {}", ended.stderr);
    }
    fs::remove_file(&shard).unwrap();
    let ended = place.dehusk(&["cat", "out", "-f", "url"]);
    assert_eq!((ended.status, lines(&ended).len()), (1, 1));
    assert!(ended.stderr.contains("a.jsonl.zst: cannot be read"), "{}", ended.stderr);
}

#[test]
fn a_run_that_is_not_finished_gives_what_there_is() {
    let place = Place::new();
    three_pages(&place);
    let path = place.path("out/run.json");
    let mut report: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    report["state"] = "running".into();
    report["archives"][1]["state"] = "pending".into();
    fs::write(&path, report.to_string()).unwrap();
    fs::remove_file(place.path("out/documents/b.jsonl.zst")).unwrap();
    let ended = place.dehusk(&["cat", "out", "-f", "url"]);
    assert_eq!((ended.status, lines(&ended).len()), (3, 2));
    assert!(
        ended
            .stderr
            .contains("out: the run is running, so documents may be missing"),
        "{}",
        ended.stderr
    );
}

#[test]
fn wrong_usage_is_explained() {
    let place = Place::new();
    for (arguments, message) in [
        (&["cat", "out", "-f", "wrods"][..], "did you mean “words”?"),
        (
            &["cat", "out", "--where", "words"],
            "is not a condition such as “words >= 50”",
        ),
        (
            &["cat", "out", "--where", "words > 3 and wrods < 9"],
            "did you mean “words”?",
        ),
        (
            &["cat", "out", "-f", "url,ulr"],
            "“ulr” is not a field of a document; did you mean “url”?",
        ),
        (&["cat", "out", "-f", "url,url"], "names “url” twice"),
        (&["cat", "out", "--format", "csv"], "such as --field url,title,words"),
        (
            &["cat", "out", "-f", "url,title", "--format", "text"],
            "prints one field",
        ),
        (&["cat", "out", "-f", "url,title", "-0"], "--null is for one field"),
        (&["cat", "out", "--null"], "--field"),
        (&["cat"], "RUN_DIR"),
    ] {
        let ended = place.dehusk(arguments);
        assert_eq!(ended.status, 2, "{arguments:?}");
        assert!(ended.stderr.contains(message), "{arguments:?}: {}", ended.stderr);
    }
}

#[test]
fn a_document_is_found_in_its_archive() {
    let place = Place::new();
    place.run(&[SAMPLE]);
    let first: Value = serde_json::from_str(&lines(&place.dehusk(&["cat", "out"]))[0]).unwrap();
    let url = first["metadata"]["url"].as_str().unwrap();
    for wanted in [url, first["id"].as_str().unwrap()] {
        let ended = place.dehusk(&["inspect", "--find", wanted, "out"]);
        assert_eq!(ended.status, 0, "{}", ended.stderr);
        let found = lines(&ended);
        let cells: Vec<&str> = found[1].split('\t').collect();
        assert_eq!((cells[2], cells[4]), ("emitted", url));
        let shown = place.dehusk(&["inspect", cells[0]]);
        assert!(String::from_utf8_lossy(&shown.stdout).contains(&format!("WARC-Target-URI: {url}")));
    }
}

/// Runs in a folder: `two` before `two-more`, a copy without duplicates of both, and what is no run.
fn a_folder_of_runs(place: &Place) {
    let page = |n: u32| make::page(&format!("https://p{n}.example/"), &"Some words of a page. ".repeat(20));
    place.write("a.warc", page(1));
    place.write("b.warc", page(2));
    place.run_to("nights/two-more", &["b.warc"]).ends_with(0);
    place.run_to("nights/two", &["a.warc"]).ends_with(0);
    place.write("nights/logs/log.txt", "nothing");
    let cluster = ["cluster", "nights", "-o", "near", "--deduplicated", "nights/copy"];
    let ended = place.dehusk(&cluster);
    assert_eq!((ended.status, ended.stderr.as_str()), (0, ""));
}

#[test]
fn a_folder_means_the_runs_in_it() {
    let place = Place::new();
    a_folder_of_runs(&place);
    let urls = ["https://p1.example/", "https://p2.example/"];
    assert_eq!(lines(&place.dehusk(&["cat", "nights", "-f", "url"])), urls);
    assert_eq!(lines(&place.dehusk(&["cat", "nights/copy", "-f", "url"])).len(), 1);
    let ended = place.dehusk(&["topics", "nights", "-o", "topics"]);
    assert_eq!((ended.status, ended.stderr.as_str()), (0, ""));
    assert!(String::from_utf8_lossy(&ended.stdout).contains("2 documents"));
    for (url, run) in urls.iter().zip(["nights/two", "nights/two-more"]) {
        let found = lines(&place.dehusk(&["inspect", "--find", url, "nights"]));
        assert_eq!(found.len(), 2);
        assert_eq!(found[1].split('\t').next_back(), Some(run));
    }
    // Several runs are named one by one, and a copy beside them is one, too.
    let found = lines(&place.dehusk(&[
        "inspect",
        "--find",
        urls[0],
        "nights/two-more",
        "nights/two",
        "nights/copy",
    ]));
    assert_eq!(found.len(), 3);
    for command in [&["cat"][..], &["inspect", "--find", urls[0]]] {
        let ended = place.dehusk(&[command, &["nights/logs"]].concat());
        assert_eq!(ended.status, 1);
        let message = "nights/logs: holds no run: there is no run.json in it, and none in the folders right in it";
        assert!(ended.stderr.contains(message), "{}", ended.stderr);
    }
    let ended = place.dehusk(&["inspect", "a.warc", "b.warc"]);
    assert_eq!(ended.status, 2);
    assert!(
        ended.stderr.contains("one archive is inspected at a time"),
        "{}",
        ended.stderr
    );
}

#[test]
fn a_failed_record_is_found_by_its_id() {
    let place = Place::new();
    let run = place.run(&[SAMPLE]);
    let failed = &run.failed[0];
    let ended = place.dehusk(&["inspect", "--find", failed["id"].as_str().unwrap(), "out"]);
    let place_of = format!("{SAMPLE}@{}\t", failed["offset"]);
    let reason = format!("\tfailed: {}\t", failed["reason"].as_str().unwrap());
    assert!(lines(&ended)[1].starts_with(&place_of) && lines(&ended)[1].contains(&reason));
    let ended = place.dehusk(&["inspect", "--find", "https://nowhere.example/", "out"]);
    assert_eq!(ended.status, 1);
    assert!(
        ended.stderr.contains("no document has the id or URL"),
        "{}",
        ended.stderr
    );
}
