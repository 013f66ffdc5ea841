//! A copy of the documents that represent their clusters: a directory of JSONL shards that can be read like a run's.
//!
//! The directory is written beside its place, under a hidden name, and gets its own name when all of it is on disk.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::error::ClusterError;
use crate::readback::{Account, ArchiveAccount};
use crate::results::{PROGRAM, cannot};
use dehusk_archive::escape;
use dehusk_documents::encode::{Compression, Encoder, OutputFormat, PartialFile, ShardWriter, partial_name};
use dehusk_documents::folder::{Folder, REPORT, resolved};
use dehusk_documents::local;

/// Bytes of documents that become one part of a shard.
const PART: usize = 1 << 20;

/// The folder of the shards.
const DOCUMENTS: &str = "documents";

/// A directory that will hold the copy.
pub(super) struct Copy {
    directory: PathBuf,
    /// Where it is written.
    partial: PathBuf,
}

impl Copy {
    /// Looks whether a directory can be made, beside that for the clusters.
    ///
    /// # Errors
    /// It is there and not empty, is no directory, or one of the two is within the other.
    pub(super) fn new(directory: &Path, clusters: &Path) -> Result<Self, ClusterError> {
        local::check(directory).map_err(cannot("be created", directory))?;
        let (own, other) = (resolved(directory), resolved(clusters));
        if own.starts_with(&other) || other.starts_with(&own) {
            let (place, other) = (escape::path(directory), escape::path(clusters));
            let message = format!("{place}: is not apart from {other}, where the clusters go; name another directory");
            return Err(ClusterError::Occupied(message));
        }
        let is_free = match fs::read_dir(directory) {
            Ok(mut entries) => entries.next().is_none(),
            Err(e) => e.kind() == io::ErrorKind::NotFound,
        };
        let name = directory.file_name().filter(|_| is_free);
        let Some(name) = name else {
            let place = escape::path(directory);
            let message = format!("{place}: is there already; remove it, or name another directory for the documents");
            return Err(ClusterError::Occupied(message));
        };
        let partial = directory.with_file_name(partial_name(name));
        if !is_own(&partial).map_err(cannot("be read", &partial))? {
            let place = escape::path(&partial);
            let message = format!("{place}: is in the way, and not all in it is of this program; move it away");
            return Err(ClusterError::Occupied(message));
        }
        Ok(Self {
            directory: directory.to_path_buf(),
            partial,
        })
    }

    /// Copies those documents of the runs that are to be kept. `kept` has an entry for each document.
    ///
    /// # Errors
    /// A shard cannot be read, or the copy cannot be written. There is no copy then.
    pub(super) fn write(&self, runs: &[Account], kept: &[bool]) -> Result<(), ClusterError> {
        let written = self.write_partial(runs, kept);
        if written.is_err() {
            // The error that is reported is the one that came first.
            let _ = fs::remove_dir_all(&self.partial);
        }
        written
    }

    fn write_partial(&self, runs: &[Account], kept: &[bool]) -> Result<(), ClusterError> {
        let documents = self.partial.join(DOCUMENTS);
        match fs::remove_dir_all(&self.partial) {
            Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(cannot("be removed", &self.partial)(e).into()),
            // A command that was killed had left it, or there was none.
            _ => fs::create_dir_all(&documents).map_err(cannot("be created", &documents))?,
        }
        let mut kept = kept.iter().copied();
        let mut taken = HashSet::new();
        // An archive of several runs is one.
        let mut archives: Vec<CopiedArchive> = Vec::new();
        let mut places: HashMap<&str, usize> = HashMap::new();
        for (run, archive) in runs
            .iter()
            .flat_map(|run| run.archives.iter().map(move |archive| (run, archive)))
        {
            let place = *places.entry(&archive.path).or_insert(archives.len());
            if place == archives.len() {
                archives.push(CopiedArchive::new(archive));
            }
            let copied_archive = &mut archives[place];
            if archive.state != "complete" {
                copied_archive.state = &archive.state;
            }
            for shard in run.shards(archive) {
                let name = shard_name(&shard.path, &mut taken);
                let mut copied = CopiedShard::new(documents.join(&name));
                for document in shard.read()? {
                    let document = document?;
                    match kept.next() {
                        Some(true) => copied.add(&document)?,
                        _ => copied_archive.left_out += 1,
                    }
                }
                let (count, sha256) = copied.finish()?;
                if count > 0 {
                    copied_archive.shards.push((format!("{DOCUMENTS}/{name}"), sha256));
                }
                copied_archive.emitted += count;
            }
        }
        let archives: Vec<Value> = archives.iter().map(CopiedArchive::account).collect();
        let unfinished = runs.iter().find(|run| !run.is_complete());
        let state = unfinished.map_or("complete", |run| &run.state);
        let account = json!({"program": PROGRAM, "state": state, "deduplicated": true, "archives": archives});
        let mut text = serde_json::to_vec_pretty(&account).map_err(io::Error::from)?;
        text.push(b'\n');
        let mut file = PartialFile::create(&self.partial.join(REPORT), false)?;
        file.append(&text)?;
        file.commit()?;
        // An empty directory may have this name.
        fs::rename(&self.partial, &self.directory).map_err(cannot("be created", &self.directory))?;
        let parent = self.directory.parent().unwrap_or(&self.directory);
        let synced = Folder::open(parent).and_then(|folder| folder.sync());
        Ok(synced.map_err(cannot("be synced", parent))?)
    }
}

/// The part of an archive's documents that is in the copy.
struct CopiedArchive<'r> {
    path: &'r str,
    state: &'r str,
    /// Its shards, each with the SHA-256 of its bytes.
    shards: Vec<(String, String)>,
    emitted: u64,
    left_out: u64,
}

impl<'r> CopiedArchive<'r> {
    fn new(archive: &'r ArchiveAccount) -> Self {
        Self {
            path: &archive.path,
            state: &archive.state,
            shards: Vec::new(),
            emitted: 0,
            left_out: 0,
        }
    }

    /// The entry of `run.json`.
    fn account(&self) -> Value {
        let filtered = match self.left_out {
            0 => json!({}),
            n => json!({"duplicate": n}),
        };
        let shards: Vec<&String> = self.shards.iter().map(|(path, _)| path).collect();
        let sums: BTreeMap<&String, &String> = self.shards.iter().map(|(path, sum)| (path, sum)).collect();
        json!({
            "path": self.path, "state": self.state, "shards": shards, "output_sha256": sums,
            "framed": self.emitted + self.left_out, "emitted": self.emitted, "filtered": filtered,
        })
    }
}

/// A shard of the copy, which begins with its first document.
struct CopiedShard {
    path: PathBuf,
    encoder: Box<dyn Encoder>,
    writer: Option<Box<dyn ShardWriter>>,
    part: Vec<u8>,
    emitted: u64,
}

impl CopiedShard {
    fn new(path: PathBuf) -> Self {
        Self {
            path,
            encoder: OutputFormat::JSONL.encoder(COMPRESSION),
            writer: None,
            part: Vec::new(),
            emitted: 0,
        }
    }

    fn add(&mut self, document: &dehusk_documents::document::Document) -> Result<(), ClusterError> {
        self.emitted += 1;
        self.encoder.add(document);
        if self.encoder.pending() >= PART {
            self.write_part()
        } else {
            Ok(())
        }
    }

    fn write_part(&mut self) -> Result<(), ClusterError> {
        let encoded = self.encoder.finish_part(&mut self.part);
        encoded.map_err(|e| cannot("be written", &self.path)(io::Error::other(e)))?;
        let writer = match &mut self.writer {
            Some(writer) => writer,
            none => {
                let file = PartialFile::create(&self.path, false)?.with_checksum();
                none.insert(OutputFormat::JSONL.writer(file, COMPRESSION)?)
            }
        };
        writer.write(&self.part)?;
        self.part.clear();
        Ok(())
    }

    /// Completes the shard, if it has documents. Returns how many, and the SHA-256 of its bytes.
    fn finish(mut self) -> Result<(u64, String), ClusterError> {
        if self.emitted > 0 {
            self.write_part()?;
        }
        let mut sha256 = String::new();
        if let Some(mut writer) = self.writer {
            sha256 = writer.seal()?.sha256;
            writer.finish()?;
        }
        Ok((self.emitted, sha256))
    }
}

/// The compression of the copy.
const COMPRESSION: Compression = Compression::Zstd(Compression::ZSTD_LEVEL);

/// The name of a shard's copy. Shards of several runs may have one name; they get numbers.
fn shard_name(path: &Path, taken: &mut HashSet<String>) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let name = [".zst", ".gz"]
        .iter()
        .find_map(|ending| name.strip_suffix(ending))
        .unwrap_or(&name);
    let formats = OutputFormat::ALL.iter();
    let stem = formats
        .filter_map(|format| name.strip_suffix(format.extension())?.strip_suffix('.'))
        .next();
    let stem = stem.unwrap_or(name);
    let ending = OutputFormat::JSONL.file_extension(COMPRESSION);
    let mut number = 1;
    loop {
        let name = match number {
            1 => format!("{stem}.{ending}"),
            number => format!("{stem}-{number}.{ending}"),
        };
        if taken.insert(name.clone()) {
            return name;
        }
        number += 1;
    }
}

/// Whether a directory has nothing but what a command that was killed leaves there, or is not there.
fn is_own(partial: &Path) -> io::Result<bool> {
    let mut entries = match fs::symlink_metadata(partial) {
        Ok(found) if found.is_dir() => fs::read_dir(partial)?,
        Ok(_) => return Ok(false),
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(true),
        Err(e) => return Err(e),
    };
    let own = [
        OsString::from(DOCUMENTS),
        REPORT.into(),
        partial_name(OsStr::new(REPORT)),
    ];
    entries.try_fold(true, |is_own, entry| Ok(is_own && own.contains(&entry?.file_name())))
}
