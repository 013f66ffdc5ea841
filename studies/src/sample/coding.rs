//! From the text of a page to the bytes on the wire: charset, content and transfer codings, HTTP header.

use super::table::Row;
use encoding_rs::Encoding;
use flate2::{
    Compression,
    write::{DeflateEncoder, GzEncoder, ZlibEncoder},
};
use std::{
    error::Error,
    io::{self, Write},
};

/// Encodes a page. Characters that the charset does not have become numeric character references.
pub fn encode(html: &str, charset: &str, bom: bool) -> Result<Vec<u8>, Box<dyn Error>> {
    let mark = if bom { "\u{feff}" } else { "" };
    let html = format!("{mark}{html}");
    if charset == "utf-16le" {
        return Ok(html.encode_utf16().flat_map(u16::to_le_bytes).collect());
    }
    let encoding = Encoding::for_label(charset.as_bytes()).ok_or_else(|| format!("unknown charset: {charset}"))?;
    Ok(encoding.encode(&html).0.into_owned())
}

/// Applies the codings of a table cell in order; returns the names to declare, and the coded body.
pub fn apply(cell: &str, mut body: Vec<u8>) -> io::Result<(Vec<&str>, Vec<u8>)> {
    let mut declared = Vec::new();
    for coding in cell.split(',').filter(|coding| *coding != "-") {
        let name;
        (name, body) = match coding {
            "gzip" => (
                "gzip",
                finish(
                    GzEncoder::new(Vec::new(), Compression::default()),
                    &body,
                    GzEncoder::finish,
                )?,
            ),
            "deflate" => (
                "deflate",
                finish(
                    ZlibEncoder::new(Vec::new(), Compression::default()),
                    &body,
                    ZlibEncoder::finish,
                )?,
            ),
            "raw-deflate" => {
                let encoder = DeflateEncoder::new(Vec::new(), Compression::default());
                ("deflate", finish(encoder, &body, DeflateEncoder::finish)?)
            }
            "br" => {
                let mut coded = Vec::new();
                brotli::BrotliCompress(
                    &mut body.as_slice(),
                    &mut coded,
                    &brotli::enc::BrotliEncoderParams::default(),
                )?;
                ("br", coded)
            }
            "zstd" => ("zstd", zstd::encode_all(body.as_slice(), 9)?),
            "chunked" => ("chunked", chunked(&body)?),
            "false-gzip" => ("gzip", body),
            unknown => return Err(io::Error::other(format!("unknown coding: {unknown}"))),
        };
        declared.push(name);
    }
    Ok((declared, body))
}

fn finish<W: Write>(mut encoder: W, body: &[u8], end: fn(W) -> io::Result<Vec<u8>>) -> io::Result<Vec<u8>> {
    encoder.write_all(body)?;
    end(encoder)
}

/// Splits a body into chunks of uneven sizes, so that some split words and multi-byte characters.
fn chunked(body: &[u8]) -> io::Result<Vec<u8>> {
    let mut coded = Vec::new();
    let mut sizes = [1021, 4093, 347].into_iter().cycle();
    let mut rest = body;
    while !rest.is_empty() {
        let (chunk, after) = rest.split_at(sizes.next().map_or(rest.len(), |size| rest.len().min(size)));
        write!(coded, "{:x}\r\n", chunk.len())?;
        coded.extend_from_slice(chunk);
        coded.extend_from_slice(b"\r\n");
        rest = after;
    }
    coded.extend_from_slice(b"0\r\n\r\n");
    Ok(coded)
}

/// The head of an HTTP response, with the empty line that ends it.
pub fn head(row: &Row, status: u16, content_type: &str, codings: &[&str], length: Option<usize>) -> Vec<u8> {
    let reason = match status {
        301 => "Moved Permanently",
        404 => "Not Found",
        _ => "OK",
    };
    let content_codings: Vec<_> = codings.iter().copied().filter(|name| *name != "chunked").collect();
    let mut fields = vec![
        format!("HTTP/1.1 {status} {reason}"),
        "Date: Mon, 04 May 2026 08:00:00 GMT".to_owned(),
        format!("Server: {}", ["nginx", "Apache", "sample/2.1"][row.number % 3]),
        format!("Content-Type: {content_type}"),
    ];
    fields.extend(row.location().map(|url| format!("Location: {url}")));
    fields.extend((!content_codings.is_empty()).then(|| format!("Content-Encoding: {}", content_codings.join(", "))));
    fields.extend(
        codings
            .contains(&"chunked")
            .then(|| "Transfer-Encoding: chunked".to_owned()),
    );
    fields.extend(length.map(|length| format!("Content-Length: {length}")));
    fields.push("Connection: close\r\n\r\n".to_owned());
    fields.join("\r\n").into_bytes()
}
