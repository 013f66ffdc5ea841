//! The same command again: after a run that was finished, with more archives, and when something has changed since.

use std::fs;

use crate::program::{Place, Run, make, refused};

pub(crate) fn page(name: &str) -> Vec<u8> {
    make::page(
        &format!("https://{name}.example/"),
        &format!("The page {name} has some words."),
    )
}

/// A record that fails.
pub(crate) fn broken() -> Vec<u8> {
    make::response(
        "https://b.example/",
        "200 OK",
        "text/html; charset=utf-7",
        b"<p>+AGEAYgBj-",
    )
}

/// The files that a run wrote, as they are on the disk.
fn snapshot(place: &Place) -> Vec<Vec<u8>> {
    let read = |name: &str| fs::read(place.path(name)).unwrap();
    let mut files = vec![read("out/run.json"), read("out/failed.jsonl")];
    let shards = place.names("out/documents").into_iter();
    files.extend(shards.map(|name| read(&format!("out/documents/{name}"))));
    files
}

fn line_of<'r>(run: &'r Run, path: &str) -> &'r str {
    let start = format!("dehusk: {path}: ");
    let line = run.ended.stderr.lines().find_map(|line| line.strip_prefix(&start));
    line.unwrap_or_else(|| panic!("nothing of {path}: {}", run.ended.stderr))
}

#[test]
fn a_finished_run_does_nothing_again() {
    let place = Place::new();
    place.write("a.warc", [page("a"), broken()].concat());
    place.run(&["a.warc"]).ends_with(3);
    let before = snapshot(&place);
    let again = place.run(&["a.warc"]).ends_with(3);
    assert!(
        again.ended.stderr.contains("finished already (1 archive)"),
        "{}",
        again.ended.stderr
    );
    assert_eq!(snapshot(&place), before);
    // Threads and the like have no part in the documents.
    place.run(&["a.warc", "--threads", "1", "--quiet"]).ends_with(3);
    assert_eq!(snapshot(&place), before);
}

#[test]
fn new_archives_are_added() {
    let place = Place::new();
    for name in ["b", "c", "d"] {
        place.write(&format!("{name}.warc"), [page(name), broken()].concat());
        place.write(&format!("more/{name}.warc"), page(&format!("more-{name}")));
    }
    place.run(&["b.warc", "d.warc"]).ends_with(3);
    let old = fs::metadata(place.path("out/documents/b.jsonl.zst"))
        .unwrap()
        .modified()
        .unwrap();
    let all = ["more/b.warc", "b.warc", "c.warc", "d.warc"];
    let run = place.run(&all).ends_with(3);
    let paths: Vec<&str> = run.archives().iter().map(|a| a["path"].as_str().unwrap()).collect();
    assert_eq!(paths, all);
    assert_eq!(run.archives()[1]["shards"][0], "documents/b.jsonl.zst");
    assert_eq!(run.archives()[0]["shards"][0], "documents/b-2.jsonl.zst");
    assert_eq!((run.documents().len(), run.failed.len()), (4, 3));
    let now = fs::metadata(place.path("out/documents/b.jsonl.zst"))
        .unwrap()
        .modified()
        .unwrap();
    assert_eq!(now, old, "it was not written again");
    // Archives that the list no longer names stay.
    let fewer = place.run(&["more/c.warc"]).ends_with(3);
    assert_eq!(fewer.documents().len(), 5);
    assert_eq!(fewer.archives()[0]["path"], "more/c.warc");
}

#[test]
fn an_archive_that_has_changed_is_named_and_its_documents_stay() {
    let place = Place::new();
    for name in ["grown", "shrunk", "touched", "gone", "same"] {
        place.write(&format!("{name}.warc"), [page(name), page("other")].concat());
    }
    let names = ["grown.warc", "shrunk.warc", "touched.warc", "gone.warc", "same.warc"];
    place.run(&names).ends_with(0);
    place.write("grown.warc", [page("grown"), page("other"), page("third")].concat());
    place.write("shrunk.warc", page("shrunk"));
    let touched = fs::File::options()
        .write(true)
        .open(place.path("touched.warc"))
        .unwrap();
    touched.set_modified(std::time::UNIX_EPOCH).unwrap();
    fs::remove_file(place.path("gone.warc")).unwrap();
    let before = snapshot(&place);
    let changed = place.run(&names).ends_with(1);
    assert_eq!(snapshot(&place), before);
    let said = [
        ("grown.warc", "it grew from"),
        ("shrunk.warc", "it shrank from"),
        (
            "touched.warc",
            "it was modified at 1970-01-01T00:00:00.000000000Z, and at 20",
        ),
        ("gone.warc", "it cannot be found any more"),
    ];
    for (path, message) in said {
        assert!(line_of(&changed, path).starts_with(message), "{}", changed.ended.stderr);
    }
    assert!(!changed.ended.stderr.contains("same.warc"));
    // The rest of the list is processed.
    place.write("new.warc", page("new"));
    let more = place.run(&[&names[..], &["new.warc"]].concat()).ends_with(1);
    assert_eq!(more.documents().len(), 11);
    assert!(more.archives()[0]["changed"].as_str().unwrap().starts_with("it grew"));
    assert_eq!(more.archives()[5]["state"], "complete");
    // By digest, another time alone is no change.
    let verified = place
        .run(&[&names[..], &["new.warc", "--verify"]].concat())
        .ends_with(1);
    assert!(
        !verified.ended.stderr.contains("touched.warc"),
        "{}",
        verified.ended.stderr
    );
    let redone = place
        .run(&[&names[..], &["new.warc", "--changed"]].concat())
        .ends_with(1);
    let emitted: Vec<u64> = redone
        .archives()
        .iter()
        .map(|a| a["emitted"].as_u64().unwrap())
        .collect();
    assert_eq!(emitted, [3, 1, 2, 2, 2, 1]);
    // Of the archive that is gone nothing can be read again, so its documents stay.
    let changed: Vec<&str> = redone
        .archives()
        .iter()
        .filter(|a| a.get("changed").is_some())
        .map(|a| a["path"].as_str().unwrap())
        .collect();
    assert_eq!(changed, ["gone.warc"]);
    assert_eq!(redone.documents().len(), 11);
    assert_eq!(
        line_of(&redone, "gone.warc"),
        "it cannot be found any more; what was made of it stays"
    );
}

#[test]
fn an_archive_that_failed_is_read_again() {
    let place = Place::new();
    place.write("good.warc", page("good"));
    place.write("packed.warc", b"7z\xbc\xaf\x27\x1c\0\x04");
    let names = ["good.warc", "packed.warc", "late.warc"];
    place.run(&names).ends_with(1);
    // Their files are the same as before.
    let again = place.run(&names).ends_with(1);
    for failed in ["failed: packed.warc: ", "failed: late.warc: "] {
        assert!(again.ended.stderr.contains(failed), "{}", again.ended.stderr);
    }
    place.write("late.warc", page("late"));
    place.write("packed.warc", page("unpacked"));
    let whole = place.run(&names).ends_with(0);
    assert_eq!(whole.documents().len(), 3);
}

#[test]
fn a_finished_run_names_what_failed() {
    let place = Place::new();
    place.write("good.warc", page("good"));
    place.run(&["good.warc", "late.warc"]).ends_with(1);
    let fewer = place.run(&["good.warc"]).ends_with(1);
    assert!(fewer.ended.stderr.contains("finished already (2 archives)"));
    assert!(
        fewer.ended.stderr.contains("dehusk: late.warc: "),
        "{}",
        fewer.ended.stderr
    );
}

#[test]
fn a_partial_file_that_no_account_lists_is_replaced() {
    let place = Place::new();
    place.write("a.warc", page("a"));
    place.write("b.warc", page("b"));
    place.run(&["a.warc"]).ends_with(0);
    for option in ["--quiet", "--overwrite"] {
        place.write("out/documents/.b.jsonl.zst.partial", "left by a run that was killed");
        fs::remove_file(place.path("out/documents/b.jsonl.zst")).unwrap_or_default();
        let run = place.run(&["a.warc", "b.warc", option]).ends_with(0);
        assert_eq!(run.documents().len(), 2);
        assert_eq!(place.names("out/documents"), ["a.jsonl.zst", "b.jsonl.zst"]);
    }
}

#[test]
fn a_changed_byte_is_noticed_by_digest() {
    let place = Place::new();
    let path = place.write("a.warc", [page("a"), make::filler(1, 3_000_000)].concat());
    place.run(&["a.warc"]).ends_with(0);
    let modified = fs::metadata(&path).unwrap().modified().unwrap();
    let mut bytes = fs::read(&path).unwrap();
    bytes[2_000_000] ^= 1;
    fs::write(&path, bytes).unwrap();
    fs::File::options()
        .write(true)
        .open(&path)
        .unwrap()
        .set_modified(modified)
        .unwrap();
    place.run(&["a.warc"]).ends_with(0);
    let run = place.run(&["a.warc", "--verify"]).ends_with(1);
    assert!(line_of(&run, "a.warc").starts_with("its bytes are not those that were read"));
    place.run(&["a.warc", "--verify", "--changed"]).ends_with(0);
    place.run(&["a.warc", "--verify"]).ends_with(0);
}

#[test]
fn a_shard_that_is_gone_is_noticed() {
    let place = Place::new();
    place.write("a.warc", page("a"));
    place.run(&["a.warc"]).ends_with(0);
    fs::remove_file(place.path("out/documents/a.jsonl.zst")).unwrap();
    let ended = place.dehusk(&["run", "a.warc", "-o", "out"]);
    assert_eq!(ended.status, 1);
    assert!(
        ended.stderr.contains("its output documents/a.jsonl.zst is gone"),
        "{}",
        ended.stderr
    );
    let run = place.run(&["a.warc", "--changed"]).ends_with(0);
    assert_eq!(run.documents().len(), 1);
}

#[test]
fn another_configuration_or_version_is_named_and_refused() {
    let place = Place::new();
    place.write("a.warc", page("a"));
    place.write("b.warc", page("b"));
    place.run(&["a.warc"]).ends_with(0);
    let before = snapshot(&place);
    let all = ["a.warc", "b.warc", "-o", "out"];
    refused(
        &place,
        &[&all[..], &["--min-words", "3"]].concat(),
        "select.min_words was 0 and is 3",
    );
    refused(
        &place,
        &[&all[..], &["--compression", "gzip"]].concat(),
        "output.compression was \"zstd\" and is \"gzip\"",
    );
    assert_eq!(snapshot(&place), before);
    let run = place
        .run(&["a.warc", "b.warc", "--compression", "gzip", "--changed"])
        .ends_with(0);
    assert_eq!(run.documents().len(), 2);
    assert_eq!(place.names("out/documents"), ["a.jsonl.gz", "b.jsonl.gz"]);
    let report = fs::read_to_string(place.path("out/run.json")).unwrap();
    let current = concat!("dehusk ", env!("CARGO_PKG_VERSION"));
    fs::write(place.path("out/run.json"), report.replace(current, "dehusk 0.0.1")).unwrap();
    let all = ["a.warc", "-o", "out", "--compression", "gzip"];
    refused(&place, &all, &format!("it was dehusk 0.0.1, and this is {current}"));
    place.run(&["a.warc", "--changed"]).ends_with(0);
    assert_eq!(place.names("out/documents"), ["a.jsonl.zst"]);
}

#[test]
fn a_stream_that_was_read_is_never_taken_for_the_same() {
    let place = Place::new();
    let run = ["run", "-", "-o", "out"];
    assert_eq!(place.dehusk_fed(&run, &page("a")).status, 0);
    let again = place.dehusk_fed(&run, &page("b"));
    assert_eq!(again.status, 1);
    assert!(again.stderr.contains("dehusk: -: it is no file"), "{}", again.stderr);
    let changed = place.dehusk_fed(&["run", "-", "-o", "out", "--changed"], &page("b"));
    assert_eq!(
        place.read("out", changed).ends_with(0).texts(),
        ["The page b has some words."]
    );
}
