//! Memory stays bounded whatever a record's size. The process is measured, so this file holds a single test.
#![allow(clippy::unwrap_used)]

use dehusk_archive::Fault;
use dehusk_testing::archives::make::{self, Warc};
use dehusk_testing::archives::read::{self, FIRM};
use dehusk_testing::archives::within;

/// A reader that repeats a pattern for a length, after a head and before a tail.
struct Long {
    head: Vec<u8>,
    left: u64,
    tail: Vec<u8>,
}

impl std::io::Read for Long {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if !self.head.is_empty() {
            let n = buffer.len().min(self.head.len());
            buffer[..n].copy_from_slice(&self.head[..n]);
            self.head.drain(..n);
            return Ok(n);
        }
        if self.left > 0 {
            let n = buffer.len().min(usize::try_from(self.left).unwrap_or(usize::MAX));
            buffer[..n].fill(b'a');
            self.left -= n as u64;
            return Ok(n);
        }
        let n = buffer.len().min(self.tail.len());
        buffer[..n].copy_from_slice(&self.tail[..n]);
        self.tail.drain(..n);
        Ok(n)
    }
}

fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    status
        .split(' ')
        .nth(1)
        .and_then(|n| n.parse::<u64>().ok())
        .unwrap_or(0)
        * 4096
}

fn read_long(length: u64, reader: impl std::io::Read + Send + 'static) {
    let before = resident();
    let mut options = FIRM;
    options.record_limit = 8 << 20;
    let archive = dehusk_archive::Archive::from_reader("long", reader, options).unwrap();
    let mut records = archive.records();
    let mut seen = Vec::new();
    while let Some(record) = records.next_record() {
        seen.push((record.header.id().into_owned(), record.failure));
    }
    let name = |n: usize| format!("urn:test:r{n}");
    assert_eq!(
        seen,
        [(name(0), None), (name(1), Some(Fault::TooLarge)), (name(2), None)],
        "{length}"
    );
    let grown = resident().saturating_sub(before);
    assert!(grown < 160 << 20, "{grown} bytes for a record of {length}");
}

#[test]
fn records_beyond_the_limit_are_skipped_in_bounded_memory() {
    let length = 300u64 << 20;
    let small = make::warcs(3, 800, 1);
    let head = [small[0].bytes(), Warc::new("r1", "").length(length).entry().head].concat();
    let tail = [b"\r\n\r\n", &small[2].bytes()[..]].concat();
    let long = Long {
        head: head.clone(),
        left: length,
        tail: tail.clone(),
    };
    within(60, "a long record", move || read_long(length, long));
    let long = Long {
        head,
        left: length,
        tail,
    };
    within(120, "a bomb", move || {
        read_long(
            length,
            flate2::read::GzEncoder::new(std::io::BufReader::new(long), flate2::Compression::fast()),
        );
    });
    // A small record, and a bomb after it in the same unit.
    let bomb = [&small[0].bytes()[..], &vec![b'a'; 300 << 20]].concat();
    let next = small[1].bytes();
    let bombs = [
        [make::gzip(&bomb), make::gzip(&next)].concat(),
        [make::zstd(&bomb, &[]), make::zstd(&next, &[])].concat(),
    ];
    drop(bomb);
    for bytes in bombs {
        within(120, "a bomb", move || {
            let before = resident();
            let all = read::read_some_large(&bytes);
            assert_eq!((all.good().len(), all.gaps()), (2, vec!["garbage"]), "{all:?}");
            let grown = resident().saturating_sub(before);
            assert!(grown < 250 << 20, "{grown} bytes for a bomb");
        });
    }
}
