//! Finds the ends of tags, comments and raw text. These are plain functions over bytes; each makes one pass.

use fearless_simd::{Level, SimdBase, SimdMask, dispatch, u8x16};
use memchr::{memchr, memchr2};

use super::super::tag::Tag;

/// All bytes 1, and all bytes 128.
const ONES: u64 = u64::MAX / 255;
const HIGHS: u64 = ONES << 7;

/// Sets the high bit of the lowest byte that is zero, and of no byte below it. Higher bits may be set by mistake.
#[inline]
fn zeros(bytes: u64) -> u64 {
    bytes.wrapping_sub(ONES) & !bytes & HIGHS
}

/// The bytes that are compared at once, and how often that is done before another search continues.
///
/// In tags, most searches end after a few bytes, and a search made for long distances takes longer to start than that.
const CHUNK: usize = 16;
const CHUNKS: usize = 4;

/// The position of the first byte for which `same` has a bit, one a byte of a chunk. `far` searches what is not near.
#[inline]
fn near(bytes: &[u8], same: impl Fn(&[u8; CHUNK]) -> u64, far: impl Fn(&[u8]) -> Option<usize>) -> Option<usize> {
    let (chunks, _) = bytes.as_chunks();
    let chunks = &chunks[..chunks.len().min(CHUNKS)];
    for (number, chunk) in chunks.iter().enumerate() {
        let found = same(chunk);
        if found != 0 {
            return Some(number * CHUNK + found.trailing_zeros() as usize);
        }
    }
    let from = chunks.len() * CHUNK;
    far(&bytes[from..]).map(|found| from + found)
}

/// The position of the first such byte.
#[inline]
pub(super) fn find(byte: u8, bytes: &[u8]) -> Option<usize> {
    let same = |chunk: &[u8; CHUNK]| {
        dispatch!(Level::baseline(), simd => {
            let bytes = u8x16::load_array_ref(simd, chunk);
            bytes.simd_eq(byte).to_bitmask()
        })
    };
    near(bytes, same, |rest| memchr(byte, rest))
}

/// The position of the first of two bytes.
#[inline]
fn find2(a: u8, b: u8, bytes: &[u8]) -> Option<usize> {
    let same = |chunk: &[u8; CHUNK]| {
        dispatch!(Level::baseline(), simd => {
            let bytes = u8x16::load_array_ref(simd, chunk);
            (bytes.simd_eq(a) | bytes.simd_eq(b)).to_bitmask()
        })
    };
    near(bytes, same, |rest| memchr2(a, b, rest))
}

/// White space inside tags.
#[inline]
pub(super) fn is_tag_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0C)
}

/// Bytes that end a tag name.
static ENDS_NAME: [bool; 256] = {
    let mut table = [false; 256];
    let ends = b" \t\n\r\x0C/>";
    let mut i = 0;
    while i < ends.len() {
        table[ends[i] as usize] = true;
        i += 1;
    }
    table
};

/// The end of the tag name that starts at `at`.
#[inline]
pub(crate) fn name_end(bytes: &[u8], at: usize) -> usize {
    bytes[at..]
        .iter()
        .position(|&b| ENDS_NAME[b as usize])
        .map_or(bytes.len(), |n| at + n)
}

/// The end of the tag name that starts at `at`, and the tag of that name.
#[inline]
pub(super) fn name(bytes: &[u8], at: usize) -> (usize, Tag) {
    if let Some((length, tag)) = bytes[at..].first_chunk().and_then(|eight| short_name(*eight)) {
        return (at + length, tag);
    }
    let end = name_end(bytes, at);
    (end, Tag::from_name(&bytes[at..end]))
}

/// The end of the name at `at`, if it is that of a tag in small letters and `>` follows at once, as in nearly all end
/// tags.
#[inline]
pub(super) fn plain_end(bytes: &[u8], at: usize, tag: Tag) -> Option<usize> {
    let eight = u64::from_le_bytes(*bytes[at..].first_chunk()?);
    tag.starts_plain_end(eight).then(|| at + tag.name().len())
}

/// The length of the tag name that eight bytes start with, and its tag; `None` if it does not end among them. Nearly all
/// names do.
#[inline]
fn short_name(bytes: [u8; 8]) -> Option<(usize, Tag)> {
    let eight = u64::from_le_bytes(bytes);
    let length = length_before(eight, [b'>', b'/']);
    if !ENDS_NAME[usize::from(*bytes.get(length)?)] {
        return None;
    }
    let name = eight & ((1 << (8 * length)) - 1);
    Some((length, Tag::from_short_name(lower_case(name))))
}

/// How many of eight bytes, the lowest first, come before white space, another control character, or one of two bytes.
#[inline]
pub(super) fn length_before(eight: u64, [a, b]: [u8; 2]) -> usize {
    // The lowest mark of each is right, so the lowest of all is.
    let controls = eight.wrapping_sub(ONES * u64::from(b'!')) & !eight & HIGHS;
    let marks = controls | zeros(eight ^ (ONES * u64::from(a))) | zeros(eight ^ (ONES * u64::from(b)));
    marks.trailing_zeros() as usize / 8
}

/// Eight bytes with their capital letters made small.
#[inline]
fn lower_case(eight: u64) -> u64 {
    let low = eight & !HIGHS;
    let from_a = low + ONES * u64::from(0x80 - b'A');
    let after_z = low + ONES * u64::from(0x7F - b'Z');
    eight | (from_a & !after_z & !eight & HIGHS) >> 2
}

/// The end of a tag: the position of its `>`, and whether it is self-closing.
#[derive(Clone, Copy)]
pub(crate) struct TagEnd {
    pub at: usize,
    pub self_closing: bool,
}

/// Finds the end of the tag whose name ends at `at`. `None` if the page ends first.
///
/// As in the specification, a quote counts only at the start of an attribute value: `<p title=it's>` is a whole tag.
#[inline]
pub(crate) fn tag_end(bytes: &[u8], mut at: usize) -> Option<TagEnd> {
    if bytes.get(at) == Some(&b'>') {
        return Some(TagEnd {
            at,
            self_closing: false,
        });
    }
    loop {
        at += find2(b'>', b'=', bytes.get(at..)?)?;
        if bytes[at] == b'>' {
            return Some(TagEnd {
                at,
                self_closing: bytes[at - 1] == b'/',
            });
        }
        at += 1;
        while is_tag_space(*bytes.get(at)?) {
            at += 1;
        }
        match bytes[at] {
            quote @ (b'"' | b'\'') => {
                at += 1;
                at += find(quote, &bytes[at..])? + 1;
            }
            _ => {
                // A value without quotes ends at white space. A slash at its end is a part of it.
                at += bytes[at..].iter().position(|&b| b == b'>' || is_tag_space(b))?;
                if bytes[at] == b'>' {
                    return Some(TagEnd {
                        at,
                        self_closing: false,
                    });
                }
            }
        }
    }
}

/// Finds the end (after the `>`) of the comment that starts with `<!--` at `start`. An unclosed comment ends with the
/// page.
pub(crate) fn comment_end(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 4;
    while let Some(found) = memchr(b'>', &bytes[at.min(bytes.len())..]) {
        at += found;
        // The dashes of the start may also be those of the end: `<!-->`.
        let dashes = &bytes[start + 2..at];
        if dashes.ends_with(b"--") || (at >= start + 7 && dashes.ends_with(b"--!")) {
            return at + 1;
        }
        at += 1;
    }
    bytes.len()
}

/// Finds the end (after the `>`) of what starts with `<!`, `<?` or `</` at `start` and is neither a comment nor a tag.
pub(crate) fn bogus_end(bytes: &[u8], start: usize) -> usize {
    memchr(b'>', &bytes[start..]).map_or(bytes.len(), |n| start + n + 1)
}

/// Finds the end of the content and the end (after `]]>`) of the CDATA section whose content starts at `at`.
pub(super) fn cdata_end(bytes: &[u8], at: usize) -> (usize, usize) {
    match memchr::memmem::find(&bytes[at..], b"]]>") {
        Some(found) => (at + found, at + found + 3),
        None => (bytes.len(), bytes.len()),
    }
}

/// Whether the end tag of `name` (lower case) is at `at`.
fn is_end_tag(bytes: &[u8], at: usize, name: &[u8]) -> bool {
    bytes.get(at + 1) == Some(&b'/') && is_name(bytes, at + 2, name)
}

/// Whether the whole tag name at `at` is `name` (lower case).
fn is_name(bytes: &[u8], at: usize, name: &[u8]) -> bool {
    let end = at + name.len();
    bytes.get(at..end).is_some_and(|n| n.eq_ignore_ascii_case(name))
        && bytes.get(end).is_some_and(|&b| ENDS_NAME[b as usize])
}

/// Finds the end of the raw content that starts at `at`: the end tag of its element, or the end of the page.
pub(super) fn raw_end(bytes: &[u8], at: usize, tag: Tag) -> usize {
    if tag == Tag::Script {
        return script_end(bytes, at);
    }
    let name = tag.name().as_bytes();
    let mut at = at;
    while let Some(found) = memchr(b'<', &bytes[at..]) {
        at += found;
        if is_end_tag(bytes, at, name) {
            return at;
        }
        at += 1;
    }
    bytes.len()
}

/// The end of a script, in which `<!--` may hide a whole `<script>…</script>`.
fn script_end(bytes: &[u8], mut at: usize) -> usize {
    while let Some(found) = memchr(b'<', &bytes[at..]) {
        at += found;
        if is_end_tag(bytes, at, b"script") {
            return at;
        }
        if bytes[at..].starts_with(b"<!--") {
            match escaped_script(bytes, at) {
                Escaped::ScriptEnds(end) => return end,
                Escaped::Left(after) => at = after,
            }
        } else {
            at += 1;
        }
    }
    bytes.len()
}

/// The end of the escaped part of a script.
enum Escaped {
    /// The end tag of the script (or the end of the page) is at this position.
    ScriptEnds(usize),
    /// `-->` ended the part, and the script continues at this position.
    Left(usize),
}

/// Reads the escaped part of a script, which starts with `<!--` at `start`.
fn escaped_script(bytes: &[u8], start: usize) -> Escaped {
    let mut at = start + 4;
    let mut nested = false;
    while let Some(found) = memchr2(b'<', b'>', &bytes[at..]) {
        at += found;
        if bytes[at] == b'>' {
            if bytes[start + 2..at].ends_with(b"--") {
                return Escaped::Left(at + 1);
            }
        } else if nested {
            nested = !is_end_tag(bytes, at, b"script");
        } else if is_end_tag(bytes, at, b"script") {
            return Escaped::ScriptEnds(at);
        } else {
            nested = is_name(bytes, at + 1, b"script");
        }
        at += 1;
    }
    Escaped::ScriptEnds(bytes.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tag(text: &str) -> Option<(usize, bool)> {
        tag_end(text.as_bytes(), name_end(text.as_bytes(), 1)).map(|end| (end.at, end.self_closing))
    }

    #[test]
    fn short_names_are_read_as_long_ones() {
        let ends = [">", " a>", "/>", "\t>", "\u{B}x>", "\0>", "\u{1}", "é>", "!>", ""];
        let odd = ["x-y", "divs", "[", "`", "@a", "a{", "É", "\u{80}"];
        for known in Tag::ALL.iter().map(|tag| tag.name()).chain(odd) {
            for known in [known.to_owned(), known.to_uppercase()] {
                for (end, rest) in ends.iter().flat_map(|end| [(end, ""), (end, "<p>more text")]) {
                    let text = format!("{known}{end}{rest}");
                    let bytes = text.as_bytes();
                    let length = name_end(bytes, 0);
                    assert!(name(bytes, 0) == (length, Tag::from_name(&bytes[..length])), "{text:?}");
                }
            }
        }
    }

    #[test]
    fn plain_end_tags_are_those_of_the_tag_in_small_letters() {
        let end = |text: &str, tag| plain_end(format!("{text}<p>more text").as_bytes(), 0, tag);
        for tag in Tag::ALL.iter().filter(|tag| !tag.is_text() && **tag != Tag::Other) {
            let name = tag.name();
            let is_short = name.len() < 8;
            assert_eq!(end(&format!("{name}>"), *tag), is_short.then_some(name.len()), "{name}");
            for other in [
                format!("{name} >"),
                format!("{name}s>"),
                format!("{}>", name.to_uppercase()),
            ] {
                assert_eq!(end(&other, *tag), None, "{other}");
            }
        }
        for (text, tag) in [("", Tag::Text), (">", Tag::Text), (">", Tag::Other), ("b>", Tag::I)] {
            assert_eq!(end(text, tag), None, "{text:?}");
        }
        assert_eq!(plain_end(b"p>", 0, Tag::P), None, "too near to the end of the page");
    }

    #[test]
    fn bytes_are_found_at_every_distance() {
        for length in 0..100 {
            let text = format!("{}>{}", "a".repeat(length), "=\"".repeat(length));
            let bytes = text.as_bytes();
            assert_eq!(find(b'>', bytes), Some(length));
            assert_eq!(find2(b'=', b'>', bytes), Some(length));
            assert_eq!(find(b'"', bytes), (length > 0).then_some(length + 2));
            assert_eq!(find(b'<', bytes), None);
        }
    }

    #[test]
    fn tags_end_outside_of_quoted_values() {
        assert_eq!(tag("<p>"), Some((2, false)));
        assert_eq!(tag("<p a=\">\" b='>'>"), Some((14, false)));
        assert_eq!(tag("<p a = \">\">"), Some((10, false)));
        assert_eq!(tag("<p title=it's>"), Some((13, false)));
        assert_eq!(tag("<p 'quoted>'>"), Some((10, false)));
        assert_eq!(tag("<p a=b=\"c>"), Some((9, false)));
        assert_eq!(tag("<br/>"), Some((4, true)));
        assert_eq!(tag("<br a=b/>"), Some((8, false)));
        assert_eq!(tag("<br a=\"b\"/>"), Some((10, true)));
        assert_eq!(tag("<p a=>"), Some((5, false)));
        for cut in ["<p", "<p a", "<p a=", "<p a=b", "<p a=\">"] {
            assert_eq!(tag(cut), None, "{cut}");
        }
    }

    #[test]
    fn comments_end_as_in_the_specification() {
        let end = |text: &str| comment_end(text.as_bytes(), 0);
        assert_eq!(end("<!-- a -->b"), 10);
        assert_eq!(end("<!-->b"), 5);
        assert_eq!(end("<!--->b"), 6);
        assert_eq!(end("<!-- > --!>b"), 11);
        assert_eq!(end("<!--!>b"), 7);
        assert_eq!(end("<!-- open"), 9);
    }

    #[test]
    fn scripts_hide_scripts_in_comments() {
        let end = |text: &str| raw_end(text.as_bytes(), 0, Tag::Script);
        assert_eq!(end("a</script>"), 1);
        assert_eq!(end("a</scripts></SCRIPT >"), 11);
        assert_eq!(end("<!--</script>"), 4);
        assert_eq!(end("<!--<script></script></script>"), 21);
        assert_eq!(end("<!--<script>--></script>"), 15);
        assert_eq!(end("<!--><script></script>"), 13);
        assert_eq!(end("open"), 4);
        assert_eq!(end("</script"), 8);
    }
}
