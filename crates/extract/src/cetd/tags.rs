//! The tags of a page and the counts under each. The three systems measure nothing else.

use super::LinkTags;
use crate::view::{Sums, View};
use dehusk_html::NodeId;

/// The unmasked tags of a body, in document order. A tag is identified by its place among them.
#[derive(Clone, Debug, Default)]
pub(super) struct Tags {
    /// The body.
    pub first: NodeId,
    /// All tags; the first is the body. Empty only for a page without nodes.
    pub rows: Vec<TagRow>,
    /// The number of tags before each node of the body, and before the end of the body.
    before: Vec<u32>,
}

/// A tag and the counts under it, with zeros as they are.
#[derive(Clone, Copy, Debug)]
pub(super) struct TagRow {
    pub id: NodeId,
    pub end: NodeId,
    /// Place of the tag around it; for the body its own place.
    pub parent: u32,
    pub chars: u32,
    pub tags: u32,
    pub link_chars: u32,
    pub link_tags: u32,
    /// Whether it is a hyperlink itself.
    is_link: bool,
}

impl Tags {
    pub fn new(view: &View<'_>, rule: LinkTags) -> Self {
        let dom = view.dom();
        if dom.is_empty() {
            return Self::default();
        }
        let body = dom.subtree(dom.body());
        let first = body.start;
        let mut rows: Vec<TagRow> = Vec::with_capacity(body.len());
        let mut before = Vec::with_capacity(body.len() + 1);
        for (id, node) in body.clone().zip(&dom.nodes()[first as usize..]) {
            before.push(rows.len() as u32);
            if node.tag.is_text() {
                continue;
            }
            let own = view.range(id..id + 1);
            if own.tags == 0 {
                // Masked.
                continue;
            }
            let inner = if node.end == id + 1 {
                Sums::default()
            } else {
                view.range(id + 1..node.end)
            };
            rows.push(TagRow {
                id,
                end: node.end,
                parent: before[node.parent.saturating_sub(first) as usize],
                chars: inner.text.chars,
                tags: inner.tags,
                link_chars: inner.control_chars,
                link_tags: inner.controls,
                is_link: own.controls == 1,
            });
        }
        before.push(rows.len() as u32);
        let mut this = Self { first, rows, before };
        if rule == LinkTags::Containers {
            this.count_containers();
        }
        this
    }

    /// Counts hyperlink tags by the rule that counts containers. No prefix sum can express it: whether a container
    /// counts depends on everything inside it.
    fn count_containers(&mut self) {
        let mut counts = vec![0; self.rows.len()];
        // Tags under each tag that are hyperlink tags or are inside one.
        let mut linked = vec![0; self.rows.len()];
        // Tags come after the tag around them, so a backward pass finds every count complete.
        for at in (0..self.rows.len()).rev() {
            let row = &mut self.rows[at];
            row.link_tags = counts[at];
            if at == 0 {
                break;
            }
            let parent = row.parent as usize;
            let all_linked = row.tags > 0 && linked[at] == row.tags && row.link_chars == row.chars;
            if row.is_link || all_linked {
                counts[parent] += counts[at] + 1;
                linked[parent] += row.tags + 1;
            } else {
                counts[parent] += counts[at];
                linked[parent] += linked[at];
            }
        }
    }

    /// Place of a tag; `None` for other nodes and for masked ones.
    pub fn place(&self, id: NodeId) -> Option<usize> {
        let at = *self.before.get(id.checked_sub(self.first)? as usize)? as usize;
        (self.rows.get(at)?.id == id).then_some(at)
    }

    /// Place of the first tag after the subtree of a tag.
    #[inline]
    pub fn after(&self, at: usize) -> usize {
        self.before[(self.rows[at].end - self.first) as usize] as usize
    }

    /// Values of tags as values of nodes, from the body on; `none` for other nodes.
    pub fn by_node<T: Copy>(&self, of: &[T], none: T) -> Vec<T> {
        let mut out = vec![none; self.before.len().saturating_sub(1)];
        for (row, value) in self.rows.iter().zip(of) {
            out[(row.id - self.first) as usize] = *value;
        }
        out
    }
}

/// Numbers of characters between tags.
#[derive(Debug)]
pub(super) struct Runs {
    /// In each tag, before the first tag in it.
    pub leading: Vec<u32>,
    /// After each tag, up to the next tag or the end of the tag around it. Masked nodes do not separate texts.
    pub trailing: Vec<u32>,
}

impl Runs {
    pub fn new(view: &View<'_>, tags: &Tags) -> Self {
        let dom = view.dom();
        let mut leading = vec![0; tags.rows.len()];
        let mut trailing = vec![0; tags.rows.len()];
        let mut left = tags.rows.len();
        for id in (tags.first..dom.len().min(tags.rows.first().map_or(0, |body| body.end))).rev() {
            let node = dom.node(id);
            if node.tag.is_text() {
                if let Some(parent) = tags.place(node.parent) {
                    leading[parent] += view.range(id..id + 1).text.chars;
                }
            } else if left > 1 && tags.rows[left - 1].id == id {
                left -= 1;
                trailing[left] = std::mem::take(&mut leading[tags.rows[left].parent as usize]);
            }
        }
        Self { leading, trailing }
    }
}
