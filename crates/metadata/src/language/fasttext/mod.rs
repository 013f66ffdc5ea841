//! Models of fastText that detect languages: `.bin` files, and `.ftz` files, whose matrices are quantised.
//!
//! A model is the mean of the vectors of a text's words, of the sequences of letters in them and of sequences of words,
//! multiplied by a matrix of labels (Joulin et al., "Bag of Tricks for Efficient Text Classification", 2016; "FastText.zip:
//! Compressing text classification models", 2016). The reader takes files of the format's versions 11 and 12, which
//! are those of fastText 0.1 to 0.9, with every loss.
//!
//! Two departures: sigmoids are computed, and not looked up in a table of 512 values, so scores of the losses `ns` and
//! `ova` differ in the third decimal; and a text is one line, whatever line ends it has.

mod matrix;
mod read;
mod tree;
mod vocabulary;

use std::io::Read;

use matrix::Matrix;
pub use read::ModelError;
use read::{Input, Options};
use tree::Tree;
use vocabulary::Vocabulary;

use super::{GUESS, Language, sample};

/// A model that detects the language of a text.
pub struct Model {
    vocabulary: Vocabulary,
    /// A row for each word, and for each bucket of sequences.
    input: Matrix,
    /// A row for each label, or for each inner node of the tree.
    output: Matrix,
    scoring: Scoring,
}

/// How scores of rows become scores of labels.
enum Scoring {
    Softmax,
    /// Each label for itself.
    Sigmoid,
    /// Hierarchical softmax.
    Tree(Tree),
}

impl Model {
    /// Reads a model.
    ///
    /// # Errors
    /// It cannot be read, ends early, or is no model of labels.
    pub fn read(bytes: impl Read) -> Result<Self, ModelError> {
        let mut input = Input::new(bytes);
        let options = Options::read(&mut input)?;
        let vocabulary = Vocabulary::read(&mut input, &options)?;
        let is_quantized = input.flag()?;
        let rows = Matrix::read(&mut input, is_quantized)?;
        let is_output_quantized = input.flag()? && is_quantized;
        let output = Matrix::read(&mut input, is_output_quantized)?;
        input.end()?;
        let labels = vocabulary.labels().len();
        if rows.columns() != options.dimensions || output.columns() != options.dimensions {
            return Err(ModelError::Invalid("its matrices have other widths than its vectors"));
        }
        if output.rows() != labels {
            return Err(ModelError::Invalid(
                "its matrix of labels has another height than labels",
            ));
        }
        let scoring = match options.loss {
            read::Loss::Softmax => Scoring::Softmax,
            read::Loss::Sigmoid => Scoring::Sigmoid,
            read::Loss::Tree => Scoring::Tree(Tree::new(vocabulary.counts())),
        };
        Ok(Self {
            vocabulary,
            input: rows,
            output,
            scoring,
        })
    }

    /// The labels, without the prefix `__label__`.
    pub fn labels(&self) -> impl Iterator<Item = &str> {
        self.vocabulary.labels().iter().map(|label| &**label)
    }

    /// The best label of a text, without its prefix, and its score, 0 to 1. `None` if the model knows nothing of the text.
    pub fn best_label(&self, text: &str) -> Option<(&str, f64)> {
        let mut hidden = vec![0.0; self.input.columns()];
        let mut rows = 0_u32;
        self.vocabulary.for_each_row(text.as_bytes(), |row| {
            if self.input.add_row(row, &mut hidden) {
                rows += 1;
            }
        });
        if rows == 0 {
            return None;
        }
        let share = 1.0 / rows as f32;
        hidden.iter_mut().for_each(|value| *value *= share);
        let row = |row: usize| f64::from(self.output.dot_row(row, &hidden));
        let scores = || (0..self.output.rows()).map(row);
        let (label, score) = match &self.scoring {
            Scoring::Tree(tree) => tree.best(row)?,
            Scoring::Sigmoid => {
                let (label, score) = best(scores())?;
                (label, tree::sigmoid(score))
            }
            Scoring::Softmax => {
                let scores: Vec<f64> = scores().collect();
                let (label, most) = best(scores.iter().copied())?;
                let sum: f64 = scores.iter().map(|score| (score - most).exp()).sum();
                (label, 1.0 / sum)
            }
        };
        let label = self.vocabulary.labels().get(label)?;
        score.is_finite().then_some((&**label, score.clamp(0.0, 1.0)))
    }

    /// The language of a text, by the same sample of it as [`super::detect`] takes. `None` if the model is not sure
    /// enough, or its best label names no language.
    pub fn detect(&self, text: &str) -> Option<Language> {
        let (label, score) = self.best_label(&sample::sample(text))?;
        super::labelled(text, label, score).filter(|found| found.score >= GUESS)
    }
}

/// The place of the highest score, and the score.
fn best(scores: impl Iterator<Item = f64>) -> Option<(usize, f64)> {
    scores.enumerate().max_by(|a, b| a.1.total_cmp(&b.1))
}

/// It shows no vectors.
impl std::fmt::Debug for Model {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Model")
            .field("labels", &self.vocabulary.labels().len())
            .field("dimensions", &self.input.columns())
            .finish_non_exhaustive()
    }
}
