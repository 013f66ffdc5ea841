//! The look of a block's text.
//!
//! Only the start of a text is read word by word, and its last character. So a block of 64 MB costs what a block of
//! a sentence costs, but for the hash of its bytes.

use dehusk_html::rendering::push_node;
use dehusk_html::{Dom, NodeFlags, NodeId};
use xxhash_rust::xxh3::xxh3_64;

use super::words::WordReader;
use crate::blocks::{Block, Blocks};

/// The number of bytes that are read character by character. The title is looked for in them.
const READ: usize = 48;

/// The same of a heading, which may be the title.
const READ_OF_HEADING: usize = 96;

/// The number of words that are looked for in the title.
const COMPARED_WORDS: u16 = 24;

/// Words of the title that count.
const TITLE_WORDS: usize = 64;

/// The look of a block's text.
#[derive(Clone, Debug, Default)]
pub(super) struct Looks {
    /// A hash of the whole text; `None` if no other block has as many characters, and so none has the same text.
    pub(super) hash: Option<u64>,
    /// Words of the start that are read, and those that begin with a capital letter.
    pub(super) words: u16,
    pub(super) capital_words: u16,
    /// Whether the text ends a sentence.
    pub(super) ends_sentence: bool,
    /// The words of the title that are among the first words, a bit each.
    in_title: u64,
}

impl Looks {
    /// How many words of the title are among the first words.
    pub(super) fn words_in_title(&self) -> u32 {
        self.in_title.count_ones()
    }

    /// How many words were compared with those of the title.
    pub(super) fn compared_words(&self) -> u16 {
        self.words.min(COMPARED_WORDS)
    }
}

/// The words of the title, as hashes.
#[derive(Debug, Default)]
pub(super) struct TitleWords {
    words: Vec<u32>,
    /// Most words of a page are not in the title, and are passed over quickly: a bit for each remainder.
    filter: u64,
}

impl TitleWords {
    /// Reads a title.
    pub(super) fn read(&mut self, title: &str) {
        let words = &mut self.words;
        words.clear();
        for word in title.split_whitespace() {
            let mut reader = WordReader::new(|number, hash| {
                if number < COMPARED_WORDS {
                    words.push(hash);
                }
            });
            reader.read(word, 0..word.len(), READ_OF_HEADING);
            if words.len() >= TITLE_WORDS {
                break;
            }
        }
        words.truncate(TITLE_WORDS);
        self.filter = words.iter().fold(0, |filter, word| filter | 1 << (word % 64));
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.words.len()
    }

    /// The bit of a word; 0 if it is not in the title. Of two equal words of the title the first counts.
    #[inline]
    fn bit(&self, hash: u32) -> u64 {
        if self.filter >> (hash % 64) & 1 == 0 {
            return 0;
        }
        let place = self.words.iter().position(|word| *word == hash);
        place.map_or(0, |place| 1 << place)
    }
}

/// Memory that is kept from page to page.
#[derive(Debug, Default)]
pub(super) struct LookBuffers {
    title: TitleWords,
    /// The number of blocks, up to 255, for each remainder of their numbers of characters.
    of_sizes: Vec<u8>,
    text: String,
}

/// The remainders of numbers of characters that are distinguished.
const SIZES: usize = 4096;

/// The looks of all blocks, and the words of the title that they were compared with.
pub(super) fn of_blocks<'b>(
    dom: &Dom<'_>,
    blocks: &Blocks,
    buffers: &'b mut LookBuffers,
    looks: &mut Vec<Looks>,
) -> &'b TitleWords {
    let LookBuffers { title, of_sizes, text } = buffers;
    title.read(&dom.title().unwrap_or_default());
    of_sizes.clear();
    of_sizes.resize(SIZES, 0);
    let size = |block: &Block| block.chars as usize % SIZES;
    for block in &blocks.blocks {
        let same = &mut of_sizes[size(block)];
        *same = same.saturating_add(1);
    }
    looks.clear();
    looks.extend(blocks.blocks.iter().map(|block| Looks {
        // A hash takes the whole text, and often a copy of it with single spaces.
        hash: (of_sizes[size(block)] > 1).then(|| hash_of(dom, blocks.texts_of(block), text)),
        ..of_block(dom, blocks, block, title)
    }));
    title
}

/// The looks of a block, but for the hash.
fn of_block(dom: &Dom<'_>, blocks: &Blocks, block: &Block, title: &TitleWords) -> Looks {
    let mut in_title = 0;
    let mut reader = WordReader::new(|number, hash| {
        if number < COMPARED_WORDS {
            in_title |= title.bit(hash);
        }
    });
    let mut left = if block.heading > 0 { READ_OF_HEADING } else { READ };
    let texts = blocks.texts_of(block);
    for &text in texts {
        let node = dom.node(text);
        let part = node.from as usize..node.to as usize;
        // Two texts of a block are mostly two words.
        reader.read(dom.source(), part.clone(), left);
        left = left.saturating_sub(part.len());
        if left == 0 {
            break;
        }
    }
    let (words, capital_words) = (reader.words, reader.capital_words);
    Looks {
        hash: None,
        words,
        capital_words,
        ends_sentence: texts.last().is_some_and(|text| ends_sentence(dom.raw(*text))),
        in_title,
    }
}

/// Whether a text ends a sentence. A handful of closing marks is passed over.
fn ends_sentence(text: &str) -> bool {
    let is_closing = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | ')' | '”' | '’' | '»' | ']' | '」' | '』');
    let last = text.chars().rev().take(4).find(|c| !is_closing(*c));
    matches!(last, Some('.' | '!' | '?' | '…' | '。' | '！' | '？' | '।' | '؟' | '۔'))
}

/// A hash of the text of a block, whatever its white space, character references and inline elements.
fn hash_of(dom: &Dom<'_>, texts: &[NodeId], scratch: &mut String) -> u64 {
    let is_plain = |text: &NodeId| !dom.node(*text).flags.has(NodeFlags::ENTITIES | NodeFlags::UNCOLLAPSED);
    if let [text] = texts
        && is_plain(text)
    {
        return xxh3_64(dom.raw(*text).as_bytes());
    }
    scratch.clear();
    for text in texts {
        if is_plain(text) {
            scratch.push_str(dom.raw(*text));
        } else {
            push_node(dom.source(), dom.node(*text), scratch);
        }
    }
    xxh3_64(scratch.as_bytes())
}
