//! Phase 2.

use std::collections::HashMap;
use std::ops::Range;

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::super::without::without;
use super::Nce;
use crate::dom::view::View;
use crate::dom::{NodeId, Tag, text};

/// When two leaves are similar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Similar {
    /// Both hold a time.
    Time,
    /// Both have the same text.
    Same,
    /// Either.
    Either,
}

#[derive(Clone, Copy)]
struct Leaf {
    id: NodeId,
    at: u64,
    up: u32,
    size: u32,
}

fn root(leaves: &mut [Leaf], mut i: u32) -> u32 {
    while leaves[i as usize].up != i {
        let up = leaves[i as usize].up;
        leaves[i as usize].up = leaves[up as usize].up;
        i = up;
    }
    i
}

/// Cuts.
pub(super) fn remove(nce: &Nce, view: &View<'_>, ranges: &mut Vec<Range<NodeId>>) {
    let Some(cut) = find(nce, view, ranges) else { return };
    let dom = view.dom();
    let kept = ranges.partition_point(|r| r.start < cut);
    ranges.truncate(kept);
    if let Some(last) = ranges.pop() {
        without(
            dom,
            last.clone(),
            std::slice::from_ref(&(cut..last.end.max(cut))),
            ranges,
        );
    }
}

fn find(nce: &Nce, view: &View<'_>, ranges: &[Range<NodeId>]) -> Option<NodeId> {
    let dom = view.dom();
    let total: u64 = ranges.iter().map(|r| nce.chars(view.range(r.clone()))).sum();
    let least = nce.after * total as f64;
    let mut leaves: Vec<Leaf> = Vec::new();
    let mut latest: HashMap<(u32, u64), u32> = HashMap::new();
    let mut before = 0u64;
    let mut scratch = String::new();
    for range in ranges {
        let size = nce.chars(view.range(range.clone()));
        if ((before + size) as f64) < least {
            before += size;
            continue;
        }
        for id in range.clone() {
            let node = dom.node(id);
            if node.tag != Tag::Text {
                continue;
            }
            let sums = view.subtree(id);
            let chars = nce.chars(sums);
            if chars == 0 || chars > u64::from(nce.block_chars) {
                continue;
            }
            let at = before + nce.chars(view.range(range.start..id));
            if (at as f64) < least {
                continue;
            }
            let path = path(view, id);
            scratch.clear();
            text::push_node(dom.source(), node, &mut scratch);
            let mut keys = [None, None];
            if nce.similar != Similar::Same && has_time(&scratch) {
                keys[0] = Some((path, 0));
            }
            if nce.similar != Similar::Time && sums.text.words > 0 {
                keys[1] = Some((path, xxh3_64(scratch.as_bytes()) | 1));
            }
            if keys == [None, None] {
                continue;
            }
            let me = leaves.len() as u32;
            leaves.push(Leaf {
                id,
                at,
                up: me,
                size: 1,
            });
            for key in keys.into_iter().flatten() {
                let Some(other) = latest.insert(key, me) else { continue };
                if at - leaves[other as usize].at > u64::from(nce.near_chars) {
                    continue;
                }
                let (a, b) = (root(&mut leaves, me), root(&mut leaves, other));
                if a == b {
                    continue;
                }
                leaves[a as usize].up = b;
                leaves[b as usize].size += leaves[a as usize].size;
                if leaves[b as usize].size >= nce.blocks {
                    let mut members = Vec::new();
                    for i in 0..leaves.len() as u32 {
                        if root(&mut leaves, i) == b {
                            members.push(leaves[i as usize].id);
                        }
                    }
                    return Some(block(nce, view, ranges, members[0], members[1], least));
                }
            }
        }
        before += size;
    }
    None
}

/// The block around the first leaf that does not reach to the second.
fn block(nce: &Nce, view: &View<'_>, ranges: &[Range<NodeId>], first: NodeId, second: NodeId, least: f64) -> NodeId {
    let dom = view.dom();
    let index = ranges.partition_point(|r| r.start <= first) - 1;
    let before: u64 = ranges[..index].iter().map(|r| nce.chars(view.range(r.clone()))).sum();
    let range = &ranges[index];
    let mut id = first;
    while id > range.start {
        let up = dom.node(id).parent;
        if up < range.start || second < dom.node(up).end {
            break;
        }
        if ((before + nce.chars(view.range(range.start..up))) as f64) < least {
            break;
        }
        id = up;
    }
    id
}

fn path(view: &View<'_>, id: NodeId) -> u32 {
    let dom = view.dom();
    let mut path = 0;
    let mut id = id;
    for _ in 0..3 {
        id = dom.node(id).parent;
        path = path << 8 | dom.node(id).tag as u32;
    }
    path
}

/// Whether a text holds a time of day or a date in digits.
fn has_time(text: &str) -> bool {
    let mut numbers: [(usize, Option<char>); 3] = [(0, None); 3];
    let mut digits = 0usize;
    for c in text.chars().chain(std::iter::once(' ')) {
        if c.is_ascii_digit() {
            digits += 1;
            continue;
        }
        if digits > 0 {
            numbers = [numbers[1], numbers[2], (digits, Some(c))];
            let short = |n: usize| (1..=2).contains(&n);
            if matches!(c, '月' | '日' | '時' | '时' | '年') {
                return true;
            }
            let [a, b, d] = numbers;
            if b.1 == Some(':') && short(b.0) && d.0 == 2 {
                return true;
            }
            if a.1 == b.1
                && matches!(a.1, Some('.' | '/' | '-'))
                && short(b.0)
                && ((short(a.0) && matches!(d.0, 2 | 4)) || (a.0 == 4 && short(d.0)))
            {
                return true;
            }
            digits = 0;
            if !matches!(c, ':' | '.' | '/' | '-') {
                numbers = [(0, None); 3];
            }
        } else {
            numbers = [(0, None); 3];
        }
    }
    false
}
