//! Archives in ZIP files: WACZ files, and what may be wrong with them.

use std::io::{self, Write};
use std::sync::Arc;

use dehusk_archive::{Archive, ByteSource, ReadOptions};
use rawzip::{CompressionMethod, ZipArchiveWriter};

use crate::archives::Random;
use crate::archives::make::{self, Form, archive};
use crate::archives::read::{All, FIRM, map, read_all_with};

/// A ZIP file of entries: name, content, whether it is compressed.
fn zip(entries: &[(&str, &[u8], bool)]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut zip = ZipArchiveWriter::new(&mut bytes);
    for (name, content, is_packed) in entries {
        let method = if *is_packed {
            CompressionMethod::DEFLATE
        } else {
            CompressionMethod::STORE
        };
        let packed = if *is_packed {
            crate::codings::raw_deflate(content)
        } else {
            content.to_vec()
        };
        let (mut entry, config) = zip.new_file(name).compression_method(method).start().unwrap();
        let mut writer = config.wrap(&mut entry);
        writer.write_all(&packed).unwrap();
        let (_, descriptor) = writer.finish().unwrap();
        entry.finish(descriptor).unwrap();
    }
    zip.finish().unwrap();
    bytes
}

/// A WACZ of two archives, as its tools write them, with an index that is gzip as well.
fn wacz(form: Form) -> (Vec<u8>, [Vec<u8>; 2]) {
    let archives = [11, 12].map(|seed| archive(form, &make::warcs(5, 900, seed)).bytes);
    let ending = match form {
        Form::Plain => "",
        Form::Zstd => ".zst",
        _ => ".gz",
    };
    let names = ["a", "b"].map(|name| format!("archive/{name}.warc{ending}"));
    let index = make::gzip(b"com,example)/ 20240506070809 {\"url\": \"http://a.example/\"}\n");
    let bytes = zip(&[
        ("pages/pages.jsonl", b"{\"format\": \"json-pages-1.0\"}\n", true),
        (&names[0], &archives[0], false),
        ("indexes/index.cdx.gz", &index, false),
        (&names[1], &archives[1], false),
        ("datapackage.json", b"{\"profile\": \"data-package\"}", true),
    ]);
    (bytes, archives)
}

/// Reads a file on every path that a file has.
fn read(bytes: &[u8]) -> Result<All, String> {
    read_all_with(bytes, FIRM)
}

fn place(bytes: &[u8], what: &[u8]) -> usize {
    bytes.windows(what.len()).position(|window| window == what).unwrap()
}

#[test]
fn a_wacz_is_read_and_its_structure_is_padding() {
    for form in [Form::Gzip, Form::GzipSeveral, Form::GzipWhole, Form::Zstd, Form::Plain] {
        let (bytes, archives) = wacz(form);
        let all = read(&bytes).unwrap();
        assert_eq!((all.good().len(), all.skipped.len()), (10, 0), "{form:?} {all:?}");
        assert_eq!(
            all.bytes.padding,
            (bytes.len() - archives.concat().len()) as u64,
            "{form:?}"
        );
        // Offsets are those in the file.
        for (archive, first) in archives.iter().zip([0, 5]) {
            assert_eq!(all.records[first].offset, place(&bytes, archive) as u64, "{form:?}");
        }
    }
}

#[test]
fn damage_in_a_wacz_costs_what_it_touches() {
    let (mut bytes, archives) = wacz(Form::Gzip);
    let start = place(&bytes, &archives[0]);
    let length = archive(Form::Gzip, &make::warcs(5, 900, 11)).starts[1];
    // The first member's magic.
    bytes[start] ^= 0xff;
    let all = read(&bytes).unwrap();
    assert_eq!(all.good().len(), 9, "{all:?}");
    assert_eq!(
        (all.skipped[0].offset, all.bytes.skipped),
        (start as u64, length as u64)
    );
}

/// Its archives are found as those in damaged files are.
#[test]
fn a_wacz_that_is_cut_is_read_as_far_as_it_goes() {
    let (bytes, archives) = wacz(Form::Gzip);
    let end = place(&bytes, &archives[1]) + archives[1].len();
    let all = read(&bytes[..end]).unwrap();
    assert_eq!(all.good().len(), 10, "{all:?}");
    assert!(all.bytes.skipped > 0);
}

#[test]
fn an_archive_that_is_packed_in_a_zip_file_is_not_lost_silently() {
    let warc = archive(Form::Gzip, &make::warcs(5, 900, 5)).bytes;
    let packed = zip(&[("archive/a.warc.gz", &warc, true)]);
    assert!(read(&packed).unwrap_err().contains("archive/a.warc.gz"));
    let plain = archive(Form::Plain, &make::warcs(5, 900, 6)).bytes;
    let both = zip(&[("a.warc.gz", &warc, false), ("b.WARC", &plain, true)]);
    let all = read(&both).unwrap();
    assert_eq!(all.good().len(), 5);
    assert_eq!(all.bytes.skipped, crate::codings::raw_deflate(&plain).len() as u64);
    let nothing = zip(&[("a.warc.gz", b"", false), ("b.warc.gz", &warc, true)]);
    assert!(read(&nothing).unwrap_err().contains("b.warc.gz"));
    let none = zip(&[("word/document.xml", b"<xml/>", true)]);
    assert!(read(&none).unwrap_err().contains("without a WARC or ARC"));
}

/// Its archives are of two formats, so each is read in its own.
#[test]
fn archives_of_several_formats_in_one_wacz_are_all_read() {
    let warc = |form| archive(form, &make::warcs(5, 900, 21)).bytes;
    let arc = |form| archive(form, &make::arcs(5, 900, 22)).bytes;
    let forms = [
        ("a.warc", warc(Form::Plain)),
        ("b.warc.gz", warc(Form::Gzip)),
        ("c.warc.zst", warc(Form::Zstd)),
        ("d.arc.gz", arc(Form::Gzip)),
        ("e.arc", arc(Form::Plain)),
    ];
    for (first, (name, bytes)) in forms.iter().enumerate() {
        for (other_name, other) in forms.iter().skip(first + 1).chain(&forms[..first]) {
            let junk = [b'x'; 3000];
            let file = zip(&[
                (name, bytes, false),
                ("between.txt", &junk, false),
                (other_name, other, false),
                ("noise.warc.gz", &junk, false),
                (&format!("again.{name}"), bytes, false),
            ]);
            let all = read(&file).unwrap();
            let alone = read(bytes).unwrap().good().len() * 2 + read(other).unwrap().good().len();
            assert_eq!(all.good().len(), alone, "{name} and {other_name}: {all:?}");
            assert_eq!(all.bytes.skipped, junk.len() as u64, "{name} and {other_name}: {all:?}");
        }
    }
}

/// Bytes that cannot be read from one offset on, up to another.
#[derive(Debug)]
struct Hole(Vec<u8>, usize, usize);

impl ByteSource for Hole {
    fn size(&self) -> u64 {
        self.0.len() as u64
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let Hole(bytes, start, end) = self;
        let offset = offset as usize;
        let readable = match offset < *start {
            true => &bytes[offset..*start],
            false if offset < *end => return Err(io::Error::other("a bad block")),
            false => &bytes[offset..],
        };
        let n = readable.len().min(buffer.len());
        buffer[..n].copy_from_slice(&readable[..n]);
        Ok(n)
    }
}

#[test]
fn dictionaries_of_many_archives_are_bounded_together() {
    let archives = [Form::ZstdDictionary, Form::ZstdDictionaryCompressed]
        .map(|form| archive(form, &make::warcs(3, 900, 31)).bytes);
    let file = zip(&[("a.warc.zst", &archives[0], false), ("b.warc.zst", &archives[1], false)]);
    let [a, b] = archives.map(|bytes| {
        let archive = Archive::from_source("a", Arc::new(bytes), FIRM).unwrap();
        archive.format().unwrap().preamble().len() as u64
    });
    let read_within = |limit| {
        let mut options: ReadOptions = FIRM;
        options.dictionary_limit = limit;
        read_all_with(&file, options)
    };
    assert_eq!(read_within(a + b).unwrap().good().len(), 6);
    let error = read_within(a.max(b)).unwrap_err();
    assert!(error.contains("limits.dictionary_bytes"), "{error}");
}

#[test]
fn archives_before_one_that_cannot_be_read_are_read() {
    let (bytes, archives) = wacz(Form::Gzip);
    let start = place(&bytes, &archives[1]);
    let source = Hole(bytes, start, start + archives[1].len());
    let archive = Archive::from_source("a.wacz", Arc::new(source), FIRM).unwrap();
    let mut all = All::default();
    let error = all.take_until_error(&mut archive.records());
    assert_eq!(all.good().len(), read(&archives[0]).unwrap().good().len(), "{all:?}");
    assert!(error.is_some_and(|e| e.to_string().contains("a bad block")));
}

#[test]
fn a_directory_that_lies_breaks_nothing() {
    let (bytes, archives) = wacz(Form::Gzip);
    let directory = place(&bytes, &archives[1]) + archives[1].len();
    let mut random = Random(3);
    for _ in 0..400 {
        let mut bytes = bytes.clone();
        for _ in 0..1 + random.below(3) {
            let at = directory + random.below(bytes.len() - directory);
            bytes[at] = random.next_u64() as u8;
        }
        // Whatever it holds, every byte is accounted for, and no record is read twice.
        if let Ok(all) = map(&bytes, FIRM) {
            assert_eq!(all.bytes.sum(), bytes.len() as u64, "{all:?}");
            assert!(all.records.len() <= 10, "{all:?}");
        }
    }
}
