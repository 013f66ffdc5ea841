//! Detects the encoding of a page from its bytes alone.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{
    Encoding, ISO_8859_2, ISO_8859_4, ISO_8859_13, UTF_16BE, UTF_16LE, WINDOWS_1250, WINDOWS_1252, WINDOWS_1254,
    WINDOWS_1257,
};

/// Number of bytes at the start of a page that are examined for UTF-16 and EBCDIC.
const SAMPLE: usize = 1024;

/// Number of bytes that the detector reads, starting at the first one outside ASCII. Its guess settles much earlier; the
/// limit keeps huge pages cheap.
const DETECTOR_SAMPLE: usize = 256 * 1024;

/// Detects UTF-16 without a byte order mark.
///
/// At least one pair of bytes in eight must be a Latin character whose zero is on the same side, and hardly any pair may
/// have its zero on the other side. The markup and spaces of a page are enough for that, whatever its script. Binary data
/// have zeros on both sides, or next to control bytes.
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

/// Whether the body has an escape sequence that switches ISO-2022-JP to two-byte characters (ISO 2022, RFC 1468).
pub(super) fn has_iso_2022_jp(body: &[u8]) -> bool {
    memchr::memchr_iter(0x1B, body).any(|i| matches!(body.get(i + 1..i + 3), Some([b'$', b'@' | b'B'])))
}

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

/// Whether the start of a page has an ASCII `<`. Such a page is not EBCDIC, whatever its label says.
pub(super) fn has_ascii_tags(body: &[u8]) -> bool {
    memchr::memchr(b'<', &body[..body.len().min(SAMPLE)]).is_some()
}

/// Whether at least nine in ten of the sequences outside ASCII are valid UTF-8, and at least ten are. That is a UTF-8 page
/// with a few damaged or foreign bytes; no other encoding looks like it by chance.
pub(super) fn is_mostly_utf8(body: &[u8]) -> bool {
    let (mut good, mut bad) = (0usize, 0usize);
    for chunk in body.utf8_chunks() {
        good += chunk.valid().bytes().filter(|b| *b >= 0xC0).count();
        bad += usize::from(!chunk.invalid().is_empty());
    }
    good >= 10 && bad * 9 <= good
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

/// Latin encodings in which symbols of windows-1252 are letters: a pound sign is `Ł` in windows-1250. A language that needs
/// such an encoding also uses letters from the upper half of the table, so a page without those letters has symbols.
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

/// A label is in doubt if more than one in this many characters outside ASCII is a flaw. Some damage must not change the
/// encoding of a page.
const DOUBT: usize = 20;

/// C1 control characters are flaws if there are at least this many. No page uses them on purpose: they are letters that
/// were decoded with the wrong one of two similar encodings (windows-1250 as ISO-8859-2). A few of them also occur in pages
/// with the right label.
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
