//! RDFa: names with the prefix of a vocabulary, in `property`.

use super::evidence::{Field, Source};

/// What a name in lower case means.
pub(super) fn meaning(name: &str) -> Option<(Field, Source, u8)> {
    let (vocabulary, term) = name.rsplit_once([':', '/', '#'])?;
    let (field, rank) = match vocabulary {
        "schema" | "http://schema.org" | "https://schema.org" => super::microdata::property(term)?,
        "dc" | "dct" | "dcterms" | "http://purl.org/dc/terms" | "http://purl.org/dc/elements/1.1" => match term {
            "title" => (Field::Title, 0),
            "creator" => (Field::Author, 0),
            "issued" => (Field::Published, 0),
            "date" | "created" => (Field::Published, 1),
            "modified" => (Field::Modified, 0),
            "description" | "abstract" => (Field::Description, 0),
            "subject" => (Field::Keywords, 0),
            _ => return None,
        },
        _ => return None,
    };
    Some((field, Source::Rdfa, rank))
}
