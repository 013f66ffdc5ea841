//! The strict parser: html5ever's tree, in the same arrays as those of the fast parser.
//!
//! html5ever builds the whole tree by the HTML specification, with scripting off, so that `noscript` is content. Then
//! the tree is copied in document order:
//!
//! - Texts are decoded and copied to a buffer, which becomes [`Dom::source`]. Attributes are written to it as well.
//! - Comments and texts of only white space make no node, and the counts are the same, as in the fast parser.
//! - Elements deeper than [`MAX_DEPTH`](super::MAX_DEPTH) become leaves of the deepest allowed element.
//! - The content of a template is below the `template` element.
//!
//! # Limits
//!
//! On hostile pages, html5ever takes quadratic time, because many rules examine all open elements. It also takes
//! quadratic memory, because every block repeats the open formatting elements with all of their attributes. So the work
//! is metered:
//!
//! - The sink (`tree`) counts a step whenever html5ever asks for a name or compares two handles. It charges for a new
//!   element by the number of open elements and of its attributes.
//! - `cost_meter` charges for the tokenizer's work, of which the sink knows nothing.
//! - The page is fed in pieces. If the work exceeds [`budget`], or the size of the attributes exceeds
//!   `attribute_budget`, the parser stops with [`TooCostly`]. Both limits depend only on the page, never on the clock.

mod cost_meter;
mod flat;
mod tree;

use std::rc::Rc;

use html5ever::buffer_queue::BufferQueue;
use html5ever::interface::TokenizerResult;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{Tokenizer, TokenizerOpts};
use html5ever::tree_builder::{TreeBuilder, TreeBuilderOpts};

use super::parse::boundary;
use super::{Buffers, Dom, Limits, TooCostly};
use cost_meter::{CostMeter, OpenTag};
use tree::Tree;

/// The maximum number of bytes fed to html5ever at once. It is small, so that the work is checked often.
const PIECE: usize = 16 << 10;

/// The size of the elements that a block may open again, above which pieces become smaller.
const REOPENED: u64 = 64 << 10;

/// The number of steps that a page of this length may take. Real pages take far less: none in the corpora of the tests
/// takes four steps a byte.
pub fn budget(page_len: usize) -> u64 {
    4_000_000 + 64 * page_len as u64
}

/// The number of bytes that the attributes of a page of this length may take in its tree. The tree has each attribute
/// once, unless formatting elements are opened again.
fn attribute_budget(page_len: usize) -> u64 {
    (16 << 20) + 16 * page_len as u64
}

/// Parses a page by the HTML specification, through html5ever. This is several times slower than
/// [`parse`](super::parse::parse).
///
/// # Errors
///
/// [`TooCostly`] if the page takes more work than the parser allows for its length.
pub fn parse_strict<'p>(page: &str, buffers: Buffers) -> Result<Dom<'p>, TooCostly> {
    parse_strict_within(page, buffers, Limits::NONE)
}

/// Parses a page by the HTML specification, within further limits.
///
/// # Errors
///
/// [`TooCostly`] if the page takes more work than the parser allows for its length, or exceeds `limits`.
pub fn parse_strict_within<'p>(page: &str, buffers: Buffers, limits: Limits) -> Result<Dom<'p>, TooCostly> {
    let page = &page[..boundary(page, u32::MAX as usize)];
    let limit = budget(page.len()).min(limits.work);
    let options = TreeBuilderOpts {
        scripting_enabled: false,
        ..TreeBuilderOpts::default()
    };
    let input = Rc::new(BufferQueue::default());
    let meter = CostMeter::new(TreeBuilder::new(Tree::default(), options), Rc::clone(&input));
    let tokenizer = Tokenizer::new(meter, TokenizerOpts::default());
    let meter = &tokenizer.sink;
    let tree = &meter.builder.sink;
    let mut open = OpenTag::default();
    let mut fed = 0;
    while fed < page.len() {
        let rest = &page[fed..];
        let piece = &rest[..boundary(rest, piece(tree)).max(rest.chars().next().map_or(0, char::len_utf8))];
        fed += piece.len();
        meter.fed.set(fed);
        input.push_back(StrTendril::from_slice(piece));
        while !matches!(tokenizer.feed(&input), TokenizerResult::Done) {}
        open.charge(&page[..fed], meter);
        let is_over = tree.work.get() > limit || tree.attribute_bytes.get() > attribute_budget(page.len());
        if is_over || tree.nodes.borrow().len() > limits.nodes {
            return Err(TooCostly);
        }
    }
    tokenizer.end();
    flat::flatten(&tree.nodes.borrow(), buffers, limits.depth)
}

/// The number of bytes to feed next. Every few of them may open all active formatting elements again.
fn piece(tree: &Tree) -> usize {
    let reopened = tree.live_handles.get() * tree.largest_formatting.get();
    (PIECE as u64 * REOPENED / (REOPENED + reopened)).max(16) as usize
}
