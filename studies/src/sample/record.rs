//! WARC records, each in a gzip member of its own.

use super::table::{Row, date, id};
use dehusk_testing::archives::faults::sha1_base32;
use flate2::{Compression, read::DeflateDecoder, write::GzEncoder};
use std::{
    error::Error,
    io::{self, Read, Write},
};

const REVISIT_PROFILE: &str = "http://netpreserve.org/warc/1.0/revisit/identical-payload-digest";

/// A record: its named fields in order, and its block.
pub struct Record {
    version: &'static str,
    fields: Vec<(&'static str, String)>,
    block: Vec<u8>,
}

impl Record {
    fn new(row: &Row, content_type: &str, block: Vec<u8>) -> Self {
        let fields = vec![
            ("WARC-Type", row.kind.name().to_owned()),
            ("WARC-Record-ID", format!("<{}>", row.id())),
            ("WARC-Date", row.date()),
            ("Content-Type", content_type.to_owned()),
            ("WARC-Block-Digest", sha1_base32(&block)),
        ];
        Self {
            version: if row.has("warc/1.1") { "WARC/1.1" } else { "WARC/1.0" },
            fields,
            block,
        }
    }

    fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.fields.push((name, value.into()));
        self
    }

    fn fetched(row: &Row, content_type: &str, block: Vec<u8>) -> Self {
        Self::new(row, content_type, block)
            .with("WARC-Target-URI", &row.url)
            .with("WARC-IP-Address", row.address())
            .with("WARC-Warcinfo-ID", format!("<{}>", id(1)))
    }

    pub fn warcinfo(row: &Row) -> Self {
        let about = "software: dehusk make_sample\r\nformat: WARC File Format 1.0\r\nrobots: ignore\r\n\
                     description: invented pages for examples and tests, dedicated to the public domain (CC0)\r\n";
        Self::new(row, "application/warc-fields", about.into()).with("WARC-Filename", "sample.warc.gz")
    }

    pub fn response(row: &Row, payload_digest: Option<String>, block: Vec<u8>) -> Self {
        let mut record = Self::fetched(row, "application/http; msgtype=response", block);
        if let Some(digest) = payload_digest {
            record = record.with("WARC-Payload-Digest", digest);
        }
        if row.has("truncated") {
            record = record.with("WARC-Truncated", "length");
        }
        record
    }

    pub fn resource(row: &Row, content_type: &str, block: Vec<u8>) -> Self {
        let digest = sha1_base32(&block);
        Self::fetched(row, content_type, block).with("WARC-Payload-Digest", digest)
    }

    pub fn request(row: &Row, page: usize) -> Self {
        let path = row
            .url
            .split_once("://")
            .and_then(|(_, rest)| rest.find('/').map(|at| &rest[at..]))
            .unwrap_or("/");
        let head = format!(
            "GET {path} HTTP/1.1\r\nHost: {}\r\nUser-Agent: sample-crawler/1.0 (+https://crawler.example.org/about)\r\n\
             Accept: text/html,application/xhtml+xml;q=0.9,*/*;q=0.5\r\nAccept-Encoding: gzip, deflate, br, zstd\r\n\
             Connection: close\r\n\r\n",
            row.host()
        );
        Self::fetched(row, "application/http; msgtype=request", head.into())
            .with("WARC-Concurrent-To", format!("<{}>", id(page)))
    }

    pub fn metadata(row: &Row, page: usize) -> Self {
        let fields = format!(
            "via: https://{}/\r\nhopsFromSeed: L\r\nfetchTimeMs: 214\r\n",
            row.host()
        );
        Self::new(row, "application/warc-fields", fields.into())
            .with("WARC-Target-URI", &row.url)
            .with("WARC-Concurrent-To", format!("<{}>", id(page)))
    }

    pub fn revisit(row: &Row, page: usize, url: &str, payload_digest: &str, head: Vec<u8>) -> Self {
        Self::fetched(row, "application/http; msgtype=response", head)
            .with("WARC-Profile", REVISIT_PROFILE)
            .with("WARC-Refers-To", format!("<{}>", id(page)))
            .with("WARC-Refers-To-Target-URI", url)
            .with("WARC-Refers-To-Date", date(page))
            .with("WARC-Payload-Digest", payload_digest)
    }

    /// The record as one gzip member.
    pub fn member(&self) -> io::Result<Vec<u8>> {
        let mut member = GzEncoder::new(Vec::new(), Compression::best());
        write!(member, "{}\r\n", self.version)?;
        for (name, value) in &self.fields {
            write!(member, "{name}: {value}\r\n")?;
        }
        write!(member, "Content-Length: {}\r\n\r\n", self.block.len())?;
        member.write_all(&self.block)?;
        member.write_all(b"\r\n\r\n")?;
        member.finish()
    }
}

/// Flips one byte in the second half of a gzip member: the first at which inflating really breaks off, so that
/// the fault is not one of the checksum alone.
pub fn damage(mut member: Vec<u8>) -> Result<Vec<u8>, Box<dyn Error>> {
    const HEADER: usize = 10;
    const TRAILER: usize = 8;
    for at in member.len() / 2..member.len() - TRAILER {
        member[at] ^= 0xff;
        let inflated = DeflateDecoder::new(&member[HEADER..]).read_to_end(&mut Vec::new());
        if inflated.is_err_and(|error| error.kind() != io::ErrorKind::UnexpectedEof) {
            return Ok(member);
        }
        member[at] ^= 0xff;
    }
    Err("no single byte breaks this member".into())
}
