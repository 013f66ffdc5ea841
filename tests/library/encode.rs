//! Output through the public surface: what is written can be read back, whatever a page holds.

use crate::checks::ends_line;
use crate::checks::xml::{allowed, paragraphs, read};
use dehusk::document::{Document, Metadata};
use dehusk::encode::{Compression, Compressor, jsonl, xml};
use proptest::prelude::*;
use std::io::Read;

// Documents

/// Any text, with the characters that formats stumble over made frequent.
fn text() -> impl Strategy<Value = String> {
    let awkward = vec![
        '\0',
        '\u{1}',
        '\u{8}',
        '\t',
        '\n',
        '\u{B}',
        '\u{C}',
        '\r',
        '\u{1B}',
        '\u{1C}',
        '\u{1E}',
        '\u{1F}',
        '\u{7F}',
        '\u{85}',
        '\u{9F}',
        '\u{A0}',
        '\u{2028}',
        '\u{2029}',
        '\u{FEFF}',
        '\u{FFFD}',
        '\u{FFFE}',
        '\u{FFFF}',
        '\u{1FFFE}',
        '\u{10FFFF}',
        '<',
        '>',
        '&',
        '"',
        '\'',
        ']',
        '\\',
        '-',
        '\u{D7FF}',
        '\u{E000}',
    ];
    let character = prop_oneof![
        any::<char>(),
        proptest::sample::select(awkward),
        proptest::char::range('a', 'z')
    ];
    proptest::collection::vec(character, 0..40).prop_map(|v| v.into_iter().collect())
}

prop_compose! {
    fn document()(
        texts in proptest::collection::vec(text(), 21),
        more in proptest::collection::btree_map("text_[a-z]{1,8}", text(), 0..3),
        numbers in any::<(u64, u64, u64, u16, u32, u32, bool)>(),
        // Of six digits, which serde_json reads back exactly; more it reads to within one unit in the last place.
        floats in (0..=1_000_000u32, 0..=1_000_000u32).prop_map(|(a, b)| (f64::from(a) / 1e6, f64::from(b) / 1e6)),
    ) -> Document {
        let mut texts = texts.into_iter();
        let mut next = || texts.next().unwrap();
        Document {
            id: next(),
            text: next(),
            source: next(),
            created: next(),
            version: next(),
            metadata: Metadata {
                url: next(),
                date: next(),
                file_path: next(),
                warc_offset: numbers.0,
                warc_length: numbers.1,
                offset_in_member: numbers.2,
                payload_digest: next(),
                http_status: numbers.3,
                mime: next(),
                charset: next(),
                charset_source: next(),
                title: next(),
                author: next(),
                published: next(),
                sitename: next(),
                hostname: next(),
                language: next(),
                language_score: floats.0,
                extractor: next(),
                score: floats.1,
                words: numbers.4,
                page_words: numbers.5,
                truncated: numbers.6,
                flags: next(),
                text_hash: next(),
            },
            more_texts: more,
        }
    }
}

fn line(document: &Document) -> String {
    let mut out = Vec::new();
    jsonl::write(document, &mut out);
    String::from_utf8(out).unwrap()
}

// JSONL

#[test]
fn the_keys_stand_in_the_documented_order() {
    let line = line(&Document::default());
    let start = r#"{"id":"","text":"","source":"","created":"","version":"","metadata":{"url":"","date":"","file_path":"","warc_offset":0,"#;
    let end = "\"truncated\":false,\"flags\":\"\",\"text_hash\":\"\"}}\n";
    assert!(line.starts_with(start) && line.ends_with(end), "{line}");
}

#[test]
fn further_texts_are_keys_of_their_own() {
    let mut document = Document::default();
    document.more_texts.insert("text_cetd".into(), "other".into());
    assert!(line(&document).ends_with("},\"text_cetd\":\"other\"}\n"));
}

#[test]
fn a_number_that_is_none_is_no_null() {
    let mut document = Document::default();
    document.metadata.score = f64::INFINITY;
    document.metadata.language_score = f64::NAN;
    assert!(!line(&document).contains("null"));
}

proptest! {
    #[test]
    fn jsonl_comes_back(document in document()) {
        let back: Document = serde_json::from_str(&line(&document)).unwrap();
        prop_assert_eq!(back, document);
    }

    #[test]
    fn a_document_is_one_line_for_every_reader(document in document()) {
        let line = line(&document);
        prop_assert_eq!(line.find(ends_line), Some(line.len() - 1));
    }
}

// XML

fn xml_shard(documents: &[Document]) -> (Vec<u8>, Vec<bool>) {
    let mut out = xml::header().to_vec();
    let removed = documents.iter().map(|d| xml::write(d, &mut out)).collect();
    out.extend_from_slice(xml::footer());
    (out, removed)
}

#[test]
fn xml_has_every_field_that_jsonl_has() {
    let (shard, _) = xml_shard(&[Document::default()]);
    let attributes = read(&shard).remove(0).attributes;
    let json: serde_json::Value = serde_json::from_str(&line(&Document::default())).unwrap();
    let keys = |v: &serde_json::Value| v.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    for key in keys(&json).into_iter().chain(keys(&json["metadata"])) {
        let elsewhere = ["text", "title", "metadata"].contains(&key.as_str());
        assert_eq!(attributes.contains_key(&key), !elsewhere, "{key}");
    }
}

#[test]
fn the_end_of_a_cdata_section_is_plain_text() {
    let document = Document {
        text: "a ]]> b".into(),
        ..Document::default()
    };
    let (shard, removed) = xml_shard(&[document]);
    assert_eq!(
        (read(&shard)[0].paragraphs.as_slice(), removed),
        (&["a ]]> b".to_string()][..], vec![false])
    );
}

#[test]
fn forbidden_characters_are_removed_and_told() {
    for (character, forbidden) in [
        ('\0', true),
        ('\u{1B}', true),
        ('\u{FFFE}', true),
        ('\u{FFFF}', true),
        ('\u{85}', false),
        ('\t', false),
    ] {
        let document = Document {
            text: format!("a{character}b"),
            ..Document::default()
        };
        assert_eq!(xml::needs_cleaning(&document), forbidden, "{character:?}");
        let (shard, removed) = xml_shard(&[document]);
        assert_eq!(removed, [forbidden], "{character:?}");
        read(&shard);
    }
}

#[test]
fn a_shard_without_documents_is_well_formed() {
    assert!(read(&xml_shard(&[]).0).is_empty());
}

proptest! {
    #[test]
    fn xml_comes_back(documents in proptest::collection::vec(document(), 1..4)) {
        let (shard, removed) = xml_shard(&documents);
        let back = read(&shard);
        prop_assert_eq!(back.len(), documents.len());
        for ((document, read), removed) in documents.iter().zip(&back).zip(removed) {
            prop_assert_eq!(xml::needs_cleaning(document), removed);
            prop_assert_eq!(&read.title, &allowed(&document.metadata.title));
            prop_assert_eq!(&read.paragraphs, &paragraphs(&document.text));
            for (key, text) in &document.more_texts {
                prop_assert_eq!(&read.more[key.strip_prefix("text_").unwrap()], &paragraphs(text));
            }
            let m = &document.metadata;
            for (key, value) in [("id", &document.id), ("url", &m.url), ("author", &m.author), ("flags", &m.flags), ("text_hash", &m.text_hash)] {
                prop_assert_eq!(&read.attributes[key], &allowed(value));
            }
            prop_assert_eq!(&read.attributes["warc_offset"], &m.warc_offset.to_string());
            prop_assert_eq!(read.attributes["score"].parse::<f64>().unwrap(), m.score);
        }
    }
}

// Compression

fn decompress(compression: Compression, data: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    if data.is_empty() {
        return out; // nothing was written, which is no frame
    }
    match compression {
        Compression::Zstd(_) => zstd::stream::copy_decode(data, &mut out).unwrap(),
        Compression::Gzip(_) => drop(flate2::read::MultiGzDecoder::new(data).read_to_end(&mut out).unwrap()),
        Compression::None => out.extend_from_slice(data),
    }
    out
}

#[test]
fn the_extension_follows_the_compression() {
    let extensions = [Compression::Zstd(3), Compression::Gzip(6), Compression::None].map(Compression::extension);
    assert_eq!(extensions, [".zst", ".gz", ""]);
}

#[test]
fn gzip_members_bear_no_time() {
    let mut out = Vec::new();
    Compressor::new(Compression::Gzip(6))
        .unwrap()
        .compress(b"data", &mut out)
        .unwrap();
    assert_eq!(out[..10], [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255]);
}

#[test]
fn a_chunk_s_bytes_do_not_depend_on_the_chunks_before() {
    let (first, second) = (b"one two three ".repeat(500), b"three four five ".repeat(500));
    for kind in [Compression::Zstd(3), Compression::Zstd(9), Compression::Gzip(6)] {
        let mut used = Compressor::new(kind).unwrap();
        let mut out = Vec::new();
        used.compress(&first, &mut out).unwrap();
        let start = out.len();
        used.compress(&second, &mut out).unwrap();
        let mut alone = Vec::new();
        Compressor::new(kind).unwrap().compress(&second, &mut alone).unwrap();
        assert_eq!(out[start..], alone, "{kind:?}");
    }
}

#[test]
fn levels_out_of_range_are_brought_into_it() {
    for kind in [
        Compression::Zstd(-5),
        Compression::Zstd(99),
        Compression::Gzip(0),
        Compression::Gzip(99),
    ] {
        let mut out = Vec::new();
        Compressor::new(kind).unwrap().compress(b"data", &mut out).unwrap();
        assert_eq!(decompress(kind, &out), b"data", "{kind:?}");
    }
}

proptest! {
    #[test]
    fn chunks_come_back(
        chunks in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..3000), 0..5),
        kind in proptest::sample::select(vec![Compression::Zstd(3), Compression::Gzip(4), Compression::None]),
    ) {
        let mut compressor = Compressor::new(kind).unwrap();
        let mut out = Vec::new();
        for chunk in &chunks {
            compressor.compress(chunk, &mut out).unwrap();
        }
        prop_assert_eq!(decompress(kind, &out), chunks.concat());
    }
}
