//! Meanings of properties: those of `meta` elements, of microdata and of RDFa. The names are in `words/properties.txt`.

use std::sync::LazyLock;

use super::evidence::{Field, Source};
use super::words::{self, WordMap};

/// Longest name that is looked up, in bytes.
pub(super) const LONGEST_NAME: usize = 64;

/// The meaning of a name.
#[derive(Clone, Copy, Debug)]
pub(super) struct Property {
    pub(super) field: Field,
    pub(super) source: Source,
    /// The rank among the names of the source; 0 is the best.
    pub(super) rank: u8,
}

/// The names, by who writes them.
struct Names {
    meta: WordMap<Property>,
    microdata: WordMap<Property>,
    rdfa: WordMap<Property>,
}

static NAMES: LazyLock<Names> = LazyLock::new(|| {
    let properties = words::lines(words::PROPERTIES).filter_map(|(key, line)| Some((property(key)?, line)));
    let (mut meta, mut microdata, mut rdfa) = (Vec::new(), Vec::new(), Vec::new());
    for (property, line) in properties {
        let names = match property.source {
            Source::Microdata => &mut microdata,
            Source::Rdfa => &mut rdfa,
            _ => &mut meta,
        };
        names.extend(words::items(line).map(|name| (name, property)));
    }
    Names {
        meta: meta.into_iter().collect(),
        microdata: microdata.into_iter().collect(),
        rdfa: rdfa.into_iter().collect(),
    }
});

/// The property of a key: a field, a source and a rank.
fn property(key: &str) -> Option<Property> {
    let mut parts = key.split(' ');
    Some(Property {
        field: Field::named(parts.next()?)?,
        source: Source::named(parts.next()?)?,
        rank: parts.next()?.parse().ok()?,
    })
}

/// The meaning of a name of a `meta` element, which must be in lower case.
pub(super) fn of_meta(name: &str) -> Option<Property> {
    NAMES.meta.get(name).or_else(|| of_rdfa(name))
}

/// The meaning of a name in `itemprop`, which must be in lower case.
pub(super) fn of_microdata(name: &str) -> Option<Property> {
    NAMES.microdata.get(name).or_else(|| {
        // The attribute has several names.
        let among = ["datepublished", "datemodified"]
            .into_iter()
            .find(|date| name.contains(date))?;
        NAMES.microdata.get(among)
    })
}

/// The meaning of a name with the prefix of a vocabulary.
fn of_rdfa(name: &str) -> Option<Property> {
    let (vocabulary, term) = name.rsplit_once([':', '/', '#'])?;
    let property = match vocabulary {
        "schema" | "http://schema.org" | "https://schema.org" => of_microdata(term),
        "dc" | "dct" | "dcterms" | "http://purl.org/dc/terms" | "http://purl.org/dc/elements/1.1" => {
            NAMES.rdfa.get(term)
        }
        _ => None,
    };
    property.map(|property| Property {
        source: Source::Rdfa,
        ..property
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_names_a_field_a_source_and_a_rank() {
        for (key, line) in words::lines(words::PROPERTIES) {
            assert!(property(key).is_some(), "{key}");
            assert!(words::items(line).all(|name| name.len() <= LONGEST_NAME), "{key}");
        }
    }

    #[test]
    fn names_mean_what_their_writers_mean() {
        let meta = |name| of_meta(name).map(|property| (property.field, property.source, property.rank));
        assert_eq!(meta("og:title"), Some((Field::Title, Source::OpenGraph, 0)));
        assert_eq!(meta("schema:author"), Some((Field::Author, Source::Rdfa, 0)));
        assert_eq!(meta("dct:created"), Some((Field::Published, Source::Rdfa, 1)));
        assert_eq!(meta("dc:title"), Some((Field::Title, Source::DublinCore, 0)));
        assert_eq!(meta("viewport"), None);
        let both = of_microdata("datepublished datemodified");
        assert_eq!(both.map(|property| property.field), Some(Field::Published));
    }
}
