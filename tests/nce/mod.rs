//! What the tests of NCE share. Each uses its part.
#![allow(dead_code, clippy::unwrap_used, missing_docs)]

use dehusk::dom::parse::parse;
use dehusk::dom::view::ViewBuffers;
use dehusk::dom::{Buffers, Dom, NodeId, Tag};
use dehusk::extract::{Extractor, Nce, Selection};

/// What an extractor makes of a page.
pub struct Outcome<'p> {
    pub dom: Dom<'p>,
    pub selection: Selection,
    pub text: String,
}

impl Outcome<'_> {
    pub fn winner(&self) -> Option<Tag> {
        self.selection.winner.map(|id| self.dom.node(id).tag)
    }

    pub fn score(&self, tag: Tag) -> Option<f64> {
        let id: NodeId = (0..self.dom.len()).find(|id| self.dom.node(*id).tag == tag).unwrap();
        self.selection.score_of(id)
    }
}

pub fn run<'p>(page: &'p str, nce: Nce) -> Outcome<'p> {
    let dom = parse(page, Buffers::default());
    let view = nce.strip().view(&dom, ViewBuffers::default());
    let selection = nce.extract(&view);
    let mut text = String::new();
    selection.render_text(&view, &mut text);
    Outcome {
        selection,
        text,
        dom: parse(page, Buffers::default()),
    }
}

/// Phase 1 alone, with small sizes.
pub fn small() -> Nce {
    Nce {
        leaf_chars: 10,
        text_chars: 30,
        sibling_chars: 10,
        sibling_density: 0.4,
        density: 0.4,
        comments: false,
        title: false,
        ..Nce::paper()
    }
}

pub fn letters(letter: char, length: usize) -> String {
    letter.to_string().repeat(length)
}

/// `<p>` with a text of that length.
pub fn p(letter: char, length: usize) -> String {
    format!("<p>{}</p>", letters(letter, length))
}

pub fn link(letter: char, length: usize) -> String {
    format!("<a href=x>{}</a>", letters(letter, length))
}
