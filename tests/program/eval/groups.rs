//! `dehusk eval --clusters` and `--topics`: groupings of documents against known ones.

use serde_json::{Value, json};

use crate::program::eval::{near, object, stdout};
use crate::program::{Place, make};

/// Runs `eval` with the file as JSON and returns its rows.
fn scores(place: &Place, arguments: &[&str]) -> Vec<Value> {
    let ended = place.dehusk(&[&["eval", "-f", "json"], arguments].concat());
    object(&ended)["scores"].as_array().unwrap().clone()
}

fn place(files: &[(&str, &str)]) -> Place {
    let place = Place::new();
    for (name, text) in files {
        place.write(name, text.as_bytes());
    }
    place
}

#[test]
fn clusters_of_a_run_and_of_others_are_scored_side_by_side() {
    let place = Place::new();
    let story = |word: &str| (0..60).map(|i| format!("{word}{i}")).collect::<Vec<_>>().join(" ");
    let pages: Vec<Vec<u8>> = [("a", "x"), ("b", "x"), ("c", "y"), ("d", "z")]
        .map(|(host, word)| make::page(&format!("https://{host}.example/"), &story(word)))
        .into();
    place.write("crawl.warc", pages.concat());
    place.run_to("out", &["crawl.warc"]).ends_with(0);
    assert_eq!(place.dehusk(&["cluster", "out", "-o", "near"]).status, 0);
    let ids = stdout(&place.dehusk(&["cat", "out", "--field", "id"]));
    let ids: Vec<&str> = ids.lines().collect();
    // Pages a and b are one text; another program found c and d to be one, too.
    let table =
        |groups: [&str; 4]| -> String { ids.iter().zip(groups).map(|(id, g)| format!("{id}\t{g}\n")).collect() };
    place.write("truth.tsv", table(["1", "1", "2", "3"]).as_bytes());
    place.write("other.tsv", table(["1", "1", "2", "2"]).as_bytes());
    let ended = place.dehusk(&[
        "eval",
        "--clusters",
        "truth.tsv",
        "near/clusters.jsonl",
        "other.tsv",
        "-f",
        "json",
    ]);
    assert_eq!(ended.status, 0, "{}", ended.stderr);
    let rows = object(&ended)["scores"].as_array().unwrap().clone();
    let of = |row: usize, key: &str| rows[row][key].as_f64().unwrap();
    assert_eq!(rows[0]["file"], "near/clusters.jsonl");
    for key in ["pairs_f1", "bcubed_f1", "adjusted_rand"] {
        assert_eq!(of(0, key), 1.0, "{key}");
    }
    // Of two pairs found one is known. BCubed: P = (1 + 1 + 1/2 + 1/2)/4. Chance: 1·2/6; (1 - 1/3)/(3/2 - 1/3).
    assert_eq!((of(1, "pairs_precision"), of(1, "pairs_recall")), (0.5, 1.0));
    assert_eq!((of(1, "bcubed_precision"), of(1, "bcubed_recall")), (0.75, 1.0));
    assert!(near(of(1, "adjusted_rand"), 4.0 / 7.0));
    assert_eq!(
        (&rows[1]["known_clusters"], &rows[1]["found_clusters"]),
        (&json!(1), &json!(2))
    );
}

#[test]
fn topics_have_a_detection_cost_in_each_language() {
    let truth = "id,topic,language\na,1,en\nb,1,en\nc,,en\nd,,en\ne,2,de\nf,2,de\n";
    let found = "id,topic\na,x\nb,x\nc,x\nd,\ne,\nf,y\n";
    let place = place(&[("truth.csv", truth), ("found.csv", found)]);
    let rows = scores(&place, &["--topics", "truth.csv", "found.csv"]);
    let figures: Vec<(&str, f64, f64, f64)> = rows
        .iter()
        .map(|row| {
            let of = |key: &str| row[key].as_f64().unwrap();
            (
                row["group"].as_str().unwrap(),
                of("cost"),
                of("missed"),
                of("false_alarms"),
            )
        })
        .collect();
    // English: nothing missed, one of two others; that costs 2.45, and no topic at all costs 1, which is less.
    // German: one of two missed, no other document.
    assert_eq!(
        figures,
        [("all", 0.75, 0.75, 0.0), ("en", 1.0, 1.0, 0.0), ("de", 0.5, 0.5, 0.0)]
    );
}

#[test]
fn documents_of_one_file_are_named_and_count_as_missed_unless_they_are_left_out() {
    let place = place(&[
        ("truth.tsv", "a\t1\nb\t1\nc\t2\nd\t2\n"),
        ("found.tsv", "a\tx\nb\tx\nstranger\tx\n"),
    ]);
    let ended = place.dehusk(&["eval", "--clusters", "truth.tsv", "found.tsv"]);
    assert_eq!(ended.status, 3);
    let expected = "truth.tsv: 4 documents\ndocuments that found.tsv does not have: 2\n  c\n  d\ndocuments that only \
                    found.tsv has, not compared: 1\n  stranger\n";
    assert!(stdout(&ended).starts_with(expected), "{}", stdout(&ended));
    let recall = |more: &[&str]| {
        let rows = scores(&place, &[&["--clusters", "truth.tsv", "found.tsv"], more].concat());
        (rows[0]["documents"].clone(), rows[0]["pairs_recall"].clone())
    };
    assert_eq!(recall(&[]), (json!(4), json!(0.5)));
    assert_eq!(recall(&["--joined-only"]), (json!(2), json!(1.0)));
}

#[test]
fn topics_are_read_beside_clusters_and_nothing_to_measure_is_reported() {
    let head = "doc_id\tcluster\ttopic\tlanguage\n";
    let place = place(&[
        ("truth.tsv", &format!("{head}a\t1\tx\ten\nb\t2\tx\ten\n")),
        ("apart.tsv", &format!("{head}a\t1\tx\ten\nb\t1\tx\tde\n")),
    ]);
    let rows = scores(&place, &["--topics", "truth.tsv", "apart.tsv"]);
    assert_eq!((&rows[0]["topics"], &rows[0]["cost"]), (&json!(1), &json!(0.0)));
    let ended = place.dehusk(&["eval", "--topics", "apart.tsv", "truth.tsv"]);
    let said =
        "truth.tsv: nothing is measured, because no topic of the truth has two of its documents in one language\n";
    assert_eq!((ended.status, ended.stderr.as_str()), (3, said));
}

#[test]
fn results_replace_no_input_and_no_other_file_unasked() {
    let place = place(&[
        ("truth.tsv", "a\t1\nb\t1\n"),
        ("found.tsv", "a\tx\nb\tx\n"),
        ("notes.txt", "mine"),
    ]);
    let names = ["truth.tsv", "found.tsv", "notes.txt"];
    let contents = || names.map(|name| std::fs::read_to_string(place.path(name)).unwrap());
    let before = contents();
    let command = |more: &[&str]| place.dehusk(&[&["eval", "--clusters", "truth.tsv", "found.tsv"], more].concat());
    for (more, status, message) in [
        (&["-o", "truth.tsv", "--overwrite"][..], 2, "truth.tsv: is read"),
        (&["-o", "./found.tsv", "--overwrite"], 2, "./found.tsv: is read"),
        (&["-o", "notes.txt"], 1, "--overwrite replaces it"),
    ] {
        let ended = command(more);
        assert_eq!(ended.status, status, "{more:?}: {}", ended.stderr);
        assert!(ended.stderr.contains(message), "{more:?}: {}", ended.stderr);
        assert_eq!(contents(), before, "{more:?}");
    }
    // A command that fails leaves no file that the next one stumbles over.
    assert_eq!(
        place
            .dehusk(&["eval", "--clusters", "truth.tsv", "none.tsv", "-o", "new.txt"])
            .status,
        1
    );
    let files = || std::fs::read_dir(place.path(".")).unwrap().count();
    assert_eq!(files(), names.len());
    assert_eq!(command(&["-o", "new.txt"]).status, 0);
    assert_eq!(command(&["-o", "notes.txt", "--overwrite"]).status, 0);
    assert_eq!(contents()[2], std::fs::read_to_string(place.path("new.txt")).unwrap());
}

#[test]
fn a_repeated_id_counts_once_and_is_refused_in_another_group() {
    let place = place(&[
        ("truth.tsv", "a\t1\nb\t1\na\t1\n"),
        ("again.tsv", "a\tx\nb\ty\na\tx\n"),
        ("twice.tsv", "a\tx\nb\tx\na\ty\n"),
    ]);
    let rows = scores(&place, &["--clusters", "truth.tsv", "again.tsv"]);
    assert_eq!((&rows[0]["documents"], &rows[0]["repeated"]), (&json!(2), &json!(1)));
    let ended = place.dehusk(&["eval", "--clusters", "truth.tsv", "twice.tsv"]);
    assert_eq!(ended.status, 1);
    assert!(
        ended
            .stderr
            .contains("twice.tsv:3: the id “a” is in an earlier line with another group")
    );
    let ended = place.dehusk(&["eval", "--clusters", "twice.tsv", "truth.tsv"]);
    assert!(
        ended
            .stderr
            .contains("twice.tsv:3: the id “a” is in line 1 with another group")
    );
}

#[test]
fn files_without_a_common_document_are_named() {
    let place = place(&[
        ("truth.tsv", "a\t1\n"),
        ("empty.tsv", "\n"),
        ("apart.tsv", "b\t1\n"),
        ("plain.tsv", "a\n"),
    ]);
    let cases = [
        (
            "empty.tsv",
            "empty.tsv: has no document; each line has an id and a group",
        ),
        ("apart.tsv", "apart.tsv: has no document of truth.tsv"),
        ("plain.tsv", "plain.tsv:1: has no comma between an id and a group"),
        ("absent.tsv", "absent.tsv: cannot be read"),
    ];
    for (name, message) in cases {
        let ended = place.dehusk(&["eval", "--clusters", "truth.tsv", name]);
        assert_eq!(ended.status, 1, "{name}");
        assert!(ended.stderr.contains(message), "{}", ended.stderr);
    }
    let ended = place.dehusk(&["eval", "--clusters", "empty.tsv", "truth.tsv"]);
    assert!(ended.stderr.contains("empty.tsv: has no document"), "{}", ended.stderr);
}

#[test]
fn options_of_pages_are_refused_with_groups() {
    let place = place(&[("t.tsv", "a\t1\n")]);
    for more in [
        &["--truth", "t.tsv"],
        &["-e", "fusion"],
        &["--topics", "t.tsv"],
        &["--worst", "1"],
    ] {
        let ended = place.dehusk(&[&["eval", "--clusters", "t.tsv", "t.tsv"][..], more].concat());
        assert_eq!(ended.status, 2, "{more:?}");
    }
}

#[test]
fn every_format_has_the_figures() {
    let place = place(&[("t.tsv", "a\t1\nb\t1\n"), ("f.tsv", "a\tx\nb\tx\n")]);
    let written = |format| stdout(&place.dehusk(&["eval", "--clusters", "t.tsv", "f.tsv", "-f", format]));
    let csv = written("csv");
    let expected = "file,group,documents,only_in_truth,only_in_file,repeated,pairs_precision,pairs_recall,pairs_f1,\
                    bcubed_precision,bcubed_recall,bcubed_f1,adjusted_rand,known_clusters,found_clusters\n\
                    f.tsv,all,2,0,0,0,1.000000,1.000000,1.000000,1.000000,1.000000,1.000000,1.000000,1,1\n";
    assert_eq!(csv, expected);
    let text = written("text");
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    assert!(text.contains("BCubed"), "{text}");
    let markdown = written("markdown");
    assert!(markdown.contains("| f.tsv | all | 2 | 1.0000 |"), "{markdown}");
}
