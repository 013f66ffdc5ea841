//! Reading XML back with a reader that is not lenient.

use std::collections::BTreeMap;

use quick_xml::events::{BytesStart, Event};
use quick_xml::reader::Reader;

/// Whether XML 1.0 forbids the character.
pub fn is_forbidden(c: char) -> bool {
    matches!(c, '\0'..='\u{8}' | '\u{B}' | '\u{C}' | '\u{E}'..='\u{1F}' | '\u{FFFE}' | '\u{FFFF}')
}

/// The text without what XML forbids.
pub fn allowed(text: &str) -> String {
    text.chars().filter(|c| !is_forbidden(*c)).collect()
}

/// A text as the paragraphs that an XML document has of it.
pub fn paragraphs(text: &str) -> Vec<String> {
    match text {
        "" => Vec::new(),
        text => text.split("\n\n").map(allowed).collect(),
    }
}

/// Whether an element is a paragraph, or replaces one.
fn is_block(name: &str) -> bool {
    matches!(name, "p" | "list" | "item" | "table" | "code")
}

/// A `<document>` read back.
#[derive(Debug, Default, PartialEq)]
pub struct Read {
    pub attributes: BTreeMap<String, String>,
    pub title: String,
    pub paragraphs: Vec<String>,
    pub comments: Vec<String>,
    pub more: BTreeMap<String, Vec<String>>,
}

/// Reads a shard; panics where it is not well-formed or holds what XML forbids.
pub fn read(shard: &[u8]) -> Vec<Read> {
    let mut documents: Vec<Read> = Vec::new();
    let mut path: Vec<String> = Vec::new();
    let mut name = String::new();
    let mut text = String::new();
    events(std::str::from_utf8(shard).unwrap(), |event| match event {
        Event::Start(e) => {
            path.push(e.name().into_inner().to_string());
            let attributes = attributes(e);
            if path.iter().rev().skip(1).any(|name| is_block(name)) {
                // Within a paragraph, list and so on.
                return;
            }
            text.clear();
            match e.name().into_inner() {
                "document" => documents.push(Read {
                    attributes,
                    ..Read::default()
                }),
                "text" => {
                    name = attributes["name"].clone();
                    documents.last_mut().unwrap().more.insert(name.clone(), Vec::new());
                }
                _ => {}
            }
        }
        Event::Empty(e) if e.name().into_inner() == "br" => text.push('\n'),
        Event::Text(t) => text.push_str(t),
        Event::GeneralRef(r) => text.push_str(&format!("&{};", &**r)),
        Event::End(e) => {
            path.pop();
            if path.iter().any(|name| is_block(name)) {
                return;
            }
            let content = quick_xml::escape::unescape(&text).unwrap().into_owned();
            match e.name().into_inner() {
                "title" => documents.last_mut().unwrap().title = content,
                block if is_block(block) && path.contains(&"text".to_string()) => {
                    documents.last_mut().unwrap().more.get_mut(&name).unwrap().push(content);
                }
                block if is_block(block) && path.contains(&"comments".to_string()) => {
                    documents.last_mut().unwrap().comments.push(content)
                }
                block if is_block(block) => documents.last_mut().unwrap().paragraphs.push(content),
                _ => {}
            }
            text.clear();
        }
        _ => {}
    });
    assert!(path.is_empty());
    documents
}

/// Panics where a fragment is not well-formed.
pub fn assert_fragment(fragment: &str) {
    events(&format!("<div>{fragment}</div>"), |event| match event {
        Event::Start(e) | Event::Empty(e) => drop(attributes(e)),
        Event::GeneralRef(r) => drop(
            quick_xml::escape::unescape(&format!("&{};", &**r))
                .unwrap()
                .into_owned(),
        ),
        Event::Text(_) | Event::End(_) => {}
        other => panic!("{other:?} in {fragment}"),
    });
}

/// Every event of a text, which must be well-formed.
fn events(text: &str, mut each: impl FnMut(&Event<'_>)) {
    assert_eq!(text.find(is_forbidden), None, "{text}");
    let mut reader = Reader::from_str(text);
    reader.config_mut().check_end_names = true;
    let mut depth = 0u32;
    loop {
        let event = reader.read_event().unwrap_or_else(|e| panic!("{e}: {text}"));
        match &event {
            Event::Start(_) => depth += 1,
            Event::End(_) => depth -= 1,
            // The reader lets these pass.
            Event::Text(t) => assert!(!t.contains("]]>"), "{text}"),
            Event::Eof => break,
            _ => {}
        }
        each(&event);
    }
    assert_eq!(depth, 0, "{text}");
}

fn attributes(element: &BytesStart<'_>) -> BTreeMap<String, String> {
    element
        .attributes()
        .map(|a| {
            let a = a.unwrap();
            assert!(!a.value.contains('<'), "{element:?}");
            let value = quick_xml::escape::unescape(&a.value).unwrap().into_owned();
            (a.key.into_inner().to_string(), value)
        })
        .collect()
}
