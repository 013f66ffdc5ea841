//! The words of a model, and the rows of a text: of its words, of sequences of characters in them, and of sequences of
//! words.

use std::collections::HashMap;
use std::io::Read;

use super::read::{Input, ModelError, Options};

/// The beginning of every label.
const PREFIX: &[u8] = b"__label__";

/// The word that ends every line.
const LINE_END: &[u8] = b"</s>";

pub(super) struct Vocabulary {
    words: HashMap<Box<[u8]>, u32>,
    word_count: usize,
    labels: Vec<Box<str>>,
    /// How often each label was seen in training.
    counts: Vec<i64>,
    sequences: Sequences,
    hashing: Hashing,
}

/// The rows of sequences.
enum Sequences {
    /// One for each bucket.
    All,
    /// Only these buckets have one, by their numbers.
    Kept(HashMap<u32, u32>),
}

/// How sequences become rows.
struct Hashing {
    words: usize,
    buckets: u64,
    least_characters: usize,
    most_characters: usize,
}

impl Vocabulary {
    pub(super) fn read<R: Read>(input: &mut Input<R>, options: &Options) -> Result<Self, ModelError> {
        let wrong = |place| Err(ModelError::Invalid(place));
        let (size, word_count, label_count) = (input.count()?, input.count()?, input.count()?);
        if label_count == 0 {
            return Err(ModelError::NoLabels);
        }
        if word_count.checked_add(label_count) != Some(size) {
            return wrong("the number of words");
        }
        input.i64()?;
        let kept_count = input.i64()?;
        let (mut words, mut labels, mut counts) = (HashMap::new(), Vec::new(), Vec::new());
        for number in 0..size {
            let word = input.word()?;
            let count = input.i64()?;
            match (input.byte()?, u32::try_from(number)) {
                (0, Ok(row)) if number < word_count => {
                    words.insert(word.into_boxed_slice(), row);
                }
                (1, _) if number >= word_count => {
                    let label = word.strip_prefix(PREFIX).unwrap_or(&word);
                    labels.push(String::from_utf8_lossy(label).into_owned().into_boxed_str());
                    counts.push(count);
                }
                _ => return wrong("a word among the labels"),
            }
        }
        let sequences = match usize::try_from(kept_count) {
            Err(_) => Sequences::All,
            Ok(count) => {
                let mut kept = HashMap::new();
                for _ in 0..count {
                    let (bucket, row) = (input.i32()?, input.i32()?);
                    let (Ok(bucket), Ok(row)) = (bucket.try_into(), row.try_into()) else {
                        return wrong("the buckets that are kept");
                    };
                    kept.insert(bucket, row);
                }
                Sequences::Kept(kept)
            }
        };
        Ok(Self {
            words,
            word_count,
            labels,
            counts,
            sequences,
            hashing: Hashing {
                words: options.words,
                buckets: options.buckets as u64,
                least_characters: options.least_characters,
                most_characters: options.most_characters,
            },
        })
    }

    pub(super) fn labels(&self) -> &[Box<str>] {
        &self.labels
    }

    pub(super) fn counts(&self) -> &[i64] {
        &self.counts
    }

    /// Passes the number of every row of a text on.
    pub(super) fn for_each_row(&self, text: &[u8], mut take: impl FnMut(usize)) {
        let is_space = |byte: &u8| matches!(byte, b' ' | b'\n' | b'\r' | b'\t' | 0x0B | 0x0C | 0);
        let words = text.split(is_space).filter(|word| !word.is_empty());
        let mut hashes = Vec::new();
        let mut bounded = Vec::new();
        for word in words.chain([LINE_END]) {
            let known = self.words.get(word);
            if known.is_none() && word.starts_with(PREFIX) {
                continue;
            }
            if let Some(row) = known {
                take(*row as usize);
            }
            if word != LINE_END {
                bounded.clear();
                bounded.push(b'<');
                bounded.extend_from_slice(word);
                bounded.push(b'>');
                self.for_each_part(&bounded, &mut take);
            }
            hashes.push(hash(word) as i32);
        }
        for (start, first) in hashes.iter().enumerate() {
            let mut sequence = *first as u64;
            for next in hashes[start + 1..].iter().take(self.hashing.words.saturating_sub(1)) {
                sequence = sequence.wrapping_mul(116_049_371).wrapping_add(*next as u64);
                self.take_sequence(sequence, &mut take);
            }
        }
    }

    /// Passes on the rows of the sequences of characters in a word that is between `<` and `>`.
    fn for_each_part(&self, word: &[u8], take: &mut impl FnMut(usize)) {
        let is_inner = |at: usize| word.get(at).is_some_and(|byte| byte & 0xC0 == 0x80);
        for start in (0..word.len()).filter(|start| !is_inner(*start)) {
            let mut end = start;
            for characters in 1..=self.hashing.most_characters {
                if end == word.len() {
                    break;
                }
                end += 1;
                while is_inner(end) {
                    end += 1;
                }
                let is_border = characters == 1 && (start == 0 || end == word.len());
                if characters >= self.hashing.least_characters && !is_border {
                    self.take_sequence(hash(&word[start..end]).into(), take);
                }
            }
        }
    }

    fn take_sequence(&self, hash: u64, take: &mut impl FnMut(usize)) {
        let Some(bucket) = hash.checked_rem(self.hashing.buckets) else {
            return;
        };
        let row = match &self.sequences {
            Sequences::All => Some(bucket as usize),
            Sequences::Kept(kept) => kept.get(&(bucket as u32)).map(|row| *row as usize),
        };
        if let Some(row) = row {
            take(self.word_count.saturating_add(row));
        }
    }
}

/// FNV-1a with 32 bits. fastText extends the sign of bytes.
fn hash(word: &[u8]) -> u32 {
    word.iter().fold(2_166_136_261, |hash, byte| {
        (hash ^ i32::from(*byte as i8) as u32).wrapping_mul(16_777_619)
    })
}
