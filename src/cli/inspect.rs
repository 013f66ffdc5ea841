//! `dehusk inspect`: lists the records of an archive, and explains why a record is or is not emitted.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use super::args::InspectArgs;
use super::{Failure, find, inputs, kept, output};
use dehusk_archive::escape::{self, terminal};
use dehusk_archive::http;
use dehusk_archive::{ArchiveError, Event, Record, Records};
use dehusk_documents::document::Document;
use dehusk_engine::explain;
use dehusk_engine::input::{ArchiveInput, directory_of_pages, open_at, path_of};
use dehusk_engine::page::Dropped;
use dehusk_engine::processor::Processor;

/// Most characters of a document that are shown.
const EXCERPT: usize = 600;

pub(super) fn run(args: &InspectArgs) -> Result<u8, Failure> {
    if let Some(wanted) = &args.find {
        return find::run(&args.archives, wanted);
    }
    let [archive] = &args.archives[..] else {
        return Err(Failure::usage(
            "one archive is inspected at a time; only --find takes several arguments, which are runs",
        ));
    };
    let config = args.config.resolve().map_err(Failure::usage)?;
    let mut processor = Processor::new(&config).map_err(Failure::usage)?;
    let (path, place) = split(archive);
    let mut out = BufWriter::new(io::stdout().lock());
    let input = match directory_of_pages(&path) {
        Some(pages) => pages,
        None if path.is_dir() => return Err(Failure::other(ArchiveError::directory(&path))),
        None => inputs::file_or_stdin(&path),
    };
    let names = ArchiveLabels::new(&input, place);
    let label = input.label().to_path_buf();
    let opened = open_at(input, &config, place.map(|place| place.offset)).map_err(Failure::other)?;
    if opened.archive.format().is_none() {
        return Ok(empty(&label));
    }
    if let Some(path) = &args.records {
        if place.is_some() {
            return Err(Failure::usage("--records takes a whole archive, without @OFFSET"));
        }
        return kept::write(args, &opened.archive, &mut processor, path);
    }
    let mut records = opened.records();
    inspect(&mut records, place, args, &names, &mut processor, &mut out)
}

/// The place of a record in an archive, in bytes.
#[derive(Clone, Copy, PartialEq, Eq)]
struct RecordPlace {
    offset: u64,
    offset_in_member: u64,
}

/// The names of the archive, and of the place in it that was asked for, in messages.
struct ArchiveLabels {
    archive: String,
    place: String,
}

impl ArchiveLabels {
    fn new(input: &ArchiveInput, place: Option<RecordPlace>) -> Self {
        let archive = escape::path(input.label());
        let place = match place {
            None => archive.clone(),
            Some(RecordPlace {
                offset,
                offset_in_member: 0,
            }) => format!("{archive}@{offset}"),
            Some(place) => format!("{archive}@{}+{}", place.offset, place.offset_in_member),
        };
        Self { archive, place }
    }
}

/// Reports an empty archive, which is no failure.
fn empty(path: &Path) -> u8 {
    output::say(format!(
        "dehusk: {}: is empty, there is no record in it",
        escape::path(path)
    ));
    0
}

/// Splits `ARCHIVE@OFFSET` or `ARCHIVE@OFFSET+N`, unless a file has this name.
fn split(argument: &OsStr) -> (Cow<'_, Path>, Option<RecordPlace>) {
    let whole = Path::new(argument);
    let bytes = argument.as_encoded_bytes();
    let place = bytes
        .iter()
        .rposition(|b| *b == b'@')
        .filter(|_| !whole.exists())
        .and_then(|at| {
            let place = std::str::from_utf8(&bytes[at + 1..]).ok()?;
            let (offset, inside) = place.split_once('+').unwrap_or((place, "0"));
            let place = RecordPlace {
                offset: offset.parse().ok()?,
                offset_in_member: inside.parse().ok()?,
            };
            Some((path_of(&bytes[..at]), place))
        });
    match place {
        Some((path, place)) => (path, Some(place)),
        None => (whole.into(), None),
    }
}

/// Lists all records, or describes the one at a place.
fn inspect(
    records: &mut Records<'_>,
    place: Option<RecordPlace>,
    args: &InspectArgs,
    names: &ArchiveLabels,
    processor: &mut Processor,
    out: &mut impl Write,
) -> Result<u8, Failure> {
    if let Some(place) = place {
        return show_record(records, place, names, processor, out);
    }
    let mut damaged = false;
    let result = list(records, args, processor, out, &mut damaged).and_then(|()| out.flush());
    output::quiet(result)?;
    check_end(records, names)?;
    Ok(if damaged { 3 } else { 0 })
}

/// Fails where the records ended because the archive cannot be read on.
fn check_end(records: &mut Records<'_>, names: &ArchiveLabels) -> Result<(), Failure> {
    match records.take_error() {
        Some(error) => Err(Failure::other(format!("{}: cannot be read on: {error}", names.place))),
        None => Ok(()),
    }
}

/// Writes a line for each record.
fn list(
    records: &mut Records<'_>,
    args: &InspectArgs,
    processor: &mut Processor,
    out: &mut impl Write,
    damaged: &mut bool,
) -> io::Result<()> {
    let column = if args.verdicts { "verdict\t" } else { "" };
    writeln!(out, "offset\tlength\ttype\tdate\tstatus\tmime\t{column}url")?;
    while let Some(event) = records.next_event() {
        let record = match event {
            Event::Skipped(skipped) => {
                *damaged = true;
                writeln!(
                    out,
                    "{}\t{}\tskipped\t\t\t\t{}",
                    skipped.offset,
                    skipped.length(),
                    skipped.reason
                )?;
                continue;
            }
            Event::Record(record) => record,
        };
        let place = match record.offset_in_member {
            0 => record.offset.to_string(),
            inside => format!("{}+{inside}", record.offset),
        };
        let head = http::parse_head(&record.block);
        let status = head.as_ref().map(|(h, _)| h.status().to_string()).unwrap_or_default();
        let mime = mime(&record);
        *damaged |= record.failure.is_some();
        let verdict = match (args.verdicts, record.failure) {
            (true, _) => format!("{}\t", verdict(&record, processor)),
            (false, Some(reason)) => format!("failed: {reason}\t"),
            (false, None) => String::new(),
        };
        let line = format!(
            "{place}\t{}\t{}\t{}\t{status}\t{}\t{verdict}{}",
            record.stored_length,
            terminal(&record.header.record_type.to_string()),
            record.header.date(),
            terminal(&mime),
            terminal(&record.header.url()),
        );
        writeln!(out, "{line}")?;
    }
    Ok(())
}

/// Writes one record: its header, its HTTP head, and its outcome in a run.
fn show_record(
    records: &mut Records<'_>,
    place: RecordPlace,
    names: &ArchiveLabels,
    processor: &mut Processor,
    out: &mut impl Write,
) -> Result<u8, Failure> {
    while let Some(event) = records.next_event() {
        let record = match event {
            Event::Skipped(skipped) if skipped.offset == place.offset && !skipped.is_inside() => {
                let line = format!(
                    "skipped, {} bytes: {}: {}\n",
                    skipped.length(),
                    skipped.reason,
                    skipped.reason.sentence()
                );
                return output::quiet(out.write_all(line.as_bytes()).and_then(|()| out.flush())).map(|_| 3);
            }
            Event::Skipped(_) => continue,
            Event::Record(record) => record,
        };
        if record.offset > place.offset {
            break;
        }
        if (record.offset, record.offset_in_member) != (place.offset, place.offset_in_member) {
            continue;
        }
        let text = description(&record, processor);
        return output::quiet(out.write_all(text.as_bytes()).and_then(|()| out.flush()));
    }
    check_end(records, names)?;
    Err(Failure::other(format!(
        "{}: no record starts there; `dehusk inspect {}` lists where they do",
        names.place, names.archive
    )))
}

fn description(record: &Record<'_>, processor: &mut Processor) -> String {
    let mut text = format!(
        "offset {}, stored length {}, offset in member {}\n\n",
        record.offset, record.stored_length, record.offset_in_member
    );
    let head = http::parse_head(&record.block).map(|(_, body)| &record.block[..body]);
    for block in [Some(record.header.as_bytes()), head].into_iter().flatten() {
        for line in String::from_utf8_lossy(block).lines().filter(|l| !l.is_empty()) {
            text.push_str(&format!("  {}\n", terminal(line)));
        }
        text.push('\n');
    }
    let notes: Vec<String> = record
        .notes
        .iter()
        .map(|n| format!("noted as {n}: {}\n", n.sentence()))
        .collect();
    text.push_str(&notes.concat());
    let explained = processor.analyze_record(record, "", |analysis| (analysis.document(), explain::text(analysis)));
    match explained {
        Ok(Some((document, explanation))) => {
            text.push_str(&outcome(document));
            text.push_str(&format!("\n{explanation}"));
        }
        // It is text already, which no extractor reads.
        Ok(None) => text.push_str(&outcome(processor.record(record, ""))),
        Err(dropped) => text.push_str(&outcome(Err(dropped))),
    }
    text
}

/// The start of the document, or the reason why there is none.
fn outcome(document: Result<Document, Dropped>) -> String {
    let document = match document {
        Ok(document) => document,
        Err(dropped) => return format!("not emitted; {dropped}\n"),
    };
    let m = &document.metadata;
    let mut text = format!(
        "emitted: {} of {} words, score {:.3} by {}, charset {} by {}, title “{}”\n\n",
        m.words,
        m.page_words,
        m.score,
        m.extractor,
        m.charset,
        m.charset_source,
        terminal(&m.title)
    );
    let excerpt: String = document.text.chars().take(EXCERPT).collect();
    for line in excerpt.lines() {
        text.push_str(&format!("  {}\n", terminal(line)));
    }
    if excerpt.len() < document.text.len() {
        text.push_str("  …\n");
    }
    text
}

/// The type of a record's payload, or of its block.
fn mime(record: &Record<'_>) -> String {
    http::parse_head(&record.block)
        .and_then(|(head, _)| head.mime())
        .unwrap_or_else(|| record.header.content_type().into_owned())
}

/// The outcome of a record in a run, in a few words.
pub(super) fn verdict(record: &Record<'_>, processor: &mut Processor) -> String {
    match processor.record(record, "") {
        Ok(document) => format!("emitted, {} words", document.metadata.words),
        Err(dropped) => {
            let rule = dropped.rule().map(|rule| format!(": {rule}")).unwrap_or_default();
            format!("{}: {}{rule}", dropped.outcome(), dropped.reason())
        }
    }
}
