//! The length of the longest common subsequence of two texts' words (CETD, section 5.2), bit-parallel.
//!
//! The algorithm is that of H. Hyyrö, *Bit-parallel LCS-length computation revisited*, 2004. `V` has one bit for each
//! word of the reference; all are ones at first. For every word of the other text, `M` is the places of the word in the
//! reference, and
//!
//! ```text
//! V ← (V + (V & M)) | (V & ~M)            the length is the number of zeros in V in the end
//! ```
//!
//! The naive equivalent fills a table of |a| · |b| lengths. Here one machine word holds 64 of them. `M` is stored as
//! the list of its machine words that are not zero, so memory is linear in |a| + |b|. Where `M` is zero, only a carry
//! can change `V`, and it passes a machine word only if that is all ones.

/// A text that is prepared for comparisons with many others.
#[derive(Debug, Default)]
pub struct Reference {
    /// Number of words.
    len: usize,
    /// The start of each word's places, and the end of the last.
    starts: Vec<u32>,
    /// Places as (machine word, bits), in order.
    places: Vec<(u32, u64)>,
}

impl Reference {
    /// Prepares a text. `words` are numbers from 0 on without gaps, as a new [`Lexicon`](super::lexicon::Lexicon) gives
    /// them. Other words of the compared texts have greater numbers.
    pub fn new(words: &[u32]) -> Self {
        let distinct = words.iter().max().map_or(0, |most| *most as usize + 1);
        let block = |at: usize| (at / 64) as u32;
        let mut starts = vec![0u32; distinct + 1];
        let mut last = vec![u32::MAX; distinct];
        for (at, &word) in words.iter().enumerate() {
            if last[word as usize] != block(at) {
                last[word as usize] = block(at);
                starts[word as usize + 1] += 1;
            }
        }
        for i in 1..starts.len() {
            starts[i] += starts[i - 1];
        }
        let mut places = vec![(u32::MAX, 0u64); starts.last().map_or(0, |n| *n as usize)];
        let mut next: Vec<u32> = starts.clone();
        for (at, &word) in words.iter().enumerate() {
            let word = word as usize;
            if next[word] > starts[word] && places[next[word] as usize - 1].0 == block(at) {
                places[next[word] as usize - 1].1 |= 1 << (at % 64);
            } else {
                places[next[word] as usize] = (block(at), 1 << (at % 64));
                next[word] += 1;
            }
        }
        Self {
            len: words.len(),
            starts,
            places,
        }
    }

    /// Number of words.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is no word.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Number of steps of [`common`](Self::common) with another text. Each of its words takes one step for every 64
    /// words of the reference among which it occurs.
    pub fn steps(&self, other: &[u32]) -> u64 {
        let places = |word: usize| match self.starts.get(word + 1) {
            Some(end) => u64::from(end - self.starts[word]),
            None => 0,
        };
        other.iter().map(|word| places(*word as usize)).sum()
    }

    /// Length of the longest common subsequence with another text, in words.
    pub fn common(&self, other: &[u32]) -> usize {
        let mut v = vec![u64::MAX; self.len.div_ceil(64)];
        for &word in other {
            let word = word as usize;
            if word + 1 >= self.starts.len() {
                continue;
            }
            let mut carry = false;
            let mut at = 0;
            for &(block, mask) in &self.places[self.starts[word] as usize..self.starts[word + 1] as usize] {
                let block = block as usize;
                if carry {
                    carry = carry_on(&mut v[at..block]);
                }
                let before = v[block];
                let (sum, over) = before.overflowing_add(before & mask);
                let (sum, over_too) = sum.overflowing_add(u64::from(carry));
                v[block] = sum | (before & !mask);
                carry = over || over_too;
                at = block + 1;
            }
            if carry {
                carry_on(&mut v[at..]);
            }
        }
        v.iter().map(|bits| bits.count_zeros() as usize).sum()
    }
}

/// Adds a carry where no word of the reference matches. Returns whether there is a carry at the end.
#[inline]
fn carry_on(v: &mut [u64]) -> bool {
    match v.iter_mut().find(|bits| **bits != u64::MAX) {
        Some(bits) => {
            *bits |= *bits + 1;
            false
        }
        None => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The naive equivalent.
    fn naive(a: &[u32], b: &[u32]) -> usize {
        let mut row = vec![0; b.len() + 1];
        for x in a {
            let mut corner = 0;
            for (j, y) in b.iter().enumerate() {
                let above = row[j + 1];
                row[j + 1] = if x == y { corner + 1 } else { above.max(row[j]) };
                corner = above;
            }
        }
        row[b.len()]
    }

    /// Numbers without gaps, in order of first sight.
    fn dense(words: &[u32], seen: &mut Vec<u32>) -> Vec<u32> {
        let mut id = |w: &u32| {
            seen.iter().position(|s| s == w).unwrap_or_else(|| {
                seen.push(*w);
                seen.len() - 1
            }) as u32
        };
        words.iter().map(&mut id).collect()
    }

    #[test]
    fn lengths_are_those_of_the_table() {
        let mut state = 7u64;
        let mut random = |below: u64| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            ((state >> 33) % below) as u32
        };
        for case in 0..600 {
            let letters = [1, 2, 3, 20, 400][case % 5];
            let lengths = [0, 1, 63, 64, 65, 127, 130, 200, 300];
            let (n, m) = (lengths[random(9) as usize], lengths[random(9) as usize]);
            let a: Vec<u32> = (0..n).map(|_| random(letters)).collect();
            let b: Vec<u32> = (0..m).map(|_| random(letters + 1)).collect();
            let mut seen = Vec::new();
            let (a, b) = (dense(&a, &mut seen), dense(&b, &mut seen));
            assert_eq!(Reference::new(&a).common(&b), naive(&a, &b), "case {case}");
        }
    }

    #[test]
    fn steps_count_at_the_places_of_words() {
        // The word 0 is in all three machine words of the reference, the word 1 only in the first.
        let words: Vec<u32> = (0..130).map(|i| u32::from(i == 5)).collect();
        let reference = Reference::new(&words);
        assert_eq!(
            [&[0, 0][..], &[1], &[2], &[]].map(|other| reference.steps(other)),
            [6, 1, 0, 0]
        );
    }

    #[test]
    fn a_text_is_its_own_longest_subsequence() {
        let words: Vec<u32> = (0..10_000).map(|i| if i % 3 == 0 { 0 } else { i / 3 + 1 }).collect();
        assert_eq!(Reference::new(&words).common(&words), 10_000);
        assert_eq!(Reference::new(&words).common(&[]), 0);
        assert_eq!(Reference::new(&[]).common(&words), 0);
    }
}
