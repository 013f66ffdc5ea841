//! Posts of old forums: rows of a table, with no class or `id` of their own.
//!
//! In phpBB 2 a row has the author in its first cell, and in another the text, in an element of the class `postbody`,
//! after a line with the date. In phpBB 3 with the style subsilver2 and in IPB 1 and 2, whose texts have the class
//! `postcolor`, author and date are in two cells of the row before.

use super::{Fact, Kind, LONGEST, MOST, MOST_OF_NAME, has_day, has_token, is_short, tidy_date, tidy_name};
use crate::dom::entities;
use crate::dom::tag::Tag;
use crate::dom::{Dom, NodeId};
use crate::render::inline::MOST_OF_TAG;
use crate::render::text_of;

/// The classes of the texts, and of the names of authors.
const TEXTS: [&str; 2] = ["postbody", "postcolor"];
const NAMES: [&str; 4] = ["name", "postauthor", "normalname", "unreg"];

/// The most elements around a text that are looked at.
const MOST_AROUND: usize = 12;

/// The row around an element with the text of a post.
pub(super) fn around_text(dom: &Dom<'_>, id: NodeId) -> Option<NodeId> {
    if !has_class(dom, id, &TEXTS) {
        return None;
    }
    let parent = |id: &NodeId| Some(dom.node(*id).parent).filter(|_| *id > dom.body());
    let around = std::iter::successors(parent(&id), parent).take(MOST_AROUND);
    let is_row =
        |row: &NodeId| dom.node(*row).tag == Tag::Tr && author_cell(dom, *row).is_some_and(|cell| cell.end <= id);
    let row = around.into_iter().find(is_row)?;
    Some(header(dom, row).unwrap_or(row))
}

/// Whether an element is the text of a post in IPB. It may have the `id` of the post.
pub(super) fn is_text_in_row(dom: &Dom<'_>, id: NodeId) -> bool {
    let names = |row| author_cell(dom, row).is_some_and(|cell| named(dom, cell).is_some());
    has_class(dom, id, &["postcolor"]) && around_text(dom, id).is_some_and(names)
}

/// The row before a row, if that names the author of its post and the row does not.
fn header(dom: &Dom<'_>, row: NodeId) -> Option<NodeId> {
    let parent = dom.node(row).parent;
    let mut before = row - 1;
    while dom.node(before).parent > parent {
        before = dom.node(before).parent;
    }
    let names = |row| author_cell(dom, row).is_some_and(|cell| named(dom, cell).is_some());
    let is_header = dom.node(before).tag == Tag::Tr && dom.node(before).parent == parent;
    (is_header && names(before) && !names(row)).then_some(before)
}

/// Adds rows to the starts of posts, unless they have others in them. A text and a signature can be in the same row.
pub(super) fn add(dom: &Dom<'_>, rows: Vec<NodeId>, starts: &mut Vec<(NodeId, Kind)>) {
    if rows.is_empty() {
        return;
    }
    let known = starts.len();
    for row in rows {
        let next = starts[..known].partition_point(|(start, _)| *start < row);
        let has_others = starts[..known]
            .get(next)
            .is_some_and(|(start, _)| *start < dom.node(row).end);
        if !has_others {
            starts.push((row, Kind::Row));
        }
    }
    starts.sort_by_key(|(start, _)| *start);
    starts.dedup_by_key(|(start, _)| *start);
}

/// The first cell of a row of several, if it has words. Each text of a row asks for it, so few children are looked at.
fn author_cell(dom: &Dom<'_>, row: NodeId) -> Option<std::ops::Range<NodeId>> {
    let mut cells = dom
        .children(row)
        .take(MOST_OF_NAME as usize)
        .filter(|id| matches!(dom.node(*id).tag, Tag::Td | Tag::Th));
    let (first, _) = (cells.next()?, cells.next()?);
    (dom.words(first) > 0).then(|| dom.subtree(first))
}

/// The author and the date of a row.
pub(super) fn facts(dom: &Dom<'_>, row: NodeId) -> (Option<Fact>, Option<Fact>) {
    let Some(cell) = author_cell(dom, row) else {
        return (None, None);
    };
    let rest = cell.end..dom.node(row).end;
    (author(dom, cell), date(dom, rest))
}

/// The name in an element of a cell that is marked as having one.
fn named(dom: &Dom<'_>, cell: std::ops::Range<NodeId>) -> Option<Fact> {
    elements(dom, cell)
        .filter(|id| has_class(dom, *id, &NAMES))
        .find_map(|id| name_at(dom, id))
}

fn author(dom: &Dom<'_>, cell: std::ops::Range<NodeId>) -> Option<Fact> {
    let bold = |id: &NodeId| matches!(dom.node(*id).tag, Tag::B | Tag::Strong);
    // `Joined:` is no name.
    let is_label = |id: &NodeId| text_of(dom, *id).trim_end().ends_with(':');
    named(dom, cell.clone()).or_else(|| {
        let id = elements(dom, cell).find(bold).filter(|id| !is_label(id))?;
        name_at(dom, id)
    })
}

/// The first elements of a cell.
fn elements(dom: &Dom<'_>, cell: std::ops::Range<NodeId>) -> impl Iterator<Item = NodeId> {
    cell.take(MOST_OF_NAME as usize)
        .filter(|id| !dom.node(*id).tag.is_text())
}

fn name_at(dom: &Dom<'_>, place: NodeId) -> Option<Fact> {
    let is_name = is_short(dom, place) && dom.words(place) > 0;
    let value = is_name.then(|| tidy_name(&text_of(dom, place)))??;
    Some(Fact { value, place })
}

/// `Posted: Tue Apr 01, 2003 10:00 am`, perhaps with a title after a wide space, or the last day of a row without a
/// text.
fn date(dom: &Dom<'_>, rest: std::ops::Range<NodeId>) -> Option<Fact> {
    let mut elements = rest.clone().take(MOST).filter(|id| !dom.node(*id).tag.is_text());
    let details = elements.find(|id| has_class(dom, *id, &["postdetails"]));
    let is_text = |id: &NodeId| dom.node(*id).tag == Tag::Text;
    if let Some(details) = details {
        let mut texts = dom.subtree(details).take(MOST).filter(is_text);
        return texts.find_map(|place| day_in(dom, place));
    }
    let has_text = rest.clone().take(MOST).any(|id| has_class(dom, id, &TEXTS));
    let texts = rest.take(MOST).filter(|id| !has_text && is_text(id));
    texts.filter_map(|place| day_in(dom, place)).next_back()
}

/// The date in a text, without its label.
fn day_in(dom: &Dom<'_>, place: NodeId) -> Option<Fact> {
    let raw = dom.raw(place);
    let parts = raw.split("&nbsp;").flat_map(|part| part.split('\u{A0}'));
    let value = parts.filter(|part| part.len() <= MOST_OF_DATE).find_map(|part| {
        let text = entities::decode(part);
        // A label has no digits.
        let label = text
            .split_once(": ")
            .filter(|(label, _)| !label.contains(|c: char| c.is_ascii_digit()));
        tidy_date(label.map_or(&*text, |(_, date)| date)).filter(|date| has_day(date))
    });
    value.map(|value| Fact { value, place })
}

/// The longest source of a date with its label, in bytes.
const MOST_OF_DATE: usize = 4 * LONGEST;

fn has_class(dom: &Dom<'_>, id: NodeId, classes: &[&str]) -> bool {
    let is_short = dom.raw(id).len() <= MOST_OF_TAG;
    is_short && dom.attribute(id, "class").is_some_and(|own| has_token(&own, classes))
}
