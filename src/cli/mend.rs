//! `dehusk mend`: writes a clean archive of all that can be read of another one.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::args::MendArgs;
use super::check::opening;
use super::output::{container_of, create, refuse_in_run, say};
use super::{Failure, INCOMPLETE, inputs, printable};
use dehusk_archive::check::Rule;
use dehusk_archive::escape;
use dehusk_archive::mend::{LeftOut, Mender, pack};
use dehusk_archive::{Archive, ArchiveError, Container, Event, Framing, Record, Skipped};
use dehusk_documents::encode::{PartialFile, WriteError};

/// Lines on standard error about one archive. The report has them all.
const SAID: u64 = 20;

/// How many bytes are collected before they are written.
const CHUNK: usize = 1 << 20;

pub(super) fn run(args: &MendArgs) -> Result<u8, Failure> {
    let config = args.file.resolve().map_err(Failure::usage)?;
    refuse_in_run(&args.output)?;
    refuse_itself(args)?;
    let input = inputs::file_or_stdin(&args.archive);
    let archive = input.open(&opening(&config)).map_err(Failure::other)?;
    if let Some(format) = archive.format().filter(|format| format.framing == Framing::Tar) {
        let (path, format) = (escape::path(input.label()), format.extension());
        return Err(Failure::other(format!(
            "{path}: is a {format} file, which has no records of WARC or ARC; `tar` can rebuild it"
        )));
    }
    let report = report_path(&args.output);
    let mut output = Output {
        archive: create(&args.output, args.overwrite)?,
        report: create(&report, args.overwrite)?,
        container: container_of(&args.output),
        pending: Vec::new(),
        lines: Vec::new(),
        account: Account::default(),
    };
    let read = mend(&archive, &mut output)?;
    output.finish(&archive, read)
}

/// Refuses to replace the archive: what cannot be read of it today would be lost for good.
fn refuse_itself(args: &MendArgs) -> Result<(), Failure> {
    let place = |path: &Path| path.canonicalize().ok();
    if place(&args.archive).is_some_and(|archive| place(&args.output) == Some(archive)) {
        let path = escape::path(&args.output);
        return Err(Failure::usage(format!(
            "{path}: is the archive itself; name another file"
        )));
    }
    Ok(())
}

/// The report's file: beside the archive, with its whole name.
fn report_path(output: &Path) -> PathBuf {
    let mut name = output.file_name().map(OsString::from).unwrap_or_default();
    name.push(".report.jsonl");
    output.with_file_name(name)
}

/// The totals of a run of `mend`.
#[derive(Default)]
struct Account {
    records: u64,
    written: u64,
    changed: u64,
    left_out: u64,
    skipped_ranges: u64,
}

/// The files that are written.
struct Output {
    archive: PartialFile,
    report: PartialFile,
    container: Container,
    pending: Vec<u8>,
    lines: Vec<u8>,
    account: Account,
}

/// Writes all records that can be read.
fn mend(archive: &Archive, output: &mut Output) -> Result<Result<(), ArchiveError>, Failure> {
    let mut mender = Mender::default();
    let mut records = archive.records();
    let mut released = 0;
    while let Some(event) = records.next_event() {
        match event {
            Event::Record(record) => {
                output.record(&record, &mut mender)?;
                // Pages of a mapped file would stay in memory.
                if record.offset > released + CHUNK as u64 {
                    archive.release(released..record.offset);
                    released = record.offset;
                }
            }
            Event::Skipped(skipped) => output.skipped(&skipped)?,
        }
    }
    let read = match records.take_error() {
        Some(error) => Err(ArchiveError::read_on(archive.name(), error)),
        None => archive.check(),
    };
    Ok(read)
}

impl Output {
    fn record(&mut self, record: &Record<'_>, mender: &mut Mender) -> Result<(), Failure> {
        self.account.records += 1;
        match mender.mend(record) {
            Ok(mended) => {
                self.account.written += 1;
                let packed = pack(&mended.bytes, self.container).map_err(Failure::other)?;
                self.pending.extend_from_slice(&packed);
                if !mended.changes.is_empty() {
                    self.account.changed += 1;
                    let mut line = line("changed", record);
                    line["changes"] = mended.changes.into();
                    self.line(&line)?;
                }
            }
            Err(LeftOut { rule, detail, .. }) => {
                self.account.left_out += 1;
                let mut line = line("left_out", record);
                line["rule"] = rule.name().into();
                line["section"] = rule.section().into();
                line["detail"] = detail.into();
                self.say(record.offset, rule);
                self.line(&line)?;
            }
        }
        if self.pending.len() >= CHUNK {
            self.flush()?;
        }
        Ok(())
    }

    fn skipped(&mut self, skipped: &Skipped) -> Result<(), Failure> {
        self.account.skipped_ranges += 1;
        let rule = Rule::from(skipped.reason);
        self.say(skipped.offset, rule);
        self.line(&json!({
            "outcome": "skipped",
            "offset": skipped.offset,
            "length": skipped.stored_length,
            "rule": rule.name(),
            "section": rule.section(),
        }))
    }

    fn say(&self, offset: u64, rule: Rule) {
        match self.account.left_out + self.account.skipped_ranges {
            n if n <= SAID => say(format!(
                "dehusk: left out at offset {offset}: {rule}: {}",
                rule.sentence()
            )),
            n if n == SAID + 1 => say("dehusk: more is left out; the report lists everything"),
            _ => {}
        }
    }

    fn line(&mut self, line: &Value) -> Result<(), Failure> {
        self.lines.extend_from_slice(line.to_string().as_bytes());
        self.lines.push(b'\n');
        if self.lines.len() >= CHUNK {
            self.flush()?;
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<(), Failure> {
        let written = self.archive.append(&self.pending);
        let written = written.and_then(|()| self.report.append(&self.lines));
        self.pending.clear();
        self.lines.clear();
        written.map_err(Failure::other)
    }

    /// Gives both files their names. Nothing has a name that is not whole: if the archive could not be read to its end,
    /// neither has.
    fn finish(mut self, archive: &Archive, read: Result<(), ArchiveError>) -> Result<u8, Failure> {
        read.map_err(|error| Failure::other(format!("{}; nothing was written", printable(&error.to_string()))))?;
        let account = &self.account;
        if account.written == 0 {
            let path = escape::path(archive.name());
            return Err(Failure::other(format!(
                "{path}: no record of it can be read; nothing was written"
            )));
        }
        let summary = json!({
            "outcome": "summary",
            "archive": escape::path(archive.name()),
            "output": escape::path(&self.archive.path()),
            "records": account.records,
            "written": account.written,
            "changed": account.changed,
            "left_out": account.left_out,
            "skipped_ranges": account.skipped_ranges,
        });
        let is_whole = account.left_out == 0 && account.skipped_ranges == 0;
        say(format!(
            "dehusk: {}: {} of {} records written, {} corrected, {} left out, {} ranges skipped; see {}",
            escape::path(&self.archive.path()),
            account.written,
            account.records,
            account.changed,
            account.left_out,
            account.skipped_ranges,
            escape::path(&self.report.path()),
        ));
        self.line(&summary)?;
        self.flush()?;
        let Self {
            archive, mut report, ..
        } = self;
        // On a full disk the report fails here, before the archive has its name.
        let committed: Result<u64, WriteError> = report
            .sync()
            .and_then(|()| archive.commit())
            .and_then(|_| report.commit());
        committed.map_err(Failure::other)?;
        Ok(if is_whole { 0 } else { INCOMPLETE })
    }
}

/// The line of a record in the report.
fn line(outcome: &str, record: &Record<'_>) -> Value {
    json!({
        "outcome": outcome,
        "offset": record.offset,
        "offset_in_member": record.offset_in_member,
        "length": record.stored_length,
        "id": record.header.id(),
        "url": record.header.url(),
    })
}
