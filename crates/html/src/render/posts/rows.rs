//! Posts of the forums of the first years of phpBB: rows of a table, with no class or `id` of their own.
//!
//! A row has the author in its first cell, and in another the text, in an element of the class `postbody`, after a line
//! with the date.

use super::{Fact, Kind, LONGEST, MOST, MOST_OF_NAME, has_day, has_token, is_short, tidy_date, tidy_name};
use crate::dom::entities;
use crate::dom::tag::Tag;
use crate::dom::{Dom, NodeId};
use crate::render::text_of;

/// The most elements around a text that are looked at.
const MOST_AROUND: usize = 12;

/// The row around an element with the text of a post.
pub(super) fn around_text(dom: &Dom<'_>, id: NodeId) -> Option<NodeId> {
    if !has_class(dom, id, &["postbody"]) {
        return None;
    }
    let parent = |id: &NodeId| Some(dom.node(*id).parent).filter(|_| *id > dom.body());
    let around = std::iter::successors(parent(&id), parent).take(MOST_AROUND);
    let is_row =
        |row: &NodeId| dom.node(*row).tag == Tag::Tr && author_cell(dom, *row).is_some_and(|cell| cell.end <= id);
    around.into_iter().find(is_row)
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

fn author(dom: &Dom<'_>, cell: std::ops::Range<NodeId>) -> Option<Fact> {
    let fact = |place: NodeId| {
        let is_name = is_short(dom, place) && dom.words(place) > 0;
        let value = is_name.then(|| tidy_name(&text_of(dom, place)))??;
        Some(Fact { value, place })
    };
    let mut elements = cell
        .take(MOST_OF_NAME as usize)
        .filter(|id| !dom.node(*id).tag.is_text());
    let named = elements
        .clone()
        .filter(|id| has_class(dom, *id, &["name", "postauthor"]));
    let bold = |id: &NodeId| matches!(dom.node(*id).tag, Tag::B | Tag::Strong);
    named.into_iter().find_map(fact).or_else(|| fact(elements.find(bold)?))
}

/// `Posted: Tue Apr 01, 2003 10:00 am`, perhaps with a title after a wide space.
fn date(dom: &Dom<'_>, rest: std::ops::Range<NodeId>) -> Option<Fact> {
    let mut elements = rest.take(MOST).filter(|id| !dom.node(*id).tag.is_text());
    let details = elements.find(|id| has_class(dom, *id, &["postdetails"]))?;
    let mut texts = dom
        .subtree(details)
        .take(MOST)
        .filter(|id| dom.node(*id).tag == Tag::Text);
    texts.find_map(|place| {
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
    })
}

/// The longest source of a date with its label, in bytes.
const MOST_OF_DATE: usize = 4 * LONGEST;

fn has_class(dom: &Dom<'_>, id: NodeId, classes: &[&str]) -> bool {
    dom.attribute(id, "class").is_some_and(|own| has_token(&own, classes))
}
