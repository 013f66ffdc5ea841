//! ECON's work on one page: the sets of big-nodes, Joint-para, and backtracking.

use std::ops::Range;

use super::{BareText, Econ, Marks, ParaText};
use crate::view::View;
use dehusk_html::{NodeId, Tag};

/// Bits of [`EconPage::facts`]: the element has an unmasked text as a child; Joint-para pruned the element.
const HAS_TEXT: u8 = 1;
pub(super) const PRUNED: u8 = 2;

/// A text-node-set. It may still be incomplete.
#[derive(Clone, Copy, Debug)]
pub(super) struct Set {
    /// The first and the last node of the text-para.
    first: NodeId,
    last: NodeId,
    /// The first big-node with text, if there is one yet.
    big: Option<NodeId>,
    /// [`EconPage::pruned_chars`] where the set began.
    pruned_before: u32,
    /// `punc` of the text-para.
    pub(super) marks: u32,
    /// Its length in characters. Once the set is complete, without what is pruned inside if that does not count.
    pub(super) chars: u32,
}

/// The state of the algorithm on one page.
pub(super) struct EconPage<'s, 'v> {
    econ: Econ,
    pub(super) view: &'s View<'v>,
    pub(super) body: Range<NodeId>,
    /// Marks before each node of the body, unless all marks of the view count.
    own_marks: Vec<u32>,
    /// Two bits for each node of the body.
    pub(super) facts: Vec<u8>,
    /// The share of the page's marks in each big-node.
    pub(super) scores: Vec<f64>,
    /// Characters that are pruned so far.
    pruned_chars: u32,
    /// The set with the longest text-para.
    pub(super) longest: Option<Set>,
}

impl<'s, 'v> EconPage<'s, 'v> {
    /// Finds the fathers of texts, and counts the marks.
    pub(super) fn new(econ: Econ, view: &'s View<'v>) -> Self {
        let dom = view.dom();
        let body = dom.subtree(dom.body());
        let mut facts = vec![0; body.len()];
        let own = econ.marks == Marks::Closing || !econ.linked_marks;
        let mut own_marks = Vec::with_capacity(if own { body.len() + 1 } else { 0 });
        let mut sum = 0;
        for (id, node) in body.clone().zip(&dom.nodes()[body.start as usize..]) {
            if own {
                own_marks.push(sum);
            }
            if !node.tag.is_text() || id == body.start {
                continue;
            }
            let sums = view.subtree(id);
            let counts = sums.text;
            if counts.chars > 0 {
                facts[(node.parent - body.start) as usize] |= HAS_TEXT;
            }
            if own && counts.punctuation > 0 && (econ.linked_marks || sums.link_terminals == 0) {
                sum += match econ.marks {
                    Marks::All => counts.punctuation,
                    Marks::Closing => counts.punctuation.saturating_sub(inner_marks(dom.raw(id))),
                };
            }
        }
        if own {
            own_marks.push(sum);
        }
        Self {
            econ,
            view,
            facts,
            own_marks,
            scores: vec![f64::NAN; body.len()],
            pruned_chars: 0,
            longest: None,
            body,
        }
    }

    /// `punc` of a range of nodes.
    pub(super) fn marks(&self, range: Range<NodeId>) -> u32 {
        if self.own_marks.is_empty() {
            return self.view.range(range).text.punctuation;
        }
        let before = |id: NodeId| self.own_marks[(id - self.body.start) as usize];
        before(range.end) - before(range.start)
    }

    /// The share of the page's marks in a range of nodes; 0 for a page without marks.
    pub(super) fn share(&self, range: Range<NodeId>) -> f64 {
        match self.marks(self.body.clone()) {
            0 => 0.0,
            all => f64::from(self.marks(range)) / f64::from(all),
        }
    }

    #[inline]
    fn is_big(&self, id: NodeId) -> bool {
        self.is_big_tag(id, self.view.dom().node(id).tag)
    }

    #[inline]
    fn is_big_tag(&self, id: NodeId, tag: Tag) -> bool {
        use Tag::*;
        match tag {
            P | Br | H1 | H2 | H3 | H4 | H5 | H6 | Strong | Em | B | I | Tt | Font => true,
            Text | RawText | Script | Style => false,
            _ => self.facts[(id - self.body.start) as usize] & HAS_TEXT != 0,
        }
    }

    /// Joint-para for all sets of the page, in one pass. It keeps one open set for each open element.
    pub(super) fn join_paras(&mut self) {
        let dom = self.view.dom();
        let all = self.marks(self.body.clone());
        let mut masked = self.view.masked().iter().peekable();
        let mut open: Vec<(NodeId, Option<Set>)> = vec![(self.body.end, None)];
        let mut id = self.body.start;
        while id < self.body.end {
            while let Some((_, set)) = open.pop_if(|(end, _)| *end <= id) {
                self.finish(set);
            }
            while masked.next_if(|mask| mask.end <= id).is_some() {}
            if let Some(mask) = masked.peek()
                && mask.start <= id
            {
                // A masked node does not separate a set.
                id = mask.end;
                continue;
            }
            let node = dom.node(id);
            let big = self.is_big_tag(id, node.tag);
            let joins = big || (node.tag.is_text() && self.econ.bare_text == BareText::Joined);
            let Some((_, set)) = open.last_mut() else { break };
            if joins {
                let mut now = set.take().unwrap_or(Set {
                    first: id,
                    last: id,
                    big: None,
                    pruned_before: self.pruned_chars,
                    marks: 0,
                    chars: 0,
                });
                let text = self.view.range(id..node.end).text;
                let marks = if self.own_marks.is_empty() {
                    text.punctuation
                } else {
                    self.marks(id..node.end)
                };
                now.last = id;
                now.marks += marks;
                now.chars += text.chars;
                if big {
                    now.big = now.big.or((text.chars > 0).then_some(id));
                    if all > 0 {
                        self.scores[(id - self.body.start) as usize] = f64::from(marks) / f64::from(all);
                    }
                }
                if let Some((_, set)) = open.last_mut() {
                    *set = Some(now);
                }
            } else if !node.tag.is_text() {
                let set = set.take();
                self.finish(set);
            }
            if node.end > id + 1 {
                open.push((node.end, None));
            }
            id += 1;
        }
        while let Some((_, set)) = open.pop() {
            self.finish(set);
        }
    }

    /// Joint-para for one complete set: outputs its text-para, or prunes its nodes.
    fn finish(&mut self, set: Option<Set>) {
        let Some(mut set) = set.filter(|set| set.big.is_some()) else {
            return;
        };
        if set.marks > 0 {
            if self.econ.para_text == ParaText::Left {
                // Sets that were complete since this one began are inside its nodes.
                set.chars -= self.pruned_chars - set.pruned_before;
            }
            let longer = |than: Set| set.chars > than.chars || (set.chars == than.chars && set.first < than.first);
            if self.longest.is_none_or(longer) {
                self.longest = Some(set);
            }
            return;
        }
        // This includes what was pruned inside.
        self.pruned_chars = set.pruned_before;
        let mut id = set.first;
        while id <= set.last {
            // A text beside big-nodes is no node of the set, so it is not pruned.
            if self.is_big(id) {
                self.pruned_chars += self.view.subtree(id).text.chars;
                self.facts[(id - self.body.start) as usize] |= PRUNED;
            }
            id = self.view.dom().node(id).end;
        }
    }

    /// The node at which backtracking starts.
    pub(super) fn snippet(&self) -> Option<NodeId> {
        self.longest.and_then(|set| set.big)
    }

    /// Backtracking: from the snippet-node to the summary-node.
    pub(super) fn backtrack(&self, snippet: NodeId) -> NodeId {
        let dom = self.view.dom();
        let mut summary = snippet;
        let mut child = snippet;
        while child != self.body.start {
            let father = dom.node(child).parent;
            let distance = self.marks(dom.subtree(father)) - self.marks(dom.subtree(child));
            if distance > 0 {
                summary = father;
            } else {
                let adds = self.view.subtree(father).text.chars > self.view.subtree(child).text.chars;
                if adds || !self.econ.skip_wrappers {
                    break;
                }
            }
            child = father;
        }
        summary
    }

    /// The outermost pruned subtrees below a node, in order.
    pub(super) fn pruned(&self, summary: NodeId) -> Vec<Range<NodeId>> {
        let dom = self.view.dom();
        let mut pruned = Vec::new();
        let mut id = summary;
        while id < dom.node(summary).end {
            if self.facts[(id - self.body.start) as usize] & PRUNED == 0 {
                id += 1;
            } else {
                pruned.push(dom.subtree(id));
                id = dom.node(id).end;
            }
        }
        pruned
    }
}

/// Number of periods and commas directly before a letter or digit.
fn inner_marks(raw: &str) -> u32 {
    let inner = |at: &usize| raw[at + 1..].chars().next().is_some_and(char::is_alphanumeric);
    memchr::memchr2_iter(b'.', b',', raw.as_bytes()).filter(inner).count() as u32
}
