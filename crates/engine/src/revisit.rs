//! References of revisits to other records (WARC 1.1, section 6.7), and the keys by which records can be referred to.
//!
//! A revisit replaces the page of an earlier capture, its original. Crawlers refer to that in several ways: wget by the
//! id of its record, warcio, warcprox and Common Crawl by its URL and date, Heritrix often by nothing but the digest of
//! the payload and the URL that both have. The profile states whether the payload is the same or the server only
//! answered that it had not changed.

use dehusk_archive::{Header, Record, RecordType};
use xxhash_rust::xxh3::xxh3_128;

use dehusk_documents::store::{Place, PlaceKey};

/// How far from the start of its member or frame an original may be, in decoded bytes: so much has to be decoded for
/// each of its revisits.
const REACH: u64 = 8 << 20;

/// A reference to a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reference {
    /// Its id.
    Id(String),
    /// Its URL and its date.
    Capture {
        /// Its URL.
        url: String,
        /// Its date, as its record has it.
        date: String,
    },
    /// Its URL and the digest of its payload.
    Payload {
        /// Its URL.
        url: String,
        /// The digest, with the name of its algorithm.
        digest: String,
    },
}

impl Reference {
    /// Its key in the store of places.
    pub fn key(&self) -> PlaceKey {
        let text = match self {
            Self::Id(id) => format!("id\0{id}"),
            Self::Capture { url, date } => format!("capture\0{url}\0{date}"),
            Self::Payload { url, digest } => format!("payload\0{url}\0{digest}"),
        };
        xxh3_128(text.as_bytes()).to_le_bytes()
    }

    /// Whether it is a reference to this record.
    pub(crate) fn leads_to(&self, header: &Header) -> bool {
        names(header).contains(self)
    }
}

/// The promise of a revisit's profile.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Profile {
    /// The payload has the digest of the original's.
    IdenticalPayload,
    /// The server answered that the page has not changed. If there is a digest, it is that of an empty answer.
    NotModified,
    /// Nothing that is known.
    Other,
}

impl Profile {
    fn read(header: &Header) -> Self {
        // The versions of the standard differ in the parts before the last.
        let profile = header.uri("WARC-Profile").to_ascii_lowercase();
        match profile.trim_end_matches('/').rsplit('/').next() {
            None | Some("" | "identical-payload-digest" | "uri-agnostic-identical-payload-digest") => {
                Self::IdenticalPayload
            }
            Some("server-not-modified") => Self::NotModified,
            Some(_) => Self::Other,
        }
    }
}

/// The references of a revisit to its original, the most certain first.
pub fn references(revisit: &Header) -> Vec<Reference> {
    let profile = Profile::read(revisit);
    if profile == Profile::Other {
        return Vec::new();
    }
    let id = revisit.uri("WARC-Refers-To");
    let url = match revisit.uri("WARC-Refers-To-Target-URI") {
        url if url.is_empty() => revisit.url(),
        url => url,
    };
    let date = revisit.date_in("WARC-Refers-To-Date");
    references_by(&id, &url, date, payload_digest(revisit))
}

/// The references that lead to a record.
fn names(header: &Header) -> Vec<Reference> {
    let digest = match header.record_type {
        RecordType::Response | RecordType::Resource => payload_digest(header),
        // It states the digest of a payload that another record has.
        RecordType::Revisit => None,
        _ => return Vec::new(),
    };
    references_by(&header.id(), &header.url(), header.date(), digest)
}

/// Whether a record can be the original of a revisit that refers to it: their digests must not contradict each other.
pub(crate) fn agrees(revisit: &Header, original: &Header) -> bool {
    let (Some(one), Some(other)) = (payload_digest(revisit), payload_digest(original)) else {
        return true;
    };
    // Digests in different algorithms or spellings cannot be compared.
    let kind = |digest: &str| (digest.split(':').next().map(str::to_owned), digest.len());
    one == other || kind(&one) != kind(&other)
}

/// The keys by which a record can be found, with its place. `archive` is the number of its archive.
pub fn places(record: &Record<'_>, archive: u32) -> impl Iterator<Item = (PlaceKey, Place)> {
    let place = Place {
        archive,
        offset: record.offset,
        offset_in_member: record.offset_in_member,
        length: record.stored_length,
    };
    let is_near = record.offset_in_member <= REACH;
    let names = if is_near { names(&record.header) } else { Vec::new() };
    names.into_iter().map(move |name| (name.key(), place))
}

fn references_by(id: &str, url: &str, date: String, digest: Option<String>) -> Vec<Reference> {
    let mut references = Vec::new();
    if !id.is_empty() {
        references.push(Reference::Id(id.to_owned()));
    }
    if url.is_empty() {
        return references;
    }
    let url = || url.to_owned();
    if !date.is_empty() {
        references.push(Reference::Capture { url: url(), date });
    }
    references.extend(digest.map(|digest| Reference::Payload { url: url(), digest }));
    references
}

/// The digest of the page's payload, in lower case: neither hexadecimal digits nor base 32 depend on it. That of a
/// revisit counts only if its profile states that it is the original's.
fn payload_digest(header: &Header) -> Option<String> {
    if header.record_type == RecordType::Revisit && Profile::read(header) != Profile::IdenticalPayload {
        return None;
    }
    let digest = header.get("WARC-Payload-Digest")?.to_ascii_lowercase();
    (!digest.is_empty()).then_some(digest)
}
