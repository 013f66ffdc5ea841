//! Makes text from archives safe to print, and writes file names as text.

use std::borrow::Cow;
use std::ffi::OsStr;
#[cfg(unix)]
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::redact::redacted;

/// Writes control characters, line ends and characters that reverse the direction of text as `\u{…}`. So text from an
/// archive cannot move the cursor, begin a line or turn one around.
pub fn terminal(text: &str) -> Cow<'_, str> {
    let risky = |c: char| {
        c.is_control()
            || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
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

/// A path as text for a message, without credentials if it is an address. It is escaped, because a path may hold any
/// character, even line ends.
pub fn path(path: &Path) -> String {
    terminal(&name(redacted(path).as_os_str())).into_owned()
}

/// The path that [`name()`] wrote as text.
#[cfg(unix)]
pub fn named(text: &str) -> PathBuf {
    use std::os::unix::ffi::OsStringExt;
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let digit = |at: usize| char::from(*after.get(at)?).to_digit(16);
        let escaped = match (first, after.first()) {
            (b'\\', Some(b'x')) => digit(1).zip(digit(2)),
            _ => None,
        };
        match escaped {
            Some((high, low)) => {
                bytes.push((high * 16 + low) as u8);
                rest = &after[3..];
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    OsString::from_vec(bytes).into()
}

/// The path that [`name()`] wrote as text. On other systems paths are text.
#[cfg(not(unix))]
pub fn named(text: &str) -> PathBuf {
    text.replace(r"\x5c", r"\").into()
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
            if is_escape(&valid.as_bytes()[at..]) {
                text.push_str(r"\x5c")
            } else {
                text.push(c)
            }
        }
        for byte in chunk.invalid() {
            text.push_str(&format!(r"\x{byte:02x}"));
        }
    }
    text.into()
}

/// A word as a POSIX shell reads it: in quotes where it holds more than letters, digits and plain punctuation.
pub fn shell_word(word: &str) -> Cow<'_, str> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_@%+=:,./-".contains(c);
    if word.chars().all(is_plain) && !word.is_empty() {
        return word.into();
    }
    format!("'{}'", word.replace('\'', "'\\''")).into()
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
            assert_eq!(super::named(text).as_os_str().as_bytes(), bytes);
        }
    }
}
