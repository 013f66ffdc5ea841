//! In how many stories of a language each term occurs.

use std::collections::HashMap;

use super::terms::Term;

/// The stories by which frequencies run ahead of the pass.
pub(super) const AHEAD: usize = 1000;

/// The terms that are remembered of a language. Where there are more, the rarest are forgotten: those of a single story,
/// and of more until half are left, so that many nights of frequent terms do not make each story forget some.
const MOST_TERMS: usize = 4_000_000;

/// Of this many stories, half of what a term of a single one weighs is left.
const ALONE: f32 = 25.0;

/// Document frequencies.
#[derive(Default)]
pub(super) struct Frequencies {
    stories: u32,
    by_term: HashMap<u64, u32>,
}

impl Frequencies {
    /// Counts a story.
    pub(super) fn add(&mut self, terms: &[Term]) {
        self.stories += 1;
        for term in terms {
            *self.by_term.entry(term.key).or_default() += 1;
        }
        if self.by_term.len() > MOST_TERMS {
            self.forget(MOST_TERMS / 2);
        }
    }

    /// Forgets the rarest terms, until there are at most so many.
    fn forget(&mut self, most: usize) {
        let mut counts: Vec<u32> = self.by_term.values().copied().collect();
        let (_, rarest, _) = counts.select_nth_unstable_by(most, |a, b| b.cmp(a));
        let rarest = *rarest;
        self.by_term.retain(|_, stories| *stories > rarest);
    }

    /// Its bytes: the number of stories, then each term and the stories that have it, by term, little-endian.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let mut terms: Vec<(u64, u32)> = self.by_term.iter().map(|(key, stories)| (*key, *stories)).collect();
        terms.sort_unstable();
        let term = |(key, stories): (u64, u32)| [&key.to_le_bytes()[..], &stories.to_le_bytes()].concat();
        let mut bytes = self.stories.to_le_bytes().to_vec();
        bytes.extend(terms.into_iter().flat_map(term));
        bytes
    }

    /// The frequencies of what [`Frequencies::to_bytes`] made. `None` if it is anything else.
    pub(super) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (stories, terms) = bytes.split_first_chunk()?;
        let term = |bytes: &[u8; 12]| {
            let [a, b, c, d, e, f, g, h, stories @ ..] = *bytes;
            (
                u64::from_le_bytes([a, b, c, d, e, f, g, h]),
                u32::from_le_bytes(stories),
            )
        };
        Some(Self {
            stories: u32::from_le_bytes(*stories),
            by_term: terms.as_chunks().0.iter().map(term).collect(),
        })
    }

    /// The weight of a term: the logarithm of the inverse of the share of stories that have it.
    ///
    /// A term that no other story has brings no two together. It only keeps apart the few words that all share in a
    /// small collection, so it weighs the less, the more stories there are.
    pub(super) fn inverse(&self, key: u64) -> f32 {
        let with = self.by_term.get(&key).copied().unwrap_or(1);
        let stories = self.stories as f32;
        let inverse = ((stories + 1.0) / (with as f32 + 0.5)).ln().max(0.0);
        match with {
            1 => inverse * ALONE / (ALONE + stories),
            _ => inverse,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rarest_terms_are_forgotten_until_there_is_room() {
        let of = |counts: &[u32]| Frequencies {
            stories: 9,
            by_term: (0..).zip(counts.iter().copied()).collect(),
        };
        for (counts, most, kept) in [
            (&[1, 2, 3, 9][..], 3, &[1, 2, 3][..]),
            (&[2, 3, 9, 2], 2, &[1, 2]),
            (&[2, 3, 9, 2], 1, &[2]),
        ] {
            let mut frequencies = of(counts);
            frequencies.forget(most);
            let mut terms: Vec<u64> = frequencies.by_term.into_keys().collect();
            terms.sort_unstable();
            assert_eq!(terms, kept, "{counts:?}");
        }
    }
}
