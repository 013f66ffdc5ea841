//! Rules that every tree and every output must keep, whatever the page: for tests and for fuzzing.

pub mod markdown;
mod posts;
pub mod tree;
pub mod xml;

/// Whether readers of any kind may take a character for the end of a line; Python's `str.splitlines` splits at all of
/// them.
pub fn ends_line(c: char) -> bool {
    matches!(
        c,
        '\n' | '\r' | '\u{B}' | '\u{C}' | '\u{1C}'..='\u{1E}' | '\u{85}' | '\u{2028}' | '\u{2029}'
    )
}
