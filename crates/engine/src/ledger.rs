//! The ledger: what became of every framed record and every stored byte, in numbers.
//!
//! One type, [`Ledger`], counts for a batch, an archive and a whole run, and is what `run.json` holds of each. Its law:
//!
//! - every framed record is in exactly one class: `framed = emitted + Σ filtered[reason] + Σ failed[reason]`;
//! - every stored byte of the input is in a framed record, in the format's padding, or in a skipped range.
//!
//! [`Ledger::check`] checks the law at the end of every archive.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::page::Dropped;
use crate::reason::{Failed, Filtered, Named, Note, Notes};
use dehusk_archive::{Bytes, Skipped};
use dehusk_documents::encode::LedgerLine;

/// How often each reason occurred.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counts<R>(BTreeMap<R, u64>);

impl<R: Named> Counts<R> {
    /// The number for a reason; 0 where it was not met.
    pub fn get(&self, reason: impl Into<R>) -> u64 {
        self.0.get(&reason.into()).copied().unwrap_or_default()
    }

    /// The sum over all reasons.
    pub fn sum(&self) -> u64 {
        self.0.values().sum()
    }

    /// Whether no reason occurred.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The reasons that were met and their numbers, in the alphabetical order of their names.
    pub fn iter(&self) -> impl Iterator<Item = (R, u64)> {
        let mut counts: Vec<(R, u64)> = self.0.iter().map(|(reason, n)| (*reason, *n)).collect();
        counts.sort_unstable_by_key(|(reason, _)| reason.name());
        counts.into_iter()
    }

    fn add(&mut self, reason: R, n: u64) {
        *self.0.entry(reason).or_default() += n;
    }

    fn add_all(&mut self, other: &Self) {
        other.0.iter().for_each(|(reason, n)| self.add(*reason, *n));
    }
}

impl<R> Default for Counts<R> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<R: Named + Serialize> Serialize for Counts<R> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

impl<'de, R: Named + Deserialize<'de>> Deserialize<'de> for Counts<R> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        BTreeMap::deserialize(deserializer).map(Self)
    }
}

/// The account of the records and bytes of a batch, an archive or a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Ledger {
    /// Records whose start line and header block were recognised.
    pub framed: u64,
    /// Records that became documents.
    pub emitted: u64,
    /// Records that a rule left out, by reason.
    pub filtered: Counts<Filtered>,
    /// Of the records filtered as `quality`: how many each rule left out.
    #[serde(default)]
    pub quality_rules: BTreeMap<String, u64>,
    /// Of the records filtered as `host`: how many each list left out.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub host_lists: BTreeMap<String, u64>,
    /// Of the records filtered as `wish`: how many each wish left out.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub wishes: BTreeMap<String, u64>,
    /// Of the records filtered as `mime`: how many are PDF or files of office programs, by kind.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub office_files: BTreeMap<String, u64>,
    /// Records lost to damage or a limit, by reason.
    pub failed: Counts<Failed>,
    /// Oddities that lost nothing, by name.
    pub notes: Counts<Note>,
    /// Stored bytes of the skipped ranges.
    pub skipped_bytes: u64,
    /// Decoded bytes of the ranges that were skipped inside members or frames. The stored bytes of such a member count
    /// as framed, because it also holds a record.
    #[serde(default)]
    pub skipped_decoded_bytes: u64,
    /// Members and frames that are damaged, or whose checksum is wrong, although no record of theirs failed for that
    /// reason and no byte of theirs was skipped. Their documents have notes.
    #[serde(default)]
    pub damaged_members: u64,
    /// Stored bytes that were not to be read, because only some records were asked for.
    #[serde(default)]
    pub not_selected_bytes: u64,
    /// Every stored byte, counted once, by the reader. Not part of `run.json`: [`Ledger::check`] compares it with the
    /// rest.
    #[serde(skip)]
    pub bytes: Bytes,
}

impl Ledger {
    /// The numbers of records as lines, for formats that have a place for them.
    #[doc(hidden)]
    pub fn lines(&self) -> Vec<LedgerLine> {
        let line = |class, reason, records| LedgerLine { class, reason, records };
        let mut lines = vec![line("framed", "", self.framed), line("emitted", "", self.emitted)];
        lines.extend(
            self.filtered
                .iter()
                .map(|(reason, n)| line("filtered", reason.name(), n)),
        );
        lines.extend(self.failed.iter().map(|(reason, n)| line("failed", reason.name(), n)));
        lines.extend(self.notes.iter().map(|(note, n)| line("noted", note.name(), n)));
        lines
    }

    /// Counts a record that became a document.
    pub fn emit(&mut self, notes: Notes) {
        self.framed += 1;
        self.emitted += 1;
        self.note_all(notes);
    }

    /// Counts a record that did not become a document.
    pub fn drop(&mut self, dropped: Dropped, notes: Notes) {
        self.framed += 1;
        match dropped {
            Dropped::Filtered(reason) => self.filtered.add(reason, 1),
            Dropped::Host(list) => {
                self.filtered.add(Filtered::Host, 1);
                *self.host_lists.entry(list.to_string()).or_default() += 1;
            }
            Dropped::Wish(wish) => {
                self.filtered.add(Filtered::Wish, 1);
                *self.wishes.entry(wish.to_string()).or_default() += 1;
            }
            Dropped::LowQuality(rule) => {
                self.filtered.add(Filtered::Quality, 1);
                *self.quality_rules.entry(rule.to_string()).or_default() += 1;
            }
            Dropped::Failed(reason) => self.failed.add(reason, 1),
        }
        self.note_all(notes);
    }

    /// Counts the kind of a record that was filtered as `mime`.
    pub fn count_file(&mut self, kind: &'static str) {
        *self.office_files.entry(kind.to_owned()).or_default() += 1;
    }

    /// Counts a skipped range, or a member or frame that is damaged.
    pub fn skip(&mut self, skipped: &Skipped) {
        match skipped.decoded_length {
            Some(0) => self.damaged_members += 1,
            Some(length) => self.skipped_decoded_bytes += length,
            None => self.skipped_bytes += skipped.stored_length,
        }
    }

    /// Counts an oddity of the archive itself.
    pub fn note(&mut self, note: impl Into<Note>) {
        self.notes.add(note.into(), 1);
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
        self.filtered.add_all(&other.filtered);
        for (rule, n) in &other.quality_rules {
            *self.quality_rules.entry(rule.clone()).or_default() += n;
        }
        for (list, n) in &other.host_lists {
            *self.host_lists.entry(list.clone()).or_default() += n;
        }
        for (wish, n) in &other.wishes {
            *self.wishes.entry(wish.clone()).or_default() += n;
        }
        for (kind, n) in &other.office_files {
            *self.office_files.entry(kind.clone()).or_default() += n;
        }
        self.failed.add_all(&other.failed);
        self.notes.add_all(&other.notes);
        self.skipped_bytes += other.skipped_bytes;
        self.skipped_decoded_bytes += other.skipped_decoded_bytes;
        self.damaged_members += other.damaged_members;
        self.not_selected_bytes += other.not_selected_bytes;
        self.bytes.add(other.bytes);
    }

    /// Whether any record failed, any byte was skipped, or any member or frame is damaged.
    pub fn is_damaged(&self) -> bool {
        !self.failed.is_empty() || self.has_skipped() || self.damaged_members > 0
    }

    /// Whether any byte was skipped, between members or inside one.
    pub fn has_skipped(&self) -> bool {
        self.skipped_bytes > 0 || self.skipped_decoded_bytes > 0
    }

    /// Checks the law over an archive of `size` stored bytes that was read to its end.
    ///
    /// # Errors
    /// The first sum that does not come out. This is a bug in dehusk.
    pub fn check(&self, size: u64) -> Result<(), Imbalance> {
        let classes = self.emitted + self.filtered.sum() + self.failed.sum();
        for (what, total, counted) in [
            ("records were framed", self.framed, classes),
            ("bytes were read", size, self.bytes.sum() + self.not_selected_bytes),
            ("bytes were skipped", self.bytes.skipped, self.skipped_bytes),
        ] {
            if total != counted {
                return Err(Imbalance { what, total, counted });
            }
        }
        Ok(())
    }
}

/// A sum of a ledger that does not come out: a bug in dehusk.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{total} {what} but {counted} accounted for")]
#[non_exhaustive]
pub struct Imbalance {
    /// The numbers that were summed, such as `records were framed`.
    pub what: &'static str,
    /// The sum that was expected.
    pub total: u64,
    /// The sum that was counted.
    pub counted: u64,
}

/// One line of `failed.jsonl`: a failed record, a skipped range, or a damaged member.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Failure {
    /// The archive, as it was named to the run; a byte that is not UTF-8 is `\xNN`.
    pub archive: String,
    /// Offset in the file, in bytes, of the record's member, frame or record, or of the range.
    pub offset: u64,
    /// Length in bytes: the stored length of the record's member, frame or record, or of the range; the decoded length
    /// of a range inside a member; 0 where the end of a large member was not read yet.
    pub length: u64,
    /// `WARC-Record-ID` without brackets; `""` for a range and for a record without one.
    pub id: String,
    /// The reason.
    pub reason: Failed,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reason::PageFault;
    use dehusk_archive::Fault;

    fn skipped(stored_length: u64, decoded_length: Option<u64>) -> Skipped {
        let mut skipped = Skipped::new(20, stored_length, Fault::Garbage);
        skipped.decoded_length = decoded_length;
        skipped
    }

    /// A ledger that closes over 30 bytes.
    fn closed() -> Ledger {
        let mut ledger = Ledger::default();
        ledger.emit(Notes::default());
        ledger.drop(Filtered::Mime.into(), Notes::default());
        ledger.drop(PageFault::Panic.into(), Notes::default());
        ledger.skip(&skipped(10, None));
        ledger.bytes.framed = 15;
        ledger.bytes.padding = 5;
        ledger.bytes.skipped = 10;
        ledger
    }

    #[test]
    fn an_account_that_does_not_close_is_reported() {
        assert_eq!(closed().check(30), Ok(()));
        type Change = fn(&mut Ledger);
        let broken: [(Change, &str); 4] = [
            (|l| l.framed += 1, "4 records were framed but 3 accounted for"),
            (|l| l.emitted += 1, "3 records were framed but 4 accounted for"),
            (|l| l.bytes.padding -= 1, "30 bytes were read but 29 accounted for"),
            (
                |l| (l.bytes.framed, l.bytes.skipped) = (14, 11),
                "11 bytes were skipped but 10 accounted for",
            ),
        ];
        for (change, error) in broken {
            let mut ledger = closed();
            change(&mut ledger);
            assert_eq!(ledger.check(30).map_err(|e| e.to_string()), Err(error.to_owned()));
        }
    }

    #[test]
    fn decoded_bytes_are_not_added_to_stored_bytes() {
        let mut ledger = closed();
        ledger.skip(&skipped(12, Some(7_000)));
        assert_eq!((ledger.skipped_bytes, ledger.skipped_decoded_bytes), (10, 7_000));
        assert_eq!(ledger.check(30), Ok(()));
        let inside = Ledger {
            skipped_decoded_bytes: 1,
            ..Ledger::default()
        };
        assert!(inside.is_damaged());
        let mut named = Ledger::default();
        named.skip(&skipped(12, Some(0)));
        assert!(named.is_damaged() && !named.has_skipped());
    }

    #[test]
    fn a_ledger_reads_back_and_lists_reasons_by_name() -> Result<(), serde_json::Error> {
        let mut ledger = closed();
        ledger.drop(Filtered::Url.into(), Notes::default());
        ledger.drop(Filtered::Empty.into(), Notes::default());
        ledger.drop(Fault::Digest.into(), Notes::default());
        let json = serde_json::to_string(&ledger)?;
        assert_eq!(
            json,
            "{\"framed\":6,\"emitted\":1,\"filtered\":{\"empty\":1,\"mime\":1,\"url\":1},\
             \"quality_rules\":{},\"failed\":{\"digest\":1,\"panic\":1},\"notes\":{},\"skipped_bytes\":10,\"skipped_decoded_bytes\":0,\
             \"damaged_members\":0,\"not_selected_bytes\":0}"
        );
        let read: Ledger = serde_json::from_str(&json)?;
        ledger.bytes = Bytes::default();
        assert_eq!(read, ledger);
        assert!(serde_json::from_str::<Ledger>(&json.replace("mime", "mine")).is_err());
        Ok(())
    }
}
