//! Why blocks were kept or left out.

use std::ops::Range;

use dehusk_html::rendering::render_bare;
use dehusk_html::{Dom, NodeId};

use super::{Fusion, PageBlocks, features, model};
use crate::blocks::Block;
use crate::{ExplainedBlock, Explanation, PageContext, Rule, Selection};

static KEPT: Rule = Rule::new(
    "fusion.kept",
    "its {blocks} blocks have probabilities of {lowest} to {highest}",
);
static LIKE: Rule = Rule::new(
    "fusion.kept-like",
    "its {blocks} blocks have probabilities of {lowest} to {highest}, moved from {lowest_alone} to {highest_alone} by the \
     blocks alike",
);
static FILLED: Rule = Rule::new(
    "fusion.filled",
    "it is between kept blocks, and the structure of the page belongs to them; its {blocks} blocks have probabilities of \
     {lowest} to {highest}",
);
static LEFT_OUT: Rule = Rule::new(
    "fusion.left-out",
    "its {blocks} blocks have probabilities of {lowest} to {highest}, and the expected F1 is higher without them",
);
static REPEATED: Rule = Rule::new(
    "fusion.repeated",
    "its texts are on up to {on} of {known} other pages of the host; its {blocks} blocks have probabilities of {lowest} to \
     {highest}",
);
static COPY: Rule = Rule::new(
    "fusion.copy",
    "its text was kept before; its {blocks} blocks have probabilities of {lowest} to {highest}",
);
static AROUND: Rule = Rule::new(
    "fusion.around",
    "it is a filter, a row of other things than those of the page, or a table of contents beside the text",
);
static BUTTON: Rule = Rule::new(
    "fusion.button",
    "it is a button at the end of an item, or alone in its paragraph, or a link that does the same for each of many things",
);
static COMMENT: Rule = Rule::new(
    "fusion.comment",
    "it is in a comment section, and comments are treated apart",
);
static NO_BLOCK: Rule = Rule::new("fusion.no-block", "no block has text in it alone");

/// Most features that are shown of a block.
const STRONGEST: usize = 4;

/// A probability that differs by less than this, a hundredth, is shown once.
const SOME: u16 = 656;

pub(super) fn explain(
    fusion: &Fusion,
    page: &PageContext<'_>,
    selection: &Selection,
    nodes: &[NodeId],
) -> Vec<Explanation> {
    let workspace = &mut *page.workspace();
    fusion.choose(page, workspace);
    let (kept, left_out) = (&workspace.kept, &workspace.shops.left_out);
    let dom = page.dom();
    let explained = nodes.iter().map(|node| {
        let blocks: Vec<usize> = blocks_in(&workspace.page, &dom.subtree(*node)).collect();
        let Some([lowest, highest]) = extremes(&blocks, &workspace.logits) else {
            return Explanation::new(*node, selection, &NO_BLOCK);
        };
        let [lowest_alone, highest_alone] = extremes(&blocks, &workspace.logits_alone).unwrap_or([lowest, highest]);
        let is_moved = |now: u16, alone: u16| now.abs_diff(alone) >= SOME;
        let is_kept = selection.contains(*node);
        let on = blocks.iter().filter_map(|block| workspace.repeated.get(*block)).max();
        let on = on.copied().unwrap_or_default();
        let rule = match () {
            () if is_kept && blocks.iter().all(|block| kept.filled[*block]) => &FILLED,
            () if is_kept && (is_moved(lowest, lowest_alone) || is_moved(highest, highest_alone)) => &LIKE,
            () if is_kept => &KEPT,
            () if blocks.iter().any(|block| kept.copies[*block]) => &COPY,
            () if blocks.iter().any(|block| left_out[*block]) => &AROUND,
            () if blocks.iter().any(|block| kept.buttons[*block]) => &BUTTON,
            () if blocks.iter().any(|block| kept.chosen[*block]) => &COMMENT,
            () if on > 0 => &REPEATED,
            () => &LEFT_OUT,
        };
        Explanation::new(*node, selection, rule)
            .count("blocks", blocks.len() as u64)
            .measure("lowest", share(lowest))
            .measure("highest", share(highest))
            .measure("lowest_alone", share(lowest_alone))
            .measure("highest_alone", share(highest_alone))
            .count("on", u64::from(on))
            .count("known", workspace.known)
    });
    explained.collect()
}

/// The lowest and the highest probability of some blocks, if there are any.
fn extremes(blocks: &[usize], logits: &[i32]) -> Option<[u16; 2]> {
    let probabilities = || blocks.iter().map(|block| model::probability(logits[*block]));
    Some([probabilities().min()?, probabilities().max()?])
}

/// The blocks with a text in a range of nodes. Blocks and their texts are in document order.
pub(super) fn blocks_in(page: &PageBlocks, nodes: &Range<NodeId>) -> impl Iterator<Item = usize> {
    let blocks = &page.blocks;
    let ends_before = |block: &Block| blocks.texts_of(block).last().is_none_or(|text| *text < nodes.start);
    let starts_before = |block: &Block| blocks.texts_of(block).first().is_some_and(|text| *text < nodes.end);
    let first = blocks.blocks.partition_point(ends_before);
    let end = blocks.blocks.partition_point(starts_before).max(first);
    // The texts of a block may lie on both sides of the range, and none in it.
    (first..end).filter(move |block| {
        let texts = page.texts(*block);
        let next = texts.partition_point(|text| *text < nodes.start);
        texts.get(next).is_some_and(|text| *text < nodes.end)
    })
}

pub(super) fn blocks(fusion: &Fusion, page: &PageContext<'_>) -> Vec<ExplainedBlock> {
    let workspace = &mut *page.workspace();
    fusion.choose(page, workspace);
    let kept = &workspace.kept;
    let blocks = &workspace.page;
    let explained = (0..blocks.len()).map(|block| ExplainedBlock {
        node: blocks.texts(block).first().copied().unwrap_or_default(),
        is_kept: kept.content[block],
        probability: share(model::probability(workspace.logits[block])),
        probability_alone: share(model::probability(workspace.logits_alone[block])),
        is_filled: kept.content[block] && kept.filled[block],
        words: blocks.words()[block],
        text: text_of(page.dom(), blocks, block),
        strongest: strongest(fusion, blocks, block),
    });
    explained.collect()
}

/// The features that changed the logit of a block most through the trees, and by how much. A network does not show the
/// parts of its logit.
fn strongest(fusion: &Fusion, blocks: &PageBlocks, block: usize) -> Vec<(&'static str, f64)> {
    let contributions = fusion.model.contributions(blocks.features(), block);
    let strongest = contributions.into_iter().flat_map(|all| all.features).take(STRONGEST);
    let weight = fusion.model.trees_weight();
    let named = strongest.map(|(feature, logit)| {
        let name = features::names()[usize::from(feature)].as_str();
        (name, weight * f64::from(logit) / 4096.0)
    });
    named.collect()
}

fn text_of(dom: &Dom<'_>, blocks: &PageBlocks, block: usize) -> String {
    let ranges: Vec<_> = blocks.texts(block).iter().map(|text| *text..*text + 1).collect();
    let mut text = String::new();
    render_bare(dom, &ranges, &[], &mut text);
    text
}

fn share(probability: u16) -> f64 {
    f64::from(probability) / 65536.0
}
