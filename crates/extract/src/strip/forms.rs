//! Ignoring form tags (CoreEx 3.2, variant 1): `select`, `form`, `input`, `textarea` and `option`.

use std::cell::OnceCell;

use serde::{Deserialize, Serialize};

use dehusk_html::{Dom, NodeId, Tag};

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
    pub(super) fn masks(self, dom: &Dom<'_>, id: NodeId, body_words: &OnceCell<u32>) -> bool {
        match self {
            Forms::Keep => false,
            Forms::Ignore => true,
            Forms::IgnoreSmall => dom.node(id).tag != Tag::Form || !holds_most_words(dom, id, body_words),
        }
    }
}

/// Whether a form holds more than half of the words in the body, which are counted once a page. Forms do not nest, so
/// that all of a page's forms together cost one pass over the nodes.
fn holds_most_words(dom: &Dom<'_>, form: NodeId, body_words: &OnceCell<u32>) -> bool {
    let body = *body_words.get_or_init(|| dom.words(dom.body()));
    u64::from(dom.words(form)) * 2 > u64::from(body)
}
