//! The words before a date that state what it is the date of.

use super::tokens::{Token, tokens};
use super::words::DATE_WORDS;
use crate::words::WordMap;

/// The meaning of a date by the words before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DateLabel {
    None,
    Published,
    Changed,
    /// The day of something else: on which somebody became a member, as forums show it beside each post, or on which an
    /// offer ends.
    Other,
}

/// Returns the meaning of a date after a text.
pub(crate) fn label(text: &str) -> DateLabel {
    label_of(&tokens(text))
}

/// Returns the meaning of a date after some tokens.
pub(super) fn label_of(tokens: &[Token]) -> DateLabel {
    let has = |tokens: &[Token], stems: &[&str]| {
        let is = |token: &Token| matches!(token, Token::Word(word) if stems.iter().any(|stem| word.starts_with(stem)));
        tokens.iter().any(is)
    };
    let words = &*DATE_WORDS;
    let last = &tokens[tokens.len().saturating_sub(OTHER_WITHIN)..];
    let is = |token: &Token, word: &str| matches!(token, Token::Word(known) if known == word);
    let has_word = |tokens: &[Token], known: &WordMap<()>| {
        let is = |token: &Token| matches!(token, Token::Word(word) if known.contains(word));
        tokens.iter().any(is)
    };
    let has_pair = |tokens: &[Token], pairs: &[(&str, &str)]| {
        let is_pair = |two: &[Token]| pairs.iter().any(|(a, b)| is(&two[0], a) && is(&two[1], b));
        tokens.windows(2).any(is_pair)
    };
    // `Reviewed by Ann, 3 March` is the day of the page, and `Last reviewed by Ann, 3 March` that of its change.
    let is_credit = |at: usize| {
        let is_pair = |(a, b): &(&str, &str)| is(&tokens[at], a) && tokens.get(at + 1).is_some_and(|next| is(next, b));
        !(at > 0 && is(&tokens[at - 1], "last")) && words.credit_pairs.iter().any(is_pair)
    };
    let is_changed = |at: usize| has(&tokens[at..=at], &words.changed) && !is_credit(at);
    if has(last, &words.other) || has_word(last, &words.other_words) || has_pair(last, &words.other_pairs) {
        DateLabel::Other
    } else if has_pair(tokens, &words.changed_pairs) || (0..tokens.len()).any(is_changed) {
        DateLabel::Changed
    } else if has(tokens, &words.published)
        || has_word(tokens, &words.published_words)
        || has_pair(tokens, &words.published_pairs)
    {
        DateLabel::Published
    } else {
        DateLabel::None
    }
}

/// How many tokens before a date can label it as that of something else. Tokens that are farther away belong to another
/// date.
const OTHER_WITHIN: usize = 3;
