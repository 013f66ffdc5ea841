//! DSC, Document Slope Curves: the regions of a page in which words are more frequent than tags.
//!
//! D. Pinto, M. Branstein, R. Coleman, W. B. Croft, M. King, W. Li, X. Wei: *QuASM: A System for Question Answering
//! Using Semi-Structured Data*, JCDL 2002.
//!
//! A page is a sequence of N tokens, and `B(n)` is 1 if token n is a tag, and 0 if it is a word, as for
//! [BTE](super::bte). Where the curve of the tags so far is flat, there are many words and few tags:
//!
//! ```text
//! S(n)   = sum over m <= n of B(m)
//! s(i,j) = (S(j) - S(i)) / (j - i)
//! flat:    s(i,j) < share * s(0,N), where i and j are the ends of a window
//! ```
//!
//! Content is where enough windows in succession are flat, so that there can be more than one region.
//!
//! | parameter | `dsc` | |
//! |---|---|---|
//! | `window_tokens` | 60 | tokens in a window |
//! | `share` | 0.5 | a window is flat if its slope is less than this share of the slope of the whole curve |
//! | `least_windows` | 1 | the fewest flat windows in succession that are content |
//!
//! # Readings and departures
//!
//! - We know the method from papers that compare with it. They describe it in words; the symbols are BTE's.
//! - Windows do not overlap. The last one may be shorter.
//! - On a page without tags, where s(0,N) is 0, all is content.
//! - A page with tags that is no longer than a window has no flat one, and nothing of it is kept.
//! - A text is kept as a whole if more than half of its words are in flat windows.
//! - The papers that compare with DSC give no values. With these, precision and recall on CleanEval come near to what
//!   CETD's Tables 5 and 6 state.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::tokens::{OfText, Token, Tokens, in_range, strip};
use crate::strip::Strip;
use crate::texts::select;
use crate::view::View;
use crate::{Explanation, Extractor, PageContext, ParameterError, Rule, Selection};
use dehusk_html::NodeId;

/// Document Slope Curves.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Dsc {
    /// Tokens in a window.
    pub window_tokens: u32,
    /// A window is flat if its slope is less than this share of the slope of the whole curve.
    pub share: f64,
    /// The fewest flat windows in succession that are content.
    pub least_windows: u32,
}

impl Default for Dsc {
    fn default() -> Self {
        Self {
            window_tokens: 60,
            share: 0.5,
            least_windows: 1,
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
            self.least_windows, self.window_tokens, self.share
        )
    }

    fn check(&self) -> Result<(), ParameterError> {
        ParameterError::check_share("share", self.share)?;
        ParameterError::check_count("window_tokens", self.window_tokens, u32::MAX)?;
        ParameterError::check_count("least_windows", self.least_windows, u32::MAX)
    }

    fn extract(&self, page: &PageContext<'_>) -> Selection {
        let view = &*page.view(&strip());
        let tokens = Tokens::shared(view);
        let curve = SlopeCurve::new(self, &tokens);
        let mut texts = tokens.places(|_| true);
        select(view, |_| {
            let Some((_, range)) = texts.next() else {
                return false;
            };
            let length = range.end - range.start;
            2 * curve.flat_tokens(range) > length
        })
    }

    fn explain(&self, page: &PageContext<'_>, selection: &Selection, nodes: &[NodeId]) -> Vec<Explanation> {
        let view = &*page.view(&strip());
        let tokens = Tokens::shared(view);
        let curve = SlopeCurve::new(self, &tokens);
        let places: Vec<OfText<Range<u64>>> = tokens.places(|_| true).collect();
        let explain = |id: &NodeId| curve.explain(view, selection, &places, *id);
        nodes.iter().filter_map(explain).collect()
    }
}

/// The curve of a page, cut into windows.
struct SlopeCurve {
    /// Tokens of a window.
    window: u64,
    /// Tags for each token, in each window.
    slopes: Vec<f64>,
    /// Whether each window is a part of a flat region.
    flat: Vec<bool>,
    /// Tags for each token of the page.
    slope: f64,
    share: f64,
}

impl SlopeCurve {
    fn new(dsc: &Dsc, tokens: &Tokens) -> Self {
        let window = u64::from(dsc.window_tokens);
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
        let lengths = (0..tags.len() as u64).map(|number| window.min(tokens.len() - number * window) as f64);
        let (slopes, mut flat): (Vec<f64>, Vec<bool>) = tags
            .iter()
            .zip(lengths)
            .map(|(tags, length)| (*tags as f64 / length, (*tags as f64) < dsc.share * slope * length))
            .unzip();
        if tokens.tags == 0 {
            // Nothing is flatter than a curve without tags.
            flat.fill(true);
        } else {
            for region in flat.chunk_by_mut(|one, other| one == other) {
                if region.len() < dsc.least_windows as usize {
                    region.fill(false);
                }
            }
        }
        Self {
            window,
            slopes,
            flat,
            slope,
            share: dsc.share,
        }
    }

    /// The numbers of the windows that tokens lie in.
    fn windows(&self, tokens: &Range<u64>) -> Range<u64> {
        tokens.start / self.window..tokens.end.div_ceil(self.window)
    }

    /// How many of these tokens lie in flat regions.
    fn flat_tokens(&self, tokens: Range<u64>) -> u64 {
        self.windows(&tokens)
            .filter(|number| self.flat[*number as usize])
            .map(|number| tokens.end.min((number + 1) * self.window) - tokens.start.max(number * self.window))
            .sum()
    }

    fn explain(
        &self,
        view: &View<'_>,
        selection: &Selection,
        places: &[OfText<Range<u64>>],
        id: NodeId,
    ) -> Option<Explanation> {
        let own = in_range(places, view.dom().subtree(id));
        let words: u64 = own.iter().map(|(_, range)| range.end - range.start).sum();
        if self.slope == 0.0 {
            return (!own.is_empty()).then(|| Explanation::new(id, selection, &NO_TAGS).count("words", words));
        }
        let flat: u64 = own.iter().map(|(_, range)| self.flat_tokens(range.clone())).sum();
        let windows = self.windows(&(own.first()?.1.start..own.last()?.1.end));
        let slopes = &self.slopes[windows.start as usize..windows.end as usize];
        let explanation = Explanation::new(id, selection, &SLOPES)
            .count("flat", flat)
            .count("words", words)
            .count("first", windows.start + 1)
            .count("last", windows.end)
            .measure("least", slopes.iter().copied().fold(f64::INFINITY, f64::min).min(1.0))
            .measure("most", slopes.iter().copied().fold(0.0, f64::max))
            .measure("bound", self.share * self.slope)
            .parameter("share", self.share)
            .measure("slope", self.slope);
        Some(explanation)
    }
}

static NO_TAGS: Rule = Rule::new(
    "dsc.no-tags",
    "the page has no tags, so all of its {words} words are content",
);
static SLOPES: Rule = Rule::new(
    "dsc.slopes",
    "{flat} of its {words} words are in flat windows; its windows {first} to {last} have slopes of {least} to {most}, \
     and flat is less than {bound}, which is {share} of the page's {slope}",
);
