//! A record → a page, or the reason why not.
//!
//! A page is a record that holds HTML (a `response`, or a `resource` of an HTML type), decoded to UTF-8. The rules are
//! applied from the cheapest on, so that what is not wanted is never decoded.

use std::borrow::Cow;

use crate::archive::Fault;
use crate::archive::{Record, RecordType};
use crate::config::Rules;
use crate::http::{self, BodyError, Head, Scratch};
use crate::provenance::{ArchiveName, Provenance};
use crate::reason::{Failed, Filtered, Notes, PageFault, PageNote};

/// The size at which crawlers cut bodies without always saying so, in bytes (public crawls before August 2019).
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

impl From<Fault> for Dropped {
    fn from(fault: Fault) -> Self {
        Dropped::Failed(fault.into())
    }
}

impl From<PageFault> for Dropped {
    fn from(fault: PageFault) -> Self {
        Dropped::Failed(fault.into())
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
    /// Where it stood in its archive; empty for a page from a file.
    pub provenance: Provenance<'a>,
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

    /// The page in a record of `archive`, with its provenance.
    ///
    /// # Errors
    /// The reason why there is none.
    pub fn from_record(
        record: &'a Record<'_>,
        rules: &Rules,
        scratch: &'a mut Scratch,
        archive: ArchiveName<'a>,
    ) -> Result<Self, Dropped> {
        let mut page = Self::decode_record(record, rules, scratch)?;
        page.provenance = Provenance::of_record(record, archive);
        Ok(page)
    }

    fn decode_record(record: &'a Record<'_>, rules: &Rules, scratch: &'a mut Scratch) -> Result<Self, Dropped> {
        if let Some(reason) = record.failure {
            return Err(reason.into());
        }
        wanted_type(&record.header.record_type, rules)?;
        let url = record.header.url();
        wanted_url(&url, rules)?;
        let mut page = Page {
            url,
            notes: record.notes.into(),
            ..Page::default()
        };
        let (head, body) = match split_head(record) {
            Some((head, at)) => (Some(head), &record.block[at..]),
            None => (None, &record.block[..]),
        };
        if let Some(head) = &head {
            page.status = head.status();
            if !rules.statuses.contains(page.status) {
                return Err(Filtered::Status.into());
            }
        }
        let stated = stated_mime(record, head.as_ref());
        page.truncated = record.header.get("WARC-Truncated").is_some() || body.len() == SILENT_CUT;
        if page.truncated {
            page.notes.add(PageNote::Truncated);
        }
        let Some(head) = head else {
            let headless = record.header.record_type == RecordType::Response;
            let refused = if headless {
                Filtered::NoHttpHeader
            } else {
                Filtered::Mime
            };
            page.mime = wanted_mime(stated, body, rules).ok_or(refused)?;
            if body.len() as u64 > rules.config.limits.page_bytes {
                return Err(Fault::TooLarge.into());
            }
            return page.decoded(body, None)?.within(rules);
        };
        // What states its type need not be decoded to be refused.
        if stated
            .as_ref()
            .is_some_and(|mime| !rules.config.select.mime_types.contains(mime))
        {
            return Err(Filtered::Mime.into());
        }
        page.content_language = head.content_language().unwrap_or_default();
        let limit = rules.config.limits.of_body(body.len());
        let decoded = http::decode_body(&head, body, limit, scratch).map_err(|e| match e {
            BodyError::TooLarge => Fault::TooLarge.into(),
            BodyError::EncodingUnknown => Dropped::Filtered(Filtered::EncodingUnknown),
        })?;
        page.mime = wanted_mime(stated, decoded.bytes, rules).ok_or(Filtered::Mime)?;
        page.notes.extend(decoded.notes);
        page.decoded(decoded.bytes, head.charset().as_deref())?.within(rules)
    }

    /// Fills in the text.
    fn decoded(mut self, body: &'a [u8], label: Option<&str>) -> Result<Self, Dropped> {
        if dehusk_html::looks_binary(body) {
            return Err(Filtered::Binary.into());
        }
        let decoded = dehusk_html::decode(body, label).map_err(|_| PageFault::CharsetUnsupported)?;
        if decoded.oddities.label {
            self.notes.add(PageNote::CharsetLabel);
        }
        if decoded.oddities.invalid {
            self.notes.add(PageNote::InvalidText);
        }
        self.charset = decoded.encoding.to_owned();
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
fn split_head<'a>(record: &'a Record<'_>) -> Option<(Head<'a>, usize)> {
    match record.header.record_type {
        RecordType::Resource => None,
        _ => http::parse_head(&record.block),
    }
}

/// The MIME type that the HTTP head states, or the record.
fn stated_mime(record: &Record<'_>, head: Option<&Head<'_>>) -> Option<String> {
    let identified = || record.header.get("WARC-Identified-Payload-Type").map(|t| bare_mime(&t));
    let of_block = || {
        // A WARC response's Content-Type is that of the HTTP message, not of the page.
        let mime = bare_mime(&record.header.content_type());
        (mime != "application/http" && mime.contains('/')).then_some(mime)
    };
    match head {
        Some(head) => head.mime().filter(|m| m.contains('/')).or_else(identified),
        None => of_block().or_else(identified),
    }
}

/// The MIME type of a page, by what is stated or by how the decoded body starts; `None` where it is not wanted.
fn wanted_mime(stated: Option<String>, body: &[u8], rules: &Rules) -> Option<String> {
    let mime = stated.unwrap_or_else(|| {
        if starts_as_html(body) {
            "text/html".into()
        } else {
            String::new()
        }
    });
    rules.config.select.mime_types.contains(&mime).then_some(mime)
}

fn bare_mime(value: &str) -> String {
    value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

/// Whether a body without a type starts as HTML does, by the tags that the MIME Sniffing standard looks for.
fn starts_as_html(body: &[u8]) -> bool {
    const OPENINGS: &[&str] = &[
        "<!doctype html",
        "<html",
        "<head",
        "<body",
        "<title",
        "<meta",
        "<script",
        "<style",
        "<table",
        "<div",
        "<font",
        "<iframe",
        "<center",
        "<h1",
        "<br",
        "<p>",
        "<p ",
        "<a ",
        "<b>",
        "<!--",
    ];
    let body = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body).trim_ascii_start();
    let start = body[..body.len().min(64)].to_ascii_lowercase();
    OPENINGS.iter().any(|opening| start.starts_with(opening.as_bytes()))
}
