//! ECON (draft header).

use serde::{Deserialize, Serialize};

use super::{Extractor, Selection, without::without};
use crate::dom::view::View;
use crate::dom::{NodeId, Tag};
use crate::strip::{Forms, Strip};

/// What a text that stands among the children of an element does to the sets of big-nodes beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BareText {
    /// Nothing: the big-nodes before and behind it are adjacent, and it is not in their text-para.
    Passed,
    /// It joins the text-para.
    Joined,
}

/// Which marks are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Marks {
    /// All.
    All,
    /// Closing.
    Closing,
}

/// ECON with its parameters.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Econ {
    /// bare text
    pub bare_text: BareText,
    /// marks
    pub marks: Marks,
    /// skip
    pub skip_wrappers: bool,
    /// fallback
    pub fallback: bool,
    /// inline
    pub inline: bool,
    /// What is done with form elements.
    pub forms: Forms,
    /// Whether scripts are removed.
    pub scripts: bool,
}

impl Econ {
    /// The paper's method.
    pub fn paper() -> Self {
        Self {
            bare_text: BareText::Passed,
            marks: Marks::All,
            skip_wrappers: false,
            fallback: false,
            inline: true,
            forms: Forms::Keep,
            scripts: true,
        }
    }

    /// Ours.
    pub fn modern() -> Self {
        Self {
            marks: Marks::Closing,
            skip_wrappers: true,
            ..Self::paper()
        }
    }
}

/// Elements that are big-nodes by their name (condition 2; the paper names `br` twice).
fn is_big_by_name(tag: Tag) -> bool {
    use Tag::*;
    matches!(
        tag,
        P | Br | H1 | H2 | H3 | H4 | H5 | H6 | Strong | Em | B | I | Tt | Font
    )
}

const HAS_TEXT: u8 = 1;
const PRUNED: u8 = 2;

/// A run of adjacent big-nodes.
#[derive(Clone, Copy, Debug)]
struct Set {
    first: NodeId,
    last: NodeId,
    marks: u32,
    chars: u32,
    big: bool,
}

struct Level {
    end: NodeId,
    set: Option<Set>,
}

struct Search<'s, 'v> {
    econ: Econ,
    view: &'s View<'v>,
    first: NodeId,
    /// Marks before each node of the body, where they are not the view's.
    own_marks: Vec<u32>,
    facts: Vec<u8>,
    longest: Option<Set>,
}

impl Search<'_, '_> {
    fn marks(&self, from: NodeId, to: NodeId) -> u32 {
        match self.econ.marks {
            Marks::All => self.view.range(from..to).text.punctuation,
            Marks::Closing => self.own_marks[(to - self.first) as usize] - self.own_marks[(from - self.first) as usize],
        }
    }

    fn is_big(&self, id: NodeId) -> bool {
        let tag = self.view.dom().node(id).tag;
        if !self.econ.inline && (tag.is_formatting() || matches!(tag, Tag::Span)) {
            return false;
        }
        is_big_by_name(tag)
            || (self.facts[(id - self.first) as usize] & HAS_TEXT != 0 && !matches!(tag, Tag::Script | Tag::Style))
    }

    fn close(&mut self, set: Option<Set>) {
        let Some(set) = set.filter(|s| s.big) else { return };
        if set.marks > 0 {
            if self
                .longest
                .is_none_or(|l| set.chars > l.chars || (set.chars == l.chars && set.first < l.first))
            {
                self.longest = Some(set);
            }
            return;
        }
        let dom = self.view.dom();
        let mut id = set.first;
        while id <= set.last {
            if !dom.node(id).tag.is_text() && self.is_big(id) {
                self.facts[(id - self.first) as usize] |= PRUNED;
            }
            id = dom.node(id).end;
        }
    }

    fn find_sets(&mut self) {
        let dom = self.view.dom();
        let body = dom.subtree(dom.body());
        let mut levels = vec![Level {
            end: body.end,
            set: None,
        }];
        let mut id = body.start;
        let mut masked = self.view.masked().iter().peekable();
        while id < body.end {
            while let Some(level) = levels.pop_if(|l| l.end <= id) {
                self.close(level.set);
            }
            while masked.next_if(|m| m.end <= id).is_some() {}
            if let Some(m) = masked.peek()
                && m.start <= id
            {
                id = m.end;
                continue;
            }
            let node = dom.node(id);
            let text = node.tag.is_text();
            if text && self.econ.bare_text == BareText::Passed {
                id += 1;
                continue;
            }
            let big = !text && self.is_big(id);
            let marks = self.marks(id, node.end);
            let chars = self.view.range(id..node.end).text.chars;
            let Some(level) = levels.last_mut() else { break };
            if big || text {
                let set = level.set.get_or_insert(Set {
                    first: id,
                    last: id,
                    marks: 0,
                    chars: 0,
                    big: false,
                });
                set.last = id;
                set.marks += marks;
                set.chars += chars;
                set.big |= big;
            } else {
                let set = level.set.take();
                self.close(set);
            }
            if node.end > id + 1 {
                levels.push(Level {
                    end: node.end,
                    set: None,
                });
            }
            id += 1;
        }
        while let Some(level) = levels.pop() {
            self.close(level.set);
        }
    }
}

/// Marks that a letter or digit follows.
fn inner_marks(raw: &str) -> u32 {
    let bytes = raw.as_bytes();
    memchr::memchr2_iter(b'.', b',', bytes)
        .filter(|&at| raw[at + 1..].chars().next().is_some_and(char::is_alphanumeric))
        .count() as u32
}

impl Extractor for Econ {
    fn strip(&self) -> Strip {
        Strip {
            forms: self.forms,
            scripts: self.scripts,
            hidden: false,
            statements: None,
        }
    }

    fn extract(&self, view: &View<'_>) -> Selection {
        let dom = view.dom();
        let body = dom.subtree(dom.body());
        if body.is_empty() {
            return Selection::default();
        }
        let mut search = Search {
            econ: *self,
            view,
            first: body.start,
            own_marks: Vec::new(),
            facts: vec![0; body.len()],
            longest: None,
        };
        let mut sum = 0u32;
        for id in body.clone() {
            let node = dom.node(id);
            if self.marks == Marks::Closing {
                search.own_marks.push(sum);
            }
            if node.tag.is_text() && id > body.start {
                let s = view.range(id..id + 1).text;
                if s.chars > 0 {
                    search.facts[(node.parent - body.start) as usize] |= HAS_TEXT;
                }
                if self.marks == Marks::Closing && s.punctuation > 0 {
                    sum += s.punctuation.saturating_sub(inner_marks(dom.raw(id)));
                }
            }
        }
        search.own_marks.push(sum);
        search.find_sets();
        let all = search.marks(body.start, body.end);
        let Some(snippet) = search.longest else {
            if self.fallback {
                return Selection {
                    ranges: vec![body],
                    ..Selection::default()
                };
            }
            return Selection::default();
        };
        let mut summary = snippet.first;
        if dom.node(summary).tag.is_text() {
            summary = dom.node(summary).parent;
        }
        let mut child = summary;
        while child != body.start {
            let father = dom.node(child).parent;
            let (f, c) = (dom.subtree(father), dom.subtree(child));
            if search.marks(f.start, f.end) == search.marks(c.start, c.end) {
                let same = view.range(f).text.chars == view.range(c).text.chars;
                if !(self.skip_wrappers && same) {
                    break;
                }
                child = father;
                continue;
            }
            child = father;
            summary = father;
        }
        let s = dom.subtree(summary);
        let mut pruned = Vec::new();
        let mut id = s.start;
        while id < s.end {
            if search.facts[(id - body.start) as usize] & PRUNED != 0 {
                let e = dom.node(id).end;
                pruned.push(id..e);
                id = e;
            } else {
                id += 1;
            }
        }
        let mut selection = Selection {
            score: f64::from(search.marks(s.start, s.end)) / f64::from(all.max(1)),
            winner: Some(summary),
            ..Selection::default()
        };
        without(dom, s, &pruned, &mut selection.ranges);
        selection
    }
}
