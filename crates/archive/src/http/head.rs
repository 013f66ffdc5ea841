//! The head of a response: the status line and the field lines (RFC 9112, sections 2 to 5).
//!
//! Departures from the format are accepted. Each has a test in `tests/archive/http_head.rs`:
//!
//! - Lines may end in LF alone.
//! - The reason phrase, the status or the minor version may be missing.
//! - Interim 1xx responses before the final one are skipped.
//! - Folded lines are joined.
//! - Lines without a colon are skipped.
//! - Values need not be UTF-8.
//! - A line that begins with `<` ends the head, even if the empty line is missing.
//! - One extra line end between head and body is dropped.

use std::borrow::Cow;

/// How many bytes of a head are searched for fields. The rest of a longer head is skipped and takes no memory.
pub const MAX_HEAD: usize = 64 * 1024;

/// How many fields of a head are kept. Real heads have fewer than a hundred; the limit is for hostile ones.
const MAX_FIELDS: usize = 1024;

/// The head of one response. Values are parts of the block that was parsed; only the list of fields is allocated.
#[derive(Clone, Debug)]
pub struct Head<'h> {
    status: u16,
    fields: Vec<Field<'h>>,
    /// Whether fields were skipped, because there are too many.
    is_cut: bool,
}

/// Which fields of a head are kept.
#[derive(Clone, Copy)]
enum Kept<'n> {
    /// All, up to the limits.
    Usual,
    /// Those with these names, wherever they are.
    Named(&'n [&'n str]),
}

/// One field: its name, and its value with any folds still in it.
#[derive(Clone, Copy, Debug)]
struct Field<'h> {
    name: &'h [u8],
    value: &'h [u8],
}

/// Reads the head at the start of `block`. Returns it with the offset at which the body starts, or `None` if `block`
/// does not start with `HTTP/`.
///
/// Interim responses (status 1xx, RFC 9110 section 15.2) are skipped: the head is that of the final response, if there
/// is one.
pub fn parse_head(block: &[u8]) -> Option<(Head<'_>, usize)> {
    parse(block, Kept::Usual)
}

/// Reads only the fields of these names, but without the limits of [`parse_head`].
pub fn parse_fields<'b>(block: &'b [u8], names: &[&str]) -> Option<Head<'b>> {
    parse(block, Kept::Named(names)).map(|(head, _)| head)
}

fn parse<'b>(block: &'b [u8], wanted: Kept<'_>) -> Option<(Head<'b>, usize)> {
    let mut start = 0;
    loop {
        let (head, end) = parse_one(block.get(start..)?, wanted)?;
        let body = start + end;
        if (100..200).contains(&head.status) {
            let next = body + block[body..].iter().take_while(|b| matches!(b, b'\r' | b'\n')).count();
            if block[next..].starts_with(b"HTTP/") {
                start = next;
                continue;
            }
        }
        let rest = &block[body..];
        // If the stated length is right, the line end belongs to the page.
        let skip = if head.content_length() == Some(rest.len() as u64) {
            0
        } else {
            extra_line_end(rest)
        };
        return Some((head, body + skip));
    }
}

/// Reads one head. Also returns the offset of the byte after it.
fn parse_one<'b>(block: &'b [u8], wanted: Kept<'_>) -> Option<(Head<'b>, usize)> {
    if !block.starts_with(b"HTTP/") {
        return None;
    }
    let (line, mut at) = line_at(block, 0);
    let mut head = Head {
        status: status_of(line),
        fields: Vec::new(),
        is_cut: false,
    };
    let is_named = |names: &[&str], name: &[u8]| names.iter().any(|n| name.eq_ignore_ascii_case(n.as_bytes()));
    // The open field: its name, and where its value starts and ends in the block. It stays open for folded lines.
    let mut open: Option<(&[u8], usize, usize)> = None;
    while at < block.len() {
        let (line, next) = line_at(block, at);
        if line.is_empty() {
            at = next;
            break;
        }
        if line[0] == b'<' {
            // No field name begins like this. It is the page itself.
            break;
        }
        let end = at + line.len();
        let kept = match wanted {
            Kept::Usual => end <= MAX_HEAD && head.fields.len() < MAX_FIELDS,
            Kept::Named(_) => true,
        };
        head.is_cut |= !kept;
        if matches!(line[0], b' ' | b'\t') {
            if let (Some(field), true) = (&mut open, kept) {
                field.2 = end;
            }
        } else {
            head.close(block, open.take());
            if let (Some(colon), true) = (memchr::memchr(b':', line), kept) {
                let name = line[..colon].trim_ascii();
                let is_wanted = match wanted {
                    Kept::Usual => true,
                    Kept::Named(names) => is_named(names, name),
                };
                open = is_wanted.then_some((name, at + colon + 1, end));
            }
        }
        at = next;
    }
    head.close(block, open);
    Some((head, at))
}

/// The line that starts at `at`, without its line end, and the offset of the next one.
fn line_at(block: &[u8], at: usize) -> (&[u8], usize) {
    let rest = &block[at..];
    let (mut line, next) = match memchr::memchr(b'\n', rest) {
        Some(i) => (&rest[..i], at + i + 1),
        None => (rest, block.len()),
    };
    while let Some(shorter) = line.strip_suffix(b"\r") {
        line = shorter;
    }
    (line, next)
}

/// Where the body of a message starts, whatever its kind: after the first empty line.
pub(crate) fn head_end(block: &[u8]) -> usize {
    let mut at = 0;
    while at < block.len() {
        let (line, next) = line_at(block, at);
        at = next;
        if line.is_empty() {
            break;
        }
    }
    at
}

/// The status in a status line; 0 if it has no number of up to three digits.
fn status_of(line: &[u8]) -> u16 {
    let Some(space) = line.iter().position(|b| matches!(b, b' ' | b'\t')) else {
        return 0;
    };
    let rest = line[space..].trim_ascii_start();
    let digits = rest.iter().take_while(|b| b.is_ascii_digit()).count();
    if digits == 0 || digits > 3 {
        return 0;
    }
    rest[..digits].iter().fold(0, |n, b| n * 10 + u16::from(b - b'0'))
}

/// Length of a line end before the body that does not belong to it; 0 if there is none.
///
/// One large crawl (August 2018) wrote an extra CRLF before every body, which would hide the magic number of a
/// compressed one. It is dropped only before bytes that plainly start a page.
fn extra_line_end(body: &[u8]) -> usize {
    let skip = match body {
        [b'\r', b'\n', ..] => 2,
        [b'\n', ..] => 1,
        _ => return 0,
    };
    let rest = &body[skip..];
    let page = rest.trim_ascii_start().first() == Some(&b'<')
        || rest.starts_with(b"\xEF\xBB\xBF")
        || rest.starts_with(b"\x1F\x8B\x08")
        || rest.starts_with(b"\x28\xB5\x2F\xFD");
    if page { skip } else { 0 }
}

impl<'h> Head<'h> {
    /// The status code; 0 if the status line has none.
    pub fn status(&self) -> u16 {
        self.status
    }

    /// Whether fields were skipped, because the head is longer than [`MAX_HEAD`] or has too many.
    pub fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// The first value of a field, trimmed; case does not matter in `name`. The value may be any bytes and still have
    /// its folds; see [`Head::text`].
    pub fn get(&self, name: &str) -> Option<&'h [u8]> {
        self.get_all(name).next()
    }

    /// All values of a field in their order, as [`Head::get`] returns them.
    pub fn get_all(&self, name: &str) -> impl DoubleEndedIterator<Item = &'h [u8]> {
        self.fields
            .iter()
            .filter(move |f| f.name.eq_ignore_ascii_case(name.as_bytes()))
            .map(|f| f.value.trim_ascii())
    }

    /// The first value of a field as text: folds become one space (RFC 9112, section 5.2), bytes that are not UTF-8
    /// become U+FFFD.
    pub fn text(&self, name: &str) -> Option<Cow<'h, str>> {
        self.get(name).map(unfold)
    }

    /// All values of a field in their order, each as text like that of [`Head::text`].
    pub fn texts(&self, name: &str) -> Vec<Cow<'h, str>> {
        self.get_all(name).map(unfold).collect()
    }

    /// The MIME type of the last `Content-Type` that has one, in lower case and without parameters.
    pub fn mime(&self) -> Option<String> {
        self.get_all("content-type").rev().find_map(mime_of)
    }

    /// The charset label of `Content-Type`, without quotes. If the field is repeated, the last value with a label
    /// counts, unless one of another MIME type follows (Fetch, “extract a MIME type”).
    pub fn charset(&self) -> Option<Cow<'h, str>> {
        let mime = self.mime();
        self.get_all("content-type")
            .rev()
            .take_while(|v| mime.is_none() || mime_of(v).is_none_or(|m| Some(m) == mime))
            .find_map(charset_of)
    }

    /// The first language of `Content-Language`, in lower case.
    pub fn content_language(&self) -> Option<String> {
        let value = self.text("content-language")?;
        let first = value.split([',', ';']).next().unwrap_or_default().trim();
        (!first.is_empty()).then(|| first.to_ascii_lowercase())
    }

    /// The members of `Content-Encoding`, from all its lines, in the order in which the server applied them
    /// (RFC 9110, section 8.4). Quotes are removed; `identity`, `none` and empty members are left out.
    pub fn content_codings(&self) -> impl Iterator<Item = &'h [u8]> {
        self.list("content-encoding")
    }

    /// The members of `Transfer-Encoding` without parameters, otherwise as in [`Head::content_codings`].
    pub fn transfer_codings(&self) -> impl Iterator<Item = &'h [u8]> {
        self.list("transfer-encoding")
    }

    /// The first `Content-Length` that is a number; of a list (`12, 12`), its first one.
    pub fn content_length(&self) -> Option<u64> {
        self.get_all("content-length").find_map(|value| {
            let first = value.split(|b| *b == b',').next().unwrap_or_default().trim_ascii();
            std::str::from_utf8(first)
                .ok()
                .filter(|s| s.bytes().all(|b| b.is_ascii_digit()))?
                .parse()
                .ok()
        })
    }

    /// The members of a comma-separated list that name a coding.
    fn list(&self, name: &str) -> impl Iterator<Item = &'h [u8]> {
        self.get_all(name)
            .flat_map(|value| value.split(|b| *b == b','))
            .map(|item| item.split(|b| *b == b';').next().unwrap_or_default().trim_ascii())
            .map(|item| trim_bytes(item, b"\"'"))
            .filter(|item| {
                !item.is_empty() && !item.eq_ignore_ascii_case(b"identity") && !item.eq_ignore_ascii_case(b"none")
            })
    }

    /// Adds an open field to the list.
    fn close(&mut self, block: &'h [u8], open: Option<(&'h [u8], usize, usize)>) {
        if let Some((name, start, end)) = open {
            self.fields.push(Field {
                name,
                value: &block[start..end],
            });
        }
    }
}

/// Removes any of the bytes in `set` from both ends.
fn trim_bytes<'b>(mut bytes: &'b [u8], set: &[u8]) -> &'b [u8] {
    while let [first, rest @ ..] = bytes {
        if !set.contains(first) {
            break;
        }
        bytes = rest;
    }
    while let [rest @ .., last] = bytes {
        if !set.contains(last) {
            break;
        }
        bytes = rest;
    }
    bytes
}

/// A value as text, with every fold as one space.
fn unfold(value: &[u8]) -> Cow<'_, str> {
    let text = String::from_utf8_lossy(value);
    if !text.contains('\n') {
        return text;
    }
    let mut flat = String::with_capacity(text.len());
    for part in text
        .split('\n')
        .map(|p| p.trim_matches(|c: char| c.is_ascii_whitespace()))
        .filter(|p| !p.is_empty())
    {
        if !flat.is_empty() {
            flat.push(' ');
        }
        flat.push_str(part);
    }
    Cow::Owned(flat)
}

/// The MIME type of one `Content-Type` value.
fn mime_of(value: &[u8]) -> Option<String> {
    let end = value
        .iter()
        .position(|b| matches!(b, b';' | b',') || b.is_ascii_whitespace())
        .unwrap_or(value.len());
    let mime = trim_bytes(&value[..end], b"\"'");
    (memchr::memchr(b'/', mime).is_some() && mime.is_ascii())
        .then(|| String::from_utf8_lossy(mime).to_ascii_lowercase())
}

/// The charset label of one `Content-Type` value.
fn charset_of(value: &[u8]) -> Option<Cow<'_, str>> {
    parameter(value, b"charset")
}

/// The parameter of a media type: what follows the first `name=` that is not empty, without quotes.
pub(crate) fn parameter<'v>(value: &'v [u8], name: &[u8]) -> Option<Cow<'v, str>> {
    let mut at = 0;
    while let Some(found) = value[at..]
        .windows(name.len())
        .position(|w| w.eq_ignore_ascii_case(name))
    {
        let start = at + found;
        at = start + name.len();
        if start > 0 && (value[start - 1].is_ascii_alphanumeric() || value[start - 1] == b'-') {
            continue; // the tail of another name, such as `accept-charset`
        }
        let Some(rest) = value[at..].trim_ascii_start().strip_prefix(b"=") else {
            continue;
        };
        // Seen in crawls: quotes of both kinds, escaped quotes, a doubled `=`, a stray `:`.
        let rest = &rest[rest.iter().take_while(|b| b" \t\r\n\"'\\=:".contains(b)).count()..];
        let end = rest
            .iter()
            .position(|b| b";,\"'\\".contains(b) || b.is_ascii_whitespace())
            .unwrap_or(rest.len());
        if end > 0 {
            return Some(String::from_utf8_lossy(&rest[..end]));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn status_lines() {
        for (line, status) in [
            ("HTTP/1.1 200 OK", 200),
            ("HTTP/2 404", 404),
            ("HTTP/1.0\t301\tMoved", 301),
            ("HTTP/1.1  500", 500),
            ("HTTP/1.1 0", 0),
            ("HTTP/1.1", 0),
            ("HTTP/1.1 OK", 0),
            ("HTTP/1.1 99999999 OK", 0),
        ] {
            assert_eq!(status_of(line.as_bytes()), status, "{line}");
        }
    }

    #[test]
    fn charset_labels() {
        for (value, label) in [
            ("text/html; charset=utf-8", Some("utf-8")),
            ("text/html;CHARSET = \"Big5\"", Some("Big5")),
            ("text/html; charset='koi8-r'; x=y", Some("koi8-r")),
            ("text/html; charset=; charset=gbk", Some("gbk")),
            ("text/html; charset=utf-8, text/html", Some("utf-8")),
            ("text/html charset=utf-8", Some("utf-8")),
            ("text/html; accept-charset=a", None),
            ("text/html; charset", None),
            ("", None),
        ] {
            assert_eq!(charset_of(value.as_bytes()).as_deref(), label, "{value}");
        }
    }
}
