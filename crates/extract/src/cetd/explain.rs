//! Explains the decisions of CETD.

use super::{Cetd, Densities, Density, DensitySums, Method, Threshold, WithoutLinks};
use crate::view::View;
use crate::{Explanation, Figure, Rule, Selection};
use dehusk_html::NodeId;

static NO_LINKS: Rule = Rule::new(
    "cetd.no-links",
    "the page has no character in a link, so all of it is content",
);
static DENSE: Rule = Rule::new(
    "cetd.dense",
    "the density of {tag} is {density}, at least {threshold}; it is the mean of {own} twice (C {chars}, T {tags}, LC {linkChars}, LT \
     {linkTags}; in the body C {bodyChars}, LC {bodyLinkChars}) and its neighbours', {neighbours}",
);
static SPARSE: Rule = Rule::new(
    "cetd.sparse",
    "the density of {tag} is {density}, below {threshold}; it is the mean of {own} twice (C {chars}, T {tags}, LC {linkChars}, LT \
     {linkTags}; in the body C {bodyChars}, LC {bodyLinkChars}) and its neighbours', {neighbours}",
);
static ALL_DENSE: Rule = Rule::new(
    "cetd.all-dense",
    "each tag in {tag} with a text of its own has a density of at least {threshold}",
);
static NONE_DENSE: Rule = Rule::new(
    "cetd.none-dense",
    "no tag in {tag} with a text of its own has a density of {threshold}",
);
static SPARSE_BODY: Rule = Rule::new(
    "cetd.sparse-body",
    "the body's density is {density} (C {chars}, T {tags}, LC {linkChars}, LT {linkTags}), below {threshold}",
);
static GREATEST_SUM: Rule = Rule::new(
    "cetd.greatest-sum",
    "its DensitySum {sum} = {terms} is the greatest in {from}, which has a density of {density} (C {chars}, T {tags}, LC {linkChars}, LT \
     {linkTags}; in the body C {bodyChars}, LC {bodyLinkChars}), at least {threshold}",
);
static ANCESTOR_TEXT: Rule = Rule::new(
    "cetd.ancestor-text",
    "it is a text directly inside {parent}, which contains a block",
);
static NOT_REACHED: Rule = Rule::new(
    "cetd.not-reached",
    "{tag} has a density of {density} (C {chars}, T {tags}, LC {linkChars}, LT {linkTags}; in the body C {bodyChars}, \
     LC {bodyLinkChars}), below {threshold}",
);
static SMALL_SUM: Rule = Rule::new(
    "cetd.small-sum",
    "the greatest DensitySum in {tag} is {sum}, below {least}, which is {share} of the page's greatest",
);
static LOOSE_TEXT: Rule = Rule::new(
    "cetd.loose-text",
    "it is a text directly inside a tag that is not a block",
);

pub(super) fn describe(cetd: &Cetd) -> String {
    let density = match cetd.density {
        Density::Text => "text density",
        Density::Composite => "composite text density",
    };
    let mut text = match cetd.method {
        Method::Smoothing => format!(
            "keep the text directly inside each tag whose {density}, averaged with its neighbours', is at least {} \
             times the body's",
            cetd.lambda
        ),
        Method::DensitySum => {
            let threshold = match cetd.threshold {
                Threshold::Path => "the least on the path from the tag with the page's greatest DensitySum to the body",
                Threshold::Body => "that of the body",
            };
            let mut text = format!(
                "search every tag that can be reached through tags whose {density} is at least {} times the threshold \
                 ({threshold}); keep the tag with the greatest DensitySum in each",
                cetd.lambda
            );
            if cetd.least_block > 0.0 {
                text.push_str(&format!(
                    ", if it is at least {} of the page's greatest",
                    cetd.least_block
                ));
            }
            if cetd.ancestor_text {
                text.push_str("; keep the text directly inside the ancestors of what is kept too");
            }
            text
        }
    };
    if cetd.density == Density::Composite && cetd.without_links == WithoutLinks::Content {
        text.push_str("; a page without links is content");
    }
    text.push_str("; score of a node = its density, of the selection = the share of its characters outside links");
    text
}

/// Explains nodes. The densities are measured once for all of them.
pub(super) fn explain(cetd: &Cetd, view: &View<'_>, selection: &Selection, nodes: &[NodeId]) -> Vec<Explanation> {
    let dom = view.dom();
    let body = dom.body();
    if dom.is_empty() || view.subtree(body).text.chars == 0 {
        return Vec::new();
    }
    let linkless = view.subtree(body).control_chars == 0;
    if linkless && cetd.density == Density::Composite && cetd.without_links == WithoutLinks::Content {
        let one = |id: &NodeId| Explanation::new(*id, selection, &NO_LINKS);
        return nodes.iter().map(one).collect();
    }
    let mut measured = cetd.densities(view);
    if cetd.method == Method::Smoothing {
        let sharp = measured.clone();
        measured.smooth();
        let threshold = cetd.lambda * measured.density(body);
        let one = |id: &NodeId| smoothed(&sharp, &measured, threshold, view, selection, *id);
        return nodes.iter().map(one).collect();
    }
    let sums = cetd.density_sums(view);
    let page = PageFigures {
        cetd,
        view,
        selection,
        threshold: cetd.lambda * measured.threshold(&sums, cetd.threshold),
        least_sum: cetd.least_block * greatest_in(&sums, body),
        measured,
        sums,
    };
    nodes.iter().map(|id| page.explain(*id)).collect()
}

/// Adds the counts that the density of a tag is made of.
fn with_counts(explanation: Explanation, measured: &Densities, view: &View<'_>, tag: NodeId) -> Explanation {
    let Some(row) = measured.tags.place(tag).map(|at| measured.tags.rows[at]) else {
        return explanation;
    };
    let body = view.subtree(view.dom().body());
    explanation
        .count("chars", row.chars)
        .count("tags", row.tags)
        .count("linkChars", row.link_chars)
        .count("linkTags", row.link_tags)
        .count("bodyChars", body.text.chars)
        .count("bodyLinkChars", body.control_chars)
}

/// `sharp` are the densities before they were smoothed.
fn smoothed(
    sharp: &Densities,
    measured: &Densities,
    threshold: f64,
    view: &View<'_>,
    selection: &Selection,
    id: NodeId,
) -> Explanation {
    let node = view.dom().node(id);
    let tag = if node.tag.is_text() { node.parent } else { id };
    let density = measured.density(tag);
    let by = |rule| {
        let explanation = Explanation::new(id, selection, rule)
            .node("tag", tag)
            .measure("density", density)
            .measure("threshold", threshold)
            .measure("own", sharp.density(tag))
            .with("neighbours", Figure::Names(sharp.neighbours(tag)));
        with_counts(explanation, sharp, view, tag)
    };
    match (selection.contains(id), density >= threshold) {
        (true, true) => by(&DENSE),
        (false, false) => by(&SPARSE),
        (true, false) => by(&ALL_DENSE),
        (false, true) => by(&NONE_DENSE),
    }
}

fn greatest_in(sums: &DensitySums, id: NodeId) -> f64 {
    sums.best_under(id).map_or(0.0, |best| sums.sum(best))
}

/// The figures that DensitySum decided by, for all nodes of a page.
struct PageFigures<'a> {
    cetd: &'a Cetd,
    view: &'a View<'a>,
    selection: &'a Selection,
    measured: Densities,
    sums: DensitySums,
    threshold: f64,
    least_sum: f64,
}

impl PageFigures<'_> {
    fn explain(&self, id: NodeId) -> Explanation {
        let (dom, sums, measured) = (self.view.dom(), &self.sums, &self.measured);
        let by = |rule| Explanation::new(id, self.selection, rule);
        let body = dom.body();
        let mut way: Vec<NodeId> =
            std::iter::successors(Some(id), |at| (*at > body).then(|| dom.node(*at).parent)).collect();
        way.reverse();
        let reached = way.iter().take_while(|at| measured.density(**at) >= self.threshold);
        let Some(last) = reached.last().copied() else {
            return with_counts(by(&SPARSE_BODY), measured, self.view, body)
                .measure("density", measured.density(body))
                .measure("threshold", self.threshold);
        };
        // The first tag on the way that led to the node.
        let from = way
            .iter()
            .copied()
            .find(|at| sums.best_under(*at) == Some(id) && *at <= last);
        match (self.selection.contains(id), from) {
            (true, Some(from)) => with_counts(by(&GREATEST_SUM), measured, self.view, from)
                .measure("sum", sums.sum(id))
                .with("terms", Figure::Names(self.terms(id)))
                .node("from", from)
                .measure("density", measured.density(from))
                .measure("threshold", self.threshold),
            (true, None) => by(&ANCESTOR_TEXT).node("parent", dom.node(id).parent),
            (false, _) => match way.iter().copied().find(|at| *at > last) {
                Some(first) if !dom.node(first).tag.is_text() => {
                    with_counts(by(&NOT_REACHED), measured, self.view, first)
                        .node("tag", first)
                        .measure("density", measured.density(first))
                        .measure("threshold", self.threshold)
                }
                _ if self.least_sum > 0.0 && !dom.node(last).tag.is_text() => by(&SMALL_SUM)
                    .node("tag", last)
                    .measure("sum", greatest_in(sums, last))
                    .measure("least", self.least_sum)
                    .parameter("share", self.cetd.least_block),
                _ => by(&LOOSE_TEXT),
            },
        }
    }

    /// The terms of a DensitySum: the densities of the tag's children, or its own if it has none. Then the
    /// contributions of the texts between them.
    fn terms(&self, id: NodeId) -> String {
        let dom = self.view.dom();
        let children = dom
            .children(id)
            .filter(|child| self.measured.tags.place(*child).is_some());
        let mut terms: Vec<f64> = children.map(|child| self.measured.density(child)).collect();
        if terms.is_empty() {
            terms.push(self.measured.density(id));
        }
        let texts = self.sums.sum(id) - terms.iter().sum::<f64>();
        let more = terms.len().saturating_sub(MOST_TERMS);
        let rest: f64 = terms.iter().skip(MOST_TERMS).sum();
        let mut parts: Vec<String> = terms.iter().take(MOST_TERMS).map(|term| format!("{term:.4}")).collect();
        parts.extend((more > 0).then(|| format!("{rest:.4} of {more} more children")));
        parts.extend((texts > LEAST_TEXTS).then(|| format!("{texts:.4} of texts")));
        parts.join(" + ")
    }
}

/// Most terms of a sum that are listed one by one.
const MOST_TERMS: usize = 12;

/// The part of texts is computed as a difference. Less than this is an error of rounding.
const LEAST_TEXTS: f64 = 1e-6;
