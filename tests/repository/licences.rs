//! The licences of every dependency, and the agreement of the manifest, the README and the checks.

use std::fs;
use std::path::Path;
use std::process::Command;

/// Licences that ask for no more than to be named: they go with MIT and Apache-2.0.
const ALLOWED: &[&str] = &[
    "0BSD",
    "Apache-2.0",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    // Of data: the certificates that browsers trust.
    "CDLA-Permissive-2.0",
    "ISC",
    "MIT",
    "MIT-0",
    "Unicode-3.0",
    "Unicode-DFS-2016",
    "Unlicense",
    "Zlib",
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Whether an SPDX expression can be satisfied by the allowed licences.
fn allowed(expression: &str) -> bool {
    let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
    let mut words = spaced.split_whitespace().peekable();
    let result = either(&mut words);
    result && words.next().is_none()
}

type Words<'a, 'w> = &'a mut std::iter::Peekable<std::str::SplitWhitespace<'w>>;

fn either(words: Words<'_, '_>) -> bool {
    let mut result = both(words);
    while words.next_if_eq(&"OR").is_some() {
        result |= both(words);
    }
    result
}

fn both(words: Words<'_, '_>) -> bool {
    let mut result = one(words);
    while words.next_if_eq(&"AND").is_some() {
        result &= one(words);
    }
    result
}

fn one(words: Words<'_, '_>) -> bool {
    if words.next_if_eq(&"(").is_some() {
        let result = either(words);
        return words.next() == Some(")") && result;
    }
    let result = words.next().is_some_and(|name| ALLOWED.contains(&name));
    // An exception only ever permits more.
    if words.next_if_eq(&"WITH").is_some() {
        words.next();
    }
    result
}

#[test]
fn expressions_are_understood() {
    for yes in [
        "MIT",
        "MIT/Apache-2.0",
        "GPL-3.0 OR MIT",
        "(MIT OR GPL-2.0) AND ISC",
        "Apache-2.0 WITH LLVM-exception OR MIT",
    ] {
        assert!(allowed(yes), "{yes}");
    }
    for no in [
        "GPL-3.0",
        "MIT AND GPL-3.0",
        "",
        "(MIT OR GPL-2.0) AND GPL-2.0",
        "MIT )",
    ] {
        assert!(!allowed(no), "{no}");
    }
}

/// The dependencies for this machine; those for others need not be there.
fn packages() -> Vec<serde_json::Value> {
    let rustc = Command::new("rustc").arg("-vV").output().unwrap();
    let host = String::from_utf8(rustc.stdout).unwrap();
    let host = host.lines().find_map(|l| l.strip_prefix("host: ")).unwrap().to_owned();
    let output = Command::new(env!("CARGO"))
        .args([
            "metadata",
            "--locked",
            "--format-version",
            "1",
            "--filter-platform",
            &host,
        ])
        .current_dir(root())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    metadata["packages"].as_array().unwrap().clone()
}

#[test]
fn every_dependency_has_a_compatible_licence() {
    let packages = packages();
    assert!(packages.len() > 20);
    for package in packages {
        let licence = package["license"].as_str().unwrap_or_default();
        assert!(
            allowed(licence),
            "{} {} has the licence “{licence}”",
            package["name"],
            package["version"]
        );
    }
}

#[test]
fn the_package_has_the_licences_of_the_files() {
    let manifest: toml::Table = fs::read_to_string(root().join("Cargo.toml")).unwrap().parse().unwrap();
    let package = &manifest["workspace"]["package"];
    assert_eq!(package["license"].as_str(), Some("MIT OR Apache-2.0"));
    assert!(
        fs::read_to_string(root().join("LICENSE-MIT"))
            .unwrap()
            .contains("Permission is hereby granted")
    );
    assert!(
        fs::read_to_string(root().join("LICENSE-APACHE"))
            .unwrap()
            .contains("Version 2.0, January 2004")
    );
    let version = package["rust-version"].as_str().unwrap();
    assert!(
        fs::read_to_string(root().join("README.md"))
            .unwrap()
            .contains(&format!("Rust {version}"))
    );
}

#[test]
fn the_test_command_of_the_readme_is_the_one_that_is_run() {
    let ci = fs::read_to_string(root().join(".ci/run")).unwrap();
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let commands: Vec<&str> = readme
        .lines()
        .filter_map(|l| l.strip_prefix("    cargo test"))
        .collect();
    assert_eq!(commands.len(), 1);
    assert!(
        ci.lines().any(|l| l == format!("step cargo test{}", commands[0])),
        "cargo test{}",
        commands[0]
    );
    for command in ["cargo fmt --check", "cargo clippy", "-D warnings", "cargo doc"] {
        assert!(ci.contains(command), "{command}");
    }
}
