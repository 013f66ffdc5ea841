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
use crate::dom::count::is_cjk;
use crate::dom::text::Wording;
use crate::dom::view::View;
use crate::dom::{NodeId, Tag};

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
    let mut candidates = (dom.body().min(first)..first).filter(fits).peekable();
    let found = match candidates.peek() {
        None => None,
        Some(from) => {
            let shares = Shares::new(nce, view, selection, *from..first);
            candidates
                .filter(|id| shares.of(dom.subtree(*id)) >= nce.title_overlap)
                .fold(None, largest)
        }
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

/// The words in a stretch of nodes, and how many of them the selection has, summed up.
struct Shares {
    from: NodeId,
    sums: Vec<(u32, u32)>,
}

impl Shares {
    fn new(nce: &Nce, view: &View<'_>, selection: &Selection, stretch: Range<NodeId>) -> Self {
        let dom = view.dom();
        let mut scratch = String::new();
        let is_text = |id: &NodeId| dom.node(*id).tag == Tag::Text;
        // A longer text is in no node that could be the title.
        let fits = |id: &NodeId| is_text(id) && (1..=nce.title_max_words).contains(&view.subtree(*id).text.words);
        let mut words: Vec<(NodeId, u64)> = Vec::new();
        for id in stretch.clone().filter(fits) {
            each_word(Wording::new(dom, id, &mut scratch).rough(), |word| {
                words.push((id, word))
            });
        }
        let mut sought = Sought::new(words.iter().map(|(_, word)| *word));
        for id in selection.ranges.iter().flat_map(Clone::clone).filter(is_text) {
            if sought.missing == 0 {
                break;
            }
            if view.subtree(id).text.words > 0 {
                each_word(Wording::new(dom, id, &mut scratch).rough(), |word| sought.see(word));
            }
        }
        let mut sums = Vec::with_capacity(stretch.len() + 1);
        let (mut all, mut shared) = (0, 0);
        let mut words = words.into_iter().peekable();
        for id in stretch.clone() {
            sums.push((all, shared));
            while let Some((_, word)) = words.next_if(|(of, _)| *of == id) {
                all += 1;
                shared += u32::from(sought.is_seen(word));
            }
        }
        sums.push((all, shared));
        Self {
            from: stretch.start,
            sums,
        }
    }

    /// The share of the words of some nodes that the selection has; 0 without words.
    fn of(&self, nodes: Range<NodeId>) -> f64 {
        let at = |id: NodeId| self.sums[(id - self.from) as usize];
        let ((all, shared), (all_before, shared_before)) = (at(nodes.end), at(nodes.start));
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
    // Multiplying spreads upwards, and the low bits are looked at, so what was spread comes back down.
    let mix = |hash: u64, c: u32| {
        (hash ^ u64::from(c))
            .wrapping_mul(0xD6E8_FEB8_6659_FD93)
            .rotate_left(29)
    };
    let mut word = START;
    let mut rest = text;
    let mut end = |word: &mut u64| {
        if *word != START {
            each(std::mem::replace(word, START));
        }
    };
    while !rest.is_empty() {
        let ascii = rest.bytes().position(|b| !b.is_ascii()).unwrap_or(rest.len());
        for byte in rest[..ascii].bytes() {
            if byte.is_ascii_alphanumeric() {
                word = mix(word, u32::from(byte.to_ascii_lowercase()));
            } else {
                end(&mut word);
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
