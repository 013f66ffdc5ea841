//! The replacement of [`network`](crate) in a build without it: it takes no name for that of a remote file.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::{Access, FileState, RemoteBytes, RemoteConfig};

/// A type without values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Never {}

/// The name of a remote archive, list or prefix. This build knows none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemoteUrl(Never);

/// A remote file. This build knows none.
#[derive(Debug)]
pub struct RemoteFile(RemoteUrl);

/// How requests are made.
#[derive(Clone, Debug, Default)]
pub struct Settings(());

#[allow(missing_docs)]
impl RemoteUrl {
    /// Reads a name; always `None`.
    pub fn from_path(_: &Path) -> Option<Self> {
        None
    }

    /// Reads a name; always `None`.
    pub fn parse(_: &str) -> Option<Self> {
        None
    }

    pub fn listed_in(self, _: &Self) -> Self {
        self
    }

    pub fn distrusted(self) -> Self {
        self
    }

    pub fn is_listed(&self) -> bool {
        match self.0 {}
    }

    pub fn label(&self) -> PathBuf {
        match self.0 {}
    }

    pub fn path(&self) -> &str {
        match self.0 {}
    }

    pub fn is_cloud(&self) -> bool {
        match self.0 {}
    }

    pub fn with_path(&self, _: &str) -> Self {
        match self.0 {}
    }

    pub fn full(&self) -> String {
        match self.0 {}
    }
}

#[allow(missing_docs, clippy::missing_errors_doc)]
impl RemoteFile {
    pub fn new(url: RemoteUrl) -> Self {
        Self(url)
    }

    pub fn open(&self, _: &Access<'_>, _: &Settings) -> io::Result<RemoteBytes> {
        match self.0.0 {}
    }

    pub fn state(&self) -> Option<FileState> {
        match self.0.0 {}
    }

    pub fn ask(&self, _: &Settings) -> io::Result<()> {
        match self.0.0 {}
    }
}

impl Settings {
    /// Nothing is asked for in this build.
    pub fn new(_: &RemoteConfig, _: Option<Arc<AtomicBool>>) -> Self {
        Self(())
    }
}

/// The names below a prefix.
///
/// # Errors
/// None in this build, which knows no prefix.
pub fn list(url: &RemoteUrl, _: &str, _: &Settings) -> io::Result<Vec<String>> {
    match url.0 {}
}

/// All bytes of a small remote file.
///
/// # Errors
/// None in this build, which knows no such file.
pub fn read_small(url: &RemoteUrl, _: u64, _: &Settings) -> io::Result<Vec<u8>> {
    match url.0 {}
}
