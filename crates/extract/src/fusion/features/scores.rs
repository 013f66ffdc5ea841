//! The papers' formulas for the condensed nodes, and the way from the block to the best ones.
//!
//! - `readable`: each block gives points for its length and its punctuation to the nodes around it, as Readability
//!   does.
//! - `density_sum`: the sum of the children's text density (CETD 4.1 and 4.3).
//! - `unlinked`: CoreEx's ratio and weight (CoreEx 3): the share of words outside links, and the share of the body's
//!   words.
//! - `half`: the deepest node that holds half of the words of big blocks (ECON backtracks to such a node).
//! - `title`: the node around the title's heading (NCE searches the content from there).

use super::super::fixed::{log, ratio};
use super::Columns;
use super::levels::{self, Nodes};
use super::page::Page;
use crate::blocks::NONE;

/// The arrays that are reused from page to page.
#[derive(Debug, Default)]
pub(super) struct ScoreBuffers {
    readable: Vec<f32>,
    density_sum: Vec<f32>,
    unlinked: Vec<f32>,
    /// Values of the nodes, and at the end that of a node that is missing.
    values: Vec<i16>,
    counts: Vec<i32>,
    ways: Ways,
}

#[inline(always)]
pub(super) fn fill(
    page: &Page<'_>,
    nodes: &Nodes,
    title: Option<usize>,
    buffers: &mut ScoreBuffers,
    columns: &mut Columns<'_>,
) {
    compute(page, nodes, buffers);
    let ScoreBuffers {
        readable,
        density_sum,
        unlinked,
        values,
        counts,
        ways,
    } = buffers;
    for (name, scores, levels) in [
        ("readable", &*readable, &[1, 2, 3][..]),
        ("density_sum", &*density_sum, &[3]),
        ("unlinked", &*unlinked, &[1, 2, 3]),
    ] {
        let best = scores[best(scores)].max(f32::MIN_POSITIVE);
        values.clear();
        values.extend(scores.iter().map(|score| ratio(score / best, 1.0)));
        // The root is above itself.
        values.push(values[0]);
        for &level in levels {
            columns.column_named(format_args!("{name}{level}"), nodes.at(level, values));
        }
        // The highest on the path from the root.
        values[0] = 0;
        for (number, node) in page.condensed.iter().enumerate().skip(1) {
            values[number] = values[number].max(values[node.parent as usize]);
        }
        columns.column_named(format_args!("{name}_highest"), nodes.at(1, values));
    }
    levels::sum(page, &page.sums.big_words, counts);
    let title = page.level_one[title.unwrap_or(0)] as usize;
    ways.find(page, half(page, counts));
    columns.column("half_up", nodes.at(1, &ways.up));
    columns.column("half_down", nodes.at(1, &ways.down));
    ways.find(page, best(readable));
    columns.column("readable_up", nodes.at(1, &ways.up));
    columns.column("readable_down", nodes.at(1, &ways.down));
    ways.find(page, title);
    columns.column("title_up", nodes.at(1, &ways.up));
}

/// The first node with the highest score.
fn best(scores: &[f32]) -> usize {
    let mut best = 0;
    for (node, score) in scores.iter().enumerate() {
        best = if *score > scores[best] { node } else { best };
    }
    best
}

/// The ways from all nodes to one: up to the smallest node that holds both, and down from there.
#[derive(Debug, Default)]
struct Ways {
    /// The depths of the smallest nodes that hold both.
    around: Vec<i32>,
    up: Vec<i16>,
    down: Vec<i16>,
}

impl Ways {
    #[inline(always)]
    fn find(&mut self, page: &Page<'_>, target: usize) {
        let Self { around, up, down } = self;
        let target = &page.condensed[target];
        around.clear();
        for node in page.condensed {
            // Two nodes with the same first and last block are one, so this finds the ancestors of the target and
            // itself.
            let holds = node.first <= target.first && target.last <= node.last;
            around.push(if holds || node.parent == NONE {
                node.depth.into()
            } else {
                around[node.parent as usize]
            });
        }
        up.clear();
        up.extend(around.iter().map(|depth| log(i32::from(target.depth) - depth)));
        down.clear();
        let pairs = around.iter().zip(page.condensed);
        down.extend(pairs.map(|(depth, node)| log(i32::from(node.depth) - depth)));
    }
}

/// The deepest node that holds half of the words of big blocks, given how many each node holds.
fn half(page: &Page<'_>, words: &[i32]) -> usize {
    let all = page.sums.big_words.total();
    let mut deepest = 0;
    for (number, (node, words)) in page.condensed.iter().zip(words).enumerate() {
        if all > 0 && *words >= all - all / 2 && node.depth >= page.condensed[deepest].depth {
            deepest = number;
        }
    }
    deepest
}

/// Computes the scores of all nodes.
#[inline(always)]
fn compute(page: &Page<'_>, nodes: &Nodes, buffers: &mut ScoreBuffers) {
    let condensed = page.condensed;
    let ScoreBuffers {
        readable,
        density_sum,
        unlinked,
        counts: chars,
        ..
    } = buffers;
    for scores in [&mut *readable, density_sum, unlinked] {
        scores.clear();
        scores.resize(condensed.len(), 0.0);
    }
    for (i, block) in page.blocks.iter().enumerate().filter(|(_, block)| block.chars >= 25) {
        let points = 1.0 + block.punctuation as f32 + block.chars.min(300) as f32 / 100.0;
        let points = points * (1.0 - block.linked_words as f32 / block.words.max(1) as f32);
        let mut node = page.level_one[i];
        for share in [1.0, 0.5, 1.0 / 3.0] {
            readable[node as usize] += points * share;
            node = condensed[node as usize].parent;
            if node == NONE {
                break;
            }
        }
    }
    levels::sum(page, &page.sums.chars, chars);
    let words = page.sums.words.total().max(1) as f32;
    for (number, node) in condensed.iter().enumerate().rev() {
        let own_words = nodes.words[number] as f32;
        let unlinked_share = 1.0 - nodes.linked_words[number] as f32 / own_words.max(1.0);
        readable[number] *= unlinked_share;
        unlinked[number] = unlinked_share * (own_words / words).sqrt();
        if node.parent != NONE {
            density_sum[node.parent as usize] += chars[number] as f32 / nodes.tags[number].max(1) as f32;
        }
    }
}
