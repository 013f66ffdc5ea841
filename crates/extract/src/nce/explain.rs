//! Explains the decisions of NCE.

use std::ops::Range;

use super::{MOST_SIBLINGS, Nce, comments, density};
use crate::view::View;
use crate::{Explanation, Rule, Selection};
use dehusk_html::{NodeId, Tag};

static TITLE: Rule = Rule::new("nce.title", "phase 3 took it for the title ({words} words)");
static TITLE_REPAIR: Rule = Rule::new("nce.title-repair", "the repair by the page's title added it");
static NO_SEPARATOR: Rule = Rule::new(
    "nce.no-separator",
    "there is no separator: no text of at least {leaf_chars} characters has one",
);
static SEPARATOR: Rule = Rule::new(
    "nce.separator",
    "it is around {leaf} ({leaf_chars} characters, at least {least_leaf}), has {chars} characters (at least {least}) \
     and {siblings} siblings with much text (at most {most_siblings})",
);
static FEW_LINKS: Rule = Rule::new(
    "nce.low-link-density",
    "{child} has a link density of {density}, not above {limit}, and is a child of the separator {separator}",
);
static MANY_LINKS: Rule = Rule::new(
    "nce.high-link-density",
    "{child} has a link density of {density}, above {limit}",
);
static AFTER_COMMENT: Rule = Rule::new(
    "nce.comments",
    "phase 2 took {comment} for the first comment, and drops everything from there on",
);
static DROPPED: Rule = Rule::new("nce.dropped", "phase 2 dropped it");
static OUTSIDE: Rule = Rule::new("nce.outside-separator", "it is not under the separator {separator}");

pub(super) fn describe(nce: &Nce) -> String {
    let mut text = format!(
        "keep the separator's children with a link density of at most {}; the separator is, of the elements around the \
         first \
         text of at least {} characters, the closest that is not a p, has at least {} characters, and has at most \
         {MOST_SIBLINGS} sibling of {} characters with a link density below {}",
        nce.density, nce.leaf_chars, nce.text_chars, nce.sibling_chars, nce.sibling_density
    );
    if nce.halvings > 0 {
        text.push_str(&format!(
            " (if there is none, halve the first two sizes and search again, up to {} times)",
            nce.halvings
        ));
    }
    if nce.comments {
        text.push_str(&format!(
            "; drop everything from the comments on: the first of {} short texts that look alike, after {} of the \
                text",
            nce.component, nce.comments_after
        ));
    }
    if nce.title {
        text.push_str(&format!(
            "; add the largest title before what is kept: {} to {} words, {} of them in the text",
            nce.title_min_words, nce.title_max_words, nce.title_overlap
        ));
    }
    text.push_str("; score = 1 - link density");
    text
}

/// The results of a page's phases, for all nodes.
struct Phases<'a> {
    nce: &'a Nce,
    view: &'a View<'a>,
    selection: &'a Selection,
    /// The first comment of phase 2.
    cut: Option<NodeId>,
    /// The start and the end of what phase 1 kept.
    first: Option<NodeId>,
    last: Option<NodeId>,
}

/// Explains nodes. The phases are worked out once for all of them.
pub(super) fn explain(nce: &Nce, view: &View<'_>, selection: &Selection, nodes: &[NodeId]) -> Vec<Explanation> {
    let dom = view.dom();
    let children = |u| dom.children(u).filter(|id| !view.is_masked(*id));
    let kept: Vec<Range<NodeId>> = match selection.winner {
        Some(u) => children(u)
            .filter(|id| density(view.subtree(*id)) <= nce.density)
            .map(|id| dom.subtree(id))
            .collect(),
        None => vec![dom.subtree(dom.body())],
    };
    let phases = Phases {
        nce,
        view,
        selection,
        cut: if nce.comments {
            comments::first_comment(nce, view, &kept)
        } else {
            None
        },
        first: kept.first().map(|r| r.start),
        last: kept.last().map(|r| r.end),
    };
    nodes.iter().filter_map(|id| phases.explain(*id)).collect()
}

impl Phases<'_> {
    fn explain(&self, id: NodeId) -> Option<Explanation> {
        let (dom, selection) = (self.view.dom(), self.selection);
        let Some(u) = selection.winner else {
            if id < dom.body() {
                return Some(self.title(id));
            }
            return if selection.contains(id) && self.cut.is_none_or(|cut| id < cut) {
                Some(self.by(id, &NO_SEPARATOR).count("leaf_chars", self.nce.leaf_chars))
            } else {
                self.after_comments(id)
            };
        };
        if id == u {
            return Some(self.separator(u));
        }
        let below = |id: NodeId| id > u && dom.subtree(u).contains(&id);
        // The child of the separator that the node is, or is in.
        let child = std::iter::successors(below(id).then_some(id), |at| Some(dom.node(*at).parent))
            .find(|at| dom.node(*at).parent == u);
        let limit = self.nce.density;
        let density = child.map_or(0.0, |child| density(self.view.subtree(child)));
        let is_cut = || {
            self.cut
                .is_some_and(|cut| cut <= id && self.last.is_some_and(|last| id < last))
        };
        Some(match (selection.contains(id), child) {
            (true, Some(child)) if density <= limit => self
                .by(id, &FEW_LINKS)
                .node("child", child)
                .measure("density", density)
                .parameter("limit", limit)
                .node("separator", u),
            (true, _) if self.nce.title && self.first.is_some_and(|first| id < first) => self.title(id),
            (true, _) => self.by(id, &TITLE_REPAIR),
            (false, Some(child)) if density > limit => self
                .by(id, &MANY_LINKS)
                .node("child", child)
                .measure("density", density)
                .parameter("limit", limit),
            (false, Some(_)) if is_cut() => self.after_comments(id)?,
            (false, Some(_)) => self.by(id, &DROPPED),
            (false, None) => self.by(id, &OUTSIDE).node("separator", u),
        })
    }

    fn by(&self, id: NodeId, rule: &'static Rule) -> Explanation {
        Explanation::new(id, self.selection, rule)
    }

    fn title(&self, id: NodeId) -> Explanation {
        self.by(id, &TITLE).count("words", self.view.subtree(id).text.words)
    }

    fn after_comments(&self, id: NodeId) -> Option<Explanation> {
        Some(self.by(id, &AFTER_COMMENT).node("comment", self.cut?))
    }

    /// The separator with the figures of phase 1.
    fn separator(&self, u: NodeId) -> Explanation {
        let (nce, view, dom) = (self.nce, self.view, self.view.dom());
        let sums = view.subtree(u);
        // The sizes may have been halved until they fitted.
        let leaf_of = |least: u64| {
            dom.subtree(u)
                .find(|id| dom.node(*id).tag.is_text() && nce.chars(view.subtree(*id)) >= least)
        };
        let halved = (0..=nce.halvings.min(31)).find(|h| {
            nce.chars(sums) >= u64::from(nce.text_chars >> h) && leaf_of(u64::from(nce.leaf_chars >> h)).is_some()
        });
        let h = halved.unwrap_or(0);
        let (least_leaf, least) = (nce.leaf_chars >> h, nce.text_chars >> h);
        let leaf = leaf_of(u64::from(least_leaf)).unwrap_or(u);
        let counts = |id: &NodeId| {
            let sums = view.subtree(*id);
            *id != u && nce.chars(sums) >= u64::from(nce.sibling_chars) && density(sums) < nce.sibling_density
        };
        let siblings = if u == dom.body() {
            0
        } else {
            dom.children(dom.node(u).parent).filter(counts).count()
        };
        debug_assert!(dom.node(u).tag != Tag::P);
        self.by(u, &SEPARATOR)
            .node("leaf", leaf)
            .count("leaf_chars", nce.chars(view.subtree(leaf)))
            .count("least_leaf", least_leaf)
            .count("chars", nce.chars(sums))
            .count("least", least)
            .count("siblings", siblings as u64)
            .count("most_siblings", MOST_SIBLINGS)
    }
}
