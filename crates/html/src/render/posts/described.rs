//! Posts that a page describes in JSON-LD.
//!
//! A forum that shows neither author nor day in elements marked as such may write both in a script for search engines:
//! a `DiscussionForumPosting` or `Question` with its `comment`s or answers. A script does not state where a post is, so
//! it is found by its first letters, or by the `id` in its address.

use std::collections::HashMap;

use super::{Fact, LONGEST, MOST, Post, has_year, tidy_name};
use crate::dom::entities;
use crate::dom::tag::Tag;
use crate::dom::{Dom, NodeId};
use crate::json::{Json, JsonId, JsonKind, local_name};
use crate::render::text_of;

/// The most scripts, bytes of scripts, and posts that are looked at.
const MOST_SCRIPTS: usize = 32;
const MOST_BYTES: usize = 1 << 20;
const MOST_POSTS: usize = 2000;

/// So many letters distinguish a post from others, and with fewer than the least, only its address does.
const LETTERS: usize = 40;
const LEAST_LETTERS: usize = 8;

/// The nodes before a post that may hold its author.
const MOST_BEFORE: NodeId = 80;

/// A post as a script describes it.
#[derive(Debug, Default)]
struct Described {
    author: String,
    date: String,
    /// The first letters of its text.
    letters: String,
    /// The part of its address that names an element of the page, or `""`.
    anchor: String,
}

/// Adds the facts about a page's posts from its scripts. Of a post that is known, only what is unknown.
pub(super) fn add(dom: &Dom<'_>, scripts: &[NodeId], posts: &mut Vec<Post>) {
    let described = read(dom, scripts);
    let has_thread = described.len() > 1 || !posts.is_empty();
    if !has_thread || described.is_empty() {
        return;
    }
    let places = places(dom, &described);
    if places.len() < 2 && posts.is_empty() {
        return;
    }
    let known = posts.len();
    for (i, place) in places.iter().enumerate() {
        let post = &described[place.number];
        let after = if i == 0 { 0 } else { places[i - 1].text + 1 };
        let until = places.get(i + 1).map_or(dom.len(), |next| next.text);
        let near = after.max(place.text.saturating_sub(MOST_BEFORE))..until.min(place.text + MOST as NodeId);
        let is_name = |id: &NodeId| dom.node(*id).tag == Tag::Text && text_of(dom, *id).trim() == post.author;
        let author = Fact {
            place: near.clone().find(is_name).unwrap_or(0),
            value: post.author.clone(),
        };
        let date = Fact {
            place: near.clone().find(|id| dom.node(*id).tag == Tag::Time).unwrap_or(0),
            value: post.date.clone(),
        };
        let before = posts[..known].partition_point(|known| known.start <= place.text);
        match posts[..before]
            .last_mut()
            .filter(|known| dom.node(known.start).end > place.text)
        {
            Some(known) => known.complete(author, date),
            None => posts.push(Post {
                start: place.start,
                author,
                date,
            }),
        }
    }
    posts.sort_by_key(|post| post.start);
}

impl Post {
    /// Adds what is unknown, if it is of the same author.
    fn complete(&mut self, author: Fact, date: Fact) {
        if self.author.value.is_empty() {
            self.author = author;
        } else if self.author.value != author.value {
            return;
        }
        if self.date.value.is_empty() {
            self.date = date;
        }
    }
}

/// The posts that have an author or a date.
fn read(dom: &Dom<'_>, scripts: &[NodeId]) -> Vec<Described> {
    let mut described = Vec::new();
    let mut room = MOST_BYTES;
    for &id in scripts.iter().take(MOST_SCRIPTS) {
        let raw_text = |child: &NodeId| dom.node(*child).tag == Tag::RawText;
        let Some(text) = dom.children(id).find(raw_text).map(|id| dom.raw(id)) else {
            continue;
        };
        // Other scripts need not be read.
        let has = |word: &str| memchr::memmem::find(text.as_bytes(), word.as_bytes()).is_some();
        if text.len() > room || !["omment\"", "Answer\"", "Posting\""].iter().any(|word| has(word)) {
            continue;
        }
        room -= text.len();
        let json = Json::read(text);
        for id in 0..json.count() {
            if described.len() < MOST_POSTS
                && let Some(post) = post(&json, id)
            {
                described.push(post);
            }
        }
    }
    described
}

fn post(json: &Json<'_>, id: JsonId) -> Option<Described> {
    let of_type = json.get(id, "@type")?;
    let is_post = |id| {
        matches!(
            local_name(&json.string(id)),
            "DiscussionForumPosting" | "SocialMediaPosting" | "Question" | "Answer" | "Comment"
        )
    };
    if !is_post(of_type) && !json.items(of_type).any(is_post) {
        return None;
    }
    let text = |key| Some(json.string(json.get(id, key)?)).filter(|text| !text.is_empty());
    let author = json.get(id, "author").or_else(|| json.get(id, "creator"));
    let author = author.and_then(|author| name(json, author)).unwrap_or_default();
    let date = ["datePublished", "dateCreated"].into_iter().find_map(text);
    let date = date
        .filter(|date| date.len() <= LONGEST && has_year(date))
        .unwrap_or_default();
    if author.is_empty() && date.is_empty() {
        return None;
    }
    let address = ["url", "@id"].into_iter().filter_map(text);
    let anchor = address.filter_map(|address| Some(address.split_once('#')?.1.trim().to_owned()));
    let words = ["text", "articleBody"].into_iter().find_map(text);
    Some(Described {
        author,
        date: date.trim().to_owned(),
        letters: words.map(|text| letters(&text)).unwrap_or_default(),
        anchor: anchor.into_iter().find(|anchor| !anchor.is_empty()).unwrap_or_default(),
    })
}

/// The name of a person: a string, a value with a name, or the first of several.
fn name(json: &Json<'_>, id: JsonId) -> Option<String> {
    let id = match json.kind(id) {
        JsonKind::Array => json.items(id).next()?,
        _ => id,
    };
    let id = if json.kind(id) == JsonKind::Object {
        json.get(id, "name")?
    } else {
        id
    };
    (json.kind(id) == JsonKind::String).then(|| tidy_name(&entities::decode(&json.string(id))))?
}

/// The first letters of a text that may be HTML.
fn letters(text: &str) -> String {
    const MOST_OF_PIECE: usize = 1000;
    let mut out = String::new();
    let mut rest = text;
    while out.len() < LETTERS * 4 && !rest.is_empty() {
        let is_tag = |rest: &str| rest[1..].starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '/' | '!'));
        let end = if rest.starts_with('<') && is_tag(rest) {
            let end = rest.find('>').map_or(rest.len(), |end| end + 1);
            rest = &rest[end..];
            continue;
        } else {
            memchr::memchr(b'<', &rest.as_bytes()[1..]).map_or(rest.len(), |end| end + 1)
        };
        let end = rest.floor_char_boundary(end.min(MOST_OF_PIECE));
        push_letters(&entities::decode(&rest[..end]), &mut out);
        rest = &rest[end..];
    }
    out.chars().take(LETTERS).collect()
}

fn push_letters(text: &str, out: &mut String) {
    out.extend(
        text.chars()
            .filter(|c| c.is_alphanumeric())
            .flat_map(char::to_lowercase),
    );
}

/// Where a described post is.
#[derive(Debug)]
struct Place {
    /// Its first text, or the element that its address names.
    text: NodeId,
    /// The element that begins with it.
    start: NodeId,
    /// Its number among the described ones.
    number: usize,
}

/// The posts that are found on the page, in its order.
fn places(dom: &Dom<'_>, described: &[Described]) -> Vec<Place> {
    let mut is_found = vec![false; described.len()];
    let mut places = by_letters(dom, described, &mut is_found);
    by_anchor(dom, described, &mut is_found, &mut places);
    places.sort_unstable_by_key(|place| place.text);
    places
}

fn by_letters(dom: &Dom<'_>, described: &[Described], is_found: &mut [bool]) -> Vec<Place> {
    let first = |letters: &str| letters.chars().take(LEAST_LETTERS).collect::<String>();
    // The numbers of the posts with the same first letters, in reverse order.
    let mut numbers: HashMap<String, Vec<usize>> = HashMap::new();
    for (number, post) in described.iter().enumerate().rev() {
        if post.letters.chars().count() >= LEAST_LETTERS {
            numbers.entry(first(&post.letters)).or_default().push(number);
        }
    }
    let mut places = Vec::new();
    let (mut last_text, mut quote_end, mut hidden_end) = (0, 0, 0);
    for id in dom.subtree(dom.body()) {
        let node = dom.node(id);
        if node.tag == Tag::Blockquote {
            quote_end = quote_end.max(node.end);
        } else if node.tag.is_hidden() {
            hidden_end = hidden_end.max(node.end);
        }
        if node.tag != Tag::Text || id < hidden_end {
            continue;
        }
        if id >= quote_end
            && let Some(start) = outermost(dom, id, last_text)
        {
            let letters = letters_from(dom, id);
            let same = numbers.get_mut(&first(&letters));
            let is_same = |number: &usize| letters.starts_with(&described[*number].letters);
            if let Some(same) = same
                && let Some(at) = same.iter().rposition(is_same)
            {
                let number = same.remove(at);
                is_found[number] = true;
                places.push(Place {
                    text: id,
                    start,
                    number,
                });
            }
        }
        last_text = id;
    }
    places
}

/// The outermost element that begins with a text.
fn outermost(dom: &Dom<'_>, text: NodeId, last_text: NodeId) -> Option<NodeId> {
    let body = dom.body();
    let (mut start, mut parent) = (None, dom.node(text).parent);
    while parent > last_text.max(body) {
        start = Some(parent);
        parent = dom.node(parent).parent;
    }
    start
}

/// The first letters of a text and of those that follow it.
fn letters_from(dom: &Dom<'_>, text: NodeId) -> String {
    const MOST_NODES: usize = 64;
    let mut out = String::new();
    for id in (text..dom.len()).take(MOST_NODES) {
        if dom.node(id).tag == Tag::Text {
            let raw = dom.raw(id);
            push_letters(
                &entities::decode(&raw[..raw.floor_char_boundary(LETTERS * 8)]),
                &mut out,
            );
            if out.chars().nth(LETTERS).is_some() {
                break;
            }
        }
    }
    out
}

/// Finds posts by the element that their address names.
fn by_anchor(dom: &Dom<'_>, described: &[Described], is_found: &mut [bool], places: &mut Vec<Place>) {
    let rest = described.iter().enumerate().filter(|(number, _)| !is_found[*number]);
    let numbers: HashMap<&str, usize> = rest
        .filter(|(_, post)| !post.anchor.is_empty())
        .map(|(number, post)| (&*post.anchor, number))
        .collect();
    if numbers.is_empty() {
        return;
    }
    for id in dom.subtree(dom.body()) {
        let number = dom.attribute(id, "id").and_then(|own| numbers.get(&*own).copied());
        if let Some(number) = number.filter(|number| !is_found[*number])
            && let Some(start) = with_text(dom, id)
        {
            is_found[number] = true;
            places.push(Place {
                text: id,
                start,
                number,
            });
        }
    }
}

/// An element with text: the one with an `id`, the next one if that is only a mark, or the one that begins with the
/// mark.
fn with_text(dom: &Dom<'_>, id: NodeId) -> Option<NodeId> {
    let has_text = |id: NodeId| dom.subtree(id).take(MOST).any(|id| dom.node(id).tag == Tag::Text);
    if has_text(id) {
        return Some(id);
    }
    let node = dom.node(id);
    let (next, parent) = (node.end, dom.node(node.parent));
    if next < parent.end && dom.node(next).tag != Tag::Text && has_text(next) {
        return Some(next);
    }
    (node.parent + 1 == id && has_text(node.parent)).then_some(node.parent)
}
