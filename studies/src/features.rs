//! The costs of each feature: `cargo study features` measures its crates, the CPU time of a cold build and the size of
//! the program, and writes the table into `docs/reach.md`.
//!
//! The plain program is built from nothing. A build with a feature starts from a copy of that one, so that what both
//! have is compiled once: its cold time is that of the plain build, with the package `dehusk` itself counted once.

use std::collections::BTreeSet;
use std::error::Error;
use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode};

use crate::shared::{Outcome, root};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// The lines before and after the table.
const START: &str = "<!-- `cargo study features` writes this table. -->\n";
const END: &str = "<!-- The end of the table. -->\n";

/// A row of the table.
struct Row {
    name: String,
    crates: BTreeSet<String>,
    cpu_seconds: f64,
    /// Size of the program without symbols.
    bytes: Option<u64>,
}

pub fn main(arguments: &[String]) -> Outcome {
    if !arguments.is_empty() {
        return Err("features takes no arguments".into());
    }
    let scratch = root().join("target/features");
    let (plain, copy) = (scratch.join("plain"), scratch.join("copy"));
    remove(&scratch)?;
    let mut rows = vec![
        measured("none", "", &copy)?,
        measured("`cli` (default)", "cli", &plain)?,
    ];
    let cold = rows[1].cpu_seconds;
    // The package itself is compiled again.
    fs::File::options()
        .append(true)
        .open(root().join("src/lib.rs"))?
        .set_modified(std::time::SystemTime::now())?;
    let again = build("cli", &plain)?;
    for feature in features()? {
        remove(&copy)?;
        copy_folder(&plain, &copy)?;
        let mut row = measured(&format!("`{feature}`"), &format!("cli,{feature}"), &copy)?;
        row.cpu_seconds += cold - again;
        rows.push(row);
    }
    remove(&scratch)?;
    let path = root().join("docs/reach.md");
    let page = fs::read_to_string(&path)?;
    let (before, rest) = page
        .split_once(START)
        .ok_or("docs/reach.md has no place for the table")?;
    let (_, after) = rest.split_once(END).ok_or("docs/reach.md has no end of the table")?;
    fs::write(&path, format!("{before}{START}{}{END}{after}", table(&rows)))?;
    Ok(ExitCode::SUCCESS)
}

fn table(rows: &[Row]) -> String {
    let mut table = String::from(
        "| feature | crates of others | more than plain | cold build, CPU s | program, MB |\n|---|---|---|---|---|\n",
    );
    let plain = &rows[1];
    for row in rows {
        let more = row.crates.difference(&plain.crates).count();
        let size = row
            .bytes
            .map_or_else(|| "–".to_owned(), |bytes| format!("{:.1}", bytes as f64 / 1e6));
        table += &format!(
            "| {} | {} | {more} | {:.0} | {size} |\n",
            row.name,
            row.crates.len(),
            row.cpu_seconds
        );
    }
    table
}

fn measured(name: &str, features: &str, directory: &Path) -> Result<Row> {
    eprintln!("{name}");
    let cpu_seconds = build(features, directory)?;
    Ok(Row {
        name: name.to_owned(),
        crates: crates(features)?,
        cpu_seconds,
        bytes: fs::metadata(directory.join("dist/dehusk"))
            .ok()
            .map(|program| program.len()),
    })
}

/// The features that `full` consists of, and `full`.
fn features() -> Result<Vec<String>> {
    let arguments = ["metadata", "--locked", "--no-deps", "--format-version", "1"];
    let metadata: serde_json::Value = serde_json::from_str(&output(cargo(&arguments))?)?;
    let packages = metadata["packages"].as_array().ok_or("no packages")?;
    let package = packages
        .iter()
        .find(|package| package["name"] == "dehusk")
        .ok_or("no package dehusk")?;
    let full = package["features"]["full"].as_array().ok_or("no feature “full”")?;
    let names = full.iter().filter_map(|name| name.as_str()).chain(["full"]);
    Ok(names.map(str::to_owned).collect())
}

/// The crates that are compiled, without those of this repository.
fn crates(features: &str) -> Result<BTreeSet<String>> {
    let mut tree = cargo(&[
        "tree",
        "--locked",
        "--package",
        "dehusk",
        "--edges",
        "normal,build",
        "--prefix",
        "none",
    ]);
    tree.args(["--format", "{p}", "--no-default-features", "--features", features]);
    let lines = output(tree)?;
    let names = lines.lines().map(|line| line.trim_end_matches(" (*)"));
    Ok(names.filter(|name| !name.contains('/')).map(str::to_owned).collect())
}

/// Builds the library, or the program if there is one, and gives the CPU seconds that it took.
fn build(features: &str, directory: &Path) -> Result<f64> {
    let before = cpu_seconds_of_children()?;
    let mut build = cargo(&[
        "build",
        "--locked",
        "--quiet",
        "--profile",
        "dist",
        "--package",
        "dehusk",
    ]);
    build.args(["--no-default-features", "--features", features, "--target-dir"]);
    if !build.arg(directory).status()?.success() {
        return Err(format!("features “{features}” cannot be built").into());
    }
    Ok(cpu_seconds_of_children()? - before)
}

/// The CPU time that the ended children of this process, and theirs, have used.
fn cpu_seconds_of_children() -> Result<f64> {
    let stat = fs::read_to_string("/proc/self/stat")?;
    // The name of the program, which may hold anything, ends with the last bracket.
    let (_, numbers) = stat.rsplit_once(") ").ok_or("no CPU times")?;
    let times = numbers.split(' ').skip(13).take(2).map(str::parse::<f64>);
    let ticks: f64 = times.collect::<std::result::Result<Vec<_>, _>>()?.iter().sum();
    // Linux counts in hundredths of a second there, whatever its own clock does.
    Ok(ticks / 100.0)
}

fn cargo(arguments: &[&str]) -> Command {
    let mut cargo = Command::new("cargo");
    cargo.args(arguments).current_dir(root());
    cargo
}

fn output(mut command: Command) -> Result<String> {
    let output = command.output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into());
    }
    Ok(String::from_utf8(output.stdout)?)
}

fn remove(folder: &Path) -> Result<()> {
    if folder.exists() {
        Ok(fs::remove_dir_all(folder)?)
    } else {
        Ok(())
    }
}

/// Copies a folder with the times of its files, which cargo goes by.
fn copy_folder(from: &Path, to: &Path) -> Result<()> {
    if Command::new("cp").arg("-a").args([from, to]).status()?.success() {
        Ok(())
    } else {
        Err("the plain build cannot be copied".into())
    }
}
