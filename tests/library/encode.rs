//! The bytes of the formats: what other readers see of a document, whatever the page contains.

use crate::checks::ends_line;
use crate::checks::xml::{allowed, paragraphs, read};
use crate::documents::{document, with_text};
use crate::make;
use dehusk::schema::{ExtractedText, FIELDS, FieldType, FieldValue as Value};
use dehusk::{ArchiveInput, Config, Document};
use dehusk_documents::encode::{Compression, Compressor, OutputFormat, jsonl, xml};
use proptest::prelude::*;
use std::io::Read;
use std::sync::Arc;

fn line(document: &Document) -> String {
    let mut out = Vec::new();
    jsonl::write(document, &mut out);
    String::from_utf8(out).unwrap()
}

// JSONL

#[test]
fn the_keys_are_in_the_documented_order() {
    let line = line(&Document::default());
    let start = r#"{"id":"","text":"","comments":"","html":"","source":"","created":"","version":"","metadata":{"url":"","file_path":"","warc_offset":0,"#;
    let end =
        "\"truncated\":false,\"flags\":\"\",\"text_hash\":\"\",\"simhash\":\"\",\"minhash\":\"\",\"spotsigs\":\"\"}}\n";
    assert!(line.starts_with(start) && line.ends_with(end), "{line}");
}

proptest! {
    #[test]
    fn jsonl_has_the_fields_of_the_schema_in_order(document in document()) {
        let line = line(&document);
        let json: serde_json::Value = serde_json::from_str(&line).unwrap();
        let mut place = 0;
        for field in FIELDS {
            let parent = if field.is_in_metadata() { &json["metadata"] } else { &json };
            let value = &parent[field.name()];
            match field.get(&document) {
                Value::Text(text) => prop_assert_eq!(value.as_str(), Some(text)),
                Value::Integer(n) => prop_assert_eq!(value.as_u64(), Some(n)),
                Value::Float(n) => prop_assert!(value.is_f64() && value.as_f64() == Some(n), "{}", value),
                Value::Boolean(b) => prop_assert_eq!(value.as_bool(), Some(b)),
            }
            // A quote in a value is escaped, so this is the key.
            let key = format!("\"{}\":", field.name());
            place += line[place..].find(&key).unwrap() + key.len();
        }
        let keys = json.as_object().unwrap().len() + json["metadata"].as_object().unwrap().len();
        prop_assert_eq!(keys, FIELDS.len() + 1 + document.more_texts.len());
    }
}

#[test]
fn a_field_refuses_what_it_cannot_hold() {
    let mut document = Document::default();
    for field in FIELDS {
        let wrong = if field.field_type() == FieldType::Boolean {
            Value::Text("")
        } else {
            Value::Boolean(true)
        };
        assert!(field.set(&mut document, wrong).is_err(), "{}", field.name());
    }
    let status = FIELDS.iter().find(|field| field.name() == "http_status").unwrap();
    let error = status.set(&mut document, Value::Integer(65536)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "http_status cannot be \"65536\": it is a whole number of 16 bits"
    );
    assert_eq!(document, Document::default());
}

#[test]
fn a_format_is_known_by_its_name() {
    for format in OutputFormat::ALL {
        assert_eq!(OutputFormat::from_name(format.name()), Some(*format));
    }
    assert_eq!(OutputFormat::from_name("json"), None);
}

#[test]
fn further_texts_are_keys_of_their_own() {
    let mut document = Document::default();
    document.more_texts.push(ExtractedText::new("cetd", "other"));
    assert!(line(&document).ends_with("},\"text_cetd\":\"other\"}\n"));
}

#[test]
fn a_number_that_is_not_finite_is_not_null() {
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
        let elsewhere = ["text", "comments", "title", "metadata"].contains(&key.as_str());
        assert_eq!(attributes.contains_key(&key), !elsewhere, "{key}");
    }
}

#[test]
fn the_end_of_a_cdata_section_is_plain_text() {
    let document = with_text("a ]]> b");
    let (shard, removed) = xml_shard(&[document]);
    assert_eq!(
        (read(&shard)[0].paragraphs.as_slice(), removed),
        (&["a ]]> b".to_string()][..], vec![false])
    );
}

#[test]
fn forbidden_characters_are_removed_and_noted() {
    for (character, forbidden) in [
        ('\0', true),
        ('\u{1B}', true),
        ('\u{FFFE}', true),
        ('\u{FFFF}', true),
        ('\u{85}', false),
        ('\t', false),
    ] {
        let document = with_text(&format!("a{character}b"));
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
            prop_assert_eq!(&read.comments, &paragraphs(&document.comments));
            for more in &document.more_texts {
                prop_assert_eq!(&read.more[&more.extractor], &paragraphs(&more.text));
            }
            let attributes = FIELDS.iter().filter(|field| !["text", "comments", "title"].contains(&field.name()));
            prop_assert_eq!(read.attributes.len(), attributes.clone().count());
            for field in attributes {
                let expected = match field.get(document) {
                    Value::Text(text) => allowed(text),
                    value => value.to_string(),
                };
                prop_assert_eq!(&read.attributes[field.name()], &expected, "{}", field.name());
            }
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
fn gzip_members_hold_no_time() {
    let mut out = Vec::new();
    Compressor::new(Compression::Gzip(6))
        .unwrap()
        .compress(b"data", &mut out)
        .unwrap();
    assert_eq!(out[..10], [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255]);
}

#[test]
fn the_bytes_of_a_chunk_do_not_depend_on_earlier_chunks() {
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
fn compression_levels_out_of_range_are_clamped() {
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

#[test]
fn the_output_format_has_no_effect_on_documents_in_memory() {
    let page = make::page(
        "https://a.example/",
        "Some words, and a character that XML forbids: \u{1F}.",
    );
    let documents = |format: &str| {
        let config = Config::default()
            .with_settings([
                format!("output.format={format}"),
                "extract.extractors=[\"coreex-modern\"]".to_owned(),
            ])
            .unwrap();
        let inputs = [ArchiveInput::source("a.warc", Arc::new(page.clone()))];
        let documents = dehusk::documents(&config, inputs).unwrap();
        documents.map(Result::unwrap).collect::<Vec<_>>()
    };
    let expected = documents("jsonl");
    assert_eq!(expected.len(), 1);
    assert_eq!(documents("xml"), expected);
}
