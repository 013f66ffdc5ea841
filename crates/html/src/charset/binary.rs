//! Detects bodies that are labelled as pages but hold binary data.

use super::detect::{SevenBit, is_utf32, seven_bit, utf16_pattern};

/// Number of bytes at the start of a body that are examined.
const SAMPLE: usize = 1024;

/// Magic numbers of formats that crawlers find under an HTML label (MIME Sniffing standard, section 6, and `file(1)`).
/// No page can start with any of them.
const MAGICS: [&[u8]; 34] = [
    b"%PDF-",
    b"%!PS-Adobe",
    b"PK\x03\x04",
    b"PK\x05\x06",
    b"\x89PNG\r\n\x1A\n",
    b"\xFF\xD8\xFF",
    b"GIF87a",
    b"GIF89a",
    b"\x1F\x8B\x08",
    b"\x28\xB5\x2F\xFD",
    b"BZh9",
    b"\xFD7zXZ\0",
    b"7z\xBC\xAF\x27\x1C",
    b"Rar!\x1A\x07",
    b"\x7FELF",
    b"\xCA\xFE\xBA\xBE",
    b"\xFE\xED\xFA\xCE",
    b"\xCF\xFA\xED\xFE",
    b"\0asm",
    b"OggS\0",
    b"ID3\x02",
    b"ID3\x03",
    b"ID3\x04",
    b"fLaC\0",
    b"FLV\x01",
    b"FWS\x08",
    b"CWS\x08",
    b"CWS\x09",
    b"\x1A\x45\xDF\xA3",
    b"\0\0\x01\0\x01\0",
    b"wOFF",
    b"wOF2",
    b"II*\0",
    b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1",
];

/// Whether a body is binary data.
///
/// It is if it starts with the magic number of a binary format. It also is if more than one in twenty of its first 1024
/// bytes is a control byte that text never has, and it is not UTF-16. Pages in UTF-32, ISO-2022-KR and ISO-2022-CN have
/// such bytes, too; they are no binary data, though nothing here decodes them.
pub fn looks_binary(body: &[u8]) -> bool {
    let sample = &body[..body.len().min(SAMPLE)];
    if sample.starts_with(b"\xFF\xFE") || sample.starts_with(b"\xFE\xFF") {
        return false;
    }
    if MAGICS.iter().any(|magic| sample.starts_with(magic)) || is_container(sample) {
        return true;
    }
    // ISO-2022-JP uses 0x1B to switch character sets; the other allowed bytes are white space.
    let control = |b: &&u8| matches!(b, 0..=8 | 0x0B | 0x0E..=0x1A | 0x1C..=0x1F);
    let controls = sample.iter().filter(control).count();
    // At least two, so that a stray zero does not condemn a short page.
    controls >= 2
        && controls * 20 > sample.len()
        && utf16_pattern(sample).is_none()
        && !is_utf32(sample)
        && seven_bit(sample, false) != SevenBit::Unsupported
}

/// Formats whose magic number is not the first bytes: MP4 and its relatives, RIFF (WebP, AVI, WAVE), bitmaps, tar.
fn is_container(sample: &[u8]) -> bool {
    let at = |offset: usize, magic: &[u8]| sample.get(offset..offset + magic.len()) == Some(magic);
    let mp4 = at(4, b"ftyp") && at(0, b"\0");
    let riff = at(0, b"RIFF") && [&b"WEBP"[..], b"AVI ", b"WAVE"].iter().any(|kind| at(8, kind));
    let bitmap = at(0, b"BM") && at(6, b"\0\0\0\0");
    mp4 || riff || bitmap || at(257, b"ustar")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn magic_numbers_are_binary() {
        for body in [
            &b"%PDF-1.4\n"[..],
            b"PK\x03\x04",
            b"\x89PNG\r\n\x1A\n",
            b"\0\0\0\x20ftypisom",
            b"RIFF\0\0\0\0WEBPVP8 ",
        ] {
            assert!(looks_binary(body), "{body:?}");
        }
    }

    #[test]
    fn text_is_not_binary() {
        let utf16: Vec<u8> = "<html>hello".encode_utf16().flat_map(u16::to_le_bytes).collect();
        for body in [
            &b"<html>\0</html>"[..],
            b"",
            b"plain",
            b"\x1B$BABC\x1B(B",
            &utf16,
            "Привет".as_bytes(),
        ] {
            assert!(!looks_binary(body), "{body:?}");
        }
    }

    #[test]
    fn control_bytes_are_binary() {
        let noise: Vec<u8> = (0..=255).cycle().take(2048).collect();
        assert!(looks_binary(&noise));
    }
}
