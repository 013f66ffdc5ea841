//! Input arguments → archives: files, directories, globs, `@list-file`, `-`.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use super::error::InputError;
use super::globs;
use crate::archive::Archive;
use crate::escape;
use crate::input::ArchiveInput;

/// Endings that a shard's name drops, outermost first.
const COMPRESSION: &[&str] = &[".gz", ".zst", ".zstd"];
const ARCHIVE: &[&str] = &[".warc", ".arc"];

/// How deep lists may name lists.
const LIST_DEPTH: usize = 8;

/// Longest name of a shard without its endings, in bytes: with those, and as a partial file, it must stay below the 255
/// that file systems allow.
const NAME: usize = 200;

/// Resolves arguments to archives with distinct shard names, each archive once.
///
/// What does not exist stays in the list, so that the run reports it and reads the others.
///
/// # Errors
/// No archive is named, or a list cannot be read.
pub(crate) fn resolve(arguments: &[OsString]) -> Result<Vec<ArchiveInput>, InputError> {
    let mut paths = Vec::new();
    for argument in arguments {
        expand(argument, &mut paths, 0)?;
    }
    let mut seen = HashSet::new();
    paths.retain(|path| seen.insert(std::fs::canonicalize(path).unwrap_or_else(|_| path.clone())));
    if paths.is_empty() {
        return Err(InputError::NoArchive);
    }
    Ok(named(paths))
}

/// Arguments and paths are whatever the system calls names; only a glob has to be text.
fn expand(argument: &OsStr, paths: &mut Vec<PathBuf>, depth: usize) -> Result<(), InputError> {
    if let Some(list) = argument.as_encoded_bytes().strip_prefix(b"@") {
        return expand_list(&path_of(list), paths, depth);
    }
    let path = Path::new(argument);
    if argument == "-" || path.is_file() {
        paths.push(path.to_owned());
    } else if path.is_dir() {
        let before = paths.len();
        walk(path, paths, &mut HashSet::new());
        if paths.len() == before {
            // The reader says that the directory holds no archive.
            paths.push(path.to_owned());
        }
    } else if let Some(pattern) = argument.to_str().filter(|text| globs::is_glob(text)) {
        let matches = globs::paths(pattern).map_err(|e| InputError::Glob {
            pattern: pattern.to_owned(),
            source: e.into(),
        })?;
        let before = paths.len();
        for found in matches {
            match found.is_dir() {
                true => walk(&found, paths, &mut HashSet::new()),
                false => paths.push(found),
            }
        }
        if paths.len() == before {
            paths.push(path.to_owned());
        }
    } else {
        paths.push(path.to_owned());
    }
    Ok(())
}

/// One path, glob or list a line; blank lines and those that start with `#` do not count.
fn expand_list(list: &Path, paths: &mut Vec<PathBuf>, depth: usize) -> Result<(), InputError> {
    if depth >= LIST_DEPTH {
        return Err(InputError::ListDepth {
            path: list.to_owned(),
            limit: LIST_DEPTH,
        });
    }
    let text = std::fs::read(list).map_err(|source| InputError::List {
        path: list.to_owned(),
        source,
    })?;
    for line in text
        .split(|b| *b == b'\n')
        .map(<[u8]>::trim_ascii)
        .filter(|line| !line.is_empty() && !line.starts_with(b"#"))
    {
        expand(path_of(line).as_os_str(), paths, depth + 1)?;
    }
    Ok(())
}

/// A path of the bytes that stand for it.
#[cfg(unix)]
pub(crate) fn path_of(bytes: &[u8]) -> Cow<'_, Path> {
    use std::os::unix::ffi::OsStrExt;
    Path::new(OsStr::from_bytes(bytes)).into()
}

/// On other systems names are text.
#[cfg(not(unix))]
pub(crate) fn path_of(bytes: &[u8]) -> Cow<'_, Path> {
    PathBuf::from(String::from_utf8_lossy(bytes).into_owned()).into()
}

/// Adds a directory's archives, of any depth, in the order of their names. What a file is, its bytes say; but one that
/// is named as an archive and is empty, damaged or unreadable is not passed over in silence. `seen` are the directories
/// gone through, so that links that lead back are not followed for ever.
fn walk(directory: &Path, paths: &mut Vec<PathBuf>, seen: &mut HashSet<PathBuf>) {
    if !seen.insert(std::fs::canonicalize(directory).unwrap_or_else(|_| directory.to_owned())) {
        return;
    }
    let Ok(entries) = std::fs::read_dir(directory) else {
        // The reader says what is wrong with it.
        paths.push(directory.to_owned());
        return;
    };
    let mut entries: Vec<PathBuf> = entries.flatten().map(|e| e.path()).collect();
    entries.sort();
    for path in entries {
        let hidden = path.file_name().is_some_and(|n| n.to_string_lossy().starts_with('.'));
        if hidden {
            continue;
        }
        if path.is_dir() {
            walk(&path, paths, seen);
        } else if has_archive_name(&path)
            || (path.is_file() && Archive::open(&path).is_ok_and(|a| a.size().is_some_and(|n| n > 0)))
        {
            paths.push(path);
        }
    }
}

fn has_archive_name(path: &Path) -> bool {
    let name = path.to_string_lossy().to_ascii_lowercase();
    ARCHIVE
        .iter()
        .any(|ending| without(COMPRESSION, &name).ends_with(ending))
}

/// Gives every archive a shard name of its own: that of its file without its endings, with a number where it is taken.
fn named(paths: Vec<PathBuf>) -> Vec<ArchiveInput> {
    let file_name = |path: &Path, text: fn(&OsStr) -> Cow<'_, str>| match path.file_name() {
        _ if path == Path::new("-") => "stdin".to_owned(),
        Some(name) => text(name).into_owned(),
        None => "archive".to_owned(),
    };
    let stems: Vec<String> = paths
        .iter()
        .map(|path| {
            // An escape would be a strange name for a file.
            let name = file_name(path, OsStr::to_string_lossy);
            let stem = without(ARCHIVE, without(COMPRESSION, &name));
            shortened(if stem.is_empty() { &name } else { stem }).to_owned()
        })
        .collect();
    let plain: HashSet<&String> = stems.iter().collect();
    let mut taken = HashSet::new();
    // Where counting goes on for a name that many archives have.
    let mut numbers: HashMap<&String, u64> = HashMap::new();
    let mut sources = Vec::with_capacity(paths.len());
    for (path, stem) in paths.iter().zip(&stems) {
        let mut shard = stem.clone();
        let number = numbers.entry(stem).or_insert(1);
        while (shard != *stem && plain.contains(&shard)) || !taken.insert(shard.clone()) {
            *number += 1;
            shard = format!("{stem}-{number}");
        }
        sources.push(ArchiveInput {
            path: path.clone(),
            name: file_name(path, escape::name),
            shard,
        });
    }
    sources
}

/// At most [`NAME`] bytes of a name.
fn shortened(name: &str) -> &str {
    let end = (0..=NAME.min(name.len())).rev().find(|i| name.is_char_boundary(*i));
    &name[..end.unwrap_or(0)]
}

fn without<'n>(endings: &[&str], name: &'n str) -> &'n str {
    let lower = name.to_ascii_lowercase();
    match endings.iter().find(|ending| lower.ends_with(**ending)) {
        Some(ending) => &name[..name.len() - ending.len()],
        None => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn archives_of_one_name_get_distinct_shards() {
        let paths = ["a/x.warc.gz", "b/x.warc.gz", "x-2.arc", "c/x.warc.zst", "-", "d/.gz"].map(PathBuf::from);
        let shards: Vec<String> = named(paths.to_vec()).into_iter().map(|s| s.shard).collect();
        assert_eq!(shards, ["x", "x-3", "x-2", "x-4", "stdin", ".gz"]);
    }

    #[test]
    fn long_names_are_cut_and_stay_distinct() {
        let long = |last: &str| PathBuf::from(format!("{}{last}.warc.gz", "ä".repeat(115)));
        let shards = named(vec![long("a"), long("b")]);
        assert_eq!(shards[0].shard, "ä".repeat(100));
        assert_eq!(shards[1].shard, "ä".repeat(100) + "-2");
    }
}
