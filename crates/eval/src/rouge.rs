//! ROUGE-5: runs of five tokens that two Markdown texts have in common (Lin 2004), as WebMainBench and Dripper take it.

use std::collections::HashMap;

use super::measure::Prf;

/// Tokens in a run.
const RUN: usize = 5;

type Runs = HashMap<[u32; RUN], u32>;

/// The truth of a page as runs of tokens.
#[derive(Debug, Default)]
pub(super) struct Rouge {
    tokens: HashMap<String, u32>,
    runs: Runs,
    is_blank: bool,
}

impl Rouge {
    /// Counts the runs of a truth.
    pub fn new(truth: &str) -> Self {
        let mut tokens = HashMap::new();
        let mut numbers = Vec::new();
        for_each_token(truth, |token| {
            let next = tokens.len() as u32;
            let number = match tokens.get(token) {
                Some(number) => *number,
                None => *tokens.entry(token.to_owned()).or_insert(next),
            };
            numbers.push(number);
        });
        Self {
            tokens,
            runs: runs(&numbers),
            is_blank: truth.trim().is_empty(),
        }
    }

    /// Precision, recall and F1 of a text. All are 1 if text and truth are blank.
    pub fn score(&self, text: &str) -> Prf {
        if self.is_blank && text.trim().is_empty() {
            return Prf::PERFECT;
        }
        let mut numbers = Vec::new();
        // No run of the truth has a token that the truth lacks.
        for_each_token(text, |token| {
            numbers.push(self.tokens.get(token).copied().unwrap_or(u32::MAX))
        });
        let runs = runs(&numbers);
        let common = runs
            .iter()
            .map(|(run, n)| *n.min(self.runs.get(run).unwrap_or(&0)))
            .sum();
        match common {
            0 => Prf::default(),
            common => Prf::new(common, runs.values().sum(), self.runs.values().sum()),
        }
    }
}

fn runs(numbers: &[u32]) -> Runs {
    let mut runs = Runs::new();
    for run in numbers.windows(RUN).filter_map(|run| run.try_into().ok()) {
        *runs.entry(run).or_default() += 1;
    }
    runs
}

/// Cuts a text as jieba 0.42 does, except that each Chinese character is a token, because there is no dictionary of
/// words here. Words are of ASCII letters and digits. Every other character is a token, and so is white space.
fn for_each_token(text: &str, mut token: impl FnMut(&str)) {
    let is_mark = |c: char| matches!(c, '+' | '#' | '&' | '.' | '_' | '%' | '-');
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = if first.is_ascii_alphanumeric() {
            word(rest)
        } else if is_mark(first) {
            rest.find(|c| !is_mark(c)).unwrap_or(rest.len())
        } else if rest.starts_with("\r\n") {
            2
        } else {
            first.len_utf8()
        };
        let (found, after) = rest.split_at(length);
        token(found);
        rest = after;
    }
}

/// Length of the word at the start of a text, with a decimal fraction and a percent sign.
fn word(text: &str) -> usize {
    let bytes = text.as_bytes();
    let run = |from: usize, accept: fn(&u8) -> bool| bytes[from..].iter().take_while(|b| accept(b)).count();
    let mut length = run(0, u8::is_ascii_alphanumeric);
    if bytes.get(length) == Some(&b'.') {
        let fraction = run(length + 1, u8::is_ascii_digit);
        length += if fraction > 0 { 1 + fraction } else { 0 };
    }
    length + usize::from(bytes.get(length) == Some(&b'%'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Vec<String> {
        let mut tokens = Vec::new();
        for_each_token(text, |token| tokens.push(token.to_owned()));
        tokens
    }

    #[test]
    fn texts_are_cut_into_words_characters_and_marks() {
        let expected = [
            "##", " ", "v1.2", ".", "3", " ", "5.5%", " ", "a", "_", "b", "\r\n", "|", "---", "|", "é", "中", "文",
        ];
        assert_eq!(tokens("## v1.2.3 5.5% a_b\r\n|---|é中文"), expected);
    }

    #[test]
    fn runs_count_as_often_as_both_texts_have_them() {
        // Each text has two runs of five characters, and they share one.
        let rouge = Rouge::new("中国人民大学");
        let Prf { precision, recall, f1 } = rouge.score("中国人民大好");
        assert_eq!((precision, recall, f1), (0.5, 0.5, 0.5));
        assert_eq!(rouge.score("中国人民"), Prf::default());
        assert_eq!(
            (Rouge::new(" ").score("\n"), Rouge::new(" ").score("a b c")),
            (Prf::PERFECT, Prf::default())
        );
    }
}
