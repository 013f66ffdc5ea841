//! What a start tag does to the open elements: the HTML specification's tree construction, as far as it matters for the
//! order of text, for blocks and for links. End tags have their own file, [`ends`](super::ends).

use std::ops::Range;

use super::super::entities;
use super::super::tag::Tag;
use super::builder::{Builder, Kind, Open, Phase, Source};

/// What stands behind a start tag.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Content {
    /// Text and tags.
    Tags,
    /// Text only, up to the element's end tag.
    Raw,
}

/// The borders that an element's end does not reach through.
#[derive(Clone, Copy)]
pub(super) enum Scope {
    Default,
    Button,
    ListItem,
    Table,
}

impl Scope {
    #[inline]
    pub(super) fn stops_at(self, open: Open) -> bool {
        match self {
            Scope::Table => matches!(open.tag, Tag::Table | Tag::Template | Tag::Html),
            _ if open.tag.is_scope() || open.kind == Kind::Integration => true,
            Scope::Button => open.tag == Tag::Button,
            Scope::ListItem => matches!(open.tag, Tag::Ol | Tag::Ul),
            Scope::Default => false,
        }
    }
}

/// Elements that stand in a table only.
fn is_table_part(tag: Tag) -> bool {
    matches!(
        tag,
        Tag::Tr | Tag::Td | Tag::Th | Tag::Tbody | Tag::Thead | Tag::Tfoot | Tag::Caption | Tag::Col | Tag::Colgroup
    )
}

impl Builder<'_> {
    /// Notes from a doctype whether the page is in quirks mode: in the doctypes of old, tables may stand in paragraphs.
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

    /// Takes in a start tag.
    #[inline]
    pub(super) fn start(&mut self, tag: Tag, source: Source, self_closing: bool) -> Content {
        if self.phase != Phase::Body
            && let Some(content) = self.start_before_body(tag, source)
        {
            return content;
        }
        self.start_in_body(tag, source, self_closing)
    }

    /// The rules before the body; `None` where those of the body hold.
    fn start_before_body(&mut self, tag: Tag, source: Source) -> Option<Content> {
        if self.phase == Phase::Frameset {
            return Some(self.start_in_frameset(tag, source));
        }
        if !self.in_head() {
            return None;
        }
        match tag {
            Tag::Html => self.merge(0, source),
            Tag::Head if self.phase == Phase::Start => {
                self.head = self.push(Tag::Head, source);
                self.phase = Phase::Head;
            }
            Tag::Head => {}
            Tag::Body => self.open_body(source),
            Tag::Frameset => {
                self.need_head();
                self.pop_to(1);
                self.push(Tag::Frameset, source);
                self.phase = Phase::Frameset;
            }
            _ if tag.is_head_content() && !(tag == Tag::Noscript && self.phase == Phase::AfterHead) => {
                self.need_head();
                if self.top().tag == Tag::Noscript {
                    match tag {
                        Tag::Noscript => return Some(Content::Tags),
                        Tag::Basefont | Tag::Bgsound | Tag::Link | Tag::Meta | Tag::Noframes | Tag::Style => {}
                        _ => self.pop(),
                    }
                }
                return Some(self.start_head_content(tag, source));
            }
            _ => {
                self.open_body(Source::NONE);
                return None;
            }
        }
        Some(Content::Tags)
    }

    fn start_in_frameset(&mut self, tag: Tag, source: Source) -> Content {
        match tag {
            Tag::Html => self.merge(0, source),
            Tag::Frame => _ = self.leaf(tag, source),
            Tag::Frameset => _ = self.push(tag, source),
            Tag::Noframes => {
                self.push(tag, source);
                return Content::Raw;
            }
            _ => {}
        }
        Content::Tags
    }

    fn start_head_content(&mut self, tag: Tag, source: Source) -> Content {
        if tag.is_void() {
            self.leaf(tag, source);
            return Content::Tags;
        }
        self.frameset_ok &= tag != Tag::Template;
        self.push(tag, source);
        if matches!(tag, Tag::Noscript | Tag::Template) {
            Content::Tags
        } else {
            Content::Raw
        }
    }

    fn start_in_body(&mut self, tag: Tag, source: Source, self_closing: bool) -> Content {
        if tag.closes_p() {
            match tag {
                Tag::Form => return self.start_form(source),
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
                    self.leaf(tag, source);
                    return Content::Tags;
                }
                _ if tag.is_heading() && self.top().tag.is_heading() => self.pop(),
                _ => {}
            }
            self.push(tag, source);
            return if matches!(tag, Tag::Plaintext | Tag::Xmp) {
                Content::Raw
            } else {
                Content::Tags
            };
        }
        match tag {
            Tag::A => self.end_formatting_before_start(Tag::A),
            Tag::Nobr if self.scope(tag, Scope::Default).is_some() => self.end_formatting(tag),
            _ if is_table_part(tag) => {
                self.start_in_table(tag, source);
                return Content::Tags;
            }
            Tag::Table => {
                if self.table_mode()
                    && let Some(depth) = self.scope(tag, Scope::Table)
                {
                    self.pop_to(depth);
                }
                if !self.quirks {
                    self.close_p();
                }
            }
            Tag::Button => {
                if let Some(depth) = self.scope(tag, Scope::Default) {
                    self.pop_to(depth);
                }
            }
            Tag::Select => {
                if let Some(depth) = self.scope(tag, Scope::Default) {
                    self.pop_to(depth);
                    return Content::Tags;
                }
            }
            Tag::Input => {
                if let Some(depth) = self.scope(Tag::Select, Scope::Default) {
                    self.pop_to(depth);
                }
            }
            Tag::Option | Tag::Optgroup => {
                if self.scope(Tag::Select, Scope::Default).is_some() {
                    self.close_implied(if tag == Tag::Option { Tag::Optgroup } else { Tag::Text });
                } else if self.top().tag == Tag::Option {
                    self.pop();
                }
            }
            Tag::Rb | Tag::Rtc | Tag::Rp | Tag::Rt if self.scope(Tag::Ruby, Scope::Default).is_some() => {
                self.close_implied(if matches!(tag, Tag::Rp | Tag::Rt) {
                    Tag::Rtc
                } else {
                    Tag::Text
                });
            }
            Tag::Image => {
                self.leaf(Tag::Img, source);
                return Content::Tags;
            }
            Tag::Svg | Tag::Math => {
                if self_closing {
                    self.leaf(tag, source);
                } else {
                    self.push_kind(tag, source, if tag == Tag::Svg { Kind::Svg } else { Kind::Math });
                }
                return Content::Tags;
            }
            Tag::Html | Tag::Body => {
                if self.open[Tag::Template as usize] == 0 {
                    self.merge(if tag == Tag::Html { 0 } else { self.body }, source);
                }
                return Content::Tags;
            }
            Tag::Frameset => {
                if self.frameset_ok && self.drop_body() {
                    self.push(tag, source);
                    self.phase = Phase::Frameset;
                }
                return Content::Tags;
            }
            Tag::Head | Tag::Frame => return Content::Tags,
            _ => {}
        }
        if tag.is_void() {
            self.leaf(tag, source);
            return Content::Tags;
        }
        self.push(tag, source);
        if tag.is_raw() || matches!(tag, Tag::Title | Tag::Textarea) {
            Content::Raw
        } else {
            Content::Tags
        }
    }

    /// A form in a table has no content, so that the table's rows do not land in it; a form in a form is no form.
    fn start_form(&mut self, source: Source) -> Content {
        let in_template = self.open[Tag::Template as usize] > 0;
        if self.form.is_some() && !in_template {
            return Content::Tags;
        }
        let form = if self.table_mode() {
            self.leaf(Tag::Form, source)
        } else {
            self.close_p();
            self.push(Tag::Form, source)
        };
        if !in_template {
            self.form = Some(form);
        }
        Content::Tags
    }

    /// Whether the parser is in a table, but in none of its cells.
    fn table_mode(&self) -> bool {
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

    /// Start tags of a table's parts close what is open in the parts before, and imply the parts around.
    fn start_in_table(&mut self, tag: Tag, source: Source) {
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
        // A template holds parts of a table only while it holds nothing else.
        if self.stack[depth].tag == Tag::Template
            && self.stack.get(depth + 1).is_some_and(|open| !is_table_part(open.tag))
        {
            return;
        }
        self.pop_to(depth + 1);
        let mut around = self.top().tag;
        if around == Tag::Table && matches!(tag, Tag::Tr | Tag::Td | Tag::Th) {
            self.push(Tag::Tbody, Source::NONE);
            around = Tag::Tbody;
        }
        if matches!(around, Tag::Tbody | Tag::Thead | Tag::Tfoot) && matches!(tag, Tag::Td | Tag::Th) {
            self.push(Tag::Tr, Source::NONE);
        }
        if matches!(tag, Tag::Col | Tag::Colgroup) {
            self.leaf(tag, source);
        } else {
            self.push(tag, source);
        }
    }

    /// Takes in a start tag in SVG or MathML.
    pub(super) fn foreign_start(&mut self, tag: Tag, source: Source, self_closing: bool) -> Content {
        if tag.leaves_foreign() || (tag == Tag::Font && self.is_html_font(source)) {
            self.leave_foreign();
            return self.start(tag, source, self_closing);
        }
        if self_closing {
            self.leaf(tag, source);
            return Content::Tags;
        }
        let kind = self.foreign_kind(tag, source);
        self.push_kind(tag, source, kind);
        Content::Tags
    }

    /// What an element that starts in SVG or MathML is: of the same, or the border of HTML within.
    fn foreign_kind(&self, tag: Tag, source: Source) -> Kind {
        let around = self.top();
        let is = |name: &str| self.page[source.name..source.from].eq_ignore_ascii_case(name);
        if around.kind == Kind::Svg {
            return match ["foreignobject", "desc", "title"].into_iter().any(is) {
                true => Kind::Integration,
                false => Kind::Svg,
            };
        }
        if tag == Tag::Svg && self.is_named(around, b"annotation-xml") {
            return Kind::Svg;
        }
        let holds_html = ["mi", "mo", "mn", "ms", "mtext"].into_iter().any(is)
            || is("annotation-xml")
                && ["text/html", "application/xhtml+xml"]
                    .iter()
                    .any(|html| self.has_attribute(source.from..source.to, "encoding", html));
        if holds_html { Kind::Integration } else { Kind::Math }
    }

    /// Whether an attribute of this name and value, in whatever case, stands in this part of the page.
    pub(super) fn has_attribute(&self, attributes: Range<usize>, name: &str, value: &str) -> bool {
        super::Attributes::new(&self.page[attributes])
            .find(|(n, _)| n.eq_ignore_ascii_case(name))
            .is_some_and(|(_, v)| entities::decode_attribute(v).eq_ignore_ascii_case(value))
    }

    fn is_html_font(&self, source: Source) -> bool {
        super::Attributes::new(&self.page[source.from..source.to])
            .any(|(name, _)| ["color", "face", "size"].iter().any(|n| name.eq_ignore_ascii_case(n)))
    }

    /// Closes SVG or MathML elements up to the HTML around.
    pub(super) fn leave_foreign(&mut self) {
        while self.in_foreign() {
            self.pop();
        }
    }

    /// Where the innermost open element of this tag stands, if it is in scope.
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

    /// Closes the list item before this one.
    fn close_item(&mut self, is_item: impl Fn(Tag) -> bool) {
        for depth in (0..self.stack.len()).rev() {
            let open = self.stack[depth];
            if is_item(open.tag) {
                return self.pop_to(depth);
            }
            let passed = matches!(open.tag, Tag::Address | Tag::Div | Tag::P);
            if open.kind == Kind::Integration || (open.tag.is_special() && !passed) {
                return;
            }
        }
    }

    /// Closes innermost elements that need no end tag, except `except`.
    pub(super) fn close_implied(&mut self, except: Tag) {
        while self.top().tag.has_implied_end() && self.top().tag != except {
            self.pop();
        }
    }
}
