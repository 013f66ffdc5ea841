//! Making text from archives safe to print.

use std::borrow::Cow;
use std::path::Path;

/// Text with control characters, escape sequences, line ends and what turns a line round written as `\u{…}`, so that what an archive
/// holds cannot move the cursor or reverse a line.
pub fn terminal(text: &str) -> Cow<'_, str> {
    let risky = |c: char| {
        c.is_control()
            || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{2028}' | '\u{2029}')
    };
    if !text.contains(risky) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(
        text.chars()
            .map(|c| {
                if risky(c) {
                    c.escape_unicode().to_string()
                } else {
                    c.to_string()
                }
            })
            .collect(),
    )
}

/// A path for a message. It may hold anything, line ends included, with which it could begin a line of its own.
pub fn path(path: &Path) -> String {
    terminal(&path.to_string_lossy()).into_owned()
}

#[cfg(test)]
mod tests {
    use super::terminal;

    #[test]
    fn escape_sequences_are_made_visible() {
        assert_eq!(terminal("a\x1b[31mb\u{202e}c"), "a\\u{1b}[31mb\\u{202e}c");
        assert_eq!(terminal("ünï"), "ünï");
    }
}
