//! The words that two texts have in common, in order, and the lines in which they differ.

use std::collections::HashMap;

use serde::Serialize;

use dehusk_similarity::lcs::Reference;
use dehusk_similarity::lexicon::Lexicon;

/// Most steps of a comparison in order: some tenths of a second. Texts that take more are compared as bags of words.
const STEPS: u64 = 1 << 26;

/// Most lines that an example shows of either text, and most characters of a line.
const LINES: usize = 6;
const CHARACTERS: usize = 240;

/// How many words two texts have, and how many of them are the same in the same order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Change {
    pub(crate) words_a: u64,
    pub(crate) words_b: u64,
    pub common: u64,
}

impl Change {
    /// The share of words in common: 2c / (a + b), or 1 if both texts are empty.
    pub fn similarity(self) -> f64 {
        match self.words_a + self.words_b {
            0 => 1.0,
            words => 2.0 * self.common as f64 / words as f64,
        }
    }
}

/// Compares texts. It keeps its buffers.
#[derive(Debug, Default)]
pub(crate) struct Comparer {
    lexicon: Lexicon,
    a: Vec<u32>,
    b: Vec<u32>,
}

impl Comparer {
    /// The number of words of a text, as comparisons count them.
    pub fn words(&mut self, text: &str) -> u64 {
        self.lexicon.clear();
        self.a.clear();
        self.lexicon.read(text, &mut self.a);
        self.a.len() as u64
    }

    /// Compares two texts.
    pub fn compare(&mut self, a: &str, b: &str) -> Change {
        self.lexicon.clear();
        self.a.clear();
        self.b.clear();
        self.lexicon.read(a, &mut self.a);
        self.lexicon.read(b, &mut self.b);
        Change {
            words_a: self.a.len() as u64,
            words_b: self.b.len() as u64,
            common: common(&self.a, &self.b) as u64,
        }
    }
}

/// The length of the longest common subsequence. The common beginning and end are in it.
fn common(a: &[u32], b: &[u32]) -> usize {
    let start = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let (a, b) = (&a[start..], &b[start..]);
    let end = a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count();
    let (a, b) = (&a[..a.len() - end], &b[..b.len() - end]);
    let reference = Reference::new(a);
    let middle = if reference.steps(b) > STEPS {
        common_bag(a, b)
    } else {
        reference.common(b)
    };
    start + middle + end
}

/// How many words both have, whatever their order.
fn common_bag(a: &[u32], b: &[u32]) -> usize {
    let mut counts: HashMap<u32, usize> = HashMap::new();
    for word in a {
        *counts.entry(*word).or_default() += 1;
    }
    let mut take = |word: &&u32| match counts.get_mut(word) {
        Some(n) if *n > 0 => {
            *n -= 1;
            true
        }
        _ => false,
    };
    b.iter().filter(&mut take).count()
}

/// The difference between two texts: the lines that only one of them has.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Lines {
    pub removed: Vec<String>,
    pub added: Vec<String>,
}

impl Lines {
    /// The first lines that only one of two texts has, cut where they are long.
    pub fn between(a: &str, b: &str) -> Self {
        Self {
            removed: only_in(a, b),
            added: only_in(b, a),
        }
    }
}

fn only_in(text: &str, other: &str) -> Vec<String> {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for line in other.lines() {
        *counts.entry(line.trim()).or_default() += 1;
    }
    let mut own = Vec::new();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        match counts.get_mut(line) {
            Some(n) if *n > 0 => *n -= 1,
            _ => own.push(cut(line)),
        }
        if own.len() == LINES {
            break;
        }
    }
    own
}

/// The start of a line.
fn cut(line: &str) -> String {
    match line.char_indices().nth(CHARACTERS) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(a: &str, b: &str) -> (u64, u64, u64) {
        let change = Comparer::default().compare(a, b);
        (change.words_a, change.words_b, change.common)
    }

    #[test]
    fn words_in_common_are_counted_in_order() {
        assert_eq!(change("one two three", "one two three"), (3, 3, 3));
        assert_eq!(change("menu one two three", "one two three four"), (4, 4, 3));
        assert_eq!(change("a b c d", "a c b d"), (4, 4, 3));
        assert_eq!(change("", "one"), (0, 1, 0));
        assert_eq!(change("one\ntwo", "ONE  two"), (2, 2, 2));
    }

    #[test]
    fn texts_that_repeat_themselves_are_compared_in_bounded_time() {
        let (a, b) = ("a b ".repeat(300_000), "b a ".repeat(300_000));
        assert_eq!(change(&a, &b), (600_000, 600_000, 600_000));
    }

    #[test]
    fn lines_of_one_text_alone_are_shown() {
        let lines = Lines::between("menu\n\none\n\none", "one\n\nfooter");
        assert_eq!(
            (lines.removed, lines.added),
            (vec!["menu".into(), "one".into()], vec!["footer".into()])
        );
        let long = "é".repeat(1000);
        assert_eq!(Lines::between(&long, "").removed[0].chars().count(), CHARACTERS + 1);
    }
}
