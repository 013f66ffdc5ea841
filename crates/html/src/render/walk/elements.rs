//! Opens and closes elements.

use super::super::footnotes::NotePart;
use super::super::hints::{self, Callout, SideText, WhiteSpace};
use super::super::list::{self, List};
use super::super::posts::Post;
use super::super::role::{Gap, Role};
use super::super::table::TableForm;
use super::super::writer::Emphasis;
use super::super::writer::{Close, Open, Writer};
use super::super::{inline, math, mathml};
use super::{End, Walk, code};
use crate::dom::tag::Tag;
use crate::dom::{Node, NodeId};

impl<W: Writer> Walk<'_, W> {
    /// Opens an element. Returns whether its content is done with.
    pub(super) fn element(&mut self, id: NodeId, node: &Node, role: Role) -> bool {
        if self.hints.any() && !self.manner.is_bare {
            if self.hints.footnotes
                && let Some(is_done) = self.open_footnote(id, node)
            {
                return is_done;
            }
            if self.follow_hints(id, node, role) {
                return false;
            }
        }
        if self.manner.is_bare {
            match role {
                Role::Break => self.line_break(),
                _ => self.border(id, node, role.border()),
            }
            return false;
        }
        if W::INLINE
            && role == Role::Block
            && self.most >= Gap::Paragraph
            && let Some(is_done) = self.open_callout(id, node)
        {
            return is_done;
        }
        self.open_by_role(id, node, role)
    }

    /// Opens an element by its role. Returns whether its content is done with.
    fn open_by_role(&mut self, id: NodeId, node: &Node, role: Role) -> bool {
        let is_flat = self.most < Gap::Paragraph;
        match role {
            Role::Break => self.line_break(),
            Role::Rule => {
                self.require(Gap::Paragraph);
                if !is_flat {
                    self.writer.rule();
                }
            }
            Role::Heading => {
                if is_flat || !inline::is_one_line(self.nodes, id) {
                    self.border(id, node, Gap::Paragraph);
                } else {
                    self.open_heading(node, 1 + node.tag as u8 - Tag::H1 as u8);
                }
            }
            Role::Preformatted if !is_flat => self.open_code(id, node, false),
            Role::Code if !is_flat && code::is_block(self.dom, id) => self.open_code(id, node, false),
            Role::Preformatted if W::INLINE && self.is_in_data() && inline::is_inline(self.nodes, id) => {
                self.open_inline_code(node);
            }
            Role::Code if W::INLINE && inline::is_inline(self.nodes, id) => {
                self.open_inline_code(node);
            }
            Role::Strong | Role::Italic if W::INLINE && inline::is_phrase(self.nodes, id) => {
                let kind = if role == Role::Strong {
                    Emphasis::Strong
                } else {
                    Emphasis::Italic
                };
                self.open_emphasis(kind, node);
            }
            Role::Link if inline::is_permalink(self.dom, id) => return true,
            Role::Link if W::INLINE && self.writer.wants_links() => self.open_link(id, node),
            Role::Image if W::INLINE => self.image(id),
            Role::List if !is_flat => self.open_list(id, node),
            Role::Item if !is_flat => self.open_item(id, node),
            Role::Item if self.is_in_data() => self.open_inner_item(id, node),
            Role::Quote if !is_flat => self.open_quote(node),
            Role::Table if !is_flat => self.open_table(id, node),
            Role::Table if self.is_in_data() => self.open_inner_table(id, node),
            Role::Section => match self.table_form(id) {
                Some(TableForm::Data | TableForm::Inner) => {}
                _ => self.border(id, node, Gap::Paragraph),
            },
            Role::Row => self.open_row(id, node),
            Role::Cell => self.open_cell(id, node),
            Role::Term => self.open_term(id, node),
            Role::Block if !W::INLINE && node.parent + 1 == id && self.nodes[node.parent as usize].tag == Tag::Dd => {
                // The first paragraph of a definition is on the line below the term.
                self.require(Gap::Line);
                self.ends.push((node.end, End::Gap(Gap::Paragraph)));
            }
            Role::Reading => {
                if inline::needs_parentheses(self.nodes, id) {
                    self.write("(");
                    self.ends.push((node.end, End::Text(")")));
                }
            }
            Role::Quotation if inline::is_inline(self.nodes, id) => {
                self.write("“");
                self.ends.push((node.end, End::Text("”")));
            }
            Role::Superscript => self.superscript(id, node),
            Role::Math => return self.open_math(id),
            _ => {
                if self.math.is_copy(id) || self.hints.is_mathjax_copy(self.dom, id) {
                    return true;
                }
                self.border(id, node, role.border());
            }
        }
        false
    }

    fn open_quote(&mut self, node: &Node) {
        self.require(Gap::Paragraph);
        self.writer.open(Open::Quote);
        let end = End::Element(Close::Quote, Gap::Paragraph, self.most);
        self.ends.push((node.end, end));
    }

    fn open_term(&mut self, id: NodeId, node: &Node) {
        let follows_term = inline::before(self.nodes, id).tag == Tag::Dt;
        self.require(if follows_term { Gap::Line } else { Gap::Paragraph });
        self.ends.push((node.end, End::Gap(Gap::Line)));
        if W::INLINE && inline::is_inline(self.nodes, id) {
            self.open_emphasis(Emphasis::Strong, node);
        }
    }

    /// Follows the hints in an element's attributes. Returns whether it is opened.
    fn follow_hints(&mut self, id: NodeId, node: &Node, role: Role) -> bool {
        let is_flat = self.most < Gap::Paragraph;
        while let Some(post) = self.posts.next_if(|post| post.start <= id) {
            if post.start == id {
                self.open_post(post, node);
            }
        }
        if self.hints.is_viewer(self.dom, id) && !is_flat {
            self.open_code(id, node, true);
            return true;
        }
        match self.hints.white_space(self.dom, id) {
            WhiteSpace::Preserved if role.border() == Gap::Paragraph && !is_flat => {
                self.open_code(id, node, false);
                return true;
            }
            WhiteSpace::Preserved | WhiteSpace::Lines => self.lines_end = self.lines_end.max(node.end),
            WhiteSpace::Collapsed => {}
        }
        if role == Role::Block
            && !is_flat
            && inline::is_one_line(self.nodes, id)
            && let Some(level) = self.hints.heading_level(self.dom, id)
        {
            self.open_heading(node, level);
            return true;
        }
        match self.hints.side_text(self.dom, id, role) {
            Some(_) if !inline::has_text(self.nodes, id) => false,
            Some(SideText::Reference) if inline::is_inline(self.nodes, id) => {
                self.write("[");
                self.ends.push((node.end, End::Text("]")));
                if self.writer.wants_links() {
                    self.open_link(id, node);
                }
                true
            }
            Some(SideText::Note) if inline::is_phrase(self.nodes, id) => {
                self.require(Gap::Space);
                self.write("(");
                self.ends.push((node.end, End::Gap(Gap::Space)));
                self.ends.push((node.end, End::Text(")")));
                true
            }
            _ => false,
        }
    }

    /// Opens a part of a footnote. Returns whether its content is done with, and `None` if it is none.
    fn open_footnote(&mut self, id: NodeId, node: &Node) -> Option<bool> {
        while self.notes.next_if(|(part, _)| *part < id).is_some() {}
        match self.notes.next_if(|(part, _)| *part == id)?.1 {
            NotePart::Reference(number) => {
                self.write_gap();
                self.writer.reference(&number);
                Some(true)
            }
            NotePart::Marker => Some(true),
            NotePart::Note(number) => {
                self.require(Gap::Paragraph);
                self.writer.open(Open::Note(&number));
                self.ends.push((node.end, End::Gap(Gap::Paragraph)));
                self.begin_item(node.end);
                Some(false)
            }
        }
    }

    /// Opens a post. In Markdown its author and date are added, unless the selection has them.
    fn open_post(&mut self, mut post: Post, node: &Node) {
        if W::INLINE {
            for fact in [&mut post.author, &mut post.date] {
                let at = self.ranges.partition_point(|range| range.end <= fact.place);
                let end = self.nodes[fact.place as usize].end;
                let is_selected = fact.place > 0 && self.ranges.get(at).is_some_and(|range| range.start < end);
                let masked = self.masks.partition_point(|mask| mask.end <= fact.place);
                let is_masked = self.masks.get(masked).is_some_and(|mask| mask.start <= fact.place);
                if is_selected && !is_masked {
                    fact.value.clear();
                }
            }
            // Milliseconds mean nothing to a reader.
            if post.date.value.bytes().all(|b| b.is_ascii_digit()) && post.date.value.len() > 8 {
                post.date.value.clear();
            }
        }
        self.pending_post = Some(post);
        self.ends.push((node.end, End::Post));
    }

    fn open_heading(&mut self, node: &Node, level: u8) {
        self.require(Gap::Paragraph);
        self.writer.open(Open::Heading(level));
        let end = End::Element(Close::Heading, Gap::Paragraph, self.most);
        self.ends.push((node.end, end));
        self.most = Gap::Space;
    }

    /// Opens an element of a callout. Returns whether its content is done with, and `None` if it is none.
    fn open_callout(&mut self, id: NodeId, node: &Node) -> Option<bool> {
        match hints::callout(self.dom, id)? {
            Callout::Alert(kind) => {
                self.alert = Some(id);
                self.require(Gap::Paragraph);
                self.writer.open(Open::Alert(&kind));
                let end = End::Element(Close::Quote, Gap::Paragraph, self.most);
                self.ends.push((node.end, end));
            }
            // The mark of the callout names it.
            Callout::Kind(callout) if self.alert == Some(callout) => return Some(true),
            Callout::Kind(_) | Callout::Title if inline::is_inline(self.nodes, id) => {
                self.border(id, node, Gap::Paragraph);
                self.open_emphasis(Emphasis::Strong, node);
            }
            _ => return None,
        }
        Some(false)
    }

    fn open_emphasis(&mut self, kind: Emphasis, node: &Node) {
        self.writer.open(Open::Emphasis(kind));
        let end = End::Element(Close::Emphasis, Gap::None, self.most);
        self.ends.push((node.end, end));
    }

    fn open_inline_code(&mut self, node: &Node) {
        self.writer.open(Open::InlineCode);
        let end = End::Element(Close::InlineCode, Gap::None, self.most);
        self.ends.push((node.end, end));
        self.most = Gap::Space.min(self.most);
    }

    /// Opens an element that only separates.
    #[inline]
    pub(super) fn border(&mut self, id: NodeId, node: &Node, gap: Gap) {
        if gap != Gap::None {
            self.require(gap);
            if node.end > id + 1 {
                self.ends.push((node.end, End::Gap(gap)));
            }
        }
    }

    fn superscript(&mut self, id: NodeId, node: &Node) {
        match inline::superscript(self.dom, id) {
            inline::Superscript::Note => {
                self.write("[");
                self.ends.push((node.end, End::Text("]")));
            }
            inline::Superscript::Power { is_short }
                if self.gap == Gap::None && inline::takes_power(self.writer.tail(), is_short) =>
            {
                self.write("^");
            }
            _ => {}
        }
    }

    fn open_link(&mut self, id: NodeId, node: &Node) {
        if let Some(address) = self.address(id, "href") {
            self.writer.open(Open::Link(&address));
            let end = End::Element(Close::Link, Gap::None, self.most);
            self.ends.push((node.end, end));
        }
    }

    /// The absolute address in an attribute, as long as there is room for it.
    fn address(&mut self, id: NodeId, attribute: &str) -> Option<String> {
        let address = self.manner.base?.join(&self.dom.attribute(id, attribute)?)?;
        self.room = self.room.checked_sub(address.len())?;
        Some(address)
    }

    fn image(&mut self, id: NodeId) {
        if let Some(tex) = math::of_image(self.dom, id) {
            self.write_math(&tex, false);
        } else if self.writer.wants_images()
            && let Some(address) = self.address(id, "src")
        {
            let alt = self.dom.attribute(id, "alt").unwrap_or_default();
            self.write_gap();
            self.writer.image(&address, &alt);
        }
    }

    fn open_math(&mut self, id: NodeId) -> bool {
        let is_display = math::is_display(self.dom, id);
        let Some(tex) = self.math.tex(self.dom, id) else {
            let gap = if is_display { Gap::Paragraph } else { Gap::None };
            let Some(line) = mathml::line(self.dom, id) else {
                self.border(id, &self.nodes[id as usize], gap);
                return false;
            };
            if !line.is_empty() {
                self.require(gap);
                self.write(&line);
                self.require(gap);
            }
            return true;
        };
        self.write_math(&tex, is_display);
        true
    }

    /// Writes the mathematics in a script.
    pub(super) fn script(&mut self, id: NodeId) {
        if let Some((tex, is_display)) = math::of_script(self.dom, id) {
            self.write_math(&tex, is_display);
        }
    }

    fn write_math(&mut self, tex: &str, is_display: bool) {
        if !self.math.is_new(tex, self.writer.tail().len()) {
            return;
        }
        let is_display = is_display && self.most == Gap::Paragraph;
        if is_display {
            self.require(Gap::Paragraph);
        }
        self.write_gap();
        self.writer.math(tex, is_display);
        self.math.record(tex, self.writer.tail().len());
        if is_display {
            self.require(Gap::Paragraph);
        }
    }

    fn open_list(&mut self, id: NodeId, node: &Node) {
        let gap = if self.lists.last().is_some_and(|list| list.is_drawn) {
            Gap::Line
        } else {
            Gap::Paragraph
        };
        self.require(gap);
        let list = List::new(self.dom, id);
        if list.is_drawn {
            self.writer.open(Open::List);
        }
        self.lists.push(list);
        self.ends.push((node.end, End::List(gap)));
    }

    fn open_item(&mut self, id: NodeId, node: &Node) {
        let is_drawn = match self.lists.last() {
            Some(list) => list.is_drawn,
            None => !inline::has_heading(self.nodes, id),
        };
        if !is_drawn {
            return self.border(id, node, Gap::Paragraph);
        }
        self.require(Gap::Line);
        match self.lists.last_mut() {
            Some(list) => {
                let number = list.number(self.dom, id);
                let marker = list.marker(number);
                self.writer.open(Open::Item { marker, number });
            }
            None => self.writer.open(Open::Item {
                marker: "-".into(),
                number: None,
            }),
        }
        self.begin_item(list::end_of_item(self.nodes, node));
    }

    fn begin_item(&mut self, end: NodeId) {
        let was_pending = std::mem::replace(&mut self.pending, true);
        if !was_pending {
            self.item_gap = self.gap;
        }
        let item = End::Item {
            was_pending,
            paragraphs: self.paragraphs,
        };
        self.ends.push((end, item));
    }

    pub(super) fn close_element(&mut self, end: End) {
        match end {
            End::Gap(gap) => self.require(gap),
            End::Element(element, gap, most) => {
                self.writer.close(element);
                self.most = most;
                if gap != Gap::None {
                    self.breaks = 0;
                }
                self.require(gap);
            }
            End::Item {
                was_pending,
                paragraphs,
            } => {
                self.writer.close(Close::Item);
                if self.pending {
                    // The item has no text.
                    self.pending = was_pending;
                    self.gap = self.item_gap;
                } else if self.paragraphs == paragraphs {
                    self.gap = Gap::Line;
                } else {
                    self.gap = Gap::Paragraph;
                }
                self.breaks = 0;
            }
            End::List(gap) => {
                if self.lists.pop().is_some_and(|list| list.is_drawn) {
                    self.writer.close(Close::List);
                }
                self.require(gap);
            }
            End::Code => self.close_code(),
            End::CodeLine => self.end_code_line(),
            End::Post => self.pending_post = None,
            End::Table => self.close_table(),
            End::Row => self.close_row(),
            End::Cell(most) => self.close_cell(most),
            End::Text(text) => {
                // It belongs to the text before it.
                let gap = std::mem::replace(&mut self.gap, Gap::None);
                self.writer.text(text);
                self.gap = gap;
            }
        }
    }
}
