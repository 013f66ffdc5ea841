//! The store of texts that the pages of hosts share: an entry of bytes for each host.
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

/// Entries that are written in one transaction.
const BATCH: usize = 1 << 14;

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
            version: "1",
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
        let entry = self
            .hosts
            .get(host)
            .map_err(|e| StoreError::from_redb(&self.path, e.into()))?;
        Ok(entry.map(|entry| entry.value().to_vec()))
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
        Ok(range.map(move |entry| {
            let (host, entry) = entry.map_err(&failed)?;
            Ok((host.value().to_owned(), entry.value().to_vec()))
        }))
    }
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
        if let Err(e) = self.write(fill) {
            self.discard();
            return Err(e);
        }
        let Self { path, folder, file } = self;
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
        let mut batch: Vec<(String, Vec<u8>)> = Vec::new();
        let write = |batch: &mut Vec<(String, Vec<u8>)>| {
            self.file.write(|transaction| {
                let mut hosts = transaction.open_table(HOSTS)?;
                for (host, entry) in batch.drain(..) {
                    hosts.insert(&*host, &*entry)?;
                }
                Ok(())
            })
        };
        let filled = fill(&mut |host, entry| {
            digest.update(host.as_bytes());
            digest.update(&(entry.len() as u64).to_le_bytes());
            digest.update(entry);
            batch.push((host.to_owned(), entry.to_vec()));
            if batch.len() < BATCH {
                return Ok(());
            }
            write(&mut batch).map_err(|e| StoreFailure::Caller(Box::new(e)))
        });
        let failed = |e: StoreFailure| match e {
            StoreFailure::Store(e) => StoreError::from_redb(&self.path, *e),
            StoreFailure::Caller(source) => StoreError::new(&self.path, StoreErrorKind::Stopped { source }),
        };
        filled.map_err(failed)?;
        write(&mut batch)?;
        let digest = format!("{:016x}", digest.digest());
        self.file.write(|transaction| {
            transaction.open_table(HEAD)?.insert("digest", &*digest)?;
            Ok(())
        })
    }
}
