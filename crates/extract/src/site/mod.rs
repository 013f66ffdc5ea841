//! Texts that the pages of a host share.
//!
//! A text that several pages of a host hold is most likely template: navigation, a notice, a teaser. One page alone
//! cannot tell. [`PageTexts`] reads the texts of a page's blocks as hashes, [`HostTexts`] says which known pages of a
//! host hold them, and [`OtherPages`] leaves out the page itself and its copies. [`Shape`] tells the layouts of a host
//! apart.
//!
//! All digits of a text are equal, so that counters and dates do not tell pages apart. White space is nothing, so that a
//! text is the same with and without inline markup, and as a line of a document.

mod others;
mod shape;

use std::ops::Range;

use dehusk_html::{Dom, NodeId};
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use crate::Rule;
use crate::blocks::Blocks;

pub use others::{HostTexts, OtherPages};
pub use shape::Shape;

pub(crate) static REPEATED: Rule = Rule::new(
    "site.repeated",
    "at least {least} of {known} other pages of the host hold each of its texts",
);

/// The most pages that are known of a host.
pub const MOST_PAGES: usize = 32;

/// The hash of a block's text, or of another fact of a page: a number below [`HASHES`].
pub type TextHash = u32;

/// The bits of a hash. A page asks for some hundred texts of a host that holds some hundred, so one page in fifty has
/// a text that is taken for another one, and a bit more would cost a host's entry in a store as many bits as it has
/// texts.
pub const HASH_BITS: u32 = 22;

/// The number of hashes.
pub const HASHES: TextHash = 1 << HASH_BITS;

/// The most texts that are remembered of a page: those of the least hashes. Hardly a template is larger.
pub const MOST_TEXTS: usize = 1024;

/// So many bytes of a text without white space are compared. The rest counts only by its words.
const LONGEST: usize = 128;

/// So many bytes of a text node or of a line are read. They are enough for [`LONGEST`] if most letters are references.
const READ: usize = 4 * LONGEST;

/// Reads the texts of the blocks of pages. The memory is kept from page to page.
#[derive(Debug, Default)]
pub struct PageTexts {
    blocks: Blocks,
    masking: Masking,
}

/// The memory that texts are masked in.
#[derive(Debug, Default)]
struct Masking {
    raw: String,
    masked: Vec<u8>,
    squeezed: Vec<u8>,
}

impl PageTexts {
    /// Cuts a page into blocks, and passes the hash of each block's text, its words and the text itself to `see`, in
    /// document order. White space in the text is single spaces, each run of digits is one 0, and a long text is cut.
    pub fn read(&mut self, dom: &Dom<'_>, mut see: impl FnMut(TextHash, u32, &str)) {
        let Self { blocks, masking } = self;
        blocks.cut_texts(dom);
        for block in 0..blocks.blocks.len() {
            let hash = masking.mask(blocks, block, dom);
            // Only ASCII characters were replaced.
            let text = std::str::from_utf8(&masking.masked).unwrap_or_default();
            let shown = &text[..text.floor_char_boundary(LONGEST)];
            see(hash, blocks.blocks[block].words, shown);
        }
    }

    /// Appends the text nodes of the blocks that at least `least` other pages hold, and most blocks around them too, as
    /// ranges in document order.
    pub(crate) fn repeated(&mut self, dom: &Dom<'_>, others: &OtherPages, least: u32, out: &mut Vec<Range<NodeId>>) {
        self.blocks.cut_texts(dom);
        let repeated = others.counts();
        for (block, around) in around(repeated).enumerate() {
            if repeated[block] >= least && 2 * around.repeated >= around.all {
                let block = &self.blocks.blocks[block];
                out.extend(self.blocks.texts_of(block).iter().map(|text| *text..*text + 1));
            }
        }
    }
}

/// The hash of a line of text, as the block that it comes from has it.
pub fn text_hash(line: &str) -> TextHash {
    let read = &line[..line.floor_char_boundary(READ)];
    let (mut masked, mut squeezed) = (Vec::new(), Vec::new());
    mask(read, &mut masked);
    let words = || dehusk_html::counting::count_literal(line).counts.words;
    masked_hash(&masked, &mut squeezed, read.len() == line.len(), words)
}

/// The hash of a fact of a page that is no text of a block: `kind` says which.
pub fn fact_hash(kind: u8, value: &str) -> TextHash {
    shortened(xxh3_64_with_seed(value.as_bytes(), 1 << 32 | u64::from(kind)))
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

fn shortened(hash: u64) -> TextHash {
    (hash >> (64 - HASH_BITS)) as TextHash
}

/// How a byte is masked: the byte in its place, and in the high bits whether it is a digit or white space.
const DIGIT: u16 = 1 << 8;
const SPACE: u16 = 1 << 9;

static MASKS: [u16; 256] = {
    let mut masks = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let c = byte as u8;
        masks[byte] = if c.is_ascii_digit() {
            DIGIT | b'0' as u16
        } else if c.is_ascii_whitespace() {
            SPACE | b' ' as u16
        } else {
            c as u16
        };
        byte += 1;
    }
    masks
};

impl Masking {
    /// Masks the text of a block, and returns its hash.
    fn mask(&mut self, blocks: &Blocks, block: usize, dom: &Dom<'_>) -> TextHash {
        let Self { raw, masked, squeezed } = self;
        let block = &blocks.blocks[block];
        let mut is_whole = true;
        raw.clear();
        for text in blocks.texts_of(block) {
            if raw.len() >= READ {
                is_whole = false;
                break;
            }
            if !raw.is_empty() {
                raw.push(' ');
            }
            let mut node = *dom.node(*text);
            if (node.to - node.from) as usize > READ {
                node.to = dom.source().floor_char_boundary(node.from as usize + READ) as u32;
                is_whole = false;
            }
            dehusk_html::rendering::push_node(dom.source(), &node, raw);
        }
        mask(raw, masked);
        masked_hash(masked, squeezed, is_whole, || block.words)
    }
}

/// Writes a text with single spaces, and with one 0 for each run of digits.
fn mask(raw: &str, masked: &mut Vec<u8>) {
    masked.clear();
    masked.resize(raw.len(), 0);
    // White space at the start is dropped.
    let (mut before, mut length) = (SPACE, 0);
    for byte in raw.bytes() {
        // Every byte is written, and the next one takes its place if it is to be dropped: that needs no jump.
        let mask = MASKS[usize::from(byte)];
        let class = mask & (DIGIT | SPACE);
        masked[length] = mask as u8;
        length += usize::from(class == 0 || class != before);
        before = class;
    }
    masked.truncate(length);
    if masked.last() == Some(&b' ') {
        masked.pop();
    }
}

/// The hash of a masked text, whose white space does not count. One that is cut, or not `whole` already, counts by its
/// number of words, too.
fn masked_hash(masked: &[u8], squeezed: &mut Vec<u8>, whole: bool, words: impl FnOnce() -> u32) -> TextHash {
    squeezed.clear();
    squeezed.resize(masked.len(), 0);
    let (mut before, mut length) = (b' ', 0);
    for byte in masked {
        // As in `mask`. Digits on both sides of white space are one run.
        squeezed[length] = *byte;
        let is_dropped = *byte == b' ' || *byte == b'0' && before == b'0';
        length += usize::from(!is_dropped);
        before = if *byte == b' ' { before } else { *byte };
    }
    squeezed.truncate(length.min(LONGEST));
    shortened(if whole && length <= LONGEST {
        xxh3_64(squeezed)
    } else {
        xxh3_64_with_seed(squeezed, words().into())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use dehusk_html::{Buffers, parse};

    fn texts(page: &str) -> Vec<String> {
        let mut all = Vec::new();
        PageTexts::default().read(&parse(page, Buffers::default()), |_, _, text| all.push(text.to_owned()));
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
    fn a_long_text_is_compared_by_its_start_and_its_words() {
        let hash = |end: &str| {
            let mut hashes = Vec::new();
            let page = format!("<p>{}{end}</p>", "many words ".repeat(40));
            PageTexts::default().read(&parse(&page, Buffers::default()), |hash, _, text| {
                assert!(text.len() <= LONGEST);
                hashes.push(hash);
            });
            hashes
        };
        assert_eq!(hash("end"), hash("ends"));
        assert_ne!(hash("end"), hash("end here"));
    }

    #[test]
    fn a_block_has_the_hash_of_its_line() {
        let long = "many words of a long text, 12 of them. ".repeat(9);
        for (block, line) in [
            (
                "un<b>bold</b>ed &amp; <i>all</i>, 1<sup>2</sup>",
                "unbolded & all, 12".to_owned(),
            ),
            ("a&nbsp;b\n    <em>c</em> .", "a b c.".to_owned()),
            (
                &format!("The <a href=/>first</a>, &ouml; {long}"),
                format!("The first, ö {}", long.trim_end()),
            ),
            (&"&#1072;".repeat(300), "а".repeat(300)),
        ] {
            let mut hashes = Vec::new();
            let page = format!("<p>{block}<br>the next line</p>");
            PageTexts::default().read(&parse(&page, Buffers::default()), |hash, _, _| hashes.push(hash));
            assert_eq!(hashes, [text_hash(&line), text_hash("the next line")], "{line}");
        }
        assert_ne!(text_hash("unbolded & all"), text_hash("unbolded all"));
    }
}
