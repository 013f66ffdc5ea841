//! Looking for patterns that are rarely found in many texts.
//!
//! Nearly all texts of a page are asked whether they are statements, and nearly none is. A regular expression becomes a
//! quick automaton bit by bit, as texts lead through it, and that of all whole patterns, with gaps in them, grows to no
//! end: then asking costs several times the parsing of the page. So the beginnings of the patterns, up to their first
//! gap, are looked for first; they make a small automaton.

use regex::Regex;

use super::patterns::{any_of, compile};

/// Patterns that are rarely found.
#[derive(Clone, Debug)]
pub struct Rare {
    beginnings: Regex,
    whole: Regex,
}

impl Rare {
    /// Compiles patterns; none makes `None`.
    pub(super) fn new(patterns: &[String]) -> Result<Option<Self>, String> {
        let beginnings: Vec<String> = patterns
            .iter()
            .map(|p| {
                let start = beginning(p);
                // What was taken apart wrongly (it has an odd syntax) is looked for as a whole.
                if compile(start).is_ok() { start } else { p }.to_owned()
            })
            .collect();
        let (whole, beginnings) = (any_of(patterns)?, any_of(&beginnings)?);
        Ok(whole
            .zip(beginnings)
            .map(|(whole, beginnings)| Self { beginnings, whole }))
    }

    /// Whether one of the patterns is found in a text.
    pub fn is_match(&self, text: &str) -> bool {
        self.beginnings.is_match(text) && self.whole.is_match(text)
    }
}

/// The part of a pattern before its first gap, that is, before the first piece that is repeated by `*` or `{…}` and in
/// no group: where the pattern matches, this does. The whole pattern, if it is an alternative of several.
fn beginning(pattern: &str) -> &str {
    let mut cut = None;
    let (mut depth, mut in_class, mut piece) = (0u32, false, 0);
    let mut chars = pattern.char_indices();
    while let Some((at, c)) = chars.next() {
        if c == '\\' {
            chars.next();
        }
        if in_class {
            in_class = c != ']';
            continue;
        }
        match c {
            '|' if depth == 0 => return pattern,
            '*' | '{' if depth == 0 => cut = cut.or(Some(piece)),
            ')' => depth = depth.saturating_sub(1),
            '?' | '+' | '}' => {}
            _ if depth == 0 => piece = at,
            _ => {}
        }
        depth += u32::from(c == '(');
        in_class = c == '[';
    }
    match cut {
        Some(at) if at > 0 => &pattern[..at],
        _ => pattern,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_begin_before_their_first_gap() {
        for (pattern, begins) in [
            ("views? .*expressed", "views? "),
            ("(?:a|b.*c) d.{0,8}e", "(?:a|b.*c) d"),
            ("no (?:\\w+ ){0,3}warranty", "no "),
            ("ab*c", "a"),
            ("[*]+a\\*b", "[*]+a\\*b"),
            ("a.*b|c", "a.*b|c"),
            (".*a", ".*a"),
            ("(?-u:\\b)a\\p{Lu}b", "(?-u:\\b)a"),
        ] {
            assert_eq!(beginning(pattern), begins, "{pattern}");
        }
    }
}
