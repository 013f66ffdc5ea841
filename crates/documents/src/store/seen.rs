//! The payloads that runs have emitted.
//!
//! A payload is known by the first 128 bits of its SHA-256, of the body as the page was made from it: all codings
//! undone, not yet decoded to text. It is always computed. What records state themselves is made by several algorithms,
//! in several spellings, of bodies with or without their codings, and sometimes of more than the archive holds.
//!
//! - `payloads`: from a payload's key to the number of the run that emitted it first
//! - `runs`: from a run's number to how many payloads it has emitted, their sum, and whether another run replaces it
//!
//! Runs are numbered in the order in which they are completed. So one number states what a run sees: the runs up to it.
//! All of a run's payloads are added in one commit when it is complete.

use std::collections::HashSet;
use std::path::Path;

use redb::{ReadOnlyTable, ReadableTable, TableDefinition, TableError};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use super::{StoreError, StoreFailure, StoreFile, StoreKind};

/// The key by which a payload is known.
pub type PayloadKey = [u8; 16];

/// How many payloads the store takes at a time. They are sorted, which makes adding them several times as fast.
const CHUNK: usize = 1 << 20;

const PAYLOADS: TableDefinition<&PayloadKey, u32> = TableDefinition::new("payloads");

/// How many payloads, their sum, and whether another run replaces this one.
const RUNS: TableDefinition<u32, (u64, u128, bool)> = TableDefinition::new("runs");

/// The key of a payload.
pub fn payload_key(payload: &[u8]) -> PayloadKey {
    let digest = Sha256::digest(payload);
    std::array::from_fn(|i| digest[i])
}

/// The part of a store of payloads that a run sees, and its additions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SeenState {
    /// The number of the last run that was complete when this one began.
    pub before: u32,
    /// A hash of what all these runs had emitted.
    pub state: String,
    /// The additions of this run. They do not count for the run itself.
    #[serde(default)]
    pub runs: Vec<SeenEntry>,
    /// Entries that earlier runs in the same directory had added, and this one replaces. All of them stay here, because
    /// an older copy of the store still has them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub replaces: Vec<SeenEntry>,
}

/// An addition of a run to a store of payloads.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SeenEntry {
    /// The run's number in the store.
    pub number: u32,
    /// A hash of the payloads.
    pub digest: String,
}

/// A store of payloads, as a run sees it.
pub struct Seen {
    file: StoreFile,
    /// `None` while nothing was ever added.
    payloads: Option<ReadOnlyTable<&'static PayloadKey, u32>>,
    before: u32,
    /// Runs up to that one that do not count: this one, and those that are replaced.
    except: HashSet<u32>,
}

/// Whether a run that is resumed can use a store.
pub enum Resumed {
    /// It can, with this state.
    Open(Box<Seen>, SeenState),
    /// The store does not hold what it held when the run began.
    Other,
    /// The store does not hold what the run has added: it was restored from an older copy.
    Older,
}

/// A run as the store knows it.
#[derive(Clone, Copy)]
struct Row {
    number: u32,
    count: u64,
    sum: u128,
    is_replaced: bool,
}

impl Row {
    fn entry(&self) -> SeenEntry {
        let mut bytes = [0; 28];
        bytes[..4].copy_from_slice(&self.number.to_le_bytes());
        bytes[4..12].copy_from_slice(&self.count.to_le_bytes());
        bytes[12..].copy_from_slice(&self.sum.to_le_bytes());
        SeenEntry {
            number: self.number,
            digest: format!("{:016x}", xxh3_64(&bytes)),
        }
    }
}

impl Seen {
    /// Opens a store for a run that begins, and creates it if there is none. `replaced` is what the run that it
    /// replaces had added.
    ///
    /// # Errors
    /// The store cannot be used.
    pub fn begin(path: &Path, mut replaced: Vec<SeenEntry>) -> Result<(Self, SeenState), StoreError> {
        let (file, rows) = open(path, true)?;
        let mut known = HashSet::new();
        replaced.retain(|entry| known.insert(entry.clone()));
        let state = SeenState {
            before: rows.last().map_or(0, |row| row.number),
            replaces: replaced,
            ..SeenState::default()
        };
        let (seen, digest) = Self::new(file, &rows, &state)?;
        Ok((seen, SeenState { state: digest, ..state }))
    }

    /// Opens a store for a run that is resumed. `announced` lists what the run may have added in addition to what its
    /// state lists.
    ///
    /// # Errors
    /// The store cannot be used.
    pub fn resume(path: &Path, mut state: SeenState, announced: &[SeenEntry]) -> Result<Resumed, StoreError> {
        let (file, rows) = match open(path, false) {
            Ok(opened) => opened,
            Err(e) if e.is_not_found() => return Ok(Resumed::Other),
            Err(e) => return Err(e),
        };
        let added = state.runs.len();
        state.runs = still_there(&rows, state.runs);
        let is_older = state.runs.len() < added;
        state.runs.extend(still_there(&rows, announced.to_vec()));
        let (seen, digest) = Self::new(file, &rows, &state)?;
        Ok(if digest != state.state {
            Resumed::Other
        } else if is_older {
            Resumed::Older
        } else {
            Resumed::Open(Box::new(seen), state)
        })
    }

    /// Returns the hash of what the run sees, too.
    fn new(file: StoreFile, rows: &[Row], state: &SeenState) -> Result<(Self, String), StoreError> {
        let own: HashSet<&SeenEntry> = state.runs.iter().chain(&state.replaces).collect();
        let except = rows.iter().filter(|row| row.is_replaced || own.contains(&row.entry()));
        let except: HashSet<u32> = except.map(|row| row.number).collect();
        let mut hash = Xxh3::new();
        for row in rows {
            if row.number <= state.before && !except.contains(&row.number) {
                hash.update(row.entry().digest.as_bytes());
            }
        }
        let payloads = match file.read()?.open_table(PAYLOADS) {
            Ok(table) => Some(table),
            Err(TableError::TableDoesNotExist(_)) => None,
            Err(e) => return Err(file.failed(e)),
        };
        let seen = Self {
            file,
            payloads,
            before: state.before,
            except,
        };
        Ok((seen, format!("{:016x}", hash.digest())))
    }

    /// Whether a run that counts has emitted a payload.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn contains(&self, payload: &PayloadKey) -> Result<bool, StoreError> {
        let Some(payloads) = &self.payloads else {
            return Ok(false);
        };
        let run = payloads.get(payload).map_err(|e| self.file.failed(e))?;
        Ok(run.is_some_and(|run| {
            let run = run.value();
            run <= self.before && !self.except.contains(&run)
        }))
    }

    /// Adds what a run has emitted, in one step, and enters that in its state. `payloads` passes every key to the
    /// function that it receives. `announce` receives the new entry before it is committed. If the program ends between
    /// the two, the state with the entry shows whether it was committed.
    ///
    /// # Errors
    /// The store cannot be written, or one of the two fails. The store is as it was.
    pub fn add(
        &self,
        state: &mut SeenState,
        payloads: impl FnOnce(&mut dyn FnMut(PayloadKey) -> Added) -> Added,
        announce: impl FnOnce(&SeenEntry) -> Added,
    ) -> Result<(), StoreError> {
        let added = self.file.write(|transaction| {
            let mut runs = transaction.open_table(RUNS)?;
            let mut table = transaction.open_table(PAYLOADS)?;
            let rows = rows_of(&runs)?;
            let replaced: HashSet<u32> = rows
                .iter()
                .filter(|row| row.is_replaced || state.replaces.contains(&row.entry()))
                .map(|row| row.number)
                .collect();
            for row in rows.iter().filter(|row| replaced.contains(&row.number)) {
                runs.insert(row.number, (row.count, row.sum, true))?;
            }
            let mut row = Row {
                number: rows.last().map_or(0, |row| row.number) + 1,
                count: 0,
                sum: 0,
                is_replaced: false,
            };
            // An earlier run may have emitted it, too. It keeps its entry, unless it is replaced.
            let mut held: Vec<PayloadKey> = Vec::new();
            let mut write = |held: &mut Vec<PayloadKey>| -> Result<(), StoreFailure> {
                held.sort_unstable();
                for payload in held.drain(..) {
                    let run = table.get(&payload)?.map(|run| run.value());
                    if run.is_none_or(|run| replaced.contains(&run)) {
                        table.insert(&payload, row.number)?;
                    }
                }
                Ok(())
            };
            payloads(&mut |payload| {
                row.count += 1;
                row.sum = row.sum.wrapping_add(u128::from_le_bytes(payload));
                held.push(payload);
                if held.len() == CHUNK { write(&mut held) } else { Ok(()) }
            })?;
            write(&mut held)?;
            let is_known = |known: &Row| {
                let is_own = state.runs.iter().any(|entry| entry.number == known.number);
                is_own && (known.count, known.sum) == (row.count, row.sum)
            };
            // The run may have been ended between its commit here and its last report.
            if row.count == 0 || rows.iter().any(is_known) {
                return Ok(None);
            }
            runs.insert(row.number, (row.count, row.sum, false))?;
            let entry = row.entry();
            announce(&entry)?;
            Ok(Some(entry))
        })?;
        state.runs.extend(added);
        Ok(())
    }
}

/// The result of adding.
pub type Added = Result<(), StoreFailure>;

/// Opens a store, and reads its runs in the order of their numbers.
fn open(path: &Path, create: bool) -> Result<(StoreFile, Vec<Row>), StoreError> {
    let kind = StoreKind {
        holds: "payloads that runs have emitted",
        version: "1",
        parameters: "SHA-256 of payloads without codings, 128 bits".to_owned(),
    };
    let file = StoreFile::open(path, &kind, create)?;
    let rows = match file.read()?.open_table(RUNS) {
        Ok(table) => rows_of(&table).map_err(|e| file.failed(e))?,
        Err(TableError::TableDoesNotExist(_)) => Vec::new(),
        Err(e) => return Err(file.failed(e)),
    };
    Ok((file, rows))
}

fn rows_of(table: &impl ReadableTable<u32, (u64, u128, bool)>) -> Result<Vec<Row>, redb::StorageError> {
    let mut rows = Vec::new();
    for item in table.iter()? {
        let (number, value) = item?;
        let (count, sum, is_replaced) = value.value();
        rows.push(Row {
            number: number.value(),
            count,
            sum,
            is_replaced,
        });
    }
    Ok(rows)
}

/// Those entries that the store has.
fn still_there(rows: &[Row], mut entries: Vec<SeenEntry>) -> Vec<SeenEntry> {
    entries.retain(|entry| rows.iter().any(|row| row.entry() == *entry));
    entries
}
