//! The documents of an archive in two runs, joined by their ids.
//!
//! Shards are in the order of the archive, so both runs have the documents that they share in one order, and next to
//! nothing is held. The ids of both shards are read first. So a document that the other run does not have is known at
//! once.

use std::collections::{BTreeMap, HashMap, VecDeque};

use xxhash_rust::xxh3::xxh3_64;

use crate::readback::RunShard;
use dehusk_documents::document::Document;
use dehusk_documents::encode::{ShardError, ShardReader};

/// Bytes of texts that wait for their partners. If shards are in different orders, texts beyond that are dropped, and
/// their documents are compared by their hashes alone.
const HELD: usize = 64 << 20;

/// A document of one run or of both.
pub(super) enum Joined {
    Both(Box<Document>, Box<Document>),
    OnlyA(Box<Document>),
    OnlyB(Box<Document>),
}

/// The shards of an archive in one run, read one after the other.
struct Documents<'s> {
    shards: std::slice::Iter<'s, RunShard>,
    current: Option<ShardReader>,
}

impl<'s> Documents<'s> {
    fn new(shards: &'s [RunShard]) -> Self {
        Self {
            shards: shards.iter(),
            current: None,
        }
    }

    fn next(&mut self) -> Result<Option<Document>, ShardError> {
        loop {
            if let Some(document) = self.current.as_mut().and_then(Iterator::next) {
                return document.map(Some);
            }
            match self.shards.next() {
                Some(shard) => self.current = Some(shard.read()?),
                None => return Ok(None),
            }
        }
    }
}

/// How often each id is still to come.
struct Ids(HashMap<u64, u32>);

impl Ids {
    fn read(shards: &[RunShard]) -> Result<Self, ShardError> {
        let mut ids = HashMap::new();
        let mut documents = Documents::new(shards);
        while let Some(document) = documents.next()? {
            *ids.entry(hash(&document)).or_default() += 1;
        }
        Ok(Self(ids))
    }

    /// Takes one of this id, if there is one.
    fn take(&mut self, id: u64) -> bool {
        match self.0.get_mut(&id) {
            Some(n) if *n > 0 => {
                *n -= 1;
                true
            }
            _ => false,
        }
    }
}

fn hash(document: &Document) -> u64 {
    xxh3_64(document.id.as_bytes())
}

/// Joins the documents of an archive in two runs. An id that a run has several times is joined in the order of the
/// archive.
///
/// # Errors
/// A shard cannot be read. What was found before has been handed over.
pub(super) fn join(a: &[RunShard], b: &[RunShard], mut found: impl FnMut(Joined)) -> Result<(), ShardError> {
    let (mut left_a, mut left_b) = (Ids::read(a)?, Ids::read(b)?);
    let (mut from_a, mut from_b) = (Documents::new(a), Documents::new(b));
    // Documents of the second run that were read before their partners.
    let mut waiting: BTreeMap<u64, VecDeque<Document>> = BTreeMap::new();
    let mut held = 0;
    while let Some(one) = from_a.next()? {
        let id = hash(&one);
        if !left_b.take(id) {
            found(Joined::OnlyA(Box::new(one)));
            continue;
        }
        if let Some(other) = waiting.get_mut(&id).and_then(VecDeque::pop_front) {
            held -= other.text.len();
            found(Joined::Both(Box::new(one), Box::new(other)));
            continue;
        }
        let mut one = Some(one);
        while let Some(mut other) = from_b.next()? {
            let its_id = hash(&other);
            if !left_a.take(its_id) {
                found(Joined::OnlyB(Box::new(other)));
            } else if its_id == id {
                found(Joined::Both(Box::new(one.take().unwrap_or_default()), Box::new(other)));
                break;
            } else {
                if held + other.text.len() > HELD {
                    other.text = String::new();
                    other.more_texts = Vec::new();
                }
                held += other.text.len();
                waiting.entry(its_id).or_default().push_back(other);
            }
        }
        // The shard has changed since its ids were read.
        if let Some(one) = one {
            found(Joined::OnlyA(Box::new(one)));
        }
    }
    while let Some(other) = from_b.next()? {
        found(Joined::OnlyB(Box::new(other)));
    }
    for other in waiting.into_values().flatten() {
        found(Joined::OnlyB(Box::new(other)));
    }
    Ok(())
}
