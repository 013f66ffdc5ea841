//! The table of robots.txt and tdmrep.json records: `output.robots`. It holds what servers asked of crawlers and of those
//! who mine texts (TDM Reservation Protocol, section on the file of an origin), as the archive has it.

use serde::Serialize;

use crate::sites::host_of;
use dehusk_archive::http::{self, Scratch};
use dehusk_archive::{Note, Record, RecordType};

/// More bytes of a file are cut off: RFC 9309, section 2.5, asks parsers to read as many at least.
const MOST: usize = 500 << 10;

/// Of a body with one of these notes only the start is known.
const DAMAGE: [Note; 2] = [Note::Chunked, Note::ContentCoding];

/// A line of the table.
#[derive(Serialize)]
struct RobotsLine<'l> {
    host: String,
    url: &'l str,
    /// When it was crawled, as the record states.
    date: &'l str,
    /// HTTP status; 0 without an HTTP head.
    status: u16,
    /// Decoded length in bytes.
    bytes: usize,
    /// Whether `text` has only the first [`MOST`] bytes of the body.
    truncated: bool,
    /// Why `text` is less than the server sent: `cut` or `undecodable`; `""` if it is complete.
    problem: &'static str,
    text: &'l str,
    warc_offset: u64,
    offset_in_member: u64,
}

/// The line of a record, with its line end; `None` if it is no such file. A body that cannot be decoded is empty,
/// and has a problem. `limit` is the most bytes that a body may have after any coding.
pub(crate) fn line(record: &Record<'_>, limit: usize, scratch: &mut Scratch) -> Option<Vec<u8>> {
    let is_wanted = matches!(record.header.record_type, RecordType::Response | RecordType::Resource);
    let url = record.header.url();
    if !is_wanted || record.failure.is_some() || !is_asked_for(&url) {
        return None;
    }
    let head = http::parse_head(&record.block).filter(|_| record.header.record_type == RecordType::Response);
    let (status, body, mut problem) = match &head {
        Some((head, at)) => {
            let stored = &record.block[*at..];
            let is_short = head.content_length().is_some_and(|length| length > stored.len() as u64);
            match http::decode_body(head, stored, limit, scratch) {
                Ok(body) if is_short || DAMAGE.iter().any(|note| body.notes.has(*note)) => {
                    (head.status(), body.bytes, "cut")
                }
                Ok(body) => (head.status(), body.bytes, ""),
                Err(_) => (head.status(), &[][..], "undecodable"),
            }
        }
        None => (0, &record.block[..], ""),
    };
    if problem.is_empty() && record.header.get("WARC-Truncated").is_some() {
        problem = "cut";
    }
    let text = String::from_utf8_lossy(&body[..body.len().min(MOST)]);
    let line = RobotsLine {
        host: host_of(&url),
        url: &url,
        date: &record.header.get("WARC-Date").unwrap_or_default(),
        status,
        bytes: body.len(),
        truncated: body.len() > MOST,
        problem,
        text: &text,
        warc_offset: record.offset,
        offset_in_member: record.offset_in_member,
    };
    let mut line = serde_json::to_vec(&line).ok()?;
    line.push(b'\n');
    Some(line)
}

/// Whether a URL is that of a host's robots.txt or tdmrep.json.
fn is_asked_for(url: &str) -> bool {
    let path = url.split_once("://").and_then(|(_, rest)| rest.split_once('/'));
    let path = path.and_then(|(_, path)| path.split(['?', '#']).next());
    matches!(path, Some("robots.txt" | ".well-known/tdmrep.json"))
}

#[cfg(test)]
mod tests {
    use super::is_asked_for;

    #[test]
    fn each_file_is_at_its_place_below_the_root_of_a_host() {
        for url in [
            "https://a.example/robots.txt",
            "http://a.example:8080/robots.txt?x",
            "https://a.example/.well-known/tdmrep.json",
        ] {
            assert!(is_asked_for(url), "{url}");
        }
        for url in [
            "https://a.example/x/robots.txt",
            "https://a.example/robots.txt.html",
            "https://a.example/tdmrep.json",
            "robots.txt",
            "",
        ] {
            assert!(!is_asked_for(url), "{url}");
        }
    }
}
