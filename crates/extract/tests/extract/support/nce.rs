//! Code that the tests of NCE share. Each uses its part.

use dehusk_extract::Nce;

/// Phase 1 alone, with small sizes.
pub fn small() -> Nce {
    Nce {
        leaf_chars: 10,
        text_chars: 30,
        sibling_chars: 10,
        sibling_density: 0.4,
        density: 0.4,
        comments: false,
        title: false,
        ..Nce::paper()
    }
}

pub fn letters(letter: char, length: usize) -> String {
    letter.to_string().repeat(length)
}

/// `<p>` with a text of that length.
pub fn p(letter: char, length: usize) -> String {
    format!("<p>{}</p>", letters(letter, length))
}

pub fn link(letter: char, length: usize) -> String {
    format!("<a href=x>{}</a>", letters(letter, length))
}
