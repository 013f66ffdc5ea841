//! Writes a document as a `<document>` element.

use super::writer::{ElementWriter, has_forbidden};
use crate::document::{Document, Field, FieldValue};

/// The element of the readers' comments.
pub(super) const COMMENTS: &str = "comments";

/// Returns whether the field is an element. The other fields are attributes.
pub(super) fn is_element(field: &Field) -> bool {
    matches!(field.name(), "text" | COMMENTS | "title")
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use dehusk_html::rendering::{Element, Mark};

    use crate::document::{ExtractedText, Form};

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
        assert!(
            xml.starts_with("<document id=\"a&quot;&#10;b\" html=\"\" source=\"\""),
            "{xml}"
        );
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

    #[test]
    fn posts_begin_where_their_text_does_and_take_no_character() {
        let post = |author: &str, date: &str| Element::Post {
            author: author.into(),
            date: date.into(),
        };
        let begins = |at, element| Mark {
            at,
            begins: Some(element),
        };
        let ends = |at| Mark { at, begins: None };
        // In the text `one`, before the paragraph `two`, and in the item `three` after its marker.
        let marks = vec![
            begins(0, post("A & B", "2024-05-01")),
            ends(0),
            begins(5, post("", "May 2")),
            ends(5),
            begins(10, Element::List),
            begins(10, Element::Item),
            begins(10, Element::Label),
            ends(11),
            begins(12, post("C", "")),
            ends(12),
            ends(17),
            ends(17),
        ];
        let mut document = Document {
            text: "one\n\ntwo\n\n- three".into(),
            text_form: Form(marks),
            ..Document::default()
        };
        document.id = "x".into();
        let mut out = Vec::new();
        write(&document, &mut out);
        let xml = String::from_utf8(out).expect("UTF-8");
        let expected = "\n<post author=\"A &amp; B\" date=\"2024-05-01\"/>\n<p>one</p>\n<post date=\"May 2\"/>\n<p>two</p>\n\
                        <list><item><label>-</label> <post author=\"C\"/>three</item></list>";
        assert!(xml.contains(expected), "{xml}");
    }
}
