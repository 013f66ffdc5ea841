//! ECON, section III.B: the sets of neighbouring big-nodes, Joint-para and backtracking.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use super::pages::page;
use super::tree::{Reading, Tree};
use dehusk_extract::econ::ParaText;
use dehusk_extract::{Econ, Extractor, PageContext};
use dehusk_html::{Buffers, Tag, parse};
use proptest::prelude::*;

/// Periods and commas of a subtree.
fn punc(tree: &Tree, at: usize) -> usize {
    let texts = tree.texts(at).into_iter();
    texts
        .map(|text| {
            tree.node(text)
                .text
                .chars()
                .filter(|c| ".,。｡，،．".contains(*c))
                .count()
        })
        .sum()
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

/// All text-node-sets, the deepest first. Texts between elements part no set.
fn sets(tree: &Tree) -> Vec<Vec<usize>> {
    let mut sets = vec![vec![0]];
    for at in 0..tree.0.len() {
        let elements = tree
            .node(at)
            .children
            .iter()
            .copied()
            .filter(|child| !tree.is_text(*child));
        let mut set = Vec::new();
        for child in elements {
            if is_big(tree, child) {
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

fn check(page: &str, econ: Econ) {
    let dom = parse(page, Buffers::default());
    let tree = Tree::new(&dom, Reading::default());
    if tree.0.is_empty() {
        return;
    }
    let selection = econ.extract(&PageContext::new(&dom, ""));

    // Joint-para for every set: noise is pruned, the longest text-para wins.
    let mut pruned: BTreeSet<usize> = BTreeSet::new();
    let mut longest: Option<(usize, Reverse<usize>, usize)> = None;
    for set in sets(&tree) {
        let inside: BTreeSet<usize> = set.iter().flat_map(|at| tree.subtree(*at)).collect();
        if set.iter().all(|at| punc(&tree, *at) == 0) {
            pruned.extend(inside);
            continue;
        }
        let counts = |at: &&usize| tree.is_text(**at) && (econ.para_text == ParaText::Whole || !pruned.contains(*at));
        let length = inside.iter().filter(counts).map(|at| tree.chars(*at)).sum();
        let snippet = set.iter().copied().find(|at| tree.chars(*at) > 0).unwrap();
        longest = longest.max(Some((length, Reverse(set[0]), snippet)));
    }

    // Backtracking: up until the distance is 0 for the first time.
    let all = punc(&tree, 0);
    let summary = longest.map(|(.., snippet)| {
        let (mut at, mut steps) = (snippet, 0);
        while let Some(father) = tree
            .node(at)
            .parent
            .filter(|father| punc(&tree, *father) > punc(&tree, at))
        {
            at = father;
            steps += 1;
        }
        (at, steps)
    });
    assert_eq!(selection.winner, summary.map(|(at, _)| tree.node(at).id), "{page}");
    assert_eq!(selection.steps, summary.map(|(_, steps)| steps), "{page}");
    let left: Vec<usize> = summary.map_or(Vec::new(), |(at, _)| {
        tree.texts(at).into_iter().filter(|at| !pruned.contains(at)).collect()
    });
    assert_eq!(tree.kept_by(&selection), tree.kept(&left), "{page}");
    for at in 0..tree.0.len() {
        if let Some(score) = selection.score_of(tree.node(at).id) {
            assert_eq!(score, punc(&tree, at) as f64 / all as f64, "node {at} of {page}");
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
}
