//! Which nodes of a page an extractor kept and left out, their scores, and the rule that decided: for `extract` and
//! `inspect`.

use crate::analysis::{Analysis, Extraction};
use crate::escape::terminal;
use crate::extract::Selection;
use crate::extract::view::View;
use dehusk_html::{NodeId, render_text};

/// Subtrees that are shown of one selection.
const KEPT: usize = 40;

/// Subtrees that are shown of those that nothing was kept of.
const LEFT_OUT: usize = 10;

/// Nodes that are shown of those with the highest scores.
const BEST: usize = 10;

/// Characters of a node's text that are shown.
const EXCERPT: usize = 60;

/// Explains every extractor's selection.
pub(super) fn explain(analysis: &Analysis<'_, '_>) -> String {
    let parts: Vec<String> = analysis.extractions().map(|extraction| one(&extraction)).collect();
    parts.join("\n")
}

fn one(result: &Extraction<'_, '_>) -> String {
    let Extraction {
        preset,
        view,
        selection,
    } = result;
    let dom = view.dom();
    let words = |range: std::ops::Range<NodeId>| view.range(range).text.words;
    // A title from the head is none of the body's words.
    let in_body = selection.ranges.iter().filter(|r| r.start >= dom.body());
    let kept: u32 = in_body.map(|r| words(r.clone())).sum();
    let mut out = format!(
        "{}: score {:.4}, {kept} of {} words kept, in {} subtrees\n",
        preset.name,
        selection.score,
        words(dom.subtree(dom.body())),
        selection.ranges.len()
    );
    out.push_str(&format!("rule: {}\n", preset.extractor.rule()));
    let why = preset.extractor.why(view, selection);
    let reasoned = |out: &mut String, id: NodeId| {
        out.push_str(&format!("{}\n", node(result, id)));
        if let Some(why) = why(id) {
            out.push_str(&format!("      because {why}\n"));
        }
    };
    if let Some(winner) = selection.winner {
        out.push_str("chosen: ");
        reasoned(&mut out, winner);
    }
    if selection.ranges.is_empty() {
        out.push_str("kept: nothing\n");
    } else {
        out.push_str("kept:\n");
    }
    for range in selection.ranges.iter().take(KEPT) {
        // A range may hold several subtrees side by side.
        let mut id = range.start;
        while id < range.end {
            out.push_str("  ");
            if selection.winner == Some(id) {
                // Its reason stands above.
                out.push_str(&format!("{}\n", node(result, id)));
            } else {
                reasoned(&mut out, id);
            }
            id = dom.node(id).end.max(id + 1);
        }
    }
    if selection.ranges.len() > KEPT {
        out.push_str(&format!("  and {} more\n", selection.ranges.len() - KEPT));
    }
    let mut left_out = left_out(view, selection);
    left_out.sort_by_key(|id| std::cmp::Reverse(words(dom.subtree(*id))));
    if !left_out.is_empty() {
        let all = left_out.len();
        out.push_str(&format!("left out, the largest of {all}:\n"));
    }
    for id in left_out.into_iter().take(LEFT_OUT) {
        out.push_str("  ");
        reasoned(&mut out, id);
    }
    let mut scored: Vec<(f64, NodeId)> = (selection.scored_from..dom.len())
        .filter_map(|id| Some((selection.score_of(id)?, id)))
        .collect();
    let all = scored.len();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    scored.truncate(BEST);
    if !scored.is_empty() {
        out.push_str(&format!("highest scores of {all}:\n"));
    }
    for (_, id) in scored {
        let mark = if selection.contains(id) { '+' } else { ' ' };
        out.push_str(&format!("{mark} {}\n", node(result, id)));
    }
    out
}

/// The largest subtrees with words that hold nothing of the selection, in order.
fn left_out(view: &View<'_>, selection: &Selection) -> Vec<NodeId> {
    let dom = view.dom();
    let body = dom.subtree(dom.body());
    let mut kept = selection.ranges.iter().peekable();
    let mut found = Vec::new();
    let mut id = body.start;
    while id < body.end {
        while kept.next_if(|r| r.end <= id).is_some() {}
        let subtree = dom.subtree(id);
        match kept.peek() {
            Some(range) if range.start <= id => id = range.end,
            Some(range) if range.start < subtree.end => id += 1,
            _ => {
                id = subtree.end;
                if view.range(subtree.clone()).text.words > 0 {
                    found.push(subtree.start);
                }
            }
        }
    }
    found
}

/// One node: its number and score, its counts, where it stands, how its text begins.
fn node(result: &Extraction<'_, '_>, id: NodeId) -> String {
    let (view, selection) = (&result.view, &result.selection);
    let score = selection.score_of(id).map_or("-".to_owned(), |s| format!("{s:.4}"));
    let counts = view.subtree(id);
    let mut shown = String::new();
    render_text(view.dom(), &[view.dom().subtree(id)], view.masked(), &mut shown);
    let start: String = shown.chars().take(EXCERPT).collect();
    let mut excerpt = start.replace("\n\n", " ").replace('\n', " ");
    if start.len() < shown.len() {
        excerpt.push('…');
    }
    let linked = match counts.linked_words {
        0 => String::new(),
        n => format!(", {n} in links"),
    };
    format!(
        "#{id} score {score}, {} words{linked}, {}  “{}”",
        counts.text.words,
        terminal(&path(view, id)),
        terminal(&excerpt)
    )
}

/// Most elements of a path that are shown.
const DEPTH: usize = 8;

/// The way to a node from the root, with ids and the first class of elements; its middle is left out where it is long.
fn path(view: &View<'_>, id: NodeId) -> String {
    let dom = view.dom();
    let mut steps = Vec::new();
    let mut at = id;
    loop {
        let node = dom.node(at);
        if node.tag.is_text() {
            steps.push("text".to_owned());
        } else {
            let mut step = format!("{:?}", node.tag).to_ascii_lowercase();
            if node.tag == dehusk_html::Tag::Other {
                step = dom.name(at).to_ascii_lowercase();
            }
            if let Some(name) = dom.attribute(at, "id").filter(|n| !n.is_empty()) {
                step.push_str(&format!("#{name}"));
            } else if let Some(class) = dom.attribute(at, "class")
                && let Some(first) = class.split_whitespace().next()
            {
                step.push_str(&format!(".{first}"));
            }
            steps.push(step);
        }
        if at == 0 {
            break;
        }
        at = node.parent;
    }
    steps.reverse();
    if steps.len() > DEPTH {
        let left_out = steps.len() - DEPTH;
        steps.splice(2..2 + left_out, [format!("… {left_out} …")]);
    }
    steps.join(" > ")
}
