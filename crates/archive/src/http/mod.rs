//! An archived HTTP response: its head, and its body without transfer and content codings.
//!
//! - [`parse_head`] reads the status line and the fields.
//! - [`decode_body`] removes the chunked coding, then gzip, deflate, br and zstd, under one size limit.
//!
//! Archives hold what servers really sent, and sometimes what a crawler made of it. So a head in almost any shape is
//! read (RFC 9112), and a body is decoded by its bytes, not only by its head (RFC 9110, section 8.4). [`Body::notes`]
//! reports what was odd.
//!
//! ```
//! use dehusk_archive::http::{Scratch, decode_body, parse_head};
//!
//! let block = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n<p>\r\n0\r\n\r\n";
//! let (head, start) = parse_head(block).expect("a response");
//! assert_eq!(head.status(), 200);
//!
//! let mut scratch = Scratch::default();
//! let body = decode_body(&head, &block[start..], 1 << 20, &mut scratch)?;
//! assert_eq!(body.bytes, b"<p>");
//! # Ok::<(), dehusk_archive::http::BodyError>(())
//! ```

mod body;
mod chunked;
mod coding;
mod head;

use std::borrow::Cow;

pub use body::{Body, BodyError, MAX_CODINGS, Scratch, decode_body};
pub use head::{Head, MAX_HEAD, parse_fields, parse_head};
pub(crate) use head::{head_end, parameter};

/// A body without the chunked transfer coding; `None` if it is not chunked, or not to its end.
pub(crate) fn without_chunks(body: &[u8]) -> Option<Cow<'_, [u8]>> {
    let mut joined = Vec::new();
    match chunked::dechunk(body, &mut joined) {
        chunked::Chunked::One(data, true) => Some(Cow::Borrowed(data)),
        chunked::Chunked::Many(true) => Some(Cow::Owned(joined)),
        _ => None,
    }
}
