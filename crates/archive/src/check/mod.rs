//! Faults of an archive: every place where it breaks a rule of its format.
//!
//! [`check`] reads all records without extracting anything. It verifies the digests that records state, and checks
//! their headers against ISO 28500. A range that cannot be read is named by the fault that the reader found there.
//!
//! `rule` is the list of rules, `fields` the fields of WARC, `forms` the forms of their values, `header` the rules of a
//! header, `block` those of a block.

mod block;
mod fields;
mod forms;
mod header;
mod rule;

use std::collections::HashSet;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};

pub(crate) use forms::{is_of_token, is_uri};
pub(crate) use header::{judged, required_uris};
pub use rule::{Rule, Severity};

use crate::fault::{Fault, Note};
use crate::framing::Framing;
use crate::record::Record;
use crate::record_type::RecordType;
use crate::{Archive, ArchiveError, Bytes, Event, Skipped};

/// The bytes between two records.
const SEPARATOR: &[u8] = b"\r\n\r\n";

/// How many bytes of a mapped file stay in memory after the reader has passed them.
const RELEASE: u64 = 16 << 20;

/// A place where an archive breaks a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finding {
    /// The rule.
    pub rule: Rule,
    /// Offset in the archive, in bytes, of the record's member or frame; in a plain archive, of the record itself.
    pub offset: u64,
    /// Offset of the record in its decoded member or frame, in bytes.
    pub offset_in_member: u64,
    /// Stored length of the record or of the range, in bytes; 0 if it is not known.
    pub length: u64,
    /// `WARC-Record-ID` without its brackets; `""` if there is none.
    pub id: String,
    /// The record's URL; `""` if there is none.
    pub url: String,
    /// The wrong value, or another detail; `""` for none. It may hold any character.
    pub detail: String,
}

/// The account of the check of an archive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Summary {
    /// Records, whole or not.
    pub records: u64,
    /// Bytes of their blocks.
    pub block_bytes: u64,
    /// Digests that were verified.
    pub digests: u64,
    /// The account of the stored bytes.
    pub bytes: Bytes,
}

/// Checks an archive, and gives every finding to `report`, in the order of the archive.
///
/// # Errors
/// The archive cannot be read to its end.
///
/// ```no_run
/// use dehusk_archive::{Archive, check};
///
/// let archive = Archive::open("crawl.warc.gz")?;
/// let summary = check::check(&archive, |finding| {
///     println!("{} {} {}", finding.offset, finding.rule, finding.detail);
/// })?;
/// println!("{} records", summary.records);
/// # Ok::<(), dehusk_archive::ArchiveError>(())
/// ```
pub fn check(archive: &Archive, mut report: impl FnMut(Finding)) -> Result<Summary, ArchiveError> {
    let mut checker = Checker::default();
    let mut records = archive.records();
    let mut released = 0;
    // A record's line ends may be in the next member or frame, where the next record shows them.
    let mut bad_end: Option<Finding> = None;
    while let Some(event) = records.next_event() {
        let starts_after_line_ends =
            matches!(&event, Event::Record(record) if (1..=SEPARATOR.len() as u64).contains(&record.offset_in_member));
        bad_end
            .take()
            .filter(|_| !starts_after_line_ends)
            .into_iter()
            .for_each(&mut report);
        let place = match event {
            Event::Record(record) => checker.record(&record),
            Event::Skipped(skipped) => {
                report(of_range(&skipped));
                continue;
            }
        };
        place.report(&mut checker.found, &mut report);
        let separator = records
            .separator()
            .filter(|separator| place.has_end && *separator != SEPARATOR);
        bad_end = separator.map(|separator| Finding {
            detail: format!("{} follows the block", quoted(separator)),
            ..place.finding.clone()
        });
        if place.finding.offset > released + RELEASE {
            archive.release(released..place.finding.offset);
            released = place.finding.offset;
        }
    }
    bad_end.into_iter().for_each(&mut report);
    let end = records.end_offset();
    let notes = records.take_notes();
    if notes.contains(&Note::TailPadding) {
        report(of_archive(Rule::TailPadding, end, ""));
    }
    let mut summary = checker.summary;
    summary.bytes = records.bytes();
    if let Some(error) = records.take_error() {
        return Err(ArchiveError::read_on(archive.name(), error));
    }
    archive.check()?;
    if summary.records == 0 && summary.bytes.skipped == 0 {
        report(of_archive(Rule::EmptyArchive, 0, ""));
    }
    Ok(summary)
}

/// The faults of a WARC record by itself, without its place in an archive.
pub(crate) fn faults_of(record: &Record<'_>) -> Vec<(Rule, String)> {
    let mut found = Vec::new();
    header::check(&record.header, &mut found);
    block::Checker::default().check(record, &mut found);
    found
}

/// The names of the fields with digests that do not match.
pub(crate) fn wrong_digests(record: &Record<'_>) -> Vec<&'static str> {
    let mut found = Vec::new();
    block::Checker::default().check(record, &mut found);
    let names = found.into_iter().filter_map(|(rule, _)| match rule {
        Rule::BlockDigest => Some("WARC-Block-Digest"),
        Rule::PayloadDigest => Some("WARC-Payload-Digest"),
        _ => None,
    });
    names.collect()
}

/// The finding of an archive that cannot be recognised; `None` if the error is not about its bytes.
pub fn refusal(error: &ArchiveError) -> Option<Finding> {
    use crate::ArchiveErrorKind as Kind;
    let rule = match error.kind() {
        Kind::NotAnArchive | Kind::HtmlPage => Rule::NotAnArchive,
        Kind::Dictionary | Kind::DictionaryTooLarge => Rule::ZstdDict,
        _ => return None,
    };
    Some(of_archive(rule, error.offset().unwrap_or_default(), error.message()))
}

fn of_archive(rule: Rule, offset: u64, detail: &str) -> Finding {
    Finding {
        rule,
        offset,
        offset_in_member: 0,
        length: 0,
        id: String::new(),
        url: String::new(),
        detail: detail.to_owned(),
    }
}

fn of_range(skipped: &Skipped) -> Finding {
    let detail = match skipped.decoded_length {
        None => format!("{} bytes were skipped", skipped.stored_length),
        Some(0) => "no record was lost".to_owned(),
        Some(length) => format!("{length} decoded bytes were skipped"),
    };
    Finding {
        length: skipped.stored_length,
        ..of_archive(skipped.reason.into(), skipped.offset, &detail)
    }
}

/// The place of a record's findings, and the record that they belong to.
struct Place {
    /// A finding without a rule of its own: that of all findings of the record.
    finding: Finding,
    /// Whether the record's end was found, so that what separates it from the next one can be judged.
    has_end: bool,
}

impl Place {
    fn new(record: &Record<'_>) -> Self {
        let is_framed = record.failure.is_none() && record.header.framing == Framing::Warc;
        Self {
            finding: Finding {
                offset: record.offset,
                offset_in_member: record.offset_in_member,
                length: record.stored_length,
                id: record.header.id().into_owned(),
                url: record.header.url().into_owned(),
                ..of_archive(Rule::RecordEnd, 0, "")
            },
            has_end: is_framed && !record.notes.has(Note::LengthMismatch),
        }
    }

    fn report(&self, found: &mut Vec<(Rule, String)>, report: &mut impl FnMut(Finding)) {
        for (rule, detail) in found.drain(..) {
            report(Finding {
                rule,
                detail,
                ..self.finding.clone()
            });
        }
    }
}

/// The state that is kept from record to record.
#[derive(Default)]
struct Checker {
    /// The findings of the record at hand.
    found: Vec<(Rule, String)>,
    /// Hashes of the ids of all records so far. Two ids with one hash are as rare as a flipped bit in memory.
    ids: HashSet<u64>,
    /// The member or frame that is known to hold several records.
    shared: Option<u64>,
    block: block::Checker,
    summary: Summary,
}

impl Checker {
    /// Checks a record. Leaves its findings in `found`.
    fn record(&mut self, record: &Record<'_>) -> Place {
        self.summary.records += 1;
        self.summary.block_bytes += record.block.len() as u64;
        match record.header.framing {
            Framing::Warc => {
                header::check(&record.header, &mut self.found);
                self.identity(record);
            }
            Framing::Arc(_) => self.arc(record),
            Framing::Tar => {}
        }
        if record.offset_in_member > 0 && self.shared.replace(record.offset) != Some(record.offset) {
            self.found.push((Rule::GzipRecords, String::new()));
        }
        match record.failure {
            Some(fault) => self.failure(fault),
            None => {
                self.notes(record);
                self.summary.digests += self.block.check(record, &mut self.found);
            }
        }
        Place::new(record)
    }

    /// Reports a fault that the reader found, unless a finding about the header covers it.
    fn failure(&mut self, fault: Fault) {
        let states_length = |(rule, detail): &(Rule, String)| {
            *rule == Rule::ContentLength || *rule == Rule::MissingField && detail == "Content-Length"
        };
        if fault != Fault::BadLength || !self.found.iter().any(states_length) {
            self.found.push((fault.into(), String::new()));
        }
    }

    fn notes(&mut self, record: &Record<'_>) {
        for (note, rule) in [
            (Note::LengthMismatch, Rule::LengthMismatch),
            (Note::GzipCrc, Rule::GzipCrc),
            (Note::ZstdChecksum, Rule::ZstdChecksum),
        ] {
            if record.notes.has(note) {
                let detail = match rule {
                    Rule::LengthMismatch => format!("the block has {} bytes", record.block.len()),
                    _ => "the digest proves the record good".to_owned(),
                };
                self.found.push((rule, detail));
            }
        }
    }

    /// Checks that no earlier record has the same id.
    fn identity(&mut self, record: &Record<'_>) {
        let id = record.header.id();
        // Segments of one record have ids of their own, too (section 7).
        if !id.is_empty() {
            let hash = BuildHasherDefault::<DefaultHasher>::default().hash_one(&*id);
            if !self.ids.insert(hash) {
                self.found.push((Rule::DuplicateId, id.into_owned()));
            }
        }
    }

    fn arc(&mut self, record: &Record<'_>) {
        if record.header.record_type == RecordType::WarcInfo {
            return;
        }
        let value = |name| record.header.get(name).unwrap_or_default();
        let (url, ip) = (value("WARC-Target-URI"), value("WARC-IP-Address"));
        let (date, mime) = (record.header.date(), value("Content-Type"));
        let wrong = forms::broken_in_arc(&url, &ip, &date, &mime);
        self.found
            .extend(wrong.into_iter().map(|detail| (Rule::ArcField, detail)));
    }
}

/// Line ends as they are written in text.
fn quoted(line_ends: &[u8]) -> String {
    if line_ends.is_empty() {
        return "nothing".to_owned();
    }
    line_ends.escape_ascii().to_string()
}
