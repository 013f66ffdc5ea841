//! The archives that a run, an evaluation or an iterator over documents reads.
//!
//! An [`ArchiveInput`] has a `location`, which knows its kind: a file, standard input, a directory of pages, and so on.
//! `open` is the one way from an input to an opened archive. `arguments` (with `expansion`, `globs` and `prefixes`) is the one place
//! where `-`, `@` and globs mean something.

mod arguments;
mod error;
mod expansion;
mod globs;
mod location;
mod names;
mod offsets;
mod open;
mod pages;
mod place;
mod prefixes;
mod state;

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io::{self, Read};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

pub use arguments::{Inputs, from_arguments, path_of};
pub use error::InputError;
pub use expansion::directory_of_pages;
pub(crate) use location::{CurrentState, StoredBytes};
pub use names::name_shards;
pub use offsets::{RecordList, from_offsets};
pub use open::Opening;
pub use pages::{PageFile, Walk};
pub use place::{OpenedAt, open_at};
pub use state::Digest;
pub use state::InputState;

use crate::config::Config;
use crate::provenance::ArchiveName;
use dehusk_archive::escape;
use dehusk_archive::redact::redacted;
use dehusk_archive::{ArchiveError, ByteSource};
use dehusk_remote::{RemoteUrl, Settings};
use location::{CallerSource, CallerStream, LocalFile, Location, PageDirectory, RemoteObject, Stdin};

/// One archive to read.
///
/// A path becomes an input with `into()`:
///
/// ```
/// use dehusk::ArchiveInput;
///
/// let input: ArchiveInput = "crawl/2026.warc.gz".into();
/// assert_eq!(input.label(), "crawl/2026.warc.gz");
/// ```
#[derive(Clone)]
pub struct ArchiveInput {
    location: Arc<dyn Location>,
    /// The name in messages and reports.
    label: PathBuf,
    /// The file name that documents carry.
    name: String,
    /// The name of the shard. [`name_shards`] makes it unique in a run.
    shard: String,
    /// If not all records are to be read: those that start in these ranges, in their order.
    ranges: Option<Arc<[Range<u64>]>>,
    /// If not all records of these members or frames are to be read: the offsets in them, by their own.
    inside: Arc<BTreeMap<u64, BTreeSet<u64>>>,
    /// The languages of records from a list of offsets.
    languages: Arc<RecordLanguages>,
    /// The line of a list that names it, such as “line 3 of list.txt”, if nothing is there.
    line: Option<Arc<str>>,
}

impl ArchiveInput {
    /// The archive in a file. A regular file is read with `pread`, a pipe or a device as a stream. With the feature
    /// `remote`, names that begin with `https://`, `http://`, `s3://`, `gs://` or `az://` are those of files on a
    /// server. Messages and reports call these, and all other addresses, without user, password and query.
    pub fn file(path: impl Into<PathBuf>) -> Self {
        let path = path.into();
        if let Some(url) = RemoteUrl::from_path(&path) {
            return Self::remote(url);
        }
        Self::new(LocalFile::new(path.clone()), path)
    }

    /// The archive of a name that was read already.
    fn remote(url: RemoteUrl) -> Self {
        let label = url.label();
        Self::new(RemoteObject::new(url), label)
    }

    /// The archive of a name in the account of a run, which does not state who has named it: an argument, or a server
    /// by a list. So it must not lead into the network of this machine.
    #[doc(hidden)]
    pub fn recorded(path: impl Into<PathBuf>) -> Self {
        let path = path.into();
        if let Some(url) = RemoteUrl::from_path(&path) {
            return Self::remote(url.distrusted());
        }
        Self::file(path)
    }

    /// The pages in a directory and below it, as one archive: files whose names end in `.html`, `.htm` or `.xhtml`,
    /// plain or with `.gz` or `.zst`.
    pub fn pages(directory: impl Into<PathBuf>) -> Self {
        let path = directory.into();
        Self::new(PageDirectory(path.clone()), path)
    }

    /// The archive that comes through standard input. Messages call it `-`.
    pub fn stdin() -> Self {
        let mut input = Self::new(Stdin, "-".into());
        "stdin".clone_into(&mut input.name);
        "stdin".clone_into(&mut input.shard);
        input
    }

    /// The archive in a [`ByteSource`]. Messages call it `label`; documents carry the last part of that, as if it
    /// were a path.
    pub fn source(label: impl Into<PathBuf>, source: Arc<dyn ByteSource>) -> Self {
        Self::new(CallerSource(source), label.into())
    }

    /// The archive in a stream that `open` opens, from its first byte on. The label is as in [`ArchiveInput::source`].
    pub fn stream<R: Read + Send + 'static>(
        label: impl Into<PathBuf>,
        open: impl Fn() -> io::Result<R> + Send + Sync + 'static,
    ) -> Self {
        let open = move || open().map(|stream| Box::new(stream) as Box<dyn Read + Send>);
        Self::new(CallerStream(Arc::new(open)), label.into())
    }

    /// The same input. If it is a regular file, it is mapped into memory instead of being read with `pread`, which
    /// saves copying its bytes. Other inputs stay as they are.
    ///
    /// # Safety
    /// Another process may change or shorten the file while it is read. The caller accepts that records may then come
    /// out wrong, though always as valid text, and that a shortened file raises SIGBUS, which ends the process unless
    /// `dehusk_archive::sigbus::install` was called before. A change that is noticed fails the archive.
    #[allow(unsafe_code)]
    pub unsafe fn mapped(mut self) -> Self {
        if let Some(mapped) = self.location.with_mapping(true) {
            self.location = mapped;
        }
        self
    }

    /// The same input, to look at the record in a range of stored bytes. A regular file is read with `pread`: what is
    /// read here and there of a mapped one would stay in memory.
    pub(crate) fn for_record(&self, stored: Range<u64>) -> RecordInput {
        let mut input = self.clone();
        if self.is_read_by_requests() {
            return RecordInput {
                input: input.only(vec![stored]),
                has_other_records: false,
            };
        }
        if let Some(unmapped) = self.location.with_mapping(false) {
            input.location = unmapped;
        }
        RecordInput {
            input,
            has_other_records: true,
        }
    }

    fn new(location: impl Location + 'static, label: PathBuf) -> Self {
        let label = redacted(&label).into_owned();
        let (name, stem) = match label.file_name() {
            // An escape would be a strange name for a shard.
            Some(name) => (escape::name(name).into_owned(), name.to_string_lossy().into_owned()),
            None => ("archive".to_owned(), "archive".to_owned()),
        };
        Self {
            location: Arc::new(location),
            label,
            name,
            shard: names::stem(&stem).to_owned(),
            ranges: None,
            inside: Arc::default(),
            languages: Arc::default(),
            line: None,
        }
    }

    /// The same input, of which only the records are read that start in these ranges of stored bytes. Each range must
    /// begin where a record does (in a compressed archive, its member or frame); otherwise it counts as skipped, as
    /// `no_record`. All other bytes count as not selected. The archive must be a file or another source of ranges.
    pub fn only(mut self, mut ranges: Vec<Range<u64>>) -> Self {
        // Of those with one start, the longest counts.
        ranges.sort_by_key(|range| (range.start, u64::MAX - range.end));
        ranges.dedup_by_key(|range| range.start);
        self.ranges = Some(ranges.into());
        self
    }

    /// The same input, of which only these records are read.
    fn only_records(self, records: SelectedRecords) -> Self {
        let mut inside = records.inside;
        let whole = merged(records.whole);
        inside.retain(|offset, _| {
            let before = whole[..whole.partition_point(|range| range.start <= *offset)].last();
            before.is_none_or(|range| !range.contains(offset))
        });
        Self {
            inside: Arc::new(inside),
            languages: Arc::new(records.languages),
            ..self.only(records.ranges)
        }
    }

    /// Whether the run reads this record. The run already reads its member or frame.
    pub(crate) fn selects(&self, offset: u64, offset_in_member: u64) -> bool {
        let inside = self.inside.get(&offset);
        inside.is_none_or(|inside| inside.contains(&offset_in_member))
    }

    /// The language of a record from a list of offsets; `""` if there is none.
    pub(crate) fn language(&self, offset: u64, offset_in_member: u64) -> &str {
        let label = |inside| self.languages.get(&(offset, inside));
        let found = label(Some(offset_in_member)).or_else(|| label(None));
        found.map_or("", |label| label)
    }

    /// If not all records are to be read: the ranges in which they start.
    pub(crate) fn ranges(&self) -> Option<&[Range<u64>]> {
        self.ranges.as_deref()
    }

    /// The name of the archive in messages and reports: its path, `-` for standard input, or the label that it was
    /// given; in any case without credentials.
    pub fn label(&self) -> &Path {
        &self.label
    }

    /// Returns the label as messages write it, with control characters escaped.
    pub fn display_name(&self) -> String {
        escape::path(&self.label)
    }

    /// The names that documents carry.
    pub(crate) fn archive_name(&self) -> ArchiveName<'_> {
        ArchiveName {
            file: &self.name,
            shard: &self.shard,
        }
    }

    /// The name of its shard, without endings.
    #[doc(hidden)]
    pub fn shard(&self) -> &str {
        &self.shard
    }

    /// Gives its shard this name instead of its own.
    pub(crate) fn set_shard(&mut self, name: String) {
        self.shard = name;
    }

    /// The path of the file that its bytes come from, if the system has one.
    #[doc(hidden)]
    pub fn path(&self) -> Option<&Path> {
        self.location.path()
    }

    /// Its stored size in bytes, as far as it is known before the archive is opened; 0 otherwise.
    pub(crate) fn size_hint(&self) -> u64 {
        self.location.size_hint()
    }

    /// The error of opening it, if it is a path that leads nowhere, or to a directory without archives.
    pub(crate) fn missing(&self) -> Option<ArchiveError> {
        self.location.missing().map(|e| self.with_line(e))
    }

    /// Whether reading it may wait for longer than a disk does.
    pub(crate) fn may_wait(&self) -> bool {
        self.location.may_wait()
    }

    /// Whether workers that read ranges of it may wait. Of a stream, only its reader does.
    pub(crate) fn ranges_may_wait(&self) -> bool {
        self.location.ranges_may_wait()
    }

    /// Whether opening it and every read is a request to a server, so that only what is needed should be asked for.
    fn is_read_by_requests(&self) -> bool {
        self.location.is_read_by_requests()
    }

    /// Whether its bytes can be read more than once.
    pub(crate) fn is_repeatable(&self) -> bool {
        self.location.is_repeatable()
    }

    /// Whether its bytes are there, as far as is known without a request.
    pub(crate) fn is_present(&self) -> bool {
        self.location.is_present()
    }

    /// Whether it is a collection of files, each of which may be unreadable although the archive is read.
    pub(crate) fn may_lack_files(&self) -> bool {
        self.location.may_lack_files()
    }

    /// Whether an unfinished run can continue in the middle of it. `is_known` is whether its state is known.
    pub(crate) fn is_resumable(&self, is_known: bool) -> bool {
        self.location.is_resumable(is_known)
    }

    /// Its state, as far as it is known; `None` if it is no regular file or cannot be found. Of a directory of pages:
    /// the sum of their sizes, and when the last of them was modified.
    pub(crate) fn state(&self) -> Option<InputState> {
        self.location.state().map(|state| self.with_selection(state))
    }

    /// Takes the state of an archive on a server, which is known only after it was opened. Other states stay as they
    /// are. Returns whether the archive can be compared later: not if its server reports no state.
    pub(crate) fn update_state(&self, state: &mut Option<InputState>) -> bool {
        if !self.location.has_state_by_request() {
            return true;
        }
        *state = self.state();
        state.is_some()
    }

    /// Its state now; `None` if a server would have to be asked.
    pub(crate) fn local_state(&self) -> Option<io::Result<CurrentState>> {
        let is_local = !self.location.has_state_by_request();
        is_local.then(|| self.current_state(&Config::default(), None))
    }

    /// Its state now. A server is asked once, which may wait.
    ///
    /// # Errors
    /// A server does not answer.
    pub(crate) fn current_state(&self, config: &Config, stop: Option<&Arc<AtomicBool>>) -> io::Result<CurrentState> {
        let settings = Settings::new(&config.remote, stop.cloned());
        Ok(match self.location.current_state(&settings)? {
            CurrentState::Known(state) => CurrentState::Known(state.map(|state| self.with_selection(state))),
            incomparable @ CurrentState::Incomparable(_) => incomparable,
        })
    }

    /// A state that also lists which records are to be read.
    fn with_selection(&self, state: InputState) -> InputState {
        InputState {
            selected: self.ranges().map_or_else(String::new, |ranges| {
                state::hash_of(ranges, &self.inside, &self.languages)
            }),
            ..state
        }
    }
}

/// The languages of records, by the offsets of their members or frames and by theirs in these; without the latter, that
/// of all records there.
type RecordLanguages = BTreeMap<(u64, Option<u64>), Arc<str>>;

/// The records of an archive that a list names.
#[derive(Default)]
struct SelectedRecords {
    ranges: Vec<Range<u64>>,
    /// Those of which all records are wanted.
    whole: Vec<Range<u64>>,
    /// Offsets in others, by theirs.
    inside: BTreeMap<u64, BTreeSet<u64>>,
    languages: RecordLanguages,
}

impl SelectedRecords {
    /// Adds the records of a range, or the one at an offset in its member or frame.
    fn add(&mut self, range: Range<u64>, inside: Option<u64>) {
        match inside {
            Some(inside) => {
                self.inside.entry(range.start).or_default().insert(inside);
            }
            None => {
                self.whole.push(range.clone());
            }
        }
        self.ranges.push(range);
    }

    fn extend(&mut self, other: Self) {
        self.ranges.extend(other.ranges);
        self.whole.extend(other.whole);
        for (place, language) in other.languages {
            self.languages.entry(place).or_insert(language);
        }
        for (offset, inside) in other.inside {
            self.inside.entry(offset).or_default().extend(inside);
        }
    }
}

/// Ranges in their order, those that overlap as one.
fn merged(mut ranges: Vec<Range<u64>>) -> Vec<Range<u64>> {
    ranges.sort_unstable_by_key(|range| range.start);
    let mut merged: Vec<Range<u64>> = Vec::with_capacity(ranges.len());
    for range in ranges {
        match merged.last_mut() {
            Some(last) if range.start < last.end => last.end = last.end.max(range.end),
            _ => merged.push(range),
        }
    }
    merged
}

/// An input to look at one record.
pub(crate) struct RecordInput {
    pub(crate) input: ArchiveInput,
    /// Whether other records can be looked at through the same input.
    pub(crate) has_other_records: bool,
}

/// It shows no address, which may hold credentials.
impl fmt::Debug for ArchiveInput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ArchiveInput")
            .field("label", &self.label)
            .field("shard", &self.shard)
            .field("ranges", &self.ranges)
            .finish_non_exhaustive()
    }
}

impl From<&ArchiveInput> for ArchiveInput {
    fn from(input: &ArchiveInput) -> Self {
        input.clone()
    }
}

impl From<PathBuf> for ArchiveInput {
    fn from(path: PathBuf) -> Self {
        Self::file(path)
    }
}

impl From<&Path> for ArchiveInput {
    fn from(path: &Path) -> Self {
        Self::file(path)
    }
}

impl From<OsString> for ArchiveInput {
    fn from(path: OsString) -> Self {
        Self::file(path)
    }
}

impl From<&OsStr> for ArchiveInput {
    fn from(path: &OsStr) -> Self {
        Self::file(path)
    }
}

impl From<String> for ArchiveInput {
    fn from(path: String) -> Self {
        Self::file(path)
    }
}

impl From<&str> for ArchiveInput {
    fn from(path: &str) -> Self {
        Self::file(path)
    }
}
