//! Reads `records.txt`: one line per record, columns separated by white space, a note after `#`.

use std::{error::Error, fs, path::Path};

/// The kind of record that a line makes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Warcinfo,
    /// A page from `pages/`, as an HTTP response.
    Page,
    /// A page from `pages/`, as a `resource` record without an HTTP header.
    Resource,
    /// A file from `files/`, as an HTTP response.
    File,
    /// The request for the previous page.
    Request,
    /// The crawler's metadata for the previous page.
    Metadata,
    /// A later visit to an earlier page that has not changed.
    Revisit,
}

impl Kind {
    const NAMES: [(Kind, &'static str, &'static str); 7] = [
        (Kind::Warcinfo, "warcinfo", "warcinfo"),
        (Kind::Page, "page", "response"),
        (Kind::Resource, "resource", "resource"),
        (Kind::File, "file", "response"),
        (Kind::Request, "request", "request"),
        (Kind::Metadata, "metadata", "metadata"),
        (Kind::Revisit, "revisit", "revisit"),
    ];

    /// The WARC-Type.
    pub fn name(self) -> &'static str {
        Self::NAMES
            .iter()
            .find(|(kind, ..)| *kind == self)
            .map_or("", |(_, _, name)| name)
    }
}

/// One line of the table.
pub struct Row {
    /// Counted from 1; the record's id, date and address follow from it.
    pub number: usize,
    pub kind: Kind,
    /// The file under `pages/` (without `.txt`) or `files/`.
    pub source: String,
    pub layout: String,
    pub charset: String,
    /// Where the charset is declared: `http`, `meta`, `equiv`, `bom`, joined by `+`, or `none`; `http=LABEL` lies.
    pub declared: String,
    /// Content codings in the order they are applied; `chunked` is the transfer coding.
    pub coding: String,
    pub url: String,
    options: Vec<String>,
}

/// Reads the table; empty lines and lines that begin with `#` are skipped.
pub fn read(path: &Path) -> Result<Vec<Row>, Box<dyn Error>> {
    let text = fs::read_to_string(path)?;
    let lines = text
        .lines()
        .filter(|line| !line.trim().is_empty() && !line.starts_with('#'));
    lines.enumerate().map(|(index, line)| row(index + 1, line)).collect()
}

fn row(number: usize, line: &str) -> Result<Row, Box<dyn Error>> {
    let columns = line.split(" # ").next().unwrap_or_default();
    let mut columns = columns.split_whitespace().map(str::to_owned);
    let mut next = || {
        columns
            .next()
            .ok_or_else(|| format!("records.txt: too few columns: {line}"))
    };
    let name = next()?;
    let kind = Kind::NAMES.iter().find(|(_, known, _)| *known == name);
    let (kind, ..) = kind.ok_or_else(|| format!("records.txt: unknown kind: {name}"))?;
    Ok(Row {
        number,
        kind: *kind,
        source: next()?,
        layout: next()?,
        charset: next()?,
        declared: next()?,
        coding: next()?,
        url: next()?,
        options: columns.collect(),
    })
}

impl Row {
    pub fn has(&self, option: &str) -> bool {
        self.options.iter().any(|known| known == option)
    }

    fn value(&self, name: &str) -> Option<&str> {
        self.options
            .iter()
            .find_map(|option| option.strip_prefix(name)?.strip_prefix('='))
    }

    pub fn status(&self) -> u16 {
        self.value("status")
            .and_then(|status| status.parse().ok())
            .unwrap_or(200)
    }

    pub fn mime(&self) -> &str {
        self.value("mime").unwrap_or("text/html")
    }

    pub fn location(&self) -> Option<&str> {
        self.value("location")
    }

    /// Whether the charset is declared in the given place.
    pub fn declares(&self, place: &str) -> bool {
        self.label(place).is_some()
    }

    /// The label in the given place: the charset, unless the table sets another.
    pub fn label(&self, place: &str) -> Option<&str> {
        self.declared
            .split('+')
            .find_map(|declared| match declared.split_once('=') {
                Some((named, label)) => (named == place).then_some(label),
                None => (declared == place).then_some(self.charset.as_str()),
            })
    }

    /// The Content-Type of a page, with its charset where HTTP declares it.
    pub fn content_type(&self) -> String {
        self.label("http")
            .map_or("text/html".to_owned(), |label| format!("text/html; charset={label}"))
    }

    /// The host of the URL.
    pub fn host(&self) -> &str {
        let rest = self.url.split_once("://").map_or("", |(_, rest)| rest);
        rest.split('/').next().unwrap_or(rest)
    }

    pub fn id(&self) -> String {
        id(self.number)
    }

    pub fn date(&self) -> String {
        date(self.number)
    }

    /// An address out of a documentation range, the same for every record of a host.
    pub fn address(&self) -> String {
        let sum = self
            .host()
            .bytes()
            .fold(7_u32, |sum, byte| (sum * 31 + u32::from(byte)) % 253);
        format!("192.0.2.{}", sum + 1)
    }
}

/// The id of the record with that number.
pub fn id(number: usize) -> String {
    format!("urn:uuid:d3805a3e-0000-4000-8000-{number:012}")
}

/// The date of the record with that number: one record every 17 seconds.
pub fn date(number: usize) -> String {
    let seconds = number * 17;
    format!("2026-05-04T08:{:02}:{:02}Z", seconds / 60, seconds % 60)
}
