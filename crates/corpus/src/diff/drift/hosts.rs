//! The sums of a host, and when it has changed.
//!
//! A difference counts if it is both large and more than [`ERRORS`] standard errors, so that among thousands of hosts
//! hardly one is named by chance. For means the errors are those of Welch's test ("The generalization of Student's
//! problem when several different population variances are involved", 1947); for counts and shares those of Poisson
//! and binomial distributions. A few documents do not show their variance, so a side with fewer than [`SURE`] has at
//! least that of the other; and a host of which the second night has fewer than [`LEAST`] is judged by their count
//! only.

use serde::Serialize;

/// The standard errors that a difference must exceed.
const ERRORS: f64 = 4.0;

/// The documents of the second night from which on their words, scores and languages are judged.
const LEAST: u64 = 5;

/// The documents from which on their own variance is believed.
const SURE: f64 = 20.0;

/// The part of its words that a host must have lost.
const WORDS: f64 = 0.3;

/// How far the mean score must have fallen.
const SCORE: f64 = 0.1;

/// The part of its documents, or of its documents in one language, that a host must have lost.
const HALF: f64 = 0.5;

/// How a host has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Sign {
    /// The geometric mean of its words fell by at least 30 %.
    Words,
    /// The mean score fell by at least 0.1.
    Score,
    /// The share of the language that most documents had fell to half or less.
    Language,
    /// It has at most half of the documents that the size of the nights lets one expect.
    Documents,
}

impl Sign {
    /// All signs.
    pub const ALL: [Sign; 4] = [Sign::Words, Sign::Score, Sign::Language, Sign::Documents];

    /// The name in tables, JSON and metrics.
    pub fn name(self) -> &'static str {
        match self {
            Sign::Words => "words",
            Sign::Score => "score",
            Sign::Language => "language",
            Sign::Documents => "documents",
        }
    }
}

/// A host that has changed.
#[derive(Clone, Debug, Serialize)]
pub struct HostDrift {
    /// The host. `""` for documents without one.
    pub host: String,
    /// How it has changed.
    pub signs: Vec<Sign>,
    /// The first night.
    pub a: HostFigures,
    /// The second night.
    pub b: HostFigures,
}

/// A host in one night.
#[derive(Clone, Debug, Serialize)]
pub struct HostFigures {
    /// Documents.
    pub documents: u64,
    /// The geometric mean of their words.
    pub words: f64,
    /// The mean of their scores.
    pub score: f64,
    /// The language that most of them have.
    pub language: String,
}

/// Sums of a number.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Moments {
    n: f64,
    mean: f64,
    squares: f64,
}

impl Moments {
    /// Welford's update: no difference of large sums.
    fn add(&mut self, value: f64) {
        self.n += 1.0;
        let from_old = value - self.mean;
        self.mean += from_old / self.n;
        self.squares += from_old * (value - self.mean);
    }

    pub(super) fn mean(self) -> f64 {
        self.mean
    }

    fn variance(self) -> f64 {
        self.squares / (self.n - 1.0).max(1.0)
    }

    /// The square of the mean's standard error, beside the mean of another night.
    fn error_squared(self, other: Self) -> f64 {
        let own = self.variance();
        let variance = if self.n < SURE { own.max(other.variance()) } else { own };
        variance / self.n.max(1.0)
    }

    /// Whether the mean fell by at least so much, and by more than chance.
    fn fell(self, other: Self, least: f64) -> bool {
        let fall = self.mean - other.mean;
        let error = (self.error_squared(other) + other.error_squared(self)).sqrt();
        fall >= least && fall > ERRORS * error
    }
}

/// The sums of a host.
#[derive(Clone, Debug, Default)]
pub(super) struct HostSums {
    pub(super) documents: u64,
    /// Of the logarithms of words and one.
    pub(super) words: Moments,
    pub(super) score: Moments,
    /// Numbers of languages, with their documents.
    pub(super) languages: Vec<(u16, u32)>,
}

impl HostSums {
    pub(super) fn add(&mut self, words: f64, score: f64, language: u16) {
        self.documents += 1;
        self.words.add(words.ln_1p());
        self.score.add(score);
        match self.languages.iter_mut().find(|(known, _)| *known == language) {
            Some((_, n)) => *n = n.saturating_add(1),
            None => self.languages.push((language, 1)),
        }
    }

    /// The language of the most documents.
    pub(super) fn leading(&self) -> Option<u16> {
        let most = self.languages.iter().rev().max_by_key(|(_, n)| *n);
        most.map(|(language, _)| *language)
    }

    /// The share of documents that are in a language.
    pub(super) fn share(&self, language: u16) -> f64 {
        let n = self.languages.iter().find(|(known, _)| *known == language);
        n.map_or(0.0, |(_, n)| f64::from(*n)) / self.documents.max(1) as f64
    }
}

/// The signs that a host has changed. `growth` is how many documents the second night has for each of the first;
/// `share_in_b` the share of a language, by its number in the first night, in the second.
pub(super) fn signs(a: &HostSums, b: &HostSums, growth: f64, share_in_b: impl Fn(u16) -> f64) -> Vec<Sign> {
    let mut signs = Vec::new();
    let (n_a, n_b) = (a.documents as f64, b.documents as f64);
    if b.documents >= LEAST {
        if a.words.fell(b.words, -(1.0 - WORDS).ln()) {
            signs.push(Sign::Words);
        }
        if a.score.fell(b.score, SCORE) {
            signs.push(Sign::Score);
        }
        if let Some(language) = a.leading() {
            let (before, after) = (a.share(language), share_in_b(language));
            let of_both = (before * n_a + after * n_b) / (n_a + n_b);
            let error = (of_both * (1.0 - of_both) * (1.0 / n_a + 1.0 / n_b)).sqrt();
            if after <= before * HALF && before - after > ERRORS * error {
                signs.push(Sign::Language);
            }
        }
    }
    let expected = n_a * growth;
    if n_b <= expected * HALF && expected - n_b > ERRORS * (expected * growth + n_b).sqrt() {
        signs.push(Sign::Documents);
    }
    signs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host(documents: u32, words: f64, score: f64) -> HostSums {
        let mut sums = HostSums::default();
        for n in 0..documents {
            // Words differ by a factor of two in either direction, scores by a tenth.
            let swing = f64::from(n % 5) / 2.0 - 1.0;
            sums.add(words * 2_f64.powf(swing), score + swing / 10.0, 0);
        }
        sums
    }

    fn found(a: &HostSums, b: &HostSums) -> Vec<Sign> {
        signs(a, b, 1.0, |language| b.share(language))
    }

    #[test]
    fn a_large_fall_is_a_sign_and_a_small_one_or_a_rise_is_none() {
        let before = host(100, 400.0, 0.8);
        assert_eq!(found(&before, &host(100, 400.0, 0.8)), []);
        assert_eq!(found(&before, &host(100, 200.0, 0.8)), [Sign::Words]);
        assert_eq!(found(&before, &host(100, 400.0, 0.65)), [Sign::Score]);
        assert_eq!(found(&before, &host(100, 350.0, 0.75)), []);
        assert_eq!(found(&before, &host(100, 900.0, 0.9)), []);
    }

    #[test]
    fn a_fall_that_few_documents_show_is_chance() {
        assert_eq!(found(&host(5, 400.0, 0.8), &host(5, 200.0, 0.8)), []);
        assert_eq!(found(&host(100, 400.0, 0.8), &host(5, 200.0, 0.8)), [Sign::Documents]);
    }

    #[test]
    fn one_document_is_no_evidence_and_a_few_have_no_variance_of_their_own() {
        let alike = |documents: u32, words: f64, score: f64, language: u16| {
            let mut sums = HostSums::default();
            (0..documents).for_each(|_| sums.add(words, score, language));
            sums
        };
        // Growth is small, so the count is no sign.
        let signs_of = |after: &HostSums| signs(&host(100, 400.0, 0.8), after, 0.01, |language| after.share(language));
        assert_eq!(signs_of(&alike(1, 50.0, 0.1, 1)), []);
        // Five that happen to be alike have the variance of the first night: four errors are more than the half.
        assert_eq!(signs_of(&alike(5, 200.0, 0.8, 0)), []);
        assert_eq!(signs_of(&alike(5, 50.0, 0.8, 0)), [Sign::Words]);
        assert_eq!(signs_of(&alike(5, 400.0, 0.8, 1)), [Sign::Language]);
    }

    #[test]
    fn documents_are_expected_by_the_size_of_the_nights() {
        let (before, after) = (host(100, 400.0, 0.8), host(30, 400.0, 0.8));
        assert_eq!(signs(&before, &after, 1.0, |l| after.share(l)), [Sign::Documents]);
        assert_eq!(signs(&before, &after, 0.3, |l| after.share(l)), []);
        assert_eq!(found(&before, &HostSums::default()), [Sign::Documents]);
    }

    #[test]
    fn another_language_is_a_sign() {
        let (before, mut after) = (host(50, 400.0, 0.8), HostSums::default());
        (0..50).for_each(|n| after.add(400.0, 0.8, u16::from(n > 10)));
        assert_eq!(found(&before, &after), [Sign::Language]);
    }
}
