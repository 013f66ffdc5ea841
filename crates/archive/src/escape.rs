//! Makes text from archives safe to print, and writes file names as text.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::path::Path;

/// Writes control characters, line ends and characters that reverse the direction of text as `\u{…}`. So text from an
/// archive cannot move the cursor, begin a line or turn one around.
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

/// A path as text for a message. It is escaped, because a path may hold any character, even line ends.
pub fn path(path: &Path) -> String {
    terminal(&name(path.as_os_str())).into_owned()
}

/// A file's name or path as text. Different names give different texts: a byte that is not UTF-8 is written as `\xNN`,
/// and so is a backslash that would begin such an escape.
pub fn name(name: &OsStr) -> Cow<'_, str> {
    let bytes = name.as_encoded_bytes();
    let is_escape =
        |rest: &[u8]| matches!(rest, [b'\\', b'x', a, b, ..] if a.is_ascii_hexdigit() && b.is_ascii_hexdigit());
    if let Ok(text) = std::str::from_utf8(bytes)
        && !bytes.windows(4).any(is_escape)
    {
        return text.into();
    }
    let mut text = String::with_capacity(bytes.len() + 16);
    for chunk in bytes.utf8_chunks() {
        let valid = chunk.valid();
        for (at, c) in valid.char_indices() {
            match is_escape(&valid.as_bytes()[at..]) {
                true => text.push_str(r"\x5c"),
                false => text.push(c),
            }
        }
        for byte in chunk.invalid() {
            text.push_str(&format!(r"\x{byte:02x}"));
        }
    }
    text.into()
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;

    use super::{name, terminal};

    #[test]
    fn escape_sequences_are_made_visible() {
        assert_eq!(terminal("a\x1b[31mb\u{202e}c"), "a\\u{1b}[31mb\\u{202e}c");
        assert_eq!(terminal("ünï"), "ünï");
    }

    #[cfg(unix)]
    #[test]
    fn names_that_differ_are_written_differently() {
        use std::os::unix::ffi::OsStrExt;
        for (bytes, text) in [
            (&b"a/\xff.warc"[..], r"a/\xff.warc"),
            (b"a/\xfe.warc", r"a/\xfe.warc"),
            (br"a/\xff.warc", r"a/\x5cxff.warc"),
            (br"a/\x5cxff.warc", r"a/\x5cx5cxff.warc"),
            (b"\\\xff\\x4\xe4", r"\\xff\x4\xe4"),
            (br"C:\xy\n", r"C:\xy\n"),
            ("ünï\u{fffd}".as_bytes(), "ünï\u{fffd}"),
        ] {
            assert_eq!(name(OsStr::from_bytes(bytes)), text);
        }
    }
}
