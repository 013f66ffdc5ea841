//! `dehusk cat`: the documents of runs, whole or some fields of each, or their records.

use std::io::{self, BufWriter, Write};
use std::path::Path;

use super::args::CatArgs;
use super::fields::Lines;
use super::output::{quiet, say};
use super::{FAILURE, Failure, INCOMPLETE, printable, records};
use dehusk_archive::escape;
use dehusk_corpus::readback::{Account, Condition};
use dehusk_documents::document::Document;
use dehusk_documents::encode::{ShardError, ShardReader, read_shard};

pub(super) fn run(args: &CatArgs) -> Result<u8, Failure> {
    let filter = Filter::new(args).map_err(Failure::usage)?;
    if let Some(path) = &args.records {
        return records::write(args, &filter, path);
    }
    let mut printer = Printer {
        lines: Lines::new(args).map_err(Failure::usage)?,
        line: Vec::new(),
        out: BufWriter::with_capacity(1 << 16, io::stdout().lock()),
    };
    if let Err(e) = printer.head() {
        return quiet(Err(e));
    }
    let mut status = 0;
    for path in &args.runs {
        let read = if path.is_file() {
            print_shard(read_shard(path), &filter, &mut printer).map(|readable| u8::from(!readable))
        } else {
            print_runs(path, &filter, &mut printer)
        };
        match read {
            Ok(read) => status = worse(status, read),
            Err(e) => return quiet(Err(e)),
        }
    }
    quiet(printer.out.flush())?;
    match printer.lines.missing() {
        Some(name) => Err(Failure::other(format!("no document has a field {name}"))),
        None => Ok(status),
    }
}

/// The worse exit status.
fn worse(one: u8, other: u8) -> u8 {
    match (one, other) {
        (FAILURE, _) | (_, FAILURE) => FAILURE,
        _ => one.max(other),
    }
}

fn report(error: impl ToString) {
    say(format!("dehusk: {}", printable(&error.to_string())));
}

/// Prints the documents of a run, or of the runs in a folder. Returns the exit status.
fn print_runs(path: &Path, filter: &Filter, printer: &mut Printer<impl Write>) -> io::Result<u8> {
    let mut status = 0;
    for account in Account::read_all(path) {
        let read = match account {
            Ok(account) => print_run(&account, filter, printer)?,
            Err(e) => {
                report(e);
                FAILURE
            }
        };
        status = worse(status, read);
    }
    Ok(status)
}

fn print_run(account: &Account, filter: &Filter, printer: &mut Printer<impl Write>) -> io::Result<u8> {
    let mut status = 0;
    for shard in account.archives.iter().flat_map(|archive| account.shards(archive)) {
        if !print_shard(shard.read(), filter, printer)? {
            status = FAILURE;
        }
    }
    if let Some(warning) = account.warning() {
        report(warning);
        status = worse(status, INCOMPLETE);
    }
    Ok(status)
}

/// Prints the documents of a shard. Returns whether it could be read.
fn print_shard(
    shard: Result<ShardReader, ShardError>,
    filter: &Filter,
    printer: &mut Printer<impl Write>,
) -> io::Result<bool> {
    let documents = match shard {
        Ok(documents) => documents,
        Err(e) => {
            report(e);
            return Ok(false);
        }
    };
    let path = documents.path().to_owned();
    for (number, document) in documents.enumerate() {
        // The documents of a shard have the same fields.
        if number == 0
            && let Ok(document) = &document
            && let Some(absence) = filter.absence(document).or_else(|| printer.lines.absence(document))
        {
            report(format!("{}: {absence}", escape::path(&path)));
            return Ok(false);
        }
        match document {
            Ok(document) if filter.keeps(&document) => printer.print(&document)?,
            Ok(_) => {}
            Err(e) => {
                report(e);
                return Ok(false);
            }
        }
    }
    Ok(true)
}

/// Which documents are printed.
pub(super) struct Filter {
    ids: Vec<String>,
    urls: Vec<String>,
    conditions: Vec<Condition>,
}

impl Filter {
    fn new(args: &CatArgs) -> Result<Self, String> {
        let conditions = args.conditions.iter().map(|text| Condition::parse(text));
        Ok(Self {
            ids: args.id.iter().map(|id| bare_id(id).to_owned()).collect(),
            urls: args.url.clone(),
            conditions: conditions.collect::<Result<_, _>>()?,
        })
    }

    /// Why a document does not have a field of the conditions.
    pub(super) fn absence(&self, document: &Document) -> Option<String> {
        self.conditions.iter().find_map(|condition| condition.absence(document))
    }

    /// Whether a document is chosen.
    pub(super) fn keeps(&self, document: &Document) -> bool {
        (self.ids.is_empty() || self.ids.contains(&document.id))
            && (self.urls.is_empty() || self.urls.contains(&document.metadata.url))
            && self.conditions.iter().all(|condition| condition.holds(document))
    }
}

/// An id as documents have it: without the brackets of `WARC-Record-ID`.
pub(super) fn bare_id(id: &str) -> &str {
    let inner = id.strip_prefix('<').and_then(|rest| rest.strip_suffix('>'));
    inner.unwrap_or(id)
}

struct Printer<W> {
    lines: Lines,
    line: Vec<u8>,
    out: W,
}

impl<W: Write> Printer<W> {
    fn head(&mut self) -> io::Result<()> {
        self.lines.head(&mut self.line);
        self.out.write_all(&self.line)
    }

    fn print(&mut self, document: &Document) -> io::Result<()> {
        self.line.clear();
        self.lines.document(document, &mut self.line);
        self.out.write_all(&self.line)
    }
}
