use dehusk_html::{Buffers, parse};

use super::*;

/// Which blocks are kept after the gaps are filled, where the model finds all blocks of a page about equally
/// likely.
fn filled_with(logit: i32, page: &str, kept: &[u8]) -> Vec<u8> {
    let dom = parse(page, Buffers::default());
    let mut blocks = Blocks::default();
    blocks.cut(&dom);
    let mut kept: Vec<bool> = kept.iter().map(|kept| *kept == 1).collect();
    assert_eq!(kept.len(), blocks.blocks.len());
    fill(
        &dom,
        &blocks,
        &vec![logit; kept.len()],
        &mut Tables::default(),
        &mut kept,
    );
    kept.into_iter().map(u8::from).collect()
}

fn filled(page: &str, kept: &[u8]) -> Vec<u8> {
    filled_with(-4 << 12, page, kept)
}

#[test]
fn gaps_within_a_paragraph_are_closed() {
    assert_eq!(filled("<p>one two<br>three<br>four", &[1, 0, 1]), [1, 1, 1]);
    assert_eq!(filled("<p>said <button>Ann</button> today", &[1, 0, 1]), [1, 1, 1]);
    assert_eq!(filled("<table><tr><td>1<td>2<td>3</table>", &[1, 0, 1]), [1, 1, 1]);
    assert_eq!(filled("<p>one<p>two<p>three", &[1, 0, 1]), [1, 0, 1]);
    assert_eq!(filled("<p>one<br>two three four<br>five", &[1, 0, 1]), [1, 0, 1]);
    assert_eq!(filled("<p>one<br>two<br>three", &[0, 1, 0]), [0, 1, 0]);
}

#[test]
fn code_is_kept_as_a_whole() {
    let code = "<p>a</p><pre><div>if b {</div><div>c d</div><div>}</div></pre><p>e</p>";
    assert_eq!(filled(code, &[0, 1, 0, 0, 0]), [0, 1, 1, 1, 0]);
    assert_eq!(filled(code, &[1, 0, 1, 0, 1]), [1, 1, 1, 1, 1]);
    assert_eq!(filled(code, &[0, 0, 0, 1, 1]), [0, 0, 0, 1, 1]);
    assert_eq!(filled("<pre>a b c<br>d</pre>", &[0, 1]), [0, 1]);
}

#[test]
fn code_between_kept_blocks_is_kept() {
    let code = "<div><p>a</div><div><div><pre>b<br>c</pre></div></div><div><p>d</div>";
    assert_eq!(filled(code, &[1, 0, 0, 1]), [1, 1, 1, 1]);
    assert_eq!(filled(code, &[1, 0, 0, 0]), [1, 0, 0, 0]);
}

#[test]
fn code_with_the_numbers_of_its_lines_and_a_caption_is_kept() {
    for code in [
        "<table><tr><td><pre>1</pre><td><pre>c</pre></table>",
        "<div><table><tr><td class=gutter>1<td class=code>c</table></div>",
        "<table><tr><td class=blob-num>1<td class=blob-code>c</table>",
        "<figure><pre>c</pre><figcaption>d</figcaption></figure>",
    ] {
        let page = format!("<p>a</p>{code}<p>b</p>");
        assert_eq!(filled(&page, &[1, 0, 0, 1]), [1; 4], "{code}");
    }
    for other in [
        "<div><pre>c</pre><p>d</p></div>",
        "<table><tr><td>1<td>c</table>",
        "<figure><figcaption>c</figcaption><p>d</p></figure>",
        // A gutter without numbers lays out a page.
        "<table><tr><td class=gutter>|<td>c</table>",
    ] {
        let page = format!("<p>a</p>{other}<p>b</p>");
        assert_eq!(filled_with(-6 << 12, &page, &[1, 0, 0, 1]), [1, 0, 0, 1], "{other}");
    }
}

#[test]
fn callouts_between_kept_blocks_are_kept() {
    let page = |class: &str| format!("<p>a</p><div class='{class}'><p>b</p><div><p>c</p></div></div><p>d</p>");
    for class in ["admonition note", "warning custom-block", "alert alert-info", "callout"] {
        assert_eq!(filled_with(-3 << 12, &page(class), &[1, 0, 0, 1]), [1; 4], "{class}");
        // The rest of one that is kept in part.
        assert_eq!(filled_with(-3 << 12, &page(class), &[1, 0, 1, 1]), [1; 4], "{class}");
        assert_eq!(
            filled_with(-3 << 12, &page(class), &[1, 0, 0, 0]),
            [1, 0, 0, 0],
            "{class}"
        );
        assert_eq!(
            filled_with(-5 << 12, &page(class), &[1, 0, 0, 1]),
            [1, 0, 0, 1],
            "{class}"
        );
    }
    for class in ["box", "alert cookie-bar"] {
        assert_eq!(
            filled_with(-3 << 12, &page(class), &[1, 0, 0, 1]),
            [1, 0, 0, 1],
            "{class}"
        );
    }
}

#[test]
fn captions_and_notes_are_kept_with_what_is_beside_them() {
    let figure = "<figure><blockquote>a</blockquote><figcaption>b</figcaption></figure>";
    assert_eq!(filled_with(-3 << 12, figure, &[1, 0]), [1, 1]);
    assert_eq!(filled_with(-3 << 12, figure, &[0, 0]), [0, 0]);
    let apart = "<p>a</p><figure><figcaption>b</figcaption></figure>";
    assert_eq!(filled_with(-3 << 12, apart, &[1, 0]), [1, 0]);
    let below = "<div><div><table><tr><td>a<td>b<tr><td>c<td>d</table></div><p>e</p></div><p>f</p>";
    assert_eq!(filled_with(-6000, below, &[1, 1, 1, 1, 0, 1]), [1; 6]);
    assert_eq!(filled_with(-3 << 12, below, &[1, 1, 1, 1, 0, 1]), [1, 1, 1, 1, 0, 1]);
}

#[test]
fn tables_of_links_between_kept_blocks_are_kept() {
    let link = "<td><a href=x>b</a>";
    let table = format!("<table><tr>{link}{link}<tr>{link}{link}</table>");
    let page = format!("<p>a</p>{table}<p>c</p>");
    assert_eq!(filled_with(-3 << 12, &page, &[1, 0, 0, 0, 0, 1]), [1; 6]);
    assert_eq!(filled_with(-3 << 12, &page, &[1, 0, 0, 0, 0, 0]), [1, 0, 0, 0, 0, 0]);
    let apart = format!("<p>a</p>{table}<div><div><p>c</p></div></div>");
    assert_eq!(filled_with(-3 << 12, &apart, &[1, 0, 0, 0, 0, 1]), [1, 0, 0, 0, 0, 1]);
}

#[test]
fn long_tags_of_cells_are_not_read_for_each_block() {
    let cell = |classes: usize| format!("<td class='gutter{}'>", " a".repeat(classes));
    let page = |cell: &str| format!("<p>a</p><table><tr>{cell}1<td>c</table><p>b</p>");
    assert_eq!(filled_with(-6 << 12, &page(&cell(9)), &[1, 0, 0, 1]), [1; 4]);
    assert_eq!(filled_with(-6 << 12, &page(&cell(999)), &[1, 0, 0, 1]), [1, 0, 0, 1]);
}

#[test]
fn tables_that_lead_to_pages_before_and_above_are_no_data() {
    let page = |rel: &str| {
        let link = format!("<td><a href=x rel='{rel}'>b</a>");
        format!("<p>a</p><table><tr>{link}{link}<tr>{link}{link}</table><p>c</p>")
    };
    let (all, none) = ([1; 6], [1, 0, 0, 0, 0, 1]);
    assert_eq!(filled_with(-3 << 12, &page("next"), &none), all);
    for rel in ["prev", "nofollow Up", "start"] {
        assert_eq!(filled_with(-3 << 12, &page(rel), &none), none, "{rel}");
    }
}

#[test]
fn tables_lists_and_quotes_next_to_kept_blocks_are_kept() {
    for group in [
        "<ul><li>b<li>c<li>d<li>e</ul>",
        "<table><tr><td>b<td>c<tr><td>d<td>e</table>",
        "<blockquote><p>b<p>c<p>d<p>e</blockquote>",
    ] {
        let page = format!("<div><p>a</p>{group}<p>f</p></div>");
        assert_eq!(filled(&page, &[1, 0, 0, 0, 0, 1]), [1; 6], "{group}");
        let wrapped = format!("<p>a</p><div>{group}</div><p>f</p>");
        assert_eq!(filled(&wrapped, &[1, 0, 0, 0, 0, 1]), [1; 6], "{group}");
        // Both kept blocks are in other elements.
        let apart = format!("<div><div><p>a</p></div></div>{group}<div><div><p>f</p></div></div>");
        assert_eq!(filled(&apart, &[1, 0, 0, 0, 0, 1]), [1, 0, 0, 0, 0, 1], "{group}");
    }
    let layout = "<p>a</p><table><tr><td>b<tr><td>c</table><p>d</p>";
    assert_eq!(filled(layout, &[1, 0, 0, 1]), [1, 0, 0, 1]);
    assert_eq!(filled("<p>a<ul><li>b</ul><h2>c</h2><p>d", &[1, 0, 0, 1]), [1, 1, 0, 1]);
}

#[test]
fn paragraphs_and_items_between_kept_ones_are_kept_unless_they_are_unlikely() {
    for page in ["<p>a<p>b<p>c", "<ul><li>a<li>b<li>c</ul>", "<p>a<h2>b</h2><p>c"] {
        assert_eq!(filled_with(0, page, &[1, 0, 1]), [1, 1, 1], "{page}");
        assert_eq!(filled(page, &[1, 0, 1]), [1, 0, 1], "{page}");
    }
    assert_eq!(filled_with(0, "<p>a<p><a href=x>b</a><p>c", &[1, 0, 1]), [1, 0, 1]);
    assert_eq!(
        filled_with(0, "<div><p>a</div><p>b<div><p>c</div>", &[1, 0, 1]),
        [1, 0, 1]
    );
}

#[test]
fn a_heading_is_kept_with_what_follows_it() {
    assert_eq!(filled_with(0, "<h2>a</h2><p>b", &[0, 1]), [1, 1]);
    assert_eq!(filled_with(0, "<h2>a</h2>b", &[0, 1]), [1, 1]);
    assert_eq!(filled_with(0, "<h2>a</h2><ul><li>b</ul>", &[0, 1]), [1, 1]);
    assert_eq!(filled_with(0, "<div><h2>a</h2></div><p>b", &[0, 1]), [0, 1]);
    assert_eq!(filled_with(0, "<h2><a href=x>a</a></h2><p>b", &[0, 1]), [0, 1]);
    assert_eq!(filled_with(0, "<p>a</p><p>b", &[0, 1]), [0, 1]);
    assert_eq!(filled("<h2>a</h2><p>b", &[0, 1]), [0, 1]);
}

#[test]
fn what_a_text_announces_is_kept_with_it() {
    let group = |text: &str, item: &str| format!("{text}<ul><li>{item}<li>d</ul><ul><li>e</ul><p>f");
    let (kept, left_out) = ([1, 1, 1, 0, 0], [1, 0, 0, 0, 0]);
    for text in ["<h2>b</h2>", "<p>b</p>", "<div><p>b</p></div>", "b"] {
        assert_eq!(filled_with(-6000, &group(text, "c"), &left_out), kept, "{text}");
        assert_eq!(filled(&group(text, "c"), &left_out), left_out, "{text}");
        // A link makes other pages' titles and the like possible.
        let linked = group(text, "c c <a href=x>c</a>");
        assert_eq!(filled_with(-6000, &linked, &left_out), left_out, "{text}");
        assert_eq!(filled_with(0, &linked, &left_out), kept, "{text}");
        let menu = group(text, "<a href=x>c c</a>");
        assert_eq!(filled_with(0, &menu, &left_out), left_out, "{text}");
    }
    assert_eq!(filled_with(-3 << 12, &group("<p>b:\n</p>", "c"), &left_out), kept);
    assert_eq!(filled_with(-3 << 12, &group("<p>b</p>", "c"), &left_out), left_out);
    assert_eq!(filled_with(0, "<p>b</p><div><ul><li>c</ul></div>", &[1, 0]), [1, 1]);
    assert_eq!(filled_with(0, "<p>b</p><div><p>c</p></div>", &[1, 0]), [1, 0]);
    assert_eq!(
        filled_with(0, "<div><p>b</p><p>c</p></div><ul><li>d</ul>", &[0, 1, 0]),
        [0, 1, 1]
    );
    assert_eq!(
        filled_with(0, "<div><div><p>b</p></div></div><ul><li>c</ul>", &[1, 0]),
        [1, 0]
    );
}

#[test]
fn tables_of_data_are_kept_whole_and_those_of_layout_are_not() {
    let data = "<table><tr><th>a<th>b<tr><td>c<td>d<tr><td>e<td>f</table>";
    assert_eq!(filled(data, &[0, 0, 1, 1, 1, 0]), [1; 6]);
    assert_eq!(filled(data, &[0, 0, 1, 1, 0, 0]), [0, 0, 1, 1, 0, 0]);
    let layout = "<table><tr><td>a<td>b<tr><td>c</table>";
    assert_eq!(filled(layout, &[0, 1, 1]), [0, 1, 1]);
    let nested = format!("<table><tr><td>g<td>{data}<tr><td>h<td>i</table>");
    assert_eq!(
        filled(&nested, &[0, 1, 1, 1, 1, 1, 1, 1, 1]),
        [0, 1, 1, 1, 1, 1, 1, 1, 1]
    );
}

#[test]
fn likely_quotes_and_tables_close_to_kept_blocks_are_kept_whole() {
    let quote = "<div><p>a</div><p>b<p>c<blockquote>d<p>e<p>f</blockquote><p>g";
    assert_eq!(filled_with(-5000, quote, &[1, 0, 0, 0, 0, 0, 0]), [1, 0, 0, 1, 1, 1, 0]);
    assert_eq!(filled_with(-9000, quote, &[1, 0, 0, 0, 0, 0, 0]), [1, 0, 0, 0, 0, 0, 0]);
    assert_eq!(filled_with(-5000, quote, &[0; 7]), [0; 7]);
    let table = "<table><tr><td>a<td>b<tr><td>c<td>d</table><div><p>e</div>";
    assert_eq!(filled_with(-5000, table, &[0, 0, 0, 0, 1]), [1; 5]);
    let menu = "<blockquote><a href=x>a</a><p><a href=y>b</a></blockquote><div><p>c</div>";
    assert_eq!(filled_with(-5000, menu, &[0, 0, 1]), [0, 0, 1]);
    let far = "<div><p>a</div><p>b<p>c<p>d<blockquote>e</blockquote>";
    assert_eq!(filled_with(-5000, far, &[1, 0, 0, 0, 0]), [1, 0, 0, 0, 0]);
}

#[test]
fn definitions_are_kept_whole() {
    let page = "<dl><dt>a<dd>b c d<dt>e<dd>f</dl>";
    assert_eq!(filled(page, &[0, 1, 0, 0]), [1; 4]);
    assert_eq!(filled(page, &[1, 0, 0, 0]), [1, 0, 0, 0]);
}

#[test]
fn menus_are_left_out_unless_they_are_likely_lists_or_rows() {
    let menu = "<p>a</p><ul><li><a href=x>b</a><li><a href=y>c</a></ul><p>d</p>";
    assert_eq!(filled_with(0, menu, &[1, 0, 0, 1]), [1, 1, 1, 1]);
    assert_eq!(filled(menu, &[1, 0, 0, 1]), [1, 0, 0, 1]);
    let table = "<p>a</p><table><tr><td><a href=x>b</a><td><a href=y>c</a></table><p>d</p>";
    assert_eq!(filled_with(0, table, &[1, 0, 0, 1]), [1, 0, 0, 1]);
    let link = "<td><a href=x>b</a>";
    let rows = format!("<table><tr><td>a<td>a<tr>{link}{link}<tr><td>c<td>c</table>");
    assert_eq!(filled_with(0, &rows, &[1, 1, 0, 0, 1, 1]), [1; 6]);
    let unlikely = format!("<table><tr><td>a<td>a<tr>{link}{link}<tr><td>c</table><p>d");
    assert_eq!(
        filled_with(-3 << 12, &unlikely, &[1, 0, 0, 0, 1, 0]),
        [1, 1, 0, 0, 1, 0]
    );
}
