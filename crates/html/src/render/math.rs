//! Mathematics: finds the TeX that a page gives for it.

use crate::dom::tag::Tag;
use crate::dom::{Dom, NodeId, entities};

/// The search for formulas on a page, as far as it has gone.
#[derive(Default)]
pub(super) struct Formulas {
    /// In nodes before this one there is no TeX.
    without_until: NodeId,
    /// The element that shows the last formula once more.
    copy: Option<NodeId>,
    /// The last formula, and the length of the output with it.
    last: String,
    written: usize,
}

impl Formulas {
    /// The TeX of a `math` element.
    pub(super) fn tex(&mut self, dom: &Dom<'_>, id: NodeId) -> Option<String> {
        if id < self.without_until {
            return None;
        }
        let Some(tex) = annotation(dom, id).or_else(|| tidy(&dom.attribute(id, "alttext")?)) else {
            self.without_until = dom.node(id).end;
            return None;
        };
        // KaTeX shows the formula in an element after that of the MathML.
        let parent = dom.node(id).parent;
        let next = dom.node(parent).end;
        let is_copy = |id: NodeId| {
            dom.attribute(id, "class")
                .is_some_and(|class| class.contains("katex-html"))
        };
        self.copy = (next < dom.node(dom.node(parent).parent).end && is_copy(next)).then_some(next);
        self.last.clear();
        Some(tex)
    }

    pub(super) fn has_copy(&self) -> bool {
        self.copy.is_some()
    }

    /// Whether the element shows a formula that is written already.
    pub(super) fn is_copy(&mut self, id: NodeId) -> bool {
        self.copy.take_if(|copy| *copy <= id) == Some(id)
    }

    /// Whether the formula is not the one that the output, of this length, ends with. Some pages give each as MathML
    /// and as an image.
    pub(super) fn is_new(&self, tex: &str, length: usize) -> bool {
        self.last != tex || self.written != length
    }

    /// Records what was written, and the length of the output with it.
    pub(super) fn record(&mut self, tex: &str, length: usize) {
        tex.clone_into(&mut self.last);
        self.written = length;
    }
}

fn annotation(dom: &Dom<'_>, math: NodeId) -> Option<String> {
    let is_tex = |id: &NodeId| {
        dom.node(*id).tag == Tag::Other
            && dom.name(*id).eq_ignore_ascii_case("annotation")
            && dom
                .attribute(*id, "encoding")
                .is_some_and(|encoding| encoding.to_ascii_lowercase().contains("tex"))
    };
    let found = dom.subtree(math).find(is_tex)?;
    let texts = dom.subtree(found).filter(|id| dom.node(*id).tag == Tag::Text);
    tidy(&texts.map(|id| entities::decode(dom.raw(id))).collect::<String>())
}

/// The formula on one line, without what Wikipedia puts around it.
fn tidy(tex: &str) -> Option<String> {
    let tex = tex.split_whitespace().collect::<Vec<_>>().join(" ");
    let inner = tex
        .strip_prefix("{\\displaystyle ")
        .and_then(|rest| rest.strip_suffix('}'))
        .unwrap_or(&tex);
    let tex = inner.replace('\0', "");
    (!tex.trim().is_empty()).then(|| tex.trim().to_owned())
}

pub(super) fn is_display(dom: &Dom<'_>, math: NodeId) -> bool {
    dom.attribute(math, "display").as_deref() == Some("block")
}

/// The formula of an image.
pub(super) fn of_image(dom: &Dom<'_>, id: NodeId) -> Option<String> {
    let class = dom.attribute(id, "class")?;
    let is_formula = class
        .split_ascii_whitespace()
        .any(|class| matches!(class, "tex" | "latex" | "math") || class.starts_with("mwe-math"));
    if !is_formula {
        return None;
    }
    tidy(&dom.attribute(id, "alt")?)
}

/// The formula of a script for MathJax, and whether it is a paragraph of its own.
pub(super) fn of_script(dom: &Dom<'_>, id: NodeId) -> Option<(String, bool)> {
    let kind = dom.attribute(id, "type")?;
    if !kind.trim_start().starts_with("math/tex") {
        return None;
    }
    let text = dom.node(id + 1 - u32::from(id + 1 >= dom.len()));
    if text.tag != Tag::RawText {
        return None;
    }
    let raw = &dom.source()[text.from as usize..text.to as usize];
    Some((tidy(raw)?, kind.contains("mode=display")))
}
