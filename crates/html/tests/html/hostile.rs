//! Pages made to exhaust a parser. There are no time limits: the pages are so large that a quadratic parser would not finish.

use dehusk_html::{Attributes, Buffers, Dom, MAX_DEPTH, parse, parse_strict, render_text, render_xhtml};

fn depth(dom: &Dom) -> usize {
    let mut depths = vec![0usize; dom.len() as usize];
    for (id, node) in dom.nodes().iter().enumerate().skip(1) {
        depths[id] = depths[node.parent as usize] + 1;
    }
    depths.into_iter().max().unwrap_or(0)
}

/// Parses and renders, and returns the text.
fn survive(page: &str) -> String {
    let dom = parse(page, Buffers::default());
    assert!(depth(&dom) <= MAX_DEPTH);
    let (mut text, mut xhtml) = (String::new(), String::new());
    render_text(&dom, &[dom.subtree(dom.body())], &[], &mut text);
    render_xhtml(&dom, &[dom.subtree(dom.body())], &[], &mut xhtml);
    // The strict parser may stop early, but it must return.
    if let Ok(dom) = parse_strict(page, Buffers::default()) {
        assert!(depth(&dom) <= MAX_DEPTH);
    }
    text
}

#[test]
fn deep_nesting() {
    for tag in [
        "div",
        "ul><li",
        "b",
        "span",
        "x-a",
        "table><tr><td",
        "svg><g",
        "blockquote",
        "font size=1",
        "p><button",
        "select",
    ] {
        assert!(survive(&format!("<{tag}>").repeat(100_000)).is_empty(), "{tag}");
        let text = survive(&format!("{}x", format!("<{tag}>").repeat(100_000)));
        assert_eq!(text.trim_start_matches("- "), "x", "{tag}");
    }
}

#[test]
fn text_after_deep_nesting_is_kept() {
    let page = format!("{}in{}<p>out", "<div>".repeat(5_000), "</div>".repeat(5_000));
    assert_eq!(survive(&page), "in\n\nout");
    let dom = parse(&page, Buffers::default());
    let out = dom.nodes().iter().rfind(|n| n.tag.is_text()).unwrap();
    assert_eq!(
        dom.node(dom.node(out.parent).parent).tag,
        dehusk_html::Tag::Body,
        "the nesting was closed"
    );
}

#[test]
fn unmatched_end_tags() {
    for tag in ["b", "div", "p", "x-y", "td", "h1"] {
        survive(&format!("</{tag}>").repeat(1_000_000));
        // The same inside an element that puts it out of scope.
        let nest = format!(
            "<{}><table><tr><td>{}",
            if tag == "td" { "p" } else { tag },
            "<span>".repeat(400)
        );
        survive(&format!("{nest}{}", format!("</{tag}>").repeat(100_000)));
    }
}

#[test]
fn misnested_formatting() {
    survive(&format!(
        "{}{}{}",
        "<a>".repeat(40_000),
        "<i>".repeat(40_000),
        "</a>".repeat(40_000)
    ));
    survive(&"<a><div>".repeat(40_000));
    survive(&"<b><p></b>".repeat(40_000));
    survive(&"<table><b>x".repeat(20_000));
    survive(&"<form><div></form>".repeat(40_000));
    survive(&format!("<p>{}", "<b></b><frameset>".repeat(100_000)));
    survive(&format!("<p>x{}", "<b></b><frameset>".repeat(100_000)));
    let distinct: String = (0..30_000).map(|i| format!("<p><font size={i}></p>")).collect();
    survive(&distinct);
}

#[test]
fn attributes() {
    let many = format!("<p{}>x", " a=1".repeat(100_000));
    assert_eq!(survive(&many), "x");
    let dom = parse(&many, Buffers::default());
    assert_eq!(Attributes::new(dom.raw(dom.body() + 1)).count(), 100_000);
    assert_eq!(survive(&format!("<p title=\"{}\">x", "y>".repeat(5_000_000))), "x");
    assert_eq!(survive(&format!("<p {}>x", "=".repeat(5_000_000))), "x");
    survive(&"<p title=\"".repeat(500_000));
    survive(&"<p a='>".repeat(500_000));
}

#[test]
fn open_ends() {
    for open in [
        "<!--",
        "<script>",
        "<title>",
        "<textarea>",
        "<style>",
        "<xmp>",
        "<iframe>",
        "<script><!--<script>",
        "<svg><![CDATA[",
        "<a href=\"",
        "</b a=\"",
        "<!x",
        "<?x",
    ] {
        assert!(
            survive(&format!("<p>before{open}{}", "x <".repeat(300_000))).starts_with("before"),
            "{open}"
        );
        survive(&format!("<p>before{}", open.repeat(200_000)));
    }
    assert!(survive("<p>before<plaintext>after</p>").starts_with("before\n\nafter"));
}

#[test]
fn text_floods() {
    survive(&"&".repeat(3_000_000));
    survive(&"&#x110000;&#1".repeat(300_000));
    survive(&format!("&#{}", "9".repeat(3_000_000)));
    survive(&"&nbsp;".repeat(500_000));
    survive(&"\u{3000} ".repeat(500_000));
    survive(&"\0".repeat(3_000_000));
    survive(&"<".repeat(3_000_000));
    survive(&"< ".repeat(1_000_000));
    assert_eq!(survive(&"word ".repeat(2_000_000)).len(), 5 * 2_000_000 - 1);
    survive(&"a<!---->".repeat(300_000));
}

#[test]
fn the_strict_parser_gives_up_on_quadratic_pages() {
    assert!(parse_strict(&"<ul><li>".repeat(60_000), Buffers::default()).is_err());
    assert!(parse_strict(&"<p>x</p>".repeat(60_000), Buffers::default()).is_ok());
}

#[test]
fn the_strict_parser_gives_up_on_floods_of_names() {
    let attributes: String = (0..400_000).map(|i| format!(" a{i}=1")).collect();
    let elements: String = (0..200_000).map(|i| format!("<element-{i}>")).collect();
    for page in [
        format!("<p{attributes}>x"),
        format!("<p{attributes}"),
        format!("<p>x</p{attributes}>"),
        format!("<title>x</title{attributes}>"),
        elements,
    ] {
        assert!(parse_strict(&page, Buffers::default()).is_err(), "{}", &page[..40]);
    }
}

#[test]
fn the_strict_parser_gives_up_on_attributes_that_come_again_in_every_block() {
    let names: String = (0..1000).map(|i| format!(" a{i}")).collect();
    let value = format!("<p><b class='{}'></p>", "word ".repeat(200_000));
    for page in [
        // This would be 20 GB of text if all of it were copied.
        format!("{value}{}", "<p>x</p>".repeat(20_000)),
        format!("<p><b{names}></p>{}", "<p>x</p>".repeat(1_000_000)),
        (0..20_000).map(|i| format!("<p><font{names} b={i}></p>")).collect(),
    ] {
        assert!(parse_strict(&page, Buffers::default()).is_err(), "{}", &page[..40]);
    }
}

#[test]
fn the_strict_parser_accepts_long_pages() {
    let prose = "words and more words ".repeat(500_000);
    for page in [
        format!("<!--{prose}-->x"),
        format!("<p title=\"{prose}\">x"),
        format!("<p title='{}'>x", "a=\"b\" ".repeat(500_000)),
        format!("<p{}>x", " a=1".repeat(500_000)),
        format!("<script>{prose}</script>x"),
    ] {
        let dom = parse_strict(&page, Buffers::default()).unwrap();
        assert_eq!(dom.words(dom.body()), 1, "{}", &page[..40]);
    }
}
