//! Arguments of a command line → inputs: files, directories, globs, `@list-file`, `-`.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::error::InputError;
use super::expansion::{Expansion, STDIN, lines};
use super::{ArchiveInput, globs, names, prefixes};
use crate::config::Config;
use dehusk_archive::Archive;
use dehusk_archive::escape;
use dehusk_documents::bounded;
use dehusk_remote::RemoteUrl;

/// How deep lists may name lists.
const LIST_DEPTH: usize = 8;

/// Largest list, in bytes: half a million paths.
const LIST_LIMIT: u64 = 64 << 20;

/// The archives that arguments name.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Inputs {
    /// The archives, each once.
    pub archives: Vec<ArchiveInput>,
    /// The paths that were left out in directories and globs: files whose names mark them as not finished, because
    /// another program is still writing them or gave up; and pipes, sockets and devices, which are never opened there.
    pub skipped: Vec<PathBuf>,
}

/// Finds the archives that arguments name, as the command line does, each archive once:
///
/// - a file is itself;
/// - a directory means the archives in it, of any depth, in the order of their names. Hidden files are ignored. Files
///   whose names end in `.part`, `.tmp`, `.open` or `.crdownload` are skipped: they are not finished. So are pipes,
///   sockets and devices: only an argument of their own opens them;
/// - a directory without an archive, but with pages (`.html`, `.htm`, `.xhtml`, plain or with `.gz` or `.zst`), is one
///   archive of these pages;
/// - a glob (`*`, `**`, `?`, `[…]`) means what it matches;
/// - `@FILE` is a list: one path, glob or list a line; blank lines and lines that start with `#` do not count;
/// - `-` is standard input.
///
/// With the feature `remote`, a name that begins with `https://`, `http://`, `s3://`, `gs://` or `az://` is that of a
/// file on a server. Names of the last three that end in `/` mean the archives below them, by their endings, and may be
/// globs. A list may be such a file, too; its lines without `://` are paths from the root of its server or bucket. Of
/// the configuration, only the section `remote` counts here.
///
/// A path that does not exist stays in the list, so that a run reports it and reads the others.
///
/// # Errors
/// The arguments name no archive, a glob is malformed, or a list cannot be read.
pub fn from_arguments<A: AsRef<OsStr>>(
    config: &Config,
    arguments: impl IntoIterator<Item = A>,
) -> Result<Inputs, InputError> {
    let mut expansion = Expansion::new(config);
    for argument in arguments {
        expand(argument.as_ref(), &mut expansion, 0)?;
    }
    let mut seen = HashSet::new();
    let mut is_new = |path: &PathBuf| seen.insert(std::fs::canonicalize(path).unwrap_or_else(|_| path.clone()));
    expansion.archives.retain(&mut is_new);
    expansion.skipped.retain(&mut is_new);
    if expansion.archives.is_empty() {
        return Err(InputError::NoArchive);
    }
    Ok(Inputs {
        archives: expansion.archives.iter().map(|path| expansion.input(path)).collect(),
        skipped: expansion.skipped,
    })
}

/// Adds the paths that an argument means. Arguments and paths need not be UTF-8; only a glob must.
fn expand(argument: &OsStr, expansion: &mut Expansion, depth: usize) -> Result<(), InputError> {
    if let Some(list) = argument.as_encoded_bytes().strip_prefix(b"@") {
        return expand_list(&path_of(list), expansion, depth);
    }
    if let Some(url) = RemoteUrl::from_path(Path::new(argument)) {
        return prefixes::expand(&url, expansion);
    }
    let path = Path::new(argument);
    let before = expansion.archives.len();
    if argument != STDIN && !path.is_file() {
        if path.is_dir() {
            walk(path, expansion, &mut HashSet::new());
        } else if let Some(pattern) = argument.to_str().filter(|text| globs::is_glob(text)) {
            expand_glob(pattern, expansion)?;
        }
    }
    // Opening the path reports that a directory holds no archive, or that a glob matches nothing.
    if expansion.archives.len() == before {
        if let Some(line) = expansion.line.as_deref().filter(|_| !path.exists()) {
            expansion.absent.insert(path.to_owned(), line.into());
        }
        expansion.archives.push(path.to_owned());
    }
    Ok(())
}

/// Adds the paths that match a glob.
fn expand_glob(pattern: &str, expansion: &mut Expansion) -> Result<(), InputError> {
    let matches = globs::paths(pattern).map_err(|e| InputError::Glob {
        pattern: pattern.to_owned(),
        source: e.into(),
    })?;
    for path in matches {
        match path.metadata() {
            Ok(metadata) if metadata.is_dir() => walk(&path, expansion, &mut HashSet::new()),
            Ok(metadata) if !metadata.is_file() => expansion.skipped.push(path),
            _ => expansion.archives.push(path),
        }
    }
    Ok(())
}

/// Adds the paths that the lines of a list mean.
fn expand_list(list: &Path, expansion: &mut Expansion, depth: usize) -> Result<(), InputError> {
    if depth >= LIST_DEPTH {
        return Err(InputError::ListDepth {
            path: list.to_owned(),
            limit: LIST_DEPTH,
        });
    }
    if let Some(url) = RemoteUrl::from_path(list) {
        return prefixes::expand_list(&url, LIST_LIMIT, expansion);
    }
    let text = bounded::read_file(list, LIST_LIMIT).map_err(|source| InputError::List {
        path: list.to_owned(),
        source,
    })?;
    let outer = expansion.line.take();
    for (number, line) in (1..).zip(text.split(|b| *b == b'\n')) {
        if let Some(line) = lines(line).next() {
            expansion.line = Some(format!("line {number} of {}", escape::path(list)));
            expand(path_of(line).as_os_str(), expansion, depth + 1)?;
        }
    }
    expansion.line = outer;
    Ok(())
}

/// The path that these bytes of an argument are.
#[cfg(unix)]
pub fn path_of(bytes: &[u8]) -> Cow<'_, Path> {
    use std::os::unix::ffi::OsStrExt;
    Path::new(OsStr::from_bytes(bytes)).into()
}

/// The path that these bytes of an argument are. On other systems paths are text.
#[cfg(not(unix))]
pub fn path_of(bytes: &[u8]) -> Cow<'_, Path> {
    PathBuf::from(String::from_utf8_lossy(bytes).into_owned()).into()
}

/// Adds a directory's archives, of any depth, in the order of their names.
///
/// The bytes of a file decide whether it is an archive. A file with the name of an archive is added in any case, so
/// that an empty, damaged or unreadable one is reported. `seen` holds the directories that were searched, so that a
/// link that leads back is not followed for ever.
fn walk(directory: &Path, expansion: &mut Expansion, seen: &mut HashSet<PathBuf>) {
    if !seen.insert(std::fs::canonicalize(directory).unwrap_or_else(|_| directory.to_owned())) {
        return;
    }
    let Ok(entries) = std::fs::read_dir(directory) else {
        // Opening it reports what is wrong with it.
        expansion.archives.push(directory.to_owned());
        return;
    };
    let mut entries: Vec<PathBuf> = entries.flatten().map(|e| e.path()).collect();
    entries.sort();
    for path in entries {
        let hidden = path.file_name().is_some_and(|n| n.to_string_lossy().starts_with('.'));
        if hidden {
            continue;
        }
        let is_named = names::is_archive_name(&path.to_string_lossy());
        match path.metadata() {
            Ok(metadata) if metadata.is_dir() => walk(&path, expansion, seen),
            // Opening a pipe waits for its writer, and a device may never end.
            Ok(metadata) if !metadata.is_file() => expansion.skipped.push(path),
            _ if names::is_unfinished(&path.to_string_lossy()) => expansion.skipped.push(path),
            Ok(metadata) if is_named || metadata.len() > 0 && Archive::open(&path).is_ok() => {
                expansion.archives.push(path);
            }
            // A link may lead nowhere. Opening it reports that.
            Err(_) if is_named => expansion.archives.push(path),
            Ok(_) | Err(_) => {}
        }
    }
}
