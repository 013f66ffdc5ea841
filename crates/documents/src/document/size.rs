//! The size of a document in memory.

use super::{Document, ExtractedText, FIELDS, FieldValue};

/// About how much memory a document takes, in bytes.
pub fn size_in_memory(document: &Document) -> usize {
    let fields = FIELDS.iter().map(|field| match field.get(document) {
        FieldValue::Text(text) => text.len(),
        _ => 0,
    });
    let more_texts = document.more_texts.iter();
    let more_texts = more_texts.map(|more| size_of::<ExtractedText>() + more.extractor.len() + more.text.len());
    size_of::<Document>() + fields.sum::<usize>() + more_texts.sum::<usize>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_size_of_a_document_counts_all_its_strings() {
        let mut document = Document::default();
        let empty = size_in_memory(&document);
        document.text = "text".to_owned();
        document.metadata.title = "title".to_owned();
        let more = ExtractedText::new("cetd", "words");
        document.more_texts.push(more);
        assert_eq!(
            size_in_memory(&document) - empty,
            4 + 5 + size_of::<ExtractedText>() + 4 + 5
        );
    }
}
