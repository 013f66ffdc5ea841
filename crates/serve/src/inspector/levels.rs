//! The scores of a page as the levels of the slider.

use dehusk_extract::ExplainedPage;
use dehusk_html::NodeId;

/// The highest level. The lowest is 0.
pub(super) const LEVELS: usize = 20;

/// The least score of each level. A level has about as many scores as any other: scores of most extractors differ by
/// powers of ten.
pub(super) struct Levels(Vec<f64>);

impl Levels {
    /// The levels of a page. There is none if the extractor scores nothing.
    pub(super) fn of(page: &ExplainedPage) -> Self {
        let mut scores: Vec<f64> = page.nodes.iter().filter_map(|node| score(page, node.node)).collect();
        scores.sort_by(f64::total_cmp);
        scores.dedup();
        let Some(last) = scores.len().checked_sub(1) else {
            return Self(Vec::new());
        };
        let mut least: Vec<f64> = (0..=LEVELS).map(|level| scores[last * level / LEVELS]).collect();
        least.dedup();
        Self(least)
    }

    /// The least score of each level, from the lowest level on.
    pub(super) fn thresholds(&self) -> &[f64] {
        &self.0
    }

    /// The level of a node, if it has a score.
    pub(super) fn level(&self, page: &ExplainedPage, id: NodeId) -> Option<usize> {
        let score = score(page, id)?;
        self.0.partition_point(|least| *least <= score).checked_sub(1)
    }
}

/// The score of a node, or the probability of the block that it begins.
pub(super) fn score(page: &ExplainedPage, id: NodeId) -> Option<f64> {
    let node = &page.nodes[id as usize];
    let block = node.block.and_then(|block| page.blocks.get(block as usize));
    let score = node.score.or(block.map(|block| block.probability));
    score.filter(|score| score.is_finite())
}
