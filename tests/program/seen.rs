//! `--seen`: what an earlier run has emitted is not emitted again.

use std::fs;

use redb::ReadableDatabase;
use serde_json::{Value, json};

use crate::program::{Place, Run, Running, make, refused};
use crate::resume::page;

const STORE: [&str; 2] = ["--seen", "store"];

/// Runs archives with the store.
fn run(place: &Place, folder: &str, arguments: &[&str]) -> Run {
    place.run_to(folder, &[arguments, &STORE].concat())
}

fn hosts(run: &Run) -> Vec<String> {
    let host = |d: &Value| d["metadata"]["hostname"].as_str().unwrap().to_owned();
    run.documents().iter().map(host).collect()
}

fn pages(names: &[&str]) -> Vec<u8> {
    names.iter().flat_map(|name| page(name)).collect()
}

#[test]
fn what_an_earlier_run_emitted_is_a_duplicate() {
    let place = Place::new();
    place.write("monday.warc", pages(&["a", "b", "a"]));
    place.write("tuesday.warc", pages(&["b", "c", "d"]));
    let monday = run(&place, "monday", &["monday.warc"]).ends_with(0);
    assert_eq!(
        hosts(&monday),
        ["a.example", "b.example", "a.example"],
        "its own do not count"
    );
    for threads in ["1", "5"] {
        let folder = format!("tuesday-{threads}");
        fs::copy(place.path("store"), place.path("copy")).unwrap();
        let arguments = ["tuesday.warc", "--threads", threads, "--seen", "copy"];
        let tuesday = place.run_to(&folder, &arguments).ends_with(0);
        assert_eq!(hosts(&tuesday), ["c.example", "d.example"]);
        assert_eq!(tuesday.total("filtered.duplicate"), 1);
    }
    let without = place.run_to("without", &["tuesday.warc"]).ends_with(0);
    assert_eq!(without.documents().len(), 3);
    assert_eq!(without.report.get("seen"), None);
}

#[test]
fn a_run_gives_the_same_documents_again() {
    let place = Place::new();
    place.write("monday.warc", pages(&["a", "b"]));
    place.write("tuesday.warc", pages(&["b", "c"]));
    run(&place, "monday", &["monday.warc"]).ends_with(0);
    let tuesday = run(&place, "tuesday", &["tuesday.warc"]).ends_with(0);
    let again = run(&place, "tuesday", &["tuesday.warc"]).ends_with(0);
    assert!(
        again.ended.stderr.contains("finished already"),
        "{}",
        again.ended.stderr
    );
    for _ in 0..2 {
        let anew = run(&place, "tuesday", &["tuesday.warc", "--overwrite"]).ends_with(0);
        assert_eq!(
            (hosts(&anew), &anew.shards),
            (vec!["c.example".to_owned()], &tuesday.shards)
        );
    }
    // Payloads that it emitted with other rules count no longer.
    run(
        &place,
        "tuesday",
        &["tuesday.warc", "--overwrite", "--min-words", "100"],
    )
    .ends_with(0);
    let wednesday = run(&place, "wednesday", &["tuesday.warc"]).ends_with(0);
    assert_eq!(hosts(&wednesday), ["c.example"]);
    // In another directory it is another run.
    let other = run(&place, "other", &["tuesday.warc"]).ends_with(0);
    assert_eq!(other.total("filtered.duplicate"), 2);
}

#[test]
fn archives_that_are_added_see_what_the_run_saw() {
    let place = Place::new();
    place.write("one.warc", pages(&["a"]));
    place.write("two.warc", pages(&["a", "b"]));
    place.write("more.warc", pages(&["a", "b", "c"]));
    run(&place, "one", &["one.warc"]).ends_with(0);
    run(&place, "two", &["two.warc"]).ends_with(0);
    let more = run(&place, "two", &["two.warc", "more.warc"]).ends_with(0);
    assert_eq!(hosts(&more), ["b.example", "c.example", "b.example"]);
    assert_eq!(more.report["seen"]["runs"].as_array().unwrap().len(), 2);
    let third = run(&place, "third", &["more.warc"]).ends_with(0);
    assert_eq!(third.total("filtered.duplicate"), 3);
    let anew = run(&place, "two", &["two.warc", "more.warc", "--overwrite"]).ends_with(0);
    assert_eq!(anew.shards, more.shards);
}

#[test]
fn a_payload_is_one_however_its_record_states_its_digest() {
    let body = b"<!doctype html><title>A page</title><p>The same payload, told in several ways.</p>";
    let response = |fields: &str, head: &str, body: &[u8]| {
        let mut block = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n{head}\r\n").into_bytes();
        block.extend_from_slice(body);
        let fields = format!("Content-Type: application/http; msgtype=response\r\n{fields}");
        make::record("response", "https://a.example/", &fields, &block)
    };
    let chunked = [format!("{:x}\r\n", body.len()).as_bytes(), body, b"\r\n0\r\n\r\n"].concat();
    let digest = |value: &str| format!("WARC-Payload-Digest: {value}\r\n");
    let spellings = [
        response("", "", body),
        response(&digest("sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ"), "", body),
        response(&digest("sha1:da39a3ee5e6b4b0d3255bfef95601890afd80709"), "", body),
        response(&digest("md5:d41d8cd98f00b204e9800998ecf8427e"), "", body),
        response(&digest("sha256:of something else"), "", body),
        response("", "Transfer-Encoding: chunked\r\n", &chunked),
        response("", "Content-Encoding: gzip\r\n", &make::gzip(body)),
        make::record("resource", "https://a.example/", "Content-Type: text/html\r\n", body),
    ];
    let place = Place::new();
    for (i, record) in spellings.iter().enumerate() {
        place.write(&format!("{i}.warc"), record);
        let night = run(&place, &format!("night-{i}"), &[&format!("{i}.warc")]).ends_with(0);
        let counts = (night.total("emitted"), night.total("filtered.duplicate"));
        assert_eq!(counts, if i == 0 { (1, 0) } else { (0, 1) }, "{i}");
    }
    // The digest of another page does not make this one a duplicate.
    place.write(
        "other.warc",
        response(
            &digest("sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ"),
            "",
            b"<p>Other words here.</p>",
        ),
    );
    assert_eq!(run(&place, "other", &["other.warc"]).total("emitted"), 1);
}

/// Starts a run over an archive and a pipe that nobody writes to. It has begun when this returns.
fn start_waiting(place: &Place, folder: &str, archive: &str) -> Running {
    place.pipe("late.warc");
    let mut running = place.start(&["run", "-o", folder, archive, "late.warc", "--seen", "store"]);
    while !place.path(&format!("{folder}/run.json")).exists() {
        assert_eq!(running.child.try_wait().unwrap(), None, "it ended before it began");
        std::thread::yield_now();
    }
    running
}

#[test]
fn a_killed_run_continues_as_if_no_other_run_had_come_between() {
    let place = Place::new();
    place.write("one.warc", pages(&["a", "b"]));
    place.write("two.warc", pages(&["b", "c", "d"]));
    place.write("three.warc", pages(&["c", "e"]));
    run(&place, "one", &["one.warc"]).ends_with(0);
    fs::copy(place.path("store"), place.path("copy")).unwrap();
    let running = start_waiting(&place, "two", "two.warc");
    running.signal("KILL");
    running.end();
    let three = run(&place, "three", &["three.warc"]).ends_with(0);
    assert_eq!(
        hosts(&three),
        ["c.example", "e.example"],
        "the killed run does not count"
    );
    fs::remove_file(place.path("late.warc")).unwrap();
    place.write("late.warc", pages(&["a", "e", "f"]));
    let two = run(&place, "two", &["two.warc", "late.warc"]).ends_with(0);
    let whole = place
        .run_to("whole", &["two.warc", "late.warc", "--seen", "copy"])
        .ends_with(0);
    assert_eq!(two.shards, whole.shards);
    assert_eq!(hosts(&two), ["e.example", "f.example", "c.example", "d.example"]);
    let all = run(&place, "all", &["one.warc", "two.warc", "three.warc", "late.warc"]).ends_with(0);
    assert_eq!(all.total("emitted"), 0);
}

#[test]
fn one_run_at_a_time_has_a_store() {
    let place = Place::new();
    place.write("one.warc", pages(&["a"]));
    let running = start_waiting(&place, "first", "one.warc");
    refused(
        &place,
        &["-o", "second", "one.warc", "--seen", "store"],
        "store: the store is in use by another process",
    );
    assert!(!place.path("second/run.json").exists());
    running.signal("KILL");
    running.end();
    let second = run(&place, "second", &["one.warc"]).ends_with(0);
    assert_eq!(second.total("emitted"), 1);
}

#[test]
fn a_run_that_ended_between_the_store_and_its_report_adds_nothing_twice() {
    let place = Place::new();
    place.write("one.warc", pages(&["a"]));
    place.write("two.warc", pages(&["b"]));
    run(&place, "out", &["one.warc"]).ends_with(0);
    // The page is written after the store and before the report.
    fs::create_dir_all(place.path("out/.report.html.partial/in the way")).unwrap();
    let failed = place.dehusk(&["run", "-o", "out", "one.warc", "two.warc", "--seen", "store"]);
    assert_eq!(failed.status, 1, "{}", failed.stderr);
    fs::remove_dir_all(place.path("out/.report.html.partial")).unwrap();
    let whole = run(&place, "out", &["one.warc", "two.warc"]).ends_with(0);
    let numbers: Vec<&Value> = whole.report["seen"]["runs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|r| &r["number"])
        .collect();
    assert_eq!(numbers, [&json!(1), &json!(2)]);
    let anew = run(&place, "out", &["one.warc", "two.warc", "--overwrite"]).ends_with(0);
    assert_eq!(anew.total("emitted"), 2);
}

#[test]
fn a_continued_run_needs_the_store_that_it_began_with() {
    let place = Place::new();
    place.write("one.warc", pages(&["a"]));
    place.write("two.warc", pages(&["a", "b"]));
    run(&place, "one", &["one.warc"]).ends_with(0);
    run(&place, "two", &["one.warc"]).ends_with(0);
    fs::remove_file(place.path("store")).unwrap();
    let arguments = ["-o", "two", "one.warc", "two.warc", "--seen", "store"];
    refused(
        &place,
        &arguments,
        "the store “store” does not hold what it held when the run began",
    );
    assert!(!place.path("store").exists());
    // Of a run that is repeated, earlier entries are gone for those that saw them.
    let redone = run(&place, "two", &["one.warc", "two.warc", "--changed"]).ends_with(0);
    assert_eq!(hosts(&redone), ["a.example", "a.example", "b.example"]);
}

#[test]
fn a_finished_run_names_a_store_that_does_not_hold_what_it_added() {
    let place = Place::new();
    place.write("one.warc", pages(&["a"]));
    place.write("two.warc", pages(&["a", "b"]));
    run(&place, "one", &["one.warc"]).ends_with(0);
    fs::copy(place.path("store"), place.path("backup")).unwrap();
    let two = run(&place, "two", &["two.warc"]).ends_with(0);
    fs::copy(place.path("backup"), place.path("store")).unwrap();
    let message = "the store “store” does not hold what the run has added to it";
    for archives in [&["two.warc"][..], &["two.warc", "one.warc"]] {
        let arguments = [&["-o", "two", "--seen", "store"], archives].concat();
        refused(&place, &arguments, message);
    }
    // The run before does not depend on it.
    let one = run(&place, "one", &["one.warc"]).ends_with(0);
    assert!(one.ended.stderr.contains("finished already"), "{}", one.ended.stderr);
    let again = run(&place, "two", &["two.warc", "--changed"]).ends_with(0);
    assert_eq!(again.shards, two.shards);
    assert_eq!(run(&place, "three", &["two.warc"]).total("filtered.duplicate"), 2);
}

#[test]
fn a_restored_store_does_not_turn_the_earlier_entries_of_a_directory_against_it() {
    let place = Place::new();
    place.write("one.warc", pages(&["a", "b"]));
    let first = run(&place, "out", &["one.warc"]).ends_with(0);
    fs::copy(place.path("store"), place.path("backup")).unwrap();
    run(&place, "out", &["one.warc", "--overwrite"]).ends_with(0);
    for again in ["--changed", "--overwrite", "--changed"] {
        fs::copy(place.path("backup"), place.path("store")).unwrap();
        let message = "the store “store” does not hold what the run has added to it";
        refused(&place, &["-o", "out", "one.warc", "--seen", "store"], message);
        let redone = run(&place, "out", &["one.warc", again]).ends_with(0);
        assert_eq!((redone.total("emitted"), &redone.shards), (2, &first.shards), "{again}");
    }
    // The same holds if the directory was repeated with another store meanwhile.
    let other = ["one.warc", "--overwrite", "--seen", "other"];
    assert_eq!(place.run_to("out", &other).ends_with(0).total("emitted"), 2);
    let back = run(&place, "out", &["one.warc", "--overwrite"]).ends_with(0);
    assert_eq!(back.shards, first.shards);
    // For any other directory, these pages are seen.
    assert_eq!(run(&place, "two", &["one.warc"]).total("filtered.duplicate"), 2);
}

#[test]
fn a_run_whose_account_cannot_be_read_is_not_replaced_if_its_payloads_would_count() {
    let place = Place::new();
    place.write("one.warc", pages(&["a"]));
    let anew = ["one.warc", "--overwrite"];
    let change = |from: &str, to: &str| {
        let report = fs::read_to_string(place.path("out/run.json")).unwrap();
        assert!(report.contains(from), "{report}");
        place.write("out/run.json", report.replacen(from, to, 1));
    };
    run(&place, "out", &["one.warc"]).ends_with(0);
    change("\"emitted\": 1", "\"emitted\": \"one\"");
    let report = fs::read(place.path("out/run.json")).unwrap();
    let message = "what its run has added to the store of payloads would count as seen, and cannot be told: \
        out/run.json: is not a report";
    refused(
        &place,
        &["-o", "out", "one.warc", "--overwrite", "--seen", "store"],
        message,
    );
    assert_eq!(fs::read(place.path("out/run.json")).unwrap(), report);
    // Without a store, nothing depends on it; and such a run has added nothing.
    place.run_to("out", &anew).ends_with(0);
    change("\"emitted\": 1", "\"emitted\": \"one\"");
    let seen = run(&place, "out", &anew).ends_with(0);
    assert_eq!(seen.total("filtered.duplicate"), 1);
    // The report of an unfinished run also shows what it had added when it was complete before.
    place.run_to("other", &["one.warc", "--seen", "store-2"]).ends_with(0);
    let report = fs::read_to_string(place.path("other/run.json")).unwrap();
    place.write(
        "other/run.json",
        report.replacen("\"state\": \"complete\"", "\"state\": \"running\"", 1),
    );
    let again = place
        .run_to("other", &["one.warc", "--overwrite", "--seen", "store-2"])
        .ends_with(0);
    assert_eq!(again.total("emitted"), 1);
}

#[test]
fn nothing_is_taken_over_from_a_run_that_counts_as_seen() {
    let place = Place::new();
    place.write("one.warc", pages(&["a"]));
    run(&place, "one", &["one.warc"]).ends_with(0);
    let two = run(&place, "two", &["one.warc", "--since", "one"]).ends_with(0);
    assert_eq!(two.total("filtered.duplicate"), 1);
    assert!(!two.ended.stderr.contains("taken over"), "{}", two.ended.stderr);
}

#[test]
fn what_is_no_store_of_payloads_is_named_and_left_as_it_is() {
    let place = Place::new();
    place.write("one.warc", pages(&["a"]));
    run(&place, "one", &["one.warc"]).ends_with(0);
    let good = fs::read(place.path("store")).unwrap();
    let change = |key: &str, value: &str| {
        fs::write(place.path("other"), &good).unwrap();
        let database = redb::Database::open(place.path("other")).unwrap();
        let transaction = database.begin_write().unwrap();
        let head = redb::TableDefinition::<&str, &str>::new("dehusk");
        transaction.open_table(head).unwrap().insert(key, value).unwrap();
        transaction.commit().unwrap();
    };
    let refused_as = |message: &str| {
        refused(&place, &["-o", "out", "one.warc", "--seen", "other"], message);
        assert!(!place.path("out/run.json").exists());
    };
    change("holds", "clusters");
    refused_as("other: is a store of clusters, not of payloads that runs have emitted; name another file");
    change("version", "7");
    refused_as("other: is a store of version 7, and this program reads version 1");
    change("parameters", "MD5");
    refused_as("other: was made with MD5, and now it is SHA-256");
    fs::remove_file(place.path("other")).unwrap();
    let foreign = redb::Database::create(place.path("other")).unwrap();
    let transaction = foreign.begin_write().unwrap();
    transaction
        .open_table(redb::TableDefinition::<u8, u8>::new("mine"))
        .unwrap();
    transaction.commit().unwrap();
    drop(foreign);
    refused_as("other: is no store of dehusk");
    let foreign = redb::Database::open(place.path("other")).unwrap();
    assert_eq!(
        foreign.begin_read().unwrap().list_tables().unwrap().count(),
        1,
        "nothing was added"
    );
    drop(foreign);
    place.write("other", "some text that is not to be lost".repeat(1000));
    refused_as("other: is no store of dehusk");
    assert_eq!(
        fs::read(place.path("other")).unwrap(),
        "some text that is not to be lost".repeat(1000).into_bytes()
    );
    for length in [1, 9, 100] {
        place.write("other", &good[..length]);
        refused_as("other: is no store of dehusk");
    }
    for length in [4096, good.len() / 2, good.len() - 1] {
        place.write("other", &good[..length]);
        refused_as("other: the store is damaged");
    }
    // The bytes after a page's head are checked by its checksum.
    let mut damaged = good.clone();
    for page in damaged.chunks_mut(4096).skip(1) {
        page[100..200].fill(0x5a);
    }
    place.write("other", damaged);
    refused_as("other: the store is damaged");
    fs::remove_file(place.path("other")).unwrap();
    // Such a file is in the way only under the store's own name.
    place.write(".other.partial", &good[..100]);
    place.run_to("killed", &["one.warc", "--seen", "other"]).ends_with(0);
    assert!(!place.path(".other.partial").exists());
    fs::remove_file(place.path("other")).unwrap();
    fs::create_dir(place.path("other")).unwrap();
    let folder = place.dehusk(&["run", "-o", "out", "one.warc", "--seen", "other"]);
    assert_eq!(folder.status, 1);
    assert!(
        folder.stderr.contains("other: the store cannot be used: "),
        "{}",
        folder.stderr
    );
    let nowhere = place.dehusk(&["run", "-o", "out", "one.warc", "--seen", "no/where"]);
    assert_eq!(nowhere.status, 1);
    assert!(
        nowhere.stderr.contains("no/where: the store cannot be used: "),
        "{}",
        nowhere.stderr
    );
}
