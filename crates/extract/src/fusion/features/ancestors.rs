//! The tags and the class words of the elements around the block.
//!
//! The distance to a tag or a kind is the number of elements from the block's own up to the nearest that has it.

use dehusk_html::Tag;

use super::super::fixed::{count, log};
use super::Columns;
use super::page::Page;
use crate::blocks::lexicon::KINDS;

/// Tags whose distance is a feature.
const TAGS: [Tag; 4] = [Tag::Main, Tag::Footer, Tag::Form, Tag::Figure];

/// Kinds whose distance is a feature: their bits.
const NEAR: [usize; 5] = [1, 4, 10, 12, 19];

const PLACES: usize = TAGS.len() + NEAR.len();

/// Deeper elements count as being at this depth.
const DEEPEST: u8 = u8::MAX - 1;

/// The depth of what is not around an element.
const NOWHERE: u8 = u8::MAX;

/// No distance is greater, and the distance of what is not there is no smaller.
const MOST: usize = 30;
const FAR: i16 = 1024;

/// The figures that an element hands down to those in it.
#[derive(Clone, Copy, Debug)]
struct Inherited {
    /// The depths of the nearest elements with each tag, and then of those with each kind.
    depths: [u8; PLACES],
    depth: u8,
    /// The weights of the kinds from the body to the element: their sum, the lowest and the highest of an element, its
    /// own and its parent's.
    sum: i16,
    lowest: i16,
    highest: i16,
    own: i16,
    parents: i16,
}

const NOTHING: Inherited = Inherited {
    depths: [NOWHERE; PLACES],
    depth: 0,
    sum: 0,
    lowest: 0,
    highest: 0,
    own: 0,
    parents: 0,
};

/// The arrays that are reused from page to page.
#[derive(Debug, Default)]
pub(super) struct AncestorBuffers(Vec<Inherited>);

#[inline(always)]
pub(super) fn fill(page: &Page<'_>, buffers: &mut AncestorBuffers, columns: &mut Columns<'_>) {
    let around = &mut buffers.0;
    around.clear();
    for element in page.elements {
        let mut own = around.get(element.parent as usize).copied().unwrap_or(NOTHING);
        own.depth = element.depth.min(DEEPEST.into()) as u8;
        own.parents = own.own;
        own.own = 0;
        let place = TAGS.iter().position(|tag| *tag == element.tag);
        if let Some(place) = place {
            own.depths[place] = own.depth;
        }
        if element.kinds != 0 {
            own.add(element.kinds);
        }
        around.push(own);
    }
    let blocks = || page.blocks.iter().map(|block| &around[block.element as usize]);
    let mut distances = [FAR; 256];
    for (distance, value) in distances.iter_mut().enumerate().take(MOST) {
        *value = log(count(distance));
    }
    let distance = |place: usize| {
        blocks().map(move |around| match around.depths[place] {
            NOWHERE => FAR,
            depth => distances[usize::from(around.depth - depth)],
        })
    };
    for (place, tag) in TAGS.iter().enumerate() {
        columns.column_named(format_args!("to_{}", tag.name()), distance(place));
    }
    for (place, kind) in NEAR.iter().enumerate() {
        let name = KINDS[*kind].name;
        columns.column_named(format_args!("class_{name}"), distance(TAGS.len() + place));
    }
    columns.column("class_sum", blocks().map(|around| around.sum.clamp(-64, 64) * 32));
    columns.column("class_lowest", blocks().map(|around| around.lowest * 64));
    columns.column("class_highest", blocks().map(|around| around.highest * 64));
    columns.column("class_own", blocks().map(|around| around.own * 64));
    columns.column("class_parents", blocks().map(|around| around.parents * 64));
}

impl Inherited {
    /// Adds the element's own kinds.
    fn add(&mut self, kinds: u32) {
        for (bit, depth) in NEAR.iter().zip(&mut self.depths[TAGS.len()..]) {
            if kinds >> bit & 1 == 1 {
                *depth = self.depth;
            }
        }
        let mut left = kinds;
        while left != 0 {
            self.own += KINDS[left.trailing_zeros() as usize].weight;
            left &= left - 1;
        }
        self.sum = self.sum.saturating_add(self.own);
        self.lowest = self.lowest.min(self.own);
        self.highest = self.highest.max(self.own);
    }
}
