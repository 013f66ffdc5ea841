//! ECON: climbs from the longest text with punctuation as long as that adds periods or commas.
//!
//! Y. Guo, H. Tang, L. Song, Y. Wang, G. Ding: *ECON: An Approach to Extract Content from Web News Page*, APWeb 2010,
//! section III.B.
//!
//! Content has many more periods and commas than noise. `punc(N)` is the number of these marks in the subtree of N:
//!
//! ```text
//! big-node       the father of a text, unless it is script or style, or one of p br h1…h6 strong em b i tt font
//! text-node-set  big-nodes that are adjacent siblings; its text-para is their text
//! Joint-para     punc(text-para) = 0: the set is noise, and its nodes are pruned; else the text-para is output
//! Extract-news   snippet-node: a node of the set with the longest text-para
//!                backtracking: distance = punc(father) - punc(child), from the snippet-node up;
//!                at the first distance 0 the child is the summary-node, whose text, less what was pruned, is the content
//! ```
//!
//! | parameter | `econ` | `econ-modern` | |
//! |---|---|---|---|
//! | `marks` | all | closing | whether a mark before a letter or digit counts (3.14, example.com) |
//! | `linked_marks` | true | false | whether marks in links count |
//! | `links` | targets | targets | which `a` are links, for `linked_marks`: [`Links`] |
//! | `bare_text` | passed | joined | how a text beside big-nodes affects their set |
//! | `para_text` | left | left | whether the length of a text-para counts what is pruned inside |
//! | `skip_wrappers` | false | true | whether backtracking continues at a father that adds no text at all |
//! | `fallback` | false | true | whether a page without marks is kept as a whole, instead of not at all |
//! | `forms` | keep | ignore-small | explained at [`Forms`] |
//!
//! The paper has no number to set, and none was added.
//!
//! # Readings of what the paper leaves open
//!
//! - One of the two conditions for a big-node is enough. The text that a node wraps is that of its whole subtree.
//! - A text without an element of its own is no node of a set and does not separate two sets.
//! - The snippet-node is the first big-node with text of its set (a line break has none); the paper picks any at random. Of equally long text-paras the first
//!   in document order counts.
//! - Sets are complete from the inside out, so a text-para's length is that of what is left in it.
//! - Backtracking ends at the body.
//! - Without any text-para (no period or comma) there is no snippet-node, and nothing is selected.
//!
//! # Departures
//!
//! - A set without any text (line breaks) is no noise and stays. The result reads the same and keeps its paragraphs.
//! - The marks are not only those of Chinese: docs/extractors/econ.md says which and why.
//!
//! # Algorithm
//!
//! Pruned nodes have no marks, so `punc` is that of the page before pruning: a difference of prefix sums. Adjacent
//! big-nodes share a set, which is found once. All steps are linear in the number of nodes.

mod explain;

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::range_difference::range_difference;
use super::{Explanation, Extractor, PageContext, Selection};
use crate::strip::{Forms, Links, Strip};
use crate::view::View;
use dehusk_html::{NodeId, Tag};

/// Which periods and commas are counted. Those of the paper's nine languages, and of Chinese, are `. , 。 ｡ ， ، ．`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Marks {
    /// All, as in the paper.
    All,
    /// All but a `.` or `,` directly before a letter or digit. In numbers, addresses and abbreviations these marks close
    /// nothing, and noise is full of them.
    Closing,
}

/// How a text between big-nodes, a child of the same father, affects their set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BareText {
    /// Not at all: it does not separate the set and is not in its text-para. So a link in a sentence is a set of its own
    /// and pruned.
    Passed,
    /// It is part of the text-para. So a link in a sentence stays with the sentence.
    Joined,
}

/// What the length of a text-para counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ParaText {
    /// What is left of it. Joint-para prunes noise during merging, so a list of links inside a big-node adds nothing.
    Left,
    /// All of it, with what is pruned inside.
    Whole,
}

/// ECON with its parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Econ {
    /// Which marks are counted.
    pub marks: Marks,
    /// Whether marks in links are counted.
    pub linked_marks: bool,
    /// Which elements are links. It matters only where marks in links are not counted.
    pub links: Links,
    /// How a text beside big-nodes affects their set.
    pub bare_text: BareText,
    /// What the length of a text-para counts.
    pub para_text: ParaText,
    /// Whether backtracking continues where the father wraps no more text than the child.
    pub skip_wrappers: bool,
    /// Whether the whole body is selected if there is no text-para.
    pub fallback: bool,
    /// How form elements are treated.
    pub forms: Forms,
}

impl Econ {
    /// The paper's method.
    pub fn paper() -> Self {
        Self {
            marks: Marks::All,
            linked_marks: true,
            links: Links::Targets,
            bare_text: BareText::Passed,
            para_text: ParaText::Left,
            skip_wrappers: false,
            fallback: false,
            forms: Forms::Keep,
        }
    }

    /// Readings that do better on pages of today.
    pub fn modern() -> Self {
        Self {
            marks: Marks::Closing,
            linked_marks: false,
            links: Links::Targets,
            bare_text: BareText::Joined,
            para_text: ParaText::Left,
            skip_wrappers: true,
            fallback: true,
            forms: Forms::IgnoreSmall,
        }
    }
}

impl Extractor for Econ {
    fn strip(&self) -> Strip {
        Strip {
            links: self.links,
            ..Strip::new(self.forms)
        }
    }

    fn describe(&self) -> String {
        explain::describe(self)
    }

    fn explain(&self, page: &PageContext<'_>, selection: &Selection, nodes: &[NodeId]) -> Vec<Explanation> {
        explain::explain(*self, &page.view(&self.strip()), selection, nodes)
    }

    fn extract(&self, page: &PageContext<'_>) -> Selection {
        let view = &*page.view(&self.strip());
        let dom = view.dom();
        let body = dom.subtree(dom.body());
        if body.is_empty() {
            return Selection::default();
        }
        let mut page = Page::new(*self, view);
        page.join_paras();
        let (snippet, scores) = (page.snippet(), std::mem::take(&mut page.scores));
        let mut selection = Selection {
            scores,
            scored_from: body.start,
            ..Selection::default()
        };
        let Some(snippet) = snippet else {
            if self.fallback && view.range(body.clone()).text.chars > 0 {
                selection.ranges.push(body);
            }
            return selection;
        };
        let summary = page.backtrack(snippet);
        selection.winner = Some(summary);
        selection.score = page.share(dom.subtree(summary));
        let way = std::iter::successors(Some(snippet), |id| (*id != summary).then(|| dom.node(*id).parent));
        for (steps, id) in (0..).zip(way) {
            selection.steps = Some(steps);
            selection.scores[(id - body.start) as usize] = page.share(dom.subtree(id));
        }
        range_difference(dom, dom.subtree(summary), &page.pruned(summary), &mut selection.ranges);
        selection
    }
}

/// Bits of [`Page::facts`]: the element has an unmasked text as a child; Joint-para pruned the element.
const HAS_TEXT: u8 = 1;
const PRUNED: u8 = 2;

/// A text-node-set. It may still be incomplete.
#[derive(Clone, Copy, Debug)]
struct Set {
    /// The first and the last node of the text-para.
    first: NodeId,
    last: NodeId,
    /// The first big-node with text, if there is one yet.
    big: Option<NodeId>,
    /// Characters of the big-nodes.
    big_chars: u32,
    /// [`Page::pruned_chars`] where the set began.
    pruned_before: u64,
    /// `punc` of the text-para.
    marks: u32,
    /// Its length in characters. Once the set is complete, without what is pruned inside if that does not count.
    chars: u32,
}

/// The state of the algorithm on one page.
struct Page<'s, 'v> {
    econ: Econ,
    view: &'s View<'v>,
    body: Range<NodeId>,
    /// Marks before each node of the body, unless all marks of the view count.
    own_marks: Vec<u32>,
    /// Two bits for each node of the body.
    facts: Vec<u8>,
    /// The share of the page's marks in each big-node.
    scores: Vec<f64>,
    /// Characters that are pruned so far.
    pruned_chars: u64,
    /// The set with the longest text-para.
    longest: Option<Set>,
}

impl<'s, 'v> Page<'s, 'v> {
    /// Finds the fathers of texts, and counts the marks.
    fn new(econ: Econ, view: &'s View<'v>) -> Self {
        let dom = view.dom();
        let body = dom.subtree(dom.body());
        let mut facts = vec![0; body.len()];
        let own = econ.marks == Marks::Closing || !econ.linked_marks;
        let mut own_marks = Vec::with_capacity(if own { body.len() + 1 } else { 0 });
        let mut sum = 0;
        let mut link_end = 0;
        for (id, node) in body.clone().zip(&dom.nodes()[body.start as usize..]) {
            if own {
                own_marks.push(sum);
            }
            if node.tag == Tag::A && !econ.linked_marks && view.range(id..id + 1).anchors > 0 {
                link_end = link_end.max(node.end);
            }
            if !node.tag.is_text() || id == body.start {
                continue;
            }
            let counts = view.subtree(id).text;
            if counts.chars > 0 {
                facts[(node.parent - body.start) as usize] |= HAS_TEXT;
            }
            if own && counts.punctuation > 0 && (econ.linked_marks || id >= link_end) {
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
    fn marks(&self, range: Range<NodeId>) -> u32 {
        if self.own_marks.is_empty() {
            return self.view.range(range).text.punctuation;
        }
        let before = |id: NodeId| self.own_marks[(id - self.body.start) as usize];
        before(range.end) - before(range.start)
    }

    /// The share of the page's marks in a range of nodes; 0 for a page without marks.
    fn share(&self, range: Range<NodeId>) -> f64 {
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
    fn join_paras(&mut self) {
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
                    big_chars: 0,
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
                    now.big_chars += text.chars;
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
                set.chars -= (self.pruned_chars - set.pruned_before) as u32;
            }
            let longer = |than: Set| set.chars > than.chars || (set.chars == than.chars && set.first < than.first);
            if self.longest.is_none_or(longer) {
                self.longest = Some(set);
            }
            return;
        }
        // This includes what was pruned inside.
        self.pruned_chars = set.pruned_before + u64::from(set.big_chars);
        let mut id = set.first;
        while id <= set.last {
            // A text beside big-nodes is no node of the set, so it is not pruned.
            if self.is_big(id) {
                self.facts[(id - self.body.start) as usize] |= PRUNED;
            }
            id = self.view.dom().node(id).end;
        }
    }

    /// The node at which backtracking starts.
    fn snippet(&self) -> Option<NodeId> {
        self.longest.and_then(|set| set.big)
    }

    /// Backtracking: from the snippet-node to the summary-node.
    fn backtrack(&self, snippet: NodeId) -> NodeId {
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
    fn pruned(&self, summary: NodeId) -> Vec<Range<NodeId>> {
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
