//! CETD, sections 3 and 4: the densities, DensitySum, algorithm 2, and smoothing.

use std::collections::BTreeSet;
use std::f64::consts::E;

use super::pages::page;
use super::tree::{Reading, Tree};
use dehusk_extract::cetd::{Density, Method};
use dehusk_extract::{Cetd, Extractor, PageContext};
use dehusk_html::{Buffers, NodeId, parse};
use proptest::prelude::*;

/// The elements under a tag.
fn tags(tree: &Tree, at: usize) -> Vec<usize> {
    let under = tree.subtree(at).into_iter().skip(1);
    under.filter(|at| !tree.is_text(*at)).collect()
}

fn children(tree: &Tree, at: usize) -> Vec<usize> {
    let all = tree.node(at).children.iter().copied();
    all.filter(|at| !tree.is_text(*at)).collect()
}

/// Characters under a tag that are in hyperlinks.
fn link_chars(tree: &Tree, at: usize) -> usize {
    let texts = tree.texts(at).into_iter();
    let linked = texts.filter(|text| tree.is_in(*text, |around| around.control));
    linked.map(|text| tree.chars(text)).sum()
}

/// "When denominators of the formula are 0, set them to 1."
fn denominator(count: usize) -> f64 {
    count.max(1) as f64
}

/// Definitions 1 and 2. Algorithm 1 sets the number of tags itself to 1.
fn density(tree: &Tree, at: usize, density: Density) -> f64 {
    let under = tags(tree, at);
    let (c, t) = (tree.chars(at) as f64, denominator(under.len()));
    if density == Density::Text {
        return c / t;
    }
    let links = under.iter().filter(|at| tree.node(**at).control).count();
    let (lc, lt) = (link_chars(tree, at), denominator(links));
    let not_lc = denominator(tree.chars(at) - lc);
    let (lc_b, c_b) = (link_chars(tree, 0) as f64, denominator(tree.chars(0)));
    let argument = c / denominator(lc) * t / lt;
    let base = (c / not_lc * lc as f64 + lc_b / c_b * c + E).ln();
    // A tag without text, and one with nothing but hyperlinks, has none.
    if c == 0.0 || argument <= 1.0 {
        return 0.0;
    }
    c / t * argument.ln() / base.ln()
}

/// Definition 3; a tag without tags has its own density.
fn density_sum(tree: &Tree, at: usize, densities: &[f64]) -> f64 {
    let children = children(tree, at);
    if children.is_empty() {
        densities[at]
    } else {
        // In the order in which the extractor adds, so that the last digit is the same.
        children.iter().rev().fold(0.0, |sum, child| sum + densities[*child])
    }
}

/// The tag with the greatest DensitySum of a tag and those under it: the outermost, then the first.
fn best(tree: &Tree, at: usize, sums: &[f64]) -> usize {
    let under = tags(tree, at).into_iter();
    under.fold(at, |best, at| if sums[at] > sums[best] { at } else { best })
}

/// Algorithm 2.
fn extract(tree: &Tree, at: usize, threshold: f64, densities: &[f64], sums: &[f64], marked: &mut BTreeSet<usize>) {
    if densities[at] >= threshold {
        marked.insert(best(tree, at, sums));
        for child in children(tree, at) {
            extract(tree, child, threshold, densities, sums, marked);
        }
    }
}

/// What is kept: marked tags whole, and the texts directly inside their ancestors.
fn by_sums(tree: &Tree, densities: &[f64]) -> BTreeSet<NodeId> {
    let sums: Vec<f64> = (0..tree.0.len()).map(|at| density_sum(tree, at, densities)).collect();
    let top = best(tree, 0, &sums);
    let path = std::iter::once(top).chain(tree.ancestors(top));
    let threshold = path.map(|at| densities[at]).fold(f64::INFINITY, f64::min);
    let mut marked = BTreeSet::new();
    extract(tree, 0, threshold, densities, &sums, &mut marked);
    let mut roots: Vec<usize> = marked.iter().copied().collect();
    for at in marked.iter().flat_map(|at| tree.ancestors(*at)) {
        let texts = tree.node(at).children.iter().copied();
        roots.extend(texts.filter(|child| tree.is_text(*child)));
    }
    tree.kept(&roots)
}

/// The average with the neighbouring tags; the tag itself weighs 2.
fn smooth(tree: &Tree, at: usize, sharp: &[f64]) -> f64 {
    let Some(parent) = tree.node(at).parent else {
        return sharp[at];
    };
    let brothers = children(tree, parent);
    let place = brothers.iter().position(|brother| *brother == at).unwrap();
    let before = place.checked_sub(1).map(|place| sharp[brothers[place]]);
    let after = brothers.get(place + 1).map(|after| sharp[*after]);
    let near: Vec<f64> = [before, after].into_iter().flatten().collect();
    near.iter().fold(2.0 * sharp[at], |sum, near| sum + near) / (2.0 + near.len() as f64)
}

fn by_smoothing(tree: &Tree, densities: &[f64]) -> BTreeSet<NodeId> {
    let dense = |at: &usize| densities[tree.node(*at).parent.unwrap_or(0)] >= densities[0];
    let texts: Vec<usize> = tree.texts(0).into_iter().filter(dense).collect();
    tree.kept(&texts)
}

fn check(page: &str, cetd: Cetd) {
    let dom = parse(page, Buffers::default());
    let tree = Tree::new(&dom, Reading::default());
    let selection = cetd.extract(&PageContext::new(&dom, ""));
    if tree.0.is_empty() || tree.chars(0) == 0 {
        assert!(selection.ranges.is_empty(), "{page}");
        return;
    }
    let no_links = cetd.density == Density::Composite && link_chars(&tree, 0) == 0;
    let elements = |at: &usize| !tree.is_text(*at);
    let mut densities = vec![0.0; tree.0.len()];
    // The paper finds an infinite density on a page without links, and concludes that all is content.
    if !no_links {
        for at in (0..tree.0.len()).filter(elements) {
            densities[at] = density(&tree, at, cetd.density);
        }
        if cetd.method == Method::Smoothing {
            densities = (0..densities.len())
                .map(|at| {
                    if tree.is_text(at) {
                        0.0
                    } else {
                        smooth(&tree, at, &densities)
                    }
                })
                .collect();
        }
        for at in (0..tree.0.len()).filter(elements) {
            assert_eq!(
                selection.score_of(tree.node(at).id),
                Some(densities[at]),
                "node {at} of {page}"
            );
        }
    }
    let kept = match cetd.method {
        _ if no_links => tree.kept(&[0]),
        Method::DensitySum => by_sums(&tree, &densities),
        Method::Smoothing => by_smoothing(&tree, &densities),
    };
    assert_eq!(tree.kept_by(&selection), kept, "{page}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1200, ..ProptestConfig::default() })]

    #[test]
    fn cetd_is_the_papers_formula(page in page()) {
        check(&page, Cetd::cetd_ds());
        check(&page, Cetd::cectd_s());
        check(&page, Cetd::cectd_ds());
    }
}
