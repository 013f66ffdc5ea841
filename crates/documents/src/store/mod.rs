//! The embedded store: data that lasts from night to night, each kind in a file of its own.
//!
//! A store is one file of `redb`, a B-tree whose pages are never written in place, so that a crash at any moment leaves
//! the last commit. The table `dehusk` of every store states its content, its version, and the parameters by which it
//! was made. A store that does not fit is refused with the reason, and nothing is written. One process at a time has a
//! store open. The whole file is checked when it is opened, so that damage is reported before anything depends on it.
//! The check takes half a second for ten million entries. `sites` and the index of clusters, which grow without a
//! bound, check what is read instead; of the index, all is checked now and then.
//!
//! - `error`: why a store cannot be used
//! - `guard`: the checks of what is read
//! - `seen`: the payloads that earlier runs emitted
//! - `sites`: what the pages of hosts share
//! - `places`: the places of the originals of revisits, for one run only

mod error;
mod guard;
mod places;
mod seen;
mod sites;

use std::ffi::OsStr;
use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use redb::backends::FileBackend;
use redb::{
    Builder, Database, DatabaseError, ReadTransaction, ReadableDatabase, TableDefinition, TableHandle, WriteTransaction,
};

pub use error::{StoreError, StoreErrorKind};
pub use guard::{checked, sealed};
pub use places::{Place, PlaceKey, Places, TakePlaces};
pub use seen::{PayloadKey, Resumed, Seen, payload_key};
pub use seen::{SeenEntry, SeenState};
pub use sites::{NewSiteStore, SiteStore, TakeSite};

use self::guard::{guarded, unreadable};
use crate::encode::partial_name;
use crate::folder::Folder;
use crate::{in_use, local};

/// Bytes of pages that are kept in memory.
const CACHE: usize = 64 << 20;

/// The table with the kind of the store.
const HEAD: TableDefinition<&str, &str> = TableDefinition::new("dehusk");

/// The kind of a store: its content, its version and its parameters.
pub struct StoreKind {
    /// As messages and the store itself call it.
    pub holds: &'static str,
    /// The version of its form.
    pub version: &'static str,
    /// By what its entries were made. Entries that were made differently cannot be compared.
    pub parameters: String,
}

/// An open store.
pub struct StoreFile {
    path: PathBuf,
    database: Database,
    /// Whether all of the file was checked.
    is_checked: bool,
}

impl StoreFile {
    /// Opens a store. If `create` is set, one that is not there is created.
    ///
    /// # Errors
    /// The file is not there or cannot be opened, another process has it open, it is damaged, or it is another store or
    /// none.
    pub fn open(path: &Path, kind: &StoreKind, create: bool) -> Result<Self, StoreError> {
        Self::open_with(path, kind, create, true)
    }

    /// Opens a store whose user checks what it reads, and creates it if there is none. All of it is checked only if it has
    /// fewer than `small` bytes, so that a large one takes no more time. If the store has the version `older`, all of it
    /// is checked; the second value is then true, and the caller must [convert](Self::convert) it.
    ///
    /// # Errors
    /// Those of [`open`](Self::open). Damage of a large store is an error when it is met.
    pub fn open_growing(
        path: &Path,
        kind: &StoreKind,
        older: &'static str,
        small: u64,
    ) -> Result<(Self, bool), StoreError> {
        let check = path.metadata().is_ok_and(|file| file.len() < small);
        let opened = guarded(path, || Self::open_with(path, kind, true, check));
        match opened {
            Err(StoreError {
                kind: StoreErrorKind::Version { version, .. },
                ..
            }) if version == older => {
                let before = StoreKind {
                    version: older,
                    parameters: kind.parameters.clone(),
                    ..*kind
                };
                Ok((Self::open_with(path, &before, false, true)?, true))
            }
            opened => Ok((opened?, false)),
        }
    }

    /// Checks all of the store, if that was not done when it was opened. No one has a view of it.
    ///
    /// # Errors
    /// Those of [`open`](Self::open).
    pub fn check(self, kind: &StoreKind) -> Result<Self, StoreError> {
        if self.is_checked {
            return Ok(self);
        }
        let Self { path, database, .. } = self;
        drop(database);
        guarded(&path, || Self::open_with(&path, kind, false, true))
    }

    fn open_with(path: &Path, kind: &StoreKind, create: bool, check: bool) -> Result<Self, StoreError> {
        let failed = |e: redb::Error| StoreError::from_redb(path, e);
        local::check(path).map_err(|e| failed(e.into()))?;
        let mut builder = Database::builder();
        builder.set_cache_size(CACHE).set_check_integrity_on_open(check);
        if create
            && !is_there(path)
            && let Some(store) = Self::create(path, kind, &builder)?
        {
            return Ok(store);
        }
        let store = Self {
            database: in_use::wait(|| builder.open(path), is_in_use).map_err(|e| failed(e.into()))?,
            path: path.to_owned(),
            is_checked: check,
        };
        check_kind(path, &store.read()?, kind)?;
        Ok(store)
    }

    /// Creates a store under a hidden name, and renames it once it survives a crash. Returns `None` if another process
    /// created it meanwhile.
    fn create(path: &Path, kind: &StoreKind, builder: &Builder) -> Result<Option<Self>, StoreError> {
        let failed = |e: io::Error| StoreError::from_redb(path, e.into());
        let (folder, name, file) = partial_file(path)?;
        if is_there(path) {
            // The file that was opened has this name now, or it is a new one that is not needed.
            let _ = folder.remove(&partial_name(name));
            return Ok(None);
        }
        let store = Self::over(file, path, kind, builder)?;
        if is_there(path) {
            let _ = folder.remove(&partial_name(name));
            return Err(failed(io::ErrorKind::AlreadyExists.into()));
        }
        folder.rename(&partial_name(name), name).map_err(failed)?;
        folder.sync().map_err(failed)?;
        Ok(Some(store))
    }

    /// Begins a store under a hidden name, in the folder that is returned with it.
    fn begin(path: &Path, kind: &StoreKind) -> Result<(Folder, Self), StoreError> {
        local::check(path).map_err(|e| StoreError::from_redb(path, e.into()))?;
        let mut builder = Database::builder();
        builder.set_cache_size(CACHE);
        let (folder, _, file) = partial_file(path)?;
        Ok((folder, Self::over(file, path, kind, &builder)?))
    }

    /// Makes a file an empty store.
    fn over(file: File, path: &Path, kind: &StoreKind, builder: &Builder) -> Result<Self, StoreError> {
        file.set_len(0).map_err(|e| StoreError::from_redb(path, e.into()))?;
        let database = FileBackend::new(file).and_then(|backend| builder.create_with_backend(backend));
        let store = Self {
            database: database.map_err(|e| StoreError::from_redb(path, e.into()))?,
            path: path.to_owned(),
            is_checked: true,
        };
        store.write(|transaction| {
            let mut head = transaction.open_table(HEAD)?;
            head.insert("holds", kind.holds)?;
            head.insert("version", kind.version)?;
            head.insert("parameters", &*kind.parameters)?;
            Ok(())
        })?;
        Ok(store)
    }

    /// Makes a store one of another version, in one commit, and gives back what of the file is not used then.
    ///
    /// # Errors
    /// The error of `change`, or the system refuses.
    pub fn convert(
        &mut self,
        version: &str,
        change: impl FnOnce(&WriteTransaction) -> Result<(), StoreFailure>,
    ) -> Result<(), StoreError> {
        self.write(|transaction| {
            transaction.open_table(HEAD)?.insert("version", version)?;
            change(transaction)
        })?;
        self.compact()
    }

    /// Reads from the store. If not all of it was checked, a panic of the database is an error of the store.
    ///
    /// # Errors
    /// The error of `work`, or the store is damaged.
    pub fn guarded<T>(&self, work: impl FnOnce() -> Result<T, StoreError>) -> Result<T, StoreError> {
        if self.is_checked {
            work()
        } else {
            guarded(&self.path, work)
        }
    }

    /// A view of the store as it is now, which later commits do not change.
    pub fn read(&self) -> Result<ReadTransaction, StoreError> {
        self.database.begin_read().map_err(|e| self.failed(e))
    }

    /// Makes changes and commits them together. After an error, nothing has changed.
    ///
    /// # Errors
    /// The error of `change`, or the system refuses.
    pub fn write<T>(&self, change: impl FnOnce(&WriteTransaction) -> Result<T, StoreFailure>) -> Result<T, StoreError> {
        self.guarded(|| self.write_changes(change))
    }

    fn write_changes<T>(
        &self,
        change: impl FnOnce(&WriteTransaction) -> Result<T, StoreFailure>,
    ) -> Result<T, StoreError> {
        let mut transaction = self.database.begin_write().map_err(|e| self.failed(e))?;
        // Otherwise the next process would have to walk through all of the file to find its free pages, after a crash.
        transaction.set_quick_repair(true);
        let changed = change(&transaction).map_err(|e| self.failed_by(e))?;
        transaction.commit().map_err(|e| self.failed(e))?;
        Ok(changed)
    }

    /// Gives back what of the file is not used.
    ///
    /// # Errors
    /// The system refuses.
    fn compact(&mut self) -> Result<(), StoreError> {
        let compacted = self.database.compact();
        compacted
            .map(drop)
            .map_err(|e| StoreError::from_redb(&self.path, e.into()))
    }

    /// Turns an error of the database into one that names this store.
    pub fn failed(&self, error: impl Into<redb::Error>) -> StoreError {
        if self.is_checked {
            StoreError::from_redb(&self.path, error.into())
        } else {
            unreadable(&self.path, error)
        }
    }

    /// Turns a failure into an error that names this store.
    pub fn failed_by(&self, failure: StoreFailure) -> StoreError {
        match failure {
            StoreFailure::Store(e) => self.failed(*e),
            StoreFailure::Caller(e) => StoreError::new(&self.path, StoreErrorKind::Stopped { source: e }),
        }
    }
}

fn is_in_use(error: &DatabaseError) -> bool {
    matches!(error, DatabaseError::DatabaseAlreadyOpen)
}

/// Opens the file that a store is written to before it has its name. Only the process that this returns to writes it.
fn partial_file(path: &Path) -> Result<(Folder, &OsStr, File), StoreError> {
    let failed = |e: io::Error| StoreError::from_redb(path, e.into());
    let name = path
        .file_name()
        .ok_or_else(|| failed(io::ErrorKind::InvalidInput.into()))?;
    let partial = partial_name(name);
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = Folder::open(folder.unwrap_or(Path::new("."))).map_err(failed)?;
    let file = match folder.create_new(&partial) {
        // A process that was killed had left it, or another one is about to give it its name.
        Err(e) if e.kind() == io::ErrorKind::AlreadyExists => folder.update(&partial),
        created => created,
    };
    let file: File = file.map_err(failed)?;
    match in_use::lock(&file) {
        // If it has another name by now, the process that had the lock has finished its store.
        Ok(()) if !is_same(&folder, &partial, &file).map_err(failed)? => {
            Err(StoreError::new(path, StoreErrorKind::InUse))
        }
        Ok(()) => Ok((folder, name, file)),
        Err(TryLockError::WouldBlock) => Err(StoreError::new(path, StoreErrorKind::InUse)),
        Err(TryLockError::Error(e)) => Err(failed(e)),
    }
}

/// Whether a name in a folder is that of an open file.
#[cfg(unix)]
fn is_same(folder: &Folder, name: &OsStr, file: &File) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    let named = match folder.read(name) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(false),
        named => named?.metadata()?,
    };
    let open = file.metadata()?;
    Ok((named.dev(), named.ino()) == (open.dev(), open.ino()))
}

/// An open file cannot get another name here.
#[cfg(not(unix))]
fn is_same(_: &Folder, _: &OsStr, _: &File) -> io::Result<bool> {
    Ok(true)
}

/// Checks that a store is of this kind.
fn check_kind(path: &Path, read: &ReadTransaction, kind: &StoreKind) -> Result<(), StoreError> {
    let failed = |e: redb::Error| StoreError::from_redb(path, e);
    let is_ours = read
        .list_tables()
        .map_err(|e| failed(e.into()))?
        .any(|table| table.name() == HEAD.name());
    let wrong = |kind| Err(StoreError::new(path, kind));
    if !is_ours {
        return wrong(StoreErrorKind::Foreign);
    }
    let head = read.open_table(HEAD).map_err(|e| failed(e.into()))?;
    let value = |key| {
        let value = head.get(key).map_err(|e| failed(e.into()))?;
        Ok(value.map_or_else(String::new, |value| value.value().to_owned()))
    };
    let holds = value("holds")?;
    if holds != kind.holds {
        let expected = kind.holds;
        return wrong(StoreErrorKind::Other { holds, expected });
    }
    let version = value("version")?;
    if version != kind.version {
        let expected = kind.version;
        return wrong(StoreErrorKind::Version { version, expected });
    }
    let parameters = value("parameters")?;
    if parameters != kind.parameters {
        let expected = kind.parameters.clone();
        return wrong(StoreErrorKind::Parameters { parameters, expected });
    }
    Ok(())
}

/// Whether a name is taken, be it by a link that leads nowhere.
fn is_there(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

/// Why something is not read, or changes are not made.
pub enum StoreFailure {
    /// The store failed.
    Store(Box<redb::Error>),
    /// The caller cannot continue.
    Caller(Box<dyn std::error::Error + Send + Sync>),
}

impl StoreFailure {
    /// A value of the store is not as it was written.
    pub fn wrong_value() -> Self {
        let why = "a value is not as it was written".to_owned();
        Self::Store(Box::new(redb::Error::Corrupted(why)))
    }
}

impl<E: Into<redb::Error>> From<E> for StoreFailure {
    fn from(error: E) -> Self {
        Self::Store(Box::new(error.into()))
    }
}
