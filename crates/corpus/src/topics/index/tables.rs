//! The tables of an index of topics.

use redb::TableDefinition;
use serde::{Deserialize, Serialize};

use super::Placed;
use crate::topics::describe::Gathered;

/// By language, and in the order in which they began: the open topics. Name, day of the last story, and the sum of the
/// stories' vectors.
pub(super) const OPEN: TableDefinition<(&str, u32), (u64, i64, &[u8])> = TableDefinition::new("open");

/// By language: the day of the last story, and how many stories have each term.
pub(super) const FREQUENCIES: TableDefinition<&str, (i64, &[u8])> = TableDefinition::new("frequencies");

/// By language and cluster of near-duplicates: the topic of its first story, and how similar that was.
pub(super) const CLUSTERS: TableDefinition<(&str, u64), (u64, u32)> = TableDefinition::new("clusters");

/// By name: a [`Record`] in JSON. Closed topics stay here.
pub(super) const TOPICS: TableDefinition<u64, &[u8]> = TableDefinition::new("topics");

/// By the hash of a shard's bytes: the places of its documents.
pub(super) const PLACES: TableDefinition<u128, &[u8]> = TableDefinition::new("places");

/// The description of a topic, open or closed.
#[derive(Serialize, Deserialize)]
pub(super) struct Record {
    /// Topics have numbers in the order in which they began.
    pub(super) number: u64,
    pub(super) language: String,
    pub(super) stories: u32,
    pub(super) documents: u32,
    /// Its heaviest terms, the heaviest first.
    pub(super) terms: Vec<(u64, f32)>,
    pub(super) gathered: Gathered,
}

impl Record {
    pub(super) fn to_bytes(&self) -> serde_json::Result<Vec<u8>> {
        serde_json::to_vec(self)
    }

    /// `None` if it is anything else.
    pub(super) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        serde_json::from_slice(bytes).ok()
    }
}

/// Where a document belongs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Place {
    /// The name of the topic.
    pub(super) topic: u64,
    pub(super) similarity: f32,
    pub(super) is_story: bool,
}

/// The bytes of a place: whether there is one and whether it is a story's, then name and similarity, little-endian.
const PLACE: usize = 13;

pub(super) fn places_to(places: &[Placed]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(PLACE * places.len());
    for place in places {
        let (kind, topic, similarity) = match place {
            None => (0, 0, 0.0),
            Some(place) => (1 + u8::from(place.is_story), place.topic, place.similarity),
        };
        bytes.push(kind);
        bytes.extend(topic.to_le_bytes());
        bytes.extend(similarity.to_le_bytes());
    }
    bytes
}

/// As many places as there are documents. Those that the bytes do not have are none.
pub(super) fn places_from(bytes: &[u8], count: usize) -> Vec<Placed> {
    let place = |bytes: &[u8; PLACE]| {
        let [kind, a, b, c, d, e, f, g, h, similarity @ ..] = *bytes;
        (kind > 0).then(|| Place {
            topic: u64::from_le_bytes([a, b, c, d, e, f, g, h]),
            similarity: f32::from_le_bytes(similarity),
            is_story: kind == 2,
        })
    };
    let mut places: Vec<Placed> = bytes.as_chunks().0.iter().map(place).collect();
    places.resize(count, None);
    places
}
