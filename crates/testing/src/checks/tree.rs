//! Rules that every DOM must keep.

use dehusk_html::counting::count_literal;
use dehusk_html::rendering::{Mark, render_marked};
use dehusk_html::{Counts, Dom, MAX_DEPTH, NodeFlags, Tag, TextForm, render, render_text, render_xhtml, text_of};

use super::xml;

/// The arrays describe a tree in document order, within bounds.
pub fn check(dom: &Dom) {
    let nodes = dom.nodes();
    assert_eq!(nodes.len(), dom.counts().len());
    assert_eq!((nodes[0].tag, nodes[0].parent, nodes[0].end), (Tag::Html, 0, dom.len()));
    assert!(dom.body() < dom.len());
    let mut depths = vec![0; nodes.len()];
    for id in 1..dom.len() {
        let node = dom.node(id);
        assert!(node.parent < id && node.end > id && node.end <= dom.node(node.parent).end);
        assert!(!dom.node(node.parent).tag.is_text());
        depths[id as usize] = depths[node.parent as usize] + 1;
        assert!(depths[id as usize] <= MAX_DEPTH);
        let _ = (dom.raw(id), dom.name(id), dom.attribute(id, "z"));
        let seen = dom.counts()[id as usize];
        match node.tag {
            Tag::Text => {
                assert_eq!(node.end, id + 1);
                assert!(!dom.raw(id).is_empty() && seen.chars > 0);
                // The counts are those of the shown text.
                let shown = text_of(dom, id);
                let recount = count_literal(&shown);
                assert_eq!(recount.counts, seen, "{:?}", dom.raw(id));
                // Nothing is left to decode or collapse, and the text has no flag that the node lacks.
                let may_have = NodeFlags::DIGITS | NodeFlags::NON_ASCII;
                assert_eq!((recount.from, recount.to), (0, shown.len()), "{shown:?}");
                assert_eq!(recount.flags & !(node.flags.0 & may_have), 0, "{shown:?}");
            }
            _ => assert_eq!(seen, Counts::default()),
        }
    }
    let children: u32 = dom.children(0).map(|id| dom.node(id).end - id).sum();
    assert_eq!(children + 1, dom.len());
}

/// The text of the body.
pub fn body_text(dom: &Dom) -> String {
    let mut out = String::new();
    render_text(dom, &[dom.subtree(dom.body())], &[], &mut out);
    out
}

/// A text neither begins nor ends with an empty line.
pub fn check_text(text: &str) {
    assert_eq!(text.trim_end(), text);
    assert!(!text.starts_with('\n') && !text.contains('\0'), "{text:?}");
}

/// Marks are in order, and every element ends.
fn check_marks(text: &str, marks: &[Mark]) {
    let (mut depth, mut at) = (0usize, 0);
    for mark in marks {
        assert!(mark.at >= at && text.is_char_boundary(mark.at), "{mark:?} of {text:?}");
        at = mark.at;
        depth = match mark.begins {
            Some(_) => depth + 1,
            None => depth.checked_sub(1).unwrap(),
        };
    }
    assert_eq!(depth, 0, "{marks:?}");
}

/// The body is rendered to such a text and to well-formed XHTML.
pub fn check_rendered(dom: &Dom) {
    let body = [dom.subtree(dom.body())];
    let plain = body_text(dom);
    check_text(&plain);
    let mut markdown = String::new();
    let form = TextForm::markdown()
        .with_links(true)
        .with_images(true)
        .with_url("https://a.example/b");
    render(dom, &body, &[], form, &mut markdown);
    check_text(&markdown);
    let mut marked = String::new();
    let marks = render_marked(dom, &body, &[], false, &mut marked);
    assert_eq!(marked, plain);
    check_marks(&plain, &marks);
    let mut xhtml = String::new();
    render_xhtml(dom, &[dom.subtree(dom.body())], &[], &mut xhtml);
    xml::assert_fragment(&xhtml);
}
