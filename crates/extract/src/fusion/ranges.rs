//! Turns kept blocks into ranges of nodes.
//!
//! A range is a whole element wherever all of its blocks are kept, so that the structure of the page stays: lists,
//! tables, images between paragraphs. Elsewhere it is what the block spans: some adjacent children of its element.

use std::ops::Range;

use dehusk_html::{Dom, NodeId};

use crate::blocks::{Block, Blocks, NONE};

/// Memory that is kept from page to page.
#[derive(Debug, Default)]
pub(super) struct RangeBuffers {
    /// The number of kept blocks before each block.
    kept_before: Vec<u32>,
    /// The outermost element around each element, itself included, all of whose blocks are kept.
    whole: Vec<u32>,
}

/// The ranges of the kept blocks: in order, disjoint, never empty.
pub(super) fn of_kept(dom: &Dom<'_>, blocks: &Blocks, kept: &[bool], buffers: &mut RangeBuffers) -> Vec<Range<NodeId>> {
    let RangeBuffers { kept_before, whole } = buffers;
    kept_before.clear();
    let mut sum = 0;
    for is_kept in kept {
        kept_before.push(sum);
        sum += u32::from(*is_kept);
    }
    kept_before.push(sum);
    whole.clear();
    for (number, element) in blocks.elements.iter().enumerate() {
        let around = whole.get(element.parent as usize).copied().unwrap_or(NONE);
        let (first, last) = (element.first as usize, element.last as usize + 1);
        let is_whole = || {
            kept_before[last] - kept_before[first] == (last - first) as u32
                && holds_just(blocks, &dom.subtree(element.node), &blocks.blocks[first..last])
        };
        whole.push(match around {
            NONE if is_whole() => number as u32,
            around => around,
        });
    }
    let mut ranges: Vec<Range<NodeId>> = Vec::new();
    let mut block = 0;
    while block < kept.len() {
        let this = &blocks.blocks[block];
        block += 1;
        if !kept[block - 1] {
            continue;
        }
        if let Some(element) = blocks.elements.get(whole[this.element as usize] as usize) {
            ranges.push(dom.subtree(element.node));
            block = element.last as usize + 1;
        } else {
            push_block(dom, blocks, this, &mut ranges);
        }
    }
    ranges
}

/// Whether a range of nodes holds all texts of some blocks and no others.
fn holds_just(blocks: &Blocks, range: &Range<NodeId>, just: &[Block]) -> bool {
    let (Some(first), Some(last)) = (just.first(), just.last()) else {
        return false;
    };
    let texts = &blocks.texts;
    let from = first.texts.start as usize;
    let to = last.texts.end as usize;
    let starts = range.start <= texts[from] && (from == 0 || texts[from - 1] < range.start);
    let ends = texts[to - 1] < range.end && texts.get(to).is_none_or(|next| *next >= range.end);
    starts && ends
}

/// Adds what a block spans of its element.
fn push_block(dom: &Dom<'_>, blocks: &Blocks, block: &Block, ranges: &mut Vec<Range<NodeId>>) {
    let element = blocks.elements[block.element as usize].node;
    let texts = blocks.texts_of(block);
    let (Some(&first), Some(&last)) = (texts.first(), texts.last()) else {
        return;
    };
    let child = |text: NodeId| {
        let mut child = text;
        while dom.node(child).parent != element {
            child = dom.node(child).parent;
        }
        child
    };
    let span = child(first)..dom.node(child(last)).end;
    if holds_just(blocks, &span, std::slice::from_ref(block)) {
        ranges.push(span);
    } else {
        push_subtrees(dom, first, last, ranges);
    }
}

/// Adds the subtrees from one text to another, where an inline element continues before or after them. Nothing between
/// the texts is left out, so that no space is added there.
fn push_subtrees(dom: &Dom<'_>, first: NodeId, last: NodeId, ranges: &mut Vec<Range<NodeId>>) {
    let mut range = first..first;
    let mut parent = dom.node(first).parent;
    let mut id = first;
    while id <= last {
        let node = dom.node(id);
        if node.end > last + 1 {
            id += 1;
            continue;
        }
        if range.end != id || parent != node.parent {
            ranges.push(range);
            range = id..id;
            parent = node.parent;
        }
        range.end = node.end;
        id = node.end;
    }
    ranges.push(range);
}
