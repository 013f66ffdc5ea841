//! Texts that the pages of a host share.
//!
//! A text that several pages of a host hold is most likely template: navigation, a notice, a teaser. One page alone
//! cannot tell. [`PageTexts`] reads the texts of a page's blocks as hashes, [`HostTexts`] says which known pages of a
//! host hold them, and [`OtherPages`] leaves out the page itself.
//!
//! All digits of a text are equal, so that counters and dates do not tell pages apart.

use std::ops::Range;
use std::sync::Arc;

use dehusk_html::{Dom, NodeId};
use xxhash_rust::xxh3::xxh3_64;

use crate::Rule;
use crate::blocks::Blocks;

pub(crate) static REPEATED: Rule = Rule::new(
    "site.repeated",
    "at least {least} of {known} other pages of the host hold each of its texts",
);

/// The most pages that are known of a host.
pub const MOST_PAGES: usize = 32;

/// A text of so many words is hardly the same on two pages unless it is template, or they are one page.
const LONG: u32 = 8;

/// The hash of a block's text.
pub type TextHash = u32;

/// Reads the texts of the blocks of pages. The memory is kept from page to page.
#[derive(Debug, Default)]
pub struct PageTexts {
    blocks: Blocks,
    raw: String,
    masked: Vec<u8>,
}

impl PageTexts {
    /// Cuts a page into blocks, and passes the hash of each block's text and the text itself to `see`, in document
    /// order. White space in the text is single spaces, and each run of digits is one 0.
    pub fn read(&mut self, dom: &Dom<'_>, mut see: impl FnMut(TextHash, &str)) {
        self.blocks.cut(dom);
        for block in 0..self.blocks.blocks.len() {
            mask(&self.blocks, block, dom, &mut self.raw, &mut self.masked);
            // Only ASCII characters were replaced.
            see(
                hash(&self.masked),
                std::str::from_utf8(&self.masked).unwrap_or_default(),
            );
        }
    }

    /// Appends the text nodes of the blocks that at least `least` other pages hold, and most blocks around them too, as
    /// ranges in document order. Returns the number of other pages that are no copies of this one.
    pub(crate) fn repeated(
        &mut self,
        dom: &Dom<'_>,
        others: &OtherPages,
        least: u32,
        out: &mut Vec<Range<NodeId>>,
    ) -> u32 {
        self.blocks.cut(dom);
        let mut texts = Vec::new();
        hashes(&self.blocks, dom, &mut texts);
        let others = others.without_copies(
            texts
                .iter()
                .copied()
                .zip(self.blocks.blocks.iter().map(|block| block.words)),
        );
        let repeated: Vec<u32> = texts.iter().map(|text| others.holding(*text)).collect();
        for (block, around) in around(&repeated).enumerate() {
            if repeated[block] >= least && 2 * around.repeated >= around.all {
                out.extend(
                    self.blocks
                        .texts_of(&self.blocks.blocks[block])
                        .iter()
                        .map(|text| *text..*text + 1),
                );
            }
        }
        others.len()
    }
}

/// Reads the hashes of the blocks that a page was cut into.
pub(crate) fn hashes(blocks: &Blocks, dom: &Dom<'_>, out: &mut Vec<TextHash>) {
    let (mut raw, mut masked) = (String::new(), Vec::new());
    out.clear();
    out.extend((0..blocks.blocks.len()).map(|block| {
        mask(blocks, block, dom, &mut raw, &mut masked);
        hash(&masked)
    }));
}

/// The blocks around a block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Neighbours {
    /// How many there are.
    pub(crate) all: u32,
    /// How many of them other pages hold.
    pub(crate) repeated: u32,
}

/// So many blocks before a block and after it are around it.
const REACH: usize = 3;

/// The blocks around each block of a page. `repeated` says how many other pages hold each block.
///
/// A text of the content may be on other pages as well: a heading such as "See also". What is around it is on none.
pub(crate) fn around(repeated: &[u32]) -> impl Iterator<Item = Neighbours> {
    (0..repeated.len()).map(|at| {
        let range = at.saturating_sub(REACH)..(at + REACH + 1).min(repeated.len());
        let is_repeated = |near: &usize| *near != at && repeated[*near] > 0;
        Neighbours {
            all: range.len() as u32 - 1,
            repeated: range.filter(is_repeated).count() as u32,
        }
    })
}

fn hash(masked: &[u8]) -> TextHash {
    xxh3_64(masked) as u32
}

/// The class of a byte that is masked: a digit, or white space.
const DIGIT: u8 = 1;
const SPACE: u8 = 2;

static CLASSES: [u8; 256] = {
    let mut classes = [0; 256];
    let mut byte = 0;
    while byte < 128 {
        let c = byte as u8;
        classes[byte] = if c.is_ascii_digit() {
            DIGIT
        } else if c.is_ascii_whitespace() {
            SPACE
        } else {
            0
        };
        byte += 1;
    }
    classes
};

/// Writes the text of a block with single spaces, and with one 0 for each run of digits.
fn mask(blocks: &Blocks, block: usize, dom: &Dom<'_>, raw: &mut String, masked: &mut Vec<u8>) {
    raw.clear();
    for text in blocks.texts_of(&blocks.blocks[block]) {
        if !raw.is_empty() {
            raw.push(' ');
        }
        dehusk_html::rendering::push_node(dom.source(), dom.node(*text), raw);
    }
    masked.clear();
    // White space at the start is dropped.
    let mut before = SPACE;
    for byte in raw.bytes() {
        let class = CLASSES[usize::from(byte)];
        if class == 0 {
            masked.push(byte);
        } else if class != before {
            masked.push(if class == DIGIT { b'0' } else { b' ' });
        }
        before = class;
    }
    if masked.last() == Some(&b' ') {
        masked.pop();
    }
}

/// Which texts the known pages of a host hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostTexts {
    texts: Vec<(TextHash, u32)>,
    pages: u32,
}

impl HostTexts {
    /// The texts of so many pages, at most [`MOST_PAGES`]. Each text comes with the pages that hold it, a bit each.
    pub fn new(pages: usize, mut texts: Vec<(TextHash, u32)>) -> Self {
        texts.sort_unstable();
        Self {
            texts,
            pages: pages.min(MOST_PAGES) as u32,
        }
    }

    /// How many pages are known.
    pub fn pages(&self) -> u32 {
        self.pages
    }
}

/// The known pages of a page's host, without the page itself.
#[derive(Clone, Debug)]
pub struct OtherPages {
    host: Arc<HostTexts>,
    /// A bit for each.
    pages: u32,
}

impl OtherPages {
    /// The known pages of a host, but for the page of this number. `None` if there are no others.
    pub fn new(host: Arc<HostTexts>, own: Option<usize>) -> Option<Self> {
        let all = (1u64 << host.pages) - 1;
        let pages = all as u32 & !own.map_or(0, |own| 1 << own);
        (pages != 0).then_some(Self { host, pages })
    }

    /// How many there are.
    pub fn len(&self) -> u32 {
        self.pages.count_ones()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.pages == 0
    }

    /// The others without copies: pages that hold every longer text of a page and nearly all of its texts are the page
    /// itself under other addresses. The texts come with their numbers of words.
    pub(crate) fn without_copies(&self, texts: impl Iterator<Item = (TextHash, u32)>) -> Self {
        let (mut all, mut held, mut lacking) = (0u32, [0u32; MOST_PAGES], 0u32);
        for (text, words) in texts {
            let pages = self.pages_with(text);
            all += 1;
            for (page, held) in held.iter_mut().enumerate() {
                *held += pages >> page & 1;
            }
            if words >= LONG {
                lacking |= !pages;
            }
        }
        let is_copy = |page: &usize| lacking >> page & 1 == 0 && 10 * held[*page] >= 9 * all;
        let copies = (0..MOST_PAGES)
            .filter(is_copy)
            .fold(0, |copies: u32, page| copies | 1 << page);
        Self {
            host: Arc::clone(&self.host),
            pages: self.pages & !copies,
        }
    }

    /// How many of them hold a text.
    pub fn holding(&self, text: TextHash) -> u32 {
        self.pages_with(text).count_ones()
    }

    /// Those that hold a text, a bit each.
    fn pages_with(&self, text: TextHash) -> u32 {
        let texts = &self.host.texts;
        let found = texts.binary_search_by_key(&text, |(hash, _)| *hash);
        found.map_or(0, |at| texts[at].1 & self.pages)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dehusk_html::{Buffers, parse};

    fn texts(page: &str) -> Vec<String> {
        let mut all = Vec::new();
        PageTexts::default().read(&parse(page, Buffers::default()), |_, text| all.push(text.to_owned()));
        all
    }

    #[test]
    fn digits_and_white_space_do_not_tell_texts_apart() {
        assert_eq!(
            texts("<p>12 comments,\n  on 3.4.2024</p><p>a <b>b</b> c&nbsp;7"),
            ["0 comments, on 0.0.0", "a b c 0"]
        );
    }

    #[test]
    fn a_page_does_not_count_for_itself() {
        let host = Arc::new(HostTexts::new(3, vec![(9, 0b101), (4, 0b010)]));
        let others = OtherPages::new(Arc::clone(&host), Some(2)).expect("others");
        assert_eq!(
            (others.len(), others.holding(9), others.holding(4), others.holding(5)),
            (2, 1, 1, 0)
        );
        let all = OtherPages::new(host, None).expect("others");
        assert_eq!((all.len(), all.holding(9)), (3, 2));
        let alone = HostTexts::new(1, vec![(1, 1)]);
        assert!(OtherPages::new(Arc::new(alone), Some(0)).is_none());
    }
}
