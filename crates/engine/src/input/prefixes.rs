//! Names of remote files among arguments: prefixes of buckets, globs over their names, and lists on servers.

use std::io;

use glob::{MatchOptions, Pattern};

use super::error::InputError;
use super::expansion::{Expansion, lines};
use super::{globs, names};
use dehusk_remote::{RemoteUrl, Settings, list, read_small};

/// Adds what the name of a remote file means.
pub(super) fn expand(url: &RemoteUrl, expansion: &mut Expansion) -> Result<(), InputError> {
    let path = url.path();
    let is_glob = globs::is_glob(path);
    // A server of HTTP has no way to list its names.
    let is_prefix = url.is_cloud() && (is_glob || path.is_empty() || path.ends_with('/'));
    if !is_prefix {
        expansion.add(url);
        return Ok(());
    }
    let before = expansion.archives.len();
    if is_glob {
        expand_glob(url, path, expansion)?;
    } else {
        for name in names_below(url, path, &expansion.settings)? {
            let file = name.rsplit('/').next().unwrap_or_default();
            let full = url.with_path(&name);
            if names::is_unfinished(file) {
                expansion.skipped.push(full.full().into());
            } else if names::is_archive_name(file) && !file.starts_with('.') {
                expansion.add(&full);
            }
        }
    }
    if expansion.archives.len() == before {
        let error = io::Error::new(io::ErrorKind::NotFound, "there is no archive of such a name");
        return Err(failure(url, error));
    }
    Ok(())
}

/// Adds the names that match, whatever their endings.
fn expand_glob(url: &RemoteUrl, glob: &str, expansion: &mut Expansion) -> Result<(), InputError> {
    // As in a shell, a star matches within one folder.
    const OPTIONS: MatchOptions = MatchOptions {
        case_sensitive: true,
        require_literal_separator: true,
        require_literal_leading_dot: true,
    };
    let pattern = Pattern::new(glob).map_err(|e| InputError::Glob {
        pattern: url.label().to_string_lossy().into_owned(),
        source: e.into(),
    })?;
    let literal = glob.find(['*', '?', '[']).map_or(glob, |at| &glob[..at]);
    let names = names_below(url, literal, &expansion.settings)?;
    for name in names.iter().filter(|name| pattern.matches_with(name, OPTIONS)) {
        expansion.add(&url.with_path(name));
    }
    Ok(())
}

/// Adds what the lines of a remote list mean. They name remote files only, since the server of a list must not choose
/// files here, nor servers that only this machine can reach. A line without a scheme is a path from the root of the
/// server or bucket.
pub(super) fn expand_list(url: &RemoteUrl, limit: u64, expansion: &mut Expansion) -> Result<(), InputError> {
    let cannot_read = |source| InputError::List {
        path: url.label(),
        source,
    };
    let text = read_small(url, limit, &expansion.settings).map_err(cannot_read)?;
    for line in lines(&text) {
        let line = std::str::from_utf8(line).map_err(|e| cannot_read(io::Error::new(io::ErrorKind::InvalidData, e)))?;
        match RemoteUrl::parse(line) {
            Some(named) => expand(&named.listed_in(url), expansion)?,
            None => expand(&url.with_path(line.trim_start_matches('/')), expansion)?,
        }
    }
    Ok(())
}

fn names_below(url: &RemoteUrl, prefix: &str, settings: &Settings) -> Result<Vec<String>, InputError> {
    list(url, prefix, settings).map_err(|source| failure(url, source))
}

fn failure(url: &RemoteUrl, source: io::Error) -> InputError {
    InputError::Prefix {
        name: url.label(),
        source,
    }
}
