//! Every encoding of the Encoding standard in every place that can name it, and with a few bytes that are not text.
//!
//! The tests expect the text that browsers show: `encoding_rs` implements the standard for Firefox, so its own decoders
//! decide what a labelled page is. The exceptions are the standard's own (`meta`) or named here.

use dehusk_html::{Decoded, UnsupportedCharset, decode, looks_binary};
use encoding_rs::*;

const WESTERN: &str =
    "Une page écrite en français, où les élèves ont été reçus à Noël; même l’été fut très doux là-bas.";
const POLISH: &str = "Zażółć gęślą jaźń. Właśnie żółw błąka się wśród gęstych krzewów, śpiąc i śniąc o świcie.";
const ESPERANTO: &str = "Eĥoŝanĝo ĉiuĵaŭde: la paĝo pri la arboj kaj la hodiaŭa vetero en ĉiuj ĝardenoj.";
const BALTIC: &str = "Įlinkdama fechtuotojo špaga sublykčiojusi pragręžė apvalų arbūzą. Šiandien oras šiltas.";
const SAMI: &str = "Vuol Ruoŧa geđggiid leat máŋga luosa ja čuovžža. Otne lea šealgadis dálki.";
const WELSH: &str = "Mae'r tŵr a'r dŵr wrth y tŷ, a gŵyr y gŵr am ŷd y ddôl yn yr hâf.";
const ROMANIAN: &str = "O pagină despre copacii din grădină și vremea de mâine: înțelegeți că țara așteaptă.";
const RUSSIAN: &str = "В чащах юга жил бы цитрус? Да, но фальшивый экземпляр! Съешь ещё этих мягких булок.";
const UKRAINIAN: &str = "Жебракують філософи при ґанку церкви в Гадячі, ще й шатро їхнє п’яне знаємо. Її єдність.";
const UKRAINIAN_PLAIN: &str = "Жебракують філософи при ґанку церкви в Гадячі, ще й шатро їхнє знаємо. Її єдність.";
const GREEK: &str = "Η ιστορία της Ελλάδας είναι μεγάλη και ο καιρός αύριο θα είναι καλός στην Αθήνα.";
const HEBREW: &str = "דף על עצים בגן ועל מזג האוויר של מחר, עם מילים רבות בשפה העברית.";
const ARABIC: &str = "صفحة عن الأشجار في الحديقة وطقس الغد، وفيها كلمات كثيرة باللغة العربية.";
const TURKISH: &str = "Bahçedeki ağaçlar ve yarınki hava durumu hakkında bir sayfa; ışık şöyle güçlü, İstanbul sıcak.";
const THAI: &str = "หน้าเกี่ยวกับต้นไม้ในสวนและสภาพอากาศวันพรุ่งนี้";
const JAPANESE: &str = "庭の木々についてのページと、あしたの天気。吾輩は猫である。名前はまだ無い。";
const KOREAN: &str = "정원의 나무와 내일의 날씨에 관한 페이지입니다. 동해물과 백두산이 마르고 닳도록.";
const CHINESE: &str = "关于花园树木和明天天气的网页。天地玄黄，宇宙洪荒。我们的新闻报道。";
const TAIWANESE: &str = "關於花園樹木和明天天氣的網頁。天地玄黃，宇宙洪荒。我們的新聞報導。";

/// The encodings that a page can be written in, each with a text, and with what is found if no label names it.
///
/// The detector takes rare encodings for their common relatives. It does not know those of the Macintosh.
fn table() -> Vec<(&'static Encoding, &'static str, &'static Encoding)> {
    vec![
        (UTF_8, WESTERN, UTF_8),
        (IBM866, RUSSIAN, IBM866),
        (ISO_8859_2, POLISH, ISO_8859_2),
        (ISO_8859_3, ESPERANTO, ISO_8859_2),
        (ISO_8859_4, BALTIC, ISO_8859_2),
        (ISO_8859_5, RUSSIAN, ISO_8859_5),
        (ISO_8859_6, ARABIC, ISO_8859_6),
        (ISO_8859_7, GREEK, WINDOWS_1253),
        (ISO_8859_8, HEBREW, WINDOWS_1255),
        (ISO_8859_8_I, HEBREW, WINDOWS_1255),
        (ISO_8859_10, SAMI, ISO_8859_2),
        (ISO_8859_13, BALTIC, WINDOWS_1257),
        (ISO_8859_14, WELSH, WINDOWS_1254),
        (ISO_8859_15, "Le cœur coûte 5 €, et l'été à Noël.", WINDOWS_1252),
        (ISO_8859_16, ROMANIAN, WINDOWS_1250),
        (KOI8_R, RUSSIAN, KOI8_U),
        (KOI8_U, UKRAINIAN_PLAIN, KOI8_U),
        (MACINTOSH, WESTERN, WINDOWS_1252),
        (WINDOWS_874, THAI, WINDOWS_874),
        (WINDOWS_1250, POLISH, WINDOWS_1250),
        (WINDOWS_1251, UKRAINIAN, WINDOWS_1251),
        (WINDOWS_1252, WESTERN, WINDOWS_1252),
        (WINDOWS_1253, GREEK, WINDOWS_1253),
        (WINDOWS_1254, TURKISH, WINDOWS_1254),
        (WINDOWS_1255, HEBREW, WINDOWS_1255),
        (WINDOWS_1256, ARABIC, WINDOWS_1256),
        (WINDOWS_1257, BALTIC, WINDOWS_1257),
        (WINDOWS_1258, "Đây là trang tôi, thơ và sư.", ISO_8859_4),
        (X_MAC_CYRILLIC, RUSSIAN, WINDOWS_1251),
        (GBK, CHINESE, GBK),
        (GB18030, "关于花园树木和明天天气的网页。㐀𠀀", GBK),
        (BIG5, TAIWANESE, BIG5),
        (EUC_JP, JAPANESE, EUC_JP),
        (ISO_2022_JP, JAPANESE, ISO_2022_JP),
        (SHIFT_JIS, JAPANESE, SHIFT_JIS),
        (EUC_KR, KOREAN, EUC_KR),
    ]
}

fn encode(page: &str, encoding: &'static Encoding) -> Vec<u8> {
    let (bytes, used, lost) = encoding.encode(page);
    assert!(used == encoding && !lost, "{}: {page}", encoding.name());
    bytes.into_owned()
}

fn name(encoding: &'static Encoding) -> String {
    encoding.name().to_ascii_lowercase()
}

/// Text, encoding, source, and whether the label and some bytes were wrong.
fn summary(decoded: &Decoded<'_>) -> (String, String, &'static str, (bool, bool)) {
    let oddities = (decoded.oddities.label, decoded.oddities.invalid);
    (
        decoded.text.to_string(),
        decoded.encoding.to_owned(),
        decoded.source.name(),
        oddities,
    )
}

#[test]
fn the_table_has_every_encoding_that_a_page_can_be_written_in() {
    assert_eq!(table().len(), 36);
    // The others are UTF-16 of both orders, `replacement` and `x-user-defined`.
    for label in ["utf-16le", "utf-16be", "replacement", "x-user-defined"] {
        assert!(table().iter().all(|(encoding, ..)| name(encoding) != label));
    }
}

#[test]
fn a_label_of_the_header_is_believed() {
    for (encoding, text, _) in table() {
        let page = format!("<p>{text}</p>");
        let body = encode(&page, encoding);
        let decoded = decode(&body, Some(encoding.name())).unwrap();
        let expected = (page, name(encoding), "http", (false, false));
        assert_eq!(summary(&decoded), expected);
        assert!(!looks_binary(&body), "{}", encoding.name());
    }
}

#[test]
fn a_label_of_the_page_is_believed() {
    for (encoding, text, _) in table() {
        let page = format!("<meta charset=\"{}\"><p>{text}</p>", encoding.name());
        let body = encode(&page, encoding);
        let decoded = decode(&body, None).unwrap();
        let expected = (page, name(encoding), "meta", (false, false));
        assert_eq!(summary(&decoded), expected);
    }
}

#[test]
fn a_byte_order_mark_beats_every_label() {
    let page = format!("<p>{RUSSIAN}</p>");
    let marked: [(Vec<u8>, _); 3] = [
        ([b"\xEF\xBB\xBF", page.as_bytes()].concat(), "utf-8"),
        (
            format!("\u{FEFF}{page}")
                .encode_utf16()
                .flat_map(u16::to_le_bytes)
                .collect(),
            "utf-16le",
        ),
        (
            format!("\u{FEFF}{page}")
                .encode_utf16()
                .flat_map(u16::to_be_bytes)
                .collect(),
            "utf-16be",
        ),
    ];
    for (encoding, ..) in table() {
        for (body, marked) in &marked {
            let decoded = decode(body, Some(encoding.name())).unwrap();
            let expected = (page.clone(), (*marked).to_owned(), "bom", (false, false));
            assert_eq!(summary(&decoded), expected, "{}", encoding.name());
        }
    }
}

#[test]
fn a_page_without_a_label_is_what_the_detector_of_firefox_finds() {
    let mut differ = Vec::new();
    for (encoding, text, found) in table() {
        let page = format!("<p>{text}</p>");
        let body = encode(&page, encoding);
        let decoded = decode(&body, None).unwrap();
        if decoded.encoding != name(found) {
            differ.push(format!("{}: {}", encoding.name(), decoded.encoding));
        }
        assert_eq!(
            decoded.text,
            found.decode_without_bom_handling(&body).0,
            "{}",
            encoding.name()
        );
    }
    assert_eq!(differ, Vec::<String>::new());
}

/// Bytes that are not text in an encoding, wherever they are; `None` if every byte is.
fn broken(encoding: &'static Encoding) -> Option<&'static [u8]> {
    let candidates: [&[u8]; 7] = [b"\xFF ", b"\xA0 ", b"\x80 ", b"\xDB ", b"\xD2 ", b"\xA5 ", b"\x1B "];
    candidates
        .into_iter()
        .find(|bytes| encoding.decode_without_bom_handling(bytes).1)
}

#[test]
fn a_few_broken_bytes_do_not_change_the_encoding() {
    let mut whole = 0;
    for (encoding, text, _) in table() {
        let Some(bytes) = broken(encoding) else {
            whole += 1;
            continue;
        };
        let half = |label: bool| {
            if label {
                encode(&format!("<meta charset={}><p>{text} {text}", encoding.name()), encoding)
            } else {
                encode(&format!("<p>{text} {text}"), encoding)
            }
        };
        for (is_labelled, label, source) in [(false, Some(encoding.name()), "http"), (true, None, "meta")] {
            let body = [&half(is_labelled)[..], bytes, &half(false)].concat();
            let decoded = decode(&body, label).unwrap();
            let shown = encoding.decode_without_bom_handling(&body).0.into_owned();
            assert!(shown.contains('\u{FFFD}'));
            assert_eq!(summary(&decoded), (shown, name(encoding), source, (false, true)));
        }
    }
    // The others have a character for every byte.
    assert_eq!(whole, 19);
}

#[test]
fn a_page_declared_as_utf_8_stays_utf_8_despite_a_few_broken_sequences() {
    // Few characters outside ASCII, and many.
    for text in ["<p>The caf\u{e9} is open \u{2014} today.", WESTERN, JAPANESE] {
        for broken in [
            &b"\xED\xA0\xBD\xED\xB8\x80"[..], // CESU-8
            b"\xE2\x82 ",                     // cut
            b"\xF0\x9F\x98 ",                 // cut
            b"\xF8\x88\x80\x80\x80",          // five bytes
            b"\xFC\x84\x80\x80\x80\x80",      // six bytes
            b"\xC0\xAF",                      // overlong
            b"\xF4\x90\x80\x80",              // beyond the last character
            b"\xFF",
            b"\x80",
            b"\xE9 ", // windows-1252
        ] {
            let body = [text.as_bytes(), broken, text.as_bytes()].concat();
            for label in ["utf-8", "UTF8"] {
                let decoded = decode(&body, Some(label)).unwrap();
                let shown = String::from_utf8_lossy(&body).into_owned();
                assert_eq!(
                    summary(&decoded),
                    (shown, "utf-8".to_owned(), "http", (false, true)),
                    "{broken:?}"
                );
            }
            let page = [b"<meta charset=utf-8>", &body[..]].concat();
            let decoded = decode(&page, None).unwrap();
            assert_eq!(
                (decoded.encoding, decoded.source.name(), decoded.oddities.label),
                ("utf-8", "meta", false)
            );
        }
    }
    // Sequences alone are enough, even if not one is valid.
    let decoded = decode(b"<p>A smile: \xED\xA0\xBD\xED\xB8\x80", Some("utf-8")).unwrap();
    assert_eq!(decoded.text, format!("<p>A smile: {}", "\u{FFFD}".repeat(6)));
    // Without one, the label is wrong.
    let decoded = decode(b"<p>It costs \xA35 or \xA36.", Some("utf-8")).unwrap();
    assert_eq!(
        summary(&decoded),
        (
            "<p>It costs £5 or £6.".into(),
            "windows-1252".into(),
            "detected",
            (true, false)
        )
    );
}

#[test]
fn a_page_wrongly_declared_as_utf_8_is_still_detected() {
    for (encoding, text, found) in table() {
        // As the detector reads the text of a Macintosh, it has as many flaws.
        if matches!(encoding.name(), "UTF-8" | "ISO-2022-JP" | "macintosh") {
            continue;
        }
        let body = encode(&format!("<p>{text}</p>"), encoding);
        let decoded = decode(&body, Some("utf-8")).unwrap();
        assert_eq!(decoded.encoding, name(found), "{}", encoding.name());
        assert!(decoded.oddities.label);
    }
}

#[test]
fn utf_16_is_read_where_its_bytes_show_it_with_any_label() {
    let page = format!("<html><head><title>x</title></head><p>{RUSSIAN}</p>");
    let little: Vec<u8> = page.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let big: Vec<u8> = page.encode_utf16().flat_map(u16::to_be_bytes).collect();
    for label in [None, Some("utf-16"), Some("utf-16le"), Some("utf-16be")] {
        for (body, encoding) in [(&little, "utf-16le"), (&big, "utf-16be")] {
            let decoded = decode(body, label).unwrap();
            assert_eq!(
                summary(&decoded),
                (page.clone(), encoding.to_owned(), "detected", (false, false))
            );
            // A cut character, and half a surrogate pair.
            let mut broken = body.clone();
            broken.extend(if encoding == "utf-16le" {
                [0x00, 0xD8]
            } else {
                [0xD8, 0x00]
            });
            broken.push(b'x');
            let decoded = decode(&broken, label).unwrap();
            assert!(decoded.text.starts_with(&page) && decoded.text[page.len()..].contains('\u{FFFD}'));
            assert!(decoded.oddities.invalid);
        }
    }
}

#[test]
fn utf_32_is_no_utf_16() {
    for text in ["<p>Hello", "<html><head><title>x</title></head><p>В чащах юга</p>"] {
        for mark in ["", "\u{FEFF}"] {
            for to_bytes in [u32::to_le_bytes, u32::to_be_bytes] {
                let body: Vec<u8> = mark
                    .chars()
                    .chain(text.chars())
                    .flat_map(|c| to_bytes(c.into()))
                    .collect();
                assert!(!looks_binary(&body));
                for label in [None, Some("utf-32"), Some("utf-16"), Some("utf-8")] {
                    assert_eq!(
                        decode(&body, label).unwrap_err(),
                        UnsupportedCharset,
                        "{mark:?} {label:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn encodings_that_the_standard_replaces_never_show_their_escapes() {
    let hz = b"<p>A page: ~{<:Ky2;Sj~} and ~{VPND~}.</p>";
    let korean = b"\x1B$)C<p>\x0EGQ1[\x0F and \x0EGQ1[\x0F</p>";
    let chinese = b"\x1B$)A<p>\x0E;6VP\x0F and \x0EVPND\x0F</p>";
    for body in [&hz[..], korean, chinese] {
        assert!(!looks_binary(body));
        // Nor do they if a byte is broken.
        let broken = [body, b"\xFF"].concat();
        for body in [body, &broken] {
            for label in [
                None,
                Some("hz-gb-2312"),
                Some("iso-2022-kr"),
                Some("iso-2022-cn"),
                Some("csiso2022kr"),
                Some("replacement"),
            ] {
                assert_eq!(decode(body, label).unwrap_err(), UnsupportedCharset, "{label:?}");
            }
        }
        assert_eq!(decode(body, Some("utf-8")).unwrap_err(), UnsupportedCharset);
    }
    // The labels alone replace nothing.
    let decoded = decode(b"<p>plain", Some("iso-2022-kr")).unwrap();
    assert_eq!(
        summary(&decoded),
        ("<p>plain".into(), "utf-8".into(), "utf8", (true, false))
    );
}

#[test]
fn iso_2022_jp_without_a_label_survives_broken_bytes() {
    let good = encode(&format!("<p>{JAPANESE}</p>"), ISO_2022_JP);
    for broken in [&b"\xFF"[..], b"\x1B$x"] {
        let body = [&good[..], broken, &good].concat();
        let decoded = decode(&body, None).unwrap();
        let shown = ISO_2022_JP.decode_without_bom_handling(&body).0.into_owned();
        assert_eq!(
            summary(&decoded),
            (shown, "iso-2022-jp".into(), "detected", (false, true))
        );
    }
}

#[test]
fn utf_7_is_refused_with_a_broken_byte_too() {
    assert_eq!(
        decode(b"<p>+AGEAYgBj- \xFF", Some("utf-7")).unwrap_err(),
        UnsupportedCharset
    );
}
