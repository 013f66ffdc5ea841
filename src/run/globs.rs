//! Globs: patterns for paths, matched name by name. Names need not be UTF-8; where one is not, each of its odd bytes is
//! matched as U+FFFD, so that a star finds it.

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
    let mut found = Vec::new();
    find(Path::new(""), &parts, &mut found);
    if pattern.ends_with(std::path::is_separator) {
        found.retain(|path| path.is_dir());
    }
    Ok(found)
}

fn find(path: &Path, parts: &[Part<'_>], found: &mut Vec<PathBuf>) {
    // As in a shell, a star does not stand for the dot of a hidden file.
    const OPTIONS: MatchOptions = MatchOptions {
        case_sensitive: true,
        require_literal_separator: false,
        require_literal_leading_dot: true,
    };
    let Some((part, rest)) = parts.split_first() else {
        if path.symlink_metadata().is_ok() {
            found.push(path.to_owned());
        }
        return;
    };
    match part {
        Part::Name(name) => find(&path.join(name), rest, found),
        Part::Match(pattern) => {
            for child in children(path, found) {
                let name = child.file_name().unwrap_or_default().to_string_lossy();
                if pattern.matches_with(&name, OPTIONS) {
                    find(&child, rest, found);
                }
            }
        }
        // Whoever goes through the directory goes through those in it.
        Part::Any if rest.is_empty() => found.push(path.to_owned()),
        Part::Any => {
            find(path, rest, found);
            for child in children(path, found) {
                let hidden = child
                    .file_name()
                    .unwrap_or_default()
                    .as_encoded_bytes()
                    .starts_with(b".");
                // Links may lead back.
                if !hidden && child.symlink_metadata().is_ok_and(|m| m.is_dir()) {
                    find(&child, parts, found);
                }
            }
        }
    }
}

/// What stands in a directory, in the order of its names.
fn children(path: &Path, found: &mut Vec<PathBuf>) -> Vec<PathBuf> {
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
            if !matches!(e.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) {
                found.push(directory.to_owned());
            }
            Vec::new()
        }
    }
}
