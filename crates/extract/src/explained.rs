//! A whole selection with its explanations, as data: what `--explain` shows of a page and an extractor.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::ops::Range;

use dehusk_html::rendering::render_bare;
use dehusk_html::{Dom, NodeId, Tag, text_of};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use crate::view::View;
use crate::{Explanation, PageContext, Preset, Selection};

/// Most ranges of a selection whose subtrees are listed.
const MAX_KEPT: usize = 40;

/// Most subtrees without anything selected that are listed.
const MAX_LEFT_OUT: usize = 10;

/// Most nodes that are listed for their scores.
const MAX_BEST: usize = 10;

/// Most characters of a node's text that are listed.
const MAX_EXCERPT: usize = 60;

/// The selection of an extractor from a page, with reasons.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ExplainedSelection {
    /// The preset's name.
    pub extractor: String,
    /// The extractor's rule in a sentence.
    pub description: String,
    /// The score of the selection, 0 to 1.
    pub score: f64,
    /// Words of the body that are selected.
    pub kept_words: u32,
    /// Words of the body.
    pub page_words: u32,
    /// Number of the selection's ranges.
    pub ranges: usize,
    /// The node that won, where the extractor chooses one.
    pub chosen: Option<ExplainedNode>,
    /// The selected subtrees of the first ranges, in order.
    pub kept: Vec<ExplainedNode>,
    /// Number of ranges that [`kept`](Self::kept) has nothing of.
    pub ranges_not_listed: usize,
    /// The largest subtrees with words and without anything selected, the largest first.
    pub left_out: Vec<ExplainedNode>,
    /// Number of all such subtrees.
    pub all_left_out: usize,
    /// The largest subtrees with text that the preprocessing removed, such as forms and statements, the largest first.
    pub removed: Vec<ExplainedNode>,
    /// Number of all subtrees of the body that the preprocessing removed, scripts included.
    pub all_removed: usize,
    /// The nodes with the highest scores, the highest first. They have no explanation.
    pub best: Vec<ExplainedNode>,
    /// Number of nodes with a score.
    pub all_scored: usize,
    /// The blocks of the page, where the extractor selects blocks.
    pub blocks: Vec<ExplainedBlock>,
}

/// A block of text with what an extractor knows of it.
#[derive(Clone, Debug, Serialize)]
pub struct ExplainedBlock {
    /// Its first text node.
    pub node: NodeId,
    /// Whether it is selected.
    #[serde(rename = "kept")]
    pub is_kept: bool,
    /// The probability that it is content.
    pub probability: f64,
    /// The probability before the extractor looked at the blocks alike.
    pub probability_alone: f64,
    /// Whether it is selected only because it is between selected blocks.
    #[serde(rename = "filled")]
    pub is_filled: bool,
    /// Its words.
    pub words: u32,
    /// Its text.
    pub text: String,
    /// The features that changed the logit of the model's trees most, the strongest first, each with what it added.
    /// Empty for a model without trees.
    #[serde(rename = "features", serialize_with = "as_map")]
    pub strongest: Vec<(&'static str, f64)>,
}

fn as_map<S: Serializer>(pairs: &[(&'static str, f64)], serializer: S) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(pairs.len()))?;
    for (name, value) in pairs {
        map.serialize_entry(name, value)?;
    }
    map.end()
}

/// A node with what an extractor knows of it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ExplainedNode {
    /// The node.
    pub node: NodeId,
    /// Whether it is selected.
    pub is_kept: bool,
    /// Its score, where the extractor gave it one.
    pub score: Option<f64>,
    /// Words of its subtree.
    pub words: u32,
    /// Those of them that are in links.
    pub linked_words: u32,
    /// The elements from the root to the node, each with its id or its first class: `div#main`, `p.lead`.
    pub path: Vec<String>,
    /// The start of its text, on one line.
    pub excerpt: String,
    /// Whether the text continues.
    pub is_cut: bool,
    /// Why it was chosen, kept or left out.
    pub explanation: Option<Explanation>,
}

impl ExplainedSelection {
    /// Explains what a preset selects from a page.
    pub fn new(page: &PageContext<'_>, preset: &Preset) -> Self {
        let view = &*page.view(preset.strip());
        let selection = &*page.selection(preset);
        let dom = view.dom();
        let words = |range: Range<NodeId>| view.range(range).text.words;
        // A title from the head is none of the body's words.
        let in_body = selection.ranges.iter().filter(|r| r.start >= dom.body());
        let kept = listed(view, selection);
        let mut left_out = left_out(view, selection);
        left_out.sort_by_key(|id| Reverse(words(dom.subtree(*id))));
        let all_left_out = left_out.len();
        left_out.truncate(MAX_LEFT_OUT);
        let (removed, all_removed) = removed(view, selection);
        let (best, all_scored) = best(view, selection);
        let mut nodes: Vec<NodeId> = selection.winner.into_iter().collect();
        nodes.extend(kept.iter().chain(&left_out));
        let explanations = page.explain(preset, selection, &nodes);
        let mut explanation_of = HashMap::new();
        for explanation in &explanations {
            explanation_of.entry(explanation.node).or_insert(explanation);
        }
        let explained = |id: NodeId| ExplainedNode {
            explanation: explanation_of.get(&id).copied().cloned(),
            ..ExplainedNode::new(view, selection, id)
        };
        Self {
            extractor: preset.name.clone(),
            description: preset.extractor.describe(),
            score: selection.score,
            kept_words: in_body.map(|r| words(r.clone())).sum(),
            page_words: words(dom.subtree(dom.body())),
            ranges: selection.ranges.len(),
            chosen: selection.winner.map(explained),
            kept: kept.into_iter().map(explained).collect(),
            ranges_not_listed: selection.ranges.len().saturating_sub(MAX_KEPT),
            left_out: left_out.into_iter().map(explained).collect(),
            all_left_out,
            removed,
            all_removed,
            best: best
                .into_iter()
                .map(|id| ExplainedNode::new(view, selection, id))
                .collect(),
            all_scored,
            blocks: preset.extractor.explain_blocks(page),
        }
    }
}

impl ExplainedNode {
    fn new(view: &View<'_>, selection: &Selection, id: NodeId) -> Self {
        let counts = view.subtree(id);
        let mut text = String::new();
        render_bare(view.dom(), &[view.dom().subtree(id)], view.masked(), &mut text);
        let (excerpt, is_cut) = excerpt(&text);
        Self {
            node: id,
            is_kept: selection.contains(id),
            score: selection.score_of(id),
            words: counts.text.words,
            linked_words: counts.linked_words,
            path: path(view, id),
            excerpt,
            is_cut,
            explanation: None,
        }
    }
}

/// The start of a text on one line, and whether the text continues.
fn excerpt(text: &str) -> (String, bool) {
    let start: String = text.chars().take(MAX_EXCERPT).collect();
    (start.replace("\n\n", " ").replace('\n', " "), start.len() < text.len())
}

/// The subtrees of the first ranges. A range may hold several subtrees side by side.
fn listed(view: &View<'_>, selection: &Selection) -> Vec<NodeId> {
    let mut nodes = Vec::new();
    for range in selection.ranges.iter().take(MAX_KEPT) {
        let mut id = range.start;
        while id < range.end {
            nodes.push(id);
            id = view.dom().node(id).end.max(id + 1);
        }
    }
    nodes
}

/// The largest subtrees with words that hold nothing of the selection, in order.
fn left_out(view: &View<'_>, selection: &Selection) -> Vec<NodeId> {
    let dom = view.dom();
    let body = dom.subtree(dom.body());
    let mut kept = selection.ranges.iter().peekable();
    let mut found = Vec::new();
    let mut id = body.start;
    while id < body.end {
        while kept.next_if(|r| r.end <= id).is_some() {}
        let subtree = dom.subtree(id);
        match kept.peek() {
            Some(range) if range.start <= id => id = range.end,
            Some(range) if range.start < subtree.end => id += 1,
            _ => {
                id = subtree.end;
                if view.range(subtree.clone()).text.words > 0 {
                    found.push(subtree.start);
                }
            }
        }
    }
    found
}

/// The largest masked subtrees of the body with text, and how many masked subtrees there are.
fn removed(view: &View<'_>, selection: &Selection) -> (Vec<ExplainedNode>, usize) {
    let dom = view.dom();
    let in_body = view.masked().iter().filter(|range| range.start > dom.body());
    let words = |range: &Range<NodeId>| range.clone().map(|id| dom.counts()[id as usize].words).sum();
    let mut with_text: Vec<(u32, NodeId)> = in_body
        .clone()
        .map(|range| (words(range), range.start))
        .filter(|(words, _)| *words > 0)
        .collect();
    with_text.sort_by_key(|(words, id)| (Reverse(*words), *id));
    with_text.truncate(MAX_LEFT_OUT);
    let node = |(words, id): (u32, NodeId)| {
        let (excerpt, is_cut) = excerpt(&text_of(dom, id));
        ExplainedNode {
            words,
            excerpt,
            is_cut,
            ..ExplainedNode::new(view, selection, id)
        }
    };
    (with_text.into_iter().map(node).collect(), in_body.count())
}

/// The nodes with the highest scores, and how many nodes have one.
fn best(view: &View<'_>, selection: &Selection) -> (Vec<NodeId>, usize) {
    let mut scored: Vec<(f64, NodeId)> = (selection.scored_from..view.dom().len())
        .filter_map(|id| Some((selection.score_of(id)?, id)))
        .collect();
    let all = scored.len();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    scored.truncate(MAX_BEST);
    (scored.into_iter().map(|(_, id)| id).collect(), all)
}

/// The elements from the root to a node.
fn path(view: &View<'_>, id: NodeId) -> Vec<String> {
    let dom = view.dom();
    let mut steps = Vec::new();
    let mut at = id;
    loop {
        steps.push(element_name(dom, at));
        if at == 0 {
            break;
        }
        at = dom.node(at).parent;
    }
    steps.reverse();
    steps
}

/// `text`, or the name of an element with its id or its first class: `div#main`, `p.lead`.
pub(crate) fn element_name(dom: &Dom<'_>, id: NodeId) -> String {
    let tag = dom.node(id).tag;
    if tag.is_text() {
        return "text".to_owned();
    }
    let mut name = match tag {
        Tag::Other => dom.name(id).to_ascii_lowercase(),
        tag => format!("{tag:?}").to_ascii_lowercase(),
    };
    if let Some(own) = dom.attribute(id, "id").filter(|own| !own.is_empty()) {
        name.push_str(&format!("#{own}"));
    } else if let Some(class) = dom.attribute(id, "class")
        && let Some(first) = class.split_whitespace().next()
    {
        name.push_str(&format!(".{first}"));
    }
    name
}
