//! The extraction service against the library, on the same pages; and many connections at once.
//!
//!     DEHUSK_BENCH_ARCHIVE=crawl.warc.gz cargo bench --features serve --bench service
//!
//! The first figure is CPU time, so that other programs on the machine matter little: what the server takes for
//! `POST /extract`, one request after another on one connection, and what a loop over `dehusk::Processor` takes. Both
//! decode the page, and make its document; the server also reads the request and writes the document as JSON. They take
//! turns, and the medians count. The archive is the sample in the repository, if none is named.
#![allow(missing_docs, clippy::unwrap_used)]

use std::hint::black_box;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use dehusk::{Config, Page, Processor};
use dehusk_archive::http::Scratch;
use dehusk_archive::{Archive, RecordType};
use dehusk_engine::config::Rules;
use dehusk_engine::provenance::ArchiveName;

/// How often the service and the library take turns.
const TURNS: usize = 7;

/// Least CPU time of a turn of the library, in seconds. The system counts in hundredths.
const LEAST: f64 = 2.0;

const CONNECTIONS: usize = 64;

/// Requests of each of the many connections.
const REQUESTS: usize = 100;

fn main() {
    let default = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/sample/sample.warc.gz").to_owned();
    let archive = std::env::var("DEHUSK_BENCH_ARCHIVE").unwrap_or(default);
    let pages = pages(&archive);
    println!(
        "{}: {} pages, {} bytes",
        archive,
        pages.len(),
        pages.iter().map(|page| page.len()).sum::<usize>()
    );
    let server = Server::start();
    one_connection(&server, &pages);
    many_connections(&server, &pages);
}

/// The pages of an archive that become documents, as UTF-8.
fn pages(archive: &str) -> Vec<Vec<u8>> {
    let archive = Archive::open(archive).unwrap();
    let rules = Rules::new(&Config::default()).unwrap();
    let mut processor = Processor::new(&Config::default()).unwrap();
    let mut scratch = Scratch::default();
    let mut pages = Vec::new();
    let mut records = archive.records();
    while let Some(record) = records.next_record() {
        if record.header.record_type != RecordType::Response || record.failure.is_some() {
            continue;
        }
        if let Ok(page) = Page::from_record(&record, &rules, &mut scratch, ArchiveName::default())
            && processor.document(&page).is_ok()
        {
            pages.push(page.html.as_bytes().to_vec());
        }
    }
    pages
}

fn one_connection(server: &Server, pages: &[Vec<u8>]) {
    let mut processor = Processor::new(&Config::default()).unwrap();
    let mut loop_once = || {
        for page in pages {
            let page = Page::from_labelled_bytes(page, Some("utf-8"), "").unwrap();
            black_box(processor.document(&page).unwrap());
        }
    };
    let mut connection = server.connect();
    let mut ask_once = || pages.iter().for_each(|page| assert_eq!(connection.ask(page), 200));
    // Both are warm.
    loop_once();
    ask_once();
    let (mut of_loop, mut of_server) = (Vec::new(), Vec::new());
    for _ in 0..TURNS {
        let (before, mut rounds) = (cpu("self"), 0);
        while cpu("self") - before < LEAST {
            loop_once();
            rounds += 1;
        }
        let each = f64::from(rounds) * pages.len() as f64;
        of_loop.push((cpu("self") - before) / each);
        let before = cpu(&server.pid());
        (0..rounds).for_each(|_| ask_once());
        of_server.push((cpu(&server.pid()) - before) / each);
    }
    let [of_loop, of_server] = [of_loop, of_server].map(median);
    println!(
        "one connection: Processor {:.0} µs of CPU a page, POST /extract {:.0} µs: {:.1} %",
        of_loop * 1e6,
        of_server * 1e6,
        100.0 * of_loop / of_server
    );
}

fn many_connections(server: &Server, pages: &[Vec<u8>]) {
    let started = Instant::now();
    let ask = |number: usize| {
        let mut connection = server.connect();
        let pages = pages.iter().cycle().skip(number * 37 % pages.len()).take(REQUESTS);
        let timed = pages.map(|page| {
            let started = Instant::now();
            let status = connection.ask(page);
            (status, started.elapsed())
        });
        timed.collect::<Vec<_>>()
    };
    let mut answers: Vec<(u16, Duration)> = std::thread::scope(|scope| {
        let asking: Vec<_> = (0..CONNECTIONS)
            .map(|number| scope.spawn(move || ask(number)))
            .collect();
        asking.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    let seconds = started.elapsed().as_secs_f64();
    let errors = answers.iter().filter(|(status, _)| *status != 200).count();
    answers.sort_by_key(|(_, time)| *time);
    let quantile = |share: f64| answers[((answers.len() - 1) as f64 * share) as usize].1.as_secs_f64() * 1e3;
    println!(
        "{CONNECTIONS} connections: {} requests, {errors} errors, {:.0} pages/s, p50 {:.1} ms, p99 {:.1} ms, peak of the \
         server's memory {} MiB",
        answers.len(),
        answers.len() as f64 / seconds,
        quantile(0.5),
        quantile(0.99),
        server.peak() >> 10
    );
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// The CPU time of a process in seconds, of the user and of the system.
fn cpu(process: &str) -> f64 {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap();
    let fields: Vec<&str> = stat[stat.rfind(')').unwrap() + 2..].split(' ').collect();
    let ticks: f64 = fields[11].parse::<f64>().unwrap() + fields[12].parse::<f64>().unwrap();
    ticks / 100.0
}

struct Server {
    process: Child,
    address: String,
}

impl Server {
    fn start() -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_dehusk"));
        let mut process = command
            .args(["serve", "--port", "0"])
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(process.stderr.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        let address = line.split("http://").nth(1).unwrap().split(['/', ' ']).next().unwrap();
        Self {
            address: address.to_owned(),
            process,
        }
    }

    fn pid(&self) -> String {
        self.process.id().to_string()
    }

    /// The most memory that it had, in KiB.
    fn peak(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.pid())).unwrap();
        let line = status.lines().find(|line| line.starts_with("VmHWM")).unwrap();
        line.split_whitespace().nth(1).unwrap().parse().unwrap()
    }

    fn connect(&self) -> Connection {
        let stream = TcpStream::connect(&self.address).unwrap();
        stream.set_nodelay(true).unwrap();
        Connection {
            stream: BufReader::new(stream),
            body: Vec::new(),
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It has ended already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

struct Connection {
    stream: BufReader<TcpStream>,
    body: Vec<u8>,
}

impl Connection {
    /// Sends a page, reads the answer, and returns its status.
    fn ask(&mut self, page: &[u8]) -> u16 {
        let head = format!(
            "POST /extract?format=json HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/html; charset=utf-8\r\n\
             Content-Length: {}\r\n\r\n",
            page.len()
        );
        self.stream
            .get_mut()
            .write_all(&[head.as_bytes(), page].concat())
            .unwrap();
        let (mut status, mut length) = (0, 0);
        loop {
            let mut line = String::new();
            self.stream.read_line(&mut line).unwrap();
            let line = line.trim_end().to_ascii_lowercase();
            if line.is_empty() {
                break;
            }
            if let Some(value) = line.strip_prefix("content-length: ") {
                length = value.parse().unwrap();
            } else if line.starts_with("http/1.1 ") {
                status = line[9..12].parse().unwrap();
            }
        }
        self.body.resize(length, 0);
        self.stream.read_exact(&mut self.body).unwrap();
        status
    }
}
