//! The strict parser: html5ever's tree, in the same arrays as the fast parser's.
//!
//! It serves `normalize = true` and is the oracle that the fast parser is measured against. The tree is built in full,
//! as the HTML specification says (scripting off, so that `noscript` is content), then copied in document order:
//!
//! - Texts are decoded and copied to a buffer that becomes [`Dom::source`]; attributes are written there anew.
//! - White-space-only texts and comments make no node, as with the fast parser, and the counts are the same.
//! - What is nested deeper than [`MAX_DEPTH`](super::MAX_DEPTH) becomes a leaf under the deepest element allowed.
//! - A template's content stands under the `template` element.
//!
//! # Limits
//!
//! html5ever takes quadratic time on hostile pages, since many rules walk all open elements, and quadratic memory, since a
//! formatting element comes again in every block, with all of its attributes. Every step of such a walk asks the sink for
//! a name or compares two handles, so the sink (`tree`) counts these, and charges for a new element by how many are open
//! and by its attributes; what the tokenizer does before the sink hears of it, `watch` charges for. The page is fed in
//! pieces, and when the work passes [`budget`], or what attributes hold passes `room`, the page is given up as
//! [`TooCostly`]. Both depend on the page alone, never on the clock.

mod flat;
mod tree;
mod watch;

use std::rc::Rc;

use html5ever::buffer_queue::BufferQueue;
use html5ever::interface::TokenizerResult;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{Tokenizer, TokenizerOpts};
use html5ever::tree_builder::{TreeBuilder, TreeBuilderOpts};

use super::parse::boundary;
use super::{Buffers, Dom, Limits, TooCostly};
use tree::Tree;
use watch::{OpenTag, Watch};

/// Most bytes given to html5ever at a time: few, so that little happens between two looks at the work done.
const PIECE: usize = 16 << 10;

/// What the elements that a block may open anew may hold before pieces become smaller.
const REOPENED: u64 = 64 << 10;

/// Steps that a page of this length may take. Real pages stay far below: on the corpora of the tests, none takes four a byte.
pub fn budget(page_len: usize) -> u64 {
    4_000_000 + 64 * page_len as u64
}

/// Bytes that the attributes of a page of this length may take in its tree. A page has each of them once, unless its
/// formatting elements are opened anew.
fn room(page_len: usize) -> u64 {
    (16 << 20) + 16 * page_len as u64
}

/// Parses a page as the HTML specification says.
///
/// # Errors
///
/// [`TooCostly`] when the page takes more than [`budget`] allows.
pub fn parse_strict<'p>(page: &str, buffers: Buffers) -> Result<Dom<'p>, TooCostly> {
    parse_strict_within(page, buffers, Limits::NONE)
}

/// As [`parse_strict`], within further limits.
///
/// # Errors
///
/// As [`parse_strict`], and beyond those limits.
pub fn parse_strict_within<'p>(page: &str, buffers: Buffers, limits: Limits) -> Result<Dom<'p>, TooCostly> {
    let page = &page[..boundary(page, u32::MAX as usize)];
    let limit = budget(page.len()).min(limits.work);
    let options = TreeBuilderOpts {
        scripting_enabled: false,
        ..TreeBuilderOpts::default()
    };
    let input = Rc::new(BufferQueue::default());
    let watch = Watch::new(TreeBuilder::new(Tree::default(), options), Rc::clone(&input));
    let tokenizer = Tokenizer::new(watch, TokenizerOpts::default());
    let watch = &tokenizer.sink;
    let tree = &watch.builder.sink;
    let mut open = OpenTag::default();
    let mut given = 0;
    while given < page.len() {
        let rest = &page[given..];
        let piece = &rest[..boundary(rest, piece(tree)).max(rest.chars().next().map_or(0, char::len_utf8))];
        given += piece.len();
        watch.given.set(given);
        input.push_back(StrTendril::from_slice(piece));
        while !matches!(tokenizer.feed(&input), TokenizerResult::Done) {}
        open.charge(&page[..given], watch);
        let is_over = tree.work.get() > limit || tree.held.get() > room(page.len());
        if is_over || tree.nodes.borrow().len() > limits.nodes {
            return Err(TooCostly);
        }
    }
    tokenizer.end();
    flat::flatten(&tree.nodes.borrow(), buffers, limits.depth)
}

/// How many bytes may be given next. Every few of them may open all active formatting elements anew.
fn piece(tree: &Tree) -> usize {
    let reopened = tree.live.get() * tree.largest.get();
    (PIECE as u64 * REOPENED / (REOPENED + reopened)).max(16) as usize
}
