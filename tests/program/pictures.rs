//! The pictures of the documentation against what the program writes today. `cargo xtask pictures` makes them again.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::program::Place;

/// A line without what differs from run to run: times, rates, and the hash of a configuration.
fn masked(line: &str) -> String {
    let varying = regex::Regex::new(r"[\d.]+ s, [\d,.]+ pages/s|configuration [0-9a-f]{8}").unwrap();
    varying.replace_all(line, "…").into_owned()
}

/// The lines of a terminal that a picture shows.
fn shown(svg: &str) -> Vec<String> {
    let texts = svg
        .lines()
        .filter_map(|line| line.strip_prefix("<text ")?.split_once('>')?.1.strip_suffix("</text>"));
    let unescaped = |text: &str| text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
    texts.map(|text| masked(&unescaped(text))).collect()
}

/// The lines of a picture that show a line.
fn wrapped(line: &str) -> Vec<String> {
    let characters: Vec<char> = line.replace('\t', "  ").chars().collect();
    let lines: Vec<String> = characters.chunks(116).map(|part| part.iter().collect()).collect();
    if lines.is_empty() { vec![String::new()] } else { lines }
}

/// The headings and column titles of a page.
fn headings(html: &str) -> String {
    let is_heading = |tag: &&str| ["h1", "h2", "h3", "th"].iter().any(|name| tag.starts_with(name));
    let texts = html.split('<').filter(is_heading).filter_map(|tag| tag.split_once('>'));
    texts.map(|(_, text)| format!("{text}\n")).collect()
}

#[test]
fn every_picture_shows_what_the_program_writes() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/pictures");
    let place = Place::new();
    std::os::unix::fs::symlink(folder.parent().unwrap(), place.path("docs")).unwrap();
    let programs = Path::new(env!("CARGO_BIN_EXE_dehusk")).parent().unwrap();
    let path = format!("{}:{}", programs.display(), std::env::var("PATH").unwrap());
    let list = fs::read_to_string(folder.join("sessions.txt")).unwrap();
    let (mut name, mut lines, mut pictures) = ("", Vec::new(), 0);
    // An empty name after the last picture closes that.
    for line in list.lines().chain([""]).filter(|line| !line.starts_with('#')) {
        if let Some(page) = line.strip_prefix("    ").filter(|_| name.ends_with(".png")) {
            let recorded = fs::read_to_string(folder.join(name).with_extension("txt")).unwrap();
            let html = fs::read_to_string(place.path(page)).unwrap();
            assert_eq!(recorded, headings(&html), "{name} is out of date: cargo xtask pictures");
            pictures += 1;
        } else if let Some(command) = line.strip_prefix("    ") {
            let shell = format!("({command}) 2>&1");
            let mut ended = Command::new("sh");
            ended
                .args(["-c", &shell])
                .env("PATH", &path)
                .current_dir(place.path("."));
            let output = String::from_utf8(ended.output().unwrap().stdout).unwrap();
            lines.extend(wrapped(&format!("$ {command}")).iter().map(|line| masked(line)));
            lines.extend(output.lines().flat_map(wrapped).map(|line| masked(&line)));
        } else {
            if name.ends_with(".svg") {
                let picture = fs::read_to_string(folder.join(name)).unwrap();
                assert_eq!(shown(&picture), lines, "{name} is out of date: cargo xtask pictures");
                pictures += 1;
            }
            (name, lines) = (line, Vec::new());
        }
    }
    assert!(pictures > 4, "only {pictures} pictures");
}
