//! Writes tags, attributes and characters, without what XML 1.0 forbids.

use std::borrow::Cow;
use std::io::Write;

use quick_xml::escape::partial_escape;
use quick_xml::events::attributes::Attribute;

use crate::document::FieldValue;

pub(super) struct ElementWriter<'o> {
    pub(super) out: &'o mut Vec<u8>,
    /// Whether characters were removed.
    pub(super) removed: bool,
}

impl ElementWriter<'_> {
    pub(super) fn element(&mut self, name: &'static str, text: &str) {
        for part in ["\n<", name, ">"] {
            self.raw(part);
        }
        self.escaped(text);
        for part in ["</", name, ">"] {
            self.raw(part);
        }
    }

    pub(super) fn escaped(&mut self, text: &str) {
        let text = self.clean(text);
        self.raw(&partial_escape(text));
    }

    pub(super) fn attribute(&mut self, name: &'static str, value: &str) {
        let value = self.clean(value);
        self.begin_attribute(name);
        // This also escapes tabs and line ends, which a reader would otherwise take for spaces.
        self.raw(&Attribute::from((name, &*value)).value);
        self.raw("\"");
    }

    /// Writes a number or a boolean.
    pub(super) fn number(&mut self, name: &'static str, value: FieldValue<'_>) {
        self.begin_attribute(name);
        // Writing to memory cannot fail.
        let _ = write!(self.out, "{value}");
        self.raw("\"");
    }

    fn begin_attribute(&mut self, name: &'static str) {
        for part in [" ", name, "=\""] {
            self.raw(part);
        }
    }

    pub(super) fn raw(&mut self, text: &str) {
        self.out.extend_from_slice(text.as_bytes());
    }

    /// Removes forbidden characters.
    fn clean<'t>(&mut self, text: &'t str) -> Cow<'t, str> {
        if !has_forbidden(text) {
            return Cow::Borrowed(text);
        }
        self.removed = true;
        Cow::Owned(text.chars().filter(|c| !is_forbidden(*c)).collect())
    }
}

/// Whether XML 1.0 forbids the character (production 2, `Char`).
fn is_forbidden(c: char) -> bool {
    matches!(c, '\0'..='\u{8}' | '\u{B}' | '\u{C}' | '\u{E}'..='\u{1F}' | '\u{FFFE}' | '\u{FFFF}')
}

/// Whether a text has a forbidden character. Searches bytes: in UTF-8, U+FFFE and U+FFFF are EF BF BE and EF BF BF.
pub(super) fn has_forbidden(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.iter().any(|b| *b < 0x20 && !matches!(b, b'\t' | b'\n' | b'\r'))
        || memchr::memchr_iter(0xEF, bytes).any(|i| matches!(&bytes[i..], [_, 0xBF, 0xBE | 0xBF, ..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forbidden_characters_are_found_in_bytes_as_in_characters() {
        for c in (0..=0x10_FFFF).filter_map(char::from_u32) {
            let mut buffer = [0; 4];
            assert_eq!(has_forbidden(c.encode_utf8(&mut buffer)), is_forbidden(c), "{c:?}");
        }
    }
}
