//! FE and KFE, FeatureExtractor and K-FeatureExtractor: the blocks of a page that are most like text.
//!
//! S. Debnath, P. Mitra, C. L. Giles: *Automatic Extraction of Informative Blocks from Webpages*, SAC 2005; S. Debnath,
//! P. Mitra, N. Pal, C. L. Giles: *Automatic Identification of Informative Sections of Web Pages*, IEEE TKDE 17(9),
//! 2005.
//!
//! A page is cut into blocks. Each has a value for each feature: words, links, images and form controls. A value is
//! divided by the largest that a block of the page has. The desired feature is text:
//!
//! ```text
//! p(b) = words(b) / (words(b) + links(b) + images(b) + controls(b))
//! FE     the block with the largest p
//! KFE    the cluster of blocks whose mean has the most words; k-means of all blocks by (words, p)
//! ```
//!
//! | parameter | `fe` | `kfe` | |
//! |---|---|---|---|
//! | `winners` | block | cluster | what is kept |
//! | `clusters` | 3 | 3 | the number of clusters |
//!
//! # Readings and departures
//!
//! - CETD names the features text, images and script code. Ours are text, links, images and form controls: scripts are
//!   left out before.
//! - Blocks end at the tags of block-level elements and table cells.
//! - Of blocks with the same p, the one with the most words wins, and of those the first. A block without words never
//!   does.
//! - Clusters begin on the line from (0, 0) to (1, 1), at equal distances.

use serde::{Deserialize, Serialize};

use super::k_means::{self, Point, clusters, square_distance};
use super::tokens::{TextToken, Token, Tokens, strip};
use crate::strip::Strip;
use crate::texts::select;
use crate::view::View;
use crate::{Explanation, Extractor, PageContext, ParameterError, Rule, Selection};
use dehusk_html::{NodeId, Tag};

/// The blocks that are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Winners {
    /// The best block.
    Block,
    /// The best cluster of blocks.
    Cluster,
}

/// FeatureExtractor and K-FeatureExtractor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FeatureExtractor {
    /// The blocks that are kept.
    pub winners: Winners,
    /// The number of clusters.
    pub clusters: u32,
}

impl FeatureExtractor {
    /// FE: the best block.
    pub fn fe() -> Self {
        Self {
            winners: Winners::Block,
            clusters: 3,
        }
    }

    /// KFE: the best cluster.
    pub fn kfe() -> Self {
        Self {
            winners: Winners::Cluster,
            ..Self::fe()
        }
    }

    /// Chooses among blocks. `points` are their words and p.
    fn choice(&self, points: &[Point]) -> Choice {
        match self.winners {
            Winners::Block => {
                let with_words = points.iter().enumerate().filter(|(_, point)| point[0] > 0.0);
                let by_share =
                    |one: &Point, other: &Point| one[1].total_cmp(&other[1]).then(one[0].total_cmp(&other[0]));
                // Of equals, the last of the way back is the first of the page.
                let best = with_words.rev().max_by(|one, other| by_share(one.1, other.1));
                Choice::Block(best.map(|(block, _)| block))
            }
            Winners::Cluster => {
                let mut centers = k_means::centers(self.clusters, [1.0; 2]);
                let of_blocks = clusters(points, &mut centers, false);
                let mut used: Vec<usize> = of_blocks.clone();
                used.sort_unstable();
                used.dedup();
                let best = used
                    .into_iter()
                    .max_by(|one, other| centers[*one][0].total_cmp(&centers[*other][0]));
                Choice::Cluster(best, of_blocks, centers)
            }
        }
    }
}

/// A choice among blocks.
enum Choice {
    /// The block with the largest p.
    Block(Option<usize>),
    /// The cluster with the most words; the cluster of each block; the clusters' centers.
    Cluster(Option<usize>, Vec<usize>, Vec<Point>),
}

impl Choice {
    fn has(&self, block: usize) -> bool {
        match self {
            Choice::Block(best) => *best == Some(block),
            Choice::Cluster(best, of_blocks, _) => *best == Some(of_blocks[block]),
        }
    }
}

/// A block: how much of each feature it has. The values are words, links, images and controls.
#[derive(Clone, Debug, Default)]
struct FeatureBlock {
    texts: Vec<TextToken>,
    values: [u32; 4],
}

fn blocks(view: &View<'_>, tokens: &Tokens) -> Vec<FeatureBlock> {
    let dom = view.dom();
    let mut blocks = Vec::new();
    let mut block = FeatureBlock::default();
    for token in &tokens.all {
        match token {
            Token::Text(text) => {
                block.values[0] += text.words;
                block.texts.push(*text);
            }
            Token::Open(id) | Token::Close(id) => {
                let tag = dom.node(*id).tag;
                if tag.is_block() || matches!(tag, Tag::Td | Tag::Th) {
                    blocks.push(std::mem::take(&mut block));
                }
                if matches!(token, Token::Open(_)) {
                    match tag {
                        Tag::A => block.values[1] += 1,
                        Tag::Img => block.values[2] += 1,
                        Tag::Input | Tag::Select | Tag::Textarea | Tag::Button => block.values[3] += 1,
                        _ => {}
                    }
                }
            }
        }
    }
    blocks.push(block);
    blocks.retain(|block| block.values != [0; 4]);
    blocks
}

/// The words and p of each block.
fn points(blocks: &[FeatureBlock]) -> Vec<Point> {
    let mut most = [1; 4];
    for block in blocks {
        for (most, value) in most.iter_mut().zip(block.values) {
            *most = value.max(*most);
        }
    }
    let point = |block: &FeatureBlock| {
        let shares: [f64; 4] = std::array::from_fn(|f| f64::from(block.values[f]) / f64::from(most[f]));
        [shares[0], shares[0] / shares.iter().sum::<f64>()]
    };
    blocks.iter().map(point).collect()
}

impl Extractor for FeatureExtractor {
    fn strip(&self) -> Strip {
        strip()
    }

    fn describe(&self) -> String {
        let winners = match self.winners {
            Winners::Block => "the block that is most like text".to_owned(),
            Winners::Cluster => format!("of {} clusters of blocks the one with the longest texts", self.clusters),
        };
        format!("keep {winners}; score = share of the page's words")
    }

    fn check(&self) -> Result<(), ParameterError> {
        ParameterError::check_count("clusters", self.clusters, k_means::MOST_CLUSTERS)
    }

    fn extract(&self, page: &PageContext<'_>) -> Selection {
        let view = &*page.view(&strip());
        let blocks = blocks(view, &Tokens::shared(view));
        let choice = self.choice(&points(&blocks));
        let kept = blocks.iter().enumerate();
        let kept = kept.filter(|(number, block)| block.values[0] > 0 && choice.has(*number));
        let mut kept = kept.flat_map(|(_, block)| &block.texts).peekable();
        select(view, |id| kept.next_if(|text| text.node == id).is_some())
    }

    fn explain(&self, page: &PageContext<'_>, selection: &Selection, nodes: &[NodeId]) -> Vec<Explanation> {
        let view = &*page.view(&strip());
        let blocks = blocks(view, &Tokens::shared(view));
        let points = points(&blocks);
        let choice = self.choice(&points);
        let explain = |id: &NodeId| {
            let subtree = view.dom().subtree(*id);
            let number = blocks
                .iter()
                .position(|block| block.texts.iter().any(|text| subtree.contains(&text.node)))?;
            let [words, links, images, controls] = blocks[number].values;
            let by = |rule| {
                Explanation::new(*id, selection, rule)
                    .count("words", words)
                    .count("links", links)
                    .count("images", images)
                    .count("controls", controls)
                    .measure("part", points[number][0])
                    .measure("p", points[number][1])
            };
            match &choice {
                Choice::Block(best) => Some(by(&SHARE).measure("best", points[(*best)?][1])),
                Choice::Cluster(best, of_blocks, centers) => {
                    let distances = centers
                        .iter()
                        .map(|center| format!("{:.4}", square_distance(&points[number], center).sqrt()));
                    let distances: Vec<String> = distances.collect();
                    let explanation = by(&DISTANCES)
                        .names("distances", distances.iter().map(String::as_str))
                        .count("cluster", of_blocks[number] as u64 + 1)
                        .count("best", (*best)? as u64 + 1);
                    Some(explanation)
                }
            }
        };
        nodes.iter().filter_map(explain).collect()
    }
}

static SHARE: Rule = Rule::new(
    "fe.share",
    "its first block has {words} words, {links} links, {images} images and {controls} controls, so p = {p}; the best \
     block has {best}",
);
static DISTANCES: Rule = Rule::new(
    "kfe.distances",
    "its first block has {words} words, {links} links, {images} images and {controls} controls, so it is at ({part}, \
     {p}), at the distances {distances} from the clusters; it is in cluster {cluster}, and {best} has the most words",
);
