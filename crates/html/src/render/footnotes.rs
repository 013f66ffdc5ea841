//! Footnotes: which superscript or link refers to which note of the same page.
//!
//! A reference is a superscript with a link, or a link whose role or class marks it as one. Its text is a number or one
//! or two letters. Its note is the block that the link leads to. Both must be in the selection, or else they are
//! written as any other text.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use memchr::memmem;

use super::hints::{self, Hints};
use super::inline::MOST_OF_TAG;
use super::role::{Gap, Role};
use super::text_of;
use crate::dom::tag::Tag;
use crate::dom::{Attributes, Dom, NodeId, entities};

/// The role of an element in footnotes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum NotePart {
    /// A reference to the note with this number.
    Reference(String),
    /// The note with this number.
    Note(String),
    /// The number at the start of a note, or the link back to its reference: the form shows both.
    Marker,
}

/// The parts of the footnotes of a page, in its order.
pub(super) type NoteParts = Vec<(NodeId, NotePart)>;

/// The most digits of a number.
const MOST_DIGITS: usize = 4;

/// The most nodes of a reference, and of what is searched at the start of a note.
const MOST_NODES: NodeId = 8;

/// The most nodes of a note that are searched for links back.
const MOST_OF_NOTE: usize = 400;

/// The most elements around a note.
const DEEPEST: usize = 64;

/// Finds the footnotes of a selection without `masked`.
pub(super) fn find(dom: &Dom<'_>, ranges: &[Range<NodeId>], masked: &[Range<NodeId>], hints: &Hints) -> NoteParts {
    let (Some(first), Some(last)) = (ranges.first(), ranges.last()) else {
        return Vec::new();
    };
    let from = dom.node(first.start).from as usize;
    let to = dom.node(last.end - 1).to as usize;
    let has_superscript = |name| memmem::find(&dom.source().as_bytes()[from.min(to)..to], name).is_some();
    let has_links = hints.may_have_references();
    if !(has_links || has_superscript(&b"<sup"[..]) || has_superscript(b"<SUP")) {
        return Vec::new();
    }
    // A selection has the texts of a note, and not always its element.
    let is_selected = |id: NodeId| {
        let at = ranges.partition_point(|range| range.end <= id);
        let masks = masked.partition_point(|mask| mask.end <= id);
        ranges.get(at).is_some_and(|range| range.start < dom.node(id).end)
            && masked.get(masks).is_none_or(|mask| mask.start > id)
    };
    let elements = || (0..last.end).filter(|id| !dom.node(*id).tag.is_text() && is_selected(*id));
    let references: Vec<_> = elements().filter_map(|id| Reference::new(dom, id, has_links)).collect();
    if references.is_empty() {
        return Vec::new();
    }
    let places = places(dom, &references);
    let notes = notes(dom, &references, &places, elements());
    let mut parts: NoteParts = Vec::new();
    for note in &notes {
        parts.push((note.id, NotePart::Note(note.number.to_owned())));
        markers(dom, note, &places, &mut parts);
    }
    let targets: HashMap<String, &str> = notes.iter().map(|note| (label(note.number), note.target)).collect();
    let is_of_note = |reference: &&Reference| targets.get(&label(&reference.number)) == Some(&&*reference.target);
    let of_notes = references.iter().filter(is_of_note);
    parts.extend(of_notes.map(|reference| (reference.id, NotePart::Reference(reference.number.clone()))));
    parts.sort_by_key(|(id, _)| *id);
    parts
}

/// A superscript with a link to an element of its page, or a link that is marked as referring to a note.
struct Reference {
    id: NodeId,
    target: String,
    number: String,
}

impl Reference {
    /// The reference that a `sup` is, an `a` around one, or with `has_links` an `a` of that role.
    fn new(dom: &Dom<'_>, id: NodeId, has_links: bool) -> Option<Self> {
        let node = dom.node(id);
        if !matches!(node.tag, Tag::Sup | Tag::A) || node.end - id > MOST_NODES {
            return None;
        }
        let other = if node.tag == Tag::Sup { Tag::A } else { Tag::Sup };
        let inner = (id + 1..node.end).find(|id| dom.node(*id).tag == other);
        let link = match (node.tag, inner) {
            (Tag::A, Some(_)) => id,
            (Tag::A, None) if has_links && hints::is_note_reference(dom, id) => id,
            (Tag::Sup, Some(inner)) => inner,
            _ => return None,
        };
        // A link in a superscript is found with that.
        if node.tag == Tag::A && inner.is_none() && dom.node(node.parent).tag == Tag::Sup {
            return None;
        }
        if dom.raw(link).len() > MOST_OF_TAG {
            return None;
        }
        let href = dom.attribute(link, "href")?;
        let target = href.strip_prefix('#').filter(|target| !target.is_empty())?.to_owned();
        let number = number(&text_of(dom, id))?.to_owned();
        Some(Self { id, target, number })
    }
}

/// The number, or the letters, in a text that has nothing else but brackets.
fn number(text: &str) -> Option<&str> {
    /// More letters are a word, but for a Roman number.
    const MOST_LETTERS: usize = 2;
    let number = text.trim_matches(|c: char| c.is_whitespace() || matches!(c, '[' | ']' | '(' | ')' | '.'));
    let is_number = number.bytes().all(|b| b.is_ascii_digit());
    let is_roman = || number.bytes().all(|b| matches!(b, b'i' | b'v' | b'x'));
    let are_letters = || number.len() <= MOST_LETTERS && number.bytes().all(|b| b.is_ascii_alphabetic());
    let is_mark = !number.is_empty() && number.len() <= MOST_DIGITS && (is_number || is_roman() || are_letters());
    is_mark.then_some(number)
}

/// The label of a number: labels of GFM do not distinguish capital letters from small ones.
fn label(number: &str) -> String {
    number.to_ascii_lowercase()
}

/// The names of the references, and of the lines that they are in. Links back lead there.
fn places<'d>(dom: &'d Dom<'_>, references: &[Reference]) -> HashSet<&'d str> {
    let names = |id: NodeId| {
        let attributes = Attributes::new(dom.raw(id));
        attributes.filter(|(name, _)| name.eq_ignore_ascii_case("id") || name.eq_ignore_ascii_case("name"))
    };
    let elements = references.iter().flat_map(|reference| {
        let node = dom.node(reference.id);
        let around = (Role::from_tag(dom.node(node.parent).tag).border() < Gap::Line).then_some(node.parent);
        around.into_iter().chain(dom.subtree(reference.id))
    });
    let is_short = |id: &NodeId| !dom.node(*id).tag.is_text() && dom.raw(*id).len() <= MOST_OF_TAG;
    elements
        .filter(is_short)
        .flat_map(names)
        .map(|(_, value)| value)
        .collect()
}

/// The block of a note.
struct Note<'r> {
    id: NodeId,
    target: &'r str,
    number: &'r str,
}

/// The notes among some elements, in order. No note is within another, and no two have one number.
fn notes<'r>(
    dom: &Dom<'_>,
    references: &'r [Reference],
    places: &HashSet<&str>,
    elements: impl Iterator<Item = NodeId>,
) -> Vec<Note<'r>> {
    let mut numbers: HashMap<&str, &Reference> = HashMap::new();
    for reference in references {
        numbers.entry(&reference.target).or_insert(reference);
    }
    let mut used = HashSet::new();
    let mut notes: Vec<Note<'_>> = Vec::new();
    for id in elements {
        let referring = |(name, value): (&str, &str)| {
            let is_name = name.eq_ignore_ascii_case("id") || name.eq_ignore_ascii_case("name");
            let reference = is_name.then(|| numbers.get(value).copied()).flatten()?;
            // A superscript in a note that links back leads to a reference, which comes before it.
            let leads_back = id < reference.id && places.contains(value);
            (!leads_back).then_some(reference)
        };
        if let Some(reference) = Attributes::new(dom.raw(id)).find_map(referring)
            && let Some(id) = block(dom, id)
            && !dom.subtree(id).contains(&reference.id)
            && notes.last().is_none_or(|last| dom.node(last.id).end <= id)
            && used.insert(label(&reference.number))
        {
            notes.push(Note {
                id,
                target: &reference.target,
                number: &reference.number,
            });
        }
    }
    notes
}

/// The block that a link leads to: the element with the name, or the one that starts with it. `None` in a table, in
/// code or in a heading, where there are no notes.
fn block(dom: &Dom<'_>, id: NodeId) -> Option<NodeId> {
    let is_block = |id: NodeId| matches!(dom.node(id).tag, Tag::Li | Tag::P | Tag::Div | Tag::Aside);
    let mut block = id;
    while !is_block(block) {
        let parent = dom.node(block).parent;
        let is_near = id - parent <= MOST_NODES && Role::from_tag(dom.node(block).tag).border() < Gap::Line;
        if !is_near || (parent + 1..block).any(|id| dom.node(id).tag == Tag::Text) {
            return None;
        }
        block = parent;
    }
    let mut around = block;
    for _ in 0..DEEPEST {
        around = dom.node(around).parent;
        if around == 0 {
            return Some(block);
        }
        let role = Role::from_tag(dom.node(around).tag);
        if matches!(role, Role::Cell | Role::Preformatted | Role::Heading | Role::Term) {
            return None;
        }
    }
    None
}

/// Finds the number at the start of a note, and its links back.
fn markers(dom: &Dom<'_>, note: &Note<'_>, places: &HashSet<&str>, parts: &mut NoteParts) {
    let marker = marker(dom, note);
    let links = links_back(dom, note.id, marker, places);
    let mut links: Vec<NodeId> = links.iter().map(|link| brackets(dom, note.id, *link, &links)).collect();
    links.dedup();
    let elements = marker.into_iter().chain(links);
    parts.extend(elements.map(|id| (id, NotePart::Marker)));
}

/// The element of the number at the start of a note: the outermost that has nothing else.
fn marker(dom: &Dom<'_>, note: &Note<'_>) -> Option<NodeId> {
    let mut start = note.id + 1..dom.node(note.id).end.min(note.id + MOST_NODES);
    let first = start.find(|id| dom.node(*id).tag == Tag::Text)?;
    let is_whole =
        |id: &NodeId| dom.node(*id).end - id <= MOST_NODES && number(&text_of(dom, *id)) == Some(note.number);
    let around = std::iter::successors(Some(dom.node(first).parent), |id| Some(dom.node(*id).parent));
    around.take_while(|id| *id > note.id).filter(is_whole).last()
}

/// The element around a link of some links back that has nothing else but brackets and marks between them, as `(1, 2)`,
/// or else the link.
fn brackets(dom: &Dom<'_>, note: NodeId, link: NodeId, links: &[NodeId]) -> NodeId {
    /// The most nodes of such an element.
    const MOST: usize = 64;
    let around = dom.node(link).parent;
    let is_in_link = |id: NodeId| {
        let last = links.partition_point(|link| *link <= id).checked_sub(1);
        last.is_some_and(|last| dom.subtree(links[last]).contains(&id))
    };
    let is_mark = |id: NodeId| dom.node(id).tag != Tag::Text || is_in_link(id) || is_beside_links(dom.raw(id));
    let is_whole = around > note && dom.subtree(around).len() <= MOST && dom.subtree(around).all(is_mark);
    if is_whole { around } else { link }
}

/// Whether the source of a text has nothing but white space and marks that are beside links back: brackets, arrows and
/// commas.
fn is_beside_links(raw: &str) -> bool {
    let is_arrow = |c| {
        matches!(c, '^' | '\u{2190}'..='\u{21FF}' | '\u{23CE}' | '\u{2934}'..='\u{2937}' | '\u{2B00}'..='\u{2B11}')
            || matches!(c, '\u{FE0E}' | '\u{FE0F}')
    };
    let is_mark = |c: char| c.is_whitespace() || is_arrow(c) || matches!(c, '(' | ')' | '[' | ']' | ',');
    entities::decode(raw).chars().all(is_mark)
}

/// The links of a note to its references. A link with words is one only before all other words of the note, or if no
/// other text is after it.
fn links_back(dom: &Dom<'_>, note: NodeId, marker: Option<NodeId>, places: &HashSet<&str>) -> Vec<NodeId> {
    /// A link with more words has words of the note.
    const MOST_WORDS: u32 = 3;
    let inside = note + 1..dom.node(note).end;
    let is_short = |id: &NodeId| {
        let node = dom.node(*id);
        node.tag == Tag::A && node.end - id <= MOST_NODES && dom.raw(*id).len() <= MOST_OF_TAG
    };
    let leads_back = |id: &NodeId| {
        let href = dom.attribute(*id, "href");
        let target = href.as_deref().and_then(|href| href.strip_prefix('#'));
        target.is_some_and(|target| match dom.words(*id) {
            0 => true,
            words => words <= MOST_WORDS && places.contains(target),
        })
    };
    let is_in = |element: NodeId, id: NodeId| dom.subtree(element).contains(&id);
    let is_apart = |id: &NodeId| marker.is_none_or(|marker| !is_in(marker, *id));
    let links = inside.clone().take(MOST_OF_NOTE).filter(is_short);
    let mut links: Vec<NodeId> = links.filter(is_apart).filter(leads_back).collect();
    if links.iter().all(|link| dom.words(*link) == 0) {
        return links;
    }
    let is_in_link = |id: NodeId| {
        let last = links.partition_point(|link| *link <= id).checked_sub(1);
        last.is_some_and(|last| is_in(links[last], id))
    };
    let is_text = |id: &NodeId| dom.node(*id).tag == Tag::Text && is_apart(id) && !is_in_link(*id);
    let mut texts = inside.filter(is_text);
    let last = texts.clone().rfind(|id| !is_beside_links(dom.raw(*id)));
    let first = texts.find(|id| dom.counts()[*id as usize].words > 0);
    links.retain(|link| {
        let is_first = || first.is_some_and(|first| *link < first);
        let is_last = || first.is_some() && last.is_some_and(|last| *link > last);
        dom.words(*link) == 0 || is_first() || is_last()
    });
    links
}
