//! Outputs that others than the program changed, and files that are named where outputs are.

use std::fs;
use std::path::Path;

use crate::program::{Ended, Place, Run, make};
use sha2::{Digest, Sha256};

/// The formats of this build, each with the name of its shard.
const FORMATS: &[(&[&str], &str)] = &[
    (&["--compression", "none"], "a.jsonl"),
    (&["--format", "xml"], "a.xml.zst"),
    #[cfg(feature = "parquet")]
    (&["--format", "parquet"], "a.parquet"),
    #[cfg(feature = "sqlite")]
    (&["--format", "sqlite"], "a.sqlite"),
];

fn archive() -> Vec<u8> {
    let words = (0..80).map(|i| format!("word{i} ")).collect::<String>();
    [
        make::page("https://a.example/", &words),
        make::page("https://b.example/", &format!("{words}and more")),
    ]
    .concat()
}

/// Changes a byte in the middle of a file.
fn change(path: &Path) {
    let mut bytes = fs::read(path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(path, bytes).unwrap();
}

fn dehusk(place: &Place, command: &str) -> Ended {
    place.dehusk(&command.split(' ').collect::<Vec<_>>())
}

/// Checks an exit status and the messages.
#[track_caller]
fn says(ended: &Ended, status: i32, parts: &[&str]) {
    assert_eq!(ended.status, status, "{}", ended.stderr);
    for part in parts {
        assert!(ended.stderr.contains(part), "{}", ended.stderr);
    }
}

fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn a_changed_byte_of_a_shard_is_found_wherever_it_is_read_back() {
    for &(format, name) in FORMATS {
        let place = Place::new();
        place.write("a.warc", archive());
        let run = [&["run", "a.warc", "-o", "out"], format].concat();
        says(&place.dehusk(&run), 0, &[]);
        says(
            &dehusk(&place, &format!("run a.warc -o other {}", format.join(" "))),
            0,
            &[],
        );
        let shard = format!("out/documents/{name}");
        let bytes = fs::read(place.path(&shard)).unwrap();
        let report: serde_json::Value = serde_json::from_slice(&fs::read(place.path("out/run.json")).unwrap()).unwrap();
        let sum = &report["archives"][0]["output_sha256"][format!("documents/{name}")];
        assert_eq!(*sum, sha256(&bytes), "{name}");
        change(&place.path(&shard));
        let message = [&*shard, "SHA-256", "out/run.json"];
        says(&dehusk(&place, "cat out"), 1, &message);
        says(&dehusk(&place, "cluster out -o near"), 1, &message);
        says(&dehusk(&place, "topics out -o topics"), 1, &message);
        says(&dehusk(&place, "diff out other"), 1, &message);
        says(&dehusk(&place, "inspect --find https://a.example/ out"), 1, &message);
        assert!(!place.path("near/clusters.jsonl").exists());
        // Without being asked to, a run compares no bytes.
        says(&place.dehusk(&run), 0, &[]);
        let verify = [&run[..], &["--verify"]].concat();
        says(
            &place.dehusk(&verify),
            1,
            &[&format!("documents/{name}"), "SHA-256", "--changed"],
        );
        let since = [&["run", "a.warc", "-o", "since", "--since", "out"], format].concat();
        says(&place.dehusk(&since), 0, &[&shard, "not taken over but read"]);
        assert_eq!(fs::read(place.path(&format!("since/documents/{name}"))).unwrap(), bytes);
        let mend = [&verify[..], &["--changed"]].concat();
        says(&place.dehusk(&mend), 0, &[]);
        assert_eq!(fs::read(place.path(&shard)).unwrap(), bytes, "{name}");
        says(&place.dehusk(&verify), 0, &[]);
        says(&dehusk(&place, "cat out"), 0, &[]);
    }
}

#[test]
fn a_shard_without_a_digest_is_read_as_it_is() {
    let place = Place::new();
    place.write("a.warc", archive());
    place.run(&["a.warc", "--compression", "none"]).ends_with(0);
    let report = place.path("out/run.json");
    let mut account: serde_json::Value = serde_json::from_slice(&fs::read(&report).unwrap()).unwrap();
    account["archives"][0].as_object_mut().unwrap().remove("output_sha256");
    fs::write(&report, account.to_string()).unwrap();
    let shard = place.path("out/documents/a.jsonl");
    let text = fs::read_to_string(&shard).unwrap().replace("word7 ", "WORD7 ");
    fs::write(&shard, text).unwrap();
    let cat = dehusk(&place, "cat out --field text");
    says(&cat, 0, &[]);
    assert!(String::from_utf8(cat.stdout).unwrap().contains("WORD7"));
    place.run(&["a.warc", "--compression", "none", "--verify"]).ends_with(0);
}

#[test]
fn a_copy_without_duplicates_is_compared_with_its_digests() {
    let place = Place::new();
    place.write("a.warc", archive());
    place.run(&["a.warc"]).ends_with(0);
    says(&dehusk(&place, "cluster out -o near --deduplicated unique"), 0, &[]);
    says(&dehusk(&place, "cat unique"), 0, &[]);
    change(&place.path("unique/documents/a.jsonl.zst"));
    says(&dehusk(&place, "cat unique"), 1, &["SHA-256", "unique/run.json"]);
}

/// The names in a run directory and its folder of documents.
fn all_names(place: &Place) -> Vec<String> {
    [place.names("out"), place.names("out/documents")].concat()
}

#[test]
fn a_store_or_a_file_of_metrics_in_the_run_directory_is_refused() {
    let place = Place::new();
    place.write("a.warc", archive());
    for file in [
        "out/run.json",
        "out/failed.jsonl",
        "out/documents/a.jsonl.zst",
        "./other/../out/seen",
    ] {
        for option in ["--seen", "--metrics"] {
            let ended = dehusk(&place, &format!("run a.warc -o out {option} {file}"));
            says(&ended, 2, &[file, "in the directory of "]);
        }
    }
    assert!(!place.path("out").exists(), "nothing was begun");
    place.run(&["a.warc"]).ends_with(0);
    let before = fs::read(place.path("out/run.json")).unwrap();
    // An empty file would become a store.
    assert_eq!(fs::read(place.path("out/failed.jsonl")).unwrap(), b"");
    place.write("truth.jsonl", "");
    for command in [
        "run a.warc -o out --overwrite --seen out/run.json",
        "run a.warc -o other --seen out/failed.jsonl",
        "run a.warc -o other --metrics out/documents/metrics.prom",
        "cluster out -o near --index out/failed.jsonl",
        "diff out out -o out/failed.jsonl",
        "eval --truth truth.jsonl a.warc -o out/failed.jsonl",
    ] {
        let file = command.rsplit(' ').next().unwrap();
        says(&dehusk(&place, command), 2, &[file, "in the directory of a run"]);
    }
    assert!(!place.path("other").exists(), "nothing was begun");
    assert_eq!(fs::read(place.path("out/failed.jsonl")).unwrap(), b"");
    assert_eq!(fs::read(place.path("out/run.json")).unwrap(), before);
}

#[test]
fn what_a_killed_run_left_beside_whole_outputs_is_gone_after_the_next() {
    let place = Place::new();
    place.write("a.warc", archive());
    let run: Run = place.run(&["a.warc"]).ends_with(0);
    let whole = all_names(&place);
    // Killed between its last report and the removal of the journal, and between the two names of a shard.
    place.write("out/.dehusk.journal", "x");
    let (shard, partial) = ("out/documents/a.jsonl.zst", "out/documents/.a.jsonl.zst.partial");
    fs::hard_link(place.path(shard), place.path(partial)).unwrap();
    place.write("out/documents/.mine.partial", "x");
    let again = place.dehusk(&["run", "a.warc", "-o", "out"]);
    says(&again, 0, &["finished already"]);
    fs::remove_file(place.path("out/documents/.mine.partial")).expect("a file of somebody else stays");
    assert_eq!(all_names(&place), whole);
    assert_eq!(place.read("out", again).shards, run.shards);
}

#[test]
fn a_shard_that_is_taken_over_once_more_has_one_name() {
    let place = Place::new();
    place.write("a.warc", archive());
    place.run_to("first", &["a.warc"]).ends_with(0);
    for _ in 0..2 {
        let run = place.run(&["a.warc", "--since", "first", "--overwrite"]).ends_with(0);
        assert!(
            run.ended.stderr.contains("1 archive was taken over"),
            "{}",
            run.ended.stderr
        );
        assert_eq!(place.names("out/documents"), ["a.jsonl.zst"]);
    }
}
