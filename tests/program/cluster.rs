//! `dehusk cluster`: near-duplicates among the documents of runs.

use serde_json::{Value, json};

use crate::program::{Place, make};

/// A story of sixty different words; some of them can be replaced.
fn story(name: &str, replaced: usize) -> String {
    let word = |i: usize| match i {
        i if i % 17 == 3 && i / 17 < replaced => format!("edit{i}"),
        i => format!("{name}{i}"),
    };
    (0..60).map(word).collect::<Vec<_>>().join(" ")
}

fn page(host: &str, text: &str) -> Vec<u8> {
    make::page(&format!("https://{host}.example/"), text)
}

/// The lines of the clusters in `near`.
fn clusters(place: &Place) -> Vec<Value> {
    let text = std::fs::read_to_string(place.path("near/clusters.jsonl")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn two_nights() -> Place {
    let place = Place::new();
    let monday = [
        page("a", &story("x", 0)),
        page("b", &story("y", 0)),
        page("c", &story("x", 1)),
    ];
    place.write("monday.warc", monday.concat());
    place.write(
        "tuesday.warc",
        [page("d", &story("x", 2)), page("e", &story("z", 0))].concat(),
    );
    place.run_to("monday", &["monday.warc"]).ends_with(0);
    place.run_to("tuesday", &["tuesday.warc"]).ends_with(0);
    place
}

#[test]
fn near_duplicates_of_several_runs_are_one_cluster() {
    let place = two_nights();
    let ended = place.dehusk(&["cluster", "monday", "tuesday", "-o", "near"]);
    assert_eq!((ended.status, ended.stderr.as_str()), (0, ""));
    let lines = clusters(&place);
    let names: Vec<&Value> = lines.iter().map(|line| &line["cluster"]).collect();
    assert_eq!((names[0], names[0]), (names[2], names[3]));
    assert!(names[0] != names[1] && names[1] != names[4] && names[0] != names[4]);
    let sizes: Vec<&Value> = lines.iter().map(|line| &line["size"]).collect();
    assert_eq!(sizes, [3, 1, 3, 3, 1]);
    let summary: Value = serde_json::from_slice(&std::fs::read(place.path("near/clusters.json")).unwrap()).unwrap();
    assert_eq!(
        (&summary["documents"], &summary["clusters"], &summary["duplicates"]),
        (&json!(5), &json!(3), &json!(2))
    );
    assert_eq!(place.names("near"), ["clusters.json", "clusters.jsonl"]);
}

#[test]
fn a_cluster_keeps_its_name_when_a_night_is_added() {
    let place = two_nights();
    place.dehusk(&["cluster", "monday", "-o", "near"]);
    let before = clusters(&place);
    place.dehusk(&["cluster", "monday", "tuesday", "-o", "near", "--overwrite"]);
    let after = clusters(&place);
    for (before, after) in before.iter().zip(&after) {
        assert_eq!(before["cluster"], after["cluster"]);
    }
}

#[test]
fn the_earliest_and_then_the_longest_represents_its_cluster() {
    let place = Place::new();
    let longer = story("x", 0) + " and more";
    let pages = [page("a", &story("x", 0)), page("b", &longer), page("c", &story("x", 1))];
    place.write("a.warc", pages.concat());
    place.run_to("run", &["a.warc"]).ends_with(0);
    place.dehusk(&["cluster", "run", "-o", "near"]);
    let chosen: Vec<bool> = clusters(&place)
        .iter()
        .map(|line| line["representative"].as_bool().unwrap())
        .collect();
    assert_eq!(chosen, [false, true, false]);
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let place = two_nights();
    let with = |threads: &str| {
        place.dehusk(&[
            "cluster",
            "monday",
            "tuesday",
            "-o",
            "near",
            "--overwrite",
            "--threads",
            threads,
        ]);
        clusters(&place)
    };
    assert_eq!(with("1"), with("5"));
}

#[test]
fn the_threshold_decides() {
    let place = two_nights();
    place.dehusk(&["cluster", "monday", "tuesday", "-o", "near", "--threshold", "1"]);
    assert!(clusters(&place).iter().all(|line| line["size"] == 1));
    for wrong in ["0", "1.5", "-1", "NaN"] {
        let threshold = format!("--threshold={wrong}");
        let ended = place.dehusk(&["cluster", "monday", "-o", "other", &threshold]);
        assert_eq!(ended.status, 2, "{wrong}");
    }
}

#[test]
fn what_is_in_the_output_directory_stays() {
    let place = two_nights();
    assert_eq!(place.dehusk(&["cluster", "monday", "-o", "near"]).status, 0);
    let ended = place.dehusk(&["cluster", "monday", "-o", "near"]);
    assert_eq!(ended.status, 2);
    assert!(ended.stderr.contains("--overwrite"), "{}", ended.stderr);
    let ended = place.dehusk(&["cluster", "monday", "-o", "monday", "--overwrite"]);
    assert_eq!(ended.status, 2);
    assert!(ended.stderr.contains("no file of clusters"), "{}", ended.stderr);
}

#[test]
fn what_is_no_run_is_named() {
    let place = two_nights();
    std::fs::create_dir(place.path("empty")).unwrap();
    let ended = place.dehusk(&["cluster", "monday", "empty", "-o", "near"]);
    assert_eq!(ended.status, 1);
    assert!(ended.stderr.contains("empty: holds no run"), "{}", ended.stderr);
    std::fs::write(place.path("tuesday/documents/tuesday.jsonl.zst"), "no shard").unwrap();
    let ended = place.dehusk(&["cluster", "tuesday", "-o", "near"]);
    assert_eq!(ended.status, 1);
    assert!(ended.stderr.contains("tuesday.jsonl.zst"), "{}", ended.stderr);
    assert_eq!(place.names("near"), [""; 0], "nothing is left");
}

/// The second and the third story of a family are alike, the first is like neither, and a later one is like the first
/// two.
#[test]
fn a_later_run_never_takes_a_cluster_apart() {
    let place = Place::new();
    let (mut first, mut second) = (Vec::new(), Vec::new());
    for family in 0..150 {
        let words = |own: &str, count: usize| (0..count).map(|i| format!("{own}{family}y{i} ")).collect::<String>();
        let (kernel, shared) = (words("k", 60), words("s", 4));
        first.push(page("a", &(kernel.clone() + &words("a", 44))));
        first.push(page("b", &(kernel.clone() + &shared + &words("b", 38))));
        first.push(page("d", &(kernel.clone() + &shared + &words("d", 38))));
        second.push(page("c", &(kernel + &words("a", 24) + &words("b", 24))));
    }
    place.write("one.warc", first.concat());
    place.write("two.warc", second.concat());
    place.run_to("one", &["one.warc"]).ends_with(0);
    place.run_to("two", &["two.warc"]).ends_with(0);
    place.dehusk(&["cluster", "one", "-o", "near"]);
    let before = clusters(&place);
    assert_eq!(before[1]["cluster"], before[2]["cluster"]);
    place.dehusk(&["cluster", "one", "two", "-o", "near", "--overwrite"]);
    let after = clusters(&place);
    for family in 0..150 {
        let (b, d) = (3 * family + 1, 3 * family + 2);
        if before[b]["cluster"] == before[d]["cluster"] {
            assert_eq!(after[b]["cluster"], after[d]["cluster"], "family {family}");
        }
    }
}

#[test]
fn clusters_of_documents_with_one_id_have_names_of_their_own() {
    let place = Place::new();
    for (night, text) in [("one", "x"), ("two", "y")] {
        std::fs::create_dir(place.path(night)).unwrap();
        // Without a record id, a document is named after its file and place.
        place.write(&format!("{night}/a.warc"), page("a", &story(text, 0)));
        place
            .run_to(&format!("run-{night}"), &[&format!("{night}/a.warc")])
            .ends_with(0);
    }
    place.dehusk(&["cluster", "run-one", "run-two", "-o", "near"]);
    let lines = clusters(&place);
    assert_eq!(lines[0]["id"], lines[1]["id"]);
    assert_ne!(lines[0]["cluster"], lines[1]["cluster"]);
}

#[test]
fn too_many_threads_are_refused() {
    let place = two_nights();
    for threads in ["0", "100000"] {
        let ended = place.dehusk(&["cluster", "monday", "-o", "near", "--threads", threads]);
        assert_eq!(ended.status, 2, "{threads}");
    }
}

/// The id and the cluster of each line.
fn named(place: &Place) -> Vec<(Value, Value)> {
    let lines = clusters(place).into_iter();
    lines
        .map(|line| (line["id"].clone(), line["cluster"].clone()))
        .collect()
}

#[test]
fn signatures_of_a_run_are_compared_instead_of_its_texts() {
    let place = two_nights();
    for night in ["monday", "tuesday"] {
        let archive = format!("{night}.warc");
        place
            .run_to(&format!("signed-{night}"), &[&archive, "--signatures", "minhash"])
            .ends_with(0);
    }
    let cluster = |runs: &[&str], by: &str| {
        place.dehusk(&[&["cluster"], runs, &["-o", "near", "--overwrite", "--by", by]].concat())
    };
    assert_eq!(cluster(&["signed-monday", "signed-tuesday"], "shingles").status, 0);
    let expected = named(&place);
    assert_eq!(cluster(&["signed-monday", "signed-tuesday"], "minhash").status, 0);
    assert_eq!(named(&place), expected);
    // A run without them is named, with the remedy.
    let refused = cluster(&["signed-monday", "tuesday"], "minhash");
    assert_eq!(refused.status, 1);
    let message = "tuesday.jsonl.zst: the document “urn:test:response:https://d.example/” has no MinHash; run with \
                   --signatures minhash";
    assert!(refused.stderr.contains(message), "{}", refused.stderr);
    // Parameters of an index distinguish the two.
    let indexed = |by: &str| {
        let arguments = [
            "cluster",
            "signed-monday",
            "-o",
            "near",
            "--overwrite",
            "--by",
            by,
            "--index",
            "index",
        ];
        place.dehusk(&arguments)
    };
    assert_eq!(indexed("minhash").status, 0);
    let other = indexed("shingles");
    assert!(
        other.status == 1 && other.stderr.contains("was made with --by minhash"),
        "{}",
        other.stderr
    );
}

#[test]
fn copies_of_one_page_are_one_cluster_with_what_is_like_them() {
    let place = Place::new();
    let copies: Vec<u8> = (0..300)
        .flat_map(|n| page(&format!("copy{n}"), &story("x", 0)))
        .collect();
    let others = [page("near", &story("x", 1)), page("far", &story("y", 0))].concat();
    place.write("crawl.warc", [copies, others].concat());
    place.run_to("run", &["crawl.warc"]).ends_with(0);
    for more in [&[][..], &["--index", "index"]] {
        let ended = place.dehusk(&[&["cluster", "run", "-o", "near", "--overwrite"], more].concat());
        assert_eq!(ended.status, 0, "{}", ended.stderr);
        let sizes: Vec<Value> = clusters(&place).iter().map(|line| line["size"].clone()).collect();
        assert_eq!(sizes.iter().filter(|size| **size == 301).count(), 301);
        assert_eq!(sizes[301], 1);
    }
}
