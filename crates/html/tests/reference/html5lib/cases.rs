//! Reads the `.dat` files of html5lib's tests: sections of lines, each after a line that starts with `#`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The sections of one case, by name.
pub struct Case(BTreeMap<String, Vec<u8>>);

impl Case {
    pub fn has(&self, section: &str) -> bool {
        self.0.contains_key(section)
    }

    pub fn bytes(&self, section: &str) -> &[u8] {
        self.0.get(section).map_or(&[], Vec::as_slice)
    }

    pub fn text(&self, section: &str) -> String {
        String::from_utf8_lossy(self.bytes(section)).into_owned()
    }
}

/// The folder that `DEHUSK_HTML5LIB` names.
pub fn root() -> Option<PathBuf> {
    std::env::var_os("DEHUSK_HTML5LIB").map(PathBuf::from)
}

/// The folder of a kind of tests (`tree-construction`).
pub fn folder(kind: &str) -> PathBuf {
    let root = root().unwrap();
    let places = [root.join(kind), root.join("html5lib/tests/testdata").join(kind)];
    let found = places.iter().find(|place| place.is_dir());
    found
        .unwrap_or_else(|| panic!("no {kind} in {}", root.display()))
        .clone()
}

/// The files of a folder by name, each with its cases.
pub fn files(folder: &Path) -> Vec<(String, Vec<Case>)> {
    let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut paths: Vec<_> = paths
        .filter(|path| path.extension().is_some_and(|e| e == "dat"))
        .collect();
    paths.sort();
    let name = |path: &Path| path.file_stem().unwrap().to_string_lossy().into_owned();
    paths
        .iter()
        .map(|path| (name(path), cases(&fs::read(path).unwrap())))
        .collect()
}

fn cases(file: &[u8]) -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    let mut section = String::new();
    for line in file.split(|b| *b == b'\n') {
        if line == b"#data" {
            cases.push(Case(BTreeMap::new()));
        }
        let Some(Case(sections)) = cases.last_mut() else {
            continue;
        };
        if let Some(name) = heading(line) {
            section = name;
            sections.insert(section.clone(), Vec::new());
        } else if let Some(content) = sections.get_mut(&section) {
            content.extend_from_slice(line);
            content.push(b'\n');
        }
    }
    for Case(sections) in &mut cases {
        // The line end before the next heading is not a part of the section.
        for content in sections.values_mut() {
            content.pop();
        }
    }
    cases
}

fn heading(line: &[u8]) -> Option<String> {
    const HEADINGS: &[&str] = &[
        "data",
        "errors",
        "new-errors",
        "document",
        "document-fragment",
        "script-on",
        "script-off",
        "encoding",
    ];
    let name = std::str::from_utf8(line.strip_prefix(b"#")?).ok()?;
    HEADINGS.contains(&name).then(|| name.to_owned())
}
