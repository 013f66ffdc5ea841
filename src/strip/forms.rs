//! Ignoring form tags (CoreEx 3.2, variant 1): `select`, `form`, `input`, `textarea` and `option`.

use serde::{Deserialize, Serialize};

use crate::dom::{Dom, NodeId, Tag};

/// What is done with form elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Forms {
    /// They are kept as other elements are.
    Keep,
    /// They are ignored, as in the paper.
    Ignore,
    /// They are ignored, except for a `form` that holds more than half of the page's words. Some sites wrap the whole
    /// page in a form, which is the paper's own example of a failure (section 6.1).
    IgnoreSmall,
}

impl Forms {
    pub(super) fn masks(self, dom: &Dom<'_>, id: NodeId) -> bool {
        match self {
            Forms::Keep => false,
            Forms::Ignore => true,
            Forms::IgnoreSmall => dom.node(id).tag != Tag::Form || !holds_most_words(dom, id),
        }
    }
}

/// Whether a form holds more than half of the words in the body. Forms do not nest, so all of a page's forms together
/// cost one pass over the nodes, and the body's count one more for each form that is not small.
fn holds_most_words(dom: &Dom<'_>, form: NodeId) -> bool {
    let words = |range: std::ops::Range<NodeId>| -> u64 {
        dom.counts()[range.start as usize..range.end as usize]
            .iter()
            .map(|c| u64::from(c.words))
            .sum()
    };
    let inside = words(dom.subtree(form));
    let body = dom.subtree(dom.body());
    let outside = words(body.start..form.max(body.start)) + words(dom.node(form).end.max(body.start)..body.end);
    inside > outside
}
