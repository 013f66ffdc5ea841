//! The lines of a page's source, with the text and the tags of each. A line ends at LF, CR, or CR LF. Empty lines do
//! not count, so the LF of a CR LF ends none.

use dehusk_html::{NodeFlags, NodeId, Tag};

use super::tokens::OfText;
use crate::texts::visible;
use crate::view::View;

/// A line of the source.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct SourceLine {
    /// Characters of text.
    pub(super) chars: u32,
    pub(super) tags: u32,
}

/// The lines of a page, and which characters of which line each text has.
#[derive(Debug, Default)]
pub(super) struct SourceLines {
    pub(super) lines: Vec<SourceLine>,
    pub(super) texts: Vec<OfText<TextPart>>,
    wrap: u32,
}

/// A part of a text that lies in one line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct TextPart {
    /// The number of the line, from 0.
    pub(super) line: u32,
    pub(super) chars: u32,
}

impl SourceLines {
    /// Reads the lines of a page's body. On a page of few lines, one with `wrap` characters of text ends at the next
    /// tag or white space.
    pub(super) fn read(view: &View<'_>, wrap: u32) -> Self {
        let dom = view.dom();
        let mut source = Self {
            lines: vec![SourceLine::default()],
            wrap: if has_few_lines(dom.source()) { wrap } else { u32::MAX },
            ..Self::default()
        };
        let bytes = dom.source().as_bytes();
        let mut at = dom.node(dom.body()).from as usize;
        for id in visible(view, dom.subtree(dom.body())) {
            let node = dom.node(id);
            let (from, to) = (node.from as usize, node.to as usize);
            if node.tag.is_text() {
                source.add_markup(&bytes[at.min(from)..from]);
                if node.tag == Tag::Text && !node.flags.has(NodeFlags::ENTITIES | NodeFlags::UNCOLLAPSED) {
                    // It is in one line, and the parser has counted it already.
                    source.add_in_line(id, dom.counts()[id as usize].chars, || dom.raw(id));
                } else {
                    source.add_text(id, dom.raw(id));
                }
                at = to;
            } else if node.name_len > 0 {
                // The source between two nodes holds end tags, comments, and scripts. A node's own tag begins before
                // its name.
                let tag = (from - usize::from(node.name_len)).saturating_sub(1);
                source.add_markup(&bytes[at.min(tag)..tag]);
                source.add_tag();
                source.add_breaks(&bytes[tag..to]);
                at = to;
            }
        }
        source.add_markup(bytes.get(at..).unwrap_or_default());
        if *source.line() == SourceLine::default() {
            source.lines.pop();
        }
        source
    }
}

impl SourceLines {
    fn line(&mut self) -> &mut SourceLine {
        let last = self.lines.len() - 1;
        &mut self.lines[last]
    }

    /// Begins a line, unless the last one is empty: empty lines do not count.
    fn add_line(&mut self) {
        if *self.line() != SourceLine::default() {
            self.lines.push(SourceLine::default());
        }
    }

    fn add_breaks(&mut self, bytes: &[u8]) {
        for _ in memchr::memchr2_iter(b'\n', b'\r', bytes) {
            self.add_line();
        }
    }

    /// Counts a tag. A line that is long enough ends before it.
    fn add_tag(&mut self) {
        if self.line().chars >= self.wrap {
            self.add_line();
        }
        self.line().tags += 1;
    }

    /// Adds what lies between two nodes: white space, end tags, comments, and all that is not shown.
    fn add_markup(&mut self, markup: &[u8]) {
        let mut rest = markup;
        while let Some(at) = memchr::memchr3(b'<', b'\n', b'\r', rest) {
            let found = &rest[at..];
            rest = &found[1..];
            if found[0] != b'<' {
                self.add_line();
                continue;
            }
            match rest.first() {
                Some(b'/') => {
                    self.add_tag();
                    rest = after_tag(rest);
                }
                Some(b'!') if found.starts_with(b"<!--") => rest = after(found, b"-->"),
                Some(byte) if byte.is_ascii_alphabetic() => {
                    let unseen = UNSEEN.iter().find(|(start, _)| starts_with(found, start));
                    if let Some((_, end)) = unseen {
                        rest = after_ignoring_case(found, end);
                    } else {
                        self.add_tag();
                        rest = after_tag(rest);
                    }
                }
                _ => {}
            }
        }
    }

    /// Adds a text, line by line.
    fn add_text(&mut self, node: NodeId, text: &str) {
        for (number, line) in text.split(['\n', '\r']).enumerate() {
            if number > 0 {
                self.add_line();
            }
            self.add_in_line(node, chars_of_words(line), || line);
        }
    }

    /// Adds a text without a line break, which has so many characters. On a page of few lines it is cut.
    fn add_in_line<'t>(&mut self, node: NodeId, chars: u32, text: impl FnOnce() -> &'t str) {
        let all = self.line().chars.saturating_add(chars);
        if all <= self.wrap {
            self.line().chars = all;
            self.add_part(node, chars);
        } else {
            self.add_words(node, text());
        }
    }

    /// Adds a text word by word. A line that is long enough ends before the next word.
    fn add_words(&mut self, node: NodeId, text: &str) {
        let mut chars = 0;
        for word in text.split_ascii_whitespace() {
            if self.line().chars >= self.wrap {
                self.add_part(node, chars);
                self.add_line();
                chars = 0;
            }
            let length = word.chars().count() as u32 + u32::from(chars > 0);
            chars += length;
            self.line().chars += length;
        }
        self.add_part(node, chars);
    }

    fn add_part(&mut self, node: NodeId, chars: u32) {
        let line = self.lines.len() as u32 - 1;
        if chars > 0 {
            self.texts.push((node, TextPart { line, chars }));
        }
    }
}

/// The characters of the words of a text, with one space between two of them.
fn chars_of_words(text: &str) -> u32 {
    let (mut chars, mut is_apart) = (0, false);
    for byte in text.bytes() {
        if byte.is_ascii_whitespace() {
            is_apart = chars > 0;
        } else if !is_continuation(byte) {
            chars += 1 + u32::from(is_apart);
            is_apart = false;
        }
    }
    chars
}

/// Whether a byte is within a character of UTF-8, and does not begin it.
fn is_continuation(byte: u8) -> bool {
    byte & 0xC0 == 0x80
}

/// The bytes of a line, on average, from which on a page has few lines.
const BYTES_OF_LONG_LINES: usize = 500;

fn has_few_lines(source: &str) -> bool {
    let bytes = source.as_bytes();
    let ends_line = |at: &usize| bytes[*at] == b'\r' || *at == 0 || bytes[*at - 1] != b'\r';
    let lines = 1 + memchr::memchr2_iter(b'\n', b'\r', bytes).filter(ends_line).count();
    source.len() / lines > BYTES_OF_LONG_LINES
}

/// Elements whose content is not shown, and where they end.
const UNSEEN: [(&[u8], &[u8]); 3] = [
    (b"<script", b"</script"),
    (b"<style", b"</style"),
    (b"<template", b"</template"),
];

fn starts_with(bytes: &[u8], start: &[u8]) -> bool {
    bytes
        .get(..start.len())
        .is_some_and(|found| found.eq_ignore_ascii_case(start))
}

/// The bytes after the end of a tag; none if it has no end.
fn after_tag(bytes: &[u8]) -> &[u8] {
    memchr::memchr(b'>', bytes).map_or(&[], |at| &bytes[at + 1..])
}

/// The bytes after the first `end`; none if there is no such.
fn after<'b>(bytes: &'b [u8], end: &[u8]) -> &'b [u8] {
    memchr::memmem::find(bytes, end).map_or(&[], |at| &bytes[at + end.len()..])
}

/// [`after`] for an end tag, in any case, and without what follows its name.
fn after_ignoring_case<'b>(bytes: &'b [u8], end: &[u8]) -> &'b [u8] {
    let mut places = memchr::memmem::find_iter(bytes, b"</");
    let at = places.find(|at| starts_with(&bytes[*at..], end));
    at.map_or(&[], |at| &bytes[at + end.len()..])
}
