//! Documents as XML 1.0 (fifth edition): `<documents>` of `<document>`, well-formed for every input.
//!
//! - The fields that a document has are attributes of `<document>`, with the names and the order of the schema. Three fields are
//!   elements: `title` is `<title>`, `text` is one element for each paragraph, list, table or code (written by `text.rs`), and
//!   `comments` is `<comments>` with elements of its own.
//! - The text of a further extractor is `<text name="NAME">` with elements of its own.
//! - Characters that XML 1.0 cannot hold (section 2.2) are removed.

mod read;
mod text;

use std::borrow::Cow;
use std::io::Write;

use quick_xml::escape::partial_escape;
use quick_xml::events::attributes::Attribute;

use super::format::{Definition, Reader};
use super::sequence::Sequence;
use crate::document::{Document, Field, FieldValue};

static SEQUENCE: Sequence = Sequence {
    write: |document, out| {
        // The caller has noted removed characters in the document's flags.
        let _ = write(document, out);
    },
    header: header(),
    footer: footer(),
};

pub(super) static DEFINITION: Definition = Definition {
    name: "xml",
    extension: "xml",
    changes: Some(needs_cleaning),
    compresses_inside: false,
    has_elements: true,
    encoder: |compression| SEQUENCE.encoder(compression),
    writer: |file, compression| SEQUENCE.writer(file, compression),
    resume: Some(|file, compression| SEQUENCE.resume(file, compression)),
    reader: Reader::Sequential(|input| Box::new(read::ElementReader::new(input))),
};

/// Returns what a shard begins with.
pub const fn header() -> &'static [u8] {
    b"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<documents>\n"
}

/// Returns what a shard ends with.
pub const fn footer() -> &'static [u8] {
    b"</documents>\n"
}

/// Returns whether [`write()`] would remove characters from the document.
pub fn needs_cleaning(document: &Document) -> bool {
    let field_needs = |field: &Field| match field.get(document) {
        FieldValue::Text(text) => has_forbidden(text),
        _ => false,
    };
    let mut more = document.more_texts.iter();
    document.fields().iter().any(field_needs)
        || more.any(|more| has_forbidden(&more.extractor) || has_forbidden(&more.text))
}

/// Appends the document to `out` as a `<document>` element with a line end. Returns whether characters that XML forbids
/// were removed.
pub fn write(document: &Document, out: &mut Vec<u8>) -> bool {
    let text = document.text.len() + document.comments.len();
    out.reserve(text + text / 8 + 1024);
    let mut writer = ElementWriter { out, removed: false };
    writer.document(document);
    writer.removed
}

/// The element of the readers' comments.
const COMMENTS: &str = "comments";

/// Whether the field is an element. The other fields are attributes.
fn is_element(field: &Field) -> bool {
    matches!(field.name(), "text" | COMMENTS | "title")
}

struct ElementWriter<'o> {
    out: &'o mut Vec<u8>,
    /// Characters were removed.
    removed: bool,
}

impl ElementWriter<'_> {
    fn document(&mut self, document: &Document) {
        self.raw("<document");
        let fields = document.fields();
        for field in fields.iter().filter(|field| !is_element(field)) {
            match field.get(document) {
                FieldValue::Text(text) => self.attribute(field.name(), text),
                // As in JSON, a number that is not finite is unknown.
                FieldValue::Float(n) if !n.is_finite() => self.number(field.name(), FieldValue::Float(0.0)),
                number => self.number(field.name(), number),
            }
        }
        self.raw(">");
        self.element("title", &document.metadata.title);
        self.text(&document.text, &document.text_form);
        if fields.iter().any(|field| field.name() == COMMENTS) {
            self.raw("\n<comments>");
            self.text(&document.comments, &document.comments_form);
            self.raw(if document.comments.is_empty() { "" } else { "\n" });
            self.raw("</comments>");
        }
        for more in &document.more_texts {
            self.raw("\n<text");
            self.attribute("name", &more.extractor);
            self.raw(">");
            self.text(&more.text, &more.form);
            self.raw("\n</text>");
        }
        self.raw("\n</document>\n");
    }

    fn element(&mut self, name: &'static str, text: &str) {
        for part in ["\n<", name, ">"] {
            self.raw(part);
        }
        self.escaped(text);
        for part in ["</", name, ">"] {
            self.raw(part);
        }
    }

    fn escaped(&mut self, text: &str) {
        let text = self.clean(text);
        self.raw(&partial_escape(text));
    }

    fn attribute(&mut self, name: &'static str, value: &str) {
        let value = self.clean(value);
        self.begin_attribute(name);
        // This also escapes tabs and line ends, which a reader would otherwise take for spaces.
        self.raw(&Attribute::from((name, &*value)).value);
        self.raw("\"");
    }

    /// Writes a number or a boolean.
    fn number(&mut self, name: &'static str, value: FieldValue<'_>) {
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

    fn raw(&mut self, text: &str) {
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
fn has_forbidden(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.iter().any(|b| *b < 0x20 && !matches!(b, b'\t' | b'\n' | b'\r'))
        || memchr::memchr_iter(0xEF, bytes).any(|i| matches!(&bytes[i..], [_, 0xBF, 0xBE | 0xBF, ..]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::ExtractedText;

    #[test]
    fn forbidden_characters_are_found_in_bytes_as_in_characters() {
        for c in (0..=0x10_FFFF).filter_map(char::from_u32) {
            let mut buffer = [0; 4];
            assert_eq!(has_forbidden(c.encode_utf8(&mut buffer)), is_forbidden(c), "{c:?}");
        }
    }

    #[test]
    fn a_document_is_written_as_documented() {
        let mut document = Document {
            id: "a\"\nb".into(),
            text: "one ]]>\n\ntwo & <three>".into(),
            comments: "I agree".into(),
            more_texts: vec![ExtractedText::new("cetd", "other")],
            ..Document::default()
        };
        document.metadata.title = "T\u{0}".into();
        let mut out = Vec::new();
        assert!(needs_cleaning(&document));
        assert!(write(&document, &mut out));
        let xml = String::from_utf8(out).expect("UTF-8");
        assert!(xml.starts_with("<document id=\"a&quot;&#10;b\" source=\"\""), "{xml}");
        let tail = [
            "\n<title>T</title>\n<p>one ]]&gt;</p>\n<p>two &amp; &lt;three&gt;</p>",
            "\n<comments>\n<p>I agree</p>\n</comments>",
            "\n<text name=\"cetd\">\n<p>other</p>\n</text>\n</document>\n",
        ];
        assert!(xml.ends_with(&tail.concat()), "{xml}");
        document.comments.clear();
        let mut out = Vec::new();
        write(&document, &mut out);
        let xml = String::from_utf8(out).expect("UTF-8");
        assert!(xml.contains("</p>\n<comments></comments>\n<text"), "{xml}");
    }
}
