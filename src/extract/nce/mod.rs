//! NCE (draft header).

mod comments;
mod title;

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::titles::{self, TitleMatch};
use super::{Extractor, Selection};
use crate::dom::view::{Sums, View};
use crate::dom::{NodeId, Tag};
use crate::strip::{Forms, Strip};

pub use comments::Similar;

/// NCE with its parameters.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Nce {
    /// Whether phase 2 runs.
    pub comments: bool,
    /// Whether phase 3 runs.
    pub title: bool,
    /// leaf
    pub leaf_chars: u32,
    /// text
    pub text_chars: u32,
    /// sibling
    pub sibling_chars: u32,
    /// siblings
    pub siblings: u32,
    /// sibling
    pub sibling_density: f64,
    /// density
    pub density: f64,
    /// cjk
    pub cjk_chars: u32,
    /// block
    pub similar: Similar,
    /// block
    pub block_chars: u32,
    /// near
    pub near_chars: u32,
    /// after
    pub after: f64,
    /// size
    pub blocks: u32,
    /// words
    pub title_min_words: u32,
    /// words
    pub title_max_words: u32,
    /// overlap
    pub title_overlap: f64,
    /// element
    pub title_element: bool,
    /// repair
    pub title_match: TitleMatch,
    /// What is done with form elements.
    pub forms: Forms,
    /// Whether scripts are removed.
    pub scripts: bool,
}

impl Nce {
    /// Paper.
    pub fn paper() -> Self {
        Self {
            comments: true,
            title: true,
            leaf_chars: 200,
            text_chars: 1000,
            sibling_chars: 200,
            siblings: 1,
            sibling_density: 0.4,
            density: 0.4,
            cjk_chars: 4,
            similar: Similar::Time,
            block_chars: 60,
            near_chars: 3000,
            after: 0.5,
            blocks: 3,
            title_min_words: 3,
            title_max_words: 20,
            title_overlap: 0.7,
            title_element: true,
            title_match: TitleMatch::None,
            forms: Forms::Keep,
            scripts: true,
        }
    }

    /// Modern.
    pub fn modern() -> Self {
        Self {
            comments: false,
            title: false,
            ..Self::paper()
        }
    }

    fn chars(&self, sums: Sums) -> u64 {
        u64::from(sums.text.chars - sums.text.cjk) + u64::from(sums.text.cjk) * u64::from(self.cjk_chars)
    }

    /// The first node of phase 1.
    fn separator(&self, view: &View<'_>, body: &Range<NodeId>) -> Option<NodeId> {
        let dom = view.dom();
        // Textual siblings by parent, once known.
        let mut textual: Vec<u32> = Vec::new();
        let is_textual = |id: NodeId| {
            let sums = view.subtree(id);
            self.chars(sums) >= u64::from(self.sibling_chars) && density(sums) < self.sibling_density
        };
        let mut last = body.start;
        for id in body.clone() {
            let node = dom.node(id);
            if !node.tag.is_text() || id == body.start || self.chars(view.subtree(id)) < u64::from(self.leaf_chars) {
                continue;
            }
            if textual.is_empty() {
                textual.resize(body.len(), u32::MAX);
            }
            let mut u = node.parent;
            while u >= last {
                if dom.node(u).tag != Tag::P && self.chars(view.subtree(u)) >= u64::from(self.text_chars) {
                    let siblings = if u == body.start {
                        0
                    } else {
                        let parent = dom.node(u).parent;
                        let known = &mut textual[(parent - body.start) as usize];
                        if *known == u32::MAX {
                            *known = dom.children(parent).filter(|id| is_textual(*id)).count() as u32;
                        }
                        *known - u32::from(is_textual(u))
                    };
                    if siblings <= self.siblings {
                        return Some(u);
                    }
                }
                if u == body.start {
                    break;
                }
                u = dom.node(u).parent;
            }
            last = id;
        }
        None
    }
}

/// Link density.
fn density(sums: Sums) -> f64 {
    if sums.text.chars == 0 {
        0.0
    } else {
        f64::from(sums.linked_chars) / f64::from(sums.text.chars)
    }
}

impl Extractor for Nce {
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
        let mut selection = Selection {
            scored_from: body.start,
            ..Selection::default()
        };
        match self.separator(view, &body) {
            Some(u) => {
                selection.winner = Some(u);
                for child in dom.children(u) {
                    if !view.is_masked(child) && density(view.subtree(child)) <= self.density {
                        selection.ranges.push(dom.subtree(child));
                    }
                }
            }
            None => selection.ranges.push(body),
        }
        if self.comments {
            comments::remove(self, view, &mut selection.ranges);
        }
        if self.title {
            title::add(self, view, &mut selection);
        }
        titles::include_title(view, &mut selection, self.title_match);
        selection
    }
}
