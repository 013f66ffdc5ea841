//! The systems that the five papers were measured against, so that their tables can be repeated.
//!
//! | name | method | file |
//! |---|---|---|
//! | `bte` | Body Text Extraction: the one region with the most words and the fewest tags | [`bte`] |
//! | `dsc` | Document Slope Curves: regions where words are more frequent than tags | [`slope`] |
//! | `lqf` | Link Quota Filter: all but elements whose text is mostly linked | [`link_quota`] |
//! | `crunch-links` | the link list remover of Crunch: all but table cells with many links | [`link_quota`] |
//! | `fe`, `kfe` | FeatureExtractor: the block, or the cluster of blocks, that is most like text | [`blocks`] |
//! | `ccb` | Content Code Blurring: what is content when content and code are blurred | [`blurring`] |
//! | `cetr` | Content Extraction via Tag Ratios: the lines of the source with much text for each tag | [`tag_ratios`] |
//!
//! They are built from their published descriptions. Each file names its source, gives the formula in the source's
//! symbols, and states what is read and what is done in another way. Common to all:
//!
//! - They see the body without `script`, `style`, `template` and comments.
//! - A word is one of [`Counts`](dehusk_html::Counts), so that each CJK character is one.
//! - A text node is kept or left out as a whole. The majority of its words (DSC) or characters (CETR) decides, or the
//!   mean over its words (CCB). The others decide on whole texts, blocks or elements.

pub mod blocks;
pub mod blurring;
pub mod bte;
mod k_means;
pub mod link_quota;
pub mod slope;
mod source_lines;
pub mod tag_ratios;
mod tokens;

pub use blocks::FeatureExtractor;
pub use blurring::Ccb;
pub use bte::Bte;
pub use link_quota::LinkQuota;
pub use slope::Dsc;
pub use tag_ratios::Cetr;
