//! Finds the charset label inside a page: the HTML standard's "prescan a byte stream to determine its encoding", then
//! "get an XML encoding" if that finds nothing.

use super::label::CharsetLabel;
use super::names;

/// Number of bytes of a page that are scanned for its label. The standard asks for 1024, but authors put the label
/// after scripts and long comments. Browsers that find it late parse the page again.
const PRESCAN: usize = 16 * 1024;

/// The encoding that the page names within its first 16 KiB, in lower case.
///
/// As in the standard, UTF-16 means UTF-8 here (its label was readable as ASCII), and `x-user-defined` means
/// windows-1252.
pub fn prescan(body: &[u8]) -> Option<&'static str> {
    match find(body) {
        CharsetLabel::Known(encoding) => Some(names::lower_case(encoding)),
        CharsetLabel::Utf16 => Some("utf-8"),
        _ => None,
    }
}

/// The meaning of the page's own label.
pub(super) fn find(body: &[u8]) -> CharsetLabel {
    let sample = &body[..body.len().min(PRESCAN)];
    let mut unknown = CharsetLabel::None;
    let mut scanner = Scanner { bytes: sample, at: 0 };
    while let Some(label) = scanner.next_label() {
        match CharsetLabel::parse(&String::from_utf8_lossy(label)) {
            CharsetLabel::None => {}
            // The standard keeps looking; an unknown label is only reported.
            CharsetLabel::Unknown => unknown = CharsetLabel::Unknown,
            known => return known,
        }
    }
    match xml_label(sample).map(|label| CharsetLabel::parse(&String::from_utf8_lossy(label))) {
        Some(CharsetLabel::None | CharsetLabel::Unknown) | None => unknown,
        Some(known) => known,
    }
}

/// Walks over the tags of a page without parsing it.
struct Scanner<'a> {
    bytes: &'a [u8],
    at: usize,
}

/// One attribute: its name and its value, without quotes.
type Attribute<'a> = (&'a [u8], &'a [u8]);

fn is_space(b: u8) -> bool {
    matches!(b, b'\t' | b'\n' | 0x0C | b'\r' | b' ')
}

impl<'a> Scanner<'a> {
    /// The label of the next `meta` element that has one.
    fn next_label(&mut self) -> Option<&'a [u8]> {
        loop {
            self.at += memchr::memchr(b'<', self.bytes.get(self.at..)?)?;
            let rest = &self.bytes[self.at..];
            match rest {
                [b'<', b'!', b'-', b'-', ..] => {
                    // The hyphens of the start may also be those of the end: `<!-->` is a whole comment.
                    self.at += 2 + memchr::memmem::find(&rest[2..], b"-->")? + 3;
                }
                _ if is_meta(rest) => {
                    self.at += 5;
                    if let Some(label) = self.meta_label() {
                        return Some(label);
                    }
                }
                [b'<', b'/', c, ..] | [b'<', c, ..] if c.is_ascii_alphabetic() => {
                    let name = rest.iter().position(|b| is_space(*b) || *b == b'>')?;
                    self.at += name;
                    while self.attribute().is_some() {}
                }
                [b'<', b'!' | b'/' | b'?', ..] => self.at += memchr::memchr(b'>', rest)? + 1,
                _ => self.at += 1,
            }
        }
    }

    /// The label of the `meta` element whose attributes start at the current position.
    fn meta_label(&mut self) -> Option<&'a [u8]> {
        let (mut seen_charset, mut seen_equiv, mut seen_content) = (false, false, false);
        let mut is_pragma = false;
        let mut label = None;
        let mut needs_pragma = false;
        while let Some((name, value)) = self.attribute() {
            if name.eq_ignore_ascii_case(b"http-equiv") && !seen_equiv {
                seen_equiv = true;
                is_pragma = value.eq_ignore_ascii_case(b"content-type");
            } else if name.eq_ignore_ascii_case(b"content") && !seen_content {
                seen_content = true;
                if label.is_none() {
                    label = label_in_content(value);
                    needs_pragma = label.is_some();
                }
            } else if name.eq_ignore_ascii_case(b"charset") && !seen_charset {
                seen_charset = true;
                label = Some(value);
                needs_pragma = false;
            }
        }
        label.filter(|_| !needs_pragma || is_pragma)
    }

    /// "Get an attribute": the next attribute of the current tag; `None` at the end of the tag.
    fn attribute(&mut self) -> Option<Attribute<'a>> {
        self.skip(|b| is_space(b) || b == b'/');
        if self.peek()? == b'>' {
            return None;
        }
        let start = self.at;
        // `=` is a part of the name only in first place.
        self.at += 1;
        self.skip(|b| !is_space(b) && !matches!(b, b'=' | b'/' | b'>'));
        let name = &self.bytes[start..self.at];
        self.skip(is_space);
        if self.peek()? != b'=' {
            return Some((name, b""));
        }
        self.at += 1;
        self.skip(is_space);
        let start = self.at;
        match self.peek()? {
            quote @ (b'"' | b'\'') => {
                self.at += 1;
                self.skip(|b| b != quote);
                // If the quote never closes, there is no value and the scan ends.
                self.peek()?;
                self.at += 1;
                Some((name, &self.bytes[start + 1..self.at - 1]))
            }
            b'>' => Some((name, b"")),
            _ => {
                self.skip(|b| !is_space(b) && b != b'>');
                self.peek()?;
                Some((name, &self.bytes[start..self.at]))
            }
        }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn skip(&mut self, is_skipped: impl Fn(u8) -> bool) {
        self.at += self.bytes[self.at.min(self.bytes.len())..]
            .iter()
            .take_while(|b| is_skipped(**b))
            .count();
    }
}

/// Whether `rest` starts with a `meta` tag.
fn is_meta(rest: &[u8]) -> bool {
    rest.len() > 5 && rest[..5].eq_ignore_ascii_case(b"<meta") && (is_space(rest[5]) || rest[5] == b'/')
}

/// "Extracting a character encoding from a meta element": the label in a `content` attribute.
fn label_in_content(content: &[u8]) -> Option<&[u8]> {
    const KEY: &[u8] = b"charset";
    let mut rest = content;
    loop {
        let found = rest.windows(KEY.len()).position(|w| w.eq_ignore_ascii_case(KEY))?;
        rest = &rest[found + KEY.len()..];
        let Some(value) = rest.trim_ascii_start().strip_prefix(b"=") else {
            continue;
        };
        let value = value.trim_ascii_start();
        return match value.first()? {
            quote @ (b'"' | b'\'') => {
                let end = memchr::memchr(*quote, &value[1..])?;
                Some(&value[1..1 + end])
            }
            _ => {
                let end = value
                    .iter()
                    .position(|b| is_space(*b) || *b == b';')
                    .unwrap_or(value.len());
                Some(&value[..end])
            }
        };
    }
}

/// "Get an XML encoding": the label in the XML declaration at the start of the page.
fn xml_label(sample: &[u8]) -> Option<&[u8]> {
    if !sample.starts_with(b"<?xml") {
        return None;
    }
    let declaration = &sample[..memchr::memchr(b'>', sample)?];
    let after = memchr::memmem::find(declaration, b"encoding")? + b"encoding".len();
    let value = declaration[after..]
        .trim_ascii_start()
        .strip_prefix(b"=")?
        .trim_ascii_start();
    let quote = *value.first().filter(|b| matches!(b, b'"' | b'\''))?;
    let end = memchr::memchr(quote, &value[1..])?;
    Some(&value[1..1 + end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_found_as_the_standard_finds_them() {
        for (page, name) in [
            ("<meta charset=koi8-r>", Some("koi8-r")),
            ("<META CharSet = 'Big5' />", Some("big5")),
            ("<meta/charset=gbk>", Some("gbk")),
            (
                "<meta http-equiv=Content-Type content='text/html; charset=euc-kr'>",
                Some("euc-kr"),
            ),
            (
                "<meta content='text/html; charset=euc-kr' http-equiv=content-type>",
                Some("euc-kr"),
            ),
            ("<meta content='text/html; charset=euc-kr'>", None),
            ("<meta http-equiv=refresh content='text/html; charset=euc-kr'>", None),
            (
                "<meta content='charset charset = \"big5\"' http-equiv=content-type>",
                Some("big5"),
            ),
            ("<!-- <meta charset=big5> --><meta charset=gbk>", Some("gbk")),
            ("<!--><meta charset=gbk>-->", Some("gbk")),
            ("<a title='<meta charset=big5>'><meta charset=gbk>", Some("gbk")),
            ("<meta charset=klingon><meta charset=gbk>", Some("gbk")),
            ("<meta charset=utf-16>", Some("utf-8")),
            ("<meta charset=x-user-defined>", Some("windows-1252")),
            ("<metadata charset=gbk>", None),
            ("<meta charset=gbk\">", None),
            ("<meta charset=gbk\"><meta charset=big5>", Some("big5")),
            (
                "<meta http-equiv=\"Content-Type content=\"text/html; charset=gbk\">",
                None,
            ),
            (
                "<meta http-equiv=content-type content=\"text/html; charset='gbk\">",
                None,
            ),
            (
                "<meta http-equiv=content-type content=\"text/html; charset=gbk'\">",
                None,
            ),
            ("<meta charset='gbk", None),
            ("<meta", None),
            ("<?xml version='1.0' encoding='iso-8859-2'?><p>", Some("iso-8859-2")),
            (
                "<?xml version='1.0' encoding='iso-8859-2'?><meta charset=gbk>",
                Some("gbk"),
            ),
            ("<", None),
            ("", None),
        ] {
            assert_eq!(prescan(page.as_bytes()), name, "{page}");
        }
    }

    #[test]
    fn a_label_after_the_scanned_bytes_is_not_found() {
        let page = format!("{}<meta charset=gbk>", " ".repeat(PRESCAN));
        assert_eq!(prescan(page.as_bytes()), None);
    }
}
