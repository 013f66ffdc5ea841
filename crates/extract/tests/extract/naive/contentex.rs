//! ContentEx, figure 3 and section III.B. The pages hold few kinds of times and addresses, so plain comparisons find
//! them.

use std::collections::BTreeSet;

use super::pages::page;
use super::tree::{Reading, Tree, words};
use dehusk_extract::contentex::Parameters;
use dehusk_extract::{ContentEx, Extractor, PageContext};
use dehusk_html::{Buffers, NodeId, parse};
use proptest::prelude::*;

/// `textCnt` and `linkCnt`: a link node is a terminal, with one word and one link.
fn counts(tree: &Tree, at: usize) -> (usize, usize) {
    let node = tree.node(at);
    if node.link && at > 0 {
        return (1, 1);
    }
    if tree.is_text(at) {
        return (words(&node.text), 0);
    }
    let sum = |(a, b): (usize, usize), (c, d): (usize, usize)| (a + c, b + d);
    node.children.iter().map(|child| counts(tree, *child)).fold((0, 0), sum)
}

fn score(tree: &Tree, at: usize) -> f64 {
    let (text, link) = counts(tree, at);
    (text - link) as f64 / text as f64
}

/// Figure 3: deletes the link tables.
fn link_tables(tree: &Tree, threshold: f64) -> BTreeSet<usize> {
    let mut deleted = BTreeSet::new();
    for at in 0..tree.0.len() {
        let node = tree.node(at);
        // What is deleted is not visited, and a terminal has nothing inside.
        if !node.link || deleted.contains(&at) || tree.is_in(at, |around| around.link) {
            continue;
        }
        let Some(mut table) = node.parent.filter(|parent| score(tree, *parent) < threshold) else {
            continue;
        };
        while let Some(parent) = tree.node(table).parent
            && score(tree, parent) < score(tree, table)
        {
            table = parent;
        }
        deleted.extend(tree.subtree(table));
    }
    deleted
}

const TIMES: [&str; 3] = ["12:30", "12:31", "2010-05-01"];

/// The patterns of III.B that need one text alone. "Text nodes which consist of a few words and these words match" a
/// time; for addresses the paper has no rule, and ours allows four words beside one.
fn is_noise(text: &str) -> bool {
    let few_beside = |known: &[&str], most: usize| {
        let found = text.split_whitespace().filter(|word| known.contains(word)).count();
        found > 0 && words(text) - found <= most && words(text) <= 16 + most
    };
    few_beside(&TIMES, 0)
        || few_beside(&["10.0.0.7"], 4)
        || text.ends_with(':')
        || text.to_lowercase().contains("all right reserved")
}

/// The texts that are left.
fn kept(tree: &Tree, parameters: &Parameters) -> BTreeSet<NodeId> {
    let tables = link_tables(tree, parameters.threshold);
    let left = |at: &usize| tree.is_text(*at) && !tables.contains(at) && !is_noise(&tree.node(*at).text);
    let texts: Vec<usize> = (0..tree.0.len()).filter(left).collect();
    // Short texts that are on the page three times.
    let repeated = |at: &usize| {
        let text = &tree.node(*at).text;
        let times = texts.iter().filter(|other| tree.node(**other).text == *text).count();
        (1..=4).contains(&words(text)) && times >= 3
    };
    let kept: Vec<usize> = texts.iter().copied().filter(|at| !repeated(at)).collect();
    if kept.iter().any(|at| words(&tree.node(*at).text) > 0) {
        tree.kept(&kept)
    } else {
        // Without words nothing is kept.
        BTreeSet::new()
    }
}

fn check(page: &str, parameters: Parameters) {
    let dom = parse(page, Buffers::default());
    let tree = Tree::new(&dom, Reading::NO_FORMS);
    let selection = ContentEx::new(parameters.clone())
        .unwrap()
        .extract(&PageContext::new(&dom, ""));
    for at in 0..tree.0.len() {
        // The extractor looks into links too, and gives no score where there is nothing.
        if at == 0 || !(tree.node(at).link || tree.is_in(at, |around| around.link)) {
            let expected = Some(score(&tree, at)).filter(|score| !score.is_nan());
            assert_eq!(selection.score_of(tree.node(at).id), expected, "node {at} of {page}");
        }
    }
    assert_eq!(tree.kept_by(&selection), kept(&tree, &parameters), "{page}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1200, ..ProptestConfig::default() })]

    #[test]
    fn contentex_is_the_papers_algorithm(page in page(), threshold in prop::sample::select(vec![0.3, 0.5, 0.8])) {
        // Which texts are statements is not in the paper.
        check(&page, Parameters { statements: false, threshold, ..Parameters::paper() });
    }
}
