//! What a page's site says on its other pages, too: a part at the end of the title on most of them is the name of the
//! site or of a section, and an image on most of them is none of the page's own. Nor is a name that people read there. An
//! author whom the page states for programs is believed: a blog has one. Days are not compared, because a crawl may come
//! on the day on which all pages were published.

use std::fmt;

use dehusk_html::Dom;

use super::choose;
use super::evidence::{Claim, Claims, Field, Source};
use super::html::Collected;
use super::site_name::squeeze;
use super::title_parts;
use super::{PageFacts, PageMetadata};

/// A kind of value that pages may share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SharedKind {
    /// A title, a part of it or a heading: its letters and digits in lower case.
    Title = 1,
    /// An author: the letters and digits of the name in lower case.
    Author,
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

/// The fewest other pages that can show that an author or an image is none of the page's own.
const LEAST: u32 = 2;

/// The fewest known pages that can show that a title or a part of it is none of the page's own. Two may be about the
/// same thing.
const LEAST_OF_TITLES: u32 = 3;

/// Passes on the values of a page that other pages of its site may have, too.
pub fn shared_values(dom: &Dom<'_>, facts: PageFacts<'_>, mut see: impl FnMut(SharedKind, &str)) {
    let (metadata, found) = super::read_claims(dom, facts);
    title_values(&found)
        .iter()
        .for_each(|part| see(SharedKind::Title, part));
    let PageMetadata { author, image, .. } = metadata;
    let authors = author.value.split("; ").map(squeeze);
    authors
        .filter(|name| !name.is_empty())
        .for_each(|name| see(SharedKind::Author, &name));
    if !image.value.is_empty() {
        see(SharedKind::Image, &image.value);
    }
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

/// What of a page's values most other pages of its site have, too.
#[derive(Debug)]
pub(super) struct SharedValues<'a>(Option<&'a dyn OtherPages>);

impl<'a> SharedValues<'a> {
    pub(super) fn new(others: Option<&'a dyn OtherPages>) -> Self {
        Self(others.filter(|others| others.known() > 0))
    }

    /// The titles, parts of titles and headings, squeezed.
    pub(super) fn titles(&self, found: &Collected) -> Vec<String> {
        if self.0.is_none_or(|others| others.known() < LEAST_OF_TITLES) {
            return Vec::new();
        }
        let mut titles = title_values(found);
        titles.retain(|title| self.has(SharedKind::Title, title));
        titles
    }

    /// Drops titles that other pages have whole, unless there is no other title.
    pub(super) fn drop_titles(&self, found: &mut Collected, shared: &[String]) {
        if shared.is_empty() {
            return;
        }
        let is_shared = |title: &str| shared.contains(&squeeze(title));
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

    /// Drops images.
    pub(super) fn drop_images(&self, claims: &mut Claims) {
        if self.0.is_some() {
            claims.retain(Field::Image, |claim| !self.has(SharedKind::Image, &claim.value));
        }
    }

    /// Drops the first author that people read on other pages, too, and all that are believed less: these are names of
    /// something else. Returns whether there was one.
    pub(super) fn drop_authors(&self, claims: &mut Claims) -> bool {
        if self.0.is_none() {
            return false;
        }
        let is_shared = |claim: &Claim| {
            matches!(claim.source, Source::Byline | Source::Visible)
                && self.has(SharedKind::Author, &squeeze(&claim.value))
        };
        let ordered = choose::authors_in_order(claims);
        let Some(at) = ordered.iter().position(|claim| is_shared(claim)) else {
            return false;
        };
        let kept: Vec<Claim> = ordered[..at].iter().map(|claim| (*claim).clone()).collect();
        claims.retain(Field::Author, |claim| kept.contains(claim));
        true
    }

    /// Whether most other pages have a value.
    fn has(&self, kind: SharedKind, value: &str) -> bool {
        self.0.is_some_and(|others| {
            let holding = others.holding(kind, value);
            holding >= LEAST && 2 * holding > others.known()
        })
    }
}
