//! Rights and wishes: what a page and its server ask of those who use the page.
//!
//! - `robots.rs` reads the directives of `X-Robots-Tag` and of `meta` elements for robots.
//! - `license.rs` reads the links to licenses.
//! - This file reads the TDM Reservation Protocol (TDMRep, final report of 10 May 2024, sections on HTTP headers and on
//!   HTML metadata) and joins everything in [`Rights`].
//!
//! Nothing here decides what a reader may do. The page and its server can be wrong about their own rights.

mod license;
mod robots;

use std::collections::BTreeSet;

use dehusk_html::{Dom, NodeId, Tag};

use super::json_ld;
use license::{Licenses, may_have_link};
use robots::Directives;

/// The wishes of a page and its server. Every text is `""` where they state nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rights {
    /// Directives of `X-Robots-Tag`, separated by `; `, in lower case. One for a single agent begins with its name:
    /// `googlebot: noindex`.
    pub robots_header: String,
    /// Directives of `meta` elements for robots, in the same form.
    pub robots_meta: String,
    /// `1` if rights to text and data mining are reserved, `0` if the page or its server states that they are not.
    pub tdm_reservation: String,
    /// Address of the policy for text and data mining.
    pub tdm_policy: String,
    /// Addresses of licenses, as links with `rel=license` and the page's JSON-LD have them, separated by a space.
    pub license: String,
    /// Addresses of Creative Commons licenses that other links lead to, separated by a space.
    pub license_links: String,
    /// All well-known directives, as the texts above have them. Those texts are bounded; this is not.
    directives: BTreeSet<String>,
}

/// Longest value of TDMRep that is kept, in bytes.
const LONGEST_POLICY: usize = 2000;

impl Rights {
    /// The fields of a head that [`Rights::of_head`] reads, in lower case.
    pub const HEAD_FIELDS: [&str; 4] = ["x-robots-tag", "tdm-reservation", "tdm-policy", "link"];

    /// Reads the fields of a response's head: `field` returns all values of the one with a name.
    pub fn of_head<V: AsRef<str>>(field: impl Fn(&str) -> Vec<V>) -> Self {
        let mut rights = Self::default();
        let mut robots = Directives::default();
        for value in field("x-robots-tag") {
            robots.add_header(value.as_ref());
        }
        rights.robots_header = robots.text();
        rights.directives = robots.into_known();
        for value in field("tdm-reservation") {
            rights.reserve(value.as_ref());
        }
        for value in field("tdm-policy") {
            rights.set_policy(value.as_ref());
        }
        let mut licenses = Licenses::default();
        for value in field("link") {
            licenses.add_header(value.as_ref());
        }
        (rights.license, _) = licenses.into_texts();
        rights
    }

    /// Returns them together with those of a page's elements. `url` is the page's address, or `""`.
    #[must_use]
    pub fn with_page(&self, dom: &Dom<'_>, url: &str) -> Self {
        let mut rights = self.clone();
        let mut robots = Directives::default();
        let mut licenses = Licenses::stated(&self.license);
        for (id, node) in (0..).zip(dom.nodes()) {
            match node.tag {
                Tag::Meta => rights.read_meta(dom, id, &mut robots),
                Tag::Link | Tag::A | Tag::Area if may_have_link(dom, id) => licenses.read(dom, id, url),
                Tag::Script => json_ld::licenses(dom, id, &mut |address| licenses.state(address)),
                _ => {}
            }
        }
        rights.robots_meta = robots.text();
        rights.directives.append(&mut robots.into_known());
        (rights.license, rights.license_links) = licenses.into_texts();
        rights
    }

    fn read_meta(&mut self, dom: &Dom<'_>, id: NodeId, robots: &mut Directives) {
        let Some(name) = dom.attribute(id, "name") else {
            return;
        };
        let name = name.trim();
        let content = || dom.attribute(id, "content").unwrap_or_default();
        if name.eq_ignore_ascii_case("robots") {
            robots.add("", &content());
        } else if name.eq_ignore_ascii_case("tdm-reservation") {
            self.reserve(&content());
        } else if name.eq_ignore_ascii_case("tdm-policy") {
            self.set_policy(&content());
        } else if robots::is_agent(name) {
            robots.add(name, &content());
        }
    }

    /// Where the page and its server differ, the reservation counts.
    fn reserve(&mut self, value: &str) {
        match value.trim() {
            "1" => "1".clone_into(&mut self.tdm_reservation),
            "0" if self.tdm_reservation.is_empty() => "0".clone_into(&mut self.tdm_reservation),
            _ => {}
        }
    }

    /// The last policy counts: that of the page over that of its server.
    fn set_policy(&mut self, value: &str) {
        let value = value.trim();
        if license::leads_to_a_host(value) && value.len() <= LONGEST_POLICY {
            value.clone_into(&mut self.tdm_policy);
        }
    }

    /// Whether one of these well-known directives is given to all robots, or to one of these agents, whose names are in lower case.
    pub fn has_directive(&self, directives: &[&str], agents: &[String]) -> bool {
        self.directives.iter().any(|item| {
            let directive = match item.split_once(": ") {
                Some((agent, directive)) if agents.iter().any(|known| known == agent) => directive,
                Some(_) => return false,
                None => item,
            };
            directives.contains(&directive)
        })
    }
}

#[cfg(test)]
mod tests {
    use dehusk_html::{Buffers, parse};
    use proptest::prelude::*;

    use super::*;

    fn of_head(fields: &[(&str, &str)]) -> Rights {
        Rights::of_head(|name| {
            let values = fields.iter().filter(|field| field.0 == name);
            values.map(|field| field.1.to_owned()).collect()
        })
    }

    fn of_page(html: &str) -> Rights {
        Rights::default().with_page(&parse(html, Buffers::default()), "https://a.example/x/y")
    }

    #[test]
    fn a_reservation_counts_wherever_it_is() {
        let page = |rights: Rights, html: &str| {
            let rights = rights.with_page(&parse(html, Buffers::default()), "");
            (rights.tdm_reservation, rights.tdm_policy)
        };
        let head = || {
            of_head(&[
                ("tdm-reservation", " 1 "),
                ("tdm-policy", "https://a.example/policy.json"),
            ])
        };
        let own = "<meta name=TDM-Reservation content=0><meta name=tdm-policy content='https://b.example/p'>";
        let reserved = |policy: &str| ("1".to_owned(), policy.to_owned());
        assert_eq!(page(head(), "<p>"), reserved("https://a.example/policy.json"));
        assert_eq!(page(head(), own), reserved("https://b.example/p"));
        assert_eq!(page(Rights::default(), own).0, "0");
        for invalid in ["2", "true", "", "01"] {
            let html = format!("<meta name=tdm-reservation content='{invalid}'>");
            assert_eq!(page(Rights::default(), &html), Default::default(), "{invalid}");
        }
        let no_policy = "<meta name=tdm-policy content='javascript:x()'><meta name=tdm-policy content='https:///p'>";
        assert_eq!(page(Rights::default(), no_policy).1, "");
    }

    #[test]
    fn a_license_in_json_ld_counts_for_the_page_and_not_for_what_it_shows() {
        let of = |json: &str| of_page(&format!("<script type='application/ld+json'>{json}</script>")).license;
        let by = "https://creativecommons.org/licenses/by/4.0/";
        for json in [
            format!(r#"{{"@type":"Article","license":"{by}"}}"#),
            format!(r#"{{"@graph":[{{"@type":"WebPage","license":{{"@type":"CreativeWork","url":"{by}"}}}}]}}"#),
            format!(r#"[{{"@type":"NewsArticle","license":[{{"@id":"{by}"}},"{by}","terms"]}}]"#),
            format!(
                r#"{{"@graph":[{{"@type":"Article","license":{{"@id":"https://x/#l"}}}},{{"@id":"https://x/#l","url":"{by}"}}]}}"#
            ),
            format!(r#"{{"@graph":[{{"@type":"VideoObject"}},{{"@type":"Article","license":"{by}"}}]}}"#),
        ] {
            assert_eq!(of(&json), by, "{json}");
        }
        for json in [
            format!(r#"{{"@type":"Article","image":{{"@type":"ImageObject","license":"{by}"}}}}"#),
            format!(r#"{{"@graph":[{{"@type":"WebPage"}},{{"@type":"VideoObject","license":"{by}"}}]}}"#),
            format!(r#"{{"@graph":[{{"@type":"VideoObject","license":"{by}"}},{{"@type":"Article"}}]}}"#),
            format!(r#"[{{"@type":"Article","license":"{by}"}},{{"@type":"Article","license":"{by}"}}]"#),
            format!(
                r#"[{{"@type":"Article"}},{{"@type":"SoftwareApplication","license":"{by}"}},{{"@type":"Review","license":"{by}"}}]"#
            ),
            format!(r#"{{"@type":"Dataset","license":"{by}"}}"#),
            r#"{"@type":"Article","license":"javascript:x()"}"#.to_owned(),
            r#"{"@type":"Article","license":{"name":"CC"}}"#.to_owned(),
            r#"{"@type":"Article","license":"#.to_owned(),
        ] {
            assert_eq!(of(&json), "", "{json}");
        }
        let plain = of_page(&format!(
            "<script>{{\"@type\":\"Article\",\"license\":\"{by}\"}}</script>"
        ));
        assert_eq!(plain.license, "");
    }

    #[test]
    fn directives_of_an_agent_count_for_that_agent() {
        let rights = of_page("<meta name=robots content=noarchive><meta name=ccbot content='noindex'>");
        let ccbot = ["ccbot".to_owned()];
        assert!(rights.has_directive(&["noarchive"], &[]) && rights.has_directive(&["noarchive"], &ccbot));
        assert!(!rights.has_directive(&["noindex"], &[]) && rights.has_directive(&["none", "noindex"], &ccbot));
    }

    proptest! {
        #[test]
        fn any_page_and_head_give_lists_of_bounded_length(
            html in "(<(meta|a|link) ?(name|rel|href|content)?=?['\"]?(robots|license|noai|//x|[ -~]{0,9})['\"]?[ >]){0,40}",
            head in prop::collection::vec("[ -~]{0,60}", 0..6),
        ) {
            let head: Vec<(&str, &str)> = head.iter().enumerate()
                .map(|(i, value)| (["x-robots-tag", "link", "tdm-policy"][i % 3], value.as_str()))
                .collect();
            let rights = of_head(&head).with_page(&parse(&html, Buffers::default()), "https://a.example/");
            let bytes = rights.robots_header.len() + rights.robots_meta.len() + rights.license.len();
            prop_assert!(bytes < 20_000);
            for item in rights.license.split(' ').filter(|item| !item.is_empty()) {
                prop_assert!(license::leads_to_a_host(item), "{item}");
            }
        }
    }
}
