//! The condensed nodes around the block: what they hold, level by level.

use super::super::fixed::{MISSING, count, log, log_mean, share};
use super::Columns;
use super::page::{Page, Sums};
use crate::blocks::NONE;

/// The number of levels.
const LEVELS: usize = 4;

/// The content of the condensed nodes, and which of them are around each block. The arrays are reused from page to
/// page.
#[derive(Debug, Default)]
pub(super) struct Nodes {
    pub(super) words: Vec<i32>,
    pub(super) linked_words: Vec<i32>,
    pub(super) tags: Vec<i32>,
    /// For each level the condensed node of each block; the number of nodes if there is none.
    levels: [Vec<u32>; LEVELS],
}

impl Nodes {
    #[inline(always)]
    fn fill(&mut self, page: &Page<'_>) {
        sum(page, &page.sums.words, &mut self.words);
        sum(page, &page.sums.linked_words, &mut self.linked_words);
        sum(page, &page.sums.tags, &mut self.tags);
        let missing = page.condensed.len() as u32;
        let [first, others @ ..] = &mut self.levels;
        first.clear();
        first.extend_from_slice(page.level_one);
        let mut below = first;
        for level in others {
            level.clear();
            level.extend(below.iter().map(|node| match page.condensed.get(*node as usize) {
                Some(node) if node.parent != NONE => node.parent,
                _ => missing,
            }));
            below = level;
        }
    }

    /// For each block the value of the node around it at a level: 1 is the first. After the values of the nodes comes
    /// the one of a node that is missing.
    #[inline(always)]
    pub(super) fn at(&self, level: usize, values: &[i16]) -> impl Iterator<Item = i16> {
        self.levels[level - 1].iter().map(|node| values[*node as usize])
    }
}

/// The sum over the blocks of each node.
#[inline(always)]
pub(super) fn sum(page: &Page<'_>, sums: &Sums, of_nodes: &mut Vec<i32>) {
    of_nodes.clear();
    of_nodes.extend(page.condensed.iter().map(|node| sums.of(node.blocks())));
}

/// Memory that is kept from page to page.
#[derive(Debug, Default)]
pub(super) struct LevelBuffers {
    pub(super) nodes: Nodes,
    values: Vec<i16>,
    counts: Vec<i32>,
    blocks: Vec<i32>,
}

#[inline(always)]
pub(super) fn fill(page: &Page<'_>, buffers: &mut LevelBuffers, columns: &mut Columns<'_>) {
    let LevelBuffers {
        nodes,
        values,
        counts,
        blocks,
    } = buffers;
    nodes.fill(page);
    blocks.clear();
    blocks.extend(page.condensed.iter().map(|node| count(node.blocks().len())));
    let (sums, words) = (page.sums, &nodes.words);
    let body_words = sums.words.total();
    let levels = &mut LevelColumns { nodes, values, columns };
    levels.fill(
        "words_share",
        &[1, 2, 4],
        words.iter().map(|words| share(*words, body_words)),
    );
    let linked = nodes.linked_words.iter().zip(words);
    levels.fill(
        "links",
        &[1, 2, 3],
        linked.map(|(linked, words)| share(*linked, *words)),
    );
    let tags = nodes.tags.iter().zip(words);
    levels.fill("words_per_tag", &[1], tags.map(|(tags, words)| log_mean(*words, *tags)));
    sum(page, &sums.big, counts);
    levels.fill("big", &[1, 3], counts.iter().map(|big| log(*big)));
    sum(page, &sums.punctuation, counts);
    let punctuation = counts.iter().zip(words);
    levels.fill(
        "punctuation",
        &[2],
        punctuation.map(|(signs, words)| share(*signs, *words)),
    );
    sum(page, &sums.headings, counts);
    levels.fill("headings", &[3], counts.iter().map(|headings| log(*headings)));
    sum(page, &sums.unlinked, counts);
    let unlinked = counts.iter().zip(&*blocks);
    levels.fill(
        "unlinked",
        &[1],
        unlinked.map(|(unlinked, blocks)| share(*unlinked, *blocks)),
    );
    counts.clear();
    counts.resize(page.condensed.len(), 0);
    for node in page.condensed.iter().filter(|node| node.parent != NONE) {
        counts[node.parent as usize] += 1;
    }
    levels.fill("children", &[2], counts.iter().map(|children| log(*children)));
}

/// Fills columns with values of nodes.
struct LevelColumns<'n, 'm> {
    nodes: &'n Nodes,
    values: &'n mut Vec<i16>,
    columns: &'n mut Columns<'m>,
}

impl LevelColumns<'_, '_> {
    /// Fills a column a level.
    #[inline(always)]
    fn fill(&mut self, name: &str, levels: &[usize], of_nodes: impl Iterator<Item = i16>) {
        self.values.clear();
        self.values.extend(of_nodes);
        self.values.push(MISSING);
        for &level in levels {
            let of_blocks = self.nodes.at(level, self.values);
            self.columns
                .column_named(format_args!("level{level}_{name}"), of_blocks);
        }
    }
}
