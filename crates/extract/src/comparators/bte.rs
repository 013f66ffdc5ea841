//! BTE, Body Text Extraction: the one region of a page with the most words and the fewest tags.
//!
//! A. Finn, N. Kushmerick, B. Smyth: *Fact or fiction: Content classification for digital libraries*, DELOS Workshop on
//! Personalisation and Recommender Systems in Digital Libraries, 2001.
//!
//! A page is a sequence of N tokens. `B(n)` is 1 if token n is a tag, and 0 if it is a word. The content is what lies
//! from i to j, where
//!
//! ```text
//! T(i, j) = sum over n < i of B(n)  +  sum over i <= n <= j of (1 - B(n))  +  sum over n > j of B(n)
//! ```
//!
//! is the largest. The sum of the outer terms is the number of all tags less those from i to j. So T(i, j) is that
//! number plus the sum of +1 for each word and -1 for each tag from i to j: a maximum subarray, which one pass finds.
//!
//! # Readings and departures
//!
//! - Tags are those of the tree: an element without an end tag in the source has one, and an implied element has none.
//! - Of regions with the same T, the one that begins first counts, and of those the shortest.
//! - A page without words has no region.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::tokens::{OfText, Token, Tokens, in_range, strip};
use crate::strip::Strip;
use crate::texts::select;
use crate::view::View;
use crate::{Explanation, Extractor, PageContext, Rule, Selection};
use dehusk_html::NodeId;

/// Body Text Extraction. It has no parameters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bte {}

impl Extractor for Bte {
    fn strip(&self) -> Strip {
        strip()
    }

    fn describe(&self) -> String {
        "keep the one region with the most words less tags; score = share of the page's words".to_owned()
    }

    fn extract(&self, page: &PageContext<'_>) -> Selection {
        let view = &*page.view(&strip());
        let tokens = Tokens::shared(view);
        let region = region(&tokens.all);
        let mut texts = (0..)
            .zip(&tokens.all)
            .filter(|(_, token)| matches!(token, Token::Text(_)));
        select(view, |_| texts.next().is_some_and(|(at, _)| region.contains(&at)))
    }

    fn explain(&self, page: &PageContext<'_>, selection: &Selection, nodes: &[NodeId]) -> Vec<Explanation> {
        let view = &*page.view(&strip());
        let tokens = Tokens::shared(view);
        let region = region(&tokens.all);
        let figures = RegionFigures {
            start: length(&tokens.all[..region.start]),
            end: length(&tokens.all[..region.end]),
            tags: tags(&tokens.all[region]),
            tokens: &tokens,
        };
        let places: Vec<OfText<Range<u64>>> = tokens.places(|_| true).collect();
        let explain = |id: &NodeId| figures.explain(view, selection, &places, *id);
        nodes.iter().filter_map(explain).collect()
    }
}

/// The region, as places of tokens. Empty where there is none.
fn region(tokens: &[Token]) -> Range<usize> {
    let (mut best, mut best_region) = (0, 0..0);
    // The sum of all tokens so far, and where it was the least.
    let (mut sum, mut least, mut start) = (0_i64, 0, 0);
    for (at, token) in tokens.iter().enumerate() {
        sum += match token {
            Token::Text(text) => i64::from(text.words),
            Token::Open(_) | Token::Close(_) => -1,
        };
        if sum - least > best {
            (best, best_region) = (sum - least, start..at + 1);
        }
        if sum < least {
            (least, start) = (sum, at + 1);
        }
    }
    best_region
}

fn tags(tokens: &[Token]) -> u64 {
    tokens.iter().filter(|token| !matches!(token, Token::Text(_))).count() as u64
}

/// The number of words and tags.
fn length(tokens: &[Token]) -> u64 {
    let words = tokens.iter().map(|token| match token {
        Token::Text(text) => u64::from(text.words),
        Token::Open(_) | Token::Close(_) => 1,
    });
    words.sum()
}

static INSIDE: Rule = Rule::new(
    "bte.inside",
    "its tokens {from} to {to} are in the region {start} to {end} of {all} tokens, which has {words} words and {tags} \
     tags",
);
static OUTSIDE: Rule = Rule::new(
    "bte.outside",
    "its tokens {from} to {to} are not in the region {start} to {end} of {all} tokens, which has {words} words and \
     {tags} tags",
);

/// The region, its ends in words and tags from the start of the page.
struct RegionFigures<'t> {
    start: u64,
    end: u64,
    tags: u64,
    tokens: &'t Tokens,
}

impl RegionFigures<'_> {
    /// Tokens are counted from 1, and ranges include both ends.
    fn explain(
        &self,
        view: &View<'_>,
        selection: &Selection,
        places: &[OfText<Range<u64>>],
        id: NodeId,
    ) -> Option<Explanation> {
        let own = in_range(places, view.dom().subtree(id));
        let (first, last) = (own.first()?, own.last()?);
        let rule = if selection.contains(id) { &INSIDE } else { &OUTSIDE };
        let explanation = Explanation::new(id, selection, rule)
            .count("from", first.1.start + 1)
            .count("to", last.1.end)
            .count("start", self.start + 1)
            .count("end", self.end)
            .count("all", self.tokens.len())
            .count("words", self.end - self.start - self.tags)
            .count("tags", self.tags);
        Some(explanation)
    }
}
