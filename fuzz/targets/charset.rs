//! Charsets: bytes to text, under the label that the first line of the input gives.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let end = bytes.iter().position(|b| *b == b'\n').unwrap_or(bytes.len());
    let label = std::str::from_utf8(&bytes[..end]).ok().filter(|l| !l.is_empty());
    let body = bytes.get(end + 1..).unwrap_or_default();
    let _ = (dehusk_html::looks_binary(body), dehusk_html::prescan(body));
    let Ok(decoded) = dehusk_html::decode(body, label) else {
        return;
    };
    assert!(
        decoded.text.len() <= 3 * body.len() + 3,
        "a byte gives at most one character, of three bytes"
    );
    if let ("utf-8", Ok(text)) = (decoded.encoding, std::str::from_utf8(body)) {
        let unmarked = text.strip_prefix('\u{feff}').unwrap_or(text);
        assert_eq!(decoded.text, unmarked, "valid UTF-8 is taken as it is");
    }
});
