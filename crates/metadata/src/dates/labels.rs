//! The words before a date that say what it is the date of.

use super::tokens::{Token, tokens};
use super::words::DATE_WORDS;

/// The meaning of a date by the words before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DateLabel {
    None,
    Published,
    Changed,
    /// The day on which somebody became a member, which forums show beside each post.
    Joined,
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
    let last = &tokens[tokens.len().saturating_sub(JOINED_WITHIN)..];
    let is = |token: &Token, word: &str| matches!(token, Token::Word(known) if known == word);
    let has_pair = |tokens: &[Token], pairs: &[(&str, &str)]| {
        let is_pair = |two: &[Token]| pairs.iter().any(|(a, b)| is(&two[0], a) && is(&two[1], b));
        tokens.windows(2).any(is_pair)
    };
    // `Reviewed by Ann, 3 March` is the day of the page, and `Last reviewed by Ann, 3 March` that of its change.
    let has_credit = || {
        tokens.windows(3).any(|three| {
            let is_credit = |(a, b): &(&str, &str)| is(&three[1], a) && is(&three[2], b);
            !is(&three[0], "last") && words.credit_pairs.iter().any(is_credit)
        }) || tokens.len() >= 2 && has_pair(&tokens[..2], &words.credit_pairs)
    };
    if has(last, &words.joined) || has_pair(last, &words.joined_pairs) {
        DateLabel::Joined
    } else if has_pair(tokens, &words.changed_pairs) || has(tokens, &words.changed) && !has_credit() {
        DateLabel::Changed
    } else if has(tokens, &words.published) {
        DateLabel::Published
    } else {
        DateLabel::None
    }
}

/// How many tokens before a date say that it is that of a member. What is farther away belongs to another date.
const JOINED_WITHIN: usize = 3;
