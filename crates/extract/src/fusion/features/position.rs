//! The place of the block on the page, its neighbours and its section.

use super::super::fixed::{MISSING, count, log, share};
use super::Columns;
use super::page::Page;

/// The arrays that are reused from page to page.
#[derive(Debug, Default)]
pub(super) struct PositionBuffers {
    /// For each block the next big block at or after it, and the number of blocks if there is none.
    next_big: Vec<u32>,
    /// For each block the last heading at or before it, if any, and the first after it or the end of the page.
    last_heading: Vec<Option<u32>>,
    next_heading: Vec<u32>,
}

#[inline(always)]
pub(super) fn fill(page: &Page<'_>, buffers: &mut PositionBuffers, columns: &mut Columns<'_>) {
    let sums = page.sums;
    let (words, big) = (sums.words.total(), sums.big.total());
    columns.column("words_before", sums.words.before().iter().map(|n| log(*n)));
    columns.column(
        "words_before_share",
        sums.words.before().iter().map(|n| share(*n, words)),
    );
    columns.column("big_before", sums.big.before().iter().map(|n| log(*n)));
    columns.column("big_before_share", sums.big.before().iter().map(|n| share(*n, big)));
    columns.column("big_after", sums.big.with().iter().map(|n| log(big - n)));
    fill_big(page, buffers, columns);
    let around = |reach: usize| {
        let linked = sums.linked_words.around(reach);
        linked
            .zip(sums.words.around(reach))
            .map(|(linked, words)| share(linked, words))
    };
    let big_around = |reach: usize| sums.big.around(reach).map(move |big| share(big, 2 * count(reach) + 1));
    columns.column("around1_links", around(1));
    columns.column("around1_big", big_around(1));
    columns.column("around3_links", around(3));
    columns.column("around3_big", big_around(3));
    columns.column("around8_big", big_around(8));
    fill_sections(page, buffers, columns);
}

/// The distance where there is nothing in that direction.
const FAR: i16 = 1024;
const FAR_WORDS: i16 = 2048;

#[inline(always)]
fn fill_big(page: &Page<'_>, buffers: &mut PositionBuffers, columns: &mut Columns<'_>) {
    let (len, words) = (page.len(), page.sums.words.before());
    let first = page.is_big.iter().position(|big| *big).unwrap_or(0);
    let last = page.is_big.iter().rposition(|big| *big).unwrap_or(len - 1);
    let places = count((last - first).max(1));
    let place = |block: usize| match block {
        _ if block < first => -log(count(first - block)),
        _ if block > last => 1024 + log(count(block - last)),
        _ => share(count(block - first), places),
    };
    columns.column("place_among_big", (0..len).map(place));
    let next = &mut buffers.next_big;
    next.clear();
    next.resize(len, len as u32);
    let mut big = len;
    for (block, next) in next.iter_mut().enumerate().rev() {
        big = if page.is_big[block] { block } else { big };
        *next = big as u32;
    }
    let distance = |(block, next): (usize, &u32)| match *next as usize {
        next if next == len => FAR,
        next => log(count(next - block)),
    };
    columns.column("next_big", next.iter().enumerate().map(distance));
    let distance = |(block, next): (usize, &u32)| match words.get(*next as usize) {
        None => FAR_WORDS,
        Some(words_there) => log(words_there - words[block]),
    };
    columns.column("next_big_words", next.iter().enumerate().map(distance));
}

/// The section of a block: from the last heading before it to the next after it.
#[inline(always)]
fn fill_sections(page: &Page<'_>, buffers: &mut PositionBuffers, columns: &mut Columns<'_>) {
    let (len, sums) = (page.len(), page.sums);
    let PositionBuffers {
        last_heading: last,
        next_heading: next,
        ..
    } = buffers;
    last.clear();
    let mut heading = None;
    last.extend((0..).zip(page.blocks).map(|(number, block)| {
        heading = if block.heading > 0 { Some(number) } else { heading };
        heading
    }));
    next.clear();
    next.resize(len, len as u32);
    let mut heading = len as u32;
    for (block, next) in next.iter_mut().enumerate().rev() {
        *next = heading;
        heading = if page.blocks[block].heading > 0 {
            block as u32
        } else {
            heading
        };
    }
    let words = sums.words.before();
    let since = |block: usize, value: &dyn Fn(usize) -> i16| last[block].map_or(MISSING, |at| value(at as usize));
    columns.column("last_heading", (0..len).map(|i| since(i, &|at| log(count(i - at)))));
    columns.column(
        "last_heading_level",
        (0..len).map(|i| since(i, &|at| i16::from(page.blocks[at].heading) * 128)),
    );
    columns.column(
        "words_since_heading",
        (0..len).map(|i| since(i, &|at| log(words[i] - words[at]))),
    );
    let section = |block: usize| last[block].unwrap_or(0) as usize..next[block] as usize;
    columns.column("section_words", (0..len).map(|i| log(sums.words.of(section(i)))));
    columns.column(
        "section_links",
        (0..len).map(|i| share(sums.linked_words.of(section(i)), sums.words.of(section(i)))),
    );
    columns.column("section_big", (0..len).map(|i| log(sums.big.of(section(i)))));
    columns.column("section_blocks", (0..len).map(|i| log(count(section(i).len()))));
    let headings = sums.headings.total();
    columns.column(
        "headings_before",
        sums.headings.before().iter().map(|n| share(*n, headings)),
    );
}
