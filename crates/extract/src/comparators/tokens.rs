//! A page as a sequence of tags and texts, and a selection made of texts.

use std::ops::Range;
use std::rc::Rc;

use dehusk_html::NodeId;

use crate::strip::{Forms, Strip};
use crate::view::View;
use crate::{PageContext, Selection};

/// A tag, or the text of a node.
///
/// The sequence is that of the tree. So an element without an end tag in the source has one here, unless it is void,
/// and an element that the parser has implied has none at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// A start tag.
    Open(NodeId),
    /// An end tag.
    Close(NodeId),
    /// A text.
    Text(Text),
}

/// The text of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Text {
    pub(super) node: NodeId,
    pub(super) words: u32,
}

/// The tokens of a page's body.
#[derive(Debug, Default)]
pub(super) struct Tokens {
    pub(super) all: Vec<Token>,
    /// The number of tags.
    pub(super) tags: u64,
    /// The number of words.
    pub(super) words: u64,
}

/// The preprocessing of all these methods.
pub(super) fn strip() -> Strip {
    Strip::new(Forms::Keep)
}

/// The nodes of the body that the view shows, in order.
pub(super) fn visible(view: &View<'_>) -> impl Iterator<Item = NodeId> {
    let dom = view.dom();
    let Range { start, end } = dom.subtree(dom.body());
    let masked = view.masked();
    let mut masked = masked[masked.partition_point(|range| range.end <= start)..]
        .iter()
        .peekable();
    let mut next = start;
    std::iter::from_fn(move || {
        while let Some(range) = masked.next_if(|range| range.start <= next) {
            next = range.end.max(next);
        }
        let id = next;
        next += 1;
        (id < end).then_some(id)
    })
}

impl Tokens {
    /// The tokens of a page, which all methods share.
    pub(super) fn of(view: &View<'_>) -> Rc<Tokens> {
        view.shared("tokens", || Self::read(view))
    }

    fn read(view: &View<'_>) -> Self {
        let dom = view.dom();
        let mut tokens = Self::default();
        let mut open: Vec<NodeId> = Vec::new();
        for id in visible(view) {
            let node = dom.node(id);
            while let Some(closed) = open.pop_if(|open| dom.node(*open).end <= id) {
                tokens.add_tag(Token::Close(closed));
            }
            if node.tag.is_text() {
                let words = view.subtree(id).text.words;
                tokens.words += u64::from(words);
                tokens.all.push(Token::Text(Text { node: id, words }));
            } else if node.name_len > 0 {
                tokens.add_tag(Token::Open(id));
                if !node.tag.is_void() {
                    open.push(id);
                }
            }
        }
        while let Some(closed) = open.pop() {
            tokens.add_tag(Token::Close(closed));
        }
        tokens
    }

    fn add_tag(&mut self, tag: Token) {
        self.tags += 1;
        self.all.push(tag);
    }

    /// The number of tokens: each word is one.
    pub(super) fn len(&self) -> u64 {
        self.tags + self.words
    }
}

/// The view that these methods read.
pub(super) fn with_view<T>(page: &PageContext<'_>, read: impl FnOnce(&View<'_>) -> T) -> T {
    read(&page.view(&strip()))
}

/// A selection of the texts for which `keeps` is true: the largest subtrees that hold no other text. `keeps` is asked
/// about each visible text once, in order. The score is the share of the page's words that are kept.
pub(super) fn select(view: &View<'_>, mut keeps: impl FnMut(NodeId) -> bool) -> Selection {
    let dom = view.dom();
    let body = dom.subtree(dom.body());
    let place = |id: NodeId| (id - body.start) as usize;
    // The numbers of texts before each node: all, and those that are kept.
    let mut before = vec![(0_u32, 0_u32); body.len() + 1];
    for id in visible(view).filter(|id| dom.node(*id).tag.is_text()) {
        before[place(id) + 1] = (1, u32::from(keeps(id)));
    }
    let mut sum = (0, 0);
    for count in &mut before {
        sum = (sum.0 + count.0, sum.1 + count.1);
        *count = sum;
    }
    let mut selection = Selection::default();
    let mut id = body.start;
    while id < body.end {
        let end = dom.node(id).end;
        let (from, to) = (before[place(id)], before[place(end)]);
        match (to.0 - from.0, to.1 - from.1) {
            (_, 0) => id = end,
            (all, kept) if all == kept => {
                selection.ranges.push(id..end);
                id = end;
            }
            _ => id += 1,
        }
    }
    let words: u32 = selection.ranges.iter().map(|range| view.words(range.clone())).sum();
    if words > 0 {
        selection.score = f64::from(words) / f64::from(view.words(body));
    }
    selection
}
