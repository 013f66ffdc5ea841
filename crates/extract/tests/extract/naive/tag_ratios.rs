//! CETR, and k-means, from their definitions.

use std::collections::{BTreeMap, BTreeSet};

use super::comparators::{kept, start};
use super::tree::{Reading, Tree};
use dehusk_extract::comparators::Cetr;
use dehusk_html::{Buffers, Dom, NodeId, parse};
use proptest::prelude::*;

/// The pieces that the source of a page is made of.
#[derive(Debug)]
enum Piece {
    Break,
    Tag,
    /// A word of a text, with its number of characters.
    Word(NodeId, usize),
}

/// The pieces of what lies between two nodes: end tags, comments, and elements that are not shown.
fn add_markup(markup: &str, pieces: &mut Vec<Piece>) {
    let lower = markup.to_ascii_lowercase();
    let mut at = 0;
    while at < lower.len() {
        let rest = &lower[at..];
        let find = |end: &str| rest.find(end).map_or(lower.len(), |found| at + found + end.len());
        let unseen = ["script", "style", "template"]
            .into_iter()
            .find(|name| rest.starts_with(&format!("<{name}")));
        at = if rest.starts_with(['\n', '\r']) {
            pieces.push(Piece::Break);
            at + 1
        } else if rest.starts_with("<!--") {
            find("-->")
        } else if let Some(name) = unseen {
            find(&format!("</{name}"))
        } else if rest.starts_with('<') && rest[1..].starts_with(|c: char| c == '/' || c.is_ascii_alphabetic()) {
            pieces.push(Piece::Tag);
            find(">")
        } else {
            at + rest.chars().next().map_or(1, char::len_utf8)
        };
    }
}

fn pieces(dom: &Dom<'_>, tree: &Tree) -> Vec<Piece> {
    let (source, mut pieces) = (dom.source(), Vec::new());
    let mut at = dom.node(dom.body()).from as usize;
    for node in &tree.0 {
        let (from, to) = (dom.node(node.id).from as usize, dom.node(node.id).to as usize);
        if node.tag.is_text() {
            add_markup(&source[at.min(from)..from], &mut pieces);
            for (number, line) in source[from..to].split(['\n', '\r']).enumerate() {
                pieces.extend((number > 0).then_some(Piece::Break));
                let words = line.split_ascii_whitespace();
                pieces.extend(words.map(|word| Piece::Word(node.id, word.chars().count())));
            }
        } else if !dom.name(node.id).is_empty() {
            let tag = (from - dom.name(node.id).len()).saturating_sub(1);
            add_markup(&source[at.min(tag)..tag], &mut pieces);
            pieces.push(Piece::Tag);
            pieces.extend(source[tag..to].matches(['\n', '\r']).map(|_| Piece::Break));
        } else {
            continue;
        }
        at = to;
    }
    add_markup(source.get(at..).unwrap_or_default(), &mut pieces);
    pieces
}

/// A line: the text of each of its characters, and the number of its tags.
type SourceLine = (Vec<NodeId>, usize);

fn lines(dom: &Dom<'_>, tree: &Tree) -> Vec<SourceLine> {
    let source = dom.source();
    let count = source.replace("\r\n", "\n").split(['\n', '\r']).count();
    let is_long = source.len() / count > 500;
    let mut lines: Vec<SourceLine> = vec![(Vec::new(), 0)];
    // The text whose word was the last piece of this line.
    let mut before = None;
    for piece in pieces(dom, tree) {
        let is_full = is_long && lines.last().unwrap().0.len() >= 65;
        if matches!(piece, Piece::Break) || is_full {
            lines.push((Vec::new(), 0));
            before = None;
        }
        let line = lines.last_mut().unwrap();
        match piece {
            Piece::Break => {}
            Piece::Tag => {
                line.1 += 1;
                before = None;
            }
            Piece::Word(id, chars) => {
                let space = usize::from(before == Some(id));
                line.0.extend(vec![id; chars + space]);
                before = Some(id);
            }
        }
    }
    lines.retain(|line| *line != (Vec::new(), 0));
    lines
}

/// Lloyd's k-means: the cluster of each point, and the centers.
pub fn clusters(
    points: &[(f64, f64)],
    mut centers: [(f64, f64); 3],
    fixes_first: bool,
) -> (Vec<usize>, [(f64, f64); 3]) {
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
        for (n, center) in next.iter_mut().enumerate().skip(usize::from(fixes_first)) {
            let own = points.iter().zip(&of).filter(|(_, of)| **of == n);
            let own: Vec<(f64, f64)> = own.map(|(point, _)| *point).collect();
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
    (points.iter().map(|point| nearest(*point, &centers)).collect(), centers)
}

pub fn check_cetr(page: &str) {
    let dom = parse(page, Buffers::default());
    let tree = Tree::new(&dom, Reading::default());
    let lines = lines(&dom, &tree);
    let ratios: Vec<f64> = lines
        .iter()
        .map(|(chars, tags)| chars.len() as f64 / (*tags).max(1) as f64)
        .collect();
    let smooth = |values: &[f64]| {
        let at = |i: usize| {
            let near = i.saturating_sub(1)..values.len().min(i + 2);
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
    let (of_lines, _) = clusters(&points, [(0.0, 0.0), (x / 2.0, y / 2.0), (x, y)], true);
    let mut votes: BTreeMap<NodeId, (usize, usize)> = BTreeMap::new();
    for ((chars, _), cluster) in lines.iter().zip(of_lines) {
        for id in chars {
            let (kept, all) = votes.entry(*id).or_default();
            *kept += usize::from(cluster > 0);
            *all += 1;
        }
    }
    let expected = votes
        .into_iter()
        .filter(|(_, (kept, all))| 2 * kept > *all)
        .map(|(id, _)| id);
    let has_words = |id: &NodeId| dom.counts()[*id as usize].words > 0;
    let expected: BTreeSet<NodeId> = expected.filter(has_words).collect();
    assert_eq!(kept(&dom, &tree, &Cetr::default()), expected, "{}", start(page));
}

/// A page of lines whose elements are all closed.
pub fn lined_page() -> impl Strategy<Value = String> {
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
        let joint = prop::sample::select(vec!["\n", " ", "\n\n", "", "\r", "\r\n"]);
        (name, joint, prop::collection::vec(inner, 0..5))
            .prop_map(|(name, joint, inner)| format!("<{name}>{joint}{}{joint}</{name}>", inner.join(joint)))
    });
    prop::collection::vec(nested, 0..8).prop_map(|parts| format!("<body>\n{}\n</body>", parts.join("\n")))
}
