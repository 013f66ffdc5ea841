//! Reads the attributes of one tag. The parser itself keeps them as a range of the page.

use super::scan;

/// An iterator over the raw attributes of a tag: the name as the page spells it, and the value without quotes.
///
/// Character references in the value are not decoded. An attribute without a value has the value `""`. If a name occurs
/// twice, the iterator returns both; in HTML the first counts. The iteration takes one pass.
#[derive(Clone, Debug)]
pub struct Attributes<'a> {
    raw: &'a str,
    at: usize,
}

// The separators of attributes. White space is as the specification defines it.
const SPACE: u8 = 1;
const SLASH: u8 = 2;
const EQUALS: u8 = 4;

/// The class of each byte; 0 for a byte of a name.
static BYTES: [u8; 256] = {
    let mut kinds = [0; 256];
    kinds[b' ' as usize] = SPACE;
    kinds[b'\t' as usize] = SPACE;
    kinds[b'\n' as usize] = SPACE;
    kinds[b'\r' as usize] = SPACE;
    kinds[0x0C] = SPACE;
    kinds[b'/' as usize] = SLASH;
    kinds[b'=' as usize] = EQUALS;
    kinds
};

impl<'a> Attributes<'a> {
    /// Reads the attributes in `raw`, the part of a tag between its name and the closing `>`.
    #[inline]
    pub fn new(raw: &'a str) -> Self {
        Attributes { raw, at: 0 }
    }

    /// Passes over bytes of these kinds.
    #[inline]
    fn skip(&mut self, kinds: u8) {
        let bytes = self.raw.as_bytes();
        while self.at < bytes.len() && BYTES[usize::from(bytes[self.at])] & kinds != 0 {
            self.at += 1;
        }
    }

    /// Passes over bytes of other kinds.
    #[inline]
    fn skip_to(&mut self, kinds: u8) {
        let bytes = self.raw.as_bytes();
        while self.at < bytes.len() && BYTES[usize::from(bytes[self.at])] & kinds == 0 {
            self.at += 1;
        }
    }
}

impl<'a> Iterator for Attributes<'a> {
    type Item = (&'a str, &'a str);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let bytes = self.raw.as_bytes();
        self.skip(SPACE | SLASH);
        let name_from = self.at;
        if name_from == bytes.len() {
            return None;
        }
        // An equals sign in first place is a part of the name.
        self.at = name_end(bytes, self.at + 1);
        let name = &self.raw[name_from..next_boundary(self.raw, self.at)];
        self.skip(SPACE);
        if bytes.get(self.at) != Some(&b'=') {
            return Some((name, ""));
        }
        self.at += 1;
        self.skip(SPACE);
        let (from, to) = match bytes.get(self.at) {
            Some(&quote @ (b'"' | b'\'')) => {
                let from = self.at + 1;
                let to = scan::find(quote, &bytes[from..]).map_or(bytes.len(), |n| from + n);
                self.at = (to + 1).min(bytes.len());
                (from, to)
            }
            _ => {
                let from = self.at;
                self.skip_to(SPACE);
                (from, self.at)
            }
        };
        Some((name, &self.raw[from..to]))
    }
}

/// The end of the name that continues at `at`: eight bytes at a time, since most names are short.
#[inline]
fn name_end(bytes: &[u8], mut at: usize) -> usize {
    while let Some(eight) = bytes.get(at..).and_then(|rest| rest.first_chunk()) {
        let length = scan::length_before(u64::from_le_bytes(*eight), [b'=', b'/']);
        at += length;
        if length < 8 && BYTES[usize::from(bytes[at])] != 0 {
            return at;
        }
        // A control character is a part of the name.
        at += usize::from(length < 8);
    }
    let rest = bytes.get(at..).unwrap_or_default();
    at + rest
        .iter()
        .position(|byte| BYTES[usize::from(*byte)] != 0)
        .unwrap_or(rest.len())
}

/// The first character boundary at or after `at`, so that a name of one multi-byte character is not cut.
fn next_boundary(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at += 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(raw: &str) -> Vec<(&str, &str)> {
        Attributes::new(raw).collect()
    }

    #[test]
    fn all_kinds_of_quoting() {
        assert_eq!(
            read(r#" a="1 > 2" b='x"y' c=z/w d e = f / "#),
            [("a", "1 > 2"), ("b", "x\"y"), ("c", "z/w"), ("d", ""), ("e", "f")]
        );
    }

    #[test]
    fn odd_forms() {
        assert_eq!(read(""), []);
        assert_eq!(read("/ / "), []);
        assert_eq!(read(" =x y= "), [("=x", ""), ("y", "")]);
        assert_eq!(read("a=\"open"), [("a", "open")]);
        assert_eq!(read("é=ü ü"), [("é", "ü"), ("ü", "")]);
        assert_eq!(read("a=1b=2\"c"), [("a", "1b=2\"c")]);
        assert_eq!(read("a=\"1\"b=2"), [("a", "1"), ("b", "2")]);
        assert_eq!(
            read("abcdefgh=1 a\u{1}bcdefgh=2 a\u{1}/b"),
            [("abcdefgh", "1"), ("a\u{1}bcdefgh", "2"), ("a\u{1}", ""), ("b", "")]
        );
    }

    #[test]
    fn many_attributes_take_one_pass() {
        let raw = " a=1".repeat(100_000);
        assert_eq!(Attributes::new(&raw).count(), 100_000);
    }
}
