//! The block alone: its size, its links, its characters and its element.

use dehusk_html::Tag;

use super::super::fixed::{log, log_mean, share};
use super::page::PageSums;
use super::{Columns, flag};

pub(super) fn fill(page: &PageSums<'_>, columns: &mut Columns<'_>) {
    let blocks = page.blocks;
    let looks = page.looks;
    columns.column("words", |i| log(blocks[i].words));
    columns.column("chars", |i| log(blocks[i].chars));
    columns.column("link_share", |i| share(blocks[i].linked_words, blocks[i].words));
    columns.column("punctuation", |i| log(blocks[i].punctuation));
    columns.column("punctuation_share", |i| share(blocks[i].punctuation, blocks[i].words));
    columns.column("word_length", |i| log_mean(blocks[i].chars, blocks[i].words));
    columns.column("cjk_share", |i| share(blocks[i].cjk, blocks[i].words));
    columns.column("bold_share", |i| share(blocks[i].bold_words, blocks[i].words));
    columns.column("texts", |i| log(blocks[i].texts.len() as u32));
    columns.column("links", |i| log(blocks[i].links));
    columns.column("inlines", |i| log(blocks[i].inlines));
    columns.column("heading", |i| i16::from(blocks[i].heading) * 128);
    columns.column("after_break", |i| flag(blocks[i].after_break));
    columns.column("capitals", |i| share(looks[i].capitals.into(), looks[i].letters.into()));
    columns.column("digits", |i| share(looks[i].digits.into(), looks[i].read.into()));
    columns.column("symbols", |i| share(looks[i].symbols.into(), looks[i].read.into()));
    columns.column("letters", |i| share(looks[i].letters.into(), looks[i].read.into()));
    columns.column("short_words", |i| {
        share(looks[i].short_words.into(), looks[i].words.into())
    });
    columns.column("capital_words", |i| {
        share(looks[i].capital_words.into(), looks[i].words.into())
    });
    columns.column("first", |i| looks[i].first as i16 * 128);
    columns.column("ends_sentence", |i| flag(looks[i].ends_sentence));
    columns.column("ends_with_colon", |i| flag(looks[i].ends_with_colon));
    columns.column("currency", |i| flag(looks[i].has_currency));
    columns.column("copyright", |i| flag(looks[i].has_copyright));
    columns.column("separator", |i| flag(looks[i].has_separator));
    columns.column("question", |i| flag(looks[i].has_question));
    columns.column("at_sign", |i| flag(looks[i].has_at_sign));
    columns.column("hidden", |i| flag(page.element(i).hidden));
    columns.column("depth", |i| log(page.element(i).depth.into()));
    columns.column("condensed_depth", |i| {
        log(page.condensed[page.level_one[i] as usize].depth.into())
    });
    columns.column("is_div", |i| flag(matches!(page.element(i).tag, Tag::Div | Tag::Span)));
    columns.column("is_paragraph", |i| flag(page.element(i).tag == Tag::P));
    columns.column("is_list_item", |i| flag(page.element(i).tag == Tag::Li));
    columns.column("is_cell", |i| flag(matches!(page.element(i).tag, Tag::Td | Tag::Th)));
    columns.column("own_tags", |i| {
        let element = page.element(i);
        let own = &page.condensed[element.condensed as usize];
        if own.first == own.last {
            log(page.tags_of(own).all)
        } else {
            0
        }
    });
    columns.column("own_images", |i| {
        let own = &page.condensed[page.element(i).condensed as usize];
        if own.first == own.last {
            log(page.tags_of(own).images)
        } else {
            0
        }
    });
}
