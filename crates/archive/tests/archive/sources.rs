//! Sources of bytes that fail or lie: good records, then the reason; never a wrong record.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use dehusk_archive::{Archive, ArchiveErrorKind, ByteSource, FileSource, MappedFile};

use crate::archives::make::{self, Entry, Form, archive};
use crate::archives::read::{All, FIRM, ShortReads};

/// A source with a fault.
#[derive(Debug)]
struct Faulty {
    bytes: ShortReads,
    fault: Fault,
    reads: AtomicU64,
}

#[derive(Clone, Copy, Debug)]
enum Fault {
    /// Every read that begins at this offset or later fails.
    FailsFrom(u64),
    /// The read with this number fails; all others succeed.
    FailsOnce(u64),
    /// As that, but the source asks again by itself.
    RetriesOnce(u64),
    /// It states more bytes than it has.
    StatesMore(u64),
    /// It states only this many bytes.
    States(u64),
    /// It claims to have read more than it was asked for.
    ReturnsTooMany,
}

impl ByteSource for Faulty {
    fn size(&self) -> u64 {
        match self.fault {
            Fault::StatesMore(more) => self.bytes.size() + more,
            Fault::States(size) => size,
            _ => self.bytes.size(),
        }
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let number = self.reads.fetch_add(1, Ordering::Relaxed);
        let dead = || Err(io::Error::other("the line is dead"));
        match self.fault {
            Fault::FailsFrom(from) if offset >= from => dead(),
            // No read reaches beyond the place from which all fail.
            Fault::FailsFrom(from) => {
                let most = buffer.len().min((from - offset) as usize);
                self.bytes.read_at(offset, &mut buffer[..most])
            }
            Fault::FailsOnce(n) if n == number => dead(),
            Fault::RetriesOnce(n) if n == number => self.bytes.read_at(offset, buffer),
            Fault::ReturnsTooMany => Ok(buffer.len() + 1),
            _ if offset >= self.bytes.size() => Ok(0),
            _ => self.bytes.read_at(offset, buffer),
        }
    }
}

/// Reads an archive through a faulty source: its records, and why it ended early.
fn read(bytes: &[u8], fault: Fault) -> (All, Option<String>) {
    let source = Faulty {
        bytes: ShortReads(bytes.to_vec()),
        fault,
        reads: AtomicU64::new(0),
    };
    match Archive::from_source("faulty", Arc::new(source), FIRM) {
        Ok(archive) => {
            let mut all = All::default();
            let error = all.take_until_error(&mut archive.records());
            (all, error.map(|e| e.to_string()))
        }
        Err(error) => (All::default(), Some(error.to_string())),
    }
}

/// Every record that has not failed is one of the archive's, in order and whole.
fn assert_no_wrong_record(all: &All, entries: &[Entry], what: &str) {
    for (got, entry) in all.records.iter().zip(entries) {
        if got.failure.is_none() {
            assert_eq!((&got.header, &got.block), (&entry.head, &entry.block), "{what}");
        }
    }
    assert!(all.records.len() <= entries.len(), "{what}");
}

const FORMS: [Form; 4] = [Form::Plain, Form::Gzip, Form::GzipSeveral, Form::Zstd];

#[test]
fn a_source_that_fails_for_ever_ends_the_archive_with_its_reason() {
    let entries = make::warcs(12, 60_000, 5);
    for form in FORMS {
        let bytes = archive(form, &entries).bytes;
        for part in 0..=20 {
            let from = bytes.len() as u64 * part / 20;
            let (all, error) = read(&bytes, Fault::FailsFrom(from));
            let what = format!("{form:?} from {from}");
            assert_no_wrong_record(&all, &entries, &what);
            // A read at the very end asks for nothing.
            assert_eq!(error.is_some(), from < bytes.len() as u64, "{what}");
            assert!(error.is_none_or(|e| e.contains("the line is dead")), "{what}");
        }
    }
}

#[test]
fn an_error_is_not_repeated_unless_the_source_repeats_it() {
    let entries = make::warcs(12, 60_000, 5);
    for form in FORMS {
        let bytes = archive(form, &entries).bytes;
        let (whole, _) = read(&bytes, Fault::States(bytes.len() as u64));
        // The first reads are those of recognising the archive, whose bytes are read again afterwards.
        for number in 0..12 {
            let (all, error) = read(&bytes, Fault::RetriesOnce(number));
            assert_eq!((&all, error), (&whole, None), "{form:?} {number}");
            let (all, error) = read(&bytes, Fault::FailsOnce(number));
            assert_no_wrong_record(&all, &entries, &format!("{form:?} {number}"));
            assert!(all == whole || error.is_some(), "{form:?} {number}");
        }
    }
}

#[test]
fn a_source_that_ends_before_its_size_is_an_error_that_names_both() {
    let entries = make::warcs(4, 3000, 5);
    for form in FORMS {
        let bytes = archive(form, &entries).bytes;
        let (all, error) = read(&bytes, Fault::StatesMore(9));
        assert_no_wrong_record(&all, &entries, &format!("{form:?}"));
        let size = bytes.len() + 9;
        let expected = format!("it ends at byte {}, but its size is {size} bytes", bytes.len());
        assert_eq!(error, Some(expected), "{form:?}");
    }
}

#[test]
fn a_source_that_states_too_few_bytes_gives_no_half_record() {
    let entries = make::warcs(4, 3000, 5);
    for form in FORMS {
        let bytes = archive(form, &entries).bytes;
        for part in 1..20 {
            let size = bytes.len() as u64 * part / 20;
            let (all, error) = read(&bytes, Fault::States(size));
            assert_no_wrong_record(&all, &entries, &format!("{form:?} {size}"));
            assert!(error.is_some() || all.bytes.sum() == size, "{form:?} {size}");
        }
    }
}

#[test]
fn a_source_that_returns_more_than_it_was_asked_for_is_an_error() {
    let bytes = archive(Form::Gzip, &make::warcs(4, 3000, 5)).bytes;
    let (_, error) = read(&bytes, Fault::ReturnsTooMany);
    assert!(error.is_some_and(|e| e.contains("were asked for")));
}

#[test]
fn a_file_gives_the_same_when_it_is_read_and_when_it_is_mapped() -> io::Result<()> {
    use std::io::Write;
    let entries = make::warcs(12, 60_000, 5);
    for form in FORMS {
        let bytes = archive(form, &entries).bytes;
        let mut file = tempfile::NamedTempFile::new()?;
        file.write_all(&bytes)?;
        // SAFETY: no other process knows the file.
        #[allow(unsafe_code)]
        let mapped = unsafe { MappedFile::open(file.path())? };
        let sources: [Arc<dyn ByteSource>; 2] = [Arc::new(FileSource::open(file.path())?), Arc::new(mapped)];
        for source in sources {
            assert_eq!(source.size(), bytes.len() as u64);
            let archive = Archive::from_source("file", source, FIRM).map_err(io::Error::other)?;
            let mut all = All::default();
            assert!(all.take_until_error(&mut archive.records()).is_none());
            assert_eq!(all, read(&bytes, Fault::States(bytes.len() as u64)).0, "{form:?}");
            assert!(archive.check().is_ok());
        }
    }
    Ok(())
}

#[test]
fn a_stream_has_its_records_once() {
    let bytes = archive(Form::Gzip, &make::warcs(3, 300, 5)).bytes;
    let archive = Archive::from_reader("stream", io::Cursor::new(bytes), FIRM).unwrap();
    assert!(archive.records().next_record().is_some());
    assert!(archive.records().next_record().is_none());
}

/// A source whose bytes in memory are not as many as it states.
#[derive(Debug)]
struct Misstated(Vec<u8>);

impl ByteSource for Misstated {
    fn size(&self) -> u64 {
        self.0.len() as u64 + 1
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read_at(offset, buffer)
    }

    fn bytes(&self) -> Option<&[u8]> {
        Some(&self.0)
    }
}

#[test]
fn a_source_that_states_another_size_than_its_bytes_in_memory_is_refused() {
    let error = Archive::from_source("misstated", Arc::new(Misstated(vec![b'W'; 9])), FIRM).expect_err("refused");
    assert_eq!(error.kind(), ArchiveErrorKind::Read);
    assert!(error.message().contains("states 10 bytes but has 9"), "{error}");
}
