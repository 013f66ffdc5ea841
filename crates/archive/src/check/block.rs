//! The rules of a block: its digests, and the messages and fields in it.

use super::rule::Rule;
use crate::digest;
use crate::framing::Framing;
use crate::header::Header;
use crate::http::{self, Head, Scratch, decode_body};
use crate::record::Record;
use crate::record_type::RecordType;

/// Most bytes of a decoded body that are compared with a digest which the stored body does not have.
const DECODED_LIMIT: usize = 1 << 30;

/// Most bytes of a block of fields that are looked at.
const FIELDS_LIMIT: usize = 64 << 10;

/// Checks blocks. It keeps the buffers of decoding.
#[derive(Default)]
pub(super) struct Checker {
    scratch: Scratch,
}

impl Checker {
    /// Checks the block of a whole record. Returns how many digests were verified.
    pub(super) fn check(&mut self, record: &Record<'_>, found: &mut Vec<(Rule, String)>) -> u64 {
        if record.header.framing == Framing::Tar {
            return 0;
        }
        let (header, block) = (&record.header, &*record.block);
        let message = Message::of(header, block);
        let mut digests = 0;
        if header.framing == Framing::Warc {
            self.media_type(header, block, &message, found);
            digests = self.digests(record, &message, found);
        }
        if let Message::Response(head, body) = &message {
            http_length(head, block.len() - body, header, found);
        }
        digests
    }

    fn media_type(&self, header: &Header, block: &[u8], message: &Message<'_>, found: &mut Vec<(Rule, String)>) {
        let media_type = header.content_type();
        let essence = media_type.split(';').next().unwrap_or_default().trim();
        let (is_request, is_response) = match header.record_type {
            RecordType::Request => (true, false),
            RecordType::Response => (false, true),
            _ => (false, false),
        };
        if media_type.is_empty() {
            if !block.is_empty() && header.record_type != RecordType::Continuation {
                found.push((Rule::ContentType, String::new()));
            }
        } else if (is_request || is_response) && is_http(header) {
            let other = if is_request { "response" } else { "request" };
            let kind = http::parameter(media_type.as_bytes(), b"msgtype");
            let is_wrong = kind.is_some_and(|kind| kind.eq_ignore_ascii_case(other) || !is_kind(&kind));
            if !essence.eq_ignore_ascii_case("application/http") || is_wrong {
                found.push((Rule::HttpType, media_type.clone().into_owned()));
            }
        } else if header.record_type == RecordType::WarcInfo && !essence.eq_ignore_ascii_case("application/warc-fields")
        {
            found.push((Rule::WarcinfoFields, media_type.clone().into_owned()));
        }
        if essence.eq_ignore_ascii_case("application/warc-fields")
            && let Some(line) = not_a_field(&block[..block.len().min(FIELDS_LIMIT)])
        {
            found.push((Rule::WarcinfoFields, String::from_utf8_lossy(line).into_owned()));
        }
        let states_http = essence.eq_ignore_ascii_case("application/http") && (is_request || is_response);
        if states_http && matches!(message, Message::Other(_)) {
            let start = &block[..block.len().min(32)];
            found.push((Rule::HttpMessage, String::from_utf8_lossy(start).into_owned()));
        }
    }

    /// Verifies the digests of block and payload. Returns how many there were.
    ///
    /// The digest of a truncated, segmented or repeated payload is that of a whole which is not here.
    fn digests(&mut self, record: &Record<'_>, message: &Message<'_>, found: &mut Vec<(Rule, String)>) -> u64 {
        let (header, block) = (&record.header, &*record.block);
        let is_elsewhere = matches!(header.record_type, RecordType::Revisit | RecordType::Continuation)
            || header.get("WARC-Truncated").is_some()
            || header.get("WARC-Segment-Number").is_some();
        let payload = match message {
            Message::Response(_, body) | Message::Request(body) | Message::Other(body) => &block[*body..],
        };
        let of_block = stated(header, "WARC-Block-Digest");
        let of_payload = stated(header, "WARC-Payload-Digest").filter(|_| !is_elsewhere);
        let (is_block_right, is_payload_right) = match (&of_block, &of_payload) {
            (Some(one), Some(same)) if one == same && payload.len() == block.len() => {
                let is_right = one.matches(block);
                (is_right, is_right)
            }
            (Some(of_block), Some(of_payload)) => of_block.both_match(block, of_payload, payload),
            (of_block, of_payload) => (
                of_block.as_ref().is_none_or(|digest| digest.matches(block)),
                of_payload.as_ref().is_none_or(|digest| digest.matches(payload)),
            ),
        };
        if !is_block_right {
            found.push((Rule::BlockDigest, text(header, "WARC-Block-Digest")));
        }
        if let Some(digest) = of_payload.as_ref().filter(|_| !is_payload_right)
            && let Some(rule) = self.otherwise(digest, message, payload)
        {
            found.push((rule, text(header, "WARC-Payload-Digest")));
        }
        u64::from(of_block.is_some()) + u64::from(of_payload.is_some())
    }

    /// The rule that a payload breaks which as it is stored does not have its digest.
    ///
    /// The payload is the body without its transfer codings. Some writers remove its content codings, too.
    fn otherwise(&mut self, digest: &digest::Stated, message: &Message<'_>, payload: &[u8]) -> Option<Rule> {
        let Message::Response(head, _) = message else {
            return Some(Rule::PayloadDigest);
        };
        if head.transfer_codings().next().is_some()
            && http::without_chunks(payload).is_some_and(|payload| digest.matches(&payload))
        {
            return None;
        }
        match decode_body(head, payload, DECODED_LIMIT, &mut self.scratch) {
            Ok(body) if digest.matches(body.bytes) => Some(Rule::PayloadDecoded),
            _ => Some(Rule::PayloadDigest),
        }
    }
}

/// The kind of HTTP message in a block.
enum Message<'b> {
    /// A response, and where its body starts.
    Response(Head<'b>, usize),
    /// A request, and where its body starts.
    Request(usize),
    /// No message of the record's kind. The payload may still be what follows something like a head.
    Other(usize),
}

impl<'b> Message<'b> {
    fn of(header: &Header, block: &'b [u8]) -> Self {
        match header.record_type {
            RecordType::Response | RecordType::Revisit => match http::parse_head(block) {
                Some((head, body)) => Message::Response(head, body),
                None => Message::Other(0),
            },
            RecordType::Request if is_request(block) => Message::Request(http::head_end(block)),
            // Some writers begin a request as if it were a response.
            RecordType::Request if block.starts_with(b"HTTP/") => Message::Other(http::head_end(block)),
            _ => Message::Other(0),
        }
    }
}

/// Whether a block starts with the first line of a request: a method, a target and a version.
fn is_request(block: &[u8]) -> bool {
    let line = block.split(|b| *b == b'\n').next().unwrap_or_default();
    let mut words = line.trim_ascii_end().split(|b| *b == b' ');
    let has_method = words
        .next()
        .is_some_and(|method| method.iter().all(u8::is_ascii_alphabetic));
    has_method && words.next_back().is_some_and(|version| version.starts_with(b"HTTP/"))
}

fn http_length(head: &Head<'_>, body: usize, header: &Header, found: &mut Vec<(Rule, String)>) {
    let is_whole = header.record_type == RecordType::Response
        && header.get("WARC-Truncated").is_none()
        && header.get("WARC-Segment-Number").is_none()
        && head.transfer_codings().next().is_none();
    match head.content_length().filter(|_| is_whole) {
        Some(stated) if stated != body as u64 => {
            found.push((
                Rule::HttpLength,
                format!("Content-Length: {stated}, but the body has {body} bytes"),
            ));
        }
        _ => {}
    }
}

fn stated(header: &Header, name: &str) -> Option<digest::Stated> {
    digest::read(&header.get(name)?).ok()
}

fn text(header: &Header, name: &str) -> String {
    format!("{name}: {}", header.get(name).unwrap_or_default())
}

/// Whether the record is one of HTTP, by its URL.
fn is_http(header: &Header) -> bool {
    let url = header.url();
    let scheme = url.split(':').next().unwrap_or_default();
    scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https")
}

fn is_kind(kind: &str) -> bool {
    kind.eq_ignore_ascii_case("request") || kind.eq_ignore_ascii_case("response")
}

/// The first line of a block of fields that is none.
fn not_a_field(block: &[u8]) -> Option<&[u8]> {
    let mut lines = block.split(|b| *b == b'\n').map(<[u8]>::trim_ascii_end);
    lines.find(|line| {
        let is_folded = matches!(line.first(), Some(b' ' | b'\t'));
        let colon = memchr::memchr(b':', line);
        !line.is_empty() && !is_folded && colon.is_none_or(|at| at == 0)
    })
}
