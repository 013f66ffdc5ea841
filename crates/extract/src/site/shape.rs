//! Sketches of the structure of pages, by which the layouts of a host are told apart.

use dehusk_html::{Dom, Node, Tag};
use xxhash_rust::xxh3::xxh3_64;

use crate::blocks::hash;

/// A sketch of a page's structure: b-bit minwise hashing (P. Li, A. C. König: *b-Bit Minwise Hashing*, 2010) of the
/// page's elements, each with its parent's tag, by one permutation that is cut into lanes (P. Li and others: *One
/// Permutation Hashing*, 2012).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Shape(u128);

/// The lanes of a sketch.
const LANES: usize = 32;

/// The bits of a lane. Its highest value says that no element is in the lane.
const BITS: usize = 4;
const EMPTY: u8 = (1 << BITS) - 1;

/// So much of an element's attributes is read, in bytes, up to the first digit. Names of classes come first.
const READ: usize = 20;

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
            let element = hash(attributes(dom, node), nodes[node.parent as usize].tag as u64);
            let element = hash(element, node.tag as u64);
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

    /// How much of their structure two pages have in common, in percent: an estimate of the Jaccard similarity of their
    /// elements, with a standard error of 9.
    pub fn similarity(self, other: Self) -> u32 {
        let lane = |sketch: u128, lane: usize| (sketch >> (BITS * lane)) as u8 & EMPTY;
        let (mut same, mut all) = (0, 0);
        for at in 0..LANES {
            let (own, other) = (lane(self.0, at), lane(other.0, at));
            // A lane that is empty on both pages says nothing.
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

/// A hash of the start of an element's attributes.
fn attributes(dom: &Dom<'_>, node: &Node) -> u64 {
    let (from, to) = (node.from as usize, (node.to as usize).min(node.from as usize + READ));
    let raw = dom.source().as_bytes().get(from..to).unwrap_or_default();
    let end = raw.iter().position(u8::is_ascii_digit).unwrap_or(raw.len());
    xxh3_64(&raw[..end])
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
    fn a_sketch_is_read_as_it_was_written() {
        let shape = shape(&article(1));
        assert_eq!(Shape::from_bytes(shape.to_bytes()), shape);
        assert_eq!(shape.similarity(shape), 100);
    }
}
