//! Removes the chunked transfer coding (RFC 9112, section 7.1).
//!
//! Chunk extensions and the trailer are skipped. The chunks before any damage are kept.

/// The result for a body that should be chunked. The flag is true if it was whole and undamaged.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Chunked<'a> {
    /// The body does not begin with a chunk, so it is not chunked.
    Absent,
    /// The data of the only chunk.
    One(&'a [u8], bool),
    /// The data of several chunks were joined in the buffer.
    Many(bool),
}

/// Removes the coding. Empties `buffer`, and fills it only if there is more than one chunk.
pub(super) fn dechunk<'a>(body: &'a [u8], buffer: &mut Vec<u8>) -> Chunked<'a> {
    buffer.clear();
    let mut only: &[u8] = &[];
    let mut push = |data: &'a [u8]| {
        if only.is_empty() {
            only = data;
        } else {
            if buffer.is_empty() {
                buffer.reserve(body.len());
                buffer.extend_from_slice(only);
            }
            buffer.extend_from_slice(data);
        }
    };
    // Extra line ends before the first size line do no harm.
    let mut rest = &body[body.iter().take(4).take_while(|b| matches!(b, b'\r' | b'\n')).count()..];
    let mut first = true;
    let whole = loop {
        let Some((size, after)) = size_line(rest) else {
            if first {
                return Chunked::Absent;
            }
            break false;
        };
        first = false;
        if size == 0 {
            break true;
        }
        let Some(data) = after.get(..size) else {
            // The body was cut, or the size is larger than any body: all that is left belongs to this chunk.
            push(after);
            break false;
        };
        push(data);
        rest = match &after[size..] {
            [b'\r', b'\n', tail @ ..] | [b'\n', tail @ ..] => tail,
            _ => break false,
        };
    };
    if buffer.is_empty() {
        Chunked::One(only, whole)
    } else {
        Chunked::Many(whole)
    }
}

/// Reads a line of a chunk size, white space and extensions. A size that overflows becomes the largest `usize`.
fn size_line(rest: &[u8]) -> Option<(usize, &[u8])> {
    let digits = rest.iter().take_while(|b| b.is_ascii_hexdigit()).count();
    if digits == 0 {
        return None;
    }
    let mut size = 0usize;
    for b in &rest[..digits] {
        let digit = (*b as char).to_digit(16)? as usize;
        size = size.checked_mul(16).map_or(usize::MAX, |s| s.saturating_add(digit));
    }
    let line_end = match memchr::memchr(b'\n', rest) {
        Some(i) => i,
        // A last chunk whose line end was cut off is still a last chunk.
        None if size == 0 => return Some((0, &[])),
        None => return None,
    };
    let tail = rest[digits..line_end].trim_ascii();
    (tail.is_empty() || tail[0] == b';').then(|| (size, &rest[line_end + 1..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn data(body: &[u8]) -> Option<(Vec<u8>, bool)> {
        let mut buffer = vec![7];
        match dechunk(body, &mut buffer) {
            Chunked::Absent => None,
            Chunked::One(data, whole) => Some((data.to_vec(), whole)),
            Chunked::Many(whole) => Some((buffer, whole)),
        }
    }

    #[test]
    fn chunks_are_joined() {
        assert_eq!(
            data(b"3\r\nabc\r\n2;x=y\r\nde\r\n0\r\nTrailer: 1\r\n\r\n"),
            Some((b"abcde".to_vec(), true))
        );
    }

    #[test]
    fn one_chunk_is_borrowed() {
        let body = b"3\r\nabc\r\n0\r\n\r\n";
        assert_eq!(dechunk(body, &mut Vec::new()), Chunked::One(b"abc", true));
    }

    #[test]
    fn a_plain_body_is_not_chunked() {
        for body in [&b"<html>"[..], b"", b"\r\n<p>", b"add this\r\n", b"ff", b"g\r\n"] {
            assert_eq!(data(body), None, "{body:?}");
        }
    }

    #[test]
    fn the_overflowing_size_takes_the_rest() {
        assert_eq!(data(b"FFFFFFFFFFFFFFFFFF\r\n<html>"), Some((b"<html>".to_vec(), false)));
    }
}
