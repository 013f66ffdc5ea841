//! The rules of the fast parser, each on a small page, as trees and as text. Where a rule follows the specification,
//! the strict parser must give the same result.

use dehusk_html::rendering::render_with;
use dehusk_html::{Buffers, Dom, NodeId, Tag, parse, parse_strict, render_text, text_of};

/// The tree in short form: `p(a("x"))`. Adjacent texts are one text.
fn tree(dom: &Dom) -> String {
    fn write(dom: &Dom, id: NodeId, out: &mut String) {
        let node = dom.node(id);
        match node.tag {
            Tag::Text => *out += &format!("{:?}", text_of(dom, id)),
            Tag::RawText => *out += &format!("raw{:?}", dom.raw(id)),
            Tag::Other => *out += &dom.name(id).to_ascii_lowercase(),
            tag => *out += tag.name(),
        }
        if node.end > id + 1 {
            *out += "(";
            let mut after_text = false;
            for (i, child) in dom.children(id).enumerate() {
                let is_text = dom.node(child).tag == Tag::Text;
                if after_text && is_text {
                    out.pop();
                    *out += text_of(dom, child).as_str();
                    out.push('"');
                } else {
                    *out += if i == 0 { "" } else { " " };
                    write(dom, child, out);
                }
                after_text = is_text;
            }
            *out += ")";
        }
    }
    let mut out = String::new();
    write(dom, 0, &mut out);
    out
}

fn fast(page: &str) -> Dom<'_> {
    parse(page, Buffers::default())
}

fn strict(page: &str) -> Dom<'_> {
    parse_strict(page, Buffers::default()).unwrap()
}

/// Checks that both parsers give this tree.
#[track_caller]
fn both(page: &str, expected: &str) {
    assert_eq!(tree(&fast(page)), expected, "fast: {page}");
    assert_eq!(tree(&strict(page)), expected, "strict: {page}");
}

/// Checks that both parsers give this tree in the body, after an empty head.
#[track_caller]
fn body(content: &str, expected: &str) {
    let expected = if expected.is_empty() {
        "html(head body)".to_owned()
    } else {
        format!("html(head body({expected}))")
    };
    both(&format!("<!doctype html><body>{content}"), &expected);
}

/// Checks that only the fast parser gives this tree in the body: a documented departure.
#[track_caller]
fn departs(content: &str, expected: &str) {
    let page = format!("<!doctype html><body>{content}");
    assert_eq!(
        tree(&fast(&page)),
        format!("html(head body({expected}))"),
        "fast: {page}"
    );
    assert_ne!(tree(&strict(&page)), tree(&fast(&page)), "no departure: {page}");
}

#[track_caller]
fn text(content: &str, expected: &str) {
    for dom in [fast(content), strict(content)] {
        let mut out = String::new();
        render_text(&dom, &[dom.subtree(dom.body())], &[], &mut out);
        assert_eq!(out, expected, "{content}");
    }
}

#[test]
fn frame_of_the_page() {
    both("", "html(head body)");
    both("x", "html(head body(\"x\"))");
    both("<title>t</title>x", "html(head(title(\"t\")) body(\"x\"))");
    both(
        "<html><head><meta></head><link><body>x</body>y</html>z",
        "html(head(meta link) body(\"xyz\"))",
    );
}

#[test]
fn late_html_and_body_tags_give_attributes() {
    for dom in [
        fast("x<body class=b><html lang=l>"),
        strict("x<body class=b><html lang=l>"),
    ] {
        assert_eq!(dom.attribute(dom.body(), "class").as_deref(), Some("b"));
        assert_eq!(dom.attribute(0, "lang").as_deref(), Some("l"));
    }
}

#[test]
fn noscript_is_content() {
    body("<noscript><p>x</p></noscript>", "noscript(p(\"x\"))");
    both(
        "<head><noscript><link></noscript><meta>",
        "html(head(noscript(link) meta) body)",
    );
    both(
        "<head><noscript><img></noscript><meta>",
        "html(head(noscript) body(img meta))",
    );
}

#[test]
fn framesets_have_no_body() {
    let page = "<head></head><frameset><frame src=a>text<noframes>old</noframes></frameset>";
    both(page, "html(head frameset(frame noframes(raw\"old\")))");
    assert_eq!(fast(page).body(), 0);
    both("<p><frameset><frame>x", "html(head frameset(frame))");
    both("<p>x<frameset><frame>", "html(head body(p(\"x\")))");
    both("<body><frameset><frame>", "html(head body)");
    // A no-break space is a body, a space is none.
    both("&nbsp;<frameset></frameset><p>x", "html(head body(p(\"x\")))");
    both("&#32;<frameset><frame>", "html(head frameset(frame))");
    both("<input type=HIDDEN><frameset><frame>", "html(head frameset(frame))");
    both("<input type=text><frameset><frame>", "html(head body(input))");
}

#[test]
fn raw_text_and_rcdata() {
    body("<script>a<b>&amp;</script>", "script(raw\"a<b>&amp;\")");
    body(
        "<style>p{}</style><iframe><p></iframe>",
        "style(raw\"p{}\") iframe(raw\"<p>\")",
    );
    body("<textarea><b>&lt;</textarea>", "textarea(\"<b><\")");
    body("<xmp><b>&lt;</xmp>x", "xmp(\"<b>&lt;\") \"x\"");
    body("<plaintext><b>&lt;</plaintext>", "plaintext(\"<b>&lt;</plaintext>\")");
    body("<script>open", "script(raw\"open\")");
    both("<title>open<p>", "html(head(title(\"open<p>\")) body)");
    body(
        "<script><!--<script>x</script>--></script>y",
        "script(raw\"<!--<script>x</script>-->\") \"y\"",
    );
}

#[test]
fn templates_keep_their_content_below() {
    body("<template><p>x<td>y</template>z", "template(p(\"xy\")) \"z\"");
    body(
        "<template><td>x<td>y</template>z",
        "template(td(\"x\") td(\"y\")) \"z\"",
    );
}

#[test]
fn foreign_content() {
    both(
        "<svg><title>t</title><path/><style>s</style></svg><p>x",
        "html(head body(svg(title(\"t\") path style(raw\"s\")) p(\"x\")))",
    );
    body("<svg><g><p>x", "svg(g) p(\"x\")");
    body(
        "<svg><foreignObject><p>x</p></foreignObject></svg>y",
        "svg(foreignobject(p(\"x\"))) \"y\"",
    );
    body("<svg><![CDATA[a<b]]></svg>", "svg(\"a<b\")");
    body("<div/>x", "div(\"x\")");
    body("<math><title><p>x", "math(title) p(\"x\")");
    body("<math><mi>x</mi></math>", "math(mi(\"x\"))");
}

#[test]
fn annotations_of_formulas() {
    body(
        "<math><annotation-xml><svg><foreignObject><div>x</div><p>y</p></foreignObject><path></svg></annotation-xml><mo>z",
        "math(annotation-xml(svg(foreignobject(div(\"x\") p(\"y\")) path)) mo(\"z\"))",
    );
    for encoding in ["text/html", "Application/XHTML+xml", "text&sol;html"] {
        body(
            &format!("<math><annotation-xml encoding='{encoding}'><p>x<p>y</p></annotation-xml><mi>z</math>"),
            "math(annotation-xml(p(\"x\") p(\"y\")) mi(\"z\"))",
        );
    }
    body(
        "<math><annotation-xml encoding=MathML-Content><p>x",
        "math(annotation-xml) p(\"x\")",
    );
}

#[test]
fn paragraphs_end_at_blocks() {
    body("<p>a<p>b<div>c</div>", "p(\"a\") p(\"b\") div(\"c\")");
    body("<p>a<span><h2>b</h2>", "p(\"a\" span) h2(\"b\")");
    body("a</p>b", "\"a\" p \"b\"");
    body("a</br>b", "\"a\" br \"b\"");
    body("<p><button>a<p>b</button>", "p(button(\"a\" p(\"b\")))");
    body("<p><object></p>a</object>b", "p(object(p \"a\") \"b\")");
    body("<p>a<table>", "p(\"a\") table");
    both("<p>a<table>", "html(head body(p(\"a\" table)))");
}

#[test]
fn lists_headings_options() {
    body(
        "<ul><li>a<li>b<ul><li>c</ul><li>d</ul>",
        "ul(li(\"a\") li(\"b\" ul(li(\"c\"))) li(\"d\"))",
    );
    body("<dl><dt>a<dd>b<dt>c</dl>", "dl(dt(\"a\") dd(\"b\") dt(\"c\"))");
    body("<h1>a<h2>b</h3>c", "h1(\"a\") h2(\"b\") \"c\"");
    body(
        "<select><option>a<option>b<optgroup><option>c</select>d",
        "select(option(\"a\") option(\"b\") optgroup(option(\"c\"))) \"d\"",
    );
    body("<ruby>a<rt>b<rp>c</ruby>", "ruby(\"a\" rt(\"b\") rp(\"c\"))");
    body("<li><div><li>a", "li(div) li(\"a\")");
}

#[test]
fn links_and_buttons_do_not_nest() {
    body("<a>a<a>b</a>c", "a(\"a\") a(\"b\") \"c\"");
    body("<button>a<button>b</button>c", "button(\"a\") button(\"b\") \"c\"");
    body("<nobr>a<nobr>b</nobr>c", "nobr(\"a\") nobr(\"b\") \"c\"");
    departs("<a>a<div>b</a>c</div>d", "a(\"a\" div(\"bc\")) \"d\"");
}

#[test]
fn tables() {
    body(
        "<table><td>a<td>b<tr><td>c</table>d",
        "table(tbody(tr(td(\"a\") td(\"b\")) tr(td(\"c\")))) \"d\"",
    );
    body(
        "<table><caption>a<tr><th>b<table><tr><td>c</table>d</table>",
        "table(caption(\"a\") tbody(tr(th(\"b\" table(tbody(tr(td(\"c\")))) \"d\"))))",
    );
    body(
        "<table><tr><td><p>a</div></p></table>",
        "table(tbody(tr(td(p(\"a\")))))",
    );
    body("<tr><td>a", "\"a\"");
    body(
        "<table><thead><tr><th>a<tbody><tr><td>b",
        "table(thead(tr(th(\"a\"))) tbody(tr(td(\"b\"))))",
    );
    departs(
        "<table><tr><td>a</td></tr>b</table>",
        "table(tbody(tr(td(\"a\")) \"b\"))",
    );
}

#[test]
fn forms() {
    body("<form>a<form>b</form>c", "form(\"ab\") \"c\"");
    body(
        "<table><form><tr><td>a</form></table>",
        "table(form tbody(tr(td(\"a\"))))",
    );
    body("<form><div>a</form>b</div>c", "form(div(\"ab\")) \"c\"");
    body("<image src=x>", "img");
}

#[test]
fn end_tags_keep_to_their_scope() {
    body(
        "<div><table><tr><td>a</div>b</table>",
        "div(table(tbody(tr(td(\"ab\")))))",
    );
    body("<span><div>a</span>b", "span(div(\"ab\"))");
    body("<x-a>a</x-b>b</X-A>c", "x-a(\"ab\") \"c\"");
    departs("<b><p>a</b>b</p>c", "b(p(\"ab\")) \"c\"");
}

#[test]
fn what_makes_no_node() {
    body("<!-- a --><?b?><!c></ d>e", "\"e\"");
    body("a<!-->b<!--->c<!-- > -- --!>d<!-- open", "\"abcd\"");
    body("a < b <3 <", "\"a < b <3 <\"");
    both("<p>x<p title=\"cut", "html(head body(p(\"x\")))");
    body("a\0b", "\"ab\"");
}

#[test]
fn text_rendering() {
    text("<p> a <b>b</b>c\n d <p>e", "a bc d\n\ne");
    text("a<b> b </b>c<i>d</i>", "a b cd");
    text(
        "<div>a<script>x</script>b<style>y</style> c<template>z</template></div>",
        "ab c",
    );
    text("<title>t</title>a&nbsp;&nbsp;b &lt;c&gt;", "a b <c>");
    text("a<!-- x -->b", "ab");
    text("<div>a</div>b<hr>c", "a\n\nb\n\nc");
    text("<svg><title>t</title><text>x</text></svg>", "x");
}

#[test]
fn selections_and_masks() {
    let dom = fast("<div><p>a</p>b <p>c</p></div><div>d<i>e</i></div>");
    let find = |what: &str| {
        (0..dom.len())
            .find(|&id| dom.node(id).tag == Tag::Text && dom.raw(id) == what)
            .unwrap()
    };
    let show = |ranges: &[std::ops::Range<NodeId>], masked: &[std::ops::Range<NodeId>]| {
        let mut out = String::new();
        render_text(&dom, ranges, masked, &mut out);
        out
    };
    let (a, b, c, d, e) = (find("a"), find("b"), find("c"), find("d"), find("e"));
    assert_eq!(show(&[dom.subtree(a), dom.subtree(c)], &[]), "a\n\nc");
    assert_eq!(show(&[dom.subtree(b), dom.subtree(d)], &[]), "b\n\nd");
    assert_eq!(show(&[dom.subtree(d), dom.subtree(e)], &[]), "de");
    assert_eq!(show(&[dom.subtree(0)], &[dom.subtree(b)]), "a\n\nc\n\nde");
    assert_eq!(
        show(&[dom.subtree(0)], &[dom.subtree(dom.node(c).parent), dom.subtree(e)]),
        "a\n\nb\n\nd"
    );
    assert_eq!(show(&[dom.subtree(0)], &[dom.subtree(0)]), "");
    assert_eq!(show(&[], &[]), "");
}

#[test]
fn hidden_text_on_demand() {
    let dom = fast("<title>T &amp; t</title><script>var x = 1;</script><p>a<script>y</script>");
    let title = (0..dom.len()).find(|&id| dom.node(id).tag == Tag::Title).unwrap();
    assert_eq!(text_of(&dom, title), "T & t");
    let mut out = String::new();
    render_with(&dom, &[dom.subtree(dom.body())], &[], true, &mut out);
    assert_eq!(out, "ay");
}

#[test]
fn names_attributes_and_buffers() {
    let dom = fast("<body><X-Y a=1 B='&amp;' c>t");
    let id = dom.body() + 1;
    assert_eq!((dom.name(id), dom.node(id).tag), ("X-Y", Tag::Other));
    assert_eq!(dom.attribute(id, "b").as_deref(), Some("&"));
    assert_eq!(dom.attribute(id, "c").as_deref(), Some(""));
    assert_eq!(dom.attribute(id, "d"), None);
    assert_eq!(dom.attribute(id + 1, "a"), None);
    assert_eq!(tree(&parse("y", dom.into_buffers())), "html(head body(\"y\"))");
}

#[test]
fn white_space_is_a_flag_of_the_next_node() {
    use dehusk_html::NodeFlags;
    for dom in [
        fast("<body>a <b>b</b> <i>c </i>d<u>e</u>"),
        strict("<body>a <b>b</b> <i>c </i>d<u>e</u>"),
    ] {
        let spaced: Vec<_> = dom
            .nodes()
            .iter()
            .filter(|node| node.flags.has(NodeFlags::SPACE_BEFORE))
            .map(|node| node.tag)
            .collect();
        // Before `b`, before `i`, before the text `d`.
        assert_eq!(spaced, [Tag::B, Tag::I, Tag::Text]);
    }
}
