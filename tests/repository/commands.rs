//! The commands of the documentation against the command line: every one is parsed, those in sentences, too.
//! `tests/program/examples.rs` runs those in blocks.

use std::fs;
use std::path::Path;

use clap::error::ErrorKind;

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

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Whether a word needs a feature of the build, or means any of several.
fn is_of_a_feature(word: &str) -> bool {
    matches!(word, "sqlite" | "parquet" | "COMMAND" | "SHELL")
}

#[test]
fn every_command_in_a_sentence_has_flags_and_values_that_exist() {
    let mut pages = vec![root().join("README.md"), root().join("CONTRIBUTING.md")];
    pages_in(&root().join("docs"), &mut pages);
    let span = regex::Regex::new("`(dehusk [a-z-][^`]*)`").unwrap();
    let mut commands = 0;
    // `tests/program/beginner.rs` runs those of the page of mistakes.
    for page in pages.iter().filter(|page| !page.ends_with("mistakes.md")) {
        let text = fs::read_to_string(page).unwrap();
        for (_, [command]) in text
            .split("\n```")
            .step_by(2)
            .flat_map(|part| span.captures_iter(part))
            .map(|c| c.extract())
        {
            let words = words(&command.replace('\n', " ").replace("\\|", "|"));
            if words.iter().any(|word| is_of_a_feature(word)) {
                continue;
            }
            commands += 1;
            if let Err(error) = dehusk::cli::command().try_get_matches_from(&words) {
                // A sentence may name a flag without its value, and leave out what the command also needs.
                let kind = error.kind();
                let is_short = matches!(kind, ErrorKind::MissingRequiredArgument | ErrorKind::MissingSubcommand)
                    || error.to_string().contains("none was supplied");
                assert!(
                    is_short || !error.use_stderr(),
                    "{}: {words:?}\n{error}",
                    page.display()
                );
            }
        }
    }
    assert!(commands > 40, "only {commands} commands were found");
}

#[test]
fn every_command_of_the_documentation_is_parsed() {
    let mut pages = vec![root().join("README.md"), root().join("CONTRIBUTING.md")];
    for folder in ["docs", "python", "training"] {
        pages_in(&root().join(folder), &mut pages);
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
            if words.iter().any(|word| is_of_a_feature(word)) {
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
