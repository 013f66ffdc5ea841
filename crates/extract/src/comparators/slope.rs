//! DSC, Document Slope Curves: the regions of a page in which words are more frequent than tags.
//!
//! D. Pinto, M. Branstein, R. Coleman, W. B. Croft, M. King, W. Li, X. Wei: *QuASM: A System for Question Answering
//! Using Semi-Structured Data*, JCDL 2002.
//!
//! The curve has the number of tags among the first n tokens at n, as for [BTE](super::bte). Where it is flat, there
//! are many words and few tags. A window of tokens is flat if its slope is less than some share of the slope of the
//! whole curve. Content is where enough windows in succession are flat, so that there can be more than one region.
//!
//! | parameter | `dsc` | |
//! |---|---|---|
//! | `window` | 60 | tokens in a window |
//! | `share` | 0.5 | a window is flat if its slope is less than this share of the slope of the whole curve |
//! | `windows` | 1 | the fewest flat windows in succession that are content |
//!
//! # Readings
//!
//! - Windows do not overlap. The last one may be shorter.
//! - The papers that compare with DSC give no values. With these, precision and recall on CleanEval come near to what
//!   CETD's Tables 5 and 6 state.

use serde::{Deserialize, Serialize};

use super::tokens::{Token, Tokens, strip, with_view};
use crate::strip::Strip;
use crate::texts::select;
use crate::{Extractor, PageContext, ParameterError, Selection};

/// Document Slope Curves.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Dsc {
    /// Tokens in a window.
    pub window: u32,
    /// A window is flat if its slope is less than this share of the slope of the whole curve.
    pub share: f64,
    /// The fewest flat windows in succession that are content.
    pub windows: u32,
}

impl Default for Dsc {
    fn default() -> Self {
        Self {
            window: 60,
            share: 0.5,
            windows: 1,
        }
    }
}

impl Extractor for Dsc {
    fn strip(&self) -> Strip {
        strip()
    }

    fn describe(&self) -> String {
        format!(
            "keep where {} windows of {} tokens in succession have less than {} of the page's tags for each token; \
             score = share of the page's words",
            self.windows, self.window, self.share
        )
    }

    fn check(&self) -> Result<(), ParameterError> {
        ParameterError::check_share("share", self.share)?;
        ParameterError::check_count("window", self.window, u32::MAX)
    }

    fn extract(&self, page: &PageContext<'_>) -> Selection {
        with_view(page, |view| {
            let tokens = Tokens::of(view);
            let flat = self.flat_windows(&tokens);
            let mut texts = tokens.places(|_| true);
            select(view, |id| {
                let Some((_, range)) = texts.find(|(node, _)| *node == id) else {
                    return false;
                };
                let length = range.end - range.start;
                let inside = flat.overlap(range, u64::from(self.window));
                length > 0 && 2 * inside > length
            })
        })
    }
}

/// Whether each window is a part of a flat region.
struct Windows(Vec<bool>);

impl Windows {
    /// How many tokens of a range lie in flat regions.
    fn overlap(&self, range: std::ops::Range<u64>, window: u64) -> u64 {
        let windows = range.start / window..range.end.div_ceil(window);
        windows
            .filter(|number| self.0[*number as usize])
            .map(|number| range.end.min((number + 1) * window) - range.start.max(number * window))
            .sum()
    }
}

impl Dsc {
    fn flat_windows(&self, tokens: &Tokens) -> Windows {
        let window = u64::from(self.window);
        let mut tags = vec![0_u64; tokens.len().div_ceil(window) as usize];
        let mut at = 0;
        for token in &tokens.all {
            match token {
                Token::Text(text) => at += u64::from(text.words),
                Token::Open(_) | Token::Close(_) => {
                    tags[(at / window) as usize] += 1;
                    at += 1;
                }
            }
        }
        let slope = tokens.tags as f64 / tokens.len().max(1) as f64;
        let lengths = (0..tags.len() as u64).map(|number| window.min(tokens.len() - number * window));
        let mut flat: Vec<bool> = tags
            .iter()
            .zip(lengths)
            .map(|(tags, length)| (*tags as f64) < self.share * slope * length as f64)
            .collect();
        for region in flat.chunk_by_mut(|one, other| one == other) {
            if region.len() < self.windows as usize {
                region.fill(false);
            }
        }
        Windows(flat)
    }
}
