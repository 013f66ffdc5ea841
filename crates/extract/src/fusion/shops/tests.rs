use dehusk_html::{Buffers, parse};

use super::*;

/// The texts that stay of a page of which everything is kept, and of which the first heading is the page's.
fn rest(page: &str) -> String {
    let dom = parse(page, Buffers::default());
    let mut blocks = Blocks::default();
    blocks.cut(&dom);
    let heading = blocks.blocks.iter().position(|block| block.heading == 1);
    let mut kept = vec![true; blocks.blocks.len()];
    let mut shops = Shops::default();
    shops.find(&dom, &blocks, heading, &kept);
    shops.drop(&mut kept);
    let texts = blocks.blocks.iter().zip(kept).filter(|(_, kept)| *kept);
    let texts = texts.flat_map(|(block, _)| blocks.texts_of(block));
    let texts: Vec<_> = texts.map(|text| dom.raw(*text).trim()).collect();
    texts.join(" ")
}

/// The text that stays below the heading of a page and a paragraph.
fn below(part: &str) -> String {
    let rest = rest(&format!("<body><h1>Chair</h1><p>It folds.</p>{part}"));
    rest.strip_prefix("Chair It folds.")
        .expect("the start stays")
        .trim()
        .to_owned()
}

const ROW: &str = "<ul><li><a href=1>Table</a> $3<li><a href=2>Bench</a> $4</ul>";
const PANEL: &str =
    "<ul><li><label><input type=checkbox> Oak</label><li><label><input type=checkbox> Steel</label></ul>";

#[test]
fn rows_of_other_things_are_left_out() {
    for heading in [
        "You may also like",
        "YOU MIGHT LIKE…",
        "You&#39;ll love these, too",
        "Customers who bought this chair also bought",
        "Your recently viewed items",
        "Related products",
        "Das könnte dir auch gefallen",
        "Vous aimerez aussi",
        "Productos relacionados",
        "猜你喜欢",
        "この商品を買った人はこんな商品も買っています",
        "Вам может понравиться",
    ] {
        for part in [
            format!("<section><h2>{heading}</h2>{ROW}</section>"),
            format!("<div><div><b>{heading}</b></div>{ROW}</div>"),
            format!("<h2>{heading}</h2>{ROW}"),
        ] {
            assert_eq!(below(&format!("{part}<p>End.</p>")), "End.", "{part}");
        }
    }
    for class in [
        "related products",
        "upsells products",
        "product-recommendations",
        "RecentlyViewed_row__x7",
    ] {
        assert_eq!(
            below(&format!("<div class='{class}'><h2>More</h2>{ROW}</div>")),
            "",
            "{class}"
        );
    }
}

#[test]
fn the_largest_row_is_left_out() {
    // The things may have headings of the same level, and the row is not the first of the group.
    let things = "<div><h2><a href=1>Table</a></h2><p>For six.</p></div>".repeat(3);
    let row =
        format!("<div><div><h2>You may also like</h2><a href=all>All</a><a href=none>None</a></div>{things}</div>");
    assert_eq!(below(&row), "");
    // The next part has a higher heading, or is a text.
    let row = format!("<h3>You may also like</h3>{ROW}");
    assert_eq!(
        below(&format!("<div><div>{row}</div><h2>Care</h2><p>Oil it.</p></div>")),
        "Care Oil it."
    );
    let text = "Oil it well. ".repeat(21);
    assert_eq!(below(&format!("<div><div>{row}</div><p>{text}</p></div>")), text.trim());
}

#[test]
fn what_only_sounds_like_a_row_stays() {
    let stays = |part: &str| assert!(!below(part).is_empty(), "{part}");
    // No links; one; few for so many texts; a sentence.
    stays("<section><h2>You may also like</h2><p>Tea</p><p>Cake</p></section>");
    stays("<section><h2>You may also like</h2><p><a href=1>Tea</a></p></section>");
    let many = "<p>Tea</p>".repeat(20);
    stays(&format!(
        "<section><h2>You may also like</h2><a href=1>a</a> <a href=2>b</a>{many}</section>"
    ));
    stays(&format!(
        "<section><p>If you sit well on it for a whole day you may also like</p>{ROW}</section>"
    ));
    // Products without prices may be what the page is about.
    stays("<div><h2>Related products</h2><ul><li><a href=1>Storage</a><li><a href=2>Queues</a></ul></div>");
    stays(&format!("<div class=related-links><h2>More</h2>{ROW}</div>"));
}

#[test]
fn the_page_is_never_left_out_as_a_whole() {
    assert!(rest(&format!("<div class=upsell><h1>Chair</h1>{ROW}</div>")).starts_with("Chair"));
    assert!(rest(&format!("<div class=upsell><h2>You may also like</h2>{ROW}</div>")).starts_with("You may"));
}

#[test]
fn panels_are_left_out() {
    for part in [
        format!("<aside><h3>Filter by</h3>{PANEL}</aside>"),
        format!("<h3>Filtern nach:</h3>{PANEL}"),
        format!("<div class=product-filters><h3>Wood</h3>{PANEL}</div>"),
        "<div class=facets><h3>Wood</h3><ul><li><a href=1>Oak (3)</a><li><a href=2>Elm (2)</a></ul></div>".to_owned(),
        "<div><label>Sort by</label> <select><option>Price</select></div>".to_owned(),
        "<div class=sort>Order <select><option>Price</select></div>".to_owned(),
    ] {
        assert_eq!(below(&format!("{part}<p>End.</p>")), "End.", "{part}");
    }
}

#[test]
fn what_only_sounds_like_a_panel_stays() {
    for part in [
        // A grid that can be filtered, and functions that filter.
        &format!("<div class=filter-results><h3>Chairs</h3><p><img src=1.jpg>Oak</p>{PANEL}</div>"),
        "<section id=filter><h2>filter</h2><p>Keeps some items.</p><pre>filter(f, list)</pre></section>",
        "<table><tr><td>Filter</td><td>12</td><td>13</td></tr><tr><td>Pump</td><td>1</td><td>2</td></tr></table>",
        "<h2>Sort</h2><p>Put the small stones on the left.</p>",
        &format!(
            "<div class=coffee-filters><p>{}</p>{PANEL}</div>",
            "Rinse it first. ".repeat(5)
        ),
    ] {
        assert!(!below(part).is_empty(), "{part}");
    }
}

#[test]
fn headings_that_only_sound_alike_keep_what_is_below() {
    for part in [
        "<div><h2>Our top picks for your kitchen</h2><ul><li><a href=1>Pan</a><li><a href=2>Pot</a></ul></div>",
        "<div><h2>Who is also likely to win</h2><ul><li><a href=1>Ann</a><li><a href=2>Bob</a></ul></div>",
        "<div><h2>You'll love our rooms</h2><p>Stay in the <a href=1>garden</a> or by the <a href=2>sea</a> for a night or more.</p></div>",
        "<table><tr><th>Pairs well with<td><a href=1>Cheddar</a>, <a href=2>ham</a></table>",
        "<ul><li>Pairs well with steak<li>Grown in <a href=1>Rioja</a><li>Made of <a href=2>Tempranillo</a></ul>",
        "<div><h3>Filters</h3><ul><li><input type=checkbox disabled checked> By date<li><input type=checkbox disabled> By name</ul></div>",
        "<section><h2>Filter</h2><p>Keeps rows.</p><input type=radio><label>Python</label><pre>df.filter(a)</pre></section>",
        "<ul class=filterable-list><li>Alien (1979)<li>Solaris (1972)<li>Stalker (1979)</ul>",
        "<div><h2>Filters</h2><ul><li>Yellow (8)<li>Orange (21)<li>Red (25)</ul></div>",
    ] {
        let page = format!("<body><h1>Chair</h1><p>It folds.</p>{part}");
        let dom = parse(&page, Buffers::default());
        let mut blocks = Blocks::default();
        blocks.cut(&dom);
        let texts = blocks.blocks.iter().flat_map(|block| blocks.texts_of(block));
        let all: Vec<_> = texts.map(|text| dom.raw(*text).trim()).collect();
        assert_eq!(rest(&page), all.join(" "), "{part}");
    }
}

#[test]
fn the_heading_of_the_page_stays() {
    let page = "<body><p>Home</p><h1>Filters</h1><form><label>Name</label><input></form><p>It folds.</p>";
    assert_eq!(rest(page), "Home Filters Name It folds.");
}
