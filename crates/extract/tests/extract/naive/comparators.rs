//! The methods that the papers compare with: BTE, LQF, CCB and CETR, from their definitions.

use std::collections::{BTreeMap, BTreeSet};

use super::pages::page;
use super::tree::{Reading, Tree};
use dehusk_extract::comparators::{Bte, Ccb, Cetr, LinkQuota};
use dehusk_extract::{Extractor, PageContext};
use dehusk_html::{Buffers, Dom, NodeId, Tag, parse};
use proptest::prelude::*;

fn words(dom: &Dom<'_>, id: NodeId) -> usize {
    dom.counts()[id as usize].words as usize
}

/// The page word by word and tag by tag: the text of each word, and `None` for a tag.
fn tokens(dom: &Dom<'_>, tree: &Tree, at: usize, of_word: &mut dyn FnMut(Option<NodeId>)) {
    let node = tree.node(at);
    if tree.is_text(at) {
        for _ in 0..words(dom, node.id) {
            of_word(Some(node.id));
        }
        return;
    }
    let has_tags = !dom.name(node.id).is_empty();
    if has_tags {
        of_word(None);
    }
    for child in &node.children {
        tokens(dom, tree, *child, of_word);
    }
    if has_tags && !node.tag.is_void() {
        of_word(None);
    }
}

fn all_tokens(dom: &Dom<'_>, tree: &Tree) -> Vec<Option<NodeId>> {
    let mut all = Vec::new();
    if !tree.0.is_empty() {
        tokens(dom, tree, 0, &mut |token| all.push(token));
    }
    all
}

/// The kept texts that have words.
fn kept(dom: &Dom<'_>, tree: &Tree, extractor: &dyn Extractor) -> BTreeSet<NodeId> {
    let selection = extractor.extract(&PageContext::new(dom, ""));
    let kept = tree.kept_by(&selection).into_iter();
    kept.filter(|id| words(dom, *id) > 0).collect()
}

fn check_bte(page: &str) {
    let dom = parse(page, Buffers::default());
    let tree = Tree::new(&dom, Reading::default());
    let tokens = all_tokens(&dom, &tree);
    let tags = |tokens: &[Option<NodeId>]| tokens.iter().filter(|token| token.is_none()).count();
    let (mut best, mut region) = (tags(&tokens), 0..0);
    for i in 0..tokens.len() {
        for j in i..tokens.len() {
            let inside = &tokens[i..=j];
            let t = tags(&tokens[..i]) + (inside.len() - tags(inside)) + tags(&tokens[j + 1..]);
            if t > best {
                (best, region) = (t, i..j + 1);
            }
        }
    }
    let expected: BTreeSet<NodeId> = tokens[region].iter().flatten().copied().collect();
    assert_eq!(kept(&dom, &tree, &Bte::default()), expected, "{page}");
}

fn check_lqf(page: &str) {
    let dom = parse(page, Buffers::default());
    let tree = Tree::new(
        &dom,
        Reading {
            any_anchor: true,
            ..Reading::default()
        },
    );
    let is_linked = |text: usize| tree.is_in(text, |node| node.tag == Tag::A);
    let is_removed = |at: usize| {
        let tag = tree.node(at).tag;
        if at == 0 || !(tag.is_block() || matches!(tag, Tag::Td | Tag::Th)) {
            return false;
        }
        let (linked, other): (Vec<usize>, Vec<usize>) = tree.texts(at).into_iter().partition(|text| is_linked(*text));
        let chars = |texts: Vec<usize>| texts.into_iter().map(|text| tree.chars(text)).sum::<usize>();
        chars(linked) > chars(other)
    };
    let is_kept = |text: &usize| !is_removed(*text) && !tree.ancestors(*text).into_iter().any(is_removed);
    let texts = (0..tree.0.len()).filter(|at| tree.is_text(*at) && is_kept(at));
    let expected = texts
        .map(|at| tree.node(at).id)
        .filter(|id| words(&dom, *id) > 0)
        .collect();
    assert_eq!(kept(&dom, &tree, &LinkQuota::lqf()), expected, "{page}");
}

fn check_ccb(page: &str, ccb: Ccb) {
    let dom = parse(page, Buffers::default());
    let tree = Tree::new(&dom, Reading::default());
    let tokens = all_tokens(&dom, &tree);
    let radius = f64::from(ccb.radius);
    let mut means: BTreeMap<NodeId, Vec<f64>> = BTreeMap::new();
    for (n, token) in tokens.iter().enumerate() {
        let Some(id) = token else { continue };
        let (mut words, mut all) = (0.0, 0.0);
        for (m, other) in tokens.iter().enumerate() {
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
                "{mean} of node {id} of {page}"
            );
        }
    }
}

/// The lines of a well-formed source: characters and tags, and which text each character is of.
fn lines(source: &str, texts: &BTreeMap<usize, NodeId>) -> Vec<(Vec<NodeId>, usize)> {
    let mut lines = vec![(Vec::new(), 0)];
    let (mut at, mut text) = (0, None);
    while let Some(c) = source[at..].chars().next() {
        text = texts.get(&at).copied().or(text);
        let skip = |end: &str| {
            source[at..]
                .find(end)
                .map_or(source.len(), |found| at + found + end.len())
        };
        if c == '\n' {
            lines.push((Vec::new(), 0));
            at += 1;
        } else if source[at..].starts_with("<!--") {
            at = skip("-->");
        } else if source[at..].starts_with("<script") {
            at = skip("</script>");
        } else if c == '<' {
            lines.last_mut().unwrap().1 += 1;
            at = skip(">");
            text = None;
        } else {
            // White space at the ends of a line is no text, and a run of it is one character.
            let is_inner = |c: char| !c.is_ascii_whitespace();
            let before = source[..at].chars().next_back().is_none_or(is_inner);
            let line_start = source[..at].ends_with('>') || text.is_none();
            let rest = source[at..].trim_start_matches(' ');
            let ends = rest.is_empty() || rest.starts_with(['\n', '<']);
            if is_inner(c) || (before && !line_start && !ends) {
                lines.last_mut().unwrap().0.extend(text);
            }
            at += c.len_utf8();
        }
    }
    lines.retain(|line| *line != (Vec::new(), 0));
    lines
}

fn check_cetr(page: &str) {
    let cetr = Cetr::default();
    let dom = parse(page, Buffers::default());
    let tree = Tree::new(&dom, Reading::default());
    let texts = tree.0.iter().filter(|node| node.tag.is_text());
    let texts: BTreeMap<usize, NodeId> = texts.map(|node| (dom.node(node.id).from as usize, node.id)).collect();
    let lines = lines(page, &texts);
    let ratios: Vec<f64> = lines
        .iter()
        .map(|(chars, tags)| chars.len() as f64 / (*tags).max(1) as f64)
        .collect();
    let smooth = |values: &[f64]| {
        let at = |i: usize| {
            let near = (0..values.len()).filter(|j| i.abs_diff(*j) <= 1);
            let k = |j: usize| (-(i.abs_diff(j) as f64).powi(2) / 2.0).exp();
            near.clone().map(|j| k(j) * values[j]).sum::<f64>() / near.map(k).sum::<f64>()
        };
        (0..values.len()).map(at).collect::<Vec<f64>>()
    };
    let ratios = smooth(&ratios);
    let change = |i: usize| {
        let next: Vec<f64> = ratios.iter().skip(i).take(3).copied().collect();
        next.iter().sum::<f64>() / next.len() as f64 - ratios[i]
    };
    let changes = smooth(&(0..ratios.len()).map(change).collect::<Vec<f64>>());
    let points: Vec<(f64, f64)> = ratios.into_iter().zip(changes.into_iter().map(f64::abs)).collect();
    let (x, y) = points
        .iter()
        .fold((0.0, 0.0), |(x, y), point| (f64::max(x, point.0), f64::max(y, point.1)));
    let mut centers = [(0.0, 0.0), (x / 2.0, y / 2.0), (x, y)];
    let distance = |a: (f64, f64), b: (f64, f64)| (a.0 - b.0).powi(2) + (a.1 - b.1).powi(2);
    let nearest = |point: (f64, f64), centers: &[(f64, f64); 3]| {
        let mut best = 0;
        for n in 1..3 {
            if distance(point, centers[n]) < distance(point, centers[best]) {
                best = n;
            }
        }
        best
    };
    for _ in 0..100 {
        let of: Vec<usize> = points.iter().map(|point| nearest(*point, &centers)).collect();
        let mut next = centers;
        for (n, center) in next.iter_mut().enumerate().skip(1) {
            let own: Vec<_> = points
                .iter()
                .zip(&of)
                .filter(|(_, of)| **of == n)
                .map(|(point, _)| *point)
                .collect();
            if !own.is_empty() {
                let sum = own
                    .iter()
                    .fold((0.0, 0.0), |sum, point| (sum.0 + point.0, sum.1 + point.1));
                *center = (sum.0 / own.len() as f64, sum.1 / own.len() as f64);
            }
        }
        if next == centers {
            break;
        }
        centers = next;
    }
    let mut votes: BTreeMap<NodeId, (usize, usize)> = BTreeMap::new();
    for ((chars, _), point) in lines.iter().zip(&points) {
        for id in chars {
            let (kept, all) = votes.entry(*id).or_default();
            *kept += usize::from(nearest(*point, &centers) > 0);
            *all += 1;
        }
    }
    let expected = votes
        .into_iter()
        .filter(|(_, (kept, all))| 2 * kept > *all)
        .map(|(id, _)| id);
    let expected: BTreeSet<NodeId> = expected.filter(|id| words(&dom, *id) > 0).collect();
    assert_eq!(kept(&dom, &tree, &cetr), expected, "{page}\n{lines:?}\n{points:?}");
}

/// A page of lines whose elements are all closed.
fn lined_page() -> impl Strategy<Value = String> {
    let words = ["one", "two words", "a longer text of some words, with marks.", "日本"];
    let text = prop::sample::select(words.to_vec()).prop_map(str::to_owned);
    let leaf = prop_oneof![
        4 => text,
        1 => Just("<br>".to_owned()),
        1 => Just("<!-- a <b>\ncomment -->".to_owned()),
        1 => Just("<script>if (a<b)\nx()</script>".to_owned()),
    ];
    let nested = leaf.prop_recursive(4, 40, 5, |inner| {
        let name = prop::sample::select(vec!["div", "span", "b", "ul", "section"]);
        let joint = prop::sample::select(vec!["\n", " ", "\n\n", ""]);
        (name, joint, prop::collection::vec(inner, 0..5))
            .prop_map(|(name, joint, inner)| format!("<{name}>{joint}{}{joint}</{name}>", inner.join(joint)))
    });
    prop::collection::vec(nested, 0..8).prop_map(|parts| format!("<body>\n{}\n</body>", parts.join("\n")))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, ..ProptestConfig::default() })]

    #[test]
    fn bte_is_the_region_with_the_most_words_and_the_fewest_tags(page in page()) {
        check_bte(&page);
    }

    #[test]
    fn lqf_removes_what_is_mostly_links(page in page()) {
        check_lqf(&page);
    }

    #[test]
    fn ccb_is_the_blurred_content(page in page(), radius in 1..50_u32) {
        check_ccb(&page, Ccb { radius, ..Ccb::default() });
    }

    #[test]
    fn cetr_is_the_clusters_of_lines(page in lined_page()) {
        check_cetr(&page);
    }
}
