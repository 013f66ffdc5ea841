//! Removing statements (ContentEx II.A): about copyright, disclaimers, and posting messages that comply with local
//! laws.
//!
//! The paper gives no rule. Here a text node is a statement if one of the statement patterns matches in it and it has
//! at most a given number of words. The patterns are of several languages and come from a data file (see
//! [`patterns`](super::patterns)).
//!
//! A statement often contains links or emphasis ("© 2011 *A Paper*. All rights reserved."). So the innermost block
//! around the text is masked as a whole, if it is as short as a statement and contains no other block. Otherwise only
//! the text node is masked.

use std::ops::Range;
use std::sync::Arc;

use super::patterns::{Candidates, PatternKinds, Patterns};
use dehusk_html::rendering::NodeText;
use dehusk_html::{Dom, NodeId};

/// A block of more nodes than this is no statement, but for example a row of links that contains one. The limit also
/// bounds the time for checking a block.
const MOST_NODES: u32 = 64;

/// Most elements between a text and its block that are passed. Emphasis is not nested deeper.
const MOST_INLINE: usize = 8;

/// Which texts are statements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statements {
    /// The patterns of statements.
    pub patterns: Arc<Patterns>,
    /// Most words of a statement.
    pub words: u32,
}

impl Statements {
    /// The statements among the candidates, as subtrees in order and disjoint: blocks without inner blocks, or texts.
    pub(super) fn find(&self, dom: &Dom<'_>, candidates: &Candidates) -> Vec<Range<NodeId>> {
        let mut found: Vec<Range<NodeId>> = Vec::new();
        let mut scratch = String::new();
        for (id, kinds) in candidates {
            let id = *id;
            let words = dom.counts()[id as usize].words;
            // A statement has letters, and so at least one word.
            let is_statement = kinds.has_any(PatternKinds::STATEMENT)
                && (1..=self.words).contains(&words)
                && found.last().is_none_or(|before| before.end <= id)
                && self.patterns.matches(
                    PatternKinds::STATEMENT,
                    NodeText::new(dom, id, &mut scratch).collapsed(),
                );
            if !is_statement {
                continue;
            }
            let root = self.small_block(dom, id).unwrap_or(id);
            // The block replaces what was found inside it.
            while found.pop_if(|before| before.start >= root).is_some() {}
            found.push(dom.subtree(root));
        }
        found
    }

    /// The block around a text, if it is short and contains no other block.
    fn small_block(&self, dom: &Dom<'_>, id: NodeId) -> Option<NodeId> {
        let mut root = id;
        for _ in 0..MOST_INLINE {
            root = dom.node(root).parent;
            let node = dom.node(root);
            if root == dom.body() || node.end - root > MOST_NODES {
                return None;
            }
            if node.tag.is_block() || node.tag.is_spaced() {
                let inside = root + 1..node.end;
                let words: u32 = inside.clone().map(|i| dom.counts()[i as usize].words).sum();
                let only_inline = inside.into_iter().all(|i| !dom.node(i).tag.is_block());
                return (only_inline && words <= self.words).then_some(root);
            }
        }
        None
    }
}
