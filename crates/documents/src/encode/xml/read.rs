//! Reads the `<document>` elements of an XML shard back.
//!
//! Attributes and elements that the schema does not know are ignored: a later version may have added them.

use std::collections::HashMap;
use std::error::Error;
use std::sync::{Arc, LazyLock};

use quick_xml::escape::unescape;
use quick_xml::events::{BytesStart, Event};
use quick_xml::reader::Reader;

use super::text::{JOINED, is_known};
use super::write::{COMMENTS, is_element};
use crate::document::{Document, ExtractedText, FIELDS, Field, FieldValue};
use crate::encode::definition::DocumentReader;
use crate::encode::shard_error::{ShardErrorKind, ShardPlace};
use crate::encode::shard_input::ShardInput;

/// The fields that are attributes, by name.
static ATTRIBUTES: LazyLock<HashMap<&str, &Field>> = LazyLock::new(|| {
    let attributes = FIELDS.iter().filter(|field| !is_element(field));
    attributes.map(|field| (field.name(), field)).collect()
});

/// Reads one `<document>` after the other.
pub(super) struct ElementReader {
    reader: Reader<ShardInput>,
    /// The bytes of the current event.
    buffer: Vec<u8>,
    /// Inside of `<documents>`.
    is_open: bool,
}

impl ElementReader {
    pub(super) fn new(input: ShardInput) -> Self {
        let mut reader = Reader::from_reader(input);
        reader.config_mut().expand_empty_elements = true;
        Self {
            reader,
            buffer: Vec::new(),
            is_open: false,
        }
    }

    fn next(&mut self) -> Result<Option<Document>, ShardErrorKind> {
        self.reader.get_mut().begin_document();
        if !self.is_open {
            self.open()?;
        }
        loop {
            match self.event()? {
                Event::Start(element) if is_named(&element, "document") => {
                    let mut document = Document::without_fields();
                    read_attributes(&element, &mut document)?;
                    self.children(&mut document)?;
                    return Ok(Some(document));
                }
                Event::Start(element) => {
                    let element = element.into_owned();
                    self.skip(&element)?;
                }
                Event::End(_) => return self.close(),
                Event::Eof => return Err(ShardErrorKind::Truncated),
                _ => {}
            }
        }
    }

    /// Reads up to `<documents>`.
    fn open(&mut self) -> Result<(), ShardErrorKind> {
        loop {
            match self.event()? {
                Event::Start(element) if is_named(&element, "documents") => break,
                Event::Start(_) => return Err(invalid("the shard does not begin with <documents>")),
                Event::Eof => return Err(ShardErrorKind::Truncated),
                _ => {}
            }
        }
        self.is_open = true;
        Ok(())
    }

    /// Reads the rest of the shard after `</documents>`.
    fn close(&mut self) -> Result<Option<Document>, ShardErrorKind> {
        loop {
            match self.event()? {
                Event::Eof => return Ok(None),
                Event::Start(_) => return Err(invalid("something follows </documents>")),
                _ => {}
            }
        }
    }

    /// Reads the elements of a document and its end.
    fn children(&mut self, document: &mut Document) -> Result<(), ShardErrorKind> {
        let mut paragraphs = Paragraphs::default();
        while let Some(element) = self.child()? {
            if is_named(&element, "title") {
                set("title", &self.content()?, document)?;
            } else if is_named(&element, COMMENTS) {
                set(COMMENTS, &self.paragraphs()?, document)?;
            } else if is_named(&element, "text") {
                let text = self.more_text(&element)?;
                document.more_texts.push(text);
            } else if is_known(element.name().into_inner()) {
                let is_joined = is_joined(&element)?;
                paragraphs.push(&self.content()?, is_joined);
            } else {
                self.skip(&element)?;
            }
        }
        set("text", &paragraphs.0.unwrap_or_default(), document)
    }

    /// Reads the text of a further extractor.
    fn more_text(&mut self, element: &BytesStart<'_>) -> Result<ExtractedText, ShardErrorKind> {
        let name = element.try_get_attribute("name").map_err(invalid)?;
        let name = name.ok_or_else(|| invalid("a <text> without a name"))?;
        let extractor = unescape(&name.value).map_err(invalid)?.into_owned();
        Ok(ExtractedText::new(extractor, self.paragraphs()?))
    }

    /// Reads the paragraphs, lists and so on of the current element, and its end.
    fn paragraphs(&mut self) -> Result<String, ShardErrorKind> {
        let mut paragraphs = Paragraphs::default();
        while let Some(child) = self.child()? {
            if is_known(child.name().into_inner()) {
                let is_joined = is_joined(&child)?;
                paragraphs.push(&self.content()?, is_joined);
            } else {
                self.skip(&child)?;
            }
        }
        Ok(paragraphs.0.unwrap_or_default())
    }

    /// Returns the next child of the current element, or `None` at its end.
    fn child(&mut self) -> Result<Option<BytesStart<'static>>, ShardErrorKind> {
        loop {
            match self.event()? {
                Event::Start(element) => return Ok(Some(element.into_owned())),
                Event::End(_) => return Ok(None),
                Event::Eof => return Err(ShardErrorKind::Truncated),
                _ => {}
            }
        }
    }

    /// Reads the text of the current element and of the elements of a text in it, and its end.
    fn content(&mut self) -> Result<String, ShardErrorKind> {
        let mut content = String::new();
        let mut depth = 0u32;
        loop {
            match self.event()? {
                Event::Text(text) => content.push_str(&text),
                Event::CData(text) => content.push_str(&text),
                Event::GeneralRef(name) => {
                    let reference = format!("&{};", &*name);
                    content.push_str(&unescape(&reference).map_err(invalid)?);
                }
                Event::Start(element) if is_known(element.name().into_inner()) => {
                    depth += 1;
                    if is_named(&element, "br") {
                        content.push('\n');
                    }
                }
                Event::Start(element) => {
                    let element = element.into_owned();
                    self.skip(&element)?;
                }
                Event::End(_) if depth > 0 => depth -= 1,
                Event::End(_) => return Ok(content),
                Event::Eof => return Err(ShardErrorKind::Truncated),
                _ => {}
            }
        }
    }

    /// Skips an element that the schema does not know.
    fn skip(&mut self, element: &BytesStart<'_>) -> Result<(), ShardErrorKind> {
        self.buffer.clear();
        let end = self.reader.read_to_end_into(element.name(), &mut self.buffer);
        match end {
            Ok(_) => Ok(()),
            Err(e) => Err(sort(e, self.reader.get_ref())),
        }
    }

    fn event(&mut self) -> Result<Event<'_>, ShardErrorKind> {
        self.buffer.clear();
        let result = self.reader.read_event_into(&mut self.buffer);
        result.map_err(|e| sort(e, self.reader.get_ref()))
    }
}

impl DocumentReader for ElementReader {
    fn next_document(&mut self) -> Result<Option<Document>, (ShardPlace, ShardErrorKind)> {
        self.next()
            .map_err(|kind| (ShardPlace::Byte(self.reader.get_ref().offset()), kind))
    }
}

/// Whether only a line end is between the element and the one before it.
fn is_joined(element: &BytesStart<'_>) -> Result<bool, ShardErrorKind> {
    let joined = element.try_get_attribute(JOINED.0).map_err(invalid)?;
    Ok(joined.is_some_and(|joined| *joined.value == *JOINED.1))
}

/// Paragraphs, joined by blank lines or line ends.
#[derive(Default)]
struct Paragraphs(Option<String>);

impl Paragraphs {
    fn push(&mut self, paragraph: &str, is_joined: bool) {
        match &mut self.0 {
            Some(text) => {
                text.push_str(if is_joined { "\n" } else { "\n\n" });
                text.push_str(paragraph);
            }
            none => *none = Some(paragraph.to_owned()),
        }
    }
}

fn is_named(element: &BytesStart<'_>, name: &str) -> bool {
    element.name().into_inner() == name
}

/// Sets the field of an element.
fn set(name: &str, text: &str, document: &mut Document) -> Result<(), ShardErrorKind> {
    let mut fields = FIELDS.iter().filter(|field| is_element(field));
    match fields.find(|field| field.name() == name) {
        Some(field) => field.set(document, FieldValue::Text(text)).map_err(invalid),
        None => Ok(()),
    }
}

fn read_attributes(element: &BytesStart<'_>, document: &mut Document) -> Result<(), ShardErrorKind> {
    let mut has_id = false;
    for attribute in element.attributes() {
        let attribute = attribute.map_err(invalid)?;
        let name = attribute.key.into_inner();
        if let Some(field) = ATTRIBUTES.get(name) {
            let value = unescape(&attribute.value).map_err(invalid)?;
            field.parse(document, &value).map_err(invalid)?;
            has_id |= name == "id";
        }
    }
    if has_id {
        Ok(())
    } else {
        Err(invalid("a <document> without an id"))
    }
}

fn invalid(error: impl Into<Box<dyn Error + Send + Sync>>) -> ShardErrorKind {
    ShardErrorKind::Invalid(error.into())
}

/// Sorts the parser's errors. An error at the end of the input comes from that end.
fn sort(error: quick_xml::Error, input: &ShardInput) -> ShardErrorKind {
    match error {
        quick_xml::Error::Io(e) => match Arc::try_unwrap(e) {
            Ok(e) => ShardErrorKind::from_input(e),
            Err(shared) => ShardErrorKind::Read(std::io::Error::other(shared)),
        },
        _ if input.ended() => ShardErrorKind::Truncated,
        e => invalid(e),
    }
}
