//! Documents of any content, made from the schema.

use dehusk_documents::document::{Document, ExtractedText, FIELDS, FieldType, FieldValue as Value};
use proptest::prelude::*;

/// Any text, with many of the characters that formats have to escape or remove.
pub fn text() -> impl Strategy<Value = String> {
    let awkward = "\0\u{1}\u{8}\t\n\u{B}\u{C}\r\u{1B}\u{1C}\u{1E}\u{1F}\u{7F}\u{85}\u{9F}\u{A0}\u{2028}\u{2029}\u{FEFF}\
                   \u{FFFD}\u{FFFE}\u{FFFF}\u{1FFFE}\u{10FFFF}<>&\"']\\-\u{D7FF}\u{E000}";
    let character = prop_oneof![
        any::<char>(),
        proptest::sample::select(Vec::from_iter(awkward.chars())),
        Just('\n'),
        proptest::char::range('a', 'z')
    ];
    proptest::collection::vec(character, 0..40).prop_map(|v| v.into_iter().collect())
}

/// A document with a value in every field.
pub fn document() -> impl Strategy<Value = Document> {
    let finite = any::<f64>().prop_map(|n| if n.is_finite() { n } else { 0.5 });
    let values = proptest::collection::vec((text(), any::<u64>(), finite, any::<bool>()), FIELDS.len());
    let more_texts = proptest::collection::btree_map("[a-z]{1,8}", text(), 0..3);
    (values, more_texts).prop_map(|(values, more_texts)| {
        let mut document = Document::default();
        for (field, (text, number, float, boolean)) in FIELDS.iter().zip(&values) {
            let value = match field.field_type() {
                FieldType::Text => Value::Text(text),
                FieldType::Instant => {
                    Value::Text(["2026-05-04T08:00:34Z", "1969-12-31T23:59:59Z"][*number as usize % 2])
                }
                FieldType::U16 => Value::Integer(number & 0xFFFF),
                FieldType::U32 => Value::Integer(number & 0xFFFF_FFFF),
                FieldType::U64 => Value::Integer(*number),
                FieldType::F64 => Value::Float(*float),
                FieldType::Boolean => Value::Boolean(*boolean),
                other => panic!("no values of type {other:?}"),
            };
            field.set(&mut document, value).unwrap();
            assert_eq!(field.get(&document), value);
        }
        document.more_texts = more_texts
            .into_iter()
            .map(|(extractor, text)| ExtractedText::new(extractor, text))
            .collect();
        document
    })
}

/// A document with this text.
pub fn with_text(text: &str) -> Document {
    let mut document = Document::default();
    document.text = text.to_owned();
    document
}
