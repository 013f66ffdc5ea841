//! `meta` elements: Open Graph, Twitter cards, Dublin Core, `citation_*`, and the names of publishing systems.

use dehusk_html::references::decode_attribute;
use dehusk_html::{Attributes, Dom, NodeId};

use super::evidence::{Claims, Field, Source};
use super::properties::{self, LONGEST_NAME};
use super::words::lower_case;

/// Collects the facts in a page's `meta` elements.
#[derive(Debug, Default)]
pub(super) struct Metas {
    /// The number of a Twitter card's `twitter:label` that announces an author.
    author_label: Option<u8>,
}

/// The place of `itemprop` among the attributes that have names.
const ITEMPROP: usize = 2;

impl Metas {
    /// Reads one `meta` element.
    pub(super) fn read(&mut self, dom: &Dom<'_>, id: NodeId, claims: &mut Claims) {
        let mut names = [None; 4];
        let mut content = "";
        for (name, value) in Attributes::new(dom.raw(id)) {
            let place = match name.len() {
                4 if name.eq_ignore_ascii_case("name") => 0,
                8 if name.eq_ignore_ascii_case("property") => 1,
                8 if name.eq_ignore_ascii_case("itemprop") => ITEMPROP,
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
            let Some(name) = name.map(str::trim).filter(|name| *name != last) else {
                continue;
            };
            let mut buffer = [0; LONGEST_NAME];
            let Some(lower) = lower_case(name, &mut buffer) else {
                continue;
            };
            last = name;
            let property = if place == ITEMPROP {
                properties::of_microdata(lower)
            } else if self.is_label(lower, content) {
                continue;
            } else if self.labelled(lower) {
                claims.add(Field::Author, Source::Twitter, 0, &decode_attribute(content));
                continue;
            } else {
                properties::of_meta(lower)
            };
            if let Some(property) = property {
                claims.add(
                    property.field,
                    property.source,
                    property.rank,
                    &decode_attribute(content),
                );
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
