//! Which blocks to keep, given their probabilities.
//!
//! Let `p` be the probability that a block is content and `w` its words. The content then has an expected `S = sum(p * w)`
//! words. If blocks with `W` words are kept, the expected F1 is about
//!
//! ```text
//! 2 * sum over kept blocks (p * w) / (W + S)
//! ```
//!
//! It is the highest for some number of the blocks with the highest probabilities. All of it is integer arithmetic.

use std::cmp::Reverse;

use super::model::Rule;

/// Memory that is kept from page to page.
#[derive(Debug, Default)]
pub(super) struct ChoiceBuffers {
    order: Vec<u32>,
}

/// The blocks that are kept.
#[derive(Debug)]
pub(super) struct Choice {
    /// Whether each block is kept.
    pub(super) kept: Vec<bool>,
    /// The expected F1, of 65535.
    pub(super) ratio: u16,
}

/// Chooses the blocks with the highest expected F1. `probabilities` are of 65536.
pub(super) fn choose(words: &[u32], probabilities: &[u16], rule: Rule, buffers: &mut ChoiceBuffers) -> Choice {
    let mut choice = Choice {
        kept: vec![false; words.len()],
        ratio: 0,
    };
    let expected = |block: usize| u64::from(probabilities[block]) * u64::from(words[block]);
    let all: u64 = (0..words.len()).map(expected).sum();
    if all < u64::from(rule.least_words) << 16 {
        return choice;
    }
    let order = &mut buffers.order;
    order.clear();
    order.extend((0..words.len() as u32).filter(|block| probabilities[*block as usize] > rule.least_probability));
    order.sort_unstable_by_key(|block| (Reverse(probabilities[*block as usize]), *block));
    let (mut common, mut kept_words) = (0, 0);
    // The best number of blocks, and its F1 as a fraction.
    let (mut best, mut best_common, mut best_size) = (0, 0, 1);
    for (number, block) in (1..).zip(order.iter()) {
        common += expected(*block as usize);
        kept_words += u64::from(words[*block as usize]) << 16;
        let size = kept_words + all;
        if u128::from(common) * u128::from(best_size) > u128::from(best_common) * u128::from(size) {
            (best, best_common, best_size) = (number, common, size);
        }
    }
    for block in &order[..best] {
        choice.kept[*block as usize] = true;
    }
    choice.ratio = (u128::from(best_common) * 2 * 65535 / u128::from(best_size)).min(65535) as u16;
    choice
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULE: Rule = Rule {
        least_words: 5,
        least_probability: 13_107,
        copy_words: 8,
    };

    fn kept(words: &[u32], shares: &[f64]) -> (Vec<bool>, f64) {
        let probabilities: Vec<u16> = shares.iter().map(|p| (p * 65535.0) as u16).collect();
        let choice = choose(words, &probabilities, RULE, &mut ChoiceBuffers::default());
        (choice.kept, f64::from(choice.ratio) / 65535.0)
    }

    #[test]
    fn a_block_is_kept_if_it_raises_the_expected_f1() {
        let (blocks, ratio) = kept(&[100, 100, 100], &[0.9, 0.6, 0.1]);
        assert_eq!(blocks, [true, true, false]);
        assert!((ratio - 2.0 * 150.0 / (200.0 + 160.0)).abs() < 0.001, "{ratio}");
    }

    #[test]
    fn nothing_is_kept_where_little_is_expected() {
        assert_eq!(kept(&[4, 100], &[1.0, 0.0]), (vec![false, false], 0.0));
        assert_eq!(kept(&[], &[]), (vec![], 0.0));
    }

    #[test]
    fn unlikely_blocks_are_never_kept() {
        let (blocks, _) = kept(&[1000, 1000], &[0.19, 0.15]);
        assert_eq!(blocks, [false, false]);
    }
}
