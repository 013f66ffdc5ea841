//! The title of a page: one of its headings, or the `title` element without the site's name. `title_parts.rs` cuts
//! titles.
//!
//! CoreEx (section 3.5 and 6.1) and NCE look for the node that has the text of the `title` element, or a part of it; so
//! does this.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::HashSet;

use super::evidence::{Claim, Claims, Field, Source};
use super::html::Heading;
use super::site_name::{SiteName, is_same, squeeze, words};
use super::title_parts::{
    LEAST_WORDS, ends_with_part, first_part, is_home_word, is_one_part, is_part_of, last_part, strip_count, strip_end,
    strip_site, strip_site_of_heading, word_count,
};
use super::url;
use dehusk_html::counting::letters;

/// If a page has more headings of the first level, one of a single word is that of a section.
const MOST_HEADINGS: usize = 2;

/// Longest heading that can be a title, in characters.
const LONGEST: usize = 300;

/// The title, and the heading that contains it.
///
/// On a site's first page the name of the site before a slogan is a part of the title.
pub(super) fn choose(
    claims: &Claims,
    headings: &[Heading],
    site: &SiteName,
    address: &str,
    kind: &str,
) -> (Option<Claim>, Option<usize>) {
    let is_home = url::is_home(address);
    let references = References::new(claims, headings, site, is_home);
    // The address of a first page has no words.
    let named = url::path_words(address);
    let are_many = headings.len() > MOST_HEADINGS;
    let headings = || {
        let headings = headings.iter().enumerate();
        headings.filter(|(_, heading)| {
            let is_short = heading.text.chars().count() <= LONGEST;
            let is_word = || are_many && words(&heading.text).nth(1).is_none() && !references.has(&heading.text);
            let is_site = || site.is_like(&heading.text) || site.is_shared(&heading.text);
            is_short && !is_word() && !is_site() && !references.names_section(&heading.text, &named)
        })
    };
    let fitting = headings()
        .map(|(at, heading)| (references.fit(&heading.text), Reverse(at), heading))
        .max_by_key(|(fit, at, _)| (*fit, *at));
    let best = fitting.map(|(fit, at, heading)| {
        if fit >= SURELY {
            return (fit, at, heading);
        }
        // A heading that the address has much more of is the title, whatever the others share with the `title` element.
        let own = shared(&heading.text, &named);
        let named_by = headings().find(|(_, other)| {
            let other = shared(&other.text, &named);
            other.words >= own.words + MUCH && other.is_more_than(own)
        });
        named_by.map_or((fit, at, heading), |(at, other)| (fit, Reverse(at), other))
    });
    if let Some((fit, Reverse(at), heading)) = best
        && fit >= ALIKE
    {
        let text = references
            .without_addition(heading)
            .trim_end_matches(PERMALINKS)
            .trim_end();
        if let Some(claim) = references
            .without_label(text)
            .or_else(|| references.against(text, kind, &named))
        {
            return (Some(claim), Some(at));
        }
        return (Some(heading_claim(plain(text, site, &references))), Some(at));
    }
    let value = |text: &str| {
        if is_home {
            let title = strip_end(text, site);
            let is_name = is_home_word(title);
            if is_name { text } else { title }.to_owned()
        } else {
            strip_count(first_part(text, site), |title| references.has(title)).to_owned()
        }
    };
    let claim = references.main().map(|claim| Claim {
        value: value(&claim.value),
        ..claim.clone()
    });
    let claim = claim.filter(|claim| !claim.value.is_empty());
    // A title that only says `Home` names nothing.
    if claim.as_ref().is_some_and(|claim| is_home_word(&claim.value))
        && let Some((at, heading)) = headings().find(|(_, heading)| word_count(&heading.text) >= LEAST_WORDS)
    {
        return (Some(heading_claim(plain(&heading.text, site, &references))), Some(at));
    }
    let shared = |text: &str| shared(text, &named);
    let named_by = headings().max_by_key(|(at, heading)| (shared(&heading.text), Reverse(*at)));
    let title = claim.as_ref().map(|claim| shared(&claim.value)).unwrap_or_default();
    if let Some((at, heading)) = named_by
        && shared(&heading.text).is_more_than(title)
    {
        return (Some(heading_claim(plain(&heading.text, site, &references))), Some(at));
    }
    let claim = claim.or_else(|| best.map(|(_, _, heading)| heading_claim(plain(&heading.text, site, &references))));
    (claim, best.map(|(_, Reverse(at), _)| at))
}

/// Whether a heading has all the letters of the title in a row, or the title those of the heading.
pub(super) fn is_within(title: &str, heading: &str) -> bool {
    if title == heading {
        return true;
    }
    let (title, heading) = (squeeze(title), squeeze(heading));
    heading.contains(&title) || title.contains(&heading)
}

/// A heading's text without the sign of a link to it, the site's name, and everything after a bar.
fn plain(text: &str, site: &SiteName, references: &References<'_>) -> String {
    let text = strip_site_of_heading(text.trim_end_matches(PERMALINKS).trim_end(), site);
    let first = text.split('|').find(|part| !part.trim().is_empty()).unwrap_or(text);
    strip_count(first.trim(), |title| references.has(title)).to_owned()
}

/// Signs of links to a heading, which are a part of its text.
const PERMALINKS: [char; 4] = ['¶', '#', '§', '\u{f0c1}'];

/// Sources of the title besides the headings.
struct References<'c> {
    /// The `title` element, or the card where the element only adds names of sections and sites to it.
    element: Option<TitleReference<'c>>,
    /// The title that the page gives to other sites.
    card: Option<TitleReference<'c>>,
    /// The title of the thing that the page is about.
    linked: Option<TitleReference<'c>>,
    /// Whether it is the first page of a site.
    is_home: bool,
}

/// A claim, and its text without the name of the site.
#[derive(Clone, Copy)]
struct TitleReference<'c> {
    claim: &'c Claim,
    text: &'c str,
}

impl<'c> References<'c> {
    fn new(claims: &'c Claims, headings: &[Heading], site: &SiteName, is_home: bool) -> Self {
        let best = |sources: &[Source]| {
            let claim = claims.best(Field::Title, sources)?;
            let text = strip_site(&claim.value, site);
            Some(TitleReference { claim, text })
        };
        let element = best(&[Source::TitleElement]);
        let card = best(&CARD);
        let is_heading =
            |reference: &TitleReference<'_>| headings.iter().any(|heading| is_same(&heading.text, reference.text));
        let alone = card.filter(|card| {
            let within = |element: TitleReference<'_>| is_part_of(&card.claim.value, &element.claim.value);
            !is_home && element.is_some_and(|element| within(element) && !is_heading(&element))
        });
        // One word may name the section of an article whose heading is another part.
        let alone = alone.filter(|card| {
            let whole = element.map_or("", |element| element.claim.value.as_str());
            let is_another = |heading: &Heading| !is_same(&heading.text, card.text) && is_part_of(&heading.text, whole);
            word_count(card.text) >= LEAST_WORDS || !headings.iter().any(is_another)
        });
        Self {
            element: alone.or(element),
            card,
            linked: best(&[Source::JsonLd, Source::Microdata]),
            is_home,
        }
    }

    /// The claim that is the title if no heading is.
    fn main(&self) -> Option<&'c Claim> {
        self.element.or(self.card).map(|reference| reference.claim)
    }

    /// Whether one of them is this title, or has it as a part.
    fn has(&self, title: &str) -> bool {
        let mut all = [self.element, self.card, self.linked].into_iter().flatten();
        all.any(|reference| is_same(reference.text, title) || is_part_of(title, reference.text))
    }

    /// How much a heading has in common with one of them, in percent.
    fn fit(&self, heading: &str) -> usize {
        let all = [self.element, self.card, self.linked].into_iter().flatten();
        all.map(|reference| similarity(reference.text, heading))
            .max()
            .unwrap_or(0)
    }

    /// Whether the `title` element has a heading at its end, after a mark, and the address has more words of what
    /// is before it. The heading names a section of the site then, or the site itself.
    fn names_section(&self, heading: &str, named: &HashSet<String>) -> bool {
        let parts = self.element.and_then(|element| last_part(element.text));
        parts.is_some_and(|(before, last)| {
            is_same(last, heading) && shared(before, named).is_more_than(shared(last, named))
        })
    }

    /// The title that the `title` element and the card give where a heading has another text. On the pages of a site
    /// that are no articles, such a heading is a slogan or names a section, unless the address has more words of it; so
    /// it is on other pages where the address has more words of the title.
    fn against(&self, heading: &str, kind: &str, named: &HashSet<String>) -> Option<Claim> {
        let (element, card) = (self.element?, self.card?);
        let (title, own) = (squeeze(element.text), squeeze(heading));
        let is_part = title.starts_with(&own)
            || ends_with_part(element.text, heading)
            || self.linked.is_some_and(|linked| squeeze(linked.text) == own);
        let agree = !self.is_home && title == squeeze(card.text) && is_one_part(element.text);
        let (of_title, of_heading) = (shared(element.text, named), shared(heading, named));
        let is_named = match kind {
            "website" => !of_heading.is_more_than(of_title),
            "article" => false,
            _ => of_title.is_more_than(of_heading),
        };
        (agree && !is_part && is_named).then(|| Claim {
            value: element.text.to_owned(),
            ..element.claim.clone()
        })
    }

    /// A heading without what follows the title in elements of its own, such as a second title or a count of answers.
    fn without_addition<'h>(&self, heading: &'h Heading) -> &'h str {
        let is_title = |text: &str| word_count(text) >= LEAST_WORDS && self.has(text);
        // The name of a maker can be an element before that of the thing, which the title element has, too.
        let is_whole = |text: &&str| {
            let rest = heading.text.strip_prefix(*text).unwrap_or_default();
            let is_other = self
                .element
                .is_none_or(|element| similarity(rest, &element.claim.value) < ALIKE);
            is_other && is_title(text)
        };
        let mut starts = [heading.first.as_str(), heading.start.as_str()].into_iter();
        match starts.find(is_whole) {
            Some(title) if !self.has(&heading.text) => title,
            _ => &heading.text,
        }
    }

    /// The title without the label before it in a heading, such as `News` or `Thread:`. It is a label if
    /// two sources leave it out, or if one leaves it out and another sets it off by a mark.
    fn without_label(&self, heading: &str) -> Option<Claim> {
        let element = self.element?;
        let whole = folded(heading);
        let marked = folded(element.text) == whole;
        [self.card, self.linked].into_iter().flatten().find_map(|reference| {
            let title = folded(reference.text);
            let label = whole.strip_suffix(title.as_slice()).filter(|label| !label.is_empty())?;
            let is_set_off =
                marked && ends_with_part(element.text, reference.text) && !ends_with_part(heading, reference.text);
            let is_left_out = folded(element.text) == title
                && label.len() <= LONGEST_LABEL
                && !matches!(label, [article] if ARTICLES.contains(&&**article));
            let is_named = matches!(label, [word] if TITLE_WORDS.contains(&&**word));
            (title.len() >= LEAST_WORDS && (is_set_off || is_left_out || is_named)).then(|| Claim {
                value: reference.text.to_owned(),
                ..reference.claim.clone()
            })
        })
    }
}

/// Sources of titles for other sites, best first.
const CARD: [Source; 5] = [
    Source::OpenGraph,
    Source::Twitter,
    Source::Citation,
    Source::DublinCore,
    Source::Meta,
];

/// The most words of a label that two sources leave out.
const LONGEST_LABEL: usize = 3;

/// The words that libraries write before a title.
const TITLE_WORDS: [&str; 4] = ["title", "titel", "titre", "título"];

/// Words before a title that are no label.
const ARTICLES: [&str; 3] = ["the", "a", "an"];

/// The words of a text in lower case.
fn folded(text: &str) -> Vec<Cow<'_, str>> {
    words(text).map(small).collect()
}

/// A word in lower case; the word itself where it is so already.
fn small(word: &str) -> Cow<'_, str> {
    if word
        .bytes()
        .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
    {
        word.into()
    } else {
        word.to_lowercase().into()
    }
}

/// How many words of a text are in an address too, and how many the text has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct SharedWords {
    words: usize,
    percent: usize,
}

impl SharedWords {
    /// Whether more words are shared, and no smaller part of the text.
    fn is_more_than(self, other: Self) -> bool {
        self.words > other.words && self.percent >= other.percent
    }
}

fn shared(text: &str, named: &HashSet<String>) -> SharedWords {
    let mut own = folded(text);
    own.sort_unstable();
    own.dedup();
    let words = own.iter().filter(|word| named.contains(&***word)).count();
    SharedWords {
        words,
        percent: words * 100 / own.len().max(1),
    }
}

/// Whether two words are the same in lower case. Most are ASCII, or differ in the first letter, and need no copies.
fn is_same_word(a: &str, b: &str) -> bool {
    a.eq_ignore_ascii_case(b)
        || !(a.is_ascii() && b.is_ascii())
            && letters(a).next() == letters(b).next()
            && a.to_lowercase() == b.to_lowercase()
}

fn heading_claim(value: String) -> Claim {
    Claim {
        value,
        source: Source::Heading,
        rank: 0,
        is_near: true,
    }
}

/// How much two texts have in common: percent of the words of the shorter one. 100 is for equal texts only.
fn similarity(a: &str, b: &str) -> usize {
    if is_same(a, b) {
        return 100;
    }
    let (a, b): (Vec<_>, Vec<_>) = (words(a).collect(), words(b).collect());
    let is_common = |word: &&&str| a.iter().any(|other| is_same_word(word, other));
    let common = b.iter().filter(is_common).count();
    (common * 100 / a.len().min(b.len()).max(1)).min(99)
}

/// Percent of words that a heading must share with the `title` element to be the title.
const ALIKE: usize = 50;

/// Percent of words that make a heading the title, regardless of the address.
const SURELY: usize = 85;

/// How many words more of a heading an address has if it names the heading and not another.
const MUCH: usize = 2;
