//! The form of the text: what each kind of element becomes in plain text. Both parsers give the same text.

use dehusk_html::{Buffers, Dom, NodeId, Tag, parse, parse_strict, render_text};

fn fast(page: &str) -> Dom<'_> {
    parse(page, Buffers::default())
}

fn plain(dom: &Dom<'_>, ranges: &[std::ops::Range<NodeId>]) -> String {
    let mut out = String::new();
    render_text(dom, ranges, &[], &mut out);
    out
}

#[track_caller]
fn text(content: &str, expected: &str) {
    let page = format!("<!doctype html><body>{content}");
    for (name, dom) in [
        ("fast", fast(&page)),
        ("strict", parse_strict(&page, Buffers::default()).unwrap()),
    ] {
        assert_eq!(plain(&dom, &[dom.subtree(dom.body())]), expected, "{name}: {content}");
    }
}

/// The text of the text nodes that are one of `texts`, each a range.
#[track_caller]
fn chosen(content: &str, texts: &[&str], expected: &str) {
    let page = format!("<!doctype html><body>{content}");
    let dom = fast(&page);
    let is_chosen = |id: &NodeId| dom.node(*id).tag == Tag::Text && texts.contains(&dom.raw(*id));
    let ranges: Vec<_> = (0..dom.len()).filter(is_chosen).map(|id| dom.subtree(id)).collect();
    assert_eq!(plain(&dom, &ranges), expected, "{texts:?} of {content}");
}

#[test]
fn breaks_end_lines_and_paragraphs() {
    text("a<br>b<br><br>c<br> <br>d<br><br><br>e", "a\nb\n\nc\n\nd\n\ne");
    text("<p>a<br></p><p><br>b</p>", "a\n\nb");
    text("a<br><b><br>b</b>", "a\n\nb");
    text("<h2>a<br>b</h2>c", "a b\n\nc");
    chosen("<p>a<br>b<br><br>c", &["a", "b", "c"], "a\nb\n\nc");
    chosen("<p>a<br>x<br>c", &["a", "c"], "a\n\nc");
    chosen("<p>a<span><br></span><br>c", &["a", "c"], "a\n\nc");
}

#[test]
fn code_is_verbatim() {
    text(
        "<pre>\n  fn a() {\n\n\n\t b  c\n  }\n</pre>",
        "  fn a() {\n\n\n\t b  c\n  }",
    );
    text("a<pre>b\n  c</pre>d", "a\n\nb\n  c\n\nd");
    text(
        "<pre><b>a</b> <i>b</i>\n<i> c</i>  d&lt;<!-- x\n -->\n\n <u></u> e</pre>",
        "a b\n c  d<\n\n  e",
    );
    text("<pre>a\r\nb\rc</pre>", "a\nb\nc");
    text("<pre>a&nbsp; b\u{AD}c</pre>", "a\u{A0} b\u{AD}c");
    text("<pre>a<br>b<br>\nc</pre>", "a\nb\n\nc");
    text(
        "<pre><div>a\n</div><div>  b</div><div><br></div><p>c</p></pre>",
        "a\n  b\n\nc",
    );
    text("<pre>  </pre>a<pre>\n\n</pre>b", "a\n\nb");
    text("<textarea>\n a\n  b</textarea>", " a\n  b");
    text("<xmp> <b>\n  c</xmp>", " <b>\n  c");
    text("<pre>a<button>Copy</button><script>x</script>\n b</pre>", "a\n b");
    text("<table><tr><td><pre>a\n b</pre></table>", "a\n b");
    text("<pre>a<ul><li>b<li>c</ul></pre>", "a\nb\nc");
    // A part of it.
    chosen("<pre><b>a</b>\n  <i>b</i>\n  <u>c</u></pre>", &["b"], "  b");
    chosen("<pre><b>a</b>\n  <i>b</i>\n  <u>c</u></pre>", &["b", "c"], "  b\n  c");
    chosen("<p>x<pre><b>a</b>\n  <i>b</i></pre>y", &["x", "a", "y"], "x\n\na\n\ny");
}

#[test]
fn styles_keep_lines() {
    text("<div style='white-space: pre'>a\n  b</div>c", "a\n  b\n\nc");
    text(
        "<div style='color:red; white-space:pre-wrap'>a\n b\n\nc <i>d</i>\n<b>e</b></div>",
        "a\nb\n\nc d\ne",
    );
    text("<p style='white-space:normal'>a\nb", "a b");
    chosen("<div style='white-space:pre'><b>a</b>\n  <i>b</i></div>", &["b"], "  b");
}

#[test]
fn code_viewers_give_the_code() {
    let github = "<table class='highlight js-file-line-container'>\n<tr>\n<td id=L1 class='blob-num'>1</td>\n\
                  <td class='blob-code'>fn a() {</td>\n</tr>\n<tr>\n<td class='blob-num'>2</td>\n\
                  <td class='blob-code'>  b  <span>c</span></td>\n</tr></table>";
    text(github, "fn a() {\n  b  c");
    let pygments = "<table class=highlighttable><tr><td class=linenos><div class=linenodiv><pre>1\n2</pre></div></td>\
                    <td class=code><div><pre><span></span>a\n  b\n</pre></div></td></tr></table>";
    text(pygments, "a\n  b");
    let inner = "<table><tr><td class=linenos><pre>1</pre><td><pre><i>a</i><pre><i>b</i></pre>\n<i>c</i>\n  <i>d</i></pre></table>";
    text(inner, "a\nb\n\nc\n  d");
    let spans = "<table class=highlighttable><tr>\n<td class=linenos><pre>1\n2\n3</pre></td>\n<td class=code>\n<pre><span></span>\
                 <b>def</b> a(n):\n    <b>for</b> i <b>in</b> n:\n\n        b\n</pre>\n</td></tr></table>c";
    text(spans, "def a(n):\n    for i in n:\n\n        b\n\nc");
    let chroma = "<table class=lntable><tr><td class=lntd><pre><code><span class=lnt>1\n</span><span class=lnt>2\n</span></code></pre>\
                  </td>\n<td class=lntd><pre><code>a\n  <b>b</b>\n</code></pre></table>";
    text(chroma, "a\n  b");
    // Lines of numbers are code, too.
    text(&chroma.replace("a\n  <b>b</b>", "7\n 8"), "7\n 8");
    let two = "<table><tr><td class=linenos><pre>1</pre><td class=code><pre><i>a</i>\n <i>b</i></pre></td></tr>\n\
               <tr><td class=linenos><pre>2</pre><td class=code><pre>  <i>c</i></pre></table>";
    text(two, "a\n b\n  c");
    let layout = "<table><tr><td class=gutter><td>a <b>b</b>\n  c</table>";
    text(layout, "a b c");
    let prettify = "<pre class='prettyprint linenums'><ol class=linenums><li class=L0><span>a</span></li>\
                    <li class=L1><span>  b</span></li></ol></pre>";
    text(prettify, "a\n  b");
    let inline = "<pre><span class='lineno'>1 </span>a\n<span class='lineno'>2 </span>  b</pre>";
    text(inline, "a\n  b");
    let lines = "<div class='ace_layer ace_text-layer'>\n <div class=ace_line>a {</div>\n <div class=ace_line>&nbsp; \
        b</div>\n\
                 <div class=ace_line><br></div><div class=ace_line>}</div></div>";
    text(lines, "a {\n\u{A0} b\n\n}");
    let highlighter = "<div class='syntaxhighlighter java'><table><tr><td class=gutter><div class='line'>1</div>\
                       <div class='line'>2</div></td><td class=code><div class=container><div class=line>\
                       <code class='java plain'>a</code></div><div class=line><code class='java \
                       spaces'>&nbsp;&nbsp;</code>\
                       <code class='java plain'>b</code></div></div></td></tr></table></div>";
    text(highlighter, "a\n\u{A0}\u{A0}b");
    text("<p>x</p><div><code>a\n  b\n c</code></div>", "x\n\na\n  b\n c");
    text("<p>x</p><div><code>a<br>&nbsp;b</code></div>", "x\n\na\n\u{A0}b");
    let spans =
        "<pre><code><span class=line>a <b>b</b></span><span class=line>c</span><span class=x>d</span></code></pre>";
    text(spans, "a b\ncd");
    text(
        "<pre><span class=line>a</span>\n<span class=line></span>\n<span class=line>b</span></pre>",
        "a\n\nb",
    );
    text("<p>use <code>a\nb\nc</code> now", "use a b c now");
}

#[test]
fn lists_keep_markers_numbers_and_nesting() {
    text("<p>x<ul><li>a<li>b</ul>y", "x\n\n- a\n- b\n\ny");
    text(
        "<ul><li>a<ul><li>b<ol><li>c</ol></ul><li>d</ul>",
        "- a\n  - b\n    1. c\n- d",
    );
    text("<ol start=3><li>a<li value=7>b<li>c</ol>", "3. a\n7. b\n8. c");
    text("<ol reversed><li>a<li>b</ol>", "2. a\n1. b");
    text("<ol start=-5><li>a<li value=9999999999>b</ol>", "-5. a\n-4. b");
    text("<ol type=a><li>x<li>y</ol><ol type=I><li>z</ol>", "a. x\nb. y\n\nI. z");
    text("<ul><li><p>a<p>b<li>c</ul>", "- a\n\n  b\n\n- c");
    text("<ul><li><div>a</div><li><p>b</p></ul>", "- a\n- b");
    text("<ul><li>a<br>b</ul>", "- a\n  b");
    text("<ul><li><li> <li>a</ul>", "- a");
    text("<ol><li>a<li><li>c</ol>", "1. a\n3. c");
    text("<ul><li><ul><li>a</ul></ul>", "- a");
    // A list right inside a list belongs to the item before it.
    text("<ul><li>a</li><ul><li>b</li></ul><li>c</ul>", "- a\n  - b\n- c");
    text(
        "<ol><li>a</li><ol><li>b</ol><ul><li>c</ul><li>d</ol>",
        "1. a\n   1. b\n   - c\n2. d",
    );
    text("<ul><ul><li>a</li></ul><li>b</ul>", "- a\n- b");
    text("<div><li>a</li><ul><li>b</ul></div>", "- a\n\n- b");
    text("<ul><li>a<pre>b\n  c</pre></ul>", "- a\n\nb\n  c");
    text("<li>a", "- a");
    text("<ul>x<li>a</ul>", "x\n- a");
    // A list of sections.
    text("<ul><li><h3>a</h3><p>b</p><li><h3>c</h3></ul>", "a\n\nb\n\nc");
    chosen("<ol><li>a<li>b<li>c</ol>", &["c"], "3. c");
    chosen("<ol><li>a<li>b<li>c<li>d</ol>", &["b", "d"], "2. b\n4. d");
    chosen("<ul><li>a<ul><li>b<li>c</ul></ul>", &["c"], "- c");
    chosen("<ol><li>a <b>b</b><li>c</ol>", &["a", "b", "c"], "1. a b\n2. c");
}

#[test]
fn definitions_follow_their_terms() {
    text("<dl><dt>a<dd>b<dd>c<dt>d<dd>e</dl>f", "a\nb\nc\n\nd\ne\n\nf");
    text("<dl><dt>a<dd><p>b</p><p>c</p><dt>d<dd><p>e</dl>", "a\nb\n\nc\n\nd\ne");
    text("<dl><dt>a<dt>b<dd>c</dl>", "a\nb\nc");
}

#[test]
fn data_tables_have_lines_and_layout_tables_do_not() {
    text(
        "x<table><caption>t</caption><tr><th>a<th>b<tr><td>c<td>d <b>e</b></table>y",
        "x\n\nt\n\na | b\nc | d e\n\ny",
    );
    text(
        "<table><tr><td>a<td>b<td>c<tr><td>d<td><td>f<tr><td><td><td>g<tr><td>h<td><td></table>",
        "a | b | c\nd | | f\n| | g\nh",
    );
    text(
        "<table><tr><td><p>a</p><td>b<br>c<tr><td>d<td>e</table>",
        "a | b c\nd | e",
    );
    text("<table><tr><td>a<td>b</table>", "a b");
    text("<table><tr><td>a<tr><td>b</table>", "a\n\nb");
    text(
        "<table><tr><td>a<p>b<td>c<tr><td>d<td>e</table>",
        "a\n\nb\n\nc\n\nd\n\ne",
    );
    text(
        "<table role=presentation><tr><td>a<td>b<tr><td>c<td>d</table>",
        "a b\n\nc d",
    );
    text(
        "<table><tr><th>a<th>b<tr><td>c<td><ul><li>d<li>e</ul></table>",
        "a | b\nc | d; e",
    );
    text(
        "<table><tr><td>a<td><table><tr><th>b<th>c<tr><td>d<td>e</table><tr><td>f<td>g</table>",
        "a\n\nb | c\nd | e\n\nf\n\ng",
    );
    // A rule alone in a row.
    text(
        "<table><tr><th>a<th>b<tr><td colspan=2><hr><tr><td>c<td>d</table>",
        "a | b\nc | d",
    );
    let long = "word ".repeat(60);
    let long = long.trim();
    text(
        &format!("<table><tr><td>a<td>{long}<tr><td>b<td>c</table>"),
        &format!("a\n\n{long}\n\nb\n\nc"),
    );
    chosen("<table><tr><td>a<td>b<tr><td>c<td>d</table>", &["b"], "b");
    chosen(
        "<table><tr><td>a<td>b<tr><td>c<td>d</table>",
        &["a", "b", "d"],
        "a | b\nd",
    );
}

const NESTED: &str = "<table><tr><th>city<th>trains<tr><td>Ulm<td>daily <table><tr><th><th>from<th>to<tr><td>A\
                      <td>8<td>9<tr><td><td><tr><td>B<td><td>11</table> not today<tr><td>Bonn<td>none</table>";

#[test]
fn a_data_table_in_a_data_table_keeps_its_cells_apart() {
    text(
        NESTED,
        "city | trains\nUlm | daily; , from, to; A, 8, 9; B, , 11; not today\nBonn | none",
    );
    // At the start of a cell, in a list, and two of them.
    let inner = |cells: &str| format!("<table><tr><td>{cells}<tr><td>c<td>d</table>");
    text(
        &format!(
            "<ul><li><table><tr><th>{}<th>x<tr><td>y<td>{}{}</table></ul>",
            inner("<td>b"),
            inner("e<td>f"),
            inner("g<td>h")
        ),
        "- , b; c, d | x\n  y | e, f; c, d; g, h; c, d",
    );
    // Words without markers of tables, and a part of the table.
    chosen(NESTED, &["B", "11", "Bonn"], "B, 11\nBonn");
}

#[test]
fn tables_in_tables_that_cannot_be_lines_are_tables_of_their_own() {
    let inner = "<table><tr><td>b<td>c<tr><td>d<td>e</table>";
    let outer = |rows: &str| format!("<table><tr><th>1<th>2<tr><td>a<td>{rows}<tr><td>f<td>g</table>");
    let apart = "1\n\n2\n\na\n\nb | c\nd | e\n\nf\n\ng";
    text(&outer(&format!("<table><tr><td>{inner}</table>")), apart);
    text(&outer(inner).replace("<th>", "<td>"), apart);
    // Most of its cells are tables: it places them.
    let grid = format!("<table><tr><th>1<th>{inner}<tr><td>{inner}<td>{inner}</table>");
    text(&grid, "1\n\nb | c\nd | e\n\nb | c\nd | e\n\nb | c\nd | e");
    text(
        &outer(inner).replace("<table><tr><th>", "<table role=none><tr><th>"),
        apart,
    );
    let long = "w ".repeat(101);
    text(
        &outer(&inner.replace('e', &long)),
        &apart.replace("b | c\nd | e", &format!("b\n\nc\n\nd\n\n{}", long.trim())),
    );
    // Within one that is a table of its own, the next is again on a line.
    let twice = outer(&outer(inner));
    text(&twice, "1\n\n2\n\na\n\n1 | 2\na | b, c; d, e\nf | g\n\nf\n\ng");
}

#[test]
fn elements_between_the_rows_of_a_data_table_do_not_part_them() {
    for between in ["<div></div>", "<br><br>", "<script>x</script>", "<tr></tr>"] {
        let rows = format!("a<table><tr><td>1<td>2</tr>{between}<tr><td>3<td>4</table>b");
        text(&rows, "a\n\n1 | 2\n3 | 4\n\nb");
    }
    text("a<table><tr><td><td></tr><tr><td>3<td>4</table>", "a\n\n3 | 4");
}

#[test]
fn texts_of_characters_that_are_not_shown_are_left_out_except_for_joiners_in_words() {
    for hidden in ["&#x200b;", "\u{200B}", "&lrm;&nbsp;&zwnj;", "&zwj; \u{2060}"] {
        text(&format!("<p>a<p>{hidden}<p>b <b>{hidden}</b> c"), "a\n\nb c");
    }
    text("<p>a<b>&#x200b;</b><p>b<i>&nbsp;&lrm;</i>c", "a\n\nb c");
    text("a<b>&zwnj;</b>b<i>\u{200C}</i>c", "a\u{200C}b\u{200C}c");
}

#[test]
fn sections_are_apart() {
    text("a<h2>b</h2>c<h3><a href=x>d</a></h3>e", "a\n\nb\n\nc\n\nd\n\ne");
    text("a<blockquote>b<p>c</blockquote>d<hr>e", "a\n\nb\n\nc\n\nd\n\ne");
    text("<figure>a<figcaption>b</figcaption></figure>c", "a\n\nb\n\nc");
    text("<details><summary>a</summary>b</details>", "a\n\nb");
    text("a<select><option>b<option>c</select>d", "a\nb\nc\nd");
    text("<button>a</button><button>b</button><label>c</label>", "a b c");
    text("<h2><div>a</div><div>b</div></h2>", "a b");
    text("<h2>a<ul><li>b</ul></h2>", "a\n\n- b");
}

#[test]
fn words_stay_in_their_sentences() {
    text(
        "you agree to our <a href=x>terms</a>, including <a href=y>more</a>.",
        "you agree to our terms, including more.",
    );
    text(
        "a<sup>2</sup> 10<sup>6</sup> 3<sup>-6</sup> 1<sup>st</sup> H<sub>2</sub>O",
        "a2 10^6 3^-6 1st H2O",
    );
    text(
        "10<sup>23</sup> $899<sup>00</sup> $9.10<sup>99</sup>",
        "10^23 $89900 $9.1099",
    );
    text(
        "word<sup><a href='#n1'>1</a></sup>, <a href='p#n2'><sup>*</sup></a>.",
        "word[1], [*].",
    );
    text("word<sup><a href='#n1'>[1]</a></sup>", "word[1]");
    text("<ruby>漢<rt>kan</rt>字<rt>ji</rt></ruby>", "漢(kan)字(ji)");
    text("<ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp></ruby>", "漢(kan)");
    text("<ruby>漢<rt><template>kan</template></rt></ruby>", "漢");
    text("he said <q>yes</q>.", "he said “yes”.");
    text("long<wbr>word soft&shy;ly so\u{AD}ft", "longword softly soft");
    text("a&nbsp;&nbsp;b\u{A0}c", "a b c");
    text("a\u{200B}b \u{200F}c\u{200D}", "a\u{200B}b \u{200F}c\u{200D}");
    text("<p>a<p>\u{200B}<p>b", "a\n\nb");
}

#[test]
fn notes_in_a_paragraph_are_apart_from_its_words() {
    text("<p>x<a href=#n role=doc-noteref>2</a>, y", "x[2], y");
    text("<p>x<a class='footnote-reference brackets' href=#n>[2]</a>", "x[2]");
    text("<p>x<sup><a href=#n role=doc-noteref>2</a></sup>", "x[2]");
    // Only the superscript of the reference has brackets of its own.
    text(
        "<p>a <b>b</b> c <b>d</b> e <b>f</b> g<a class=footnote-ref href=#f><sup>1</sup></a>",
        "a b c d e f g[1]",
    );
    text("<p>mc<sup>2</sup><a role=doc-noteref href=#n>1</a>", "mc2[1]");
    // Without a text there are no brackets.
    text("<p>x<span class=marginnote><img src=y></span> c", "x c");
    text("<p>x<span class=sidenote><input></span> c", "x c");
    text(
        "<p>x<label class='margin-toggle sidenote-number'></label><span class=sidenote>A <i>b</i>.</span> c",
        "x (A b.) c",
    );
}

#[test]
fn lists_and_short_code_in_cells_keep_the_rows() {
    let table = |cell: &str| format!("<table><tr><th>a<th>b<tr><td>c<td>{cell}<tr><td>d<td>e</table>");
    let row = |cell: &str| format!("a | b\nc | {cell}\nd | e");
    text(&table("<ul><li>f<li>g</ul>"), &row("f; g"));
    text(&table("<p>f<ul><li>g<ol><li>h<li>i</ol><li></ul>"), &row("f g h; i"));
    text(&table("<pre>f\n  g</pre>"), &row("f g"));
    text(&table("<pre>f\ng\nh</pre>"), "a\n\nb\n\nc\n\nf\ng\nh\n\nd\n\ne");
}

#[test]
fn mathematics_is_written_once() {
    let katex = "<p>so <span class=katex><span class=katex-mathml><math><semantics><mrow><mi>E</mi></mrow>\
                 <annotation encoding='application/x-tex'>E=mc^2</annotation></semantics></math></span>\
                 <span class=katex-html aria-hidden=true><span>E</span><span>2</span></span></span> holds";
    text(katex, "so E=mc^2 holds");
    text("<math alttext='{\\displaystyle a_1}'><mi>a</mi></math> b", "a_1 b");
    text("<math><mi>a</mi><mo>+</mo></math> b", "a+ b");
    for (math, expected) in [
        ("<mfrac><mi>a</mi><mi>b</mi></mfrac>", "a/b"),
        (
            "<mfrac><mrow><mi>a</mi><mo>+</mo><mn>1</mn></mrow><mi>b</mi></mfrac>",
            "(a+1)/b",
        ),
        (
            "<msup><mi>x</mi><mrow><mi>n</mi><mo>+</mo><mn>1</mn></mrow></msup>",
            "x^(n+1)",
        ),
        (
            "<msup><mi>x</mi><mo>′</mo></msup><mo>=</mo><msub><mi>y</mi><mn>1</mn></msub>",
            "x′=y_1",
        ),
        (
            "<munderover><mo>∑</mo><mn>1</mn><mi>n</mi></munderover><mi>i</mi>",
            "∑_1^n i",
        ),
        (
            "<msqrt><mi>x</mi><mo>+</mo><mn>1</mn></msqrt><mroot><mi>x</mi><mn>3</mn></mroot>",
            "√(x+1) x^(1/3)",
        ),
        ("<mn>2</mn><mfrac><mn>1</mn><mn>2</mn></mfrac>", "2 1/2"),
        (
            "<mstyle><mfrac><mi>a</mi><mi>b</mi></mfrac></mstyle><mi>c</mi><mo>+</mo><mi>d</mi>",
            "a/b c+d",
        ),
        (
            "<mfrac><mn>1</mn><mn>2</mn></mfrac><mfrac><mrow><mi>a</mi><mo>+</mo><mn>3</mn></mrow><mn>4</mn></mfrac>",
            "1/2 (a+3)/4",
        ),
        ("<msup><mi>e</mi><mi>x</mi></msup><mi>d</mi>", "e^x d"),
        ("<msqrt><mi>x</mi></msqrt><mi>y</mi>", "√x y"),
        ("<mi>sin</mi><mo>&#x2061;</mo><mi>x</mi>", "sin x"),
        ("<mi>f</mi><mo>&#x2061;</mo><mo>(</mo><mi>x</mi><mo>)</mo>", "f(x)"),
        ("<mi>a</mi><mi>b</mi><msup><mi>x</mi><mn>2</mn></msup>", "ab x^2"),
        ("<mfenced><mi>a</mi><mi>b</mi></mfenced>", "(a,b)"),
        (
            "<mtable><mtr><mtd>a</mtd><mtd>b</mtd></mtr><mtr><mtd>c</mtd></mtr></mtable>",
            "a, b; c",
        ),
        (
            "<mfrac><mi>f</mi><mi>x</mi></mfrac><mtext>if so</mtext><mo>&#x2061;</mo>",
            "f/x if so",
        ),
    ] {
        text(&format!("<p>so <math>{math}</math> is"), &format!("so {expected} is"));
    }
    let display = "<math display=block><mi>a</mi><mo>=</mo><mi>b</mi></math>";
    let fraction = "<math display=block><mfrac><mi>c</mi><mi>d</mi></mfrac></math>";
    text(
        &format!("x{display}{display}{fraction}y"),
        "x\n\na=b\n\na=b\n\nc/d\n\ny",
    );
    text("a <script type='math/tex'>x^2</script> b", "a x^2 b");
    // MathJax 2 shows the formula of the script before it.
    text(
        "a <span class=MathJax_Preview>x2</span><span class=MathJax><nobr>x2</nobr></span><script type='math/tex'>x^2</script> b",
        "a x^2 b",
    );
    text("a <span class=MathJax>x2</span> b", "a x2 b");
    let x = "<script type='math/tex'>x</script>";
    text(&format!("<p>let {x} be; then {x} is"), "let x be; then x is");
}
