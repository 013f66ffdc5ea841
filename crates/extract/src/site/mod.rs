//! Texts that the pages of a host share.
//!
//! A text that several pages of a host hold is most likely template: navigation, a notice, a teaser. One page alone
//! cannot show that. [`PageTexts`] reads the texts of a page's blocks as hashes, [`HostTexts`] finds the known pages of
//! a host that hold them, and [`OtherPages`] leaves out the page itself and its copies. [`Shape`] distinguishes the
//! layouts of a host.
//!
//! All digits of a text are equal, so that counters and dates do not distinguish pages. White space is nothing, so that
//! a text is the same with and without inline markup, and as a line of a document.

mod facts;
mod masking;
mod others;
mod shape;

use std::ops::Range;

use dehusk_html::{Dom, NodeId};
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::Rule;
use crate::blocks::Blocks;
use masking::TextHasher;

pub use facts::Facts;
pub use masking::shown;
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

/// Reads the texts of the blocks of pages. The memory is kept from page to page.
#[derive(Debug, Default)]
pub struct PageTexts {
    blocks: Blocks,
}

/// The text of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockText {
    /// The hash of the text.
    pub hash: TextHash,
    /// The number of its words.
    pub words: u32,
    /// Whether the hash has only the start of the text and the sum of the rest.
    pub is_cut: bool,
    /// Its last text node.
    pub last: NodeId,
}

impl PageTexts {
    /// Cuts a page into blocks, and passes the text of each to `see`, in document order.
    pub fn read(&mut self, dom: &Dom<'_>, mut see: impl FnMut(BlockText)) {
        self.blocks.cut_texts(dom);
        let mut hasher = TextHasher::default();
        for block in &self.blocks.blocks {
            let texts = self.blocks.texts_of(block);
            see(BlockText {
                hash: hasher.hash_nodes(dom, texts),
                words: block.words,
                is_cut: hasher.is_cut(),
                last: texts.last().copied().unwrap_or_default(),
            });
        }
    }

    /// Adds the texts of a page to its facts. The texts need not be counted.
    pub fn collect(&mut self, dom: &Dom<'_>, facts: &mut Facts) {
        self.blocks.cut_texts(dom);
        let mut hasher = TextHasher::default();
        for block in &self.blocks.blocks {
            let texts = self.blocks.texts_of(block);
            facts.add_text(hasher.hash_nodes(dom, texts), dom, texts);
        }
    }

    /// Appends the text nodes of the blocks that at least `least` other pages hold, and most blocks around them too, as
    /// ranges in document order.
    pub(crate) fn repeated(&mut self, dom: &Dom<'_>, others: &OtherPages, least: u32, out: &mut Vec<Range<NodeId>>) {
        self.blocks.cut_texts(dom);
        let repeated = others.counts();
        for (block, around) in around(repeated).enumerate() {
            if repeated[block] >= least && around.are_repeated() {
                let block = &self.blocks.blocks[block];
                out.extend(self.blocks.texts_of(block).iter().map(|text| *text..*text + 1));
            }
        }
    }
}

/// The hash of a line of text, as the block that it comes from has it.
pub fn text_hash(line: &str) -> TextHash {
    TextHasher::default().hash_line(line)
}

/// The hash of a fact of a page that is no text of a block. `kind` is the kind of the fact.
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

impl Neighbours {
    /// Those around the block of number `at`. `repeated` is how many other pages hold each block.
    fn of(at: usize, repeated: &[u32]) -> Self {
        let range = at.saturating_sub(REACH)..(at + REACH + 1).min(repeated.len());
        let is_repeated = |near: &usize| *near != at && repeated[*near] > 0;
        Self {
            all: range.len() as u32 - 1,
            repeated: range.filter(is_repeated).count() as u32,
        }
    }

    /// Whether other pages hold half of them. Then the block is hardly content.
    fn are_repeated(self) -> bool {
        2 * self.repeated >= self.all
    }
}

/// How many blocks before a block, and how many after it, are around it.
pub(crate) const REACH: usize = 3;

/// The blocks around each block of a page. `repeated` is how many other pages hold each block.
///
/// A text of the content may be on other pages as well: a heading such as "See also". What is around it is on none.
pub(crate) fn around(repeated: &[u32]) -> impl Iterator<Item = Neighbours> {
    (0..repeated.len()).map(|at| Neighbours::of(at, repeated))
}

fn shortened(hash: u64) -> TextHash {
    (hash >> (64 - HASH_BITS)) as TextHash
}

#[cfg(test)]
mod tests {
    use super::*;
    use dehusk_html::{Buffers, Limits, parse, parse_uncounted, text_of};
    use proptest::prelude::*;

    fn hashes(page: &str) -> Vec<TextHash> {
        let mut all = Vec::new();
        PageTexts::default().read(&parse(page, Buffers::default()), |text| all.push(text.hash));
        all
    }

    /// The hashes of a page whose texts are not counted, and how they begin.
    fn facts(page: &str) -> Vec<(TextHash, String)> {
        let dom = parse_uncounted(page, Buffers::default(), Limits::NONE).expect("a page");
        let mut facts = Facts::default();
        PageTexts::default().collect(&dom, &mut facts);
        let (hashes, begins) = facts.take();
        let mut rest = &*begins;
        let begin = |hash: &TextHash| {
            let (length, after) = rest.split_first().expect("a length");
            let (begin, after) = after.split_at(usize::from(*length));
            rest = after;
            (*hash, shown(std::str::from_utf8(begin).expect("a text")))
        };
        hashes.iter().map(begin).collect()
    }

    #[test]
    fn texts_with_other_digits_and_white_space_are_the_same() {
        let page = "<p>12 comments,\n  on 3.4.2024</p><p>a <b>b</b> c&nbsp;7";
        let mut begins: Vec<String> = facts(page).into_iter().map(|(_, begin)| begin).collect();
        begins.sort_unstable();
        assert_eq!(begins, ["0 comments, on 0.0.0", "a b c 0"]);
        let other = "<p>7 comments, on\n31.12.1999<p>ab\u{3000}c&#x2003;&#49; 23";
        assert_eq!(hashes(page), hashes(other));
    }

    #[test]
    fn a_text_has_the_same_hash_if_it_is_not_counted() {
        let long = "words, &amp; &rsquo;more&nbsp;words\u{2003}of 12 ".repeat(30);
        let padding = " ".repeat(30);
        let page = format!(
            "<p>{padding}{long}{padding}<p>{long}<b>end</b>{padding}<p>&nbsp;<p>x&#0;y\0<p>日本 語&copy 3<xmp>a &amp; b</xmp>&notanentity;"
        );
        let mut counted = hashes(&page);
        counted.sort_unstable();
        let uncounted: Vec<TextHash> = facts(&page).into_iter().map(|(hash, _)| hash).collect();
        assert_eq!(uncounted, counted);
    }

    #[test]
    fn a_text_is_shown_by_its_start() {
        for (kept, begin) in [
            ("A 12&nbsp;&amp;&nbsp; b", "A 0 & b"),
            (
                "a text of forty-eight bytes with an entity: &rsqu",
                "a text of forty-eight bytes with an enti",
            ),
            (
                "forty-five bytes with an entity in the: &rsqu",
                "forty-five bytes with an entity in the:",
            ),
            ("AT&T", "AT&T"),
        ] {
            assert_eq!(shown(kept), begin);
        }
    }

    #[test]
    fn a_long_text_is_compared_by_its_start_and_the_sum_of_its_letters() {
        let hash = |within: &str, end: &str| {
            let start = "many words ".repeat(15);
            hashes(&format!(
                "<p>{start}{within} and then some more, to <b>the</b> <i>very</i> last of all,<b>{end}</b>"
            ))
        };
        assert_eq!(
            hash("of one page", "the end 3"),
            hash("of one&#32;page 7", "the   end 14")
        );
        assert_ne!(hash("of one page", "the end"), hash("of any page", "the end"));
        assert_ne!(hash("of one page", "the end 3"), hash("of one page", "the other end"));
        assert_ne!(hash("of one page", "."), hash("of one page", "!"));
    }

    #[test]
    fn of_a_long_text_it_is_known_that_not_all_is_compared() {
        let mut cut = Vec::new();
        let page = format!("<p>By Jane Doe<p>{}By Jane Doe", "in the town ".repeat(14));
        PageTexts::default().read(&parse(&page, Buffers::default()), |text| cut.push(text.is_cut));
        assert_eq!(cut, [false, true]);
    }

    proptest! {
        #[test]
        fn a_text_has_one_hash_in_all_its_forms(
            parts in prop::collection::vec(prop::sample::select(&PARTS[..]), 0..60),
            padding in 0usize..50,
        ) {
            let padding = " ".repeat(padding);
            let page = format!("<p>x{}{padding}</p>", parts.concat());
            let dom = parse(&page, Buffers::default());
            let mut known: Vec<TextHash> = facts(&page).into_iter().map(|(hash, _)| hash).collect();
            prop_assert_eq!(&hashes(&page), &known);
            known[0] = text_hash(&text_of(&dom, dom.body()));
            prop_assert_eq!(&hashes(&page), &known);
        }
    }

    /// Parts of texts: white space in all forms, digits, letters of one to three bytes, and references.
    const PARTS: [&str; 14] = [
        " ",
        "\n\t     ",
        "\u{a0}",
        "\u{3000}",
        "&nbsp;",
        "&#x2003;",
        "12",
        "&#49;",
        "words",
        "ü",
        "日本語の",
        "&rsquo;",
        "&",
        "&amp;",
    ];

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
            let page = format!("<p>{block}<br>the next line</p>");
            assert_eq!(hashes(&page), [text_hash(&line), text_hash("the next line")], "{line}");
        }
        assert_ne!(text_hash("unbolded & all"), text_hash("unbolded all"));
    }
}
