//! Making archives: records, and the containers that hold them.

use std::io::Write;

use super::Random;

/// A record before it is written.
#[derive(Clone, Debug)]
pub struct Entry {
    pub head: Vec<u8>,
    pub block: Vec<u8>,
    /// The bytes after the block.
    pub tail: Vec<u8>,
}

impl Entry {
    pub fn bytes(&self) -> Vec<u8> {
        [&self.head[..], &self.block, &self.tail].concat()
    }
}

/// A WARC record whose parts can be chosen.
#[derive(Clone, Debug)]
pub struct Warc {
    pub version: &'static str,
    pub line_end: &'static str,
    pub fields: Vec<(String, String)>,
    /// `None` leaves the field out.
    pub length: Option<String>,
    pub tail: &'static str,
    pub block: Vec<u8>,
}

impl Warc {
    pub fn new(id: &str, block: impl Into<Vec<u8>>) -> Self {
        let block = block.into();
        let field = |n: &str, v: &str| (n.to_owned(), v.to_owned());
        Self {
            version: "1.0",
            line_end: "\r\n",
            fields: vec![
                field("WARC-Type", "response"),
                field("WARC-Record-ID", &format!("<urn:test:{id}>")),
                field("WARC-Target-URI", &format!("http://{id}.example/page")),
                field("WARC-Date", "2024-05-06T07:08:09Z"),
                field("Content-Type", "application/http; msgtype=response"),
            ],
            length: Some(block.len().to_string()),
            tail: "\r\n\r\n",
            block,
        }
    }

    pub fn field(mut self, name: &str, value: &str) -> Self {
        self.fields.retain(|(n, _)| n != name);
        self.fields.push((name.into(), value.into()));
        self
    }

    pub fn length(mut self, length: impl ToString) -> Self {
        self.length = Some(length.to_string());
        self
    }

    pub fn entry(&self) -> Entry {
        let end = self.line_end;
        let mut head = format!("WARC/{}{end}", self.version);
        for (name, value) in &self.fields {
            head += &format!("{name}: {value}{end}");
        }
        if let Some(length) = &self.length {
            head += &format!("Content-Length: {length}{end}");
        }
        head += end;
        Entry {
            head: head.into(),
            block: self.block.clone(),
            tail: self.tail.into(),
        }
    }

    pub fn bytes(&self) -> Vec<u8> {
        self.entry().bytes()
    }
}

/// An HTTP response with a body.
pub fn http(body: &[u8]) -> Vec<u8> {
    [b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n", body].concat()
}

/// A response record whose HTTP head (without its first line) and body are chosen.
pub fn response(id: &str, fields: &str, body: &[u8]) -> Vec<u8> {
    let head = format!("HTTP/1.1 200 OK\r\n{fields}\r\n");
    Warc::new(id, [head.as_bytes(), body].concat()).bytes()
}

/// `n` plain WARC records of about `size` bytes of text, all different.
pub fn warcs(n: usize, size: usize, seed: u64) -> Vec<Entry> {
    let mut random = Random(seed);
    (0..n)
        .map(|i| {
            let size = size / 2 + random.below(size);
            Warc::new(&format!("r{i}"), http(&random.text(size))).entry()
        })
        .collect()
}

/// `n` ARC records of version 1 after a version block.
pub fn arcs(n: usize, size: usize, seed: u64) -> Vec<Entry> {
    let mut random = Random(seed);
    let mut entries = vec![arc_start(1)];
    for i in 0..n {
        let size = size / 2 + random.below(size);
        let body = http(&random.text(size));
        entries.push(arc_line(
            &format!(
                "http://r{i}.example/a page 192.0.2.{} 20080102030405 text/html {}",
                i % 250,
                body.len()
            ),
            body,
        ));
    }
    entries
}

/// An ARC file's first record.
pub fn arc_start(version: u8) -> Entry {
    let fields = match version {
        1 => "URL IP-address Archive-date Content-type Archive-length",
        _ => "URL IP-address Archive-date Content-type Result-code Checksum Location Offset Filename Archive-length",
    };
    let block = format!("{version} 0 Example Crawl\n{fields}\n").into_bytes();
    let line = match version {
        1 => format!("filedesc://crawl.arc 0.0.0.0 20080102030405 text/plain {}", block.len()),
        _ => format!(
            "filedesc://crawl.arc 0.0.0.0 20080102030405 text/plain 200 - - 0 crawl.arc {}",
            block.len()
        ),
    };
    arc_line(&line, block)
}

pub fn arc_line(line: &str, block: impl Into<Vec<u8>>) -> Entry {
    Entry {
        head: format!("{line}\n").into_bytes(),
        block: block.into(),
        tail: b"\n".to_vec(),
    }
}

pub fn gzip(data: &[u8]) -> Vec<u8> {
    gzip_at(data, flate2::Compression::default())
}

pub fn gzip_at(data: &[u8], level: flate2::Compression) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), level);
    encoder.write_all(data).unwrap();
    encoder.finish().unwrap()
}

/// A zstd frame with its size and a checksum.
pub fn zstd(data: &[u8], dictionary: &[u8]) -> Vec<u8> {
    let mut encoder = zstd::stream::write::Encoder::with_dictionary(Vec::new(), 3, dictionary).unwrap();
    encoder.set_pledged_src_size(Some(data.len() as u64)).unwrap();
    encoder.include_checksum(true).unwrap();
    encoder.write_all(data).unwrap();
    encoder.finish().unwrap()
}

pub fn skippable(nibble: u8, data: &[u8]) -> Vec<u8> {
    [
        &[0x50 | nibble, 0x2a, 0x4d, 0x18][..],
        &(data.len() as u32).to_le_bytes(),
        data,
    ]
    .concat()
}

/// How records are put into an archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    Plain,
    /// A gzip member a record.
    Gzip,
    /// Three records a member.
    GzipSeveral,
    /// Every record in two members, cut in its middle.
    GzipSplit,
    /// Members of 700 decoded bytes, wherever they cut.
    GzipBlocks,
    GzipWhole,
    /// A zstd frame a record.
    Zstd,
    ZstdSplit,
    ZstdWhole,
    /// A dictionary in front, raw bytes.
    ZstdDictionary,
    /// A trained dictionary, itself compressed.
    ZstdDictionaryCompressed,
    /// A skippable frame after every record.
    ZstdSkippable,
}

impl Form {
    pub const ALL: [Form; 12] = [
        Form::Plain,
        Form::Gzip,
        Form::GzipSeveral,
        Form::GzipSplit,
        Form::GzipBlocks,
        Form::GzipWhole,
        Form::Zstd,
        Form::ZstdSplit,
        Form::ZstdWhole,
        Form::ZstdDictionary,
        Form::ZstdDictionaryCompressed,
        Form::ZstdSkippable,
    ];
}

/// An archive, and where its units (records, members, frames) start.
#[derive(Clone, Debug)]
pub struct Made {
    pub bytes: Vec<u8>,
    pub starts: Vec<usize>,
}

pub fn archive(form: Form, entries: &[Entry]) -> Made {
    let all: Vec<Vec<u8>> = entries.iter().map(Entry::bytes).collect();
    let halves = || all.iter().flat_map(|e| e.chunks(e.len().div_ceil(2).max(1)));
    let dictionary = Random(77).text(4000);
    let units: Vec<Vec<u8>> = match form {
        Form::Plain => all,
        Form::Gzip => all.iter().map(|e| gzip(e)).collect(),
        Form::GzipSeveral => all.chunks(3).map(|e| gzip(&e.concat())).collect(),
        Form::GzipSplit => halves().map(gzip).collect(),
        Form::GzipBlocks => all.concat().chunks(700).map(gzip).collect(),
        Form::GzipWhole => vec![gzip(&all.concat())],
        Form::Zstd => all.iter().map(|e| zstd(e, &[])).collect(),
        Form::ZstdSplit => halves().map(|e| zstd(e, &[])).collect(),
        Form::ZstdWhole => vec![zstd(&all.concat(), &[])],
        Form::ZstdDictionary => {
            let frames = all.iter().map(|e| zstd(e, &dictionary));
            std::iter::once(skippable(13, &dictionary)).chain(frames).collect()
        }
        Form::ZstdDictionaryCompressed => {
            let frames = all.iter().map(|e| zstd(e, TRAINED));
            std::iter::once(skippable(13, &zstd(TRAINED, &[])))
                .chain(frames)
                .collect()
        }
        Form::ZstdSkippable => all
            .iter()
            .enumerate()
            .flat_map(|(i, e)| [zstd(e, &[]), skippable(i as u8 % 13, b"an index or so")])
            .collect(),
    };
    let mut made = Made {
        bytes: Vec::new(),
        starts: Vec::new(),
    };
    for unit in units {
        made.starts.push(made.bytes.len());
        made.bytes.extend_from_slice(&unit);
    }
    made
}

/// A dictionary with tables and the number 4242, made by `zstd --train` from records such as these.
pub const TRAINED: &[u8] = include_bytes!("crawl.dict");

/// The header block of an entry of a tar file.
pub fn tar_header(name: &str, kind: u8, size: usize) -> Vec<u8> {
    let mut block = vec![0; 512];
    block[..name.len()].copy_from_slice(name.as_bytes());
    block[100..108].copy_from_slice(b"0000644\0");
    block[124..136].copy_from_slice(format!("{size:011o}\0").as_bytes());
    // 6 May 2024, 07:08:09.
    block[136..148].copy_from_slice(b"14616100731\0");
    block[156] = kind;
    block[257..265].copy_from_slice(b"ustar\x0000");
    seal_tar_header(&mut block);
    block
}

/// Sets the checksum of a header block.
pub fn seal_tar_header(block: &mut [u8]) {
    block[148..156].fill(b' ');
    let sum: u32 = block.iter().map(|byte| u32::from(*byte)).sum();
    block[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
}

/// A file in a tar file, with its zeros.
pub fn tar_file(name: &str, bytes: &[u8]) -> Vec<u8> {
    let mut out = tar_header(name, b'0', bytes.len());
    out.extend_from_slice(bytes);
    out.resize(out.len().next_multiple_of(512), 0);
    out
}

/// The zeros at the end of a tar file.
pub const TAR_END: [u8; 1024] = [0; 1024];
