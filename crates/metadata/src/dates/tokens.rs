//! Cuts a short text into numbers, words and marks.

use std::ops::RangeInclusive;

/// The most tokens that are made of a text. A date is not farther from the start of a byline.
const MOST: usize = 96;

/// One piece of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// A number with its count of digits.
    Number(u32, usize),
    /// A word in lower case.
    Word(String),
    /// Another character but white space.
    Mark(char),
}

/// Cuts a text. White space only separates.
pub(super) fn tokens(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if tokens.len() == MOST {
            break;
        }
        if let Some(digit) = digit(c) {
            let (mut value, mut digits) = (digit, 1);
            while let Some(digit) = chars.peek().and_then(|c| self::digit(*c)) {
                value = u32::min(value * 10 + digit, 100_000_000);
                digits += 1;
                chars.next();
            }
            tokens.push(Token::Number(value, digits));
        } else if is_word(c) {
            let mut word: String = c.to_lowercase().collect();
            // A Chinese or Japanese character is a word, so that 年 is a token.
            while !is_ideograph(c) {
                match chars.peek() {
                    Some(next) if is_word(*next) && !is_ideograph(*next) => word.extend(next.to_lowercase()),
                    // Thai abbreviates with dots, which are left out: ม.ค.
                    Some('.') if is_thai(c) => {}
                    _ => break,
                }
                chars.next();
            }
            tokens.push(Token::Word(word));
        } else if !c.is_whitespace() {
            tokens.push(Token::Mark(c));
        }
    }
    tokens
}

/// The value of a decimal digit in any script that dates are written in.
pub(super) fn digit(c: char) -> Option<u32> {
    if let Some(digit) = c.to_digit(10) {
        return Some(digit);
    }
    if c.is_ascii() {
        return None;
    }
    // Arabic, Persian, Devanagari, Bengali, Gurmukhi, Gujarati, Oriya, Tamil, Telugu, Kannada, Malayalam, Thai, Lao,
    // Tibetan, Burmese, Khmer, and the full width.
    const ZEROS: [u32; 17] = [
        0x660, 0x6F0, 0x966, 0x9E6, 0xA66, 0xAE6, 0xB66, 0xBE6, 0xC66, 0xCE6, 0xD66, 0xE50, 0xED0, 0xF20, 0x1040,
        0x17E0, 0xFF10,
    ];
    let c = u32::from(c);
    ZEROS
        .iter()
        .find_map(|zero| c.checked_sub(*zero).filter(|digit| *digit < 10))
}

fn is_word(c: char) -> bool {
    // Vowel signs of many scripts are marks and not letters, but are within words.
    const SIGNS: [RangeInclusive<char>; 9] = [
        '\u{300}'..='\u{36F}',
        '\u{591}'..='\u{5C7}',
        '\u{64B}'..='\u{65F}',
        '\u{900}'..='\u{DFF}',
        '\u{E31}'..='\u{E4E}',
        '\u{EB1}'..='\u{ECD}',
        '\u{102B}'..='\u{103E}',
        '\u{17B4}'..='\u{17D3}',
        '\u{200C}'..='\u{200D}',
    ];
    let is_sign = || SIGNS.iter().any(|signs| signs.contains(&c));
    c.is_alphabetic() || !c.is_ascii() && digit(c).is_none() && is_sign()
}

fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{2E80}'..='\u{2FDF}' | '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}')
}

fn is_thai(c: char) -> bool {
    matches!(c, '\u{E01}'..='\u{E4E}')
}
