//! A directory that a command writes its results to, such as clusters or topics.
//!
//! Nothing but results of the same kind may be in it, so that a mistyped name mixes them with nothing else.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::Serialize;

use dehusk_archive::escape;
use dehusk_documents::encode::{PartialFile, WriteError};
use dehusk_documents::local;

/// Name and version of the program, as results name it.
pub(crate) const PROGRAM: &str = concat!("dehusk ", env!("CARGO_PKG_VERSION"));

/// Bytes of lines that are written at a time.
const LINES: usize = 1 << 16;

/// A directory for results.
pub(crate) struct Results {
    directory: PathBuf,
    overwrite: bool,
}

/// The directory cannot be used.
pub(crate) enum ResultsError {
    /// It holds something that must stay, as the message says.
    Occupied(String),
    Write(WriteError),
}

impl From<WriteError> for ResultsError {
    fn from(error: WriteError) -> Self {
        Self::Write(error)
    }
}

impl Results {
    /// Checks that results can be written to a directory, and changes nothing. Messages call the results `what`, and
    /// `names` are the names of their files. Hidden files may be there.
    ///
    /// # Errors
    /// The directory cannot be read, or holds other files; or it holds results, and `overwrite` is false.
    pub fn new(directory: &Path, what: &str, names: &[&str], overwrite: bool) -> Result<Self, ResultsError> {
        local::check(directory).map_err(cannot("be created", directory))?;
        let place = escape::path(directory);
        let cannot_read = cannot("be read", directory);
        let entries = match fs::read_dir(directory) {
            Ok(entries) => Some(entries),
            Err(e) if e.kind() == io::ErrorKind::NotFound => None,
            Err(e) => return Err(cannot_read(e).into()),
        };
        let mut has_results = false;
        for entry in entries.into_iter().flatten() {
            let name = entry.map_err(&cannot_read)?.file_name();
            if names.iter().any(|ours| name == *ours) {
                has_results = true;
            } else if !name.to_string_lossy().starts_with('.') {
                let name = escape::path(Path::new(&name));
                let message = format!("{place}: holds {name}, which is no file of {what}; name another directory");
                return Err(ResultsError::Occupied(message));
            }
        }
        if has_results && !overwrite {
            let message = format!("{place}: holds {what} already; use --overwrite to replace them");
            return Err(ResultsError::Occupied(message));
        }
        Ok(Self {
            directory: directory.to_path_buf(),
            overwrite,
        })
    }

    /// A directory that is checked already.
    pub(crate) fn within(directory: &Path, overwrite: bool) -> Self {
        Self {
            directory: directory.to_owned(),
            overwrite,
        }
    }

    /// Creates the directory, if it is not there.
    ///
    /// # Errors
    /// The system refuses.
    pub fn begin(&self) -> Result<(), WriteError> {
        fs::create_dir_all(&self.directory).map_err(cannot("be created", &self.directory))
    }

    /// The directory.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Removes a result of an earlier command, if it is there.
    ///
    /// # Errors
    /// The system refuses.
    pub fn remove(&self, name: &str) -> Result<(), WriteError> {
        let path = self.directory.join(name);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(cannot("be replaced", &path)(error)),
            _ => Ok(()),
        }
    }

    /// Begins a file, which replaces that of an earlier command when it is committed.
    ///
    /// # Errors
    /// The system refuses.
    pub fn create(&self, name: &str) -> Result<PartialFile, WriteError> {
        PartialFile::create(&self.directory.join(name), self.overwrite)
    }

    /// Begins a file of JSON, one value a line.
    ///
    /// # Errors
    /// The system refuses.
    pub(crate) fn json_lines(&self, name: &str) -> Result<JsonLines, WriteError> {
        Ok(JsonLines {
            file: self.create(name)?,
            held: Vec::with_capacity(2 * LINES),
        })
    }

    /// Writes a file.
    ///
    /// # Errors
    /// The system refuses.
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<(), WriteError> {
        let mut file = self.create(name)?;
        file.append(bytes)?;
        file.commit().map(drop)
    }

    /// Writes a value as JSON that people can read.
    ///
    /// # Errors
    /// The system refuses.
    pub(crate) fn write_json(&self, name: &str, value: &impl Serialize) -> Result<(), WriteError> {
        let json = serde_json::to_vec_pretty(value).map_err(io::Error::from);
        let mut json = json.map_err(cannot("be written", &self.directory.join(name)))?;
        json.push(b'\n');
        self.write(name, &json)
    }
}

/// A file of JSON while it is written, one value a line.
pub(crate) struct JsonLines {
    file: PartialFile,
    /// Lines that are not written yet.
    held: Vec<u8>,
}

impl JsonLines {
    /// Adds a line.
    pub(crate) fn add(&mut self, line: &impl Serialize) -> Result<(), WriteError> {
        let written = serde_json::to_writer(&mut self.held, line).map_err(io::Error::from);
        written.map_err(cannot("be written", &self.file.path()))?;
        self.held.push(b'\n');
        if self.held.len() >= LINES {
            self.file.append(&self.held)?;
            self.held.clear();
        }
        Ok(())
    }

    /// Writes what is held, and gives the file its name.
    pub(crate) fn commit(mut self) -> Result<(), WriteError> {
        self.file.append(&self.held)?;
        self.file.commit().map(drop)
    }
}

/// Turns a system's error into a [`WriteError`].
pub fn cannot(action: &'static str, path: &Path) -> impl Fn(io::Error) -> WriteError {
    let path = path.to_path_buf();
    move |source| WriteError {
        action,
        path: path.clone(),
        source,
    }
}
