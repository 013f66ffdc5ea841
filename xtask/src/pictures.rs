//! Makes the pictures of the documentation from what the program writes: `cargo xtask pictures`.
//!
//! `docs/pictures/sessions.txt` lists them. A terminal becomes an SVG, and a page a PNG by headless Chromium, if that
//! is installed. Those of the inspector are not in the list: `tests/browser/pictures.py` makes them.
//! `tests/program/pictures.rs` and `tests/browser/test_pictures.py` report when a picture is out of date.

use std::ffi::OsString;
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode};

use crate::task::{self, Outcome, Result};

/// Characters in a line. A longer line continues in the next one, as on a terminal.
const COLUMNS: usize = 116;
const LINE_HEIGHT: usize = 19;
const MARGIN: usize = 16;

/// A picture, and its commands or the page that it shows.
struct Picture<'t> {
    name: &'t str,
    lines: Vec<&'t str>,
}

pub fn main(arguments: &[String]) -> Outcome {
    if !arguments.is_empty() {
        return Err("pictures takes no arguments".into());
    }
    let root = task::root().canonicalize()?;
    task::output(Command::new("cargo").args(["build", "--locked"]).current_dir(&root))?;
    let place = root.join("target/pictures");
    if place.exists() {
        fs::remove_dir_all(&place)?;
    }
    fs::create_dir_all(&place)?;
    std::os::unix::fs::symlink(root.join("docs"), place.join("docs"))?;
    let folder = root.join("docs/pictures");
    let list = fs::read_to_string(folder.join("sessions.txt"))?;
    for picture in pictures(&list) {
        let path = folder.join(picture.name);
        if picture.name.ends_with(".svg") {
            fs::write(path, svg(&terminal(&picture.lines, &place, &root)?))?;
        } else {
            let page = place.join(picture.lines[0]);
            browser(&page, &path)?;
            fs::write(path.with_extension("txt"), headings(&fs::read_to_string(page)?))?;
        }
    }
    inspector(&root, &folder)?;
    Ok(ExitCode::SUCCESS)
}

/// The pictures of the inspector, by Chromium and the Playwright of its tests, if they are installed.
fn inspector(root: &Path, folder: &Path) -> Result<()> {
    let python = root.join("target/browser/environment/bin/python");
    if !python.exists() {
        eprintln!("pictures: run .ci/browser once; until then, those of the inspector stay as they are");
        return Ok(());
    }
    let features = ["build", "--locked", "--features", "serve"];
    task::output(Command::new("cargo").args(features).current_dir(root))?;
    let mut command = Command::new(python);
    command
        .arg("tests/browser/pictures.py")
        .arg(folder)
        .env("DEHUSK_PROGRAM", "target/debug/dehusk")
        .current_dir(root);
    task::output(&mut command)?;
    Ok(())
}

fn pictures(list: &str) -> Vec<Picture<'_>> {
    let mut pictures: Vec<Picture> = Vec::new();
    for line in list.lines().filter(|line| !line.starts_with('#') && !line.is_empty()) {
        match (line.strip_prefix("    "), pictures.last_mut()) {
            (Some(command), Some(picture)) => picture.lines.push(command),
            _ => pictures.push(Picture {
                name: line,
                lines: Vec::new(),
            }),
        }
    }
    pictures
}

/// The lines that a terminal shows of the commands.
fn terminal(commands: &[&str], place: &Path, root: &Path) -> Result<Vec<String>> {
    let mut path = OsString::from(root.join("target/debug"));
    path.push(":");
    path.push(std::env::var_os("PATH").unwrap_or_default());
    let mut lines = Vec::new();
    for command in commands {
        lines.push(format!("$ {command}"));
        let shell = format!("({command}) 2>&1");
        let ended = Command::new("sh")
            .args(["-c", &shell])
            .env("PATH", &path)
            .current_dir(place)
            .output()?;
        lines.extend(String::from_utf8(ended.stdout)?.lines().map(str::to_owned));
    }
    Ok(lines)
}

/// The lines of a terminal that show a line.
fn wrapped(line: &str) -> Vec<String> {
    let characters: Vec<char> = line.replace('\t', "  ").chars().collect();
    let lines: Vec<String> = characters.chunks(COLUMNS).map(|part| part.iter().collect()).collect();
    if lines.is_empty() { vec![String::new()] } else { lines }
}

fn svg(lines: &[String]) -> String {
    let lines: Vec<String> = lines.iter().flat_map(|line| wrapped(line)).collect();
    let longest = lines.iter().map(|line| line.chars().count()).max().unwrap_or_default();
    let width = longest.clamp(72, COLUMNS) * 8 + 2 * MARGIN;
    let height = lines.len() * LINE_HEIGHT + 2 * MARGIN;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" \
         font-family=\"DejaVu Sans Mono, Menlo, Consolas, monospace\" font-size=\"13\" fill=\"#d8dee9\">\n\
         <rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"#20242c\" stroke=\"#4c566a\"/>\n"
    );
    for (number, line) in lines.iter().enumerate() {
        let y = MARGIN + LINE_HEIGHT * number + 14;
        let color = if line.starts_with("$ ") {
            " fill=\"#8fd19e\""
        } else {
            ""
        };
        let mut text = line.clone();
        for (character, escape) in [('&', "&amp;"), ('<', "&lt;"), ('>', "&gt;")] {
            text = text.replace(character, escape);
        }
        let _ = writeln!(
            svg,
            "<text x=\"{MARGIN}\" y=\"{y}\" xml:space=\"preserve\"{color}>{text}</text>"
        );
    }
    svg + "</svg>\n"
}

/// The headings and column titles of a page, by which the test checks whether its picture is out of date.
fn headings(html: &str) -> String {
    let is_heading = |tag: &&str| ["h1", "h2", "h3", "th"].iter().any(|name| tag.starts_with(name));
    let texts = html.split('<').filter(is_heading).filter_map(|tag| tag.split_once('>'));
    texts.map(|(_, text)| format!("{text}\n")).collect()
}

/// A page as a browser shows it, if there is one.
fn browser(page: &Path, picture: &Path) -> Result<()> {
    let screenshot = format!("--screenshot={}", picture.display());
    let ended = Command::new("chromium")
        .args([
            "--headless",
            "--no-sandbox",
            "--hide-scrollbars",
            "--window-size=1000,900",
            &screenshot,
        ])
        .arg(page)
        .output();
    match ended {
        Ok(ended) if ended.status.success() => Ok(()),
        _ => {
            eprintln!("pictures: no `chromium`, so {} stays as it is", picture.display());
            Ok(())
        }
    }
}
