//! Reads the attributes of one tag. The parser itself keeps them as a range of the page.

/// An iterator over the raw attributes of a tag: the name as the page spells it, and the value without quotes.
///
/// Character references in the value are not decoded. An attribute without a value has the value `""`. If a name occurs
/// twice, the iterator returns both; in HTML the first counts. The iteration takes one pass.
#[derive(Clone, Debug)]
pub struct Attributes<'a> {
    raw: &'a str,
    at: usize,
}

/// White space between attributes, as the specification defines it.
#[inline]
fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0C)
}

impl<'a> Attributes<'a> {
    /// Reads the attributes in `raw`, the part of a tag between its name and the closing `>`.
    #[inline]
    pub fn new(raw: &'a str) -> Self {
        Attributes { raw, at: 0 }
    }

    fn skip(&mut self, what: impl Fn(u8) -> bool) {
        let rest = &self.raw.as_bytes()[self.at..];
        self.at += rest.iter().position(|&b| !what(b)).unwrap_or(rest.len());
    }
}

impl<'a> Iterator for Attributes<'a> {
    type Item = (&'a str, &'a str);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let bytes = self.raw.as_bytes();
        self.skip(|b| is_space(b) || b == b'/');
        let name_from = self.at;
        if name_from == bytes.len() {
            return None;
        }
        self.at += 1; // an equals sign in first place is a part of the name
        self.skip(|b| !is_space(b) && b != b'/' && b != b'=');
        let name = &self.raw[name_from..next_boundary(self.raw, self.at)];
        self.skip(is_space);
        if bytes.get(self.at) != Some(&b'=') {
            return Some((name, ""));
        }
        self.at += 1;
        self.skip(is_space);
        let (from, to) = match bytes.get(self.at) {
            Some(&quote @ (b'"' | b'\'')) => {
                let from = self.at + 1;
                let to = memchr::memchr(quote, &bytes[from..]).map_or(bytes.len(), |n| from + n);
                self.at = (to + 1).min(bytes.len());
                (from, to)
            }
            _ => {
                let from = self.at;
                self.skip(|b| !is_space(b));
                (from, self.at)
            }
        };
        Some((name, &self.raw[from..to]))
    }
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
    }

    #[test]
    fn many_attributes_take_one_pass() {
        let raw = " a=1".repeat(100_000);
        assert_eq!(Attributes::new(&raw).count(), 100_000);
    }
}
