//! Explanations of selections as text and as JSON, for `extract` and `inspect`.

use serde_json::{Value, json};

use crate::analysis::Analysis;
use dehusk_archive::escape::terminal;

use dehusk_extract::{ExplainedBlock, ExplainedNode, ExplainedPage, ExplainedSelection};

/// Most elements of a path that are shown.
const DEPTH: usize = 8;

/// Explains every extractor's selection as text.
pub fn text(analysis: &Analysis<'_, '_>) -> String {
    let parts: Vec<String> = explained(analysis)
        .map(|selection| selection_text(&selection))
        .collect();
    parts.join("\n")
}

/// Explains every extractor's selection as JSON, one object a line.
pub fn json(analysis: &Analysis<'_, '_>) -> String {
    explained(analysis)
        .map(|selection| format!("{}\n", selection_json(&selection)))
        .collect()
}

/// Explains every node of the page, by the extractor that makes the text.
pub fn page(analysis: &Analysis<'_, '_>) -> Option<ExplainedPage> {
    let preset = analysis.main_preset()?;
    Some(ExplainedPage::new(analysis.context(), preset))
}

fn explained(analysis: &Analysis<'_, '_>) -> impl Iterator<Item = ExplainedSelection> {
    let rules = analysis.rules();
    let presets = [&rules.presets, &rules.fallback, &rules.union].into_iter().flatten();
    presets.map(|preset| ExplainedSelection::new(analysis.context(), preset))
}

fn selection_text(selection: &ExplainedSelection) -> String {
    let mut out = format!(
        "{}: score {:.4}, {} of {} words kept, in {} subtrees\nrule: {}\n",
        selection.extractor,
        selection.score,
        selection.kept_words,
        selection.page_words,
        selection.ranges,
        selection.description
    );
    let chosen = selection.chosen.as_ref();
    if let Some(chosen) = chosen {
        out.push_str(&format!("chosen: {}{}", node_line(chosen), because(chosen)));
    }
    out.push_str(match selection.ranges {
        0 => "kept: nothing\n",
        _ => "kept:\n",
    });
    for kept in &selection.kept {
        out.push_str(&format!("  {}", node_line(kept)));
        // The reason of the chosen node is above.
        if chosen.is_none_or(|chosen| chosen.node != kept.node) {
            out.push_str(&because(kept));
        }
    }
    if selection.ranges_not_listed > 0 {
        out.push_str(&format!("  and {} more\n", selection.ranges_not_listed));
    }
    if !selection.left_out.is_empty() {
        out.push_str(&format!("left out, the largest of {}:\n", selection.all_left_out));
    }
    for left_out in &selection.left_out {
        out.push_str(&format!("  {}{}", node_line(left_out), because(left_out)));
    }
    if selection.all_removed > 0 {
        out.push_str(&format!(
            "removed before that, the largest with text of {}:\n",
            selection.all_removed
        ));
    }
    for removed in &selection.removed {
        out.push_str(&format!("  {}", node_line(removed)));
    }
    if !selection.best.is_empty() {
        out.push_str(&format!("highest scores of {}:\n", selection.all_scored));
    }
    for best in &selection.best {
        let mark = if best.is_kept { '+' } else { ' ' };
        out.push_str(&format!("{mark} {}", node_line(best)));
    }
    if !selection.blocks.is_empty() {
        out.push_str(&format!(
            "{} blocks, with their probabilities and what their strongest features add to the logit through the \
                trees:\n",
            selection.blocks.len()
        ));
    }
    for block in &selection.blocks {
        out.push_str(&block_line(block));
    }
    out
}

/// Most characters of a block's text that are shown.
const EXCERPT: usize = 60;

/// One block: its probability, its words, the start of its text; and below it its strongest features.
fn block_line(block: &ExplainedBlock) -> String {
    let mark = if block.is_kept { '+' } else { ' ' };
    let excerpt: String = block.text.chars().take(EXCERPT).collect();
    let cut = if excerpt.len() < block.text.len() { "…" } else { "" };
    // Differences that are not worth a word are left out.
    let alone = match (block.probability - block.probability_alone).abs() {
        0.0..0.01 => String::new(),
        _ => format!(" ({:.4} without the blocks alike)", block.probability_alone),
    };
    let filled = if block.is_filled { ", between kept blocks" } else { "" };
    let mut line = format!(
        "{mark} #{} {:.4}{alone}{filled}, {} words  “{}{cut}”\n",
        block.node,
        block.probability,
        block.words,
        terminal(&excerpt)
    );
    let features: Vec<_> = block
        .strongest
        .iter()
        .map(|(name, adds)| format!("{name} {adds:+.2}"))
        .collect();
    if !features.is_empty() {
        line.push_str(&format!("      {}\n", features.join(", ")));
    }
    line
}

/// One node: its number and score, its counts, its place, the start of its text.
fn node_line(node: &ExplainedNode) -> String {
    let score = node.score.map_or("-".to_owned(), |s| format!("{s:.4}"));
    let linked = match node.linked_words {
        0 => String::new(),
        n => format!(", {n} in links"),
    };
    let mut path = node.path.clone();
    if path.len() > DEPTH {
        let left_out = path.len() - DEPTH;
        path.splice(2..2 + left_out, [format!("… {left_out} …")]);
    }
    let cut = if node.is_cut { "…" } else { "" };
    format!(
        "#{} score {score}, {} words{linked}, {}  “{}{cut}”\n",
        node.node,
        node.words,
        terminal(&path.join(" > ")),
        terminal(&node.excerpt)
    )
}

fn because(node: &ExplainedNode) -> String {
    match &node.explanation {
        Some(explanation) => format!("      because {explanation}\n"),
        None => String::new(),
    }
}

fn selection_json(selection: &ExplainedSelection) -> Value {
    let nodes = |nodes: &[ExplainedNode]| nodes.iter().map(node_json).collect::<Value>();
    json!({
        "extractor": selection.extractor,
        "rule": selection.description,
        "score": selection.score,
        "kept_words": selection.kept_words,
        "page_words": selection.page_words,
        "ranges": selection.ranges,
        "chosen": selection.chosen.as_ref().map(node_json),
        "kept": nodes(&selection.kept),
        "ranges_not_listed": selection.ranges_not_listed,
        "left_out": nodes(&selection.left_out),
        "all_left_out": selection.all_left_out,
        "removed": nodes(&selection.removed),
        "all_removed": selection.all_removed,
        "best": nodes(&selection.best),
        "all_scored": selection.all_scored,
        "blocks": selection.blocks,
    })
}

fn node_json(node: &ExplainedNode) -> Value {
    let excerpt = format!("{}{}", node.excerpt, if node.is_cut { "…" } else { "" });
    json!({
        "node": node.node,
        "kept": node.is_kept,
        "score": node.score,
        "words": node.words,
        "linked_words": node.linked_words,
        "path": node.path,
        "excerpt": excerpt,
        "explanation": node.explanation,
    })
}
