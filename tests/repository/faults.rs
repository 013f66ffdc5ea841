//! `docs/faults.md` against the sources: every fault has a test that exists, every reason is one of the ledger's, and
//! every test of `tests/faults` is on the page.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use dehusk::report::{Failed, Filtered, Note};

/// The page must have all faults up to this number.
const FAULTS: usize = 135;

/// A row of the page.
struct Row {
    number: usize,
    /// What the program does.
    answer: String,
    tests: Vec<String>,
    /// Why it has no test yet.
    later: Option<String>,
}

/// The names in code spans.
fn names(cell: &str) -> Vec<String> {
    cell.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

fn rows() -> Vec<Row> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/faults.md");
    let page = fs::read_to_string(path).unwrap();
    let numbered = page.lines().filter_map(|line| {
        let cells: Vec<&str> = line.strip_prefix("| ")?.strip_suffix(" |")?.split(" | ").collect();
        let number = cells[0].parse().ok()?;
        let [_, _, answer, tests] = cells[..] else {
            panic!("fault {number} has {} cells", cells.len());
        };
        Some(Row {
            number,
            answer: answer.to_owned(),
            tests: names(tests),
            later: tests.strip_prefix("later: ").map(str::to_owned),
        })
    });
    numbered.collect()
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
fn every_fault_has_a_test_that_exists_or_a_reason_why_not() {
    let tests = tests(&["tests", "crates"]);
    for Row {
        number,
        tests: named,
        later,
        ..
    } in rows()
    {
        assert_eq!(named.is_empty(), later.is_some(), "fault {number}");
        for name in named {
            assert!(tests.contains(&name), "fault {number}: there is no test {name}");
        }
    }
}

#[test]
fn every_test_of_a_fault_is_on_the_page() {
    let named: BTreeSet<String> = rows().into_iter().flat_map(|row| row.tests).collect();
    let missing: Vec<String> = tests(&["tests/faults"]).difference(&named).cloned().collect();
    assert!(missing.is_empty(), "docs/faults.md does not name {missing:?}");
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
