//! Metadata that people read near the title: `time` elements, dates that people read, links to authors, and bylines.
//!
//! Only the surroundings of the title and of the start of the content are searched: elsewhere are the dates and authors
//! of other pages, and a page has too many elements to look at them all.

use std::iter::Peekable;
use std::ops::Range;

use dehusk_html::counting::{have_same_letters, letters};
use dehusk_html::references::decode_attribute;
use dehusk_html::{Attributes, Dom, Node, NodeFlags, NodeId, Tag, text_of};

use super::bylines;
use super::dates::{Date, DateContext, DateLabel, label, machine, visible};
use super::evidence::{Claim, Claims, Field, Source, clean};
use super::site_name::squeeze;
use super::site_pages::SharedValues;

mod days;
mod names;

/// How many nodes before and after the title are close to it. They come first: what is directly above a title is
/// more likely its own than what is far below.
const CLOSE_BEFORE: NodeId = 24;
const CLOSE_AFTER: NodeId = 60;

/// How many nodes before and after the title are searched.
const BEFORE: NodeId = 100;
const AFTER: NodeId = 260;

/// How many nodes before and after the start of the content are searched, and how many more after these for days that
/// have a label or a time: in a forum, the lists of a head come before the first post.
const BEFORE_CONTENT: NodeId = 120;
const AFTER_CONTENT: NodeId = 80;
const WITHIN_CONTENT: NodeId = 260;

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
    /// Whether the page is a thread of posts.
    pub(super) is_thread: bool,
}

/// The places where dates are wanted.
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
            DateScope::Nowhere => 0,
            DateScope::Anywhere => MOST_WORDS,
        }
    }
}

/// The last place that is close to the title.
const CLOSE: u8 = 1;

/// The place of the start of the content.
const AT_START: u8 = 4;

/// The first place in which most days are those of other things, and most names those of people who answered.
const WITHIN: u8 = 5;

/// The least rank of a day that is far from the title.
pub(super) const FAR: u8 = 2 * 4;

/// The places to search.
#[derive(Clone, Copy, Debug)]
pub(super) struct Places {
    /// The title's heading.
    pub(super) title: Option<NodeId>,
    /// Where the content starts and ends.
    pub(super) content: Option<(NodeId, NodeId)>,
}

/// Searches the surroundings of the title, of the start of the content, and of its end. Returns the names that are in
/// lines of text that most other pages of the site have, too.
pub(super) fn collect(
    dom: &Dom<'_>,
    places: Places,
    goals: SearchGoals,
    context: &DateContext<'_>,
    shared: &SharedValues<'_>,
    claims: &mut Claims,
) -> Vec<String> {
    let mut search = Search::new(dom, places.title, goals, context, shared, claims);
    let body = dom.body();
    let clip = |from: NodeId, to: NodeId| {
        let from = from.max(body).min(dom.len());
        from..to.clamp(from, dom.len())
    };
    if let Some(title) = places.title {
        let end = dom.node(title).end;
        // After the content of a short page are the days of comments.
        let last = places.content.map_or(NodeId::MAX, |(_, last)| last.max(end));
        let close_before = title.saturating_sub(CLOSE_BEFORE);
        let close_after = end.saturating_add(CLOSE_AFTER).min(last);
        search.search_nodes(clip(end, close_after), 0);
        search.search_nodes(clip(close_before, title), CLOSE);
        search.search_marked(clip(title.saturating_sub(BEFORE), close_before), 2);
        search.search_nodes(clip(close_after, end.saturating_add(AFTER)), 2);
        search.search_nodes(clip(title.saturating_sub(BEFORE), close_before), 3);
    }
    if let Some((start, end)) = places.content {
        search.search_nodes(
            clip(
                start.saturating_sub(BEFORE_CONTENT),
                start.saturating_add(AFTER_CONTENT),
            ),
            AT_START,
        );
        let within = start.saturating_add(WITHIN_CONTENT).min(end);
        search.search_nodes(clip(start.saturating_add(AFTER_CONTENT), within), WITHIN);
        search.search_nodes(clip(end.saturating_sub(BEFORE_END), end.saturating_add(AFTER_END)), 6);
    }
    search.shared_names
}

/// The first text that is the title and no link, before the content or at its start. Old pages and forums have no heading
/// of the first level, or give it to the site.
pub(super) fn place_of(title: &str, dom: &Dom<'_>, content: Option<(NodeId, NodeId)>) -> Option<NodeId> {
    let last = content.map_or(dom.len(), |(start, _)| start.saturating_add(AFTER_START).min(dom.len()));
    let first = letters(title).next()?;
    let is_title = |id: &NodeId| {
        let node = dom.node(*id);
        // Most texts are much shorter or longer, or begin with another letter.
        let length = (node.to - node.from) as usize;
        node.tag == Tag::Text
            && (title.len()..=2 * title.len() + 16).contains(&length)
            && letters(dom.raw(*id)).next() == Some(first)
            && have_same_letters(&text_of(dom, *id), title)
    };
    // A forum links the title of a thread to itself, in a heading.
    let is_free = |id: &NodeId| {
        let mut around = std::iter::successors(Some(*id), |id| Some(dom.node(*id).parent)).take(MOST_AROUND);
        let tag = |id: NodeId| dom.node(id).tag;
        let first = around.find(|id| tag(*id) == Tag::A || tag(*id).is_heading());
        first.is_none_or(|first| tag(first) != Tag::A || tag(dom.node(first).parent).is_heading())
    };
    (dom.body()..last).find(|id| is_title(id) && is_free(id))
}

/// How many nodes after the start of the content the title can be.
const AFTER_START: NodeId = 20;

/// How many elements around a node are looked at.
const MOST_AROUND: usize = 6;

struct Search<'s, 'd> {
    dom: &'s Dom<'d>,
    /// The title's heading.
    title: Option<NodeId>,
    goals: SearchGoals,
    /// Whether authors and dates are wanted of the nodes that are searched.
    wants_author: bool,
    wants_dates: bool,
    context: &'s DateContext<'d>,
    claims: &'s mut Claims,
    shared: &'s SharedValues<'s>,
    /// Names in lines of text that most other pages have, squeezed.
    shared_names: Vec<String>,
    /// The first of the nodes that are searched.
    from: NodeId,
    /// The nodes before this one are read as a part of a line.
    read_to: NodeId,
    /// The node until which a name may follow a word that announces it.
    after_by: Option<NodeId>,
}

/// The places in the source where attributes that are looked for may be, in order.
struct Marks<I: Iterator<Item = u32>>(Peekable<I>);

impl<I: Iterator<Item = u32>> Marks<I> {
    fn has_within(&mut self, node: &Node) -> bool {
        while self.0.next_if(|mark| *mark < node.from).is_some() {}
        self.0.peek().is_some_and(|mark| *mark < node.to)
    }
}

/// The places of marks in a part of the source, by that of the part.
fn marks_from(start: usize, marks: impl Iterator<Item = usize>) -> Marks<impl Iterator<Item = u32>> {
    Marks(marks.map(move |mark| (start + mark) as u32).peekable())
}

impl<'s, 'd> Search<'s, 'd> {
    fn new(
        dom: &'s Dom<'d>,
        title: Option<NodeId>,
        goals: SearchGoals,
        context: &'s DateContext<'d>,
        shared: &'s SharedValues<'s>,
        claims: &'s mut Claims,
    ) -> Self {
        Self {
            dom,
            title,
            goals,
            wants_author: false,
            wants_dates: false,
            context,
            claims,
            shared,
            shared_names: Vec::new(),
            from: 0,
            read_to: 0,
            after_by: None,
        }
    }

    /// `place` is how near to the title the nodes are; the least is the nearest.
    fn search_nodes(&mut self, nodes: Range<NodeId>, place: u8) {
        (self.from, self.read_to, self.after_by) = (nodes.start, 0, None);
        self.wants_author = self.goals.author && place != WITHIN;
        self.wants_dates = self.goals.dates.are_wanted(place);
        if !self.wants_author && !self.wants_dates {
            return;
        }
        let (dom, source) = (self.dom, self.source(nodes.clone()));
        let part = &dom.source()[source.clone()];
        let marks = self.wants_author.then(|| bylines::class_marks(part));
        let mut marks = marks_from(source.start, marks.into_iter().flatten());
        let wants_attributes = self.goals.dates == DateScope::Anywhere && matches!(place, 0 | CLOSE | AT_START);
        let names_date = memchr::memmem::Finder::new("date");
        for id in nodes {
            let node = dom.node(id);
            match node.tag {
                Tag::Text => self.read_text(id, place),
                Tag::RawText | Tag::Script | Tag::Style => {}
                // Days in code are those of examples.
                Tag::Pre | Tag::Code => self.read_to = self.read_to.max(node.end),
                Tag::Time if self.wants_dates => self.read_time(id, place),
                Tag::Abbr if self.wants_dates => self.read_attributes(id, place),
                _ if node.from < node.to => {
                    if marks.has_within(node) {
                        self.read_byline(id, place);
                    }
                    if wants_attributes && names_date.find(dom.raw(id).as_bytes()).is_some() {
                        self.read_attributes(id, place);
                    }
                }
                _ => {}
            }
        }
        // Claims that are farther away cannot win.
        let is_found = |claim: &Claim| claim.is_near;
        let has = |field| self.claims.all(field).iter().any(is_found);
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

    /// Whether a text is short enough for a byline. Of Chinese and Japanese, each character counts as a word.
    fn can_be_byline(&self, id: NodeId, words: u32) -> bool {
        words <= MOST_BYLINE_WORDS || words <= MOST_LINE_WORDS && self.dom.raw(id).contains('年')
    }

    fn read_text(&mut self, id: NodeId, place: u8) {
        let node = self.dom.node(id);
        let words = self.dom.counts()[id as usize].words;
        if words == 0 || words > MOST_WORDS {
            return;
        }
        let most_words = if place == WITHIN {
            FEW_WORDS
        } else {
            self.goals.dates.most_words()
        };
        if self.wants_dates && words <= most_words && id >= self.read_to && self.may_have_date(id) {
            self.read_line(id, place);
        }
        let is_after_by = self.after_by.is_some();
        if self.wants_author
            && words <= MOST_BYLINE_WORDS
            && (is_after_by || bylines::may_start_with_label(self.dom.raw(id)))
        {
            let text = clean(&text_of(self.dom, id));
            if let Some(until) = self.after_by.take()
                && id < until
            {
                self.claim_name(id, &text, Source::Visible, place);
            } else if let Some(rest) = bylines::after_label(&text, &self.context.language) {
                if rest.is_empty() {
                    self.after_by = Some(node.end + 6);
                } else if let Some(name) = bylines::poster(&text).and_then(bylines::name) {
                    self.claim(id, &name, Source::Visible, place);
                } else if bylines::looks_like_name(rest) {
                    self.claim_name(id, rest, Source::Visible, place);
                }
            } else {
                self.claim_name_beside_day(id, &text, place);
            }
        } else if self.wants_author && self.can_be_byline(id, words) && self.may_have_date(id) {
            self.claim_name_beside_day(id, &clean(&text_of(self.dom, id)), place);
        }
    }
}
