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
//! # Readings
//!
//! - Of regions with the same T, the one that begins first counts, and of those the shortest.
//! - A page without words has no region.

use serde::{Deserialize, Serialize};

use super::tokens::{Token, Tokens, strip, with_view};
use crate::strip::Strip;
use crate::texts::select;
use crate::{Extractor, PageContext, Selection};

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
        with_view(page, |view| {
            let tokens = Tokens::of(view);
            let region = region(&tokens.all);
            let mut place = 0..tokens.all.len();
            select(view, |id| {
                let at = place.find(|at| matches!(tokens.all[*at], Token::Text(text) if text.node == id));
                at.is_some_and(|at| region.contains(&at))
            })
        })
    }
}

/// The region, as places of tokens. Empty where there is none.
fn region(tokens: &[Token]) -> std::ops::Range<usize> {
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
