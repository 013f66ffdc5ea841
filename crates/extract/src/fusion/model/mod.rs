//! The model that gives every block of a page a probability.
//!
//! A model mixes the logits of its scorers, [boosted trees](trees) and [sequence networks](network). It comes in one
//! file, with the numbers of the rule that keeps blocks and the calibration of the score. All arithmetic is on
//! integers.
//!
//! **The file**, little endian: `DHFUSION`; the version, 1, in 32 bits; the hash of the features in 64; the length of
//! the file in 32; the number of sections in 32; the sections, each a tag of four bytes, its length in 32 bits, and
//! what it holds; and the xxh3 of all that in 64 bits. The sections:
//!
//! - `TREE`: the trees, if any. 16 bits: the number of columns, then their features, then the number of trees. 32 bits:
//!   the bias. Every tree: 8 bits: inner nodes, up to 15. Every node, 16 bits each: its column, its threshold, the leaves
//!   of its left subtree as a mask. 8 bits: leaves. Every leaf in 16 bits, from left to right.
//! - `NETW`: a network; there may be several. 8 bits each: its width, its layers. 16 bits: inputs. 8 bits: its norm (0
//!   or 1). Every input, 16 bits each: feature, mean, scale. Then matrices and biases in the order of the formulas in
//!   [`network`], row by row; weights have 16 bits and biases 32. The page's columns come in a matrix of their own after
//!   the biases of a layer.
//! - `MIXT`: 8 bits: the number of scorers. A weight for each, in 16 bits and units of 2^-10: the trees first, then the
//!   networks as they come. 32 bits: the bias.
//! - `RULE`: 32 bits: [`Rule::least_words`]. 16 bits each: [`Rule::least_probability`], [`Rule::copy_words`],
//!   [`Rule::spread`].
//! - `CALI`: 16 bits: the number of knots, 2 to 64. For each in 16 bits: a ratio, and the confidence there.
//!
//! Scores are in units of 2^-12: leaves, logits and their biases.

mod network;
mod reader;
mod sigmoid;
#[cfg(test)]
mod tests;
mod trees;

use std::error::Error;
use std::fmt;

use fearless_simd::Level;
use xxhash_rust::xxh3::xxh3_64;

use self::network::Network;
use self::reader::ModelBytes;
use self::trees::Trees;
use super::matrix::Matrix;

pub use sigmoid::probability;

const MAGIC: &[u8; 8] = b"DHFUSION";
const VERSION: u32 = 1;

/// The most that a mixed logit can be, and the least without its sign.
const LARGEST_LOGIT: i64 = 1 << 24;

/// A trained model.
///
/// A model is checked when it is read, so that scoring cannot fail, whatever the file held. It takes memory in
/// proportion to the file.
#[derive(Clone)]
pub struct Model {
    trees: Option<Trees>,
    networks: Vec<Network>,
    mixture: Mixture,
    rule: Rule,
    /// Ratios and confidences.
    knots: Vec<(u16, u16)>,
    features: usize,
    digest: u64,
}

/// How scorers are mixed.
#[derive(Clone, Debug)]
struct Mixture {
    weights: Vec<i16>,
    bias: i32,
}

/// The numbers of the rule that keeps blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// Nothing is kept where fewer words than this are expected to be content.
    pub least_words: u32,
    /// No block is kept whose probability is lower, of 65536.
    pub least_probability: u16,
    /// A block of so many words is dropped where its text was kept before.
    pub copy_words: u16,
    /// How far all logits of a page may be off together, in units of 2^-12.
    pub spread: u16,
}

/// Why a model cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ModelError {
    /// It does not begin as models do.
    Foreign,
    /// It is another version of the format.
    OtherVersion(u32),
    /// It was trained with other features.
    OtherFeatures,
    /// Its length is not the one that it states.
    OtherLength,
    /// Its checksum is wrong: it was damaged.
    Damaged,
    /// A section is absent.
    Missing(&'static str),
    /// A section is there twice.
    Twice(&'static str),
    /// There is a section with an unknown name, or the list of sections is not well-formed.
    Sections,
    /// A section does not hold what it should.
    Malformed {
        /// The section's tag.
        section: &'static str,
        /// The mistake, as the end of a sentence.
        problem: &'static str,
    },
}

impl fmt::Display for ModelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Foreign => f.write_str("not a model"),
            Self::OtherVersion(version) => write!(f, "the model has version {version} of the format, not {VERSION}"),
            Self::OtherFeatures => f.write_str("the model was trained with other features than this version computes"),
            Self::OtherLength => f.write_str("the model is cut, or something follows it"),
            Self::Damaged => f.write_str("the model is damaged: its checksum is wrong"),
            Self::Missing(section) => write!(f, "the model has no section {section}"),
            Self::Twice(section) => write!(f, "the model has two sections {section}"),
            Self::Sections => f.write_str("the model's list of sections is malformed"),
            Self::Malformed { section, problem } => write!(f, "the model's section {section} {problem}"),
        }
    }
}

impl Error for ModelError {}

impl fmt::Debug for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Model({:016x})", self.digest)
    }
}

/// Memory for scoring, kept from page to page. It grows with the largest page: 384 bytes a block for a network of 64
/// channels, and 24 besides.
#[derive(Debug, Default)]
pub struct Scratch {
    network: network::Buffers,
    logits: Vec<i32>,
    sums: Vec<i64>,
}

/// The hash of a set of features by their names, in order: FNV-1a of 64 bits, with a line feed between names.
pub fn hash_features<'n>(names: impl IntoIterator<Item = &'n str>) -> u64 {
    let mut hash = 0xCBF2_9CE4_8422_2325;
    let mut add = |bytes: &[u8]| {
        for &byte in bytes {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3);
        }
    };
    for (i, name) in names.into_iter().enumerate() {
        if i > 0 {
            add(b"\n");
        }
        add(name.as_bytes());
    }
    hash
}

impl Model {
    /// Reads a model that was trained with the features of this [hash](hash_features), and `features` of them.
    ///
    /// # Errors
    /// It is no model, or not one for these features, or not whole.
    pub fn from_bytes(bytes: &[u8], features_hash: u64, features: usize) -> Result<Self, ModelError> {
        let head = &bytes[..bytes.len().min(MAGIC.len())];
        if !MAGIC.starts_with(head) || head.is_empty() {
            return Err(ModelError::Foreign);
        }
        const CUT: ModelError = ModelError::OtherLength;
        let (body, checksum) = bytes.split_last_chunk().ok_or(CUT)?;
        let mut reader = ModelBytes(body);
        reader.bytes(MAGIC.len()).ok_or(CUT)?;
        let version = reader.u32().ok_or(CUT)?;
        if version != VERSION {
            return Err(ModelError::OtherVersion(version));
        }
        let hash = reader.u64().ok_or(CUT)?;
        if reader.u32().ok_or(CUT)? as usize != bytes.len() {
            return Err(CUT);
        }
        if xxh3_64(body) != u64::from_le_bytes(*checksum) {
            return Err(ModelError::Damaged);
        }
        if hash != features_hash {
            return Err(ModelError::OtherFeatures);
        }
        let (mut trees, mut networks, mut mixture, mut rule, mut knots) = (None, Vec::new(), None, None, None);
        for _ in 0..reader.u32().ok_or(ModelError::Sections)? {
            let tag = reader.bytes(4).ok_or(ModelError::Sections)?;
            let length = reader.u32().ok_or(ModelError::Sections)?;
            let payload = ModelBytes(reader.bytes(length as usize).ok_or(ModelError::Sections)?);
            match tag {
                b"TREE" => once("TREE", &mut trees, Trees::read(payload, features))?,
                b"NETW" => networks.push(within("NETW", Network::read(payload, features))?),
                b"MIXT" => once("MIXT", &mut mixture, Mixture::read(payload))?,
                b"RULE" => once("RULE", &mut rule, Rule::read(payload))?,
                b"CALI" => once("CALI", &mut knots, read_knots(payload))?,
                _ => return Err(ModelError::Sections),
            }
        }
        if !reader.0.is_empty() {
            return Err(ModelError::Sections);
        }
        let mixture: Mixture = mixture.ok_or(ModelError::Missing("MIXT"))?;
        if mixture.weights.len() != networks.len() + usize::from(trees.is_some()) {
            return Err(ModelError::Malformed {
                section: "MIXT",
                problem: "has not a weight for each scorer",
            });
        }
        Ok(Self {
            trees,
            networks,
            mixture,
            rule: rule.ok_or(ModelError::Missing("RULE"))?,
            knots: knots.ok_or(ModelError::Missing("CALI"))?,
            features,
            digest: xxh3_64(bytes),
        })
    }

    /// The xxh3 of the file.
    pub fn digest(&self) -> u64 {
        self.digest
    }

    /// The numbers of the rule that keeps blocks.
    pub fn rule(&self) -> Rule {
        self.rule
    }

    /// The number of scorers: the trees, if any, and the networks.
    pub fn scorers(&self) -> usize {
        self.mixture.weights.len()
    }

    /// The confidence, of 65535, in a selection with this ratio, of 65535. Straight lines join the knots.
    pub fn confidence(&self, ratio: u16) -> u16 {
        let above = self.knots.partition_point(|&(knot, _)| knot <= ratio);
        match (
            above.checked_sub(1).map(|below| self.knots[below]),
            self.knots.get(above),
        ) {
            (Some((r0, c0)), Some(&(r1, c1))) => {
                let rise = u32::from(c1 - c0) * u32::from(ratio - r0) / u32::from(r1 - r0);
                c0 + rise as u16
            }
            (Some((_, confidence)), None) | (None, Some(&(_, confidence))) => confidence,
            (None, None) => 0,
        }
    }

    /// The logits of all blocks, in units of 2^-12. `words` are the blocks' numbers of words.
    ///
    /// # Panics
    /// The matrix has other columns than [`from_bytes`](Self::from_bytes) was given.
    pub fn score(&self, matrix: &Matrix, words: &[u32], scratch: &mut Scratch, logits: &mut Vec<i32>) {
        self.score_at(Level::new(), matrix, words, scratch, logits);
    }

    fn score_at(&self, level: Level, matrix: &Matrix, words: &[u32], scratch: &mut Scratch, logits: &mut Vec<i32>) {
        let mut own = std::mem::take(&mut scratch.logits);
        scratch.sums.clear();
        scratch.sums.resize(matrix.blocks(), 0);
        for (scorer, &weight) in self.mixture.weights.iter().enumerate() {
            self.scorer_at(level, scorer, matrix, words, scratch, &mut own);
            for (sum, &logit) in scratch.sums.iter_mut().zip(&own) {
                *sum += i64::from(weight) * i64::from(logit);
            }
        }
        let bias = i64::from(self.mixture.bias);
        let mixed = |sum: &i64| ((sum >> 10) + bias).clamp(-LARGEST_LOGIT, LARGEST_LOGIT) as i32;
        logits.clear();
        logits.extend(scratch.sums.iter().map(mixed));
        scratch.logits = own;
    }

    /// The logits that one of the scorers gives all blocks.
    ///
    /// # Panics
    /// As [`score`](Self::score), or there is no such scorer.
    pub fn score_with(
        &self,
        scorer: usize,
        matrix: &Matrix,
        words: &[u32],
        scratch: &mut Scratch,
        logits: &mut Vec<i32>,
    ) {
        self.scorer_at(Level::new(), scorer, matrix, words, scratch, logits);
    }

    fn scorer_at(
        &self,
        level: Level,
        scorer: usize,
        matrix: &Matrix,
        words: &[u32],
        scratch: &mut Scratch,
        logits: &mut Vec<i32>,
    ) {
        assert_eq!(matrix.columns(), self.features, "the matrix of other features");
        match (&self.trees, scorer) {
            (Some(trees), 0) => trees.score(level, matrix, logits),
            (Some(_), n) => self.networks[n - 1].score(level, matrix, words, &mut scratch.network, logits),
            (None, n) => self.networks[n].score(level, matrix, words, &mut scratch.network, logits),
        }
        logits.truncate(matrix.blocks());
    }

    /// The weight of the trees in the mixture. 0 for a model without trees.
    pub(super) fn trees_weight(&self) -> f64 {
        let weight = self.trees.as_ref().and_then(|_| self.mixture.weights.first());
        weight.map_or(0.0, |weight| f64::from(*weight) / 1024.0)
    }

    /// The contribution of each feature to the trees' logit of a block, and the logit without any feature; `None` for a
    /// model without trees. The features that add most come first; those that add nothing are left out. The sum of all
    /// is the trees' logit.
    ///
    /// # Panics
    /// As [`score`](Self::score), or there is no such block.
    pub fn contributions(&self, matrix: &Matrix, block: usize) -> Option<Contributions> {
        assert_eq!(matrix.columns(), self.features, "the matrix of other features");
        let (base, features) = self.trees.as_ref()?.contributions(matrix, block);
        Some(Contributions { base, features })
    }
}

/// How a logit of the trees comes about, in units of 2^-12, before it is mixed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contributions {
    /// The part that every block has.
    pub base: i32,
    /// The features that add something, and what; the largest first.
    pub features: Vec<(u16, i32)>,
}

/// Names the section of a problem.
fn within<T>(section: &'static str, read: Result<T, &'static str>) -> Result<T, ModelError> {
    read.map_err(|problem| ModelError::Malformed { section, problem })
}

/// Sets what is set once.
fn once<T>(section: &'static str, to: &mut Option<T>, read: Result<T, &'static str>) -> Result<(), ModelError> {
    match to.replace(within(section, read)?) {
        None => Ok(()),
        Some(_) => Err(ModelError::Twice(section)),
    }
}

impl Mixture {
    fn read(mut reader: ModelBytes<'_>) -> Result<Self, &'static str> {
        const CUT: &str = "ends too early";
        let count = reader.u8().ok_or(CUT)?;
        if count == 0 {
            return Err("has no scorers");
        }
        let weights = reader.i16s(count.into()).ok_or(CUT)?;
        let bias = reader.i32().ok_or(CUT)?;
        if reader.0.is_empty() {
            Ok(Self { weights, bias })
        } else {
            Err("is too long")
        }
    }
}

impl Rule {
    fn read(mut reader: ModelBytes<'_>) -> Result<Self, &'static str> {
        const CUT: &str = "ends too early";
        let rule = Self {
            least_words: reader.u32().ok_or(CUT)?,
            least_probability: reader.u16().ok_or(CUT)?,
            copy_words: reader.u16().ok_or(CUT)?,
            spread: reader.u16().ok_or(CUT)?,
        };
        if reader.0.is_empty() {
            Ok(rule)
        } else {
            Err("is too long")
        }
    }
}

fn read_knots(mut reader: ModelBytes<'_>) -> Result<Vec<(u16, u16)>, &'static str> {
    const CUT: &str = "ends too early";
    let count = reader.u16().ok_or(CUT)?;
    if !(2..=64).contains(&count) {
        return Err("has a number of knots other than 2 to 64");
    }
    let mut knots = Vec::new();
    for _ in 0..count {
        knots.push((reader.u16().ok_or(CUT)?, reader.u16().ok_or(CUT)?));
    }
    if !knots.is_sorted_by(|a, b| a.0 < b.0 && a.1 <= b.1) {
        return Err("has knots that do not rise");
    }
    if reader.0.is_empty() {
        Ok(knots)
    } else {
        Err("is too long")
    }
}
