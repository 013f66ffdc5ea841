//! The condensed nodes around the block: what they hold, level by level.

use super::super::blocks::NONE;
use super::super::fixed::{MISSING, log, log_mean, share};
use super::Columns;
use super::page::PageSums;

/// The number of levels.
const LEVELS: usize = 7;

/// Values that a condensed node has for all of its blocks.
const NODE_VALUES: [&str; 14] = [
    "words_share",
    "big",
    "links",
    "words_per_tag",
    "words_per_block",
    "punctuation",
    "short_words",
    "images",
    "children",
    "headings",
    "controls",
    "unlinked",
    "paragraphs",
    "share_of_parent",
];

/// The arrays that are reused from page to page.
#[derive(Debug, Default)]
pub(super) struct LevelBuffers {
    /// The values of each condensed node, and at the end those of a node that is missing.
    values: Vec<[i16; NODE_VALUES.len()]>,
    children: Vec<u32>,
    /// The condensed node of each block at one level; the number of nodes if there is none.
    nodes: Vec<u32>,
}

pub(super) fn fill(page: &PageSums<'_>, buffers: &mut LevelBuffers, columns: &mut Columns<'_>) {
    let LevelBuffers {
        values,
        children,
        nodes,
    } = buffers;
    children.clear();
    children.resize(page.condensed.len(), 0);
    for node in page.condensed.iter().filter(|node| node.parent != NONE) {
        children[node.parent as usize] += 1;
    }
    let body_words = page.total().words;
    values.clear();
    for (number, node) in page.condensed.iter().enumerate() {
        let sum = page.sum_of(node);
        let tags = page.tags_of(node);
        let blocks = node.blocks().len() as u32;
        let parent_words = match node.parent {
            NONE => sum.words,
            parent => page.sum_of(&page.condensed[parent as usize]).words,
        };
        values.push([
            share(sum.words, body_words),
            log(sum.big),
            sum.link_share(),
            log_mean(sum.words, tags.all),
            log_mean(sum.words, blocks),
            share(sum.punctuation, sum.words),
            share(sum.short_words, sum.read_words),
            log(tags.images),
            log(children[number]),
            log(sum.headings),
            log_mean(tags.controls, blocks),
            share(sum.unlinked, blocks),
            log(tags.paragraphs),
            share(sum.words, parent_words),
        ]);
    }
    let missing = values.len() as u32;
    values.push([MISSING; NODE_VALUES.len()]);
    nodes.clear();
    nodes.extend_from_slice(page.level_one);
    for level in 1..=LEVELS {
        // The last levels may not be wanted at all.
        if columns.skips((LEVELS + 1 - level) * (NODE_VALUES.len() + 1)) {
            break;
        }
        for (value, name) in NODE_VALUES.iter().enumerate() {
            columns.column_named(format_args!("level{level}_{name}"), |i| {
                values[nodes[i] as usize][value]
            });
        }
        columns.column_named(format_args!("level{level}_place"), |i| {
            page.condensed
                .get(nodes[i] as usize)
                .map_or(MISSING, |node| share(i as u32 - node.first, node.last - node.first))
        });
        for node in nodes.iter_mut() {
            let parent = page.condensed.get(*node as usize).map_or(NONE, |node| node.parent);
            *node = if parent == NONE { missing } else { parent };
        }
    }
}
