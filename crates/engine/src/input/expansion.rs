//! The paths that arguments mean, and the inputs of these paths.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{ArchiveInput, pages};
use crate::config::Config;
use dehusk_remote::{RemoteUrl, Settings};

/// The argument that means standard input.
pub(super) const STDIN: &str = "-";

/// The paths that the arguments so far mean.
pub(super) struct Expansion {
    pub(super) archives: Vec<PathBuf>,
    pub(super) skipped: Vec<PathBuf>,
    /// The names of remote archives that arguments and local lists name, and those that remote lists name.
    named: HashSet<PathBuf>,
    listed: HashSet<PathBuf>,
    /// The line of a list that is expanded, such as “line 3 of list.txt”.
    pub(super) line: Option<String>,
    /// Paths where nothing is, with the lines of lists that name them.
    pub(super) absent: HashMap<PathBuf, Arc<str>>,
    /// How servers are asked.
    pub(super) settings: Settings,
}

impl Expansion {
    pub(super) fn new(config: &Config) -> Self {
        Self {
            archives: Vec::new(),
            skipped: Vec::new(),
            named: HashSet::new(),
            listed: HashSet::new(),
            line: None,
            absent: HashMap::new(),
            settings: Settings::new(&config.remote, None),
        }
    }

    /// Adds the name of a remote archive.
    pub(super) fn add(&mut self, url: &RemoteUrl) {
        let path = PathBuf::from(url.full());
        let names = if url.is_listed() {
            &mut self.listed
        } else {
            &mut self.named
        };
        names.insert(path.clone());
        self.archives.push(path);
    }

    /// The archive of a path.
    pub(super) fn input(&self, path: &Path) -> ArchiveInput {
        if let Some(url) = RemoteUrl::from_path(path)
            && self.listed.contains(path)
            && !self.named.contains(path)
        {
            return ArchiveInput::remote(url.distrusted());
        }
        if path.as_os_str() == STDIN {
            ArchiveInput::stdin()
        } else {
            // A directory is in the list only if it holds no archive.
            let mut input = directory_of_pages(path).unwrap_or_else(|| ArchiveInput::file(path));
            input.line = self.absent.get(path).cloned();
            input
        }
    }
}

/// The archive that a directory of pages is; `None` if it holds none, or is no directory.
pub fn directory_of_pages(path: &Path) -> Option<ArchiveInput> {
    (path.is_dir() && pages::has_page(path)).then(|| ArchiveInput::pages(path))
}

/// The lines of a list that count.
pub(super) fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let lines = text.split(|b| *b == b'\n').map(<[u8]>::trim_ascii);
    lines.filter(|line| !line.is_empty() && !line.starts_with(b"#"))
}
