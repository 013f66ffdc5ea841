//! Microdata: the names that `itemprop` gives.

use super::evidence::Field;

/// What a name in lower case means, and its rank.
pub(super) fn property(name: &str) -> Option<(Field, u8)> {
    Some(match name {
        "headline" => (Field::Title, 0),
        "author" => (Field::Author, 0),
        "creator" => (Field::Author, 1),
        "datepublished" => (Field::Published, 0),
        "dateposted" | "uploaddate" => (Field::Published, 1),
        "datecreated" => (Field::Published, 2),
        "datemodified" => (Field::Modified, 0),
        "description" => (Field::Description, 0),
        "keywords" => (Field::Keywords, 0),
        "image" => (Field::Image, 0),
        // Two properties in one attribute.
        _ if name.contains("datepublished") => (Field::Published, 0),
        _ if name.contains("datemodified") => (Field::Modified, 0),
        _ => return None,
    })
}
