//! Preprocessing that masks nodes before extraction: forms and scripts (CoreEx 3.2), statements (ContentEx II.A),
//! hidden elements (CETD 6.1).
//!
//! It also decides which elements the counts take for links.
//!
//! Nothing is removed from the tree. A strip lists the subtrees that a [view](crate::view) leaves out of its counts and
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

/// The rule that decides whether elements of a tag are masked.
#[derive(Clone, Copy)]
enum Masking {
    Never,
    Always,
    Script,
    /// A part of a form.
    Form,
    /// A control with a text that is not shown.
    Control,
    /// Both of these.
    FormControl,
    /// A hidden element. The title in the head stays, because NCE reads it.
    BelowHead,
}

/// By tag, so that it is one look at each element. Most are never masked.
static MASKING: [Masking; Tag::ALL.len()] = {
    use Tag::*;
    let mut masking = [Masking::Never; Tag::ALL.len()];
    let mut i = 0;
    while i < masking.len() {
        masking[i] = match Tag::ALL[i] {
            Style | Template => Masking::Always,
            Script => Masking::Script,
            Form | Input => Masking::Form,
            Optgroup | Datalist => Masking::Control,
            Select | Textarea | Option => Masking::FormControl,
            tag if tag.is_hidden() => Masking::BelowHead,
            _ => Masking::Never,
        };
        i += 1;
    }
    masking
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
        match MASKING[dom.node(id).tag as usize] {
            Masking::Never => false,
            Masking::Always => true,
            Masking::Script => scripts::masks(self.scripts),
            Masking::Form => self.forms.masks(dom, id, body_words),
            Masking::Control => self.controls,
            Masking::FormControl => self.controls || self.forms.masks(dom, id, body_words),
            Masking::BelowHead => id > dom.body(),
        }
    }
}
