//! The fast parser: one forgiving pass over the page's own bytes.
//!
//! It jumps from `<` to `<`, records the ranges of tags and texts, and leaves everything else for later: attributes
//! stay a range, references stay encoded. Only texts are read closely, to count them (see [`count`]).
//!
//! - `scan`: finds the ends of tags, comments and scripts.
//! - `builder`: the stack of open elements and the arrays of nodes.
//! - `rules`, `ends`: the rules for start tags and end tags. They follow the HTML specification as far as it matters
//!   for the order of text, for blocks and for links.
//! - [`Attributes`]: reads attributes later.
//!
//! # Departures from the specification
//!
//! - If the end tag of a block closes a formatting element, the next block does not open that element again.
//! - If `</b>` comes inside a block that started inside `b`, the `b` is not split: it ends with the block.
//! - Content directly in a table, outside of its cells, stays where it is instead of moving before the table.
//! - An element deeper than [`MAX_DEPTH`](super::MAX_DEPTH) has no content; its content becomes its parent's.
//! - `colgroup` has no content: its columns are its siblings.
//!
//! # Cost
//!
//! The time is linear in the length of the page: every byte is scanned a fixed number of times, and for each tag the
//! parser examines the at most `MAX_DEPTH` open elements a fixed number of times.

mod attributes;
mod builder;
mod ends;
mod rules;
pub(crate) mod scan;

use std::borrow::Cow;

pub use attributes::Attributes;
use builder::Builder;

use super::tag::Tag;
use super::{Buffers, Dom, Limits, TooCostly, count};

/// Parses a page. Every text is a page, so this cannot fail.
///
/// `buffers` are those of an earlier page ([`Dom::into_buffers`]) or empty. A page longer than 4 GiB is cut off there,
/// since ranges have 32 bits.
///
/// ```
/// use dehusk_html::{Buffers, Tag, parse};
///
/// let dom = parse("<title>Hi</title><p>One <b>two</b>", Buffers::default());
/// assert_eq!(dom.title().as_deref(), Some("Hi"));
/// assert_eq!(dom.words(dom.body()), 2);
/// let tags: Vec<Tag> = dom.nodes().iter().map(|node| node.tag).collect();
/// assert_eq!(
///     tags[4..],
///     [Tag::Body, Tag::P, Tag::Text, Tag::B, Tag::Text]
/// );
/// ```
pub fn parse<'p>(page: &'p str, buffers: Buffers) -> Dom<'p> {
    Parser::new(page, buffers, Limits::NONE, true).parsed().0
}

/// Parses a page within limits.
///
/// # Errors
///
/// [`TooCostly`] if the page has more nodes or takes more steps. Each tag takes one step, plus one for each open
/// element.
pub fn parse_within<'p>(page: &'p str, buffers: Buffers, limits: Limits) -> Result<Dom<'p>, TooCostly> {
    match Parser::new(page, buffers, limits, true).parsed() {
        (dom, true) => Ok(dom),
        _ => Err(TooCostly),
    }
}

/// Parses a page within limits into the same nodes, but does not count its texts: [`Dom::counts`] is empty, and
/// [`Dom::words`] counts whenever it is asked. The flags of texts are those of a text of which nothing is known, and there
/// can be white space at the end of a text, of which the next node then knows nothing.
///
/// # Errors
///
/// [`TooCostly`], as [`parse_within`] returns it.
pub fn parse_uncounted<'p>(page: &'p str, buffers: Buffers, limits: Limits) -> Result<Dom<'p>, TooCostly> {
    match Parser::new(page, buffers, limits, false).parsed() {
        (dom, true) => Ok(dom),
        _ => Err(TooCostly),
    }
}

/// The last character boundary at or before `at`.
pub(super) fn boundary(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// Finds the tags and texts of the page. The builder makes nodes of them.
struct Parser<'p> {
    page: &'p str,
    builder: Builder<'p>,
    limits: Limits,
}

impl<'p> Parser<'p> {
    fn new(page: &'p str, buffers: Buffers, limits: Limits, counts: bool) -> Self {
        let page = &page[..boundary(page, u32::MAX as usize)];
        Parser {
            page,
            builder: Builder::new(page, buffers, limits.depth, counts),
            limits,
        }
    }

    /// Returns the tree, and whether the whole page was parsed.
    fn parsed(mut self) -> (Dom<'p>, bool) {
        let whole = self.run();
        let (nodes, counts, body) = self.builder.finish();
        let dom = Dom {
            source: Cow::Borrowed(self.page),
            nodes,
            counts,
            body,
        };
        (dom, whole)
    }

    /// Parses the page. Returns whether it reached the end.
    fn run(&mut self) -> bool {
        let bytes = self.page.as_bytes();
        // A byte order mark is no text. Text would start the body.
        let mut at = if bytes.starts_with("\u{FEFF}".as_bytes()) { 3 } else { 0 };
        let mut text_from = at;
        let mut work = 0;
        while let Some(found) = scan::find(b'<', &bytes[at..]) {
            let lt = at + found;
            let Some(&next) = bytes.get(lt + 1) else { break };
            // Otherwise the `<` is text.
            if !(next.is_ascii_alphabetic() || matches!(next, b'/' | b'!' | b'?')) {
                at = lt + 1;
                continue;
            }
            if text_from < lt {
                self.text(text_from, lt);
            }
            work += 1 + self.builder.stack.len() as u64;
            if work > self.limits.work || self.builder.nodes.len() > self.limits.nodes {
                return false;
            }
            at = match next {
                b'/' => self.end_tag(lt),
                b'!' => self.declaration(lt),
                b'?' => scan::bogus_end(bytes, lt),
                _ => self.start_tag(lt),
            };
            text_from = at;
        }
        if text_from < bytes.len() {
            self.text(text_from, bytes.len());
        }
        true
    }

    /// Adds the text at `from..to`. A page has thousands of texts, most of them white space between tags.
    #[inline(always)]
    fn text(&mut self, from: usize, to: usize) {
        if self.builder.phase == builder::Phase::Body && count::is_blank(self.page, from..to) {
            return self.builder.space();
        }
        let counted = if self.builder.keeps_counts {
            count::count_within(self.page, from..to, true)
        } else {
            count::skim_within(self.page, from..to)
        };
        self.builder.text(from, to, counted);
    }

    /// Handles the start tag at `lt`, and the content if it has no tags. Returns the position to continue at.
    #[inline]
    fn start_tag(&mut self, lt: usize) -> usize {
        let bytes = self.page.as_bytes();
        let (name_end, tag) = scan::name(bytes, lt + 1);
        let Some(end) = scan::tag_end(bytes, name_end) else {
            return bytes.len();
        };
        let span = builder::TagSpan {
            name: lt + 1,
            from: name_end,
            to: end.at,
        };
        let after = end.at + 1;
        let content = if self.builder.in_foreign() {
            self.builder.foreign_start(tag, span, end.self_closing)
        } else {
            self.builder.start(tag, span, end.self_closing)
        };
        match content {
            rules::ContentModel::Tags => after,
            rules::ContentModel::Raw => self.raw(tag, after),
        }
    }

    /// Adds content up to its end tag. Returns the position to continue at.
    fn raw(&mut self, tag: Tag, from: usize) -> usize {
        let bytes = self.page.as_bytes();
        let to = if tag == Tag::Plaintext {
            bytes.len()
        } else {
            scan::raw_end(bytes, from, tag)
        };
        let content = &self.page[from..to];
        match tag {
            Tag::Title | Tag::Textarea => self.builder.text_here(from, to, count::count(content)),
            Tag::Xmp | Tag::Plaintext => self.builder.text_here(from, to, count::count_literal(content)),
            _ => self.builder.raw_text(from, to),
        }
        self.builder.close_raw(tag);
        if to == bytes.len() {
            to
        } else {
            scan::tag_end(bytes, to + 2 + tag.name().len()).map_or(bytes.len(), |end| end.at + 1)
        }
    }

    /// Handles the end tag at `lt`. Returns the position to continue at.
    #[inline]
    fn end_tag(&mut self, lt: usize) -> usize {
        let bytes = self.page.as_bytes();
        let name_from = lt + 2;
        // Most end tags are that of the innermost element.
        let top = self.builder.top().tag;
        let (tag, name_end, end) = if let Some(end) = scan::plain_end(bytes, name_from, top) {
            (top, end, end)
        } else {
            if !bytes.get(name_from).is_some_and(u8::is_ascii_alphabetic) {
                return match bytes.get(name_from) {
                    // `</` at the very end is text.
                    None => {
                        self.text(lt, bytes.len());
                        bytes.len()
                    }
                    Some(_) => scan::bogus_end(bytes, name_from),
                };
            }
            let (name_end, tag) = scan::name(bytes, name_from);
            let Some(end) = scan::tag_end(bytes, name_end) else {
                return bytes.len();
            };
            (tag, name_end, end.at)
        };
        self.builder.end(tag, &bytes[name_from..name_end]);
        end + 1
    }

    /// Handles the comment, doctype or CDATA section at `lt`. Returns the position to continue at.
    fn declaration(&mut self, lt: usize) -> usize {
        let bytes = self.page.as_bytes();
        let rest = &bytes[lt + 2..];
        if rest.starts_with(b"--") {
            return scan::comment_end(bytes, lt);
        }
        if rest.starts_with(b"[CDATA[") && self.builder.in_foreign() {
            let from = lt + 9;
            let (to, after) = scan::cdata_end(bytes, from);
            self.builder.text(from, to, count::count_literal(&self.page[from..to]));
            return after;
        }
        let end = scan::bogus_end(bytes, lt);
        if rest.get(..7).is_some_and(|word| word.eq_ignore_ascii_case(b"doctype")) {
            self.builder.doctype(&self.page[lt + 9..end]);
        }
        end
    }
}
