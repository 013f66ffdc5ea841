//! The evaluation corpora's files, and their pages.

use std::path::{Path, PathBuf};

use dehusk_archive::http;
use dehusk_archive::{Archive, RecordType};

/// A page of a corpus.
pub struct Page {
    /// `WARC-Record-ID` without brackets.
    pub id: String,
    /// The page, its bytes that are not UTF-8 replaced.
    pub html: String,
}

/// Where the corpora are: in `shared/corpus` beside the project, unless `DEHUSK_CORPUS` names another folder.
pub fn folder() -> PathBuf {
    let above = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().skip(1);
    let mut beside = above.map(|folder| folder.join("shared/corpus"));
    let beside = beside.find(|folder| folder.is_dir()).unwrap_or_default();
    std::env::var_os("DEHUSK_CORPUS").map_or(beside, PathBuf::from)
}

/// The archive of a corpus.
pub fn archive(corpus: &str) -> PathBuf {
    folder().join(format!("{corpus}.warc.gz"))
}

/// The pages of a corpus.
pub fn pages(corpus: &str) -> Vec<Page> {
    let archive = Archive::open(archive(corpus)).unwrap();
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
    pages
}
