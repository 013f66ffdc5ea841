//! The rules for start tags: the HTML specification's tree construction, as far as it matters for the order of text,
//! for blocks and for links. The rules for end tags are in [`ends`](super::ends).

use std::ops::Range;

use super::super::entities;
use super::super::tag::Tag;
use super::builder::{Builder, ElementKind, Phase, Scope, TagSpan};

/// The content model after a start tag.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ContentModel {
    /// Text and tags.
    Tags,
    /// Only text, up to the end tag of the element.
    Raw,
}

/// Elements that are only allowed in a table.
fn is_table_part(tag: Tag) -> bool {
    matches!(
        tag,
        Tag::Tr | Tag::Td | Tag::Th | Tag::Tbody | Tag::Thead | Tag::Tfoot | Tag::Caption | Tag::Col | Tag::Colgroup
    )
}

impl Builder<'_> {
    /// Sets quirks mode by the doctype. With an old doctype, a table does not close a paragraph.
    pub(super) fn doctype(&mut self, rest: &str) {
        if self.phase != Phase::Start || self.nodes.len() > 1 {
            return;
        }
        let rest = rest.trim_start().to_ascii_lowercase();
        let transitional = |version: &str| {
            rest.contains(&format!("//dtd {version} transitional//"))
                || rest.contains(&format!("//dtd {version} frameset//"))
        };
        let old = rest.contains("-//ietf//") || rest.contains("//dtd html 3") || rest.contains("//dtd html 2");
        let without_system = transitional("html 4.01") && !rest.contains("http:");
        self.quirks = !rest.starts_with("html") || old || transitional("html 4.0") || without_system;
    }

    /// Handles a start tag.
    #[inline]
    pub(super) fn start(&mut self, tag: Tag, span: TagSpan, self_closing: bool) -> ContentModel {
        if self.phase != Phase::Body
            && let Some(content) = self.start_before_body(tag, span)
        {
            return content;
        }
        self.start_in_body(tag, span, self_closing)
    }

    /// Handles a start tag before the body. `None` if the rules of the body apply.
    fn start_before_body(&mut self, tag: Tag, span: TagSpan) -> Option<ContentModel> {
        if self.phase == Phase::Frameset {
            return Some(self.start_in_frameset(tag, span));
        }
        if !self.in_head() {
            return None;
        }
        match tag {
            Tag::Html => self.merge(0, span),
            Tag::Head if self.phase == Phase::Start => {
                self.head = self.push(Tag::Head, span);
                self.phase = Phase::Head;
            }
            Tag::Head => {}
            Tag::Body => self.open_body(span),
            Tag::Frameset => {
                self.need_head();
                self.pop_to(1);
                self.push(Tag::Frameset, span);
                self.phase = Phase::Frameset;
            }
            _ if tag.is_head_content() && !(tag == Tag::Noscript && self.phase == Phase::AfterHead) => {
                self.need_head();
                if self.top().tag == Tag::Noscript {
                    match tag {
                        Tag::Noscript => return Some(ContentModel::Tags),
                        Tag::Basefont | Tag::Bgsound | Tag::Link | Tag::Meta | Tag::Noframes | Tag::Style => {}
                        _ => self.pop(),
                    }
                }
                return Some(self.start_head_content(tag, span));
            }
            _ => {
                self.open_body(TagSpan::NONE);
                return None;
            }
        }
        Some(ContentModel::Tags)
    }

    fn start_in_frameset(&mut self, tag: Tag, span: TagSpan) -> ContentModel {
        match tag {
            Tag::Html => self.merge(0, span),
            Tag::Frame => _ = self.leaf(tag, span),
            Tag::Frameset => _ = self.push(tag, span),
            Tag::Noframes => {
                self.push(tag, span);
                return ContentModel::Raw;
            }
            _ => {}
        }
        ContentModel::Tags
    }

    fn start_head_content(&mut self, tag: Tag, span: TagSpan) -> ContentModel {
        if tag.is_void() {
            self.leaf(tag, span);
            return ContentModel::Tags;
        }
        self.frameset_ok &= tag != Tag::Template;
        self.push(tag, span);
        if matches!(tag, Tag::Noscript | Tag::Template) {
            ContentModel::Tags
        } else {
            ContentModel::Raw
        }
    }

    /// Closes the element of a tag that is in scope. Returns whether there is one.
    #[inline]
    fn close_in_scope(&mut self, tag: Tag) -> bool {
        let depth = self.scope(tag, Scope::Default);
        if let Some(depth) = depth {
            self.pop_to(depth);
        }
        depth.is_some()
    }

    /// Handles the start tag of `svg` or `math`.
    fn start_foreign(&mut self, tag: Tag, span: TagSpan, self_closing: bool) {
        let kind = if tag == Tag::Svg {
            ElementKind::Svg
        } else {
            ElementKind::Math
        };
        if self_closing {
            self.leaf(tag, span);
        } else {
            self.push_kind(tag, span, kind);
        }
    }

    /// Handles the start tag of an element that closes an open paragraph.
    #[inline]
    fn start_block(&mut self, tag: Tag, span: TagSpan) -> ContentModel {
        match tag {
            Tag::Form => return self.start_form(span),
            Tag::Li => self.close_item(|open| open == Tag::Li),
            Tag::Dd | Tag::Dt => self.close_item(|open| matches!(open, Tag::Dd | Tag::Dt)),
            _ => {}
        }
        self.close_p();
        match tag {
            Tag::Hr => {
                if self.scope(Tag::Select, Scope::Default).is_some() {
                    self.close_implied(Tag::Text);
                }
                self.leaf(tag, span);
                return ContentModel::Tags;
            }
            _ if tag.is_heading() && self.top().tag.is_heading() => self.pop(),
            _ => {}
        }
        self.push(tag, span);
        if matches!(tag, Tag::Plaintext | Tag::Xmp) {
            ContentModel::Raw
        } else {
            ContentModel::Tags
        }
    }

    fn start_in_body(&mut self, tag: Tag, span: TagSpan, self_closing: bool) -> ContentModel {
        if tag.closes_p() {
            return self.start_block(tag, span);
        }
        match tag {
            Tag::A => self.end_formatting_before_start(Tag::A),
            Tag::Nobr if self.scope(tag, Scope::Default).is_some() => self.end_formatting(tag),
            _ if is_table_part(tag) => {
                self.start_in_table(tag, span);
                return ContentModel::Tags;
            }
            Tag::Table => {
                if self.in_table()
                    && let Some(depth) = self.scope(tag, Scope::Table)
                {
                    self.pop_to(depth);
                }
                if !self.quirks {
                    self.close_p();
                }
            }
            Tag::Button => _ = self.close_in_scope(Tag::Button),
            Tag::Input => _ = self.close_in_scope(Tag::Select),
            // A `select` in a `select` only ends it.
            Tag::Select if self.close_in_scope(Tag::Select) => return ContentModel::Tags,
            Tag::Option | Tag::Optgroup => {
                if self.scope(Tag::Select, Scope::Default).is_some() {
                    self.close_implied(if tag == Tag::Option { Tag::Optgroup } else { Tag::Text });
                } else if self.top().tag == Tag::Option {
                    self.pop();
                }
            }
            Tag::Rb | Tag::Rtc | Tag::Rp | Tag::Rt if self.scope(Tag::Ruby, Scope::Default).is_some() => {
                let kept = if matches!(tag, Tag::Rp | Tag::Rt) {
                    Tag::Rtc
                } else {
                    Tag::Text
                };
                self.close_implied(kept);
            }
            Tag::Image => {
                self.leaf(Tag::Img, span);
                return ContentModel::Tags;
            }
            Tag::Svg | Tag::Math => {
                self.start_foreign(tag, span, self_closing);
                return ContentModel::Tags;
            }
            Tag::Html | Tag::Body => {
                if self.open[Tag::Template as usize] == 0 {
                    self.merge(if tag == Tag::Html { 0 } else { self.body }, span);
                }
                return ContentModel::Tags;
            }
            Tag::Frameset => {
                if self.frameset_ok && self.drop_body() {
                    self.push(tag, span);
                    self.phase = Phase::Frameset;
                }
                return ContentModel::Tags;
            }
            Tag::Head | Tag::Frame => return ContentModel::Tags,
            _ => {}
        }
        if tag.is_void() {
            self.leaf(tag, span);
            return ContentModel::Tags;
        }
        self.push(tag, span);
        if tag.is_raw() || matches!(tag, Tag::Title | Tag::Textarea) {
            ContentModel::Raw
        } else {
            ContentModel::Tags
        }
    }

    /// Handles `form`. A form directly in a table has no content, so that the rows do not become its content. A form
    /// inside a form is ignored.
    fn start_form(&mut self, span: TagSpan) -> ContentModel {
        let in_template = self.open[Tag::Template as usize] > 0;
        if self.form.is_some() && !in_template {
            return ContentModel::Tags;
        }
        let form = if self.in_table() {
            self.leaf(Tag::Form, span)
        } else {
            self.close_p();
            self.push(Tag::Form, span)
        };
        if !in_template {
            self.form = Some(form);
        }
        ContentModel::Tags
    }

    /// Whether the parser is in a table, but not in one of its cells.
    fn in_table(&self) -> bool {
        if self.open[Tag::Table as usize] == 0 {
            return false;
        }
        for open in self.stack.iter().rev() {
            match open.tag {
                Tag::Table | Tag::Tbody | Tag::Thead | Tag::Tfoot | Tag::Tr => return true,
                Tag::Td | Tag::Th | Tag::Caption | Tag::Template => return false,
                _ => {}
            }
        }
        false
    }

    /// Handles the start tag of a part of a table. It closes the previous parts and implies the parts around it.
    fn start_in_table(&mut self, tag: Tag, span: TagSpan) {
        if self.open[Tag::Table as usize] == 0 && self.open[Tag::Template as usize] == 0 {
            return;
        }
        let holds = |open: Tag| match open {
            Tag::Table | Tag::Template => true,
            Tag::Tbody | Tag::Thead | Tag::Tfoot => matches!(tag, Tag::Tr | Tag::Td | Tag::Th),
            Tag::Tr => matches!(tag, Tag::Td | Tag::Th),
            _ => false,
        };
        let Some(depth) = self.stack.iter().rposition(|open| holds(open.tag)) else {
            return;
        };
        // A template may have parts of a table only if it has nothing else.
        if self.stack[depth].tag == Tag::Template
            && self.stack.get(depth + 1).is_some_and(|open| !is_table_part(open.tag))
        {
            return;
        }
        self.pop_to(depth + 1);
        let mut around = self.top().tag;
        if around == Tag::Table && matches!(tag, Tag::Tr | Tag::Td | Tag::Th) {
            self.push(Tag::Tbody, TagSpan::NONE);
            around = Tag::Tbody;
        }
        if matches!(around, Tag::Tbody | Tag::Thead | Tag::Tfoot) && matches!(tag, Tag::Td | Tag::Th) {
            self.push(Tag::Tr, TagSpan::NONE);
        }
        if matches!(tag, Tag::Col | Tag::Colgroup) {
            self.leaf(tag, span);
        } else {
            self.push(tag, span);
        }
    }

    /// Handles a start tag in SVG or MathML.
    pub(super) fn foreign_start(&mut self, tag: Tag, span: TagSpan, self_closing: bool) -> ContentModel {
        if tag.leaves_foreign() || (tag == Tag::Font && self.is_html_font(span)) {
            self.leave_foreign();
            return self.start(tag, span, self_closing);
        }
        if self_closing {
            self.leaf(tag, span);
            return ContentModel::Tags;
        }
        let kind = self.foreign_kind(tag, span);
        self.push_kind(tag, span, kind);
        ContentModel::Tags
    }

    /// The kind of an element that starts in SVG or MathML: of the same kind, or an integration point for HTML.
    fn foreign_kind(&self, tag: Tag, span: TagSpan) -> ElementKind {
        let around = self.top();
        let is = |name: &str| self.page[span.name..span.from].eq_ignore_ascii_case(name);
        if around.kind == ElementKind::Svg {
            return if ["foreignobject", "desc", "title"].into_iter().any(is) {
                ElementKind::Integration
            } else {
                ElementKind::Svg
            };
        }
        if tag == Tag::Svg && self.is_named(around, b"annotation-xml") {
            return ElementKind::Svg;
        }
        let holds_html = ["mi", "mo", "mn", "ms", "mtext"].into_iter().any(is)
            || is("annotation-xml")
                && ["text/html", "application/xhtml+xml"]
                    .iter()
                    .any(|html| self.has_attribute(span.from..span.to, "encoding", html));
        if holds_html {
            ElementKind::Integration
        } else {
            ElementKind::Math
        }
    }

    /// Whether these attributes include one with this name and value, in any case.
    pub(super) fn has_attribute(&self, attributes: Range<usize>, name: &str, value: &str) -> bool {
        super::Attributes::new(&self.page[attributes])
            .find(|(n, _)| n.eq_ignore_ascii_case(name))
            .is_some_and(|(_, v)| entities::decode_attribute(v).eq_ignore_ascii_case(value))
    }

    fn is_html_font(&self, span: TagSpan) -> bool {
        super::Attributes::new(&self.page[span.from..span.to])
            .any(|(name, _)| ["color", "face", "size"].iter().any(|n| name.eq_ignore_ascii_case(n)))
    }

    /// Closes SVG and MathML elements up to the HTML element around them.
    pub(super) fn leave_foreign(&mut self) {
        while self.in_foreign() {
            self.pop();
        }
    }

    /// The position in the stack of the innermost open element of this tag, if it is in scope.
    #[inline]
    pub(super) fn scope(&self, tag: Tag, scope: Scope) -> Option<usize> {
        if self.open[tag as usize] == 0 {
            return None;
        }
        for (depth, &open) in self.stack.iter().enumerate().rev() {
            if open.tag == tag {
                return Some(depth);
            }
            if scope.stops_at(open) {
                return None;
            }
        }
        None
    }

    #[inline]
    fn close_p(&mut self) {
        self.end_in(Tag::P, Scope::Button);
    }

    /// Closes the previous list item.
    fn close_item(&mut self, is_item: impl Fn(Tag) -> bool) {
        for depth in (0..self.stack.len()).rev() {
            let open = self.stack[depth];
            if is_item(open.tag) {
                return self.pop_to(depth);
            }
            let passed = matches!(open.tag, Tag::Address | Tag::Div | Tag::P);
            if open.kind == ElementKind::Integration || (open.tag.is_special() && !passed) {
                return;
            }
        }
    }

    /// Closes the innermost elements that need no end tag, except for `except`.
    pub(super) fn close_implied(&mut self, except: Tag) {
        while self.top().tag.has_implied_end() && self.top().tag != except {
            self.pop();
        }
    }
}
