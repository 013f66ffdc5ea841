//! Removing hidden elements (CETD 6.1). Text that a browser does not show is no content, however dense it is. The
//! paper's example is the disclaimers of a news site.
//!
//! - An element is hidden if it has the attribute `hidden`, or an inline style with `display: none` or `visibility:
//!   hidden`.
//! - Style sheets are not read. `visibility: visible` further inside is not considered.
//! - An element with more than half of the nodes of the body is kept: a script shows such a page once it is loaded.

use dehusk_html::references::decode_attribute;
use dehusk_html::{Attributes, Dom, NodeId};

/// Whether an element is masked because it is hidden.
pub(super) fn masks(dom: &Dom<'_>, id: NodeId) -> bool {
    let raw = dom.raw(id);
    // Most elements have no such attribute, so this check comes first.
    if raw.len() < "hidden".len() || !says_hidden(raw) {
        return false;
    }
    let body = dom.subtree(dom.body());
    let inside = dom.subtree(id);
    inside.start > body.start && inside.len() <= body.len() / 2
}

fn says_hidden(raw: &str) -> bool {
    let mut style_seen = false;
    for (name, value) in Attributes::new(raw) {
        if name.eq_ignore_ascii_case("hidden") {
            return true;
        }
        // Of two attributes of one name the first counts.
        if !style_seen && name.eq_ignore_ascii_case("style") {
            style_seen = true;
            if style_hides(&decode_attribute(value)) {
                return true;
            }
        }
    }
    false
}

/// Whether an inline style hides its element. Of several declarations of one property the last important one counts, or
/// else the last one.
fn style_hides(style: &str) -> bool {
    let mut display = Declared::default();
    let mut visibility = Declared::default();
    for declaration in style.split(';') {
        let Some((property, value)) = declaration.split_once(':') else {
            continue;
        };
        let property = property.trim();
        let (value, important) = match value.split_once('!') {
            Some((value, rest)) => (value, rest.trim().eq_ignore_ascii_case("important")),
            None => (value, false),
        };
        let value = value.trim();
        if property.eq_ignore_ascii_case("display") {
            display.declare(value.eq_ignore_ascii_case("none"), important);
        } else if property.eq_ignore_ascii_case("visibility") {
            let hides = value.eq_ignore_ascii_case("hidden") || value.eq_ignore_ascii_case("collapse");
            visibility.declare(hides, important);
        }
    }
    display.hides || visibility.hides
}

/// The declaration of one property that counts so far.
#[derive(Default)]
struct Declared {
    hides: bool,
    important: bool,
}

impl Declared {
    fn declare(&mut self, hides: bool, important: bool) {
        if important || !self.important {
            *self = Self { hides, important };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dehusk_html::{Buffers, Tag, parse};

    fn hidden(attributes: &str) -> bool {
        let page = format!("<body><p>one<p>two<section {attributes}>three</section><p>four");
        let dom = parse(&page, Buffers::default());
        let id = (0..dom.len()).find(|id| dom.node(*id).tag == Tag::Section);
        masks(&dom, id.expect("the element"))
    }

    #[test]
    fn attributes_and_inline_styles_hide() {
        for attributes in [
            "hidden",
            "class=x HIDDEN=''",
            "hidden=until-found",
            "style='display:none'",
            "style=\"color: red; DISPLAY : None ;\"",
            "style='visibility:hidden'",
            "style='display&#58;none'",
            "style='display:none !important; display:block'",
            "style='display:none' style='display:block'",
        ] {
            assert!(hidden(attributes), "{attributes}");
        }
        for attributes in [
            "",
            "class=hidden",
            "aria-hidden=true",
            "data-hidden",
            "style='display:block'",
            "style='display:none; display:block'",
            "style='overflow:hidden'",
            "style='display'",
            "style='display:block' style='display:none'",
            "data-style='display:none'",
        ] {
            assert!(!hidden(attributes), "{attributes}");
        }
    }

    #[test]
    fn what_holds_most_of_the_page_is_not_believed() {
        for page in [
            "<body style='display:none'><p>text",
            "<html hidden><body><p>text",
            "<body><div hidden><p>one<p>two<p>three</div><p>four",
        ] {
            let dom = parse(page, Buffers::default());
            assert!(
                (0..dom.len()).all(|id| dom.node(id).tag.is_text() || !masks(&dom, id)),
                "{page}"
            );
        }
    }
}
