//! The schema: the one table of a document's fields. [`Document`], [`Metadata`] and [`FIELDS`] are made from it.
//!
//! To add a field, add its line here and its value in `processor.rs`. `cargo xtask schema` then writes its row in
//! `docs/documents.md`, and `docs/document.schema.json`.

use serde::de::MapAccess;
use serde::ser::SerializeMap;

use super::extracted_text::ExtractedText;
use super::field_set::{FieldGroup, FieldSet};
use super::form::Form;
use super::value::{FieldType, FieldValue, Typed};

/// Number of the schema: which keys a document can have, and of which types. It is part of [`Document::version`].
///
/// It changes at most once between two releases of the program.
pub const SCHEMA_VERSION: u32 = 3;

/// One field of a [`Document`].
///
/// ```
/// use dehusk::Document;
/// use dehusk::schema::{FIELDS, FieldValue};
///
/// let url = FIELDS.iter().find(|field| field.key() == "metadata.url").expect("a field");
/// let mut document = Document::default();
/// url.set(&mut document, FieldValue::Text("https://blog.example/"))?;
/// assert_eq!(url.get(&document), FieldValue::Text("https://blog.example/"));
/// # Ok::<(), dehusk::schema::FieldError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Field {
    pub(super) name: &'static str,
    pub(super) place: u8,
    pub(super) in_metadata: bool,
    pub(super) field_type: FieldType,
    pub(super) unit: Option<&'static str>,
    pub(super) is_nullable: bool,
    pub(super) group: Option<FieldGroup>,
    pub(super) meaning: &'static str,
    pub(super) get: fn(&Document) -> FieldValue<'_>,
    pub(super) set: fn(&mut Document, FieldValue<'_>) -> bool,
}

/// Makes the structs and the table. A field is `NAME: TYPE`, with the unit of a number in brackets; its documentation
/// is its meaning. `as Instant` names what a text holds; `| null` means that `""` or 0 is an unknown value, so that
/// formats with nulls write null; `where GROUP` means that documents have the field only if the configuration asks for
/// the group.
macro_rules! schema {
    (
        document {
            $($(#[doc = $meaning:literal])+ $name:ident: $type:ty $(as $form:ident)? $([$unit:literal])?
                $(| $null:ident)? $(where $group:ident)?,)+
        }
        metadata {
            $($(#[doc = $m_meaning:literal])+ $m_name:ident: $m_type:ty $(as $m_form:ident)? $([$m_unit:literal])?
                $(| $m_null:ident)? $(where $m_group:ident)?,)+
        }
    ) => {
        /// The text of a page's main content, with the page's metadata and its place in the archive.
        ///
        /// A document is created with [`Document::default`]; every field is then unknown. [`Document::fields`] lists
        /// the fields that it has: the others were not computed, and no format writes them.
        #[derive(Clone, Debug, Default, PartialEq)]
        #[non_exhaustive]
        pub struct Document {
            $($(#[doc = $meaning])+ pub $name: $type,)+
            /// Everything else that is known about the page.
            pub metadata: Metadata,
            /// The texts of the second and further extractors, sorted by the extractors' names. In JSON they are keys
            /// `text_NAME`.
            pub more_texts: Vec<ExtractedText>,
            /// The fields that it has.
            #[doc(hidden)]
            pub fields: FieldSet,
            /// The form of `text`, if the output's format asks for it.
            #[doc(hidden)]
            pub text_form: Form,
            /// The form of `comments`.
            #[doc(hidden)]
            pub comments_form: Form,
        }

        /// A page's metadata and its place in the archive.
        #[derive(Clone, Debug, Default, PartialEq)]
        #[non_exhaustive]
        pub struct Metadata {
            $($(#[doc = $m_meaning])+ pub $m_name: $m_type,)+
        }

        /// The place of each field in the table.
        #[allow(non_camel_case_types)]
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        enum Place {
            $($name,)+
            $($m_name,)+
        }

        /// The fields that a [`Document`] can have, in the order in which formats write them. [`Document::more_texts`]
        /// is not among them: how many further texts a document has depends on the run.
        pub static FIELDS: &[Field] = &[
            $(Field {
                name: stringify!($name),
                place: Place::$name as u8,
                in_metadata: false,
                field_type: schema!(@type $type $(, $form)?),
                unit: schema!(@unit $($unit)?),
                is_nullable: schema!(@null $($null)?),
                group: schema!(@group $($group)?),
                meaning: concat!($($meaning),+).trim_ascii(),
                get: |document| document.$name.get(),
                set: |document, value| document.$name.set(value),
            },)+
            $(Field {
                name: stringify!($m_name),
                place: Place::$m_name as u8,
                in_metadata: true,
                field_type: schema!(@type $m_type $(, $m_form)?),
                unit: schema!(@unit $($m_unit)?),
                is_nullable: schema!(@null $($m_null)?),
                group: schema!(@group $($m_group)?),
                meaning: concat!($($m_meaning),+).trim_ascii(),
                get: |document| document.metadata.$m_name.get(),
                set: |document, value| document.metadata.$m_name.set(value),
            },)+
        ];

        impl Document {
            /// Gives each field outside of the metadata that the document has to `write`.
            pub(super) fn write_fields<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
                $(if self.fields.has(Place::$name as u8) {
                    map.serialize_entry(stringify!($name), &self.$name)?;
                })+
                Ok(())
            }

            /// The same for those of the metadata.
            pub(super) fn write_metadata<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
                $(if self.fields.has(Place::$m_name as u8) {
                    map.serialize_entry(stringify!($m_name), &self.metadata.$m_name)?;
                })+
                Ok(())
            }

            /// Reads the value of the field with this key, outside of the metadata. Returns `None` if there is no such
            /// field.
            pub(super) fn read_field<'de, M: MapAccess<'de>>(
                &mut self,
                key: &str,
                map: &mut M,
            ) -> Result<Option<()>, M::Error> {
                match key {
                    $(stringify!($name) => {
                        self.$name = map.next_value()?;
                        self.fields.add(Place::$name as u8);
                    })+
                    _ => return Ok(None),
                }
                Ok(Some(()))
            }

            /// The same for those of the metadata.
            pub(super) fn read_metadata<'de, M: MapAccess<'de>>(
                &mut self,
                key: &str,
                map: &mut M,
            ) -> Result<Option<()>, M::Error> {
                match key {
                    $(stringify!($m_name) => {
                        self.metadata.$m_name = map.next_value()?;
                        self.fields.add(Place::$m_name as u8);
                    })+
                    _ => return Ok(None),
                }
                Ok(Some(()))
            }
        }
    };
    (@type $type:ty) => { <$type as Typed>::TYPE };
    (@type $type:ty, $form:ident) => { FieldType::$form };
    (@unit) => { None };
    (@unit $unit:literal) => { Some($unit) };
    (@null) => { false };
    (@null null) => { true };
    (@group) => { None };
    (@group $group:ident) => { Some(FieldGroup::$group) };
}

schema! {
    document {
        /// `WARC-Record-ID` without its brackets. If there is none (in ARC, always): `dehusk:` and a hash of the
        /// shard's name, the offset and the offset in the member.
        id: String,
        /// The main content. Paragraphs are separated by a blank line and are in the order of the page. White space is
        /// collapsed, except in code; lists, tables and code keep their form. Never empty.
        text: String,
        /// The readers' comments, in the form of `text`, if the page has any.
        comments: String | null where Comments,
        /// The page's HTML, decoded to UTF-8; `""` for a page that is text already.
        html: String | null where Html,
        /// Name of the corpus: `output.source` in the configuration.
        source: String | null,
        /// When the page was crawled, by `WARC-Date` or the ARC line: `YYYY-MM-DDThh:mm:ssZ`. `""` if the archive gives
        /// no such date.
        created: String as Instant | null,
        /// Version of the program, hash of the configuration and number of the schema, such as
        /// `0.1.0+cfg1a2b3c4d.schema3`.
        version: String,
    }
    metadata {
        /// `WARC-Target-URI`, or the URL of the ARC line, as the archive gives it.
        url: String | null,
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
        /// Whether `title` is one of the first three paragraphs of `text`.
        title_in_text: bool,
        /// The evidence for `title`.
        title_from: String | null where Evidence,
        /// Authors, separated by `; `.
        author: String | null,
        /// The evidence for `author`.
        author_from: String | null where Evidence,
        /// When the page was published: a day (`2024-03-11`), or an instant with its zone
        /// (`2024-03-11T08:00:00+01:00`).
        published: String | null,
        /// The evidence for `published`.
        published_from: String | null where Evidence,
        /// When the page was last changed, in the form of `published`.
        modified: String | null where Details,
        /// The evidence for `modified`.
        modified_from: String | null where DetailsEvidence,
        /// Name of the site.
        sitename: String | null,
        /// The evidence for `sitename`.
        sitename_from: String | null where Evidence,
        /// The address that the page gives as its own.
        canonical_url: String | null where Details,
        /// The evidence for `canonical_url`.
        canonical_url_from: String | null where DetailsEvidence,
        /// The page's summary of itself.
        description: String | null where Details,
        /// The evidence for `description`.
        description_from: String | null where DetailsEvidence,
        /// Keywords, separated by `; `.
        keywords: String | null where Details,
        /// The evidence for `keywords`.
        keywords_from: String | null where DetailsEvidence,
        /// Address of the image that represents the page.
        image: String | null where Details,
        /// The evidence for `image`.
        image_from: String | null where DetailsEvidence,
        /// What the page calls itself: `article`, `product` or another of a closed list.
        kind: String | null where Details,
        /// The evidence for `kind`.
        kind_from: String | null where DetailsEvidence,
        /// Directives of the HTTP head's `X-Robots-Tag`, in lower case and separated by `; `: `noindex; googlebot: noarchive`.
        robots_header: String | null where Rights,
        /// Directives of the page's `meta` elements for robots or for an agent, in the same form.
        robots_meta: String | null where Rights,
        /// `1` if the page or its server reserves rights to text and data mining (TDMRep), `0` if one says that it does not.
        tdm_reservation: String | null where Rights,
        /// Address of the policy for text and data mining.
        tdm_policy: String | null where Rights,
        /// Addresses of licenses, by `rel=license` in the page or the HTTP head and by its JSON-LD, separated by a space.
        license: String | null where Rights,
        /// Addresses of Creative Commons licenses that other links of the page lead to. They may license a picture only.
        license_links: String | null where Rights,
        /// Host of the URL in lower case, without user and port.
        hostname: String | null,
        /// Language that most of `text` is in: a primary subtag of BCP 47, such as `en`. Chinese, Serbian, Uzbek and
        /// Azerbaijani have a script as well (`zh-Hans`, `zh-Hant`, `sr-Cyrl`), if the text shows it.
        language: String | null,
        /// How certain `language` is. 0.2 if the text does not decide and the page's claim was taken.
        language_score: f64 ["0 to 1"] | null,
        /// Language that the page claims, in lower case: `lang` of `html`, else a `meta` element, else the HTTP head's
        /// `Content-Language`.
        language_claimed: String | null where Details,
        /// Preset that made `text`.
        extractor: String,
        /// The extractor's own score of its selection. Only that of `fusion` and `fusion-quality` is a confidence: the
        /// F1 that such selections had on known pages. Those of other presets mean something else.
        score: f64 ["0 to 1"],
        /// Words in `text`, without markers of lists. A Chinese or Japanese character counts as a word.
        words: u32 ["words"],
        /// Words in the whole body, also in parts that the extractor never keeps, such as forms.
        page_words: u32 ["words"],
        /// How many different stop words of its language `text` has.
        quality_stop_words: u32 ["words"] where Quality,
        /// Share of the words that are stop words of the language.
        quality_stop_word_share: f64 ["0 to 1"] where Quality,
        /// Share of the words that are in links.
        quality_link_word_share: f64 ["0 to 1"] where Quality,
        /// Number signs and ellipses for each word.
        quality_symbol_share: f64 ["0 to 1"] where Quality,
        /// Share of the words that have a letter.
        quality_alphabetic_share: f64 ["0 to 1"] where Quality,
        /// Mean length of a word.
        quality_mean_word_length: f64 ["characters"] where Quality,
        /// Words that end with terminal punctuation.
        quality_sentences: u32 ["sentences"] where Quality,
        /// Curly brackets.
        quality_curly_brackets: u32 ["characters"] where Quality,
        /// Share of the lines that end with terminal punctuation.
        quality_punctuated_line_share: f64 ["0 to 1"] where Quality,
        /// Share of the lines of at most 30 characters.
        quality_short_line_share: f64 ["0 to 1"] where Quality,
        /// Share of the lines that end with an ellipsis.
        quality_ellipsis_line_share: f64 ["0 to 1"] where Quality,
        /// Share of the lines that are items of lists without numbers.
        quality_bullet_line_share: f64 ["0 to 1"] where Quality,
        /// Share of the lines that repeat an earlier line of `text`.
        quality_duplicate_line_share: f64 ["0 to 1"] where Quality,
        /// Share of the characters that are in such lines.
        quality_duplicate_line_character_share: f64 ["0 to 1"] where Quality,
        /// Share of the characters that are in the most frequent pair of words.
        quality_top_2gram_share: f64 ["0 to 1"] where Quality,
        /// Share of the characters that are in sequences of five words that repeat an earlier one of `text`.
        quality_duplicate_5gram_share: f64 ["0 to 1"] where Quality,
        /// Whether the page was cut short in the archive: the record says so (`WARC-Truncated`), or the body is exactly
        /// 1 MiB long, a common limit of crawlers.
        truncated: bool,
        /// Names of the page's notes, separated by a space.
        flags: String,
        /// XXH3 hash (64 bits, seed 0) of the UTF-8 bytes of `text`, as 16 hexadecimal digits.
        text_hash: String,
        /// SimHash of `text`: 16 hexadecimal digits. `""` for a text without words.
        simhash: String where Simhash,
        /// MinHash of `text`: base64 of 128 numbers of 32 bits, little-endian. `""` for a text without words.
        minhash: String where Minhash,
        /// Spot signatures of `text`: base64 of sorted numbers of 32 bits, little-endian. `""` for a text without any.
        spotsigs: String where Spotsigs,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A hash of the keys, types and units of each schema, by its number less one. Those of released versions stay.
    const HASHES: [u64; 3] = [0x86f6_1c3a_e4cc_1fe2, 0xf379_eb28_cb3b_1a36, 0x66a4_749d_cc89_e590];

    #[test]
    fn the_keys_are_those_of_the_schema_number() {
        let line = |field: &Field| {
            let (field_type, unit, group) = (field.field_type(), field.unit(), field.group());
            format!("{} {field_type:?} {unit:?} {group:?}\n", field.key())
        };
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
