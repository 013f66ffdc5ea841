//! Writes the data that a model of the learned extractor is trained on: the features of every block of pages with known main
//! content, with labels.
//!
//! The features are those that the extractor itself computes, so that training and use cannot differ. The directory
//! gets:
//!
//! - `features.json`: `version` of this format, `names` of the features, `hash` of the names, numbers of `pages` and
//!   `blocks`, `tags`: the names of tags by number.
//! - `pages.jsonl`: a line a page, in the order of the archives: `id`, `url`, `lang`, `page_type`, numbers of `blocks`
//!   and `elements`, number of `words` of the truth, `best`: the F1 of the labels.
//! - `features.i16`: a row a block: all features.
//! - `blocks.u32`: a row a block: words as the extractor counts them, words as the evaluation counts them, label (0
//!   or 1), share of the word triples that the truth has (of a million), the number of the first block of the page with the
//!   same text, that of the first block that is like it, words in links, the innermost element.
//! - `elements.u32`: a row an element around blocks: parent, tag, 1 if it is block-level, first and last block.
//! - `words.u32`: the words of all blocks, one after the other, as numbers within their page.
//! - `truth.u32`: the words of the truths, likewise.
//!
//! Integers are little-endian.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use dehusk_extract::fusion::training::{PageBlocks, names, names_hash};
use dehusk_html::rendering::render_bare;
use dehusk_html::{Dom, Tag};
use serde::Serialize;

use super::Truth;
use super::truth::TruthLine;
use dehusk_engine::input::{ArchiveInput, Opening, name_shards};
use dehusk_engine::page::Dropped;
use dehusk_engine::processor::Processor;
use dehusk_engine::provenance::record_id;
use dehusk_engine::reason::PageFault;
use dehusk_similarity::lexicon::Lexicon;

/// The version of the format.
const VERSION: u32 = 2;

/// The file that describes the others. A directory without it is not whole.
pub const DESCRIPTION: &str = "features.json";

/// Counts of the data that was written.
#[derive(Clone, Copy, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct Written {
    /// Pages with truth.
    pub pages: u64,
    /// Their blocks.
    pub blocks: u64,
}

#[derive(Serialize)]
struct Description<'d> {
    version: u32,
    names: &'d [String],
    tags: Vec<&'static str>,
    hash: String,
    #[serde(flatten)]
    written: Written,
}

#[derive(Serialize)]
struct PageLine<'l> {
    id: &'l str,
    url: &'l str,
    lang: &'l str,
    page_type: &'l str,
    blocks: usize,
    elements: usize,
    words: usize,
    best: f64,
}

/// Writes the features and labels of every page that `truth` knows into a directory. An archive that cannot be read to
/// its end gives the pages before that; `complain` gets its message.
///
/// # Errors
/// A file cannot be written.
pub fn write(
    truth: &Truth,
    inputs: &[ArchiveInput],
    mut processor: Processor,
    directory: &Path,
    mut complain: impl FnMut(String),
) -> io::Result<Written> {
    let mut writer = Writer::create(directory)?;
    let mut seen = HashSet::new();
    let mut inputs = inputs.to_vec();
    name_shards(&mut inputs);
    for input in &inputs {
        let archive = match input.open(&Opening::new(&processor.rules().config)) {
            Ok(archive) => archive,
            Err(e) => {
                complain(e.to_string());
                continue;
            }
        };
        let mut records = archive.records();
        while let Some(record) = records.next_record() {
            let line = truth.find(&record_id(&record, input.shard()));
            let Some(line) = line.filter(|line| seen.insert(*line)) else {
                continue;
            };
            let line = &truth.lines[line];
            let record = record.into_owned();
            let read = processor.record_page(&record, "", |processor, page| {
                processor.analyze(page, |analysis| writer.read(analysis.dom(), line))
            });
            let page = match read {
                Ok(page) => page,
                // A record that is no page counts as one without blocks: its truth is missed.
                Err(why) => {
                    if why == Dropped::Failed(PageFault::Panic.into()) {
                        complain(format!("{}: {why}", line.record_id));
                    }
                    writer.read(&Dom::default(), line)
                }
            };
            writer.write(line, &page)?;
        }
        if let Some(error) = records.take_error() {
            complain(error.to_string());
        }
    }
    writer.finish(directory)
}

struct Writer {
    pages: BufWriter<File>,
    features: BufWriter<File>,
    blocks: BufWriter<File>,
    words: BufWriter<File>,
    truth: BufWriter<File>,
    elements: BufWriter<File>,
    written: Written,
    page_blocks: PageBlocks,
    lexicon: Lexicon,
}

impl Writer {
    fn create(directory: &Path) -> io::Result<Self> {
        std::fs::create_dir_all(directory)?;
        // Older features are not whole from now on.
        match std::fs::remove_file(directory.join(DESCRIPTION)) {
            Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(e),
            _ => {}
        }
        let file = |name: &str| Ok::<_, io::Error>(BufWriter::new(File::create(directory.join(name))?));
        Ok(Self {
            pages: file("pages.jsonl")?,
            features: file("features.i16")?,
            blocks: file("blocks.u32")?,
            words: file("words.u32")?,
            truth: file("truth.u32")?,
            elements: file("elements.u32")?,
            written: Written::default(),
            page_blocks: PageBlocks::default(),
            lexicon: Lexicon::default(),
        })
    }

    /// Computes the features of a page's blocks, which stay in `page_blocks`, and their labels. Writes nothing.
    fn read(&mut self, dom: &Dom<'_>, line: &TruthLine) -> LabelledPage {
        self.lexicon.clear();
        let truth = WordsOfTruth::read(&line.text, &mut self.lexicon);
        let words = if dom.is_empty() {
            Vec::new()
        } else {
            self.page_blocks.compute(dom);
            self.words_of_blocks(dom)
        };
        let shares = truth.shares(&words);
        let (labels, best) = label(&words, &truth.words, &shares, self.lexicon.len());
        LabelledPage {
            truth: truth.words,
            words,
            shares,
            labels,
            best,
        }
    }

    /// The words of each block, as the evaluation counts them.
    fn words_of_blocks(&mut self, dom: &Dom<'_>) -> Vec<Vec<u32>> {
        let mut text = String::new();
        let block = |block| {
            let ranges: Vec<_> = self.page_blocks.texts(block).iter().map(|id| *id..*id + 1).collect();
            text.clear();
            render_bare(dom, &ranges, &[], &mut text);
            let mut words = Vec::new();
            self.lexicon.read(&text, &mut words);
            words
        };
        (0..self.page_blocks.len()).map(block).collect()
    }

    /// Writes a page that was read last.
    fn write(&mut self, line: &TruthLine, page: &LabelledPage) -> io::Result<()> {
        let blocks = page.words.len();
        let mut elements = 0;
        if blocks > 0 {
            self.write_blocks(page)?;
            for row in self.page_blocks.elements() {
                write_integers(&mut self.elements, &row)?;
                elements += 1;
            }
        }
        write_integers(&mut self.truth, &page.truth)?;
        let page = PageLine {
            id: &line.record_id,
            url: &line.url,
            lang: &line.lang,
            page_type: &line.page_type,
            blocks,
            elements,
            words: page.truth.len(),
            best: page.best,
        };
        serde_json::to_writer(&mut self.pages, &page)?;
        self.pages.write_all(b"\n")?;
        self.written.pages += 1;
        self.written.blocks += blocks as u64;
        Ok(())
    }

    fn write_blocks(&mut self, page: &LabelledPage) -> io::Result<()> {
        let (blocks, features) = (&self.page_blocks, self.page_blocks.features());
        let first_alike = blocks.first_alike();
        let mut first_with = HashMap::new();
        for (block, words) in page.words.iter().enumerate() {
            let first = *first_with.entry(words).or_insert(block);
            let row = [
                blocks.words()[block],
                words.len() as u32,
                u32::from(page.labels[block]),
                (page.shares[block] * 1e6) as u32,
                first as u32,
                first_alike[block],
                blocks.linked_words(block),
                blocks.element(block),
            ];
            write_integers(&mut self.blocks, &row)?;
            write_integers(&mut self.words, words)?;
            for feature in 0..features.columns() {
                let value = features.column(feature)[block];
                self.features.write_all(&value.to_le_bytes())?;
            }
        }
        Ok(())
    }

    fn finish(self, directory: &Path) -> io::Result<Written> {
        for mut file in [
            self.pages,
            self.features,
            self.blocks,
            self.words,
            self.truth,
            self.elements,
        ] {
            file.flush()?;
        }
        let description = Description {
            version: VERSION,
            names: names(),
            tags: Tag::ALL.iter().map(|tag| tag.name()).collect(),
            hash: format!("{:016x}", names_hash()),
            written: self.written,
        };
        // Written last.
        std::fs::write(directory.join(DESCRIPTION), serde_json::to_vec_pretty(&description)?)?;
        Ok(self.written)
    }
}

/// The labels of a page's blocks, with the words by which they were chosen.
struct LabelledPage {
    /// The words of the truth.
    truth: Vec<u32>,
    /// The words of each block.
    words: Vec<Vec<u32>>,
    /// The share of each block's word triples that the truth has.
    shares: Vec<f64>,
    labels: Vec<bool>,
    /// The F1 of the labels.
    best: f64,
}

/// The words of a truth, in order and line by line.
struct WordsOfTruth {
    words: Vec<u32>,
    lines: HashSet<Vec<u32>>,
}

impl WordsOfTruth {
    fn read(text: &str, lexicon: &mut Lexicon) -> Self {
        let (mut words, mut lines) = (Vec::new(), HashSet::new());
        for line in text.split('\n') {
            let from = words.len();
            lexicon.read(line, &mut words);
            lines.insert(words[from..].to_vec());
        }
        Self { words, lines }
    }

    /// The share of the word triples of each block that the truth has. A block of one or two words must be a line.
    fn shares(&self, blocks: &[Vec<u32>]) -> Vec<f64> {
        let triples: HashSet<&[u32]> = self.words.windows(3).collect();
        let share = |words: &Vec<u32>| match words.len() {
            0 => 0.0,
            1 | 2 => f64::from(u8::from(self.lines.contains(words))),
            len => words.windows(3).filter(|w| triples.contains(w)).count() as f64 / (len - 2) as f64,
        };
        blocks.iter().map(share).collect()
    }
}

fn write_integers(file: &mut impl Write, values: &[u32]) -> io::Result<()> {
    values.iter().try_for_each(|value| file.write_all(&value.to_le_bytes()))
}

/// Chooses the blocks that together have about the best F1 with the truth, and returns that F1.
///
/// It begins with the blocks of which the truth has more than half. Then it goes over the page up to three times, and
/// drops or adds a block if the F1 rises. A block is added only if the truth has some of it, or if it is short.
fn label(words: &[Vec<u32>], truth: &[u32], shares: &[f64], lexicon: usize) -> (Vec<bool>, f64) {
    let mut bags = Bags {
        truth: vec![0; lexicon],
        kept: vec![0; lexicon],
        truth_words: truth.len(),
        kept_words: 0,
        common: 0,
    };
    for word in truth {
        bags.truth[*word as usize] += 1;
    }
    let mut labels: Vec<bool> = shares.iter().map(|share| *share > 0.5 && !truth.is_empty()).collect();
    for (words, _) in words.iter().zip(&labels).filter(|(_, label)| **label) {
        bags.add(words);
    }
    for _ in 0..3 {
        let mut changed = false;
        for (block, words) in words.iter().enumerate() {
            if words.is_empty() || !(labels[block] || shares[block] > 0.0 || words.len() < 3) {
                continue;
            }
            let before = bags.f1();
            bags.toggle(words, labels[block]);
            if bags.f1() > before {
                labels[block] = !labels[block];
                changed = true;
            } else {
                bags.toggle(words, !labels[block]);
            }
        }
        if !changed {
            break;
        }
    }
    let best = if truth.is_empty() { 1.0 } else { bags.f1() };
    (labels, best)
}

/// The bags of words of the truth and of the kept blocks.
struct Bags {
    truth: Vec<u32>,
    kept: Vec<u32>,
    truth_words: usize,
    kept_words: usize,
    common: usize,
}

impl Bags {
    fn toggle(&mut self, words: &[u32], is_kept: bool) {
        if is_kept { self.remove(words) } else { self.add(words) }
    }

    fn add(&mut self, words: &[u32]) {
        for word in words.iter().map(|word| *word as usize) {
            self.kept[word] += 1;
            self.common += usize::from(self.kept[word] <= self.truth[word]);
        }
        self.kept_words += words.len();
    }

    fn remove(&mut self, words: &[u32]) {
        for word in words.iter().map(|word| *word as usize) {
            self.common -= usize::from(self.kept[word] <= self.truth[word]);
            self.kept[word] -= 1;
        }
        self.kept_words -= words.len();
    }

    fn f1(&self) -> f64 {
        match self.kept_words + self.truth_words {
            0 => 0.0,
            all => 2.0 * self.common as f64 / all as f64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_keep_what_the_truth_has() {
        let words = [vec![0, 1, 2, 3], vec![4, 5], vec![6], vec![1, 2, 7]];
        let truth = [0, 1, 2, 3, 6];
        let (labels, best) = label(&words, &truth, &[1.0, 0.0, 1.0, 0.0], 8);
        assert_eq!(labels, [true, false, true, false]);
        assert_eq!(best, 1.0);
    }

    #[test]
    fn nothing_is_kept_where_the_truth_is_empty() {
        let (labels, best) = label(&[vec![0], vec![1, 2]], &[], &[0.0, 0.0], 3);
        assert_eq!((labels, best), (vec![false, false], 1.0));
    }
}
