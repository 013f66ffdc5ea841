//! An archived HTTP response: its head, and its body with the transfer and content codings undone.
//!
//! Works on byte slices and opens no file. Archives hold what servers really sent, and sometimes what a crawler made of
//! it, so everything here is lenient: a head in almost any shape is read (RFC 9112), and a body is decoded by what its
//! bytes are, not only by what its head says (RFC 9110, section 8.4). What was odd is told in [`Body::notes`].
//!
//! - [`parse_head`]: the status line and the fields
//! - [`decode_body`]: chunked coding, then gzip, deflate, br and zstd, all under one limit of size

mod body;
mod chunked;
mod coding;
mod head;

pub use body::{Body, BodyError, MAX_CODINGS, Scratch, decode_body};
pub use head::{Head, MAX_HEAD, parse_head};
