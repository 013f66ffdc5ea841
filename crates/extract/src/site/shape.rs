//! Sketches of the structure of pages, by which the layouts of a host are distinguished.

use dehusk_html::{Dom, Node, Tag};

use crate::blocks::hash;

/// A sketch of a page's structure: b-bit minwise hashing (P. Li, A. C. König: *b-Bit Minwise Hashing*, 2010) of the
/// page's elements, each with its parent's tag, by one permutation that is cut into lanes (P. Li and others: *One
/// Permutation Hashing*, 2012).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Shape(u128);

/// The lanes of a sketch.
const LANES: usize = 32;

/// The bits of a lane. Its highest value means that no element is in the lane.
const BITS: usize = 4;
const EMPTY: u8 = (1 << BITS) - 1;

/// So much of an element's attributes is read, in bytes, up to the first digit. Names of classes come first.
const READ: usize = 24;

/// The least similarity of pages of one layout, in percent.
const ALIKE: u32 = 50;

impl Shape {
    /// The sketch of a page.
    pub fn new(dom: &Dom<'_>) -> Self {
        let mut least = [u64::MAX; LANES];
        let nodes = dom.nodes();
        let (from, to) = (dom.body(), nodes[dom.body() as usize].end);
        for node in &nodes[from as usize..to as usize] {
            if !is_structure(node.tag) {
                continue;
            }
            let tags = (nodes[node.parent as usize].tag as u64) << 8 | node.tag as u64;
            let element = with_attributes(tags, dom, node);
            let lane = &mut least[element as usize % LANES];
            *lane = (*lane).min(element >> 5);
        }
        let mut sketch = 0;
        for least in least {
            let value = match least {
                u64::MAX => EMPTY,
                least => (hash(least, 1) % u64::from(EMPTY)) as u8,
            };
            sketch = sketch << BITS | u128::from(value);
        }
        Self(sketch)
    }

    /// The sketch as bytes.
    pub fn to_bytes(self) -> [u8; 16] {
        self.0.to_le_bytes()
    }

    /// The sketch of these bytes.
    pub fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(u128::from_le_bytes(bytes))
    }

    /// The share of their structure that two pages have in common, in percent: an estimate of the Jaccard similarity of
    /// their elements, with a standard error of 9.
    pub fn similarity(self, other: Self) -> u32 {
        let lane = |sketch: u128, lane: usize| (sketch >> (BITS * lane)) as u8 & EMPTY;
        let (mut same, mut all) = (0, 0);
        for at in 0..LANES {
            let (own, other) = (lane(self.0, at), lane(other.0, at));
            // A lane that is empty on both pages means nothing.
            if own != EMPTY || other != EMPTY {
                all += 1;
                same += u32::from(own == other);
            }
        }
        // One lane in fifteen agrees by chance.
        let share = (100 * same).checked_div(all).unwrap_or(100);
        (15 * share).saturating_sub(100) / 14
    }

    /// Whether two pages seem to have one layout.
    pub fn is_alike(self, other: Self) -> bool {
        self.similarity(other) >= ALIKE
    }
}

/// Whether an element belongs to the structure of a page, and not to a text.
fn is_structure(tag: Tag) -> bool {
    tag.is_block()
}

/// Joins a hash and the start of an element's attributes, which is read in words of eight bytes.
fn with_attributes(mut hashed: u64, dom: &Dom<'_>, node: &Node) -> u64 {
    let (from, to) = (node.from as usize, node.to as usize);
    let source = dom.source().as_bytes().get(from..).unwrap_or_default();
    let bytes: [u8; READ] = source.first_chunk().copied().unwrap_or_else(|| {
        let mut padded = [0; READ];
        padded[..source.len()].copy_from_slice(source);
        padded
    });
    let mut left = to.saturating_sub(from) as u32;
    for word in bytes.as_chunks().0 {
        let word = u64::from_le_bytes(*word);
        let length = before_digit(word).min(left);
        if length < 8 {
            return hash(hashed, word & ((1 << (8 * length)) - 1));
        }
        hashed = hash(hashed, word);
        left -= 8;
    }
    hashed
}

/// The number of bytes of a word before its first digit.
fn before_digit(word: u64) -> u32 {
    let all = |byte: u8| u64::from_le_bytes([byte; 8]);
    // A digit is less than 10 now, and adding this to what is no digit sets the highest bit of its byte.
    let digits = word ^ all(b'0');
    let others = ((digits & all(0x7F)) + all(0x80 - 10)) | digits;
    (!others & all(0x80)).trailing_zeros() / 8
}

#[cfg(test)]
mod tests {
    use super::*;
    use dehusk_html::{Buffers, parse};

    fn shape(page: &str) -> Shape {
        Shape::new(&parse(page, Buffers::default()))
    }

    /// A page of a template: its words and its numbers are its own.
    fn article(number: u32) -> String {
        let head: String = (0..20)
            .map(|n| format!("<div class=part-{}>", char::from(b'a' + n)))
            .collect();
        let paragraphs = "<p>words</p>".repeat(number as usize + 1);
        format!("<body>{head}<div class='post post-{number}'><h1>Title {number}</h1>{paragraphs}")
    }

    #[test]
    fn pages_of_one_template_are_alike() {
        let list = format!(
            "<body><ul class=teasers>{}</ul><nav class=pages><form class=search><table class=rows><tr><td>",
            "<li class=teaser><h2 class=head></h2><section class=lead></section>".repeat(9)
        );
        assert_eq!(shape(&article(1)).similarity(shape(&article(30))), 100);
        assert!(!shape(&article(1)).is_alike(shape(&list)));
    }

    #[test]
    fn attributes_are_read_up_to_a_digit() {
        for (word, length) in [
            (b"class=ab", 8),
            (b"class=a7", 7),
            (b"0lass=a7", 0),
            (b"c/:\xB0\xB9\x00 9", 7),
        ] {
            assert_eq!(before_digit(u64::from_le_bytes(*word)), length, "{word:?}");
        }
        let one = |attributes: &str| shape(&format!("<body><div {attributes}>x"));
        assert_eq!(one("class='post-4'"), one("class='post-17 a'"));
        assert_ne!(one("class='post-4'"), one("class='past-4'"));
    }

    #[test]
    fn a_sketch_is_read_as_it_was_written() {
        let shape = shape(&article(1));
        assert_eq!(Shape::from_bytes(shape.to_bytes()), shape);
        assert_eq!(shape.similarity(shape), 100);
    }
}
