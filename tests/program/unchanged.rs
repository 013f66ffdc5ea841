//! Inputs and outputs that count as unchanged since an earlier run: directories of pages, outputs, and archives by
//! whatever path.

use std::fs;
use std::time::SystemTime;

use crate::program::{Place, make, refused};
use crate::resume::page;

const WORDS: [&str; 2] = [
    "<!doctype html><title>A page</title><p>Some words of the one page.</p>",
    "<!doctype html><title>A page</title><p>More words of another one.</p>",
];

/// Writes a page of a directory that was modified at a fixed time.
fn write_page(place: &Place, name: &str, html: &str) {
    let path = place.write(name, html);
    fs::File::options()
        .write(true)
        .open(path)
        .unwrap()
        .set_modified(SystemTime::UNIX_EPOCH)
        .unwrap();
}

#[test]
fn a_directory_of_pages_is_compared_by_names_and_sizes_and_by_digest() {
    let place = Place::new();
    write_page(&place, "pages/a.html", WORDS[0]);
    write_page(&place, "pages/b.html", WORDS[1]);
    let first = place.run(&["pages"]).ends_with(0);
    let digest = first.archives()[0]["input"]["digest"].as_str().unwrap();
    assert_eq!(digest.len(), 32);
    place.run(&["pages", "--verify"]).ends_with(0);
    // The same bytes, and another name.
    fs::rename(place.path("pages/b.html"), place.path("pages/c.html")).unwrap();
    let renamed = place.run(&["pages"]).ends_with(1);
    assert!(
        renamed
            .ended
            .stderr
            .contains("pages: its pages are not those of before"),
        "{}",
        renamed.ended.stderr
    );
    fs::rename(place.path("pages/c.html"), place.path("pages/b.html")).unwrap();
    place.run(&["pages"]).ends_with(0);
    // Only the digest shows other bytes of the same size and time.
    write_page(&place, "pages/b.html", &WORDS[1].replace("More", "Many"));
    place.run(&["pages"]).ends_with(0);
    let verified = place.run(&["pages", "--verify"]).ends_with(1);
    assert!(
        verified
            .ended
            .stderr
            .contains("pages: its bytes are not those that were read"),
        "{}",
        verified.ended.stderr
    );
    let redone = place.run(&["pages", "--verify", "--changed"]).ends_with(0);
    assert!(redone.texts()[1].starts_with("Many words"));
}

#[test]
fn an_output_that_was_cut_is_named_and_not_taken_over() {
    let place = Place::new();
    place.write("a.warc", page("a"));
    place.write("b.warc", page("b"));
    let whole = place.run(&["a.warc", "b.warc"]).ends_with(0);
    let shard = place.path("out/documents/a.jsonl.zst");
    let size = fs::metadata(&shard).unwrap().len();
    assert_eq!(whole.archives()[0]["output_bytes"]["documents/a.jsonl.zst"], size);
    fs::File::options()
        .write(true)
        .open(&shard)
        .unwrap()
        .set_len(size - 9)
        .unwrap();
    let message = format!(
        "a.warc: its output documents/a.jsonl.zst has {} bytes, and had {size} when it was written",
        size - 9
    );
    refused(&place, &["-o", "out", "a.warc", "b.warc"], &message);
    let since = place
        .run_to("since", &["a.warc", "b.warc", "--since", "out"])
        .ends_with(0);
    assert!(
        since.ended.stderr.contains("1 archive was taken over"),
        "{}",
        since.ended.stderr
    );
    assert_eq!(since.shards, whole.shards);
    let redone = place.run(&["a.warc", "b.warc", "--changed"]).ends_with(0);
    assert_eq!(redone.shards, whole.shards);
}

#[test]
fn a_list_of_offsets_may_spell_a_path_in_several_ways() {
    let place = Place::new();
    let members = ["a", "b", "c"].map(|name| make::gzip(&page(name)));
    let offsets = [0, members[0].len(), members[0].len() + members[1].len()];
    place.write("crawl/a.warc.gz", members.concat());
    let full = place.path("crawl/a.warc.gz");
    let spellings = ["crawl/a.warc.gz", "./crawl/../crawl/a.warc.gz", full.to_str().unwrap()];
    let line = |i: usize| format!("{}\t{}\t{}\n", spellings[i], offsets[i], members[i].len());
    place.write("list", [line(0), line(1), line(2)].concat());
    for (folder, archive) in [("alone", &[][..]), ("named", &["crawl/a.warc.gz"][..])] {
        let run = place
            .run_to(folder, &[archive, &["--offsets", "list"]].concat())
            .ends_with(0);
        assert_eq!((run.archives().len(), run.documents().len()), (1, 3));
        assert_eq!(run.archives()[0]["path"], "crawl/a.warc.gz");
    }
}
