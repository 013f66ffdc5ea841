//! Opens an archive to look at the record at one place.

use super::ArchiveInput;
use super::open::Opening;
use crate::config::Config;
use dehusk_archive::{Archive, ArchiveError, ArchiveErrorKind, Records, window};

/// An archive, and where reading begins to come to a place.
pub struct OpenedAt {
    /// The archive.
    pub archive: Archive,
    /// The stored offset where reading begins. `None` if the archive can only be read from its start.
    from: Option<u64>,
}

impl OpenedAt {
    /// The archive's records from there on. The first of them may lie before the place.
    pub fn records(&self) -> Records<'_> {
        match self.from {
            Some(from) => self.archive.records_between(from..u64::MAX, Vec::new()),
            None => self.archive.records(),
        }
    }
}

/// Opens an archive to look at the record at a stored offset, or at all records. Of a remote archive only what is
/// needed for that is read.
///
/// # Errors
/// The archive cannot be opened, holds no record of a known archive format, or ends before the offset.
pub fn open_at(input: ArchiveInput, config: &Config, offset: Option<u64>) -> Result<OpenedAt, ArchiveError> {
    let is_read_by_requests = input.is_read_by_requests();
    let input = match offset.filter(|_| is_read_by_requests) {
        Some(offset) => {
            let at = offset..offset.saturating_add(1);
            input.only(vec![at])
        }
        None => input,
    };
    let archive = input.open(&Opening::new(config))?;
    let Some(size) = archive.size().filter(|_| archive.format().is_some()) else {
        return Ok(OpenedAt { archive, from: None });
    };
    if let Some(offset) = offset.filter(|offset| *offset >= size) {
        let message = format!("there is nothing: the file has {size} bytes");
        let error = ArchiveError::new(ArchiveErrorKind::NoSuchPlace, input.label(), message);
        return Err(error.at(offset));
    }
    let starts_there =
        |offset| is_read_by_requests && window::guess_within(&archive, offset..offset + 1) == Some(offset);
    let from = match offset {
        Some(offset) if starts_there(offset) => offset,
        Some(offset) => start_before(&archive, offset),
        None => 0,
    };
    Ok(OpenedAt {
        archive,
        from: Some(from),
    })
}

/// The start of a record at or shortly before an offset. Reading must begin there to find out whether a record or a
/// skipped range starts at the offset.
fn start_before(archive: &Archive, offset: u64) -> u64 {
    let windows = (0..=window::window_of(offset)).rev();
    let mut starts = windows.filter_map(|number| window::guess(archive, number));
    starts.find(|start| *start <= offset).unwrap_or(0)
}
