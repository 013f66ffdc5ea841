//! Tar files of pages: POSIX.1-1988 (ustar), POSIX.1-2001 (pax), GNU and the format before them.
//!
//! An entry is a header block of 512 bytes, the file's bytes, and zeros up to the next multiple of 512. Extended
//! headers (pax `x`, GNU `L` and `K`) precede the entry that they describe, and are read as a part of its header. A
//! regular file is a record of the type `resource`; entries of other kinds (directories, links, devices) are padding,
//! and so are the blocks of zeros at the end.
//!
//! - `header`: header blocks and extended headers
//! - `fields`: the path of a file as fields of WARC
//! - `entries`: decoded bytes → records, and what happens where the bytes do not fit

mod entries;
mod fields;
mod header;

pub(crate) use entries::next;
pub(crate) use fields::mime_of;
pub(crate) use header::{Entry, find, header_end, may_start, starts};
