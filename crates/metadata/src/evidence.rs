//! Claims of sources: a value, the field that it is for, and where it comes from.

use dehusk_html::references::decode_references;

/// Longest value that is kept, in bytes. A longer one is no title, name or date.
pub(super) const LONGEST: usize = 2000;

/// The most values that are kept for one field. Authors and keywords can be many; the rest of them is dropped.
const MOST: usize = 64;

/// The fields of a page's metadata.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Field {
    Title,
    Author,
    Published,
    Modified,
    Site,
    Canonical,
    Description,
    Keywords,
    Image,
    Kind,
    Language,
}

/// The number of fields.
const FIELDS: usize = Field::Language as usize + 1;

impl Field {
    /// The field with a name in lower case.
    pub(super) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "title" => Self::Title,
            "author" => Self::Author,
            "published" => Self::Published,
            "modified" => Self::Modified,
            "site" => Self::Site,
            "canonical" => Self::Canonical,
            "description" => Self::Description,
            "keywords" => Self::Keywords,
            "image" => Self::Image,
            "kind" => Self::Kind,
            "language" => Self::Language,
            _ => return None,
        })
    }
}

/// Where in the page a value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// A `script` of type `application/ld+json`.
    JsonLd,
    /// `itemprop`.
    Microdata,
    /// `property` with a term of a vocabulary other than Open Graph.
    Rdfa,
    /// `og:` and `article:`.
    OpenGraph,
    /// `twitter:`.
    Twitter,
    /// `dc.` and `dcterms.`.
    DublinCore,
    /// `citation_`, which scholarly pages have.
    Citation,
    /// Another `meta` element.
    Meta,
    /// An `h1` element.
    Heading,
    /// The `title` element.
    TitleElement,
    /// A `time` element.
    Time,
    /// A link with `rel="author"`.
    RelAuthor,
    /// An element whose class marks it as a byline.
    Byline,
    /// Text near the title.
    Visible,
    /// The page's address.
    Url,
    /// A `link` element.
    Link,
}

impl Source {
    /// The source of names of properties that has a name.
    pub(super) fn named(name: &str) -> Option<Self> {
        use Source::{Citation, DublinCore, Meta, Microdata, OpenGraph, Rdfa, Twitter};
        let all = [Microdata, Rdfa, OpenGraph, Twitter, DublinCore, Citation, Meta];
        all.into_iter().find(|source| source.name() == name)
    }

    /// The name that documents give.
    pub(super) fn name(self) -> &'static str {
        match self {
            Source::JsonLd => "json-ld",
            Source::Microdata => "microdata",
            Source::Rdfa => "rdfa",
            Source::OpenGraph => "open-graph",
            Source::Twitter => "twitter",
            Source::DublinCore => "dublin-core",
            Source::Citation => "citation",
            Source::Meta => "meta",
            Source::Heading => "h1",
            Source::TitleElement => "title",
            Source::Time => "time",
            Source::RelAuthor => "rel-author",
            Source::Byline => "byline",
            Source::Visible => "visible",
            Source::Url => "url",
            Source::Link => "link",
        }
    }
}

/// A value and where it comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Claim {
    /// The value: characters decoded, white space collapsed, never empty.
    pub(super) value: String,
    /// Where it comes from.
    pub(super) source: Source,
    /// The place of its name among the names of its source; the least is the best.
    pub(super) rank: u8,
    /// Whether it is in the text that people read.
    pub(super) is_near: bool,
}

/// The claims of all sources, by field and in the order of the page.
#[derive(Debug, Default)]
pub(super) struct Claims {
    by_field: [Vec<Claim>; FIELDS],
    /// The fields that are wanted; all if there are none.
    wanted: &'static [Field],
}

impl Claims {
    /// Claims of some fields only. Others are dropped when they are added.
    pub(super) fn only(wanted: &'static [Field]) -> Self {
        Self {
            wanted,
            ..Self::default()
        }
    }

    /// The claims of a field.
    pub(super) fn all(&self, field: Field) -> &[Claim] {
        &self.by_field[field as usize]
    }

    /// Drops the claims of a field that `keep` does not want.
    pub(super) fn retain(&mut self, field: Field, keep: impl FnMut(&Claim) -> bool) {
        self.by_field[field as usize].retain(keep);
    }

    /// Replaces the claims of a field.
    pub(super) fn replace(&mut self, field: Field, claims: Vec<Claim>) {
        self.by_field[field as usize] = claims;
    }

    /// Adds a claim, unless its value is empty, too long, or one too many.
    pub(super) fn add(&mut self, field: Field, source: Source, rank: u8, value: &str) {
        self.push(field, source, rank, value, false);
    }

    /// Adds a claim of the text that people read.
    pub(super) fn add_near(&mut self, field: Field, source: Source, rank: u8, value: &str) {
        self.push(field, source, rank, value, true);
    }

    fn push(&mut self, field: Field, source: Source, rank: u8, value: &str, is_near: bool) {
        let claims = &mut self.by_field[field as usize];
        if claims.len() == MOST || !self.wanted.is_empty() && !self.wanted.contains(&field) {
            return;
        }
        let value = clean(value);
        if !value.is_empty() {
            claims.push(Claim {
                value,
                source,
                rank,
                is_near,
            });
        }
    }

    /// The claims of a field from some sources, each with the place of its source among them.
    pub(super) fn placed(&self, field: Field, order: &[Source]) -> impl Iterator<Item = (usize, &Claim)> {
        let place = |claim: &Claim| order.iter().position(|source| *source == claim.source);
        self.all(field)
            .iter()
            .filter_map(move |claim| Some((place(claim)?, claim)))
    }

    /// The first claim of a field that the best source makes under its best name.
    pub(super) fn best(&self, field: Field, order: &[Source]) -> Option<&Claim> {
        let best = self
            .placed(field, order)
            .min_by_key(|(place, claim)| (*place, claim.rank));
        best.map(|(_, claim)| claim)
    }
}

/// A value without the marks of its source: character references decoded (some pages escape twice), white space
/// collapsed, without control characters. `""` if it is too long.
pub(super) fn clean(value: &str) -> String {
    if value.len() > 4 * LONGEST {
        return String::new();
    }
    let plain = value.bytes().all(|b| b.is_ascii_graphic() && b != b'&' || b == b' ');
    if plain && !value.contains("  ") {
        let value = value.trim();
        return if value.len() > LONGEST {
            String::new()
        } else {
            value.to_owned()
        };
    }
    let once = decode_references(value);
    let decoded = decode_references(&once);
    let mut out = String::with_capacity(decoded.len());
    for word in decoded.split_whitespace() {
        let before = out.len();
        if before > 0 {
            out.push(' ');
        }
        let gap = out.len();
        out.extend(word.chars().filter(|c| !is_invisible(*c)));
        if out.len() == gap {
            out.truncate(before);
        }
    }
    if out.len() > LONGEST {
        out.clear();
    }
    out
}

/// Whether a character is a control, or a mark without width that no title or name needs.
fn is_invisible(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{AD}' | '\u{200B}' | '\u{200E}' | '\u{200F}' | '\u{2060}' | '\u{FEFF}' | '\u{FFFD}'
        )
        || matches!(c, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}
