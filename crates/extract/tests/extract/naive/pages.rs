//! Random pages: well nested, soup, and small versions of pages that are made to cost much.

use proptest::prelude::*;

/// Pieces of text. Some are what ContentEx's filters, NCE's dates and ECON's marks look for.
const WORDS: [&str; 24] = [
    "one",
    "two words",
    "three, then.",
    "A sentence, of some length, it is.",
    "12:30",
    "2010-05-01",
    "10.0.0.7",
    "Author:",
    "All right reserved",
    "Reply",
    "日本",
    "日本。",
    "&amp;",
    "a&nbsp;b",
    "12:31",
    "by 12:30",
    "…",
    "two",
    "The harbour opened again after the storm had gone.",
    "no mark at all in this long piece of text",
    "© 2011 A Paper",
    "You may not post replies",
    "version 3.14, of example.com",
    "Home",
];

const ELEMENTS: [&str; 30] = [
    "div",
    "p",
    "ul",
    "li",
    "b",
    "i",
    "a href=x",
    "a",
    "a name=y",
    "span",
    "h1",
    "h2",
    "table",
    "td",
    "tr",
    "font",
    "em",
    "form",
    "select",
    "button",
    "section",
    "noscript",
    "script",
    "style",
    "u",
    "textarea",
    "div hidden",
    "p style='display:none'",
    "span style='color:red; visibility: hidden'",
    "div style='display:none; display:block'",
];

const VOID: [&str; 6] = [
    "br",
    "img src=x",
    "input",
    "input type=submit",
    "input type=' Button '",
    "hr",
];

fn words() -> impl Strategy<Value = String> {
    prop_oneof![
        8 => prop::sample::select(WORDS.to_vec()).prop_map(str::to_owned),
        2 => (prop::sample::select(WORDS.to_vec()), 1..12usize).prop_map(|(word, times)| [word].repeat(times).join(" ")),
    ]
}

/// A subtree whose elements are all closed.
fn nested() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        6 => words(),
        1 => prop::sample::select(VOID.to_vec()).prop_map(|tag| format!("<{tag}>")),
    ];
    leaf.prop_recursive(6, 60, 6, |inner| {
        (
            prop::sample::select(ELEMENTS.to_vec()),
            prop::collection::vec(inner, 0..6),
        )
            .prop_map(|(tag, inner)| {
                let name = tag.split(' ').next().unwrap_or(tag);
                format!("<{tag}>{}</{name}>", inner.join(" "))
            })
    })
}

/// Tags opened and closed at will.
fn soup() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        3 => prop::sample::select(ELEMENTS.to_vec()).prop_map(|tag| format!("<{tag}>")),
        2 => prop::sample::select(ELEMENTS.to_vec()).prop_map(|tag| format!("</{}>", tag.split(' ').next().unwrap_or(tag))),
        1 => prop::sample::select(VOID.to_vec()).prop_map(|tag| format!("<{tag}>")),
        4 => words().prop_map(|words| format!(" {words} ")),
    ];
    prop::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

/// Small versions of pages on which something quadratic would not finish.
fn hostile() -> impl Strategy<Value = String> {
    let deep = [
        "<div>",
        "<a href=x>",
        "<b>",
        "<table><tr><td>",
        "<li>",
        "<p><i>",
        "<div>x, ",
    ];
    let flat = [
        "<p>a, b</p>",
        "<b>c</b> d ",
        "<a href=x>e</a>",
        "<td>f",
        "<br>",
        "<a name=n>g",
        "<p>a <a>b</a></p>",
        "12:30<br>",
    ];
    let deep = (prop::sample::select(deep.to_vec()), 0..40usize).prop_map(|(piece, times)| piece.repeat(times));
    let flat = (prop::sample::select(flat.to_vec()), 0..40usize).prop_map(|(piece, times)| piece.repeat(times));
    (deep.clone(), flat.clone(), words(), deep, flat).prop_map(|(a, b, c, d, e)| [a, b, c, d, e].join(" "))
}

/// A part of a page, well nested.
pub fn piece() -> impl Strategy<Value = String> {
    nested()
}

/// A page of any of these kinds, with a title or without.
pub fn page() -> impl Strategy<Value = String> {
    let body = prop_oneof![
        4 => prop::collection::vec(nested(), 0..6).prop_map(|parts| parts.join(" ")),
        3 => soup(),
        1 => hostile(),
    ];
    let title = prop_oneof![
        2 => Just(String::new()),
        1 => words().prop_map(|words| format!("<title>{words}</title>")),
    ];
    (title, body).prop_map(|(title, body)| format!("{title}<body>{body}"))
}
