//! What a page says of itself: title, author, date, site, language, from plain elements and `meta` tags.

use dehusk_html::{Dom, Tag};

/// Names under which pages give their author, best first.
const AUTHOR: &[&str] = &[
    "author",
    "article:author",
    "dc.creator",
    "dcterms.creator",
    "citation_author",
    "sailthru.author",
    "parsely-author",
    "byl",
];

/// Names under which pages give the day of their publication, best first.
const PUBLISHED: &[&str] = &[
    "article:published_time",
    "og:published_time",
    "datepublished",
    "date",
    "dc.date",
    "dc.date.issued",
    "dcterms.created",
    "dcterms.date",
    "citation_publication_date",
    "publication_date",
    "publish-date",
    "pubdate",
    "parsely-pub-date",
    "sailthru.date",
    "og:article:published_time",
];

/// Names under which pages give their title, best first: these lack the site's name that `title` often bears.
const TITLE: &[&str] = &["og:title", "twitter:title", "dc.title", "citation_title"];

/// Names under which pages give their site's name, best first.
const SITE: &[&str] = &["og:site_name", "application-name", "al:android:app_name"];

/// Longest value that is kept, in bytes; a longer one is no title or name.
const LONGEST: usize = 2000;

/// What a page says of itself; `""` where it says nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PageMetadata {
    /// Title, white space collapsed.
    pub title: String,
    /// Author.
    pub author: String,
    /// Date of publication, as written.
    pub published: String,
    /// The site's own name.
    pub sitename: String,
    /// `lang` of the `html` element, or what `meta` tags say, in lower case.
    pub language: String,
}

/// Reads a page's metadata.
pub fn read(dom: &Dom<'_>) -> PageMetadata {
    let mut author = Best::new(AUTHOR);
    let mut published = Best::new(PUBLISHED);
    let mut title = Best::new(TITLE);
    let mut site = Best::new(SITE);
    let mut language = Best::new(&["content-language", "language", "dc.language", "og:locale"]);
    for (id, node) in (0..).zip(dom.nodes()) {
        if node.tag != Tag::Meta {
            continue;
        }
        let name = ["name", "property", "itemprop", "http-equiv"]
            .iter()
            .find_map(|a| dom.attribute(id, a));
        let Some(name) = name.map(|n| n.trim().to_ascii_lowercase()) else {
            continue;
        };
        let fields = [&mut author, &mut published, &mut title, &mut site, &mut language];
        for field in fields {
            if field.wants(&name) {
                let content = dom.attribute(id, "content").unwrap_or_default();
                // Some sites give the address of the author's page, or of the site, instead of a name.
                if !content.trim_start().starts_with("http") {
                    field.offer(&name, &content);
                }
            }
        }
    }
    let own = |name| {
        dom.attribute(0, name)
            .map(|v| v.trim().to_ascii_lowercase())
            .filter(|v| !v.is_empty())
    };
    let title = if title.value.is_empty() {
        dom.title().unwrap_or_default()
    } else {
        title.value
    };
    PageMetadata {
        title,
        author: author.value,
        published: published.value,
        sitename: site.value,
        language: own("lang")
            .or_else(|| own("xml:lang"))
            .unwrap_or_else(|| language.value.to_ascii_lowercase()),
    }
}

/// The host of a URL, in lower case, without user and port; `""` where there is none.
pub fn hostname(url: &str) -> String {
    let Some((_, rest)) = url.split_once("://") else {
        return String::new();
    };
    let authority = rest.split(['/', '?', '#', '\\']).next().unwrap_or_default();
    let host = authority.rsplit('@').next().unwrap_or_default();
    let host = match host.strip_prefix('[') {
        Some(address) => address.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    };
    host.to_lowercase()
}

/// The value under the best of several names, the first of equals.
struct Best {
    names: &'static [&'static str],
    rank: usize,
    value: String,
}

impl Best {
    fn new(names: &'static [&'static str]) -> Self {
        Self {
            names,
            rank: names.len(),
            value: String::new(),
        }
    }

    fn wants(&self, name: &str) -> bool {
        self.names[..self.rank].contains(&name)
    }

    fn offer(&mut self, name: &str, value: &str) {
        let value = value.split_whitespace().collect::<Vec<_>>().join(" ");
        let rank = self.names.iter().position(|n| *n == name).unwrap_or(self.names.len());
        if !value.is_empty() && value.len() <= LONGEST && rank < self.rank {
            self.rank = rank;
            self.value = value;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::hostname;

    #[test]
    fn hosts_are_found_in_odd_urls() {
        assert_eq!(
            hostname("HTTPS://User:pw@WWW.Example.org:8080/a?b#c"),
            "www.example.org"
        );
        assert_eq!(hostname("http://[2001:db8::1]:80/"), "2001:db8::1");
        assert_eq!(hostname("dns:example.org"), "");
        assert_eq!(hostname("http:///x"), "");
    }
}
