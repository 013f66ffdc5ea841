//! The fast parser against the strict one on every page of a corpus: the words of the body, in order.
//!
//! `divergences.json` lists the pages on which they differ, each with a reason: `{"corpus", "record_id", "reason"}`. A
//! page that differs and is not listed fails the test. So does a listed page that no longer differs.

use std::collections::BTreeMap;

use crate::corpus;
use dehusk_html::{Buffers, Dom, parse, parse_strict, render_text};

fn body_text(dom: &Dom) -> String {
    let mut out = String::new();
    render_text(dom, &[dom.subtree(dom.body())], &[], &mut out);
    out
}

pub fn both_parsers_read_the_same_words(name: &str) {
    let listed: serde_json::Value = serde_json::from_str(include_str!("divergences.json")).unwrap();
    let pages = corpus::pages(name);
    assert!(!pages.is_empty());
    let mut expected: BTreeMap<&str, &str> = listed
        .as_array()
        .unwrap()
        .iter()
        .filter(|entry| entry["corpus"] == name)
        .map(|entry| (entry["record_id"].as_str().unwrap(), entry["reason"].as_str().unwrap()))
        .collect();
    let (mut new, mut compared, mut agree) = (Vec::new(), 0, 0);
    for page in &pages {
        let fast = body_text(&parse(&page.html, Buffers::default()));
        let strict = parse_strict(&page.html, Buffers::default()).map(|dom| body_text(&dom));
        let strict_words = strict.as_deref().map(words).unwrap_or_default();
        compared += strict_words.len();
        if strict.is_ok() && words(&fast) == strict_words {
            agree += 1;
        } else if expected.remove(page.id.as_str()).is_none() {
            new.push(&page.id);
        }
    }
    eprintln!("{name}: {agree} of {} pages agree, {compared} words", pages.len());
    assert!(
        compared > 100 * pages.len(),
        "{name}: too few words to compare anything"
    );
    assert!(new.is_empty(), "{name}: new divergences: {new:?}");
    assert!(expected.is_empty(), "{name}: listed, but agree now: {expected:?}");
    assert!(
        agree * 1000 >= pages.len() * 995,
        "{name}: only {agree} of {} agree",
        pages.len()
    );
}

/// Shows that the comparison can fail: the strict parser moves text that the fast one leaves in its place.
pub fn a_known_departure_is_found() {
    let page = "<table><tr><td>cell</td></tr>late</table>";
    let fast = body_text(&parse(page, Buffers::default()));
    let strict = body_text(&parse_strict(page, Buffers::default()).unwrap());
    assert_eq!(words(&fast), ["cell", "late"]);
    assert_eq!(words(&strict), ["late", "cell"]);
}

/// The words of a text: runs of letters, digits, marks and `_`; every CJK character is one.
fn words(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut from = None;
    for (at, c) in text.char_indices() {
        let cjk = matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}');
        let inner = !cjk && (c.is_alphanumeric() || c == '_');
        if let (Some(start), false) = (from, inner) {
            words.push(&text[start..at]);
            from = None;
        }
        if cjk {
            words.push(&text[at..at + c.len_utf8()]);
        } else if inner && from.is_none() {
            from = Some(at);
        }
    }
    words.extend(from.map(|start| &text[start..]));
    words
}
