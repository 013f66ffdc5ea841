//! Explains the decisions of ECON.

use super::page::{EconPage, PRUNED};
use super::{BareText, Econ, Marks};
use crate::view::View;
use crate::{Explanation, Rule, Selection};
use dehusk_html::NodeId;

static ALL_KEPT: Rule = Rule::new(
    "econ.no-mark-kept",
    "no set of big-nodes on the page holds a mark, so all is kept",
);
static NOTHING_KEPT: Rule = Rule::new(
    "econ.no-mark",
    "no set of big-nodes on the page holds a mark, so nothing is kept",
);
static SUMMARY: Rule = Rule::new(
    "econ.summary-node",
    "the set with the longest text begins with {snippet} (punc {marks}, {chars} characters), backtracking from there \
     reached punc {punc} (steps: {steps}), and its father {father} has no more than its {punc} marks",
);
static SUMMARY_IS_BODY: Rule = Rule::new(
    "econ.summary-node-is-body",
    "the set with the longest text begins with {snippet} (punc {marks}, {chars} characters), backtracking from there \
     reached punc {punc} (steps: {steps}), and there is no father above the body",
);
static BELOW: Rule = Rule::new(
    "econ.below-summary-node",
    "it is below {summary}, and in no set without a mark (its own punc is {punc})",
);
static NOT_BELOW: Rule = Rule::new(
    "econ.outside-summary-node",
    "it is not below {summary}, where backtracking ended: its father {father} has no more than its {punc} marks",
);
static NOT_BELOW_BODY: Rule = Rule::new(
    "econ.outside-body",
    "it is not below {summary}, where backtracking ended: there is no father above the body",
);
static PRUNED_SET: Rule = Rule::new("econ.pruned", "the set that it is in has punc 0");
static ONLY_PRUNED: Rule = Rule::new("econ.only-pruned", "everything in it is in sets with punc 0");

pub(super) fn describe(econ: &Econ) -> String {
    let marks = match econ.marks {
        Marks::All => "periods and commas",
        Marks::Closing => "periods and commas with no letter or digit after them",
    };
    let linked = if econ.linked_marks { "" } else { ", none in links" };
    let bare = match econ.bare_text {
        BareText::Passed => "",
        BareText::Joined => ", with the texts between them",
    };
    let wrappers = if econ.skip_wrappers {
        " though it has more text"
    } else {
        ""
    };
    format!(
        "start at the set of neighbouring big-nodes{bare} with the longest text, and go up until a father adds no \
         mark{wrappers}; keep what is below, except sets without a mark; punc counts {marks}{linked}; \
         score = share of the page's marks"
    )
}

/// Explains nodes. The page is worked through once for all of them.
pub(super) fn explain(econ: Econ, view: &View<'_>, selection: &Selection, nodes: &[NodeId]) -> Vec<Explanation> {
    let dom = view.dom();
    if dom.subtree(dom.body()).is_empty() {
        return Vec::new();
    }
    let mut page = EconPage::new(econ, view);
    page.join_paras();
    nodes.iter().filter_map(|id| one(&page, selection, *id)).collect()
}

fn one(page: &EconPage<'_, '_>, selection: &Selection, id: NodeId) -> Option<Explanation> {
    let dom = page.view.dom();
    let by = |rule| Explanation::new(id, selection, rule);
    let punc = |id: NodeId| page.marks(dom.subtree(id));
    let (Some(summary), Some(longest)) = (selection.winner, page.longest) else {
        return Some(if selection.contains(id) {
            by(&ALL_KEPT)
        } else {
            by(&NOTHING_KEPT)
        });
    };
    // Where the way up ended: at the body, or below a father that adds no mark.
    let way_up = |at_body, below| {
        if summary == page.body.start {
            by(at_body)
        } else {
            by(below)
                .node("father", dom.node(summary).parent)
                .count("punc", punc(summary))
        }
    };
    let inside = dom.subtree(summary).contains(&id);
    Some(if id == summary {
        let explanation = way_up(&SUMMARY_IS_BODY, &SUMMARY)
            .node("snippet", page.snippet()?)
            .count("marks", longest.marks)
            .count("chars", longest.chars)
            .count("steps", selection.steps.unwrap_or_default());
        if summary == page.body.start {
            explanation.count("punc", punc(summary))
        } else {
            explanation
        }
    } else if selection.contains(id) {
        by(&BELOW).node("summary", summary).count("punc", punc(id))
    } else if !inside {
        way_up(&NOT_BELOW_BODY, &NOT_BELOW).node("summary", summary)
    } else if page.facts[(id - page.body.start) as usize] & PRUNED != 0 {
        by(&PRUNED_SET)
    } else {
        by(&ONLY_PRUNED)
    })
}
