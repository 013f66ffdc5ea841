//! `dehusk features`: what it writes, and when it refuses to.

use std::fs;

use crate::program::eval::{page, truth};
use crate::program::{Place, make};
use serde_json::Value;

const FILES: [&str; 7] = [
    "blocks.u32",
    "elements.u32",
    "features.i16",
    "features.json",
    "pages.jsonl",
    "truth.u32",
    "words.u32",
];

/// Two pages with truth, one without, and an image that the truth knows.
fn place() -> Place {
    let place = Place::new();
    let records = [
        page("http://a.test/1", &["one two three four", "five six seven eight"]),
        page("http://a.test/unknown", &["nobody knows this page"]),
        make::response("http://a.test/image", "200 OK", "image/png", b"\x89PNG"),
        page(
            "http://b.test/2",
            &["nine ten eleven", "share this page", "nine ten eleven"],
        ),
    ];
    place.write("a.warc", records.concat());
    let lines = [
        truth("http://a.test/1", "One two three four.\n\nFive six seven eight"),
        truth("http://a.test/image", "some words"),
        truth("http://b.test/2", "nine ten eleven"),
    ];
    place.write("t.jsonl", lines.join("\n"));
    place
}

/// Runs the command, which must end with this status, and returns its messages.
#[track_caller]
fn features(place: &Place, status: i32, arguments: &[&str]) -> String {
    let ended = place.dehusk(&[&["features", "--truth", "t.jsonl", "-o", "f"], arguments].concat());
    assert_eq!(ended.status, status, "{}", ended.stderr);
    ended.stderr
}

fn integers(place: &Place, name: &str) -> Vec<u32> {
    let bytes = fs::read(place.path("f").join(name)).unwrap();
    assert_eq!(bytes.len() % 4, 0, "{name}");
    let integer = |bytes: &[u8]| u32::from_le_bytes(bytes.try_into().unwrap());
    bytes.chunks_exact(4).map(integer).collect()
}

fn text(place: &Place, name: &str) -> String {
    fs::read_to_string(place.path("f").join(name)).unwrap()
}

#[test]
fn the_files_have_a_row_a_block_and_a_line_a_page() {
    let place = place();
    assert_eq!(features(&place, 0, &["a.warc"]), "3 pages, 9 blocks\n");
    assert_eq!(place.names("f"), FILES);
    let description: Value = serde_json::from_str(&text(&place, "features.json")).unwrap();
    assert_eq!(
        (&description["version"], &description["pages"], &description["blocks"]),
        (&2.into(), &3.into(), &9.into())
    );
    assert_eq!(description["hash"].as_str().unwrap().len(), 16);
    let names = description["names"].as_array().unwrap().len() as u64;
    let size = fs::metadata(place.path("f/features.i16")).unwrap().len();
    assert!(names > 50 && size == 9 * names * 2, "{names} {size}");

    let pages = text(&place, "pages.jsonl");
    let pages: Vec<Value> = pages.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let numbers: Vec<_> = pages
        .iter()
        .map(|page| ["blocks", "words"].map(|key| page[key].as_u64().unwrap()))
        .collect();
    // The menu has two blocks. The image is no page: it has truth, and no blocks.
    assert_eq!(numbers, [[4, 8], [0, 2], [5, 3]]);
    assert_eq!(pages[0]["url"], "http://a.test/1");
    assert_eq!(pages[0]["best"], 1.0);

    let blocks = integers(&place, "blocks.u32");
    let rows: Vec<&[u32]> = blocks.chunks_exact(8).collect();
    let column = |n: usize| Vec::from_iter(rows.iter().map(|row| row[n]));
    assert_eq!(column(0), [1, 1, 4, 4, 1, 1, 3, 3, 3], "words as the extractor counts");
    assert_eq!(column(1), column(0), "words as the evaluation counts");
    assert_eq!(column(2)[..6], [0, 0, 1, 1, 0, 0], "labels");
    assert_eq!(column(3), [0, 0, 1_000_000, 1_000_000, 0, 0, 1_000_000, 0, 1_000_000]);
    assert_eq!(column(4), [0, 1, 2, 3, 0, 1, 2, 3, 2], "first block with the text");
    let elements = integers(&place, "elements.u32");
    let counts = pages.iter().map(|page| page["elements"].as_u64().unwrap() as usize);
    assert_eq!(elements.len(), 5 * counts.sum::<usize>(), "five numbers an element");
    assert_eq!(
        integers(&place, "words.u32").len() as u32,
        column(1).iter().sum::<u32>()
    );
    let truth = integers(&place, "truth.u32");
    assert_eq!(truth.len(), 8 + 2 + 3);
    // The words of a page and of its truth have the same numbers.
    assert_eq!(integers(&place, "words.u32")[2..10], truth[..8]);
}

#[test]
fn features_are_replaced_only_on_demand() {
    let place = place();
    features(&place, 0, &["a.warc"]);
    let before = text(&place, "pages.jsonl");
    let refused = features(&place, 2, &["a.warc"]);
    assert!(
        refused.contains("f holds features already; give --overwrite"),
        "{refused}"
    );
    assert_eq!(text(&place, "pages.jsonl"), before);
    place.write("b.warc", page("http://a.test/1", &["one two three four"]));
    let replaced = features(&place, 0, &["b.warc", "--overwrite"]);
    assert_eq!(replaced, "1 pages, 3 blocks\n");
    assert_eq!(text(&place, "pages.jsonl").lines().count(), 1);
}

#[test]
fn an_archive_that_cannot_be_read_is_reported() {
    let place = place();
    let said = features(&place, 1, &["missing.warc", "a.warc"]);
    assert!(said.contains("missing.warc"), "{said}");
    assert!(said.contains("3 pages, 9 blocks"), "{said}");
    assert_eq!(place.names("f"), FILES);
}

#[test]
fn truth_of_other_pages_is_an_error() {
    let place = place();
    place.write("other.warc", page("http://c.test/", &["other words"]));
    let said = features(&place, 1, &["other.warc"]);
    assert!(said.contains("no line of truth joins a page"), "{said}");
}
