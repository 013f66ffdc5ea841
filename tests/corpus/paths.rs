//! A whole corpus gives the same records on every path of reading.

use crate::archives::read::read_all;
use crate::corpus::archive;
use dehusk_archive::{Archive, window};

pub fn is_read_whole(corpus: &str) {
    let records = if corpus == "wcxb-dev" { 1498 } else { 832 };
    let path = archive(corpus);
    let all = read_all(&std::fs::read(&path).unwrap());
    assert_eq!(
        (all.records.len(), all.good().len(), all.skipped.len()),
        (records, records, 0)
    );
    assert!(window::is_divisible(&Archive::open(&path).unwrap()));
}
