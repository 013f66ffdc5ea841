//! Archives that another process rewrites in place through a shared map while they are read. Neither the file's size
//! nor its time shows that. The content of the documents is arbitrary then, but they are documents: valid text in valid
//! lines.

use std::fs::File;
use std::hint::black_box;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use memmap2::MmapMut;

use crate::program::{Place, Run, make};

/// An archive of pages whose words are all the same, as many bytes whatever the words, which must have as many bytes as
/// each other.
fn archive(pages: usize, words_a_page: usize, word: &[u8]) -> Vec<u8> {
    let mut records = Vec::new();
    for number in 0..pages {
        let mut html = b"<!doctype html><title>".to_vec();
        html.extend_from_slice(&word.repeat(4));
        html.extend_from_slice(b"</title>");
        for _ in 0..words_a_page / 50 {
            html.extend_from_slice(b"<p>");
            html.extend_from_slice(&word.repeat(50));
        }
        let url = format!("https://a.example/{number:04}");
        records.extend(make::response(&url, "200 OK", "text/html; charset=utf-8", &html));
    }
    records
}

/// Sets a flag when it goes, so that a thread ends even where a check fails.
struct Ends<'a>(&'a AtomicBool);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Runs an archive while it is rewritten as one and the other of two archives of the same size, again and again.
fn run_rewritten(one: &[u8], other: &[u8], arguments: &[&str]) -> Run {
    assert_eq!(one.len(), other.len());
    let place = Place::new();
    let path = place.write("a.warc", one);
    let file = File::options().read(true).write(true).open(path).unwrap();
    // SAFETY: nothing else in this process maps or reads the file while the map is alive, and nothing shortens it. That
    // another process sees the bytes change is what is tested.
    #[allow(unsafe_code)]
    let mut map = unsafe { MmapMut::map_mut(&file) }.unwrap();
    // From here on every page of the map is dirty, so that writing to it does not change the file's time any more.
    map.copy_from_slice(other);
    map.copy_from_slice(one);
    let done = AtomicBool::new(false);
    let ended = thread::scope(|scope| {
        let _ends = Ends(&done);
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                for bytes in [other, one] {
                    map.copy_from_slice(bytes);
                    black_box(&mut map);
                }
            }
        });
        let options = ["run", "a.warc", "-o", "out", "--threads", "2", "--compression", "none"];
        place.start(&[&options, arguments].concat()).end()
    });
    let run = place.read("out", ended);
    assert!(matches!(run.ended.status, 0 | 1 | 3), "{}", run.ended.stderr);
    assert!(!run.ended.stderr.contains("panicked"), "{}", run.ended.stderr);
    assert_eq!(run.total("failed.panic"), 0, "{:?}", run.failed);
    run
}

#[test]
fn an_archive_whose_text_is_rewritten_gives_valid_lines() {
    // A character of two bytes, and bytes that are no characters and that JSON must escape.
    let (one, other) = (
        archive(60, 10_000, "wö\u{e9} ".as_bytes()),
        archive(60, 10_000, b"w\"\xc3\"\xa9 "),
    );
    let run = run_rewritten(&one, &other, &[]);
    // Reading it panics where a line is not valid.
    assert_eq!(run.documents().len() as u64, run.total("emitted"));
}

#[test]
fn an_archive_whose_text_is_rewritten_gives_valid_xml() {
    let (one, other) = (
        archive(60, 10_000, "wö\u{e9} ".as_bytes()),
        archive(60, 10_000, b"w\xc3<\xa9> "),
    );
    let run = run_rewritten(&one, &other, &["--format", "xml"]);
    let documents: usize = run
        .shards
        .values()
        .map(|shard| crate::checks::xml::read(shard).len())
        .sum();
    assert_eq!(documents as u64, run.total("emitted"));
}

#[test]
fn an_archive_whose_records_move_is_accounted_for() {
    let mut one = archive(400, 1000, "wö\u{e9} ".as_bytes());
    let mut other = archive(40, 11_000, "\u{20ac}\u{e9} ".as_bytes());
    let size = one.len().min(other.len());
    one.truncate(size);
    other.truncate(size);
    let run = run_rewritten(&one, &other, &[]);
    assert_eq!(run.documents().len() as u64, run.total("emitted"));
}
