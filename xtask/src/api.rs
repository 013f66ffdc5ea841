//! Writes the public items of the packages to `docs/api.txt`: `cargo xtask api`.
//!
//! With `--check` it fails if the file is out of date. Both fail if a public signature has a type of another crate, or
//! an error that is a bare string.
//!
//! rustdoc describes the packages as JSON, and `public-api` turns that into one line per item. The format of the JSON
//! is unstable, so this works with the compiler whose format the crate `public-api` reads.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use public_api::PublicItem;
use serde_json::Value;

use crate::task::{Outcome, Result, root};

/// The packages of which all public items are listed. `dehusk` itself only re-exports.
const LISTED: [&str; 4] = ["dehusk-archive", "dehusk-extract", "dehusk-html", "dehusk-similarity"];

/// The packages of which only the items that `dehusk` re-exports are listed.
const REEXPORTED: [&str; 2] = ["dehusk-documents", "dehusk-engine"];

/// Crates whose types may be in public signatures, besides the packages themselves.
const ALLOWED_CRATES: [&str; 3] = ["alloc", "core", "std"];

pub fn main(arguments: &[String]) -> Outcome {
    let is_check = match arguments {
        [] => false,
        [flag] if flag == "--check" => true,
        _ => return Err("api takes only `--check`".into()),
    };
    let lines = listing()?;
    let faults: Vec<String> = lines.iter().filter_map(|line| fault(line)).collect();
    let mut text = String::from("# The public items of the packages, written by `cargo xtask api`.\n\n");
    for line in &lines {
        text.push_str(line);
        text.push('\n');
    }
    let path = root().join("docs/api.txt");
    let is_same = fs::read_to_string(&path).is_ok_and(|before| before == text);
    if !is_check {
        fs::write(&path, text)?;
    } else if !is_same {
        eprintln!("docs/api.txt is out of date. If the change of the public items is intended: cargo xtask api");
    }
    for fault in &faults {
        eprintln!("{fault}");
    }
    let is_good = faults.is_empty() && (is_same || !is_check);
    Ok(ExitCode::from(u8::from(!is_good)))
}

/// One line per public item, package by package.
fn listing() -> Result<Vec<String>> {
    let imports = imports(&description("dehusk")?)?;
    let mut lines: Vec<String> = imports
        .iter()
        .map(|(name, source)| format!("pub use dehusk::{name} = {source}"))
        .collect();
    lines.sort();
    for package in LISTED {
        lines.extend(items(package)?);
    }
    for package in REEXPORTED {
        let is_reexported = |line: &String| {
            let subject = subject(line);
            imports.iter().any(|(_, source)| is_within(subject, source))
        };
        lines.extend(items(package)?.into_iter().filter(is_reexported));
    }
    Ok(lines)
}

/// The names that a package imports publicly, each with its module and with the path that it imports.
fn imports(description: &Path) -> Result<Vec<(String, String)>> {
    let description: Value = serde_json::from_slice(&fs::read(description)?)?;
    let index = description["index"].as_object().ok_or("rustdoc lists no items")?;
    let mut imports = Vec::new();
    // Modules that are not read yet, with what comes before the names of their items.
    let mut modules = vec![(&description["root"], String::new())];
    while let Some((module, prefix)) = modules.pop() {
        let item = |id: &Value| index.get(&id.as_u64()?.to_string());
        let items = item(module).and_then(|module| module["inner"]["module"]["items"].as_array());
        for (id, item) in items.into_iter().flatten().filter_map(|id| Some((id, item(id)?))) {
            if item["visibility"] != "public" {
                continue;
            }
            if let Some(import) = item["inner"].get("use") {
                let name = import["name"].as_str().ok_or("an import without a name")?;
                let source = import["source"].as_str().ok_or("an import without a source")?;
                imports.push((format!("{prefix}{name}"), source.to_owned()));
            } else if let Some(name) = item["name"].as_str() {
                modules.push((id, format!("{prefix}{name}::")));
            }
        }
    }
    Ok(imports)
}

/// One line per public item of a package.
fn items(package: &str) -> Result<Vec<String>> {
    let builder = public_api::Builder::from_rustdoc_json(description(package)?);
    let api = builder.omit_blanket_impls(true).omit_auto_trait_impls(true).build();
    let api = api.map_err(|error| format!("{package}: {error}; does `public-api` read what this compiler writes?"))?;
    let is_trait_implementation = |line: &str| line.starts_with("impl") && line.contains(" for ");
    let lines = || api.items().map(|item| (item, item.to_string()));
    // The name of an implemented trait implies its methods.
    let implementations: Vec<_> = lines()
        .filter_map(|(item, line)| is_trait_implementation(&line).then(|| item.id()))
        .collect();
    let is_listed = |item: &PublicItem| item.parent_id().is_none_or(|parent| !implementations.contains(&parent));
    let lines = lines().filter(|(item, line)| is_listed(item) && !line.contains("StructuralPartialEq"));
    Ok(lines.map(|(_, line)| line).collect())
}

/// Lets rustdoc describe a package. Returns the path of the description.
fn description(package: &str) -> Result<PathBuf> {
    let target = root().join("target");
    let mut cargo = Command::new("cargo");
    cargo
        .args([
            "rustdoc",
            "--locked",
            "--quiet",
            "--lib",
            "--package",
            package,
            "--target-dir",
        ])
        .arg(&target);
    cargo.args(["--", "-Z", "unstable-options", "--output-format", "json"]);
    // The variable that permits unstable options is for rustdoc alone: build scripts would run again for it.
    cargo.env("RUSTDOC", root().join(".ci/rustdoc")).current_dir(root());
    if !cargo.status()?.success() {
        return Err(format!("rustdoc cannot describe {package}").into());
    }
    Ok(target.join("doc").join(package.replace('-', "_") + ".json"))
}

/// The path of the item that a line is about.
fn subject(line: &str) -> &str {
    let line = match line.strip_prefix("impl") {
        Some(implementation) => implementation
            .rsplit_once(" for ")
            .map_or(implementation, |(_, subject)| subject),
        None => line,
    };
    let start = line.find("dehusk").unwrap_or(line.len());
    let is_end = |c: char| !(c.is_alphanumeric() || c == '_' || c == ':');
    let subject = &line[start..];
    subject[..subject.find(is_end).unwrap_or(subject.len())].trim_end_matches(':')
}

/// Whether an item is another, or inside it.
fn is_within(path: &str, outer: &str) -> bool {
    path.strip_prefix(outer)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
}

/// The mistake in the signature of an item.
fn fault(line: &str) -> Option<String> {
    let paths = line.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':'));
    let mut crates = paths.filter_map(|path| path.split_once("::")).map(|(first, _)| first);
    let is_foreign = |name: &&str| {
        let is_crate = name.starts_with(|c: char| c.is_ascii_lowercase());
        is_crate && !name.starts_with("dehusk") && !ALLOWED_CRATES.contains(name)
    };
    // Traits of other crates may be implemented.
    if !line.starts_with("impl")
        && let Some(name) = crates.find(is_foreign)
    {
        return Some(format!("has a type of the crate {name}: {line}"));
    }
    let has_string_error = line.split("Result<").skip(1).any(|rest| {
        let error = second_argument(rest);
        error == "alloc::string::String" || error.starts_with('&') && error.ends_with("str")
    });
    has_string_error.then(|| format!("has an error that is a bare string: {line}"))
}

/// The second of the generic arguments that a text begins with.
fn second_argument(text: &str) -> &str {
    let (mut depth, mut start) = (0, None);
    for (at, c) in text.char_indices() {
        match c {
            '<' | '(' | '[' => depth += 1,
            '>' | ')' | ']' | ',' if depth == 0 => match start {
                None if c == ',' => start = Some(at + 1),
                start => return text[start.unwrap_or(at)..at].trim(),
            },
            '>' | ')' | ']' => depth -= 1,
            _ => {}
        }
    }
    ""
}
