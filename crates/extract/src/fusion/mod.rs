//! A learned extractor: it scores the blocks of a page with a trained model, and keeps those that promise the best F1.
//!
//! The five papers look at a page through different windows: links, filters, separators, punctuation, density. The
//! features of this extractor hold what all of them see. Nothing in it knows a URL or a site. The features know no word
//! of a page's text, and of the rules only those of `shops` and `actions` do.
//!
//! 1. `blocks` cuts the page into blocks: runs of text between block-level borders. `looks` reads the texts, `lexicon`
//!    the class words.
//! 2. `features` computes about a hundred integers for each block: a [`Matrix`](training::Matrix), a column a feature.
//! 3. A [`Model`] gives every block a probability: boosted trees, networks, or a mixture of both. All sums are of
//!    integers, and what is divided is rounded in one way, so that the result is the same on every machine.
//! 4. `like` moves the logits of blocks alike towards each other: lines of code, cells of a column, posts of a thread.
//!    `repeats` lowers those of texts that other pages of the host hold, where some are known.
//! 5. `choice` keeps the blocks with the best expected F1, and `gaps` what is missing between them. `shops` drops filters
//!    and rows of other things, `contents` a table of contents beside the text, `buttons` those that end like items,
//!    `actions` links such as "Reply". Copies of a kept block are dropped: pages carry content twice, for phones.
//! 6. `comments` finds the comments of readers, and `ranges` turns the blocks into ranges of nodes.
//!
//! The score of a selection is the F1 that selections like it had on pages with known content.
//!
//! | parameter | `fusion` | `fusion-quality` | |
//! |---|---|---|---|
//! | `model` | fusion | fusion-quality | the name of an embedded model, or the path of a model file |
//! | `comments` | auto | auto | what becomes of readers' comments: [`Comments`] |
//!
//! `docs/fusion.md` describes how the models were trained and what they reach.

mod actions;
mod buttons;
mod choice;
mod comments;
mod contents;
mod explain;
mod features;
mod fixed;
mod gaps;
mod like;
mod looks;
mod matrix;
mod model;
mod ranges;
mod repeats;
mod shops;
mod tables;
mod words;
mod workspace;

#[cfg(test)]
mod tests;

use std::path::Path;
use std::sync::Arc;

use dehusk_html::NodeId;
use serde::{Deserialize, Serialize};

use crate::blocks::interner::Interner;
use crate::strip::{Forms, Strip};
use crate::{ExplainedBlock, Explanation, Extractor, PageContext, ParameterError, Selection};
use workspace::PageBlocks;

pub use model::{Model, ModelError};
pub(crate) use workspace::Workspace;

/// Blocks, their features and the rules of a model, as training data, benchmarks and fuzz targets need them.
pub mod training {
    pub use super::features::{names, names_hash};
    pub use super::matrix::Matrix;
    pub use super::model::{Contributions, Rule, Scratch, hash_features, probability};
    pub use super::workspace::PageBlocks;
}

/// The treatment of readers' comments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Comments {
    /// The model decides: it keeps posts where they are the content of the page, as in forums, and drops comments
    /// elsewhere.
    #[default]
    Auto,
    /// All comments are kept.
    Keep,
    /// All comments are dropped.
    Drop,
    /// All comments are kept, apart from the content.
    Separate,
}

/// The parameters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FusionParameters {
    /// The name of an embedded model, or the path of a model file.
    pub model: String,
    /// The treatment of readers' comments.
    pub comments: Comments,
}

/// The embedded models by name.
static EMBEDDED: [(&str, &[u8]); 2] = [
    ("fusion", include_bytes!("models/fusion.dhm")),
    ("fusion-quality", include_bytes!("models/fusion-quality.dhm")),
];

impl FusionParameters {
    /// The parameters with an embedded model.
    pub fn embedded(model: &str) -> Self {
        Self {
            model: model.to_owned(),
            comments: Comments::Auto,
        }
    }
}

/// The learned extractor. See the [module](self).
#[derive(Clone, Debug)]
pub struct Fusion {
    model: Arc<Model>,
    comments: Comments,
    /// The digest of the model file, where the model is not embedded.
    file: Option<u64>,
}

impl Fusion {
    /// The extractor with these parameters. Reads the model file, if they name one.
    ///
    /// # Errors
    /// The model file cannot be read, or is no model for this version.
    pub fn new(parameters: &FusionParameters) -> Result<Self, ParameterError> {
        let embedded = EMBEDDED.iter().find(|(name, _)| *name == parameters.model);
        let invalid = |requirement: String| ParameterError::Invalid {
            name: "model".to_owned(),
            requirement,
        };
        let read;
        let bytes = match embedded {
            Some((_, bytes)) => bytes,
            None => {
                let path = Path::new(&parameters.model);
                read = read_model(path).map_err(|problem| {
                    let names: Vec<_> = EMBEDDED.iter().map(|(name, _)| *name).collect();
                    let names = names.join(", ");
                    invalid(format!(
                        "is no model file: {}: {problem}; give such a file or one of {names}",
                        path.display()
                    ))
                })?;
                &read[..]
            }
        };
        let names = features::names();
        let model = Model::from_bytes(bytes, features::names_hash(), names.len()).map_err(|problem| {
            let remedy = match problem {
                ModelError::OtherFeatures | ModelError::OtherVersion(_) => "train it again with this version",
                _ => "give a whole model file",
            };
            invalid(format!(
                "is no usable model file: {}: {problem}; {remedy}, or leave out the setting",
                parameters.model
            ))
        })?;
        Ok(Self {
            file: embedded.is_none().then(|| model.digest()),
            model: Arc::new(model),
            comments: parameters.comments,
        })
    }

    /// The digest of the model file; `None` for an embedded model.
    pub fn file_digest(&self) -> Option<u64> {
        self.file
    }

    /// Cuts and scores a page, and marks the kept blocks in [`Workspace::kept`].
    fn choose(&self, context: &PageContext<'_>, workspace: &mut Workspace) {
        workspace.score(context.dom(), &self.model, context.others());
        let Workspace {
            page,
            logits,
            choice,
            shops,
            tables,
            kept,
            ..
        } = workspace;
        kept.ratio = choice::choose(page.words(), logits, self.model.rule(), choice, &mut kept.chosen);
        kept.content.clone_from(&kept.chosen);
        shops.find(context.dom(), &page.blocks, page.buffers.heading(), &kept.chosen);
        shops.drop(&mut kept.content);
        contents::find(context.dom(), &page.blocks, &kept.content, &mut shops.left_out);
        shops.drop(&mut kept.content);
        gaps::fill(context.dom(), &page.blocks, logits, tables, &mut kept.content);
        shops.drop(&mut kept.content);
        kept.buttons.clone_from(&kept.content);
        buttons::drop(context.dom(), &page.blocks, &mut kept.content);
        actions::drop(context.dom(), &page.blocks, &mut kept.content);
        let rest = kept.buttons.iter_mut().zip(&kept.content);
        rest.for_each(|(button, content)| *button &= !content);
        kept.filled.clear();
        let chosen = kept.content.iter().zip(&kept.chosen);
        kept.filled.extend(chosen.map(|(content, chosen)| *content && !chosen));
        kept.comments.clear();
        if self.comments != Comments::Auto {
            let found = comments::find(&page.blocks, page.buffers.heading());
            for (content, found) in kept.content.iter_mut().zip(&found) {
                *content = match self.comments {
                    Comments::Keep => *content || found.is_comment,
                    _ => *content && !found.in_section,
                };
            }
            if self.comments == Comments::Separate {
                kept.comments.extend(found.iter().map(|found| found.is_comment));
            }
        }
        kept.drop_copies(page, u32::from(self.model.rule().copy_words));
    }
}

/// The fate of each block. The memory is kept from page to page.
#[derive(Debug, Default)]
struct BlockFates {
    /// The blocks of the selection.
    content: Vec<bool>,
    /// The blocks with the best expected F1, copies included.
    chosen: Vec<bool>,
    /// The blocks that are kept because they are between these.
    filled: Vec<bool>,
    /// The blocks that were left out because they only do something.
    buttons: Vec<bool>,
    /// The kept blocks whose text was kept before.
    copies: Vec<bool>,
    /// The comments that are kept apart. Empty if none are.
    comments: Vec<bool>,
    /// The expected F1, of 65535.
    ratio: u16,
    /// The texts that were kept.
    texts: Interner,
}

impl BlockFates {
    /// Leaves out the blocks of at least so many words whose text was kept before.
    fn drop_copies(&mut self, page: &PageBlocks, least_words: u32) {
        self.texts.reset(0);
        self.copies.clear();
        let mut texts = 0;
        for (block, content) in self.content.iter_mut().enumerate() {
            let text = (*content && page.words()[block] >= least_words).then(|| page.buffers.text_hash(block));
            let is_copy = text.flatten().is_some_and(|text| {
                let is_seen = self.texts.number(text) < texts;
                texts += u32::from(!is_seen);
                is_seen
            });
            self.copies.push(is_copy);
            *content &= !is_copy;
        }
    }
}

/// No model file is larger.
const LARGEST_MODEL: u64 = 64 << 20;

fn read_model(path: &Path) -> std::io::Result<Vec<u8>> {
    use std::io::Read;
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path)?;
    file.take(LARGEST_MODEL).read_to_end(&mut bytes)?;
    Ok(bytes)
}

impl Extractor for Fusion {
    fn strip(&self) -> Strip {
        Strip {
            controls: true,
            ..Strip::new(Forms::Keep)
        }
    }

    fn extract(&self, page: &PageContext<'_>) -> Selection {
        let dom = page.dom();
        let workspace = &mut *page.workspace();
        self.choose(page, workspace);
        let kept = &workspace.kept;
        let blocks = &workspace.page.blocks;
        let mut selection = Selection::new(ranges::of_kept(dom, blocks, &kept.content, &mut workspace.ranges));
        if !kept.comments.is_empty() {
            selection.comments = ranges::of_kept(dom, blocks, &kept.comments, &mut workspace.ranges);
        }
        if !selection.ranges.is_empty() {
            selection.score = f64::from(self.model.confidence(kept.ratio)) / 65535.0;
        }
        selection
    }

    fn explain(&self, page: &PageContext<'_>, selection: &Selection, nodes: &[NodeId]) -> Vec<Explanation> {
        explain::explain(self, page, selection, nodes)
    }

    fn explain_blocks(&self, page: &PageContext<'_>) -> Vec<ExplainedBlock> {
        explain::blocks(self, page)
    }

    fn describe(&self) -> String {
        let rule = self.model.rule();
        format!(
            "blocks with the best expected F1 by the model's probabilities are kept, and none below {:.2}; score = the F1 of \
             such selections on pages with known content",
            f64::from(rule.least_probability) / 65536.0
        )
    }
}
