//! Decides which of all claims a document gives. The orders of sources are here and nowhere else.

use super::bylines;
use super::dates::{Date, DateContext};
use super::evidence::{Claim, Claims, Field, Source};
use super::kind::kind_of;
use super::site_name::SiteName;
use super::{Evidence, near, url};

use Source::*;

const AUTHOR: &[Source] = &[
    JsonLd, Citation, Microdata, OpenGraph, Meta, Twitter, DublinCore, Rdfa, RelAuthor, Byline, Visible,
];
const PUBLISHED: &[Source] = &[
    JsonLd, OpenGraph, Microdata, Citation, Meta, DublinCore, Rdfa, Time, Visible,
];
/// The sources that people read near the title.
const SHOWN: &[Source] = &[Time, Visible];
const MODIFIED: &[Source] = &[JsonLd, OpenGraph, Microdata, Meta, DublinCore, Rdfa, Time, Visible];
const SITE: &[Source] = &[OpenGraph, JsonLd, Citation, Meta];
const CANONICAL: &[Source] = &[Link, OpenGraph, JsonLd, Citation, Twitter, Meta];
const DESCRIPTION: &[Source] = &[OpenGraph, Meta, JsonLd, Twitter, DublinCore, Citation, Microdata, Rdfa];
const KEYWORDS: &[Source] = &[JsonLd, Meta, OpenGraph, Citation, DublinCore, Microdata, Rdfa];
const IMAGE: &[Source] = &[OpenGraph, JsonLd, Twitter, Meta, Link, Microdata];
const KIND: &[Source] = &[JsonLd, OpenGraph, Meta];

/// The claims of a field from the best source on, each source's best names first. Claims that people read come last;
/// there, the nearest to the title is the best.
fn ordered<'c>(claims: &'c Claims, field: Field, order: &[Source]) -> Vec<&'c Claim> {
    let mut ranked: Vec<_> = claims.placed(field, order).collect();
    ranked.sort_by_key(|(place, claim)| {
        let (place, rank) = (*place, usize::from(claim.rank));
        if claim.is_near {
            (true, rank, place)
        } else {
            (false, place, rank)
        }
    });
    ranked.into_iter().map(|(_, claim)| claim).collect()
}

/// The claims of authors, the most believed first.
pub(super) fn authors_in_order(claims: &Claims) -> Vec<&Claim> {
    ordered(claims, Field::Author, AUTHOR)
}

fn plain(claims: &Claims, field: Field, order: &[Source]) -> Evidence {
    claims.best(field, order).map(Evidence::from).unwrap_or_default()
}

/// The authors: all that the best source names under its best name. The name of the site is an author only if there is
/// no other, and not if it is only the site's address or account.
pub(super) fn author(claims: &Claims, site: &SiteName) -> Evidence {
    let persons = persons(claims, site);
    if persons.value.is_empty() {
        authors(claims, site, &|_| true)
    } else {
        persons
    }
}

/// The authors that are not the site itself.
pub(super) fn persons(claims: &Claims, site: &SiteName) -> Evidence {
    authors(claims, site, &|name| !site.is_like(name))
}

/// Whether a source is often a part of a template, which is the same on every page of a site.
fn is_template(source: Source) -> bool {
    matches!(source, Meta | DublinCore)
}

fn authors(claims: &Claims, site: &SiteName, accept: &dyn Fn(&str) -> bool) -> Evidence {
    let mut values: Vec<String> = Vec::new();
    let mut best: Option<(Source, u8)> = None;
    for claim in authors_in_order(claims) {
        if best.is_some_and(|best| best != (claim.source, claim.rank)) {
            break;
        }
        let name = match claim.source {
            Citation | DublinCore => bylines::name(&claim.value).map(bylines::given_name_first),
            _ => bylines::name(&claim.value),
        };
        let is_author = |name: &String| {
            let is_filled_in = || bylines::is_organization(name) || bylines::has_roles(name) || site.is_account(name);
            !(is_template(claim.source) && is_filled_in()) && accept(name)
        };
        if let Some(value) = name.filter(is_author) {
            best = Some((claim.source, claim.rank));
            if claim.is_near && !values.is_empty() {
                // Further names near the title are those of editors, or of people who answered.
                break;
            }
            if !values.contains(&value) {
                values.push(value);
            }
        }
    }
    best.map(|(source, _)| Evidence::new(values.join("; "), source))
        .unwrap_or_default()
}

/// The keywords.
pub(super) fn keywords(claims: &Claims) -> Evidence {
    let mut keywords = Vec::new();
    let ordered = ordered(claims, Field::Keywords, KEYWORDS);
    let Some(first) = ordered.first() else {
        return Evidence::default();
    };
    for claim in ordered.iter().filter(|claim| claim.source == first.source) {
        let parts = claim.value.split([',', ';', '、', '，', '؛', '،']).map(str::trim);
        for part in parts.filter(|part| !part.is_empty()) {
            if keywords.len() < MOST_KEYWORDS && !keywords.contains(&part) {
                keywords.push(part);
            }
        }
    }
    Evidence::new(keywords.join("; "), first.source)
}

/// The most keywords of a document.
const MOST_KEYWORDS: usize = 64;

/// The date of publication. The day of the last change is none: a page without another one has no date of publication.
/// Where the day of publication is in doubt, an earlier one that is close to the title is believed.
pub(super) fn published(claims: &Claims, context: &DateContext<'_>, address: &str) -> (Evidence, Option<Date>) {
    let chosen = |(claim, date): (&Claim, Date)| (Evidence::new(date.to_string(), claim.source), Some(date));
    let of_address = || url::date(address, context);
    let from_address = |day: Date| (Evidence::new(day.to_string(), Url), Some(day));
    let Some(given) = dates(claims, Field::Published, PUBLISHED, context).next() else {
        // A page that shows no day can have it in another address that it gives as its own.
        let mut canonical = claims.all(Field::Canonical).iter();
        let of_canonical = || canonical.find_map(|claim| url::date(&claim.value, context));
        return of_address().or_else(of_canonical).map(from_address).unwrap_or_default();
    };
    if given.0.is_near {
        // Far from the title are days of other pages.
        let is_far = given.0.rank >= near::FAR;
        let day = is_far.then(of_address).flatten();
        return day.map_or_else(|| chosen(given), from_address);
    }
    let date = given.1;
    if is_in_doubt(date, claims, context)
        && let Some(shown) = dates(claims, Field::Published, SHOWN, context).next()
        && date.is_after(shown.1)
        && !date.is_same_day(shown.1)
    {
        return chosen(shown);
    }
    // An address has the day where the page was published.
    let day = of_address().filter(|day| date.can_be_elsewhere(*day));
    day.map_or_else(|| chosen(given), from_address)
}

/// How certain the day of publication is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Certainty {
    Unknown,
    /// A day that is not before that of the last change. Some systems write the day of the last change into both.
    Doubtful,
    Certain,
}

/// How certain the day is that the sources give.
pub(super) fn certainty_of_publication(claims: &Claims, context: &DateContext<'_>) -> Certainty {
    let Some(published) = date(claims, Field::Published, PUBLISHED, context).1 else {
        return Certainty::Unknown;
    };
    if is_in_doubt(published, claims, context) {
        Certainty::Doubtful
    } else {
        Certainty::Certain
    }
}

/// Whether a day of publication is not before that of the last change.
fn is_in_doubt(published: Date, claims: &Claims, context: &DateContext<'_>) -> bool {
    let modified = date(claims, Field::Modified, MODIFIED, context).1;
    modified.is_some_and(|modified| published.is_same_day(modified) || published.is_after(modified))
}

/// The date of the last change. One before the publication is wrong.
pub(super) fn modified(claims: &Claims, context: &DateContext<'_>, published: Option<Date>) -> Evidence {
    let (evidence, date) = date(claims, Field::Modified, MODIFIED, context);
    match (date, published) {
        (Some(date), Some(published)) if published.is_after(date) && !published.is_same_day(date) => {
            Evidence::default()
        }
        _ => evidence,
    }
}

fn date(claims: &Claims, field: Field, order: &[Source], context: &DateContext<'_>) -> (Evidence, Option<Date>) {
    match dates(claims, field, order, context).next() {
        Some((claim, date)) => (Evidence::new(date.to_string(), claim.source), Some(date)),
        None => Default::default(),
    }
}

/// The dates of a field, from that of the best source on.
fn dates<'c>(
    claims: &'c Claims,
    field: Field,
    order: &[Source],
    context: &DateContext<'_>,
) -> impl Iterator<Item = (&'c Claim, Date)> {
    ordered(claims, field, order).into_iter().filter_map(|claim| {
        // A claim near the title was believed when it was found.
        let date = if claim.is_near {
            context.read(&claim.value)
        } else {
            context.parse(&claim.value)
        };
        Some((claim, date?))
    })
}

pub(super) fn sitename(claims: &Claims) -> Evidence {
    plain(claims, Field::Site, SITE)
}

pub(super) fn description(claims: &Claims) -> Evidence {
    plain(claims, Field::Description, DESCRIPTION)
}

pub(super) fn canonical_url(claims: &Claims) -> Evidence {
    address(claims, Field::Canonical, CANONICAL)
}

pub(super) fn image(claims: &Claims) -> Evidence {
    address(claims, Field::Image, IMAGE)
}

/// The first absolute address.
fn address(claims: &Claims, field: Field, order: &[Source]) -> Evidence {
    let is_absolute = |claim: &&&Claim| claim.value.starts_with("https://") || claim.value.starts_with("http://");
    ordered(claims, field, order)
        .iter()
        .find(is_absolute)
        .map(|claim| Evidence::from(*claim))
        .unwrap_or_default()
}

/// The kind that the page names.
pub(super) fn kind(claims: &Claims) -> Evidence {
    let mut kinds = ordered(claims, Field::Kind, KIND).into_iter();
    kinds
        .find_map(|claim| Some(Evidence::new(kind_of(&claim.value)?.to_owned(), claim.source)))
        .unwrap_or_default()
}
