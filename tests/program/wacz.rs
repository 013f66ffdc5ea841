//! ZIP files with archives in them.

use std::fs;

use crate::inputs::{archive, pages};
use crate::program::{Place, make};

/// A ZIP file of entries that are stored: for each a local header and its data; the directory; the end of the
/// directory.
pub(super) fn zip_of(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let size = |bytes: &[u8]| (bytes.len() as u32).to_le_bytes();
    let (mut locals, mut directory) = (Vec::new(), Vec::new());
    for (name, data) in entries {
        let mut crc = flate2::Crc::new();
        crc.update(data);
        let common = [
            &[20, 0, 0, 0, 0, 0, 0, 0, 0, 0][..],
            &crc.sum().to_le_bytes(),
            &size(data),
            &size(data),
            &(name.len() as u16).to_le_bytes(),
            &[0, 0],
        ]
        .concat();
        let offset = size(&locals);
        locals.extend([b"PK\x03\x04", &common[..], name.as_bytes(), data].concat());
        directory.extend([b"PK\x01\x02\x14\x00", &common[..], &[0; 10], &offset, name.as_bytes()].concat());
    }
    let count = (entries.len() as u16).to_le_bytes();
    let end = [
        b"PK\x05\x06\0\0\0\0",
        &count[..],
        &count,
        &size(&directory),
        &size(&locals),
        &[0, 0],
    ]
    .concat();
    [locals, directory, end].concat()
}

#[test]
fn a_wacz_is_an_archive() {
    let place = Place::new();
    let wacz = zip_of(&[("archive/data.warc.gz", &archive("zipped"))]);
    place.write("crawl/a.wacz", &wacz);
    place.write("crawl/b.docx", zip_of(&[("word/document.xml", b"<xml/>")]));
    let run = place.run(&["crawl"]).ends_with(0);
    assert_eq!(pages(&run), ["zipped"]);
    assert_eq!(run.total("bytes"), wacz.len() as u64);
    assert!(run.shards.contains_key("documents/a.jsonl.zst"));
}

#[test]
fn a_wacz_of_two_formats_gives_the_pages_of_both_and_keeps_their_failures_apart() {
    let place = Place::new();
    let failing = make::response(
        "http://a.example/",
        "200 OK",
        "text/html; charset=utf-7",
        b"<p>+AGEAYgBj-",
    );
    let plain = [
        &failing[..],
        &make::page("http://b.example/", "This is the page plain."),
    ]
    .concat();
    let packed = [make::gzip(&failing), archive("packed")].concat();
    let wacz = zip_of(&[("archive/a.warc", &plain), ("archive/b.warc.gz", &packed)]);
    place.write("a.wacz", &wacz);
    let run = place.run(&["a.wacz", "--quarantine"]).ends_with(3);
    assert_eq!(pages(&run), ["plain", "packed"]);
    assert_eq!((run.total("bytes"), run.total("skipped_bytes")), (wacz.len() as u64, 0));
    let kept = |name: &str| fs::read(run.directory.join("quarantine").join(name)).unwrap();
    assert_eq!(
        [kept("a.warc"), kept("a.warc.gz")],
        [failing.clone(), make::gzip(&failing)]
    );
}
