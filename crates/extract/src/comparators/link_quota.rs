//! LQF, the Link Quota Filter, and the link list remover of Crunch: a page without what is mostly links.
//!
//! C. Mantratzis, M. Orgun, S. Cassidy: *Separating XHTML content from navigation clutter using DOM-structure block
//! analysis*, Hypertext 2005. S. Gupta, G. Kaiser, D. Neistadt, P. Grimm: *DOM-based Content Extraction of HTML
//! Documents*, WWW 2003.
//!
//! ```text
//! lqf            an element is removed if  characters in links / characters > quota
//! crunch-links   a table cell is removed if  links / words outside of links > quota
//! ```
//!
//! | parameter | `lqf` | `crunch-links` | |
//! |---|---|---|---|
//! | `elements` | structure | cells | which elements are looked at |
//! | `measure` | text | links | what is divided by what |
//! | `quota` | 0.5 | 0.25 | an element with more is removed |
//!
//! # Readings and departures
//!
//! - The structure elements of LQF are all block-level elements and table cells. The body is never removed.
//! - An element is looked at from the outside in: below a removed one there is nothing to decide.
//! - Without a word outside of links, a cell with a link is removed.
//! - The papers that compare with these filters give no quota for LQF. The value is ours.
//! - We know LQF only from papers that cite it: an element with a high share of its text in links is removed. Crunch
//!   has more filters; this is the one that ContentEx starts from.

use serde::{Deserialize, Serialize};

use super::tokens::strip;
use crate::range_difference::range_difference;
use crate::strip::Strip;
use crate::texts::visible;
use crate::view::View;
use crate::{Explanation, Extractor, PageContext, ParameterError, Rule, Selection};
use dehusk_html::{NodeId, Tag};

/// The elements that a filter looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Elements {
    /// Block-level elements and table cells.
    Structure,
    /// Table cells.
    Cells,
}

/// The measure of a filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Measure {
    /// Characters in links, divided by all characters.
    Text,
    /// Links, divided by words outside of links.
    Links,
}

/// A filter of links.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LinkQuota {
    /// Which elements are looked at.
    pub elements: Elements,
    /// The measure.
    pub measure: Measure,
    /// An element with more is removed.
    pub quota: f64,
}

impl LinkQuota {
    /// The Link Quota Filter.
    pub fn lqf() -> Self {
        Self {
            elements: Elements::Structure,
            measure: Measure::Text,
            quota: 0.5,
        }
    }

    /// The link list remover of Crunch.
    pub fn crunch() -> Self {
        Self {
            elements: Elements::Cells,
            measure: Measure::Links,
            quota: 0.25,
        }
    }

    fn removes(&self, view: &View<'_>, id: NodeId) -> bool {
        let tag = view.dom().node(id).tag;
        let is_cell = matches!(tag, Tag::Td | Tag::Th);
        let is_asked = match self.elements {
            Elements::Structure => is_cell || tag.is_block(),
            Elements::Cells => is_cell,
        };
        if !is_asked {
            return false;
        }
        let (part, whole) = self.measured(view, id);
        f64::from(part) > self.quota * f64::from(whole)
    }

    /// The numerator and the denominator of the quota.
    fn measured(&self, view: &View<'_>, id: NodeId) -> (u32, u32) {
        let sums = view.subtree(id);
        match self.measure {
            Measure::Text => (sums.linked_chars, sums.text.chars),
            Measure::Links => (sums.anchors, sums.text.words - sums.linked_words),
        }
    }
}

static REMOVED: Rule = Rule::new(
    "link-quota.removed",
    "{element} has {part} {parts} to {whole} {wholes}, more than {quota}",
);
static ALL_REMOVED: Rule = Rule::new(
    "link-quota.all-removed",
    "all of its text is in removed elements; the first, {element}, has {part} {parts} to {whole} {wholes}, more than \
     {quota}",
);
static KEPT: Rule = Rule::new(
    "link-quota.kept",
    "no element around it is removed; it has {part} {parts} to {whole} {wholes}",
);

impl Extractor for LinkQuota {
    fn strip(&self) -> Strip {
        strip()
    }

    fn describe(&self) -> String {
        let elements = match self.elements {
            Elements::Structure => "block-level elements and table cells",
            Elements::Cells => "table cells",
        };
        let measure = match self.measure {
            Measure::Text => "characters in links for each character",
            Measure::Links => "links for each word outside of links",
        };
        format!(
            "keep all but {elements} with more than {} {measure}; score = share of the page's words",
            self.quota
        )
    }

    fn check(&self) -> Result<(), ParameterError> {
        ParameterError::check_share("quota", self.quota)
    }

    fn extract(&self, page: &PageContext<'_>) -> Selection {
        let view = &*page.view(&strip());
        let dom = view.dom();
        let body = dom.subtree(dom.body());
        let mut removed = Vec::new();
        let mut id = body.start + 1;
        while id < body.end {
            if self.removes(view, id) {
                removed.push(dom.subtree(id));
                id = dom.node(id).end;
            } else {
                id += 1;
            }
        }
        let mut selection = Selection::default();
        let all = view.words(body.clone());
        if all == 0 {
            return selection;
        }
        range_difference(dom, body, &removed, &mut selection.ranges);
        selection.ranges.retain(|range| view.words(range.clone()) > 0);
        let kept: u32 = selection.ranges.iter().map(|range| view.words(range.clone())).sum();
        selection.score = f64::from(kept) / f64::from(all);
        selection
    }

    fn explain(&self, page: &PageContext<'_>, selection: &Selection, nodes: &[NodeId]) -> Vec<Explanation> {
        let view = &*page.view(&strip());
        let dom = view.dom();
        let units = match self.measure {
            Measure::Text => ["characters in links", "characters"],
            Measure::Links => ["links", "words outside of links"],
        };
        let explain = |id: &NodeId| {
            let around = std::iter::successors(Some(*id), |at| {
                (dom.node(*at).parent > dom.body()).then(|| dom.node(*at).parent)
            });
            let removes = |at: &NodeId| *at > dom.body() && self.removes(view, *at);
            let (rule, element) = match around.filter(removes).last() {
                Some(removed) => (&REMOVED, removed),
                None if selection.contains(*id) => (&KEPT, *id),
                None => (
                    &ALL_REMOVED,
                    visible(view, dom.subtree(*id)).find(removes).unwrap_or(*id),
                ),
            };
            let (part, whole) = self.measured(view, element);
            Explanation::new(*id, selection, rule)
                .node("element", element)
                .count("part", part)
                .names("parts", [units[0]].into_iter())
                .count("whole", whole)
                .names("wholes", [units[1]].into_iter())
                .parameter("quota", self.quota)
        };
        nodes.iter().map(explain).collect()
    }
}
