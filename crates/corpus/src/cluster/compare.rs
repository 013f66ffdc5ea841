//! The documents of a night, compared with each other and with those of earlier nights in an index.

use std::io;

use dehusk_documents::store::{StoreFailure, checked, sealed};
use redb::{ReadableTable, Table, WriteTransaction};

use super::bands::{BANDS, Comparison, Features, buckets};
use super::read::bytes;
use super::runs::{Entry, Runs};
use super::store::Store;
use super::tables::HEADS;

/// Compares new documents with each other and with those of earlier nights. `join` gets the similar pairs. The first of
/// the new documents has the number `base`.
pub(super) fn compare(
    (transaction, runs): (&WriteTransaction, &mut Runs<'_>),
    store: &Store,
    base: u32,
    threshold: f64,
    mut join: impl FnMut(u32, u32) -> Result<(), StoreFailure>,
) -> Result<(), StoreFailure> {
    let mut table = transaction.open_table(HEADS)?;
    let mut is_head = vec![false; store.len()];
    let both = BothNights {
        earlier: &table,
        store,
        base,
    };
    let mut comparison = Comparison::new(both, threshold);
    let (mut keys, mut found): (Vec<Entry>, Vec<Entry>) = (Vec::with_capacity(store.len()), Vec::new());
    let left = store.copies(|first, copy| join(base + first, base + copy))?;
    for band in 0..BANDS {
        buckets(store, band, &left, &mut keys).map_err(caller)?;
        runs.find(band as u8, &keys, &mut found)?;
        let mut earlier = found.chunk_by(|a, b| a.0 == b.0).peekable();
        let mut added: Vec<Entry> = Vec::with_capacity(keys.len());
        for bucket in keys.chunk_by(|a, b| a.0 == b.0) {
            let key = bucket[0].0;
            let known = earlier.next_if(|known| known[0].0 == key).unwrap_or_default();
            let mut heads: Vec<u32> = known.iter().map(|(_, head)| *head).collect();
            let documents = bucket.iter().map(|(_, document)| base + document);
            comparison.join_bucket(&mut heads, documents, &mut join)?;
            let new = &heads[known.len()..];
            new.iter().for_each(|head| is_head[(head - base) as usize] = true);
            added.extend(new.iter().map(|head| (key, *head)));
        }
        runs.add(band as u8, added)?;
    }
    drop(comparison);
    let mut own = Vec::new();
    for document in (0..store.len() as u32).filter(|document| is_head[*document as usize]) {
        store.features(document, &mut own).map_err(caller)?;
        insert_head(&mut table, base + document, &bytes(&own))?;
    }
    Ok(())
}

/// Keeps the features of a head.
pub(super) fn insert_head(
    table: &mut Table<'_, u32, &'static [u8]>,
    head: u32,
    features: &[u8],
) -> Result<(), StoreFailure> {
    table.insert(head, &*sealed(&head.to_le_bytes(), features))?;
    Ok(())
}

/// The features of the heads of earlier nights, and of all documents of this one.
struct BothNights<'t, 'r> {
    earlier: &'r Table<'t, u32, &'static [u8]>,
    store: &'r Store,
    base: u32,
}

impl BothNights<'_, '_> {
    /// Looks at the features of a head of an earlier night.
    fn with_head<T>(&self, head: u32, look: impl FnOnce(&[u8]) -> T) -> Result<T, StoreFailure> {
        let value = self.earlier.get(head)?.ok_or_else(StoreFailure::wrong_value)?;
        let features = checked(&head.to_le_bytes(), value.value()).ok_or_else(StoreFailure::wrong_value)?;
        Ok(look(features))
    }
}

impl Features for BothNights<'_, '_> {
    type Error = StoreFailure;

    fn count(&self, document: u32) -> Result<usize, StoreFailure> {
        match document.checked_sub(self.base) {
            Some(new) => Ok(self.store.feature_count(new)),
            None => self.with_head(document, |features| features.len() / 4),
        }
    }

    fn read(&self, document: u32, features: &mut Vec<u32>) -> Result<(), StoreFailure> {
        match document.checked_sub(self.base) {
            Some(new) => self.store.features(new, features).map_err(caller),
            None => self.with_head(document, |known| {
                features.clear();
                features.extend(known.as_chunks().0.iter().map(|bytes| u32::from_le_bytes(*bytes)));
            }),
        }
    }
}

fn caller(error: io::Error) -> StoreFailure {
    StoreFailure::Caller(Box::new(error))
}
