//! A record → a page, or the reason why not.
//!
//! A page is a record that holds HTML (a `response`, or a `resource` of an HTML type), decoded to UTF-8. The rules are
//! applied from the cheapest on, so that what is not wanted is never decoded.

use std::borrow::Cow;

use crate::archive::{Record, RecordType};
use crate::charset;
use crate::config::Rules;
use crate::http::{self, BodyError, Head, Scratch};
use crate::reason::{Failed, Filtered, Note, Notes};

/// The size at which crawlers cut bodies without always saying so, in bytes (FAULTS of public crawls before August 2019).
const SILENT_CUT: usize = 1 << 20;

/// Why a record did not become a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dropped {
    /// A rule left it out.
    Filtered(Filtered),
    /// Damage or a limit took it.
    Failed(Failed),
}

impl std::fmt::Display for Dropped {
    /// The class, the reason's name and its sentence.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Dropped::Filtered(reason) => write!(f, "filtered as {reason}: {}", reason.sentence()),
            Dropped::Failed(reason) => write!(f, "failed as {reason}: {}", reason.sentence()),
        }
    }
}

impl std::error::Error for Dropped {}

impl From<Filtered> for Dropped {
    fn from(reason: Filtered) -> Self {
        Dropped::Filtered(reason)
    }
}

impl From<Failed> for Dropped {
    fn from(reason: Failed) -> Self {
        Dropped::Failed(reason)
    }
}

/// HTML as text, with what its record and HTTP head say of it.
#[derive(Clone, Debug, Default)]
pub struct Page<'a> {
    /// The page.
    pub html: Cow<'a, str>,
    /// Its URL; `""` where unknown.
    pub url: Cow<'a, str>,
    /// HTTP status; 0 where there was no HTTP head.
    pub status: u16,
    /// MIME type, in lower case.
    pub mime: String,
    /// Name of the encoding, in lower case.
    pub charset: String,
    /// What decided the encoding.
    pub charset_source: &'static str,
    /// The HTTP head's `Content-Language`.
    pub content_language: String,
    /// Whether it was cut short.
    pub truncated: bool,
    /// What was odd.
    pub notes: Notes,
}

impl<'a> Page<'a> {
    /// A page from a file: no HTTP head, the charset from the bytes.
    ///
    /// # Errors
    /// The bytes are no HTML, or in a charset that is not decoded.
    pub fn from_bytes(bytes: &'a [u8], url: &'a str) -> Result<Self, Dropped> {
        let page = Page {
            url: url.into(),
            mime: "text/html".into(),
            ..Page::default()
        };
        page.decoded(bytes, None)
    }

    /// The page in a record.
    ///
    /// # Errors
    /// The reason why there is none.
    pub fn from_record(record: &'a Record<'_>, rules: &Rules, scratch: &'a mut Scratch) -> Result<Self, Dropped> {
        if let Some(reason) = record.failure {
            return Err(reason.into());
        }
        wanted_type(&record.header.record_type, rules)?;
        let url = record.header.url();
        wanted_url(&url, rules)?;
        let mut page = Page {
            url,
            notes: record.notes,
            ..Page::default()
        };
        let (head, body) = match split_head(record) {
            Some((head, at)) => (Some(head), &record.block[at..]),
            None => (None, record.block),
        };
        if let Some(head) = &head {
            page.status = head.status();
            if !rules.statuses.contains(page.status) {
                return Err(Filtered::Status.into());
            }
        }
        page.mime = mime_type(record, head.as_ref(), body);
        if !rules.config.select.mime_types.contains(&page.mime) {
            let headless = head.is_none() && record.header.record_type == RecordType::Response;
            return Err(if headless {
                Filtered::NoHttpHeader
            } else {
                Filtered::Mime
            }
            .into());
        }
        page.truncated = record.header.get("WARC-Truncated").is_some() || body.len() == SILENT_CUT;
        if page.truncated {
            page.notes.add(Note::Truncated);
        }
        let limit = usize::try_from(rules.config.limits.page_bytes).unwrap_or(usize::MAX);
        if body.len() > limit {
            return Err(Failed::TooLarge.into());
        }
        let Some(head) = &head else {
            return page.decoded(body, None)?.within(rules);
        };
        page.content_language = head.content_language().unwrap_or_default();
        let decoded = http::decode_body(head, body, limit, scratch).map_err(|e| match e {
            BodyError::TooLarge => Dropped::Failed(Failed::TooLarge),
            BodyError::EncodingUnknown => Dropped::Filtered(Filtered::EncodingUnknown),
        })?;
        page.notes.extend(decoded.notes);
        page.decoded(decoded.bytes, head.charset().as_deref())?.within(rules)
    }

    /// Fills in the text.
    fn decoded(mut self, body: &'a [u8], label: Option<&str>) -> Result<Self, Dropped> {
        if charset::looks_binary(body) {
            return Err(Filtered::Binary.into());
        }
        let decoded = charset::decode(body, label).map_err(|_| Dropped::Failed(Failed::CharsetUnsupported))?;
        self.notes.extend(decoded.notes);
        self.charset = decoded.encoding.name().to_ascii_lowercase();
        self.charset_source = decoded.source.name();
        self.html = decoded.text;
        Ok(self)
    }

    /// Checks the rules on size.
    fn within(self, rules: &Rules) -> Result<Self, Dropped> {
        let size = self.html.len() as u64;
        let select = &rules.config.select;
        if size < select.min_bytes {
            return Err(Filtered::TooShort.into());
        }
        if select.max_bytes > 0 && size > select.max_bytes {
            return Err(Filtered::TooLong.into());
        }
        Ok(self)
    }
}

fn wanted_type(record_type: &RecordType, rules: &Rules) -> Result<(), Filtered> {
    match record_type {
        // Neither holds a page of its own, whatever was asked for.
        RecordType::Revisit => Err(Filtered::Revisit),
        RecordType::Continuation => Err(Filtered::Segmented),
        wanted if rules.record_types.contains(wanted) => Ok(()),
        _ => Err(Filtered::RecordType),
    }
}

fn wanted_url(url: &str, rules: &Rules) -> Result<(), Filtered> {
    let url = url.as_bytes();
    let included = rules.url_include.as_ref().is_none_or(|set| set.is_match(url));
    let excluded = rules.url_exclude.as_ref().is_some_and(|set| set.is_match(url));
    if included && !excluded {
        Ok(())
    } else {
        Err(Filtered::Url)
    }
}

/// The HTTP head of a response. A resource has none, even where its content looks like one.
fn split_head<'a>(record: &Record<'a>) -> Option<(Head<'a>, usize)> {
    match record.header.record_type {
        RecordType::Resource => None,
        _ => http::parse_head(record.block),
    }
}

/// The MIME type: of the HTTP head, of the record, or what the body looks like.
fn mime_type(record: &Record<'_>, head: Option<&Head<'_>>, body: &[u8]) -> String {
    let identified = || record.header.get("WARC-Identified-Payload-Type").map(|t| bare_mime(&t));
    let of_block = || {
        // A WARC response's Content-Type is that of the HTTP message, not of the page.
        let mime = bare_mime(&record.header.content_type());
        (mime != "application/http" && mime.contains('/')).then_some(mime)
    };
    let stated = match head {
        Some(head) => head.mime().filter(|m| m.contains('/')).or_else(identified),
        None => of_block().or_else(identified),
    };
    stated.unwrap_or_else(|| {
        if looks_like_html(body) {
            "text/html".into()
        } else {
            String::new()
        }
    })
}

fn bare_mime(value: &str) -> String {
    value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

/// Whether a body without a type starts as HTML does.
fn looks_like_html(body: &[u8]) -> bool {
    let start = body[..body.len().min(1024)].trim_ascii_start().to_ascii_lowercase();
    let starts = |with: &str| start.starts_with(with.as_bytes());
    starts("<!doctype html") || starts("<html") || starts("<head") || starts("<body") || starts("<!--")
}
