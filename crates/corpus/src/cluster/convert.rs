//! Converts an index of the first version, which had the heads of each bucket in an entry of a B-tree of its own.

use redb::{ReadableTable, ReadableTableMetadata, TableDefinition, WriteTransaction};

use super::bands::BANDS;
use super::compare::insert_head;
use super::runs::{Entry, NAMES, Runs};
use super::tables::{ALIASES, DOCUMENTS, HEADS, NIGHTS};
use dehusk_documents::store::{StoreError, StoreFailure, StoreFile};

/// By band and bucket: the heads, in numbers of 32 bits, little-endian.
const BUCKETS: TableDefinition<(u8, u64), &[u8]> = TableDefinition::new("bands");

/// By head: its features, in the same form.
const FEATURES: TableDefinition<u32, &[u8]> = TableDefinition::new("features");

/// By each name that was ever given: the name of the cluster that it has become a part of. A name in use maps to
/// itself.
const OLD_NAMES: TableDefinition<u64, u64> = TableDefinition::new("names");

/// Makes an index of the first version one of this version, in one commit. Its documents are the first night.
///
/// # Errors
/// The store fails. It is as it was then.
pub(super) fn convert(file: &mut StoreFile, version: &str) -> Result<(), StoreError> {
    file.convert(version, |transaction| {
        convert_heads(transaction)?;
        convert_names(transaction)?;
        let mut nights = transaction.open_table(NIGHTS)?;
        if !transaction.open_table(DOCUMENTS)?.is_empty()? {
            nights.insert(0, 0)?;
        }
        Ok(())
    })
}

fn convert_names(transaction: &WriteTransaction) -> Result<(), StoreFailure> {
    let names = transaction.open_table(OLD_NAMES)?;
    let mut aliases = transaction.open_table(ALIASES)?;
    for item in names.iter()? {
        let (name, now) = item?;
        if name.value() != now.value() {
            aliases.insert(name.value(), now.value())?;
        }
    }
    // No one asks which document a name was given for.
    let entries = names.iter()?.map(|item| Ok((item?.0.value(), 0)));
    Runs::open(transaction, 0)?.add_run(NAMES, entries)?;
    drop(names);
    transaction.delete_table(OLD_NAMES)?;
    Ok(())
}

fn convert_heads(transaction: &WriteTransaction) -> Result<(), StoreFailure> {
    let buckets = transaction.open_table(BUCKETS)?;
    let mut runs = Runs::open(transaction, 0)?;
    for band in 0..BANDS as u8 {
        let of_band = buckets.range((band, 0)..=(band, u64::MAX))?;
        let entries = of_band.flat_map(|item| match item {
            Ok((key, heads)) => {
                let heads = heads.value().as_chunks().0.iter();
                let entry = |head: &[u8; 4]| Ok((key.value().1, u32::from_le_bytes(*head)));
                heads.map(entry).collect::<Vec<Result<Entry, StoreFailure>>>()
            }
            Err(e) => vec![Err(e.into())],
        });
        runs.add_run(band, entries)?;
    }
    drop(buckets);
    transaction.delete_table(BUCKETS)?;
    let features = transaction.open_table(FEATURES)?;
    let mut heads = transaction.open_table(HEADS)?;
    for item in features.iter()? {
        let (head, features) = item?;
        insert_head(&mut heads, head.value(), features.value())?;
    }
    drop(features);
    transaction.delete_table(FEATURES)?;
    Ok(())
}
