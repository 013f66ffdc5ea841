//! Pages made to exhaust a parser. There are no time limits: the pages are so large that a quadratic parser would not
//! finish.

use dehusk_html::{
    Attributes, Buffers, Dom, MAX_DEPTH, TextForm, parse, parse_strict, render, render_text, render_xhtml,
};

fn depth(dom: &Dom) -> usize {
    let mut depths = vec![0usize; dom.len() as usize];
    for (id, node) in dom.nodes().iter().enumerate().skip(1) {
        depths[id] = depths[node.parent as usize] + 1;
    }
    depths.into_iter().max().unwrap_or(0)
}

/// Parses and renders, and returns the text.
fn survive(page: &str) -> String {
    survive_as_both(page).0
}

/// The same, with the Markdown.
fn survive_as_both(page: &str) -> (String, String) {
    let dom = parse(page, Buffers::default());
    assert!(depth(&dom) <= MAX_DEPTH);
    let (mut text, mut markdown, mut xhtml) = (String::new(), String::new(), String::new());
    render_text(&dom, &[dom.subtree(dom.body())], &[], &mut text);
    let form = TextForm::markdown()
        .with_links(true)
        .with_images(true)
        .with_url("https://a.example/");
    render(&dom, &[dom.subtree(dom.body())], &[], form, &mut markdown);
    render_xhtml(&dom, &[dom.subtree(dom.body())], &[], &mut xhtml);
    // The strict parser may stop early, but it must return.
    if let Ok(dom) = parse_strict(page, Buffers::default()) {
        assert!(depth(&dom) <= MAX_DEPTH);
    }
    (text, markdown)
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
fn large_tables() {
    let rows = |row: String, n: usize| format!("<table>{}</table>", row.repeat(n));
    let text = survive(&rows(format!("<tr>{}", "<td>a".repeat(1000)), 1000));
    assert_eq!(text.len(), 1000 * (1000 + 999 * 3) + 999);
    assert!(survive(&rows(format!("<tr><th>a{}", "<td>".repeat(10_000)), 100)).starts_with("a\na\n"));
    survive(&rows(format!("<tr>{}", "<td>".repeat(1_000_000)), 1));
    survive(&"<table><tr><td>a<td>b<tr><td>".repeat(30_000));
    survive(&"<table><tr><th colspan=1000 rowspan=65534>a<td>b<tr><td>c<td>d</table>".repeat(10_000));
}

#[test]
fn cells_that_cover_many_others() {
    let first = "<td rowspan=65534>a".repeat(10_000);
    for page in [
        format!("<table><tr>{first}{}", "<tr><td>b".repeat(20_000)),
        format!("<table>{}", "<tr><td colspan=1000>a<td>b".repeat(20_000)),
        "<table><tr><td colspan=1000>a<td>b<tr><td>c<td>d</table>".repeat(10_000),
    ] {
        let (_, markdown) = survive_as_both(&page);
        assert!(markdown.len() < 20 * page.len(), "{} of {}", markdown.len(), page.len());
    }
}

#[test]
fn many_posts_formulas_callouts_and_bold_texts() {
    let post = "<div class=post><b class=author>Ann</b><time>1</time>x";
    survive(&post.repeat(50_000));
    survive(&format!("{post}</div>").repeat(100_000));
    survive(&format!("<div class=comment>{}", "<b class=author>".repeat(100_000)));
    survive(&format!(
        "<div class=post>{}{}",
        "<i class=fn>".repeat(60),
        "name ".repeat(1_000_000)
    ));
    let rows = "<tr><td><b class=postauthor>Ann</b><td>1 May 2007<tr><td>x<td><p class=postbody>x";
    survive(&format!("<table>{}", rows.repeat(30_000)));
    survive(&format!(
        "<table><tr><td>x<td>{}",
        "<p class=postcolor>x".repeat(100_000)
    ));
    survive(&format!("<div class='{}'>x", "custom-block ".repeat(100_000)));
    survive(&"<b>(<i>(a)</i>)</b>b".repeat(100_000));
    survive(&format!("a{}b", "<b>(<i>".repeat(100_000)));
    survive(&format!("<math>{}", "<mrow><msup>a".repeat(100_000)));
    survive(&"<math><mfrac><mi>a</mi><mi>b</mi></mfrac></math>".repeat(100_000));
}

#[test]
fn large_lists_and_code() {
    let deep = survive(&format!("{}x", "<ul><li>word".repeat(500)));
    // Each item is a line, and none is indented further than ten levels.
    assert!(deep.lines().all(|line| line.len() <= 30), "{deep}");
    let many = survive(&format!(
        "<ol start=-5 reversed>{}",
        "<li value=9999999999>a<li>b".repeat(100_000)
    ));
    assert!(many.starts_with("-5. a\n-6. b\n"));
    survive(&format!("<ol reversed type=i>{}", "<li>a".repeat(300_000)));
    let line = "word  ".repeat(1_700_000);
    assert_eq!(survive(&format!("<pre>{line}</pre>")), line.trim_end());
    assert_eq!(survive(&format!("<pre>{}x", "\n".repeat(5_000_000))), "x");
    survive(&format!("<pre>{}{}", " ".repeat(1_000_000), "<div>".repeat(200_000)));
    survive(&format!("<pre>{}", "a</p></x>".repeat(300_000)));
    survive(&"<math><mi>x</mi>".repeat(100_000));
}

#[test]
fn what_is_around_or_before_many_elements() {
    let long = "x ".repeat(500_000);
    assert!(survive(&format!("1{}", "<sup>11</sup>".repeat(200_000))).ends_with("111"));
    survive(&format!("<a href='#{long}'>{}", "a<sup>1</sup>".repeat(100_000)));
    survive(&format!("<div class='{long}'>{}", "<pre>a</pre>".repeat(100_000)));
}

#[test]
fn addresses_have_at_most_a_multiple_of_the_bytes_of_the_page() {
    let links = "<a href=b>c</a><img src=d>".repeat(50_000);
    for length in [1000, 100_000] {
        let page = format!("<base href='/{}/'>{links}", "x".repeat(length));
        let (text, markdown) = survive_as_both(&page);
        assert_eq!(text, "c".repeat(50_000));
        assert!(markdown.len() < 6 * page.len(), "{length}: {}", markdown.len());
        assert!(markdown.starts_with("[c](https://a.example/"), "{length}");
    }
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
