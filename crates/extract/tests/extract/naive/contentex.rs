//! ContentEx, figure 3 and sections II.A and III.B, with all values of the parameters.

use std::collections::{BTreeMap, BTreeSet};

use super::masks::masked;
use super::pages::page;
use super::patterns::PATTERNS;
use super::tree::{Reading, Tree, words};
use dehusk_extract::contentex::{CopyrightText, Extend, Parameters, Unit};
use dehusk_extract::strip::Links;
use dehusk_extract::{ContentEx, Extractor, PageContext};
use dehusk_html::{Buffers, Dom, NodeId, Tag, parse};
use proptest::prelude::*;
use regex::Regex;

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

/// Figure 3: deletes the link tables. A table may climb while the score is below the threshold instead of while it
/// falls, and may hold only a share of the words outside links.
fn link_tables(tree: &Tree, of: &Parameters) -> BTreeSet<usize> {
    let outside = |at: usize| {
        let texts = tree.texts(at).into_iter();
        let texts = texts.filter(|text| !tree.is_in(*text, |around| around.link));
        texts.map(|text| words(&tree.node(text).text)).sum::<usize>() as f64
    };
    let most = of.table_share * outside(0);
    let may_be_table = |at: usize| outside(at) <= most && (of.extend == Extend::Falling || at > 0);
    let reaches = |from: usize, to: usize| match of.extend {
        Extend::Falling => score(tree, to) < score(tree, from),
        Extend::Below => score(tree, to) < of.threshold,
    };
    let mut deleted = BTreeSet::new();
    for at in 0..tree.0.len() {
        let node = tree.node(at);
        // A deleted node is not visited, and a terminal has nothing inside.
        if !of.link_table || !node.link || deleted.contains(&at) || tree.is_in(at, |around| around.link) {
            continue;
        }
        let Some(parent) = node.parent.filter(|parent| score(tree, *parent) < of.threshold) else {
            continue;
        };
        let mut table = if may_be_table(parent) { parent } else { at };
        while let Some(parent) = tree.node(table).parent
            && may_be_table(parent)
            && reaches(table, parent)
        {
            table = parent;
        }
        deleted.extend(tree.subtree(table));
    }
    deleted
}

/// The patterns of III.B that need one text alone. "Text nodes which consist of a few words and these words match" a
/// time. 0 words of a colon or copyright note are any number.
fn is_noise(text: &str, of: &Parameters) -> bool {
    let few_beside = |pattern: &Regex, most: u32| {
        let inside: Vec<usize> = pattern.find_iter(text).map(|found| words(found.as_str())).collect();
        let most = most as usize;
        let beside = words(text).saturating_sub(inside.iter().sum());
        !inside.is_empty() && beside <= most && words(text) <= 16 + most && text.len() <= 4096
    };
    let is_short = |most: u32| most == 0 || words(text) <= most as usize;
    let any = |patterns: &[Regex]| patterns.iter().any(|pattern| pattern.is_match(text));
    let string = || {
        let text = text.to_lowercase();
        text.contains("all right reserved") || text.contains("all rights reserved")
    };
    (of.time && few_beside(&PATTERNS.time, of.time_words))
        || (of.ip && few_beside(&PATTERNS.ip, of.ip_words))
        || (of.colon && is_short(of.colon_words) && any(&PATTERNS.colon))
        || (of.copyright
            && is_short(of.copyright_words)
            && any(&PATTERNS.copyright)
            && (of.copyright_text == CopyrightText::Patterns || string()))
}

/// The line of each node: the number of borders before it. Nodes that are deleted are on no line.
fn lines(dom: &Dom<'_>, id: NodeId, is_deleted: &dyn Fn(NodeId) -> bool, line: &mut usize) -> BTreeMap<NodeId, usize> {
    let tag = dom.node(id).tag;
    let is_block = tag.is_block() || tag.is_spaced();
    *line += usize::from(is_block || tag == Tag::Br);
    let mut all = BTreeMap::from([(id, *line)]);
    if !is_deleted(id) {
        for child in dom.children(id) {
            all.extend(lines(dom, child, is_deleted, line));
        }
    }
    *line += usize::from(is_block);
    all
}

/// The texts that are left.
fn kept(dom: &Dom<'_>, tree: &Tree, of: &Parameters, reading: Reading) -> BTreeSet<NodeId> {
    let tables = link_tables(tree, of);
    let is_left = |at: &usize| tree.is_text(*at) && !tables.contains(at) && !is_noise(&tree.node(*at).text, of);
    let texts: Vec<usize> = (0..tree.0.len()).filter(is_left).collect();
    let masked = masked(dom, reading);
    let in_tables: BTreeSet<NodeId> = tables.iter().map(|at| tree.node(*at).id).collect();
    let lines = lines(
        dom,
        dom.body(),
        &|id| masked.contains(&id) || in_tables.contains(&id),
        &mut 0,
    );
    let has_words = |at: usize| words(&tree.node(at).text) > 0;
    let is_alone = |at: usize| {
        let line = |at: usize| lines[&tree.node(at).id];
        let same = texts
            .iter()
            .filter(|other| has_words(**other) && line(**other) == line(at));
        of.repeated_unit == Unit::Text || same.count() == 1
    };
    let counted: Vec<usize> = texts
        .iter()
        .copied()
        .filter(|at| has_words(*at) && is_alone(*at))
        .collect();
    // Short texts that are on the page several times.
    let is_repeated = |at: &usize| {
        let text = &tree.node(*at).text;
        let times = counted.iter().filter(|other| tree.node(**other).text == *text).count();
        of.repeated
            && counted.contains(at)
            && words(text) <= of.repeated_words as usize
            && times >= of.repeated_times as usize
    };
    let kept: Vec<usize> = texts.iter().copied().filter(|at| !is_repeated(at)).collect();
    if kept.iter().any(|at| has_words(*at)) {
        tree.kept(&kept)
    } else {
        // Without words nothing is kept.
        BTreeSet::new()
    }
}

pub fn check(page: &str, parameters: Parameters) {
    let dom = parse(page, Buffers::default());
    let reading = Reading {
        statement_words: parameters.statements.then_some(parameters.statement_words as usize),
        ..Reading::new(parameters.forms, parameters.links)
    };
    let tree = Tree::new(&dom, reading);
    let extractor = ContentEx::new(parameters.clone()).unwrap();
    let selection = extractor.extract(&PageContext::new(&dom, ""));
    if tree.0.is_empty() {
        return;
    }
    for at in 0..tree.0.len() {
        // The extractor looks into links too, and gives no score where there is nothing.
        if at == 0 || !(tree.node(at).link || tree.is_in(at, |around| around.link)) {
            let expected = Some(score(&tree, at)).filter(|score| !score.is_nan());
            assert_eq!(selection.score_of(tree.node(at).id), expected, "node {at} of {page}");
        }
    }
    let kept = kept(&dom, &tree, &parameters, reading);
    assert_eq!(tree.kept_by(&selection), kept, "{parameters:?} of {page}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1200, ..ProptestConfig::default() })]

    #[test]
    fn contentex_is_the_papers_algorithm(page in page(), threshold in prop::sample::select(vec![0.3, 0.5, 0.8])) {
        check(&page, Parameters { threshold, ..Parameters::paper() });
        check(&page, Parameters { statements: false, threshold, ..Parameters::paper() });
    }

    #[test]
    fn contentex_is_its_algorithm_with_the_modern_values(page in page(), words in 1..9_u32, is in any::<[bool; 5]>()) {
        let modern = Parameters::modern();
        check(&page, modern.clone());
        check(&page, Parameters {
            statement_words: words,
            time_words: words,
            colon_words: words,
            copyright_words: words,
            repeated_words: words,
            links: if is[0] { Links::Anchors } else { Links::Targets },
            extend: if is[1] { Extend::Below } else { Extend::Falling },
            copyright_text: if is[2] { CopyrightText::String } else { CopyrightText::Patterns },
            repeated_unit: if is[3] { Unit::Line } else { Unit::Text },
            link_table: is[4],
            ..modern
        });
    }
}
