//! `dehusk cat --records`: the records that documents were made of, as an archive of their own.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use super::args::CatArgs;
use super::cat::Filter;
use super::check::opening;
use super::output::{container_of, create, refuse_in_run, say};
use super::{Failure, INCOMPLETE, inputs, printable};
use dehusk_archive::calendar::iso_date;
use dehusk_archive::index::write_line;
use dehusk_archive::mend::{Mender, pack};
use dehusk_archive::{
    Archive, ArchiveError, Container, Event, Framing, ReadOptions, Record, RecordType, Records, escape,
};
use dehusk_corpus::readback::Account;
use dehusk_documents::encode::{PartialFile, ShardError, ShardReader};
use dehusk_engine::config::Config;

/// How many bytes are collected before they are written.
const CHUNK: usize = 1 << 20;

/// Where records are in an archive: offset, and offset in the member or frame. Each with the id of its document.
type Wanted = BTreeMap<u64, BTreeMap<u64, String>>;

/// Writes the records of all documents that the filter keeps. Nothing is written if one of them cannot be read.
pub(super) fn write(args: &CatArgs, filter: &Filter, path: &Path) -> Result<u8, Failure> {
    refuse_in_run(path)?;
    let accounts = Account::read_each(&args.runs).map_err(Failure::other)?;
    let mut archives: BTreeMap<&str, Wanted> = BTreeMap::new();
    let mut status = 0;
    for account in &accounts {
        for archive in &account.archives {
            let wanted = archives.entry(&archive.path).or_default();
            for shard in account.shards(archive) {
                collect(shard.read(), filter, wanted)?;
            }
        }
        if let Some(warning) = account.warning() {
            say(format!("dehusk: {}", printable(&warning)));
            status = INCOMPLETE;
        }
    }
    archives.retain(|_, wanted| !wanted.is_empty());
    if archives.is_empty() {
        return Err(Failure::other("no document was chosen; nothing was written"));
    }
    let mut output = Output::create(path, args.overwrite, &origin(args))?;
    for (name, wanted) in &archives {
        let nothing = |e: Failure| Failure::other(format!("{}; nothing was written", printable(&e.message)));
        copy(name, wanted, &mut output).map_err(nothing)?;
    }
    output.finish(archives.len())?;
    Ok(status)
}

/// How the records of documents are chosen.
fn origin(args: &CatArgs) -> Vec<(&'static str, String)> {
    let mut origin = vec![(
        "description",
        "The records of documents, chosen by dehusk cat --records".to_owned(),
    )];
    origin.extend(args.runs.iter().map(|run| ("dehusk-run", escape::path(run))));
    let chosen = [
        ("dehusk-id", &args.id),
        ("dehusk-url", &args.url),
        ("dehusk-where", &args.conditions),
    ];
    for (name, values) in chosen {
        origin.extend(values.iter().map(|value| (name, value.clone())));
    }
    origin
}

/// Collects where the records of a shard's documents are.
fn collect(shard: Result<ShardReader, ShardError>, filter: &Filter, wanted: &mut Wanted) -> Result<(), Failure> {
    let shard = shard.map_err(Failure::other)?;
    let path = shard.path().to_owned();
    for (number, document) in shard.enumerate() {
        let document = document.map_err(Failure::other)?;
        if number == 0
            && let Some(absence) = filter.absence(&document)
        {
            return Err(Failure::other(format!("{}: {absence}", escape::path(&path))));
        }
        if filter.keeps(&document) {
            let metadata = &document.metadata;
            let inside = wanted.entry(metadata.warc_offset).or_default();
            inside.insert(metadata.offset_in_member, document.id);
        }
    }
    Ok(())
}

/// Copies the wanted records of an archive.
fn copy(name: &str, wanted: &Wanted, output: &mut Output) -> Result<(), Failure> {
    let shown = escape::terminal(name);
    let once = || Failure::other(format!("{shown}: is a stream, which can be read once only; run a file"));
    if name == "-" {
        return Err(once());
    }
    let input = inputs::recorded(&escape::named(name));
    let archive = input.open(&opening(&Config::default())).map_err(Failure::other)?;
    if archive.source().is_none() {
        return Err(once());
    }
    let mut copying = Copying {
        archive: &archive,
        shown: &shown,
        left: wanted.clone(),
        output,
    };
    let mut buffer = Vec::new();
    for offset in wanted.keys() {
        let mut records = archive.records_between(*offset..*offset + 1, std::mem::take(&mut buffer));
        copying.copy(&mut records, *offset)?;
        if copying.left.contains_key(offset) {
            // Where members cut records, reading cannot begin at every member.
            copying.copy(&mut archive.records(), u64::MAX)?;
            break;
        }
        buffer = records.into_buffer();
    }
    if let Some((offset, inside)) = copying.left.iter().next() {
        let id = inside.values().next();
        return Err(changed(&shown, *offset, id.map_or("", |id| id)));
    }
    archive.check().map_err(Failure::other)
}

/// An archive of which records are copied.
struct Copying<'c> {
    archive: &'c Archive,
    shown: &'c str,
    /// The records that were not found yet.
    left: Wanted,
    output: &'c mut Output,
}

impl Copying<'_> {
    /// Copies the wanted records whose members or frames start no later than an offset.
    fn copy(&mut self, records: &mut Records<'_>, last: u64) -> Result<(), Failure> {
        while self.left.keys().next().is_some_and(|offset| *offset <= last)
            && let Some(event) = records.next_event()
        {
            let Event::Record(record) = event else { continue };
            let Some(inside) = self.left.get_mut(&record.offset) else {
                continue;
            };
            let Some(id) = inside.remove(&record.offset_in_member) else {
                continue;
            };
            if inside.is_empty() {
                self.left.remove(&record.offset);
            }
            let known = record.header.id();
            if record.failure.is_some() || !known.is_empty() && known != *id {
                return Err(changed(self.shown, record.offset, &id));
            }
            self.output.record(self.archive, &record)?;
        }
        match records.take_error() {
            Some(error) => Err(Failure::other(ArchiveError::read_on(self.archive.name(), error))),
            None => Ok(()),
        }
    }
}

fn changed(archive: &str, offset: u64, id: &str) -> Failure {
    Failure::other(format!(
        "{archive}@{offset}: is not the record of the document {id} any more; run the archive again"
    ))
}

/// The files that are written.
pub(super) struct Output {
    archive: PartialFile,
    index: PartialFile,
    container: Container,
    /// The archive's file name.
    name: String,
    pending: Vec<u8>,
    lines: Vec<Vec<u8>>,
    records: u64,
    copied: u64,
}

impl Output {
    /// Begins both files. `origin` says where the records come from and how they are chosen: names of fields, and
    /// values.
    pub(super) fn create(path: &Path, overwrite: bool, origin: &[(&str, String)]) -> Result<Self, Failure> {
        let mut index = path.file_name().map(OsString::from).unwrap_or_default();
        index.push(".cdxj");
        let mut output = Self {
            archive: create(path, overwrite)?,
            index: create(&path.with_file_name(index), overwrite)?,
            container: container_of(path),
            name: file_name(path),
            pending: Vec::new(),
            lines: Vec::new(),
            records: 0,
            copied: 0,
        };
        let first = pack(&warcinfo(origin, path), output.container).map_err(Failure::other)?;
        output.add(&first)?;
        Ok(output)
    }

    /// How many records were added.
    pub(super) fn records(&self) -> u64 {
        self.records
    }

    /// Adds a record: its stored bytes, if they are a member or frame of their own that breaks no rule.
    pub(super) fn record(&mut self, archive: &Archive, record: &Record<'_>) -> Result<(), Failure> {
        self.records += 1;
        if record.header.framing != Framing::Warc {
            return self.add(&pack(&as_warc(record), self.container).map_err(Failure::other)?);
        }
        let mended = Mender::default().mend(record).map_err(|left_out| {
            let (path, offset) = (escape::path(archive.name()), record.offset);
            Failure::other(format!(
                "{path}@{offset}: {}: {}",
                left_out.rule,
                left_out.rule.sentence()
            ))
        })?;
        let stored = if mended.changes.is_empty() {
            self.stored(archive, record).map_err(Failure::other)?
        } else {
            None
        };
        match stored {
            Some(stored) => {
                self.copied += 1;
                self.add(&stored)
            }
            None => self.add(&pack(&mended.bytes, self.container).map_err(Failure::other)?),
        }
    }

    /// The stored bytes of a record that is alone in a member or frame of the kind that is written.
    fn stored(&self, archive: &Archive, record: &Record<'_>) -> io::Result<Option<Vec<u8>>> {
        let (Some(source), 0, 1..) = (archive.source(), record.offset_in_member, record.stored_length) else {
            return Ok(None);
        };
        if self.container == Container::Plain {
            return Ok(None);
        }
        let mut stored = vec![0; usize::try_from(record.stored_length).map_err(io::Error::other)?];
        let mut read = 0;
        while read < stored.len() {
            match source.read_at(record.offset + read as u64, &mut stored[read..])? {
                0 => return Ok(None),
                n => read += n,
            }
        }
        let is_same = read_alone(&stored, self.container, |alone| {
            alone.header.as_bytes() == record.header.as_bytes() && alone.block == record.block
        });
        Ok((is_same == Some(true)).then_some(stored))
    }

    /// Adds a packed record, and its line of the index.
    fn add(&mut self, packed: &[u8]) -> Result<(), Failure> {
        let offset = self.archive.bytes() + self.pending.len() as u64;
        let mut line = Vec::new();
        let read = read_alone(packed, self.container, |mut record| {
            record.offset = offset;
            // A record that describes the archive has no line.
            let _ = write_line(&record, self.container, &self.name, &mut line);
        });
        if read.is_none() {
            return Err(Failure::other("a record that was packed cannot be read back"));
        }
        if !line.is_empty() {
            self.lines.push(line);
        }
        self.pending.extend_from_slice(packed);
        if self.pending.len() >= CHUNK {
            self.flush()?;
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<(), Failure> {
        let written = self.archive.append(&self.pending);
        self.pending.clear();
        written.map_err(Failure::other)
    }

    /// Gives both files their names, when both are whole.
    pub(super) fn finish(mut self, archives: usize) -> Result<(), Failure> {
        self.flush()?;
        self.lines.sort_unstable();
        let Self { archive, mut index, .. } = self;
        let path = escape::path(&archive.path());
        let committed = index
            .append(&self.lines.concat())
            .and_then(|()| index.sync())
            .and_then(|()| archive.commit())
            .and_then(|_| index.commit());
        committed.map_err(Failure::other)?;
        say(format!(
            "dehusk: {path}: {} records of {archives} archive{}, {} of them copied without being packed anew",
            self.records,
            if archives == 1 { "" } else { "s" },
            self.copied
        ));
        Ok(())
    }
}

/// Gives the one record that these bytes are to a function; `None` if they are anything else.
fn read_alone<T>(stored: &[u8], container: Container, give: impl FnOnce(Record<'_>) -> T) -> Option<T> {
    let archive = Archive::from_source("record", Arc::new(stored.to_vec()), options()).ok()?;
    let format = archive.format().map(|format| (format.container, format.framing));
    if format != Some((container, Framing::Warc)) {
        return None;
    }
    let mut records = archive.records();
    let is_alone = matches!(records.next_event(), Some(Event::Record(record)) if record.failure.is_none())
        && records.next_event().is_none();
    if !is_alone {
        return None;
    }
    let mut records = archive.records();
    records.next_record().map(give)
}

/// The options with which [`opening`] reads records.
fn options() -> ReadOptions {
    opening(&Config::default()).options
}

fn file_name(path: &Path) -> String {
    path.file_name()
        .map_or_else(String::new, |name| escape::name(name).into_owned())
}

/// A record that says where the others come from, and how they were chosen.
fn warcinfo(origin: &[(&str, String)], path: &Path) -> Vec<u8> {
    let mut block = String::new();
    let mut line = |name: &str, value: &str| {
        let value: String = value.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        block.push_str(&format!("{name}: {value}\r\n"));
    };
    line("software", concat!("dehusk ", env!("CARGO_PKG_VERSION")));
    line("format", "WARC File Format 1.1");
    for (name, value) in origin {
        line(name, value);
    }
    let seconds = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |time| time.as_secs());
    let head = format!(
        "WARC-Type: warcinfo\r\nWARC-Date: {}\r\nWARC-Filename: {}\r\nContent-Type: application/warc-fields\r\n",
        iso_date(seconds),
        file_name(path)
    );
    framed(&head, block.as_bytes())
}

/// A record of ARC, or a file of a tar file, as one of WARC.
fn as_warc(record: &Record<'_>) -> Vec<u8> {
    let header = &record.header;
    let (kind, media_type) = match header.record_type {
        RecordType::Response => ("response", "application/http; msgtype=response".into()),
        _ => ("resource", header.content_type()),
    };
    let mut head = format!("WARC-Type: {kind}\r\nContent-Type: {media_type}\r\n");
    for name in ["WARC-Target-URI", "WARC-Date", "WARC-IP-Address"] {
        if let Some(value) = header.get(name).filter(|value| !value.is_empty()) {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
    }
    let made = framed(&head, &record.block);
    // What ARC allows and WARC does not, such as a URL with spaces, is put right.
    let mended = read_alone(&made, Container::Plain, |record| Mender::default().mend(&record).ok());
    mended.flatten().map_or(made, |mended| mended.bytes)
}

/// A record of WARC with an id of its own.
fn framed(fields: &str, block: &[u8]) -> Vec<u8> {
    let id = [(); 2].map(|()| RandomState::new().build_hasher().finish());
    // A UUID of version 4 (RFC 9562, section 5.4).
    let id = (u128::from(id[0]) << 64 | u128::from(id[1])) & !(0xf << 76 | 0x3 << 62) | 0x4 << 76 | 0x2 << 62;
    let id = format!("{id:032x}");
    let id = [&id[..8], &id[8..12], &id[12..16], &id[16..20], &id[20..]].join("-");
    let head = format!(
        "WARC/1.1\r\nWARC-Record-ID: <urn:uuid:{id}>\r\n{fields}Content-Length: {}\r\n\r\n",
        block.len()
    );
    [head.as_bytes(), block, b"\r\n\r\n"].concat()
}
