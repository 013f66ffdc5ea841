//! A remote file as a source of ranges: parts of it in memory, of which the next are asked for before they are needed.

use std::io;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread;

use dehusk_archive::{self as archive, ByteSource};

use super::object::{self, FileVersion};
use super::parts::{Content, Failed, HeldPart, Parts};
use super::target::Target;
use super::{POLL, Settings, lock, wait_for};

/// A remote file that is read in parts.
pub(super) struct RemoteSource {
    shared: Arc<Shared>,
    /// Ends the requests when the reader is gone.
    dropped: Arc<AtomicBool>,
}

struct Shared {
    target: Target,
    state: FileVersion,
    settings: Settings,
    plan: Plan,
    /// How many parts are held at most.
    held: usize,
    parts: Mutex<Parts>,
    /// A part came, or can be dropped.
    news: Condvar,
}

/// Which parts are asked for.
pub(super) enum Plan {
    /// The whole file, in parts of equal size.
    Whole,
    /// These ranges, sorted and disjoint, and what else turns out to be needed.
    Ranges(Vec<Range<u64>>),
}

impl RemoteSource {
    /// A source for a file in this state. `first` is what was read of it already, and where that begins. `windows` is
    /// how many windows of it may be read at a time.
    pub(super) fn new(
        target: Target,
        state: FileVersion,
        plan: Plan,
        (start, first): (u64, Vec<u8>),
        windows: usize,
        settings: &Settings,
    ) -> Self {
        let dropped = Arc::new(AtomicBool::new(false));
        let settings = settings.with_stop(&dropped);
        let part_bytes = settings.config.part_bytes;
        let windows = (windows as u64 * dehusk_archive::window::WINDOW).div_ceil(part_bytes);
        let held = settings.config.read_ahead + windows + SPARE;
        let mut parts = Parts::default();
        if !first.is_empty() {
            let part = HeldPart {
                end: start + first.len() as u64,
                content: Content::Here(Arc::new(first)),
                waiting: 0,
                last_read: 0,
            };
            parts.parts.insert(start, part);
        }
        Self {
            shared: Arc::new(Shared {
                target,
                state,
                settings,
                plan,
                held: usize::try_from(held).unwrap_or(usize::MAX),
                parts: Mutex::new(parts),
                news: Condvar::new(),
            }),
            dropped,
        }
    }
}

/// Parts that are held besides those that are read or asked for ahead.
const SPARE: u64 = 2;

impl ByteSource for RemoteSource {
    fn size(&self) -> u64 {
        self.shared.state.size
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let part = if buffer.is_empty() { None } else { self.part(offset)? };
        let bytes = part.as_ref().map_or(&[][..], |part| part.at(offset));
        let n = bytes.len().min(buffer.len());
        buffer[..n].copy_from_slice(&bytes[..n]);
        Ok(n)
    }

    fn part(&self, offset: u64) -> io::Result<Option<archive::Part>> {
        if offset < self.size() {
            self.shared.part(offset).map(Some)
        } else {
            Ok(None)
        }
    }

    fn part_at_hand(&self, offset: u64) -> Option<archive::Part> {
        self.shared.part_at_hand(offset)
    }

    fn is_ready(&self, offset: u64) -> bool {
        match self.shared.plan {
            Plan::Whole => true,
            Plan::Ranges(_) => self.shared.lock().at(offset).is_some(),
        }
    }

    fn may_wait(&self) -> bool {
        true
    }
}

impl Drop for RemoteSource {
    fn drop(&mut self) {
        self.dropped.store(true, Ordering::Relaxed);
    }
}

/// It shows no address, which may hold credentials.
impl std::fmt::Debug for RemoteSource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RemoteSource")
            .field("state", &self.shared.state)
            .finish_non_exhaustive()
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Parts> {
        lock(&self.parts)
    }

    /// The part that an offset lies in, if it is here.
    fn part_at_hand(self: &Arc<Self>, offset: u64) -> Option<archive::Part> {
        let mut parts = self.lock();
        let start = parts.at(offset)?;
        parts.reads += 1;
        let reads = parts.reads;
        let part = parts.parts.get_mut(&start)?;
        let Content::Here(bytes) = &part.content else {
            return None;
        };
        let here = archive::Part::new(start, Arc::clone(bytes));
        part.last_read = reads;
        self.ask_ahead(&mut parts, offset);
        Some(here)
    }

    /// The part that an offset lies in.
    fn part(self: &Arc<Self>, offset: u64) -> io::Result<archive::Part> {
        let mut parts = self.lock();
        let start = loop {
            if let Some(start) = parts.at(offset) {
                if let Some(part) = parts.parts.get_mut(&start) {
                    part.waiting += 1;
                }
                self.ask_ahead(&mut parts, offset);
                break start;
            }
            if let Some(failed) = parts.lost_at(offset) {
                return Err(failed.error());
            }
            if !parts.make_room(self.held, false) {
                // Those that are waited for will be read.
                parts = wait_for(&self.news, parts, POLL);
                self.settings.check()?;
                continue;
            }
            let range = self.part_of(offset, &parts);
            parts.insert(&range, 1);
            let buffer = std::mem::take(&mut parts.spare);
            self.ask_ahead(&mut parts, offset);
            drop(parts);
            let start = range.start;
            self.fetch(range, buffer);
            parts = self.lock();
            break start;
        };
        let part = loop {
            match parts.parts.get(&start).map(|part| &part.content) {
                Some(Content::Here(bytes)) => break Ok(archive::Part::new(start, Arc::clone(bytes))),
                Some(Content::Failed(failed)) => break Err(failed.error()),
                // A part that is waited for is not dropped.
                None => break Err(io::ErrorKind::NotFound.into()),
                Some(Content::OnItsWay) => {
                    parts = wait_for(&self.news, parts, POLL);
                    if let Err(stopped) = self.settings.check() {
                        break Err(stopped);
                    }
                }
            }
        };
        parts.reads += 1;
        let reads = parts.reads;
        if let Some(part) = parts.parts.get_mut(&start) {
            part.waiting -= 1;
            part.last_read = reads;
        }
        drop(parts);
        self.news.notify_all();
        part
    }

    /// The part to ask for where an offset is in none.
    fn part_of(&self, offset: u64, parts: &Parts) -> Range<u64> {
        let part_bytes = self.settings.config.part_bytes;
        let (start, end) = match &self.plan {
            Plan::Whole => {
                let start = offset / part_bytes * part_bytes;
                (start, start.saturating_add(part_bytes))
            }
            Plan::Ranges(ranges) => {
                let next = ranges.partition_point(|range| range.end <= offset);
                match ranges.get(next).filter(|range| range.contains(&offset)) {
                    Some(range) => (offset, range.end.min(offset.saturating_add(part_bytes))),
                    None => (offset, offset.saturating_add(part_bytes)),
                }
            }
        };
        // The first part may have another size than planned.
        let before = parts.parts.range(..=offset).next_back();
        let start = before.map_or(start, |(_, part)| start.max(part.end));
        let next = parts.parts.range(offset..).next().map_or(u64::MAX, |(start, _)| *start);
        start..end.min(next).min(self.state.size)
    }

    /// Asks for the parts after an offset, as far as there is room.
    fn ask_ahead(self: &Arc<Self>, parts: &mut Parts, offset: u64) {
        let mut at = offset;
        for _ in 0..self.settings.config.read_ahead {
            let end = match parts.at(at) {
                Some(start) => parts.parts.get(&start).map_or(at, |part| part.end),
                None => self.part_of(at, parts).end,
            };
            let Some(next) = self.next_planned(end) else { return };
            at = next;
            if parts.at(at).is_some() {
                continue;
            }
            if parts.lost_at(at).is_some() || !parts.make_room(self.held, true) {
                return;
            }
            let range = self.part_of(at, parts);
            parts.insert(&range, 0);
            let start = range.start;
            let (shared, buffer) = (Arc::clone(self), std::mem::take(&mut parts.spare));
            let spawned = thread::Builder::new()
                .name("remote".into())
                .spawn(move || shared.fetch(range, buffer));
            if spawned.is_err() {
                // It is asked for when it is needed.
                parts.parts.remove(&start);
                return;
            }
        }
    }

    /// Where the plan continues after an offset.
    fn next_planned(&self, offset: u64) -> Option<u64> {
        let next = match &self.plan {
            Plan::Whole => offset,
            Plan::Ranges(ranges) => {
                let next = ranges.get(ranges.partition_point(|range| range.end <= offset))?;
                next.start.max(offset)
            }
        };
        (next < self.state.size).then_some(next)
    }

    /// Asks for a part, and waits for it.
    fn fetch(&self, range: Range<u64>, buffer: Vec<u8>) {
        let _gone = OnPanic(self, range.start);
        // An earlier part may have failed since the caller asked for this one.
        let lost = self.lock().lost_at(range.start).cloned();
        let content = match lost {
            Some(failed) => Content::Failed(failed),
            None => match object::range(&self.target, range.clone(), &self.state, buffer, &self.settings) {
                Ok(bytes) => Content::Here(Arc::new(bytes)),
                Err(e) => Content::Failed(Failed(e.kind(), e.to_string())),
            },
        };
        self.put(range.start, content);
    }

    fn put(&self, start: u64, content: Content) {
        let mut parts = self.lock();
        if let Content::Failed(failed) = &content {
            parts.lose(start, failed);
        }
        if let Some(part) = parts.parts.get_mut(&start) {
            part.content = content;
        }
        drop(parts);
        self.news.notify_all();
    }
}

/// A part whose thread panics must not be waited for.
struct OnPanic<'s>(&'s Shared, u64);

impl Drop for OnPanic<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.put(
                self.1,
                Content::Failed(Failed(io::ErrorKind::Other, "its source panicked".into())),
            );
        }
    }
}
