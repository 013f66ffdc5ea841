//! Reads that fail or come short below the program, where a disk or a network file system would be at fault.
#![cfg(target_os = "linux")]

use std::fs;
use std::process::Stdio;

use crate::program::{Place, Run, make, with_extractor};

/// Number of pages in an archive.
const PAGES: usize = 20;

fn text(page: usize) -> String {
    format!("Page {page} has some words.")
}

/// Pages, and after each what fills a part of a window.
fn records() -> Vec<Vec<u8>> {
    let pair = |i: usize| {
        let page = make::page(&format!("https://a.example/{i}"), &text(i));
        [page, make::filler(i as u64, 300_000)]
    };
    (0..PAGES).flat_map(pair).collect()
}

/// Runs an archive whose reads come short, and fail from this offset on.
fn run(place: &Place, name: &str, from: u64, arguments: &[&str]) -> Run {
    let mut command = place.command();
    command.args(with_extractor(
        &[&["run", "-o", "out", "--overwrite"], arguments].concat(),
    ));
    place.preload(&mut command, "faulty_reads");
    command.env("FAULTY_FROM", from.to_string());
    command.env("FAULTY_FILE", fs::canonicalize(place.path(name)).unwrap());
    let ended = place.spawn(command, Stdio::null()).end();
    place.read("out", ended)
}

#[test]
fn a_read_that_fails_below_the_program_keeps_the_whole_records() {
    let records = records();
    for (name, bytes) in [
        ("a.warc", records.concat()),
        ("a.warc.gz", make::each(&records, make::gzip)),
        ("a.warc.zst", make::each(&records, make::zstd)),
        ("a-one.warc.gz", make::gzip(&records.concat())),
    ] {
        let place = Place::new();
        place.write(name, &bytes);
        place.write("b.warc", super::page("b"));
        // Short reads alone change nothing.
        let whole = run(&place, name, u64::MAX >> 1, &[name]).ends_with(0);
        assert_eq!(whole.texts(), (0..PAGES).map(text).collect::<Vec<_>>(), "{name}");
        for tenths in [0, 1, 5, 9] {
            let from = bytes.len() as u64 * tenths / 10;
            let run = run(&place, name, from, &[name, "b.warc", "--threads", "2"]).ends_with(1);
            let archive = &run.archives()[0];
            assert_eq!(archive["state"], "failed", "{name} {tenths}");
            let error = archive["error"].as_str().unwrap();
            assert!(error.contains(name) && error.contains("Input/output error"), "{error}");
            // Every page that was read whole is kept, and no other archive suffers. A decoder does not give all that it
            // could before it meets the end.
            let whole = PAGES * tenths as usize / 10;
            let least = whole.saturating_sub(usize::from(name.contains("one")));
            let mut texts = run.texts();
            assert_eq!(texts.pop().unwrap(), "The page b has some words.");
            assert!(
                (least..=whole + 1).contains(&texts.len()),
                "{name} {tenths}: {}",
                texts.len()
            );
            assert_eq!(texts, (0..texts.len()).map(text).collect::<Vec<_>>(), "{name} {tenths}");
        }
    }
}
