//! ARC's one-line record header (Internet Archive, "ARC file format", versions 1 and 2).
//!
//! A line of version 1 is `URL IP date type length`. Version 2 puts result code, checksum, location, offset and file
//! name before the length. The first record of a file declares which fields there are. They are found from the right
//! end and around the date, because URLs of 2008 to 2012 hold spaces, and types hold several words or none.

/// Longest header line that is recognised, in bytes. URLs reach a few thousand.
pub(crate) const LINE_LIMIT: usize = 8 << 10;

/// How many fields are between type and length, as the file's first record declares; `None` if that record is lost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ArcFields(Option<u8>);

impl ArcFields {
    /// Reads the declaration in the first record of a file: a header line, a line with the version, and a line that
    /// names the fields.
    pub(crate) fn declared(data: &[u8]) -> Self {
        let names = || {
            let list = data.split(|b| *b == b'\n').nth(2)?;
            let at = |name: &[u8]| {
                let mut names = list.split(u8::is_ascii_whitespace).filter(|n| !n.is_empty());
                names.position(|n| n.eq_ignore_ascii_case(name))
            };
            let between = at(b"archive-length")?.checked_sub(at(b"content-type")? + 1)?;
            u8::try_from(between).ok()
        };
        Self(names().filter(|_| data.starts_with(b"filedesc:")))
    }

    /// How many of the `words` between date and length are such fields. The rest is the type.
    fn after_type(self, words: usize) -> usize {
        match self.0 {
            Some(declared) if words >= usize::from(declared) => declared.into(),
            // Files of both versions were joined, or nothing is declared.
            _ if words > VERSION_2 => VERSION_2,
            _ => 0,
        }
    }
}

/// How many fields version 2 has between type and length.
const VERSION_2: usize = 5;

/// A parsed header line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ArcLine<'a> {
    pub(crate) url: &'a [u8],
    pub(crate) ip: &'a [u8],
    pub(crate) date: &'a [u8],
    pub(crate) mime: &'a [u8],
    /// As written; it may not be a number.
    pub(crate) length: &'a [u8],
}

/// Whether `data` starts with a header line: a URL with a scheme, an address, a date, and a line end.
pub(crate) fn starts(data: &[u8]) -> bool {
    let Some(end) = memchr::memchr(b'\n', &data[..data.len().min(LINE_LIMIT)]) else {
        return false;
    };
    scheme(data) == Some(true) && parse(&data[..end], ArcFields::default()).is_some()
}

/// Whether `data`, which has no line end yet, could be the start of a header line.
pub(crate) fn may_start(data: &[u8]) -> bool {
    data.len() < LINE_LIMIT && scheme(data) != Some(false) && memchr::memchr(b'\n', data).is_none()
}

/// Whether `data` starts with a URL's scheme; `None` if it ends too early to decide.
fn scheme(data: &[u8]) -> Option<bool> {
    let length = data
        .iter()
        .take(17)
        .take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.'))
        .count();
    if length > 16 || data.first().is_some_and(|b| !b.is_ascii_alphabetic()) {
        return Some(false);
    }
    data.get(length).map(|b| *b == b':' && length >= 2)
}

/// Whether `data` starts with a header line whose scheme is one that crawlers use.
///
/// This is checked where no line end shows that a line begins, because its writer left it out. Any
/// word in front of a colon is a scheme, so what follows the first letters of a URL would be a URL, too.
pub(crate) fn starts_unseparated(data: &[u8]) -> bool {
    SCHEMES.iter().any(|scheme| data.starts_with(scheme)) && starts(data)
}

/// Schemes of the URLs in ARC files.
const SCHEMES: [&[u8]; 8] = [
    b"http://",
    b"https://",
    b"ftp://",
    b"dns:",
    b"filedesc:",
    b"warcinfo:",
    b"whois:",
    b"metadata:",
];

/// Position of the first header line at or after `from`. One in the last [`LINE_LIMIT`] bytes may need more data to be
/// recognised.
///
/// The line end in front of it may be missing. Then it starts at the first known scheme that no markup follows.
pub(crate) fn find(data: &[u8], from: usize) -> Option<usize> {
    let mut line = from;
    let mut begins_line = from == 0 || data.get(from - 1) == Some(&b'\n');
    loop {
        let end = line + memchr::memchr(b'\n', data.get(line..)?)?;
        if begins_line && starts(&data[line..=end]) {
            return Some(line);
        }
        if let Some(at) = find_in_line(&data[..end], line) {
            return Some(at);
        }
        (line, begins_line) = (end + 1, true);
    }
}

/// Position of the header line that ends `data`, if it starts after `from` in the line that starts there.
fn find_in_line(data: &[u8], from: usize) -> Option<usize> {
    let from = from.max((data.len() + 1).saturating_sub(LINE_LIMIT));
    let line = &data[from..];
    // The last byte rules out most lines of a page: a header line ends with a length.
    if !line.trim_ascii_end().last()?.is_ascii_digit() {
        return None;
    }
    let url = parse(line, ArcFields::default())?.url;
    let start = url
        .iter()
        .rposition(|b| matches!(b, b'<' | b'>' | b'"'))
        .map_or(0, |at| at + 1);
    let found = |scheme: &&[u8]| memchr::memmem::find(&url[start..], scheme);
    let scheme = SCHEMES.iter().filter_map(found).min()?;
    // The URL is a part of the line.
    Some(from + (url.as_ptr() as usize - line.as_ptr() as usize) + start + scheme)
}

/// Parses a header line, without its line end.
pub(crate) fn parse(line: &[u8], fields: ArcFields) -> Option<ArcLine<'_>> {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let tokens: Vec<std::ops::Range<usize>> = tokens(line);
    let text = |i: usize| &line[tokens[i].clone()];
    let last = tokens.len().checked_sub(1)?;
    // The date is after the address and before the length. The last such pair counts.
    let date = (2..last).rev().find(|&i| is_date(text(i)) && is_address(text(i - 1)))?;
    let types = date + 1..last - fields.after_type(last - date - 1);
    let mime = match (types.start, types.end) {
        (start, end) if start < end => &line[tokens[start].start..tokens[end - 1].end],
        _ => b"",
    };
    let url = line[..tokens[date - 2].end].trim_ascii();
    Some(ArcLine {
        url,
        ip: text(date - 1),
        date: text(date),
        mime,
        length: text(last),
    })
}

/// The ranges of the words between spaces and tabs.
fn tokens(line: &[u8]) -> Vec<std::ops::Range<usize>> {
    let mut tokens = Vec::with_capacity(10);
    let mut start = 0;
    for (i, &byte) in line.iter().chain(b" ").enumerate() {
        if byte == b' ' || byte == b'\t' {
            if i > start {
                tokens.push(start..i);
            }
            start = i + 1;
        }
    }
    tokens
}

/// Whether a word is a date: 14 digits, or 12 to 18 as some writers used.
fn is_date(token: &[u8]) -> bool {
    (12..=18).contains(&token.len()) && token.iter().all(u8::is_ascii_digit)
}

fn is_address(token: &[u8]) -> bool {
    (token.len() >= 3 && token.iter().all(|b| b.is_ascii_hexdigit() || matches!(b, b'.' | b':'))) || token == b"-"
}

/// The date as `YYYY-MM-DDThh:mm:ssZ`. Missing seconds are 0.
pub(crate) fn iso_date(date: &[u8]) -> String {
    let mut digits = [b'0'; 14];
    for (to, from) in digits.iter_mut().zip(date) {
        *to = *from;
    }
    let d = |range: std::ops::Range<usize>| String::from_utf8_lossy(&digits[range]).into_owned();
    format!(
        "{}-{}-{}T{}:{}:{}Z",
        d(0..4),
        d(4..6),
        d(6..8),
        d(8..10),
        d(10..12),
        d(12..14)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> ArcLine<'_> {
        parse(text.as_bytes(), ArcFields::default()).expect("a header line")
    }

    #[test]
    fn fields_of_version_1_are_found_around_the_date() {
        let l = line("http://a.example/x y.html 1.2.3.4 20080102030405 text/html; charset=utf-8 345");
        assert_eq!(l.url, b"http://a.example/x y.html");
        assert_eq!(l.mime, b"text/html; charset=utf-8");
        assert_eq!(l.length, b"345");
        assert_eq!(line("http://a.example/ 1.2.3.4 200801020304 9").mime, b"");
        assert_eq!(
            line("http://a.example/ 1.2.3.4 200801020304050607 no-type -1").length,
            b"-1"
        );
    }

    #[test]
    fn fields_of_version_2_are_skipped_from_the_right() {
        let l = line("http://a.example/ 1.2.3.4 20080102030405 text/html 200 abc - 1234 x.arc.gz 77");
        assert_eq!((l.mime, l.length), (&b"text/html"[..], &b"77"[..]));
    }

    #[test]
    fn dates_of_any_length_become_iso() {
        assert_eq!(iso_date(b"20080102030405"), "2008-01-02T03:04:05Z");
        assert_eq!(iso_date(b"200801020304"), "2008-01-02T03:04:00Z");
        assert_eq!(iso_date(b"200801020304050607"), "2008-01-02T03:04:05Z");
    }
}
