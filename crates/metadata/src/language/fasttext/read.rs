//! The head of a model file, and its numbers: little-endian, one after the other.

use std::fmt;
use std::io::{self, BufReader, Read};

/// The first number of every model file.
const MAGIC: i32 = 793_712_314;

/// How many bytes are read at a time, so that a wrong length cannot ask for more memory than the file has bytes.
const PIECE: usize = 1 << 16;

/// Longest word or label, in bytes.
const LONGEST_WORD: usize = 1 << 16;

/// The reason why a model cannot be used.
#[derive(Debug)]
#[non_exhaustive]
pub enum ModelError {
    /// It cannot be read.
    Io(io::Error),
    /// It is no model of fastText at all.
    NoModel,
    /// It is a model of words, which has no labels.
    NoLabels,
    /// It ends before its last matrix does.
    EndsEarly,
    /// It is damaged, or of a version that is not known. The text names the place where that shows.
    Invalid(&'static str),
}

impl fmt::Display for ModelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => error.fmt(f),
            Self::NoModel => f.write_str("is no model of fastText (.bin or .ftz)"),
            Self::NoLabels => {
                f.write_str("is a fastText model of words, not of labels; `fasttext supervised` makes those")
            }
            Self::EndsEarly => f.write_str("ends early; copy or download it again"),
            Self::Invalid(place) => write!(f, "is damaged, or of another version of fastText: {place}"),
        }
    }
}

impl std::error::Error for ModelError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io(error) => Some(error),
            _ => None,
        }
    }
}

/// The bytes of a model.
pub(super) struct Input<R: Read> {
    bytes: BufReader<R>,
}

impl<R: Read> Input<R> {
    pub(super) fn new(bytes: R) -> Self {
        Self {
            bytes: BufReader::with_capacity(PIECE, bytes),
        }
    }

    fn fill(&mut self, to: &mut [u8]) -> Result<(), ModelError> {
        self.bytes.read_exact(to).map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => ModelError::EndsEarly,
            _ => ModelError::Io(error),
        })
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], ModelError> {
        let mut bytes = [0; N];
        self.fill(&mut bytes)?;
        Ok(bytes)
    }

    pub(super) fn byte(&mut self) -> Result<u8, ModelError> {
        Ok(self.array::<1>()?[0])
    }

    pub(super) fn flag(&mut self) -> Result<bool, ModelError> {
        match self.byte()? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(ModelError::Invalid("a flag is neither 0 nor 1")),
        }
    }

    pub(super) fn i32(&mut self) -> Result<i32, ModelError> {
        Ok(i32::from_le_bytes(self.array()?))
    }

    pub(super) fn i64(&mut self) -> Result<i64, ModelError> {
        Ok(i64::from_le_bytes(self.array()?))
    }

    /// A count, in four bytes.
    pub(super) fn count(&mut self) -> Result<usize, ModelError> {
        usize::try_from(self.i32()?).map_err(|_| ModelError::Invalid("a count is negative"))
    }

    /// A count, in eight bytes.
    pub(super) fn long_count(&mut self) -> Result<usize, ModelError> {
        usize::try_from(self.i64()?).map_err(|_| ModelError::Invalid("a count is negative"))
    }

    pub(super) fn bytes(&mut self, count: usize) -> Result<Vec<u8>, ModelError> {
        let mut all = Vec::new();
        while all.len() < count {
            let from = all.len();
            all.resize(count.min(from + PIECE), 0);
            self.fill(&mut all[from..])?;
        }
        Ok(all)
    }

    pub(super) fn floats(&mut self, count: usize) -> Result<Vec<f32>, ModelError> {
        let mut all = Vec::new();
        let mut piece = [0; PIECE];
        while all.len() < count {
            let bytes = &mut piece[..4 * (count - all.len()).min(PIECE / 4)];
            self.fill(bytes)?;
            let (numbers, _) = bytes.as_chunks::<4>();
            all.extend(numbers.iter().map(|number| f32::from_le_bytes(*number)));
        }
        Ok(all)
    }

    /// A word, which a zero byte ends.
    pub(super) fn word(&mut self) -> Result<Vec<u8>, ModelError> {
        let mut word = Vec::new();
        loop {
            match self.byte()? {
                0 => return Ok(word),
                _ if word.len() == LONGEST_WORD => return Err(ModelError::Invalid("a word has no end")),
                byte => word.push(byte),
            }
        }
    }

    /// Whether the file has ended, as it must.
    pub(super) fn end(&mut self) -> Result<(), ModelError> {
        match self.byte() {
            Err(ModelError::EndsEarly) => Ok(()),
            Err(error) => Err(error),
            Ok(_) => Err(ModelError::Invalid("bytes follow the last matrix")),
        }
    }
}

/// How scores of rows become scores of labels.
#[derive(Clone, Copy)]
pub(super) enum Loss {
    Tree,
    Sigmoid,
    Softmax,
}

/// The options of the training that a prediction needs.
pub(super) struct Options {
    pub(super) dimensions: usize,
    pub(super) loss: Loss,
    /// Longest sequence of words that counts as one.
    pub(super) words: usize,
    /// How many buckets sequences are hashed to.
    pub(super) buckets: usize,
    /// Shortest and longest sequence of characters that counts.
    pub(super) least_characters: usize,
    pub(super) most_characters: usize,
}

impl Options {
    pub(super) fn read<R: Read>(input: &mut Input<R>) -> Result<Self, ModelError> {
        let no_model = |error| match error {
            ModelError::EndsEarly => ModelError::NoModel,
            error => error,
        };
        if input.i32().map_err(no_model)? != MAGIC {
            return Err(ModelError::NoModel);
        }
        let version = input.i32()?;
        if !matches!(version, 11 | 12) {
            return Err(ModelError::Invalid("its version is neither 11 nor 12"));
        }
        let dimensions = input.count()?;
        // The window, the epochs, the least count of a word, and the number of negatives.
        for _ in 0..4 {
            input.i32()?;
        }
        let words = input.count()?;
        let loss = match input.i32()? {
            1 => Loss::Tree,
            2 | 4 => Loss::Sigmoid,
            3 => Loss::Softmax,
            _ => return Err(ModelError::Invalid("its loss is unknown")),
        };
        match input.i32()? {
            1 | 2 => return Err(ModelError::NoLabels),
            3 => {}
            _ => return Err(ModelError::Invalid("its kind is unknown")),
        }
        let (buckets, least_characters, most_characters) = (input.count()?, input.count()?, input.count()?);
        // The rate of updates, and the threshold of sampling.
        input.i32()?;
        input.i64()?;
        if dimensions == 0 {
            return Err(ModelError::Invalid("its vectors have no dimension"));
        }
        Ok(Self {
            dimensions,
            loss,
            words,
            buckets,
            least_characters,
            // Models of labels of that version took no sequences of characters, regardless of this value.
            most_characters: if version == 11 { 0 } else { most_characters },
        })
    }
}
