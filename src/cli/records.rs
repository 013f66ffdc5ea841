//! `dehusk cat --records`: the records that documents were made of, as an archive of their own.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;

use super::args::CatArgs;
use super::cat::Filter;
use super::check::opening;
use super::output::{container_of, create, refuse_in_run, say};
use super::{Failure, INCOMPLETE, inputs, printable};
use dehusk_archive::copy::{CopiedRecord, Copier, CopyError};
use dehusk_archive::{Archive, ArchiveError, Event, Record, Records, escape};
use dehusk_corpus::readback::Account;
use dehusk_documents::clock;
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
    copier: Copier,
    pending: Vec<u8>,
    lines: Vec<Vec<u8>>,
    records: u64,
    copied: u64,
}

impl Output {
    /// Begins both files. `origin` states where the records come from and how they are chosen: names of fields, and
    /// values.
    pub(super) fn create(path: &Path, overwrite: bool, origin: &[(&str, String)]) -> Result<Self, Failure> {
        let mut index = path.file_name().map(OsString::from).unwrap_or_default();
        index.push(".cdxj");
        let name = path
            .file_name()
            .map_or_else(String::new, |name| escape::name(name).into_owned());
        let mut output = Self {
            archive: create(path, overwrite)?,
            index: create(&path.with_file_name(index), overwrite)?,
            copier: Copier::new(container_of(path), name),
            pending: Vec::new(),
            lines: Vec::new(),
            records: 0,
            copied: 0,
        };
        let first = output
            .copier
            .description(origin, &clock::now())
            .map_err(Failure::other)?;
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
        let copied = self.copier.record(archive.source(), record).map_err(|e| match e {
            CopyError::LeftOut(_) => {
                let (path, offset) = (escape::path(archive.name()), record.offset);
                Failure::other(format!("{path}@{offset}: {e}"))
            }
            e => Failure::other(e),
        })?;
        self.copied += u64::from(copied.is_stored);
        self.add(&copied)
    }

    /// Adds a packed record, and its line of the index.
    fn add(&mut self, packed: &CopiedRecord) -> Result<(), Failure> {
        let offset = self.archive.bytes() + self.pending.len() as u64;
        if let Some(line) = &packed.line {
            let mut text = Vec::new();
            line.write(offset, &mut text);
            self.lines.push(text);
        }
        self.pending.extend_from_slice(&packed.bytes);
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
            "dehusk: {path}: {} records of {archives} archive{}, {} of them copied without being compressed again",
            self.records,
            if archives == 1 { "" } else { "s" },
            self.copied
        ));
        Ok(())
    }
}
