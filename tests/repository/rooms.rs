//! Arrows between the rooms of a package point one way: no room uses another that uses it, even by way of others.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use crate::docs::{root, sources};

/// The packages in which some rooms still use each other.
const WITH_RINGS: [&str; 2] = ["engine", "extract"];

type Uses = BTreeMap<String, BTreeSet<String>>;

/// The rooms of a package and those that each uses: the first names after `crate::`.
fn uses(package: &Path) -> Uses {
    let source = package.join("src");
    let mut uses = Uses::new();
    for (path, text) in sources() {
        let Ok(inside) = path.strip_prefix(&source) else {
            continue;
        };
        let first = inside.iter().next().unwrap().to_str().unwrap();
        let room = first.strip_suffix(".rs").unwrap_or(first).to_owned();
        if room == "lib" {
            continue;
        }
        let named = text.split("crate::").skip(1).flat_map(|rest| {
            let names = match rest.strip_prefix('{') {
                Some(list) => list.split('}').next().unwrap_or_default(),
                None => rest,
            };
            let name = |name: &str| {
                let name = name.trim_start();
                let end = name.find(|c: char| c != '_' && !c.is_ascii_lowercase());
                name[..end.unwrap_or(name.len())].to_owned()
            };
            match rest.starts_with('{') {
                true => names.split(',').map(name).collect::<Vec<_>>(),
                false => vec![name(names)],
            }
        });
        let used: Vec<String> = named.filter(|name| !name.is_empty() && *name != room).collect();
        uses.entry(room).or_default().extend(used);
    }
    uses
}

/// The way from a room back to itself, if there is one.
fn ring(uses: &Uses, from: &str) -> Option<Vec<String>> {
    let mut ways = vec![vec![from.to_owned()]];
    let mut seen = BTreeSet::new();
    while let Some(way) = ways.pop() {
        for next in uses.get(way.last()?).into_iter().flatten() {
            if next == from {
                return Some(way);
            }
            if seen.insert(next) {
                ways.push([&way[..], std::slice::from_ref(next)].concat());
            }
        }
    }
    None
}

#[test]
fn rooms_use_each_other_one_way() {
    let mut checked = 0;
    for package in fs::read_dir(root().join("crates")).unwrap() {
        let package = package.unwrap().path();
        if WITH_RINGS.iter().any(|name| package.ends_with(name)) {
            continue;
        }
        let uses = uses(&package);
        for room in uses.keys() {
            assert_eq!(ring(&uses, room), None, "{}: {room}", package.display());
            checked += 1;
        }
    }
    assert!(checked > 50, "only {checked} rooms");
}
