//! The place of the block on the page, its neighbours and its section.

use super::super::fixed::{MISSING, log, log_mean, share, signed_log};
use super::page::{PageSums, is_big};
use super::{Columns, flag};

/// `groups[i]` is the group of blocks alike that block `i` is in.
pub(super) fn fill(page: &PageSums<'_>, groups: &[u32], columns: &mut Columns<'_>) {
    let blocks = page.blocks;
    let len = page.len();
    let total = *page.total();
    let is_big: Vec<bool> = blocks.iter().map(is_big).collect();
    let first_big = is_big.iter().position(|big| *big).unwrap_or(0);
    let last_big = is_big.iter().rposition(|big| *big).unwrap_or(len - 1);
    columns.column("place", |i| share(i as u32, len as u32));
    columns.column("words_before", |i| log(page.before(i).words));
    columns.column("words_before_share", |i| share(page.before(i).words, total.words));
    columns.column("big_before", |i| log(page.before(i).big));
    columns.column("big_before_share", |i| share(page.before(i).big, total.big));
    columns.column("big_after", |i| log(total.big - page.before(i + 1).big));
    columns.column("place_among_big", |i| {
        let place = share(
            (i.saturating_sub(first_big)) as u32,
            (last_big - first_big).max(1) as u32,
        );
        match i {
            _ if i < first_big => -log((first_big - i) as u32),
            _ if i > last_big => 1024 + log((i - last_big) as u32),
            _ => place,
        }
    });

    let mut next = vec![(FAR, FAR_WORDS); len];
    let mut big = None;
    for i in (0..len).rev() {
        big = if is_big[i] { Some(i) } else { big };
        if let Some(big) = big {
            next[i] = (log((big - i) as u32), log(page.words(i..big)));
        }
    }
    columns.column("next_big", |i| next[i].0);
    columns.column("next_big_words", |i| next[i].1);
    let mut previous = vec![(FAR, FAR_WORDS); len];
    let mut big = None;
    for i in 0..len {
        big = if is_big[i] { Some(i) } else { big };
        if let Some(big) = big {
            previous[i] = (log((i - big) as u32), log(page.words(big..i)));
        }
    }
    columns.column("previous_big", |i| previous[i].0);
    columns.column("previous_big_words", |i| previous[i].1);

    for reach in [1, 3, 8, 20] {
        let around = |i: usize| i.saturating_sub(reach)..(i + reach + 1).min(len);
        columns.column_named(format_args!("around{reach}_links"), |i| {
            page.sum(around(i)).link_share()
        });
        columns.column_named(format_args!("around{reach}_words"), |i| {
            log_mean(page.words(around(i)), around(i).len() as u32)
        });
        columns.column_named(format_args!("around{reach}_big"), |i| {
            share(page.big(around(i)), around(i).len() as u32)
        });
    }
    let before = |i: usize| page.sum(i.saturating_sub(5)..i);
    let after = |i: usize| page.sum(i + 1..(i + 6).min(len));
    columns.column("links_before", |i| before(i).link_share());
    columns.column("links_after", |i| after(i).link_share());
    columns.column("words_in_5_before", |i| log(before(i).words));
    columns.column("words_in_5_after", |i| log(after(i).words));
    for offset in [-2isize, -1, 1, 2] {
        let other = |i: usize| i.checked_add_signed(offset).filter(|other| *other < len);
        columns.column_named(format_args!("neighbour{offset}_words"), |i| {
            other(i).map_or(MISSING, |i| log(blocks[i].words))
        });
        columns.column_named(format_args!("neighbour{offset}_links"), |i| {
            other(i).map_or(MISSING, |i| share(blocks[i].linked_words, blocks[i].words))
        });
        if offset.abs() == 1 {
            columns.column_named(format_args!("neighbour{offset}_heading"), |i| {
                other(i).map_or(MISSING, |i| i16::from(blocks[i].heading) * 128)
            });
            columns.column_named(format_args!("neighbour{offset}_alike"), |i| {
                other(i).map_or(MISSING, |other| {
                    flag(groups[other] == groups[i]) + flag(page.level_one[other] == page.level_one[i])
                })
            });
        }
    }
    fill_sections(page, columns);
}

/// The distance where there is nothing in that direction.
const FAR: i16 = 1024;
const FAR_WORDS: i16 = 2048;

/// The section of a block: from the last heading before it to the next after it.
fn fill_sections(page: &PageSums<'_>, columns: &mut Columns<'_>) {
    let len = page.len();
    let mut last = Vec::with_capacity(len);
    let mut heading = None;
    for (i, block) in page.blocks.iter().enumerate() {
        heading = if block.heading > 0 { Some(i) } else { heading };
        last.push(heading);
    }
    let mut next = vec![len; len];
    let mut heading = len;
    for i in (0..len).rev() {
        next[i] = heading;
        heading = if page.blocks[i].heading > 0 { i } else { heading };
    }
    let section = |i: usize| page.sum(last[i].unwrap_or(0)..next[i]);
    let headings = page.total().headings;
    columns.column("last_heading", |i| last[i].map_or(MISSING, |at| log((i - at) as u32)));
    columns.column("last_heading_level", |i| {
        last[i].map_or(MISSING, |at| i16::from(page.blocks[at].heading) * 128)
    });
    columns.column("words_since_heading", |i| {
        last[i].map_or(MISSING, |at| log(page.words(at..i)))
    });
    columns.column("section_words", |i| log(section(i).words));
    columns.column("section_links", |i| section(i).link_share());
    columns.column("section_big", |i| log(section(i).big));
    columns.column("section_blocks", |i| log((next[i] - last[i].unwrap_or(0)) as u32));
    columns.column("next_heading", |i| signed_log((next[i] - i) as i64));
    columns.column("headings", |_| log(headings));
    columns.column("headings_before", |i| share(page.before(i).headings, headings));
}
