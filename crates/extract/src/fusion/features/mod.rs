//! The features of a page's blocks, as 16-bit integers.
//!
//! Each group of features has its file. A group computes what it needs of the page, and then fills one column a
//! feature. The names of the features come from the same lines, so that names and values cannot differ. Models are
//! trained on these very values. There is no feature that no embedded model reads.
//!
//! - `page` gathers what several groups read: prefix sums over the blocks.
//! - `own` looks at the block alone, `position` at its place and its neighbours.
//! - `levels` looks at the nodes of the condensed tree around the block, `scores` at the scores that the papers'
//!   formulas give to these nodes, and at the way from the block to the best ones.
//! - `alike` looks at blocks with the same text or the same style.
//! - `ancestors` looks at the tags and the class words of the elements around the block.
//! - `titles` looks at the words of the title.
//!
//! Most loops go over plain arrays of numbers, one number a block or a node, so that the compiler makes vector code of
//! them. All of it is compiled a second time for AVX2, where vectors are twice as wide. Both give the same numbers: the
//! compiler neither reorders nor fuses operations of floats.

mod alike;
mod ancestors;
mod levels;
mod own;
mod page;
mod position;
mod scores;
mod titles;

use std::fmt::Arguments;
use std::sync::OnceLock;

use dehusk_html::{Buffers, Dom, parse};
use fearless_simd::Level;

use super::matrix::Matrix;
use super::model::hash_features;
use crate::blocks::Blocks;

/// The arrays that are reused from page to page.
#[derive(Debug, Default)]
pub(super) struct FeatureBuffers {
    page: page::PageBuffers,
    levels: levels::LevelBuffers,
    scores: scores::ScoreBuffers,
    alike: alike::AlikeBuffers,
    position: position::PositionBuffers,
    ancestors: ancestors::AncestorBuffers,
    titles: titles::TitleBuffers,
}

impl FeatureBuffers {
    /// A hash of the text of a block of the last page; `None` if no other block has the same text.
    pub(super) fn text_hash(&self, block: usize) -> Option<u64> {
        self.page.text_hash(block)
    }

    /// The block of the last page that is most likely the page's heading.
    pub(super) fn heading(&self) -> Option<usize> {
        self.titles.heading()
    }
}

/// The names of all features, in the order of the columns.
pub fn names() -> &'static [String] {
    static NAMES: OnceLock<Vec<String>> = OnceLock::new();
    NAMES.get_or_init(|| {
        let dom = parse("<p>text", Buffers::default());
        let mut blocks = Blocks::default();
        blocks.cut(&dom);
        let mut names = Vec::new();
        let mut matrix = Matrix::default();
        matrix.reset(blocks.blocks.len(), MOST_FEATURES);
        fill(
            &dom,
            &blocks,
            &mut FeatureBuffers::default(),
            &mut matrix,
            Some(&mut names),
        );
        names
    })
}

/// More than there are features.
const MOST_FEATURES: usize = 256;

/// A hash of the names, which a model file bears.
pub fn names_hash() -> u64 {
    static HASH: OnceLock<u64> = OnceLock::new();
    *HASH.get_or_init(|| hash_features(names().iter().map(String::as_str)))
}

/// Computes the features of all blocks.
pub(super) fn compute(dom: &Dom<'_>, blocks: &Blocks, buffers: &mut FeatureBuffers, matrix: &mut Matrix) {
    compute_at(Level::new(), dom, blocks, buffers, matrix);
}

/// [`compute`] on a processor that has at least these instructions.
pub(super) fn compute_at(
    level: Level,
    dom: &Dom<'_>,
    blocks: &Blocks,
    buffers: &mut FeatureBuffers,
    matrix: &mut Matrix,
) {
    matrix.reset_columns(blocks.blocks.len(), names().len());
    if blocks.blocks.is_empty() {
        return;
    }
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    if let Some(avx2) = level.as_avx2() {
        return fearless_simd::Simd::vectorize(
            avx2,
            #[inline(always)]
            || fill(dom, blocks, buffers, matrix, None),
        );
    }
    let _ = level;
    fill(dom, blocks, buffers, matrix, None);
}

#[inline(always)]
fn fill(
    dom: &Dom<'_>,
    blocks: &Blocks,
    buffers: &mut FeatureBuffers,
    matrix: &mut Matrix,
    names: Option<&mut Vec<String>>,
) {
    let page = &page::Page::new(dom, blocks, &mut buffers.page);
    let columns = &mut Columns { matrix, next: 0, names };
    own::fill(page, columns);
    alike::fill(page, &mut buffers.alike, columns);
    position::fill(page, &mut buffers.position, columns);
    levels::fill(page, &mut buffers.levels, columns);
    titles::fill(page, &mut buffers.titles, columns);
    let title = buffers.titles.heading();
    scores::fill(page, &buffers.levels.nodes, title, &mut buffers.scores, columns);
    ancestors::fill(page, &mut buffers.ancestors, columns);
    own::fill_page(page, columns);
}

/// The columns of the features, which are filled one after the other.
struct Columns<'c> {
    matrix: &'c mut Matrix,
    next: usize,
    names: Option<&'c mut Vec<String>>,
}

impl Columns<'_> {
    /// Fills the next column: the feature `name` of every block.
    #[inline(always)]
    fn column(&mut self, name: &str, values: impl Iterator<Item = i16>) {
        self.column_named(format_args!("{name}"), values);
    }

    /// The column whose name is made of parts.
    #[inline(always)]
    fn column_named(&mut self, name: Arguments<'_>, values: impl Iterator<Item = i16>) {
        if let Some(names) = &mut self.names {
            names.push(name.to_string());
        }
        self.matrix.fill(self.next, values);
        self.next += 1;
    }

    /// Fills the next column with a value that all blocks have.
    #[inline(always)]
    fn constant(&mut self, name: &str, value: i16) {
        self.column(name, std::iter::repeat(value));
    }
}

/// A condition as a feature.
#[inline]
fn flag(condition: bool) -> i16 {
    if condition { super::fixed::ONE } else { 0 }
}
