//! Facts about each document: a few in memory, the rest in temporary files.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use dehusk_similarity::PERMUTATIONS;

/// A document as the clusters need it.
pub(super) struct Entry {
    pub(super) id: String,
    /// When the page was crawled, as documents state it, or `""`.
    pub(super) created: String,
    pub(super) words: u32,
    /// Sorted, little-endian.
    pub(super) features: Vec<u8>,
    /// A hash of the features.
    pub(super) hash: u64,
    pub(super) minima: [u32; PERMUTATIONS],
}

/// Day and time of the crawl as a number, and words.
pub(super) type Rank = (u64, u32);

/// Documents whose minima are together in the file, so that those of one hash function can be read at once.
const CHUNK: usize = 1024;

/// Documents while they are added.
pub(super) struct StoreWriter {
    features: BufWriter<Scratch>,
    minima: BufWriter<Scratch>,
    ids: BufWriter<Scratch>,
    chunk: Vec<[u32; PERMUTATIONS]>,
    known: Known,
}

/// All documents.
pub(super) struct Store {
    features: Scratch,
    minima: Scratch,
    ids: Scratch,
    known: Known,
}

/// The facts in memory: 28 bytes a document.
#[derive(Default)]
struct Known {
    /// Where the features of each document end, in numbers.
    ends: Vec<u64>,
    words: Vec<u32>,
    /// Hashes of the features.
    hashes: Vec<u64>,
    /// Day and time of the crawl as a number, so that texts need not be kept; the largest if unknown.
    created: Vec<u64>,
}

impl StoreWriter {
    /// Begins in a directory. The files have no other name than a hidden one, and go when the store does.
    pub(super) fn create(directory: &Path) -> io::Result<Self> {
        let scratch = |name| Scratch::create(directory, name).map(|file| BufWriter::with_capacity(1 << 18, file));
        Ok(Self {
            features: scratch("features")?,
            minima: scratch("minima")?,
            ids: scratch("ids")?,
            chunk: Vec::with_capacity(CHUNK),
            known: Known::default(),
        })
    }

    /// The number of documents so far.
    pub(super) fn len(&self) -> usize {
        self.known.words.len()
    }

    pub(super) fn add(&mut self, entry: &Entry) -> io::Result<()> {
        self.features.write_all(&entry.features)?;
        self.ids.write_all(&(entry.id.len() as u32).to_le_bytes())?;
        self.ids.write_all(entry.id.as_bytes())?;
        self.chunk.push(entry.minima);
        if self.chunk.len() == CHUNK {
            self.write_chunk()?;
        }
        let before = self.known.ends.last().copied().unwrap_or(0);
        self.known.ends.push(before + entry.features.len() as u64 / 4);
        self.known.words.push(entry.words);
        self.known.hashes.push(entry.hash);
        self.known.created.push(order_of(&entry.created).unwrap_or(u64::MAX));
        Ok(())
    }

    /// Writes the minima of a chunk, function by function.
    fn write_chunk(&mut self) -> io::Result<()> {
        for function in 0..PERMUTATIONS {
            for minima in &self.chunk {
                self.minima.write_all(&minima[function].to_le_bytes())?;
            }
        }
        self.chunk.clear();
        Ok(())
    }

    pub(super) fn finish(mut self) -> io::Result<Store> {
        self.write_chunk()?;
        let inner = |writer: BufWriter<Scratch>| writer.into_inner().map_err(io::IntoInnerError::into_error);
        Ok(Store {
            features: inner(self.features)?,
            minima: inner(self.minima)?,
            ids: inner(self.ids)?,
            known: self.known,
        })
    }
}

impl Store {
    /// The number of documents.
    pub(super) fn len(&self) -> usize {
        self.known.words.len()
    }

    /// How many features a document has.
    pub(super) fn feature_count(&self, document: u32) -> usize {
        let range = self.range(document);
        (range.1 - range.0) as usize
    }

    fn range(&self, document: u32) -> (u64, u64) {
        let at = document as usize;
        let start = if at == 0 { 0 } else { self.known.ends[at - 1] };
        (start, self.known.ends[at])
    }

    /// Reads the features of a document.
    pub(super) fn features(&self, document: u32, features: &mut Vec<u32>) -> io::Result<()> {
        let (start, end) = self.range(document);
        self.features.numbers(start, (end - start) as usize, features)
    }

    /// Finds the documents that have the same features as an earlier one. `join` gets each with the first of its kind.
    /// Returns those that need no further comparison: all but the first and the last of a kind.
    ///
    /// In a bucket, only the first of a kind can become a head, and the last is compared with all heads that those between
    /// would be compared with. So a page that is there a million times costs little more than its reading.
    pub(super) fn copies<E>(&self, mut join: impl FnMut(u32, u32) -> Result<(), E>) -> Result<Left, E> {
        let mut left = Left::none(self.len());
        let kind = |document: u32| (self.known.hashes[document as usize], self.feature_count(document));
        let mut documents: Vec<u32> = (0..self.len() as u32).filter(|d| self.feature_count(*d) > 0).collect();
        documents.sort_unstable_by_key(|document| (kind(*document), *document));
        for copies in documents.chunk_by(|a, b| kind(*a) == kind(*b)) {
            let [first, others @ ..] = copies else {
                continue;
            };
            for copy in others {
                join(*first, *copy)?;
            }
            if let [between @ .., _] = others {
                between.iter().for_each(|document| left.add(*document));
            }
        }
        Ok(left)
    }

    /// The minima of some functions in a row, for all documents: `visit` gets a document and its minima.
    pub(super) fn minima<const N: usize>(&self, first: usize, mut visit: impl FnMut(u32, [u32; N])) -> io::Result<()> {
        let mut numbers = Vec::new();
        for chunk in 0..self.len().div_ceil(CHUNK) {
            let from = chunk * CHUNK;
            let count = CHUNK.min(self.len() - from);
            self.minima
                .numbers((from * PERMUTATIONS + first * count) as u64, N * count, &mut numbers)?;
            for at in 0..count {
                visit(
                    (from + at) as u32,
                    std::array::from_fn(|function| numbers[function * count + at]),
                );
            }
        }
        Ok(())
    }

    /// The rank by which the representative of a cluster is chosen.
    pub(super) fn rank(&self, document: u32) -> Rank {
        (
            self.known.created[document as usize],
            self.known.words[document as usize],
        )
    }

    /// Whether one document represents its cluster rather than another: it is earlier, or longer, or comes first.
    pub(super) fn is_better(&self, one: u32, other: u32) -> bool {
        let rank = |document: u32| {
            let at = document as usize;
            (
                self.known.created[at],
                std::cmp::Reverse(self.known.words[at]),
                document,
            )
        };
        rank(one) < rank(other)
    }

    /// Visits the ids of all documents in order.
    pub(super) fn ids<E: From<io::Error>>(&self, mut visit: impl FnMut(u32, &str) -> Result<(), E>) -> Result<(), E> {
        let mut file = &self.ids.file;
        file.seek(SeekFrom::Start(0))?;
        let mut reader = io::BufReader::with_capacity(1 << 18, file);
        let mut id = Vec::new();
        for document in 0..self.len() as u32 {
            let mut length = [0; 4];
            reader.read_exact(&mut length)?;
            id.resize(u32::from_le_bytes(length) as usize, 0);
            reader.read_exact(&mut id)?;
            let id = std::str::from_utf8(&id).map_err(io::Error::other)?;
            visit(document, id)?;
        }
        Ok(())
    }
}

/// Documents that are left out of comparisons: a bit for each.
pub(super) struct Left(Vec<u64>);

impl Left {
    /// None of so many documents.
    pub(super) fn none(documents: usize) -> Self {
        Self(vec![0; documents.div_ceil(64)])
    }

    fn add(&mut self, document: u32) {
        self.0[document as usize / 64] |= 1 << (document % 64);
    }

    pub(super) fn has(&self, document: u32) -> bool {
        self.0[document as usize / 64] >> (document % 64) & 1 == 1
    }
}

/// A file that is removed when it is no longer needed.
pub struct Scratch {
    file: File,
    path: PathBuf,
}

impl Scratch {
    /// Makes the file in a directory.
    ///
    /// # Errors
    /// It cannot be made.
    pub fn create(directory: &Path, name: &str) -> io::Result<Self> {
        let path = directory.join(format!(".{name}.scratch"));
        // A killed run may have left one.
        match fs::remove_file(&path) {
            Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(e),
            _ => {}
        }
        let file = OpenOptions::new().read(true).write(true).create_new(true).open(&path)?;
        Ok(Self { file, path })
    }

    /// Reads some bytes.
    pub fn bytes(&self, start: u64, length: usize) -> io::Result<Vec<u8>> {
        let mut file = &self.file;
        file.seek(SeekFrom::Start(start))?;
        let mut bytes = vec![0; length];
        file.read_exact(&mut bytes)?;
        Ok(bytes)
    }

    /// Reads numbers of 32 bits.
    fn numbers(&self, first: u64, count: usize, numbers: &mut Vec<u32>) -> io::Result<()> {
        let bytes = self.bytes(4 * first, 4 * count)?;
        numbers.clear();
        numbers.extend(bytes.as_chunks().0.iter().map(|bytes| u32::from_le_bytes(*bytes)));
        Ok(())
    }
}

impl Write for Scratch {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // If the file stays, the next run removes it.
        let _ = fs::remove_file(&self.path);
    }
}

/// The digits of `YYYY-MM-DDThh:mm:ssZ` as a number, which orders such dates. `None` for anything else.
fn order_of(date: &str) -> Option<u64> {
    let digits: String = date.chars().filter(char::is_ascii_digit).collect();
    (digits.len() == 14).then(|| digits.parse().ok())?
}
