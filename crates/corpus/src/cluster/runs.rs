//! The heads of the buckets of earlier nights, as sorted runs.
//!
//! An entry is the key of a bucket and a head. A night adds one run to a band: its entries in order, in blocks that are
//! never changed. To look up the buckets of a night, its sorted keys are merged with each run, so that a block is read
//! at most once, and in order. Runs are merged with each other as in a log-structured merge tree (O'Neil, Cheng,
//! Gawlick and O'Neil, 1996): the number of runs stays small, and an entry is written anew a few times in all. Bands
//! take turns, so that no night merges much more than another.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;

use dehusk_documents::store::{StoreFailure, checked, sealed};
use redb::{ReadableTable, Table, WriteTransaction};

use super::bands::BANDS;
use super::tables::{BLOCKS, RUNS};

/// A bucket's key and a head, in the order of both. Heads of later nights have higher numbers.
pub(super) type Entry = (u64, u32);

/// Names that clusters have or had are a band of their own, each with the first document of its cluster.
pub(super) const NAMES: u8 = BANDS as u8;

/// So many runs become one.
const FAN: u32 = 8;

/// Entries of a block, which fills a page of the B-tree of 16 KiB, with its key and its check.
const BLOCK: usize = 1360;

/// The runs of all bands, while a night is added.
pub(super) struct Runs<'t> {
    runs: Table<'t, (u8, u32), &'static [u8]>,
    blocks: Table<'t, (u8, u32, u32), &'static [u8]>,
    /// The number of the night that is added. A run has the number of its last night.
    night: u32,
}

impl<'t> Runs<'t> {
    pub(super) fn open(transaction: &'t WriteTransaction, night: u32) -> Result<Self, StoreFailure> {
        Ok(Self {
            runs: transaction.open_table(RUNS)?,
            blocks: transaction.open_table(BLOCKS)?,
            night,
        })
    }

    /// Finds the heads of the buckets of sorted keys. `found` gets their entries, in order.
    pub(super) fn find(&self, band: u8, keys: &[Entry], found: &mut Vec<Entry>) -> Result<(), StoreFailure> {
        found.clear();
        for row in self.runs.range((band, 0)..=(band, u32::MAX))? {
            let (key, value) = row?;
            let run = key.value().1;
            let firsts = firsts(band, run, value.value())?;
            self.find_in_run((band, run), &firsts, keys, found)?;
        }
        found.sort_unstable();
        Ok(())
    }

    /// The same in one run, whose blocks begin with the keys `firsts`.
    fn find_in_run(
        &self,
        (band, run): (u8, u32),
        firsts: &[u64],
        mut keys: &[Entry],
        found: &mut Vec<Entry>,
    ) -> Result<(), StoreFailure> {
        // The first block that was not read.
        let mut next = 0;
        while let Some((key, _)) = keys.first() {
            let before = firsts[next..].partition_point(|first| first < key);
            let block = match (before, firsts.get(next)) {
                (0, Some(first)) if first > key => {
                    keys = &keys[keys.partition_point(|(key, _)| key < first)..];
                    continue;
                }
                (0, None) => break,
                _ => next + before.saturating_sub(1),
            };
            next = block + 1;
            let place = (band, run, block as u32);
            let value = self.blocks.get(place)?.ok_or_else(StoreFailure::wrong_value)?;
            keys = Block::read(place, value.value())?.find(keys, found);
        }
        Ok(())
    }

    /// Adds the entries of the night, in order, and merges runs if that is due.
    pub(super) fn add(&mut self, band: u8, entries: Vec<Entry>) -> Result<(), StoreFailure> {
        let mut merged = Vec::new();
        for row in self.runs.range((band, self.first_merged(band))..=(band, u32::MAX))? {
            let (key, value) = row?;
            let run = key.value().1;
            if run >= self.night {
                return Err(StoreFailure::wrong_value());
            }
            merged.push((run, firsts(band, run, value.value())?.len() as u32));
        }
        if merged.is_empty() {
            return self.add_run(band, entries.into_iter().map(Ok));
        }
        let earlier = merged.iter().map(|(run, blocks)| Source::new(*run, *blocks));
        let sources = earlier.chain([Source::of(entries)]).collect();
        let mut new = RunWriter::new((band, self.night));
        self.merge(sources, &mut new)?;
        new.finish(self)?;
        for (run, _) in merged {
            self.runs.remove((band, run))?;
            self.blocks
                .retain_in((band, run, 0)..=(band, run, u32::MAX), |_, _| false)?;
        }
        Ok(())
    }

    /// Adds the entries of the night, in order, as a run.
    pub(super) fn add_run(
        &mut self,
        band: u8,
        entries: impl Iterator<Item = Result<Entry, StoreFailure>>,
    ) -> Result<(), StoreFailure> {
        let mut new = RunWriter::new((band, self.night));
        for entry in entries {
            new.add(entry?, &mut self.blocks)?;
        }
        new.finish(self)
    }

    /// The first of the nights whose runs become one with the run of tonight. Every 8th night merges the last 8, every
    /// 64th the last 64, and so on. Each band counts its nights from its own number on.
    fn first_merged(&self, band: u8) -> u32 {
        let nights = self.night + u32::from(band) + 1;
        let mut several = 1;
        while several <= self.night && nights.is_multiple_of(several * FAN) {
            several *= FAN;
        }
        (self.night + 1).saturating_sub(several)
    }

    /// Writes the entries of several runs in order.
    fn merge(&mut self, mut sources: Vec<Source>, new: &mut RunWriter) -> Result<(), StoreFailure> {
        let band = new.place.0;
        let mut heap = BinaryHeap::with_capacity(sources.len());
        for (number, source) in sources.iter_mut().enumerate() {
            if let Some(entry) = source.next(band, &self.blocks)? {
                heap.push(Reverse((entry, number)));
            }
        }
        while let Some(mut least) = heap.peek_mut() {
            let Reverse((entry, number)) = *least;
            new.add(entry, &mut self.blocks)?;
            match sources[number].next(band, &self.blocks)? {
                Some(entry) => *least = Reverse((entry, number)),
                None => drop(PeekMut::pop(least)),
            }
        }
        Ok(())
    }
}

/// The keys that a run's blocks begin with.
fn firsts(band: u8, run: u32, value: &[u8]) -> Result<Vec<u64>, StoreFailure> {
    let bytes = checked(&place_bytes((band, run, u32::MAX)), value).ok_or_else(StoreFailure::wrong_value)?;
    Ok(bytes.as_chunks().0.iter().map(|key| u64::from_le_bytes(*key)).collect())
}

/// A block: the keys of its entries, then the heads, little-endian.
struct Block<'b> {
    keys: &'b [[u8; 8]],
    heads: &'b [[u8; 4]],
}

impl<'b> Block<'b> {
    fn read(place: (u8, u32, u32), value: &'b [u8]) -> Result<Self, StoreFailure> {
        let bytes = checked(&place_bytes(place), value).ok_or_else(StoreFailure::wrong_value)?;
        let (keys, heads) = bytes.split_at(bytes.len() / 12 * 8);
        Ok(Self {
            keys: keys.as_chunks().0,
            heads: heads.as_chunks().0,
        })
    }

    fn key(&self, at: usize) -> u64 {
        u64::from_le_bytes(self.keys[at])
    }

    fn entry(&self, at: usize) -> Entry {
        (self.key(at), u32::from_le_bytes(self.heads[at]))
    }

    /// Finds the entries of sorted keys. Gives back the keys that may have entries in later blocks.
    fn find<'k>(&self, mut keys: &'k [Entry], found: &mut Vec<Entry>) -> &'k [Entry] {
        let mut at = 0;
        while let Some((key, _)) = keys.first() {
            at = self.first_from(*key, at);
            while at < self.keys.len() && self.key(at) == *key {
                found.push(self.entry(at));
                at += 1;
            }
            if at == self.keys.len() {
                break;
            }
            let same = keys.iter().take_while(|(other, _)| other == key).count();
            keys = &keys[same..];
        }
        keys
    }

    /// The first entry from `at` on whose key is not below `key`. It is near in most cases.
    fn first_from(&self, key: u64, at: usize) -> usize {
        let (mut from, mut step) = (at, 1);
        while from + step <= self.keys.len() && self.key(from + step - 1) < key {
            from += step;
            step *= 2;
        }
        let end = self.keys.len().min(from + step);
        from + self.keys[from..end].partition_point(|other| u64::from_le_bytes(*other) < key)
    }
}

/// The bytes of a block's place, for its check.
fn place_bytes((band, run, block): (u8, u32, u32)) -> [u8; 9] {
    let mut bytes = [band; 9];
    bytes[1..5].copy_from_slice(&run.to_le_bytes());
    bytes[5..].copy_from_slice(&block.to_le_bytes());
    bytes
}

/// A run that is merged, one block of it in memory.
struct Source {
    run: u32,
    /// The blocks that are not read yet.
    blocks: std::ops::Range<u32>,
    entries: std::vec::IntoIter<Entry>,
}

impl Source {
    fn new(run: u32, blocks: u32) -> Self {
        Self {
            run,
            blocks: 0..blocks,
            entries: Vec::new().into_iter(),
        }
    }

    /// Entries that are in memory already.
    fn of(entries: Vec<Entry>) -> Self {
        Self {
            run: 0,
            blocks: 0..0,
            entries: entries.into_iter(),
        }
    }

    fn next(
        &mut self,
        band: u8,
        table: &Table<'_, (u8, u32, u32), &'static [u8]>,
    ) -> Result<Option<Entry>, StoreFailure> {
        if self.entries.len() == 0
            && let Some(block) = self.blocks.next()
        {
            let place = (band, self.run, block);
            let value = table.get(place)?.ok_or_else(StoreFailure::wrong_value)?;
            let block = Block::read(place, value.value())?;
            let entries: Vec<Entry> = (0..block.keys.len()).map(|at| block.entry(at)).collect();
            self.entries = entries.into_iter();
        }
        Ok(self.entries.next())
    }
}

/// A run that is being written.
struct RunWriter {
    place: (u8, u32),
    entries: Vec<Entry>,
    firsts: Vec<u64>,
}

impl RunWriter {
    fn new(place: (u8, u32)) -> Self {
        Self {
            place,
            entries: Vec::with_capacity(BLOCK),
            firsts: Vec::new(),
        }
    }

    fn add(&mut self, entry: Entry, table: &mut Table<'_, (u8, u32, u32), &'static [u8]>) -> Result<(), StoreFailure> {
        self.entries.push(entry);
        if self.entries.len() == BLOCK {
            self.write_block(table)?;
        }
        Ok(())
    }

    fn write_block(&mut self, table: &mut Table<'_, (u8, u32, u32), &'static [u8]>) -> Result<(), StoreFailure> {
        let place = (self.place.0, self.place.1, self.firsts.len() as u32);
        let mut bytes = Vec::with_capacity(12 * BLOCK);
        self.entries.iter().for_each(|(key, _)| bytes.extend(key.to_le_bytes()));
        self.entries
            .iter()
            .for_each(|(_, head)| bytes.extend(head.to_le_bytes()));
        table.insert(place, &*sealed(&place_bytes(place), &bytes))?;
        self.firsts.push(self.entries[0].0);
        self.entries.clear();
        Ok(())
    }

    /// Completes the run, if it has entries.
    fn finish(mut self, to: &mut Runs<'_>) -> Result<(), StoreFailure> {
        if !self.entries.is_empty() {
            self.write_block(&mut to.blocks)?;
        }
        if self.firsts.is_empty() {
            return Ok(());
        }
        let bytes: Vec<u8> = self.firsts.iter().flat_map(|key| key.to_le_bytes()).collect();
        let place = place_bytes((self.place.0, self.place.1, u32::MAX));
        to.runs.insert(self.place, &*sealed(&place, &bytes))?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;
    use redb::Database;
    use redb::backends::InMemoryBackend;

    use super::*;

    /// Adds the entries of nights to a band. After each night, all keys are looked up. Returns how many runs there are.
    fn add_nights(band: u8, nights: &[Vec<u64>]) -> Result<usize, StoreFailure> {
        let database = Database::builder().create_with_backend(InMemoryBackend::new())?;
        let mut all: BTreeSet<Entry> = BTreeSet::new();
        let mut count = 0;
        for (night, keys) in nights.iter().enumerate() {
            let first = all.len() as u32;
            let mut entries: Vec<Entry> = keys.iter().copied().zip(first..).collect();
            entries.sort_unstable();
            all.extend(&entries);
            let transaction = database.begin_write()?;
            let mut runs = Runs::open(&transaction, night as u32)?;
            runs.add(band, entries)?;
            let mut found = Vec::new();
            // Every key is looked for by two documents, and others that no bucket has.
            let keys: Vec<Entry> = (0..60).flat_map(|key| [(key, 0), (key, 1)]).collect();
            runs.find(band, &keys, &mut found)?;
            assert!(found.iter().eq(&all), "night {night}");
            runs.find(band, &[(31, 7)], &mut found)?;
            assert!(
                found.iter().eq(all.iter().filter(|(key, _)| *key == 31)),
                "night {night}"
            );
            count = runs.runs.range((band, 0)..=(band, u32::MAX))?.count();
            drop(runs);
            transaction.commit()?;
        }
        Ok(count)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(10))]
        #[test]
        fn buckets_have_the_heads_of_all_nights(
            band in 0..42_u8,
            nights in prop::collection::vec(prop::collection::vec(0..50_u64, 0..2000), 1..80),
        ) {
            prop_assert!(add_nights(band, &nights).is_ok());
        }
    }

    #[test]
    fn a_run_of_a_later_night_is_refused() {
        let database = Database::builder().create_with_backend(InMemoryBackend::new()).unwrap();
        let transaction = database.begin_write().unwrap();
        let add = |night: u32| Runs::open(&transaction, night)?.add(3, vec![(7, night)]);
        assert!(add(5).is_ok());
        assert!(add(4).is_err(), "one of night 5");
        assert!(add(5).is_err(), "one of the same night");
        assert!(add(6).is_ok());
    }

    #[test]
    fn the_number_of_runs_stays_small() {
        for (band, nights) in [(0, 63), (0, 64), (0, 600), (41, 22), (41, 600)] {
            let count = add_nights(band, &vec![vec![7, 9]; nights]).ok().unwrap();
            assert!(count <= 21, "{count} runs after {nights} nights");
        }
        assert_eq!(add_nights(0, &vec![vec![7, 9]; 64]).ok(), Some(1));
        assert_eq!(add_nights(41, &vec![vec![7, 9]; 23]).ok(), Some(1));
    }
}
