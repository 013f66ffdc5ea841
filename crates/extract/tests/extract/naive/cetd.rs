//! CETD, sections 3 and 4: the densities, DensitySum, algorithm 2, and smoothing, with all values of the parameters.

use std::collections::BTreeSet;
use std::f64::consts::E;

use super::pages::page;
use super::tree::{Reading, Tree};
use dehusk_extract::cetd::{Density, LinkTags, Method, TextRuns, Threshold, WithoutLinks, Zeros};
use dehusk_extract::strip::{Forms, Links};
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

/// The hyperlink tags: hyperlinks, and, where containers count, tags with nothing but hyperlinks.
fn link_tags(tree: &Tree, rule: LinkTags) -> BTreeSet<usize> {
    let mut links = BTreeSet::new();
    // The nodes under a tag come after it.
    for at in (0..tree.0.len()).rev().filter(|at| !tree.is_text(*at)) {
        let under = tags(tree, at);
        let is_covered = |tag: &usize| {
            let mut around = std::iter::once(*tag)
                .chain(tree.ancestors(*tag))
                .take_while(|of| *of != at);
            around.any(|of| links.contains(&of))
        };
        let only_links = || !under.is_empty() && under.iter().all(is_covered) && link_chars(tree, at) == tree.chars(at);
        if tree.node(at).control || (rule == LinkTags::Containers && only_links()) {
            links.insert(at);
        }
    }
    links
}

/// "When denominators of the formula are 0, set them to 1."
fn denominator(count: usize) -> f64 {
    count.max(1) as f64
}

/// The counts under a tag.
struct Counts {
    chars: usize,
    tags: usize,
    link_chars: usize,
    link_tags: usize,
}

/// Definitions 1 and 2. Algorithm 1 sets the number of tags itself to 1. `r` is `LC_b / C_b`.
fn density(cetd: &Cetd, of: &Counts, zeros: Zeros, r: f64) -> f64 {
    let (c, t) = (of.chars as f64, denominator(of.tags));
    if cetd.density == Density::Text {
        return c / t;
    }
    let (lt, not_lc) = (denominator(of.link_tags), denominator(of.chars - of.link_chars));
    let argument = c / denominator(of.link_chars) * t / lt;
    let factor = match zeros {
        Zeros::Everywhere => denominator(of.link_chars),
        Zeros::Denominators => of.link_chars as f64,
    };
    let base = (c / not_lc * factor + r * c + E).ln();
    // A tag without text, and one with nothing but hyperlinks, has none.
    if c == 0.0 || argument <= 1.0 {
        return 0.0;
    }
    // A page without hyperlinks has a base of 1.
    if base <= 1.0 {
        return c / t;
    }
    c / t * argument.ln() / base.ln()
}

/// Facts that are the same for all tags of a page.
struct Page<'a> {
    cetd: &'a Cetd,
    tree: &'a Tree,
    /// `LC_b / C_b`.
    r: f64,
    links: BTreeSet<usize>,
    densities: Vec<f64>,
}

impl Page<'_> {
    fn density(&self, at: usize) -> f64 {
        let under = tags(self.tree, at);
        let links = under.iter().filter(|at| self.links.contains(at));
        let counts = Counts {
            chars: self.tree.chars(at),
            tags: under.len(),
            link_chars: link_chars(self.tree, at),
            link_tags: links.count(),
        };
        density(self.cetd, &counts, self.cetd.zeros, self.r)
    }

    /// The contribution of a run of text between tags to a DensitySum.
    fn run(&self, chars: usize) -> f64 {
        let l = chars as f64;
        match (self.cetd.text_runs, self.cetd.density) {
            (TextRuns::Ignored, _) => 0.0,
            (TextRuns::Code | TextRuns::Tag, Density::Text) => l,
            // l·ln l / ln ln(r·l + e)
            (TextRuns::Code, Density::Composite) if chars < 2 => 0.0,
            (TextRuns::Code, Density::Composite) if (self.r * l + E).ln() <= 1.0 => l,
            (TextRuns::Code, Density::Composite) => l * l.ln() / (self.r * l + E).ln().ln(),
            (TextRuns::Tag, Density::Composite) => {
                let alone = Counts {
                    chars,
                    tags: 0,
                    link_chars: 0,
                    link_tags: 0,
                };
                density(self.cetd, &alone, self.cetd.zeros, self.r)
            }
        }
    }

    /// Definition 3; a tag without tags has its own density.
    fn density_sum(&self, at: usize) -> f64 {
        let all = &self.tree.node(at).children;
        if children(self.tree, at).is_empty() {
            return self.densities[at];
        }
        // In the order in which the extractor adds, from the last to the first, so that the last digit is the same.
        let (mut sum, mut run) = (0.0, 0);
        for child in all.iter().rev() {
            if self.tree.is_text(*child) {
                run += self.tree.chars(*child);
            } else {
                sum += self.run(std::mem::take(&mut run));
                sum += self.densities[*child];
            }
        }
        sum + self.run(run)
    }
}

/// The tag with the greatest DensitySum of a tag and those under it: the outermost, then the first.
fn best(tree: &Tree, at: usize, sums: &[f64]) -> usize {
    let under = tags(tree, at).into_iter();
    under.fold(at, |best, at| if sums[at] > sums[best] { at } else { best })
}

/// Algorithm 2. A block has at least a share of the greatest DensitySum.
fn extract(page: &Page<'_>, at: usize, threshold: f64, sums: &[f64], least: f64, marked: &mut BTreeSet<usize>) {
    if page.densities[at] >= threshold {
        let block = best(page.tree, at, sums);
        if sums[block] >= least {
            marked.insert(block);
        }
        for child in children(page.tree, at) {
            extract(page, child, threshold, sums, least, marked);
        }
    }
}

/// The nodes that are kept: marked tags whole, and the texts directly inside their ancestors.
fn by_sums(page: &Page<'_>) -> BTreeSet<NodeId> {
    let (cetd, tree) = (page.cetd, page.tree);
    let is_tag = |at: usize| !tree.is_text(at);
    let sums: Vec<f64> = (0..tree.0.len())
        .map(|at| if is_tag(at) { page.density_sum(at) } else { 0.0 })
        .collect();
    let top = best(tree, 0, &sums);
    let threshold = match cetd.threshold {
        Threshold::Body => page.densities[0],
        Threshold::Path => {
            let path = std::iter::once(top).chain(tree.ancestors(top));
            path.map(|at| page.densities[at]).fold(f64::INFINITY, f64::min)
        }
    };
    let mut marked = BTreeSet::new();
    extract(
        page,
        0,
        cetd.lambda * threshold,
        &sums,
        cetd.least_block * sums[top],
        &mut marked,
    );
    let mut roots: Vec<usize> = marked.iter().copied().collect();
    if cetd.ancestor_text {
        for at in marked.iter().flat_map(|at| tree.ancestors(*at)) {
            let texts = tree.node(at).children.iter().copied();
            roots.extend(texts.filter(|child| tree.is_text(*child)));
        }
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

fn by_smoothing(page: &Page<'_>) -> BTreeSet<NodeId> {
    let (tree, least) = (page.tree, page.cetd.lambda * page.densities[0]);
    let dense = |at: &usize| page.densities[tree.node(*at).parent.unwrap_or(0)] >= least;
    let texts: Vec<usize> = tree.texts(0).into_iter().filter(dense).collect();
    tree.kept(&texts)
}

pub fn check(html: &str, cetd: Cetd) {
    let dom = parse(html, Buffers::default());
    let reading = Reading {
        hidden: cetd.hidden,
        ..Reading::new(cetd.forms, cetd.links)
    };
    let tree = Tree::new(&dom, reading);
    let selection = cetd.extract(&PageContext::new(&dom, ""));
    if tree.0.is_empty() || tree.chars(0) == 0 {
        assert!(selection.ranges.is_empty(), "{html}");
        return;
    }
    let no_links =
        cetd.density == Density::Composite && cetd.without_links == WithoutLinks::Content && link_chars(&tree, 0) == 0;
    let mut page = Page {
        cetd: &cetd,
        tree: &tree,
        r: link_chars(&tree, 0) as f64 / denominator(tree.chars(0)),
        links: link_tags(&tree, cetd.link_tags),
        densities: vec![0.0; tree.0.len()],
    };
    let elements: Vec<usize> = (0..tree.0.len()).filter(|at| !tree.is_text(*at)).collect();
    // The paper finds an infinite density on a page without links, and concludes that all is content.
    if !no_links {
        for at in &elements {
            page.densities[*at] = page.density(*at);
        }
        if cetd.method == Method::Smoothing {
            let sharp = page.densities.clone();
            for at in &elements {
                page.densities[*at] = smooth(&tree, *at, &sharp);
            }
        }
        for at in &elements {
            let score = selection.score_of(tree.node(*at).id);
            assert_eq!(score, Some(page.densities[*at]), "node {at} of {html}");
        }
    }
    let kept = match cetd.method {
        _ if no_links => tree.kept(&[0]),
        Method::DensitySum => by_sums(&page),
        Method::Smoothing => by_smoothing(&page),
    };
    assert_eq!(tree.kept_by(&selection), kept, "{cetd:?} of {html}");
}

/// Any values of the parameters.
fn any_cetd() -> impl Strategy<Value = Cetd> {
    let tags = prop::sample::select(vec![LinkTags::Elements, LinkTags::Containers]);
    let runs = prop::sample::select(vec![TextRuns::Ignored, TextRuns::Code, TextRuns::Tag]);
    let numbers = (
        prop::sample::select(vec![0.0, 0.5, 1.0, 1.5]),
        prop::sample::select(vec![0.0, 0.25, 1.0]),
    );
    let forms = prop::sample::select(vec![Forms::Keep, Forms::Ignore, Forms::IgnoreSmall]);
    let method = prop::sample::select(vec![Cetd::cetd_ds(), Cetd::cectd_s(), Cetd::cectd_ds()]);
    (method, tags, runs, numbers, forms, any::<[bool; 6]>()).prop_map(
        |(of, link_tags, text_runs, numbers, forms, is)| Cetd {
            link_tags,
            text_runs,
            lambda: numbers.0,
            least_block: numbers.1,
            forms,
            threshold: if is[0] { Threshold::Path } else { Threshold::Body },
            zeros: if is[1] { Zeros::Everywhere } else { Zeros::Denominators },
            links: if is[2] { Links::Targets } else { Links::Anchors },
            ancestor_text: is[3],
            without_links: if is[4] {
                WithoutLinks::Content
            } else {
                WithoutLinks::Scored
            },
            hidden: is[5],
            ..of
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1200, ..ProptestConfig::default() })]

    #[test]
    fn cetd_is_the_papers_formula(page in page()) {
        for paper in [Cetd::cetd_ds(), Cetd::cectd_s(), Cetd::cectd_ds()] {
            check(&page, paper);
            check(&page, paper.code());
            check(&page, paper.modern());
        }
    }

    #[test]
    fn cetd_is_its_formula_with_all_values(page in page(), cetd in any_cetd()) {
        check(&page, cetd);
    }
}
