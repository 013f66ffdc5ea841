//! The commands and outputs that the documentation shows of the sample.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::program::{Place, SAMPLE, json_lines};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The pages of the documentation.
fn pages() -> Vec<PathBuf> {
    let mut pages = vec![root().join("README.md")];
    let mut folders = vec![root().join("docs")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()) {
            if entry.is_dir() {
                folders.push(entry);
            } else if entry.extension().is_some_and(|e| e == "md") {
                pages.push(entry);
            }
        }
    }
    pages
}

#[test]
fn commands_over_the_sample_run() {
    let mut commands = 0;
    for page in pages() {
        let text = fs::read_to_string(&page).unwrap();
        for line in text.lines().filter(|line| line.contains("docs/sample/sample.warc.gz")) {
            let command = line.trim_start().trim_start_matches("cargo run --release -- ");
            let command = command.trim_start_matches("dehusk ").split('#').next().unwrap();
            if command.len() == line.len() || !line.starts_with("    ") || command.starts_with('{') {
                continue;
            }
            // `tests/features` runs what needs a feature, and a server does not end.
            let needs_feature = command.contains("--format sqlite") && !cfg!(feature = "sqlite");
            if needs_feature || command.starts_with("serve") {
                continue;
            }
            let place = Place::new();
            std::os::unix::fs::symlink(root().join("docs"), place.path("docs")).unwrap();
            // The guide shows what is in it.
            place.write("my.toml", "[output]\ntext = \"markdown\"\n");
            let ended = place.dehusk(&command.split_whitespace().collect::<Vec<_>>());
            assert!(
                matches!(ended.status, 0 | 3),
                "{}: {line}: {}",
                page.display(),
                ended.stderr
            );
            commands += 1;
        }
    }
    assert!(commands >= 4, "only {commands} commands were found");
}

#[test]
fn the_failure_line_in_the_ledger_page_is_that_of_the_sample() {
    let text = fs::read_to_string(root().join("docs/ledger.md")).unwrap();
    let start = text.find("    {\"archive\":\"docs/sample").expect("the line");
    let end = start + text[start..].find('}').expect("its end") + 1;
    let mut shown: Value = serde_json::from_str(&text[start..end]).unwrap();
    shown["archive"] = SAMPLE.into();
    let place = Place::new();
    place.run(&[SAMPLE]).ends_with(3);
    let failed = json_lines(&fs::read(place.path("out/failed.jsonl")).unwrap());
    assert_eq!(failed, [shown]);
}
