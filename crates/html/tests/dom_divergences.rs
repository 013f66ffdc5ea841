//! The fast parser against the strict one, on every page of both corpora: the words of the body, in order.
//!
//! Pages on which they part are listed with a reason in `data/parser_divergences.json`. A page that parts and is not
//! listed fails the test; so does one that is listed and parts no more. Where a corpus is absent, nothing is checked.
#![allow(clippy::unwrap_used)]

#[path = "../../../tests/support/corpus.rs"]
mod corpus;

use std::collections::BTreeMap;

use dehusk_html::dom::parse::parse;
use dehusk_html::dom::strict::parse_strict;
use dehusk_html::dom::text::render;
use dehusk_html::dom::{Buffers, Dom};

fn body_text(dom: &Dom) -> String {
    let mut out = String::new();
    render(dom, &[dom.subtree(dom.body())], &[], &mut out);
    out
}

#[test]
fn both_parsers_read_the_same_words() {
    let listed: serde_json::Value = serde_json::from_str(include_str!("data/parser_divergences.json")).unwrap();
    for name in ["wcxb-dev", "daniel-dev"] {
        let Some(pages) = corpus::corpus(name) else {
            eprintln!("corpus {name} is absent: not checked");
            continue;
        };
        assert!(!pages.is_empty());
        let mut expected: BTreeMap<&str, &str> = listed
            .as_array()
            .unwrap()
            .iter()
            .filter(|entry| entry["corpus"] == name)
            .map(|entry| (entry["record_id"].as_str().unwrap(), entry["reason"].as_str().unwrap()))
            .collect();
        let (mut new, mut words, mut agree) = (Vec::new(), 0, 0);
        for page in &pages {
            let fast = body_text(&parse(&page.html, Buffers::default()));
            let strict = parse_strict(&page.html, Buffers::default()).map(|dom| body_text(&dom));
            let strict_words = strict.as_deref().map(corpus::words).unwrap_or_default();
            words += strict_words.len();
            if strict.is_ok() && corpus::words(&fast) == strict_words {
                agree += 1;
            } else if expected.remove(page.id.as_str()).is_none() {
                new.push(&page.id);
            }
        }
        eprintln!("{name}: {agree} of {} pages agree, {words} words", pages.len());
        assert!(words > 100 * pages.len(), "{name}: too few words to compare anything");
        assert!(new.is_empty(), "{name}: new divergences: {new:?}");
        assert!(expected.is_empty(), "{name}: listed, but agree now: {expected:?}");
        assert!(
            agree * 1000 >= pages.len() * 995,
            "{name}: only {agree} of {} agree",
            pages.len()
        );
    }
}

/// The comparison can fail: what the fast parser leaves in its place, the strict one moves.
#[test]
fn a_known_departure_is_seen() {
    let page = "<table><tr><td>cell</td></tr>late</table>";
    let fast = body_text(&parse(page, Buffers::default()));
    let strict = body_text(&parse_strict(page, Buffers::default()).unwrap());
    assert_eq!(corpus::words(&fast), ["cell", "late"]);
    assert_eq!(corpus::words(&strict), ["late", "cell"]);
}
