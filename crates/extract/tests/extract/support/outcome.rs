//! The outcome of an extractor on a small page.

use dehusk_extract::{Extractor, PageContext, Selection};
use dehusk_html::{Buffers, Dom, Tag, parse};

/// Pages in which there is nothing to be kept.
pub const WORDLESS: [&str; 5] = [
    "",
    "<body></body>",
    "<img src=x>",
    "<p> </p>",
    "<frameset><frame src=x></frameset>",
];

/// A page with what was kept of it.
pub struct Outcome<'p> {
    pub dom: Dom<'p>,
    pub selection: Selection,
    pub text: String,
    pub xhtml: String,
}

impl Outcome<'_> {
    /// The tag of the winner, if there is one.
    pub fn winner(&self) -> Option<Tag> {
        self.selection.winner.map(|id| self.dom.node(id).tag)
    }

    /// The score of the first element of this kind.
    pub fn score(&self, tag: Tag) -> Option<f64> {
        let id = (0..self.dom.len()).find(|id| self.dom.node(*id).tag == tag).unwrap();
        self.selection.score_of(id)
    }
}

pub fn run(page: &str, extractor: impl Extractor) -> Outcome<'_> {
    let dom = parse(page, Buffers::default());
    let page = PageContext::new(&dom, "");
    let view = page.view(&extractor.strip());
    let selection = extractor.extract(&page);
    let (mut text, mut xhtml) = (String::new(), String::new());
    selection.render_text(&view, &mut text);
    selection.render_xhtml(&view, &mut xhtml);
    drop(view);
    Outcome {
        dom,
        selection,
        text,
        xhtml,
    }
}
