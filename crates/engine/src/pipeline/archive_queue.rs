//! The chunks of one archive on their way to the sink, and the rule that decides which of them count.

use std::collections::BTreeMap;

use super::batch::Window;
use super::chunk::{ArchiveOutcome, Position, Start};
use super::error::ReadFailure;
use super::message::{Extent, Origin, PlacedChunk};
use crate::ledger::Ledger;

/// The chunks of one archive.
#[derive(Default)]
pub(super) struct ArchiveQueue {
    /// The batch that must be written next.
    pub(super) next: u64,
    /// How many stored bytes are finished: the next window must start here.
    pub(super) start: u64,
    pub(super) ledger: Ledger,
    /// Chunks that came before their turn, by batch.
    pub(super) waiting: BTreeMap<u64, PlacedChunk>,
    /// Why the archive failed. Chunks that follow are dropped.
    pub(super) failure: Option<ReadFailure>,
    /// The number of batches and the outcome, when the reader has finished the archive.
    pub(super) end: Option<(u64, ArchiveOutcome)>,
}

/// The treatment of the next chunk of an archive.
pub(super) enum Action {
    /// Write it.
    Write,
    /// Drop it: no record starts in this window, whatever was guessed, or the archive has failed.
    Drop,
    /// The archive fails here.
    Fail,
    /// Read the window again, from its true start.
    Reread(Window),
}

impl From<&Start> for ArchiveQueue {
    fn from(start: &Start) -> Self {
        Self {
            next: start.position.batches,
            start: start.position.stored,
            ledger: start.ledger.clone(),
            ..Self::default()
        }
    }
}

impl ArchiveQueue {
    /// How far the archive is. Its reading can continue from there only between two batches.
    pub(super) fn position(&self) -> Position {
        Position {
            batches: self.next,
            stored: self.start,
        }
    }

    /// Decides what to do with the next chunk. A window counts only if the one before ended exactly where it starts.
    pub(super) fn action(&self, origin: &Origin, read_failed: bool) -> Action {
        if self.failure.is_some() {
            return Action::Drop;
        }
        let Origin::Window { window, read, extent } = origin else {
            return if read_failed { Action::Fail } else { Action::Write };
        };
        if self.start >= window.range().end {
            return Action::Drop;
        }
        match read {
            Some((start, _)) if *start == self.start && read_failed => Action::Fail,
            Some((start, _)) if *start == self.start && *extent != Extent::Deferred => Action::Write,
            _ => Action::Reread(window.clone()),
        }
    }

    /// Moves on after a chunk. Returns `false` if more parts of its window follow.
    pub(super) fn advance(&mut self, origin: &Origin) -> bool {
        match origin {
            Origin::Window {
                extent: Extent::Part, ..
            } => return false,
            Origin::Window {
                read: Some((start, end)),
                ..
            } if *start == self.start => {
                debug_assert!(end >= start);
                self.start = *end;
            }
            Origin::Window { .. } => {}
            Origin::Records { stored } if self.failure.is_none() => self.start += stored,
            Origin::Records { .. } => {}
        }
        self.next += 1;
        true
    }
}
