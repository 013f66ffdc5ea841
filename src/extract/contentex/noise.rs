//! The common pattern filters (ContentEx III.B): text nodes that follow a pattern of noise.

use regex::Regex;
use xxhash_rust::xxh3::xxh3_64;

use super::{Filter, Parameters, Removal};
use crate::dom::view::View;
use crate::dom::{NodeId, Tag, count, text};
use crate::strip::Patterns;

/// More words than any time or address has. Longer texts are spared the look for one.
const LONGEST: u32 = 16;

/// The link tables together with the text nodes that the other filters delete, in order and disjoint.
pub(super) fn filtered(view: &View<'_>, p: &Parameters, patterns: &Patterns, tables: Vec<Removal>) -> Vec<Removal> {
    let filters = Filters { p, patterns };
    let dom = view.dom();
    let body = dom.subtree(dom.body());
    let mut removals = Vec::with_capacity(tables.len());
    let mut tables = tables.into_iter().peekable();
    let mut masked = view.masked().iter().peekable();
    let mut short = Vec::new();
    let mut scratch = String::new();
    let mut id = body.start;
    while id < body.end {
        if let Some(table) = tables.next_if(|t| t.subtree.start <= id) {
            id = table.subtree.end;
            removals.push(table);
            continue;
        }
        while masked.next_if(|m| m.end <= id).is_some() {}
        if let Some(mask) = masked.peek()
            && mask.start <= id
        {
            id = mask.end;
            continue;
        }
        if dom.node(id).tag == Tag::Text {
            let words = dom.counts()[id as usize].words;
            let text = text::collapsed(dom, id, &mut scratch);
            if let Some(by) = filters.hit(text, words) {
                let subtree = id..id + 1;
                removals.push(Removal { subtree, by });
            } else if p.repeated && (1..=p.repeated_words).contains(&words) {
                short.push((xxh3_64(text.as_bytes()), id));
            }
        }
        id += 1;
    }
    let repeated = repeated(short, p.repeated_times);
    if !repeated.is_empty() {
        removals.extend(repeated.into_iter().map(|id| Removal {
            subtree: id..id + 1,
            by: Filter::Repeated,
        }));
        removals.sort_unstable_by_key(|r| r.subtree.start);
    }
    removals
}

/// The texts that stand on the page `times` times or more, of short texts by hash.
fn repeated(mut short: Vec<(u64, NodeId)>, times: u32) -> Vec<NodeId> {
    short.sort_unstable();
    short
        .chunk_by(|a, b| a.0 == b.0)
        .filter(|same| same.len() >= times as usize)
        .flatten()
        .map(|(_, id)| *id)
        .collect()
}

struct Filters<'f> {
    p: &'f Parameters,
    patterns: &'f Patterns,
}

impl Filters<'_> {
    /// The first filter that deletes a text of so many words by what it says.
    fn hit(&self, text: &str, words: u32) -> Option<Filter> {
        let p = self.p;
        if p.time && few_beside(&self.patterns.time, text, words, p.time_words) {
            Some(Filter::Time)
        } else if p.ip && few_beside(&self.patterns.ip, text, words, p.ip_words) {
            Some(Filter::Ip)
        } else if p.colon && found(&self.patterns.colon, text, words, p.colon_words) {
            Some(Filter::Colon)
        } else if p.copyright && found(&self.patterns.copyright, text, words, p.copyright_words) {
            Some(Filter::Copyright)
        } else {
            None
        }
    }
}

/// Whether a pattern is found in a text of at most `most` words; 0 for any number.
fn found(pattern: &Option<Regex>, text: &str, words: u32, most: u32) -> bool {
    (most == 0 || words <= most) && pattern.as_ref().is_some_and(|r| r.is_match(text))
}

/// Whether a pattern is found in a text, and at most `most` words are outside of what it matches.
fn few_beside(pattern: &Option<Regex>, text: &str, words: u32, most: u32) -> bool {
    let Some(pattern) = pattern.as_ref().filter(|_| words <= most.saturating_add(LONGEST)) else {
        return false;
    };
    let mut matches = pattern.find_iter(text).peekable();
    if matches.peek().is_none() {
        return false;
    }
    let inside: u32 = matches.map(|m| count::count_literal(m.as_str()).counts.words).sum();
    words.saturating_sub(inside) <= most
}
