//! Both formats: a JSONL document is one line, an XML document is well-formed, and both are read back unchanged.
//!
//! The input's fields are parted by a zero byte; every one is everywhere in turn.
#![no_main]

use dehusk::Document;
use dehusk::schema::{ExtractedText, FIELDS, FieldValue as Value};
use dehusk_documents::encode::{jsonl, xml};
use dehusk_testing::checks;
use dehusk_testing::checks::xml::{allowed, paragraphs};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let documents: Vec<Document> = bytes.split(|b| *b == 0xff).take(4).map(document).collect();
    for document in &documents {
        let mut out = Vec::new();
        jsonl::write(document, &mut out);
        let line = std::str::from_utf8(&out).unwrap();
        assert_eq!(line.find(checks::ends_line), Some(line.len() - 1), "one line");
        assert_eq!(serde_json::from_str::<Document>(line).unwrap(), *document);
    }
    let mut shard = xml::header().to_vec();
    let removed: Vec<bool> = documents.iter().map(|d| xml::write(d, &mut shard)).collect();
    shard.extend_from_slice(xml::footer());
    let back = checks::xml::read(&shard);
    assert_eq!(back.len(), documents.len());
    for ((document, read), removed) in documents.iter().zip(&back).zip(removed) {
        assert_eq!(xml::needs_cleaning(document), removed);
        assert_eq!(read.title, allowed(&document.metadata.title));
        assert_eq!(read.paragraphs, paragraphs(&document.text));
        assert_eq!(read.comments, paragraphs(&document.comments));
        assert_eq!(read.attributes["url"], allowed(&document.metadata.url));
        assert_eq!(read.attributes["id"], allowed(&document.id));
        assert_eq!(read.more["other"], paragraphs(&document.more_texts[0].text));
    }
});

/// A document of fields that are parted by a zero byte; the last one continues for those that are missing.
fn document(bytes: &[u8]) -> Document {
    let fields: Vec<String> = bytes
        .split(|b| *b == 0)
        .map(|f| String::from_utf8_lossy(f).into_owned())
        .collect();
    let mut at = 0;
    let mut next = || {
        at += 1;
        fields[(at - 1).min(fields.len() - 1)].clone()
    };
    let number = bytes.len() as u64;
    let mut document = Document::default();
    for field in FIELDS {
        if let Value::Text(_) = field.get(&document) {
            field.set(&mut document, Value::Text(&next())).unwrap();
        }
    }
    document.metadata.warc_offset = number << 32;
    document.metadata.score = number as f64 / 1024.0;
    document.metadata.words = number as u32;
    document.more_texts = vec![ExtractedText::new("other", next())];
    document
}
