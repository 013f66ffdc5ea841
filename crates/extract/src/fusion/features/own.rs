//! The block alone: its size, its links, its characters and its element. And what all blocks of the page have in
//! common.

use dehusk_html::Tag;

use super::super::fixed::{count, log, share};
use super::page::Page;
use super::{Columns, flag};
use crate::blocks::Element;

#[inline(always)]
pub(super) fn fill(page: &Page<'_>, columns: &mut Columns<'_>) {
    let blocks = || page.blocks.iter();
    let looks = || page.looks.iter();
    let sums = page.sums;
    let linked = sums.linked_words.each().zip(sums.words.each());
    columns.column("words", sums.words.each().map(log));
    columns.column("chars", sums.chars.each().map(log));
    columns.column("link_share", linked.map(|(linked, words)| share(linked, words)));
    columns.column("punctuation", sums.punctuation.each().map(log));
    columns.column("links", blocks().map(|block| log(count(block.links))));
    columns.column("heading", blocks().map(|block| i16::from(block.heading) * 128));
    columns.column("own_tags", sums.tags.each().map(log));
    columns.column(
        "capital_words",
        looks().map(|look| share(look.capital_words.into(), look.words.into())),
    );
    columns.column("ends_sentence", looks().map(|look| flag(look.ends_sentence)));
    columns.column(
        "depth",
        blocks().map(|block| log(page.elements[block.element as usize].depth.into())),
    );
    let nodes = page.level_one.iter().map(|node| &page.condensed[*node as usize]);
    columns.column("condensed_depth", nodes.map(|node| log(node.depth.into())));
}

/// The features that all blocks of the page have in common.
#[inline(always)]
pub(super) fn fill_page(page: &Page<'_>, columns: &mut Columns<'_>) {
    let sums = page.sums;
    let is_article = |element: &&Element| element.tag == Tag::Article;
    let articles = page.elements.iter().filter(is_article).count();
    columns.constant("page_blocks", log(count(page.len())));
    columns.constant("page_words", log(sums.words.total()));
    columns.constant("page_links", share(sums.linked_words.total(), sums.words.total()));
    columns.constant("page_big", log(sums.big.total()));
    columns.constant("page_big_words", share(sums.big_words.total(), sums.words.total()));
    columns.constant("page_articles", log(count(articles)));
    columns.constant("page_headings", log(sums.headings.total()));
}
