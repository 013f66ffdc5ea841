//! Decodes web pages and parses them into a flat tree with text counts.
//!
//! The steps are bytes → text → tree → text, Markdown or XHTML:
//!
//! - [`decode`] finds the encoding of a page and decodes it to UTF-8.
//! - [`parse`] builds the tree in one fast pass; `parse_strict`, in builds with the feature `normalize`, follows the
//!   HTML specification.
//! - [`Dom`] is the tree: arrays in document order, with the [`Counts`] of each text.
//! - [`render_text`], [`render`] and [`render_xhtml`] render any part of the tree.
//!
//! ```
//! use dehusk_html::{Buffers, decode, parse, render_text};
//!
//! let page = decode(b"<title>Caf\xE9</title><p>Open <b>today</b>.<p>Closed tomorrow.", Some("latin1"))?;
//! assert_eq!(page.encoding, "windows-1252");
//!
//! let dom = parse(&page.text, Buffers::default());
//! assert_eq!(dom.title().as_deref(), Some("Café"));
//! assert_eq!(dom.words(dom.body()), 4);
//!
//! let mut text = String::new();
//! render_text(&dom, &[dom.subtree(dom.body())], &[], &mut text);
//! assert_eq!(text, "Open today.\n\nClosed tomorrow.");
//! # Ok::<(), dehusk_html::UnsupportedCharset>(())
//! ```
#![forbid(unsafe_code)]
#![warn(clippy::print_stderr, clippy::print_stdout)]

mod charset;
mod dom;
pub mod json;
mod render;

pub use charset::{CharsetSource, Decoded, Oddities, UnsupportedCharset, decode, looks_binary, prescan};
pub use dom::parse::{parse, parse_uncounted, parse_within};
#[cfg(feature = "normalize")]
pub use dom::strict::{parse_strict, parse_strict_within};
pub use dom::{Attributes, Buffers, Children, Counts, Dom, Limits, MAX_DEPTH, Node, NodeFlags, NodeId, Tag, TooCostly};
pub use dom::{Parse, strict_parser};
pub use render::annotated::{Annotation, render_annotated};
pub use render::xhtml::{render_xhtml, xhtml_document};
pub use render::{TextForm, render, render_text, text_of};

/// Counting the words and characters of a text as the parser does, so that a text has the same counts everywhere.
pub mod counting {
    pub use crate::dom::count::{Counted, count, count_literal, have_same_letters, is_cjk, is_punctuation, letters};
}

/// The address that the links of a page are relative to.
pub mod links {
    pub use crate::render::base::Base;
}

/// Character references: `&amp;`, `&#233;`.
pub mod references {
    pub use crate::dom::entities::{Reference, decode as decode_references, decode_attribute, reference};
}

/// Rendering the parts that a selection keeps: one line a text, marks in it, and the words alone.
pub mod rendering {
    pub use crate::render::marks::{Element, Mark};
    pub use crate::render::{
        NodeText, is_callout, is_code_table, push_node, push_shown, render_bare, render_form, render_marked,
        render_with, render_words,
    };
}

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadmeExample;
