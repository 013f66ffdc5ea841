//! CETD: text density, composite text density, DensitySum, and smoothing.
//!
//! F. Sun, D. Song, L. Liao: *DOM Based Content Extraction via Text Density*, SIGIR 2011, sections 3 and 4.
//!
//! For a tag *i*, `C` characters, `T` tags, `LC` characters in hyperlinks and `LT` hyperlink tags stand under it; `¬LC` is
//! `C - LC`, and *b* is the body:
//!
//! ```text
//! TD_i  (definition 1)  = C/T
//! CTD_i (definition 2)  = C/T · log_B( C/LC · T/LT ),   B = ln( C/¬LC · LC + LC_b/C_b · C + e )
//! DensitySum_N (3)      = Σ density of N's children
//! threshold    (4.2)    = λ · least density on the path from the tag with the greatest DensitySum up to the body
//! content (algorithm 2) : for each tag N reached from the body through tags of density ≥ threshold,
//!                         the tag with the greatest DensitySum under N, whole, and its ancestors
//! smoothing (4.3)       : density averaged with the siblings'; content is what stands in tags at or above λ · body's
//! ```
//!
//! | parameter | paper | `-modern` | |
//! |---|---|---|---|
//! | `density` | text or composite | the same | `cetd-ds` uses the first, the others the second |
//! | `method` | density-sum or smoothing | the same | `cectd-s` uses the second |
//! | `lambda` | 1 | 0.9, smoothing 2 | 5.5 |
//! | `threshold` | path | path | 4.2; or the body's density alone, 4.1 |
//! | `zeros` | everywhere | everywhere | where a hyperlink count of 0 is set to 1 |
//! | `link_tags` | elements | containers | whether a container of links alone is one hyperlink tag more |
//! | `text_runs` | ignored | tag | whether DensitySum also adds the texts between children, and how |
//! | `ancestor_text` | true | true | whether the kept ancestors keep their own text |
//! | `without_links` | content | content | what a page without hyperlinks is |
//! | `least_block` | 0 | 0.25 | a block's least share of the greatest DensitySum; ours |
//! | `forms` | keep | ignore-small | to the paper buttons and drop-down lists are hyperlinks, other fields text |
//! | `hidden` | false | true | whether hidden elements are removed first, 6.1 |
//!
//! # Every division by zero, and every logarithm of something small
//!
//! - `T`, `LT`, `LC`, `¬LC` and `C_b` are 1 where they are 0, as the paper says. `zeros` decides whether `LC` is then 1
//!   as a factor, too.
//! - A tag without text has density 0 (the formula would give 0 · log 0).
//! - The argument of the logarithm is at least 1 otherwise, since `LC ≤ C` and `LT ≤ T`; no density is negative.
//! - Where the base is 1, which takes a page without hyperlink characters and `zeros = "denominators"`, the density is
//!   infinite in the paper; here the factor is 1 and the density `C/T`, so that no infinity gets out. What the paper
//!   concludes, that such a page has no noise, is what `without_links` says.
//!
//! # Departures
//!
//! - Of tags with equal DensitySum the wider wins, then the first in the page; the paper does not say.
//! - A tag without child tags has its own density for DensitySum (as in the authors' program; the sum over no children
//!   would be 0). It never changes what is marked: its parent's sum is at least as great, and the wider one wins.
//! - Smoothing is only named in the paper. Here the weights are 1, 2, 1 over the tag and its neighbours among the
//!   child tags of its parent, less those that are missing; text is kept where the smoothed density of the tag right
//!   around it reaches the body's. To ask that of all its ancestors would lose nearly everything.
//! - Characters are those of the text nodes, white space collapsed and none at the ends of a node, where the authors'
//!   program counts what WebKit renders.
//!
//! The naive equivalent of algorithm 2 searches the subtree of every tag that it reaches, and marks and re-marks whole
//! subtrees. Here one pass from the last node to the first leaves the best tag under every tag, one forward pass marks
//! roots of subtrees only, and one more collects them: three passes, whatever the page.

mod density;
mod explain;
mod select;
mod tags;

use serde::{Deserialize, Serialize};

use super::{Explanation, Extractor, PageContext, ParameterError, Selection};
use crate::strip::{Forms, Strip};
use crate::view::View;
use dehusk_html::NodeId;

pub use density::{Densities, DensitySums};

/// Which of the two densities is meant by density.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Density {
    /// Text density, definition 1.
    Text,
    /// Composite text density, definition 2.
    Composite,
}

/// How content is found by densities (section 4.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// By the tags with the greatest sums (section 4.2).
    DensitySum,
    /// By each tag's density, averaged with its neighbours'.
    Smoothing,
}

/// What density a tag must reach. Smoothing always uses the body's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Threshold {
    /// The least on the path from the tag with the greatest DensitySum to the body (4.2).
    Path,
    /// The body's (4.1).
    Body,
}

/// Where a hyperlink count of 0 becomes 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Zeros {
    /// Wherever it stands, as in the authors' program.
    Everywhere,
    /// In denominators only.
    Denominators,
}

/// What counts as a hyperlink tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LinkTags {
    /// `a`, `button` and `select` elements.
    Elements,
    /// Also each element whose text and tags are all in such, as in the authors' program.
    Containers,
}

/// What a text that stands between the children of a tag adds to its DensitySum.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TextRuns {
    /// Nothing: definition 3.
    Ignored,
    /// What the authors' program adds: for *l* characters, *l* with text density, and `l·ln l / ln ln(r·l + e)` with
    /// composite, where *r* is `LC_b/C_b`. It grows without bound as *r* goes to 0.
    Code,
    /// The density that a tag with just this text would have.
    Tag,
}

/// What a page without hyperlink characters is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WithoutLinks {
    /// All of it is content: section 3.3 gives its tags an infinite composite density.
    Content,
    /// A page like any other.
    Scored,
}

/// Largest `lambda`. No page has text left long before.
const MOST_LAMBDA: f64 = 1000.0;

/// CETD with its parameters.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cetd {
    /// Which density.
    pub density: Density,
    /// How content is found by it.
    pub method: Method,
    /// Coefficient of the threshold, 0 or more. At 0 everything is kept; above 1 the body may fall below the threshold,
    /// and then nothing is (section 5.5).
    pub lambda: f64,
    /// What density a tag must reach.
    pub threshold: Threshold,
    /// Where a hyperlink count of 0 becomes 1.
    pub zeros: Zeros,
    /// What counts as a hyperlink tag.
    pub link_tags: LinkTags,
    /// What texts between children add to DensitySum.
    pub text_runs: TextRuns,
    /// Whether the ancestors of content, which are kept, keep the text that stands directly in them. Without it, not
    /// everything is kept at `lambda` 0, as section 5.5 says it is.
    pub ancestor_text: bool,
    /// What a page without hyperlink characters is, with composite density.
    pub without_links: WithoutLinks,
    /// Share of the page's greatest DensitySum that a block's must reach to be marked, 0 to 1. The paper has no such
    /// bound, which is 0; at 1 only the best block is kept.
    pub least_block: f64,
    /// What is done with form elements.
    pub forms: Forms,
    /// Whether hidden elements are removed (section 6.1).
    pub hidden: bool,
}

impl Cetd {
    /// CETD-DS: text density and DensitySum.
    pub fn cetd_ds() -> Self {
        Self {
            density: Density::Text,
            ..Self::cectd_ds()
        }
    }

    /// CECTD-S: composite text density and smoothing.
    pub fn cectd_s() -> Self {
        Self {
            method: Method::Smoothing,
            ..Self::cectd_ds()
        }
    }

    /// CECTD-DS: composite text density and DensitySum.
    pub fn cectd_ds() -> Self {
        Self {
            density: Density::Composite,
            method: Method::DensitySum,
            lambda: 1.0,
            threshold: Threshold::Path,
            zeros: Zeros::Everywhere,
            link_tags: LinkTags::Elements,
            text_runs: TextRuns::Ignored,
            ancestor_text: true,
            without_links: WithoutLinks::Content,
            least_block: 0.0,
            forms: Forms::Keep,
            hidden: false,
        }
    }

    /// The same densities and method with what the authors' program does otherwise than the paper.
    #[must_use]
    pub fn code(self) -> Self {
        Self {
            link_tags: LinkTags::Containers,
            text_runs: TextRuns::Code,
            ..self
        }
    }

    /// The same densities and method with the readings and values that do better on pages of today.
    #[must_use]
    pub fn modern(self) -> Self {
        let base = Self {
            link_tags: LinkTags::Containers,
            text_runs: TextRuns::Tag,
            forms: Forms::IgnoreSmall,
            hidden: true,
            ..self
        };
        match self.method {
            Method::DensitySum => Self {
                lambda: 0.9,
                least_block: 0.25,
                ..base
            },
            Method::Smoothing => Self { lambda: 2.0, ..base },
        }
    }

    /// The densities of the tags of the body, not smoothed, by which [`Extractor::extract`] decides.
    pub fn densities(&self, view: &View<'_>) -> Densities {
        Densities::of(self, view)
    }

    /// The DensitySums of the tags of the body, by which [`Method::DensitySum`] decides.
    pub fn density_sums(&self, view: &View<'_>) -> DensitySums {
        DensitySums::of(self, view, &self.densities(view))
    }
}

impl Extractor for Cetd {
    fn strip(&self) -> Strip {
        Strip {
            forms: self.forms,
            scripts: true,
            hidden: self.hidden,
            statements: None,
        }
    }

    fn check(&self) -> Result<(), ParameterError> {
        let lambda = self.lambda;
        if !(0.0..=MOST_LAMBDA).contains(&lambda) {
            let requirement = format!("must be a number from 0 to {MOST_LAMBDA}, not {lambda}");
            return Err(ParameterError::invalid("lambda", requirement));
        }
        ParameterError::check_share("least_block", self.least_block)
    }

    fn describe(&self) -> String {
        explain::describe(self)
    }

    fn explain(&self, page: &PageContext<'_>, selection: &Selection, nodes: &[NodeId]) -> Vec<Explanation> {
        explain::explain(self, &page.view(&self.strip()), selection, nodes)
    }

    fn extract(&self, page: &PageContext<'_>) -> Selection {
        let view = &*page.view(&self.strip());
        let body = view.dom().body();
        if view.dom().is_empty() || view.subtree(body).text.chars == 0 {
            return Selection::default();
        }
        let mut measured = self.densities(view);
        let all = self.density == Density::Composite && self.without_links == WithoutLinks::Content;
        let (ranges, winner) = if all && view.subtree(body).control_chars == 0 {
            (vec![view.dom().subtree(body)], Some(body))
        } else {
            match self.method {
                Method::DensitySum => select::by_density_sum(self, view, &measured),
                Method::Smoothing => {
                    measured.smooth();
                    (select::by_density(view, &measured, self.lambda), None)
                }
            }
        };
        Selection {
            score: select::share_outside_links(view, &ranges),
            ranges,
            winner,
            scores: measured.tags.by_node(&measured.densities, f64::NAN),
            scored_from: body,
        }
    }
}
