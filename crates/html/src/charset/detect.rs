//! Detects the encoding of a page from its bytes alone.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{
    Encoding, GBK, ISO_8859_2, ISO_8859_4, ISO_8859_13, UTF_16BE, UTF_16LE, WINDOWS_1250, WINDOWS_1252, WINDOWS_1254,
    WINDOWS_1257,
};

/// Number of bytes at the start of a page that are examined for UTF-16, UTF-32 and EBCDIC.
const SAMPLE: usize = 1024;

/// Number of bytes that the detector reads, starting at the first one outside ASCII. Its guess settles much earlier;
/// the limit keeps huge pages cheap.
const DETECTOR_SAMPLE: usize = 256 * 1024;

/// Detects UTF-16 without a byte order mark.
///
/// At least one pair of bytes in eight must be a Latin character whose zero is on the same side, and hardly any pair
/// may have its zero on the other side. The markup and spaces of a page are enough for that, whatever its script.
/// Binary data have zeros on both sides, or next to control bytes.
pub(super) fn utf16_pattern(body: &[u8]) -> Option<&'static Encoding> {
    let sample = &body[..body.len().min(SAMPLE)];
    memchr::memchr(0, sample)?;
    let (pairs, _) = sample.as_chunks::<2>();
    let latin = |b: u8| matches!(b, b'\t' | b'\n' | b'\r' | b' '..=b'~' | 0xA0..);
    let big = pairs.iter().filter(|p| p[0] == 0 && latin(p[1])).count();
    let little = pairs.iter().filter(|p| p[1] == 0 && latin(p[0])).count();
    let zeros = pairs.iter().filter(|p| p.contains(&0)).count();
    let (most, encoding) = if little > big {
        (little, UTF_16LE)
    } else {
        (big, UTF_16BE)
    };
    (most >= 2 && most * 8 >= pairs.len() && (zeros - most) * 8 <= most).then_some(encoding)
}

/// Detects UTF-32 of either byte order, with or without a byte order mark: nearly every group of four bytes is a
/// character that texts have, and one of them is a `<`.
pub(super) fn is_utf32(body: &[u8]) -> bool {
    // Most pages are done with here: no character needs the first of its four bytes.
    let order = match body {
        [_, _, _, 0, ..] => u32::from_le_bytes,
        [0, _, _, _, ..] => u32::from_be_bytes,
        _ => return false,
    };
    let (groups, _) = body[..body.len().min(SAMPLE)].as_chunks::<4>();
    let is_text = |c: &u32| matches!(c, 0x09 | 0x0A | 0x0D | 0x20..=0x7E | 0xA0..=0xD7FF | 0xE000..=0x10_FFFF);
    let characters = || groups.iter().map(|group| order(*group));
    let texts = characters().filter(is_text).count();
    texts * 8 >= groups.len() * 7 && characters().any(|c| c == u32::from(b'<'))
}

/// The encodings of seven bits that escape sequences switch between. Their bytes are ASCII.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SevenBit {
    /// No such encoding.
    None,
    /// ISO-2022-JP (RFC 1468).
    Japanese,
    /// HZ (RFC 1843), ISO-2022-KR (RFC 1557) or ISO-2022-CN (RFC 1922). No kept library decodes them.
    Unsupported,
}

/// Finds the escape sequences of an encoding of seven bits. A label that means one of them makes a single `~{` enough.
pub(super) fn seven_bit(body: &[u8], is_labelled: bool) -> SevenBit {
    for at in memchr::memchr_iter(0x1B, body) {
        match body[at..] {
            [0x1B, b'$', b'@' | b'B', ..] => return SevenBit::Japanese,
            [0x1B, b'$', b')', b'A' | b'C' | b'E' | b'G', ..] => return SevenBit::Unsupported,
            [0x1B, b'$', b'*', b'H', ..] => return SevenBit::Unsupported,
            _ => {}
        }
    }
    let start = if is_labelled {
        body
    } else {
        &body[..body.len().min(HZ_SAMPLE)]
    };
    let may_be_hz = || memchr::memchr_iter(b'~', start).any(|at| body.get(at + 1) == Some(&b'{'));
    if may_be_hz() && (is_labelled || is_hz(body)) {
        SevenBit::Unsupported
    } else {
        SevenBit::None
    }
}

/// Number of bytes in which a page in HZ that has no label has its first Chinese characters. More would make every page
/// in ASCII slower.
const HZ_SAMPLE: usize = 8 * 1024;

/// Whether the body is HZ: each `~{` is followed by characters of GB 2312 up to `~}`, and at least [`HANZI`] of all are
/// Chinese. Scripts and templates, too, hold `~{`, but not such pairs of bytes after each.
fn is_hz(body: &[u8]) -> bool {
    let mut hanzi = 0;
    let mut rest = body;
    while let Some(at) = memchr::memmem::find(rest, b"~{") {
        let text = &rest[at + 2..];
        let Some(end) = memchr::memmem::find(text, b"~}") else {
            return false;
        };
        let eight_bit: Vec<u8> = text[..end].iter().map(|b| b | 0x80).collect();
        let (pairs, left) = text[..end].as_chunks::<2>();
        let is_pair = |pair: &[u8; 2]| matches!(pair[0], 0x21..=0x77) && matches!(pair[1], 0x21..=0x7E);
        if !left.is_empty() || !pairs.iter().all(is_pair) || GBK.decode_without_bom_handling(&eight_bit).1 {
            return false;
        }
        hanzi += pairs.iter().filter(|pair| pair[0] >= 0x30).count();
        rest = &text[end + 2..];
    }
    hanzi >= HANZI
}

/// Chinese characters that a page in HZ has at least, if no label names it.
const HANZI: usize = 4;

/// Whether the body has something that UTF-7 would decode: a plus sign followed by base64 (RFC 2152).
pub(super) fn has_utf7(body: &[u8]) -> bool {
    let base64 = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/');
    memchr::memchr_iter(b'+', body).any(|i| body[i + 1..].iter().take(3).filter(|b| base64(b)).count() == 3)
}

/// Whether the bytes are EBCDIC: there is no ASCII space or `<`, and most bytes are the letters, spaces or line ends of
/// EBCDIC.
pub(super) fn is_ebcdic(body: &[u8]) -> bool {
    let sample = &body[..body.len().min(SAMPLE)];
    if sample.len() < 16 || sample.iter().any(|b| matches!(b, b' ' | b'<')) {
        return false;
    }
    let typical = |b: &&u8| {
        matches!(b, 0x05 | 0x0D | 0x15 | 0x25 | 0x40 | 0x4C | 0x6E)
            || matches!(b, 0x81..=0x89 | 0x91..=0x99 | 0xA2..=0xA9 | 0xC1..=0xC9 | 0xD1..=0xD9 | 0xE2..=0xE9)
    };
    sample.contains(&0x4C) && sample.contains(&0x6E) && sample.iter().filter(typical).count() * 10 >= sample.len() * 7
}

/// Whether the start of a page has an ASCII `<`. Such a page is not EBCDIC, regardless of its label.
pub(super) fn has_ascii_tags(body: &[u8]) -> bool {
    memchr::memchr(b'<', &body[..body.len().min(SAMPLE)]).is_some()
}

/// The bytes outside ASCII of a body that is not valid UTF-8, as UTF-8 sees them.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sequences {
    /// Valid sequences.
    good: usize,
    /// Sequences of a first byte and others that only an encoder of UTF-8 writes, though they are not valid: halves of
    /// surrogate pairs (CESU-8), overlong ones, ones of five bytes, and ones that are cut after their second byte.
    shaped: usize,
    /// Bytes that belong to no sequence.
    stray: usize,
}

impl Sequences {
    pub(super) fn count(body: &[u8]) -> Self {
        let mut counts = Self::default();
        let (mut run, mut at) = (0, 0);
        for chunk in body.utf8_chunks() {
            if !chunk.valid().is_empty() {
                counts.add_invalid(&body[run..at]);
                counts.good += chunk.valid().bytes().filter(|b| *b >= 0xC0).count();
                run = at + chunk.valid().len();
            }
            at += chunk.valid().len() + chunk.invalid().len();
        }
        counts.add_invalid(&body[run..at]);
        counts
    }

    /// Counts bytes between valid characters.
    fn add_invalid(&mut self, mut run: &[u8]) {
        while let Some(first) = run.first() {
            // The leading ones of a sequence's first byte are its length.
            let length = match first.leading_ones() as usize {
                length @ 2..=6 => length,
                _ => 1,
            };
            let others = run[1..].iter().take(length - 1);
            let others = others.take_while(|b| matches!(b, 0x80..=0xBF)).count();
            match others {
                0 => self.stray += 1,
                _ => self.shaped += 1,
            }
            run = &run[1 + others..];
        }
    }

    /// Whether nine in ten are UTF-8, and at least ten are. That is a UTF-8 page with a few damaged or foreign bytes;
    /// no other encoding looks like it by chance.
    pub(super) fn are_mostly_utf8(self) -> bool {
        self.good >= 10 && self.stray * 9 <= self.good + self.shaped
    }

    /// Whether they agree with a label of UTF-8: three in four do, or on a page with few of them one in two. Text in
    /// another encoding is rarely of this kind: one in three in Japanese EUC, and far fewer elsewhere.
    pub(super) fn agree_with_label(self) -> bool {
        const FEW: usize = 4;
        let formed = self.good + self.shaped;
        formed > 0 && (self.stray * 3 <= formed || self.stray <= FEW.min(formed))
    }
}

/// The most likely encoding of a body that is not UTF-8.
pub(super) fn detect(body: &[u8]) -> &'static Encoding {
    let start = Encoding::ascii_valid_up_to(body);
    // One byte of context, since in some encodings it belongs to the next byte.
    let sample = &body[start.saturating_sub(1)..];
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    // If the sample was cut inside a character, the detector must not count that as an error.
    let sample = &sample[..sample.len().min(DETECTOR_SAMPLE)];
    detector.feed(sample, sample.last().is_some_and(u8::is_ascii));
    let guess = detector.guess(None, Utf8Detection::Deny);
    if is_other_latin(guess) && !sample.iter().any(is_latin_letter) {
        WINDOWS_1252
    } else {
        guess
    }
}

/// Latin encodings in which symbols of windows-1252 are letters: a pound sign is `Ł` in windows-1250. A language that
/// needs such an encoding also uses letters from the upper half of the table, so a page without those letters has
/// symbols.
fn is_other_latin(encoding: &'static Encoding) -> bool {
    [
        WINDOWS_1250,
        ISO_8859_2,
        WINDOWS_1257,
        ISO_8859_13,
        ISO_8859_4,
        WINDOWS_1254,
    ]
    .contains(&encoding)
}

/// Whether the byte is a letter both in windows-1252 and in the encodings of [`is_other_latin`].
fn is_latin_letter(b: &u8) -> bool {
    matches!(b, 0x8A | 0x8C..=0x8F | 0x9A | 0x9C..=0x9F | 0xC0..)
}

/// The evidence in a decoded text against the encoding that it was decoded with.
#[derive(Clone, Copy, Debug)]
pub(super) struct Flaws {
    /// Malformed sequences, plus the C1 control characters if there are at least [`CONTROLS`].
    flaws: usize,
    /// Characters outside ASCII.
    non_ascii: usize,
}

/// A label is in doubt if more than one in this many characters outside ASCII is a flaw. Some damage must not change
/// the encoding of a page.
const DOUBT: usize = 20;

/// C1 control characters are flaws if there are at least this many. No page uses them on purpose: they are letters that
/// were decoded with the wrong one of two similar encodings (windows-1250 as ISO-8859-2). A few of them also occur in
/// pages with the right label.
const CONTROLS: usize = 4;

impl Flaws {
    pub(super) fn count(text: &str) -> Self {
        let bytes = text.as_bytes();
        let (mut malformed, mut controls) = (0, 0);
        for i in memchr::memchr2_iter(0xC2, 0xEF, bytes) {
            match &bytes[i..] {
                // U+FFFD
                [0xEF, 0xBF, 0xBD, ..] => malformed += 1,
                // U+0080 to U+009F
                [0xC2, 0x80..=0x9F, ..] => controls += 1,
                _ => {}
            }
        }
        let flaws = malformed + if controls >= CONTROLS { controls } else { 0 };
        let non_ascii = if flaws == 0 {
            0
        } else {
            bytes.iter().filter(|b| **b >= 0xC0).count()
        };
        Flaws { flaws, non_ascii }
    }

    pub(super) fn are_many(&self) -> bool {
        self.flaws * DOUBT > self.non_ascii
    }

    /// Whether there are less than a quarter of the other's flaws.
    pub(super) fn are_far_fewer_than(&self, other: &Flaws) -> bool {
        self.flaws * 4 < other.flaws
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeros_show_the_byte_order() {
        let le: Vec<u8> = "<p>Привет мир</p>".encode_utf16().flat_map(u16::to_le_bytes).collect();
        let be: Vec<u8> = "<p>Привет мир</p>".encode_utf16().flat_map(u16::to_be_bytes).collect();
        assert_eq!(utf16_pattern(&le), Some(UTF_16LE));
        assert_eq!(utf16_pattern(&be), Some(UTF_16BE));
        assert_eq!(utf16_pattern(b"<p>one\0zero</p>"), None);
        assert_eq!(utf16_pattern(&[0; 64]), None);
    }

    #[test]
    fn utf32_is_known_by_its_characters() {
        for to_bytes in [u32::to_le_bytes, u32::to_be_bytes] {
            let encode = |text: &str| -> Vec<u8> { text.chars().flat_map(|c| to_bytes(c.into())).collect() };
            assert!(is_utf32(&encode("<p>Привет")));
            assert!(is_utf32(&encode("\u{FEFF}<p>Привет \u{1F600}")));
            assert!(!is_utf32(&encode("no markup")));
        }
        let utf16: Vec<u8> = "\u{FEFF}\0<p>a".encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert!(!is_utf32(&utf16));
        assert!(!is_utf32(&[0; 64]) && !is_utf32(b"<p>\0") && !is_utf32(b""));
    }

    #[test]
    fn escape_sequences_distinguish_seven_bit_encodings() {
        for (body, expected) in [
            (&b"a \x1B$B0!\x1B(B"[..], SevenBit::Japanese),
            (b"\x1B$)C \x0E0!\x0F", SevenBit::Unsupported),
            (b"\x1B$)A \x0E0!\x0F", SevenBit::Unsupported),
            (b"<p>~{<:Ky2;~} and ~{VPNDVPND~}", SevenBit::Unsupported),
            (b"<p>~{<:Ky2;~} and ~{VPNDVPN~}", SevenBit::None),
            (b"<p>~{<:~} alone", SevenBit::None),
            (b"th:replace=\"~{::main}\" ~{ab}", SevenBit::None),
            (b"(format t \"~{~a~^, ~}\" list)", SevenBit::None),
            (b"\x1B[1mbold", SevenBit::None),
        ] {
            assert_eq!(
                seven_bit(body, false),
                expected,
                "{:?}",
                body.escape_ascii().to_string()
            );
        }
        assert_eq!(seven_bit(b"<p>~{<:~} alone", true), SevenBit::Unsupported);
    }

    #[test]
    fn sequences_are_counted_by_their_form() {
        let count = |body: &[u8]| {
            let Sequences { good, shaped, stray } = Sequences::count(body);
            (good, shaped, stray)
        };
        assert_eq!(count("né €".as_bytes()), (2, 0, 0));
        assert_eq!(count(b"\xED\xA0\xBD\xED\xB8\x80 x"), (0, 2, 0));
        assert_eq!(count(b"\xF8\x88\x80\x80\x80 \xC0\xAF \xE2\x82x"), (0, 3, 0));
        assert_eq!(count(b"caf\xE9s \xA9\xC3\xA9\xFF"), (1, 0, 3));
    }

    #[test]
    fn each_flawed_character_counts_once() {
        let flaws = Flaws::count("a\u{FFFD}é\u{85}");
        assert_eq!((flaws.flaws, flaws.non_ascii), (1, 3));
        let flaws = Flaws::count(&"é\u{9C}".repeat(CONTROLS));
        assert_eq!((flaws.flaws, flaws.non_ascii), (CONTROLS, 2 * CONTROLS));
    }

    #[test]
    fn ebcdic_is_detected_by_its_letters() {
        // <html><body>hello in code page 037, three times
        let page = [0x4C, 0x88, 0xA3, 0x94, 0x93, 0x6E, 0x40, 0x88, 0x85, 0x93, 0x93, 0x96].repeat(3);
        assert!(is_ebcdic(&page));
        assert!(!is_ebcdic("<p>Grüße aus Köln".as_bytes()));
    }
}
