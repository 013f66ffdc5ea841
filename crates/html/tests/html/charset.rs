//! Decoding: the order of the standard, and every known fault of real pages.

use dehusk_html::{CharsetSource, Decoded, Oddities, UnsupportedCharset, decode, looks_binary};
use encoding_rs::Encoding;
use proptest::prelude::*;
use std::borrow::Cow;

const RUSSIAN: &str =
    "<p>В чащах юга жил бы цитрус? Да, но фальшивый экземпляр! Съешь ещё этих мягких французских булок.</p>";
const POLISH: &str = "<p>Zażółć gęślą jaźń. Właśnie żółw błąka się wśród gęstych krzewów, śpiąc i śniąc o świcie.</p>";
const JAPANESE: &str = "<p>吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。</p>";
const CHINESE: &str = "<p>天地玄黄，宇宙洪荒。日月盈昃，辰宿列张。寒来暑往，秋收冬藏。</p>";

/// The oddities by name.
fn names(oddities: Oddities) -> String {
    let label = oddities.label.then_some("charset_label");
    let invalid = oddities.invalid.then_some("invalid_text");
    Vec::from_iter(label.into_iter().chain(invalid)).join(" ")
}

/// Text, encoding, source and oddities, to compare all at once.
fn summary<'d>(decoded: &'d Decoded<'_>) -> (&'d str, &'d str, &'d str, String) {
    (
        &decoded.text,
        decoded.encoding,
        decoded.source.name(),
        names(decoded.oddities),
    )
}

fn check(body: &[u8], label: Option<&str>, text: &str, encoding: &str, source: &str, notes: &str) {
    let decoded = decode(body, label).unwrap();
    assert_eq!(summary(&decoded), (text, encoding, source, notes.to_string()));
}

fn encoded(text: &str, label: &str) -> Vec<u8> {
    Encoding::for_label(label.as_bytes())
        .unwrap()
        .encode(text)
        .0
        .into_owned()
}

fn utf16(text: &str, to_bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
    text.encode_utf16().flat_map(to_bytes).collect()
}

// The order of the standard

#[test]
fn a_byte_order_mark_beats_header_and_meta() {
    let page = "<meta charset=gbk>é";
    check(
        format!("\u{FEFF}{page}").as_bytes(),
        Some("big5"),
        page,
        "utf-8",
        "bom",
        "",
    );
    let marked = utf16(&format!("\u{FEFF}{page}"), u16::to_le_bytes);
    check(&marked, Some("big5"), page, "utf-16le", "bom", "");
    let marked = utf16(&format!("\u{FEFF}{page}"), u16::to_be_bytes);
    check(&marked, Some("utf-8"), page, "utf-16be", "bom", "");
}

#[test]
fn the_header_beats_meta() {
    let page = format!("<meta charset=shift_jis>{RUSSIAN}");
    check(&encoded(&page, "koi8-r"), Some("koi8-r"), &page, "koi8-r", "http", "");
}

#[test]
fn meta_counts_where_the_header_is_silent() {
    let page = format!("<meta charset=windows-1251>{RUSSIAN}");
    check(&encoded(&page, "windows-1251"), None, &page, "windows-1251", "meta", "");
}

#[test]
fn a_meta_after_long_scripts_counts() {
    let page = format!("<script>{}</script><meta charset=koi8-r>{RUSSIAN}", "x".repeat(8000));
    check(&encoded(&page, "koi8-r"), None, &page, "koi8-r", "meta", "");
}

#[test]
fn the_xml_declaration_counts_if_there_is_no_meta() {
    let page = format!("<?xml version='1.0' encoding='ISO-8859-2'?>{POLISH}");
    check(&encoded(&page, "iso-8859-2"), None, &page, "iso-8859-2", "meta", "");
}

#[test]
fn a_page_without_a_label_is_detected() {
    for (page, label) in [
        (RUSSIAN, "windows-1251"),
        (RUSSIAN, "koi8-u"),
        (CHINESE, "gbk"),
        (JAPANESE, "shift_jis"),
        (JAPANESE, "euc-jp"),
    ] {
        check(&encoded(page, label), None, page, label, "detected", "");
    }
}

#[test]
fn a_pound_sign_alone_is_not_polish() {
    check(
        b"<p>It costs \xA35 or \xA36.</p>",
        None,
        "<p>It costs £5 or £6.</p>",
        "windows-1252",
        "detected",
        "",
    );
}

// Wrong labels

#[test]
fn an_unknown_label_is_ignored() {
    check(
        &encoded(RUSSIAN, "koi8-u"),
        Some("klingon"),
        RUSSIAN,
        "koi8-u",
        "detected",
        "charset_label",
    );
    let page = format!("<meta charset=koi8-r>{RUSSIAN}");
    check(
        &encoded(&page, "koi8-r"),
        Some("klingon"),
        &page,
        "koi8-r",
        "meta",
        "charset_label",
    );
}

#[test]
fn valid_utf8_beats_a_wrong_label() {
    for label in [
        "iso-8859-1",
        "windows-1251",
        "gbk",
        "hz-gb-2312",
        "utf-16",
        "utf-7",
        "ibm037",
        "klingon",
    ] {
        check(
            RUSSIAN.as_bytes(),
            Some(label),
            RUSSIAN,
            "utf-8",
            "utf8",
            "charset_label",
        );
    }
}

#[test]
fn valid_utf8_without_a_label_is_utf8() {
    check(RUSSIAN.as_bytes(), None, RUSSIAN, "utf-8", "utf8", "");
}

#[test]
fn utf8_with_its_label_is_borrowed() {
    let decoded = decode(RUSSIAN.as_bytes(), Some("UTF-8")).unwrap();
    assert!(matches!(decoded.text, Cow::Borrowed(_)));
    assert_eq!(
        (decoded.source, decoded.oddities == Oddities::default()),
        (CharsetSource::Http, true)
    );
}

#[test]
fn ascii_keeps_its_label() {
    check(b"<p>plain", Some("iso-8859-1"), "<p>plain", "windows-1252", "http", "");
    check(b"<p>plain", None, "<p>plain", "utf-8", "utf8", "");
}

#[test]
fn gb2312_means_gbk() {
    // The euro sign and 镕 are in GBK and not in GB 2312.
    let page = format!("{CHINESE}朱镕基");
    check(&encoded(&page, "gbk"), Some("gb2312"), &page, "gbk", "http", "");
}

#[test]
fn a_label_that_malforms_the_page_loses_to_detection() {
    for label in ["utf-8", "gbk", "euc-jp"] {
        check(
            &encoded(RUSSIAN, "windows-1251"),
            Some(label),
            RUSSIAN,
            "windows-1251",
            "detected",
            "charset_label",
        );
    }
}

#[test]
fn windows_1250_under_the_label_of_iso_8859_2_is_found() {
    check(
        &encoded(POLISH, "windows-1250"),
        Some("iso-8859-2"),
        POLISH,
        "windows-1250",
        "detected",
        "charset_label",
    );
}

#[test]
fn a_damaged_spot_does_not_change_the_encoding() {
    let mut body = encoded(&JAPANESE.repeat(5), "shift_jis");
    body.extend_from_slice(b"\xFF<p>");
    let decoded = decode(&body, Some("shift_jis")).unwrap();
    assert_eq!(
        (decoded.encoding, names(decoded.oddities)),
        ("shift_jis", "invalid_text".to_string())
    );
}

#[test]
fn utf8_with_a_damaged_spot_beats_a_wrong_label() {
    let body = [RUSSIAN.as_bytes(), b"\xFF", RUSSIAN.as_bytes()].concat();
    for label in [None, Some("klingon"), Some("shift_jis")] {
        let decoded = decode(&body, label).unwrap();
        assert_eq!(
            (decoded.encoding, decoded.source),
            ("utf-8", CharsetSource::Utf8),
            "{label:?}"
        );
        assert_eq!(decoded.text, format!("{RUSSIAN}\u{FFFD}{RUSSIAN}"));
    }
}

// UTF-16

#[test]
fn utf16_without_a_mark_is_detected_by_its_zeros() {
    let page = format!("<html><head><title>x</title></head>{RUSSIAN}");
    for label in [None, Some("utf-16")] {
        check(
            &utf16(&page, u16::to_le_bytes),
            label,
            &page,
            "utf-16le",
            "detected",
            "",
        );
        check(
            &utf16(&page, u16::to_be_bytes),
            label,
            &page,
            "utf-16be",
            "detected",
            "",
        );
    }
}

#[test]
fn utf16_in_a_meta_of_ascii_means_utf8() {
    let page = "<meta charset=utf-16><p>naïve";
    check(page.as_bytes(), None, page, "utf-8", "utf8", "charset_label");
}

#[test]
fn user_defined_means_windows_1252() {
    check(
        b"<meta charset=x-user-defined>caf\xE9 au lait",
        None,
        "<meta charset=x-user-defined>café au lait",
        "windows-1252",
        "meta",
        "",
    );
}

// Encodings that are not decoded

#[test]
fn utf7_is_refused() {
    assert_eq!(
        decode(b"<p>Hi Mom +Jjo--+AGEA-!", Some("utf-7")).unwrap_err(),
        UnsupportedCharset
    );
    assert_eq!(
        decode(b"<meta charset=utf-7>+ADw-p+AD4-", None).unwrap_err(),
        UnsupportedCharset
    );
}

#[test]
fn a_utf7_label_over_plain_ascii_is_ignored() {
    check(b"<p>1 + 1", Some("utf-7"), "<p>1 + 1", "utf-8", "utf8", "charset_label");
}

#[test]
fn ebcdic_is_refused_with_and_without_its_label() {
    // <html>hello world</html> in code page 037
    let body = [
        0x4C, 0x88, 0xA3, 0x94, 0x93, 0x6E, 0x88, 0x85, 0x93, 0x93, 0x96, 0x40, 0xA6, 0x96, 0x99, 0x93, 0x84, 0x4C,
        0x61, 0x88, 0xA3, 0x94, 0x93, 0x6E,
    ];
    for label in [None, Some("ibm037"), Some("cp1047"), Some("x-EBCDIC-KoreanExtended")] {
        assert_eq!(decode(&body, label).unwrap_err(), UnsupportedCharset, "{label:?}");
    }
}

#[test]
fn an_ebcdic_label_over_ascii_is_ignored() {
    check(
        b"<p>plain",
        Some("ibm500"),
        "<p>plain",
        "utf-8",
        "utf8",
        "charset_label",
    );
}

#[test]
fn a_page_with_a_forbidden_label_is_detected() {
    check(
        &encoded(CHINESE, "gbk"),
        Some("hz-gb-2312"),
        CHINESE,
        "gbk",
        "detected",
        "charset_label",
    );
}

// Seven-bit and multi-byte encodings

#[test]
fn iso_2022_jp_is_decoded_though_its_bytes_are_ascii() {
    let body = encoded(JAPANESE, "iso-2022-jp");
    assert!(body.is_ascii());
    check(&body, Some("iso-2022-jp"), JAPANESE, "iso-2022-jp", "http", "");
    check(&body, None, JAPANESE, "iso-2022-jp", "detected", "");
    check(
        &body,
        Some("utf-8"),
        JAPANESE,
        "iso-2022-jp",
        "detected",
        "charset_label",
    );
}

#[test]
fn multi_byte_encodings_are_decoded() {
    for (page, label) in [
        (JAPANESE, "shift_jis"),
        (JAPANESE, "euc-jp"),
        (CHINESE, "gb18030"),
        ("<p>天地玄黃，宇宙洪荒。</p>", "big5"),
        ("<p>동해물과 백두산이</p>", "euc-kr"),
    ] {
        check(&encoded(page, label), Some(label), page, label, "http", "");
    }
}

#[test]
fn gb18030_four_byte_characters_are_decoded() {
    let page = "<p>𠀀 ḿ ö</p>";
    check(&encoded(page, "gb18030"), Some("gb18030"), page, "gb18030", "http", "");
}

// Malformed text

#[test]
fn lone_surrogates_become_replacement_characters() {
    let body = [
        utf16("<html><p>text", u16::to_le_bytes),
        vec![0x00, 0xD8],
        utf16("</p>", u16::to_le_bytes),
    ]
    .concat();
    check(
        &body,
        None,
        "<html><p>text\u{FFFD}</p>",
        "utf-16le",
        "detected",
        "invalid_text",
    );
    let decoded = decode(b"<p>\xED\xA0\x80 text", Some("utf-8")).unwrap();
    assert!(!decoded.text.is_empty());
}

#[test]
fn a_cut_tail_becomes_one_replacement_character() {
    let body = "<p>naïve café €".as_bytes();
    check(
        &body[..body.len() - 1],
        Some("utf-8"),
        "<p>naïve café \u{FFFD}",
        "utf-8",
        "http",
        "invalid_text",
    );
    check(
        &body[..body.len() - 2],
        None,
        "<p>naïve café \u{FFFD}",
        "utf-8",
        "utf8",
        "invalid_text",
    );
}

#[test]
fn a_cut_tail_of_a_multi_byte_encoding_keeps_the_encoding() {
    let mut body = encoded(&CHINESE.replace("</p>", ""), "gbk");
    body.pop();
    let decoded = decode(&body, Some("gbk")).unwrap();
    assert_eq!(
        (decoded.encoding, names(decoded.oddities)),
        ("gbk", "invalid_text".to_string())
    );
}

#[test]
fn an_empty_body_is_empty_text() {
    check(b"", None, "", "utf-8", "utf8", "");
}

// Binary data

#[test]
fn binary_data_are_recognized() {
    for body in [
        &b"%PDF-1.7\n%\xE2\xE3"[..],
        b"PK\x03\x04\x14\0",
        b"\x89PNG\r\n\x1A\n\0\0\0\rIHDR",
        b"\xFF\xD8\xFF\xE0\0\x10JFIF",
        b"GIF89a\x01\0\x01\0",
        b"\x1F\x8B\x08\0\0\0\0\0",
        b"\x7FELF\x02\x01\x01\0",
        b"\0\0\0\x18ftypmp42",
        &[0; 500],
    ] {
        assert!(looks_binary(body), "{body:?}");
    }
}

#[test]
fn pages_of_every_encoding_are_not_binary() {
    for label in ["utf-8", "shift_jis", "gbk", "iso-2022-jp", "koi8-r"] {
        assert!(!looks_binary(&encoded(JAPANESE, label)), "{label}");
    }
    assert!(!looks_binary(&utf16(RUSSIAN, u16::to_le_bytes)));
    assert!(!looks_binary(&utf16(&format!("\u{FEFF}{RUSSIAN}"), u16::to_be_bytes)));
    assert!(!looks_binary(b"<p>a\0b</p>"));
}

// Properties

proptest! {
    #[test]
    fn utf8_comes_back_borrowed(
        text in "\\PC{0,200}",
        label in proptest::sample::select(vec![None, Some("utf-8"), Some("latin1"), Some("gbk")]),
    ) {
        prop_assume!(!text.is_ascii());
        let decoded = decode(text.as_bytes(), label).unwrap();
        prop_assert_eq!(&decoded.text, text.strip_prefix('\u{FEFF}').unwrap_or(&text));
        prop_assert!(matches!(decoded.text, Cow::Borrowed(_)));
    }

    #[test]
    fn any_bytes_under_any_label_do_not_panic(
        start in proptest::sample::select(vec![&b""[..], b"\xFF\xFE", b"\xEF\xBB\xBF", b"<meta charset=", b"<?xml \
            encoding=\"", b"<!--", b"\x1B$B"]),
        body in proptest::collection::vec(any::<u8>(), 0..1500),
        label in proptest::option::of("[ -~]{0,12}|utf-8|utf-16|gbk|shift_jis|iso-2022-jp|utf-7|hz-gb-2312|latin2"),
    ) {
        let body = [start, &body].concat();
        let _ = decode(&body, label.as_deref());
        looks_binary(&body);
    }

    #[test]
    fn replacements_are_reported(body in proptest::collection::vec(any::<u8>(), 0..300)) {
        if let Ok(decoded) = decode(&body, Some("utf-8")) {
            let noted = decoded.oddities.invalid;
            let replaced = decoded.text.contains('\u{FFFD}');
            prop_assert!(!noted || replaced);
            let is_written = body.windows(3).any(|w| w == [0xEF, 0xBF, 0xBD]) || body.contains(&0xFD);
            prop_assert!(noted || !replaced || is_written);
        }
    }
}
