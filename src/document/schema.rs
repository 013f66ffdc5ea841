//! The schema: the one table of a document's fields. [`Document`], [`Metadata`] and [`FIELDS`] are made from it.
//!
//! To add a field, add its line here and its value in `processor.rs`. `cargo xtask schema` then writes its row in
//! `docs/documents.md`, and `docs/document.schema.json`.

use serde::{Deserialize, Serialize};

use super::extracted_text::{self, ExtractedText};
use super::field::{Field, Typed, Unknown};
use super::form::Form;

/// Number of the schema: which keys a document has, and of which types. It is part of [`Document::version`].
///
/// It changes at most once between two releases of the program.
pub const SCHEMA_VERSION: u32 = 2;

/// Makes the structs and the table. A field is `NAME: TYPE`, with the unit of a number in brackets; its documentation is
/// its meaning. `| null` says that `""` or 0 means unknown, so that formats with nulls write null; `| unmeasured` says the
/// same of a signal of quality that is 0 because no signals were taken. A shard without a field that has
/// `#[serde(default)]` can be read.
macro_rules! schema {
    (
        document {
            $($(#[doc = $meaning:literal])+ $(#[serde($serde:ident)])? $name:ident: $type:ty
                $([$unit:literal])? $(| $null:ident)?,)+
        }
        metadata {
            $($(#[doc = $m_meaning:literal])+ $m_name:ident: $m_type:ty $([$m_unit:literal])? $(| $m_null:ident)?,)+
        }
    ) => {
        /// The text of a page's main content, with the page's metadata and its place in the archive.
        ///
        /// A document is created with [`Document::default`]; every field is then unknown.
        #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
        #[non_exhaustive]
        pub struct Document {
            $($(#[doc = $meaning])+ $(#[serde($serde)])? pub $name: $type,)+
            /// Everything else that is known about the page.
            pub metadata: Metadata,
            /// The texts of the second and further extractors, sorted by the extractors' names. In JSON they are keys
            /// `text_NAME`.
            #[serde(flatten, with = "extracted_text")]
            pub more_texts: Vec<ExtractedText>,
            /// The form of `text`, if the output's format asks for it.
            #[serde(skip)]
            pub(crate) text_form: Form,
            /// The form of `comments`.
            #[serde(skip)]
            pub(crate) comments_form: Form,
        }

        /// A page's metadata and its place in the archive.
        #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
        #[serde(default)]
        #[non_exhaustive]
        pub struct Metadata {
            $($(#[doc = $m_meaning])+ pub $m_name: $m_type,)+
        }

        /// The fields of a [`Document`] in the order in which formats write them. [`Document::more_texts`] is not among
        /// them: how many further texts a document has depends on the run.
        pub static FIELDS: &[Field] = &[
            $(Field {
                name: stringify!($name),
                in_metadata: false,
                field_type: <$type as Typed>::TYPE,
                unit: schema!(@unit $($unit)?),
                unknown: schema!(@unknown $($null)?),
                meaning: concat!($($meaning),+).trim_ascii(),
                get: |document| document.$name.get(),
                set: |document, value| document.$name.set(value),
            },)+
            $(Field {
                name: stringify!($m_name),
                in_metadata: true,
                field_type: <$m_type as Typed>::TYPE,
                unit: schema!(@unit $($m_unit)?),
                unknown: schema!(@unknown $($m_null)?),
                meaning: concat!($($m_meaning),+).trim_ascii(),
                get: |document| document.metadata.$m_name.get(),
                set: |document, value| document.metadata.$m_name.set(value),
            },)+
        ];
    };
    (@unit) => { None };
    (@unit $unit:literal) => { Some($unit) };
    (@unknown) => { Unknown::Never };
    (@unknown null) => { Unknown::IfDefault };
    (@unknown unmeasured) => { Unknown::IfUnmeasured };
}

schema! {
    document {
        /// `WARC-Record-ID` without its brackets. If there is none (in ARC, always): `dehusk:` and a hash of the shard's
        /// name, the offset and the offset in the member.
        id: String,
        /// The main content. Paragraphs are separated by a blank line and are in the order of the page. White space is
        /// collapsed, except in code; lists, tables and code keep their form. Never empty.
        text: String,
        /// The readers' comments, in the form of `text`, if the extractor keeps them apart from it. `""` otherwise.
        #[serde(default)]
        comments: String | null,
        /// Name of the corpus: `output.source` in the configuration.
        source: String | null,
        /// When the page was crawled, by `WARC-Date` or the ARC line: `YYYY-MM-DDThh:mm:ssZ`. `""` if the archive gives
        /// no such date.
        created: String | null,
        /// Version of the program, hash of the configuration and number of the schema, such as
        /// `0.1.0+cfg1a2b3c4d.schema2`.
        version: String,
    }
    metadata {
        /// `WARC-Target-URI`, or the URL of the ARC line, as the archive gives it.
        url: String | null,
        /// The same as `created`.
        date: String | null,
        /// File name of the archive, without folders; `stdin` for standard input. Bytes that are not UTF-8 are written
        /// as `\xNN`.
        file_path: String | null,
        /// Offset in the file of the record's member or frame; in a plain archive, of the record.
        warc_offset: u64 ["bytes"],
        /// Stored length of that member, frame or record. 0 if its end was not reached when the record was read, as in
        /// a file that is one large member.
        warc_length: u64 ["bytes"] | null,
        /// Offset of the record in its decoded member or frame.
        offset_in_member: u64 ["bytes"],
        /// `WARC-Payload-Digest`, unchanged.
        payload_digest: String | null,
        /// HTTP status; 0 if there is no HTTP head, as in a `resource`.
        http_status: u16 | null,
        /// MIME type in lower case without parameters: of the HTTP head, else of the record, else `text/html` if the
        /// body starts like HTML.
        mime: String | null,
        /// Encoding that the page was decoded with: its name in the Encoding standard, in lower case.
        charset: String | null,
        /// What decided the encoding: `bom` (byte order mark), `http` (HTTP head), `meta` (the page), `utf8` (the bytes
        /// are valid UTF-8, whatever the labels say), `detected` (statistics of the bytes).
        charset_source: String | null,
        /// Title of the page without the site's name.
        title: String | null,
        /// The evidence for `title`.
        title_from: String | null,
        /// Authors, separated by `; `.
        author: String | null,
        /// The evidence for `author`.
        author_from: String | null,
        /// When the page was published: a day (`2024-03-11`), or an instant with its zone (`2024-03-11T08:00:00+01:00`).
        published: String | null,
        /// The evidence for `published`.
        published_from: String | null,
        /// When the page was last changed, in the form of `published`.
        modified: String | null,
        /// The evidence for `modified`.
        modified_from: String | null,
        /// Name of the site.
        sitename: String | null,
        /// The evidence for `sitename`.
        sitename_from: String | null,
        /// The address that the page gives as its own.
        canonical_url: String | null,
        /// The evidence for `canonical_url`.
        canonical_url_from: String | null,
        /// The page's summary of itself.
        description: String | null,
        /// The evidence for `description`.
        description_from: String | null,
        /// Keywords, separated by `; `.
        keywords: String | null,
        /// The evidence for `keywords`.
        keywords_from: String | null,
        /// Address of the image that stands for the page.
        image: String | null,
        /// The evidence for `image`.
        image_from: String | null,
        /// What the page calls itself: `article`, `product` or another of a closed list.
        kind: String | null,
        /// The evidence for `kind`.
        kind_from: String | null,
        /// Host of the URL in lower case, without user and port.
        hostname: String | null,
        /// Language that most of `text` is in: a primary subtag of BCP 47, such as `en`. Chinese, Serbian, Uzbek and
        /// Azerbaijani have a script as well (`zh-Hans`, `zh-Hant`, `sr-Cyrl`), if the text tells it.
        language: String | null,
        /// How certain `language` is. 0.2 if the text does not tell and the page's claim was taken.
        language_score: f64 ["0 to 1"] | null,
        /// Language that the page claims, in lower case: `lang` of `html`, else a `meta` element, else the HTTP head's
        /// `Content-Language`.
        language_claimed: String | null,
        /// Preset that made `text`.
        extractor: String,
        /// The extractor's own score of its selection. Only that of `fusion` and `fusion-quality` is a confidence: the F1 that
        /// such selections had on known pages. Those of other presets mean something else.
        score: f64 ["0 to 1"],
        /// Words in `text`, without markers of lists. A Chinese or Japanese character counts as a word.
        words: u32 ["words"],
        /// Words in the whole body, including what the strip masks.
        page_words: u32 ["words"],
        /// How many different stop words of its language `text` has.
        quality_stop_words: u32 ["words"] | unmeasured,
        /// Share of the words that are stop words of the language.
        quality_stop_word_share: f64 ["0 to 1"] | unmeasured,
        /// Share of the words that are in links.
        quality_link_word_share: f64 ["0 to 1"] | unmeasured,
        /// Number signs and ellipses for each word.
        quality_symbol_share: f64 ["0 to 1"] | unmeasured,
        /// Share of the words that have a letter.
        quality_alphabetic_share: f64 ["0 to 1"] | unmeasured,
        /// Mean length of a word.
        quality_mean_word_length: f64 ["characters"] | unmeasured,
        /// Words that end with terminal punctuation.
        quality_sentences: u32 ["sentences"] | unmeasured,
        /// Curly brackets.
        quality_curly_brackets: u32 ["characters"] | unmeasured,
        /// Share of the lines that end with terminal punctuation.
        quality_punctuated_line_share: f64 ["0 to 1"] | unmeasured,
        /// Share of the lines of at most 30 characters.
        quality_short_line_share: f64 ["0 to 1"] | unmeasured,
        /// Share of the lines that end with an ellipsis.
        quality_ellipsis_line_share: f64 ["0 to 1"] | unmeasured,
        /// Share of the lines that are items of lists without numbers.
        quality_bullet_line_share: f64 ["0 to 1"] | unmeasured,
        /// Share of the lines that stood in `text` before.
        quality_duplicate_line_share: f64 ["0 to 1"] | unmeasured,
        /// Share of the characters that are in such lines.
        quality_duplicate_line_character_share: f64 ["0 to 1"] | unmeasured,
        /// Share of the characters that are in the most frequent pair of words.
        quality_top_2gram_share: f64 ["0 to 1"] | unmeasured,
        /// Share of the characters that are in sequences of five words that stood in `text` before.
        quality_duplicate_5gram_share: f64 ["0 to 1"] | unmeasured,
        /// Whether the page was cut short in the archive: the record says so (`WARC-Truncated`), or the body is exactly
        /// 1 MiB long, a common limit of crawlers.
        truncated: bool,
        /// Names of the page's notes, separated by a space.
        flags: String,
        /// XXH3 hash (64 bits, seed 0) of the UTF-8 bytes of `text`, as 16 hexadecimal digits.
        text_hash: String,
        /// SimHash of `text`: 16 hexadecimal digits. `""` unless `output.signatures` names it, and for a text without words.
        simhash: String,
        /// MinHash of `text`: base64 of 128 numbers of 32 bits, little-endian. `""` as for `simhash`.
        minhash: String,
        /// Spot signatures of `text`: base64 of sorted numbers of 32 bits, little-endian. `""` unless `output.signatures`
        /// names it, and for a text without any.
        spotsigs: String,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A hash of the keys, types and units of each schema, by its number less one. Those of released versions stay.
    const HASHES: [u64; 2] = [0x86f6_1c3a_e4cc_1fe2, 0xf379_eb28_cb3b_1a36];

    #[test]
    fn the_keys_are_those_of_the_schema_number() {
        let line = |field: &Field| format!("{} {:?} {:?}\n", field.key(), field.field_type(), field.unit());
        let keys: String = FIELDS.iter().map(line).collect();
        let hash = xxhash_rust::xxh3::xxh3_64(keys.as_bytes());
        assert_eq!(
            (HASHES.len(), HASHES.last()),
            (SCHEMA_VERSION as usize, Some(&hash)),
            "the keys of documents have changed, to {hash:#018x}: raise SCHEMA_VERSION, unless no release has had this \
             number yet, note the hash, run `cargo xtask schema`, and add a line to the changelog"
        );
    }
}
