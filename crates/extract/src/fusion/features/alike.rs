//! Blocks with the same text, and blocks of the same style.

use super::super::fixed::{count, log, share};
use super::page::Page;
use super::{Columns, flag};
use crate::blocks::interner::Interner;
use crate::blocks::{NONE, hash};

/// The arrays that are reused from page to page.
#[derive(Debug, Default)]
pub(super) struct AlikeBuffers {
    numbers: Interner,
    /// The group of each block, if it is in any; and the first block and the number of blocks of each group.
    group_of: Vec<u32>,
    firsts: Vec<u32>,
    counts: Vec<i32>,
    groups: Vec<Group>,
}

/// Blocks alike.
#[derive(Clone, Copy, Debug, Default)]
struct Group {
    count: i32,
    words: i32,
}

#[inline(always)]
pub(super) fn fill(page: &Page<'_>, buffers: &mut AlikeBuffers, columns: &mut Columns<'_>) {
    fill_copies(page, buffers, columns);
    fill_groups(page, buffers, columns);
}

#[inline(always)]
fn fill_copies(page: &Page<'_>, buffers: &mut AlikeBuffers, columns: &mut Columns<'_>) {
    let AlikeBuffers {
        numbers,
        group_of,
        firsts,
        counts,
        ..
    } = buffers;
    numbers.reset(page.len());
    group_of.clear();
    firsts.clear();
    counts.clear();
    for (block, look) in (0..).zip(page.looks) {
        let Some(text) = look.hash else {
            group_of.push(NONE);
            continue;
        };
        let number = numbers.number(text);
        if number as usize == counts.len() {
            counts.push(0);
            firsts.push(block);
        }
        counts[number as usize] += 1;
        group_of.push(number);
    }
    let groups = || group_of.iter().map(|group| *group as usize);
    let copies = |group| counts.get(group).map_or(0, |count| count - 1);
    columns.column("copies", groups().map(|group| log(copies(group))));
    let is_first = |(block, group): (u32, usize)| firsts.get(group).is_none_or(|first| block == *first);
    columns.column("is_first_copy", (0..).zip(groups()).map(|both| flag(is_first(both))));
}

/// Groups blocks by the tags and classes of their element and of its parent.
#[inline(always)]
fn fill_groups(page: &Page<'_>, buffers: &mut AlikeBuffers, columns: &mut Columns<'_>) {
    let AlikeBuffers {
        numbers,
        group_of,
        groups,
        ..
    } = buffers;
    let elements = page.elements;
    numbers.reset(page.len());
    groups.clear();
    group_of.clear();
    for block in page.blocks {
        // Inline elements are no style of their own.
        let mut own = &elements[block.element as usize];
        while !(own.tag.is_block() || own.tag.is_spaced()) && own.parent != NONE {
            own = &elements[own.parent as usize];
        }
        let parent = elements.get(own.parent as usize).map_or(0, |parent| parent.signature);
        let number = numbers.number(hash(own.signature, parent));
        if number as usize == groups.len() {
            groups.push(Group::default());
        }
        let group = &mut groups[number as usize];
        group.count += 1;
        group.words = group.words.saturating_add(count(block.words));
        group_of.push(number);
    }
    let words = page.sums.words.total();
    let groups = || group_of.iter().map(|group| &groups[*group as usize]);
    columns.column("class_count", groups().map(|group| log(group.count)));
    columns.column("class_words_share", groups().map(|group| share(group.words, words)));
}
