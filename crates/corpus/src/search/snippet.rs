//! A part of a text that shows what was found in it.

use super::query::Places;

/// About so many bytes of the text are shown: some 40 words, or 80 ideographs.
const LENGTH: usize = 240;

/// So many of them before the first place.
const BEFORE: usize = 60;

/// A piece of a snippet.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Piece {
    /// The text, with white space collapsed.
    pub text: String,
    /// Whether it was searched for.
    pub is_match: bool,
}

/// The part of a text in which most of the query is close together. Without a place, it is the start of the text.
pub(super) fn snippet(text: &str, places: &Places) -> Vec<Piece> {
    let places = &places.places;
    let end_of = |start: usize| start + LENGTH - BEFORE;
    let count = |first: usize| {
        let end = end_of(places[first].1.start);
        let inside = places[first..].iter().take_while(|(_, place)| place.end <= end);
        let phrases = inside.fold(0u32, |bits, (number, _)| bits | 1 << number);
        phrases.count_ones()
    };
    let best = (0..places.len()).rev().max_by_key(|first| count(*first));
    let first = best.map_or(0, |best| places[best].1.start);
    let start = boundary(text, first.saturating_sub(BEFORE), false);
    let end = boundary(text, end_of(first.max(BEFORE)).min(text.len()), true);
    let end = best.map_or(end, |best| end.max(places[best].1.end));
    let mut pieces = Vec::new();
    let mut at = start;
    if start > 0 {
        pieces.push(piece("… ", false));
    }
    for (_, place) in places.iter().filter(|(_, place)| place.end <= end) {
        if place.start < at {
            continue;
        }
        pieces.push(piece(&text[at..place.start], false));
        pieces.push(piece(&text[place.clone()], true));
        at = place.end;
    }
    pieces.push(piece(&text[at..end], false));
    if end < text.len() {
        pieces.push(piece(" …", false));
    }
    pieces.retain(|piece| !piece.text.is_empty());
    pieces
}

fn piece(text: &str, is_match: bool) -> Piece {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c.is_whitespace() {
            true if out.ends_with(' ') => {}
            true => out.push(' '),
            false => out.push(c),
        }
    }
    Piece { text: out, is_match }
}

/// A place near another where a text can be cut: between words, if one is not far.
fn boundary(text: &str, near: usize, forward: bool) -> usize {
    let near = text.floor_char_boundary(near);
    let limit = 24;
    if near == 0 || near == text.len() {
        return near;
    }
    let (from, to) = match forward {
        true => (text.floor_char_boundary(near.saturating_sub(limit)), near),
        false => (near, text.floor_char_boundary((near + limit).min(text.len()))),
    };
    let part = &text[from..to];
    let space = if forward {
        part.rfind(char::is_whitespace)
    } else {
        part.find(char::is_whitespace).map(|at| at + 1)
    };
    space.map_or(near, |at| text.floor_char_boundary(from + at))
}

#[cfg(test)]
mod tests {
    use super::super::query::Query;
    use super::*;
    use proptest::prelude::*;

    fn shown(query: &str, text: &str) -> String {
        let pieces = snippet(text, &Query::parse(query).unwrap().find(text));
        let mark = |piece: &Piece| {
            if piece.is_match {
                format!("[{}]", piece.text)
            } else {
                piece.text.clone()
            }
        };
        pieces.iter().map(mark).collect()
    }

    #[test]
    fn a_snippet_shows_where_most_is_close_together() {
        let far = "filler ".repeat(100);
        let text = format!("red {far} red\n\n tea {far}");
        let shown = shown("tea red", &text);
        assert!(
            shown.contains("[red] [tea]") && shown.starts_with("… ") && shown.ends_with(" …"),
            "{shown}"
        );
        assert!(shown.len() < 300, "{shown}");
    }

    #[test]
    fn short_texts_are_whole() {
        assert_eq!(shown("tea", "red tea"), "red [tea]");
        assert_eq!(shown("missing", "red tea"), "red tea");
        assert_eq!(shown("a", ""), "");
    }

    #[test]
    fn characters_are_never_cut() {
        for at in 0..40 {
            let text = format!("{}青{}", "é".repeat(at), "石".repeat(200));
            assert!(shown("青", &text).contains("[青]"));
        }
    }

    proptest! {
        /// Whatever a text and a query are, what is marked was asked for, and the snippet is a part of the text.
        #[test]
        fn snippets_are_parts_of_the_text(text in "([a-cé ]|青|\\PC|\n){0,600}", words in "([a-cé \"]|青){1,8}") {
            let Ok(query) = Query::parse(&words) else { return Ok(()) };
            let places = query.find(&text);
            let pieces = snippet(&text, &places);
            let collapsed = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
            let shown: String = pieces.iter().map(|piece| piece.text.as_str()).collect();
            let shown = shown.strip_prefix("… ").unwrap_or(&shown);
            let shown = shown.strip_suffix(" …").unwrap_or(shown);
            let (text, shown) = (collapsed(&text), collapsed(shown));
            prop_assert!(text.contains(&shown), "{shown:?} is no part of {text:?}");
            for piece in pieces.iter().filter(|piece| piece.is_match) {
                prop_assert!(query.find(&piece.text).found != 0, "{:?}", piece.text);
            }
            prop_assert_eq!(places.found == 0, places.places.is_empty());
        }
    }
}
