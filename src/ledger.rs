//! The ledger: what became of every framed record and every stored byte, in numbers.
//!
//! The law of accounts: `framed = emitted + Σ filtered[reason] + Σ failed[reason]`, and every byte of the input lies in
//! a framed record, in the format's padding, or in a skipped range. [`Ledger::check`] is run at the end of every run.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::archive::{Bytes, Skipped};
use crate::page::Dropped;
use crate::reason::{Failed, Filtered, Note, Notes};

/// Counts by name; names that were not met do not stand in it.
pub type Counts = BTreeMap<String, u64>;

/// What became of the records and bytes of an archive, or of a part of one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ledger {
    /// Records whose start line and header block were recognised.
    pub framed: u64,
    /// Records that became documents.
    pub emitted: u64,
    filtered: BTreeMap<Filtered, u64>,
    failed: BTreeMap<Failed, u64>,
    notes: BTreeMap<Note, u64>,
    /// Bytes in skipped ranges; stored ones, and decoded ones where the range lies inside a member.
    pub skipped_bytes: u64,
    /// Every stored byte, booked once.
    pub bytes: Bytes,
    /// Stored bytes of the skipped ranges that were told one by one.
    told: u64,
}

impl Ledger {
    /// Books a record that became a document.
    pub fn emit(&mut self, notes: Notes) {
        self.framed += 1;
        self.emitted += 1;
        self.note_all(notes);
    }

    /// Books a record that did not.
    pub fn drop(&mut self, dropped: Dropped, notes: Notes) {
        self.framed += 1;
        match dropped {
            Dropped::Filtered(reason) => *self.filtered.entry(reason).or_default() += 1,
            Dropped::Failed(reason) => *self.failed.entry(reason).or_default() += 1,
        }
        self.note_all(notes);
    }

    /// Books a skipped range.
    pub fn skip(&mut self, skipped: &Skipped) {
        self.skipped_bytes += skipped.length;
        // One inside a member has no stored bytes of its own.
        self.told += if skipped.inside { 0 } else { skipped.stored_length };
    }

    /// Books an oddity of the archive itself.
    pub fn note(&mut self, note: impl Into<Note>) {
        *self.notes.entry(note.into()).or_default() += 1;
    }

    fn note_all(&mut self, notes: Notes) {
        if !notes.is_empty() {
            notes.iter().for_each(|note| self.note(note));
        }
    }

    /// Adds another ledger.
    pub fn add(&mut self, other: &Ledger) {
        self.framed += other.framed;
        self.emitted += other.emitted;
        self.skipped_bytes += other.skipped_bytes;
        self.told += other.told;
        self.bytes.add(other.bytes);
        other
            .filtered
            .iter()
            .for_each(|(reason, n)| *self.filtered.entry(*reason).or_default() += n);
        other
            .failed
            .iter()
            .for_each(|(reason, n)| *self.failed.entry(*reason).or_default() += n);
        other
            .notes
            .iter()
            .for_each(|(note, n)| *self.notes.entry(*note).or_default() += n);
    }

    /// Filtered records by reason.
    pub fn filtered(&self) -> Counts {
        self.filtered
            .iter()
            .map(|(reason, n)| (reason.name().to_owned(), *n))
            .collect()
    }

    /// Failed records by reason.
    pub fn failed(&self) -> Counts {
        self.failed
            .iter()
            .map(|(reason, n)| (reason.name().to_owned(), *n))
            .collect()
    }

    /// Oddities by name.
    pub fn notes(&self) -> Counts {
        self.notes
            .iter()
            .map(|(note, n)| (note.name().to_owned(), *n))
            .collect()
    }

    /// Whether any record failed or any byte was skipped.
    pub fn is_damaged(&self) -> bool {
        !self.failed.is_empty() || self.skipped_bytes > 0
    }

    /// Checks the law of accounts over an archive of `size` stored bytes that was read to its end.
    ///
    /// # Errors
    /// A sentence with the numbers that do not add up; this is a defect of the program.
    pub fn check(&self, size: u64) -> Result<(), String> {
        let classes = self.emitted + self.filtered.values().sum::<u64>() + self.failed.values().sum::<u64>();
        if classes != self.framed {
            return Err(format!(
                "{} records were framed but {classes} accounted for",
                self.framed
            ));
        }
        if self.bytes.sum() != size {
            return Err(format!("{size} bytes were read but {} accounted for", self.bytes.sum()));
        }
        if self.told != self.bytes.skipped {
            return Err(format!(
                "{} bytes were skipped but {} told of",
                self.bytes.skipped, self.told
            ));
        }
        Ok(())
    }
}

/// One line of `failed.jsonl`: a failed record or a skipped range.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// The archive, as it was named to the run; a byte that is not UTF-8 is `\xNN`.
    pub archive: String,
    /// Offset in the file, in bytes, of the record's member, frame or record, or of the range.
    pub offset: u64,
    /// Stored length in bytes of that; decoded bytes for a range inside a member; 0 where the end of a large member was not
    /// yet read.
    pub length: u64,
    /// `WARC-Record-ID` without brackets; `""` for a range and for a record without one.
    pub id: String,
    /// The reason's name.
    pub reason: String,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::archive::Fault;
    use crate::reason::PageFault;

    /// An account that closes over 30 bytes, and what is done to it.
    fn checked(change: impl FnOnce(&mut Ledger)) -> Result<(), String> {
        let mut ledger = Ledger::default();
        ledger.emit(Notes::default());
        ledger.drop(Filtered::Mime.into(), Notes::default());
        ledger.drop(PageFault::Panic.into(), Notes::default());
        ledger.skip(&Skipped {
            offset: 20,
            length: 10,
            stored_length: 10,
            inside: false,
            reason: Fault::Garbage,
        });
        ledger.bytes = Bytes {
            framed: 15,
            padding: 5,
            skipped: 10,
        };
        change(&mut ledger);
        ledger.check(30)
    }

    #[test]
    fn an_account_that_does_not_close_is_told() {
        assert_eq!(checked(|_| {}), Ok(()));
        type Change = fn(&mut Ledger);
        let broken: [(Change, &str); 4] = [
            (|l| l.framed += 1, "4 records were framed but 3 accounted for"),
            (|l| l.emitted += 1, "3 records were framed but 4 accounted for"),
            (|l| l.bytes.padding -= 1, "30 bytes were read but 29 accounted for"),
            (
                |l| (l.bytes.framed, l.bytes.skipped) = (14, 11),
                "11 bytes were skipped but 10 told of",
            ),
        ];
        for (change, error) in broken {
            assert_eq!(checked(change), Err(error.to_owned()));
        }
    }
}
