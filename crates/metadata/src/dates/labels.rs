//! The words before a date that say what it is the date of.

use super::tokens::{Token, tokens};
use super::words::DATE_WORDS;

/// What the words before a date say that it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DateLabel {
    None,
    Published,
    Changed,
    /// The day on which somebody became a member, which forums show beside each post.
    Joined,
}

/// What a text says that a date after it is.
pub(crate) fn label(text: &str) -> DateLabel {
    label_of(&tokens(text))
}

/// What some tokens say that a date after them is.
pub(super) fn label_of(tokens: &[Token]) -> DateLabel {
    let has = |tokens: &[Token], stems: &[&str]| {
        let is = |token: &Token| matches!(token, Token::Word(word) if stems.iter().any(|stem| word.starts_with(stem)));
        tokens.iter().any(is)
    };
    let words = &*DATE_WORDS;
    let last = &tokens[tokens.len().saturating_sub(JOINED_WITHIN)..];
    let is = |token: &Token, word: &str| matches!(token, Token::Word(known) if known == word);
    let is_pair = |pair: &[Token]| {
        words
            .joined_pairs
            .iter()
            .any(|(a, b)| is(&pair[0], a) && is(&pair[1], b))
    };
    if has(last, &words.joined) || last.windows(2).any(is_pair) {
        DateLabel::Joined
    } else if has(tokens, &words.changed) {
        DateLabel::Changed
    } else if has(tokens, &words.published) {
        DateLabel::Published
    } else {
        DateLabel::None
    }
}

/// How many tokens before a date say that it is that of a member. What is farther away belongs to another date.
const JOINED_WITHIN: usize = 3;
