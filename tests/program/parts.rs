//! A list of archives in parts, as the tasks of a job array: killed again and again, and run twice.

use std::collections::BTreeMap;
use std::process::Stdio;

use serde_json::Value;

use crate::program::{Place, Run, make};

const ARCHIVES: usize = 60;
const PARTS: usize = 6;

/// Two in a hundred archives are damaged, and one is missing.
const DAMAGED: [usize; 2] = [7, 31];
const MISSING: usize = 44;

/// Archives of one to five pages. Some pages are in two archives, under ids of their own.
fn archives(place: &Place) {
    let mut list = String::new();
    for archive in 0..ARCHIVES {
        let name = format!("crawl-{archive:02}.warc.gz");
        list += &format!("{name}\n");
        let mut bytes = Vec::new();
        for page in 0..=archive % 5 {
            let text = format!("The page {page} of archive {archive} has some words, and others follow.");
            bytes.extend(make::gzip(&make::page(
                &format!("https://a{archive}.example/{page}"),
                &text,
            )));
        }
        if DAMAGED.contains(&archive) {
            bytes.truncate(bytes.len() - 30);
        }
        if archive != MISSING {
            place.write(&name, bytes);
        }
    }
    place.write("list", list);
}

fn part(number: usize) -> (String, String) {
    (format!("part-{number}"), format!("{number}/{PARTS}"))
}

/// Runs a part until it is killed before this write. Returns whether it was.
fn killed_at(place: &Place, number: usize, write: usize) -> bool {
    let (directory, part) = part(number);
    let mut command = place.command();
    place.preload(&mut command, "kill_at_write");
    command.envs([("KILL_FILE", "*"), ("KILL_AT", &write.to_string())]);
    command.args([
        "run",
        "@list",
        "-o",
        &directory,
        "--part",
        &part,
        "--threads",
        "2",
        "-e",
        "coreex-modern",
    ]);
    place.spawn(command, Stdio::null()).end().status == -1
}

fn run(place: &Place, number: usize) -> Run {
    let (directory, part) = part(number);
    place.run_to(&directory, &["@list", "--part", &part, "--threads", "2"])
}

/// The ids of documents, and what failed, each with how often it is there.
fn content<'r>(runs: impl IntoIterator<Item = &'r Run>) -> BTreeMap<String, usize> {
    let mut content = BTreeMap::new();
    for run in runs {
        let ids = run.documents().into_iter().map(|document| document["id"].to_string());
        let failed = run
            .failed
            .iter()
            .map(|line| format!("{} {} {}", line["archive"], line["offset"], line["reason"]));
        let states = run
            .archives()
            .iter()
            .map(|archive| format!("{} {}", archive["path"], archive["state"]));
        for entry in ids.chain(failed).chain(states) {
            *content.entry(entry).or_default() += 1;
        }
    }
    content
}

#[test]
fn parts_that_were_killed_twenty_times_and_run_twice_have_everything_once() {
    let place = Place::new();
    archives(&place);
    let whole = place.run_to("whole", &["@list", "--threads", "2"]).ends_with(1);
    let expected = content([&whole]);
    assert!(expected.values().all(|count| *count == 1));

    let mut kills = 0;
    for number in 1..=PARTS {
        // Each time a little further, so that it is killed at the start, inside archives and between them.
        kills += (0..6)
            .filter(|attempt| killed_at(&place, number, 2 + number + 9 * attempt))
            .count();
    }
    assert!(kills >= 20, "{kills}");
    let parts: Vec<Run> = (1..=PARTS).map(|number| run(&place, number)).collect();
    assert_eq!(content(&parts), expected);

    // A part that is submitted again finds nothing to do but the archive that is missing.
    for number in [1, 3] {
        let shards = |run: &Run| -> Vec<(String, Value)> {
            run.archives()
                .iter()
                .map(|archive| (archive["path"].to_string(), archive["output_sha256"].clone()))
                .collect()
        };
        let again = run(&place, number);
        assert_eq!(shards(&again), shards(&parts[number - 1]));
    }
    let again: Vec<Run> = (1..=PARTS).map(|number| run(&place, number)).collect();
    assert_eq!(content(&again), expected);
}
