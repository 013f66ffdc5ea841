//! Writes what a model of the learned extractor is trained on: the features of every block of pages with known main
//! content, with labels.
//!
//! The features are those that the extractor itself computes, so that training and use cannot differ. The directory
//! gets:
//!
//! | file | content |
//! |---|---|
//! | `features.json` | `version` of this format, `names` of the features, `hash` of the names, numbers of `pages` and `blocks`, `tags`: the names of tags by number |
//! | `pages.jsonl` | a line a page, in the order of the archives: `id`, `url`, `lang`, `page_type`, numbers of `blocks` and `elements`, number of `words` of the truth, `best`: the F1 of the labels |
//! | `features.i16` | a row a block: all features |
//! | `blocks.u32` | a row a block: words as the extractor counts them, words as the evaluation counts them, label (0 or 1), share of the word triples that the truth has (of a million), the number of the first block of the page with the same text, that of the first block that is like it, words in links, the innermost element |
//! | `elements.u32` | a row an element around blocks: parent, tag, 1 if it is block-level, first and last block |
//! | `words.u32` | the words of all blocks, one after the other, as numbers within their page |
//! | `truth.u32` | the words of the truths, likewise |
//!
//! Integers are little-endian.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use dehusk_archive::http::Scratch;
use dehusk_extract::fusion::internal::{PageBlocks, names, names_hash};
use dehusk_html::internal::render_bare;
use dehusk_html::{Dom, Tag};
use serde::Serialize;

use super::Truth;
use dehusk_engine::analysis::Analyzer;
use dehusk_engine::config::Rules;
use dehusk_engine::input::{ArchiveInput, Opening, name_shards};
use dehusk_engine::page::Page;
use dehusk_engine::provenance::{ArchiveName, record_id};
use dehusk_similarity::lexicon::Lexicon;

/// The version of the format.
const VERSION: u32 = 2;

/// The file that describes the others. A directory without it is not whole.
pub const DESCRIPTION: &str = "features.json";

/// What was written.
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
    rules: &Rules,
    directory: &Path,
    mut complain: impl FnMut(String),
) -> io::Result<Written> {
    let mut writer = Writer::create(directory)?;
    let mut analyzer = Analyzer::default();
    let mut http = Scratch::default();
    let mut seen = HashSet::new();
    let mut inputs = inputs.to_vec();
    name_shards(&mut inputs);
    for input in &inputs {
        let archive = match input.open(&Opening::new(&rules.config)) {
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
            let page = Page::from_record(&record, rules, &mut http, ArchiveName::default());
            // A record that is no page counts as one without blocks: its truth is missed.
            let found = page.ok().and_then(|page| {
                let visit = |analysis: &dehusk_engine::analysis::Analysis<'_, '_>| writer.page(analysis.dom(), line);
                analyzer.analyze(rules, &page, visit).ok()
            });
            found.unwrap_or_else(|| writer.page(&Dom::default(), line))?;
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

    fn page(&mut self, dom: &Dom<'_>, line: &super::truth::TruthLine) -> io::Result<()> {
        if !dom.is_empty() {
            self.page_blocks.compute(dom);
        }
        let blocks = if dom.is_empty() { 0 } else { self.page_blocks.len() };
        self.lexicon.clear();
        let mut truth = Vec::new();
        let mut lines = HashSet::new();
        for text in line.text.split('\n') {
            let from = truth.len();
            self.lexicon.read(text, &mut truth);
            lines.insert(truth[from..].to_vec());
        }
        let triples: HashSet<&[u32]> = truth.windows(3).collect();
        let mut words: Vec<Vec<u32>> = Vec::with_capacity(blocks);
        let mut text = String::new();
        for block in 0..blocks {
            let ranges: Vec<_> = self.page_blocks.texts(block).iter().map(|id| *id..*id + 1).collect();
            text.clear();
            render_bare(dom, &ranges, &[], &mut text);
            let mut own = Vec::new();
            self.lexicon.read(&text, &mut own);
            words.push(own);
        }
        let shares: Vec<f64> = words
            .iter()
            .map(|words| match words.len() {
                0 => 0.0,
                1 | 2 => f64::from(u8::from(lines.contains(words))),
                len => words.windows(3).filter(|w| triples.contains(w)).count() as f64 / (len - 2) as f64,
            })
            .collect();
        let (labels, best) = label(&words, &truth, &shares, self.lexicon.len());
        let mut first_with = HashMap::new();
        let first_alike = if blocks > 0 {
            self.page_blocks.first_alike()
        } else {
            Vec::new()
        };
        for block in 0..blocks {
            let first = *first_with.entry(&words[block]).or_insert(block);
            let row = [
                self.page_blocks.words()[block],
                words[block].len() as u32,
                u32::from(labels[block]),
                (shares[block] * 1e6) as u32,
                first as u32,
                first_alike[block],
                self.page_blocks.linked_words(block),
                self.page_blocks.element(block),
            ];
            write_integers(&mut self.blocks, &row)?;
            write_integers(&mut self.words, &words[block])?;
            let features = self.page_blocks.features();
            for feature in 0..features.columns() {
                self.features
                    .write_all(&features.column(feature)[block].to_le_bytes())?;
            }
        }
        write_integers(&mut self.truth, &truth)?;
        let elements = if blocks > 0 {
            self.page_blocks.elements().len()
        } else {
            0
        };
        for row in self.page_blocks.elements().take(elements) {
            write_integers(&mut self.elements, &row)?;
        }
        let page = PageLine {
            id: &line.record_id,
            url: &line.url,
            lang: &line.lang,
            page_type: &line.page_type,
            blocks,
            elements,
            words: truth.len(),
            best,
        };
        serde_json::to_writer(&mut self.pages, &page)?;
        self.pages.write_all(b"\n")?;
        self.written.pages += 1;
        self.written.blocks += blocks as u64;
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
