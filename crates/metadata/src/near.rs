//! Metadata that people read near the title: `time` elements, dates that people read, links to authors, and bylines.
//!
//! Only the surroundings of the title and of the start of the content are searched: elsewhere are the dates and authors
//! of other pages, and a page has too many elements to look at them all.

use std::ops::Range;

use dehusk_html::references::decode_attribute;
use dehusk_html::{Attributes, Dom, Node, NodeFlags, NodeId, Tag, text_of};

use super::bylines;
use super::dates::labels::{DateLabel, label};
use super::dates::visible;
use super::dates::{Date, DateContext};
use super::evidence::{Claims, Field, Source, clean};

/// How many nodes before and after the title are close to it. They come first: what is directly above a title is
/// more likely its own than what is far below.
const CLOSE_BEFORE: NodeId = 24;
const CLOSE_AFTER: NodeId = 60;

/// How many nodes before and after the title are searched.
const BEFORE: NodeId = 100;
const AFTER: NodeId = 260;

/// How many nodes before and after the start of the content are searched.
const BEFORE_CONTENT: NodeId = 120;
const AFTER_CONTENT: NodeId = 80;

/// How many nodes before and after the end of the content are searched.
const BEFORE_END: NodeId = 30;
const AFTER_END: NodeId = 40;

/// The most of the source that is searched for bylines at a time, in bytes. Scripts can make it long.
const MOST_SOURCE: usize = 128 << 10;

/// The most words of a text that is searched for a date.
const MOST_WORDS: u32 = 40;

/// The most words of a text that is little but a date.
const FEW_WORDS: u32 = 8;

/// The most bytes of a text that is searched for digits of other scripts.
const MOST_BYTES: usize = 200;

/// The most words of an element whose text is read as one line.
const MOST_LINE_WORDS: u32 = 24;

/// The most nodes of a byline.
const MOST_BYLINE_NODES: usize = 24;

/// The most words of a byline.
const MOST_BYLINE_WORDS: u32 = 14;

/// The target of the search.
#[derive(Clone, Copy, Debug)]
pub(super) struct SearchGoals {
    pub(super) author: bool,
    pub(super) dates: DateScope,
}

/// Where dates are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DateScope {
    Nowhere,
    /// Close to the title.
    Close,
    Anywhere,
}

impl DateScope {
    fn are_wanted(self, place: u8) -> bool {
        match self {
            DateScope::Nowhere => false,
            DateScope::Close => place <= CLOSE,
            DateScope::Anywhere => true,
        }
    }

    /// The most words of a text whose date is wanted.
    fn most_words(self) -> u32 {
        match self {
            // It can overrule what the page claims, so it must not be a day that a sentence mentions.
            DateScope::Close => FEW_WORDS,
            DateScope::Nowhere | DateScope::Anywhere => MOST_WORDS,
        }
    }
}

/// The last place that is close to the title.
const CLOSE: u8 = 1;

/// Where to search.
#[derive(Clone, Copy, Debug)]
pub(super) struct Places {
    /// The title's heading.
    pub(super) title: Option<NodeId>,
    /// Where the content starts and ends.
    pub(super) content: Option<(NodeId, NodeId)>,
}

/// Searches the surroundings of the title, of the start of the content, and of its end.
pub(super) fn collect(
    dom: &Dom<'_>,
    places: Places,
    goals: SearchGoals,
    context: &DateContext<'_>,
    claims: &mut Claims,
) {
    let mut search = Search {
        dom,
        goals,
        wants_dates: false,
        context,
        claims,
        from: 0,
        read_to: 0,
        after_by: None,
    };
    let body = dom.body();
    let clip = |from: NodeId, to: NodeId| {
        let from = from.max(body).min(dom.len());
        from..to.clamp(from, dom.len())
    };
    if let Some(title) = places.title {
        let end = dom.node(title).end;
        let (close_before, close_after) = (title.saturating_sub(CLOSE_BEFORE), end.saturating_add(CLOSE_AFTER));
        search.search_nodes(clip(end, close_after), 0);
        search.search_nodes(clip(close_before, title), CLOSE);
        search.search_nodes(clip(close_after, end.saturating_add(AFTER)), 2);
        search.search_nodes(clip(title.saturating_sub(BEFORE), close_before), 3);
    }
    if let Some((start, end)) = places.content {
        search.search_nodes(
            clip(
                start.saturating_sub(BEFORE_CONTENT),
                start.saturating_add(AFTER_CONTENT),
            ),
            4,
        );
        search.search_nodes(clip(end.saturating_sub(BEFORE_END), end.saturating_add(AFTER_END)), 5);
    }
}

struct Search<'s, 'd> {
    dom: &'s Dom<'d>,
    goals: SearchGoals,
    /// Whether dates are wanted of the nodes that are searched.
    wants_dates: bool,
    context: &'s DateContext<'d>,
    claims: &'s mut Claims,
    /// The first of the nodes that are searched.
    from: NodeId,
    /// The nodes before this one are read as a part of a line.
    read_to: NodeId,
    /// The node until which a name may follow a word that announces it.
    after_by: Option<NodeId>,
}

impl Search<'_, '_> {
    /// `place` says how near to the title the nodes are; the least is the nearest.
    fn search_nodes(&mut self, nodes: Range<NodeId>, place: u8) {
        (self.from, self.read_to, self.after_by) = (nodes.start, 0, None);
        self.wants_dates = self.goals.dates.are_wanted(place);
        if !self.goals.author && !self.wants_dates {
            return;
        }
        let (dom, source) = (self.dom, self.source(nodes.clone()));
        let marks = self
            .goals
            .author
            .then(|| bylines::class_marks(&dom.source()[source.clone()]));
        let mut marks = marks
            .into_iter()
            .flatten()
            .map(|mark| (source.start + mark) as u32)
            .peekable();
        for id in nodes {
            let node = dom.node(id);
            match node.tag {
                Tag::Text => self.read_text(id, place),
                Tag::RawText | Tag::Script | Tag::Style => {}
                Tag::Time if self.wants_dates => self.read_time(id, place),
                _ if node.from < node.to && self.goals.author => {
                    while marks.next_if(|mark| *mark < node.from).is_some() {}
                    if marks.peek().is_some_and(|mark| *mark < node.to) {
                        self.read_byline(id, place);
                    }
                }
                _ => {}
            }
        }
        // What is farther away cannot win.
        let has = |field| self.claims.all(field).iter().any(|claim| claim.is_near);
        self.goals.author &= !has(Field::Author);
        if has(Field::Published) {
            self.goals.dates = DateScope::Nowhere;
        }
    }

    /// The part of the source that some nodes come from.
    fn source(&self, nodes: Range<NodeId>) -> Range<usize> {
        let source = self.dom.source();
        let nodes = self.dom.nodes()[nodes.start as usize..nodes.end as usize].iter();
        let is_written = |node: &&Node| node.from < node.to;
        let from = nodes.clone().find(is_written).map_or(0, |node| node.from as usize);
        let to = nodes.rev().find(is_written).map_or(0, |node| node.to as usize);
        let to = to.min(from + MOST_SOURCE).max(from);
        source.floor_char_boundary(from)..source.floor_char_boundary(to)
    }

    fn words(&self, id: NodeId) -> u32 {
        let inside = self.dom.subtree(id);
        // A subtree of many nodes is no line.
        if inside.len() > 40 {
            return u32::MAX;
        }
        self.dom.words(id)
    }

    /// A `time` element.
    fn read_time(&mut self, id: NodeId, place: u8) {
        let (mut datetime, mut about) = (None, String::new());
        for (name, value) in Attributes::new(self.dom.raw(id)) {
            match name {
                "datetime" => datetime = Some(decode_attribute(value)),
                "class" | "itemprop" | "pubdate" | "title" => {
                    about.push_str(name);
                    about.push_str(value);
                }
                _ => {}
            }
        }
        let date = datetime.and_then(|datetime| self.context.parse(&datetime));
        let Some(date) =
            date.or_else(|| (self.words(id) <= MOST_LINE_WORDS).then(|| self.context.parse(&text_of(self.dom, id)))?)
        else {
            return;
        };
        self.read_to = self.read_to.max(self.dom.node(id).end);
        about.make_ascii_lowercase();
        let label = if about.contains("modif") || about.contains("updat") {
            DateLabel::Changed
        } else if about.contains("publi") || about.contains("pubdate") {
            DateLabel::Published
        } else {
            label(&self.text_before(id))
        };
        self.claim_date(date, label, Source::Time, place * 4);
    }

    /// The text shortly before a node.
    fn text_before(&self, id: NodeId) -> String {
        let texts = (id.saturating_sub(5)..id).filter(|id| self.dom.node(*id).tag == Tag::Text);
        let mut out = String::new();
        for id in texts.filter(|id| self.dom.node(*id).to - self.dom.node(*id).from < 80) {
            out.push_str(&text_of(self.dom, id));
            out.push(' ');
        }
        out
    }

    fn claim_date(&mut self, date: Date, label: DateLabel, source: Source, place: u8) {
        let (field, rank) = match label {
            DateLabel::Changed => (Field::Modified, 0),
            DateLabel::Published => (Field::Published, 0),
            DateLabel::None => (Field::Published, 1),
            DateLabel::Joined => return,
        };
        self.claims.add_near(field, source, place + rank, &date.to_string());
    }

    fn read_text(&mut self, id: NodeId, place: u8) {
        let node = self.dom.node(id);
        let words = self.dom.counts()[id as usize].words;
        if words == 0 || words > MOST_WORDS {
            return;
        }
        if self.wants_dates && words <= self.goals.dates.most_words() && id >= self.read_to && self.may_have_date(id) {
            self.read_line(id, place);
        }
        let is_after_by = self.after_by.is_some();
        if self.goals.author
            && words <= MOST_BYLINE_WORDS
            && (is_after_by || bylines::may_start_with_label(self.dom.raw(id)))
        {
            let text = clean(&text_of(self.dom, id));
            if let Some(until) = self.after_by.take()
                && id < until
            {
                self.claim_name(&text, Source::Visible, place);
            } else if let Some(rest) = bylines::after_label(&text, &self.context.language) {
                if rest.is_empty() {
                    self.after_by = Some(node.end + 6);
                } else if bylines::looks_like_name(rest) {
                    self.claim_name(rest, Source::Visible, place);
                }
            }
        }
    }

    /// Whether a text may have a year: digits that start one, digits of another script, or the Chinese character.
    fn may_have_date(&self, id: NodeId) -> bool {
        let (flags, raw) = (self.dom.node(id).flags, self.dom.raw(id));
        let starts_year = |pair: &[u8]| matches!(pair, b"19" | b"20" | b"25" | b"13" | b"14");
        if flags.has(NodeFlags::DIGITS) && (raw.as_bytes().windows(2).any(starts_year) || may_have_short_date(raw)) {
            return true;
        }
        flags.has(NodeFlags::NON_ASCII)
            && raw.len() < MOST_BYTES
            && raw.chars().any(|c| !c.is_ascii() && (c.is_numeric() || c == '年'))
    }

    /// Reads the line that contains a text.
    fn read_line(&mut self, id: NodeId, place: u8) {
        let mut line = id;
        loop {
            let parent = self.dom.node(line).parent;
            if parent < self.from || self.words(parent) > MOST_LINE_WORDS {
                break;
            }
            line = parent;
        }
        self.read_to = self.dom.node(line).end;
        let text = text_of(self.dom, line);
        let mut dates = visible::find(&text, self.context);
        if dates.is_empty() && self.words(line) <= FEW_WORDS {
            dates.extend(visible::find_short(&text, self.context));
        }
        for dated in dates {
            if let Some(date) = self.context.believed(dated.date).filter(|date| date.year() >= 1990) {
                self.claim_date(date, dated.label, Source::Visible, place * 4);
            }
        }
    }

    /// An element with attributes that may mark it as a byline.
    fn read_byline(&mut self, id: NodeId, place: u8) {
        let node = self.dom.node(id);
        let is_small = self.dom.subtree(id).len() <= MOST_BYLINE_NODES;
        let mut found = None;
        for (name, value) in Attributes::new(self.dom.raw(id)) {
            let source = match name {
                // A forum writes who wrote a post into the element of the whole post.
                "data-author" | "data-author-username" => {
                    if let Some(name) = bylines::name(&clean(&decode_attribute(value))) {
                        self.claims.add_near(Field::Author, Source::Byline, place, &name);
                        self.goals.author = false;
                        return;
                    }
                    continue;
                }
                "rel" if value.eq_ignore_ascii_case("author") => Source::RelAuthor,
                "itemprop" if value.eq_ignore_ascii_case("author") => Source::Microdata,
                "class" | "id" | "data-testid" | "data-component" | "href" if bylines::is_byline_class(name, value) => {
                    Source::Byline
                }
                _ => continue,
            };
            found = found.or(Some(source));
        }
        let Some(source) = found else {
            return;
        };
        if !is_small {
            if source == Source::Microdata {
                self.read_name_within(id, place);
            }
            return;
        }
        let words = self.words(id);
        if words == 0 || words > MOST_BYLINE_WORDS || node.tag.is_heading() {
            return;
        }
        let text = self.inner_name(id);
        self.claim_name(&text, source, place);
    }

    /// The name within a large element with `itemprop="author"`, which has a picture, counts and buttons, too.
    fn read_name_within(&mut self, id: NodeId, place: u8) {
        let mut inside = self.dom.subtree(id).take(MOST_BYLINE_NODES);
        let is_name = |id: &NodeId| self.dom.attribute(*id, "itemprop").is_some_and(|name| name == "name");
        if let Some(id) = inside.find(is_name)
            && self.dom.node(id).tag != Tag::Meta
            && self.words(id) <= MOST_BYLINE_WORDS
        {
            self.claim_name(&text_of(self.dom, id), Source::Microdata, place);
        }
    }

    /// The text of a byline that is the name: that of its link, or else its first text that is more than a label.
    fn inner_name(&self, id: NodeId) -> String {
        let inside = self.dom.subtree(id);
        let mut texts = inside
            .clone()
            .filter(|id| self.dom.node(*id).tag == Tag::Text)
            .map(|id| clean(&text_of(self.dom, id)));
        let links = inside
            .filter(|id| self.dom.node(*id).tag == Tag::A)
            .map(|id| clean(&text_of(self.dom, self.first_block(id))));
        let is_name = |text: &String| bylines::visible_name(text, &self.context.language).is_some();
        let link = links.into_iter().find(is_name);
        link.or_else(|| texts.find(is_name)).unwrap_or_default()
    }

    /// The first block of an element of blocks, or the element: after the name, a card has what somebody does.
    fn first_block(&self, id: NodeId) -> NodeId {
        let is_block = |id: &NodeId| self.dom.node(*id).tag.is_block() && self.dom.words(*id) > 0;
        self.dom.children(id).find(is_block).unwrap_or(id)
    }

    fn claim_name(&mut self, text: &str, source: Source, place: u8) {
        // A single word after "by" is mostly what a list is sorted by: category, style.
        let is_word = |name: &String| name.bytes().all(|b| b.is_ascii_alphabetic());
        let is_name = |name: &String| source != Source::Visible || !is_word(name);
        if let Some(name) = bylines::visible_name(text, &self.context.language).filter(is_name) {
            self.claims.add_near(Field::Author, source, place, &name);
        }
    }
}

/// Whether a text may have a date whose year has two digits. Quick: most texts have no such marks between digits.
fn may_have_short_date(raw: &str) -> bool {
    let marks = memchr::memchr2_iter(b'.', b'/', raw.as_bytes());
    raw.len() < MOST_BYTES
        && marks
            .filter(|at| raw.as_bytes().get(at + 3) == raw.as_bytes().get(*at))
            .count()
            > 0
}
