//! One archive: opened from a file, a source of bytes or a stream, and recognised by its bytes.

use std::fs::File;
use std::io::Read;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};

use crate::bytes::input::Input;
use crate::bytes::{ByteSource, FileSource, is_stream};
use crate::decoded::Decoded;
use crate::detect::{detect, detect_at};
use crate::error::{ArchiveError, ArchiveErrorKind};
use crate::format::{Container, Format, ReadOptions};
use crate::formats::Formats;
use crate::framing::Framing;
use crate::reader::Records;
use crate::unit::unpacker::Unpacker;
use crate::unit::zstd;
use crate::zip::ZipLayout;

/// One archive, open and recognised.
///
/// [`Archive::open`] is for files. [`Archive::from_source`] takes any [`ByteSource`], and [`Archive::from_reader`]
/// takes a stream, which can be read once.
pub struct Archive {
    name: PathBuf,
    stored: Stored,
    formats: Formats,
    /// If the bytes are a ZIP file: where the archives lie in it.
    zip: Option<ZipLayout>,
    options: ReadOptions,
    /// Set by another thread that wants no more records.
    cancelled: Option<Arc<AtomicBool>>,
}

/// The stored bytes of an archive.
enum Stored {
    Ranges(Arc<dyn ByteSource>),
    /// Taken by the first reader.
    Stream(Mutex<Option<Input<'static>>>),
}

impl Archive {
    /// Opens a local file and recognises what it is by its bytes. A regular file is read in ranges with `pread`; a
    /// pipe, a device, or a file that states no size, is read as a stream.
    ///
    /// # Errors
    /// The file cannot be opened or read, is a directory, or holds no record of a known archive format.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, ArchiveError> {
        Self::open_with(path, ReadOptions::default())
    }

    /// Opens an archive as [`Archive::open`] does, with other options.
    ///
    /// # Errors
    /// Those of [`Archive::open`]; and the archive exceeds a limit that holds for all of it.
    pub fn open_with(path: impl AsRef<Path>, options: ReadOptions) -> Result<Self, ArchiveError> {
        let path = path.as_ref();
        let cannot_open = |e| ArchiveError::open(path, e);
        let file = File::open(path).map_err(cannot_open)?;
        let metadata = file.metadata().map_err(cannot_open)?;
        if metadata.is_dir() {
            return Err(ArchiveError::directory(path));
        }
        if is_stream(&metadata) {
            return Self::from_reader(path, file, options);
        }
        let source = FileSource::new(file).map_err(cannot_open)?;
        Self::from_source(path, Arc::new(source), options)
    }

    /// Recognises what a source of bytes holds. `name` is what messages call the archive. In a ZIP file, such as a
    /// WACZ, the archives in it are one archive, each read in its own format, and everything else is padding.
    ///
    /// # Errors
    /// The source cannot be read, states another size than its bytes in memory have, or holds no record of a known
    /// archive format.
    pub fn from_source(
        name: impl AsRef<Path>,
        source: Arc<dyn ByteSource>,
        options: ReadOptions,
    ) -> Result<Self, ArchiveError> {
        let name = name.as_ref();
        let size = source.size();
        if let Some(length) = source.bytes().map(<[u8]>::len).filter(|length| *length as u64 != size) {
            let message = format!("cannot be read: the source states {size} bytes but has {length} in memory");
            return Err(ArchiveError::new(ArchiveErrorKind::Read, name, message));
        }
        let zip = ZipLayout::read(&*source).map_err(|refusal| refusal.for_archive(name))?;
        let formats = match &zip {
            Some(zip) => Formats::of_zip(name, &*source, zip, options)?,
            None => Formats::one(detect(name, &mut Input::ranges(&*source, 0), options)?),
        };
        let archive = Self::new(name, Stored::Ranges(source), formats, options);
        Ok(Self { zip, ..archive })
    }

    /// Recognises what a source holds of which only records from an offset on are to be read, where reading its start
    /// would be a request of its own: if a WARC record begins at the offset, plain or in a gzip member, that is enough.
    /// Other records may need the start of the source.
    ///
    /// # Errors
    /// Those of [`Archive::from_source`].
    pub fn from_source_at(
        name: impl AsRef<Path>,
        source: Arc<dyn ByteSource>,
        options: ReadOptions,
        offset: u64,
    ) -> Result<Self, ArchiveError> {
        let format = detect_at(&mut Input::ranges(&*source, offset));
        if format.is_none() {
            return Self::from_source(name, source, options);
        }
        let formats = Formats::one(format);
        Ok(Self::new(name.as_ref(), Stored::Ranges(source), formats, options))
    }

    /// Recognises what a stream holds by its first bytes. `name` is what messages call the archive.
    ///
    /// # Errors
    /// The stream cannot be read, or holds no record of a known archive format.
    pub fn from_reader(
        name: impl AsRef<Path>,
        reader: impl Read + Send + 'static,
        options: ReadOptions,
    ) -> Result<Self, ArchiveError> {
        let name = name.as_ref();
        let mut input = Input::stream(Box::new(reader));
        let formats = Formats::one(detect(name, &mut input, options)?);
        let stored = Stored::Stream(Mutex::new(Some(input)));
        Ok(Self::new(name, stored, formats, options))
    }

    fn new(name: &Path, stored: Stored, formats: Formats, options: ReadOptions) -> Self {
        Self {
            name: name.to_owned(),
            stored,
            formats,
            zip: None,
            options,
            cancelled: None,
        }
    }

    /// Lets a flag end a first pass over a large member or frame, and with it the records.
    #[doc(hidden)]
    pub fn cancelled_by(mut self, flag: Arc<AtomicBool>) -> Self {
        self.cancelled = Some(flag);
        self
    }

    /// The path or name that it was opened by.
    pub fn name(&self) -> &Path {
        &self.name
    }

    /// Its stored size, in bytes; `None` for a stream.
    pub fn size(&self) -> Option<u64> {
        self.source().map(ByteSource::size)
    }

    /// The format of the archive, or of its first records; `None` for an empty archive, or a compressed one of nothing.
    pub fn format(&self) -> Option<&Format> {
        self.formats.first()
    }

    /// The formats of its records: a ZIP file may hold archives of several formats.
    pub fn formats(&self) -> &Formats {
        &self.formats
    }

    /// Where its bytes are; `None` for a stream.
    pub fn source(&self) -> Option<&dyn ByteSource> {
        match &self.stored {
            Stored::Ranges(source) => Some(&**source),
            Stored::Stream(_) => None,
        }
    }

    /// Its records, from the first on. A stream has them once: later readers find nothing.
    pub fn records(&self) -> Records<'_> {
        match &self.stored {
            Stored::Ranges(_) => self.records_between(0..u64::MAX, Vec::new()),
            Stored::Stream(input) => {
                // A panic while the lock is held cannot leave the input half taken.
                let taken = input.lock().unwrap_or_else(PoisonError::into_inner).take();
                let input = taken.unwrap_or_else(|| Input::slice(&[], 0));
                self.reader(input, self.format(), u64::MAX, Vec::new())
            }
        }
    }

    /// The records that start (or whose members or frames start) at stored offsets within the range, which must begin
    /// at the start of a record, member or frame. Members are decoded into `buffer`, so that it can be used again. A
    /// stream has no ranges: the reader finds nothing.
    pub fn records_between(&self, range: Range<u64>, buffer: Vec<u8>) -> Records<'_> {
        let (section, format) = self.formats.section(range.start);
        let input = match (self.source(), format.map(|f| f.container)) {
            (None, _) => Input::slice(&[], 0),
            // Records are parsed where their bytes lie, so plain archives go through a buffer of our own.
            (Some(source), Some(Container::Plain)) => Input::ranges(source, range.start),
            (Some(source), _) => Input::compressed(source, range.start),
        };
        let input = match range.end.saturating_sub(range.start) {
            // A range of one byte means that only the start is known.
            0 | 1 => input,
            length => input.wanting(length),
        };
        let records = self.reader(input.until(section.end), format, range.end, buffer);
        if section.end < range.end {
            records.followed_by(self, section.end..range.end)
        } else {
            records
        }
    }

    fn reader<'a>(
        &'a self,
        mut input: Input<'a>,
        format: Option<&'a Format>,
        stop: u64,
        buffer: Vec<u8>,
    ) -> Records<'a> {
        let framing = format.map_or(Framing::Warc, |f| f.framing);
        let setting = format.map(|f| f.zstd.clone()).unwrap_or_default();
        let unpacker = match format.map(|f| f.container) {
            Some(Container::Plain) => None,
            Some(Container::Gzip) => Some(Unpacker::gzip(framing)),
            Some(Container::Zstd) => Some(Unpacker::zstd(framing, &setting)),
            // Nothing, or nothing compressed: empty members are padding still.
            None if zstd::is_zstd(input.peek(4)) => Some(Unpacker::zstd(framing, &setting)),
            None => Some(Unpacker::gzip(framing)),
        };
        let mut decoded = Decoded::new(input, unpacker, stop, buffer).within(self.zip.as_ref());
        if self.options.first_pass {
            decoded = decoded.passing_first(self.cancelled.as_deref());
        }
        Records::new(decoded, framing, self.options)
    }

    /// Whether what was read so far can be trusted.
    ///
    /// # Errors
    /// Another program has shortened or changed the stored bytes meanwhile.
    pub fn check(&self) -> Result<(), ArchiveError> {
        let checked = self.source().map_or(Ok(()), ByteSource::check);
        checked.map_err(|e| ArchiveError::read_on(&self.name, e))
    }

    /// Tells the source that these stored bytes will not be read again soon.
    pub fn release(&self, range: Range<u64>) {
        if let Some(source) = self.source() {
            source.release(range);
        }
    }
}

impl std::fmt::Debug for Archive {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Archive")
            .field("name", &self.name)
            .field("size", &self.size())
            .field("formats", &self.formats)
            .finish_non_exhaustive()
    }
}
