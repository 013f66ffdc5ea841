//! The definition of a link.
//!
//! The papers differ on an `a` without `href`. CoreEx 2.1.1 counts text "contained in an HTML `<a>` tag". Example 1 of
//! CETD has links without `href`. ContentEx and ECON do not say.

use serde::{Deserialize, Serialize};

use dehusk_html::{Dom, NodeId};

/// Which `a` elements are links.
///
/// An `a` without `href` only marks a place: `<a name="top">`. Often its end tag is missing, and then it holds the text
/// after it, up to the next `a`.
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
        self == Self::Anchors || has_href(dom, anchor)
    }
}

/// Whether an element has the attribute `href`. Every link of a page is asked, so the common form is looked for first:
/// a name right before an equals sign. All attributes are read only if that is not found, but the letters are there.
///
/// It is no part of the loops that ask, which would be slower for every node.
#[inline(never)]
fn has_href(dom: &Dom<'_>, anchor: NodeId) -> bool {
    let raw = dom.raw(anchor).as_bytes();
    if raw.starts_with(b" href=") {
        return true;
    }
    let mut at = 0;
    while let Some(length) = memchr::memchr(b'=', &raw[at..]) {
        let equals = at + length;
        if let [before @ .., b'h' | b'H', b'r' | b'R', b'e' | b'E', b'f' | b'F'] = &raw[at..equals]
            && before.last().is_none_or(u8::is_ascii_whitespace)
        {
            return true;
        }
        at = equals + 1;
        at += raw[at..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        if let Some(quote @ (b'"' | b'\'')) = raw.get(at) {
            let Some(length) = memchr::memchr(*quote, &raw[at + 1..]) else {
                break;
            };
            at += length + 2;
        } else {
            // The value ends at white space. Nothing in it is a name.
            at += raw[at..].iter().take_while(|byte| !byte.is_ascii_whitespace()).count();
        }
    }
    let letters = raw.windows(4).any(|letters| letters.eq_ignore_ascii_case(b"href"));
    letters && dom.attribute(anchor, "href").is_some()
}

/// Whether an `input` element is a button: it sends or resets a form, or runs a script.
#[inline(never)]
pub(crate) fn is_button(dom: &Dom<'_>, input: NodeId) -> bool {
    dom.attribute(input, "type").is_some_and(|kind| {
        let kind = kind.trim();
        ["submit", "reset", "button", "image"]
            .iter()
            .any(|button| kind.eq_ignore_ascii_case(button))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use dehusk_html::{Buffers, Tag, parse};

    #[test]
    fn a_link_has_an_href_however_it_is_written() {
        for (tag, is_link) in [
            ("<a href=x>", true),
            ("<a class=\"b c\" href=\"x\">", true),
            ("<a class='b'href='x'>", true),
            ("<a HREF = x>", true),
            ("<a href>", true),
            ("<a/href=x>", true),
            ("<a title=x=y href=z>", true),
            ("<a title = \"a=b\" href=z>", true),
            ("<a name=x>", false),
            ("<a>", false),
            ("<a data-href=x>", false),
            ("<a title='a href=x'>", false),
            ("<a title=\"href=x\" name=href>", false),
            ("<a title = ' href=x'>", false),
            ("<a title=a/href=x>", false),
            ("<a title=href=x>", false),
            ("<a title= href=x>", false),
            ("<a name=\"x>", false),
        ] {
            let page = format!("{tag}text</a>");
            let dom = parse(&page, Buffers::default());
            let Some(anchor) = (0..dom.len()).find(|id| dom.node(*id).tag == Tag::A) else {
                assert!(!is_link, "{tag}");
                continue;
            };
            assert_eq!(Links::Targets.has(&dom, anchor), is_link, "{tag}");
            assert_eq!(
                Links::Targets.has(&dom, anchor),
                dom.attribute(anchor, "href").is_some(),
                "{tag}"
            );
            assert!(Links::Anchors.has(&dom, anchor));
        }
    }
}
