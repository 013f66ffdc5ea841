//! What the papers' formulas say of the condensed nodes, and the way from the block to the best ones.
//!
//! - `readable`: each block gives points for its length and its punctuation to the nodes around it, as Readability does.
//! - `density_sum` and `composite_sum`: the sum of the children's text density, and of their composite text density (CETD 4.1
//!   to 4.3).
//! - `unlinked`: CoreEx's ratio and weight (CoreEx 3): the share of words outside links, and the share of the body's words.
//! - `half`, `most`, `nearly`: the deepest node that holds 50, 80 and 95 of 100 words of big blocks (ECON backtracks to such
//!   a node).
//! - `title`: the node around the title's heading (NCE searches the content from there).

use super::super::blocks::NONE;
use super::super::fixed::{log, log_u64, share};
use super::Columns;
use super::page::PageSums;

/// The arrays that are reused from page to page.
#[derive(Debug, Default)]
pub(super) struct ScoreBuffers {
    readable: Vec<u64>,
    density_sum: Vec<u64>,
    composite_sum: Vec<u64>,
    unlinked: Vec<u64>,
    /// Shares of the best score, and the highest of them on the path from the root.
    shares: Vec<i16>,
    highest: Vec<i16>,
    ways: WayBuffers,
    level_two: Vec<u32>,
    level_three: Vec<u32>,
}

/// What each node has for all blocks whose level 1 it is.
#[derive(Debug, Default)]
struct WayBuffers {
    anchors: Vec<u32>,
    values: Vec<[i16; WAY]>,
}

/// The number of features of a way.
const WAY: usize = 3;

/// `part / whole` with ten fractional bits.
#[inline]
fn share_u64(part: u64, whole: u64) -> i16 {
    // Correctly rounded, so equal on every machine.
    (part as f64 * 1024.0 / whole.max(1) as f64) as i16
}

pub(super) fn fill(page: &PageSums<'_>, title: usize, buffers: &mut ScoreBuffers, columns: &mut Columns<'_>) {
    compute(page, buffers);
    let ScoreBuffers {
        readable,
        density_sum,
        composite_sum,
        unlinked,
        shares,
        highest,
        ways,
        level_two,
        level_three,
    } = buffers;
    let level_one = page.level_one;
    // The nodes of the next two levels; the root is above itself.
    let up = |node: &u32| match page.condensed[*node as usize].parent {
        NONE => *node,
        parent => parent,
    };
    level_two.clear();
    level_two.extend(level_one.iter().map(up));
    level_three.clear();
    level_three.extend(level_two.iter().map(up));
    for (name, scores) in [
        ("readable", &*readable),
        ("density_sum", &*density_sum),
        ("composite_sum", &*composite_sum),
        ("unlinked", &*unlinked),
    ] {
        let best = scores.iter().copied().max().unwrap_or(0);
        shares.clear();
        shares.extend(scores.iter().map(|score| share_u64(*score, best)));
        columns.column_named(format_args!("{name}1"), |i| shares[level_one[i] as usize]);
        columns.column_named(format_args!("{name}2"), |i| shares[level_two[i] as usize]);
        columns.column_named(format_args!("{name}3"), |i| shares[level_three[i] as usize]);
        highest.clear();
        for (number, node) in page.condensed.iter().enumerate() {
            highest.push(match node.parent {
                NONE => 0,
                parent => highest[parent as usize].max(shares[number]),
            });
        }
        columns.column_named(format_args!("{name}_highest"), |i| highest[level_one[i] as usize]);
    }
    let best = |scores: &[u64]| {
        let best = (0..scores.len()).rev().max_by_key(|node| scores[*node]);
        best.unwrap_or(0) as u32
    };
    for (name, target) in [
        ("half", deepest_with(page, 50)),
        ("most", deepest_with(page, 80)),
        ("nearly", deepest_with(page, 95)),
        ("readable", best(readable)),
        ("density_sum", best(density_sum)),
        ("composite_sum", best(composite_sum)),
        ("unlinked", best(unlinked)),
        ("title", level_one[title]),
    ] {
        fill_way(page, name, target, ways, columns);
    }
}

/// The way from each block to a node: up to the smallest node that holds both.
fn fill_way(page: &PageSums<'_>, name: &str, target: u32, buffers: &mut WayBuffers, columns: &mut Columns<'_>) {
    if columns.skips(WAY) {
        return;
    }
    let condensed = page.condensed;
    let wanted = condensed[target as usize].blocks();
    let depth = |node: u32| u32::from(condensed[node as usize].depth);
    let words = page.total().words;
    let WayBuffers { anchors, values } = buffers;
    anchors.clear();
    values.clear();
    for (number, node) in condensed.iter().enumerate() {
        // Two nodes with the same first and last block are one, so this finds the ancestors of the target and itself.
        let holds = node.first as usize <= wanted.start && wanted.end <= node.last as usize + 1;
        let down = |anchor: u32| log(u32::from(node.depth) - depth(anchor));
        if holds || node.parent == NONE {
            let share = share(page.sum_of(node).words, words);
            anchors.push(number as u32);
            values.push([log(depth(target) - u32::from(node.depth)), 0, share]);
        } else {
            let anchor = anchors[node.parent as usize];
            let [up, _, share] = values[anchor as usize];
            anchors.push(anchor);
            values.push([up, down(anchor), share]);
        }
    }
    for (value, way) in ["up", "down", "words"].into_iter().enumerate() {
        columns.column_named(format_args!("{name}_{way}"), |i| {
            values[page.level_one[i] as usize][value]
        });
    }
}

/// The deepest node that holds so many of 100 words of big blocks.
fn deepest_with(page: &PageSums<'_>, percent: u64) -> u32 {
    let all = u64::from(page.total().big_words);
    let mut deepest = 0;
    for (number, node) in page.condensed.iter().enumerate() {
        let has = u64::from(page.sum_of(node).big_words);
        if all > 0 && has * 100 >= all * percent && node.depth >= page.condensed[deepest].depth {
            deepest = number;
        }
    }
    deepest as u32
}

/// Computes the scores of all nodes.
fn compute(page: &PageSums<'_>, buffers: &mut ScoreBuffers) {
    let condensed = page.condensed;
    let ScoreBuffers {
        readable,
        density_sum,
        composite_sum,
        unlinked,
        ..
    } = buffers;
    for scores in [&mut *readable, density_sum, composite_sum, unlinked] {
        scores.clear();
        scores.resize(condensed.len(), 0);
    }
    for (i, block) in page.blocks.iter().enumerate().filter(|(_, block)| block.chars >= 25) {
        let points = 256 + u64::from(block.punctuation) * 256 + u64::from(block.chars).min(300) * 256 / 100;
        let unlinked = 1024 - share(block.linked_words, block.words) as u64;
        let points = points * unlinked / 1024;
        let mut node = page.level_one[i];
        for divisor in 1..=3 {
            readable[node as usize] += points / divisor;
            node = condensed[node as usize].parent;
            if node == NONE {
                break;
            }
        }
    }
    let total = page.total();
    for (number, node) in condensed.iter().enumerate().rev() {
        let sum = page.sum_of(node);
        let tags = page.tags_of(node);
        let link_share = share(sum.linked_words, sum.words) as u64;
        readable[number] = readable[number] * (1024 - link_share) / 1024;
        let (chars, all_tags) = (u64::from(sum.chars), u64::from(tags.all.max(1)));
        let linked = u64::from(sum.linked_chars.min(sum.chars));
        let density = (chars << 8) / all_tags;
        // CETD's formula 4, with logarithms to another base, which does not change it.
        let outer = chars * all_tags / (linked.max(1) * u64::from(tags.links.max(1)));
        let base = chars * linked / (chars - linked).max(1)
            + u64::from(total.linked_chars) * chars / u64::from(total.chars.max(1))
            + 2;
        let composite = density * log_u64(outer) as u64 / log_u64(base).max(1) as u64;
        if node.parent != NONE {
            density_sum[node.parent as usize] += density;
            composite_sum[node.parent as usize] += composite;
        }
        let weight = ((u64::from(sum.words) << 20) / u64::from(total.words.max(1))).isqrt();
        unlinked[number] = (1024 - link_share) * weight;
    }
}
