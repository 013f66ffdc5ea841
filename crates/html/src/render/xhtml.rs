//! Renders a selection of nodes to XHTML: a well-formed fragment with the structure of the page.
//!
//! - Element names are in lower case. Every element has an end tag, or ends in `/>` if it is void.
//! - The attributes in [`KEPT_ATTRIBUTES`] stay, each once, decoded and escaped again. Links that run scripts or
//!   contain data are dropped.
//! - Elements that are never shown are dropped with their content: scripts, styles, templates, titles, the head. Void
//!   elements that show nothing are dropped, too.
//! - Unknown elements and those of SVG and MathML become `span`, or `div` if they contain blocks. `html` and `body`
//!   become `div`, since this is a fragment.
//! - Characters that XML forbids are removed. White space is collapsed as in plain text, except in `pre` and the like.

use std::ops::Range;

use super::role::Role;
use super::{collapse, source};
use crate::dom::parse::Attributes;
use crate::dom::tag::Tag;
use crate::dom::{Dom, Node, NodeFlags, NodeId, entities};

/// The attributes that are kept.
pub const KEPT_ATTRIBUTES: [&str; 10] = [
    "id", "class", "href", "src", "alt", "title", "lang", "dir", "colspan", "rowspan",
];

/// The largest span of a table cell: the column limit of the HTML specification.
const MAX_SPAN: u32 = 1000;

/// Appends the elements and texts of `ranges` as XHTML, without `masked`. Both are as in
/// [`render_text`](super::render_text).
///
/// The ancestors of the ranges below the body are included, with their attributes. So a reader finds everything where
/// it is on the page.
///
/// ```
/// use dehusk_html::{Buffers, parse, render_xhtml};
///
/// let dom = parse("<p onclick='x()'>One<br>two", Buffers::default());
/// let mut xhtml = String::new();
/// let inside = dom.body() + 1..dom.len();
/// render_xhtml(&dom, &[inside], &[], &mut xhtml);
/// assert_eq!(xhtml, "<p>One<br/>two</p>");
/// ```
pub fn render_xhtml(dom: &Dom, ranges: &[Range<NodeId>], masked: &[Range<NodeId>], out: &mut String) {
    let nodes = dom.nodes();
    let mut masked = masked.iter().peekable();
    let mut writer = Writer {
        dom,
        out,
        open: Vec::new(),
        entered: Vec::new(),
        range_end: None,
        preformatted_end: 0,
        scratch: String::new(),
    };
    let body = dom.body();
    let nested = ranges.iter().any(|r| nodes[r.start as usize].parent > body);
    let around = BlockContainers::new(nodes, if nested { dom.subtree(body) } else { 0..0 });
    for range in ranges {
        writer.enter(range, &around);
        let blocks = BlockContainers::new(nodes, range.clone());
        let mut id = range.start;
        while id < range.end {
            let node = &nodes[id as usize];
            if id < writer.preformatted_end {
                writer.close(id);
                writer.verbatim_space(id);
            } else {
                writer.close(id);
                if node.flags.has(NodeFlags::SPACE_BEFORE) {
                    writer.space();
                }
            }
            while masked.next_if(|mask| mask.end <= id).is_some() {}
            if let Some(mask) = masked.peek()
                && mask.start <= id
            {
                id = mask.end.min(range.end);
            } else if node.tag == Tag::Text {
                writer.text(id, node);
                id += 1;
            } else if node.tag.is_hidden() || shows_nothing(node.tag) {
                id = node.end;
            } else {
                writer.element(id, node, name(node.tag, blocks.contains_block(id)));
                id += 1;
            }
        }
    }
    writer.close(NodeId::MAX);
}

/// The element name to write.
fn name(tag: Tag, contains_blocks: bool) -> &'static str {
    match tag {
        Tag::Html | Tag::Body | Tag::Frameset => "div",
        Tag::Other | Tag::Svg | Tag::Math => {
            if contains_blocks {
                "div"
            } else {
                "span"
            }
        }
        _ => tag.name(),
    }
}

/// Whether an element is void and neither breaks the text nor means something in it.
fn shows_nothing(tag: Tag) -> bool {
    tag.is_void() && !matches!(tag, Tag::Br | Tag::Hr | Tag::Img | Tag::Wbr | Tag::Col)
}

/// The elements of a range that contain a block at any depth. Empty if the answer is never needed.
pub(super) struct BlockContainers {
    start: NodeId,
    contains: Vec<bool>,
}

impl BlockContainers {
    fn new(nodes: &[Node], range: Range<NodeId>) -> Self {
        let part = &nodes[range.start as usize..range.end as usize];
        let mut contains = Vec::new();
        if part
            .iter()
            .any(|node| matches!(node.tag, Tag::Other | Tag::Svg | Tag::Math))
        {
            contains = vec![false; part.len()];
            // In reverse order, so that children come before their parents.
            for (i, node) in part.iter().enumerate().rev() {
                if (node.tag.is_block() || contains[i]) && node.parent >= range.start && i > 0 {
                    contains[(node.parent - range.start) as usize] = true;
                }
            }
        }
        BlockContainers {
            start: range.start,
            contains,
        }
    }

    /// For all nodes of a page.
    pub(super) fn of_all(nodes: &[Node]) -> Self {
        let mut contains = vec![false; nodes.len()];
        for (i, node) in nodes.iter().enumerate().skip(1).rev() {
            if node.tag.is_block() || contains[i] {
                contains[node.parent as usize] = true;
            }
        }
        BlockContainers { start: 0, contains }
    }

    pub(super) fn contains_block(&self, id: NodeId) -> bool {
        self.contains.get((id - self.start) as usize).copied().unwrap_or(false)
    }
}

struct Writer<'d, 'p, 'o> {
    dom: &'d Dom<'p>,
    out: &'o mut String,
    /// The ends and names of the open elements, innermost last.
    open: Vec<(NodeId, &'static str)>,
    /// The open elements that are ancestors of a range, innermost last.
    entered: Vec<NodeId>,
    /// The end of the previous range.
    range_end: Option<NodeId>,
    /// Nodes before this one are in `pre` or the like.
    preformatted_end: NodeId,
    scratch: String,
}

impl Writer<'_, '_, '_> {
    /// Writes the end tags of the elements that end at or before `id`.
    fn close(&mut self, id: NodeId) {
        while let Some(&(end, name)) = self.open.last()
            && end <= id
        {
            self.open.pop();
            self.out.push_str("</");
            self.out.push_str(name);
            self.out.push('>');
        }
    }

    /// Moves to a range: closes the elements that do not contain it, and opens those that do.
    fn enter(&mut self, range: &Range<NodeId>, around: &BlockContainers) {
        let nodes = self.dom.nodes();
        self.close(range.start);
        while self
            .entered
            .pop_if(|id| nodes[*id as usize].end <= range.start)
            .is_some()
        {}
        let innermost = self.entered.last().copied().unwrap_or(self.dom.body());
        let known = self.entered.len();
        let mut id = nodes[range.start as usize].parent;
        while id > innermost {
            self.entered.push(id);
            id = nodes[id as usize].parent;
        }
        self.entered[known..].reverse();
        let next = self.entered.get(known).copied().unwrap_or(range.start);
        if self.range_end.replace(range.end).is_some_and(|end| end < next) {
            // Something was left out. The words around it must not become one word.
            self.space();
        }
        for i in known..self.entered.len() {
            let id = self.entered[i];
            let node = &nodes[id as usize];
            if node.flags.has(NodeFlags::SPACE_BEFORE) {
                self.space();
            }
            if !node.tag.is_hidden() {
                self.element(id, node, name(node.tag, around.contains_block(id)));
            }
        }
    }

    fn space(&mut self) {
        if !self.out.is_empty() && !self.out.ends_with(' ') {
            self.out.push(' ');
        }
    }

    /// Writes the white space before a node of code.
    fn verbatim_space(&mut self, id: NodeId) {
        self.scratch.clear();
        source::push_space_before(self.dom, id, &mut self.scratch);
        escape_lines(&self.scratch, self.out);
    }

    fn text(&mut self, id: NodeId, node: &Node) {
        self.scratch.clear();
        if id < self.preformatted_end {
            let references = node.flags.has(NodeFlags::ENTITIES);
            source::push_verbatim(self.dom.raw(id), references, &mut self.scratch);
            return escape_lines(&self.scratch, self.out);
        }
        collapse::push_node(self.dom.source(), node, &mut self.scratch);
        escape(&self.scratch, self.out);
    }

    fn element(&mut self, id: NodeId, node: &Node, name: &'static str) {
        if Role::from_tag(node.tag) == Role::Preformatted {
            self.preformatted_end = self.preformatted_end.max(node.end);
        }
        self.out.push('<');
        self.out.push_str(name);
        self.attributes(id);
        if node.tag.is_void() {
            self.out.push_str("/>");
        } else {
            self.out.push('>');
            self.open.push((node.end, name));
        }
    }

    fn attributes(&mut self, id: NodeId) {
        let mut written = [false; KEPT_ATTRIBUTES.len()];
        for (name, raw) in Attributes::new(self.dom.raw(id)) {
            let Some(kept) = KEPT_ATTRIBUTES.iter().position(|k| k.eq_ignore_ascii_case(name)) else {
                continue;
            };
            // XML allows each attribute once. In HTML the first counts.
            if std::mem::replace(&mut written[kept], true) {
                continue;
            }
            let value = entities::decode_attribute(raw);
            let name = KEPT_ATTRIBUTES[kept];
            let span;
            let value = match name {
                "href" | "src" if is_active(&value) => continue,
                "colspan" | "rowspan" => match clamped(&value) {
                    Some(number) => {
                        span = number;
                        &span
                    }
                    None => continue,
                },
                _ => value.trim(),
            };
            self.out.push(' ');
            self.out.push_str(name);
            self.out.push_str("=\"");
            escape(value, self.out);
            self.out.push('"');
        }
    }
}

/// The number of columns or rows, limited. `None` if the value has no number.
pub(super) fn clamped(value: &str) -> Option<String> {
    let value = value.trim();
    let digits = &value[..value.bytes().take_while(u8::is_ascii_digit).count()];
    // A number that is too large for an integer is above the limit.
    (!digits.is_empty()).then(|| digits.parse().unwrap_or(MAX_SPAN).min(MAX_SPAN).to_string())
}

/// Whether a link runs a script or contains data. Browsers ignore white space and control characters before and inside
/// the scheme, so these do not hide it.
pub(super) fn is_active(link: &str) -> bool {
    let scheme: String = link
        .chars()
        .filter(|c| !c.is_whitespace() && !c.is_control())
        .take(11)
        .map(|c| c.to_ascii_lowercase())
        .collect();
    ["javascript:", "vbscript:", "data:"]
        .iter()
        .any(|active| scheme.starts_with(active))
}

/// Makes a whole XHTML document of a fragment. Readers of XML and of HTML both accept it. Its charset is UTF-8.
pub fn xhtml_document(title: &str, language: &str, fragment: &str) -> String {
    let mut out = String::from("<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\"");
    if !language.is_empty() {
        out.push_str(" lang=\"");
        escape(language, &mut out);
        out.push('"');
    }
    out.push_str("><head><meta charset=\"utf-8\"/><title>");
    escape(title, &mut out);
    out.push_str("</title></head><body>\n");
    out.push_str(fragment);
    out.push_str("\n</body></html>\n");
    out
}

/// Escapes a text as [`escape`] does, but keeps tabs and line feeds.
pub(super) fn escape_lines(text: &str, out: &mut String) {
    let mut rest = text;
    while let Some(at) = memchr::memchr2(b'\t', b'\n', rest.as_bytes()) {
        escape(&rest[..at], out);
        out.push_str(&rest[at..=at]);
        rest = &rest[at + 1..];
    }
    escape(rest, out);
}

/// Appends a text. Markup characters are escaped; characters that XML forbids are removed.
pub fn escape(text: &str, out: &mut String) {
    let mut copied = 0;
    for (at, c) in text.char_indices() {
        let replacement = match c {
            '&' => "&amp;",
            '<' => "&lt;",
            '>' => "&gt;",
            '"' => "&quot;",
            '\0'..='\u{8}' | '\u{B}' | '\u{C}' | '\u{E}'..='\u{1F}' | '\u{FFFE}' | '\u{FFFF}' => "",
            // Readers would turn these into spaces (in attributes) or into other line ends.
            '\t' => "&#9;",
            '\n' => "&#10;",
            '\r' => "&#13;",
            _ => continue,
        };
        out.push_str(&text[copied..at]);
        out.push_str(replacement);
        copied = at + c.len_utf8();
    }
    out.push_str(&text[copied..]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dom::{Buffers, parse::parse};

    fn body(page: &str) -> String {
        let dom = parse(page, Buffers::default());
        let mut out = String::new();
        let inside = dom.body() + 1..dom.node(dom.body()).end;
        render_xhtml(&dom, std::slice::from_ref(&inside), &[], &mut out);
        out
    }

    #[test]
    fn elements_are_closed_and_void_ones_marked() {
        assert_eq!(body("<P>a<BR>b &amp; c<p>d<hr>"), "<p>a<br/>b &amp; c</p><p>d</p><hr/>");
        assert_eq!(body("<ul><li>a<li>b</ul>"), "<ul><li>a</li><li>b</li></ul>");
        assert_eq!(
            body("a<input><script>x</script><style>y</style><template>z</template>b"),
            "ab"
        );
    }

    #[test]
    fn code_is_verbatim() {
        let code = "<pre> a\n\t&lt;  <b>b</b>\n  c</pre>";
        assert_eq!(body(&format!("{code} d  e")), format!("{code} d e"));
        assert_eq!(body("<textarea>a\r\n  b</textarea>"), "<textarea>a\n  b</textarea>");
    }

    #[test]
    fn ancestors_below_the_body_stay() {
        let page = "<div><ul lang=en><li>a<li>b<li>c</ul><x-a><p>d</p><p>e</p></x-a></div><p>f";
        let dom = parse(page, Buffers::default());
        let of = |texts: &str| {
            let chosen = |id: &NodeId| dom.node(*id).tag == Tag::Text && texts.contains(dom.raw(*id));
            let ranges: Vec<_> = (0..dom.len()).filter(chosen).map(|id| dom.subtree(id)).collect();
            let mut out = String::new();
            render_xhtml(&dom, &ranges, &[], &mut out);
            out
        };
        assert_eq!(of("a"), "<div><ul lang=\"en\"><li>a</li></ul></div>");
        assert_eq!(of("ac"), "<div><ul lang=\"en\"><li>a</li> <li>c</li></ul></div>");
        assert_eq!(
            of("abe"),
            "<div><ul lang=\"en\"><li>a</li><li>b</li></ul> <div><p>e</p></div></div>"
        );
        assert_eq!(of("def"), "<div><div><p>d</p><p>e</p></div></div><p>f</p>");
        assert_eq!(of(""), "");
    }

    #[test]
    fn only_harmless_attributes_stay() {
        assert_eq!(
            body("<a href='/x?a=1&b=2' onclick=x class=c title='\"'>t</a>"),
            "<a href=\"/x?a=1&amp;b=2\" class=\"c\" title=\"&quot;\">t</a>"
        );
        assert_eq!(body("<a HREF=1 href=2>t</a>"), "<a href=\"1\">t</a>");
        for link in [
            "javascript:x",
            " Java\tscript&colon;x",
            "&#1;javascript:x",
            "data:text/html,x",
            "vbscript:x",
        ] {
            assert_eq!(body(&format!("<a href=\"{link}\">t</a>")), "<a>t</a>", "{link}");
        }
        assert_eq!(
            body("<table><tr><td colspan=9007199254740991 rowspan=x>t"),
            "<table><tbody><tr><td colspan=\"1000\">t</td></tr></tbody></table>"
        );
    }

    #[test]
    fn unknown_elements_become_span_or_div() {
        assert_eq!(body("<x-a>t<x-b>u</x-b></x-a>"), "<span>t<span>u</span></span>");
        assert_eq!(body("<x-a><x-b><p>u</x-b></x-a>"), "<div><div><p>u</p></div></div>");
    }

    #[test]
    fn forbidden_characters_are_removed() {
        assert_eq!(
            body("<p title='&#1;a&#xFFFE;'>b&#8;\u{FFFF}c]]>"),
            "<p title=\"a\">bc]]&gt;</p>"
        );
    }
}
