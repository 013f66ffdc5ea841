//! Whether the values of a record's header can be right.
//!
//! No checksum or digest covers the header of a record in a plain archive, or in a zstd frame without a checksum.
//! Damage there shows only where a value can no longer be what its field is for.

use crate::framing::Framing;
use crate::header::Header;

/// Schemes of the URLs of pages.
const SCHEMES: [&[u8]; 5] = [b"http", b"https", b"ftp", b"file", b"urn"];

impl Header {
    /// Whether id, date and URL are there and can be right. If not, the header may be damaged, or its writer was
    /// careless.
    ///
    /// An id must be a URI, and a UUID complete. A date must be one, of the years 1990 to 2099. A URL must have a
    /// scheme that pages have, and a host of characters that hosts have. None may hold a control character, or bytes
    /// that are not UTF-8.
    ///
    /// A tar file has none of these, and its headers have checksums.
    pub fn is_plausible(&self) -> bool {
        if self.framing == Framing::Tar {
            return true;
        }
        let is_arc = self.framing != Framing::Warc;
        let field = |name| self.get_bytes(name).map(unbracketed);
        let id = || is_arc || field("WARC-Record-ID").is_some_and(is_id);
        let date = || field("WARC-Date").is_some_and(is_date);
        let url = || field("WARC-Target-URI").is_some_and(|url| is_url(url) && !(is_arc && holds_header(url)));
        id() && date() && url()
    }
}

fn unbracketed(value: &[u8]) -> &[u8] {
    let value = value.strip_prefix(b"<").unwrap_or(value);
    value.strip_suffix(b">").unwrap_or(value)
}

/// A URI without spaces; if it is a UUID's, one of the right form (RFC 9562, section 4).
fn is_id(id: &[u8]) -> bool {
    const UUID: &[u8] = b"urn:uuid:";
    let has_scheme =
        memchr::memchr(b':', id).is_some_and(|at| at > 0 && id[..at].iter().all(u8::is_ascii_alphanumeric));
    let uuid = id.split_at_checked(UUID.len());
    has_scheme
        && id.iter().all(u8::is_ascii_graphic)
        && match uuid.filter(|(start, _)| start.eq_ignore_ascii_case(UUID)) {
            Some((_, uuid)) => is_uuid(uuid),
            None => true,
        }
}

fn is_uuid(uuid: &[u8]) -> bool {
    uuid.len() == 36
        && uuid.iter().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => *byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

/// A date of ISO 8601, which may leave out all after the year, the month, the day or the minutes, or add parts of a
/// second (ISO 28500, section 5.4).
fn is_date(date: &[u8]) -> bool {
    const SHAPE: &[u8] = b"dddd-dd-ddTdd:dd:dd";
    let (date, is_utc) = match date.strip_suffix(b"Z") {
        Some(date) => (date, true),
        None => (date, false),
    };
    let (whole, part) = date.split_at(date.len().min(SHAPE.len()));
    let is_shaped = |(byte, shape): (&u8, &u8)| match shape {
        b'd' => byte.is_ascii_digit(),
        _ => byte == shape,
    };
    let is_part = match part {
        [] => true,
        [b'.', digits @ ..] => !digits.is_empty() && digits.iter().all(u8::is_ascii_digit),
        _ => false,
    };
    let is_complete = if is_utc {
        matches!(whole.len(), 16 | 19)
    } else {
        matches!(whole.len(), 4 | 7 | 10)
    };
    let number = |from: usize, length: usize| {
        let digits = whole.get(from..from + length)?;
        Some(
            digits
                .iter()
                .fold(0, |number, digit| number * 10 + u32::from(digit - b'0')),
        )
    };
    let is_within = |from, length, least, most| number(from, length).is_none_or(|n| (least..=most).contains(&n));
    is_complete
        && is_part
        && whole.iter().zip(SHAPE).all(is_shaped)
        && is_within(0, 4, 1990, 2099)
        && is_within(5, 2, 1, 12)
        && is_within(8, 2, 1, 31)
        && is_within(11, 2, 0, 23)
        && is_within(14, 2, 0, 59)
        && is_within(17, 2, 0, 60)
}

/// A page's URL. Spaces are no fault: crawlers of 2008 to 2012 wrote them.
fn is_url(url: &[u8]) -> bool {
    let Some((scheme, rest)) = memchr::memchr(b':', url).map(|at| (&url[..at], &url[at + 1..])) else {
        return false;
    };
    if !SCHEMES.iter().any(|known| known.eq_ignore_ascii_case(scheme))
        || url.iter().any(u8::is_ascii_control)
        || std::str::from_utf8(url).is_err()
    {
        return false;
    }
    if scheme[0].eq_ignore_ascii_case(&b'u') || scheme.eq_ignore_ascii_case(b"file") {
        return !rest.is_empty();
    }
    let Some(rest) = rest.strip_prefix(b"//") else {
        return false;
    };
    let end = rest.iter().position(|b| matches!(b, b'/' | b'?' | b'#'));
    let authority = &rest[..end.unwrap_or(rest.len())];
    let host = &authority[memchr::memrchr(b'@', authority).map_or(0, |at| at + 1)..];
    let fits =
        |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-' | b'_' | b':' | b'[' | b']' | b'%' | 0x80..);
    !host.is_empty() && host.iter().all(fits)
}

/// Whether a URL of an ARC header line was joined with another line, whose start is lost: a second URL begins in it,
/// but not as a value of a query or as a part of a path.
fn holds_header(url: &[u8]) -> bool {
    let mut schemes = memchr::memmem::find_iter(url, b"http").filter(|at| *at > 0);
    schemes.any(|at| {
        let is_scheme = url[at..].starts_with(b"http://") || url[at..].starts_with(b"https://");
        is_scheme && (url[at - 1].is_ascii_alphanumeric() || matches!(url[at - 1], b' ' | b'.' | b'-'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_uris_and_uuids_are_whole() {
        for id in [
            "urn:uuid:c5bc8e3f-1d0c-4a4c-b2b2-1f1e0f8b3c55",
            "urn:X-wget:1",
            "test:1",
        ] {
            assert!(is_id(id.as_bytes()), "{id}");
        }
        for id in [
            "",
            "urn",
            "urn:uuid:c5bc8e3f-1d0c-4a4c-b2b2-1f1e0f8b3c5",
            "urn:uuid:c5bc8e3f-1d0c-4a4c-b2b2-1f1e0f8b3c5g",
            "urn:uuid:c5bc8e3f11d0c-4a4c-b2b2-1f1e0f8b3c55",
            "urn:a b",
            "urn:\u{7f}",
            "u\u{1}n:a",
        ] {
            assert!(!is_id(id.as_bytes()), "{id}");
        }
    }

    #[test]
    fn dates_may_be_short_but_must_be_possible() {
        for date in [
            "2024-05-06T07:08:09Z",
            "2016-12-31T23:59:60.123456Z",
            "2024-05-06T07:08Z",
            "2024-05-06",
            "2024-05",
            "2024",
        ] {
            assert!(is_date(date.as_bytes()), "{date}");
        }
        for date in [
            "",
            "2008-10-294T00:00:00Z",
            "2024-13-06T07:08:09Z",
            "2024-05-06T27:08:09Z",
            "0024-05-06T07:08:09Z",
            "2024-05-06T07:08:09",
            "2024-05-06T07:08:09.Z",
            "2024-05-06T07:08Z1",
            "2024-05-06 07:08:09Z",
            "yesterday",
        ] {
            assert!(!is_date(date.as_bytes()), "{date}");
        }
    }

    #[test]
    fn urls_have_a_known_scheme_and_a_host() {
        for url in [
            "http://a.example/",
            "HTTPS://user@a-b.example:8080?x=a b",
            "http://[::1]/",
            "http://b\u{fc}cher.example/\u{fc}",
            "file:/home/x.html",
            "urn:pageinfo:http://a.example/",
        ] {
            assert!(is_url(url.as_bytes()), "{url}");
        }
        for url in [
            "",
            "a.example/",
            "hutp://a.example/",
            "http:/a.example/",
            "http:///a",
            "http://a!example/",
            "http://a.example/\u{1}",
        ] {
            assert!(!is_url(url.as_bytes()), "{url}");
        }
        assert!(!is_url(b"http://a.example/\xe4"));
    }

    #[test]
    fn two_lines_of_arc_are_no_url() {
        assert!(holds_header(b"http://a.example/xhttp://b.example/"));
        assert!(holds_header(b"http://a.example/ 192.0.2.1 2008 https://b.example/"));
        assert!(!holds_header(b"http://a.example/?u=http://b.example/"));
        assert!(!holds_header(b"http://web.example/2008/http://b.example/xhttp"));
    }
}
