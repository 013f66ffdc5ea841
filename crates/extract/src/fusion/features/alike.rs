//! Blocks with the same text, blocks of the same style, and lists of elements alike.

use std::ops::Range;

use super::super::blocks::{NONE, hash};
use super::super::fixed::{MISSING, log, log_mean, log_u64, share};
use super::super::interner::Interner;
use super::page::{PageSums, is_big};
use super::{Columns, flag};

/// The arrays that are reused from page to page.
#[derive(Debug, Default)]
pub(super) struct AlikeBuffers {
    numbers: Interner,
    copies: Vec<Copies>,
    copy_of: Vec<u32>,
    groups: [Vec<Group>; KEYS],
    group_of: [Vec<u32>; KEYS],
    values: Vec<[i16; GROUP_VALUES.len()]>,
    lists: Vec<ListSums>,
    list_of: Vec<(u32, u32)>,
    list_values: Vec<[i16; LIST_VALUES.len()]>,
}

/// Blocks are grouped by three keys: the classes of the element and of its parent, the tags of the whole path, the tag and
/// the path of the great-grandparent.
const KEYS: usize = 3;
const NAMES: [&str; KEYS] = ["class", "path", "shape"];

#[derive(Clone, Copy, Debug)]
struct Copies {
    count: u32,
    first: u32,
}

/// Blocks alike.
#[derive(Clone, Copy, Debug, Default)]
struct Group {
    count: u32,
    words: u32,
    linked_words: u32,
    punctuation: u32,
    big: u32,
    first: u32,
    last: u32,
    squares: u64,
}

/// The elements of a list.
#[derive(Clone, Copy, Debug, Default)]
struct ListSums {
    words: u32,
    linked_words: u32,
    blocks: u32,
    images: u32,
    big: u32,
}

/// Fills the features. Returns the group by classes of each block.
pub(super) fn fill<'b>(page: &PageSums<'_>, buffers: &'b mut AlikeBuffers, columns: &mut Columns<'_>) -> &'b [u32] {
    fill_copies(page, buffers, columns);
    fill_groups(page, buffers, columns);
    fill_lists(page, buffers, columns);
    &buffers.group_of[0]
}

fn fill_copies(page: &PageSums<'_>, buffers: &mut AlikeBuffers, columns: &mut Columns<'_>) {
    let AlikeBuffers {
        numbers,
        copies,
        copy_of,
        ..
    } = buffers;
    numbers.reset(page.len());
    copies.clear();
    copy_of.clear();
    for (i, look) in page.looks.iter().enumerate() {
        let number = numbers.number(look.hash);
        if number as usize == copies.len() {
            copies.push(Copies {
                count: 0,
                first: i as u32,
            });
        }
        copies[number as usize].count += 1;
        copy_of.push(number);
    }
    let of = |i: usize| copies[copy_of[i] as usize];
    columns.column("copies", |i| log(of(i).count - 1));
    columns.column("is_first_copy", |i| flag(of(i).first == i as u32));
}

fn fill_groups(page: &PageSums<'_>, buffers: &mut AlikeBuffers, columns: &mut Columns<'_>) {
    let AlikeBuffers {
        numbers,
        groups,
        group_of,
        values,
        ..
    } = buffers;
    let elements = page.elements;
    let len = page.len();
    let words = page.total().words;
    for (key, (groups, group_of)) in groups.iter_mut().zip(group_of.iter_mut()).enumerate() {
        // The neighbours' features need the groups by classes.
        if key > 0 && columns.skips(GROUP_VALUES.len()) {
            continue;
        }
        numbers.reset(len);
        groups.clear();
        group_of.clear();
        for (i, block) in page.blocks.iter().enumerate() {
            let own = &elements[block.element as usize];
            let key = match key {
                0 => {
                    // Inline elements are no style of their own.
                    let mut block = own;
                    while !(block.tag.is_block() || block.tag.is_spaced()) && block.parent != NONE {
                        block = &elements[block.parent as usize];
                    }
                    let parent = elements.get(block.parent as usize).map_or(0, |parent| parent.signature);
                    hash(block.signature, parent)
                }
                1 => own.path,
                _ => {
                    let mut above = own;
                    for _ in 0..3 {
                        above = elements.get(above.parent as usize).unwrap_or(above);
                    }
                    hash(above.path, own.tag as u64)
                }
            };
            let number = numbers.number(key);
            if number as usize == groups.len() {
                groups.push(Group {
                    first: i as u32,
                    ..Group::default()
                });
            }
            let group = &mut groups[number as usize];
            group.count += 1;
            group.words += block.words;
            group.linked_words += block.linked_words;
            group.punctuation += block.punctuation;
            group.big += u32::from(is_big(block));
            group.last = i as u32;
            group.squares += u64::from(block.words) * u64::from(block.words);
            group_of.push(number);
        }
        values.clear();
        values.extend(groups.iter().map(|group| group_values(group, words, len as u32)));
        let name = NAMES[key];
        for (value, of_group) in GROUP_VALUES.iter().enumerate() {
            columns.column_named(format_args!("{name}_{of_group}"), |i| {
                values[group_of[i] as usize][value]
            });
        }
    }
}

/// Values that a group has for all of its blocks.
const GROUP_VALUES: [&str; 8] = [
    "count",
    "words_share",
    "words",
    "links",
    "punctuation",
    "span",
    "big",
    "variation",
];

fn group_values(group: &Group, words: u32, blocks: u32) -> [i16; GROUP_VALUES.len()] {
    let (count, sum) = (u128::from(group.count), u128::from(group.words));
    // The standard deviation over the mean: sqrt(n * squares - sum^2) / sum.
    let spread = (count * u128::from(group.squares)).saturating_sub(sum * sum);
    let spread = match u64::try_from(spread) {
        Ok(spread) => spread.isqrt().into(),
        Err(_) => spread.isqrt(),
    };
    [
        log(group.count),
        share(group.words, words),
        log_mean(group.words, group.count),
        share(group.linked_words, group.words),
        log_mean(group.punctuation, group.count),
        share(group.last - group.first, blocks),
        share(group.big, group.count),
        log_u64((spread * 16 / sum.max(1)) as u64),
    ]
}

fn fill_lists(page: &PageSums<'_>, buffers: &mut AlikeBuffers, columns: &mut Columns<'_>) {
    /// A list has at least so many elements.
    const LEAST: u32 = 3;
    if columns.skips(2 * (LIST_VALUES.len() + 4)) {
        return;
    }
    let AlikeBuffers {
        lists,
        list_of,
        list_values: values,
        ..
    } = buffers;
    lists.clear();
    lists.resize(page.lists.len(), ListSums::default());
    for element in page.elements {
        if page.lists[element.list as usize] < LEAST {
            continue;
        }
        let sum = page.sum(element.first as usize..element.last as usize + 1);
        let list = &mut lists[element.list as usize];
        list.words += sum.words;
        list.linked_words += sum.linked_words;
        list.blocks += element.last - element.first + 1;
        list.images += page.tags_in(element).images;
        list.big += sum.big;
    }
    // The lowest element around in a list, and the one in the list with the most words.
    list_of.clear();
    for (number, element) in page.elements.iter().enumerate() {
        let (mut lowest, mut largest) = list_of.get(element.parent as usize).copied().unwrap_or((NONE, NONE));
        if page.lists[element.list as usize] >= LEAST {
            lowest = number as u32;
            let words = |element: u32| lists[page.elements[element as usize].list as usize].words;
            if largest == NONE || words(lowest) > words(largest) {
                largest = lowest;
            }
        }
        list_of.push((lowest, largest));
    }
    let words = page.total().words;
    values.clear();
    values.extend(
        lists
            .iter()
            .zip(page.lists)
            .map(|(list, count)| list_values(list, *count, words)),
    );
    for (which, name) in ["lowest_list", "largest_list"].into_iter().enumerate() {
        let item = |i: usize| {
            let (lowest, largest) = list_of[page.blocks[i].element as usize];
            if which == 0 { lowest } else { largest }
        };
        let list_columns = |columns: &mut Columns<'_>, range: Range<usize>| {
            for value in range {
                columns.column_named(format_args!("{name}_{}", LIST_VALUES[value]), |i| {
                    let item = page.elements.get(item(i) as usize);
                    item.map_or(MISSING, |item| values[item.list as usize][value])
                });
            }
        };
        list_columns(columns, 0..1);
        columns.column_named(format_args!("{name}_place"), |i| {
            let item = page.elements.get(item(i) as usize);
            item.map_or(MISSING, |item| share(item.place, page.lists[item.list as usize]))
        });
        list_columns(columns, 1..4);
        columns.column_named(format_args!("{name}_own_words"), |i| {
            page.elements.get(item(i) as usize).map_or(MISSING, |item| {
                let own = page.sum(item.first as usize..item.last as usize + 1).words;
                let count = page.lists[item.list as usize];
                let list = &lists[item.list as usize];
                log_u64(u64::from(own) * u64::from(count) * 16 / u64::from(list.words.max(1)))
            })
        });
        list_columns(columns, 4..LIST_VALUES.len());
        columns.column_named(format_args!("{name}_place_in_item"), |i| {
            let item = page.elements.get(item(i) as usize);
            item.map_or(MISSING, |item| log(i as u32 - item.first))
        });
        columns.column_named(format_args!("{name}_up"), |i| {
            let item = page.elements.get(item(i) as usize);
            item.map_or(MISSING, |item| log((page.element(i).depth - item.depth).into()))
        });
    }
}

/// Values that a list has for all of its blocks.
const LIST_VALUES: [&str; 7] = ["count", "words", "links", "words_share", "images", "blocks", "big"];

fn list_values(list: &ListSums, count: u32, words: u32) -> [i16; LIST_VALUES.len()] {
    [
        log(count),
        log_mean(list.words, count),
        share(list.linked_words, list.words),
        share(list.words, words),
        log_mean(list.images, count),
        log_mean(list.blocks, count),
        log_mean(list.big, count),
    ]
}
