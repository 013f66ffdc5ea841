//! Writes the seeds that are not worth typing: `cargo run --bin make-seeds` in `fuzz/` makes `fuzz/seeds/` anew.

#[path = "../crates/extract/src/fusion/model/tests/reference.rs"]
#[allow(dead_code)]
mod reference;

use std::fs;
use std::path::Path;

use dehusk_extract::fusion::training::{Matrix, Rule};
use dehusk_testing::archives::make::{self, Form, Warc};
use reference::TestModel;

fn main() -> std::io::Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("seeds");
    let write = |target: &str, name: &str, bytes: &[u8]| -> std::io::Result<()> {
        fs::create_dir_all(root.join(target))?;
        fs::write(root.join(target).join(name), bytes)
    };
    let warcs = make::warcs(3, 60, 5);
    let arcs = make::arcs(2, 60, 5);
    let plain = |entries: &[make::Entry]| make::archive(Form::Plain, entries).bytes;
    let unit = |text: &str| Warc::new(text, make::http(text.as_bytes()));

    write("warc", "records", &plain(&warcs))?;
    write(
        "warc",
        "short-length",
        &[unit("a").length(3).bytes(), unit("b").bytes()].concat(),
    )?;
    write(
        "warc",
        "long-length",
        &[unit("a").length(4000).bytes(), unit("b").bytes()].concat(),
    )?;
    write(
        "warc",
        "no-length",
        &[unit("a").length("x").bytes(), unit("b").bytes()].concat(),
    )?;
    write(
        "warc",
        "gap",
        &[&unit("a").bytes()[..], b"junk\r\n", &unit("b").bytes()].concat(),
    )?;
    write("arc", "version-1", &plain(&arcs))?;
    write(
        "arc",
        "version-2",
        &[make::arc_start(2).bytes(), plain(&arcs[1..])].concat(),
    )?;
    let tar = [
        make::tar_file("a/page.html", b"<p>Some words."),
        make::tar_header("././@LongLink", b'L', 12),
        [&b"long/p.html\0"[..], &[0; 500]].concat(),
        make::tar_file("cut", b"<p>More words."),
        make::TAR_END.to_vec(),
    ];
    write("tar", "gnu", &tar.concat())?;
    let records = "17 path=p/q.html\n";
    let pax = [
        make::tar_header("x", b'x', records.len()),
        [records.as_bytes(), &[0; 495]].concat(),
        make::tar_file("cut", b"<p>Words."),
    ];
    write("tar", "pax", &pax.concat())?;
    for (target, forms) in [
        ("gzip", &[Form::Gzip, Form::GzipSplit, Form::GzipWhole][..]),
        (
            "zstd",
            &[
                Form::Zstd,
                Form::ZstdSplit,
                Form::ZstdDictionaryCompressed,
                Form::ZstdSkippable,
            ],
        ),
    ] {
        for form in forms {
            // The first byte is even: taken as it is.
            let archive = make::archive(*form, &warcs[..2]).bytes;
            write(
                target,
                &format!("{form:?}").to_lowercase(),
                &[b"0", &archive[..]].concat(),
            )?;
        }
        // Packed by the target itself, without damage and with some.
        for (name, head) in [("packed", b"1\0\0"), ("packed-damaged", b"1\x60\x08")] {
            write(
                target,
                name,
                &[head, &plain(&warcs[..1])[..], b"\n==\n", &plain(&warcs[1..2])].concat(),
            )?;
        }
    }
    let page = b"<html><body><p>Some words of a page.</p></body></html>";
    let coded = |fields: &str, body: &[u8]| {
        let head = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n{fields}\r\n");
        [head.as_bytes(), body].concat()
    };
    write("http", "plain", &coded("Content-Length: 54\r\n", page))?;
    write("http", "gzip", &coded("Content-Encoding: gzip\r\n", &make::gzip(page)))?;
    write(
        "http",
        "zstd",
        &coded("Content-Encoding: zstd\r\n", &make::zstd(page, &[])),
    )?;
    let twice = make::gzip(&make::zstd(page, &[]));
    write("http", "stacked", &coded("Content-Encoding: zstd, gzip\r\n", &twice))?;
    let chunks = b"6;x=y\r\n<html>\r\n1f\r\n<body><p>Some words of a page.</p>\r\n0\r\nTrailer: x\r\n\r\n";
    write("http", "chunked", &coded("Transfer-Encoding: chunked\r\n", chunks))?;
    write("charset", "utf-16", b"utf-16le\n\xff\xfe<\0p\0>\0\xe9\0")?;
    write("charset", "iso-2022-jp", b"\n\x1b$B%F%9%H\x1b(B <p>")?;
    write("charset", "shift_jis", b"shift_jis\n<p>\x83e\x83X\x83g\x82\xc5\x82\xb7")?;
    write("charset", "gb18030", b"gb18030\n<p>\xd6\xd0\xce\xc4\x81\x30\x81\x30")?;
    write("charset", "latin", b"\n<meta charset=windows-1252><p>caf\xe9 \x80")?;
    write(
        "signals",
        "claimed",
        "The sum of the parts is less than the whole. — Le tout.en".as_bytes(),
    )?;
    for (name, trees, networks) in [
        ("trees", 5, &[][..]),
        ("network", 0, &[(8, 2)]),
        ("mixture", 3, &[(8, 1), (8, 1)]),
    ] {
        write("model", name, &TestModel::random(trees, networks, 5, 24).to_bytes(1))?;
    }
    write(
        "writers",
        "awkward",
        "a\u{2028}b\u{85}c\n\n]]>\u{fffe}\0<id>\0\"title\"\0&amp;\0\u{1b}[31m".as_bytes(),
    )
}
