//! Removing statements (ContentEx II.A): about copyright, disclaimers, and posting messages that comply with local laws.
//!
//! The paper names the function and not its rule. Here a text node is a statement if one of the statement patterns is
//! found in it and it has no more words than a limit; patterns are of several languages and come from a data file (see
//! [`patterns`](super::patterns)). Then the innermost block around it is masked whole, for a statement often has links
//! or emphasis within ("© 2011 *A Paper*. All rights reserved."), if that block is as short and holds no other block; else
//! the text node alone.

use std::ops::Range;
use std::sync::Arc;

use super::patterns::{Candidates, Kinds, Patterns};
use dehusk_html::internal::NodeText;
use dehusk_html::{Dom, NodeId};

/// A block of more nodes than this is no statement: it is a row of links that has one in it. The bound also keeps the
/// look at a block short, whatever the page.
const MOST_NODES: u32 = 64;

/// Elements between a text and its block that are looked through; nobody nests emphasis deeper.
const MOST_INLINE: usize = 8;

/// Which texts are statements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statements {
    /// What statements say.
    pub patterns: Arc<Patterns>,
    /// Most words that a statement has.
    pub words: u32,
}

impl Statements {
    /// The subtrees that are statements, of those around suspect texts: in order and disjoint, blocks without blocks in
    /// them, or texts.
    pub(super) fn find(&self, dom: &Dom<'_>, candidates: &Candidates) -> Vec<Range<NodeId>> {
        let mut found: Vec<Range<NodeId>> = Vec::new();
        let mut scratch = String::new();
        for (id, kinds) in candidates {
            let id = *id;
            let words = dom.counts()[id as usize].words;
            // A statement has letters, and so at least one word.
            let is_statement = kinds.has(Kinds::STATEMENT)
                && (1..=self.words).contains(&words)
                && found.last().is_none_or(|before| before.end <= id)
                && self
                    .patterns
                    .is(Kinds::STATEMENT, NodeText::new(dom, id, &mut scratch).collapsed());
            if !is_statement {
                continue;
            }
            let root = self.small_block(dom, id).unwrap_or(id);
            // What was found so deep in the block that the block was out of sight is found again with it.
            while found.pop_if(|before| before.start >= root).is_some() {}
            found.push(dom.subtree(root));
        }
        found
    }

    /// The block around a text, if it is short and holds no other block.
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
