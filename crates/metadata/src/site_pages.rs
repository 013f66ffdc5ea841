//! What a page's site says on its other pages, too: a part of the title on most of them is the name of the site or of a
//! section, and an author, a day or an image on most of them is none of the page's own.

use std::fmt;

use dehusk_html::Dom;

use super::dates::DateContext;
use super::evidence::{Claims, Field};
use super::html::Collected;
use super::site_name::squeeze;
use super::title_parts;
use super::{Evidence, PageFacts, PageMetadata};

/// A kind of value that pages may share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SharedKind {
    /// A title, a part of it or a heading: its letters and digits in lower case.
    Title = 1,
    /// An author: the letters and digits of the name in lower case.
    Author,
    /// A day of publication, as `2024-03-11`.
    Day,
    /// The address of an image.
    Image,
}

/// The other known pages of a page's site.
pub trait OtherPages: fmt::Debug {
    /// How many are known.
    fn known(&self) -> u32;

    /// How many of them have a value, as [`shared_values`] passes it on.
    fn holding(&self, kind: SharedKind, value: &str) -> u32;
}

/// The most headings whose texts are compared with those of other pages.
const MOST_HEADINGS: usize = 4;

/// The fewest other pages that can show that an author, a day or an image is none of the page's own.
const LEAST: u32 = 2;

/// Passes on the values of a page that other pages of its site may have, too.
pub fn shared_values(dom: &Dom<'_>, facts: PageFacts<'_>, mut see: impl FnMut(SharedKind, &str)) {
    let (metadata, found) = super::read_claims(dom, facts);
    title_values(&found)
        .iter()
        .for_each(|part| see(SharedKind::Title, part));
    let PageMetadata {
        author,
        published,
        image,
        ..
    } = metadata;
    let authors = author.value.split("; ").map(squeeze);
    authors
        .filter(|name| !name.is_empty())
        .for_each(|name| see(SharedKind::Author, &name));
    if let Some(day) = day(&published) {
        see(SharedKind::Day, day);
    }
    if !image.value.is_empty() {
        see(SharedKind::Image, &image.value);
    }
}

/// The day of a date.
fn day(date: &Evidence) -> Option<&str> {
    date.value.get(..10)
}

/// The titles of a page, their parts and its headings.
fn title_values(found: &Collected) -> Vec<String> {
    let titles = found.claims.all(Field::Title).iter();
    let parts = titles.flat_map(|claim| {
        title_parts::parts(&claim.value)
            .into_iter()
            .chain([claim.value.as_str()])
    });
    let headings = found.headings.iter().take(MOST_HEADINGS);
    let headings = headings.map(|heading| heading.text.as_str());
    let mut values: Vec<String> = parts.chain(headings).map(squeeze).collect();
    values.sort_unstable();
    values.dedup();
    values.retain(|value| !value.is_empty());
    values
}

/// Titles, parts of titles and headings that most other pages have, squeezed.
#[derive(Debug, Default)]
pub(super) struct SharedTitles {
    pub(super) all: Vec<String>,
    /// Those that at least two of them have. One page may be about the same thing.
    pub(super) by_several: Vec<String>,
}

/// What of a page's values most other pages of its site have, too.
#[derive(Debug)]
pub(super) struct SharedValues<'a>(Option<&'a dyn OtherPages>);

impl<'a> SharedValues<'a> {
    pub(super) fn new(others: Option<&'a dyn OtherPages>) -> Self {
        Self(others.filter(|others| others.known() > 0))
    }

    /// The titles, parts of titles and headings.
    pub(super) fn titles(&self, found: &Collected) -> SharedTitles {
        if self.0.is_none() {
            return SharedTitles::default();
        }
        let mut all = title_values(found);
        all.retain(|title| self.has(SharedKind::Title, title, 1));
        let by_several = all.iter().filter(|title| self.has(SharedKind::Title, title, LEAST));
        SharedTitles {
            by_several: by_several.cloned().collect(),
            all,
        }
    }

    /// Drops titles that other pages have whole, unless there is no other title.
    pub(super) fn drop_titles(&self, found: &mut Collected, shared: &SharedTitles) {
        if shared.by_several.is_empty() {
            return;
        }
        let is_shared = |title: &str| shared.by_several.contains(&squeeze(title));
        let has_other = found
            .claims
            .all(Field::Title)
            .iter()
            .any(|claim| !is_shared(&claim.value))
            || found.headings.iter().any(|heading| !is_shared(&heading.text));
        if has_other {
            found.claims.retain(Field::Title, |claim| !is_shared(&claim.value));
        }
    }

    /// Drops authors, days and images.
    pub(super) fn drop_others(&self, claims: &mut Claims, context: &DateContext<'_>) {
        if self.0.is_none() {
            return;
        }
        claims.retain(Field::Author, |claim| {
            !self.has(SharedKind::Author, &squeeze(&claim.value), LEAST)
        });
        claims.retain(Field::Image, |claim| !self.has(SharedKind::Image, &claim.value, LEAST));
        for field in [Field::Published, Field::Modified] {
            claims.retain(field, |claim| {
                let date = context.parse(&claim.value).map(|date| date.to_string());
                let day = date.as_ref().and_then(|date| date.get(..10));
                !day.is_some_and(|day| self.has(SharedKind::Day, day, LEAST))
            });
        }
    }

    /// Whether most other pages have a value, and at least so many.
    fn has(&self, kind: SharedKind, value: &str, least: u32) -> bool {
        self.0.is_some_and(|others| {
            let holding = others.holding(kind, value);
            holding >= least && 2 * holding > others.known()
        })
    }
}
