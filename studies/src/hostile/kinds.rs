//! Kinds of pages, most of them hostile. Each has a name, and a function that makes a page of at most a given size.

use std::error::Error;

/// Makes a page of at most so many bytes.
pub type Make = Box<dyn Fn(usize) -> String>;

/// The name of a kind of pages, and how to make them.
pub type Kind = (&'static str, Make);

/// The kinds whose names contain one of `wanted`. All kinds if `wanted` is empty.
pub fn chosen(wanted: &[String]) -> Result<Vec<Kind>, Box<dyn Error>> {
    let is_wanted = |name: &str| wanted.is_empty() || wanted.iter().any(|w| name.contains(w.as_str()));
    let mut kinds = all()?;
    kinds.retain(|(name, _)| is_wanted(name));
    Ok(kinds)
}

/// Repeats a piece.
pub fn again(piece: &'static str) -> Make {
    Box::new(move |size| piece.repeat(size / piece.len()))
}

/// One start, then a repeated piece.
fn after(start: &'static str, piece: &'static str) -> Make {
    Box::new(move |size| format!("{start}{}", piece.repeat((size - start.len()) / piece.len())))
}

/// Numbered pieces.
pub fn counted(piece: impl Fn(usize) -> String + 'static) -> Make {
    Box::new(move |size| {
        let mut page = String::with_capacity(size);
        for i in 0.. {
            let next = piece(i);
            if page.len() + next.len() > size {
                break;
            }
            page.push_str(&next);
        }
        page
    })
}

/// Pieces in runs: many of the first, then as many of the second, and so on.
fn runs(pieces: &'static [&'static str]) -> Make {
    Box::new(move |size| {
        let n = size / pieces.iter().map(|p| p.len()).sum::<usize>();
        pieces.iter().map(|p| p.repeat(n)).collect()
    })
}

/// A comb: many nests of elements, each with text at the bottom.
fn comb(open: &'static str, close: &'static str, depth: usize) -> Make {
    Box::new(move |size| {
        let tooth = format!("{}word {}", open.repeat(depth), close.repeat(depth));
        tooth.repeat(size / tooth.len())
    })
}

fn all() -> Result<Vec<Kind>, Box<dyn Error>> {
    let mut kinds = depth();
    kinds.extend(markup());
    kinds.extend(text());
    kinds.extend(structure());
    kinds.extend(super::inline::kinds());
    kinds.extend(super::ordinary::kinds()?);
    Ok(kinds)
}

fn depth() -> Vec<Kind> {
    vec![
        ("depth: div", again("<div>")),
        ("depth: div with words", again("<div>word ")),
        ("depth: lists", again("<ul><li>")),
        ("depth: lists with words", again("<ul><li>word ")),
        ("depth: tables", again("<table><tr><td>")),
        ("depth: tables with words", again("<table><tr><td>word ")),
        ("depth: formatting", again("<b><i><u>")),
        ("depth: spans", again("<span>x")),
        ("depth: unknown elements", again("<x-y>")),
        ("depth: quotes", again("<blockquote><p>word")),
        ("depth: links", again("<a href=x><div>word ")),
        ("depth: opened and closed", runs(&["<div>", "</div>"])),
        ("comb of div", comb("<div>", "</div>", 500)),
        ("comb of span in div", comb("<div><span>", "</span></div>", 250)),
        ("comb of lists", comb("<ul><li>", "</li></ul>", 250)),
        ("comb of tables", comb("<table><tr><td>", "</td></tr></table>", 160)),
        ("comb of links", comb("<div><a href=x>", "</a></div>", 250)),
        ("comb of fonts", comb("<font size=1>", "</font>", 400)),
    ]
}

fn markup() -> Vec<Kind> {
    vec![
        ("attributes: many on one tag", after("<p", " a=1")),
        (
            "attributes: many names",
            counted(|i| if i == 0 { "<p".into() } else { format!(" a{i}=1") }),
        ),
        ("attributes: one long", after("<p title=\"", "y>")),
        ("attributes: quotes never closed", again("<p title=\"")),
        ("attributes: only equals signs", after("<p ", "=")),
        (
            "attributes: a class of its own each",
            counted(|i| format!("<div class=c{i}>word</div>")),
        ),
        (
            "attributes: an id of its own each, nested",
            counted(|i| format!("<p id=c{i}>w")),
        ),
        (
            "attributes: a name of its own each",
            counted(|i| format!("<div data-{i:07}>word</div>")),
        ),
        (
            "elements: a name of its own each",
            counted(|i| format!("<my-{i:06}>word</my-{i:06}>")),
        ),
        (
            "misnested: formatting of many attributes",
            counted(|i| {
                let many = || (0..100).map(|a| format!(" a{a}={i}")).collect::<String>();
                if i % 100 == 0 {
                    format!("<p><b{}></p>", many())
                } else {
                    "<p>x</p>".into()
                }
            }),
        ),
        (
            "attributes: meta",
            counted(|i| format!("<meta name=author content={i}>")),
        ),
        (
            "attributes: style hides",
            again("<p style='color:red;display:none'>word"),
        ),
        (
            "unclosed: everything",
            again(
                "<div><p>word<ul><li>word<table><tr><td>word<blockquote>word<dl><dt>word<pre>word<h2><b><a href=x>word ",
            ),
        ),
        ("unclosed: tag", again("<p")),
        ("unclosed: comments", again("<!--")),
        ("unclosed: comment", after("<p>word<!--", "word -")),
        ("unclosed: script", after("<p>word<script>", "var a = '<p>';\n")),
        ("unclosed: scripts", again("<script>")),
        (
            "unclosed: script in a comment in a script",
            again("<script><!--<script>"),
        ),
        ("unclosed: title", after("<title>", "word ")),
        ("unclosed: titles", again("<title>")),
        ("unclosed: textareas", again("<textarea>")),
        ("unclosed: CDATA", again("<svg><![CDATA[")),
        ("unclosed: end tags", again("</b a=\"")),
        ("unclosed: plaintext", after("<plaintext>", "<p>word ")),
        ("unclosed: declarations", again("<!x")),
        ("end tags: p", again("</p>")),
        ("end tags: br", again("</br>")),
        ("end tags: div", again("</div>")),
        ("end tags: table cells", after("<table>", "</td></tr>")),
        (
            "end tags under a nest",
            after("<b><table><tr><td><span><span><span>", "</b>"),
        ),
        ("misnested: a and i", again("<a><i></a>")),
        ("misnested: runs of a and i", runs(&["<a>", "<i>", "</a>"])),
        ("misnested: b and p", again("<b><p></b>x")),
        ("misnested: a and div", again("<a><div>")),
        (
            "misnested: fonts of their own",
            counted(|i| format!("<p><font size={i}></p>")),
        ),
        ("misnested: formatting and frames", again("<b></b><frameset>")),
        ("misnested: forms", again("<form><div></form>")),
        ("misnested: formatting in tables", again("<table><b>x")),
        ("misnested: headings", again("<h1><h2>word")),
        ("misnested: buttons", again("<p><button>x")),
        ("comments: many", again("a<!---->")),
        ("comments: one huge", after("<p>word<!--", "<p>x</p>")),
        ("scripts: one huge", after("<script>", "if (a < b) { c(\"</\"); }\n")),
        ("scripts: many", again("<script>a</script>")),
        ("styles: many", again("<style>a{}</style>x")),
        ("templates", again("<template><p>x</template>")),
        ("noscript", again("<noscript><p>word</p></noscript>")),
        ("svg with titles", again("<svg><title>x</title></svg>")),
        ("math", again("<math><mi>x</mi></math>")),
        ("frames", again("<frameset><frame>")),
        ("doctypes", again("<!doctype html>")),
        ("bases and links", again("<base href=x><link rel=x>")),
    ]
}

fn text() -> Vec<Kind> {
    vec![
        (
            "table: many cells",
            counted(|i| {
                if i % 10 == 0 {
                    "<tr><td>a".into()
                } else {
                    "<td>b".into()
                }
            }),
        ),
        ("table: rows", after("<table>", "<tr><td>a<td>1<td>b<td>2")),
        ("table: wide", after("<table><tr>", "<td>a")),
        ("table: wide and empty", after("<table><tr><td>a<tr>", "<td>")),
        (
            "table: rows of 10,000 cells",
            counted(|i| {
                if i % 10_000 == 0 {
                    "<tr><th>a".into()
                } else {
                    "<td>".into()
                }
            }),
        ),
        ("tables: small", again("<table><tr><td>a<td>b<tr><td>c<td>d</table>")),
        ("list: numbers", again("<ol start=-5><li value=9999999999>a<li>b</ol>")),
        ("list: reversed", after("<ol reversed type=i>", "<li>a")),
        ("list: items without text", after("<ul>", "<li><li><p></p>")),
        ("quote: the whole page", after("<blockquote>", "<p>Word word. ")),
        ("code: the whole page", after("<pre>", "let a = b;\n")),
        ("code: one line", after("<pre>", "a  b\t")),
        ("code: blanks and blocks", runs(&["<pre>  ", "<div>"])),
        ("code: spans", after("<pre>", "<span class=lineno>1</span> a\n")),
        ("code: end tags", after("<pre>", "a</p></x>")),
        (
            "code: tables",
            again("<table><tr><td class=lineno>1<td class=code>a</table>"),
        ),
        ("style: lines", again("<p style='white-space:pre-line'>a\nb <i>c</i>\n")),
        (
            "footnotes: many",
            counted(|i| format!("<p>a<sup><a href=#n{i}>{i}</a></sup><p id=n{i}><b>{i}</b> b <a href=#r>^</a>")),
        ),
        (
            "footnotes: before marks",
            after("<p id=n>note<p>", "a<sup><a href=#n>1</a></sup>: "),
        ),
        (
            "footnotes: of one name",
            again("<sup><a href=#n>1</a></sup><a id=n><a id=n>a"),
        ),
        ("powers and notes", again("10<sup>6</sup><sup><a href=#a>1</a></sup>")),
        ("ruby", after("<ruby>", "a<rt>b")),
        ("quotations", again("<q>a")),
        ("math with TeX", again("<math alttext='a'><mi>x</mi></math>")),
        ("markup of Markdown", again("*_`[<&#1. ")),
        ("entities: good", again("&amp;")),
        ("entities: spaces", again("&nbsp;")),
        ("entities: none", again("&notanentity")),
        ("entities: ampersands", again("&")),
        ("entities: out of range", again("&#x110000;&#1")),
        ("entities: one endless", after("&#", "9")),
        ("entities: long names", again("&CounterClockwiseContourIntegral;")),
        ("text: one word", after("<p>", "a")),
        ("text: one line", after("<p>", "word ")),
        ("text: full stops", after("<p>", "word. ")),
        ("text: punctuation", after("<p>", ".,;:!? ")),
        ("text: spaces", after("<p>", " ")),
        ("text: ideographic spaces", after("<p>", "\u{3000} ")),
        ("text: line ends in pre", after("<pre>", "a\n")),
        ("text: NUL", again("\0")),
        ("text: less-than signs", again("<")),
        ("text: less-than signs and spaces", again("< ")),
        ("text: Chinese", after("<p>", "日本語の文章。")),
        ("text: accents", after("<p>", "e\u{301}\u{302}")),
        ("text: direction marks", after("<p>", "\u{202e}\u{2066}")),
        ("text: small pieces by br", again("a<br>")),
        ("text: small pieces by b", again("<b>a</b> ")),
        ("text: small pieces by wbr", again("a<wbr>")),
        ("text: paragraphs of a word", again("<p>word")),
        ("text: copyright", after("<p>", "Copyright 2024 All rights reserved. ")),
        (
            "text: copyright in paragraphs",
            again("<p>Copyright \u{a9} 2024 A. All rights reserved.</p>"),
        ),
        (
            "text: posted by",
            again("<p>Posted by by by A on 2024-01-01 10:00:00</p>"),
        ),
        (
            "text: rules of a forum",
            again("<p>You may not post replies. You may not post attachments.</p>"),
        ),
        ("text: dates", again("<span>12 January 2024, 10:01</span>")),
        ("text: dates that are none", after("<p>", "1 1/1-1:1,")),
        ("text: hyphens", after("<p>", "- ")),
        ("text: reserved letters", after("<p>", "all rights all rights rights ")),
        (
            "text: title in every paragraph",
            after("<title>one two three four</title>", "<p>one two three four</p>"),
        ),
        (
            "text: title, long and in pieces",
            Box::new(|size| {
                let words: String = (0..size / 24).map(|i| format!("w{i} ")).collect();
                let pieces: String = words.split(' ').map(|w| format!("<b>{w}</b>")).collect();
                let page = format!("<title>{words}</title><h1>{words}</h1>{pieces}");
                page[..page.floor_char_boundary(size)].to_owned()
            }),
        ),
        (
            "text: headings of the title's words",
            after("<title>one two one two one two one</title>", "<h1>one two one</h1>"),
        ),
    ]
}

fn structure() -> Vec<Kind> {
    vec![
        (
            "tables: colspan",
            again("<table><tr><td colspan=9007199254740991 rowspan=9007199254740991>word"),
        ),
        ("tables: one of many cells", after("<table><tr>", "<td>w")),
        ("tables: one of many rows", after("<table>", "<tr><td>w<td>w")),
        ("tables: many", again("<table><tr><td>word</td></tr></table>")),
        ("tables: foster parents", after("<table>", "<tr>word")),
        ("tables: captions", after("<table>", "<caption>w")),
        ("lists: items", after("<ul>", "<li>word")),
        ("lists: linked items", after("<ul>", "<li><a href=x>word</a>")),
        ("lists: many", again("<ul><li>word</ul>")),
        ("lists: definitions", after("<dl>", "<dt>w<dd>w")),
        ("links: only", again("<a href=x>word</a> ")),
        ("links: never closed", again("<a href=x>word ")),
        ("links: between words", again("word <a href=x>word</a> ")),
        ("links: images", again("<a href=x><img src=y alt=z></a>")),
        ("links: each its own", counted(|i| format!("<a href=/{i}>{i}</a> "))),
        ("forms: inputs", after("<form>", "<input name=x>")),
        ("forms: options", after("<select>", "<option>word")),
        ("forms: buttons", again("<button>word</button>")),
        ("forms: many", again("<form><input></form>word")),
        (
            "posts: alike",
            again("<div class=post><h3>Name</h3><p>Some words of a post.</p><span>10:01</span></div>"),
        ),
        (
            "posts: each its own class",
            counted(|i| {
                format!(
                    "<div class=p{i}><p>Some words of post {i}.</p><i>10:{:02}</i></div>",
                    i % 60
                )
            }),
        ),
        (
            "posts: nested replies",
            again("<div class=post><p>Some words of a post.</p><span>10:01</span>"),
        ),
        (
            "posts: shapes of their own",
            counted(|i| {
                let tags: String = (0..16)
                    .map(|b| if i >> b & 1 == 1 { "<b>w</b>" } else { "<i>w</i>" })
                    .collect();
                format!("<div>{tags}</div>")
            }),
        ),
        (
            "posts: quotes",
            again("<div><blockquote>Some quoted words.</blockquote>Some words.</div>"),
        ),
        (
            "hidden parts",
            again("<div hidden>word</div><div aria-hidden=true>word</div>word"),
        ),
        ("headings: levels", again("<h1>w</h1><h2>w</h2><h3>w</h3>")),
        ("ruby", again("<ruby>a<rt>b</ruby>")),
        ("divisions of one text", after("<div>", "word<div></div>")),
        (
            "articles and sections",
            again("<article><section><h2>w</h2><p>Some words.</p></section></article>"),
        ),
        ("rules", again("word<hr>")),
    ]
}
