//! NCE: the separator, the graph of what looks like comments, and the title.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use super::pages::page;
use super::titles::{self, titled_page};
use super::tree::{Reading, Tree};
use dehusk_extract::strip::Links;
use dehusk_extract::titles::TitleMatch;
use dehusk_extract::{Extractor, Nce, PageContext};
use dehusk_html::counting::is_cjk;
use dehusk_html::{Buffers, Dom, NodeId, Tag, parse, text_of};
use proptest::prelude::*;
use regex::Regex;

/// Sizes of the random pages.
fn small(links: Links) -> Nce {
    Nce {
        links,
        leaf_chars: 12,
        text_chars: 40,
        sibling_chars: 15,
        block_chars: 20,
        near_chars: 120,
        title_min_words: 1,
        title_overlap: 0.5,
        ..Nce::paper()
    }
}

#[derive(Clone, Copy)]
struct Page<'a> {
    nce: &'a Nce,
    dom: &'a Dom<'a>,
    tree: &'a Tree,
}

/// The amount of a text: a Chinese or Japanese character counts as several.
fn size(nce: &Nce, text: &str) -> usize {
    let weight = |c: char| if is_cjk(c) { nce.cjk_chars as usize } else { 1 };
    text.chars().map(weight).sum()
}

/// Words in lower case: letters and digits; a Chinese or Japanese character is a word.
fn bag(text: &str) -> Vec<String> {
    let mut bag = Vec::new();
    for run in text.to_lowercase().split(|c: char| !c.is_alphanumeric()) {
        let mut word = String::new();
        for c in run.chars() {
            if is_cjk(c) {
                bag.push(std::mem::take(&mut word));
                bag.push(c.to_string());
            } else {
                word.push(c);
            }
        }
        bag.push(word);
    }
    bag.retain(|word| !word.is_empty());
    bag
}

impl Page<'_> {
    fn size(&self, at: usize) -> usize {
        let texts = self.tree.texts(at).into_iter();
        texts.map(|text| size(self.nce, &self.tree.node(text).text)).sum()
    }

    fn link_density(&self, at: usize) -> f64 {
        let linked = self.tree.texts(at).into_iter();
        let linked = linked.filter(|text| self.tree.is_in(*text, |around| around.link));
        let linked: usize = linked.map(|text| self.tree.chars(text)).sum();
        match self.tree.chars(at) {
            0 => 0.0,
            all => linked as f64 / all as f64,
        }
    }

    /// Conditions (i) to (iii) of phase 1.
    fn is_separator(&self, at: usize) -> bool {
        let node = self.tree.node(at);
        let has_text = |sibling: &&usize| {
            **sibling != at
                && self.size(**sibling) >= self.nce.sibling_chars as usize
                && self.link_density(**sibling) < self.nce.sibling_density
        };
        let siblings = node.parent.map_or(&[][..], |parent| &self.tree.node(parent).children);
        node.tag != Tag::P
            && self.size(at) >= self.nce.text_chars as usize
            && siblings.iter().filter(has_text).count() <= 1
    }

    /// The separator.
    fn separator(&self) -> Option<usize> {
        let leaves = self.tree.texts(0).into_iter();
        let mut leaves = leaves.filter(|leaf| self.size(*leaf) >= self.nce.leaf_chars as usize);
        let closest = |leaf| self.tree.ancestors(leaf).into_iter().find(|at| self.is_separator(*at));
        leaves.find_map(closest)
    }

    /// The roots of U.
    fn roots(&self, separator: Option<usize>) -> (Option<usize>, Vec<usize>) {
        match separator {
            Some(u) => {
                let children = self.tree.node(u).children.iter().copied();
                (
                    Some(u),
                    children
                        .filter(|child| self.link_density(*child) <= self.nce.density)
                        .collect(),
                )
            }
            None if self.tree.chars(0) > 0 => (None, vec![0]),
            None => (None, Vec::new()),
        }
    }

    /// Phase 2: the first block of the first component. An edge joins texts with a time in the same three elements that
    /// are near each other.
    fn first_comment(&self, roots: &[usize]) -> Option<usize> {
        let nce = self.nce;
        let texts: Vec<usize> = roots.iter().flat_map(|root| self.tree.texts(*root)).collect();
        let before = |at: usize| -> usize {
            texts
                .iter()
                .filter(|text| **text < at)
                .map(|text| self.size(*text))
                .sum()
        };
        let least = nce.comments_after * texts.iter().map(|text| self.size(*text)).sum::<usize>() as f64;
        let names = |at: usize| {
            let parent = |id: &NodeId| Some(self.dom.node(*id).parent);
            let around = std::iter::successors(Some(self.tree.node(at).id), parent);
            around
                .skip(1)
                .take(3)
                .map(|id| self.dom.node(id).tag)
                .collect::<Vec<Tag>>()
        };
        let mut list: Vec<usize> = Vec::new();
        for leaf in texts.iter().copied() {
            let text = &self.tree.node(leaf).text;
            if self.size(leaf) > nce.block_chars as usize || (before(leaf) as f64) < least || !has_time(text) {
                continue;
            }
            list.push(leaf);
            let joined =
                |a: usize, b: usize| names(a) == names(b) && before(a).abs_diff(before(b)) <= nce.near_chars as usize;
            let mut component = BTreeSet::from([leaf]);
            while let Some(more) = list
                .iter()
                .copied()
                .find(|at| !component.contains(at) && component.iter().any(|of| joined(*of, *at)))
            {
                component.insert(more);
            }
            if component.len() >= nce.component as usize {
                let (first, second) = (component.pop_first()?, component.pop_first()?);
                let around = self.tree.ancestors(first).into_iter();
                let around = around.filter(|at| roots.iter().any(|root| self.tree.subtree(*root).contains(at)));
                let is_block = |at: &usize| {
                    let end = self.tree.subtree(*at).into_iter().max().unwrap();
                    end < second && before(*at) as f64 >= least
                };
                return around.filter(is_block).min().or(Some(first));
            }
        }
        None
    }

    /// The largest subtrees before a node.
    fn before(&self, root: usize, cut: usize) -> Vec<usize> {
        let end = self.tree.subtree(root).into_iter().max().unwrap();
        if end < cut {
            return vec![root];
        }
        if root >= cut {
            return Vec::new();
        }
        let children = self.tree.node(root).children.iter();
        children.flat_map(|child| self.before(*child, cut)).collect()
    }

    /// Phase 3: the texts of the title.
    fn title(&self, roots: &[usize]) -> Vec<NodeId> {
        let (nce, tree, dom) = (self.nce, self.tree, self.dom);
        let Some(first) = roots.first().copied() else {
            return Vec::new();
        };
        let known: BTreeSet<String> = roots
            .iter()
            .flat_map(|root| tree.texts(*root))
            .flat_map(|text| bag(&tree.node(text).text))
            .collect();
        // Titles of the head, then nodes of the body; of the largest the first.
        let mut best: (usize, Vec<NodeId>) = (0, Vec::new());
        let before_body = 0..tree.node(first).id.min(dom.body());
        for id in before_body.filter(|id| dom.node(*id).tag == Tag::Title) {
            let size = size(nce, &text_of(dom, id));
            if size > best.0 {
                best = (size, dom.children(id).take(1).collect());
            }
        }
        for at in 0..first {
            let all: Vec<String> = tree
                .texts(at)
                .into_iter()
                .flat_map(|text| bag(&tree.node(text).text))
                .collect();
            let shared = all.iter().filter(|word| known.contains(*word)).count();
            let is_before = tree.subtree(at).into_iter().all(|at| at < first);
            let is_short = (nce.title_min_words as usize..=nce.title_max_words as usize).contains(&tree.words(at));
            let is_known = !all.is_empty() && shared as f64 / all.len() as f64 >= nce.title_overlap;
            if is_before && is_short && is_known && self.size(at) > best.0 {
                best = (self.size(at), tree.kept(&[at]).into_iter().collect());
            }
        }
        best.1
    }
}

/// A time of day or a date in digits, between characters that are no digits.
static TIMES: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    let digits = |pattern: &str| Regex::new(&format!(r"(?:^|[^0-9]){pattern}(?:[^0-9]|$)")).unwrap();
    let mut all = vec![digits("[0-9]{1,2}:[0-9]{2}"), Regex::new("[0-9][年月日时時]").unwrap()];
    for mark in [r"\.", "/", "-"] {
        let part = "[0-9]{1,2}";
        all.push(digits(&format!("{part}{mark}{part}{mark}(?:[0-9]{{2}}|[0-9]{{4}})")));
        all.push(digits(&format!("[0-9]{{4}}{mark}{part}{mark}{part}")));
    }
    all
});

fn has_time(text: &str) -> bool {
    TIMES.iter().any(|time| time.is_match(text))
}

pub fn check(page: &str, nce: Nce) {
    let dom = parse(page, Buffers::default());
    let tree = Tree::new(&dom, Reading::new(nce.forms, nce.links));
    let selection = nce.extract(&PageContext::new(&dom, ""));
    if tree.0.is_empty() {
        return;
    }
    // Phase 1 is repeated after a failure, with half of two sizes.
    let halved = |times: u32| Nce {
        leaf_chars: nce.leaf_chars >> times,
        text_chars: nce.text_chars >> times,
        ..nce
    };
    let of = Page {
        nce: &nce,
        dom: &dom,
        tree: &tree,
    };
    let after = |times: u32| {
        let nce = &halved(times);
        Page { nce, ..of }.separator()
    };
    let separator = (0..=nce.halvings).find_map(after);
    let (separator, mut roots) = of.roots(separator);
    assert_eq!(selection.winner, separator.map(|at| tree.node(at).id), "{page}");
    if nce.comments
        && let Some(cut) = of.first_comment(&roots)
    {
        roots = roots.iter().flat_map(|root| of.before(*root, cut)).collect();
    }
    let mut kept = tree.kept(&roots);
    if nce.title {
        kept.extend(of.title(&roots));
    }
    if let Some(title) = titles::title(&dom, &tree, &roots, nce.title_match) {
        kept.extend(tree.kept(&[title]));
    }
    let mut seen = tree.kept_by(&selection);
    // The text of a title element is shown only if it is selected by itself.
    let is_title = |id: &NodeId| dom.node(dom.node(*id).parent).tag == Tag::Title;
    seen.extend(selection.ranges.iter().map(|range| range.start).filter(is_title));
    assert_eq!(seen, kept, "{nce:?} of {page}");
    for at in 0..tree.0.len() {
        if let Some(score) = selection.score_of(tree.node(at).id) {
            assert_eq!(score, 1.0 - of.link_density(at), "node {at} of {page}");
        }
    }
}

/// [`Nce::modern`] with the sizes of the random pages.
fn small_modern() -> Nce {
    Nce {
        leaf_chars: 40,
        text_chars: 120,
        sibling_chars: 15,
        block_chars: 20,
        near_chars: 120,
        ..Nce::modern()
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1200, ..ProptestConfig::default() })]

    #[test]
    fn nce_is_the_papers_algorithm(page in page(), words in 1..4u32) {
        for links in [Links::Anchors, Links::Targets] {
            let nce = Nce { title_min_words: words, ..small(links) };
            check(&page, nce);
            check(&page, Nce { comments: false, title: false, ..nce });
        }
    }

    #[test]
    fn nce_is_its_algorithm_with_the_modern_values(page in page(), titled in titled_page(), halvings in 0..4u32) {
        for page in [page, titled] {
            check(&page, Nce { halvings, ..small_modern() });
            check(&page, Nce { title_match: TitleMatch::Exact, ..small_modern() });
        }
    }
}
