//! Inputs of many gigabytes: memory stays below 512 MB, and time grows as the input does.
//!
//!     cargo test --release --test program -- large_inputs --ignored --nocapture --test-threads 1
//!
//! They are made by streaming code and go through the program's standard input, so that nothing of their size is held
//! or stored. The figures are printed.

use std::io::{BufReader, Read, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::archives::make::{self, Warc};
use crate::program::{Place, Run};

/// Peak resident memory that no input may cause, in bytes.
const MEMORY: u64 = 512_000_000;

const GB: u64 = 1_000_000_000;

/// The peak of a process's resident memory so far, in bytes; 0 once it has ended.
fn peak(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:"));
    line.map_or(0, |l| l.trim().trim_end_matches(" kB").parse::<u64>().unwrap() * 1024)
}

/// Runs what a reader gives, and checks the memory that it takes.
fn feed(what: &str, mut input: impl Read + Send + 'static) -> (Run, Duration) {
    let place = Place::new();
    let begun = Instant::now();
    let mut running = place.start(&["run", "-", "-o", "out", "--threads", "2"]);
    let process = running.child.id();
    let mut stdin = running.stdin.take().unwrap();
    let feeding = thread::spawn(move || drop(std::io::copy(&mut input, &mut stdin)));
    let over = AtomicBool::new(false);
    let watch = &over;
    let (most, ended) = thread::scope(|scope| {
        // The kernel keeps the peak, so that looking now and then misses nothing but the very end.
        let sampler = scope.spawn(move || {
            let mut most = 0;
            while !watch.load(Ordering::Relaxed) {
                most = peak(process).max(most);
                thread::park_timeout(Duration::from_millis(20));
            }
            most
        });
        let ended = running.end_with_open_stdin();
        over.store(true, Ordering::Relaxed);
        (sampler.join().unwrap(), ended)
    });
    feeding.join().unwrap();
    let took = begun.elapsed();
    eprintln!("{what}: {:.1} s, peak {} MB", took.as_secs_f64(), most / 1_000_000);
    assert!((1..MEMORY).contains(&most), "{what}: {most} bytes");
    (place.read("out", ended), took)
}

fn head_of(length: u64) -> Vec<u8> {
    Warc::new("long", "").length(length).entry().head
}

/// A record of this length, and a good page after it.
fn long_record(length: u64) -> impl Read + Send {
    let head = std::io::Cursor::new(head_of(length));
    let body = std::io::repeat(b'a').take(length);
    head.chain(body)
        .chain(&b"\r\n\r\n"[..])
        .chain(std::io::Cursor::new(good()))
}

fn good() -> Vec<u8> {
    Warc::new("good", make::http(b"<p>A good page.</p>")).bytes()
}

fn assert_passed(run: Run) {
    let run = run.ends_with(3);
    assert_eq!((run.total("framed"), run.total("failed.too_large")), (2, 1));
    assert_eq!(run.texts(), ["A good page."]);
}

#[test]
#[ignore = "reads 10 GB"]
fn a_gzip_member_of_ten_gigabytes_is_bounded() {
    let long = BufReader::with_capacity(1 << 20, long_record(10 * GB));
    let member = flate2::read::GzEncoder::new(long, flate2::Compression::fast());
    assert_passed(feed("a gzip member of 10 GB", member).0);
}

#[test]
#[ignore = "reads 10 GB"]
fn a_zstd_frame_of_ten_gigabytes_is_bounded() {
    let frame = zstd::stream::read::Encoder::new(long_record(10 * GB), 1).unwrap();
    assert_passed(feed("a zstd frame of 10 GB", frame).0);
}

#[test]
#[ignore = "compresses 30 GB"]
fn bodies_of_ten_gigabytes_in_every_coding_are_bounded() {
    let zeros = || BufReader::with_capacity(1 << 20, std::io::repeat(b' ').take(10 * GB));
    let mut gzip = Vec::new();
    let mut encoder = flate2::read::GzEncoder::new(zeros(), flate2::Compression::new(6));
    encoder.read_to_end(&mut gzip).unwrap();
    let mut br = Vec::new();
    let mut encoder = brotli::CompressorWriter::new(&mut br, 1 << 20, 1, 22);
    std::io::copy(&mut zeros(), &mut encoder).unwrap();
    encoder.flush().unwrap();
    drop(encoder);
    let zstd = zstd::stream::encode_all(zeros(), 1).unwrap();
    for (coding, body) in [("gzip", gzip), ("br", br), ("zstd", zstd)] {
        let fields = format!("Content-Type: text/html\r\nContent-Encoding: {coding}\r\n");
        // One page for each worker, and more that wait.
        let bomb = make::response(coding, &fields, &body);
        let bytes = [bomb.repeat(6), good()].concat();
        let (run, _) = feed(
            &format!("six {coding} bodies of 10 GB, {} bytes each", body.len()),
            std::io::Cursor::new(bytes),
        );
        assert_eq!((run.total("failed.too_large"), run.total("emitted")), (6, 1));
    }
}

#[test]
#[ignore = "reads 4.5 GB"]
fn a_record_of_four_and_a_half_gigabytes_is_bounded() {
    assert_passed(feed("a plain record of 4.5 GB", long_record(4_500_000_000)).0);
}

#[test]
#[ignore = "reads ten million records"]
fn ten_million_records_of_a_byte_are_bounded() {
    let record = Warc::new("r", "x").bytes();
    let many = |n: u64| Repeat {
        piece: std::io::Cursor::new(record.repeat(1000)),
        left: n / 1000,
    };
    let (few, short) = feed("a million records of 1 byte", many(1_000_000));
    let (lot, long) = feed("ten million records of 1 byte", many(10_000_000));
    assert_eq!((few.total("framed"), lot.total("framed")), (1_000_000, 10_000_000));
    assert!(long < 20 * short, "{short:?} and {long:?} are not linear");
}

/// A piece, so many times.
struct Repeat {
    piece: std::io::Cursor<Vec<u8>>,
    left: u64,
}

impl Read for Repeat {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.left > 0 && self.piece.position() == self.piece.get_ref().len() as u64 {
            self.left -= 1;
            self.piece.set_position(0);
        }
        if self.left == 0 {
            return Ok(0);
        }
        self.piece.read(buffer)
    }
}
