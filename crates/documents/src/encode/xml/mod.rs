//! Documents as XML 1.0 (fifth edition): `<documents>` of `<document>`, well-formed for every input.
//!
//! - The fields that a document has are attributes of `<document>`, with the names and the order of the schema. Three
//!   fields are elements: `title` is `<title>`, `text` is one element for each paragraph, list, table or code (written
//!   by `text.rs`), and `comments` is `<comments>` with elements of its own.
//! - The text of a further extractor is `<text name="NAME">` with elements of its own.
//! - Characters that XML 1.0 cannot hold (section 2.2) are removed.
//!
//! `write` writes documents with the `writer` of tags and characters, and `read` reads them back.

mod read;
mod text;
mod write;
mod writer;

use super::definition::{Definition, OpenShard};
use super::sequence::Sequence;
pub use write::{needs_cleaning, write};

static SEQUENCE: Sequence = Sequence {
    write: |document, out| {
        // The caller has noted removed characters in the document's flags.
        let _ = write(document, out);
    },
    header: header(),
    footer: footer(),
};

pub(super) static DEFINITION: Definition = Definition {
    name: "xml",
    changes: Some(needs_cleaning),
    compresses_inside: false,
    has_elements: true,
    encoder: |compression| SEQUENCE.encoder(compression),
    writer: |file, compression| SEQUENCE.writer(file, compression),
    resume: Some(|file, compression| SEQUENCE.resume(file, compression)),
    open: OpenShard::Sequential(|input| Box::new(read::ElementReader::new(input))),
};

/// Returns what a shard begins with.
pub const fn header() -> &'static [u8] {
    b"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<documents>\n"
}

/// Returns what a shard ends with.
pub const fn footer() -> &'static [u8] {
    b"</documents>\n"
}
