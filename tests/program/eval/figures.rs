//! `dehusk eval --figures`: the densities of a page's tags, as CETD's Figures 3 and 4.

use std::fs;

use crate::program::eval::SAMPLE_TRUTH;
use crate::program::{Ended, Place, SAMPLE};

fn eval(place: &Place, more: &[&str]) -> Ended {
    place.dehusk(&[&["eval", "--truth", SAMPLE_TRUTH, SAMPLE, "--metrics", "bag"], more].concat())
}

/// The names of the files in a directory of the place.
fn files(place: &Place, directory: &str) -> Vec<String> {
    let entries = fs::read_dir(place.path(directory)).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// The status of every evaluation of the sample: one of its records is damaged.
const DAMAGED: i32 = 3;

const FERRY: &str = "urn:uuid:d3805a3e-0000-4000-8000-000000000002";

#[test]
fn the_pages_that_are_named_are_drawn() {
    let place = Place::new();
    let ended = eval(&place, &["--figures", "f", "--figure-of", FERRY, "--figure-of", FERRY]);
    assert_eq!(ended.status, DAMAGED, "{}", ended.stderr);
    assert_eq!(
        files(&place, "f"),
        ["urn-uuid-d3805a3e-0000-4000-8000-000000000002.svg"]
    );
    let svg = fs::read_to_string(place.path("f").join(&files(&place, "f")[0])).unwrap();
    let mut reader = quick_xml::Reader::from_str(&svg);
    while !matches!(reader.read_event().unwrap(), quick_xml::events::Event::Eof) {}
    assert!(svg.contains("Figure 3") && svg.contains("Figure 4"), "{svg}");
    assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
}

#[test]
fn without_a_name_one_page_of_each_truth_file_is_drawn() {
    let place = Place::new();
    let ended = eval(&place, &["--figures", "f"]);
    assert_eq!(ended.status, DAMAGED, "{}", ended.stderr);
    assert_eq!(files(&place, "f").len(), 1);
}

#[test]
fn nothing_is_overwritten() {
    let place = Place::new();
    let arguments = ["--figures", "f", "--figure-of", FERRY];
    assert_eq!(eval(&place, &arguments).status, DAMAGED);
    let ended = eval(&place, &arguments);
    assert_eq!(ended.status, 2, "{}", ended.stderr);
    assert!(ended.stderr.contains("is there already"), "{}", ended.stderr);
}

#[test]
fn a_page_that_the_truth_does_not_know_is_named() {
    let place = Place::new();
    let ended = eval(&place, &["--figures", "f", "--figure-of", "nothing"]);
    assert_eq!(ended.status, 2);
    assert!(
        ended.stderr.contains("“nothing”: no line of truth has this record_id"),
        "{}",
        ended.stderr
    );
    assert!(!place.path("f").exists());
}

/// The truth knows a record that the archive does not have.
#[test]
fn no_file_is_left_of_a_page_that_is_absent() {
    let place = Place::new();
    let truth = fs::read_to_string(SAMPLE_TRUTH).unwrap();
    place.write(
        "t.jsonl",
        format!("{truth}\n{{\"record_id\":\"gone\",\"text\":\"one\"}}\n"),
    );
    let ended = place.dehusk(&[
        "eval",
        "--truth",
        "t.jsonl",
        SAMPLE,
        "--figures",
        "f",
        "--figure-of",
        "gone",
    ]);
    assert_eq!(ended.status, DAMAGED, "{}", ended.stderr);
    assert!(ended.stderr.contains("gone: has no page"), "{}", ended.stderr);
    assert!(files(&place, "f").is_empty());
}
