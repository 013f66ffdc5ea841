//! The rules for end tags, a part of the specification's tree construction as in [`rules`](super::rules).

use super::super::tag::Tag;
use super::builder::{Builder, ElementKind, OpenElement, Phase, Scope, TagSpan};

impl Builder<'_> {
    /// Handles an end tag. `name` is its name as the page spells it.
    #[inline]
    pub(super) fn end(&mut self, tag: Tag, name: &[u8]) {
        if self.ends_too_deep(tag) {
            return;
        }
        let top = self.top();
        if top.tag == tag && !matches!(tag, Tag::Other | Tag::Form | Tag::Html | Tag::Head | Tag::Body) {
            return self.pop();
        }
        self.end_elsewhere(tag, name);
    }

    /// Handles an end tag that does not simply close the innermost element.
    fn end_elsewhere(&mut self, tag: Tag, name: &[u8]) {
        if matches!(
            self.top().kind,
            ElementKind::Svg | ElementKind::Math | ElementKind::Integration
        ) && self.end_foreign(tag, name)
        {
            return;
        }
        if self.phase != Phase::Body && self.end_before_body(tag) {
            return;
        }
        match tag {
            Tag::P => match self.scope(tag, Scope::Button) {
                Some(depth) => self.pop_to(depth),
                None => _ = self.leaf(Tag::P, TagSpan::NONE),
            },
            Tag::Br => _ = self.leaf(Tag::Br, TagSpan::NONE),
            Tag::Html | Tag::Body | Tag::Head => {}
            Tag::Form => self.end_form(),
            Tag::Li => self.end_in(tag, Scope::ListItem),
            Tag::Table | Tag::Tbody | Tag::Thead | Tag::Tfoot | Tag::Tr | Tag::Td | Tag::Th | Tag::Caption => {
                self.end_in(tag, Scope::Table);
            }
            Tag::Template => {
                if self.open[tag as usize] > 0
                    && let Some(depth) = self.stack.iter().rposition(|open| open.tag == tag)
                {
                    self.pop_to(depth);
                }
            }
            Tag::Applet
            | Tag::Button
            | Tag::Dd
            | Tag::Dt
            | Tag::Listing
            | Tag::Marquee
            | Tag::Object
            | Tag::Pre
            | Tag::Select => {
                self.end_in(tag, Scope::Default);
            }
            _ if tag.is_formatting() => self.end_formatting(tag),
            _ if tag.is_heading() => self.end_heading(),
            _ if tag.closes_p() => self.end_in(tag, Scope::Default),
            _ => self.end_ordinary(tag, name),
        }
    }

    /// Handles an end tag before the body. Returns whether it is done.
    fn end_before_body(&mut self, tag: Tag) -> bool {
        if self.phase == Phase::Frameset || !self.in_head() {
            return self.phase == Phase::Frameset;
        }
        match tag {
            Tag::Head => {
                self.need_head();
                self.pop_to(2);
                self.phase = Phase::AfterHead;
                true
            }
            Tag::Body | Tag::Html | Tag::Br => {
                self.need_body();
                false
            }
            _ => true,
        }
    }

    /// Handles the end tag of a form. Elements inside the form that are open stay open.
    fn end_form(&mut self) {
        if self.open[Tag::Template as usize] > 0 {
            return self.end_in(Tag::Form, Scope::Default);
        }
        let Some(form) = self.form.take() else { return };
        if let Some(depth) = self.scope(Tag::Form, Scope::Default)
            && self.stack[depth].node == form
        {
            self.close_implied(Tag::Text);
            self.end_later(depth);
        }
    }

    fn end_heading(&mut self) {
        for depth in (0..self.stack.len()).rev() {
            let open = self.stack[depth];
            if open.tag.is_heading() {
                return self.pop_to(depth);
            }
            if Scope::Default.stops_at(open) {
                return;
            }
        }
    }

    #[inline]
    pub(super) fn end_in(&mut self, tag: Tag, scope: Scope) {
        if let Some(depth) = self.scope(tag, scope) {
            self.pop_to(depth);
        }
    }

    /// Handles the end tag of `b`, `a` and the like. A block that is open inside stays open.
    pub(super) fn end_formatting(&mut self, tag: Tag) {
        self.end_formatting_within(tag, |open| Scope::Default.stops_at(open));
    }

    /// Closes a link before the next one starts.
    pub(super) fn end_formatting_before_start(&mut self, tag: Tag) {
        self.end_formatting_within(tag, |open| {
            open.tag.is_marker() || open.kind == ElementKind::Integration
        });
    }

    #[inline]
    fn end_formatting_within(&mut self, tag: Tag, stops: impl Fn(OpenElement) -> bool) {
        if self.open[tag as usize] == 0 {
            return;
        }
        let mut block_within = false;
        for depth in (0..self.stack.len()).rev() {
            let open = self.stack[depth];
            if open.tag == tag {
                return if block_within {
                    self.end_later(depth)
                } else {
                    self.pop_to(depth)
                };
            }
            if stops(open) {
                return;
            }
            block_within |= open.tag.is_special();
        }
    }

    /// Handles the end tag of any other element. It does not close a special element.
    fn end_ordinary(&mut self, tag: Tag, name: &[u8]) {
        if self.open[tag as usize] == 0 {
            return;
        }
        for depth in (0..self.stack.len()).rev() {
            let open = self.stack[depth];
            if open.tag == tag && (tag != Tag::Other || self.is_named(open, name)) {
                return self.pop_to(depth);
            }
            if open.tag.is_special() || open.kind == ElementKind::Integration {
                return;
            }
        }
    }

    /// Handles the end tag of an SVG or MathML element. Returns whether there was one to close.
    fn end_foreign(&mut self, tag: Tag, name: &[u8]) -> bool {
        if matches!(tag, Tag::P | Tag::Br) {
            self.leave_foreign();
            return false;
        }
        for depth in (1..self.stack.len()).rev() {
            let open = self.stack[depth];
            if !matches!(
                open.kind,
                ElementKind::Svg | ElementKind::Math | ElementKind::Integration
            ) {
                return false;
            }
            if self.is_named(open, name) {
                self.pop_to(depth);
                return true;
            }
        }
        false
    }

    pub(super) fn is_named(&self, open: OpenElement, name: &[u8]) -> bool {
        let node = &self.nodes[open.node as usize];
        let from = node.from as usize;
        self.page.as_bytes()[from - usize::from(node.name_len)..from].eq_ignore_ascii_case(name)
    }
}
