//! CoreEx, section 2: counts by recursion, the score of every node, the set of the best one; and the titles of 6.1.

use super::pages::page;
use super::titles::{self, titled_page};
use super::tree::{Reading, Tree, words};
use dehusk_extract::coreex::{LinkNode, PageText, Scoring};
use dehusk_extract::strip::{Forms, Links};
use dehusk_extract::titles::TitleMatch;
use dehusk_extract::{CoreEx, Extractor, PageContext};
use dehusk_html::{Buffers, Tag, parse};
use proptest::prelude::*;

/// `textCnt` and `linkCnt` (2.1). A link is a text or an image in an `a`, or the `a`.
fn counts(coreex: &CoreEx, tree: &Tree, at: usize) -> (usize, usize) {
    let node = tree.node(at);
    let linked = tree.is_in(at, |around| around.link);
    match coreex.link_node {
        LinkNode::Terminal if linked && (tree.is_text(at) || node.tag == Tag::Img) => return (1, 1),
        // The content of a link is counted with the link.
        LinkNode::Anchor if linked => return (0, 0),
        LinkNode::Anchor if node.link => return (1, 1),
        _ => {}
    }
    if tree.is_text(at) {
        return (words(&node.text), 0);
    }
    let sum = |(a, b): (usize, usize), (c, d): (usize, usize)| (a + c, b + d);
    let each = node.children.iter().map(|child| counts(coreex, tree, *child));
    each.fold((0, 0), sum)
}

fn ratio((text, link): (usize, usize)) -> f64 {
    (text - link) as f64 / text as f64
}

/// The children whose ratio is above the threshold (2.2.2).
fn set(coreex: &CoreEx, tree: &Tree, at: usize) -> Vec<usize> {
    let children = tree.node(at).children.iter().copied();
    children
        .filter(|child| ratio(counts(coreex, tree, *child)) > coreex.threshold)
        .collect()
}

/// The score of a node: by its set, or by all of it. `None` where there is no text outside links.
fn score(coreex: &CoreEx, tree: &Tree, at: usize) -> Option<f64> {
    let of = if coreex.subset && !tree.is_text(at) {
        let all = set(coreex, tree, at)
            .into_iter()
            .map(|child| counts(coreex, tree, child));
        all.fold((0, 0), |(a, b), (c, d)| (a + c, b + d))
    } else {
        counts(coreex, tree, at)
    };
    if of.0 == of.1 {
        return None;
    }
    let page_text = match coreex.page_text {
        PageText::Words => tree.words(0),
        PageText::Counted => counts(coreex, tree, 0).0,
    };
    Some(match coreex.scoring {
        Scoring::Basic => ratio(of),
        Scoring::Weighted => {
            coreex.weight_ratio * ratio(of) + (1.0 - coreex.weight_ratio) * of.0 as f64 / page_text as f64
        }
    })
}

pub fn check(page: &str, coreex: CoreEx) {
    let dom = parse(page, Buffers::default());
    let tree = Tree::new(&dom, Reading::new(coreex.forms, coreex.links));
    let selection = coreex.extract(&PageContext::new(&dom, ""));
    let mut best: Option<(f64, usize)> = None;
    for at in 0..tree.0.len() {
        let score = score(&coreex, &tree, at);
        assert_eq!(selection.score_of(tree.node(at).id), score, "node {at} of {page}");
        // The highest; of equal ones the higher in the tree, then the first.
        let depth = |at: usize| tree.ancestors(at).len();
        let better = |score: f64| best.is_none_or(|(top, of)| score > top || (score == top && depth(at) < depth(of)));
        if let Some(score) = score.filter(|score| better(*score)) {
            best = Some((score, at));
        }
    }
    assert_eq!(selection.winner, best.map(|(_, at)| tree.node(at).id), "{page}");
    let (mut roots, parent) = match best {
        None => (Vec::new(), None),
        Some((_, at)) if coreex.subset && !tree.is_text(at) => (set(&coreex, &tree, at), Some(at)),
        Some((_, at)) => (vec![at], tree.node(at).parent),
    };
    if coreex.sibling_header {
        roots.extend(titles::sibling_header(&tree, parent));
    }
    roots.extend(titles::title(&dom, &tree, &roots, coreex.title_match));
    assert_eq!(tree.kept_by(&selection), tree.kept(&roots), "{coreex:?} of {page}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1200, ..ProptestConfig::default() })]

    #[test]
    fn coreex_is_the_papers_formula(page in page()) {
        let paper = CoreEx::paper();
        check(&page, paper);
        check(&page, CoreEx { subset: false, ..paper });
        check(&page, CoreEx { subset: false, scoring: Scoring::Basic, ..paper });
        check(&page, CoreEx { page_text: PageText::Counted, weight_ratio: 0.95, ..paper });
        check(&page, CoreEx { link_node: LinkNode::Anchor, links: Links::Anchors, ..paper });
        check(&page, CoreEx { forms: Forms::IgnoreSmall, threshold: 0.6, ..paper });
    }

    #[test]
    fn coreex_finds_titles_as_the_paper_repairs_them(page in titled_page()) {
        check(&page, CoreEx::modern());
        for title_match in [TitleMatch::None, TitleMatch::Exact, TitleMatch::Part] {
            for subset in [true, false] {
                let paper = CoreEx { title_match, subset, ..CoreEx::paper() };
                check(&page, paper);
                check(&page, CoreEx { sibling_header: true, ..paper });
            }
        }
    }
}
