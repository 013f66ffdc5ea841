//! The methods that the papers compare with, from their definitions: those that read words and tags one after the
//! other, and the filters of links.

use std::collections::{BTreeMap, BTreeSet};

use super::pages::page;
use super::tag_ratios::{check_cetr, clusters, lined_page};
use super::tree::{Reading, Tree};
use dehusk_extract::comparators::{Bte, Ccb, Dsc, FeatureExtractor, LinkQuota};
use dehusk_extract::{Extractor, PageContext};
use dehusk_html::{Buffers, Dom, NodeId, Tag, parse};
use dehusk_testing::corpus;
use proptest::prelude::*;

/// A word of a text, or a tag.
#[derive(Clone, Copy)]
enum Token {
    Word(NodeId),
    Open(Tag),
    Close(Tag),
}

impl Token {
    fn text(self) -> Option<NodeId> {
        match self {
            Token::Word(id) => Some(id),
            Token::Open(_) | Token::Close(_) => None,
        }
    }
}

fn words(dom: &Dom<'_>, id: NodeId) -> usize {
    dom.counts()[id as usize].words as usize
}

/// The page word by word and tag by tag.
fn add_tokens(dom: &Dom<'_>, tree: &Tree, at: usize, tokens: &mut Vec<Token>) {
    let node = tree.node(at);
    if tree.is_text(at) {
        tokens.extend(vec![Token::Word(node.id); words(dom, node.id)]);
        return;
    }
    let has_tags = !dom.name(node.id).is_empty();
    tokens.extend(has_tags.then_some(Token::Open(node.tag)));
    for child in &node.children {
        add_tokens(dom, tree, *child, tokens);
    }
    tokens.extend((has_tags && !node.tag.is_void()).then_some(Token::Close(node.tag)));
}

fn all_tokens(dom: &Dom<'_>, tree: &Tree) -> Vec<Token> {
    let mut all = Vec::new();
    if !tree.0.is_empty() {
        add_tokens(dom, tree, 0, &mut all);
    }
    all
}

/// The kept texts that have words.
pub fn kept(dom: &Dom<'_>, tree: &Tree, extractor: &dyn Extractor) -> BTreeSet<NodeId> {
    let selection = extractor.extract(&PageContext::new(dom, ""));
    let kept = tree.kept_by(&selection).into_iter();
    kept.filter(|id| words(dom, *id) > 0).collect()
}

/// The start of a page, for a message.
pub fn start(page: &str) -> String {
    page.chars().take(2000).collect()
}

fn check_bte(page: &str) {
    let dom = parse(page, Buffers::default());
    let tree = Tree::new(&dom, Reading::default());
    let tokens: Vec<Option<NodeId>> = all_tokens(&dom, &tree).into_iter().map(Token::text).collect();
    let tags = |tokens: &[Option<NodeId>]| tokens.iter().filter(|token| token.is_none()).count();
    let all_tags = tags(&tokens);
    let (mut best, mut region) = (all_tags, 0..0);
    let mut before = 0;
    for i in 0..tokens.len() {
        let (mut words, mut inside) = (0, 0);
        for (j, token) in tokens.iter().enumerate().skip(i) {
            words += usize::from(token.is_some());
            inside += usize::from(token.is_none());
            let t = before + words + (all_tags - before - inside);
            if t > best {
                (best, region) = (t, i..j + 1);
            }
        }
        before += usize::from(tokens[i].is_none());
    }
    let expected: BTreeSet<NodeId> = tokens[region].iter().flatten().copied().collect();
    assert_eq!(kept(&dom, &tree, &Bte::default()), expected, "{}", start(page));
}

fn check_dsc(page: &str, dsc: Dsc) {
    let dom = parse(page, Buffers::default());
    let tree = Tree::new(&dom, Reading::default());
    let tokens: Vec<Option<NodeId>> = all_tokens(&dom, &tree).into_iter().map(Token::text).collect();
    let slope =
        |tokens: &[Option<NodeId>]| tokens.iter().filter(|token| token.is_none()).count() as f64 / tokens.len() as f64;
    let windows: Vec<&[Option<NodeId>]> = tokens.chunks(dsc.window_tokens as usize).collect();
    let flat: Vec<bool> = windows
        .iter()
        .map(|window| slope(&tokens) == 0.0 || slope(window) < dsc.share * slope(&tokens))
        .collect();
    let mut votes: BTreeMap<NodeId, (usize, usize)> = BTreeMap::new();
    for (number, window) in windows.iter().enumerate() {
        let before = flat[..number].iter().rev().take_while(|flat| **flat).count();
        let after = flat[number..].iter().take_while(|flat| **flat).count();
        let is_long = before + after >= dsc.least_windows as usize || slope(&tokens) == 0.0;
        let is_content = flat[number] && is_long;
        for id in window.iter().flatten() {
            let (inside, all) = votes.entry(*id).or_default();
            *inside += usize::from(is_content);
            *all += 1;
        }
    }
    let majority = votes.into_iter().filter(|(_, (inside, all))| 2 * inside > *all);
    let expected: BTreeSet<NodeId> = majority.map(|(id, _)| id).collect();
    assert_eq!(kept(&dom, &tree, &dsc), expected, "{}", start(page));
}

/// Keeps the texts outside of elements that `is_removed` is true for.
fn check_filter(page: &str, filter: LinkQuota, is_removed: impl Fn(&Dom<'_>, &Tree, usize) -> bool) {
    let dom = parse(page, Buffers::default());
    let reading = Reading {
        any_anchor: true,
        ..Reading::default()
    };
    let tree = Tree::new(&dom, reading);
    let removed: Vec<bool> = (0..tree.0.len())
        .map(|at| at > 0 && is_removed(&dom, &tree, at))
        .collect();
    let is_kept = |text: &usize| !tree.ancestors(*text).into_iter().any(|at| removed[at]);
    let texts = (0..tree.0.len()).filter(|at| tree.is_text(*at) && is_kept(at));
    let expected = texts
        .map(|at| tree.node(at).id)
        .filter(|id| words(&dom, *id) > 0)
        .collect();
    assert_eq!(kept(&dom, &tree, &filter), expected, "{}", start(page));
}

/// The texts of an element that are in a link, and the others.
fn linked(tree: &Tree, at: usize) -> (Vec<usize>, Vec<usize>) {
    let is_linked = |text: &usize| tree.is_in(*text, |node| node.tag == Tag::A);
    tree.texts(at).into_iter().partition(is_linked)
}

fn check_lqf(page: &str) {
    check_filter(page, LinkQuota::lqf(), |_, tree, at| {
        let tag = tree.node(at).tag;
        let (linked, other) = linked(tree, at);
        let chars = |texts: Vec<usize>| texts.into_iter().map(|text| tree.chars(text)).sum::<usize>();
        (tag.is_block() || matches!(tag, Tag::Td | Tag::Th)) && chars(linked) > chars(other)
    });
}

fn check_crunch(page: &str) {
    check_filter(page, LinkQuota::crunch(), |dom, tree, at| {
        let (_, other) = linked(tree, at);
        let outside: usize = other.into_iter().map(|text| words(dom, tree.node(text).id)).sum();
        let is_link = |at: &usize| tree.node(*at).tag == Tag::A && !tree.is_in(*at, |node| node.tag == Tag::A);
        let links = tree.subtree(at).into_iter().filter(is_link).count();
        matches!(tree.node(at).tag, Tag::Td | Tag::Th) && 4 * links > outside
    });
}

/// The words, links, images and controls of each block, and its texts.
fn blocks(tokens: &[Token]) -> Vec<([usize; 4], BTreeSet<NodeId>)> {
    let is_border = |tag: Tag| tag.is_block() || matches!(tag, Tag::Td | Tag::Th);
    let mut blocks = vec![([0; 4], BTreeSet::new())];
    for token in tokens {
        if let Token::Open(tag) | Token::Close(tag) = token
            && is_border(*tag)
        {
            blocks.push(([0; 4], BTreeSet::new()));
        }
        let (values, texts) = blocks.last_mut().unwrap();
        match token {
            Token::Word(id) => {
                values[0] += 1;
                texts.insert(*id);
            }
            Token::Open(Tag::A) => values[1] += 1,
            Token::Open(Tag::Img) => values[2] += 1,
            Token::Open(Tag::Input | Tag::Select | Tag::Textarea | Tag::Button) => values[3] += 1,
            Token::Open(_) | Token::Close(_) => {}
        }
    }
    blocks.retain(|(values, _)| *values != [0; 4]);
    blocks
}

fn check_features(page: &str) {
    let dom = parse(page, Buffers::default());
    let tree = Tree::new(&dom, Reading::default());
    let blocks = blocks(&all_tokens(&dom, &tree));
    let most = |feature: usize| {
        blocks
            .iter()
            .map(|(values, _)| values[feature])
            .max()
            .unwrap_or(0)
            .max(1)
    };
    let point = |values: &[usize; 4]| {
        let shares: Vec<f64> = (0..4)
            .map(|feature| values[feature] as f64 / most(feature) as f64)
            .collect();
        (shares[0], shares[0] / shares.iter().sum::<f64>())
    };
    let points: Vec<(f64, f64)> = blocks.iter().map(|(values, _)| point(values)).collect();
    let mut best: Option<usize> = None;
    for (number, (words, p)) in points.iter().enumerate().filter(|(_, (words, _))| *words > 0.0) {
        best = best
            .filter(|best| (points[*best].1, points[*best].0) >= (*p, *words))
            .or(Some(number));
    }
    let expected = best.map(|best| blocks[best].1.clone()).unwrap_or_default();
    assert_eq!(kept(&dom, &tree, &FeatureExtractor::fe()), expected, "{}", start(page));

    let (of_blocks, centers) = clusters(&points, [(0.0, 0.0), (0.5, 0.5), (1.0, 1.0)], false);
    let used = (0..3).filter(|cluster| of_blocks.contains(cluster));
    let best = used.max_by(|one, other| centers[*one].0.total_cmp(&centers[*other].0));
    let winners = blocks
        .iter()
        .zip(&of_blocks)
        .filter(|(_, cluster)| Some(**cluster) == best);
    let expected: BTreeSet<NodeId> = winners.flat_map(|((_, texts), _)| texts.clone()).collect();
    assert_eq!(kept(&dom, &tree, &FeatureExtractor::kfe()), expected, "{}", start(page));
}

fn check_ccb(page: &str, ccb: Ccb) {
    let dom = parse(page, Buffers::default());
    let tree = Tree::new(&dom, Reading::default());
    let tokens: Vec<Option<NodeId>> = all_tokens(&dom, &tree).into_iter().map(Token::text).collect();
    let radius = f64::from(ccb.radius);
    let mut means: BTreeMap<NodeId, Vec<f64>> = BTreeMap::new();
    for (n, token) in tokens.iter().enumerate() {
        let Some(id) = token else { continue };
        let (mut words, mut all) = (0.0, 0.0);
        let near = n.saturating_sub(ccb.radius as usize)..tokens.len().min(n + ccb.radius as usize + 1);
        for (m, other) in near.clone().zip(&tokens[near]) {
            let d = m as f64 - n as f64;
            if d.abs() <= radius {
                let weight = (-d * d / (2.0 * (radius / 2.0).powi(2))).exp();
                all += weight;
                words += if other.is_some() { weight } else { 0.0 };
            }
        }
        means.entry(*id).or_default().push(words / all);
    }
    let kept = kept(&dom, &tree, &ccb);
    for (id, means) in means {
        let mean = means.iter().sum::<f64>() / means.len() as f64;
        // Sums in another order differ in their last digits.
        if (mean - ccb.threshold).abs() > 1e-9 {
            assert_eq!(
                kept.contains(&id),
                mean > ccb.threshold,
                "{mean} of node {id} of {}",
                start(page)
            );
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn bte_is_the_region_with_the_most_words_and_the_fewest_tags(page in page()) {
        check_bte(&page);
    }

    #[test]
    fn dsc_is_the_flat_windows(page in page(), window_tokens in 1..60_u32, least_windows in 1..4_u32) {
        check_dsc(&page, Dsc { window_tokens, least_windows, ..Dsc::default() });
    }

    #[test]
    fn lqf_removes_what_is_mostly_links(page in page()) {
        check_lqf(&page);
    }

    #[test]
    fn crunch_removes_cells_with_many_links(page in page()) {
        check_crunch(&page);
    }

    #[test]
    fn fe_and_kfe_are_the_blocks_most_like_text(page in page()) {
        check_features(&page);
    }

    #[test]
    fn ccb_is_the_blurred_content(page in page(), radius in 1..50_u32) {
        check_ccb(&page, Ccb { radius, ..Ccb::default() });
    }

    #[test]
    fn cetr_is_the_clusters_of_lines(page in lined_page()) {
        check_cetr(&page);
    }

    #[test]
    fn cetr_is_the_clusters_of_lines_on_any_page(page in page()) {
        check_cetr(&page);
    }
}

/// Most bytes of a page that the quadratic programs here are asked about.
const MOST_BYTES: usize = 100_000;

/// Needs the corpora: CONTRIBUTING.md lists their places.
#[test]
#[ignore = "needs the corpora"]
fn real_pages_come_out_as_defined() {
    for name in ["wcxb-dev", "daniel-dev"] {
        let pages = corpus::pages(name)
            .into_iter()
            .filter(|page| page.html.len() <= MOST_BYTES);
        let pages: Vec<String> = pages.map(|page| page.html).collect();
        let mut checked = 0;
        for page in pages.iter().step_by(pages.len() / 100).take(100) {
            check_bte(page);
            check_dsc(page, Dsc::default());
            check_lqf(page);
            check_crunch(page);
            check_features(page);
            check_ccb(page, Ccb::default());
            check_cetr(page);
            checked += 1;
        }
        assert_eq!(checked, 100, "{name}");
    }
}
