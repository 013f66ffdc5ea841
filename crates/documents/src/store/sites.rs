//! The store of texts that the pages of hosts share: an entry of bytes for each host.
//!
//! Hosts that follow each other are stored together, so that pages of the B-tree are full: a value holds entries, each
//! as a length and the host, a length and the bytes of its entry. Its key is its first host.
//!
//! A store is never changed in place. A new one is written beside it, in the order of the hosts, and takes its name. So
//! the same entries give the same file, and a process that reads the old one is not disturbed.

use std::fmt;
use std::path::{Path, PathBuf};

use redb::{Database, ReadOnlyDatabase, ReadOnlyTable, ReadableDatabase, TableDefinition};
use xxhash_rust::xxh3::Xxh3Default;

use super::{CACHE, HEAD, StoreError, StoreErrorKind, StoreFailure, StoreFile, StoreKind, check_kind};
use crate::encode::partial_name;
use crate::folder::Folder;
use crate::local;

const HOSTS: TableDefinition<&str, &[u8]> = TableDefinition::new("hosts");

/// The most bytes of several entries that are stored together, with their key. They fit into a page of the B-tree.
const TOGETHER: usize = (16 << 10) - 64;

/// Bytes that are written in one transaction, about.
const BATCH: usize = 16 << 20;

/// Takes the entry of a host. Hosts come in order.
pub type TakeSite<'t> = dyn FnMut(&str, &[u8]) -> Result<(), StoreFailure> + 't;

/// A store of what the pages of hosts share, opened to be read. Several processes may read one.
pub struct SiteStore {
    path: PathBuf,
    database: ReadOnlyDatabase,
    hosts: ReadOnlyTable<&'static str, &'static [u8]>,
    digest: u64,
}

impl fmt::Debug for SiteStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SiteStore")
            .field("path", &self.path)
            .finish_non_exhaustive()
    }
}

impl SiteStore {
    fn kind(parameters: &str) -> StoreKind {
        StoreKind {
            holds: "what the pages of hosts share",
            version: "2",
            parameters: parameters.to_owned(),
        }
    }

    /// Opens a store. `parameters` are those that its entries are made by.
    ///
    /// # Errors
    /// The file is not there or cannot be read, a process is writing it, or it is another store or none.
    pub fn open(path: &Path, parameters: &str) -> Result<Self, StoreError> {
        let failed = |e: redb::Error| StoreError::from_redb(path, e);
        local::check(path).map_err(|e| failed(e.into()))?;
        let mut builder = Database::builder();
        builder.set_cache_size(CACHE).set_check_integrity_on_open(true);
        let database = builder.open_read_only(path).map_err(|e| failed(e.into()))?;
        let read = database.begin_read().map_err(|e| failed(e.into()))?;
        check_kind(path, &read, &Self::kind(parameters))?;
        let head = read.open_table(HEAD).map_err(|e| failed(e.into()))?;
        let digest = head.get("digest").map_err(|e| failed(e.into()))?;
        let digest = digest.and_then(|digest| u64::from_str_radix(digest.value(), 16).ok());
        let digest = digest.ok_or_else(|| StoreError::new(path, StoreErrorKind::Foreign))?;
        let hosts = read.open_table(HOSTS).map_err(|e| failed(e.into()))?;
        Ok(Self {
            path: path.to_owned(),
            database,
            hosts,
            digest,
        })
    }

    /// A digest of all entries.
    pub fn digest(&self) -> u64 {
        self.digest
    }

    /// The store's file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The entry of a host.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn get(&self, host: &str) -> Result<Option<Vec<u8>>, StoreError> {
        let failed = |e: redb::StorageError| StoreError::from_redb(&self.path, e.into());
        let Some(last) = self.hosts.range(..=host).map_err(failed)?.next_back() else {
            return Ok(None);
        };
        let (_, together) = last.map_err(failed)?;
        for entry in Together(together.value()) {
            let (other, entry) = entry.ok_or_else(|| wrong_form(&self.path))?;
            if other == host {
                return Ok(Some(entry.to_vec()));
            }
        }
        Ok(None)
    }

    /// All hosts with their entries, in order.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn entries(&self) -> Result<impl Iterator<Item = Result<(String, Vec<u8>), StoreError>> + use<>, StoreError> {
        let path = self.path.clone();
        let failed = move |e: redb::StorageError| StoreError::from_redb(&path, e.into());
        let read = self.database.begin_read();
        let read = read.map_err(|e| StoreError::from_redb(&self.path, e.into()))?;
        let hosts = read.open_table(HOSTS);
        let hosts = hosts.map_err(|e| StoreError::from_redb(&self.path, e.into()))?;
        let range = hosts.range::<&str>(..).map_err(&failed)?;
        let path = self.path.clone();
        let read = move |value: Result<(_, redb::AccessGuard<'_, &[u8]>), _>| {
            let (_, together) = value.map_err(&failed)?;
            let entries = Together(together.value()).map(|entry| {
                let (host, entry) = entry.ok_or_else(|| wrong_form(&path))?;
                Ok((host.to_owned(), entry.to_vec()))
            });
            entries.collect::<Result<Vec<_>, StoreError>>()
        };
        Ok(range.flat_map(move |value| match read(value) {
            Ok(entries) => entries.into_iter().map(Ok).collect(),
            Err(e) => vec![Err(e)],
        }))
    }
}

/// The error of a value that holds no entries.
fn wrong_form(path: &Path) -> StoreError {
    let source = "a value does not hold entries of hosts".into();
    StoreError::new(path, StoreErrorKind::Corrupt { source })
}

/// Entries that are stored together. `None` is a part that is no entry.
struct Together<'t>(&'t [u8]);

impl<'t> Iterator for Together<'t> {
    type Item = Option<(&'t str, &'t [u8])>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.0.is_empty() {
            return None;
        }
        let entry = (|| {
            let host = std::str::from_utf8(self.part()?).ok()?;
            Some((host, self.part()?))
        })();
        if entry.is_none() {
            self.0 = &[];
        }
        Some(entry)
    }
}

impl<'t> Together<'t> {
    /// A length of four bytes, and so many bytes.
    fn part(&mut self) -> Option<&'t [u8]> {
        let (length, rest) = self.0.split_first_chunk()?;
        let (part, rest) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
        self.0 = rest;
        Some(part)
    }
}

fn put(part: &[u8], together: &mut Vec<u8>) {
    together.extend((part.len() as u32).to_le_bytes());
    together.extend(part);
}

/// A store that is being written beside the one that it will replace.
pub struct NewSiteStore {
    path: PathBuf,
    folder: Folder,
    file: StoreFile,
}

impl NewSiteStore {
    /// Begins a store that will replace that at `path`, if there is one. Until it is finished or dropped, no other
    /// process can begin one for the same path.
    ///
    /// # Errors
    /// The file cannot be created, or another process writes one for this path.
    pub fn begin(path: &Path, parameters: &str) -> Result<Self, StoreError> {
        let (folder, file) = StoreFile::begin(path, &SiteStore::kind(parameters))?;
        Ok(Self {
            path: path.to_owned(),
            folder,
            file,
        })
    }

    /// Writes all entries, and gives the store its name. `fill` passes the entries to what it is called with, in the
    /// order of the hosts.
    ///
    /// # Errors
    /// The file cannot be written, or `fill` fails.
    pub fn finish(self, fill: impl FnOnce(&mut TakeSite<'_>) -> Result<(), StoreFailure>) -> Result<(), StoreError> {
        let mut this = self;
        if let Err(e) = this.write(fill).and_then(|()| this.file.compact()) {
            this.discard();
            return Err(e);
        }
        let Self { path, folder, file } = this;
        let failed = |e: std::io::Error| StoreError::from_redb(&path, e.into());
        let name = path.file_name().unwrap_or_default();
        let partial = partial_name(name);
        if let Ok(replaced) = std::fs::metadata(&path) {
            std::fs::set_permissions(folder.path().join(&partial), replaced.permissions()).map_err(failed)?;
        }
        if cfg!(unix) {
            // The file keeps its lock until it has the name, so that no other process takes it for one that was left.
            folder.rename(&partial, name).map_err(failed)?;
            drop(file);
        } else {
            drop(file);
            folder.rename(&partial, name).map_err(failed)?;
        }
        folder.sync().map_err(failed)
    }

    /// Leaves the store that was there as it is.
    pub fn discard(self) {
        let name = self.path.file_name().unwrap_or_default();
        // If that fails, the next store that is begun takes the file.
        let _ = self.folder.remove(&partial_name(name));
    }

    fn write(&self, fill: impl FnOnce(&mut TakeSite<'_>) -> Result<(), StoreFailure>) -> Result<(), StoreError> {
        let mut digest = Xxh3Default::new();
        let mut batch = Batch::default();
        let write = |batch: &mut Batch| {
            self.file.write(|transaction| {
                let mut hosts = transaction.open_table(HOSTS)?;
                for (host, together) in batch.take() {
                    hosts.insert(&*host, &*together)?;
                }
                Ok(())
            })
        };
        let filled = fill(&mut |host, entry| {
            digest.update(host.as_bytes());
            digest.update(&(entry.len() as u64).to_le_bytes());
            digest.update(entry);
            batch.add(host, entry);
            if batch.size < BATCH {
                return Ok(());
            }
            write(&mut batch).map_err(|e| StoreFailure::Caller(Box::new(e)))
        });
        let failed = |e: StoreFailure| match e {
            StoreFailure::Store(e) => StoreError::from_redb(&self.path, *e),
            StoreFailure::Caller(source) => StoreError::new(&self.path, StoreErrorKind::Stopped { source }),
        };
        filled.map_err(failed)?;
        batch.finish_value();
        write(&mut batch)?;
        let digest = format!("{:016x}", digest.digest());
        self.file.write(|transaction| {
            transaction.open_table(HEAD)?.insert("digest", &*digest)?;
            Ok(())
        })
    }
}

/// Values that are to be written, each with its key.
#[derive(Default)]
struct Batch {
    values: Vec<(String, Vec<u8>)>,
    /// The value that still grows.
    last: Option<(String, Vec<u8>)>,
    /// The bytes of all.
    size: usize,
}

impl Batch {
    fn add(&mut self, host: &str, entry: &[u8]) {
        let size = 8 + host.len() + entry.len();
        self.size += size;
        let is_full = |(first, together): &(String, Vec<u8>)| first.len() + together.len() + size > TOGETHER;
        if self.last.as_ref().is_some_and(is_full) {
            self.finish_value();
        }
        let (_, together) = self.last.get_or_insert_with(|| (host.to_owned(), Vec::new()));
        put(host.as_bytes(), together);
        put(entry, together);
    }

    fn finish_value(&mut self) {
        self.values.extend(self.last.take());
    }

    /// Takes the values that grow no more.
    fn take(&mut self) -> Vec<(String, Vec<u8>)> {
        self.size = self.last.as_ref().map_or(0, |(_, together)| together.len());
        std::mem::take(&mut self.values)
    }
}
