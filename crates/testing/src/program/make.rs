//! Archives made for a test.

use std::io::{Read, Write};

/// A WARC record with these fields beside the ones that every record has.
pub fn record(kind: &str, url: &str, fields: &str, block: &[u8]) -> Vec<u8> {
    let id = format!("urn:test:{kind}:{url}");
    record_of((kind, &id, "2024-05-06T07:08:09Z"), url, fields, block)
}

/// The same with an id and a date of its own.
pub fn record_of((kind, id, date): (&str, &str, &str), url: &str, fields: &str, block: &[u8]) -> Vec<u8> {
    let mut out = format!(
        "WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Record-ID: <{id}>\r\nWARC-Date: {date}\r\n\
         WARC-Target-URI: {url}\r\n{fields}Content-Length: {}\r\n\r\n",
        block.len()
    )
    .into_bytes();
    out.extend_from_slice(block);
    out.extend_from_slice(b"\r\n\r\n");
    out
}

/// A response record.
pub fn response(url: &str, status: &str, mime: &str, body: &[u8]) -> Vec<u8> {
    let mut block = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {mime}\r\nContent-Length: {}\r\n\r\n",
        body.len()
    )
    .into_bytes();
    block.extend_from_slice(body);
    record(
        "response",
        url,
        "Content-Type: application/http; msgtype=response\r\n",
        &block,
    )
}

/// A response with a page of one paragraph.
pub fn page(url: &str, text: &str) -> Vec<u8> {
    let html = format!("<!doctype html><title>A page</title><p>{text}</p>");
    response(url, "200 OK", "text/html; charset=utf-8", html.as_bytes())
}

/// Bytes that do not compress, the same ones for the same seed.
pub fn noise(seed: u64, length: usize) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut out = Vec::with_capacity(length + 8);
    while out.len() < length {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        out.extend_from_slice(&state.to_le_bytes());
    }
    out.truncate(length);
    out
}

/// A response that is filtered, to fill windows cheaply.
pub fn filler(seed: u64, length: usize) -> Vec<u8> {
    response(
        &format!("https://fill.example/{seed}"),
        "200 OK",
        "image/png",
        &noise(seed, length),
    )
}

/// One gzip member.
pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    gzip_at(bytes, flate2::Compression::default())
}

/// One gzip member of stored blocks, in which the bytes are as they were.
pub fn gzip_stored(bytes: &[u8]) -> Vec<u8> {
    gzip_at(bytes, flate2::Compression::none())
}

fn gzip_at(bytes: &[u8], level: flate2::Compression) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), level);
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// One zstd frame.
pub fn zstd(bytes: &[u8]) -> Vec<u8> {
    zstd::encode_all(bytes, 3).unwrap()
}

/// Every record in a unit of its own.
pub fn each(records: &[Vec<u8>], pack: impl Fn(&[u8]) -> Vec<u8>) -> Vec<u8> {
    records.iter().flat_map(|r| pack(r)).collect()
}

/// The members of a gzip file, decoded; damaged ones are left out.
pub fn members(mut bytes: &[u8]) -> Vec<Vec<u8>> {
    let mut members = Vec::new();
    while !bytes.is_empty() {
        let mut decoder = flate2::bufread::GzDecoder::new(bytes);
        let mut member = Vec::new();
        match decoder.read_to_end(&mut member) {
            Ok(_) => {
                members.push(member);
                bytes = decoder.into_inner();
            }
            Err(_) => {
                let next = bytes[1..].windows(4).position(|w| w == [0x1f, 0x8b, 8, 0]);
                bytes = next.map_or(&[], |at| &bytes[1 + at..]);
            }
        }
    }
    members
}
