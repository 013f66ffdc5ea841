//! Preprocessing that masks nodes before extraction: forms and scripts (CoreEx 3.2; ContentEx II.A), hidden
//! elements (CETD 6.1).
//!
//! Nothing is removed: a strip only says which subtrees a [view](crate::dom::view) leaves out of its counts, and
//! extractors out of their selections. What can never be content (`style`, `template`) is masked by every strip.

mod forms;
mod hidden;
mod scripts;

use serde::{Deserialize, Serialize};

pub use forms::Forms;

use crate::dom::view::{View, ViewBuffers};
use crate::dom::{Dom, NodeId, Tag};

/// Which preprocessing a view is under.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Strip {
    /// What is done with form elements.
    pub forms: Forms,
    /// Whether scripts are removed. If not, their code counts as text.
    pub scripts: bool,
    /// Whether hidden elements are removed (CETD 6.1).
    pub hidden: bool,
}

impl Strip {
    /// The view of a DOM under this strip.
    pub fn view<'v>(self, dom: &'v Dom<'v>, buffers: ViewBuffers) -> View<'v> {
        View::new(dom, |id| self.masks(dom, id), buffers)
    }

    /// Whether the strip masks this element (and so its subtree).
    #[inline]
    pub fn masks(self, dom: &Dom<'_>, id: NodeId) -> bool {
        if self.hidden && hidden::masks(dom, id) {
            return true;
        }
        match dom.node(id).tag {
            Tag::Style | Tag::Template => true,
            Tag::Script => scripts::masks(self.scripts),
            Tag::Form | Tag::Select | Tag::Input | Tag::Textarea | Tag::Option => self.forms.masks(dom, id),
            _ => false,
        }
    }
}
