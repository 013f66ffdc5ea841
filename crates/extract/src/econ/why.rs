//! What ECON's decisions hung on, for people.

use super::{BareText, Econ, Marks, PRUNED, Page};
use crate::view::View;
use crate::{Selection, Why};
use dehusk_html::NodeId;

pub(super) fn rule(econ: &Econ) -> String {
    let marks = match econ.marks {
        Marks::All => "periods and commas",
        Marks::Closing => "periods and commas with no letter or digit behind",
    };
    let linked = if econ.linked_marks { "" } else { ", none in links" };
    let bare = match econ.bare_text {
        BareText::Passed => "",
        BareText::Joined => ", with the texts between them",
    };
    let wrappers = match econ.skip_wrappers {
        true => " though it has more text",
        false => "",
    };
    format!(
        "from the set of neighbouring big-nodes{bare} with the longest text upwards, until a father adds no mark{wrappers}; \
         of what is below, sets without a mark are pruned; punc counts {marks}{linked}; score = share of the page's marks"
    )
}

pub(super) fn why<'s>(econ: Econ, view: &'s View<'_>, selection: &'s Selection) -> Why<'s> {
    let dom = view.dom();
    if dom.subtree(dom.body()).is_empty() {
        return Box::new(|_| None);
    }
    let mut page = Page::new(econ, view);
    page.join_paras();
    Box::new(move |id| {
        let punc = |id: NodeId| page.marks(dom.subtree(id));
        let (Some(summary), Some(longest)) = (selection.winner, page.longest) else {
            let outcome = if selection.contains(id) {
                "so all is kept"
            } else {
                "so nothing is kept"
            };
            return Some(format!("no set of big-nodes on the page holds a mark, {outcome}"));
        };
        let way_up = || {
            let father = dom.node(summary).parent;
            match summary == page.body.start {
                true => "there is no father above the body".to_owned(),
                false => format!("its father #{father} has no more than its {} marks", punc(summary)),
            }
        };
        let inside = dom.subtree(summary).contains(&id);
        Some(if id == summary {
            let snippet = page.snippet()?;
            format!(
                "the set with the longest text begins with #{snippet} (punc {}, {} characters), the way up from there \
                 reached punc {}, and {}",
                longest.marks,
                longest.chars,
                punc(summary),
                way_up()
            )
        } else if selection.contains(id) {
            format!(
                "it is below #{summary}, and no set without a mark holds it (punc {} of its own)",
                punc(id)
            )
        } else if !inside {
            format!("it is not below #{summary}, where the way up ended: {}", way_up())
        } else if page.facts[(id - page.body.start) as usize] & PRUNED != 0 {
            "the set that it is in has punc 0".to_owned()
        } else {
            "all that it holds is in sets with punc 0".to_owned()
        })
    })
}
