//! The content of a page: its texts and other facts, each as a hash, with how it begins.

use dehusk_html::{Dom, NodeId};

use super::masking::{keep_start, keep_value};
use super::{HASH_BITS, MOST_TEXTS, TextHash};

/// The bits of the place where a fact begins among the beginnings, and of the length of its beginning.
const PLACE_BITS: u32 = 64 - HASH_BITS - LENGTH_BITS;
const LENGTH_BITS: u32 = 8;

/// Texts and facts of a page while they are collected. The memory is kept from page to page.
#[derive(Debug, Default)]
pub struct Facts {
    /// Of each fact: the hash, and in lower bits the place of its beginning in `begins` and the length of that.
    facts: Vec<u64>,
    begins: Vec<u8>,
}

impl Facts {
    pub(super) fn add_text(&mut self, hash: TextHash, dom: &Dom<'_>, nodes: &[NodeId]) {
        let from = self.begins.len();
        keep_start(dom, nodes, &mut self.begins);
        self.add_from(hash, from);
    }

    /// Adds a fact that is no text of a block. `label` is the kind of fact.
    pub fn add(&mut self, hash: TextHash, label: &str, value: &str) {
        let from = self.begins.len();
        self.begins.extend_from_slice(label.as_bytes());
        keep_value(value, &mut self.begins);
        self.add_from(hash, from);
    }

    fn add_from(&mut self, hash: TextHash, from: usize) {
        let length = (self.begins.len() - from).min((1 << LENGTH_BITS) - 1);
        let hash = u64::from(hash) << (PLACE_BITS + LENGTH_BITS);
        self.facts.push(hash | (from as u64) << LENGTH_BITS | length as u64);
    }

    /// The hashes of all facts, sorted and without copies, and how each fact begins: a byte with the length, and the
    /// source of the first bytes. Those of the least hashes are kept, [`MOST_TEXTS`] at most. What was collected is
    /// forgotten.
    pub fn take(&mut self) -> (Box<[TextHash]>, Box<[u8]>) {
        let hash = |fact: &u64| (fact >> (PLACE_BITS + LENGTH_BITS)) as TextHash;
        // Of two texts of one hash the first is shown.
        self.facts.sort_unstable();
        self.facts.dedup_by_key(|fact| hash(fact));
        self.facts.truncate(MOST_TEXTS);
        let length = |fact: &u64| (fact & ((1 << LENGTH_BITS) - 1)) as usize;
        let mut begins = Vec::with_capacity(self.facts.iter().map(|fact| 1 + length(fact)).sum());
        for fact in &self.facts {
            let from = (fact >> LENGTH_BITS & ((1 << PLACE_BITS) - 1)) as usize;
            begins.push(length(fact) as u8);
            begins.extend_from_slice(&self.begins[from..][..length(fact)]);
        }
        let hashes = self.facts.iter().map(hash).collect();
        self.facts.clear();
        self.begins.clear();
        (hashes, begins.into())
    }
}
