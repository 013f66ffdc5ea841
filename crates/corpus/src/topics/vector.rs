//! Vectors of weighted terms.

use super::frequencies::Frequencies;
use super::terms::Term;

/// The terms of a vector: the heaviest ones.
const LENGTH: usize = 100;

/// Terms and their weights, in the order of the terms.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Vector(Vec<(u64, f32)>);

impl Vector {
    /// The terms of a story, weighed by TF-IDF: `(1 + ln tf) · idf`. Its length is 1.
    pub(super) fn weigh(terms: &[Term], frequencies: &Frequencies) -> Self {
        let weight = |term: &Term| (1.0 + (term.count as f32).ln()) * frequencies.inverse(term.key);
        let mut vector = Self(terms.iter().map(|term| (term.key, weight(term))).collect());
        vector.prune(LENGTH);
        let norm = vector.norm();
        if norm > 0.0 {
            vector.0.iter_mut().for_each(|(_, weight)| *weight /= norm);
        }
        vector
    }

    /// Keeps the heaviest terms.
    pub(super) fn prune(&mut self, length: usize) {
        self.0.retain(|(_, weight)| *weight > 0.0);
        self.0.sort_unstable_by(heavier);
        self.0.truncate(length);
        self.0.sort_unstable_by_key(|(key, _)| *key);
    }

    /// The heaviest terms, the heaviest first.
    pub(super) fn heaviest(&self, count: usize) -> Vec<(u64, f32)> {
        let mut terms = self.0.clone();
        terms.sort_unstable_by(heavier);
        terms.truncate(count);
        terms
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Its bytes: each term and its weight, little-endian.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let term = |(key, weight): &(u64, f32)| [&key.to_le_bytes()[..], &weight.to_le_bytes()].concat();
        self.0.iter().flat_map(term).collect()
    }

    /// The vector of what [`Vector::to_bytes`] made.
    pub(super) fn from_bytes(bytes: &[u8]) -> Self {
        let term = |bytes: &[u8; 12]| {
            let [a, b, c, d, e, f, g, h, weight @ ..] = *bytes;
            (u64::from_le_bytes([a, b, c, d, e, f, g, h]), f32::from_le_bytes(weight))
        };
        Self(bytes.as_chunks().0.iter().map(term).collect())
    }

    #[cfg(test)]
    pub(super) fn terms(&self) -> impl Iterator<Item = (u64, f32)> {
        self.0.iter().copied()
    }

    pub(super) fn keys(&self) -> impl Iterator<Item = u64> {
        self.0.iter().map(|(key, _)| *key)
    }

    pub(super) fn weight(&self, key: u64) -> Option<f32> {
        let place = self.0.binary_search_by_key(&key, |(key, _)| *key).ok()?;
        Some(self.0[place].1)
    }

    pub(super) fn norm(&self) -> f32 {
        self.0.iter().map(|(_, weight)| weight * weight).sum::<f32>().sqrt()
    }

    /// Adds the weights of another vector.
    pub(super) fn add(&mut self, other: &Self) {
        let mut sum = Vec::with_capacity(self.len() + other.len());
        let (mut a, mut b) = (self.0.iter().peekable(), other.0.iter().peekable());
        while let (Some((key_a, weight_a)), Some((key_b, weight_b))) = (a.peek(), b.peek()) {
            sum.push(match key_a.cmp(key_b) {
                std::cmp::Ordering::Less => (*key_a, *weight_a),
                std::cmp::Ordering::Greater => (*key_b, *weight_b),
                std::cmp::Ordering::Equal => (*key_a, weight_a + weight_b),
            });
            let last = sum.last().map_or(0, |(key, _)| *key);
            a.next_if(|(key, _)| *key == last);
            b.next_if(|(key, _)| *key == last);
        }
        sum.extend(a.chain(b));
        self.0 = sum;
    }
}

/// The bits of a sieve, by the first bits of a term.
const SIEVE_BITS: u32 = 12;

/// A vector that is compared with many others. A bit for the first bits of each of its terms excludes most terms that
/// it does not have without a search for them.
pub(super) struct Sieve<'v> {
    vector: &'v Vector,
    bits: [u64; (1 << SIEVE_BITS) / 64],
}

impl<'v> Sieve<'v> {
    pub(super) fn new(vector: &'v Vector) -> Self {
        let mut bits = [0; (1 << SIEVE_BITS) / 64];
        for key in vector.keys() {
            let (word, bit) = Self::place(key);
            bits[word] |= bit;
        }
        Self { vector, bits }
    }

    /// The word in which a term has its bit, and this bit.
    fn place(key: u64) -> (usize, u64) {
        let place = (key >> (64 - SIEVE_BITS)) as usize;
        (place / 64, 1 << (place % 64))
    }

    /// The sum of the products of the weights of common terms, in the order of the terms.
    pub(super) fn dot(&self, other: &Vector) -> f32 {
        let may_have = |(key, _): &&(u64, f32)| {
            let (word, bit) = Self::place(*key);
            self.bits[word] & bit != 0
        };
        let terms = other.0.iter().filter(may_have);
        terms
            .filter_map(|(key, weight)| Some(weight * self.vector.weight(*key)?))
            .sum()
    }
}

/// The order of terms by weight, the heaviest first. Equal weights are in the order of the terms.
fn heavier(a: &(u64, f32), b: &(u64, f32)) -> std::cmp::Ordering {
    b.1.total_cmp(&a.1).then(a.0.cmp(&b.0))
}
