//! The address that links are relative to.

use crate::dom::tag::Tag;
use crate::dom::{Dom, Node};

/// A longer address of a page makes none absolute, so that a page cannot put a long one before many short ones.
const MOST: usize = 2000;

/// An absolute address, by which relative ones become absolute (RFC 3986, section 5.2).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Base {
    /// With its colon; empty if the page's address is not known.
    scheme: String,
    /// With its slashes; empty if there is none.
    authority: String,
    path: String,
    query: String,
}

impl Base {
    /// The base of a page with this address (or `""`): its first `base` element, by the page's own address.
    pub fn of_page(dom: &Dom<'_>, url: &str) -> Self {
        let own = Self::new(url);
        let is_base = |node: &Node| node.tag == Tag::Base;
        let found = dom
            .nodes()
            .iter()
            .position(is_base)
            .and_then(|id| dom.attribute(id as u32, "href"));
        match found.and_then(|href| own.join(&href)) {
            Some(base) if base.len() <= MOST => Self::new(&base),
            _ => own,
        }
    }

    fn new(url: &str) -> Self {
        let url = if url.len() <= MOST { url } else { "" };
        let Parts {
            scheme,
            authority,
            path,
            query,
            ..
        } = Parts::split(url);
        Self {
            scheme: scheme.to_owned(),
            authority: authority.to_owned(),
            path: path.to_owned(),
            query: query.to_owned(),
        }
    }

    /// The absolute address of a link. Relative if the page's own address is not known; `None` if the link leads to no
    /// page: it is empty, runs a script or contains data.
    pub fn join(&self, link: &str) -> Option<String> {
        // Browsers ignore these in addresses.
        let link: String = link
            .trim_matches(|c: char| c <= ' ')
            .chars()
            .filter(|c| !c.is_control() && !c.is_whitespace() || *c == ' ')
            .collect();
        let link = link.replace(' ', "%20");
        if link.is_empty() || super::xhtml::is_active(&link) {
            return None;
        }
        let parts = Parts::split(&link);
        if !parts.scheme.is_empty() || self.scheme.is_empty() {
            return Some(link);
        }
        let mut joined = self.scheme.clone();
        if !parts.authority.is_empty() {
            joined.push_str(&link);
            return Some(joined);
        }
        joined.push_str(&self.authority);
        if parts.path.is_empty() {
            joined.push_str(&self.path);
            joined.push_str(if parts.query.is_empty() {
                &self.query
            } else {
                parts.query
            });
        } else {
            let path = match (parts.path.starts_with('/'), self.path.rfind('/')) {
                (true, _) => parts.path.to_owned(),
                (false, Some(slash)) => format!("{}{}", &self.path[..=slash], parts.path),
                (false, None) => format!("/{}", parts.path),
            };
            joined.push_str(&without_dots(&path));
            joined.push_str(parts.query);
        }
        joined.push_str(parts.fragment);
        Some(joined)
    }
}

/// The parts of an address, each with the characters that set it apart.
struct Parts<'u> {
    scheme: &'u str,
    authority: &'u str,
    path: &'u str,
    query: &'u str,
    fragment: &'u str,
}

impl<'u> Parts<'u> {
    fn split(url: &'u str) -> Self {
        let (rest, fragment) = url.split_at(url.find('#').unwrap_or(url.len()));
        let (rest, query) = rest.split_at(rest.find('?').unwrap_or(rest.len()));
        let is_scheme = |scheme: &str| {
            scheme.starts_with(|c: char| c.is_ascii_alphabetic())
                && scheme.bytes().all(|b| b.is_ascii_alphanumeric() || b"+-.".contains(&b))
        };
        let colon = rest.find(':').filter(|colon| is_scheme(&rest[..*colon]));
        let (scheme, rest) = rest.split_at(colon.map_or(0, |colon| colon + 1));
        let authority = match rest.strip_prefix("//") {
            Some(after) => 2 + after.find('/').unwrap_or(after.len()),
            None => 0,
        };
        let (authority, path) = rest.split_at(authority);
        Self {
            scheme,
            authority,
            path,
            query,
            fragment,
        }
    }
}

/// Resolves the segments `.` and `..` of an absolute path.
fn without_dots(path: &str) -> String {
    let mut segments: Vec<&str> = Vec::new();
    let mut ends_with_slash = false;
    for segment in path.split('/').skip(1) {
        ends_with_slash = matches!(segment, "." | "..");
        match segment {
            "." => {}
            ".." => {
                segments.pop();
            }
            segment => segments.push(segment),
        }
    }
    let slash = if ends_with_slash && !segments.is_empty() {
        "/"
    } else {
        ""
    };
    format!("/{}{slash}", segments.join("/"))
}

#[cfg(test)]
mod tests {
    use crate::dom::{Buffers, parse::parse};

    use super::*;

    #[test]
    fn links_are_joined_as_in_the_standard() {
        let base = Base::new("http://a/b/c/d;p?q");
        for (link, expected) in [
            ("g:h", "g:h"),
            ("g", "http://a/b/c/g"),
            ("./g/", "http://a/b/c/g/"),
            ("/g", "http://a/g"),
            ("//g", "http://g"),
            ("?y", "http://a/b/c/d;p?y"),
            ("g?y#s", "http://a/b/c/g?y#s"),
            ("#s", "http://a/b/c/d;p?q#s"),
            ("..", "http://a/b/"),
            ("../../../g", "http://a/g"),
            (" g h\n", "http://a/b/c/g%20h"),
        ] {
            assert_eq!(base.join(link).as_deref(), Some(expected), "{link}");
        }
        assert_eq!(base.join(""), None);
        assert_eq!(base.join("java\tscript:x()"), None);
        assert_eq!(Base::new("http://a?q").join("g").as_deref(), Some("http://a/g"));
        assert_eq!(Base::default().join("../g").as_deref(), Some("../g"));
    }

    #[test]
    fn the_base_element_counts() {
        let of = |page: &str| Base::of_page(&parse(page, Buffers::default()), "https://a.example/x/y").join("z");
        assert_eq!(of("<p>").as_deref(), Some("https://a.example/x/z"));
        assert_eq!(of("<base href='/b/'>").as_deref(), Some("https://a.example/b/z"));
        assert_eq!(of("<base href='//c.example/'>").as_deref(), Some("https://c.example/z"));
    }
}
