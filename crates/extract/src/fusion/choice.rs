//! Chooses the blocks to keep, given their logits.
//!
//! Let `p` be the probability that a block is content and `w` its words. The content then has an expected `S = sum(p *
//! w)` words. If blocks with `W` words are kept, the expected F1 is about
//!
//! ```text
//! 2 * sum over kept blocks (p * w) / (W + S)
//! ```
//!
//! It is the highest for some number of the blocks with the highest probabilities.
//!
//! The blocks of a page are not judged independently: on an unfamiliar kind of page a model is wrong about many blocks
//! in the same way. So the logits of all blocks are moved up and down together, and the F1 is the mean over these
//! offsets. Where the model is sure of every block, that changes nothing.

use std::cmp::Reverse;

use super::model::{Rule, probability};

/// The offsets of the logits, in tenths of [`Rule::spread`].
const OFFSETS: [i32; 5] = [-16, -7, 0, 7, 16];

/// Of a short page, one word in so many must be expected to be content, if that is less than [`Rule::least_words`].
const SHARE_OF_SHORT_PAGE: u64 = 4;

/// A block of at least so many words is kept however little is expected of the page, if its logit is higher than this.
/// That is a probability of one half.
const SURE: i32 = 0;
const SURE_WORDS: u32 = 8;

/// Memory that is kept from page to page.
#[derive(Debug, Default)]
pub(super) struct ChoiceBuffers {
    /// The probabilities of each block with each offset.
    probabilities: Vec<[u16; OFFSETS.len()]>,
    /// The blocks by their logits, the highest first.
    order: Vec<(Reverse<i32>, u32)>,
}

/// Chooses the blocks with the highest expected F1, and returns it, of 65535. `logits` are in units of 2^-12.
///
/// Sums are of integers. A mean of fractions is of doubles: divisions and sums in a fixed order, which are the same on
/// every machine.
pub(super) fn choose(
    words: &[u32],
    logits: &[i32],
    rule: Rule,
    buffers: &mut ChoiceBuffers,
    kept: &mut Vec<bool>,
) -> u16 {
    kept.clear();
    kept.resize(words.len(), false);
    let offsets = OFFSETS.map(|tenths| i32::from(rule.spread) * tenths / 10);
    let ChoiceBuffers { probabilities, order } = buffers;
    probabilities.clear();
    probabilities.extend(
        logits
            .iter()
            .map(|logit| offsets.map(|offset| probability(logit.saturating_add(offset)))),
    );
    let expected = |block: usize, k: usize| u64::from(probabilities[block][k]) * u64::from(words[block]);
    let mut all = [0u64; OFFSETS.len()];
    for (block, words) in probabilities.iter().zip(words) {
        for (sum, probability) in all.iter_mut().zip(block) {
            *sum += u64::from(*probability) * u64::from(*words);
        }
    }
    // On a page of few words, few are enough.
    let enough = words.iter().map(|words| u64::from(*words)).sum::<u64>() / SHARE_OF_SHORT_PAGE;
    let least = enough.min(rule.least_words.into()) << 16;
    let is_sure = logits
        .iter()
        .zip(words)
        .any(|(logit, words)| *logit > SURE && *words >= SURE_WORDS);
    if !is_sure && all.iter().sum::<u64>() < least * OFFSETS.len() as u64 {
        return 0;
    }
    order.clear();
    let all_blocks = (0..).zip(logits).zip(&*probabilities);
    let likely = all_blocks.filter(|(_, [.., plain, _, _])| *plain > rule.least_probability);
    order.extend(likely.map(|((block, logit), _)| (Reverse(*logit), block)));
    order.sort_unstable();
    let (mut common, mut kept_words) = ([0; OFFSETS.len()], 0);
    let (mut best, mut best_f1) = (0, 0.0);
    for (number, block) in (1..).zip(order.iter().map(|(_, block)| *block as usize)) {
        kept_words += u64::from(words[block]) << 16;
        let mut f1 = 0.0;
        for k in 0..OFFSETS.len() {
            common[k] += expected(block, k);
            f1 += 2.0 * common[k] as f64 / (kept_words + all[k]).max(1) as f64;
        }
        if f1 > best_f1 {
            (best, best_f1) = (number, f1);
        }
    }
    for (_, block) in &order[..best] {
        kept[*block as usize] = true;
    }
    (best_f1 / OFFSETS.len() as f64 * 65535.0).min(65535.0) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULE: Rule = Rule {
        least_words: 5,
        least_probability: 13_107,
        copy_words: 8,
        spread: 0,
    };

    fn kept_by(rule: Rule, words: &[u32], shares: &[f64]) -> (Vec<bool>, f64) {
        let logits: Vec<i32> = shares.iter().map(|p| ((p / (1.0 - p)).ln() * 4096.0) as i32).collect();
        let mut kept = Vec::new();
        let ratio = choose(words, &logits, rule, &mut ChoiceBuffers::default(), &mut kept);
        (kept, f64::from(ratio) / 65535.0)
    }

    fn kept(words: &[u32], shares: &[f64]) -> (Vec<bool>, f64) {
        kept_by(RULE, words, shares)
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
    fn a_short_text_that_is_surely_content_is_kept() {
        let rule = Rule {
            least_words: 20,
            ..RULE
        };
        assert_eq!(kept_by(rule, &[100, 12], &[0.001, 0.6]).0, [false, true]);
        assert_eq!(kept_by(rule, &[100, 12], &[0.001, 0.4]).0, [false, false]);
        assert_eq!(kept_by(rule, &[100, 7], &[0.001, 0.6]).0, [false, false]);
    }

    #[test]
    fn unlikely_blocks_are_never_kept() {
        let (blocks, _) = kept(&[1000, 1000], &[0.19, 0.15]);
        assert_eq!(blocks, [false, false]);
    }

    #[test]
    fn doubt_about_the_page_keeps_what_lies_between() {
        let (words, shares) = ([100, 100, 100], [0.6, 0.25, 0.21]);
        assert_eq!(kept(&words, &shares).0, [true, false, false]);
        let rule = Rule { spread: 8192, ..RULE };
        let (blocks, ratio) = kept_by(rule, &words, &shares);
        assert_eq!(blocks, [true, true, true]);
        assert!(ratio < kept(&words, &[0.99, 0.99, 0.99]).1);
    }
}
