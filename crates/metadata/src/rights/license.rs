//! Links to licenses: `rel=license` (HTML, section 4.6.7.9; RFC 8288 for the HTTP field `Link`), and links that lead to
//! a license of Creative Commons.

use std::sync::LazyLock;

use memchr::memmem::Finder;

use dehusk_html::links::Base;
use dehusk_html::{Attributes, Dom, NodeId, Tag};

/// The most addresses of each kind that are kept.
const MOST: usize = 8;

/// The longest address that is kept, in bytes.
const LONGEST: usize = 1000;

/// Addresses of licenses, in the order of the page, each once.
#[derive(Debug, Default)]
pub(super) struct Licenses {
    stated: Vec<String>,
    linked: Vec<String>,
    /// The address that links are relative to. It is only looked for if a link needs it.
    base: Option<Base>,
}

/// The parts of addresses and values by which links to licenses are found. `License` is one, too.
static PARTS: LazyLock<[Finder<'static>; 2]> = LazyLock::new(|| ["icense", "creativecommons"].map(Finder::new));

/// Whether the attributes of an element may have a link to a license. Most links end here.
pub(super) fn may_have_link(dom: &Dom<'_>, id: NodeId) -> bool {
    let raw = dom.raw(id).as_bytes();
    PARTS.iter().any(|part| part.find(raw).is_some())
}

impl Licenses {
    /// Those that a text of addresses has.
    pub(super) fn stated(addresses: &str) -> Self {
        Self {
            stated: addresses.split_ascii_whitespace().map(str::to_owned).collect(),
            ..Self::default()
        }
    }

    /// Adds those of one value of the HTTP field `Link`. Relative addresses are left out.
    pub(super) fn add_header(&mut self, value: &str) {
        for link in value.split('<').skip(1) {
            let Some((address, parameters)) = link.split_once('>') else {
                continue;
            };
            let is_license = |parameter: &str| {
                let (name, value) = parameter.split_once('=').unwrap_or_default();
                let value = value.trim().trim_end_matches(',').trim_matches('"');
                name.trim().eq_ignore_ascii_case("rel") && has_word(value, "license")
            };
            if parameters.split(';').any(is_license) {
                add(&mut self.stated, address.trim());
            }
        }
    }

    /// Adds the address of a license that the page states. One that leads to no host is left out.
    pub(super) fn state(&mut self, address: &str) {
        add(&mut self.stated, address);
    }

    /// Reads one element with a link. `url` is the page's address.
    pub(super) fn read(&mut self, dom: &Dom<'_>, id: NodeId, url: &str) {
        let is_stated = Attributes::new(dom.raw(id))
            .any(|(name, value)| name.eq_ignore_ascii_case("rel") && has_word(value, "license"));
        if !is_stated && dom.node(id).tag == Tag::Link {
            return;
        }
        let Some(href) = dom.attribute(id, "href") else {
            return;
        };
        let base = self.base.get_or_insert_with(|| Base::of_page(dom, url));
        let Some(address) = base.join(&href) else {
            return;
        };
        if is_stated {
            add(&mut self.stated, &address);
        } else if is_creative_commons(&address) {
            add(&mut self.linked, &address);
        }
    }

    /// The stated addresses, and those that other links lead to, each in one text.
    pub(super) fn into_texts(self) -> (String, String) {
        (self.stated.join(" "), self.linked.join(" "))
    }
}

fn add(to: &mut Vec<String>, address: &str) {
    let is_address = leads_to_a_host(address) && address.len() <= LONGEST;
    if is_address && to.len() < MOST && !to.iter().any(|known| known == address) {
        to.push(address.to_owned());
    }
}

/// Whether a list of words that are separated by spaces has a word, in any case.
fn has_word(list: &str, word: &str) -> bool {
    list.split_ascii_whitespace()
        .any(|item| item.eq_ignore_ascii_case(word))
}

/// Whether an address is one of HTTP, with a host and without white space.
pub(super) fn leads_to_a_host(address: &str) -> bool {
    let is_plain = !address.contains(|c: char| c.is_whitespace() || c.is_control());
    is_plain && !crate::hostname(after_scheme(address).map_or("", |_| address)).is_empty()
}

fn after_scheme(address: &str) -> Option<&str> {
    let (scheme, rest) = address.split_once("://")?;
    let is_http = scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https");
    is_http.then_some(rest)
}

fn is_creative_commons(address: &str) -> bool {
    let path = after_scheme(address).and_then(|rest| rest.split_once('/'));
    let host = crate::hostname(address);
    matches!(&*host, "creativecommons.org" | "www.creativecommons.org")
        && path.is_some_and(|(_, path)| path.starts_with("licenses/") || path.starts_with("publicdomain/"))
}

#[cfg(test)]
mod tests {
    use dehusk_html::{Buffers, parse};

    use super::*;

    fn of_page(html: &str) -> (String, String) {
        let dom = parse(html, Buffers::default());
        let mut licenses = Licenses::default();
        for (id, node) in (0..).zip(dom.nodes()) {
            if matches!(node.tag, Tag::A | Tag::Link | Tag::Area) && may_have_link(&dom, id) {
                licenses.read(&dom, id, "https://a.example/x/y");
            }
        }
        licenses.into_texts()
    }

    fn texts(stated: &str, linked: &str) -> (String, String) {
        (stated.to_owned(), linked.to_owned())
    }

    #[test]
    fn stated_licenses_are_distinguished_from_links() {
        let by = "https://creativecommons.org/licenses/by/4.0/";
        let zero = "http://www.creativecommons.org/publicdomain/zero/1.0/";
        assert_eq!(
            of_page(&format!("<a rel='nofollow License' href='{by}'>")),
            texts(by, "")
        );
        assert_eq!(of_page(&format!("<a href={zero}>A<a href={zero}>B")), texts("", zero));
        assert_eq!(
            of_page("<link rel=license href=/terms>"),
            texts("https://a.example/terms", "")
        );
        assert_eq!(
            of_page("<base href=//b.example><link rel=License href=t>"),
            texts("https://b.example/t", "")
        );
        for nothing in [
            "<a rel=license>",
            "<a rel=license href=''>",
            "<a rel=license href='javascript:x()'>",
            "<a rel=license href='mailto:a@b.example'>",
            "<a rel=licensed href='https://a.example/'>",
            "<a href='https://creativecommons.org/about'>",
            "<a href='https://evil.example/creativecommons.org/licenses/by/4.0/'>",
            "<link rel=stylesheet href='https://creativecommons.org/licenses/x.css'>",
        ] {
            assert_eq!(of_page(nothing), texts("", ""), "{nothing}");
        }
    }

    #[test]
    fn a_link_field_may_have_several_links() {
        let of = |value: &str| {
            let mut licenses = Licenses::default();
            licenses.add_header(value);
            licenses.into_texts().0
        };
        let value = "<https://a.example/s.css>; rel=preload, <https://a.example/l>; type=x; rel=\"nofollow license\", \
            <https://a.example/m>;rel=license";
        assert_eq!(of(value), "https://a.example/l https://a.example/m");
        for nothing in [
            "<>; rel=license",
            "<https://a.example; rel=license",
            "</l>; rel=license",
            "rel=license",
            "",
        ] {
            assert_eq!(of(nothing), "", "{nothing}");
        }
    }
}
