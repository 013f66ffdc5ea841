//! Reads the originals of revisits. `first_pass` finds their places.

use super::opened::Opened;
use super::progress::Stop;
use super::semaphore::Semaphore;
use crate::config::Rules;
use crate::input::{ArchiveInput, Opening};
use crate::revisit;
use dehusk_archive::{ArchiveError, Event, Header, OwnedRecord, RecordType};
use dehusk_documents::store::{Place, Places, StoreError};

/// How many records are read at most to find one original. It ends chains of revisits that refer to each other.
const READS: usize = 8;

/// The places of records that may be originals of revisits.
pub(crate) struct Originals {
    /// The archives that can be read again.
    pub(super) inputs: Vec<ArchiveInput>,
    pub(super) places: Places,
    /// Whether all of these archives could be read.
    pub(super) are_complete: bool,
}

/// Reads originals, for one worker.
pub(super) struct OriginalReader<'o> {
    originals: &'o Originals,
    rules: &'o Rules,
    stop: &'o Stop,
    cpu_slots: &'o Semaphore,
    /// The archive that was read last, because the next original is often in it.
    last: Option<(u32, Opened)>,
}

/// Why an original is unavailable, although there may be one.
pub(super) enum OriginalError {
    /// Its archive cannot be read, or the first pass could not read one that may have it.
    Unreadable,
    /// The pipeline was asked to stop.
    Stopped,
    /// The places of originals cannot be read.
    Store(StoreError),
}

impl<'o> OriginalReader<'o> {
    pub(super) fn new(originals: &'o Originals, rules: &'o Rules, stop: &'o Stop, cpu_slots: &'o Semaphore) -> Self {
        Self {
            originals,
            rules,
            stop,
            cpu_slots,
            last: None,
        }
    }

    /// The original of a revisit; `None` if it is not among the records of the run. The thread must hold a CPU slot.
    ///
    /// # Errors
    /// It is unavailable.
    pub(super) fn original(&mut self, revisit: &Header) -> Result<Option<OwnedRecord>, OriginalError> {
        let found = self.follow(revisit, &mut Vec::new())?;
        if found.is_none() && !self.originals.are_complete && !revisit::references(revisit).is_empty() {
            return Err(OriginalError::Unreadable);
        }
        Ok(found)
    }

    /// Follows the references of a revisit, and those of revisits that they lead to. `read` are the places of records
    /// that were read.
    fn follow(&mut self, revisit: &Header, read: &mut Vec<Place>) -> Result<Option<OwnedRecord>, OriginalError> {
        for reference in revisit::references(revisit) {
            let place = self
                .originals
                .places
                .get(&reference.key())
                .map_err(OriginalError::Store)?;
            let Some(place) = place.filter(|place| read.len() < READS && !read.contains(place)) else {
                continue;
            };
            read.push(place);
            let Some(found) = self.read(place)? else { continue };
            if !reference.leads_to(&found.header) || !revisit::agrees(revisit, &found.header) {
                continue;
            }
            if found.header.record_type != RecordType::Revisit {
                return Ok(Some(found));
            }
            // The original may still contradict the revisit in what the records between do not state.
            if let Some(original) = self.follow(&found.header, read)?
                && revisit::agrees(revisit, &original.header)
            {
                return Ok(Some(original));
            }
        }
        Ok(None)
    }

    /// Reads the record at a place.
    fn read(&mut self, place: Place) -> Result<Option<OwnedRecord>, OriginalError> {
        // A cancelled read also reports an error, but the archive is not at fault.
        let unreadable = |stop: &Stop| {
            if stop.requested() {
                OriginalError::Stopped
            } else {
                OriginalError::Unreadable
            }
        };
        let known = self.last.take().filter(|(archive, _)| *archive == place.archive);
        let (opened, has_other_records) = match known {
            Some((_, opened)) => (opened, true),
            None => self.open(place).map_err(|_| unreadable(self.stop))?,
        };
        let mut records = opened.archive.records_between(place.stored(), Vec::new());
        let mut found = None;
        while let Some(event) = records.next_event() {
            let Event::Record(record) = event else { continue };
            let at = (record.offset, record.offset_in_member);
            if at == (place.offset, place.offset_in_member) {
                found = Some(record.into_owned());
            }
            if at >= (place.offset, place.offset_in_member) {
                break;
            }
        }
        let error = records.take_error();
        drop(records);
        // Ask after the record was copied, because a mapped file may lose its bytes at any moment.
        if error.is_some() && found.is_none() || opened.archive.check().is_err() {
            return Err(unreadable(self.stop));
        }
        if has_other_records {
            self.last = Some((place.archive, opened));
        }
        Ok(found)
    }

    /// Opens the archive of a place. Also returns whether other records of it can be read.
    fn open(&self, place: Place) -> Result<(Opened, bool), ArchiveError> {
        let of_record = self.originals.inputs[place.archive as usize].for_record(place.stored());
        let opening = Opening::parallel(&self.rules.config, 1, self.stop.flag());
        let opened = Opened::open(&of_record.input, &opening, self.stop, self.cpu_slots)?;
        Ok((opened, of_record.has_other_records))
    }
}
