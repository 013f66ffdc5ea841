//! Preprocessing that masks nodes before extraction: forms and scripts (CoreEx 3.2), statements (ContentEx II.A),
//! hidden elements (CETD 6.1).
//!
//! It also says which elements the counts take for links.
//!
//! Nothing is removed from the tree. A strip says which subtrees a [view](crate::view) leaves out of its counts and
//! extractors leave out of their selections. Every strip masks `style` and `template`, which are never content.

mod forms;
mod hidden;
mod pattern_error;
pub mod patterns;
mod prefilter;
mod scripts;
mod statements;

pub use crate::links::Links;
pub use forms::Forms;
pub use pattern_error::PatternError;
pub use patterns::Patterns;
pub use statements::Statements;

use std::cell::OnceCell;

use crate::view::{View, ViewBuffers};
use dehusk_html::{Dom, NodeId, Tag};

/// Whether the tag of an element can be a reason to mask it. That of most is none, and this is one look at each.
static MAY_BE_MASKED: [bool; Tag::ALL.len()] = {
    use Tag::*;
    let mut may_be = [false; Tag::ALL.len()];
    let mut i = 0;
    while i < may_be.len() {
        let tag = Tag::ALL[i];
        let is_control = matches!(tag, Form | Input | Select | Textarea | Option | Optgroup | Datalist);
        may_be[i] = is_control || matches!(tag, Style | Template | Script) || tag.is_hidden();
        i += 1;
    }
    may_be
};

/// The preprocessing of a view.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Strip {
    /// How form elements are treated.
    pub forms: Forms,
    /// Whether the choices of a `select` and the text of a `textarea` are removed. A browser does not show them as
    /// text.
    pub controls: bool,
    /// Whether scripts are removed. Otherwise their code counts as text.
    pub scripts: bool,
    /// Whether hidden elements are removed (CETD 6.1).
    pub hidden: bool,
    /// The statements to remove; `None` keeps them all.
    pub statements: Option<Statements>,
    /// Which elements are links.
    pub links: Links,
}

impl Strip {
    /// A strip that treats forms in this way and removes scripts, but neither hidden elements nor statements. Each `a`
    /// is a link.
    pub fn new(forms: Forms) -> Self {
        Self {
            forms,
            controls: false,
            scripts: true,
            hidden: false,
            statements: None,
            links: Links::Anchors,
        }
    }

    /// The view of a DOM under this strip.
    pub fn view<'v>(&self, dom: &'v Dom<'v>, buffers: ViewBuffers) -> View<'v> {
        let body_words = OnceCell::new();
        let masks = |id| self.masks(dom, id, &body_words);
        let Some(statements) = &self.statements else {
            return View::new(dom, masks, &[], self.links, buffers);
        };
        let candidates = statements.patterns.candidates(dom);
        let view = View::new(dom, masks, &statements.find(dom, &candidates), self.links, buffers);
        // Extractors need the same candidates.
        view.shared(statements.patterns.key(), || candidates);
        view
    }

    /// Whether the strip masks an element and its subtree because of its tag or attributes.
    #[inline]
    fn masks(&self, dom: &Dom<'_>, id: NodeId, body_words: &OnceCell<u32>) -> bool {
        if self.hidden && hidden::masks(dom, id) {
            return true;
        }
        let tag = dom.node(id).tag;
        if !MAY_BE_MASKED[tag as usize] {
            return false;
        }
        match tag {
            Tag::Style | Tag::Template => true,
            Tag::Script => scripts::masks(self.scripts),
            Tag::Select | Tag::Textarea | Tag::Option | Tag::Optgroup | Tag::Datalist if self.controls => true,
            Tag::Form | Tag::Select | Tag::Input | Tag::Textarea | Tag::Option => self.forms.masks(dom, id, body_words),
            // Hidden elements. The title in the head stays, because NCE reads it.
            tag => tag.is_hidden() && id > dom.body(),
        }
    }
}
