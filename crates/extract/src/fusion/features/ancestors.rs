//! The tags and the class words of the elements around the block.
//!
//! The distance to a tag or a kind is the number of elements from the block's own up to the nearest that has it.

use dehusk_html::Tag;

use super::super::fixed::{log, share};
use super::super::lexicon::KINDS;
use super::Columns;
use super::page::PageSums;

/// Tags whose distance is a feature.
const TAGS: [Tag; 24] = [
    Tag::Main,
    Tag::Article,
    Tag::Section,
    Tag::Aside,
    Tag::Nav,
    Tag::Header,
    Tag::Footer,
    Tag::Form,
    Tag::Figure,
    Tag::Table,
    Tag::Ul,
    Tag::Li,
    Tag::Dl,
    Tag::P,
    Tag::A,
    Tag::Button,
    Tag::Blockquote,
    Tag::Pre,
    Tag::Details,
    Tag::Noscript,
    Tag::Dialog,
    Tag::Label,
    Tag::Code,
    Tag::Time,
];

/// Deeper elements count as being at this depth.
const DEEPEST: u8 = u8::MAX - 1;

/// The depth of what is not around an element.
const NOWHERE: u8 = u8::MAX;

/// No distance is greater.
const MOST: u8 = 30;

const NO_TAG: u8 = u8::MAX;

/// The feature of each tag: its place in [`TAGS`].
static PLACES: [u8; Tag::ALL.len()] = {
    let mut places = [NO_TAG; { Tag::ALL.len() }];
    let mut i = 0;
    while i < TAGS.len() {
        places[TAGS[i] as usize] = i as u8;
        i += 1;
    }
    places[Tag::Ol as usize] = places[Tag::Ul as usize];
    places
};

/// What an element hands down to those in it.
#[derive(Clone, Copy, Debug)]
struct Around {
    /// The depths of the nearest elements with each tag, and then of those with each kind.
    depths: [u8; TAGS.len() + KINDS.len()],
    depth: u8,
    /// The weights of the kinds from the body to the element: their sum, the lowest and the highest of an element, its own
    /// and its parent's.
    sum: i16,
    lowest: i16,
    highest: i16,
    own: i16,
    parents: i16,
}

const NOTHING: Around = Around {
    depths: [NOWHERE; TAGS.len() + KINDS.len()],
    depth: 0,
    sum: 0,
    lowest: 0,
    highest: 0,
    own: 0,
    parents: 0,
};

/// The arrays that are reused from page to page.
#[derive(Debug, Default)]
pub(super) struct AncestorBuffers(Vec<Around>);

pub(super) fn fill(page: &PageSums<'_>, buffers: &mut AncestorBuffers, columns: &mut Columns<'_>) {
    let around = &mut buffers.0;
    around.clear();
    for element in page.elements {
        let mut own = around.get(element.parent as usize).copied().unwrap_or(NOTHING);
        own.depth = element.depth.min(DEEPEST.into()) as u8;
        own.parents = own.own;
        own.own = 0;
        let place = PLACES[element.tag as usize];
        if place != NO_TAG {
            own.depths[usize::from(place)] = own.depth;
        }
        let mut kinds = element.kinds;
        while kinds != 0 {
            let kind = kinds.trailing_zeros() as usize;
            kinds &= kinds - 1;
            own.depths[TAGS.len() + kind] = own.depth;
            own.own += KINDS[kind].weight;
        }
        own.sum = own.sum.saturating_add(own.own);
        own.lowest = own.lowest.min(own.own);
        own.highest = own.highest.max(own.own);
        around.push(own);
    }
    let of = |i: usize| &around[page.blocks[i].element as usize];
    let mut distances = [1024; 256];
    for (distance, value) in (0..MOST).zip(&mut distances) {
        *value = log(distance.into());
    }
    let distance = |i: usize, place: usize| match of(i).depths[place] {
        NOWHERE => 1024,
        depth => distances[usize::from(of(i).depth - depth)],
    };
    for (place, tag) in TAGS.iter().enumerate() {
        columns.column_named(format_args!("to_{}", tag.name()), |i| distance(i, place));
    }
    for (place, kind) in (TAGS.len()..).zip(&KINDS) {
        columns.column_named(format_args!("class_{}", kind.name), |i| distance(i, place));
    }
    columns.column("class_sum", |i| of(i).sum.clamp(-64, 64) * 32);
    columns.column("class_lowest", |i| of(i).lowest * 64);
    columns.column("class_highest", |i| of(i).highest * 64);
    columns.column("class_own", |i| of(i).own * 64);
    columns.column("class_parents", |i| of(i).parents * 64);
    let articles = page
        .elements
        .iter()
        .filter(|element| element.tag == Tag::Article)
        .count();
    let hidden = page.total().hidden;
    columns.column("page_blocks", |_| log(page.len() as u32));
    columns.column("page_words", |_| log(page.total().words));
    columns.column("page_links", |_| page.total().link_share());
    columns.column("page_big", |_| log(page.total().big));
    columns.column("page_big_words", |_| share(page.total().big_words, page.total().words));
    columns.column("page_articles", |_| log(articles as u32));
    columns.column("page_hidden", |_| share(hidden, page.len() as u32));
}
