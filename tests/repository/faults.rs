//! `tests/faults/README.md` and `tests/faults/index.txt` against the sources: every fault of the page has a test that
//! exists, every reason is one of the ledger's, and every test of `tests/faults` is in the index.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use dehusk::report::{Failed, Filtered, Note};

/// The page must have all faults up to this number.
const FAULTS: usize = 135;

/// A row of the page.
struct Row {
    number: usize,
    /// The answer of the program to the fault.
    answer: String,
}

/// The names in code spans.
fn names(cell: &str) -> Vec<String> {
    cell.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

fn rows() -> Vec<Row> {
    let page = read("tests/faults/README.md");
    let numbered = page.lines().filter_map(|line| {
        let cells: Vec<&str> = line.strip_prefix("| ")?.strip_suffix(" |")?.split(" | ").collect();
        let number = cells[0].parse().ok()?;
        let [_, _, answer] = cells[..] else {
            panic!("fault {number} has {} cells", cells.len());
        };
        Some(Row {
            number,
            answer: answer.to_owned(),
        })
    });
    numbered.collect()
}

/// The tests of each fault, by its number.
fn index() -> BTreeMap<usize, Vec<String>> {
    let text = read("tests/faults/index.txt");
    let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
    let index: BTreeMap<usize, Vec<String>> = lines
        .iter()
        .map(|line| {
            let mut words = line.split_whitespace();
            let number = words.next().and_then(|word| word.parse().ok());
            (
                number.unwrap_or_else(|| panic!("no number: {line}")),
                words.map(str::to_owned).collect(),
            )
        })
        .collect();
    assert_eq!(index.len(), lines.len(), "a number is there twice");
    index
}

fn read(name: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(name)).unwrap()
}

/// The names of the tests in a folder and below it.
fn tests_in(folder: &Path, found: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            tests_in(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs") {
            let source = fs::read_to_string(&path).unwrap();
            for test in source.split("#[test]\n").skip(1) {
                let line = test.lines().find_map(|line| line.trim().strip_prefix("fn "));
                found.extend(line.and_then(|line| Some(line.split_once('(')?.0.to_owned())));
            }
        }
    }
}

fn tests(folders: &[&str]) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for folder in folders {
        tests_in(&Path::new(env!("CARGO_MANIFEST_DIR")).join(folder), &mut found);
    }
    found
}

#[test]
fn every_fault_is_on_the_page_once() {
    let mut numbers: Vec<usize> = rows().iter().map(|row| row.number).collect();
    numbers.sort();
    assert!(numbers.windows(2).all(|pair| pair[0] < pair[1]), "{numbers:?}");
    assert_eq!(numbers[..FAULTS], (1..=FAULTS).collect::<Vec<_>>());
}

#[test]
fn every_fault_has_a_test_that_exists() {
    let tests = tests(&["tests", "crates"]);
    let index = index();
    let numbers: BTreeSet<usize> = rows().iter().map(|row| row.number).collect();
    assert_eq!(
        numbers,
        index.keys().copied().collect(),
        "the page and the index have other faults"
    );
    for (number, named) in index {
        assert!(!named.is_empty(), "fault {number} has no test");
        for name in named {
            assert!(tests.contains(&name), "fault {number}: there is no test {name}");
        }
    }
}

#[test]
fn every_test_of_a_fault_is_in_the_index() {
    let named: BTreeSet<String> = index().into_values().flatten().collect();
    let missing: Vec<String> = tests(&["tests/faults"]).difference(&named).cloned().collect();
    assert!(missing.is_empty(), "tests/faults/index.txt does not name {missing:?}");
}

#[test]
fn every_reason_on_the_page_is_in_the_ledger() {
    let filtered = Filtered::ALL.iter().map(|r| r.name());
    let reasons: BTreeSet<&str> = filtered
        .chain(Failed::all().map(|r| r.name()))
        .chain(Note::all().map(|r| r.name()))
        .collect();
    let is_reason = |name: &str| name.len() > 3 && name.bytes().all(|b| b.is_ascii_lowercase() || b == b'_');
    // Words of HTML and of the account.
    let others = ["meta", "noscript", "interrupted", "flags", "failed"];
    for row in rows() {
        for name in names(&row.answer).iter().filter(|name| is_reason(name)) {
            let known = reasons.contains(name.as_str()) || others.contains(&name.as_str());
            assert!(known, "fault {}: {name}", row.number);
        }
    }
}
