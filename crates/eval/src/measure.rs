//! The papers' measures of one extraction against one truth, from counts. No measure divides by zero.

/// Precision, recall and their harmonic mean, each 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Prf {
    /// Share of the extracted that is in the truth.
    pub precision: f64,
    /// Share of the truth that was extracted.
    pub recall: f64,
    /// `2PR / (P + R)`.
    pub f1: f64,
}

impl Prf {
    /// All three are 1.
    pub const PERFECT: Prf = Prf {
        precision: 1.0,
        recall: 1.0,
        f1: 1.0,
    };

    /// Computes them from the sizes of the extraction, of the truth and of their intersection. If either is empty, all
    /// are
    /// 0. If both are empty, all are 1.
    pub fn new(common: u32, extracted: u32, truth: u32) -> Self {
        match (extracted, truth) {
            (0, 0) => Self::PERFECT,
            _ if extracted == 0 || truth == 0 || common == 0 => Self::default(),
            _ => {
                let precision = f64::from(common) / f64::from(extracted);
                let recall = f64::from(common) / f64::from(truth);
                Self {
                    precision,
                    recall,
                    f1: harmonic(precision, recall),
                }
            }
        }
    }
}

/// `2PR / (P + R)`; 0 where both are 0.
pub fn harmonic(precision: f64, recall: f64) -> f64 {
    if precision + recall == 0.0 {
        return 0.0;
    }
    2.0 * precision * recall / (precision + recall)
}

/// Score of CETD, section 5.2, formula 4: `LCS / (|a| + |b| - LCS)`; 1 where both texts are empty.
pub fn score(lcs: u32, extracted: u32, truth: u32) -> f64 {
    let aligned = extracted + truth - lcs;
    if aligned == 0 {
        return 1.0;
    }
    f64::from(lcs) / f64::from(aligned)
}

/// Recall at which a text counts as complete, and precision at which it counts as free of noise. ContentEx (IV.B) says
/// that 90% fulfil actual requirements.
pub const ENTIRE: f64 = 0.9;

/// ECON's judgement of an extraction (section IV). The authors judged by eye; here a rule does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judgement {
    /// The entire content and only that.
    Correct,
    /// The entire content, and noise.
    Wrong,
    /// A part of the content, or none.
    Missed,
}

impl Judgement {
    /// Judges by the precision and recall of the longest common subsequence: missed below a recall of [`ENTIRE`], or
    /// else wrong below such a precision. The recall of an empty truth is 1.
    pub fn new(lcs: u32, extracted: u32, truth: u32) -> Self {
        let enough = |of: u32| f64::from(lcs) >= ENTIRE * f64::from(of);
        match (enough(truth), enough(extracted)) {
            (false, _) => Self::Missed,
            (true, false) => Self::Wrong,
            (true, true) => Self::Correct,
        }
    }
}

/// The truth as a bag of words (NCE): the number of occurrences of each word.
#[derive(Debug, Default)]
pub struct Bag {
    counts: Vec<u32>,
    used: Vec<u32>,
}

impl Bag {
    /// `words` are numbers from 0 on, as [`Reference::new`](dehusk_similarity::lcs::Reference::new) takes them.
    pub fn new(words: &[u32]) -> Self {
        let mut counts = vec![0; words.iter().max().map_or(0, |most| *most as usize + 1)];
        words.iter().for_each(|w| counts[*w as usize] += 1);
        Self {
            used: vec![0; counts.len()],
            counts,
        }
    }

    /// Number of common words. A word counts as often as it occurs in both texts.
    pub fn common(&mut self, other: &[u32]) -> u32 {
        let mut common = 0;
        for &word in other {
            if let Some(used) = self.used.get_mut(word as usize)
                && *used < self.counts[word as usize]
            {
                *used += 1;
                common += 1;
            }
        }
        self.used.fill(0);
        common
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measures_are_the_papers_and_never_undefined() {
        let half = Prf::new(2, 4, 2);
        assert_eq!((half.precision, half.recall, half.f1), (0.5, 1.0, 2.0 / 3.0));
        assert_eq!(Prf::new(0, 0, 0), Prf::PERFECT);
        assert_eq!(
            [Prf::new(0, 0, 5), Prf::new(0, 5, 0), Prf::new(0, 5, 5)],
            [Prf::default(); 3]
        );
        assert_eq!(
            [score(2, 4, 2), score(0, 0, 0), score(0, 0, 3), score(0, 3, 0)],
            [0.5, 1.0, 0.0, 0.0]
        );
    }

    #[test]
    fn verdicts_change_at_their_borders() {
        assert_eq!(Judgement::new(9, 10, 10), Judgement::Correct);
        assert_eq!(Judgement::new(8, 8, 10), Judgement::Missed);
        assert_eq!(Judgement::new(9, 11, 10), Judgement::Wrong);
        assert_eq!(Judgement::new(0, 0, 10), Judgement::Missed);
        assert_eq!(Judgement::new(0, 10, 0), Judgement::Wrong);
        assert_eq!(Judgement::new(0, 0, 0), Judgement::Correct);
    }

    #[test]
    fn a_bag_counts_a_word_as_often_as_both_have_it() {
        let mut bag = Bag::new(&[0, 1, 0, 2]);
        assert_eq!(bag.common(&[0, 0, 0, 2, 3]), 3);
        assert_eq!(bag.common(&[1]), 1);
        assert_eq!(Bag::new(&[]).common(&[0]), 0);
    }
}
