//! What the bytes themselves say about their encoding.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{
    Encoding, ISO_8859_2, ISO_8859_4, ISO_8859_13, UTF_16BE, UTF_16LE, WINDOWS_1250, WINDOWS_1252, WINDOWS_1254,
    WINDOWS_1257,
};

/// Bytes at the start of a page from which UTF-16 and EBCDIC are told.
const SAMPLE: usize = 1024;

/// Bytes that the detector sees, from the first one beyond ASCII on. Its verdict settles long before; the bound keeps
/// huge pages cheap.
const DETECT: usize = 256 * 1024;

/// UTF-16 without a byte order mark: of the pairs of bytes, one in eight and more is a Latin character with its zero at
/// the one place, and hardly any has a zero at the other. Mark-up and spaces alone are enough for that, whatever the
/// page's script, while binary data have zeros at both places or beside control bytes.
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

/// Whether the text holds a sequence that switches ISO-2022-JP to two-byte characters (ISO 2022, RFC 1468).
pub(super) fn has_iso_2022_jp(body: &[u8]) -> bool {
    memchr::memchr_iter(0x1B, body).any(|i| matches!(body.get(i + 1..i + 3), Some([b'$', b'@' | b'B'])))
}

/// Whether the text holds something that UTF-7 would decode: a plus sign and base64 behind it (RFC 2152).
pub(super) fn has_utf7(body: &[u8]) -> bool {
    let base64 = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/');
    memchr::memchr_iter(b'+', body).any(|i| body[i + 1..].iter().take(3).filter(|b| base64(b)).count() == 3)
}

/// Whether the bytes are EBCDIC: neither a space nor a `<` of ASCII, and most bytes where EBCDIC has its letters, its
/// space and its line ends.
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

/// Whether a `<` of ASCII stands at the start of a page: then it is not EBCDIC, whatever its label says.
pub(super) fn holds_ascii_tags(body: &[u8]) -> bool {
    memchr::memchr(b'<', &body[..body.len().min(SAMPLE)]).is_some()
}

/// Whether nine in ten of the sequences beyond ASCII are UTF-8, and at least ten are: a page of UTF-8 with a damaged
/// or foreign spot. No other encoding looks so by chance.
pub(super) fn mostly_utf8(body: &[u8]) -> bool {
    let (mut good, mut bad) = (0usize, 0usize);
    for chunk in body.utf8_chunks() {
        good += chunk.valid().bytes().filter(|b| *b >= 0xC0).count();
        bad += usize::from(!chunk.invalid().is_empty());
    }
    good >= 10 && bad * 9 <= good
}

/// The encoding that a body which is not UTF-8 is most likely in.
pub(super) fn detect(body: &[u8]) -> &'static Encoding {
    let start = Encoding::ascii_valid_up_to(body);
    // One byte of context, for encodings in which that byte belongs to the next.
    let sample = &body[start.saturating_sub(1)..];
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    // A sample that was cut must not count as a body that ends in the midst of a character.
    let sample = &sample[..sample.len().min(DETECT)];
    detector.feed(sample, sample.last().is_some_and(u8::is_ascii));
    let guess = detector.guess(None, Utf8Detection::Deny);
    if is_other_latin(guess) && !sample.iter().any(is_latin_letter) {
        WINDOWS_1252
    } else {
        guess
    }
}

/// Latin encodings in which signs of windows-1252 are letters: a pound sign reads as `Ł` in windows-1250. A language
/// that needs such an encoding also uses letters from the upper half of the table, so a page that has none of those
/// has signs.
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

/// Whether the byte is a letter in windows-1252 and the encodings of [`is_other_latin`] alike.
fn is_latin_letter(b: &u8) -> bool {
    matches!(b, 0x8A | 0x8C..=0x8F | 0x9A | 0x9C..=0x9F | 0xC0..)
}

/// What in a decoded text speaks against the encoding it was decoded with.
#[derive(Clone, Copy, Debug)]
pub(super) struct Flaws {
    /// Malformed sequences, and C1 control characters if there are [`CONTROLS`] of them.
    count: usize,
    /// Characters beyond ASCII.
    of: usize,
}

/// A label is doubted where more than one in this many characters beyond ASCII is flawed. A page has to be able to
/// bear some damage without being read as something else altogether.
const DOUBT: usize = 20;

/// C1 control characters from which on they count as flaws. No page means them, and letters read with the wrong one of
/// two similar encodings become them (windows-1250 as ISO-8859-2), but a few are mere litter in pages labelled right.
const CONTROLS: usize = 4;

impl Flaws {
    pub(super) fn of(text: &str) -> Self {
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
        let count = malformed + if controls >= CONTROLS { controls } else { 0 };
        let of = if count == 0 {
            0
        } else {
            bytes.iter().filter(|b| **b >= 0xC0).count()
        };
        Flaws { count, of }
    }

    pub(super) fn are_many(&self) -> bool {
        self.count * DOUBT > self.of
    }

    /// Less than a quarter of the other's.
    pub(super) fn are_far_fewer_than(&self, other: &Flaws) -> bool {
        self.count * 4 < other.count
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeros_tell_the_byte_order() {
        let le: Vec<u8> = "<p>Привет мир</p>".encode_utf16().flat_map(u16::to_le_bytes).collect();
        let be: Vec<u8> = "<p>Привет мир</p>".encode_utf16().flat_map(u16::to_be_bytes).collect();
        assert_eq!(utf16_pattern(&le), Some(UTF_16LE));
        assert_eq!(utf16_pattern(&be), Some(UTF_16BE));
        assert_eq!(utf16_pattern(b"<p>one\0zero</p>"), None);
        assert_eq!(utf16_pattern(&[0; 64]), None);
    }

    #[test]
    fn flaws_are_counted_once_a_character() {
        let flaws = Flaws::of("a\u{FFFD}é\u{85}");
        assert_eq!((flaws.count, flaws.of), (1, 3));
        let flaws = Flaws::of(&"é\u{9C}".repeat(CONTROLS));
        assert_eq!((flaws.count, flaws.of), (CONTROLS, 2 * CONTROLS));
    }

    #[test]
    fn ebcdic_is_told_from_its_letters() {
        // <html><body>hello in code page 037, three times
        let page = [0x4C, 0x88, 0xA3, 0x94, 0x93, 0x6E, 0x40, 0x88, 0x85, 0x93, 0x93, 0x96].repeat(3);
        assert!(is_ebcdic(&page));
        assert!(!is_ebcdic("<p>Grüße aus Köln".as_bytes()));
    }
}
