//! The structure of content: its headings, paragraphs, list items, code, cells of tables and quotes, each with its
//! text.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::teds::Tables;
use dehusk_html::references::decode_references;
use dehusk_html::rendering::push_node;
use dehusk_html::{Buffers, Dom, NodeId, Tag, parse};

/// Kinds of parts, in the order of their figures.
pub(super) const KINDS: usize = 6;

const HEADING: usize = 0;
const PARAGRAPH: usize = 1;
const ITEM: usize = 2;
const CODE: usize = 3;
const CELL: usize = 4;
const QUOTE: usize = 5;

/// How far the levels of headings may differ between a page and its extraction.
const SHIFTS: std::ops::RangeInclusive<i32> = -5..=5;

/// How many parts of a kind an extraction has, the truth has, and both have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PartsOfKind {
    /// Those that both have.
    pub common: u32,
    /// Those of the extraction.
    pub extracted: u32,
    /// Those of the truth.
    pub truth: u32,
}

/// A part: the level of a heading or the depth of an item, and a hash of its text.
type Part = (i32, u64);

/// The structure of some HTML.
#[derive(Debug, Default)]
pub(super) struct Structure {
    parts: [Vec<Part>; KINDS],
    /// All code, a line break between blocks.
    pub code: Vec<char>,
    /// The cells of all data tables: a tab between cells, a line for each row.
    pub cells: Vec<char>,
    /// The tables as trees.
    pub tables: Tables,
}

impl Structure {
    /// Reads a fragment of HTML.
    pub fn new(html: &str) -> Self {
        let dom = parse(html, Buffers::default());
        let mut structure = Self::default();
        for (id, node) in (0..).zip(dom.nodes()) {
            structure.add(&dom, id, node.tag);
        }
        structure
    }

    fn add(&mut self, dom: &Dom<'_>, id: NodeId, tag: Tag) {
        match tag {
            Tag::H1 | Tag::H2 | Tag::H3 | Tag::H4 | Tag::H5 | Tag::H6 => {
                self.push(HEADING, tag as i32 - Tag::H1 as i32, &key(dom, id, &[]));
            }
            Tag::Li => {
                let depth = count_above(dom, id, &[Tag::Ul, Tag::Ol]);
                let text = key(dom, id, &[Tag::Ul, Tag::Ol, Tag::Pre, Tag::Table]);
                self.push(ITEM, depth, &text);
            }
            Tag::Pre => {
                let code = verbatim(dom, id);
                if code.chars().any(char::is_alphanumeric) {
                    self.push(CODE, 0, &code);
                    self.code.extend((!self.code.is_empty()).then_some('\n'));
                    self.code.extend(code.chars());
                }
            }
            Tag::Table => self.add_table(dom, id),
            Tag::Blockquote => self.push(QUOTE, 0, &key(dom, id, &[])),
            Tag::P if count_above(dom, id, &[Tag::Li, Tag::Td, Tag::Th, Tag::Blockquote]) == 0 => {
                self.push(PARAGRAPH, 0, &key(dom, id, &[]));
            }
            _ => {}
        }
    }

    fn push(&mut self, kind: usize, level: i32, text: &str) {
        if !text.is_empty() {
            self.parts[kind].push((level, hash(text)));
        }
    }

    /// Adds the cells of a table of data: two rows and two columns at least, and no table in it or around it.
    fn add_table(&mut self, dom: &Dom<'_>, id: NodeId) {
        let inside = id + 1..dom.node(id).end;
        let has = |tag: Tag| inside.clone().filter(move |node| dom.node(*node).tag == tag);
        if has(Tag::Table).next().is_some() || count_above(dom, id, &[Tag::Table]) > 0 {
            return;
        }
        let is_cell = |cell: &NodeId| matches!(dom.node(*cell).tag, Tag::Td | Tag::Th);
        let cells_of = |row| dom.children(row).filter(is_cell).collect::<Vec<NodeId>>();
        let rows: Vec<Vec<NodeId>> = has(Tag::Tr).map(cells_of).filter(|row| !row.is_empty()).collect();
        if rows.len() < 2 || rows.iter().all(|row| row.len() < 2) {
            return;
        }
        let heads: Vec<String> = rows[0].iter().map(|cell| key(dom, *cell, &[])).collect();
        let mut table = Vec::new();
        for row in &rows {
            let keys: Vec<String> = row.iter().map(|cell| key(dom, *cell, &[])).collect();
            for (column, text) in keys.iter().enumerate().filter(|(_, text)| !text.is_empty()) {
                let head = heads.get(column).map_or("", String::as_str);
                self.parts[CELL].push((0, hash(&(&keys[0], head, text))));
            }
            let texts: Vec<Vec<char>> = row.iter().map(|cell| collapsed(dom, *cell)).collect();
            self.cells.extend((!self.cells.is_empty()).then_some('\n'));
            self.cells.extend(texts.join(&'\t'));
            table.push(texts);
        }
        self.tables.push(table);
    }

    /// Compares this structure, of an extraction, with the truth's.
    pub fn compare(&self, truth: &Structure) -> [PartsOfKind; KINDS] {
        std::array::from_fn(|kind| {
            let (parts, wanted) = (&self.parts[kind], &truth.parts[kind]);
            let shifts = if kind == HEADING { SHIFTS } else { 0..=0 };
            PartsOfKind {
                common: shifts.map(|shift| common(parts, wanted, shift)).max().unwrap_or(0),
                extracted: parts.len() as u32,
                truth: wanted.len() as u32,
            }
        })
    }
}

/// How many parts two lists have in common, if `shift` is added to the levels of the first.
fn common(parts: &[Part], wanted: &[Part], shift: i32) -> u32 {
    let mut counts: HashMap<Part, u32> = HashMap::new();
    wanted.iter().for_each(|part| *counts.entry(*part).or_default() += 1);
    let mut common = 0;
    for (level, text) in parts {
        if let Some(left) = counts.get_mut(&(level + shift, *text)).filter(|left| **left > 0) {
            *left -= 1;
            common += 1;
        }
    }
    common
}

fn hash(value: &(impl Hash + ?Sized)) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// How many elements around a node have one of some tags.
fn count_above(dom: &Dom<'_>, mut id: NodeId, tags: &[Tag]) -> i32 {
    let mut count = 0;
    while id != 0 {
        id = dom.node(id).parent;
        count += i32::from(tags.contains(&dom.node(id).tag));
    }
    count
}

/// The text nodes of an element, without those in elements with the tags `without`.
fn texts(dom: &Dom<'_>, id: NodeId, without: &[Tag], mut text: impl FnMut(NodeId)) {
    let (mut at, end) = (id + 1, dom.node(id).end);
    while at < end {
        let node = dom.node(at);
        if without.contains(&node.tag) {
            at = node.end;
            continue;
        }
        if node.tag == Tag::Text {
            text(at);
        }
        at += 1;
    }
}

/// Letters and numbers of an element in lower case: what is compared.
fn key(dom: &Dom<'_>, id: NodeId, without: &[Tag]) -> String {
    let mut text = String::new();
    texts(dom, id, without, |node| {
        push_node(dom.source(), dom.node(node), &mut text)
    });
    text.to_lowercase().chars().filter(|c| c.is_alphanumeric()).collect()
}

/// The text of an element, with single spaces between its words.
fn collapsed(dom: &Dom<'_>, id: NodeId) -> Vec<char> {
    let mut text = String::new();
    texts(dom, id, &[], |node| {
        text.push(' ');
        push_node(dom.source(), dom.node(node), &mut text);
    });
    text.split_whitespace().collect::<Vec<_>>().join(" ").chars().collect()
}

/// Code as it is, without its tags, blanks at the ends of lines, and empty lines around it.
fn verbatim(dom: &Dom<'_>, id: NodeId) -> String {
    let mut last = None;
    texts(dom, id, &[], |node| last = Some(node));
    let Some(last) = last else {
        return String::new();
    };
    // White space between elements is no node, so the source is read.
    let (from, to) = (dom.node(id).to as usize, dom.node(last).to as usize);
    let source = dom.source().get(from..to).unwrap_or_default();
    let source = source.strip_prefix('>').unwrap_or(source);
    let mut code = String::new();
    for (number, part) in source.split('<').enumerate() {
        let is_tag = part.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '/' | '!' | '?'));
        match part.split_once('>') {
            _ if number == 0 => code.push_str(part),
            Some((_, after)) if is_tag => code.push_str(after),
            _ => {
                code.push('<');
                code.push_str(part);
            }
        }
    }
    let code = decode_references(&code);
    let lines: Vec<&str> = code.trim_matches('\n').lines().map(str::trim_end).collect();
    lines.join("\n").trim_matches('\n').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compare(extracted: &str, truth: &str) -> [(u32, u32, u32); KINDS] {
        let parts = Structure::new(extracted).compare(&Structure::new(truth));
        parts.map(|kind| (kind.common, kind.extracted, kind.truth))
    }

    #[test]
    fn parts_are_matched_by_text_level_and_place() {
        let truth = "<h2>A</h2><p>One, two</p><ul><li>x<ul><li>y</ul></ul><pre>f( <b>a</b> <i>b</i>)\n</pre>\
                     <table><tr><th>n<th>v<tr><td>k<td>1</table><blockquote><p>Q</blockquote><h3>B</h3>";
        assert_eq!(
            compare(truth, truth),
            [(2, 2, 2), (1, 1, 1), (2, 2, 2), (1, 1, 1), (4, 4, 4), (1, 1, 1)]
        );
        // Headings one level higher, the paragraph in other case, one item too deep, code without its blanks,
        // and a cell under another head.
        let other = "<h1>A</h1><p>ONE two<ul><li>x</ul><ol><li><ol><li>z</ol></ol><pre>f(a b)</pre>\
                     <table><tr><th>n<th>w<tr><td>k<td>1</table><p>Q<h2>b</h2>";
        assert_eq!(
            compare(other, truth),
            [(2, 2, 2), (1, 2, 1), (1, 2, 2), (0, 1, 1), (2, 4, 4), (0, 0, 1)]
        );
    }

    #[test]
    fn code_is_verbatim() {
        let structure = Structure::new("<pre>\nif a &lt; b:  \n  <span>x</span> <span>=</span> 1\n</pre>");
        assert_eq!(structure.code.iter().collect::<String>(), "if a < b:\n  x = 1");
    }
}
