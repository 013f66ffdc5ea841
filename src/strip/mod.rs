//! Preprocessing that masks nodes before extraction: forms and scripts (CoreEx 3.2), statements (ContentEx II.A).
//!
//! Nothing is removed: a strip only says which subtrees a [view](crate::dom::view) leaves out of its counts, and
//! extractors out of their selections. What can never be content (`style`, `template`) is masked by every strip.

mod forms;
pub mod patterns;
mod rare;
mod scripts;
mod statements;

pub use forms::Forms;
pub use patterns::Patterns;
pub use rare::Rare;
pub use statements::Statements;

use crate::dom::view::{View, ViewBuffers};
use crate::dom::{Dom, NodeId, Tag};

/// Which preprocessing a view is under.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Strip {
    /// What is done with form elements.
    pub forms: Forms,
    /// Whether scripts are removed. If not, their code counts as text.
    pub scripts: bool,
    /// Which statements are removed; `None` for none.
    pub statements: Option<Statements>,
}

impl Strip {
    /// The view of a DOM under this strip.
    pub fn view<'v>(&self, dom: &'v Dom<'v>, buffers: ViewBuffers) -> View<'v> {
        let statements = self.statements.as_ref().map(|s| s.find(dom)).unwrap_or_default();
        View::new(dom, |id| self.masks(dom, id), &statements, buffers)
    }

    /// Whether the strip masks this element (and so its subtree) for what it is; statements are masked for what they say.
    #[inline]
    pub fn masks(&self, dom: &Dom<'_>, id: NodeId) -> bool {
        match dom.node(id).tag {
            Tag::Style | Tag::Template => true,
            Tag::Script => scripts::masks(self.scripts),
            Tag::Form | Tag::Select | Tag::Input | Tag::Textarea | Tag::Option => self.forms.masks(dom, id),
            _ => false,
        }
    }
}
