//! `dehusk cluster --deduplicated`: a copy of the documents that represent their clusters.

use serde_json::{Value, json};

use crate::program::{Place, make};

fn story(name: &str, more: &str) -> Vec<u8> {
    let words = (0..60).map(|i| format!("{name}{i} ")).collect::<String>();
    make::page(&format!("https://{name}{}.example/", more.len()), &(words + more))
}

/// Two nights, each in an archive of the same name.
fn nights() -> Place {
    let place = Place::new();
    place.write(
        "1/a.warc",
        [story("x", ""), story("y", "and more"), story("x", "twice")].concat(),
    );
    place.write("2/a.warc", [story("y", ""), story("z", "")].concat());
    place.write("2/same.warc", story("z", "again"));
    place.run_to("one", &["1/a.warc"]).ends_with(0);
    place
        .run_to("two", &["2/a.warc", "2/same.warc", "--format", "xml"])
        .ends_with(0);
    place
}

fn ids(place: &Place, run: &str) -> Vec<String> {
    let ended = place.dehusk(&["cat", run, "--field", "id"]);
    assert_eq!((ended.status, ended.stderr.as_str()), (0, ""));
    String::from_utf8(ended.stdout)
        .unwrap()
        .lines()
        .map(str::to_owned)
        .collect()
}

fn representatives(place: &Place, folder: &str) -> Vec<String> {
    let text = std::fs::read_to_string(place.path(&format!("{folder}/clusters.jsonl"))).unwrap();
    let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let kept = lines.filter(|line| line["representative"] == true);
    kept.map(|line| line["id"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn the_copy_has_one_document_of_each_cluster_and_can_be_read_as_a_run() {
    let place = nights();
    let ended = place.dehusk(&["cluster", "one", "two", "-o", "near", "--deduplicated", "unique"]);
    assert_eq!((ended.status, ended.stderr.as_str()), (0, ""));
    let kept = representatives(&place, "near");
    assert_eq!(kept.len(), 3);
    assert_eq!(ids(&place, "unique"), kept);
    assert_eq!(place.names("unique"), ["documents", "run.json"]);
    let account: Value = serde_json::from_slice(&std::fs::read(place.path("unique/run.json")).unwrap()).unwrap();
    let archives: Vec<(&Value, &Value, &Value)> = account["archives"]
        .as_array()
        .unwrap()
        .iter()
        .map(|a| (&a["path"], &a["emitted"], &a["filtered"]))
        .collect();
    assert_eq!(archives[0], (&json!("1/a.warc"), &json!(2), &json!({"duplicate": 1})));
    // A document is the one of its run, whatever the format there.
    let line = |run: &str| place.dehusk(&["cat", run, "--id", &kept[0]]).stdout;
    assert_eq!(line("unique"), line("one"));
    // It can be clustered like a run, and nothing is left to be joined.
    place.dehusk(&["cluster", "unique", "-o", "again"]);
    assert_eq!(representatives(&place, "again"), kept);
}

#[test]
fn an_archive_of_several_runs_is_one_in_the_copy() {
    let place = nights();
    place.run_to("again", &["1/a.warc"]).ends_with(0);
    place.dehusk(&["cluster", "one", "again", "-o", "near", "--deduplicated", "unique"]);
    let account: Value = serde_json::from_slice(&std::fs::read(place.path("unique/run.json")).unwrap()).unwrap();
    assert_eq!(account["archives"].as_array().unwrap().len(), 1);
    assert_eq!(account["archives"][0]["filtered"], json!({"duplicate": 4}));
    let compared = place.dehusk(&["diff", "one", "unique", "--format", "json"]);
    let compared: Value = serde_json::from_slice(&compared.stdout).unwrap();
    let totals = &compared["totals"];
    assert_eq!(
        (&totals["same"], &totals["gone"], &totals["added"]),
        (&json!(2), &json!(1), &json!(0))
    );
}

#[test]
fn shards_of_one_name_get_names_of_their_own() {
    let place = nights();
    place.write("3/a.warc", story("w", ""));
    place.run_to("three", &["3/a.warc"]).ends_with(0);
    place.dehusk(&["cluster", "one", "three", "-o", "near", "--deduplicated", "unique"]);
    assert_eq!(place.names("unique/documents"), ["a-2.jsonl.zst", "a.jsonl.zst"]);
}

#[test]
fn with_an_index_only_what_is_new_is_copied() {
    let place = nights();
    let night = |run: &str, copy: &str| {
        let near = format!("near-{run}");
        let ended = place.dehusk(&["cluster", run, "-o", &near, "--index", "index", "--deduplicated", copy]);
        assert_eq!(ended.status, 0, "{}", ended.stderr);
        ids(&place, copy)
    };
    assert_eq!(night("one", "first").len(), 2);
    let second = night("two", "second");
    assert_eq!(second.len(), 1);
    assert!(second[0].contains("https://z"), "{second:?}");
}

#[test]
fn the_copy_of_an_unfinished_run_is_none_of_a_complete_one() {
    let place = nights();
    let path = place.path("one/run.json");
    let mut report: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    report["state"] = json!("interrupted");
    report["archives"][0]["state"] = json!("interrupted");
    std::fs::write(&path, report.to_string()).unwrap();
    place.dehusk(&["cluster", "two", "one", "-o", "near", "--deduplicated", "unique"]);
    let copy: Value = serde_json::from_slice(&std::fs::read(place.path("unique/run.json")).unwrap()).unwrap();
    let states = copy["archives"].as_array().unwrap().iter().map(|a| &a["state"]);
    assert_eq!(copy["state"], "interrupted");
    assert_eq!(states.collect::<Vec<_>>(), ["complete", "complete", "interrupted"]);
}

#[test]
fn an_archive_without_documents_is_in_the_account() {
    let place = nights();
    place.write(
        "pictures.warc",
        make::response("https://p.example/", "200", "image/png", b"picture"),
    );
    let run = ["run", "pictures.warc", "absent.warc", "1/a.warc", "-o", "three"];
    assert_eq!(place.dehusk(&run).status, 1);
    place.dehusk(&["cluster", "three", "-o", "near", "--deduplicated", "unique"]);
    let account: Value = serde_json::from_slice(&std::fs::read(place.path("unique/run.json")).unwrap()).unwrap();
    let archives = account["archives"].as_array().unwrap().iter();
    let archives: Vec<_> = archives.map(|a| (&a["path"], &a["state"], &a["emitted"])).collect();
    assert_eq!(
        archives,
        [
            (&json!("pictures.warc"), &json!("complete"), &json!(0)),
            (&json!("absent.warc"), &json!("failed"), &json!(0)),
            (&json!("1/a.warc"), &json!("complete"), &json!(2)),
        ]
    );
}

#[test]
fn the_copy_and_the_clusters_are_apart() {
    let place = nights();
    for (clusters, copy) in [("out", "out"), ("out", "out/unique"), ("out/near", "./out/../out")] {
        let ended = place.dehusk(&["cluster", "one", "-o", clusters, "--deduplicated", copy]);
        assert_eq!(ended.status, 2, "{clusters} {copy}");
        assert!(ended.stderr.contains("is not apart from"), "{}", ended.stderr);
        assert!(!place.path("out").exists(), "nothing was written");
    }
    let ended = place.dehusk(&["cluster", "one", "-o", "out", "--deduplicated", "out-unique"]);
    assert_eq!(ended.status, 0, "{}", ended.stderr);
}

#[test]
fn the_copy_is_no_run_that_another_one_builds_on() {
    let place = nights();
    place.dehusk(&["cluster", "one", "-o", "near", "--deduplicated", "unique"]);
    for arguments in [
        &["1/a.warc", "-o", "unique"][..],
        &["1/a.warc", "-o", "new", "--since", "unique"],
        &["--only-failed", "unique", "-o", "new"],
    ] {
        let ended = place.dehusk(&[&["run"], arguments].concat());
        assert_eq!(ended.status, 1, "{arguments:?}");
        let message = "unique: is a copy without duplicates that dehusk cluster made, and no run";
        assert!(ended.stderr.contains(message), "{}", ended.stderr);
    }
}

#[test]
fn what_is_there_stays_and_what_fails_leaves_nothing() {
    let place = nights();
    place.write("unique/mine", "to be kept");
    let refused = |arguments: &[&str]| place.dehusk(&[&["cluster", "one", "-o", "near"], arguments].concat());
    let ended = refused(&["--deduplicated", "unique"]);
    assert_eq!(ended.status, 2);
    assert!(ended.stderr.contains("unique: is there already"), "{}", ended.stderr);
    assert_eq!(place.names("unique"), ["mine"]);
    assert!(!place.path("near").exists(), "nothing was written");
    // Files that a killed command has left are not in the way.
    std::fs::create_dir_all(place.path(".other.partial/documents/part")).unwrap();
    let ended = refused(&["--deduplicated", "other"]);
    assert_eq!(ended.status, 0, "{}", ended.stderr);
    assert_eq!(place.names("other"), ["documents", "run.json"]);
    assert!(!place.path(".other.partial").exists());
    // The files of another program under that name stay.
    place.write(".third.partial/mine", "to be kept");
    let ended = refused(&["--deduplicated", "third", "--overwrite"]);
    assert_eq!(ended.status, 2);
    assert!(
        ended.stderr.contains(".third.partial: is in the way"),
        "{}",
        ended.stderr
    );
    assert_eq!(place.names(".third.partial"), ["mine"]);
}
