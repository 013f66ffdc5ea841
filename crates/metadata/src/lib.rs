//! Metadata of pages: title, author, dates, site and more, with the evidence for each.
//!
//! One pass over the tree collects claims from every source of evidence, and `choose` decides between them.
//!
//! - Sources: `meta.rs` and `properties.rs` (`meta` elements, microdata, RDFa), `json_ld.rs`, `html.rs`,
//!   `url.rs` and `near/` (what people read near the title).
//! - Values: `dates/` reads dates, those of posts too, `bylines.rs` names, `kind.rs` types.
//! - Titles: `title.rs` chooses one, `title_parts.rs` cuts off the site's name, which `site_name.rs` knows.
//! - `site_pages.rs` leaves out what other pages of the site have, too.
//! - `rights/` reads what the page and its server ask of those who use it.
//! - `scripts.rs` knows pages whose text only their scripts would write.
//! - `words/` has the words of all languages as plain lists.

mod bylines;
mod choose;
mod dates;
mod evidence;
mod html;
mod json_ld;
mod kind;
pub mod language;
mod meta;
mod near;
pub mod percent;
mod properties;
mod rights;
mod scripts;
mod site_name;
mod site_pages;
mod title;
mod title_parts;
mod url;
mod words;

use dehusk_html::{Dom, NodeId};

use choose::Certainty;
use dates::DateContext;
pub use dates::normalize_post_dates;
use evidence::{Claim, Claims, Field, Source};
use near::{DateScope, Places, SearchGoals};
pub use rights::Rights;
pub use scripts::needs_script;
use site_name::SiteName;
use site_pages::SharedValues;
pub use site_pages::{OtherPages, SharedKind, shared_values};
pub use url::hostname;

/// A value, and the name of the evidence for it; both `""` where the page has none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Evidence {
    /// The value.
    pub value: String,
    /// The name of the evidence, such as `json-ld`.
    pub from: &'static str,
}

impl Evidence {
    fn new(value: String, source: Source) -> Self {
        Self {
            value,
            from: source.name(),
        }
    }
}

impl From<&Claim> for Evidence {
    fn from(claim: &Claim) -> Self {
        Self::new(claim.value.clone(), claim.source)
    }
}

/// The metadata of a page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PageMetadata {
    /// Title without the site's name.
    pub title: Evidence,
    /// Authors, separated by `; `.
    pub author: Evidence,
    /// Date of publication, in ISO 8601.
    pub published: Evidence,
    /// Date of the last change, in ISO 8601.
    pub modified: Evidence,
    /// The site's own name.
    pub sitename: Evidence,
    /// The page's own address.
    pub canonical_url: Evidence,
    /// Summary.
    pub description: Evidence,
    /// Keywords, separated by `; `.
    pub keywords: Evidence,
    /// Address of an image.
    pub image: Evidence,
    /// The kind of the page, of a closed list.
    pub kind: Evidence,
    /// `lang` of the `html` element, or the language in `meta` tags, in lower case.
    pub language: String,
}

/// Facts about a page besides its tree.
#[derive(Clone, Copy, Debug, Default)]
pub struct PageFacts<'a> {
    /// The page's address, or `""`.
    pub url: &'a str,
    /// When it was crawled, or `""`.
    pub created: &'a str,
    /// Where its main content starts and ends.
    pub content: Option<(NodeId, NodeId)>,
    /// The other known pages of its site.
    pub others: Option<&'a dyn OtherPages>,
}

/// Reads a page's metadata.
pub fn read(dom: &Dom<'_>, facts: PageFacts<'_>) -> PageMetadata {
    let mut found = html::collect(dom);
    let shared = SharedValues::new(facts.others);
    let titles = shared.titles(&found);
    let all_titles = shared.drop_titles(&mut found, &titles);
    let language = claimed_language(dom, &found.claims);
    let host = hostname(facts.url);
    let site = SiteName::new(&found.claims, &host, url::is_home(facts.url), titles);
    let claims = &found.claims;
    let mut context = DateContext::new(dom, &language, &host, facts.created);
    let days = [Field::Published, Field::Modified].map(|field| claims.all(field));
    context.correct_crawl(days.into_iter().flatten().map(|claim| claim.value.as_str()));
    shared.drop_images(&mut found.claims);
    let claims = &found.claims;
    let kind = choose::kind(claims);
    let (mut title, mut heading) = title::choose(claims, &found.headings, &site, facts.url, &kind.value);
    if title.is_none() && !all_titles.is_empty() {
        found.claims.replace(Field::Title, all_titles);
        let site = SiteName::new(&found.claims, &host, url::is_home(facts.url), Vec::new());
        (title, heading) = title::choose(&found.claims, &found.headings, &site, facts.url, &kind.value);
    }
    let claims = &found.claims;
    let heading = heading.map(|at| &found.headings[at]);
    // Near the title of a site's first page are the authors and dates of other pages, and near that of a product those
    // of reviews.
    let is_dated_text = !url::is_home(facts.url) && kind.value != "product";
    let goals = SearchGoals {
        author: is_dated_text && choose::persons(claims, &site).value.is_empty(),
        dates: match choose::certainty_of_publication(claims, &context) {
            Certainty::Unknown if is_dated_text => DateScope::Anywhere,
            Certainty::Doubtful if is_dated_text => DateScope::Close,
            _ => DateScope::Nowhere,
        },
        is_thread: matches!(kind.value.as_str(), "forum" | "question"),
    };
    if goals.author || goals.dates != DateScope::Nowhere {
        let title = title.as_ref().map_or("", |title| title.value.as_str());
        let place = match heading {
            Some(heading) if title::is_within(title, &heading.text) => Some(heading.id),
            _ => near::place_of(title, dom, facts.content).or(heading.map(|heading| heading.id)),
        };
        let places = Places {
            title: place,
            content: facts.content,
        };
        let names = near::collect(dom, places, goals, &context, &shared, &mut found.claims);
        shared.drop_authors(&mut found.claims, &names);
    }
    let claims = &found.claims;
    let (published, day) = choose::published(claims, &context, facts.url);
    PageMetadata {
        title: title.as_ref().map(Evidence::from).unwrap_or_default(),
        author: choose::author(claims, &site),
        modified: choose::modified(claims, &context, day),
        published,
        sitename: choose::sitename(claims),
        canonical_url: choose::canonical_url(claims),
        description: choose::description(claims),
        keywords: choose::keywords(claims),
        image: choose::image(claims),
        kind,
        language,
    }
}

/// The language that the page claims, in lower case; `""` if it claims none.
fn claimed_language(dom: &Dom<'_>, claims: &Claims) -> String {
    let attribute = |name| {
        let value = dom.attribute(0, name)?.trim().to_ascii_lowercase();
        (!value.is_empty()).then_some(value)
    };
    let meta = || {
        let claim = claims.best(Field::Language, &[Source::Meta])?;
        Some(claim.value.to_ascii_lowercase())
    };
    let language = attribute("lang").or_else(|| attribute("xml:lang"));
    language.or_else(meta).unwrap_or_default()
}
