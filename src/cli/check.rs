//! `dehusk check`: lists what is wrong with archives, by offset and rule.

use std::collections::BTreeMap;
use std::io::{self, BufWriter, Write};

use serde_json::{Value, json};

use super::args::CheckArgs;
use super::output::{quiet, say, write_stdout};
use super::{FAILURE, Failure, INCOMPLETE, WARNED, inputs, printable};
use dehusk_archive::check::{Finding, Rule, Severity, Summary, check, refusal};
use dehusk_archive::escape::{self, terminal};
use dehusk_archive::{Archive, ArchiveError, RECORD_LIMIT};
use dehusk_engine::config::Config;
use dehusk_engine::input::{ArchiveInput, Opening};

/// Findings of a rule that the table lists of each archive.
const LISTED: u64 = 10;

/// Most characters of a detail that the table shows.
const DETAIL: usize = 160;

/// Largest block that is verified by default, in bytes. Films are among the records of a crawl.
const LARGEST: u64 = 1 << 30;

pub(super) fn run(args: &CheckArgs) -> Result<u8, Failure> {
    if args.rules {
        return write_stdout(rules(args.json).as_bytes());
    }
    let config = args.file.resolve().map_err(Failure::usage)?;
    let inputs = inputs::resolve(&config, &args.archives).map_err(Failure::usage)?;
    let opening = opening(&config);
    let mut out = BufWriter::with_capacity(1 << 16, io::stdout().lock());
    let mut status = 0;
    let written = if args.json {
        let listing = Json { is_first: true };
        list(&inputs.archives, &opening, args, listing, &mut out, &mut status)
    } else {
        list(
            &inputs.archives,
            &opening,
            args,
            Table::default(),
            &mut out,
            &mut status,
        )
    };
    quiet(written.and_then(|()| out.flush()))?;
    Ok(status)
}

/// How archives are opened that are only read: larger records are held in memory than a run would hold.
pub(super) fn opening(config: &Config) -> Opening {
    let mut opening = Opening::new(config);
    if opening.options.record_limit == RECORD_LIMIT {
        opening.options.record_limit = LARGEST;
    }
    opening.options.digests = dehusk_archive::DigestPolicy::Ignore;
    opening
}

/// Checks archives, one after the other.
fn list(
    archives: &[ArchiveInput],
    opening: &Opening,
    args: &CheckArgs,
    mut listing: impl Listing,
    out: &mut impl Write,
    status: &mut u8,
) -> io::Result<()> {
    listing.begin(out)?;
    for input in archives {
        let mut account = Account::new(escape::path(input.label()));
        listing.archive(&account, out)?;
        let mut written = Ok(());
        let least = Severity::from(args.severity);
        let mut report = |finding: Finding| {
            let count = account.count(&finding);
            if finding.rule.severity() >= least && written.is_ok() {
                written = listing.finding(&account.archive, &finding, count, args.all, out);
            }
        };
        let checked = match input.open(opening) {
            Ok(archive) => check(&archive, &mut report).map(|summary| (summary, extension(&archive))),
            Err(error) => match refusal(&error) {
                Some(finding) => {
                    report(finding);
                    Ok((Summary::default(), String::new()))
                }
                None => Err(error),
            },
        };
        written?;
        *status = worse(*status, account.status(&checked, args.strict));
        if let Err(error) = &checked {
            out.flush()?;
            say(format!("dehusk: {}", printable(&error.to_string())));
        }
        listing.end_of_archive(&account, &checked, out)?;
    }
    listing.end(out)
}

fn extension(archive: &Archive) -> String {
    archive.format().map(|format| format.extension()).unwrap_or_default()
}

/// The worse exit status: an archive that could not be read, then an error, then a warning.
fn worse(one: u8, other: u8) -> u8 {
    let rank = |status| match status {
        FAILURE => 3,
        INCOMPLETE => 2,
        WARNED => 1,
        _ => 0,
    };
    if rank(other) > rank(one) { other } else { one }
}

/// The summary of an archive, and its format.
type Checked = Result<(Summary, String), ArchiveError>;

/// The findings of an archive, counted.
struct Account {
    archive: String,
    rules: BTreeMap<Rule, u64>,
}

impl Account {
    fn new(archive: String) -> Self {
        let rules = BTreeMap::new();
        Self { archive, rules }
    }

    /// Counts a finding. Returns which one of its rule it is.
    fn count(&mut self, finding: &Finding) -> u64 {
        let count = self.rules.entry(finding.rule).or_default();
        *count += 1;
        *count
    }

    fn of(&self, severity: Severity) -> u64 {
        let of_severity = self.rules.iter().filter(|(rule, _)| rule.severity() == severity);
        of_severity.map(|(_, count)| count).sum()
    }

    fn status(&self, checked: &Checked, is_strict: bool) -> u8 {
        match checked {
            Err(_) => FAILURE,
            Ok(_) if self.of(Severity::Error) > 0 => INCOMPLETE,
            Ok(_) if is_strict && self.of(Severity::Warning) > 0 => WARNED,
            Ok(_) => 0,
        }
    }
}

/// A form in which findings are written.
trait Listing {
    fn begin(&mut self, out: &mut impl Write) -> io::Result<()>;
    fn archive(&mut self, account: &Account, out: &mut impl Write) -> io::Result<()>;
    /// `count` is its number among the findings of its rule, from 1.
    fn finding(
        &mut self,
        archive: &str,
        finding: &Finding,
        count: u64,
        all: bool,
        out: &mut impl Write,
    ) -> io::Result<()>;
    fn end_of_archive(&mut self, account: &Account, checked: &Checked, out: &mut impl Write) -> io::Result<()>;
    fn end(&mut self, out: &mut impl Write) -> io::Result<()>;
}

/// Lines of columns with tabs between them, then a table of all rules that were broken.
#[derive(Default)]
struct Table {
    rules: BTreeMap<Rule, u64>,
    lines: Vec<String>,
    left_out: u64,
}

impl Listing for Table {
    fn begin(&mut self, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "offset\tlength\tseverity\trule\tdetail\tarchive")
    }

    fn archive(&mut self, _: &Account, _: &mut impl Write) -> io::Result<()> {
        Ok(())
    }

    fn finding(
        &mut self,
        archive: &str,
        finding: &Finding,
        count: u64,
        all: bool,
        out: &mut impl Write,
    ) -> io::Result<()> {
        *self.rules.entry(finding.rule).or_default() += 1;
        if !all && count > LISTED {
            self.left_out += 1;
            return Ok(());
        }
        let place = match finding.offset_in_member {
            0 => finding.offset.to_string(),
            inside => format!("{}+{inside}", finding.offset),
        };
        let detail: String = finding.detail.chars().take(DETAIL).collect();
        writeln!(
            out,
            "{place}\t{}\t{}\t{}\t{}\t{archive}",
            finding.length,
            finding.rule.severity(),
            finding.rule,
            terminal(&detail)
        )
    }

    fn end_of_archive(&mut self, account: &Account, checked: &Checked, _: &mut impl Write) -> io::Result<()> {
        let read = match checked {
            Ok((summary, _)) => format!("{} records, {} digests verified", summary.records, summary.digests),
            Err(_) => "could not be read to its end".to_owned(),
        };
        let counts = Severity::ALL.into_iter().rev().map(|severity| {
            let count = account.of(severity);
            format!("{count} {severity}{}", if count == 1 { "" } else { "s" })
        });
        let counts = Vec::from_iter(counts).join(", ");
        self.lines.push(format!("{}: {read}: {counts}", account.archive));
        Ok(())
    }

    fn end(&mut self, out: &mut impl Write) -> io::Result<()> {
        if self.left_out > 0 {
            writeln!(
                out,
                "\n{} more findings are not listed; --all lists them",
                self.left_out
            )?;
        }
        if !self.rules.is_empty() {
            writeln!(out, "\ncount\tseverity\trule\tsection\tmeaning")?;
        }
        for (rule, count) in &self.rules {
            let (severity, section) = (rule.severity(), rule.section());
            writeln!(out, "{count}\t{severity}\t{rule}\t{section}\t{}", rule.sentence())?;
        }
        writeln!(out)?;
        self.lines.iter().try_for_each(|line| writeln!(out, "{line}"))
    }
}

/// One JSON document, which is written as the archives are read.
struct Json {
    /// Whether nothing was written of the list at hand.
    is_first: bool,
}

impl Json {
    fn separate(&mut self, out: &mut impl Write) -> io::Result<()> {
        let separator = if std::mem::take(&mut self.is_first) {
            "\n"
        } else {
            ",\n"
        };
        out.write_all(separator.as_bytes())
    }
}

impl Listing for Json {
    fn begin(&mut self, out: &mut impl Write) -> io::Result<()> {
        out.write_all(b"{\"archives\":[")
    }

    fn archive(&mut self, account: &Account, out: &mut impl Write) -> io::Result<()> {
        self.separate(out)?;
        self.is_first = true;
        write!(out, "{{\"archive\":{},\"findings\":[", json!(account.archive))
    }

    fn finding(&mut self, _: &str, finding: &Finding, _: u64, _: bool, out: &mut impl Write) -> io::Result<()> {
        self.separate(out)?;
        write!(out, "{}", in_json(finding))
    }

    fn end_of_archive(&mut self, account: &Account, checked: &Checked, out: &mut impl Write) -> io::Result<()> {
        self.is_first = false;
        let counts = Severity::ALL.map(|severity| (severity.name().to_owned(), account.of(severity).into()));
        let rules = account
            .rules
            .iter()
            .map(|(rule, count)| (rule.name().to_owned(), (*count).into()));
        let counts = Value::Object(counts.into_iter().collect());
        let rules = Value::Object(rules.collect());
        write!(out, "],\"counts\":{counts},\"rules\":{rules}")?;
        match checked {
            Ok((summary, format)) => write!(
                out,
                ",\"format\":{},\"records\":{},\"block_bytes\":{},\"digests\":{},\"bytes\":{},\"error\":null}}",
                json!(format),
                summary.records,
                summary.block_bytes,
                summary.digests,
                json!({
                    "framed": summary.bytes.framed,
                    "padding": summary.bytes.padding,
                    "skipped": summary.bytes.skipped,
                })
            ),
            Err(error) => write!(out, ",\"error\":{}}}", json!(error.message())),
        }
    }

    fn end(&mut self, out: &mut impl Write) -> io::Result<()> {
        out.write_all(b"]}\n")
    }
}

/// A finding as a JSON object.
pub(super) fn in_json(finding: &Finding) -> Value {
    json!({
        "offset": finding.offset,
        "offset_in_member": finding.offset_in_member,
        "length": finding.length,
        "severity": finding.rule.severity().name(),
        "rule": finding.rule.name(),
        "section": finding.rule.section(),
        "message": finding.rule.sentence(),
        "detail": finding.detail,
        "id": finding.id,
        "url": finding.url,
    })
}

/// All rules, as a table or as JSON.
fn rules(as_json: bool) -> String {
    if as_json {
        let rules = Rule::ALL.iter().map(|rule| {
            json!({
                "rule": rule.name(),
                "severity": rule.severity().name(),
                "section": rule.section(),
                "message": rule.sentence(),
            })
        });
        return format!("{}\n", Value::Array(rules.collect()));
    }
    let line = |rule: &Rule| format!("{rule}\t{}\t{}\t{}\n", rule.severity(), rule.section(), rule.sentence());
    let lines: String = Rule::ALL.iter().map(line).collect();
    format!("rule\tseverity\tsection\tmeaning\n{lines}")
}
