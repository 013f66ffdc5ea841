//! Makes records of a damaged or careless archive such that they break no rule.
//!
//! A record that breaks none stays as it is. Of another one the block stays, and the header is written again: its
//! length is that of the block, and a field that is wrong is left out or corrected. The old values are kept in fields
//! `X-Dehusk-Was`, so that nothing is lost. A record that cannot be corrected is refused with its rule.

mod header;
mod pack;

pub(crate) use header::made_id;
pub use pack::pack;

use crate::check::{Rule, Severity, faults_of};
use crate::fault::Notes;
use crate::framing::Framing;
use crate::header::Header;
use crate::record::Record;

/// Mends the records of one archive, in their order.
#[derive(Debug, Default)]
pub struct Mender {
    /// The framing of the first record, which all others must have.
    framing: Option<Framing>,
    /// The last good date, for a record without one.
    date: Option<String>,
}

/// A record that breaks no rule of an archive.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Mended {
    /// Its header, its block, and what separates it from the next record.
    pub bytes: Vec<u8>,
    /// The changes, a line each; none if the record is as it was.
    pub changes: Vec<String>,
}

/// Why a record is left out.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LeftOut {
    /// The rule that it breaks.
    pub rule: Rule,
    /// Further details; `""` for none.
    pub detail: String,
}

impl Mender {
    /// Mends a record.
    ///
    /// # Errors
    /// It failed, is not of the framing of the records before it, or breaks a rule that cannot be mended.
    pub fn mend(&mut self, record: &Record<'_>) -> Result<Mended, LeftOut> {
        let left_out = |rule, detail: &str| LeftOut {
            rule,
            detail: detail.to_owned(),
        };
        if let Some(fault) = record.failure {
            return Err(left_out(fault.into(), fault.sentence()));
        }
        let framing = record.header.framing;
        if framing == Framing::Tar {
            return Err(left_out(Rule::NotAnArchive, "a tar file has no records to mend"));
        }
        let is_arc = |framing: Framing| matches!(framing, Framing::Arc(_));
        if is_arc(*self.framing.get_or_insert(framing)) != is_arc(framing) {
            return Err(left_out(
                Rule::NotAnArchive,
                "its format is not that of the first record",
            ));
        }
        if is_arc(framing) {
            return Ok(arc(record));
        }
        let (header, changes) = header::mended(record, self.date.as_deref());
        let bytes = [&header[..], &record.block, b"\r\n\r\n"].concat();
        let mended = Record {
            header: Header::parse(framing, &header).0,
            notes: Notes::default(),
            ..record.clone()
        };
        // A header that was written again must be right in the end.
        let faults = if changes.is_empty() {
            Vec::new()
        } else {
            faults_of(&mended)
        };
        if let Some((rule, detail)) = faults.into_iter().find(|(rule, _)| rule.severity() == Severity::Error) {
            return Err(LeftOut { rule, detail });
        }
        self.date = mended.header.get("WARC-Date").map(|date| date.into_owned());
        Ok(Mended { bytes, changes })
    }
}

/// An ARC record with the length of its block. The length is the last field of the line.
fn arc(record: &Record<'_>) -> Mended {
    let line = record.header.as_bytes().trim_ascii_end();
    let start = memchr::memrchr(b' ', line).map_or(line.len(), |at| at + 1);
    let length = record.block.len().to_string();
    let stated = String::from_utf8_lossy(&line[start..]);
    let changes = if stated == length {
        Vec::new()
    } else {
        vec![format!("Archive-length: {stated} is {length}")]
    };
    let bytes = [&line[..start], length.as_bytes(), b"\n", &record.block[..], b"\n"].concat();
    Mended { bytes, changes }
}
