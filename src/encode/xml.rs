//! Documents as XML 1.0 (fifth edition): `<documents>` of `<document>`, well-formed for every input.
//!
//! A document's fields are attributes of `<document>` under the names that they have in JSONL, but for its title, which
//! is `<title>`, and its text, one `<p>` a paragraph. What further extractors made of the page follows as `<text
//! name="NAME">`. Characters that XML 1.0 cannot hold (section 2.2) are removed.

use crate::document::Document;
use quick_xml::events::{BytesEnd, BytesStart, BytesText, Event};
use quick_xml::writer::Writer;
use std::borrow::Cow;
use std::fmt::Display;

/// What a shard begins with.
pub fn header() -> &'static [u8] {
    b"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<documents>\n"
}

/// What a shard ends with.
pub fn footer() -> &'static [u8] {
    b"</documents>\n"
}

/// Whether [`write()`] would remove characters from the document: to be asked before the document's `flags` are
/// settled.
pub fn needs_cleaning(document: &Document) -> bool {
    let m = &document.metadata;
    let fields: [&str; 21] = [
        &document.id,
        &document.text,
        &document.source,
        &document.created,
        &document.version,
        &m.url,
        &m.date,
        &m.file_path,
        &m.payload_digest,
        &m.mime,
        &m.charset,
        &m.charset_source,
        &m.title,
        &m.author,
        &m.published,
        &m.sitename,
        &m.hostname,
        &m.language,
        &m.extractor,
        &m.flags,
        &m.text_hash,
    ];
    let more = document
        .more_texts
        .iter()
        .flat_map(|(name, text)| [name.as_str(), text.as_str()]);
    fields
        .into_iter()
        .chain(more)
        .any(|field| matches!(clean(field), Cow::Owned(_)))
}

/// Appends the document to `out` as one `<document>` element with a line end. Returns whether characters that XML
/// forbids were removed.
pub fn write(document: &Document, out: &mut Vec<u8>) -> bool {
    let start = out.len();
    out.reserve(document.text.len() + document.text.len() / 8 + 1024);
    let mut xml = Xml {
        writer: Writer::new(&mut *out),
        removed: false,
    };
    let written = xml.document(document);
    let removed = xml.removed;
    match written {
        Ok(()) => out.push(b'\n'),
        // Writing to memory cannot fail; half an element must never stay all the same.
        Err(_) => out.truncate(start),
    }
    removed
}

/// One document's writer.
struct Xml<'o> {
    writer: Writer<&'o mut Vec<u8>>,
    removed: bool,
}

impl Xml<'_> {
    fn document(&mut self, document: &Document) -> std::io::Result<()> {
        let element = self.open_tag(document);
        self.writer.write_event(Event::Start(element))?;
        self.element("title", &document.metadata.title)?;
        self.paragraphs(&document.text)?;
        for (key, text) in &document.more_texts {
            let mut element = BytesStart::new("text");
            self.attribute(&mut element, "name", key.strip_prefix("text_").unwrap_or(key));
            self.line_end()?;
            self.writer.write_event(Event::Start(element))?;
            self.paragraphs(text)?;
            self.line_end()?;
            self.writer.write_event(Event::End(BytesEnd::new("text")))?;
        }
        self.line_end()?;
        self.writer.write_event(Event::End(BytesEnd::new("document")))
    }

    /// The `<document>` tag with all fields but the title and the texts.
    fn open_tag(&mut self, document: &Document) -> BytesStart<'static> {
        let m = &document.metadata;
        let mut element = BytesStart::new("document");
        let texts = [
            ("id", &document.id),
            ("source", &document.source),
            ("created", &document.created),
            ("version", &document.version),
            ("url", &m.url),
            ("date", &m.date),
            ("file_path", &m.file_path),
        ];
        for (key, value) in texts {
            self.attribute(&mut element, key, value);
        }
        number(&mut element, "warc_offset", m.warc_offset);
        number(&mut element, "warc_length", m.warc_length);
        number(&mut element, "offset_in_member", m.offset_in_member);
        self.attribute(&mut element, "payload_digest", &m.payload_digest);
        number(&mut element, "http_status", m.http_status);
        let texts = [
            ("mime", &m.mime),
            ("charset", &m.charset),
            ("charset_source", &m.charset_source),
            ("author", &m.author),
            ("published", &m.published),
            ("sitename", &m.sitename),
            ("hostname", &m.hostname),
            ("language", &m.language),
        ];
        for (key, value) in texts {
            self.attribute(&mut element, key, value);
        }
        float(&mut element, "language_score", m.language_score);
        self.attribute(&mut element, "extractor", &m.extractor);
        float(&mut element, "score", m.score);
        number(&mut element, "words", m.words);
        number(&mut element, "page_words", m.page_words);
        number(&mut element, "truncated", m.truncated);
        self.attribute(&mut element, "flags", &m.flags);
        self.attribute(&mut element, "text_hash", &m.text_hash);
        element
    }

    /// One `<p>` for each paragraph; paragraphs are parted by blank lines.
    fn paragraphs(&mut self, text: &str) -> std::io::Result<()> {
        text.split("\n\n")
            .filter(|p| !p.is_empty())
            .try_for_each(|p| self.element("p", p))
    }

    fn element(&mut self, name: &'static str, text: &str) -> std::io::Result<()> {
        let text = self.clean(text);
        self.line_end()?;
        self.writer.write_event(Event::Start(BytesStart::new(name)))?;
        self.writer
            .write_event(Event::Text(BytesText::from_escaped(quick_xml::escape::partial_escape(
                text,
            ))))?;
        self.writer.write_event(Event::End(BytesEnd::new(name)))
    }

    /// quick-xml escapes tabs and line ends in attributes, which a reader would otherwise take for spaces.
    fn attribute(&mut self, element: &mut BytesStart<'_>, key: &'static str, value: &str) {
        let value = self.clean(value);
        element.push_attribute((key, value));
    }

    fn line_end(&mut self) -> std::io::Result<()> {
        self.writer.write_event(Event::Text(BytesText::from_escaped("\n")))
    }

    fn clean<'t>(&mut self, text: &'t str) -> Cow<'t, str> {
        let text = clean(text);
        self.removed |= matches!(text, Cow::Owned(_));
        text
    }
}

fn number(element: &mut BytesStart<'_>, key: &'static str, value: impl Display) {
    element.push_attribute((key, value.to_string().as_str()));
}

/// A float with its point, as in JSONL.
fn float(element: &mut BytesStart<'_>, key: &'static str, value: f64) {
    let value = if value.is_finite() { value } else { 0.0 };
    element.push_attribute((key, format!("{value:?}").as_str()));
}

/// The text without the characters that XML 1.0 forbids; borrowed where it has none.
fn clean(text: &str) -> Cow<'_, str> {
    if !has_forbidden(text.as_bytes()) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().filter(|c| !is_forbidden(*c)).collect())
}

/// Whether XML 1.0 forbids the character (production 2, `Char`).
fn is_forbidden(c: char) -> bool {
    matches!(c, '\0'..='\u{8}' | '\u{B}' | '\u{C}' | '\u{E}'..='\u{1F}' | '\u{FFFE}' | '\u{FFFF}')
}

/// The same over UTF-8, in which U+FFFE and U+FFFF are EF BF BE and EF BF BF.
fn has_forbidden(bytes: &[u8]) -> bool {
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
            assert_eq!(
                has_forbidden(c.encode_utf8(&mut buffer).as_bytes()),
                is_forbidden(c),
                "{c:?}"
            );
        }
    }

    #[test]
    fn a_document_looks_as_documented() {
        let mut document = Document {
            id: "a\"\nb".into(),
            text: "one ]]>\n\ntwo & <three>".into(),
            ..Document::default()
        };
        document.metadata.title = "T\u{0}".into();
        document.more_texts.insert("text_cetd".into(), "other".into());
        let mut out = Vec::new();
        assert!(needs_cleaning(&document));
        assert!(write(&document, &mut out));
        let xml = String::from_utf8(out).expect("UTF-8");
        assert!(xml.starts_with("<document id=\"a&quot;&#10;b\" source=\"\""), "{xml}");
        let tail = "\n<title>T</title>\n<p>one ]]&gt;</p>\n<p>two &amp; &lt;three&gt;</p>\n<text name=\"cetd\">\n<p>other</p>\n</text>\n</document>\n";
        assert!(xml.ends_with(tail), "{xml}");
    }
}
