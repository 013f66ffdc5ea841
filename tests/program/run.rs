//! `dehusk run` as a whole: the sample's documents, in every format, from every kind of archive, with any number of
//! threads.

use std::fs;
use std::path::Path;

use crate::program::{Place, SAMPLE, make, sample_records};
use serde_json::Value;

/// The sample's golden output, without the configuration's hash.
fn compare_with_golden(name: &str, shard: &[u8]) {
    let text = std::str::from_utf8(shard).unwrap();
    let hash = regex::Regex::new(r"\+cfg[0-9a-f]{8}\.schema[0-9]+").unwrap();
    let text = hash.replace_all(text, "+cfg00000000");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name);
    if std::env::var_os("DEHUSK_BLESS").is_some() {
        fs::write(&path, text.as_bytes()).unwrap();
        return;
    }
    let golden = fs::read_to_string(&path).unwrap_or_default();
    for (i, (is, was)) in text.lines().zip(golden.lines()).enumerate() {
        assert!(
            is == was,
            "{name}, line {}: the output has changed; DEHUSK_BLESS=1 accepts it\nwas {was}\nis  {is}",
            i + 1
        );
    }
    assert_eq!(text.lines().count(), golden.lines().count(), "{name}: lines");
}

#[test]
fn the_sample_as_jsonl_is_the_golden_file() {
    let place = Place::new();
    let run = place.run(&[SAMPLE]).ends_with(3);
    let number = |path| run.total(path);
    assert_eq!((number("framed"), number("emitted")), (65, 53));
    assert_eq!(
        run.report["totals"]["filtered"],
        serde_json::json!({"record_type": 5, "revisit": 1, "mime": 2, "status": 2, "needs_script": 1})
    );
    assert_eq!(run.report["totals"]["failed"], serde_json::json!({"gzip_data": 1}));
    assert_eq!(number("bytes"), fs::metadata(SAMPLE).unwrap().len());
    assert_eq!(run.archives()[0]["state"], "damaged");
    assert_eq!(run.report["state"], "complete");
    assert_eq!(run.failed.len(), 1);
    assert!(run.failed[0]["id"].as_str().unwrap().starts_with("urn:uuid:"));
    assert_eq!(
        run.archives()[0]["shards"],
        serde_json::json!(["documents/sample.jsonl.zst"])
    );
    compare_with_golden("sample.jsonl", run.shard());
}

#[test]
fn the_sample_as_xml_is_the_golden_file() {
    let place = Place::new();
    let run = place
        .run(&[SAMPLE, "--format", "xml", "--compression", "gzip"])
        .ends_with(3);
    assert_eq!(
        run.archives()[0]["shards"],
        serde_json::json!(["documents/sample.xml.gz"])
    );
    assert_eq!(crate::program::xml_flags(run.shard()).len(), 53);
    compare_with_golden("sample.xml", run.shard());
}

/// Every key of a document that nobody asked more of, in its order, with a value of its type.
const KEYS: &str = r#"{"id": "", "text": "", "source": "", "created": "", "version": "",
    "metadata": {"url": "", "file_path": "", "warc_offset": 0, "warc_length": 0, "offset_in_member": 0,
        "payload_digest": "", "http_status": 0, "mime": "", "charset": "", "charset_source": "",
        "title": "", "title_in_text": false, "author": "", "published": "", "sitename": "", "hostname": "", "language": "", "language_score": 0.0,
        "extractor": "", "score": 0.0, "words": 0, "page_words": 0, "truncated": false, "flags": "", "text_hash": ""}}"#;

/// The types of a document's values, by their paths.
fn shape(path: &str, value: &Value, out: &mut Vec<String>) {
    match value {
        Value::Object(object) => object.iter().for_each(|(k, v)| shape(&format!("{path}.{k}"), v, out)),
        Value::String(_) => out.push(format!("{path}: string")),
        Value::Bool(_) => out.push(format!("{path}: boolean")),
        Value::Number(n) if n.is_f64() => out.push(format!("{path}: float")),
        Value::Number(_) => out.push(format!("{path}: integer")),
        Value::Null | Value::Array(_) => out.push(format!("{path}: not allowed")),
    }
}

#[test]
fn every_document_has_every_key_of_one_type() {
    let place = Place::new();
    let run = place
        .run(&[
            SAMPLE,
            "--source",
            "a \"corpus\"",
            "--extractor",
            "coreex-modern,coreex",
        ])
        .ends_with(3);
    let mut keys = Vec::new();
    shape("", &serde_json::from_str(KEYS).unwrap(), &mut keys);
    keys.push(".text_coreex: string".into());
    keys.sort();
    let archive = fs::read(SAMPLE).unwrap();
    for document in run.documents() {
        let mut found = Vec::new();
        shape("", &document, &mut found);
        found.sort();
        assert_eq!(found, keys, "{document}");
        assert_eq!(document["source"], "a \"corpus\"");
        assert_ne!(document["text"], "");
        let offset = document["metadata"]["warc_offset"].as_u64().unwrap() as usize;
        let length = document["metadata"]["warc_length"].as_u64().unwrap() as usize;
        let members = make::members(&archive[offset..offset + length]);
        let id = document["id"].as_str().unwrap();
        assert!(
            String::from_utf8_lossy(&members[0]).contains(id),
            "the offset leads to the record"
        );
        assert_eq!(members.len(), 1);
    }
}

#[test]
fn keys_are_in_the_documented_order() {
    let place = Place::new();
    let run = place.run(&[SAMPLE]).ends_with(3);
    let line = String::from_utf8(run.shard().to_vec()).unwrap();
    let line = line.lines().next().unwrap();
    let mut at = 0;
    let key = regex::Regex::new(r#""(\w+)":"#).unwrap();
    for key in key.captures_iter(KEYS) {
        let found = line[at..].find(&key[0]);
        at += found.unwrap_or_else(|| panic!("{} is not where it should be", &key[1]));
    }
}

/// White space counts as one blank.
fn plain(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn the_texts_of_the_sample_hold_its_truth() {
    let place = Place::new();
    let run = place.run(&[SAMPLE]).ends_with(3);
    let truth = Path::new(SAMPLE).with_file_name("truth.jsonl");
    let truth = crate::program::json_lines(&fs::read(truth).unwrap());
    let documents = run.documents();
    let (mut found, mut all) = (0, 0);
    for page in &truth {
        let document = documents.iter().find(|d| d["id"] == page["record_id"]);
        let text = plain(document.unwrap()["text"].as_str().unwrap());
        let paragraphs: Vec<String> = page["text"].as_str().unwrap().split("\n\n").map(plain).collect();
        let here = paragraphs.iter().filter(|p| text.contains(p.as_str())).count();
        if here < paragraphs.len() {
            println!("{} of {}: {}", here, paragraphs.len(), page["record_id"]);
        }
        (found, all) = (found + here, all + paragraphs.len());
    }
    let recall = found as f64 / all as f64;
    println!("{found} of {all} paragraphs");
    assert!(recall >= 0.8, "{found} of {all} paragraphs");
}

#[test]
fn shards_are_the_same_for_every_number_of_threads() {
    let place = Place::new();
    let archive = place.write("large.warc", many_windows());
    let archive = archive.to_str().unwrap();
    for options in [
        &["--compression", "zstd"][..],
        &["--compression", "gzip", "--format", "xml"],
    ] {
        let bytes = |threads: &str, input: &[&str]| {
            let folder = format!("out-{threads}-{}", options.len());
            let run = place
                .run_to(&folder, &[&["--threads", threads], options, input].concat())
                .ends_with(3);
            let name = run.shards.keys().next().unwrap();
            (fs::read(run.directory.join(name)).unwrap(), run.failed)
        };
        let one = bytes("1", &[archive]);
        for threads in ["2", "3", "8"] {
            assert!(bytes(threads, &[archive]) == one, "{threads} threads");
        }
    }
}

#[test]
fn a_pipe_gives_the_same_documents_as_a_file() {
    let place = Place::new();
    let large = many_windows();
    let pieces: Vec<u8> = large.chunks(333_333).flat_map(make::gzip_stored).collect();
    for (name, bytes) in [
        ("sample", fs::read(SAMPLE).unwrap()),
        ("large", large),
        ("pieces", pieces),
    ] {
        let path = place.write(name, &bytes);
        let file = place
            .run_to(&format!("{name}-file"), &[path.to_str().unwrap(), "--threads", "2"])
            .ends_with(3);
        let folder = format!("{name}-pipe");
        let ended = place.dehusk_fed(&["run", "-", "-o", &folder, "--threads", "2"], &bytes);
        let pipe = place.read(&folder, ended).ends_with(3);
        assert_eq!(
            pipe.archives()[0]["shards"],
            serde_json::json!(["documents/stdin.jsonl.zst"])
        );
        let named = |shard: &[u8], name: &str| {
            String::from_utf8_lossy(shard).replace(&format!("\"file_path\":\"{name}\""), "\"file_path\":\"\"")
        };
        assert!(named(file.shard(), name) == named(pipe.shard(), "stdin"));
        let places = |run: &crate::program::Run| -> Vec<String> {
            let place = |f: &Value| format!("{} {} {} {}", f["offset"], f["length"], f["id"], f["reason"]);
            run.failed.iter().map(place).collect()
        };
        assert_eq!(places(&file), places(&pipe));
        assert_eq!(file.report["totals"], pipe.report["totals"]);
    }
}

#[test]
fn recompressing_an_archive_changes_no_text() {
    let place = Place::new();
    let records = sample_records();
    let plain = records.concat();
    let archives = [
        ("members.gz", make::each(&records, make::gzip)),
        ("plain", plain.clone()),
        ("one.gz", make::gzip(&plain)),
        (
            "pairs.gz",
            records.chunks(2).flat_map(|two| make::gzip(&two.concat())).collect(),
        ),
        // Members end anywhere but where records do.
        ("pieces.gz", plain.chunks(70_001).flat_map(make::gzip).collect()),
        ("frames.zst", make::each(&records, make::zstd)),
        ("one.zst", make::zstd(&plain)),
        ("pieces.zst", plain.chunks(70_001).flat_map(make::zstd).collect()),
    ];
    let mut first: Option<Vec<String>> = None;
    for (name, bytes) in archives {
        place.write(name, &bytes);
        let run = place.run_to(&format!("{name}-out"), &[name]).ends_with(0);
        assert_eq!(run.total("framed"), 64, "{name}");
        assert_eq!(run.total("bytes"), bytes.len() as u64, "{name}");
        assert_eq!(run.total("notes.no_seek"), u64::from(name.starts_with("one")), "{name}");
        let texts = run.texts();
        assert_eq!(texts.len(), 53, "{name}");
        assert!(*first.get_or_insert(texts.clone()) == texts, "{name}");
    }
}

#[test]
fn every_compression_holds_the_same_bytes() {
    let place = Place::new();
    for format in ["jsonl", "xml"] {
        let shard = |compression: &str, level: &str| {
            let folder = format!("{format}-{compression}-{level}");
            let options = ["--format", format, "--compression", compression, "--level", level];
            let run = place.run_to(&folder, &[&[SAMPLE], &options[..]].concat()).ends_with(3);
            run.shard().to_vec()
        };
        let plain = shard("none", "0");
        for (compression, level) in [("zstd", "0"), ("zstd", "9"), ("gzip", "0"), ("gzip", "1")] {
            assert!(shard(compression, level) == plain, "{format}, {compression} at {level}");
        }
    }
}

#[test]
fn further_extractors_add_their_texts() {
    let place = Place::new();
    let first = place.run_to("first", &[SAMPLE, "--extractor", "coreex"]).ends_with(3);
    let both = place
        .run_to("both", &[SAMPLE, "--extractor", "coreex-modern,coreex"])
        .ends_with(3);
    for document in both.documents() {
        assert_eq!(document["metadata"]["extractor"], "coreex-modern");
        let alone = first.documents().into_iter().find(|d| d["id"] == document["id"]);
        let alone = alone.map(|d| d["text"].clone()).unwrap_or("".into());
        assert_eq!(
            document["text_coreex"], alone,
            "the first extractor decides, the others add"
        );
    }
    let xml = place
        .run_to(
            "xml",
            &[SAMPLE, "--extractor", "coreex-modern,coreex", "--format", "xml"],
        )
        .ends_with(3);
    assert!(String::from_utf8_lossy(xml.shard()).contains("<text name=\"coreex\">"));
}

/// A plain archive of some dozen windows, with much that is hard to cut: damage, records larger than windows, record
/// starts inside of records, and a window in which nothing starts.
fn many_windows() -> Vec<u8> {
    let samples = sample_records();
    let mut samples = samples.iter().cycle();
    let mut out = Vec::new();
    for i in 0..30 {
        for _ in 0..4 {
            out.extend_from_slice(samples.next().unwrap());
        }
        out.extend(make::filler(i, 600_000 + 1000 * i as usize));
        match i {
            5 => out.extend(b"garbage that is no record\r\n".repeat(40_000)),
            9 => out.extend(make::filler(100, 3_500_000)),
            // A whole archive is in a record's body, over several borders of windows.
            13 => {
                let inner = sample_records().concat().repeat(4);
                out.extend(make::response(
                    "https://inner.example/a.warc",
                    "200 OK",
                    "application/warc",
                    &inner,
                ));
            }
            17 => {
                let mut torn = make::filler(101, 10_000);
                torn.truncate(7_000);
                out.extend(torn);
            }
            21 => out.extend(b"WARC/1.0\r\nWARC-Type: response\r\nContent-Length: many\r\n\r\nlost\r\n\r\n"),
            _ => {}
        }
    }
    out
}

#[test]
fn damage_in_a_large_archive_costs_only_what_it_touches() {
    let place = Place::new();
    place.write("large.warc", many_windows());
    let run = place.run(&["large.warc", "--threads", "3"]).ends_with(3);
    assert_eq!(
        run.total("bytes"),
        fs::metadata(place.path("large.warc")).unwrap().len()
    );
    // 4 records in each of 30 rounds, of which the first 64 are every record of the sample once.
    let emitted = sample_emitted(120);
    assert_eq!(run.total("emitted"), emitted);
    // One states no number, and one is torn: its two lengths agree, and bytes are gone.
    assert_eq!(run.total("failed.bad_length"), 2);
    assert!(run.total("skipped_bytes") >= 26 * 40_000);
}

/// Documents of the first so many records of the repeated sample.
fn sample_emitted(records: usize) -> u64 {
    let place = Place::new();
    let archive: Vec<u8> = sample_records()
        .iter()
        .cycle()
        .take(records)
        .flatten()
        .copied()
        .collect();
    place.write("some.warc", archive);
    place.run(&["some.warc"]).ends_with(0).total("emitted")
}

/// A member whose stored block holds, as it is, a member that decodes to a record.
#[test]
fn a_gzip_member_inside_a_member_is_no_record() {
    let place = Place::new();
    let decoy = make::gzip(&make::page(
        "https://decoy.example/",
        "This page stands in another one and must not be seen.",
    ));
    let mut archive = Vec::new();
    for i in 0..24u64 {
        let url = format!("https://true.example/{i}");
        archive.extend(make::gzip(&make::page(
            &url,
            "A page that is truly there, with some words.",
        )));
        // Decoys at many places, so that each window begins with one.
        let mut body = Vec::new();
        while body.len() < 700_000 {
            body.extend(make::noise(i, 9_973));
            body.extend_from_slice(&decoy);
        }
        archive.extend(make::gzip_stored(&make::response(
            &format!("https://hull.example/{i}"),
            "200 OK",
            "application/gzip",
            &body,
        )));
    }
    place.write("decoys.warc.gz", &archive);
    for threads in ["1", "4"] {
        let run = place
            .run_to(threads, &["decoys.warc.gz", "--threads", threads])
            .ends_with(0);
        assert_eq!((run.total("framed"), run.total("emitted")), (48, 24));
        assert_eq!(run.total("filtered.mime"), 24);
    }
}

#[test]
fn a_flipped_byte_in_a_member_costs_that_record() {
    let place = Place::new();
    let records: Vec<Vec<u8>> = (0..60)
        .map(|i| match i % 2 {
            0 => make::page(
                &format!("https://a.example/{i}"),
                "Some words that make a page of their own.",
            ),
            _ => make::filler(i, 150_000),
        })
        .collect();
    let members: Vec<Vec<u8>> = records.iter().map(|r| make::gzip(r)).collect();
    let mut archive = members.concat();
    // In the middle of the data of two fillers and a page.
    for at in [7, 20, 33] {
        let before: usize = members[..at].iter().map(Vec::len).sum();
        archive[before + members[at].len() / 2] ^= 0x55;
    }
    place.write("flipped.warc.gz", &archive);
    for threads in ["1", "3"] {
        let run = place
            .run_to(threads, &["flipped.warc.gz", "--threads", threads])
            .ends_with(3);
        let lost = run.total("failed.gzip_data") + run.total("failed.gzip_crc");
        assert!(run.total("emitted") == 29 && lost <= 3, "{}", run.report["totals"]);
        assert_eq!(run.total("bytes"), archive.len() as u64);
    }
}

/// More failures than are held in memory, of archives that are read at the same time.
#[test]
fn many_failures_are_listed_in_order() {
    let place = Place::new();
    let bad = "WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:bad>\r\nContent-Length: -1\r\n\r\n";
    for name in ["a", "b", "c"] {
        place.write(&format!("{name}.warc"), bad.repeat(6_000));
    }
    let run = place
        .run(&["c.warc", "a.warc", "b.warc", "--threads", "3"])
        .ends_with(3);
    assert_eq!(run.total("failed.bad_length"), 18_000);
    assert_eq!(run.failed.len(), 18_000);
}

/// A window whose output is too large to be held until its turn comes, and is made again then, in parts.
#[test]
fn a_window_of_much_text_is_the_same_for_every_way_of_reading() {
    let place = Place::new();
    let text = "Words that are many and that say little, again and again, for as long as it takes. ".repeat(3_000);
    let mut archive = make::gzip(&make::filler(1, 1_200_000));
    let member = make::gzip(&make::page("https://long.example/", &text));
    (0..140).for_each(|_| archive.extend_from_slice(&member));
    archive.extend(make::gzip(&make::page(
        "https://last.example/",
        "The last page of all.",
    )));
    place.write("long.warc.gz", &archive);
    let options = ["--compression", "none", "--threads", "3"];
    let file = place
        .run_to("file", &[&["long.warc.gz"], &options[..]].concat())
        .ends_with(0);
    assert_eq!(file.total("emitted"), 141);
    assert!(file.shard().len() > 33 << 20);
    let ended = place.dehusk_fed(&[&["run", "-", "-o", "pipe"], &options[..]].concat(), &archive);
    let pipe = place.read("pipe", ended).ends_with(0);
    assert!(file.texts() == pipe.texts());
}
