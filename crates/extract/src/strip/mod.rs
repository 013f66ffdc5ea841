//! Preprocessing that masks nodes before extraction: forms and scripts (CoreEx 3.2), statements (ContentEx II.A), hidden
//! elements (CETD 6.1).
//!
//! Nothing is removed: a strip only says which subtrees a [view](crate::view) leaves out of its counts, and
//! extractors out of their selections. What can never be content (`style`, `template`) is masked by every strip.

mod forms;
mod hidden;
pub mod patterns;
mod prefilter;
mod scripts;
mod statements;

pub use forms::Forms;
pub use patterns::{PatternError, Patterns};
pub use statements::Statements;

use std::cell::OnceCell;

use crate::view::{View, ViewBuffers};
use dehusk_html::{Dom, NodeId, Tag};

/// Which preprocessing a view is under.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Strip {
    /// What is done with form elements.
    pub forms: Forms,
    /// Whether scripts are removed. If not, their code counts as text.
    pub scripts: bool,
    /// Whether hidden elements are removed (CETD 6.1).
    pub hidden: bool,
    /// Which statements are removed; `None` for none.
    pub statements: Option<Statements>,
}

impl Strip {
    /// The view of a DOM under this strip.
    pub fn view<'v>(&self, dom: &'v Dom<'v>, buffers: ViewBuffers) -> View<'v> {
        let body_words = OnceCell::new();
        let masks = |id| self.masks(dom, id, &body_words);
        let Some(statements) = &self.statements else {
            return View::new(dom, masks, &[], buffers);
        };
        let candidates = statements.patterns.candidates(dom);
        let view = View::new(dom, masks, &statements.find(dom, &candidates), buffers);
        // Extractors ask about the same texts.
        view.shared(statements.patterns.key(), || candidates);
        view
    }

    /// Whether the strip masks this element (and so its subtree) for what it is; statements are masked for what they say.
    #[inline]
    fn masks(&self, dom: &Dom<'_>, id: NodeId, body_words: &OnceCell<u32>) -> bool {
        if self.hidden && hidden::masks(dom, id) {
            return true;
        }
        match dom.node(id).tag {
            Tag::Style | Tag::Template => true,
            Tag::Script => scripts::masks(self.scripts),
            Tag::Form | Tag::Select | Tag::Input | Tag::Textarea | Tag::Option => self.forms.masks(dom, id, body_words),
            // What is never shown; the title in the head lies outside of what is extracted from, and NCE asks for it.
            tag => tag.is_hidden() && id > dom.body(),
        }
    }
}
