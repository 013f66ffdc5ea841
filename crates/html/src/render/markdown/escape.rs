//! Escapes characters where Markdown would read them as markup.
//!
//! | characters | escaped |
//! |---|---|
//! | `` \ ` * [ ] < ~ `` | always |
//! | `_` | unless a letter or digit is on both sides |
//! | `&` | before what may be a reference |
//! | `\|` | in cells of tables, and at the start of a line |
//! | `#` | at the start of a line, before what may be a heading; in headings, after a space |
//! | `>` | at the start of a line |
//! | `- + = :` | at the start of a line, where they may be a marker, a line or the borders of a table |
//! | `.` and `)` | after a number at the start of a line, before a space |

/// The element that a text is in.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum TextPlace {
    Paragraph,
    Heading,
    Cell,
}

/// The content of the line so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum LineSoFar {
    Start,
    /// Digits alone.
    Number,
    Inside,
}

/// Appends a text that is not empty. Returns what the line has then.
pub(super) fn push(text: &str, place: TextPlace, line: LineSoFar, out: &mut String) -> LineSoFar {
    let bytes = text.as_bytes();
    let mut line = line;
    let mut copied = 0;
    if bytes.first().copied().is_some_and(begins_reference) && ends_with_ampersand(out) {
        out.insert(out.len() - 1, '\\');
    }
    for (at, &byte) in bytes.iter().enumerate() {
        if line == LineSoFar::Inside && !MAY_MEAN[usize::from(byte)] {
            continue;
        }
        let next = bytes.get(at + 1).copied();
        let ends_word = next.is_none_or(|next| next == b' ');
        let is_escaped = match byte {
            b'\\' | b'`' | b'*' | b'[' | b']' | b'<' | b'~' => true,
            b'_' => {
                let before = text[..at].chars().next_back();
                let after = text[at + 1..].chars().next();
                !(before.is_some_and(char::is_alphanumeric) && after.is_some_and(char::is_alphanumeric))
            }
            b'&' => next.is_some_and(begins_reference),
            b'|' => place == TextPlace::Cell || line == LineSoFar::Start,
            b'#' => {
                let before = if at > 0 {
                    bytes.get(at - 1)
                } else {
                    out.as_bytes().last()
                };
                (line == LineSoFar::Start && (ends_word || next == Some(b'#')))
                    || (place == TextPlace::Heading && before.is_none_or(|b| matches!(b, b' ' | b'#')))
            }
            b'-' | b'+' | b'=' => line == LineSoFar::Start && (ends_word || next == Some(byte)),
            b':' => line == LineSoFar::Start && next.is_none_or(|next| next == b'-'),
            b'>' => line == LineSoFar::Start,
            b'.' | b')' => line == LineSoFar::Number && ends_word,
            _ => false,
        };
        if is_escaped {
            out.push_str(&text[copied..at]);
            out.push('\\');
            copied = at;
        }
        line = match line {
            LineSoFar::Start | LineSoFar::Number if byte.is_ascii_digit() => LineSoFar::Number,
            _ => LineSoFar::Inside,
        };
    }
    out.push_str(&text[copied..]);
    line
}

/// Whether a byte may follow the `&` of a character reference.
fn begins_reference(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'#'
}

/// Whether a text ends with a `&` that is not escaped. It was alone when it was written.
fn ends_with_ampersand(text: &str) -> bool {
    let Some(before) = text.strip_suffix('&') else {
        return false;
    };
    (before.len() - before.trim_end_matches('\\').len()) % 2 == 0
}

/// The bytes that may be escaped within a line.
static MAY_MEAN: [bool; 256] = {
    let mut table = [false; 256];
    let bytes = b"\\`*[]<~_&|#";
    let mut i = 0;
    while i < bytes.len() {
        table[bytes[i] as usize] = true;
        i += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::*;

    fn escaped(text: &str, place: TextPlace, line: LineSoFar) -> String {
        let mut out = String::new();
        push(text, place, line, &mut out);
        out
    }

    #[test]
    fn characters_are_escaped_where_they_mean_something() {
        for (text, expected) in [
            ("a*b `c` [d] <e> f\\g ~", "a\\*b \\`c\\` \\[d\\] \\<e> f\\\\g \\~"),
            ("snake_case _a_ b_", "snake_case \\_a\\_ b\\_"),
            ("AT&T & &amp; &#1; x&", "AT\\&T & \\&amp; \\&#1; x&"),
            ("- a - b", "\\- a - b"),
            ("# a #", "\\# a #"),
            ("12. a 3. b", "12\\. a 3. b"),
            ("12) a", "12\\) a"),
            ("1.5 -m", "1.5 -m"),
            ("-5", "-5"),
            ("#tag", "#tag"),
            ("-- a", "\\-- a"),
            ("a | b", "a | b"),
            ("| a", "\\| a"),
            ("> a", "\\> a"),
            ("=== a", "\\=== a"),
        ] {
            assert_eq!(escaped(text, TextPlace::Paragraph, LineSoFar::Start), expected);
        }
        let mut out = "\\\\&".to_owned();
        push("amp;", TextPlace::Paragraph, LineSoFar::Inside, &mut out);
        assert_eq!(out, "\\\\\\&amp;");
        assert_eq!(escaped("- 1. # a", TextPlace::Paragraph, LineSoFar::Inside), "- 1. # a");
        assert_eq!(escaped("a | b", TextPlace::Cell, LineSoFar::Inside), "a \\| b");
        assert_eq!(escaped("C# a ##", TextPlace::Heading, LineSoFar::Inside), "C# a \\#\\#");
    }
}
