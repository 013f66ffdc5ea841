//! A page as a sequence of tags and texts.

use std::ops::Range;
use std::rc::Rc;

use dehusk_html::NodeId;

use crate::strip::{Forms, Strip};
use crate::texts::visible;
use crate::view::View;

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
    Text(TextToken),
}

/// The text of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TextToken {
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

impl Tokens {
    /// The tokens of a page, which all methods share.
    pub(super) fn shared(view: &View<'_>) -> Rc<Tokens> {
        view.shared("tokens", || Self::read(view))
    }

    fn read(view: &View<'_>) -> Self {
        let dom = view.dom();
        let mut tokens = Self::default();
        let mut open: Vec<NodeId> = Vec::new();
        for id in visible(view, dom.subtree(dom.body())) {
            let node = dom.node(id);
            while let Some(closed) = open.pop_if(|open| dom.node(*open).end <= id) {
                tokens.add_tag(Token::Close(closed));
            }
            if node.tag.is_text() {
                let words = view.subtree(id).text.words;
                tokens.words += u64::from(words);
                tokens.all.push(Token::Text(TextToken { node: id, words }));
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

    /// The texts with the places of their words among all tokens. Tags for which `counts` is false are none.
    pub(super) fn places(&self, counts: impl Fn(NodeId) -> bool) -> impl Iterator<Item = (NodeId, Range<u64>)> {
        let mut at = 0;
        self.all.iter().filter_map(move |token| {
            let start = at;
            match token {
                Token::Text(text) => {
                    at += u64::from(text.words);
                    Some((text.node, start..at))
                }
                Token::Open(id) | Token::Close(id) => {
                    at += u64::from(counts(*id));
                    None
                }
            }
        })
    }

    /// The number of tokens: each word is one.
    pub(super) fn len(&self) -> u64 {
        self.tags + self.words
    }
}

/// A text, with the result of a method for it.
pub(super) type OfText<T> = (NodeId, T);

/// The part of `all` that belongs to the texts of a range of nodes. `all` is in the order of the page.
pub(super) fn in_range<T>(all: &[OfText<T>], range: Range<NodeId>) -> &[OfText<T>] {
    let place = |id: NodeId| all.partition_point(|(text, _)| *text < id);
    &all[place(range.start)..place(range.end)]
}
