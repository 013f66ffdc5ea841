//! The parts of a page that are left out before it is read: elements that show nothing, forms, hidden elements, and
//! statements.

use std::collections::BTreeSet;

use super::patterns::PATTERNS;
use super::tree::{Reading, words};
use dehusk_extract::strip::Forms;
use dehusk_html::{Dom, NodeId, Tag, text_of};

/// The roots of all that is ignored. Some may be inside others.
pub fn masked(dom: &Dom<'_>, reading: Reading) -> BTreeSet<NodeId> {
    let body = dom.subtree(dom.body());
    let is_masked = |id: &NodeId| {
        let tag = dom.node(*id).tag;
        let shows_nothing = matches!(tag, Tag::Script | Tag::Style | Tag::Template) || tag.is_hidden();
        shows_nothing || is_ignored_form(dom, *id, reading.forms) || (reading.hidden && is_hidden(dom, *id))
    };
    let mut masked: BTreeSet<NodeId> = body.clone().skip(1).filter(is_masked).collect();
    if let Some(most) = reading.statement_words {
        masked.extend(body.filter_map(|id| statement(dom, id, most)));
    }
    masked
}

fn all_words(dom: &Dom<'_>, id: NodeId) -> usize {
    let texts = dom.subtree(id).filter(|id| dom.node(*id).tag == Tag::Text);
    texts.map(|id| words(&text_of(dom, id))).sum()
}

/// The elements of forms (CoreEx 3.2), where they are ignored. A form with most of the page's words may be spared.
fn is_ignored_form(dom: &Dom<'_>, id: NodeId, forms: Forms) -> bool {
    let tag = dom.node(id).tag;
    let is_form = matches!(tag, Tag::Form | Tag::Select | Tag::Input | Tag::Textarea | Tag::Option);
    let is_spared = || tag == Tag::Form && 2 * all_words(dom, id) > all_words(dom, dom.body());
    match forms {
        Forms::Keep => false,
        Forms::Ignore => is_form,
        Forms::IgnoreSmall => is_form && !is_spared(),
    }
}

/// CETD 6.1: an element that is marked as not shown, unless it has most of the page's nodes.
fn is_hidden(dom: &Dom<'_>, id: NodeId) -> bool {
    if dom.node(id).tag.is_text() {
        return false;
    }
    // Of several declarations the last one counts, but an important one before another.
    let declared = |property: &str| {
        let style = dom.attribute(id, "style").unwrap_or_default().to_lowercase();
        let declarations = style.split(';').filter_map(|declaration| declaration.split_once(':'));
        let own = declarations.filter(|(name, _)| name.trim() == property);
        let values: Vec<(bool, String)> = own
            .map(|(_, value)| match value.split_once('!') {
                Some((value, mark)) => (mark.trim() == "important", value.trim().to_owned()),
                None => (false, value.trim().to_owned()),
            })
            .collect();
        let of = |important: bool| values.iter().rfind(|(mark, _)| *mark == important);
        of(true).or(of(false)).map_or(String::new(), |(_, value)| value.clone())
    };
    let says_so = dom.attribute(id, "hidden").is_some()
        || declared("display") == "none"
        || ["hidden", "collapse"].contains(&declared("visibility").as_str());
    says_so && 2 * dom.subtree(id).len() <= dom.subtree(dom.body()).len()
}

/// Most nodes of a statement's block, and most elements between a text and its block.
const MOST_NODES: usize = 64;
const MOST_INLINE: usize = 8;

/// ContentEx II.A: the text, if it is a short statement; or the innermost block around it, if that is as short.
fn statement(dom: &Dom<'_>, id: NodeId, most: usize) -> Option<NodeId> {
    let text = text_of(dom, id);
    let is_statement = dom.node(id).tag == Tag::Text
        && (1..=most).contains(&words(&text))
        && PATTERNS.statement.iter().any(|pattern| pattern.is_match(&text));
    if !is_statement {
        return None;
    }
    let around = std::iter::successors(Some(dom.node(id).parent), |id| Some(dom.node(*id).parent));
    let around = around.take(MOST_INLINE).take_while(|id| *id != dom.body());
    let is_border = |id: &NodeId| dom.node(*id).tag.is_block() || dom.node(*id).tag.is_spaced();
    let is_whole = |block: &NodeId| {
        let inside = dom.subtree(*block).skip(1);
        let has_block = inside.into_iter().any(|id| dom.node(id).tag.is_block());
        !has_block && dom.subtree(*block).len() <= MOST_NODES && all_words(dom, *block) <= most
    };
    Some(around.into_iter().find(is_border).filter(is_whole).unwrap_or(id))
}
