//! The places of records, by the names under which other records refer to them. They last for one run, in a file
//! without a name.

use std::fs::File;
use std::ops::Range;
use std::path::Path;

use redb::backends::FileBackend;
use redb::{Database, ReadOnlyTable, ReadableTable, TableDefinition};

use super::{CACHE, StoreError, StoreFailure, StoreFile};

/// The key by which a record is looked up.
pub type PlaceKey = [u8; 16];

/// How many places are added at a time. They are sorted, which makes adding them several times as fast.
const CHUNK: usize = 1 << 18;

const PLACES: TableDefinition<&PlaceKey, (u32, u64, u64, u64)> = TableDefinition::new("places");

/// The place of a record. Places are ordered by archive, and within an archive by offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The number of its archive.
    pub archive: u32,
    /// Offset of its member, frame or record in the archive, in bytes.
    pub offset: u64,
    /// Its offset in the decoded member, in bytes.
    pub offset_in_member: u64,
    /// Its stored length, in bytes; 0 if it is not known.
    pub length: u64,
}

impl Place {
    /// Its stored bytes; only the first one if their number is not known.
    pub fn stored(&self) -> Range<u64> {
        self.offset..self.offset + self.length.max(1)
    }

    fn row(self) -> (u32, u64, u64, u64) {
        (self.archive, self.offset, self.offset_in_member, self.length)
    }

    fn of_row((archive, offset, offset_in_member, length): (u32, u64, u64, u64)) -> Self {
        Self {
            archive,
            offset,
            offset_in_member,
            length,
        }
    }
}

/// Places of records.
pub struct Places {
    file: StoreFile,
    table: ReadOnlyTable<&'static PlaceKey, (u32, u64, u64, u64)>,
}

/// Takes places of records.
pub type TakePlaces<'t> = dyn FnMut(Vec<(PlaceKey, Place)>) -> Result<(), StoreFailure> + 't;

impl Places {
    /// Writes places to an empty file. `fill` gives all of them to what it is called with, in any order: of those with
    /// one key, the first counts. `path` is what messages call the file.
    ///
    /// # Errors
    /// The file cannot be written, or `fill` fails.
    pub fn collect(
        file: File,
        path: &Path,
        fill: impl FnOnce(&mut TakePlaces<'_>) -> Result<(), StoreFailure>,
    ) -> Result<Self, StoreError> {
        let backend = FileBackend::new(file);
        let database =
            backend.and_then(|backend| Database::builder().set_cache_size(CACHE).create_with_backend(backend));
        let file = StoreFile {
            database: database.map_err(|e| StoreError::from_redb(path, e.into()))?,
            path: path.to_owned(),
            is_checked: true,
        };
        file.write(|transaction| {
            let mut table = transaction.open_table(PLACES)?;
            let mut held: Vec<(PlaceKey, Place)> = Vec::new();
            let mut write = |held: &mut Vec<(PlaceKey, Place)>| -> Result<(), StoreFailure> {
                held.sort_unstable();
                held.dedup_by_key(|(key, _)| *key);
                for (key, place) in held.drain(..) {
                    let known = table.get(&key)?.map(|row| Place::of_row(row.value()));
                    if known.is_none_or(|known| place < known) {
                        table.insert(&key, place.row())?;
                    }
                }
                Ok(())
            };
            fill(&mut |places| {
                held.extend(places);
                if held.len() < CHUNK { Ok(()) } else { write(&mut held) }
            })?;
            write(&mut held)
        })?;
        let table = file.read()?.open_table(PLACES).map_err(|e| file.failed(e))?;
        Ok(Self { file, table })
    }

    /// The place of the first record with this key.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn get(&self, key: &PlaceKey) -> Result<Option<Place>, StoreError> {
        let row = self.table.get(key).map_err(|e| self.file.failed(e))?;
        Ok(row.map(|row| Place::of_row(row.value())))
    }
}
