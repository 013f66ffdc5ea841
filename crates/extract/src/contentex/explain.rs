//! Explains the decisions of ContentEx.

use super::{ContentEx, Extend, Filter, Parameters, Removal, score};
use crate::view::View;
use crate::{Explanation, Rule, Selection};
use dehusk_html::{NodeId, Tag, text_of};

static NO_LOW_PARENT: Rule = Rule::new(
    "contentex.no-link-table",
    "no filter deletes it: of the parents of its links, {parent} scores lowest with {score}, not below {threshold}",
);
static TABLES_KEPT: Rule = Rule::new(
    "contentex.link-tables-kept",
    "no pattern filter deletes it, and link tables are kept",
);
static NO_LINK: Rule = Rule::new(
    "contentex.no-link",
    "no pattern filter deletes it, and it holds no link",
);
static NO_WORD: Rule = Rule::new("contentex.no-word", "all its words are in deleted nodes");
static INSIDE: Rule = Rule::new(
    "contentex.all-inside",
    "everything in it was deleted, by {times} deletions; the first is {cause}",
);
static LINK_TABLE: Rule = Rule::new(
    "contentex.link-table",
    "it is a link table: score {score}, below {threshold}",
);
static LINK_ALONE: Rule = Rule::new(
    "contentex.link-alone",
    "its parent scores {score}, below {threshold}, and holds more than {share} of the page's words outside links, so \
     the link alone is deleted",
);
static TIME: Rule = Rule::new(
    "contentex.time",
    "it has {words} words, and texts with a time and at most {most} other words are deleted",
);
static IP: Rule = Rule::new(
    "contentex.ip",
    "it has {words} words, and texts with an IP address and at most {most} other words are deleted",
);
static COLON: Rule = Rule::new(
    "contentex.colon",
    "it has {words} words, and texts of at most {most} words that end in a colon are deleted",
);
static ANY_COLON: Rule = Rule::new(
    "contentex.any-colon",
    "it has {words} words, and texts that end in a colon are deleted",
);
static COPYRIGHT: Rule = Rule::new(
    "contentex.copyright",
    "it has {words} words, and texts of at most {most} words of copyright are deleted",
);
static ANY_COPYRIGHT: Rule = Rule::new(
    "contentex.any-copyright",
    "it has {words} words, and texts of copyright are deleted",
);
static REPEATED: Rule = Rule::new(
    "contentex.repeated",
    "it has {words} words and occurs {times} times, and texts of at most {most} words that occur at least {least} \
     times on the page are deleted",
);

pub(super) fn describe(p: &Parameters) -> String {
    let mut filters = Vec::new();
    if p.link_table {
        let extend = match p.extend {
            Extend::Falling => "up while the score falls",
            Extend::Below => "up while the parent is below that too",
        };
        filters.push(format!(
            "link tables (from a link whose parent scores below {}, {extend}, with at most {} of the page's words \
             outside links)",
            p.threshold, p.table_share
        ));
    }
    let patterns = [
        (p.time, Filter::Time),
        (p.ip, Filter::Ip),
        (p.colon, Filter::Colon),
        (p.copyright, Filter::Copyright),
        (p.repeated, Filter::Repeated),
    ];
    filters.extend(
        patterns
            .into_iter()
            .filter(|(on, _)| *on)
            .map(|(_, filter)| pattern(p, filter)),
    );
    if filters.is_empty() {
        return "everything is kept: all filters are off".to_owned();
    }
    format!(
        "keep what no filter deletes; score = U / (U + A), where U is the number of words outside links and A \
         the number of links; filters: {}",
        filters.join("; ")
    )
}

/// A filter of III.B with its limits.
fn pattern(p: &Parameters, filter: Filter) -> String {
    let most = |words: u32| match words {
        0 => String::new(),
        words => format!(" of at most {words} words"),
    };
    match filter {
        Filter::LinkTable => "link tables".to_owned(),
        Filter::Time => format!("texts with a time and at most {} other words", p.time_words),
        Filter::Ip => format!("texts with an IP address and at most {} other words", p.ip_words),
        Filter::Colon => format!("texts{} that end in a colon", most(p.colon_words)),
        Filter::Copyright => format!("texts{} of copyright", most(p.copyright_words)),
        Filter::Repeated => format!(
            "texts of at most {} words that occur at least {} times on the page",
            p.repeated_words, p.repeated_times
        ),
    }
}

/// Explains nodes. What the filters delete is found once for all of them.
pub(super) fn explain(of: &ContentEx, view: &View<'_>, selection: &Selection, nodes: &[NodeId]) -> Vec<Explanation> {
    let page = PageFigures {
        p: &of.parameters,
        view,
        selection,
        removals: of.removals(view),
    };
    nodes.iter().map(|id| page.explain(*id)).collect()
}

/// The deletions from a page, for all nodes.
struct PageFigures<'a> {
    p: &'a Parameters,
    view: &'a View<'a>,
    selection: &'a Selection,
    removals: Vec<Removal>,
}

impl PageFigures<'_> {
    fn explain(&self, id: NodeId) -> Explanation {
        let by = |rule| Explanation::new(id, self.selection, rule);
        if self.selection.contains(id) {
            return match lowest(self.view, id) {
                Some((parent, lowest)) if self.p.link_table => by(&NO_LOW_PARENT)
                    .node("parent", parent)
                    .measure("score", lowest)
                    .parameter("threshold", self.p.threshold),
                Some(_) => by(&TABLES_KEPT),
                None => by(&NO_LINK),
            };
        }
        let subtree = self.view.dom().subtree(id);
        let inside: Vec<&Removal> = self
            .removals
            .iter()
            .filter(|r| r.subtree.start < subtree.end && r.subtree.end > id)
            .collect();
        match inside[..] {
            [] => by(&NO_WORD),
            [one] if one.subtree.start == id => self.deleted(one),
            [first, ..] => by(&INSIDE)
                .count("times", inside.len() as u64)
                .follows_from(self.deleted(first)),
        }
    }

    /// Why a filter deleted a subtree.
    fn deleted(&self, removal: &Removal) -> Explanation {
        let (p, view, dom) = (self.p, self.view, self.view.dom());
        let at = removal.subtree.start;
        let by = |rule| Explanation::new(at, self.selection, rule).count("words", view.subtree(at).text.words);
        let or_any = |most: u32, rule, any| match most {
            0 => by(any),
            most => by(rule).count("most", most),
        };
        match removal.by {
            Filter::LinkTable if dom.node(at).tag == Tag::A => by(&LINK_ALONE)
                .measure("score", score(view.subtree(dom.node(at).parent)))
                .parameter("threshold", p.threshold)
                .parameter("share", p.table_share),
            Filter::LinkTable => by(&LINK_TABLE)
                .measure("score", score(view.subtree(at)))
                .parameter("threshold", p.threshold),
            Filter::Time => by(&TIME).count("most", p.time_words),
            Filter::Ip => by(&IP).count("most", p.ip_words),
            Filter::Colon => or_any(p.colon_words, &COLON, &ANY_COLON),
            Filter::Copyright => or_any(p.copyright_words, &COPYRIGHT, &ANY_COPYRIGHT),
            Filter::Repeated => {
                let own = text_of(dom, at);
                let same = |r: &&Removal| r.by == Filter::Repeated && text_of(dom, r.subtree.start) == own;
                by(&REPEATED)
                    .count("times", self.removals.iter().filter(same).count() as u64)
                    .count("most", p.repeated_words)
                    .count("least", p.repeated_times)
            }
        }
    }
}

/// The parent of a link in a subtree that scores lowest, of those that decide.
fn lowest(view: &View<'_>, id: NodeId) -> Option<(NodeId, f64)> {
    let dom = view.dom();
    let mut lowest: Option<(NodeId, f64)> = None;
    let mut at = id;
    while at < dom.node(id).end {
        if dom.node(at).tag != Tag::A || view.is_masked(at) {
            at += 1;
            continue;
        }
        let parent = dom.node(at).parent;
        let score = score(view.subtree(parent));
        if lowest.is_none_or(|(_, least)| score < least) {
            lowest = Some((parent, score));
        }
        // A link in a link decides nothing.
        at = dom.node(at).end;
    }
    lowest
}
