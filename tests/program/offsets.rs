//! `dehusk run --offsets`: JSONL, conditions on the records of a list, and where its archives are.

use std::collections::BTreeSet;

use serde_json::json;

use crate::program::{Place, Run, json_lines, make};

/// An archive of some pages, and the offset and length of each.
fn members() -> (Vec<u8>, Vec<(usize, usize)>) {
    let (mut bytes, mut places) = (Vec::new(), Vec::new());
    for name in ["p0", "p1", "p2", "p3"] {
        let url = format!("https://{name}.example/");
        let member = make::gzip(&make::page(&url, "A page of some words."));
        places.push((bytes.len(), member.len()));
        bytes.extend(member);
    }
    (bytes, places)
}

fn hosts(run: &Run) -> BTreeSet<String> {
    let host = |document: &serde_json::Value| document["metadata"]["hostname"].as_str().unwrap().to_owned();
    run.documents().iter().map(host).collect()
}

fn set<const N: usize>(names: [&str; N]) -> BTreeSet<String> {
    names.map(|name| format!("{name}.example")).into()
}

#[test]
fn lines_of_json_name_records_by_the_keys_of_their_writers() {
    let (bytes, at) = members();
    let place = Place::new();
    place.write("crawl/a.warc.gz", &bytes);
    let lines = [
        json!({"filename": "crawl/a.warc.gz", "offset": at[0].0.to_string(), "length": at[0].1.to_string()}),
        json!({"warc_filename": "crawl/a.warc.gz", "warc_record_offset": at[2].0, "warc_record_length": at[2].1}),
    ];
    place.write("list.jsonl", lines.map(|line| format!("{line}\n")).concat());
    let run = place.run(&["--offsets", "list.jsonl"]).ends_with(0);
    assert_eq!(hosts(&run), set(["p0", "p2"]));
    // Documents are a list of records, too.
    let chosen = place.dehusk(&["cat", "out", "--where", "url ~ p2"]);
    assert_eq!(json_lines(&chosen.stdout).len(), 1);
    place.write("documents.jsonl", &chosen.stdout);
    let again = place
        .run_to("again", &["crawl/a.warc.gz", "--offsets", "documents.jsonl"])
        .ends_with(0);
    assert_eq!(hosts(&again), set(["p2"]));
}

#[test]
fn a_range_keeps_all_records_of_its_members_though_a_line_names_one_of_them() {
    let pages = ["p0", "p1", "p2"].map(|name| make::page(&format!("https://{name}.example/"), "A page of some words."));
    let first = make::gzip(&pages[0]);
    let both = make::gzip(&pages[1..].concat());
    let place = Place::new();
    place.write("a.warc.gz", [&first[..], &both].concat());
    let one = json!({"filename": "a.warc.gz", "offset": first.len(), "offset_in_member": pages[1].len()});
    let all = json!({"filename": "a.warc.gz", "offset": 0, "length": first.len() + both.len()});
    place.write("list.jsonl", format!("{one}\n{all}\n"));
    let run = place.run(&["--offsets", "list.jsonl"]).ends_with(0);
    assert_eq!(hosts(&run), set(["p0", "p1", "p2"]));
}

#[test]
fn a_document_names_its_own_record_of_a_member() {
    let pages = ["p0", "p1", "p2"].map(|name| make::page(&format!("https://{name}.example/"), "A page of some words."));
    let place = Place::new();
    place.write("a.warc.gz", make::gzip(&pages.concat()));
    place.run(&["a.warc.gz"]).ends_with(0);
    let chosen = place.dehusk(&["cat", "out", "--where", "url ~ p[02]"]).stdout;
    place.write("documents.jsonl", &chosen);
    let again = place
        .run_to("again", &["a.warc.gz", "--offsets", "documents.jsonl"])
        .ends_with(0);
    assert_eq!(hosts(&again), set(["p0", "p2"]));
    // A line that names the member alone names all of it.
    place.write(
        "documents.jsonl",
        [&chosen[..], b"{\"filename\":\"a.warc.gz\",\"offset\":0}\n"].concat(),
    );
    let whole = place
        .run_to("whole", &["a.warc.gz", "--offsets", "documents.jsonl"])
        .ends_with(0);
    assert_eq!(hosts(&whole), set(["p0", "p1", "p2"]));
}

#[test]
fn an_index_is_read_whose_keys_have_braces() {
    let place = Place::new();
    let pages = ["x%7By", "{\"z\":1}/", "{{"]
        .map(|path| make::page(&format!("https://p0.example/{path}"), "A page of some words."));
    place.write("a.warc", pages.concat());
    place.run(&["a.warc", "--records-out", "all"]).ends_with(0);
    let index = place.path("out/records/a.all.warc.gz.cdxj");
    let lines = std::fs::read_to_string(&index).unwrap();
    assert!(lines.lines().any(|line| line.find('{') < line.find(" {")), "{lines}");
    let arguments = [
        "--offsets",
        "out/records/a.all.warc.gz.cdxj",
        "--offsets-base",
        "out/records",
    ];
    let again = place.run_to("again", &arguments).ends_with(0);
    assert_eq!(again.total("emitted"), 3);
}

#[test]
fn a_mistake_in_a_line_of_json_is_named_with_its_key() {
    let place = Place::new();
    for (line, says) in [
        (
            json!({"filename": "a.warc", "offset": -3}),
            "“offset” is -3; it takes whole numbers from 0 on",
        ),
        (
            json!({"filename": "a.warc", "ofset": 3}),
            "“offset” is missing; did you mean “ofset”?",
        ),
        (
            json!({"filename": "a.warc", "offset": "3", "length": "-5"}),
            "“length” is \"-5\"; it takes whole numbers from 0 on, or nothing",
        ),
        (
            json!({"filename": "", "offset": 3}),
            "“filename” is \"\"; it takes the name of an archive",
        ),
        (
            json!({"filname": "a.warc", "offset": 3}),
            "names the archive; did you mean “filename”?",
        ),
        (
            json!({"warc_filename": "a.warc", "warc_record_offset": 1.5}),
            "“warc_record_offset” is 1.5; it takes whole numbers",
        ),
        (
            json!({"id": "x", "metadata": {"file_path": "a.warc", "warc_offset": -1}}),
            "“warc_offset” is -1; it takes whole numbers",
        ),
    ] {
        place.write("list.jsonl", format!("#\n{line}\n"));
        let ended = place.dehusk(&["run", "--offsets", "list.jsonl", "-o", "no"]);
        assert_eq!(ended.status, 2, "{}", ended.stderr);
        assert!(ended.stderr.contains("list.jsonl: line 2: "), "{}", ended.stderr);
        assert!(ended.stderr.contains(says), "{says}: {}", ended.stderr);
    }
}

#[test]
fn a_list_without_a_record_is_named() {
    let place = Place::new();
    place.write("list.cdxj", "!meta {}\n\n");
    let ended = place.dehusk(&["run", "--offsets", "list.cdxj", "-o", "no"]);
    assert_eq!(ended.status, 2, "{}", ended.stderr);
    assert!(
        ended.stderr.contains("list.cdxj: it names no record"),
        "{}",
        ended.stderr
    );
}

#[test]
fn conditions_choose_among_the_records_of_a_list() {
    let (bytes, at) = members();
    let place = Place::new();
    place.write("crawl/a.warc.gz", &bytes);
    let line = |i: usize, language: &str, status: &str| {
        let (offset, length) = at[i];
        let object = json!({"filename": "a.warc.gz", "offset": offset.to_string(), "length": length.to_string(),
            "languages": language, "status": status});
        format!("example,p{i})/ 20240506070809 {object}\n")
    };
    let lines = [
        line(0, "eng", "200"),
        line(1, "isl", "200"),
        line(2, "isl,eng", "200"),
        line(3, "isl", "404"),
    ];
    place.write("list.cdxj", lines.concat());
    let with = |folder: &str, conditions: &[&str]| {
        let flags: Vec<&str> = conditions.iter().flat_map(|c| ["--offsets-where", *c]).collect();
        let arguments = [&["--offsets", "list.cdxj", "--offsets-base", "crawl"], &flags[..]].concat();
        hosts(&place.run_to(folder, &arguments).ends_with(0))
    };
    assert_eq!(with("one", &["languages ~ isl", "status = 200"]), set(["p1", "p2"]));
    assert_eq!(with("two", &["status >= 300"]), set(["p3"]));
    for (conditions, says) in [
        (["languages = fra"], "list.cdxj: no record of it meets the conditions"),
        (["languages"], "is not a condition such as"),
        (["languages ~ ("], "unclosed group"),
    ] {
        let ended = place.dehusk(&[
            "run",
            "--offsets",
            "list.cdxj",
            "-o",
            "no",
            "--offsets-where",
            conditions[0],
        ]);
        assert_eq!(ended.status, 2, "{}", ended.stderr);
        assert!(ended.stderr.contains(says), "{}", ended.stderr);
    }
    place.write("list.tsv", format!("crawl/a.warc.gz\t{}\t{}\n", at[0].0, at[0].1));
    let ended = place.dehusk(&[
        "run",
        "--offsets",
        "list.tsv",
        "-o",
        "no",
        "--offsets-where",
        "status = 200",
    ]);
    assert_eq!(ended.status, 2);
    assert!(ended.stderr.contains("line 1: has no names"), "{}", ended.stderr);
}

#[cfg(not(feature = "parquet"))]
#[test]
fn a_build_without_parquet_names_what_it_lacks() {
    let place = Place::new();
    place.write("index.parquet", b"PAR1\x00\x00PAR1");
    let ended = place.dehusk(&["run", "--offsets", "index.parquet", "-o", "no"]);
    assert_eq!(ended.status, 2, "{}", ended.stderr);
    assert!(
        ended.stderr.contains("index.parquet: is Parquet, and "),
        "{}",
        ended.stderr
    );
    assert!(ended.stderr.contains("--features parquet"), "{}", ended.stderr);
}
