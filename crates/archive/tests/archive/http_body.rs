//! Bodies of HTTP responses through the public surface: every fault that archived responses are known for, and
//! properties.

use crate::archives::make::gzip;
use crate::codings::{brotli, raw_deflate, zlib};
use dehusk_archive::Note;
use dehusk_archive::http::{BodyError, Scratch, decode_body, parse_head};
use proptest::prelude::*;

const PAGE: &[u8] =
    b"<!DOCTYPE html><html><body><p>The kernel of the page, said twice. The kernel of the page.</p></body></html>";
const LIMIT: usize = 1 << 20;

/// Decodes a body under these header lines to its bytes and the names of its notes.
fn decode_up_to(fields: &str, body: &[u8], limit: usize) -> Result<(Vec<u8>, String), BodyError> {
    let block = [format!("HTTP/1.1 200 OK\r\n{fields}\r\n").as_bytes(), body].concat();
    let (head, start) = parse_head(&block).expect("a head");
    let mut scratch = Scratch::default();
    decode_body(&head, &block[start..], limit, &mut scratch).map(|b| (b.bytes.to_vec(), b.notes.to_string()))
}

fn decode(fields: &str, body: &[u8]) -> Result<(Vec<u8>, String), BodyError> {
    decode_up_to(fields, body, LIMIT)
}

fn ok(bytes: &[u8], notes: &str) -> Result<(Vec<u8>, String), BodyError> {
    Ok((bytes.to_vec(), notes.to_string()))
}

fn zstd(data: &[u8]) -> Vec<u8> {
    zstd::bulk::compress(data, 3).unwrap()
}

/// Chunks of the sizes given, then the rest, then the last chunk.
fn chunk(data: &[u8], sizes: &[usize]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rest = data;
    for size in sizes.iter().copied().chain([data.len()]) {
        let (part, tail) = rest.split_at(size.min(rest.len()));
        rest = tail;
        if !part.is_empty() {
            out.extend_from_slice(format!("{:x}\r\n", part.len()).as_bytes());
            out.extend_from_slice(part);
            out.extend_from_slice(b"\r\n");
        }
    }
    out.extend_from_slice(b"0\r\n\r\n");
    out
}

#[test]
fn a_plain_body_is_borrowed() {
    let block = [b"HTTP/1.1 200 OK\r\n\r\n", PAGE].concat();
    let (head, start) = parse_head(&block).unwrap();
    let mut scratch = Scratch::default();
    let body = decode_body(&head, &block[start..], LIMIT, &mut scratch).unwrap();
    assert_eq!(body.bytes.as_ptr(), block[start..].as_ptr());
}

#[test]
fn a_body_that_is_wrongly_called_chunked_is_read_as_it_is() {
    assert_eq!(
        decode("Transfer-Encoding: chunked\r\n", PAGE),
        ok(PAGE, "coding_absent")
    );
}

#[test]
fn chunks_before_a_bad_size_are_kept() {
    assert_eq!(
        decode("Transfer-Encoding: chunked\r\n", b"3\r\n<p>\r\nzz\r\nlost"),
        ok(b"<p>", "chunked")
    );
}

#[test]
fn an_overflowing_chunk_size_takes_the_bytes_that_are_there() {
    let body = b"3\r\n<p>\r\nFFFFFFFFFFFFFFFFFFFF\r\ntext";
    assert_eq!(
        decode("Transfer-Encoding: chunked\r\n", body),
        ok(b"<p>text", "chunked")
    );
}

#[test]
fn a_missing_last_chunk_is_noted() {
    assert_eq!(
        decode("Transfer-Encoding: chunked\r\n", b"3\r\n<p>\r\n"),
        ok(b"<p>", "chunked")
    );
}

#[test]
fn chunk_extensions_and_trailers_are_skipped() {
    let body = b"3;name=\"value\"\r\n<p>\r\n1 \r\nx\r\n0;last\r\nTrailer: y\r\n\r\n";
    assert_eq!(decode("Transfer-Encoding: Chunked\r\n", body), ok(b"<p>x", ""));
}

#[test]
fn a_plain_body_that_is_called_gzip_is_read_as_it_is() {
    assert_eq!(decode("Content-Encoding: gzip\r\n", PAGE), ok(PAGE, "coding_absent"));
}

#[test]
fn any_coding_stated_for_a_plain_body_is_ignored() {
    for name in ["gzip", "deflate", "br", "zstd"] {
        for body in [
            PAGE,
            b" \n<html>",
            b"Just words and no tag at all.",
            "Слова без тегов".as_bytes(),
            b"x",
        ] {
            let fields = format!("Content-Encoding: {name}\r\n");
            assert_eq!(decode(&fields, body), ok(body, "coding_absent"), "{name} {body:?}");
        }
    }
}

#[test]
fn every_coding_is_decoded() {
    for (name, body) in [
        ("gzip", gzip(PAGE)),
        ("x-gzip", gzip(PAGE)),
        ("GZIP", gzip(PAGE)),
        ("br", brotli(PAGE)),
        ("zstd", zstd(PAGE)),
        ("identity", PAGE.to_vec()),
        ("none", PAGE.to_vec()),
        ("\"gzip\"", gzip(PAGE)),
    ] {
        assert_eq!(
            decode(&format!("Content-Encoding: {name}\r\n"), &body),
            ok(PAGE, ""),
            "{name}"
        );
    }
}

#[test]
fn deflate_is_read_with_and_without_its_wrapper() {
    assert_eq!(decode("Content-Encoding: deflate\r\n", &zlib(PAGE)), ok(PAGE, ""));
    assert_eq!(
        decode("Content-Encoding: deflate\r\n", &raw_deflate(PAGE)),
        ok(PAGE, "")
    );
}

#[test]
fn stacked_codings_are_decoded_last_first() {
    let body = brotli(&gzip(&zstd(PAGE)));
    assert_eq!(decode("Content-Encoding: zstd, gzip, br\r\n", &body), ok(PAGE, ""));
}

#[test]
fn repeated_fields_are_one_list() {
    let body = chunk(&brotli(&gzip(PAGE)), &[5]);
    let fields = "Content-Encoding: gzip\r\nX: y\r\nContent-Encoding: br\r\nTransfer-Encoding: chunked\r\n";
    assert_eq!(decode(fields, &body), ok(PAGE, ""));
}

#[test]
fn transfer_codings_besides_chunked_are_decoded() {
    let body = chunk(&gzip(PAGE), &[7]);
    assert_eq!(decode("Transfer-Encoding: gzip, chunked\r\n", &body), ok(PAGE, ""));
}

#[test]
fn five_codings_are_decoded_and_six_are_not() {
    let five = (0..5).fold(PAGE.to_vec(), |body, _| gzip(&body));
    assert_eq!(
        decode("Content-Encoding: gzip, gzip, gzip, gzip, gzip\r\n", &five),
        ok(PAGE, "")
    );
    let six = decode("Content-Encoding: gzip, gzip, gzip, gzip, gzip, gzip\r\n", &gzip(&five));
    assert_eq!(six, Err(BodyError::EncodingUnknown));
}

#[test]
fn an_unknown_coding_is_an_error() {
    assert_eq!(
        decode("Content-Encoding: compress\r\n", b"\x1F\x9D\x90\x00"),
        Err(BodyError::EncodingUnknown)
    );
}

#[test]
fn an_unknown_coding_over_plain_html_is_ignored() {
    assert_eq!(decode("Content-Encoding: UTF-8\r\n", PAGE), ok(PAGE, "coding_absent"));
}

#[test]
fn all_members_of_a_gzip_body_are_read() {
    assert_eq!(
        decode("Content-Encoding: gzip\r\n", &[gzip(b"<p>"), gzip(b"x")].concat()),
        ok(b"<p>x", "")
    );
}

#[test]
fn all_frames_of_a_zstd_body_are_read() {
    let body = [zstd(b"<p>"), b"\x50\x2A\x4D\x18\x02\0\0\0ab".to_vec(), zstd(b"x")].concat();
    assert_eq!(decode("Content-Encoding: zstd\r\n", &body), ok(b"<p>x", ""));
}

#[test]
fn a_cut_compressed_body_gives_its_prefix() {
    let page: Vec<u8> = (0..20_000u32)
        .flat_map(|i| format!("<p>{}</p>", i.wrapping_mul(2_654_435_761)).into_bytes())
        .collect();
    for (name, body) in [
        ("gzip", gzip(&page)),
        ("deflate", zlib(&page)),
        ("br", brotli(&page)),
        ("zstd", zstd(&page)),
    ] {
        let (bytes, notes) = decode(&format!("Content-Encoding: {name}\r\n"), &body[..body.len() * 3 / 4]).unwrap();
        assert!(
            bytes.len() > page.len() / 4 && page.starts_with(&bytes),
            "{name}: {} of {}",
            bytes.len(),
            page.len()
        );
        assert_eq!(notes, "content_coding", "{name}");
    }
}

#[test]
fn a_damaged_brotli_body_gives_its_prefix() {
    let page: Vec<u8> = (0..20_000u32)
        .flat_map(|i| format!("<p>{}</p>", i.wrapping_mul(2_654_435_761)).into_bytes())
        .collect();
    let mut body = brotli(&page);
    let middle = body.len() / 2;
    body[middle..].fill(0xFF);
    let (bytes, notes) = decode("Content-Encoding: br\r\n", &body).unwrap();
    let common = bytes.iter().zip(&page).take_while(|(a, b)| a == b).count();
    assert!(common > page.len() / 4, "{common} of {}", page.len());
    assert_eq!(notes, "content_coding");
}

#[test]
fn no_clip_of_a_gzip_body_passes_as_whole() {
    let body = gzip(PAGE);
    for length in 1..body.len() {
        let (bytes, notes) = match decode("Content-Encoding: gzip\r\n", &body[..length]) {
            Ok(decoded) => decoded,
            Err(error) => {
                // Cut in its magic number, or before the first bytes of its data.
                assert!(
                    (2..40).contains(&length) && error == BodyError::Undecodable,
                    "{length} bytes"
                );
                continue;
            }
        };
        let expected = if length < 2 { "coding_absent" } else { "content_coding" };
        assert_eq!(notes, expected, "{length} bytes");
        assert!(length < 2 || PAGE.starts_with(&bytes), "{length} bytes");
    }
}

#[test]
fn a_wrong_gzip_checksum_is_noted() {
    let mut body = gzip(PAGE);
    let at = body.len() - 6;
    body[at] ^= 1;
    assert_eq!(decode("Content-Encoding: gzip\r\n", &body), ok(PAGE, "content_coding"));
}

#[test]
fn a_content_length_that_disagrees_is_noted() {
    assert_eq!(decode("Content-Length: 7\r\n", PAGE), ok(PAGE, "body_size"));
    assert_eq!(
        decode(&format!("Content-Length: {}\r\n", PAGE.len()), PAGE),
        ok(PAGE, "")
    );
    assert_eq!(decode("Content-Length: many\r\n", PAGE), ok(PAGE, ""));
}

#[test]
fn a_bomb_of_any_coding_is_too_large() {
    let zeros = vec![0u8; 8 << 20];
    let gzips = gzip(&zeros).repeat(4);
    for (name, body) in [
        ("gzip", gzips),
        ("deflate", zlib(&zeros)),
        ("deflate", raw_deflate(&zeros)),
        ("br", brotli(&zeros)),
        ("zstd", zstd(&zeros)),
    ] {
        assert_eq!(
            decode(&format!("Content-Encoding: {name}\r\n"), &body),
            Err(BodyError::TooLarge),
            "{name}"
        );
    }
}

#[test]
fn a_bomb_in_the_middle_of_a_stack_is_too_large() {
    let body = gzip(&gzip(&vec![0u8; 8 << 20]));
    assert_eq!(
        decode("Content-Encoding: gzip, gzip\r\n", &body),
        Err(BodyError::TooLarge)
    );
}

#[test]
fn the_limit_itself_is_allowed() {
    for (name, body) in [
        ("identity", PAGE.to_vec()),
        ("gzip", gzip(PAGE)),
        ("br", brotli(PAGE)),
        ("zstd", zstd(PAGE)),
    ] {
        let fields = format!("Content-Encoding: {name}\r\n");
        assert!(decode_up_to(&fields, &body, PAGE.len()).is_ok(), "{name}");
        assert_eq!(
            decode_up_to(&fields, &body, PAGE.len() - 1),
            Err(BodyError::TooLarge),
            "{name}"
        );
    }
}

#[test]
fn a_zstd_window_beyond_what_http_allows_is_not_allocated() {
    // A frame header that asks for a window of 2 GiB, and a block after it.
    let body = b"\x28\xB5\x2F\xFD\x00\xA8\x09\x00\x00a";
    assert_eq!(decode("Content-Encoding: zstd\r\n", body), Err(BodyError::Undecodable));
}

#[test]
fn an_empty_body_needs_no_decoding() {
    for fields in [
        "Content-Encoding: gzip\r\n",
        "Transfer-Encoding: chunked\r\n",
        "Content-Encoding: klingon\r\n",
    ] {
        assert_eq!(decode(fields, b"").map(|(bytes, _)| bytes), Ok(vec![]), "{fields}");
    }
}

#[test]
fn scratch_carries_nothing_over() {
    let block = [
        b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n".to_vec(),
        gzip(PAGE),
    ]
    .concat();
    let (head, start) = parse_head(&block).unwrap();
    let mut scratch = Scratch::default();
    for _ in 0..3 {
        let cut = decode_body(&head, &block[start..block.len() - 20], LIMIT, &mut scratch).unwrap();
        assert!(cut.notes.has(Note::ContentCoding));
        let whole = decode_body(&head, &block[start..], LIMIT, &mut scratch).unwrap();
        assert_eq!((whole.bytes, whole.notes.is_empty()), (PAGE, true));
    }
}

// Properties

fn codings() -> impl Strategy<Value = Vec<u8>> {
    proptest::collection::vec(0u8..5, 0..5)
}

proptest! {
    #[test]
    fn chunking_is_undone(
        data in proptest::collection::vec(any::<u8>(), 0..400),
        sizes in proptest::collection::vec(1usize..50, 0..20),
    ) {
        let decoded = decode("Transfer-Encoding: chunked\r\n", &chunk(&data, &sizes));
        prop_assert_eq!(decoded, ok(&data, ""));
    }

    #[test]
    fn any_stack_of_codings_is_decoded(data in proptest::collection::vec(any::<u8>(), 64..600), stack in codings()) {
        // Random bytes hold control characters soon, so that they are never taken for text.
        let mut body = data.clone();
        let mut names = Vec::new();
        for coding in stack {
            let (name, encoded) = match coding {
                0 => ("gzip", gzip(&body)),
                1 => ("deflate", zlib(&body)),
                2 => ("br", brotli(&body)),
                3 => ("zstd", zstd(&body)),
                _ => ("identity", body),
            };
            names.push(name);
            body = encoded;
        }
        prop_assert_eq!(decode(&format!("Content-Encoding: {}\r\n", names.join(", ")), &body), ok(&data, ""));
    }

    #[test]
    fn nothing_panics_and_the_limit_holds(
        fields in "(Content-Encoding: (gzip|br|zstd|deflate|x)(, ?(gzip|br|zstd|deflate))?\r\n)?(Transfer-Encoding: \
            chunked\r\n)?",
        magic in proptest::sample::select(vec![
            &b""[..],
            b"\x1F\x8B\x08\0\0\0\0\0\0\0",
            b"\x28\xB5\x2F\xFD",
            b"\x78\x9C",
            b"5\r\n",
            b"<",
        ]),
        noise in proptest::collection::vec(any::<u8>(), 0..2000),
        limit in 0usize..3000,
    ) {
        let body = [magic, &noise].concat();
        if let Ok((bytes, _)) = decode_up_to(&fields, &body, limit) {
            prop_assert!(bytes.len() <= limit);
        }
    }

    #[test]
    fn damage_never_panics_nor_passes_the_limit(kind in 0usize..4, at in 0usize..10_000, bit in 0u8..8) {
        let page = PAGE.repeat(20);
        let (name, mut body) = match kind {
            0 => ("gzip", gzip(&page)),
            1 => ("deflate", zlib(&page)),
            2 => ("br", brotli(&page)),
            _ => ("zstd", zstd(&page)),
        };
        let at = at % body.len();
        body[at] ^= 1 << bit;
        if let Ok((bytes, _)) = decode_up_to(&format!("Content-Encoding: {name}\r\n"), &body, 5000) {
            prop_assert!(bytes.len() <= 5000);
        }
    }
}
