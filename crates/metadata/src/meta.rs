//! `meta` elements: Open Graph, Twitter cards, Dublin Core, `citation_*`, and the names of publishing systems.

use dehusk_html::internal::decode_attribute;
use dehusk_html::{Attributes, Dom, NodeId};

use super::evidence::{Claims, Field, Source};

/// Collects what a page's `meta` elements say.
#[derive(Debug, Default)]
pub(super) struct Metas {
    /// The number of a Twitter card's `twitter:label` that announces an author.
    author_label: Option<u8>,
}

impl Metas {
    /// Reads one `meta` element.
    pub(super) fn read(&mut self, dom: &Dom<'_>, id: NodeId, claims: &mut Claims) {
        let mut names = [None; 4];
        let mut content = "";
        for (name, value) in Attributes::new(dom.raw(id)) {
            let place = match name.len() {
                4 if name.eq_ignore_ascii_case("name") => 0,
                8 if name.eq_ignore_ascii_case("property") => 1,
                8 if name.eq_ignore_ascii_case("itemprop") => 2,
                10 if name.eq_ignore_ascii_case("http-equiv") => 3,
                7 if name.eq_ignore_ascii_case("content") => {
                    content = value;
                    continue;
                }
                _ => continue,
            };
            names[place].get_or_insert(value);
        }
        if content.is_empty() {
            return;
        }
        let mut last = "";
        for (place, name) in names.into_iter().enumerate() {
            let Some(name) = name
                .map(str::trim)
                .filter(|name| *name != last && name.len() <= LONGEST_NAME)
            else {
                continue;
            };
            last = name;
            let name = name.to_ascii_lowercase();
            if place == 2 {
                if let Some((field, rank)) = super::microdata::property(&name) {
                    claims.add(field, Source::Microdata, rank, &decode_attribute(content));
                }
                continue;
            }
            if self.is_label(&name, content) {
                continue;
            }
            if self.labelled(&name) {
                claims.add(Field::Author, Source::Twitter, 0, &decode_attribute(content));
            } else if let Some((field, source, rank)) = meaning(&name).or_else(|| super::rdfa::meaning(&name)) {
                claims.add(field, source, rank, &decode_attribute(content));
            }
        }
    }

    /// Twitter cards have pairs of a label and a text, such as `Written by` and a name.
    fn is_label(&mut self, name: &str, content: &str) -> bool {
        let Some(number) = name.strip_prefix("twitter:label").and_then(|n| n.parse().ok()) else {
            return false;
        };
        if super::bylines::is_author_label(&decode_attribute(content)) {
            self.author_label = Some(number);
        }
        true
    }

    /// Whether a name is that of the text whose label announces an author.
    fn labelled(&self, name: &str) -> bool {
        let number = name.strip_prefix("twitter:data").and_then(|n| n.parse().ok());
        number.is_some() && number == self.author_label
    }
}

/// Longest name that is looked up, in bytes.
const LONGEST_NAME: usize = 64;

/// What a name in lower case means: the field, the source, and the rank among the names of the source.
fn meaning(name: &str) -> Option<(Field, Source, u8)> {
    use Field::*;
    use Source::*;
    Some(match name {
        "og:title" => (Title, OpenGraph, 0),
        "twitter:title" => (Title, Twitter, 0),
        "twitter:text:title" => (Title, Twitter, 1),
        "dc.title" | "dcterms.title" | "dc:title" => (Title, DublinCore, 0),
        "citation_title" => (Title, Citation, 0),
        "parsely-title" | "sailthru.title" | "cxenseparse:title" => (Title, Meta, 0),
        "headline" | "title" | "article-title" | "article:title" => (Title, Meta, 1),

        "article:author" | "og:article:author" | "og:author" | "book:author" | "article:author:name" => {
            (Author, OpenGraph, 0)
        }
        "citation_author" => (Author, Citation, 0),
        "citation_authors" => (Author, Citation, 1),
        "dc.creator" | "dcterms.creator" | "dc:creator" | "dc.creator.personalname" => (Author, DublinCore, 0),
        "dc.contributor" => (Author, DublinCore, 1),
        "author" => (Author, Meta, 0),
        "byl"
        | "byline"
        | "parsely-author"
        | "sailthru.author"
        | "article:author_name"
        | "cxenseparse:author"
        | "article.author"
        | "article_author"
        | "authors"
        | "author_name"
        | "authorname"
        | "content_author"
        | "shareaholic:article_author_name"
        | "rbauthors"
        | "mdc.author" => (Author, Meta, 1),

        "article:published_time" | "og:article:published_time" | "article:published" => (Published, OpenGraph, 0),
        "og:published_time" | "og:publish_date" | "og:release_date" | "article:post_date" => (Published, OpenGraph, 1),
        "citation_publication_date" | "citation_online_date" => (Published, Citation, 0),
        "citation_date" => (Published, Citation, 1),
        "dc.date.issued" | "dcterms.issued" | "dc.issued" | "dc.date.published" => (Published, DublinCore, 0),
        "dcterms.created" | "dc.date.created" | "dc.created" => (Published, DublinCore, 1),
        "dc.date" | "dcterms.date" | "dc:date" => (Published, DublinCore, 2),
        "datepublished"
        | "date_published"
        | "publication_date"
        | "publicationdate"
        | "publish-date"
        | "publish_date"
        | "publishdate"
        | "pubdate"
        | "publisheddate"
        | "published_date"
        | "published"
        | "published-date"
        | "published_time"
        | "parsely-pub-date"
        | "sailthru.date"
        | "cxenseparse:recs:publishtime"
        | "cxenseparse:publishtime"
        | "article.published"
        | "article_date_original"
        | "date.published"
        | "originalpublicationdate"
        | "dateissued"
        | "shareaholic:article_published_time"
        | "displaydate"
        | "ptime"
        | "publishtime"
        | "weibo:article:create_at" => (Published, Meta, 0),
        "date"
        | "article:create_date"
        | "ms.date"
        | "w-published-date"
        | "createdate"
        | "datecreated"
        | "created"
        | "date-pub"
        | "article-published_time"
        | "creation_date"
        | "date.created"
        | "article.created" => (Published, Meta, 1),

        "article:modified_time" | "og:article:modified_time" | "article:modified" => (Modified, OpenGraph, 0),
        "og:updated_time" | "og:modified_time" => (Modified, OpenGraph, 1),
        "dcterms.modified" | "dc.date.modified" | "dc.modified" => (Modified, DublinCore, 0),
        "datemodified"
        | "last-modified"
        | "lastmod"
        | "lastmodified"
        | "last_modified"
        | "modified"
        | "updated_time"
        | "dateupdated"
        | "revised"
        | "article.updated"
        | "last-updated"
        | "moddate"
        | "updated"
        | "updated_at"
        | "revision_date"
        | "date.modified"
        | "utime"
        | "weibo:article:update_at" => (Modified, Meta, 0),

        "og:site_name" => (Site, OpenGraph, 0),
        "citation_journal_title" => (Site, Citation, 0),
        "application-name" | "cxenseparse:site_name" => (Site, Meta, 0),
        "al:android:app_name" | "al:ios:app_name" | "apple-mobile-web-app-title" | "al:iphone:app_name" => {
            (Site, Meta, 1)
        }

        "og:url" => (Canonical, OpenGraph, 0),
        "twitter:url" => (Canonical, Twitter, 0),
        "citation_public_url" | "citation_fulltext_html_url" => (Canonical, Citation, 0),
        "parsely-link" => (Canonical, Meta, 0),

        "og:description" => (Description, OpenGraph, 0),
        "twitter:description" => (Description, Twitter, 0),
        "dc.description" | "dcterms.description" | "dcterms.abstract" => (Description, DublinCore, 0),
        "citation_abstract" => (Description, Citation, 0),
        "description" => (Description, Meta, 0),
        "sailthru.description" | "abstract" => (Description, Meta, 1),

        "article:tag" | "og:article:tag" | "book:tag" | "video:tag" => (Keywords, OpenGraph, 0),
        "citation_keywords" => (Keywords, Citation, 0),
        "dc.subject" | "dcterms.subject" => (Keywords, DublinCore, 0),
        "keywords" | "news_keywords" => (Keywords, Meta, 0),
        "parsely-tags" | "sailthru.tags" => (Keywords, Meta, 1),

        "og:image" | "og:image:url" | "og:image:secure_url" => (Image, OpenGraph, 0),
        "twitter:image" | "twitter:image:src" => (Image, Twitter, 0),
        "thumbnail" | "parsely-image-url" | "sailthru.image.full" => (Image, Meta, 0),

        "og:type" => (Kind, OpenGraph, 0),
        "parsely-type" => (Kind, Meta, 0),

        "content-language" => (Language, Meta, 0),
        "language" => (Language, Meta, 1),
        "dc.language" | "dcterms.language" => (Language, Meta, 2),
        "og:locale" => (Language, Meta, 3),
        _ => return None,
    })
}
