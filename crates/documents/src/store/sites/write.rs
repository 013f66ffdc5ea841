//! Writes a store beside the one that it will replace.

use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::Xxh3Default;

use super::{HOSTS, SiteStore, TakeSite, add_to_digest, written_digest};
use crate::encode::partial_name;
use crate::folder::Folder;
use crate::store::guard::check_of;
use crate::store::{HEAD, StoreError, StoreErrorKind, StoreFailure, StoreFile};

/// The most bytes of several entries that are stored together, with their key. They fit into a page of the B-tree.
const TOGETHER: usize = (16 << 10) - 192;

/// Bytes that are written in one transaction, about.
const BATCH: usize = 16 << 20;

fn put(part: &[u8], together: &mut Vec<u8>) {
    together.extend((part.len() as u32).to_le_bytes());
    together.extend(part);
}

/// A store that is being written beside the one that it will replace.
pub struct NewSiteStore {
    path: PathBuf,
    parameters: String,
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
            parameters: parameters.to_owned(),
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
        let Self { path, folder, file, .. } = this;
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
            add_to_digest(&mut digest, host, entry);
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
        batch.finish_value("");
        write(&mut batch)?;
        let digest = written_digest(digest.digest(), &self.parameters);
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
    /// The key and the entries of the value that still grows.
    key: String,
    together: Vec<u8>,
    /// The bytes of all.
    size: usize,
}

impl Batch {
    fn add(&mut self, host: &str, entry: &[u8]) {
        let size = 8 + host.len() + entry.len();
        self.size += size;
        if !self.together.is_empty() && self.key.len() + self.together.len() + size > TOGETHER {
            self.finish_value(host);
        }
        put(host.as_bytes(), &mut self.together);
        put(entry, &mut self.together);
    }

    /// Ends the value that grows, and begins the one of the key `next`.
    fn finish_value(&mut self, next: &str) {
        let mut value = vec![0; 8];
        put(next.as_bytes(), &mut value);
        value.append(&mut self.together);
        let check = check_of(self.key.as_bytes(), &value[8..]);
        value[..8].copy_from_slice(&check.to_le_bytes());
        let key = std::mem::replace(&mut self.key, next.to_owned());
        self.values.push((key, value));
    }

    /// Takes the values that grow no more.
    fn take(&mut self) -> Vec<(String, Vec<u8>)> {
        self.size = self.together.len();
        std::mem::take(&mut self.values)
    }
}
