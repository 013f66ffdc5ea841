//! The parts of a remote file that are held: in memory, on their way, or lost.

use std::collections::BTreeMap;
use std::io;
use std::ops::Range;
use std::sync::Arc;

/// The parts of the file that are in memory or on their way, by their offsets.
#[derive(Default)]
pub(super) struct Parts {
    pub(super) parts: BTreeMap<u64, HeldPart>,
    /// The memory of the part that was dropped last, for the next one: fresh memory costs the system more than copying
    /// does.
    pub(super) spare: Vec<u8>,
    /// Counts reads, so that it is known which part was read last.
    pub(super) reads: u64,
    /// The first part that is unavailable, and why. Nothing is asked for from there on: the parts after it would fail
    /// as it did, each after as many attempts, up to whatever size the server claims.
    lost: Option<(u64, Failed)>,
}

/// Why a part is unavailable.
#[derive(Clone)]
pub(super) struct Failed(pub(super) io::ErrorKind, pub(super) String);

impl Failed {
    pub(super) fn error(&self) -> io::Error {
        io::Error::new(self.0, self.1.clone())
    }
}

pub(super) struct HeldPart {
    pub(super) end: u64,
    pub(super) content: Content,
    /// How many threads wait for it. Until they have read it, it is not dropped.
    pub(super) waiting: usize,
    /// The last read of it; 0 before the first.
    pub(super) last_read: u64,
}

pub(super) enum Content {
    OnItsWay,
    Here(Arc<Vec<u8>>),
    Failed(Failed),
}

impl Parts {
    /// The start of the part that an offset lies in.
    pub(super) fn at(&self, offset: u64) -> Option<u64> {
        let (start, part) = self.parts.range(..=offset).next_back()?;
        (offset < part.end).then_some(*start)
    }

    /// Makes room for one more part. Returns whether there is some. Parts that were never read go last, and not at all
    /// if `unread` are to stay.
    pub(super) fn make_room(&mut self, held: usize, unread_stay: bool) -> bool {
        if self.parts.len() < held {
            return true;
        }
        let idle = self.parts.iter().filter(|(_, part)| part.is_idle());
        let idle = idle.filter(|(_, part)| !unread_stay || part.last_read > 0);
        // Unread parts have the number 0, and the farthest of them is needed last.
        let oldest = idle.min_by_key(|(start, part)| match part.last_read {
            0 => (u64::MAX, u64::MAX - **start),
            read => (read, **start),
        });
        match oldest.map(|(start, _)| *start) {
            Some(start) => {
                if let Some(Content::Here(bytes)) = self.parts.remove(&start).map(|part| part.content) {
                    self.spare = Arc::try_unwrap(bytes).unwrap_or_default();
                }
                true
            }
            None => false,
        }
    }

    /// Why nothing is asked for at an offset.
    pub(super) fn lost_at(&self, offset: u64) -> Option<&Failed> {
        let (start, failed) = self.lost.as_ref()?;
        (offset >= *start).then_some(failed)
    }

    /// Remembers why a part is unavailable.
    pub(super) fn lose(&mut self, start: u64, failed: &Failed) {
        if self.lost.as_ref().is_none_or(|(lost, _)| start < *lost) {
            self.lost = Some((start, failed.clone()));
        }
    }

    pub(super) fn insert(&mut self, range: &Range<u64>, waiting: usize) {
        let part = HeldPart {
            end: range.end,
            content: Content::OnItsWay,
            waiting,
            last_read: 0,
        };
        self.parts.insert(range.start, part);
    }
}

impl HeldPart {
    /// Whether it can be dropped.
    pub(super) fn is_idle(&self) -> bool {
        self.waiting == 0
            && match &self.content {
                Content::OnItsWay => false,
                // While somebody reads it, dropping it would free nothing.
                Content::Here(bytes) => Arc::strong_count(bytes) == 1,
                Content::Failed(..) => true,
            }
    }
}
