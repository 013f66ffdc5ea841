//! Ignoring form tags (CoreEx 3.2, variant 1): `select`, `form`, `input`, `textarea` and `option`.

use std::cell::OnceCell;

use serde::{Deserialize, Serialize};

use dehusk_html::{Dom, NodeId, Tag};

/// How form elements are treated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Forms {
    /// They are kept like other elements.
    Keep,
    /// They are ignored, as in the paper.
    Ignore,
    /// They are ignored, except for a `form` with more than half of the page's words. Some sites wrap the whole page in
    /// a form; the paper names this as a cause of failures (section 6.1).
    IgnoreSmall,
}

impl Forms {
    pub(super) fn masks(self, dom: &Dom<'_>, id: NodeId, body_words: &OnceCell<u32>) -> bool {
        match self {
            Forms::Keep => false,
            Forms::Ignore => true,
            Forms::IgnoreSmall => dom.node(id).tag != Tag::Form || !holds_most_words(dom, id, body_words),
        }
    }
}

/// Whether a form has more than half of the words in the body. `body_words` caches the words of the body. Forms do not
/// nest, so all forms of a page together cost one pass over the nodes.
fn holds_most_words(dom: &Dom<'_>, form: NodeId, body_words: &OnceCell<u32>) -> bool {
    let body = *body_words.get_or_init(|| dom.words(dom.body()));
    u64::from(dom.words(form)) * 2 > u64::from(body)
}
