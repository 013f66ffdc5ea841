//! The licences of the libraries that are linked into the program. Most of them ask that their text goes with it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::task::Result;

const INTRODUCTION: &str = "\
The program dehusk contains the libraries that are listed here, each with its licence. The texts of the licences follow.

It also contains the GNU C Library, under the LGPL 2.1 or later: https://sourceware.org/glibc/. To link the program with
another version of that library, build it from its sources, which are published under the licences MIT and Apache-2.0.
";

/// How the names of files with licences begin.
const NAMES: &[&str] = &["LICENSE", "LICENCE", "COPYING", "NOTICE", "COPYRIGHT", "UNLICENSE"];

/// The libraries, and the texts of their licences, each text once. `metadata` is that of cargo about all packages.
pub fn text(metadata: &Value) -> Result<String> {
    let mut text = String::from(INTRODUCTION);
    let mut texts: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for package in linked(metadata)? {
        let field = |name: &str| package[name].as_str().unwrap_or_default();
        let name = format!("{} {}", field("name"), field("version"));
        text += &format!("\n{name}: {}", field("license"));
        let manifest = Path::new(field("manifest_path"));
        let folder = manifest.parent().ok_or("a package without a folder")?;
        for licence in licences_in(folder)? {
            texts.entry(licence).or_default().insert(name.clone());
        }
    }
    text.push('\n');
    for (licence, names) in texts {
        let names: Vec<String> = names.into_iter().collect();
        let line = "-".repeat(80);
        text += &format!("\n{line}\n{}\n\n{}\n", names.join(", "), licence.trim_end());
    }
    Ok(text)
}

/// The packages of others that the program is linked with, by name.
fn linked(metadata: &Value) -> Result<Vec<&Value>> {
    let list = |value: &'_ Value| value.as_array().cloned().unwrap_or_default();
    let packages = metadata["packages"].as_array().ok_or("no packages")?;
    let nodes = metadata["resolve"]["nodes"].as_array().ok_or("no dependencies")?;
    let program = packages
        .iter()
        .find(|package| package["name"] == "dehusk")
        .ok_or("no package dehusk")?;
    let mut waiting = vec![program["id"].clone()];
    let mut found: BTreeSet<String> = BTreeSet::new();
    while let Some(id) = waiting.pop() {
        if !found.insert(id.as_str().unwrap_or_default().to_owned()) {
            continue;
        }
        for dependency in nodes
            .iter()
            .filter(|node| node["id"] == id)
            .flat_map(|node| list(&node["deps"]))
        {
            // A dependency of the program, not of its tests or build scripts, has no kind.
            if list(&dependency["dep_kinds"]).iter().any(|kind| kind["kind"].is_null()) {
                waiting.push(dependency["pkg"].clone());
            }
        }
    }
    let is_found = |package: &&Value| found.contains(package["id"].as_str().unwrap_or_default());
    // Those of this repository have no source.
    let linked = packages
        .iter()
        .filter(is_found)
        .filter(|package| !package["source"].is_null());
    let mut linked: Vec<&Value> = linked.collect();
    linked.sort_by_key(|package| (package["name"].to_string(), package["version"].to_string()));
    Ok(linked)
}

fn licences_in(folder: &Path) -> Result<Vec<String>> {
    let mut licences = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().to_uppercase();
        if NAMES.iter().any(|start| name.starts_with(start)) && entry.file_type()?.is_file() {
            licences.push(fs::read_to_string(entry.path())?.replace("\r\n", "\n"));
        }
    }
    Ok(licences)
}
