//! The table of output formats.

use std::ffi::OsStr;
use std::fmt;
use std::sync::Arc;

use serde::de::{Deserialize, Deserializer, Error as _};
use serde::ser::{Serialize, Serializer};

use super::compress::Compression;
use super::definition::{Definition, OpenShard};
use super::encoder::{Encoder, ShardWriter};
#[cfg(feature = "parquet")]
use super::parquet;
use super::partial_file::{FilePosition, PartialFile, WriteError};
use super::spool::SpooledWriter;
#[cfg(feature = "sqlite")]
use super::sqlite;
use super::{jsonl, xml};
use crate::document::Document;
use crate::folder::Folder;

/// An output format: an entry of the table [`OutputFormat::ALL`].
///
/// In configuration files a format is its name.
#[derive(Clone, Copy)]
pub struct OutputFormat(&'static Definition);

impl OutputFormat {
    /// One JSON object a line.
    pub const JSONL: OutputFormat = OutputFormat(&jsonl::DEFINITION);

    /// One XML file.
    pub const XML: OutputFormat = OutputFormat(&xml::DEFINITION);

    /// One Parquet file.
    #[cfg(feature = "parquet")]
    pub const PARQUET: OutputFormat = OutputFormat(&parquet::DEFINITION);

    /// One SQLite database.
    #[cfg(feature = "sqlite")]
    pub const SQLITE: OutputFormat = OutputFormat(&sqlite::DEFINITION);

    /// All formats of this build.
    pub const ALL: &[OutputFormat] = &[
        OutputFormat::JSONL,
        OutputFormat::XML,
        #[cfg(feature = "parquet")]
        OutputFormat::PARQUET,
        #[cfg(feature = "sqlite")]
        OutputFormat::SQLITE,
    ];

    /// The names of all formats of this build, which are also the extensions of their files.
    pub const NAMES: &[&str] = &{
        let mut names = [""; OutputFormat::ALL.len()];
        let mut at = 0;
        while at < names.len() {
            names[at] = OutputFormat::ALL[at].0.name;
            at += 1;
        }
        names
    };

    /// Returns the format of this name, such as `jsonl`.
    pub fn from_name(name: &str) -> Option<OutputFormat> {
        OutputFormat::ALL.iter().copied().find(|format| format.name() == name)
    }

    /// Returns the name in the configuration and on the command line.
    pub fn name(self) -> &'static str {
        self.0.name
    }

    /// Returns the extension of file names, without a dot.
    pub fn extension(self) -> &'static str {
        self.0.name
    }

    /// Returns how the names of shards end, without a dot: `jsonl.zst`, `parquet`.
    pub fn file_extension(self, compression: Compression) -> String {
        if self.0.compresses_inside {
            return self.extension().to_owned();
        }
        format!("{}{}", self.extension(), compression.extension())
    }

    /// Returns whether the format can change documents, because it cannot hold everything that a page can contain.
    pub fn changes_documents(self) -> bool {
        self.0.changes.is_some()
    }

    /// Returns whether the format needs to know where in a text its lists, tables and code are.
    #[doc(hidden)]
    pub fn has_elements(self) -> bool {
        self.0.has_elements
    }

    /// Returns whether the format changes this document. The pipeline asks before it settles the document's `flags`.
    #[doc(hidden)]
    pub fn changes(self, document: &Document) -> bool {
        self.0.changes.is_some_and(|changes| changes(document))
    }

    /// Returns the workers' half: turns documents into parts.
    #[doc(hidden)]
    pub fn encoder(self, compression: Compression) -> Box<dyn Encoder> {
        (self.0.encoder)(compression)
    }

    /// Returns the writer's half: puts parts into the shard `file`.
    ///
    /// # Errors
    ///
    /// The shard's header cannot be written.
    #[doc(hidden)]
    pub fn writer(self, file: PartialFile, compression: Compression) -> Result<Box<dyn ShardWriter>, WriteError> {
        (self.0.writer)(file, compression)
    }

    /// Returns the writer's half for a shard that a later run may [continue](OutputFormat::resume). A format that does
    /// not allow that gets a spool.
    ///
    /// # Errors
    ///
    /// The shard's header cannot be written, or the spool cannot be created.
    #[doc(hidden)]
    pub fn resumable_writer(
        self,
        file: PartialFile,
        compression: Compression,
    ) -> Result<Box<dyn ShardWriter>, WriteError> {
        if self.0.resume.is_some() {
            return self.writer(file, compression);
        }
        let spool = file.spool()?;
        Ok(Box::new(SpooledWriter::new(self.writer(file, compression)?, spool)))
    }

    /// Returns the writer's half for a shard that another [writer](OutputFormat::resumable_writer) began and left at a
    /// position.
    ///
    /// # Errors
    /// The partial file or spool is missing, or has changed.
    #[doc(hidden)]
    pub fn resume(
        self,
        (folder, name): (&Arc<Folder>, &OsStr),
        position: FilePosition,
        compression: Compression,
    ) -> Result<Box<dyn ShardWriter>, WriteError> {
        if let Some(resume) = self.0.resume {
            return Ok(resume(PartialFile::resume_in(folder, name, position)?, compression));
        }
        let spool = PartialFile::resume_spool_in(folder, name, position)?;
        let shard = self.writer(PartialFile::create_in(folder, name, true)?.with_checksum(), compression)?;
        Ok(Box::new(SpooledWriter::resume(shard, spool)))
    }

    /// Returns what opens the format's shards.
    pub(super) fn open(self) -> OpenShard {
        self.0.open
    }
}

impl Default for OutputFormat {
    fn default() -> Self {
        OutputFormat::JSONL
    }
}

impl PartialEq for OutputFormat {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

impl Eq for OutputFormat {}

impl fmt::Debug for OutputFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "OutputFormat({})", self.name())
    }
}

impl Serialize for OutputFormat {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for OutputFormat {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        OutputFormat::from_name(&name).ok_or_else(|| D::Error::unknown_variant(&name, OutputFormat::NAMES))
    }
}
