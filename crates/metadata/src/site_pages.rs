//! The values that a page's site has on its other pages, too: a part at the end of the title on most of them is the
//! name of the site or of a section, and an image on most of them is none of the page's own. Nor is a name in a line of
//! text that is on most of them. An author whom the page states for programs is believed: a blog has one. Days are not
//! compared, because a crawl may come on the day on which all pages were published.

use std::fmt;

use dehusk_html::{Dom, NodeId};

use super::choose;
use super::evidence::{Claim, Claims, Field, Source};
use super::html::{self, Collected};
use super::site_name::squeeze;
use super::title_parts;

/// A kind of value that pages may share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SharedKind {
    /// A title, a part of it or a heading: its letters and digits in lower case.
    Title = 1,
    /// The address of an image.
    Image,
}

/// The other known pages of a page's site.
pub trait OtherPages: fmt::Debug {
    /// How many are known.
    fn known(&self) -> u32;

    /// How many of them have a value, as [`shared_values`] passes it on.
    fn holding(&self, kind: SharedKind, value: &str) -> u32;

    /// How many of them have the line of text that a node of the page is in, or that begins in it, and have what is around
    /// that line, too.
    fn holding_text(&self, node: NodeId) -> u32;
}

/// The most headings whose texts are compared with those of other pages.
const MOST_HEADINGS: usize = 4;

/// The fewest other pages that can show that an author or an image is none of the page's own.
const LEAST: u32 = 2;

/// The fewest known pages that can show that a title or a part of it is none of the page's own. Two may be about the
/// same thing.
const LEAST_OF_TITLES: u32 = 3;

/// Passes on the values of a page that other pages of its site may have, too. The texts of the page need not be counted.
pub fn shared_values(dom: &Dom<'_>, mut see: impl FnMut(SharedKind, &str)) {
    // A run believes an absolute address of OpenGraph more than scripts, and scripts more than all others.
    let is_named = |claims: &Claims| choose::image(claims).from == Source::OpenGraph.name();
    let found = html::collect_titles_and_images(dom, is_named);
    title_values(&found)
        .iter()
        .for_each(|part| see(SharedKind::Title, part));
    let image = choose::image(&found.claims).value;
    if !image.is_empty() {
        see(SharedKind::Image, &image);
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

/// The values of a page that most other pages of its site have, too.
#[derive(Debug)]
pub(super) struct SharedValues<'a>(Option<&'a dyn OtherPages>);

impl<'a> SharedValues<'a> {
    pub(super) fn new(others: Option<&'a dyn OtherPages>) -> Self {
        Self(others.filter(|others| others.known() > 0))
    }

    /// Whether other pages are known.
    pub(super) fn has_others(&self) -> bool {
        self.0.is_some()
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

    /// Drops titles that other pages have whole, unless there is no other title. Returns all titles that there were; none
    /// if nothing is dropped.
    pub(super) fn drop_titles(&self, found: &mut Collected, shared: &[String]) -> Vec<Claim> {
        if shared.is_empty() {
            return Vec::new();
        }
        let is_shared = |title: &str| shared.contains(&squeeze(title));
        let has_other = found
            .claims
            .all(Field::Title)
            .iter()
            .any(|claim| !is_shared(&claim.value))
            || found.headings.iter().any(|heading| !is_shared(&heading.text));
        if !has_other {
            return Vec::new();
        }
        let all = found.claims.all(Field::Title).to_vec();
        found.claims.retain(Field::Title, |claim| !is_shared(&claim.value));
        all
    }

    /// Drops images.
    pub(super) fn drop_images(&self, claims: &mut Claims) {
        if self.0.is_some() {
            claims.retain(Field::Image, |claim| !self.has(SharedKind::Image, &claim.value));
        }
    }

    /// Drops the first author of `names`, which people read on other pages, too, and all that are believed less: these
    /// are names of something else.
    pub(super) fn drop_authors(&self, claims: &mut Claims, names: &[String]) {
        let is_shared = |claim: &Claim| {
            matches!(claim.source, Source::Byline | Source::Visible) && names.contains(&squeeze(&claim.value))
        };
        let ordered = choose::authors_in_order(claims);
        let Some(at) = ordered.iter().position(|claim| is_shared(claim)) else {
            return;
        };
        let kept: Vec<Claim> = ordered[..at].iter().map(|claim| (*claim).clone()).collect();
        claims.retain(Field::Author, |claim| kept.contains(claim));
    }

    /// Whether most other pages have the line of text that a node is in, or that begins in it.
    pub(super) fn has_text(&self, node: NodeId) -> bool {
        self.0.is_some_and(|others| is_most(others.holding_text(node), others))
    }

    /// Whether most other pages have a value.
    fn has(&self, kind: SharedKind, value: &str) -> bool {
        self.0
            .is_some_and(|others| is_most(others.holding(kind, value), others))
    }
}

fn is_most(holding: u32, others: &dyn OtherPages) -> bool {
    holding >= LEAST && 2 * holding > others.known()
}

#[cfg(test)]
mod tests {
    use dehusk_html::{Buffers, parse};

    use super::*;
    use crate::{PageFacts, read};

    const LOGO: &str = "https://x.example/logo.png";
    const SCRIPT: &str = "<script type='application/ld+json'>{\"@context\": \"https://schema.org\", \"@type\": \"NewsArticle\", \
                          \"headline\": \"Night of the ferry | Zebra Wave\", \"image\": \"https://x.example/logo.png\"}</script>";

    #[test]
    fn the_image_that_pages_share_is_the_one_that_a_run_chooses() {
        for (head, expected) in [
            ("<meta name='twitter:image' content='https://x.example/1.jpg'>", LOGO),
            ("<meta property='og:image' content='/1.jpg'>", LOGO),
            (
                "<meta property='og:image' content='https://x.example/1.jpg'>",
                "https://x.example/1.jpg",
            ),
        ] {
            let page = format!("<head>{head}{SCRIPT}</head><body><h1>Night</h1>");
            let dom = parse(&page, Buffers::default());
            let mut images = Vec::new();
            shared_values(&dom, |kind, value| {
                if kind == SharedKind::Image {
                    images.push(value.to_owned());
                }
            });
            assert_eq!(images, [expected], "{head}");
            assert_eq!(read(&dom, PageFacts::default()).image.value, expected, "{head}");
        }
    }

    /// Pages of which all have the same title.
    #[derive(Debug)]
    struct SameTitle;

    impl OtherPages for SameTitle {
        fn known(&self) -> u32 {
            5
        }

        fn holding(&self, kind: SharedKind, value: &str) -> u32 {
            let is_shared = kind == SharedKind::Title && value == squeeze("Kalamari Rex of the harbour");
            if is_shared { 5 } else { 0 }
        }

        fn holding_text(&self, _: NodeId) -> u32 {
            0
        }
    }

    #[test]
    fn a_shared_title_stays_where_nothing_else_is_chosen() {
        let page = format!("<head><title>Kalamari Rex of the harbour</title>{SCRIPT}</head><body><p>Hello</p>");
        let dom = parse(&page, Buffers::default());
        let without = read(&dom, PageFacts::default());
        let facts = PageFacts {
            others: Some(&SameTitle),
            ..PageFacts::default()
        };
        assert_ne!(without.title.value, "");
        assert_eq!(read(&dom, facts).title, without.title);
    }
}
