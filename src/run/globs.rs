//! Globs: patterns for paths, matched name by name. Names need not be UTF-8; where one is not, each of its odd bytes is
//! matched as U+FFFD, so that a star finds it.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};

use glob::{MatchOptions, Pattern, PatternError};

/// What one name of a path has to be.
enum Part<'p> {
    /// This.
    Name(&'p OsStr),
    /// One that matches.
    Match(Pattern),
    /// `**`: directories of any depth, or none.
    Any,
}

/// Whether an argument is to be looked at as a glob.
pub(super) fn is_glob(text: &str) -> bool {
    text.contains(['*', '?', '['])
}

/// The paths that match, in the order of their names. A directory that cannot be read is one of them: whoever opens it
/// says what is wrong with it.
///
/// # Errors
/// It is no glob.
pub(super) fn paths(pattern: &str) -> Result<Vec<PathBuf>, PatternError> {
    // For its position in an error.
    Pattern::new(pattern)?;
    let mut parts = Vec::new();
    for component in Path::new(pattern).components() {
        parts.push(match component {
            Component::Normal(name) if name == "**" && matches!(parts.last(), Some(Part::Any)) => continue,
            Component::Normal(name) if name == "**" => Part::Any,
            Component::Normal(name) => match name.to_str().filter(|name| is_glob(name)) {
                Some(text) => Part::Match(Pattern::new(text)?),
                None => Part::Name(name),
            },
            other => Part::Name(other.as_os_str()),
        });
    }
    let mut search = Search::default();
    search.find(Path::new(""), &parts);
    let mut found = search.found;
    if pattern.ends_with(std::path::is_separator) {
        found.retain(|path| path.is_dir());
    }
    Ok(found)
}

/// What was found so far.
#[derive(Default)]
struct Search {
    found: Vec<PathBuf>,
    /// Paths with the number of parts left that were looked for behind them: several `**` lead to the same in very many ways.
    seen: HashSet<(PathBuf, usize)>,
    /// Directories that cannot be read.
    unread: HashSet<PathBuf>,
}

impl Search {
    fn find(&mut self, path: &Path, parts: &[Part<'_>]) {
        if !self.seen.insert((path.to_owned(), parts.len())) {
            return;
        }
        // As in a shell, a star does not stand for the dot of a hidden file.
        const OPTIONS: MatchOptions = MatchOptions {
            case_sensitive: true,
            require_literal_separator: false,
            require_literal_leading_dot: true,
        };
        let Some((part, rest)) = parts.split_first() else {
            if path.symlink_metadata().is_ok() {
                self.found.push(path.to_owned());
            }
            return;
        };
        match part {
            Part::Name(name) => self.find(&path.join(name), rest),
            Part::Match(pattern) => {
                for child in self.children(path) {
                    let name = child.file_name().unwrap_or_default().to_string_lossy();
                    if pattern.matches_with(&name, OPTIONS) {
                        self.find(&child, rest);
                    }
                }
            }
            // Whoever goes through the directory goes through those in it.
            Part::Any if rest.is_empty() => self.found.push(path.to_owned()),
            Part::Any => {
                self.find(path, rest);
                for child in self.children(path) {
                    let hidden = child
                        .file_name()
                        .unwrap_or_default()
                        .as_encoded_bytes()
                        .starts_with(b".");
                    // Links may lead back.
                    if !hidden && child.symlink_metadata().is_ok_and(|m| m.is_dir()) {
                        self.find(&child, parts);
                    }
                }
            }
        }
    }

    /// What stands in a directory, in the order of its names.
    fn children(&mut self, path: &Path) -> Vec<PathBuf> {
        let directory = if path.as_os_str().is_empty() {
            Path::new(".")
        } else {
            path
        };
        match std::fs::read_dir(directory) {
            Ok(entries) => {
                let mut children: Vec<PathBuf> = entries.flatten().map(|e| path.join(e.file_name())).collect();
                children.sort();
                children
            }
            Err(e) => {
                let is_none = matches!(e.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory);
                if !is_none && self.unread.insert(directory.to_owned()) {
                    self.found.push(directory.to_owned());
                }
                Vec::new()
            }
        }
    }
}
