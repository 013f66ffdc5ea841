//! What counts as a link. No paper says what an `a` without `href` is.

use serde::{Deserialize, Serialize};

use dehusk_html::{Dom, NodeId};

/// Which `a` elements are links.
///
/// An `a` without `href` only marks a place: `<a name="top">`. Often its end tag is missing, and then it holds the text behind
/// it, up to the next `a`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Links {
    /// All.
    Anchors,
    /// Those with an `href`.
    Targets,
}

impl Links {
    /// Whether an `a` element is a link.
    #[inline]
    pub(crate) fn has(self, dom: &Dom<'_>, anchor: NodeId) -> bool {
        self == Self::Anchors || begins_with_href(dom.raw(anchor)) || dom.attribute(anchor, "href").is_some()
    }
}

/// Whether the first attribute is an `href`, as it mostly is. To read all of them takes longer.
#[inline]
fn begins_with_href(raw: &str) -> bool {
    matches!(raw.as_bytes(), [space, b'h', b'r', b'e', b'f', b'=', ..] if space.is_ascii_whitespace())
}

/// Whether an `input` element is a button: it sends or resets a form, or runs a script.
pub(crate) fn is_button(dom: &Dom<'_>, input: NodeId) -> bool {
    dom.attribute(input, "type").is_some_and(|kind| {
        let kind = kind.trim();
        ["submit", "reset", "button", "image"]
            .iter()
            .any(|button| kind.eq_ignore_ascii_case(button))
    })
}
