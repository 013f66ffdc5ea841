//! The papers' measures of one extraction against one truth, each from counts, with every division by zero decided.

/// Precision, recall and their harmonic mean, each 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Prf {
    /// Share of what was extracted that is right.
    pub precision: f64,
    /// Share of what is right that was extracted.
    pub recall: f64,
    /// `2PR / (P + R)`.
    pub f1: f64,
}

impl Prf {
    /// All three 1: nothing was wanted, and nothing was given.
    pub const PERFECT: Prf = Prf {
        precision: 1.0,
        recall: 1.0,
        f1: 1.0,
    };

    /// From the sizes of the extraction, of the truth and of what both have. Where either is empty, all are 0, unless
    /// both are: then all are 1.
    pub fn of(common: u32, extracted: u32, truth: u32) -> Self {
        match (extracted, truth) {
            (0, 0) => Self::PERFECT,
            _ if extracted == 0 || truth == 0 || common == 0 => Self::default(),
            _ => {
                let precision = f64::from(common) / f64::from(extracted);
                let recall = f64::from(common) / f64::from(truth);
                Self {
                    precision,
                    recall,
                    f1: 2.0 * precision * recall / (precision + recall),
                }
            }
        }
    }
}

/// Score of CETD, section 5.2, formula 4: `LCS / (|a| + |b| - LCS)`; 1 where both texts are empty.
pub fn score(lcs: u32, extracted: u32, truth: u32) -> f64 {
    let aligned = extracted + truth - lcs;
    if aligned == 0 {
        return 1.0;
    }
    f64::from(lcs) / f64::from(aligned)
}

/// Share at which a text counts as entire, and as free of noise: ContentEx (IV.B) takes precision and recall of 90% for
/// what fulfils actual requirements.
pub const ENTIRE: f64 = 0.9;

/// ECON's judgement of an extraction (section IV), by rule where the authors looked themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The entire content and only that.
    Correct,
    /// The entire content, and noise.
    Wrong,
    /// A part of the content, or none.
    Missed,
}

impl Verdict {
    /// By the longest common subsequence's precision and recall: missed below a recall of [`ENTIRE`], else wrong below
    /// such a precision. Where the truth is empty, all of it was extracted.
    pub fn of(lcs: u32, extracted: u32, truth: u32) -> Self {
        let enough = |of: u32| f64::from(lcs) >= ENTIRE * f64::from(of);
        match (enough(truth), enough(extracted)) {
            (false, _) => Self::Missed,
            (true, false) => Self::Wrong,
            (true, true) => Self::Correct,
        }
    }
}

/// How often each word of the truth stands in it, for the bag of words (NCE).
#[derive(Debug, Default)]
pub struct Bag {
    counts: Vec<u32>,
    used: Vec<u32>,
}

impl Bag {
    /// `words` are numbers from 0 on, as [`Reference::new`](super::lcs::Reference::new) takes them.
    pub fn new(words: &[u32]) -> Self {
        let mut counts = vec![0; words.iter().max().map_or(0, |most| *most as usize + 1)];
        words.iter().for_each(|w| counts[*w as usize] += 1);
        Self {
            used: vec![0; counts.len()],
            counts,
        }
    }

    /// Words that both texts have, each as often as the text that has it less often.
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
        let half = Prf::of(2, 4, 2);
        assert_eq!((half.precision, half.recall, half.f1), (0.5, 1.0, 2.0 / 3.0));
        assert_eq!(Prf::of(0, 0, 0), Prf::PERFECT);
        assert_eq!(
            [Prf::of(0, 0, 5), Prf::of(0, 5, 0), Prf::of(0, 5, 5)],
            [Prf::default(); 3]
        );
        assert_eq!(
            [score(2, 4, 2), score(0, 0, 0), score(0, 0, 3), score(0, 3, 0)],
            [0.5, 1.0, 0.0, 0.0]
        );
    }

    #[test]
    fn verdicts_stand_on_both_sides_of_their_borders() {
        assert_eq!(Verdict::of(9, 10, 10), Verdict::Correct);
        assert_eq!(Verdict::of(8, 8, 10), Verdict::Missed);
        assert_eq!(Verdict::of(9, 11, 10), Verdict::Wrong);
        assert_eq!(Verdict::of(0, 0, 10), Verdict::Missed);
        assert_eq!(Verdict::of(0, 10, 0), Verdict::Wrong);
        assert_eq!(Verdict::of(0, 0, 0), Verdict::Correct);
    }

    #[test]
    fn a_bag_counts_a_word_as_often_as_both_have_it() {
        let mut bag = Bag::new(&[0, 1, 0, 2]);
        assert_eq!(bag.common(&[0, 0, 0, 2, 3]), 3);
        assert_eq!(bag.common(&[1]), 1);
        assert_eq!(Bag::new(&[]).common(&[0]), 0);
    }
}
