//! CCB, Content Code Blurring: finds the content after content and code are blurred.
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
//! - The paper blurs characters, or tokens (TCCB). This is TCCB, because the text of a page has seven times as many
//!   characters as words. The vector is blurred once.
//! - We know the paper only from those that cite it, and they give no values. The radius, the threshold and the spread
//!   of the Gaussian, r / 2, are ours.
//! - At the ends of a page, the mean is of the tokens that there are.
//! - Of a text, the mean of its words decides.

use serde::{Deserialize, Serialize};

use super::tokens::{OfText, Token, Tokens, in_range, strip};
use crate::strip::Strip;
use crate::texts::select;
use crate::view::View;
use crate::{Explanation, Extractor, PageContext, ParameterError, Rule, Selection};
use dehusk_html::{NodeId, Tag};

/// Content Code Blurring.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ccb {
    /// How many tokens on each side a token is blurred with.
    pub radius: u32,
    /// Content has values above this.
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

/// The sum of ccr over the words of a text, and their number.
#[derive(Clone, Copy)]
struct Blurred {
    sum: f64,
    words: usize,
}

impl Blurred {
    fn mean(self) -> f64 {
        self.sum / self.words.max(1) as f64
    }
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
    fn between(&self, at: usize, start: usize, end: usize) -> f64 {
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
        ParameterError::check_at_most("radius", self.radius, LARGEST_RADIUS)
    }

    fn extract(&self, page: &PageContext<'_>) -> Selection {
        let view = &*page.view(&strip());
        let mut texts = self.blurred(view).into_iter();
        select(view, |_| texts.next().is_some_and(|(_, text)| self.is_content(text)))
    }

    fn explain(&self, page: &PageContext<'_>, selection: &Selection, nodes: &[NodeId]) -> Vec<Explanation> {
        let view = &*page.view(&strip());
        let texts = self.blurred(view);
        let explain = |id: &NodeId| self.explain_node(view, selection, &texts, *id);
        nodes.iter().filter_map(explain).collect()
    }
}

static CONTENT: Rule = Rule::new(
    "ccb.content",
    "each of its texts has a mean ccr above {threshold}; {text} has the least, {ratio} over {words} words",
);
static CODE: Rule = Rule::new(
    "ccb.code",
    "none of its texts has a mean ccr above {threshold}; {text} has the greatest, {ratio} over {words} words",
);

impl Ccb {
    fn is_content(&self, text: Blurred) -> bool {
        text.sum > self.threshold * text.words as f64
    }

    /// The texts of a page, blurred.
    fn blurred(&self, view: &View<'_>) -> Vec<OfText<Blurred>> {
        let dom = view.dom();
        let tokens = Tokens::shared(view);
        let is_code = |id| self.anchors || dom.node(id).tag != Tag::A;
        let is_tag = |token: &&Token| matches!(token, Token::Open(id) | Token::Close(id) if is_code(*id));
        let length = tokens.words as usize + tokens.all.iter().filter(is_tag).count();
        let places = tokens.places(is_code);
        let texts: Vec<OfText<(usize, usize)>> = places
            .map(|(id, place)| (id, (place.start as usize, place.end as usize)))
            .collect();
        let weights = Weights::new(self.radius as usize);
        let mut first = 0;
        let mut blurred = Vec::with_capacity(texts.len());
        for (id, (start, end)) in &texts {
            let mut sum = 0.0;
            for at in *start..*end {
                while texts[first].1.1 + weights.radius < at {
                    first += 1;
                }
                let near = texts[first..].iter().map(|(_, place)| *place);
                let near = near.take_while(|(start, _)| *start <= at + weights.radius);
                let words: f64 = near.map(|(start, end)| weights.between(at, start, end)).sum();
                sum += words / weights.between(at, 0, length);
            }
            blurred.push((
                *id,
                Blurred {
                    sum,
                    words: end - start,
                },
            ));
        }
        blurred
    }

    fn explain_node(
        &self,
        view: &View<'_>,
        selection: &Selection,
        texts: &[OfText<Blurred>],
        id: NodeId,
    ) -> Option<Explanation> {
        let with_words = in_range(texts, view.dom().subtree(id))
            .iter()
            .filter(|(_, text)| text.words > 0);
        let by_mean = |one: &&OfText<Blurred>, other: &&OfText<Blurred>| one.1.mean().total_cmp(&other.1.mean());
        let (rule, text) = if selection.contains(id) {
            (&CONTENT, with_words.min_by(by_mean)?)
        } else {
            (&CODE, with_words.max_by(by_mean)?)
        };
        let explanation = Explanation::new(id, selection, rule)
            .parameter("threshold", self.threshold)
            .node("text", text.0)
            .measure("ratio", text.1.mean())
            .count("words", text.1.words as u64);
        Some(explanation)
    }
}
