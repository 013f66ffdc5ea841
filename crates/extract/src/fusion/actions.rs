//! Links that only do something, such as "Reply" below each post and "Read more" below each teaser, are no content. At
//! least three blocks alike have the same text, which is one of a list that was written by hand.

use std::collections::HashMap;

use dehusk_html::references::decode_references;
use dehusk_html::{Dom, Tag};

use super::like;
use crate::blocks::{Block, Blocks};

/// Fewer links may be in a text.
const LEAST_LINKS: u32 = 3;

/// The longest text of such a link, in words and in characters.
const MOST_WORDS: u32 = 8;
const MOST_CHARS: u32 = 24;

/// Whole texts, in lower case.
#[rustfmt::skip]
const TEXTS: &[&str] = &[
    // English: posts, shops, teasers.
    "reply", "reply with quote", "quote", "report", "report post", "report abuse", "flag", "like", "share", "permalink",
    "edit", "delete", "upvote", "downvote", "follow", "save", "top", "back to top",
    "compare", "add to cart", "add to basket", "add to bag", "add to wishlist", "add to wish list", "add to compare",
    "add to favorites", "add to favourites", "buy", "buy now", "shop", "shop now", "order now", "quick view", "quick shop",
    "quick buy", "quick add", "choose options", "select options", "check price", "get deal", "view deal", "view product",
    "view details", "see details", "view more", "view all", "view profile", "view job", "details", "apply", "apply now",
    "book now", "more", "more info", "more details", "show more", "see more", "learn more", "find out more", "read more",
    "read full article", "read the full article", "read full story", "continue reading",
    // German, French, Spanish, Italian, Portuguese.
    "antworten", "zitieren", "melden", "teilen", "in den warenkorb", "weiterlesen", "mehr lesen", "mehr erfahren",
    "mehr", "répondre", "citer", "signaler", "partager", "ajouter au panier", "lire la suite", "en savoir plus",
    "responder", "citar", "denunciar", "compartir", "añadir al carrito", "leer más", "ver más", "rispondi", "cita",
    "segnala", "condividi", "aggiungi al carrello", "leggi tutto", "scopri di più", "compartilhar",
    "adicionar ao carrinho", "leia mais", "saiba mais",
    // Russian, Chinese, Japanese, Korean.
    "ответить", "цитировать", "пожаловаться", "поделиться", "в корзину", "подробнее", "читать далее", "回复", "举报",
    "分享", "加入购物车", "加入購物車", "阅读全文", "查看详情", "返信", "カートに入れる", "続きを読む", "답글", "장바구니",
];

/// Leaves out the links that only do something, unless nothing else is kept. A cell or a term of its own is a name, as of
/// a method.
pub(super) fn drop(dom: &Dom<'_>, blocks: &Blocks, kept: &mut [bool]) {
    let is_possible = |block: &Block| {
        let is_short = block.words <= MOST_WORDS && block.chars <= MOST_CHARS;
        let is_link = block.words > 0 && block.linked_words == block.words;
        is_short && is_link && block.heading == 0 && !is_cell(blocks, block)
    };
    let mut found = Vec::new();
    let mut alike: HashMap<(u64, String), u32> = HashMap::new();
    for (number, block) in blocks.blocks.iter().enumerate() {
        if kept[number]
            && is_possible(block)
            && let Some(text) = action(dom, blocks, block)
        {
            let key = (like::path(blocks, block), text);
            *alike.entry(key.clone()).or_default() += 1;
            found.push((number, key));
        }
    }
    found.retain(|(_, key)| alike[key] >= LEAST_LINKS);
    if found.len() < kept.iter().filter(|kept| **kept).count() {
        for (number, _) in found {
            kept[number] = false;
        }
    }
}

/// Whether a block is alone in a cell or a term.
fn is_cell(blocks: &Blocks, block: &Block) -> bool {
    let around = blocks.around(block.element).map(|(_, around)| around);
    around
        .take_while(|around| around.first == around.last)
        .any(|around| matches!(around.tag, Tag::Td | Tag::Th | Tag::Dt | Tag::Code))
}

/// The text of a block, if it names what a link does.
fn action(dom: &Dom<'_>, blocks: &Blocks, block: &Block) -> Option<String> {
    let texts = blocks.texts_of(block).iter();
    let texts: Vec<_> = texts
        .map(|text| decode_references(dom.raw(*text)).trim().to_lowercase())
        .collect();
    let text = texts.join(" ");
    let text = text.trim_matches(|c: char| !c.is_alphanumeric());
    TEXTS.contains(&text).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fusion::tests::kept_after;

    fn kept(page: &str) -> Vec<bool> {
        kept_after(page, drop)
    }

    #[test]
    fn links_that_do_the_same_for_each_thing_are_left_out() {
        for text in [
            "Reply",
            "<b>Read</b> more &raquo;",
            "ADD TO CART",
            "Weiterlesen …",
            "続きを読む",
            "Reply to Ann",
        ] {
            let post = format!("<li><p>A text.</p><p><a href=x>{text}</a></p></li>");
            let expected = [true, text.ends_with("Ann")].repeat(3);
            assert_eq!(kept(&format!("<ul>{}</ul>", post.repeat(3))), expected, "{text}");
        }
    }

    #[test]
    fn other_links_stay() {
        for page in [
            "<p>A text.</p><p><a href=x>Read more</a></p>".repeat(2),
            "<li><p>A text.</p><p><a href=x>Ann Lee</a></p></li>".repeat(3),
            "<li><p>A text.</p><p>Read <a href=x>more</a></p></li>".repeat(3),
            "<li><p>A text.</p><h3><a href=x>Share</a></h3></li>".repeat(3),
            "<p>A text.</p><p>Reply</p>".repeat(3),
            "<table><tr><td><a href=x>delete</a><td>DELETE /files</table>".repeat(3),
            "<li><a href=x>Reply</a></li>".repeat(3),
            // Each in its own place.
            "<p class=a><a href=x>Reply</a></p><p class=b><a href=x>Reply</a></p><p class=c><a href=x>Reply</a></p>"
                .to_owned(),
        ] {
            assert!(kept(&page).iter().all(|kept| *kept), "{page}");
        }
    }
}
