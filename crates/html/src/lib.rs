//! A page's bytes → text → a flat tree with counts → text and XHTML.
//!
//! - [`charset`]: which encoding a page is in, and its text as UTF-8
//! - [`dom`]: the page's tree as flat arrays in document order, its counts, and rendering to text and XHTML
#![forbid(unsafe_code)]
#![warn(clippy::print_stderr, clippy::print_stdout)]

pub mod charset;
pub mod dom;
