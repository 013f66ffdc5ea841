//! The fate of every node of a page, as data for a picture of the page.

use dehusk_html::NodeId;
use serde::Serialize;

use crate::explained::element_name;
use crate::{ExplainedBlock, Explanation, PageContext, Preset};

/// Most nodes that are explained. Explaining a node can take as long as its subtree is large.
const MOST_EXPLAINED: usize = 100_000;

/// A page as an extractor explains it, node by node.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct ExplainedPage {
    /// The preset's name.
    pub extractor: String,
    /// The extractor's rule in a sentence.
    pub rule: String,
    /// The score of the selection, 0 to 1.
    pub score: f64,
    /// Words of the body that are selected.
    pub kept_words: u32,
    /// Words of the body.
    pub page_words: u32,
    /// The node that won, where the extractor chooses one.
    pub winner: Option<NodeId>,
    /// The blocks of the page, where the extractor selects blocks.
    pub blocks: Vec<ExplainedBlock>,
    /// Every node. Its number is its index.
    pub nodes: Vec<PageNode>,
}

/// The fate of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum NodeState {
    /// It is selected, with its subtree.
    Kept,
    /// Something in it is selected, but not all of it.
    Around,
    /// Nothing of it is selected.
    LeftOut,
    /// The preprocessing removed it.
    Stripped,
}

impl NodeState {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Kept => "kept",
            Self::Around => "around",
            Self::LeftOut => "left_out",
            Self::Stripped => "stripped",
        }
    }
}

/// A node of a page.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct PageNode {
    /// The node.
    pub node: NodeId,
    /// Its parent. The root is its own parent.
    pub parent: NodeId,
    /// The end of its subtree.
    pub end: NodeId,
    /// `text`, or the element with its id or first class: `p.lead`.
    pub name: String,
    /// Its fate.
    pub state: NodeState,
    /// Words of its subtree, without what was stripped.
    pub words: u32,
    /// Those of them that are in links.
    pub linked_words: u32,
    /// Characters of its subtree, without what was stripped.
    pub chars: u32,
    /// Elements of its subtree, itself included, without what was stripped.
    pub tags: u32,
    /// Its score, where the extractor gave it one.
    pub score: Option<f64>,
    /// The index of the block that it begins.
    pub block: Option<u32>,
    /// Why it was chosen, kept or left out. A node without words has no explanation, nor has one after the first
    /// hundred thousand with words.
    pub explanation: Option<Explanation>,
}

impl ExplainedPage {
    /// Explains what a preset makes of a page.
    pub fn new(page: &PageContext<'_>, preset: &Preset) -> Self {
        let view = &*page.view(preset.strip());
        let selection = &*page.selection(preset);
        let dom = view.dom();
        let mut nodes: Vec<PageNode> = Vec::with_capacity(dom.nodes().len());
        let mut masked = view.masked().iter().peekable();
        let mut ranges = selection.ranges.iter().peekable();
        for (id, node) in (0..).zip(dom.nodes()) {
            while masked.next_if(|range| range.end <= id).is_some() {}
            while ranges.next_if(|range| range.end <= id).is_some() {}
            let is_stripped = masked.peek().is_some_and(|range| range.start <= id);
            let state = match ranges.peek() {
                _ if is_stripped => NodeState::Stripped,
                Some(range) if range.start <= id => NodeState::Kept,
                Some(range) if range.start < node.end => NodeState::Around,
                _ => NodeState::LeftOut,
            };
            let counts = view.subtree(id);
            nodes.push(PageNode {
                node: id,
                parent: node.parent,
                end: node.end,
                name: element_name(dom, id),
                state,
                words: counts.text.words,
                linked_words: counts.linked_words,
                chars: counts.text.chars,
                tags: counts.tags,
                score: selection.score_of(id),
                block: None,
                explanation: None,
            });
        }
        let is_explained = |node: &&PageNode| {
            node.words > 0
                && node.state != NodeState::Stripped
                && (node.node >= dom.body() || selection.contains(node.node))
        };
        let explained = nodes.iter().filter(is_explained).map(|node| node.node);
        let mut explained: Vec<NodeId> = explained.take(MOST_EXPLAINED).collect();
        // The winner is explained in any case.
        if let Some(winner) = selection.winner
            && explained.binary_search(&winner).is_err()
        {
            explained.push(winner);
        }
        for explanation in page.explain(preset, selection, &explained) {
            if let Some(node) = nodes.get_mut(explanation.node as usize) {
                node.explanation = Some(explanation);
            }
        }
        let blocks = preset.extractor.explain_blocks(page);
        for (index, block) in (0..).zip(&blocks) {
            if let Some(node) = nodes.get_mut(block.node as usize) {
                node.block = Some(index);
            }
        }
        let in_body = selection.ranges.iter().filter(|range| range.start >= dom.body());
        Self {
            extractor: preset.name.clone(),
            rule: preset.extractor.describe(),
            score: selection.score,
            kept_words: in_body.map(|range| view.words(range.clone())).sum(),
            page_words: view.subtree(dom.body()).text.words,
            winner: selection.winner,
            blocks,
            nodes,
        }
    }

    /// The words of `--explain` about a node: its number, its counts, its score, and why it was chosen, kept or left
    /// out. `""` for a node without words.
    pub fn note(&self, id: NodeId) -> String {
        let Some(node) = self
            .nodes
            .get(id as usize)
            .filter(|node| node.words > 0 || self.winner == Some(id))
        else {
            return String::new();
        };
        let block = node.block.and_then(|block| self.blocks.get(block as usize));
        let score = match (node.score, block) {
            (Some(score), _) => format!(" score {score:.4},"),
            (None, Some(block)) => format!(" probability {:.4},", block.probability),
            (None, None) => String::new(),
        };
        let linked = match node.linked_words {
            0 => String::new(),
            linked => format!(", {linked} in links"),
        };
        let mut note = format!("#{id} {}{score} {} words{linked}", node.name, node.words);
        if let Some(explanation) = &node.explanation {
            note.push_str(&format!("\n{} because {explanation}", explanation.verdict.phrase()));
        }
        note
    }
}
