//! The common pattern filters (ContentEx III.B): delete text nodes that match a pattern of noise.

use xxhash_rust::xxh3::xxh3_64;

use super::{CopyrightText, Filter, Parameters, Removal, Unit};
use crate::strip::patterns::{PatternKinds, Patterns};
use crate::view::View;
use dehusk_html::counting::count_literal;
use dehusk_html::rendering::NodeText;
use dehusk_html::{Node, NodeId, Tag};

/// More words than any time or address has. Longer texts are not searched for one: these are the paper's "few words".
const LONGEST: u32 = 16;

/// More bytes than such a text has. A search for all times in one word of megabytes could take very long.
const LONGEST_BYTES: usize = 4096;

/// The link tables and the text nodes that the other filters delete, in order and disjoint.
pub(super) fn filtered(view: &View<'_>, p: &Parameters, patterns: &Patterns, tables: Vec<Removal>) -> Vec<Removal> {
    let filters = Filters { p, patterns };
    let dom = view.dom();
    let body = dom.subtree(dom.body());
    let mut removals = Vec::with_capacity(tables.len());
    let mut tables = tables.into_iter().peekable();
    let mut masked = view.masked().iter().peekable();
    let mut short = Short::new(p);
    let mut scratch = String::new();
    let candidates = patterns.candidates_in(view);
    let mut candidates = candidates.iter().peekable();
    let mut id = body.start;
    while id < body.end {
        while masked.next_if(|m| m.end <= id).is_some() {}
        short.node(dom.node(id), id);
        if let Some(table) = tables.next_if(|t| t.subtree.start <= id) {
            id = table.subtree.end;
            removals.push(table);
        } else if let Some(mask) = masked.peek()
            && mask.start <= id
        {
            id = mask.end;
        } else {
            if dom.node(id).tag == Tag::Text {
                let words = dom.counts()[id as usize].words;
                while candidates.next_if(|(of, _)| *of < id).is_some() {}
                let kinds = candidates.next_if(|(of, _)| *of == id).map(|(_, kinds)| *kinds);
                let mut text = NodeText::new(dom, id, &mut scratch);
                match kinds.and_then(|kinds| filters.hit(text.collapsed(), words, kinds)) {
                    Some(by) => removals.push(Removal {
                        subtree: id..id + 1,
                        by,
                    }),
                    None => short.text(id, &mut text, words),
                }
            }
            id += 1;
        }
    }
    removals.extend(short.repeated().into_iter().map(|id| Removal {
        subtree: id..id + 1,
        by: Filter::Repeated,
    }));
    removals.sort_unstable_by_key(|r| r.subtree.start);
    removals
}

/// The short texts of a page, for the repeated short text filter.
struct Short<'p> {
    p: &'p Parameters,
    /// Hash and node of each.
    texts: Vec<(u64, NodeId)>,
    /// Number of the current line.
    line: u32,
    /// Ends of the open blocks, the innermost last.
    ends: Vec<NodeId>,
    /// Line of the latest text with words, and whether that text is the last one of `texts`.
    latest: Option<(u32, bool)>,
}

impl<'p> Short<'p> {
    fn new(p: &'p Parameters) -> Self {
        Self {
            p,
            texts: Vec::new(),
            line: 0,
            ends: Vec::new(),
            latest: None,
        }
    }

    /// Updates the line at a node.
    fn node(&mut self, node: &Node, id: NodeId) {
        if self.p.repeated_unit == Unit::Text {
            return;
        }
        while self.ends.pop_if(|end| *end <= id).is_some() {
            self.line += 1;
        }
        if node.tag.is_block() || node.tag.is_spaced() {
            self.line += 1;
            self.ends.push(node.end);
        } else if node.tag == Tag::Br {
            self.line += 1;
        }
    }

    /// Adds a text, if it is short and alone on its line where that is asked.
    fn text(&mut self, id: NodeId, text: &mut NodeText<'_>, words: u32) {
        // Punctuation alone is no text and is on no line.
        if !self.p.repeated || words == 0 {
            return;
        }
        let mut taken = words <= self.p.repeated_words;
        if self.p.repeated_unit == Unit::Line {
            if let Some((line, before)) = self.latest
                && line == self.line
            {
                // Neither text is alone.
                if before {
                    self.texts.pop();
                }
                taken = false;
            }
            self.latest = Some((self.line, taken));
        }
        if taken {
            self.texts.push((xxh3_64(text.collapsed().as_bytes()), id));
        }
    }

    /// The texts that occur often enough.
    fn repeated(mut self) -> Vec<NodeId> {
        self.texts.sort_unstable();
        let same = self.texts.chunk_by(|a, b| a.0 == b.0);
        let often = same.filter(|same| same.len() >= self.p.repeated_times as usize);
        often.flatten().map(|(_, id)| *id).collect()
    }
}

struct Filters<'f> {
    p: &'f Parameters,
    patterns: &'f Patterns,
}

impl Filters<'_> {
    /// The first filter that deletes a text, of the kinds that could match in it.
    fn hit(&self, text: &str, words: u32, kinds: PatternKinds) -> Option<Filter> {
        let (p, patterns) = (self.p, self.patterns);
        let few = |most: u32| text.len() <= LONGEST_BYTES && words <= most.saturating_add(LONGEST);
        let short = |most: u32| most == 0 || words <= most;
        let (time, ip) = (p.time && few(p.time_words), p.ip && few(p.ip_words));
        let kinds = if kinds.has_any(PatternKinds::DIGITS) && (time || ip) {
            kinds.union(patterns.with_digits(text))
        } else {
            kinds
        };
        if time && kinds.has_any(PatternKinds::TIME) && few_beside(patterns.times(text), words, p.time_words) {
            Some(Filter::Time)
        } else if ip && kinds.has_any(PatternKinds::IP) && few_beside(patterns.ips(text), words, p.ip_words) {
            Some(Filter::Ip)
        } else if p.colon
            && kinds.has_any(PatternKinds::COLON)
            && short(p.colon_words)
            && patterns.matches(PatternKinds::COLON, text)
        {
            Some(Filter::Colon)
        } else if p.copyright
            && kinds.has_any(PatternKinds::COPYRIGHT)
            && short(p.copyright_words)
            && patterns.matches(PatternKinds::COPYRIGHT, text)
            && (p.copyright_text == CopyrightText::Patterns || has_string(text))
        {
            Some(Filter::Copyright)
        } else {
            None
        }
    }
}

/// Whether a text has the string of the paper's copyright pattern.
fn has_string(text: &str) -> bool {
    let text = text.to_lowercase();
    ["all right reserved", "all rights reserved"]
        .iter()
        .any(|string| text.contains(string))
}

/// Whether anything matches in a text, and at most `most` of its words are outside the matches.
fn few_beside<'t>(matches: impl Iterator<Item = &'t str>, words: u32, most: u32) -> bool {
    let mut matches = matches.peekable();
    if matches.peek().is_none() {
        return false;
    }
    let inside: u32 = matches.map(|m| count_literal(m).counts.words).sum();
    words.saturating_sub(inside) <= most
}
