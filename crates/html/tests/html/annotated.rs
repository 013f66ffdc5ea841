//! All of a page with the numbers of its nodes: nothing in a page can load, run or send anything.

use std::collections::BTreeSet;

use dehusk_html::{Annotation, Buffers, Dom, parse, render_annotated};
use proptest::prelude::*;

/// The elements that may be written.
const ELEMENTS: &[&str] = &[
    "abbr",
    "address",
    "article",
    "aside",
    "b",
    "bdi",
    "bdo",
    "blockquote",
    "br",
    "caption",
    "cite",
    "code",
    "dd",
    "del",
    "dfn",
    "div",
    "dl",
    "dt",
    "em",
    "figcaption",
    "figure",
    "footer",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "header",
    "hr",
    "i",
    "ins",
    "kbd",
    "li",
    "main",
    "mark",
    "nav",
    "ol",
    "p",
    "pre",
    "q",
    "rp",
    "rt",
    "ruby",
    "s",
    "samp",
    "section",
    "small",
    "span",
    "strong",
    "sub",
    "sup",
    "table",
    "tbody",
    "td",
    "tfoot",
    "th",
    "thead",
    "tr",
    "u",
    "ul",
    "var",
    "wbr",
];

/// The attributes that may be written.
const ATTRIBUTES: &[&str] = &[
    "id",
    "class",
    "data-note",
    "tabindex",
    "lang",
    "dir",
    "colspan",
    "rowspan",
];

fn annotated(dom: &Dom<'_>) -> String {
    let mut out = String::new();
    let annotation = |id| Annotation {
        class: "c".to_owned(),
        note: format!("<note> of \"{id}\" & more"),
    };
    render_annotated(dom, annotation, &mut out);
    out
}

/// The names of elements, the names and values of attributes, and the text of a page that was written.
fn parts(xml: &str) -> (BTreeSet<String>, Vec<(String, String)>, String) {
    let mut reader = quick_xml::Reader::from_str(xml);
    let (mut names, mut attributes, mut text) = (BTreeSet::new(), Vec::new(), String::new());
    loop {
        match reader.read_event().expect("well-formed XML") {
            quick_xml::events::Event::Start(tag) => {
                names.insert(tag.name().as_ref().to_owned());
                for attribute in tag.attributes() {
                    let attribute = attribute.expect("an attribute");
                    attributes.push((attribute.key.as_ref().to_owned(), attribute.value.into_owned()));
                }
            }
            quick_xml::events::Event::Text(part) => text.push_str(&part),
            quick_xml::events::Event::End(_) | quick_xml::events::Event::GeneralRef(_) => {}
            quick_xml::events::Event::Eof => return (names, attributes, text),
            other => panic!("{other:?}"),
        }
    }
}

fn check(page: &str) -> (String, Vec<(String, String)>) {
    let dom = parse(page, Buffers::default());
    let written = annotated(&dom);
    let (names, attributes, text) = parts(&written);
    for name in &names {
        assert!(ELEMENTS.contains(&name.as_str()), "{name} in {written}");
    }
    for (name, value) in &attributes {
        assert!(ATTRIBUTES.contains(&name.as_str()), "{name} in {written}");
        assert!(
            name == "data-note" || !value.contains([':', '<', '(']),
            "{name}={value} in {written}"
        );
    }
    (text, attributes)
}

#[test]
fn what_runs_loads_or_sends_is_not_written() {
    for page in [
        "<p>kept<script>evil()</script><script src=//evil.example/x.js></script>",
        "<p onclick=evil() onmouseover='evil()' style='background:url(//evil.example)'>kept",
        "<form action=//evil.example method=post><input name=a value=evil><button>kept</button></form>",
        "<iframe src=//evil.example>evil</iframe><frameset><frame src=//evil.example></frameset><p>kept",
        "<meta http-equiv=refresh content='0;url=//evil.example'><base href=//evil.example><p>kept",
        "<img src=//evil.example/x.png srcset='//evil.example/y.png 2x' alt=kept onerror=evil()>",
        "<link rel=stylesheet href=//evil.example/x.css><style>@font-face{src:url(//evil.example)}</style><p>kept",
        "<a href='javascript:evil()' ping=//evil.example target=_top>kept</a><a href=//evil.example download>.</a>",
        "<svg><script>evil()</script><use href=//evil.example#x /><a xlink:href='javascript:evil()'>kept</a></svg>",
        "<math><mtext><style><img src=x onerror=evil()></style></mtext></math><p>kept",
        "<object data=//evil.example><embed src=//evil.example></object><video src=//evil.example autoplay></video><p>kept",
        "<template><script>evil()</script></template><noscript><p>kept</noscript>",
        "<p id='x\"><script>evil()</script>' class='\"onclick=evil()' lang='\"><b>'>kept",
        "<p data-note=evil tabindex=1 dir='\"evil' colspan='9evil'>kept",
        "<title>kept</title><![CDATA[<script>evil()</script>]]><!--<script>evil()</script>--><?evil?>",
        "<x-evil onload=evil()>kept</x-evil><portal src=//evil.example></portal>",
        "<plaintext>kept",
    ] {
        let (text, attributes) = check(page);
        assert!(text.contains("kept"), "{page}: {text}");
        let evil = |(name, value): &&(String, String)| name != "data-note" && value.contains("evil");
        assert_eq!(attributes.iter().find(evil), None, "{page}");
    }
}

#[test]
fn every_node_that_is_shown_has_its_number() {
    let page = "<title>t</title><div><p>one <b>two</b></p><pre>a\n  b</pre><table><tr><td colspan=2>c</table></div>";
    let dom = parse(page, Buffers::default());
    let written = annotated(&dom);
    for id in 0..dom.len() {
        assert!(written.contains(&format!(" id=\"n{id}\" ")), "{id} in {written}");
    }
    assert!(
        written.contains("data-note=\"&lt;note&gt; of &quot;0&quot; &amp; more\" tabindex=\"0\""),
        "{written}"
    );
    assert!(
        written.contains("a\n  b</span></pre>") && written.contains("colspan=\"2\""),
        "{written}"
    );
}

#[test]
fn ten_thousand_nested_elements_are_written() {
    let page = format!("{}kept", "<div><table>".repeat(5_000));
    assert!(check(&page).0.contains("kept"));
}

proptest! {
    #[test]
    fn any_page_is_written_as_harmless_xml(
        page in "(<[a-z]{1,8}( [a-z]{1,5}=('[^']{0,9}'|[^ >]{0,5}))?>|</[a-z]{1,6}>|[<>&\"'a-c\0\t\n\u{1F}\u{FFFE}]){0,60}",
    ) {
        check(&page);
    }
}
