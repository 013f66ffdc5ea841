//! Edit similarity: 1 less the Levenshtein distance of two texts, divided by the length of the longer one.

use std::collections::HashMap;

/// Bits of a word.
const BITS: usize = 64;

/// Most steps of one comparison. They take about a second.
pub(super) const MAX_STEPS: usize = 1 << 28;

/// Similarity of two texts, 0 to 1. `None` where both are empty, or the comparison would take more than [`MAX_STEPS`].
pub(super) fn similarity(a: &[char], b: &[char]) -> Option<f64> {
    let longer = a.len().max(b.len());
    if longer == 0 || steps(a.len(), b.len()) > MAX_STEPS {
        return None;
    }
    Some(1.0 - distance(a, b) as f64 / longer as f64)
}

/// Steps that it takes to compare texts of these lengths.
pub(super) fn steps(a: usize, b: usize) -> usize {
    a.min(b).div_ceil(BITS).saturating_mul(a.max(b))
}

/// Fewest insertions, deletions and replacements that make one text the other: Myers (1999), in blocks as Hyyrö (2003).
pub(super) fn distance(a: &[char], b: &[char]) -> usize {
    let (pattern, text) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    if pattern.is_empty() {
        return text.len();
    }
    let blocks = pattern.len().div_ceil(BITS);
    let mut places: HashMap<char, Vec<u64>> = HashMap::new();
    for (at, c) in pattern.iter().enumerate() {
        places.entry(*c).or_insert_with(|| vec![0; blocks])[at / BITS] |= 1 << (at % BITS);
    }
    let none = vec![0; blocks];
    let last = 1u64 << ((pattern.len() - 1) % BITS);
    // Whether the distance grows (or shrinks) from one row to the next, a bit for each row.
    let mut vertical = vec![(u64::MAX, 0u64); blocks];
    let mut distance = pattern.len();
    for c in text {
        let equal = places.get(c).unwrap_or(&none);
        let (mut grows_in, mut shrinks_in) = (1u64, 0u64);
        for (at, (grows, shrinks)) in vertical.iter_mut().enumerate() {
            let equal_or_shrinks = equal[at] | *shrinks;
            let equal = equal[at] | shrinks_in;
            let diagonal = ((equal & *grows).wrapping_add(*grows) ^ *grows) | equal;
            let right_grows = *shrinks | !(diagonal | *grows);
            let right_shrinks = *grows & diagonal;
            if at + 1 == blocks {
                distance += usize::from(right_grows & last != 0);
                distance -= usize::from(right_shrinks & last != 0);
            }
            let shifted_grows = right_grows << 1 | grows_in;
            let shifted_shrinks = right_shrinks << 1 | shrinks_in;
            (grows_in, shrinks_in) = (right_grows >> (BITS - 1), right_shrinks >> (BITS - 1));
            *grows = shifted_shrinks | !(equal_or_shrinks | shifted_grows);
            *shrinks = shifted_grows & equal_or_shrinks;
        }
    }
    distance
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chars(text: &str) -> Vec<char> {
        text.chars().collect()
    }

    /// The table of the textbook.
    fn naive(a: &[char], b: &[char]) -> usize {
        let mut row: Vec<usize> = (0..=b.len()).collect();
        for (i, x) in a.iter().enumerate() {
            let mut before = row[0];
            row[0] = i + 1;
            for (j, y) in b.iter().enumerate() {
                let replaced = before + usize::from(x != y);
                before = row[j + 1];
                row[j + 1] = replaced.min(before + 1).min(row[j] + 1);
            }
        }
        row[b.len()]
    }

    #[test]
    fn distances_are_those_of_the_textbook() {
        assert_eq!(distance(&chars("kitten"), &chars("sitting")), 3);
        assert_eq!(distance(&chars(""), &chars("abc")), 3);
        // Lengths on both sides of a block's border, with letters that follow a fixed pattern.
        let text = |length: usize, step: usize| -> Vec<char> {
            (0..length)
                .map(|i| char::from(b'a' + (i * i * step % 7 % 4) as u8))
                .collect()
        };
        for (a, b) in [(63, 70), (64, 64), (65, 130), (128, 5), (129, 200), (300, 290)] {
            let (a, b) = (text(a, 3), text(b, 5));
            assert_eq!(distance(&a, &b), naive(&a, &b), "{} {}", a.len(), b.len());
        }
    }

    #[test]
    fn similarity_is_a_share_of_the_longer_text() {
        assert_eq!(similarity(&chars("abcd"), &chars("ab")), Some(0.5));
        assert_eq!(similarity(&[], &[]), None);
        assert_eq!(similarity(&[], &chars("x")), Some(0.0));
        let long = vec!['x'; 200_000];
        assert_eq!(similarity(&long, &long), None);
    }
}
