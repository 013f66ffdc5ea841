//! Markdown: what each kind of element becomes, and that a CommonMark parser reads the same words and structure again.

use dehusk_html::{Buffers, TextForm, parse, render};
use dehusk_testing::checks::markdown as check;
use dehusk_testing::checks::markdown::outline;
use proptest::prelude::*;

pub fn with(content: &str, form: TextForm<'_>) -> String {
    let page = format!("<!doctype html><body>{content}");
    let dom = parse(&page, Buffers::default());
    let mut out = String::new();
    render(&dom, &[dom.subtree(dom.body())], &[], form, &mut out);
    out
}

#[track_caller]
pub fn markdown(content: &str, expected: &str) {
    assert_eq!(with(content, TextForm::markdown()), expected, "{content}");
}

#[test]
fn blocks() {
    markdown(
        "<h1>a</h1>b<h3>c <br>#</h3><p>d<br>e<br><br>f",
        "# a\n\nb\n\n### c \\#\n\nd\\\ne\n\nf",
    );
    markdown(
        "a<blockquote>b<p>c<blockquote>d</blockquote></blockquote><blockquote>e</blockquote>f",
        "a\n\n> b\n>\n> c\n>\n> > d\n\n> e\n\nf",
    );
    markdown("a<hr><hr>b<hr>", "a\n\n---\n\nb");
    markdown(
        "<ul><li><hr>a<hr>b<li>c<hr><li>d</ul>",
        "- a\n\n  ---\n\n  b\n\n- c\n- d",
    );
    markdown("<dl><dt>a<dd>b<dt>c<dd>d</dl>", "**a**\\\nb\n\n**c**\\\nd");
    markdown("<dl><dt>a<dd><p>b<p>c</dl>", "**a**\n\nb\n\nc");
    markdown(
        "<p>1. a<p>- b<p># c<p>a_b *c* [d] <code>e</code> &lt;f>",
        "1\\. a\n\n\\- b\n\n\\# c\n\na_b \\*c\\* \\[d\\] `e` \\<f>",
    );
}

#[test]
fn lists() {
    markdown(
        "<ul><li>a<ol start=3><li>b<li>c</ol><li>d</ul>",
        "- a\n\n  3. b\n  4. c\n- d",
    );
    markdown("<ul><li>a<ul><li>b</ul>c</ul>", "- a\n  - b\n\n  c");
    markdown(
        "<ol><li>a<p>b</ol><ol><li>c</ol><ol><li>d</ol>",
        "1. a\n\n   b\n\n1) c\n\n1. d",
    );
    markdown("<ol start=-5><li>a</ol>", "0. a");
    markdown(
        "<ul><li>a<pre>b\n\n  c</pre><li>d</ul>",
        "- a\n\n  ```\n  b\n\n    c\n  ```\n\n- d",
    );
    markdown(
        "<ul><li><ul><li>a</ul><li><blockquote>b</blockquote></ul>",
        "- a\n- > b",
    );
}

#[test]
fn code() {
    markdown(
        "<pre><code class='hljs language-rust'>fn a() {\n  b\n}</code></pre>",
        "```rust\nfn a() {\n  b\n}\n```",
    );
    markdown(
        "<pre class='brush: java; toolbar: false'>a ``` b</pre>",
        "````java\na ``` b\n````",
    );
    markdown(
        "<div class='highlight highlight-source-shell'><pre>ls</pre></div>",
        "```shell\nls\n```",
    );
    markdown(
        "<pre data-lang=C++>a</pre><pre class=lang-none>b</pre>",
        "```c++\na\n```\n\n```\nb\n```",
    );
    for (class, language) in [
        ("language-js", "js"),
        ("hljs rust", "rust"),
        ("c hljs", "c"),
        ("sourceCode python", "python"),
        ("src src-sh", "sh"),
        ("prettyprint lang-go", "go"),
        ("highlight-default notranslate", ""),
        ("highlight-box wide", ""),
    ] {
        markdown(
            &format!("<pre class='{class}'>a</pre>"),
            &format!("```{language}\na\n```"),
        );
    }
    for (page, language) in [
        ("<pre><code lang=php>a</code></pre>", "php"),
        ("<pre lang=ruby>a</pre>", "ruby"),
        ("<pre class=python><code>a</code></pre>", "python"),
        ("<pre lang=en class=code>a</pre>", ""),
        ("<div class=java><pre>a</pre></div>", ""),
        (
            "<table><tr><td class=linenos><pre>1</pre><td><pre><i></i><code class=language-go>a</code></pre></table>",
            "go",
        ),
    ] {
        markdown(page, &format!("```{language}\na\n```"));
    }
    markdown(
        "<div class='highlight-python3 notranslate'><div class=highlight><pre>a</pre></div></div>",
        "```python3\na\n```",
    );
    markdown(
        "<code>a`b</code> <code>`</code> <code></code><code>c</code><code>d_e</code>",
        "``a`b`` `` ` `` `c`d_e",
    );
    markdown(
        "<p>x<blockquote><pre>a\n\nb</pre></blockquote>",
        "x\n\n> ```\n> a\n>\n> b\n> ```",
    );
}

#[test]
fn tables_in_cells() {
    markdown(
        "<table><tr><th>city<th>trains<tr><td>Ulm<td>daily <table><tr><th><th>from<th><b>to</b><tr><td>A|1<td colspan=2>8\
         <tr><td>B<td><td><code>11</code></table> not today<tr><td>Bonn<td>none</table>",
        "| city | trains |\n| --- | --- |\n| Ulm | daily; , from, **to**; A\\|1, 8; B, , `11`; not today |\n| Bonn | none |",
    );
}

#[test]
fn tables() {
    markdown(
        "<table><tr><th>a<th>b|c<tr><td>d<td><code>e|f</code></table>g",
        "| a | b\\|c |\n| --- | --- |\n| d | `e\\|f` |\n\ng",
    );
    markdown(
        "<table><tr><th>a<th>b<tr><td>c<td><pre><code>d|e</code></pre><tr><td>f<td><ul><li>g<li>h</ul></table>",
        "| a | b |\n| --- | --- |\n| c | `d\\|e` |\n| f | g; h |",
    );
    markdown(
        "<table><tr><td>a<td>b<tr><td><td>c</table>",
        "| a | b |\n| --- | --- |\n| | c |",
    );
    markdown(
        "<table><tr><th>a<th><tr><td>b<td>c</table>",
        "| a | |\n| --- | --- |\n| b | c |",
    );
    // Later rows may be wider.
    markdown(
        "<table><tr><th colspan=2>a<tr><td>b<td>c<td>d<tr><td colspan=4><hr></table>e",
        "| a | | |\n| --- | --- | --- |\n| b | c | d |\n\ne",
    );
}

#[test]
fn cells_that_others_cover_are_empty() {
    markdown(
        "<table><tr><th rowspan=2>a<th colspan=2>b<th>c<tr><td>d<td>e<td>f<tr><td>g<td rowspan=0>h<tr><td>i</table>",
        "| a | b | | c |\n| --- | --- | --- | --- |\n| | d | e | f |\n| g | h |\n| i |",
    );
    markdown(
        "<table><tr><td colspan=2>a<td>b<tr><td>c<td>d<td rowspan=2>e<tr><td>f<td colspan=0>g<td>h</table>",
        "| a | | b | |\n| --- | --- | --- | --- |\n| c | d | e |\n| f | g | | h |",
    );
    // Columns in which no cell begins are none.
    markdown(
        "<table><tr><th colspan=100>a<tr><td>b<td>c<tr><td colspan=100>d<tr><td>e<td colspan=9>f</table>",
        "| a | |\n| --- | --- |\n| b | c |\n| d | |\n| e | f |",
    );
    // A cell covers no rows of another group.
    for rows in [5, 0] {
        markdown(
            &format!("<table><tbody><tr><td rowspan={rows}>A<td>1</tbody><tbody><tr><td>B<td>3</table>"),
            "| A | 1 |\n| --- | --- |\n| B | 3 |",
        );
    }
}

#[test]
fn bold_and_italic_text() {
    for (content, expected) in [
        (
            "a <b>b c</b> <i>d</i>e <strong><em>f</em></strong>.",
            "a **b c** *d*e ***f***.",
        ),
        ("<b> a </b>b<b></b> <i class=icon></i>c", "**a** b c"),
        ("<b>a <i>b</i></b><b>c</b><i>d</i>", "**a *b*c**d"),
        ("<h2>a <b>b</b></h2>", "## a b"),
        // Marks end with their line, and begin again on the next.
        (
            "<div style='white-space:pre-line'><b><strong>a\n\nb</strong> c</b> <i>d</i></div>",
            "**a**\n\n**b c** *d*",
        ),
        ("<b><strong>Title<br><br>Text</strong></b> a", "**Title**\n\n**Text** a"),
        ("<b>a <i>b<br>c</i> d</b> <i>e</i> f", "**a *b***\\\n***c* d** *e* f"),
        ("<b>a<br></b>b<br><b><br>c</b>", "**a**\\\nb\n\n**c**"),
        ("<b>a<b>b</b></b><p><b>c<p>d</b>", "**ab**\n\n**c**\n\nd"),
        ("<b><code>a</code></b> <code><b>b</b></code>", "**`a`** `b`"),
        ("<b>- a</b><p><b>1. a)</b>b", "**\\- a**\n\n1\\. a)b"),
        // A mark that readers do not recognise is not written.
        (
            "a<b>(b</b> <b>a)</b>b <b>(c)</b>, <i>「d」</i>e",
            "a(b a)b **(c)**, 「d」e",
        ),
        ("<code>a</code><b><code>b</code></b>c", "`a`bc"),
        ("<i><b>a</b></i><i><b>b</b></i> c", "***a***b c"),
        ("<b><i>a</i> b(<i>*</i>, <i>c</i>)</b>", "***a* b(\\*, *c*)**"),
        ("*<b>a</b>* <i>*</i>", "\\***a**\\* *\\**"),
        (
            "<table><tr><th>a<th><b>b</b><tr><td><i>c</i><td>d</table>",
            "| a | **b** |\n| --- | --- |\n| *c* | d |",
        ),
    ] {
        markdown(content, expected);
    }
    let form = TextForm::markdown().with_links(true).with_url("https://a.example/");
    assert_eq!(with("<b><a href=b>c</a></b>", form), "**[c](https://a.example/b)**");
    assert_eq!(with("<a href=b><b>c</b> d</a>", form), "[**c** d](https://a.example/b)");
}

#[test]
fn callouts() {
    markdown(
        "a<div class='admonition note'><p class=admonition-title>Note</p><p>b</p></div>c",
        "a\n\n> [!NOTE]\n> b\n\nc",
    );
    markdown(
        "a<div class='markdown-alert markdown-alert-tip'><p class=markdown-alert-title>Tip</p><p>b</p><p>c</p></div>d",
        "a\n\n> [!TIP]\n> b\n>\n> c\n\nd",
    );
    markdown(
        "<ul><li><div class=callout data-callout=info><div class=callout-title><div class=callout-title-inner>A</div></div>b</div></ul>",
        "- > [!INFO]\n  > **A**\n  >\n  > b",
    );
    // A title is left out only where its callout has a mark.
    markdown(
        "<table><tr><th>a<th>b<tr><td><div class='admonition note'><p class=admonition-title>Note</p>x</div><td>c</table>",
        "| a | b |\n| --- | --- |\n| Note x | c |",
    );
    markdown(
        "<blockquote class='admonition note'><p class=admonition-title>Note</p><p>b</p></blockquote>",
        "> **Note**\n>\n> b",
    );
}

#[test]
fn callouts_of_other_programs() {
    for (class, title, mark) in [
        (
            "admonition warning",
            "<p class=admonition-title>Warning:</p>",
            "[!WARNING]",
        ),
        ("admonition", "<p class=admonition-title>A</p>", "[!NOTE]\n> **A**\n>"),
        (
            "admonition admonition-warning alert",
            "<p class=admonition-title>warning</p>",
            "[!WARNING]",
        ),
        ("tip custom-block", "<p class=custom-block-title>TIP</p>", "[!TIP]"),
        (
            "theme-admonition theme-admonition-info alert",
            "<div class=admonitionHeading_x><span></span>info</div>",
            "[!INFO]",
        ),
    ] {
        markdown(
            &format!("<div class='{class}'>{title}<p>b</p></div>c"),
            &format!("> {mark}\n> b\n\nc"),
        );
    }
    markdown("<div class=note>a</div><div class='alert alert-info'>b</div>", "a\n\nb");
    markdown("<div class='block custom-block'><p>a</p></div>b", "a\n\nb");
}

#[test]
fn elements_are_headings_by_their_role() {
    markdown("<div role=heading aria-level=3>a</div>b", "### a\n\nb");
    markdown("<div role=heading aria-level=9>a</div>b", "###### a\n\nb");
    markdown("<div role=treeitem aria-level=3>a</div>b", "a\n\nb");
}

#[test]
fn links_and_images() {
    let form = TextForm::markdown()
        .with_links(true)
        .with_images(true)
        .with_url("https://a.example/x/y");
    for (content, expected) in [
        (
            "a <a href='../b?c=1&amp;d'>b [c]</a>.",
            "a [b \\[c\\]](https://a.example/b?c=1\\&d).",
        ),
        ("<a href='javascript:x'>a</a> <a>b</a> <a href=''>c</a>", "a b c"),
        ("<a href=b><h2>c</h2><p>d</p></a>", "## [c](https://a.example/x/b)\n\nd"),
        (
            "<img src=i.png alt='a  *b*'> c",
            "![a \\*b\\*](https://a.example/x/i.png) c",
        ),
        (
            "<a href=b><img src=//c.example/i></a>",
            "[![](https://c.example/i)](https://a.example/x/b)",
        ),
        (
            "<base href='/z/'><a href='b (c)'>d</a>",
            "[d](https://a.example/z/b%20%28c%29)",
        ),
        ("<a href=x></a>a", "a"),
        ("a!<a href=b>c</a>", "a\\![c](https://a.example/x/b)"),
        ("a<br><a href=b></a><br>c", "a\n\nc"),
    ] {
        assert_eq!(with(content, form), expected, "{content}");
    }
    markdown("<a href=x>a</a><img src=y>", "a");
    // A reference without its note keeps its address.
    assert_eq!(
        with("<p>a<a href=#n role=doc-noteref>2</a>", form),
        "a\\[[2](https://a.example/x/y#n)\\]"
    );
}

#[test]
fn signs_that_lead_to_where_they_are_have_no_text() {
    markdown(
        "<h1>a<a class=headerlink href=#a>¶</a></h1><h2><a href=#b>#</a> b</h2><dl><dt id=c>c<a href=#c>&para;</a><dd>d</dl>",
        "# a\n\n## b\n\n**c**\\\nd",
    );
    // Others are words, lead elsewhere, or are a letter of an index.
    markdown(
        "<h2><a href=#x>C#</a></h2><p><a href=#n>#</a> <a href=#a>A</a><p><a href=/law>§</a> <a href=x>¶</a>",
        "## C#\n\n\\# A\n\n§ ¶",
    );
}

#[test]
fn mathematics() {
    let math = "<math><mi>a</mi><annotation encoding='application/x-tex'>a_1 ` b</annotation></math>";
    markdown(&format!("so {math} holds"), "so $``a_1 ` b``$ holds");
    markdown(
        "<math display=block alttext='x^2'><mi>x</mi></math>b",
        "```math\nx^2\n```\n\nb",
    );
    markdown("<script type='math/tex; mode=display'>x</script>", "```math\nx\n```");
    markdown("<p>a <img class=tex alt='x_1' src=y> b", "a $`x_1`$ b");
}

#[test]
fn structure_is_read_again() {
    let page = "<h2>One *</h2><ul><li>a_<li>b<ol><li>c</ol></ul><pre>x\n\n  \
        y</pre><table><tr><th>1<th>2<tr><td>3<td>4|</table>";
    let read = outline(&with(page, TextForm::markdown()));
    assert_eq!(read.headings, [(2, "One *".to_owned())]);
    assert_eq!(read.items, ["a_", "b", "c"]);
    assert_eq!(read.code, ["x\n\n  y"]);
    assert_eq!(read.rows, [["1", "2"], ["3", "4|"]]);
}

/// Pages of elements that have a form, opened and closed at will, and of texts that look like Markdown.
fn page() -> impl Strategy<Value = String> {
    let tags = "p div h1 h3 ul ol li blockquote pre code a b table tr td th br hr dl dt dd q sup textarea span caption \
        details";
    let tags: Vec<&str> = tags.split(' ').collect();
    let texts = [
        "- a",
        "+ b",
        "1. c",
        "12) d",
        "# e",
        "> f",
        "*g*",
        "_h_ i_j",
        "`k`",
        "[l](m)",
        "&lt;n>",
        "&amp;amp;",
        "~~~",
        "```",
        "===",
        "---",
        "|",
        "o | p",
        ":--",
        "\\",
        "\\*",
        "!",
        "$q$",
        " ",
        "\n",
        "\n\n  r",
        "    s",
        "\tt",
        "<br>",
        "https://u.example/v_w_",
        "é",
        "日本。",
        "&nbsp;",
        "5",
        ".",
        "x y. z,",
    ];
    let piece = prop_oneof![
        4 => prop::sample::select(tags.clone()).prop_map(|tag| format!("<{tag}>")),
        3 => prop::sample::select(tags).prop_map(|tag| format!("</{tag}>")),
        6 => prop::sample::select(texts.to_vec()).prop_map(str::to_owned),
    ];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, ..ProptestConfig::default() })]

    #[test]
    fn words_and_structure_are_read_again(page in page(), bits in any::<u64>()) {
        let dom = parse(&page, Buffers::default());
        check::check(&dom, &[dom.subtree(dom.body())], &[]);
        let is_chosen = |id: &u32| dom.node(*id).tag.is_text() && bits >> (id % 64) & 1 == 1;
        let chosen: Vec<_> = (dom.body()..dom.len()).filter(is_chosen).map(|id| dom.subtree(id)).collect();
        check::check(&dom, &chosen, &[]);
    }
}
