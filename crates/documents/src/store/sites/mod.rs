//! The store of texts that the pages of hosts share: an entry of bytes for each host.
//!
//! - `write`: a new store
//!
//! Hosts that follow each other are stored together, so that pages of the B-tree are full. A value holds all hosts from
//! its key up to the key of the next value; the first key is `""`:
//!
//! ```text
//! check of the rest (8 bytes)
//! length (4 bytes) and bytes of the next key, which is `""` after the last value
//! of each host: length (4 bytes) and the host, length (4 bytes) and its entry
//! ```
//!
//! So damage of the file is found when a host is looked up, be it in its value, or in the tree above it. The database does
//! not check a file that is only read, and panics at some damage. The digest of all entries is made when they are written,
//! and checked when all of them are read, so that opening a store costs the same for every number of hosts.
//!
//! A store is never changed in place. A new one is written beside it, in the order of the hosts, and takes its name. So
//! the same entries give the same file, and a process that reads the old one is not disturbed.

use std::fmt;
use std::path::{Path, PathBuf};

use redb::{Database, ReadOnlyDatabase, ReadOnlyTable, ReadableDatabase, TableDefinition};
use xxhash_rust::xxh3::{Xxh3Default, xxh3_64_with_seed};

use super::guard::{checked, damaged, guarded, unreadable, wrong_value};
use super::{HEAD, StoreError, StoreFailure, StoreKind, check_kind};
use crate::local;

mod write;

pub use write::NewSiteStore;

const HOSTS: TableDefinition<&str, &[u8]> = TableDefinition::new("hosts");

/// Bytes of pages that are kept in memory of a store that is read. Each worker keeps the hosts that it looked up last.
const CACHE: usize = 8 << 20;

/// Takes the entry of a host. Hosts come in order.
pub type TakeSite<'t> = dyn FnMut(&str, &[u8]) -> Result<(), StoreFailure> + 't;

/// A store of what the pages of hosts share, opened to be read. Several processes may read one.
pub struct SiteStore {
    path: PathBuf,
    /// It has to be open as long as its table.
    _database: ReadOnlyDatabase,
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
            version: "4",
            parameters: parameters.to_owned(),
        }
    }

    /// Opens a store. This reads a few kilobytes of it: what the store is, and the digest of its entries, which was made
    /// when they were written. Each entry is checked when it is read. `parameters` are those that the entries are made
    /// by.
    ///
    /// # Errors
    /// The file is not there or cannot be read, a process is writing it, its head is damaged, or it is another store or
    /// none.
    pub fn open(path: &Path, parameters: &str) -> Result<Self, StoreError> {
        let failed = |e: redb::Error| StoreError::from_redb(path, e);
        local::check(path).map_err(|e| failed(e.into()))?;
        guarded(path, || {
            let mut builder = Database::builder();
            builder.set_cache_size(CACHE);
            let database = builder.open_read_only(path).map_err(|e| failed(e.into()))?;
            let read = database.begin_read().map_err(|e| failed(e.into()))?;
            check_kind(path, &read, &Self::kind(parameters))?;
            let head = read.open_table(HEAD).map_err(|e| failed(e.into()))?;
            let digest = head.get("digest").map_err(|e| failed(e.into()))?;
            let digest = digest
                .as_ref()
                .and_then(|digest| read_digest(digest.value(), parameters));
            let digest = digest.ok_or_else(|| damaged(path, "its digest is not as it was written"))?;
            let hosts = read.open_table(HOSTS).map_err(|e| failed(e.into()))?;
            Ok(Self {
                path: path.to_owned(),
                _database: database,
                hosts,
                digest,
            })
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
    /// The file cannot be read, or is damaged.
    pub fn get(&self, host: &str) -> Result<Option<Vec<u8>>, StoreError> {
        let failed = |e: redb::StorageError| unreadable(&self.path, e);
        guarded(&self.path, || {
            let last = self.hosts.range(..=host).map_err(failed)?.next_back();
            let last = last.ok_or_else(|| damaged(&self.path, "it has no first value"))?;
            let (key, value) = last.map_err(failed)?;
            let value = Value::read(key.value(), value.value());
            let value = value.ok_or_else(|| wrong_value(&self.path))?;
            if host < key.value() || !value.next.is_empty() && host >= value.next {
                return Err(damaged(&self.path, "a value is not found by its key"));
            }
            for entry in value.entries {
                let (other, entry) = entry.ok_or_else(|| wrong_value(&self.path))?;
                if other == host {
                    return Ok(Some(entry.to_vec()));
                }
            }
            Ok(None)
        })
    }

    /// All hosts with their entries, in order.
    ///
    /// # Errors
    /// The file cannot be read, or is damaged.
    pub fn entries(&self) -> Result<impl Iterator<Item = Result<(String, Vec<u8>), StoreError>> + use<>, StoreError> {
        Ok(self.values()?.flat_map(|value| match value {
            Ok(entries) => entries.into_iter().map(Ok).collect(),
            Err(e) => vec![Err(e)],
        }))
    }

    /// All values in order. The first error is the last item, be it that all of them are not those of the digest.
    fn values(&self) -> Result<impl Iterator<Item = Result<Entries, StoreError>> + use<>, StoreError> {
        let path = self.path.clone();
        let mut range = guarded(&path, || {
            let range = self.hosts.range::<&str>(..);
            range.map_err(|e| unreadable(&path, e))
        })?;
        // The key of the value that comes next.
        let mut next = Some(String::new());
        let (expected_digest, mut digest) = (self.digest, Xxh3Default::new());
        Ok(std::iter::from_fn(move || {
            let expected = next.take()?;
            let value = guarded(&path, || {
                let value = range.next().ok_or_else(|| damaged(&path, "a value is missing"))?;
                let (key, value) = value.map_err(|e| unreadable(&path, e))?;
                if key.value() != expected {
                    return Err(damaged(&path, "a value is not in its place"));
                }
                let value = Value::read(&expected, value.value()).ok_or_else(|| wrong_value(&path))?;
                let entries = value.entries.map(|entry| {
                    let (host, entry) = entry.ok_or_else(|| wrong_value(&path))?;
                    add_to_digest(&mut digest, host, entry);
                    Ok((host.to_owned(), entry.to_vec()))
                });
                let entries = entries.collect::<Result<Vec<_>, StoreError>>()?;
                if !value.next.is_empty() {
                    next = Some(value.next.to_owned());
                } else if digest.digest() != expected_digest {
                    return Err(damaged(&path, "its entries are not those of its digest"));
                }
                Ok(entries)
            });
            if value.is_err() {
                next = None;
            }
            Some(value)
        }))
    }
}

/// The digest as the store has it, with a check of it and of the parameters.
fn written_digest(digest: u64, parameters: &str) -> String {
    let check = xxh3_64_with_seed(parameters.as_bytes(), digest);
    format!("{digest:016x}{check:016x}")
}

/// The digest; `None` if it is not as it was written.
fn read_digest(written: &str, parameters: &str) -> Option<u64> {
    let digest = u64::from_str_radix(written.get(..16)?, 16).ok()?;
    (written == written_digest(digest, parameters)).then_some(digest)
}

fn add_to_digest(digest: &mut Xxh3Default, host: &str, entry: &[u8]) {
    digest.update(host.as_bytes());
    digest.update(&(entry.len() as u64).to_le_bytes());
    digest.update(entry);
}

/// Hosts with their entries.
type Entries = Vec<(String, Vec<u8>)>;

/// A value that is as it was written.
struct Value<'v> {
    /// The key of the next value.
    next: &'v str,
    entries: Together<'v>,
}

impl<'v> Value<'v> {
    /// `None` if it is damaged.
    fn read(key: &str, value: &'v [u8]) -> Option<Self> {
        let mut entries = Together(checked(key.as_bytes(), value)?);
        let next = std::str::from_utf8(entries.part()?).ok()?;
        Some(Self { next, entries })
    }
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
    /// A length of four bytes, and that many bytes.
    fn part(&mut self) -> Option<&'t [u8]> {
        let (length, rest) = self.0.split_first_chunk()?;
        let (part, rest) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
        self.0 = rest;
        Some(part)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use super::*;
    use proptest::prelude::*;

    fn entries() -> Entries {
        let entry = |n: u32| (format!("h{n:04}.example"), vec![(n % 251) as u8; 100 + n as usize % 90]);
        (0..900).map(entry).collect()
    }

    fn write(path: &Path, entries: &[(String, Vec<u8>)]) {
        let new = NewSiteStore::begin(path, "p").expect("a new store");
        let finished = new.finish(|take| entries.iter().try_for_each(|(host, entry)| take(host, entry)));
        finished.expect("a store");
    }

    /// The bytes of a store of all entries.
    static BYTES: LazyLock<Vec<u8>> = LazyLock::new(|| {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("store");
        write(&path, &entries());
        std::fs::read(&path).expect("bytes")
    });

    /// The entries and the digest of a store. Looks up all its hosts, and some that it does not know.
    fn read(path: &Path) -> Result<(Entries, u64), StoreError> {
        let store = SiteStore::open(path, "p")?;
        let all = store.entries()?.collect::<Result<Vec<_>, _>>()?;
        for (host, entry) in &all {
            assert_eq!(store.get(host)?.as_ref(), Some(entry), "{host}");
        }
        for unknown in ["a", "h0007.exampl", "h0007.example.", "z"] {
            assert_eq!(store.get(unknown)?, None, "{unknown}");
        }
        Ok((all, store.digest()))
    }

    #[test]
    fn a_store_is_read_as_it_was_written() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("store");
        for entries in [Vec::new(), entries()] {
            write(&path, &entries);
            assert_eq!(read(&path).expect("a store").0, entries);
        }
    }

    #[test]
    fn a_page_of_zeros_anywhere_is_found() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("store");
        write(&path, &entries());
        let (whole, bytes) = (read(&path).expect("a store"), std::fs::read(&path).expect("bytes"));
        let mut refused = 0;
        for from in (0..bytes.len()).step_by(4096) {
            let mut damaged = bytes.clone();
            let to = damaged.len().min(from + 4096);
            damaged[from..to].fill(0);
            std::fs::write(&path, damaged).expect("written");
            match read(&path) {
                // Nothing is in that page.
                Ok(same) => assert!(same == whole, "a page of zeros at {from}"),
                Err(_) => refused += 1,
            }
        }
        assert!(refused * 4096 > 100 * 900, "{refused} pages refused");
    }

    proptest! {
        #[test]
        fn damage_is_found_or_changes_nothing(flips in prop::collection::vec((any::<prop::sample::Index>(), 1u8..), 1..4)) {
            let directory = tempfile::tempdir().expect("a directory");
            let path = directory.path().join("store");
            let mut bytes = BYTES.clone();
            for (at, flip) in flips {
                let at = at.index(bytes.len());
                bytes[at] ^= flip;
            }
            std::fs::write(&path, bytes).expect("written");
            if let Ok((all, _)) = read(&path) {
                prop_assert!(all == entries());
            }
        }
    }
}
