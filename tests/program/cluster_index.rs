//! `dehusk cluster --index`: clusters that last from night to night.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::program::{Ended, Place, make};

fn lines(place: &Place, name: &str) -> Vec<Value> {
    let text = std::fs::read_to_string(place.path(name)).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn summary(place: &Place, folder: &str) -> Value {
    serde_json::from_slice(&std::fs::read(place.path(&format!("{folder}/clusters.json"))).unwrap()).unwrap()
}

fn page(night: &str, family: usize, text: &str) -> Vec<u8> {
    make::page(&format!("https://{night}.example/{family}/{}", text.len()), text)
}

/// Two nights of families of stories. Within a night, the second and the third of a family are alike, and the first is
/// like neither. In the second night comes one that is like the first two, so that two clusters of the first night
/// become one; and others that are new.
fn nights(families: usize) -> Place {
    let place = Place::new();
    let (mut one, mut two) = (Vec::new(), Vec::new());
    for family in 0..families {
        let words = |own: &str, count: usize| (0..count).map(|i| format!("{own}{family}y{i} ")).collect::<String>();
        let (kernel, shared) = (words("k", 60), words("s", 4));
        one.push(page("a", family, &(kernel.clone() + &words("a", 44))));
        one.push(page("b", family, &(kernel.clone() + &shared + &words("b", 38))));
        one.push(page("d", family, &(kernel.clone() + &shared + &words("d", 38))));
        two.push(page("n", family, &words("new", 80)));
        two.push(page("c", family, &(kernel + &words("a", 24) + &words("b", 24))));
        two.push(page("m", family, &(words("new", 70) + "and some more")));
    }
    place.write("one.warc", one.concat());
    place.write("two.warc", two.concat());
    place.run_to("one", &["one.warc"]).ends_with(0);
    place.run_to("two", &["two.warc"]).ends_with(0);
    place
}

fn index(place: &Place, runs: &[&str], folder: &str) -> Ended {
    let arguments = [&["cluster"], runs, &["-o", folder, "--index", "index"]].concat();
    let ended = place.dehusk(&arguments);
    assert_eq!(ended.status, 0, "{}", ended.stderr);
    ended
}

/// The lines that are in one cluster.
fn partition(lines: &[Value]) -> BTreeSet<Vec<usize>> {
    let mut clusters: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (number, line) in lines.iter().enumerate() {
        clusters
            .entry(line["cluster"].as_str().unwrap())
            .or_default()
            .push(number);
    }
    clusters.into_values().collect()
}

#[test]
fn nights_one_after_the_other_give_the_clusters_of_all_at_once() {
    for threads in ["1", "4"] {
        let place = nights(60);
        let with_threads = |runs: &[&str], folder: &str| {
            place.dehusk(
                &[
                    &["cluster", "--threads", threads, "--index", "index", "-o", folder],
                    runs,
                ]
                .concat(),
            )
        };
        assert_eq!(with_threads(&["one"], "near-one").status, 0);
        assert_eq!(with_threads(&["two"], "near-two").status, 0);
        assert_eq!(with_threads(&["one", "two"], "both").status, 0);
        place.dehusk(&["cluster", "one", "two", "-o", "at-once"]);
        let (by_index, at_once) = (
            lines(&place, "both/clusters.jsonl"),
            lines(&place, "at-once/clusters.jsonl"),
        );
        assert_eq!(by_index.len(), 360);
        assert_eq!(partition(&by_index), partition(&at_once));
        for (one, other) in by_index.iter().zip(&at_once) {
            for key in ["id", "size", "representative", "cluster"] {
                assert_eq!(one[key], other[key]);
            }
        }
        // The second night alone has its own documents, with the clusters of both.
        assert_eq!(lines(&place, "near-two/clusters.jsonl"), by_index[180..]);
        assert_eq!(summary(&place, "both")["index"]["added"], 0);
    }
}

/// Small nights: a page that no other is like, one that is like a page of some night before, and two of one id.
fn many_nights(place: &Place, count: usize) -> Vec<String> {
    let night = |number: usize| {
        let words = |own: usize| (0..60).map(|i| format!("w{own}y{i} ")).collect::<String>();
        let name = format!("night-{number:02}");
        let copied = words(number * 7 / 10) + &format!("and more of {number}");
        let mut pages = vec![page("new", number, &words(number)), page("copy", number, &copied)];
        // Two of one id, which all nights have.
        let same = |own: usize| (0..40).map(|i| format!("{own:03}z{i} ")).collect::<String>();
        pages.extend([2 * number, 2 * number + 1].map(|own| page("same", 0, &same(own))));
        place.write(&format!("{name}.warc"), pages.concat());
        place.run_to(&name, &[&format!("{name}.warc")]).ends_with(0);
        name
    };
    (0..count).map(night).collect()
}

#[test]
fn many_nights_give_the_clusters_of_all_at_once() {
    let place = Place::new();
    // After so many, the heads of the first nights were merged with those of later ones, in some bands twice.
    let nights = many_nights(&place, 26);
    for night in &nights {
        index(&place, &[night], &format!("near-{night}"));
    }
    let all: Vec<&str> = nights.iter().map(String::as_str).collect();
    index(&place, &all, "both");
    place.dehusk(&[&["cluster", "-o", "at-once"], &all[..]].concat());
    assert_eq!(
        lines(&place, "both/clusters.jsonl"),
        lines(&place, "at-once/clusters.jsonl")
    );
    assert_eq!(summary(&place, "both")["index"]["added"], 0);
    assert_eq!(summary(&place, "both")["clusters"], 3 * 26);
}

/// A third night: of each family, a page that is like some of the night before, and a new one.
fn third_night(place: &Place, families: usize) {
    let mut pages = Vec::new();
    for family in 0..families {
        let words = |own: &str, count: usize| (0..count).map(|i| format!("{own}{family}y{i} ")).collect::<String>();
        pages.push(page("e", family, &(words("new", 75) + &words("e", 9))));
        pages.push(page("f", family, &words("f", 80)));
    }
    place.write("three.warc", pages.concat());
    place.run_to("three", &["three.warc"]).ends_with(0);
}

/// The index of the first two nights of four families, as version 0.1 of the program of November 2026 wrote it, when the
/// version of such a file was 1.
const FIRST_VERSION: &[u8] = include_bytes!("clusters-1.store.zst");

#[test]
fn an_index_of_the_first_version_is_converted() {
    let place = nights(4);
    third_night(&place, 4);
    index(&place, &["one"], "near-one");
    index(&place, &["two"], "near-two");
    index(&place, &["three"], "near-three");
    let older = zstd::decode_all(FIRST_VERSION).unwrap();
    // Damage is found before anything is converted.
    let mut damaged = older.clone();
    for page in damaged.chunks_mut(4096).skip(1) {
        page[100..200].fill(0x5a);
    }
    place.write("index", &damaged);
    let refused = place.dehusk(&["cluster", "three", "-o", "refused", "--index", "index"]);
    assert_eq!(refused.status, 1);
    assert!(
        refused.stderr.contains("index: the store is damaged"),
        "{}",
        refused.stderr
    );
    assert_eq!(std::fs::read(place.path("index")).unwrap(), damaged);
    place.write("index", &older);
    index(&place, &["three"], "converted");
    for file in ["clusters.jsonl", "aliases.jsonl"] {
        let read = |folder: &str| lines(&place, &format!("{folder}/{file}"));
        assert_eq!(read("converted"), read("near-three"));
    }
    assert_eq!(lines(&place, "converted/aliases.jsonl").len(), 4);
    index(&place, &["three"], "again");
    assert_eq!(summary(&place, "again")["index"]["added"], 0);
}

#[test]
fn a_page_of_zeros_anywhere_in_an_index_is_found_or_changes_nothing() {
    let place = nights(20);
    index(&place, &["one"], "near-one");
    let whole = std::fs::read(place.path("index")).unwrap();
    index(&place, &["two"], "near-two");
    let expected = lines(&place, "near-two/clusters.jsonl");
    let mut refused = 0;
    for from in (0..whole.len()).step_by(4096) {
        let mut damaged = whole.clone();
        let page = from..whole.len().min(from + 4096);
        if damaged[page.clone()].iter().all(|byte| *byte == 0) {
            continue;
        }
        damaged[page].fill(0);
        place.write("index", &damaged);
        let ended = place.dehusk(&["cluster", "two", "-o", "near", "--overwrite", "--index", "index"]);
        if ended.status == 0 {
            // Nothing that is needed tonight is in that page.
            assert_eq!(
                lines(&place, "near/clusters.jsonl"),
                expected,
                "a page of zeros at {from}"
            );
            continue;
        }
        let message = ["index: the store is damaged", "index: is no store of dehusk"];
        let is_named = message.iter().any(|message| ended.stderr.contains(message));
        assert!(is_named, "a page of zeros at {from}: {}", ended.stderr);
        refused += 1;
    }
    assert!(refused > 20, "{refused} pages refused");
}

#[test]
fn a_cluster_keeps_its_id_and_lists_former_ones() {
    let place = nights(40);
    index(&place, &["one"], "before");
    let said = index(&place, &["two"], "night");
    let stdout = String::from_utf8(said.stdout).unwrap();
    index(&place, &["one", "two"], "after");
    let aliases: BTreeMap<String, String> = lines(&place, "after/aliases.jsonl")
        .iter()
        .map(|line| {
            (
                line["was"].as_str().unwrap().to_owned(),
                line["cluster"].as_str().unwrap().to_owned(),
            )
        })
        .collect();
    let joined = summary(&place, "night")["index"]["joined"].as_u64().unwrap();
    assert_eq!(aliases.len() as u64, joined);
    assert!(joined > 10, "{joined}");
    let line = format!("{joined:>12} clusters of earlier nights joined to an older one");
    assert!(stdout.contains(&line), "{stdout}");
    let (before, after) = (
        lines(&place, "before/clusters.jsonl"),
        lines(&place, "after/clusters.jsonl"),
    );
    for (before, after) in before.iter().zip(&after) {
        let was = before["cluster"].as_str().unwrap();
        let now = aliases.get(was).map_or(was, String::as_str);
        assert_eq!(now, after["cluster"]);
    }
    let first: BTreeMap<&str, usize> = before
        .iter()
        .enumerate()
        .rev()
        .map(|(i, l)| (l["cluster"].as_str().unwrap(), i))
        .collect();
    for (was, cluster) in &aliases {
        assert!(first[cluster.as_str()] < first[was.as_str()], "the older name stays");
    }
}

#[test]
fn a_run_that_is_added_twice_changes_nothing() {
    let place = nights(5);
    index(&place, &["one"], "first");
    index(&place, &["one", "one"], "again");
    assert_eq!(
        lines(&place, "first/clusters.jsonl"),
        lines(&place, "again/clusters.jsonl")
    );
    let (first, again) = (summary(&place, "first"), summary(&place, "again"));
    assert_eq!(
        (&first["index"]["added"], &again["index"]["added"]),
        (&15.into(), &0.into())
    );
    assert_eq!(first["index"]["documents"], again["index"]["documents"]);
    // Wherever it is now.
    std::fs::rename(place.path("one"), place.path("moved")).unwrap();
    index(&place, &["moved"], "third");
    assert_eq!(summary(&place, "third")["index"]["added"], 0);
}

#[test]
fn an_index_of_other_parameters_is_refused() {
    let place = nights(2);
    index(&place, &["one"], "near");
    let refused = |arguments: &[&str], message: &str| {
        let ended = place.dehusk(&[&["cluster", "two", "-o", "other"], arguments].concat());
        assert_eq!(ended.status, 1);
        assert!(ended.stderr.contains(message), "{}", ended.stderr);
        assert!(!place.path("other").exists(), "nothing was written");
    };
    let was = "index: was made with --by shingles --threshold 0.4, 42 bands of 3 minima, signatures of definition 2, \
        and now it is --by ";
    refused(
        &["--index", "index", "--threshold", "0.5"],
        &format!("{was}shingles --threshold 0.5"),
    );
    refused(&["--index", "index", "--by", "spotsigs"], &format!("{was}spotsigs"));
    place.write("text", "no store");
    refused(&["--index", "text"], "text: is no store of dehusk");
    place.run_to("three", &["one.warc", "--seen", "seen"]).ends_with(0);
    refused(
        &["--index", "seen"],
        "seen: is a store of payloads that runs have emitted, not of clusters",
    );
    // Earlier results stay, too.
    place.write("near/clusters.sqlite", "a database");
    let arguments = ["cluster", "two", "-o", "near", "--overwrite", "--index", "text"];
    assert_eq!(place.dehusk(&arguments).status, 1);
    assert!(place.path("near/clusters.sqlite").exists());
    index(&place, &["one", "two"], "near-both");
}

/// Adds a night to an index. It is killed before this write to the index; 0 for none. Returns how many writes there
/// were, if it came to its end.
#[cfg(target_os = "linux")]
fn killed_before(place: &Place, night: &str, write: u64) -> Option<u64> {
    let mut command = place.command();
    place.preload(&mut command, "kill_at_write");
    command.args(["cluster", night, "-o", "killed", "--overwrite", "--index", "index"]);
    command.env("KILL_AT", write.to_string());
    command.env("KILL_FILE", std::fs::canonicalize(place.path("index")).unwrap());
    let ended = place.spawn(command, std::process::Stdio::null()).end();
    let writes = ended.stderr.lines().find_map(|line| line.strip_suffix(" writes"));
    let writes = writes.map(|count| count.parse().unwrap());
    assert_eq!(ended.status, if writes.is_some() { 0 } else { -1 }, "{}", ended.stderr);
    writes
}

#[cfg(target_os = "linux")]
#[test]
fn a_command_that_is_killed_at_any_write_leaves_the_index_whole() {
    let place = nights(30);
    index(&place, &["one"], "one-near");
    let copy = |from: &str, to: &str| std::fs::copy(place.path(from), place.path(to)).unwrap();
    copy("index", "copy");
    let writes = killed_before(&place, "two", 0).unwrap();
    index(&place, &["one", "two"], "whole");
    // From the first write to the last, and all of those at the end, where the night is committed.
    let points = (1..writes).step_by(writes as usize / 12 + 1).chain(writes - 4..=writes);
    let mut added = Vec::new();
    for point in points {
        copy("copy", "index");
        assert_eq!(killed_before(&place, "two", point), None, "{point} of {writes}");
        let again = place.dehusk(&[
            "cluster",
            "one",
            "two",
            "-o",
            "after",
            "--overwrite",
            "--index",
            "index",
        ]);
        assert_eq!(again.status, 0, "{point} of {writes}: {}", again.stderr);
        for file in ["clusters.jsonl", "aliases.jsonl"] {
            let read = |folder: &str| lines(&place, &format!("{folder}/{file}"));
            assert_eq!(read("after"), read("whole"), "{point} of {writes}");
        }
        added.push(summary(&place, "after")["index"]["added"].as_u64().unwrap());
    }
    // The night is added in one step: before that it is added again, and after it not at all.
    assert_eq!((added[0], added.len() > 10), (90, true), "{added:?}");
    assert!(added.is_sorted_by(|one, other| one >= other), "{added:?}");
    assert!(added.iter().all(|count| [0, 90].contains(count)), "{added:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_conversion_that_is_killed_at_any_write_is_done_again() {
    let place = nights(4);
    third_night(&place, 4);
    let older = zstd::decode_all(FIRST_VERSION).unwrap();
    place.write("index", &older);
    let writes = killed_before(&place, "three", 0).unwrap();
    let expected = lines(&place, "killed/clusters.jsonl");
    for point in (1..=writes).step_by(writes as usize / 30 + 1) {
        place.write("index", &older);
        assert_eq!(killed_before(&place, "three", point), None, "{point} of {writes}");
        let arguments = ["cluster", "three", "-o", "again", "--overwrite", "--index", "index"];
        let again = place.dehusk(&arguments);
        assert_eq!(again.status, 0, "{point} of {writes}: {}", again.stderr);
        assert_eq!(lines(&place, "again/clusters.jsonl"), expected, "{point} of {writes}");
    }
}

#[test]
fn documents_that_cannot_be_compared_are_counted() {
    let place = Place::new();
    // Without a stop word there is no spot signature.
    let pages = [
        make::page("https://a.example/", "Walk uphill."),
        make::page(
            "https://b.example/",
            "We went out early in the morning and it was raining on the hill until we were home.",
        ),
    ];
    place.write("a.warc", pages.concat());
    place.run_to("run", &["a.warc"]).ends_with(0);
    for more in [&[][..], &["--index", "index"]] {
        let arguments = ["cluster", "run", "--by", "spotsigs", "-o", "near", "--overwrite"];
        let ended = place.dehusk(&[&arguments[..], more].concat());
        let stdout = String::from_utf8(ended.stdout).unwrap();
        assert!(stdout.contains("           1 documents without features"), "{stdout}");
        assert_eq!(summary(&place, "near")["without_features"], 1);
    }
}

#[test]
fn an_index_that_another_process_holds_is_refused() {
    let place = nights(2);
    index(&place, &["one"], "before");
    let held = std::fs::File::options()
        .read(true)
        .write(true)
        .open(place.path("index"));
    let held = held.unwrap();
    held.lock().unwrap();
    let ended = place.dehusk(&["cluster", "two", "-o", "night", "--index", "index"]);
    assert_eq!(ended.status, 1);
    let message = "index: the store is in use by another process; start this one again when that has ended";
    assert!(ended.stderr.contains(message), "{}", ended.stderr);
    assert!(!place.path("night").exists());
    drop(held);
    index(&place, &["two"], "night");
    assert_eq!(summary(&place, "night")["index"]["added"], 6);
}

#[test]
fn a_document_with_a_wrong_clock_is_in_its_cluster_and_does_not_represent_it() {
    let place = Place::new();
    let text: String = (0..80).map(|i| format!("word{i} ")).collect();
    let dated = |host: &str, date: &str| {
        let html = format!("<title>A page</title><p>{text}</p>");
        let block = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n{html}");
        let (id, url) = (format!("urn:test:{host}"), format!("https://{host}.example/"));
        let fields = "Content-Type: application/http; msgtype=response\r\n";
        make::record_of(("response", &id, date), &url, fields, block.as_bytes())
    };
    place.write("one.warc", dated("late", "2099-01-01T00:00:00Z"));
    place.write("two.warc", dated("now", "2024-05-06T07:08:09Z"));
    place.run_to("one", &["one.warc"]).ends_with(0);
    place.run_to("two", &["two.warc"]).ends_with(0);
    index(&place, &["one"], "first");
    index(&place, &["one", "two"], "both");
    let (first, both) = (
        lines(&place, "first/clusters.jsonl"),
        lines(&place, "both/clusters.jsonl"),
    );
    assert_eq!(both[0]["cluster"], first[0]["cluster"]);
    assert_eq!(both[0]["cluster"], both[1]["cluster"]);
    let representative =
        |lines: &[Value]| -> Vec<Value> { lines.iter().map(|line| line["representative"].clone()).collect() };
    assert_eq!(representative(&first), [true]);
    assert_eq!(representative(&both), [false, true]);
}
