//! The run directory: whose it is, what is replaced in it, and what a broken run leaves there.

use std::fs;

use crate::program::{Place, SAMPLE, make, refused};

fn page(name: &str) -> Vec<u8> {
    make::page(
        &format!("https://{name}.example/"),
        &format!("The page {name} has some words."),
    )
}

#[test]
fn a_directory_that_is_not_a_runs_is_always_refused() {
    let place = Place::new();
    place.write("a.warc", page("a"));
    place.write("out/thesis.txt", "years of work");
    refused(
        &place,
        &["a.warc", "-o", "out"],
        "out: is not empty and no run directory",
    );
    refused(
        &place,
        &["a.warc", "-o", "out", "--overwrite"],
        "out: is not empty and no run directory",
    );
    assert_eq!(place.names("out"), ["thesis.txt"]);
    place.write("other/run.json", "{\"program\": \"another 1.0\", \"archives\": []}");
    refused(
        &place,
        &["a.warc", "-o", "other", "--overwrite"],
        "its run.json is not of this program",
    );
    place.write(
        "lookalike/run.json",
        "{\"program\": \"dehusker 1.0\", \"archives\": []}",
    );
    refused(
        &place,
        &["a.warc", "-o", "lookalike", "--overwrite"],
        "its run.json is not of this program",
    );
    fs::create_dir(place.path("empty")).unwrap();
    place.run_to("empty", &["a.warc"]).ends_with(0);
}

#[test]
fn a_file_that_the_last_run_does_not_list_is_not_replaced() {
    let place = Place::new();
    place.write("a.warc", page("a"));
    place.write("b.warc", page("b"));
    place.run(&["a.warc"]).ends_with(0);
    place.write("out/documents/b.jsonl.zst", "somebody else's");
    refused(
        &place,
        &["a.warc", "b.warc", "-o", "out", "--overwrite"],
        "holds documents/b.jsonl.zst",
    );
    assert_eq!(
        fs::read(place.path("out/documents/b.jsonl.zst")).unwrap(),
        b"somebody else's"
    );
    assert_eq!(place.names("out/documents"), ["a.jsonl.zst", "b.jsonl.zst"]);
}

#[test]
fn only_plain_names_of_an_old_account_are_replaced() {
    let place = Place::new();
    place.write("a.warc", page("a"));
    place.write("precious", "stays");
    place.write("out/precious", "stays");
    place.write(
        "out/run.json",
        "{\"program\": \"dehusk 0.1.0\", \"archives\": [{\"shards\": \
         [\"../precious\", \"documents/../precious\", \"precious\", \
         \"documents/..\", \"documents/\", \"/etc/passwd\", 7]}, 3]}",
    );
    place.run(&["a.warc", "--overwrite"]).ends_with(0);
    assert!(place.path("precious").exists() && place.path("out/precious").exists());
}

#[test]
fn failure_lines_that_a_killed_run_left_half_are_removed() {
    let place = Place::new();
    place.write("a.warc", page("a"));
    place.run(&["a.warc"]).ends_with(0);
    place.write("out/.failed-lines.partial", "{");
    // An archive with more failures than are kept in memory.
    let broken = "WARC/1.0\r\nWARC-Type: response\r\nContent-Length: none\r\n\r\n";
    place.write("b.warc", broken.repeat(10_000));
    place.run(&["b.warc", "--overwrite"]).ends_with(3);
    assert!(!place.path("out/.failed-lines.partial").exists());
}

#[test]
fn the_account_names_what_ran() {
    let place = Place::new();
    let run = place.run(&[SAMPLE, "--threads", "2", "--min-words", "5"]).ends_with(3);
    assert_eq!(run.report["program"], concat!("dehusk ", env!("CARGO_PKG_VERSION")));
    assert_eq!(run.report["config"]["select"]["min_words"], 5);
    assert_eq!(run.report["config"]["run"]["threads"], 2);
    let version = format!(
        "{}+cfg{}.schema{}",
        env!("CARGO_PKG_VERSION"),
        run.report["config_hash"].as_str().unwrap(),
        dehusk::schema::SCHEMA_VERSION
    );
    assert!(run.documents().iter().all(|d| d["version"] == *version));
    assert!(run.report["timing"]["seconds"].as_f64().unwrap() > 0.0);
    assert!(run.report["timing"]["pages_per_second"].as_f64().unwrap() > 0.0);
    assert_eq!(run.archives()[0]["path"], SAMPLE);
    for key in [
        "path",
        "bytes",
        "state",
        "shards",
        "framed",
        "emitted",
        "filtered",
        "failed",
        "notes",
        "skipped_bytes",
        "skipped_decoded_bytes",
        "damaged_members",
        "not_selected_bytes",
    ] {
        assert!(run.archives()[0].get(key).is_some(), "{key}");
    }
}

/// Runs with `--overwrite` into `out`, in which an earlier run has kept what failed and written documents.
fn refuses_its_own_output(input: impl Fn(&Place) -> String) {
    let place = Place::new();
    let utf7 = make::response(
        "https://b.example/",
        "200 OK",
        "text/html; charset=utf-7",
        b"<p>+AGEAYgBj-",
    );
    place.write("a.warc", [page("a"), utf7].concat());
    place.run(&["a.warc", "--quarantine"]).ends_with(3);
    let before = |folder: &str| {
        (
            place.names(folder),
            fs::read(place.path("out/quarantine/a.warc")).unwrap(),
        )
    };
    let (kept, documents) = (before("out/quarantine"), before("out/documents"));
    let report = fs::read(place.path("out/run.json")).unwrap();
    let input = input(&place);
    let ended = place.dehusk(&["run", &input, "-o", "out", "--overwrite"]);
    assert_eq!(ended.status, 2, "{}", ended.stderr);
    assert!(ended.stderr.contains("an output of an earlier run"), "{}", ended.stderr);
    assert!(ended.stderr.contains("choose another directory"), "{}", ended.stderr);
    assert_eq!((before("out/quarantine"), before("out/documents")), (kept, documents));
    assert_eq!(fs::read(place.path("out/run.json")).unwrap(), report);
    // Into another directory it can be read.
    let elsewhere = place.dehusk(&["run", &input, "-o", "elsewhere", "--overwrite"]);
    assert_ne!(elsewhere.status, 2, "{}", elsewhere.stderr);
}

#[test]
fn an_input_that_the_run_would_replace_is_refused() {
    refuses_its_own_output(|_| "out/quarantine/a.warc".into());
}

#[test]
fn a_shard_as_input_of_its_own_directory_is_refused() {
    refuses_its_own_output(|_| "out/documents/a.jsonl.zst".into());
}

#[test]
fn a_run_directory_as_its_own_input_is_refused() {
    refuses_its_own_output(|_| "out".into());
}

#[test]
fn an_input_that_the_run_would_replace_is_known_by_any_spelling() {
    refuses_its_own_output(|place| {
        place
            .path("out/../out/./quarantine/a.warc")
            .to_string_lossy()
            .into_owned()
    });
}

#[test]
fn an_input_that_the_run_would_replace_is_known_through_a_link() {
    refuses_its_own_output(|place| {
        std::os::unix::fs::symlink("out/quarantine/a.warc", place.path("soft.warc")).unwrap();
        "soft.warc".into()
    });
    refuses_its_own_output(|place| {
        fs::hard_link(place.path("out/quarantine/a.warc"), place.path("hard.warc")).unwrap();
        "hard.warc".into()
    });
}

#[test]
fn an_output_that_is_fed_to_standard_input_is_refused() {
    let place = Place::new();
    place.write("a.warc", page("a"));
    place.run(&["a.warc"]).ends_with(0);
    let shard = fs::File::open(place.path("out/documents/a.jsonl.zst")).unwrap();
    let mut command = place.command();
    command.args(["run", "-", "-o", "out", "--overwrite"]);
    let ended = place.spawn(command, shard.into()).end();
    assert_eq!(ended.status, 2, "{}", ended.stderr);
    assert_eq!(place.names("out/documents"), ["a.jsonl.zst"]);
}
