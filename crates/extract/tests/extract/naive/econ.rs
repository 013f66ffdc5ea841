//! ECON, section III.B: the sets of neighbouring big-nodes, Joint-para and backtracking.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use super::pages::page;
use super::tree::{Reading, Tree};
use dehusk_extract::econ::{BareText, Marks, ParaText};
use dehusk_extract::strip::Links;
use dehusk_extract::{Econ, Extractor, PageContext};
use dehusk_html::{Buffers, Tag, parse};
use proptest::prelude::*;

/// Periods and commas of a subtree: all, or those that are not directly before a letter or digit; in links or not.
fn punc(econ: Econ, tree: &Tree, at: usize) -> usize {
    let texts = tree.texts(at).into_iter();
    let counts = |text: &usize| econ.linked_marks || !tree.is_in(*text, |around| around.link);
    let of = |text: &str| {
        let chars: Vec<char> = text.chars().collect();
        let is_inner =
            |at: usize| ".,".contains(chars[at]) && chars.get(at + 1).copied().is_some_and(char::is_alphanumeric);
        let is_mark = |at: &usize| ".,。｡，،．".contains(chars[*at]) && (econ.marks == Marks::All || !is_inner(*at));
        (0..chars.len()).filter(is_mark).count()
    };
    texts.filter(counts).map(|text| of(&tree.node(text).text)).sum()
}

fn is_big(tree: &Tree, at: usize) -> bool {
    use Tag::*;
    let node = tree.node(at);
    let by_name = matches!(
        node.tag,
        P | Br | H1 | H2 | H3 | H4 | H5 | H6 | Strong | Em | B | I | Tt | Font
    );
    let is_father = node.children.iter().any(|child| tree.is_text(*child));
    !tree.is_text(at) && (by_name || is_father)
}

/// All text-node-sets, the deepest first. Texts between elements part no set, and may be part of it.
fn sets(econ: Econ, tree: &Tree) -> Vec<Vec<usize>> {
    let joins = |at: usize| is_big(tree, at) || (econ.bare_text == BareText::Joined && tree.is_text(at));
    let mut sets = vec![vec![0]];
    for at in 0..tree.0.len() {
        let children = tree.node(at).children.iter().copied();
        let mut set = Vec::new();
        for child in children.filter(|child| joins(*child) || !tree.is_text(*child)) {
            if joins(child) {
                set.push(child);
            } else {
                sets.push(std::mem::take(&mut set));
            }
        }
        sets.push(set);
    }
    sets.retain(|set| set.iter().any(|at| is_big(tree, *at) && tree.chars(*at) > 0));
    sets.sort_by_key(|set| Reverse(tree.ancestors(set[0]).len()));
    sets
}

pub fn check(page: &str, econ: Econ) {
    let dom = parse(page, Buffers::default());
    let tree = Tree::new(&dom, Reading::new(econ.forms, econ.links));
    if tree.0.is_empty() {
        return;
    }
    let punc = |at: usize| punc(econ, &tree, at);
    let selection = econ.extract(&PageContext::new(&dom, ""));

    // Joint-para for every set: noise is pruned, the longest text-para wins.
    let mut pruned: BTreeSet<usize> = BTreeSet::new();
    let mut longest: Option<(usize, Reverse<usize>, usize)> = None;
    for set in sets(econ, &tree) {
        let inside = |set: &[usize]| set.iter().flat_map(|at| tree.subtree(*at)).collect::<BTreeSet<usize>>();
        let big: Vec<usize> = set.iter().copied().filter(|at| is_big(&tree, *at)).collect();
        if set.iter().all(|at| punc(*at) == 0) {
            pruned.extend(inside(&big));
            continue;
        }
        let counts = |at: &usize| tree.is_text(*at) && (econ.para_text == ParaText::Whole || !pruned.contains(at));
        let length = inside(&set).into_iter().filter(counts).map(|at| tree.chars(at)).sum();
        let snippet = big.into_iter().find(|at| tree.chars(*at) > 0).unwrap();
        longest = longest.max(Some((length, Reverse(set[0]), snippet)));
    }

    // Backtracking: up until the distance is 0 for the first time. Fathers that add no text may be skipped.
    let all = punc(0);
    let summary = longest.map(|(.., snippet)| {
        let (mut at, mut child) = (snippet, snippet);
        while let Some(father) = tree.node(child).parent {
            if punc(father) > punc(child) {
                at = father;
            } else if !econ.skip_wrappers || tree.chars(father) > tree.chars(child) {
                break;
            }
            child = father;
        }
        let way = std::iter::once(snippet).chain(tree.ancestors(snippet));
        (at, way.take_while(|of| *of != at).count() as u32)
    });
    assert_eq!(selection.winner, summary.map(|(at, _)| tree.node(at).id), "{page}");
    assert_eq!(selection.steps, summary.map(|(_, steps)| steps), "{page}");
    let left: Vec<usize> = match summary {
        Some((at, _)) => tree.texts(at).into_iter().filter(|at| !pruned.contains(at)).collect(),
        None if econ.fallback => vec![0],
        None => Vec::new(),
    };
    assert_eq!(tree.kept_by(&selection), tree.kept(&left), "{econ:?} of {page}");
    for at in 0..tree.0.len() {
        if let Some(score) = selection.score_of(tree.node(at).id) {
            assert_eq!(score, punc(at) as f64 / all as f64, "node {at} of {page}");
        } else {
            assert!(all == 0 || !is_big(&tree, at), "node {at} of {page}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1200, ..ProptestConfig::default() })]

    #[test]
    fn econ_is_the_papers_algorithm(page in page()) {
        check(&page, Econ::paper());
        check(&page, Econ { para_text: ParaText::Whole, ..Econ::paper() });
    }

    #[test]
    fn econ_is_its_algorithm_with_all_values(page in page(), is in any::<[bool; 6]>()) {
        check(&page, Econ::modern());
        check(&page, Econ {
            marks: if is[0] { Marks::All } else { Marks::Closing },
            linked_marks: is[1],
            links: if is[2] { Links::Anchors } else { Links::Targets },
            bare_text: if is[3] { BareText::Passed } else { BareText::Joined },
            skip_wrappers: is[4],
            fallback: is[5],
            ..Econ::modern()
        });
    }
}
