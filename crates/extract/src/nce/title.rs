//! Phase 3 of NCE: the title stands before the body, is not long, and its words come again in the body.
//!
//! Readings: the words of a node that are among those of U' count each time they stand there; the tree before U' is
//! that before its first node, and elements around that node are not before it; the amount of text is in characters; of
//! equal nodes a title element counts, then the first, so the outermost. If there is no U', there is no title either.
//!
//! Matches are summed up in document order, so that any node's share is a difference of two sums.

use std::ops::Range;

use super::super::Selection;
use super::Nce;
use crate::view::View;
use dehusk_html::internal::{NodeText, is_cjk};
use dehusk_html::{NodeId, Tag};

/// Adds the title to the selection.
pub(super) fn add(nce: &Nce, view: &View<'_>, selection: &mut Selection) {
    let dom = view.dom();
    let Some(first) = selection.ranges.first().map(|r| r.start) else {
        return;
    };
    let chars = |id: NodeId| nce.chars(view.subtree(id));
    let largest = |best: Option<NodeId>, id: NodeId| match best {
        Some(best) if chars(best) >= chars(id) => Some(best),
        _ => (chars(id) > 0).then_some(id),
    };
    let element = (0..first)
        .filter(|id| dom.node(*id).tag == Tag::Title)
        .fold(None, largest);
    // Only what is larger than the page's own title can take its place: often nothing, and no word need be looked at.
    let least = element.map_or(0, chars);
    let fits = |id: &NodeId| {
        let words = view.subtree(*id).text.words;
        (nce.title_min_words..=nce.title_max_words).contains(&words) && dom.node(*id).end <= first && chars(*id) > least
    };
    let candidates: Vec<NodeId> = (dom.body().min(first)..first).filter(fits).collect();
    let found = if candidates.is_empty() {
        None
    } else {
        let shares = Shares::new(view, selection, &candidates);
        let titles = candidates
            .into_iter()
            .filter(|id| shares.of(dom.subtree(*id)) >= nce.title_overlap);
        titles.fold(None, largest)
    };
    if let Some(id) = found {
        selection.insert(dom.subtree(id));
    } else if let Some(title) = element
        && let Some(text) = dom.children(title).find(|child| dom.node(*child).tag == Tag::Text)
    {
        // What stands in a title element is shown only if it is asked for by itself.
        selection.insert(dom.subtree(text));
    }
}

/// The words in the texts of some nodes, and how many of them the selection has, summed up.
struct Shares {
    /// Each text, with the sums before it.
    sums: Vec<(NodeId, u32, u32)>,
}

impl Shares {
    fn new(view: &View<'_>, selection: &Selection, nodes: &[NodeId]) -> Self {
        let dom = view.dom();
        let mut scratch = String::new();
        let has_words = |id: &NodeId| dom.node(*id).tag == Tag::Text && view.subtree(*id).text.words > 0;
        let mut words: Vec<(NodeId, u64)> = Vec::new();
        let mut end = 0;
        for node in nodes {
            // Those that lie in the node before were looked at with it.
            for id in dom.subtree(*node).filter(|id| *id >= end && has_words(id)) {
                each_word(NodeText::new(dom, id, &mut scratch).uncollapsed(), |word| {
                    words.push((id, word))
                });
            }
            end = end.max(dom.node(*node).end);
        }
        let mut sought = Sought::new(words.iter().map(|(_, word)| *word));
        for id in selection.ranges.iter().flat_map(Clone::clone).filter(has_words) {
            if sought.missing == 0 {
                break;
            }
            each_word(NodeText::new(dom, id, &mut scratch).uncollapsed(), |word| {
                sought.see(word)
            });
        }
        let mut sums = Vec::new();
        let (mut all, mut shared) = (0, 0);
        for same in words.chunk_by(|a, b| a.0 == b.0) {
            sums.push((same[0].0, all, shared));
            all += same.len() as u32;
            shared += same.iter().filter(|(_, word)| sought.is_seen(*word)).count() as u32;
        }
        sums.push((NodeId::MAX, all, shared));
        Self { sums }
    }

    /// The share of the words of some nodes that the selection has; 0 without words.
    fn of(&self, nodes: Range<NodeId>) -> f64 {
        let before = |id: NodeId| self.sums[self.sums.partition_point(|(of, ..)| *of < id)];
        let ((_, all, shared), (_, all_before, shared_before)) = (before(nodes.end), before(nodes.start));
        match all - all_before {
            0 => 0.0,
            words => f64::from(shared - shared_before) / f64::from(words),
        }
    }
}

/// Words that are sought in a text.
struct Sought {
    /// Hashes, in order, and whether they were seen.
    words: Vec<(u64, bool)>,
    /// One bit for the end of each hash: most words of a text are not sought.
    marks: [u64; 64],
    /// Words not seen yet.
    missing: usize,
}

impl Sought {
    fn new(words: impl Iterator<Item = u64>) -> Self {
        let mut words: Vec<(u64, bool)> = words.map(|word| (word, false)).collect();
        words.sort_unstable();
        words.dedup();
        let mut marks = [0; 64];
        for (word, _) in &words {
            marks[(word >> 6 & 63) as usize] |= 1 << (word & 63);
        }
        let missing = words.len();
        Self { words, marks, missing }
    }

    fn see(&mut self, word: u64) {
        if self.marks[(word >> 6 & 63) as usize] >> (word & 63) & 1 == 0 {
            return;
        }
        if let Ok(at) = self.words.binary_search_by_key(&word, |(of, _)| *of) {
            self.missing -= usize::from(!self.words[at].1);
            self.words[at].1 = true;
        }
    }

    fn is_seen(&self, word: u64) -> bool {
        let at = self.words.binary_search_by_key(&word, |(of, _)| *of);
        at.is_ok_and(|at| self.words[at].1)
    }
}

/// Hands over a hash of each word of a text in lower case: letters and digits, a Chinese or Japanese character being a
/// word.
fn each_word(text: &str, mut each: impl FnMut(u64)) {
    const START: u64 = 0x9E37_79B9_7F4A_7C15;
    let mix = |hash: u64, c: u32| (hash ^ u64::from(c)).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    let mut word = START;
    let mut rest = text;
    let mut end = |word: &mut u64| {
        if *word != START {
            let word = std::mem::replace(word, START);
            // Multiplying spreads upwards, and the low bits are looked at, so what was spread comes back down.
            each(word ^ word >> 32);
        }
    };
    while !rest.is_empty() {
        let ascii = rest.bytes().position(|b| !b.is_ascii()).unwrap_or(rest.len());
        for byte in rest[..ascii].bytes() {
            match LOWER[usize::from(byte)] {
                0 => end(&mut word),
                lower => word = mix(word, u32::from(lower)),
            }
        }
        rest = &rest[ascii..];
        for c in rest.chars().take_while(|c| !c.is_ascii()) {
            if is_cjk(c) {
                end(&mut word);
                word = mix(START, u32::from(c));
                end(&mut word);
            } else if c.is_alphanumeric() {
                word = c.to_lowercase().fold(word, |word, c| mix(word, u32::from(c)));
            } else {
                end(&mut word);
            }
        }
        rest = rest.trim_start_matches(|c: char| !c.is_ascii());
    }
    end(&mut word);
}

/// ASCII's letters in lower case, its digits, and 0 for other bytes.
const LOWER: [u8; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 128 {
        if (byte as u8).is_ascii_alphanumeric() {
            table[byte] = (byte as u8).to_ascii_lowercase();
        }
        byte += 1;
    }
    table
};
