//! The fast parser: one forgiving pass over the page's own bytes.
//!
//! It jumps from `<` to `<`, notes where tags and texts stand, and leaves everything else for later: attributes stay a
//! range, references stay encoded. Only texts are looked at closely, for their counts (see [`count`]).
//!
//! - `scan`: where a tag, comment or script ends.
//! - `builder`: the open elements and the arrays of nodes.
//! - `rules`, `ends`: what a start tag or an end tag does to them, by the HTML specification as far as it matters for the
//!   order of text, for blocks and for links.
//! - [`Attributes`]: reading attributes later.
//!
//! # Departures from the specification
//!
//! - Formatting elements that an end tag of a block closes are not opened anew in the next block.
//! - Where `</b>` stands inside a block that began within `b`, the element is not split: it ends with the block.
//! - What stands directly in a table, outside of its cells, stays in its place instead of moving before the table.
//! - Elements deeper than [`MAX_DEPTH`](super::MAX_DEPTH) have no content; it becomes their parent's.
//! - `colgroup` has no content: its columns stand beside it.
//!
//! # Cost
//!
//! Time is linear in the length of the page: every byte is scanned a fixed number of times, and a tag looks at the open
//! elements, of which there are at most `MAX_DEPTH`, a fixed number of times.

mod attributes;
mod builder;
mod ends;
mod rules;
mod scan;

use std::borrow::Cow;

pub use attributes::Attributes;
use builder::Builder;

use super::tag::Tag;
use super::{Buffers, Dom, Limits, TooCostly, count};

/// Parses a page. Any text is a page; none fails.
///
/// A page longer than 4 GiB is cut there, since ranges are 32-bit.
pub fn parse<'p>(page: &'p str, buffers: Buffers) -> Dom<'p> {
    Parser::new(page, buffers, Limits::NONE).parsed().0
}

/// As [`parse`], within limits.
///
/// # Errors
///
/// [`TooCostly`] where the page has more nodes or takes more steps. A tag takes a step, and one for each open element.
pub fn parse_within<'p>(page: &'p str, buffers: Buffers, limits: Limits) -> Result<Dom<'p>, TooCostly> {
    match Parser::new(page, buffers, limits).parsed() {
        (dom, true) => Ok(dom),
        _ => Err(TooCostly),
    }
}

/// The last character border at or before `at`.
pub(super) fn boundary(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// The walk over the page: what stands where. What it means is the builder's part.
struct Parser<'p> {
    page: &'p str,
    builder: Builder<'p>,
    limits: Limits,
}

impl<'p> Parser<'p> {
    fn new(page: &'p str, buffers: Buffers, limits: Limits) -> Self {
        let page = &page[..boundary(page, u32::MAX as usize)];
        Parser {
            page,
            builder: Builder::new(page, buffers, limits.depth),
            limits,
        }
    }

    /// The tree, and whether it is that of the whole page.
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

    /// Goes over the page; whether to its end.
    fn run(&mut self) -> bool {
        let bytes = self.page.as_bytes();
        // A byte order mark is no text, which would begin the body.
        let mut at = if bytes.starts_with("\u{FEFF}".as_bytes()) { 3 } else { 0 };
        let mut text_from = at;
        let mut work = 0;
        while let Some(found) = scan::find(b'<', &bytes[at..]) {
            let lt = at + found;
            let Some(&next) = bytes.get(lt + 1) else { break };
            // Anything else is text, the `<` included.
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

    /// Takes in the text at `from..to`.
    #[inline]
    fn text(&mut self, from: usize, to: usize) {
        let counted = count::count_within(self.page, from..to, true);
        self.builder.text(from, to, counted);
    }

    /// Takes in the start tag at `lt`, with the content of an element that holds no tags; says where to go on.
    #[inline]
    fn start_tag(&mut self, lt: usize) -> usize {
        let bytes = self.page.as_bytes();
        let name_end = scan::name_end(bytes, lt + 1);
        let Some(end) = scan::tag_end(bytes, name_end) else {
            return bytes.len();
        };
        let tag = Tag::from_name(&bytes[lt + 1..name_end]);
        let source = builder::Source {
            name: lt + 1,
            from: name_end,
            to: end.at,
        };
        let behind = end.at + 1;
        let content = if self.builder.in_foreign() {
            self.builder.foreign_start(tag, source, end.self_closing)
        } else {
            self.builder.start(tag, source, end.self_closing)
        };
        match content {
            rules::Content::Tags => behind,
            rules::Content::Raw => self.raw(tag, behind),
        }
    }

    /// Takes in content up to its end tag; says where to go on.
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

    /// Takes in the end tag at `lt`; says where to go on.
    #[inline]
    fn end_tag(&mut self, lt: usize) -> usize {
        let bytes = self.page.as_bytes();
        let name_from = lt + 2;
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
        let name_end = scan::name_end(bytes, name_from);
        let Some(end) = scan::tag_end(bytes, name_end) else {
            return bytes.len();
        };
        let name = &bytes[name_from..name_end];
        self.builder.end(Tag::from_name(name), name);
        end.at + 1
    }

    /// Passes over the comment, doctype or CDATA section at `lt`; says where to go on.
    fn declaration(&mut self, lt: usize) -> usize {
        let bytes = self.page.as_bytes();
        let rest = &bytes[lt + 2..];
        if rest.starts_with(b"--") {
            return scan::comment_end(bytes, lt);
        }
        if rest.starts_with(b"[CDATA[") && self.builder.in_foreign() {
            let from = lt + 9;
            let (to, behind) = scan::cdata_end(bytes, from);
            self.builder.text(from, to, count::count_literal(&self.page[from..to]));
            return behind;
        }
        let end = scan::bogus_end(bytes, lt);
        if rest.get(..7).is_some_and(|word| word.eq_ignore_ascii_case(b"doctype")) {
            self.builder.doctype(&self.page[lt + 9..end]);
        }
        end
    }
}
