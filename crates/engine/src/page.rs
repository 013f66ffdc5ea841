//! A record → a page, or the reason why it is not one.
//!
//! A page is the HTML of a `response` or `resource` record, decoded to UTF-8. The rules apply in the order of their
//! cost, so that a body is decoded only if all cheaper rules keep its record.

use std::borrow::Cow;

use crate::config::{LanguageSource, Rules, Wish};
use crate::host_lists::HostRule;
use crate::languages::LanguageLabels;
use crate::provenance::{ArchiveName, Provenance};
use crate::reason::{Failed, Filtered, Notes, PageFault, PageNote};
use dehusk_archive::http::{self, BodyError, Head, Scratch};
use dehusk_archive::{Fault, Framing, Note, Record, RecordType};
use dehusk_documents::quality::QualityRule;
use dehusk_documents::store::{PayloadKey, payload_key};
use dehusk_metadata::Rights;

/// Some crawlers cut bodies at this size without a note in the record (public crawls before August 2019). In bytes.
const SILENT_CUT: usize = 1 << 20;

/// The type of texts that are passed through as they are, as conversions in WET files are.
const PLAIN_TEXT: &str = "text/plain";

/// Why a record did not become a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dropped {
    /// A rule of the configuration leaves it out, or it holds no text.
    Filtered(Filtered),
    /// A list of hosts leaves it out.
    Host(HostRule),
    /// The page or its server asks for something that is respected.
    Wish(Wish),
    /// A rule of quality leaves it out.
    LowQuality(QualityRule),
    /// It is damaged, or beyond a limit.
    Failed(Failed),
}

impl std::fmt::Display for Dropped {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Dropped::Filtered(reason) => write!(f, "filtered as {reason}: {}", reason.sentence()),
            Dropped::Host(rule) => write!(f, "filtered as {}: by the list select.{rule}", Filtered::Host),
            Dropped::Wish(wish) => write!(f, "filtered as {}: {wish} is respected", Filtered::Wish),
            Dropped::LowQuality(rule) => write!(f, "filtered as {}: {rule} does not hold", Filtered::Quality),
            Dropped::Failed(reason) => write!(f, "failed as {reason}: {}", reason.sentence()),
        }
    }
}

impl std::error::Error for Dropped {}

impl Dropped {
    /// The outcome of the record: `filtered` or `failed`.
    pub fn outcome(&self) -> &'static str {
        match self {
            Dropped::Failed(_) => "failed",
            Dropped::Filtered(_) | Dropped::Host(_) | Dropped::Wish(_) | Dropped::LowQuality(_) => "filtered",
        }
    }

    /// The name of the reason, as the ledger has it.
    pub fn reason(&self) -> &'static str {
        match self {
            Dropped::Filtered(reason) => reason.name(),
            Dropped::Host(_) => Filtered::Host.name(),
            Dropped::Wish(_) => Filtered::Wish.name(),
            Dropped::LowQuality(_) => Filtered::Quality.name(),
            Dropped::Failed(reason) => reason.name(),
        }
    }

    /// The reason in one sentence.
    pub fn sentence(&self) -> String {
        match self {
            Dropped::Filtered(reason) => reason.sentence().to_owned(),
            Dropped::Host(rule) => format!("{} Here it is `{rule}`.", Filtered::Host.sentence()),
            Dropped::Wish(wish) => format!("{} Here it is `{wish}`.", Filtered::Wish.sentence()),
            Dropped::LowQuality(rule) => format!("{} {rule} does not hold.", Filtered::Quality.sentence()),
            Dropped::Failed(reason) => reason.sentence().to_owned(),
        }
    }

    /// The rule among several of one reason: the rule of quality, the list of hosts, or the wish.
    pub fn rule(&self) -> Option<String> {
        match self {
            Dropped::Host(rule) => Some(rule.to_string()),
            Dropped::Wish(wish) => Some(wish.to_string()),
            Dropped::LowQuality(rule) => Some(rule.to_string()),
            Dropped::Filtered(_) | Dropped::Failed(_) => None,
        }
    }
}

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

/// HTML as text, with the facts about it from the record and the HTTP head.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Page<'a> {
    /// The HTML.
    pub html: Cow<'a, str>,
    /// The URL; `""` if unknown.
    pub url: Cow<'a, str>,
    /// The HTTP status; 0 without an HTTP head.
    pub status: u16,
    /// The MIME type, in lower case; `""` if unknown.
    pub mime: String,
    /// The name of the encoding that the HTML was decoded from, in lower case; `""` if it was text already.
    pub charset: String,
    /// The source of the encoding: `bom`, `http`, `meta`, `utf8` or `detected`.
    pub charset_source: &'static str,
    /// `Content-Language` of the HTTP head; `""` if there is none.
    pub content_language: String,
    /// The labels of its language from other sources than the page, if the rules ask for them.
    #[doc(hidden)]
    pub labels: LanguageLabels<'a>,
    /// The head's part of what the page and its server ask, if the rules want to know it.
    #[doc(hidden)]
    pub rights: Rights,
    /// Whether `html` is no HTML but text, which is the main content already.
    #[doc(hidden)]
    pub is_text: bool,
    /// Whether the archive holds only the beginning of the page.
    pub truncated: bool,
    /// Oddities that lost nothing.
    pub notes: Notes,
    /// The key of its payload, if the rules ask for it.
    #[doc(hidden)]
    pub payload: Option<PayloadKey>,
    /// Where the page comes from; empty for a page without an archive.
    pub provenance: Provenance<'a>,
}

impl<'a> Page<'a> {
    /// A page of HTML that is text already. `url` may be `""`.
    pub fn from_text(html: impl Into<Cow<'a, str>>, url: impl Into<Cow<'a, str>>) -> Self {
        Page {
            html: html.into(),
            url: url.into(),
            mime: "text/html".into(),
            ..Page::default()
        }
    }

    /// A page of the bytes of an HTML file. The charset is found in the bytes. `url` may be `""`.
    ///
    /// # Errors
    /// The bytes are not text, or their charset is not supported.
    pub fn from_bytes(bytes: &'a [u8], url: &'a str) -> Result<Self, Dropped> {
        Page::from_text("", url).decode(bytes, None)
    }

    /// The same for a page whose charset was stated beside its bytes, as by an HTTP head.
    ///
    /// # Errors
    /// Those of [`Page::from_bytes`].
    #[doc(hidden)]
    pub fn from_labelled_bytes(bytes: &'a [u8], charset: Option<&str>, url: &'a str) -> Result<Self, Dropped> {
        Page::from_text("", url).decode(bytes, charset)
    }

    /// The page that a record of `archive` holds.
    ///
    /// # Errors
    /// The reason why it holds none.
    #[doc(hidden)]
    pub fn from_record(
        record: &'a Record<'_>,
        rules: &Rules,
        scratch: &'a mut Scratch,
        archive: ArchiveName<'a>,
    ) -> Result<Self, Dropped> {
        let (url, date) = match &rules.url_pattern {
            Some(pattern) if record.header.framing == Framing::Tar => pattern.read(&record.header.url()),
            _ => (None, None),
        };
        let mut page = Self::decode_record(record, rules, url.map(Cow::Owned), scratch)?;
        page.provenance = Provenance::of_record(record, archive);
        if let Some(date) = date {
            page.provenance.date = date;
        }
        Ok(page)
    }

    /// The page of a revisit: id, URL, date and place are its own; payload and HTTP head, with its status, type,
    /// codings and charset, are those of its original.
    ///
    /// # Errors
    /// The reason why the original holds no page.
    pub(crate) fn from_revisit(
        revisit: &'a Record<'_>,
        original: &'a Record<'_>,
        rules: &Rules,
        scratch: &'a mut Scratch,
        archive: ArchiveName<'a>,
    ) -> Result<Self, Dropped> {
        let mut page = Self::decode_record(original, rules, Some(revisit.header.url()), scratch)?;
        page.notes.extend(revisit.notes);
        page.notes.add(PageNote::RevisitResolved);
        if !revisit.header.is_plausible() {
            page.notes.add(PageNote::HeaderValue);
        }
        page.provenance = Provenance::of_record(revisit, archive);
        Ok(page)
    }

    /// `url` is the URL by the configuration, in place of the record's.
    fn decode_record(
        record: &'a Record<'_>,
        rules: &Rules,
        url: Option<Cow<'a, str>>,
        scratch: &'a mut Scratch,
    ) -> Result<Self, Dropped> {
        if let Some(reason) = record.failure {
            return Err(reason.into());
        }
        check_type(&record.header.record_type, rules)?;
        let mut page = Self::with_header(record, rules, url.unwrap_or_else(|| record.header.url()))?;
        let (head, body) = match split_head(record) {
            Some((head, at)) => (Some(head), &record.block[at..]),
            None => (None, &record.block[..]),
        };
        if let Some(head) = &head {
            page.read_head(head, &record.block, rules)?;
        }
        let stated = stated_mime(record, head.as_ref());
        page.truncated = record.header.get("WARC-Truncated").is_some() || body.len() == SILENT_CUT;
        if page.truncated {
            page.notes.add(PageNote::Truncated);
        }
        let is_conversion = record.header.record_type == RecordType::Conversion;
        page.is_text = stated.as_deref() == Some(PLAIN_TEXT) && (is_conversion || rules.config.select.plain_text);
        if page.is_text && (is_conversion || head.is_none()) {
            page.mime = PLAIN_TEXT.to_owned();
            return page.whole(body, rules);
        }
        let Some(head) = head.or_else(|| coding_of_file(record)) else {
            let reason = match record.header.record_type {
                RecordType::Response => Filtered::NoHttpHeader,
                _ => Filtered::Mime,
            };
            page.mime = kept_mime(stated, body, rules).ok_or(reason)?;
            return page.whole(body, rules);
        };
        // Without a stated type, the decoded body decides.
        if let Some(mime) = &stated
            && !page.is_text
            && !rules.config.select.mime_types.contains(mime)
        {
            return Err(Filtered::Mime.into());
        }
        page.content_language = head.content_language().unwrap_or_default();
        let limit = rules.config.limits.of_body(body.len());
        let decoded = http::decode_body(&head, body, limit, scratch).map_err(|e| match e {
            BodyError::TooLarge => Fault::TooLarge.into(),
            BodyError::EncodingUnknown => Dropped::Filtered(Filtered::EncodingUnknown),
            BodyError::Undecodable => PageFault::ContentCoding.into(),
        })?;
        page.mime = match stated {
            Some(mime) if page.is_text => mime,
            stated => kept_mime(stated, decoded.bytes, rules).ok_or(Filtered::Mime)?,
        };
        page.notes.extend(decoded.notes);
        // Binary data under a coding that could not be removed may be a damaged page.
        let is_undecoded = head.content_codings().next().is_some()
            && [Note::CodingAbsent, Note::ContentCoding]
                .iter()
                .any(|note| decoded.notes.has(*note));
        let page = page
            .decode(decoded.bytes, head.charset().as_deref())
            .map_err(|dropped| match dropped {
                Dropped::Filtered(Filtered::Binary) if is_undecoded => PageFault::ContentCoding.into(),
                dropped => dropped,
            })?
            .check_size(rules)?;
        Ok(page.with_payload(decoded.bytes, rules))
    }

    /// A page with the data of the record's header.
    fn with_header(record: &'a Record<'_>, rules: &Rules, url: Cow<'a, str>) -> Result<Self, Dropped> {
        check_url(&url, rules)?;
        let mut page = Page {
            url,
            notes: record.notes.into(),
            ..Page::default()
        };
        if rules.languages.ask(LanguageSource::Header) {
            let label = record.header.get("WARC-Identified-Content-Language");
            page.labels.header = label.unwrap_or_default();
        }
        if !record.header.is_plausible() {
            page.notes.add(PageNote::HeaderValue);
        }
        Ok(page)
    }

    /// Takes the status and the wishes of an HTTP head, which `block` begins with.
    fn read_head(&mut self, head: &Head<'_>, block: &[u8], rules: &Rules) -> Result<(), Dropped> {
        self.status = head.status();
        if !rules.statuses.contains(self.status) {
            return Err(Filtered::Status.into());
        }
        if rules.wants_rights() {
            // A wish counts even in a head that is too long.
            let long = Some(head).filter(|head| head.is_cut());
            let whole = long.and_then(|_| http::parse_fields(block, &Rights::HEAD_FIELDS));
            self.rights = Rights::of_head(|name| whole.as_ref().unwrap_or(head).texts(name));
            check_wishes(&self.rights, rules)?;
        }
        Ok(())
    }

    /// Decodes a body without an HTTP head.
    fn whole(self, body: &'a [u8], rules: &Rules) -> Result<Self, Dropped> {
        if body.len() as u64 > rules.config.limits.page_bytes {
            return Err(Fault::TooLarge.into());
        }
        let page = self.decode(body, None)?.check_size(rules)?;
        Ok(page.with_payload(body, rules))
    }

    /// Notes the key of the body.
    fn with_payload(mut self, body: &[u8], rules: &Rules) -> Self {
        self.payload = (!rules.config.select.seen.is_empty()).then(|| payload_key(body));
        self
    }

    /// Decodes the body to text. `label` is the charset that the HTTP head states.
    fn decode(mut self, body: &'a [u8], label: Option<&str>) -> Result<Self, Dropped> {
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

    fn check_size(self, rules: &Rules) -> Result<Self, Dropped> {
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

fn check_type(record_type: &RecordType, rules: &Rules) -> Result<(), Filtered> {
    match record_type {
        // These hold no whole page, even if the configuration asks for their type.
        RecordType::Revisit => Err(Filtered::Revisit),
        RecordType::Continuation => Err(Filtered::Segmented),
        kept if rules.record_types.contains(kept) => Ok(()),
        _ => Err(Filtered::RecordType),
    }
}

fn check_url(url: &str, rules: &Rules) -> Result<(), Dropped> {
    let bytes = url.as_bytes();
    let included = rules.url_include.as_ref().is_none_or(|set| set.is_match(bytes));
    let excluded = rules.url_exclude.as_ref().is_some_and(|set| set.is_match(bytes));
    if !included || excluded {
        return Err(Filtered::Url.into());
    }
    rules.hosts.rule(url).map_or(Ok(()), |rule| Err(Dropped::Host(rule)))
}

/// Drops a page that asks for something that is respected, or whose server does. The first wish of the configuration
/// that is asked is the rule.
pub(crate) fn check_wishes(rights: &Rights, rules: &Rules) -> Result<(), Dropped> {
    let select = &rules.config.select;
    let mut wishes = select.respect.iter();
    let asked = wishes.find(|wish| wish.is_asked(rights, &select.respect_agents));
    asked.map_or(Ok(()), |wish| Err(Dropped::Wish(*wish)))
}

/// The HTTP head of a response, and where its body starts. A resource has no head, even if its content looks like one.
fn split_head<'a>(record: &'a Record<'_>) -> Option<(Head<'a>, usize)> {
    match record.header.record_type {
        RecordType::Resource => None,
        _ => http::parse_head(&record.block),
    }
}

/// The HTTP head that a server would send for a compressed page in a tar file or a directory.
fn coding_of_file(record: &Record<'_>) -> Option<Head<'static>> {
    let is_gzip = record.block.starts_with(&[0x1f, 0x8b]);
    let head: &'static [u8] = match record.header.framing {
        Framing::Tar if is_gzip => b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n",
        Framing::Tar if dehusk_archive::is_zstd(&record.block) => b"HTTP/1.1 200 OK\r\nContent-Encoding: zstd\r\n\r\n",
        _ => return None,
    };
    http::parse_head(head).map(|(head, _)| head)
}

/// The MIME type that the HTTP head states, or else the record.
fn stated_mime(record: &Record<'_>, head: Option<&Head<'_>>) -> Option<String> {
    let identified = || record.header.get("WARC-Identified-Payload-Type").map(|t| bare_mime(&t));
    let of_block = || {
        // The Content-Type of a WARC response is that of the HTTP message, not of the page.
        let mime = bare_mime(&record.header.content_type());
        (mime != "application/http" && mime.contains('/')).then_some(mime)
    };
    match head {
        Some(head) => head.mime().filter(|m| m.contains('/')).or_else(identified),
        None => of_block().or_else(identified),
    }
}

/// The MIME type of a page: the stated one, or else what the decoded body starts like. `None` if the rules drop this
/// type.
fn kept_mime(stated: Option<String>, body: &[u8], rules: &Rules) -> Option<String> {
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

/// Whether a body starts with one of the tags that the MIME Sniffing standard takes for HTML.
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
