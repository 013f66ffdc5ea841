//! Pages of the evaluation corpora, for tests and measurements; none where the corpora are absent.
#![allow(dead_code, clippy::unwrap_used)]

use dehusk_archive::http;
use dehusk_archive::{Archive, RecordType};

/// A page of a corpus.
pub struct Page {
    /// `WARC-Record-ID` without brackets.
    pub id: String,
    /// The page, its bytes that are not UTF-8 replaced.
    pub html: String,
}

/// Where the corpora lie: beside the project, unless `DEHUSK_CORPUS` names another folder.
pub fn folder() -> String {
    std::env::var("DEHUSK_CORPUS").unwrap_or_else(|_| {
        // Every package's tests find it: it lies beside the project's root.
        let above = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().skip(1);
        let mut folders = above.map(|folder| folder.join("shared/corpus"));
        let found = folders.find(|folder| folder.is_dir()).unwrap_or_default();
        found.to_string_lossy().into_owned()
    })
}

/// The pages of a corpus, or `None`, with a word about it, where it is absent.
pub fn corpus(name: &str) -> Option<Vec<Page>> {
    let path = format!("{}/{name}.warc.gz", folder());
    let Ok(archive) = Archive::open(&path) else {
        eprintln!("skipped: {path} is absent");
        return None;
    };
    let mut records = archive.records();
    let mut pages = Vec::new();
    while let Some(record) = records.next_record() {
        if record.header.record_type == RecordType::Response {
            let (_, body) = http::parse_head(&record.block).unwrap();
            let html = String::from_utf8_lossy(&record.block[body..]).into_owned();
            pages.push(Page {
                id: record.header.id().into_owned(),
                html,
            });
        }
    }
    Some(pages)
}

/// The words of a text: runs of letters, digits, marks and `_`; every CJK character is one.
pub fn words(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut from = None;
    for (at, c) in text.char_indices() {
        let cjk = matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}');
        let inner = !cjk && (c.is_alphanumeric() || c == '_');
        if let (Some(start), false) = (from, inner) {
            words.push(&text[start..at]);
            from = None;
        }
        if cjk {
            words.push(&text[at..at + c.len_utf8()]);
        } else if inner && from.is_none() {
            from = Some(at);
        }
    }
    words.extend(from.map(|start| &text[start..]));
    words
}
