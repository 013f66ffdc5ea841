//! How a record starts, in WARC (ISO 28500, 0.17 to 1.1), in ARC (versions 1 and 2) and in tar.

use super::arc::{self, ArcFields};
use super::tar;

/// How records are framed in an archive's decoded bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Framing {
    /// `WARC/1.0`, named fields, a blank line, and a block of `Content-Length` bytes.
    Warc,
    /// One line `URL IP date type length`, and a block of that length. The file declares the line's fields.
    Arc(ArcFields),
    /// A header block of 512 bytes, a file's bytes, and zeros up to the next multiple of 512.
    Tar,
}

/// The word that every WARC record starts with, in capitals or not.
const WARC: &[u8] = b"WARC/";

/// How many bytes a scan has to see to recognise the start of a record. In ARC it is a whole header line, which is
/// longer than the start of any WARC record.
pub(crate) const START: usize = arc::LINE_LIMIT;

impl Framing {
    /// The framing whose record starts `data`.
    pub(crate) fn detect(data: &[u8]) -> Option<Framing> {
        [Framing::Warc, Framing::Arc(ArcFields::declared(data)), Framing::Tar]
            .into_iter()
            .find(|f| f.starts(data))
    }

    /// Whether `data` starts with a record. In WARC, a version, a line end and a plausible field name are enough.
    pub(crate) fn starts(self, data: &[u8]) -> bool {
        match self {
            Framing::Warc => starts_warc(data),
            Framing::Arc(_) => arc::starts(data),
            Framing::Tar => tar::starts(data),
        }
    }

    /// Whether `data` starts with the first line of a WARC record, whatever follows it.
    pub(crate) fn starts_with_version(data: &[u8]) -> bool {
        after_version(data).is_some()
    }

    /// Whether `data` starts with a record where no line end is before it.
    pub(crate) fn starts_unseparated(self, data: &[u8]) -> bool {
        match self {
            Framing::Warc => starts_warc(data),
            Framing::Arc(_) => arc::starts_unseparated(data),
            Framing::Tar => tar::starts(data),
        }
    }

    /// Whether `data` could start with a record if more bytes followed it.
    pub(crate) fn may_start(self, data: &[u8]) -> bool {
        match self {
            Framing::Warc => {
                let start = &data[..data.len().min(WARC.len())];
                starts_warc(data) || WARC[..start.len()].eq_ignore_ascii_case(start) && data.len() < 256
            }
            Framing::Arc(_) => arc::starts(data) || arc::may_start(data),
            Framing::Tar => tar::may_start(data),
        }
    }

    /// Where the header block that starts `data` ends, with its blank line, if it ends after `from`.
    pub(crate) fn header_end(self, data: &[u8], from: usize) -> Option<usize> {
        let rest = data.get(from..)?;
        let end = match self {
            Framing::Tar => tar::header_end(data)?.checked_sub(from)?,
            Framing::Arc(_) => memchr::memchr(b'\n', rest)? + 1,
            Framing::Warc => memchr::memchr_iter(b'\n', rest).find_map(|at| match rest[at + 1..] {
                [b'\n', ..] => Some(at + 2),
                [b'\r', b'\n', ..] => Some(at + 3),
                _ => None,
            })?,
        };
        Some(from + end)
    }

    /// Where a second record starts, on a line of its own, in what should be one header block.
    pub(crate) fn second_start(self, header: &[u8]) -> Option<usize> {
        if self != Framing::Warc {
            return None;
        }
        memchr::memchr_iter(b'\n', header)
            .map(|at| at + 1)
            .find(|&at| starts_warc(&header[at..]))
    }

    /// Position of the first record start at or after `from`. One in the last [`START`] bytes may need more data to be
    /// recognised.
    ///
    /// A record need not begin a line, because garbage before it, or a body without a line end, may not end one.
    pub(crate) fn find(self, data: &[u8], from: usize) -> Option<usize> {
        match self {
            Framing::Warc => {
                let first = |word: &[u8], end: usize| {
                    memchr::memmem::find_iter(data.get(from..end)?, word)
                        .map(|at| from + at)
                        .find(|&at| starts_warc(&data[at..]))
                };
                let in_capitals = first(WARC, data.len());
                let end = in_capitals.unwrap_or(data.len());
                first(b"warc/", end).or(in_capitals)
            }
            Framing::Arc(_) => arc::find(data, from),
            Framing::Tar => tar::find(data, from),
        }
    }
}

/// `WARC/`, digits and a dot, a line end, the name of a field and a colon.
fn starts_warc(data: &[u8]) -> bool {
    let Some(field) = after_version(data) else {
        return false;
    };
    let name = field
        .iter()
        .take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'))
        .count();
    name > 0 && field[name..].trim_ascii_start().first() == Some(&b':')
}

/// The bytes after `WARC/`, digits, a dot and a line end, as far as they are looked at.
fn after_version(data: &[u8]) -> Option<&[u8]> {
    let (word, rest) = data.split_at_checked(WARC.len())?;
    if !word.eq_ignore_ascii_case(WARC) {
        return None;
    }
    let rest = &rest[..rest.len().min(256)];
    let end = memchr::memchr(b'\n', rest)?;
    let version = rest[..end].trim_ascii_end();
    let is_version = version.len() <= 16
        && version.first().is_some_and(u8::is_ascii_digit)
        && version.contains(&b'.')
        && version
            .iter()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-'));
    is_version.then(|| &rest[end + 1..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_alone_is_not_a_record() {
        assert!(Framing::Warc.starts(b"WARC/1.0\r\nWARC-Type: response\r\n"));
        assert!(Framing::Warc.starts(b"WARC/0.17\nContent-Length : 3\n"));
        assert!(Framing::Warc.starts(b"warc/1.0\r\nwarc-type: response\r\n"));
        assert!(Framing::Warc.may_start(b"warc/1"));
        assert!(!Framing::Warc.starts(b"WARC/1.0\r\n\r\n"));
        assert!(!Framing::Warc.starts(b"WARC/1.0 is a format: see ISO 28500\r\n"));
        assert!(!Framing::Warc.starts(b"WARC/"));
    }

    #[test]
    fn a_record_need_not_begin_a_line() {
        let warc = b"junk WARC/ junkWARC/1.1\r\nWARC-Type: request\r\n";
        assert_eq!(Framing::Warc.find(warc, 0), Some(15));
        assert_eq!(Framing::Warc.find(&warc.to_ascii_lowercase(), 0), Some(15));
        let both = [&warc.to_ascii_lowercase()[..], warc].concat();
        assert_eq!(Framing::Warc.find(&both, 0), Some(15));
        assert_eq!(Framing::Warc.find(&both, 16), Some(warc.len() + 15));
        let arc = Framing::Arc(ArcFields::default());
        let line = "http://b.example/?u=http://c.example/ 1.2.3.4 20080102030405 text/html 5\n";
        for (before, from, found) in [
            ("junk\n", 0, 5),
            ("", 1, 20),
            ("<a href=\"http://a.example/\">a</a></html>", 0, 40),
            ("without any markup", 0, 18),
        ] {
            assert_eq!(
                arc.find(format!("{before}{line}").as_bytes(), from),
                Some(found),
                "{before}"
            );
        }
        for text in [
            "http://b.example/ 1.2.3.4 5\n",
            "x:1 1.2.3.4 20080102030405 text/html 5 <p>\n",
            "<p>5\n",
        ] {
            assert_eq!(arc.find(text.as_bytes(), 0), None, "{text}");
        }
    }
}
