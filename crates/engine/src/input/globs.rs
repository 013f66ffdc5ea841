//! Globs: patterns for paths, matched name by name. A name need not be UTF-8: each byte that is not is matched as
//! U+FFFD, so a star matches it.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};

use glob::{MatchOptions, Pattern, PatternError};

/// The pattern of one component of a path.
enum Segment<'p> {
    /// This name.
    Name(&'p OsStr),
    /// A name that matches.
    Match(Pattern),
    /// `**`: any number of directories, or none.
    AnyDepth,
}

/// Whether an argument may be a glob.
pub(super) fn is_glob(text: &str) -> bool {
    text.contains(['*', '?', '['])
}

/// The paths that match, in the order of their names. A directory that cannot be read is in the list, so that opening
/// it reports the reason.
///
/// # Errors
/// The glob is malformed.
pub(super) fn paths(pattern: &str) -> Result<Vec<PathBuf>, PatternError> {
    // Checked as a whole first, so that the error's position is that in the whole glob.
    Pattern::new(pattern)?;
    let mut parts = Vec::new();
    for component in Path::new(pattern).components() {
        parts.push(match component {
            Component::Normal(name) if name == "**" && matches!(parts.last(), Some(Segment::AnyDepth)) => continue,
            Component::Normal(name) if name == "**" => Segment::AnyDepth,
            Component::Normal(name) => match name.to_str().filter(|name| is_glob(name)) {
                Some(text) => Segment::Match(Pattern::new(text)?),
                None => Segment::Name(name),
            },
            other => Segment::Name(other.as_os_str()),
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

/// A search under way.
#[derive(Default)]
struct Search {
    found: Vec<PathBuf>,
    /// The paths that were searched, with the number of parts that were left. Several `**` lead to the same path in
    /// very many ways.
    seen: HashSet<(PathBuf, usize)>,
    /// Directories that cannot be read.
    unread: HashSet<PathBuf>,
}

impl Search {
    fn find(&mut self, path: &Path, parts: &[Segment<'_>]) {
        if !self.seen.insert((path.to_owned(), parts.len())) {
            return;
        }
        // As in a shell, a star does not match the dot of a hidden file.
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
            Segment::Name(name) => self.find(&path.join(name), rest),
            Segment::Match(pattern) => {
                for child in self.children(path) {
                    let name = child.file_name().unwrap_or_default().to_string_lossy();
                    if pattern.matches_with(&name, OPTIONS) {
                        self.find(&child, rest);
                    }
                }
            }
            // The caller walks the directory, and so all below it.
            Segment::AnyDepth if rest.is_empty() => self.found.push(path.to_owned()),
            Segment::AnyDepth => {
                self.find(path, rest);
                for child in self.children(path) {
                    let hidden = child
                        .file_name()
                        .unwrap_or_default()
                        .as_encoded_bytes()
                        .starts_with(b".");
                    // Links are not followed, because they may lead back.
                    if !hidden && child.symlink_metadata().is_ok_and(|m| m.is_dir()) {
                        self.find(&child, parts);
                    }
                }
            }
        }
    }

    /// The entries of a directory, in the order of their names.
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
                let is_absent = matches!(e.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory);
                if !is_absent && self.unread.insert(directory.to_owned()) {
                    self.found.push(directory.to_owned());
                }
                Vec::new()
            }
        }
    }
}
