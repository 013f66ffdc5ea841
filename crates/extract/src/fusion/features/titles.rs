//! The words that a block has in common with the title of the page.

use super::super::fixed::{count, share, signed_log};
use super::Columns;
use super::page::Page;

/// The likeness of a heading of the first level is that much higher: a half.
const FIRST_LEVEL: i32 = 1 << 18;

/// The arrays that are reused from page to page.
#[derive(Debug, Default)]
pub(super) struct TitleBuffers {
    /// For each block the words of the title that it has, and how many of its own first words these are.
    shares: Vec<(i16, i16)>,
    heading: Option<usize>,
}

impl TitleBuffers {
    /// The heading that is most like the title.
    pub(super) fn heading(&self) -> Option<usize> {
        self.heading
    }
}

#[inline(always)]
pub(super) fn fill(page: &Page<'_>, buffers: &mut TitleBuffers, columns: &mut Columns<'_>) {
    let TitleBuffers { shares, heading } = buffers;
    let title = count(page.title.len());
    shares.clear();
    shares.extend(page.looks.iter().map(|look| {
        let words = count(look.words_in_title());
        (share(words, title), share(words, look.compared_words().into()))
    }));
    let mut best = 0;
    *heading = None;
    let mut first = None;
    for (i, block) in page.blocks.iter().enumerate().filter(|(_, block)| block.heading > 0) {
        let (of_title, of_block) = shares[i];
        let mut likeness = i32::from(of_title) * i32::from(of_block);
        if block.heading == 1 {
            first.get_or_insert(i);
            likeness += FIRST_LEVEL;
        }
        if likeness > best {
            (best, *heading) = (likeness, Some(i));
        }
    }
    // Without one, the distances are those from the start of the page.
    let title = heading.unwrap_or(0);
    let words = page.sums.words.before();
    let distance = |from: usize| move |block: usize| signed_log(count(block) - count(from));
    columns.column("from_title", (0..page.len()).map(distance(title)));
    columns.column("words_from_title", words.iter().map(|n| signed_log(n - words[title])));
    columns.column("has_title", shares.iter().map(|(of_title, _)| *of_title));
    columns.column("is_title", shares.iter().map(|(_, of_block)| *of_block));
    columns.constant("title_found", (best >> 11) as i16);
    match first {
        Some(first) => columns.column("from_first_h1", (0..page.len()).map(distance(first))),
        None => columns.constant("from_first_h1", 2048),
    }
}
