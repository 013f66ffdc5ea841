//! The commands of the documentation against the command line: every one is parsed. `tests/program` runs those over the
//! sample archive, and the others are not run because they name archives and folders that are not here.

use std::fs;
use std::path::Path;

use crate::docs::pages_in;

/// The words of a command as a shell would give them, up to a pipe, a comment or what follows in a table.
fn words(command: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut quote = None;
    let mut characters = command.chars().peekable();
    while let Some(c) = characters.next() {
        match (c, quote) {
            ('"' | '\'', None) => quote = Some(c),
            (c, Some(open)) if c == open => quote = None,
            ('|' | '#' | '>' | '<' | '&' | ';' | '→', None) if word.is_empty() => break,
            (' ', None) => {
                let is_column = characters.next_if_eq(&' ').is_some() && characters.peek() == Some(&' ');
                words.extend((!word.is_empty()).then(|| std::mem::take(&mut word)));
                if is_column {
                    break;
                }
            }
            (c, _) => word.push(c),
        }
    }
    words.extend((!word.is_empty()).then_some(word));
    words
}

#[test]
fn every_command_of_the_documentation_is_parsed() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut pages = vec![root.join("README.md"), root.join("CONTRIBUTING.md")];
    for folder in ["docs", "python", "training"] {
        pages_in(&root.join(folder), &mut pages);
    }
    let mut commands = 0;
    for page in pages {
        let text = fs::read_to_string(&page).unwrap().replace(" \\\n", " ");
        for line in text.lines().filter(|line| line.starts_with("    ")) {
            let line = line.trim_start().trim_start_matches("$ ");
            let line = line.replace("cargo run --release -- ", "dehusk ");
            if !line.starts_with("dehusk ") {
                continue;
            }
            let words = words(&line);
            // What a feature of the build adds, and words that mean any of several.
            let is_left_out =
                |word: &String| matches!(word.as_str(), "sqlite" | "parquet" | "serve" | "COMMAND" | "SHELL");
            if words.iter().any(is_left_out) {
                continue;
            }
            if let Err(error) = dehusk::cli::command().try_get_matches_from(&words) {
                let is_help = !error.use_stderr();
                assert!(is_help, "{}: {line}\n{words:?}\n{error}", page.display());
            }
            commands += 1;
        }
    }
    assert!(commands > 60, "only {commands} commands were found");
}
