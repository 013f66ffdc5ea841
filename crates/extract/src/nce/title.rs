//! Phase 3 of NCE: adds the title, which comes before the body, is short, and has words that occur in the body.
//!
//! Readings of what the paper leaves open:
//!
//! - Every occurrence of a word in a node counts towards its overlap with U'.
//! - The tree before U' is that before its first node. Elements around that node are not before it.
//! - The amount of text is measured in characters.
//! - Of nodes with the same amount a title element wins, then the first one, which is the outermost.
//! - A `title` element in the body, where it shows nothing, is none.
//! - Without U' there is no title.
//!
//! Matches are summed up in document order, so that the share of any node is a difference of two sums.

use std::ops::Range;

use super::super::Selection;
use super::Nce;
use crate::view::View;
use dehusk_html::counting::is_cjk;
use dehusk_html::rendering::NodeText;
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
    // Only a node with more text than the title element can win. Often there is none, and no words are compared.
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
            .filter(|id| shares.share_in(dom.subtree(*id)) >= nce.title_overlap);
        titles.fold(None, largest)
    };
    if let Some(id) = found {
        selection.insert(dom.subtree(id));
    } else if let Some(title) = element
        && let Some(text) = dom.children(title).find(|child| dom.node(*child).tag == Tag::Text)
    {
        // The text of a title element is rendered only if the text node itself is selected.
        selection.insert(dom.subtree(text));
    }
}

/// Prefix sums of the words in some nodes, and of those that occur in the selection.
struct Shares {
    /// Each text with the sums before it.
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
            // Texts inside the node before are counted already.
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

    /// The share of the words of some nodes that occur in the selection; 0 without words.
    fn share_in(&self, nodes: Range<NodeId>) -> f64 {
        let before = |id: NodeId| self.sums[self.sums.partition_point(|(of, ..)| *of < id)];
        let ((_, all, shared), (_, all_before, shared_before)) = (before(nodes.end), before(nodes.start));
        match all - all_before {
            0 => 0.0,
            words => f64::from(shared - shared_before) / f64::from(words),
        }
    }
}

/// Words that are searched for in a text.
struct Sought {
    /// Hashes in order, and whether each was found.
    words: Vec<(u64, bool)>,
    /// A bitmap of the ends of the hashes. It rules out most words of a text.
    marks: [u64; 64],
    /// Number of words that are not found yet.
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

/// Calls `each` with a hash of each word of a text in lower case. A word consists of letters and digits; a Chinese or
/// Japanese character is a word.
fn each_word(text: &str, mut each: impl FnMut(u64)) {
    const START: u64 = 0x9E37_79B9_7F4A_7C15;
    let mix = |hash: u64, c: u32| (hash ^ u64::from(c)).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    let mut word = START;
    let mut rest = text;
    let mut end = |word: &mut u64| {
        if *word != START {
            let word = std::mem::replace(word, START);
            // Multiplication mixes into the high bits, but the low bits are used, so the high bits are folded down.
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

/// Each byte in lower case if it is an ASCII letter or digit, or else 0.
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
