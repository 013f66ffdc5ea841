//! Pages made of pieces that the readers of days, titles and names look for, in any order and cut anywhere: each is read.

use dehusk_html::{Buffers, parse};
use dehusk_metadata::{PageFacts, read};
use proptest::prelude::*;

/// Reads a page, crawled on 4 May 2026.
fn read_page(html: &str, url: &str) {
    let dom = parse(html, Buffers::default());
    let facts = PageFacts {
        url,
        created: "2026-05-04T08:00:00Z",
        content: Some((0, dom.len())),
        ..PageFacts::default()
    };
    read(&dom, facts);
}

/// Pieces of pages.
const PIECES: [&str; 40] = [
    "<title>",
    "</title>",
    "<h1>",
    "</h1>",
    "<p>",
    "</p>",
    "<button>",
    "</button>",
    "<time datetime=",
    "</time>",
    "<abbr title='",
    "<div class='comment date updated'>",
    "</div>",
    "<script>",
    "</script>",
    "<span data-date='",
    "<a rel=author href=/author/x>",
    "</a>",
    "'>",
    ">",
    "\"publishedAt\":\"",
    "datePublished&quot;:",
    "\":\"",
    "2024-03-11",
    "2024",
    "03/04/24 ",
    "11. März ",
    "2024年3月11日",
    "Posted by ",
    "Jane Doe ",
    " on ",
    "é",
    "日",
    "\u{1F600}",
    "١١",
    " | ",
    " - ",
    "（",
    "Updated ",
    "ﬁ",
];

proptest! {
    #[test]
    fn pages_of_any_pieces_are_read(pieces in prop::collection::vec(0..PIECES.len(), 0..40), any in ".{0,40}", at in 0usize..40) {
        let mut page = String::new();
        for (number, piece) in pieces.iter().enumerate() {
            if number == at {
                page.push_str(&any);
            }
            page.push_str(PIECES[*piece]);
        }
        read_page(&page, "https://news.example/2");
        // A path is cut by the same rules.
        read_page("<h1>x</h1>", &format!("https://news.example/{page}"));
    }

    #[test]
    fn days_in_addresses_are_read_beside_any_letters(before in "\\PC{0,3}", mark in "[-/_.é日]", after in "\\PC{0,6}") {
        let path = format!("{before}/2024{mark}03{mark}{after}11{mark}{before}20240311{after}");
        read_page("<h1>x</h1>", &format!("https://news.example/{path}"));
    }
}
