//! The output record: one page's text with its metadata and provenance.
//!
//! The fields and their order are a contract with the readers of datatrove, dolma and text-dedup: every key is present
//! in every document, every key is of one type, unknown is `""`, `0` or `false`.

use serde::{Deserialize, Serialize};

/// One page's main content with where it came from.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Document {
    /// `WARC-Record-ID` without its brackets; where there is none, a hash of shard name, offset and offset in the member.
    pub id: String,
    /// The main content: paragraphs parted by a blank line, white space collapsed within, in page order. Never empty.
    pub text: String,
    /// The corpus' name, from the configuration (`output.source`).
    pub source: String,
    /// When the page was crawled, `YYYY-MM-DDThh:mm:ssZ`.
    pub created: String,
    /// Program version and configuration hash, such as `0.1.0+cfg1a2b3c4d`.
    pub version: String,
    /// Everything else that is known of the page.
    pub metadata: Metadata,
    /// What further extractors made of the page: `text_NAME` for each, in the order of their names.
    #[serde(flatten)]
    pub more_texts: MoreTexts,
}

/// The texts of the second and further extractors, as keys `text_NAME` beside `text`.
pub type MoreTexts = std::collections::BTreeMap<String, String>;

/// A document's metadata and provenance.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Metadata {
    /// The page's URL as the archive gives it.
    pub url: String,
    /// When the page was crawled, the same as `created`.
    pub date: String,
    /// File name of the archive, without folders.
    pub file_path: String,
    /// Offset in the file, in bytes, of the record's member or frame (of the record itself in a plain archive).
    pub warc_offset: u64,
    /// Stored length in bytes of that member, frame or record; 0 where it was not known when the record was read.
    pub warc_length: u64,
    /// Offset of the record in its decoded member or frame, in bytes.
    pub offset_in_member: u64,
    /// The record's own `WARC-Payload-Digest`, verbatim.
    pub payload_digest: String,
    /// HTTP status; 0 for a resource record.
    pub http_status: u16,
    /// MIME type in lower case, without parameters.
    pub mime: String,
    /// Name of the encoding that the page was read with, in lower case.
    pub charset: String,
    /// What decided the encoding: `bom`, `http`, `meta`, `utf8` (valid UTF-8 over a wrong or missing label), `detected`.
    pub charset_source: String,
    /// The page's title.
    pub title: String,
    /// Author, where the page names one.
    pub author: String,
    /// When the page says that it was published, as it says it.
    pub published: String,
    /// The site's own name, where the page gives one.
    pub sitename: String,
    /// Host of the URL, in lower case.
    pub hostname: String,
    /// Language that the page claims (`html lang`, then `Content-Language`), in lower case.
    pub language: String,
    /// How sure the language is, 0 to 1; 0 where it is only claimed.
    pub language_score: f64,
    /// Name of the extractor that made `text`.
    pub extractor: String,
    /// The extractor's own score of its selection, 0 to 1.
    pub score: f64,
    /// Words in `text`.
    pub words: u32,
    /// Words on the whole page.
    pub page_words: u32,
    /// Whether the page was cut short in the archive.
    pub truncated: bool,
    /// Names of the notes on this page, parted by a space.
    pub flags: String,
    /// Hash of `text` (XXH3, 64 bits, in hex).
    pub text_hash: String,
}
