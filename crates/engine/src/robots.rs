//! The table of robots.txt records: `output.robots`. It holds what servers asked of crawlers, as the archive has it.

use serde::Serialize;

use crate::sites::host_of;
use dehusk_archive::http::{self, Scratch};
use dehusk_archive::{Record, RecordType};

/// More bytes of a file are cut off: RFC 9309, section 2.5, asks parsers to read as many at least.
const MOST: usize = 500 << 10;

/// A line of the table.
#[derive(Serialize)]
struct RobotsLine<'l> {
    host: String,
    url: &'l str,
    /// When it was crawled, as the record says.
    date: &'l str,
    /// HTTP status; 0 without an HTTP head.
    status: u16,
    /// Decoded length in bytes.
    bytes: usize,
    /// Whether `text` lacks the end.
    truncated: bool,
    text: &'l str,
    warc_offset: u64,
    offset_in_member: u64,
}

/// The line of a record, with its line end; `None` if it is no robots.txt. A body that cannot be decoded is empty.
/// `limit` is the most bytes that a body may have after any coding.
pub(crate) fn line(record: &Record<'_>, limit: usize, scratch: &mut Scratch) -> Option<Vec<u8>> {
    let is_wanted = matches!(record.header.record_type, RecordType::Response | RecordType::Resource);
    let url = record.header.url();
    if !is_wanted || record.failure.is_some() || !is_robots(&url) {
        return None;
    }
    let head = http::parse_head(&record.block).filter(|_| record.header.record_type == RecordType::Response);
    let (status, body) = match &head {
        Some((head, at)) => {
            let decoded = http::decode_body(head, &record.block[*at..], limit, scratch);
            (head.status(), decoded.map_or(&[][..], |body| body.bytes))
        }
        None => (0, &record.block[..]),
    };
    let text = String::from_utf8_lossy(&body[..body.len().min(MOST)]);
    let line = RobotsLine {
        host: host_of(&url),
        url: &url,
        date: &record.header.get("WARC-Date").unwrap_or_default(),
        status,
        bytes: body.len(),
        truncated: body.len() > MOST,
        text: &text,
        warc_offset: record.offset,
        offset_in_member: record.offset_in_member,
    };
    let mut line = serde_json::to_vec(&line).ok()?;
    line.push(b'\n');
    Some(line)
}

/// Whether a URL is that of a host's robots.txt.
fn is_robots(url: &str) -> bool {
    let path = url.split_once("://").and_then(|(_, rest)| rest.split_once('/'));
    path.is_some_and(|(_, path)| path.split(['?', '#']).next() == Some("robots.txt"))
}

#[cfg(test)]
mod tests {
    use super::is_robots;

    #[test]
    fn a_robots_txt_is_at_the_root_of_its_host() {
        for url in ["https://a.example/robots.txt", "http://a.example:8080/robots.txt?x"] {
            assert!(is_robots(url), "{url}");
        }
        for url in [
            "https://a.example/x/robots.txt",
            "https://a.example/robots.txt.html",
            "robots.txt",
            "",
        ] {
            assert!(!is_robots(url), "{url}");
        }
    }
}
