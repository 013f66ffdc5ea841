//! `dehusk cat`: the documents of runs, as JSONL or one field of each.

use std::io::{self, BufWriter, Write};
use std::path::Path;

use super::args::CatArgs;
use super::output::{quiet, say};
use super::{FAILURE, Failure, INCOMPLETE, printable};
use crate::document::Document;
use crate::encode::{jsonl, read_shard};
use crate::readback::{Account, Condition, Value};

pub(super) fn run(args: &CatArgs) -> Result<u8, Failure> {
    let filter = Filter::new(args).map_err(Failure::usage)?;
    let field = args.field.as_deref().map(Value::named).transpose();
    let mut printer = Printer {
        field: field.map_err(Failure::usage)?,
        end: if args.null { b'\0' } else { b'\n' },
        line: Vec::new(),
        documents: 0,
        values: 0,
        out: BufWriter::with_capacity(1 << 16, io::stdout().lock()),
    };
    let mut status = 0;
    for path in &args.runs {
        let read = match path.is_file() {
            true => print_shard(path, &filter, &mut printer).map(|readable| u8::from(!readable)),
            false => print_run(path, &filter, &mut printer),
        };
        match read {
            Ok(read) => status = worse(status, read),
            Err(e) => return quiet(Err(e)),
        }
    }
    quiet(printer.out.flush())?;
    match &printer.field {
        Some(Value::MoreText(name)) if printer.documents > 0 && printer.values == 0 => {
            Err(Failure::other(format!("no document has a field text_{name}")))
        }
        _ => Ok(status),
    }
}

/// The exit status that says more.
fn worse(one: u8, other: u8) -> u8 {
    match (one, other) {
        (FAILURE, _) | (_, FAILURE) => FAILURE,
        _ => one.max(other),
    }
}

fn report(error: impl ToString) {
    say(format!("dehusk: {}", printable(&error.to_string())));
}

/// Prints the documents of a run. Returns the exit status.
fn print_run(directory: &Path, filter: &Filter, printer: &mut Printer<impl Write>) -> io::Result<u8> {
    let account = match Account::read(directory) {
        Ok(account) => account,
        Err(e) => {
            report(e);
            return Ok(FAILURE);
        }
    };
    let mut status = 0;
    for shard in account.archives.iter().flat_map(|archive| account.shards(archive)) {
        if !print_shard(&shard, filter, printer)? {
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
fn print_shard(shard: &Path, filter: &Filter, printer: &mut Printer<impl Write>) -> io::Result<bool> {
    let documents = match read_shard(shard) {
        Ok(documents) => documents,
        Err(e) => {
            report(e);
            return Ok(false);
        }
    };
    for document in documents {
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
struct Filter {
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

    fn keeps(&self, document: &Document) -> bool {
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
    field: Option<Value>,
    /// What ends a value.
    end: u8,
    line: Vec<u8>,
    documents: u64,
    /// How many documents had the field.
    values: u64,
    out: W,
}

impl<W: Write> Printer<W> {
    fn print(&mut self, document: &Document) -> io::Result<()> {
        self.documents += 1;
        self.line.clear();
        match &self.field {
            None => jsonl::write(document, &mut self.line),
            Some(field) => {
                if let Some(value) = field.get(document) {
                    self.values += 1;
                    write!(self.line, "{value}")?;
                }
                self.line.push(self.end);
            }
        }
        self.out.write_all(&self.line)
    }
}
