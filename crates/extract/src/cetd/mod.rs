//! CETD: text density, composite text density, DensitySum, and smoothing.
//!
//! F. Sun, D. Song, L. Liao: *DOM Based Content Extraction via Text Density*, SIGIR 2011, sections 3 and 4.
//!
//! A tag *i* has `C` characters, `T` tags, `LC` characters in hyperlinks and `LT` hyperlink tags under it. `¬LC` is
//! `C - LC`, and *b* is the body:
//!
//! ```text
//! TD_i  (definition 1)  = C/T
//! CTD_i (definition 2)  = C/T · log_B( C/LC · T/LT ),   B = ln( C/¬LC · LC + LC_b/C_b · C + e )
//! DensitySum_N (3)      = Σ density of N's children
//! threshold    (4.2)    = λ · least density on the path from the tag with the greatest DensitySum up to the body
//! content (algorithm 2) : for each tag N reached from the body through tags of density ≥ threshold,
//!                         the tag with the greatest DensitySum under N, whole, and its ancestors
//! smoothing (4.3)       : density averaged with the siblings'; content is what is in tags at or above λ · body's
//! ```
//!
//! | parameter | paper | `-modern` | |
//! |---|---|---|---|
//! | `density` | text or composite | the same | `cetd-ds` uses the first, the others the second |
//! | `method` | density-sum or smoothing | the same | `cectd-s` uses the second |
//! | `lambda` | 1 | 0.9, smoothing 2 | 5.5 |
//! | `threshold` | path | path | 4.2; or the body's density alone, 4.1 |
//! | `zeros` | denominators | everywhere | where a hyperlink count of 0 becomes 1 |
//! | `links` | anchors | targets | which `a` are hyperlinks: [`Links`]. Example 1 has one without `href` |
//! | `link_tags` | elements | containers | whether a container of nothing but links counts as a hyperlink tag too |
//! | `text_runs` | ignored | tag | whether and how DensitySum includes the texts between children |
//! | `ancestor_text` | true | true | whether the kept ancestors keep their own text |
//! | `without_links` | content | content | what a page without hyperlinks is |
//! | `least_block` | 0 | 0.25 | least share of the greatest DensitySum that makes a block; ours |
//! | `forms` | keep | ignore-small | to the paper buttons and drop-down lists are hyperlinks, other fields text |
//! | `hidden` | false | true | whether hidden elements are removed first, 6.1 |
//!
//! # Every division by zero, and every logarithm of something small
//!
//! - `T`, `LT`, `LC`, `¬LC` and `C_b` are 1 where they are 0 and a denominator (3.3). As a factor `LC` stays 0: only so
//!   is the density of a page without hyperlinks infinite, as the paper says. With `zeros = "everywhere"` it is 1 there
//!   too, as in the authors' program, against those words. `T` is 1 everywhere, by algorithm 1.
//! - A tag without text has density 0 (the formula would give 0 · log 0).
//! - The argument of the logarithm is at least 1 otherwise, since `LC ≤ C` and `LT ≤ T`. No density is negative.
//! - The base is 1 on a page without hyperlink characters with `zeros = "denominators"`. The paper's density is
//!   infinite there. Here the factor is 1 and the density is `C/T`, so that no figure is infinite. The paper concludes
//!   that such a page has no noise; `without_links` decides that.
//!
//! # Departures
//!
//! - Of tags with equal DensitySum the outer one wins, then the first in the page. The paper does not say.
//! - The DensitySum of a tag without child tags is its own density, as in the authors' program (the sum over no
//!   children would be 0). This never changes what is marked: its parent's sum is at least as great, and the outer tag
//!   wins.
//! - The paper only names smoothing. Here the weights are 1, 2, 1 over the tag and its neighbours among the child tags
//!   of its parent; a missing neighbour has no weight. A text is kept if the smoothed density of the tag directly
//!   around it reaches the body's. To ask that of all its ancestors would lose nearly everything.
//! - Characters are those of the text nodes, with white space collapsed and trimmed. The authors' program counts what
//!   WebKit renders.
//!
//! # Algorithm
//!
//! The naive equivalent of algorithm 2 searches the subtree of every tag that it reaches, and marks whole subtrees
//! again and again. Here one pass from the last node to the first finds the best tag under every tag, one forward pass
//! marks roots of subtrees only, and one more collects them: three passes for any page.

mod density;
mod explain;
mod select;
mod tags;

use serde::{Deserialize, Serialize};

use super::{Explanation, Extractor, PageContext, ParameterError, Selection};
use crate::strip::{Forms, Links, Strip};
use crate::view::View;
use dehusk_html::NodeId;

pub use density::{Densities, DensitySums};

/// Which of the two densities is used.
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

/// The density that a tag must reach. Smoothing always uses the body's.
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
    /// Everywhere, also as a factor: as in the authors' program, against the words of section 3.3.
    Everywhere,
    /// In denominators only, as section 3.3 says.
    Denominators,
}

/// The tags that count as hyperlink tags.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LinkTags {
    /// `a`, `button` and `select` elements.
    Elements,
    /// Also each element whose text and tags are all in hyperlinks, as in the authors' program.
    Containers,
}

/// The part of a text between the children of a tag in its DensitySum.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TextRuns {
    /// Nothing: definition 3.
    Ignored,
    /// The term of the authors' program for *l* characters: *l* with text density, and `l·ln l / ln ln(r·l + e)` with
    /// composite text density, where *r* is `LC_b/C_b`. It grows without bound as *r* goes to 0.
    Code,
    /// The density of a tag with only this text.
    Tag,
}

/// How a page without hyperlink characters is treated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WithoutLinks {
    /// All of it is content. Section 3.3 gives its tags an infinite composite density.
    Content,
    /// Like any other page.
    Scored,
}

/// Largest `lambda`. Far smaller values keep nothing of any page.
const MOST_LAMBDA: f64 = 1000.0;

/// CETD with its parameters.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cetd {
    /// The density that is used.
    pub density: Density,
    /// How content is found.
    pub method: Method,
    /// Coefficient of the threshold, 0 or more. At 0 everything is kept. Above 1 the body can fall below the threshold,
    /// and then nothing is kept (section 5.5).
    pub lambda: f64,
    /// The density that a tag must reach.
    pub threshold: Threshold,
    /// Where a hyperlink count of 0 becomes 1.
    pub zeros: Zeros,
    /// Which `a` elements are hyperlinks.
    pub links: Links,
    /// The tags that count as hyperlink tags.
    pub link_tags: LinkTags,
    /// The part of texts between children in DensitySum.
    pub text_runs: TextRuns,
    /// Whether the ancestors of content keep the text directly inside them. Otherwise `lambda` 0 does not keep
    /// everything, although section 5.5 says so.
    pub ancestor_text: bool,
    /// How a page without hyperlink characters is treated, with composite density.
    pub without_links: WithoutLinks,
    /// Least share of the page's greatest DensitySum at which a block is marked, 0 to 1. At 0 there is no such bound,
    /// as in the paper; at 1 only the best block is kept.
    pub least_block: f64,
    /// How form elements are treated.
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
            zeros: Zeros::Denominators,
            links: Links::Anchors,
            link_tags: LinkTags::Elements,
            text_runs: TextRuns::Ignored,
            ancestor_text: true,
            without_links: WithoutLinks::Content,
            least_block: 0.0,
            forms: Forms::Keep,
            hidden: false,
        }
    }

    /// The same densities and method with the departures of the authors' program from the paper.
    #[must_use]
    pub fn code(self) -> Self {
        Self {
            zeros: Zeros::Everywhere,
            links: Links::Anchors,
            link_tags: LinkTags::Containers,
            text_runs: TextRuns::Code,
            hidden: true,
            ..self
        }
    }

    /// The same densities and method with readings and values that do better on pages of today.
    #[must_use]
    pub fn modern(self) -> Self {
        let base = Self {
            zeros: Zeros::Everywhere,
            links: Links::Targets,
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

    /// The densities of the tags of the body, not smoothed. [`Extractor::extract`] decides by them.
    pub fn densities(&self, view: &View<'_>) -> Densities {
        Densities::new(self, view)
    }

    /// The DensitySums of the tags of the body. [`Method::DensitySum`] decides by them.
    pub fn density_sums(&self, view: &View<'_>) -> DensitySums {
        DensitySums::new(self, view, &self.densities(view))
    }
}

impl Extractor for Cetd {
    fn strip(&self) -> Strip {
        Strip {
            forms: self.forms,
            controls: false,
            scripts: true,
            hidden: self.hidden,
            statements: None,
            links: self.links,
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
            ..Selection::default()
        }
    }
}
