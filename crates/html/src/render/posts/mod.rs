//! Finds the posts and comments of a page, with their authors and dates.
//!
//! A post is an element whose class, `id` or type of schema.org marks it as one, and that has an author or a date. A
//! single one is the article of its page, so at least two of a kind count. `rows` has those of forums whose rows are
//! not marked, and `described` adds the facts in JSON-LD.

mod described;
mod rows;

use std::sync::LazyLock;

use aho_corasick::packed::Searcher;
use memchr::memmem;

use super::text_of;
use crate::dom::tag::Tag;
use crate::dom::{Attributes, Dom, NodeId};

/// A post.
#[derive(Debug)]
pub(super) struct Post {
    pub(super) start: NodeId,
    pub(super) author: Fact,
    pub(super) date: Fact,
}

/// A value that a post states, or `""`, and the element that has it. 0 if an attribute of the post has it.
#[derive(Clone, Debug, Default)]
pub(super) struct Fact {
    pub(super) value: String,
    pub(super) place: NodeId,
}

/// The longest name or date, in bytes.
const LONGEST: usize = 64;
/// The most elements of a post that are looked at, and the most of the element of a name.
const MOST: usize = 400;
const MOST_OF_NAME: NodeId = 64;
const MOST_BYTES: u32 = 4096;
/// The most words of a name.
const MOST_WORDS: usize = 4;

const POSTS: [&str; 17] = [
    "post",
    "postcontainer",
    "postbit",
    "postbitlegacy",
    "forum-post",
    "topic-post",
    "crawler-post",
    "message",
    "message--post",
    "answer",
    "question",
    "reply",
    "post_wrapper",
    "cpost",
    "b-post",
    "topic-reply",
    "onscreen-post",
];
const COMMENTS: [&str; 4] = ["comment", "comment-body", "comment-item", "ipscomment"];
const AUTHORS: [&str; 19] = [
    "author",
    "authi",
    "username",
    "user-name",
    "user_name",
    "postauthor",
    "post-author",
    "author-name",
    "comment-author",
    "comment__author",
    "commenter",
    "comment-user",
    "fn",
    "bigusername",
    "poster",
    "user-details",
    "nickname",
    "trigger-user-card",
    "user",
];
const USER_NAMES: [&str; 3] = ["username", "username-coloured", "user-name"];
const DATES: [&str; 16] = [
    "date",
    "time",
    "timestamp",
    "datetime",
    "post-date",
    "postdate",
    "post_date",
    "relativetime",
    "comment-date",
    "comment-time",
    "posted-on",
    "published",
    "relativedate",
    "dateline",
    "relative-date",
    "timeago",
];

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Post,
    Comment,
    /// A row of a table, whose first cell has the author. The text may be in the next row.
    Row,
}

/// Parts of words: every class, type and `id` of a post has one of them. The source is searched for them once, because
/// reading the attributes of all elements would cost a tenth of the whole work on a page.
const WORDS: [&str; 8] = ["post", "Post", "essage", "nswer", "uestion", "eply", "omment", "msg"];

/// `None` on processors without the vectors that it needs.
static SEARCHER: LazyLock<Option<Searcher>> = LazyLock::new(|| Searcher::new(WORDS));

/// The places in the source that have one of the words. `None` if they are unknown.
fn words_of_posts(dom: &Dom<'_>) -> Option<Vec<u32>> {
    let found = SEARCHER.as_ref()?.find_iter(dom.source().as_bytes());
    Some(found.map(|found| found.start() as u32).collect())
}

/// The elements that may be posts, and the scripts of JSON-LD.
fn candidates(dom: &Dom<'_>) -> (Vec<(NodeId, Kind)>, Vec<NodeId>) {
    let words = words_of_posts(dom);
    let has_word = |from: u32, to: u32| {
        let is_in = |words: &Vec<u32>| {
            let next = words.partition_point(|word| *word < from);
            words.get(next).is_some_and(|word| *word < to)
        };
        words.as_ref().is_none_or(is_in)
    };
    let mut starts: Vec<(NodeId, Kind)> = Vec::new();
    let (mut scripts, mut rows) = (Vec::new(), Vec::new());
    if words.as_ref().is_some_and(Vec::is_empty) {
        return (starts, scripts);
    }
    let mut last_text = 0;
    for id in 1..dom.len() {
        let node = dom.node(id);
        if node.tag.is_text() {
            last_text = id;
        } else if node.tag == Tag::Script {
            if memmem::find(dom.raw(id).as_bytes(), b"ld+json").is_some() {
                scripts.push(id);
            }
        } else if node.from < node.to && has_word(node.from, node.to) {
            if node.tag.is_block()
                && let Some(kind) = kind(dom, id)
                && !rows::is_text_in_row(dom, id)
            {
                // One that begins with another is the same.
                starts.pop_if(|(start, _)| *start > last_text && dom.node(*start).end > id);
                starts.push((id, kind));
            }
            rows.extend(rows::around_text(dom, id));
        }
    }
    rows::add(dom, rows, &mut starts);
    (starts, scripts)
}

/// The posts of a page, in order.
pub(super) fn find(dom: &Dom<'_>) -> Vec<Post> {
    let (starts, scripts) = candidates(dom);
    let mut posts = Vec::new();
    for (i, &(start, kind)) in starts.iter().enumerate() {
        let next = starts.get(i + 1).map_or(NodeId::MAX, |(next, _)| *next);
        let inside = start + 1..dom.node(start).end.min(next);
        let (author, date) = if kind == Kind::Row {
            rows::facts(dom, start)
        } else {
            (author(dom, start, inside.clone()), date(dom, inside))
        };
        let (author, date) = (author.unwrap_or_default(), date.unwrap_or_default());
        if !(author.value.is_empty() && date.value.is_empty()) {
            posts.push((kind, Post { start, author, date }));
        }
    }
    let is_one = |kind| posts.iter().filter(|(other, _)| *other == kind).count() < 2;
    let alone = [Kind::Post, Kind::Comment, Kind::Row].map(|kind| (kind, is_one(kind)));
    posts.retain(|(kind, _)| !alone.contains(&(*kind, true)));
    let mut posts = posts.into_iter().map(|(_, post)| post).collect();
    if !scripts.is_empty() {
        described::add(dom, &scripts, &mut posts);
    }
    posts
}

fn has_token(value: &str, tokens: &[&str]) -> bool {
    value
        .split_ascii_whitespace()
        .any(|own| tokens.iter().any(|token| own.eq_ignore_ascii_case(token)))
}

/// Whether an element has few nodes and a short source.
fn is_short(dom: &Dom<'_>, id: NodeId) -> bool {
    let node = dom.node(id);
    let bytes = dom.node(node.end - 1).to.saturating_sub(node.from);
    node.end - id <= MOST_OF_NAME && bytes <= MOST_BYTES
}

fn kind(dom: &Dom<'_>, id: NodeId) -> Option<Kind> {
    Attributes::new(dom.raw(id)).find_map(|(name, value)| match name.len() {
        5 if name.eq_ignore_ascii_case("class") => {
            if has_token(value, &POSTS) {
                Some(Kind::Post)
            } else {
                has_token(value, &COMMENTS).then_some(Kind::Comment)
            }
        }
        8 if name.eq_ignore_ascii_case("itemtype") => match value.trim_end_matches('/').rsplit('/').next()? {
            "DiscussionForumPosting" | "SocialMediaPosting" | "Question" | "Answer" => Some(Kind::Post),
            "Comment" | "UserComments" => Some(Kind::Comment),
            _ => None,
        },
        8 if name.eq_ignore_ascii_case("itemprop") => match value {
            "suggestedAnswer" | "acceptedAnswer" => Some(Kind::Post),
            // Without things of its own, it is a line of a review.
            "comment" if dom.attribute(id, "itemscope").is_some() => Some(Kind::Comment),
            _ => None,
        },
        // NodeBB.
        9 if value == "post" && name.eq_ignore_ascii_case("component") => Some(Kind::Post),
        2 if value == "question" && name.eq_ignore_ascii_case("id") => Some(Kind::Post),
        2 if name.eq_ignore_ascii_case("id") => {
            let name = value.trim_end_matches(|c: char| c.is_ascii_digit());
            let has_number = name.len() < value.len();
            match name.trim_end_matches(['-', '_']) {
                "post" | "msg" | "answer" | "js-post" if has_number => Some(Kind::Post),
                "comment" | "reply" if has_number => Some(Kind::Comment),
                _ => None,
            }
        }
        _ => None,
    })
}

/// A text as a name, if it can be one.
fn tidy_name(text: &str) -> Option<String> {
    let words = text.trim().trim_end_matches([':', ',']).split_whitespace();
    let name = words.collect::<Vec<_>>().join(" ");
    let is_name =
        name.len() <= LONGEST && name.chars().any(char::is_alphanumeric) && name.split(' ').count() <= MOST_WORDS;
    is_name.then_some(name)
}

fn author(dom: &Dom<'_>, post: NodeId, inside: std::ops::Range<NodeId>) -> Option<Fact> {
    let tidy = tidy_name;
    // Where the page shows a name that it has in an attribute.
    let shown = |value: String| {
        let is_shown = |id: &NodeId| dom.node(*id).tag == Tag::Text && text_of(dom, *id).trim() == value;
        let place = inside.clone().take(MOST).find(is_shown).unwrap_or(0);
        Fact { value, place }
    };
    let named = |attribute: &str| dom.attribute(post, attribute).and_then(|name| tidy(&name));
    if let Some(value) = named("data-author").or_else(|| named("data-username")) {
        return Some(shown(value));
    }
    inside
        .clone()
        .take(MOST)
        .filter(|id| !dom.node(*id).tag.is_text())
        .find_map(|place| {
            let says = Attributes::new(dom.raw(place)).any(|(name, value)| match name.len() {
                5 if name.eq_ignore_ascii_case("class") => has_token(value, &AUTHORS),
                8 if name.eq_ignore_ascii_case("itemprop") => has_token(value, &["author", "creator"]),
                3 if name.eq_ignore_ascii_case("rel") => has_token(value, &["author"]),
                _ => false,
            });
            if !says || !is_short(dom, place) {
                return None;
            }
            let inner = name_in(dom, place);
            let holder = inner.unwrap_or(place);
            if dom.node(holder).tag == Tag::Meta {
                return dom.attribute(holder, "content").and_then(|name| tidy(&name)).map(shown);
            }
            // Ranks and numbers of posts follow a name without an element of its own.
            let first = || {
                dom.subtree(place)
                    .find(|id| dom.node(*id).tag == Tag::Text)
                    .map(|id| text_of(dom, id))
            };
            let value = inner
                .and_then(|id| tidy(&text_of(dom, id)))
                .or_else(|| tidy(&text_of(dom, place)))
                .or_else(|| tidy(&first()?).filter(|name| name.chars().nth(1).is_some()))?;
            Some(Fact {
                value,
                place: inner.unwrap_or(place),
            })
        })
}

/// The element in an element of an author that holds the name.
fn name_in(dom: &Dom<'_>, place: NodeId) -> Option<NodeId> {
    let has = |id: NodeId, name, tokens: &[&str]| dom.attribute(id, name).is_some_and(|own| has_token(&own, tokens));
    let is_name = |id: &NodeId| has(*id, "itemprop", &["name"]) || has(*id, "class", &USER_NAMES);
    let is_link = |id: &NodeId| dom.node(*id).tag == Tag::A && dom.words(*id) > 0;
    // `Posted in News by Ann`
    let follows_by = |id: &NodeId| {
        let text = (place..*id).rev().find(|id| dom.node(*id).tag.is_text());
        let text = text.map(|id| text_of(dom, id)).unwrap_or_default();
        let last = text.split_whitespace().next_back();
        last.is_some_and(|word| word.eq_ignore_ascii_case("by"))
    };
    let inside = place + 1..dom.node(place).end;
    let mut links = dom.subtree(place).filter(is_link);
    inside
        .clone()
        .find(is_name)
        .or_else(|| links.clone().find(follows_by))
        .or_else(|| links.next())
}

/// Whether a text has a year of four digits, or the eight digits of a day. Other numbers count comments or minutes.
fn has_year(text: &str) -> bool {
    text.split(|c: char| !c.is_ascii_digit())
        .any(|digits| matches!(digits.len(), 4 | 8) && (digits.starts_with("19") || digits.starts_with("20")))
}

/// Whether a text has a year and one more number: `May 2004`, but not `2,004 posts`.
fn has_day(text: &str) -> bool {
    let numbers = text
        .split(|c: char| !c.is_ascii_digit())
        .filter(|part| !part.is_empty());
    numbers.count() > 1 && has_year(text)
}

fn tidy_date(value: &str) -> Option<String> {
    let value = value.split_whitespace().collect::<Vec<_>>().join(" ");
    (value.len() <= LONGEST).then_some(value)
}

fn date(dom: &Dom<'_>, inside: std::ops::Range<NodeId>) -> Option<Fact> {
    let elements = || inside.clone().take(MOST).filter(|id| !dom.node(*id).tag.is_text());
    let marked = elements().find_map(|place| marked_date(dom, place));
    marked.or_else(|| elements().find_map(|place| date_of_author(dom, place)))
}

/// The date in an element that is marked as having one.
fn marked_date(dom: &Dom<'_>, place: NodeId) -> Option<Fact> {
    let is_time = dom.node(place).tag == Tag::Time;
    let says = |(name, value): (&str, &str)| match &*name.to_ascii_lowercase() {
        "class" => has_token(value, &DATES),
        "itemprop" => has_token(value, &["datePublished", "dateCreated"]),
        "id" => value.starts_with("authorposton"),
        _ => false,
    };
    if !is_time && !Attributes::new(dom.raw(place)).any(says) || !is_short(dom, place) {
        return None;
    }
    let is_instant = |value: &String| value.starts_with(|c: char| c.is_ascii_digit()) || has_year(value);
    let by_attribute = |name: &str| tidy_date(&dom.attribute(place, name)?);
    // Milliseconds since 1970.
    let is_count = |value: &String| value.len() == 13 && value.bytes().all(|b| b.is_ascii_digit());
    let value = by_attribute("datetime")
        .filter(is_instant)
        .or_else(|| by_attribute("content").filter(|value| has_year(value)))
        .or_else(|| by_attribute("title").filter(|value| has_year(value)))
        .or_else(|| tidy_date(&text_of(dom, place)).filter(|value| has_year(value)))
        .or_else(|| by_attribute("data-time").filter(is_count))?;
    let is_shown = dom.node(place).tag != Tag::Meta;
    Some(Fact {
        value,
        place: if is_shown { place } else { 0 },
    })
}

/// The date in or beside the name of an author, in no element marked so: `answered <b title=2024-05-01>1 May</b> by
/// Ann`, `by Ann » Wed May 01, 2024`.
fn date_of_author(dom: &Dom<'_>, place: NodeId) -> Option<Fact> {
    let has_class = |tokens: &[&str]| {
        let says = |(name, value): (&str, &str)| name.eq_ignore_ascii_case("class") && has_token(value, tokens);
        Attributes::new(dom.raw(place)).any(says)
    };
    if !has_class(&AUTHORS) || !is_short(dom, place) {
        return None;
    }
    // Other elements have the day on which the author joined.
    let has_text = has_class(&["author"]);
    dom.subtree(place).find_map(|place| {
        if dom.node(place).tag == Tag::Text {
            if !has_text {
                return None;
            }
            let text = text_of(dom, place);
            let value = tidy_date(text.trim_start_matches(|c: char| !c.is_alphanumeric()))?;
            return has_day(&value).then_some(Fact { value, place });
        }
        let value = tidy_date(&dom.attribute(place, "title")?)?;
        let is_day = value.starts_with(|c: char| c.is_ascii_digit()) && has_day(&value);
        is_day.then_some(Fact { value, place })
    })
}
