//! A sample of a text: enough of it to detect its language, from all over it.

/// Most bytes of a sample.
pub const SAMPLE: usize = 800;

/// How many pieces a sample has.
const PIECES: usize = 4;

/// Pieces of the text at even distances, cut at white space if there is some. Web addresses are left out, because they
/// have no language.
pub fn sample(text: &str) -> String {
    let mut sample = String::with_capacity(SAMPLE + PIECES);
    if text.len() <= SAMPLE {
        add(text, &mut sample);
        return sample;
    }
    let length = SAMPLE / PIECES;
    for i in 0..PIECES {
        let from = (text.len() - length) / (PIECES - 1) * i;
        let piece = &text[text.ceil_char_boundary(from)..text.floor_char_boundary(from + length)];
        // The first and the last word may be cut.
        let start = match i {
            0 => 0,
            _ => piece.find(char::is_whitespace).unwrap_or(0),
        };
        let end = match i {
            _ if i + 1 == PIECES => piece.len(),
            _ => piece
                .rfind(char::is_whitespace)
                .filter(|end| *end > start)
                .unwrap_or(piece.len()),
        };
        add(&piece[start..end], &mut sample);
    }
    sample
}

fn add(piece: &str, sample: &mut String) {
    let mut rest = piece;
    while let Some(place) = rest.find("://") {
        let start = rest[..place]
            .rfind(|c: char| !c.is_ascii_alphanumeric())
            .map_or(0, |i| rest.ceil_char_boundary(i + 1));
        let end = rest[place..]
            .find(char::is_whitespace)
            .map_or(rest.len(), |end| place + end);
        sample.push_str(&rest[..start]);
        rest = &rest[end..];
    }
    sample.push_str(rest);
    sample.push(' ');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_is_short_and_from_all_over_the_text() {
        let text = format!(
            "{}{}{}",
            "start ".repeat(300),
            "middle ".repeat(300),
            "end ".repeat(900)
        );
        let sample = sample(&text);
        assert!(sample.len() <= SAMPLE + PIECES);
        for word in ["start", "middle", "end"] {
            assert!(sample.contains(word), "{word}");
        }
        assert!(
            sample
                .split_whitespace()
                .all(|word| ["start", "middle", "end"].contains(&word))
        );
    }

    #[test]
    fn texts_without_white_space_and_of_long_characters_are_sampled() {
        for text in ["是".repeat(5000), "𠀀".repeat(5000), "x".repeat(100_000)] {
            let sample = sample(&text);
            assert!(
                (SAMPLE / 2..=SAMPLE + PIECES).contains(&sample.len()),
                "{}",
                sample.len()
            );
        }
        assert_eq!(sample("").trim(), "");
    }

    #[test]
    fn web_addresses_are_left_out() {
        assert_eq!(
            sample("see (https://a.example/b?c) or 中文http://x.example y"),
            "see ( or 中文 y "
        );
    }
}
