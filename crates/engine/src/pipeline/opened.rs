//! Opening an archive so that waiting for its bytes can be cancelled and holds no CPU slot.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::cancellable_reader::CancellableReader;
use super::cancellable_source::{CancellableSource, wait_for};
use super::progress::Stop;
use super::selected::Reading;
use super::semaphore::Semaphore;
use crate::input::{ArchiveInput, Opening, StoredBytes};
use dehusk_archive::{Archive, ArchiveError, ByteSource, window};

/// An archive whose format is recognised. The threads that read it must hold a CPU slot.
pub(super) struct Opened {
    pub(super) archive: Archive,
    pub(super) bytes: OpenedBytes,
    /// Whether workers can read its windows apart from each other.
    pub(super) is_divisible: bool,
}

/// Whether the stored bytes can be read again.
pub(super) enum OpenedBytes {
    /// They can, by threads that hold no CPU slot.
    Again(Arc<dyn ByteSource>),
    /// They come once, and are counted as they come.
    Once(Arc<AtomicU64>),
}

impl Opened {
    /// Opens an archive and recognises its format. The thread must hold a CPU slot.
    ///
    /// # Errors
    /// The archive cannot be opened or read, or holds no record of a known archive format; or the pipeline was asked to
    /// stop.
    pub(super) fn open(
        input: &ArchiveInput,
        opening: &Opening,
        stop: &Stop,
        cpu_slots: &Semaphore,
    ) -> Result<Self, ArchiveError> {
        let bytes = input.stored_bytes_by(opening, |request| {
            let answer = wait_for(request, stop, cpu_slots);
            answer.unwrap_or_else(|e| Err(ArchiveError::open(input.label(), e)))
        });
        match bytes? {
            StoredBytes::Ranges(source) => {
                let (source, again) = cancellable(source, stop, cpu_slots);
                let archive = input
                    .archive_in_ranges(source, opening.options)?
                    .cancelled_by(stop.flag());
                Ok(Self {
                    is_divisible: input.ranges().is_none() && window::is_divisible(&archive),
                    archive,
                    bytes: OpenedBytes::Again(again),
                })
            }
            StoredBytes::Stream(open) => {
                let stream = CancellableReader::new(open, stop, cpu_slots);
                let stream = stream.map_err(|e| ArchiveError::open(input.label(), e))?;
                let count = stream.count();
                Ok(Self {
                    archive: input.archive_in_stream(stream, opening.options)?,
                    bytes: OpenedBytes::Once(count),
                    is_divisible: false,
                })
            }
        }
    }

    /// How many stored bytes there are, as far as is known.
    pub(super) fn size(&self) -> u64 {
        match &self.bytes {
            OpenedBytes::Again(source) => source.size(),
            OpenedBytes::Once(count) => count.load(Ordering::Relaxed),
        }
    }

    /// How many stored bytes were read, if reading ended early.
    pub(super) fn bytes_read(&self, records: &Reading<'_>) -> u64 {
        match &self.bytes {
            OpenedBytes::Again(source) => records.read_offset().min(source.size()),
            OpenedBytes::Once(count) => count.load(Ordering::Relaxed),
        }
    }

    /// The stored bytes, for threads that hold no CPU slot; `None` if they come once.
    pub(super) fn bytes_again(&self) -> Option<&Arc<dyn ByteSource>> {
        match &self.bytes {
            OpenedBytes::Again(source) => Some(source),
            OpenedBytes::Once(_) => None,
        }
    }
}

/// The source for threads that hold a CPU slot, and for threads that hold none. Only one that may wait is wrapped.
fn cancellable(
    source: Arc<dyn ByteSource>,
    stop: &Stop,
    cpu_slots: &Semaphore,
) -> (Arc<dyn ByteSource>, Arc<dyn ByteSource>) {
    if !source.may_wait() || source.bytes().is_some() {
        return (Arc::clone(&source), source);
    }
    let with_slots = CancellableSource::with_slots(Arc::clone(&source), stop, cpu_slots);
    (
        Arc::new(with_slots),
        Arc::new(CancellableSource::without_slots(source, stop)),
    )
}
