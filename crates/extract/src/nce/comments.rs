//! Phase 2 of NCE: removes comments, which are similar blocks near each other after the article.
//!
//! Our copy of the paper lacks the conditions on the nodes and on the edges of the graph. It names “a set of
//! closely located blocks that present similar content” and of “repetitive patterns like dates, permalinks”. Our
//! reading:
//!
//! - L is the texts of U with at most `block_chars` characters that come after a share of `comments_after` of U's text
//!   and that fit [`Similar`].
//! - An edge joins two of them if they are similar, the three elements around one have the same names as those around
//!   the other, and at most `near_chars` characters of U are between their starts.
//! - The block of a leaf is the largest element around it that begins after that share of the text and ends before the
//!   next leaf of the component. The first block is dropped, with all of U after its start.
//!
//! # Algorithm
//!
//! Similarity divides L into classes. If two leaves of a class are near enough, then so are all leaves of the class
//! between them. So a connected component is a run of leaves of one class, each near the one before, and one run for
//! each class is all that is stored of the graph. As in the paper, the first component of `component` nodes ends the
//! search.

use std::collections::HashMap;
use std::ops::Range;

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::super::range_difference::range_difference;
use super::Nce;
use crate::view::View;
use dehusk_html::rendering::push_node;
use dehusk_html::{Dom, NodeFlags, NodeId, Tag};

/// When two leaves are similar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Similar {
    /// Both contain a date or a time of day in digits.
    Times,
    /// Both are in links with the same text: *Permalink*, *Reply*.
    Links,
    /// Either.
    Either,
}

/// A class of similar leaves: the names around them, and a hash of their text (0 for a time).
type Class = (u32, u64);

/// The current run of a class: leaves each of which is near the one before.
#[derive(Clone, Copy)]
struct Run {
    first: NodeId,
    second: NodeId,
    /// Characters of U before the last leaf.
    at: u64,
    leaves: u32,
}

/// Drops from `ranges` what begins with the first comment.
pub(super) fn remove(nce: &Nce, view: &View<'_>, ranges: &mut Vec<Range<NodeId>>) {
    let Some(cut) = first_comment(nce, view, ranges) else {
        return;
    };
    ranges.truncate(ranges.partition_point(|r| r.start <= cut));
    if let Some(last) = ranges.pop() {
        let end = last.end;
        range_difference(view.dom(), last, std::slice::from_ref(&(cut..end)), ranges);
    }
}

/// The first block of the first component that is found.
pub(super) fn first_comment(nce: &Nce, view: &View<'_>, ranges: &[Range<NodeId>]) -> Option<NodeId> {
    let dom = view.dom();
    let least = nce.comments_after * nce.chars_of(view, ranges) as f64;
    let mut runs: HashMap<Class, Run> = HashMap::new();
    let mut text = String::new();
    let mut before = 0;
    for range in ranges {
        let inside = nce.chars(view.range(range.clone()));
        if ((before + inside) as f64) < least {
            before += inside;
            continue;
        }
        for id in range.clone().filter(|id| dom.node(*id).tag == Tag::Text) {
            let chars = nce.chars(view.subtree(id));
            let at = before + nce.chars(view.range(range.start..id));
            if chars == 0 || chars > u64::from(nce.block_chars) || (at as f64) < least {
                continue;
            }
            let Some(class) = class(nce, view, id, &mut text) else {
                continue;
            };
            let new = Run {
                first: id,
                second: id,
                at,
                leaves: 1,
            };
            let run = runs.entry(class).or_insert(new);
            if run.first == id {
                continue;
            }
            if at - run.at > u64::from(nce.near_chars) {
                *run = new;
                continue;
            }
            if run.leaves == 1 {
                run.second = id;
            }
            run.at = at;
            run.leaves += 1;
            if run.leaves >= nce.component {
                return first_block(nce, view, ranges, *run, least);
            }
        }
        before += inside;
    }
    None
}

/// The class that a leaf is in, if it is in L. Equal texts are alike in holding a time, so with
/// [`Similar::Either`] the class of the times has all that the text alone would join.
fn class(nce: &Nce, view: &View<'_>, id: NodeId, text: &mut String) -> Option<Class> {
    let dom = view.dom();
    let link = nce.similar != Similar::Times && view.subtree(id).linked_chars > 0;
    // Most leaves have no digit, neither in the open nor in a character reference.
    let digits = nce.similar != Similar::Links && dom.node(id).flags.has(NodeFlags::DIGITS);
    if !link && !digits {
        return None;
    }
    text.clear();
    push_node(dom.source(), dom.node(id), text);
    if digits && has_time(text) {
        Some((names_around(dom, id), 0))
    } else {
        link.then(|| (names_around(dom, id), xxh3_64(text.as_bytes()) | 1))
    }
}

/// The names of the three elements around a text, one byte each.
fn names_around(dom: &Dom<'_>, mut id: NodeId) -> u32 {
    let mut names = 0;
    for _ in 0..3 {
        id = dom.node(id).parent;
        names = names << 8 | u32::from(dom.node(id).tag as u8);
    }
    names
}

/// Where the block of a component's first leaf begins.
fn first_block(nce: &Nce, view: &View<'_>, ranges: &[Range<NodeId>], run: Run, least: f64) -> Option<NodeId> {
    let dom = view.dom();
    let index = ranges.partition_point(|r| r.start <= run.first).checked_sub(1)?;
    let before = nce.chars_of(view, &ranges[..index]);
    let start = ranges[index].start;
    let mut block = run.first;
    while block > start {
        let around = dom.node(block).parent;
        if around < start || run.second < dom.node(around).end {
            break;
        }
        if ((before + nce.chars(view.range(start..around))) as f64) < least {
            break;
        }
        block = around;
    }
    Some(block)
}

/// Whether a text holds a time of day (9:05) or a date in digits: 3.12.2011, 2011-12-03, 12/3/11, or Chinese or
/// Japanese (12月3日).
fn has_time(text: &str) -> bool {
    // The last two numbers: their digits, and the character after each.
    let mut before: [(usize, char); 2] = [(0, ' '); 2];
    let mut digits = 0;
    for c in text.chars().chain(std::iter::once(' ')) {
        if c.is_ascii_digit() {
            digits += 1;
            continue;
        }
        if digits > 0 {
            let [first, second] = before;
            let short = |length: usize| matches!(length, 1 | 2);
            let clock = second.1 == ':' && short(second.0) && digits == 2;
            let date = first.1 == second.1
                && matches!(first.1, '.' | '/' | '-')
                && short(second.0)
                && ((short(first.0) && matches!(digits, 2 | 4)) || (first.0 == 4 && short(digits)));
            if clock || date || matches!(c, '年' | '月' | '日' | '时' | '時') {
                return true;
            }
        }
        before = if digits > 0 && matches!(c, ':' | '.' | '/' | '-') {
            [before[1], (digits, c)]
        } else {
            [(0, ' '); 2]
        };
        digits = 0;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::has_time;

    #[test]
    fn times_and_dates_differ_from_other_numbers() {
        for text in [
            "9:05",
            "at 21:40 today",
            "3.12.2011",
            "2011-12-03",
            "12/3/11",
            "2011-12-03T21:40:00",
            "12月3日",
            "(3.12.2011)",
        ] {
            assert!(has_time(text), "{text}");
        }
        for text in [
            "",
            "12",
            "3.14",
            "1,200",
            "1:2",
            "123:45",
            "1.2.3",
            "2011-12",
            "10.0.0.1",
            "3. 12. 2011 a",
            "12.03/2011",
            "2:1.",
            "555-123-4567",
        ] {
            assert!(!has_time(text), "{text}");
        }
    }
}
