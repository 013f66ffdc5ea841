//! CCB, Content Code Blurring: what is content after content and code are blurred.
//!
//! T. Gottron: *Content Code Blurring: A New Approach to Content Extraction*, DEXA Workshops 2008.
//!
//! A page is a vector of tokens: c(n) is 1 if token n is a word, and 0 if it is a tag. Blurring gives each token the
//! mean of its neighbours, weighted by a Gaussian. Regions that are mostly words are content:
//!
//! ```text
//! ccr(n) = sum over |d| <= r of w(d) * c(n + d)  /  sum over |d| <= r of w(d),    w(d) = exp(-d^2 / (2 * (r / 2)^2))
//! content: ccr(n) > t
//! ```
//!
//! | parameter | `ccb` | |
//! |---|---|---|
//! | `radius` | 40 | r, in tokens |
//! | `threshold` | 0.75 | t |
//! | `anchors` | true | whether the tags of links are code; the adapted variant (ACCB) leaves them out |
//!
//! # Readings and departures
//!
//! - The paper blurs characters, or tokens (TCCB). Here it is tokens, because the text of a page has seven times as
//!   many characters as words. The vector is blurred once.
//! - At the ends of a page, the mean is of the tokens that there are.
//! - Of a text, the mean of its words decides.

use serde::{Deserialize, Serialize};

use super::tokens::{Token, Tokens, strip, with_view};
use crate::strip::Strip;
use crate::texts::select;
use crate::{Extractor, PageContext, ParameterError, Selection};
use dehusk_html::{NodeId, Tag};

/// Content Code Blurring.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ccb {
    /// How many tokens on each side a token is blurred with.
    pub radius: u32,
    /// What is above it is content.
    pub threshold: f64,
    /// Whether the tags of links are code.
    pub anchors: bool,
}

impl Default for Ccb {
    fn default() -> Self {
        Self {
            radius: 40,
            threshold: 0.75,
            anchors: true,
        }
    }
}

/// No radius is larger: the weights of a radius are kept in a table.
const LARGEST_RADIUS: u32 = 1_000;

/// A text: the places of its words among all tokens.
struct TextPlace {
    node: NodeId,
    start: usize,
    end: usize,
}

/// Sums of the Gaussian's weights.
struct Weights {
    /// At `i`: the sum of the weights from `-radius` to `i - radius - 1`.
    sums: Vec<f64>,
    radius: usize,
}

impl Weights {
    fn new(radius: usize) -> Self {
        let sigma = radius as f64 / 2.0;
        let mut sums = vec![0.0];
        let mut sum = 0.0;
        for d in 0..=2 * radius {
            let distance = d as f64 - radius as f64;
            sum += if radius == 0 {
                1.0
            } else {
                (-distance * distance / (2.0 * sigma * sigma)).exp()
            };
            sums.push(sum);
        }
        Self { sums, radius }
    }

    /// The sum of the weights of the tokens from `start` to `end`, as seen from the token `at`.
    fn of(&self, at: usize, start: usize, end: usize) -> f64 {
        let place = |token: usize| (token + self.radius).saturating_sub(at).min(2 * self.radius + 1);
        self.sums[place(end)] - self.sums[place(start)]
    }
}

impl Extractor for Ccb {
    fn strip(&self) -> Strip {
        strip()
    }

    fn describe(&self) -> String {
        format!(
            "keep texts whose words have more than {} words among the {} tokens on each side, weighted by a Gaussian; \
             score = share of the page's words",
            self.threshold, self.radius
        )
    }

    fn check(&self) -> Result<(), ParameterError> {
        ParameterError::check_share("threshold", self.threshold)?;
        if self.radius > LARGEST_RADIUS {
            let requirement = format!("must be at most {LARGEST_RADIUS}, not {}", self.radius);
            return Err(ParameterError::invalid("radius", requirement));
        }
        Ok(())
    }

    fn extract(&self, page: &PageContext<'_>) -> Selection {
        with_view(page, |view| {
            let dom = view.dom();
            let tokens = Tokens::of(view);
            let is_code = |id| self.anchors || dom.node(id).tag != Tag::A;
            let is_tag = |token: &&Token| matches!(token, Token::Open(id) | Token::Close(id) if is_code(*id));
            let length = tokens.words as usize + tokens.all.iter().filter(is_tag).count();
            let texts = tokens.places(is_code).map(|(node, place)| TextPlace {
                node,
                start: place.start as usize,
                end: place.end as usize,
            });
            let texts: Vec<TextPlace> = texts.collect();
            let weights = Weights::new(self.radius as usize);
            let (mut first, mut text) = (0, 0);
            select(view, |id| {
                while texts[text].node != id {
                    text += 1;
                }
                let TextPlace { start, end, .. } = texts[text];
                let mut sum = 0.0;
                for at in start..end {
                    while texts[first].end + weights.radius < at {
                        first += 1;
                    }
                    let near = texts[first..]
                        .iter()
                        .take_while(|near| near.start <= at + weights.radius);
                    let words: f64 = near.map(|near| weights.of(at, near.start, near.end)).sum();
                    sum += words / weights.of(at, 0, length);
                }
                sum > self.threshold * (end - start) as f64
            })
        })
    }
}
