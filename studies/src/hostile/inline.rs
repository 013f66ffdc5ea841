//! Inline elements that are opened and never closed, with a word each: each lies in all those before it.

use super::kinds::{Kind, again};

/// For each tag: the element alone, and in a paragraph of its own, before which a parser opens formatting elements
/// anew.
macro_rules! unclosed {
    ($($tag:literal)+) => {
        vec![$(
            (concat!("unclosed: ", $tag, " with a word"), again(concat!("<", $tag, ">x "))),
            (concat!("unclosed: paragraphs of ", $tag), again(concat!("<p><", $tag, ">x "))),
        )+]
    };
}

/// The kinds: every formatting element of the HTML specification, and other inline elements.
pub fn kinds() -> Vec<Kind> {
    unclosed!(
        "a" "b" "big" "code" "em" "font" "i" "nobr" "s" "small" "strike" "strong" "tt" "u"
        "abbr" "bdi" "bdo" "cite" "data" "del" "dfn" "ins" "kbd" "label" "mark" "q" "rt" "ruby" "samp" "span" "sub" "sup" "time" "var"
    )
}
