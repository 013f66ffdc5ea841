//! Explains the decisions of CoreEx.

use super::{CoreEx, Scoring};
use crate::view::View;
use crate::{Explanation, Rule, Selection};
use dehusk_html::NodeId;

static HIGHEST: Rule = Rule::new(
    "coreex.highest-score",
    "it scores highest, {score} (textCnt {text}, linkCnt {links}, ratio {ratio}, page_text {page})",
);
static HIGHEST_SET: Rule = Rule::new(
    "coreex.highest-set",
    "its set scores highest, {score} (setTextCnt {setText}, setLinkCnt {setLinks}, ratio {setRatio}, page_text {page}; \
     with what is not in the set, textCnt {text}, linkCnt {links}, ratio {ratio})",
);
static IN_SET: Rule = Rule::new(
    "coreex.in-set",
    "it is in the set of {winner} (textCnt {text}, linkCnt {links}, ratio {ratio})",
);
static REPAIRED: Rule = Rule::new("coreex.title-repair", "a title repair of section 6.1 added it");
static LOW_RATIO: Rule = Rule::new(
    "coreex.low-ratio",
    "its ratio is not above {threshold} (textCnt {text}, linkCnt {links}, ratio {ratio})",
);
static NOT_A_CHILD: Rule = Rule::new(
    "coreex.not-a-child",
    "it is no child of {winner}, whose set scores highest (textCnt {text}, linkCnt {links}, ratio {ratio})",
);

static INSIDE: Rule = Rule::new(
    "coreex.inside",
    "it is in {winner}, which scores highest (textCnt {text}, linkCnt {links}, ratio {ratio})",
);
static OUTSIDE: Rule = Rule::new(
    "coreex.outside",
    "it is not in {winner}, which scores highest (textCnt {text}, linkCnt {links}, ratio {ratio})",
);

pub(super) fn describe(coreex: &CoreEx) -> String {
    let score = match coreex.scoring {
        Scoring::Basic => "ratio".to_owned(),
        Scoring::Weighted => format!(
            "{}·ratio + {:.4}·textCnt/page_text",
            coreex.weight_ratio,
            1.0 - coreex.weight_ratio
        ),
    };
    let kept = if coreex.subset {
        format!(
            "take the node whose set scores highest, and keep its children with a ratio above {}",
            coreex.threshold
        )
    } else {
        "keep the subtree of the node that scores highest".to_owned()
    };
    format!("{kept}; score = {score}, ratio = (textCnt - linkCnt) / textCnt")
}

pub(super) fn explain(coreex: &CoreEx, view: &View<'_>, selection: &Selection, id: NodeId) -> Option<Explanation> {
    let winner = selection.winner?;
    let count = coreex.counts(view.subtree(id));
    let ratio = if count.text == 0 { 0.0 } else { count.ratio() };
    let is_child = id != winner && view.dom().node(id).parent == winner;
    let by = |rule| {
        Explanation::new(id, selection, rule)
            .count("text", count.text)
            .count("links", count.links)
            .measure("ratio", ratio)
    };
    Some(if id == winner {
        let set = coreex.set(view, id);
        let rule = if set.is_some() { &HIGHEST_SET } else { &HIGHEST };
        let set = set.unwrap_or(count);
        by(rule)
            .measure("score", selection.score_of(id).unwrap_or(selection.score))
            .count("setText", set.text)
            .count("setLinks", set.links)
            .measure("setRatio", if set.text == 0 { 0.0 } else { set.ratio() })
            .count("page", coreex.page_text(view))
    } else if selection.contains(id) {
        if coreex.subset && is_child && ratio > coreex.threshold {
            by(&IN_SET).node("winner", winner)
        } else if !coreex.subset && view.dom().subtree(winner).contains(&id) {
            by(&INSIDE).node("winner", winner)
        } else {
            // Nothing else is ever inserted.
            Explanation::new(id, selection, &REPAIRED)
        }
    } else if !coreex.subset {
        by(&OUTSIDE).node("winner", winner)
    } else if is_child {
        by(&LOW_RATIO).parameter("threshold", coreex.threshold)
    } else {
        by(&NOT_A_CHILD).node("winner", winner)
    })
}
