//! Damaged and odd character encodings of pages: each test is one fault, with its outcome in a run.

use crate::archives::make::response;
use crate::program::{Run, run_one};

const RUSSIAN: &str = "Страница о том, как растут деревья в саду, и о погоде на завтра.";
const FRENCH: &str = "Une page écrite en français, où les élèves ont été reçus à Noël.";

/// A page with this text in these bytes, under a label, if any.
fn page(id: &str, label: &str, body: &[u8]) -> Vec<u8> {
    let charset = if label.is_empty() {
        String::new()
    } else {
        format!("; charset={label}")
    };
    response(id, &format!("Content-Type: text/html{charset}\r\n"), body)
}

fn encoded(text: &str, label: &str) -> Vec<u8> {
    let encoding = encoding_rs::Encoding::for_label(label.as_bytes()).unwrap();
    let html = format!("<p>{text}</p>");
    let (bytes, _, lost) = encoding.encode(&html);
    assert!(!lost);
    bytes.into_owned()
}

fn utf16(text: &str, mark: bool) -> Vec<u8> {
    let mark = if mark { "\u{feff}" } else { "" };
    format!("{mark}<p>{text}</p>")
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect()
}

#[track_caller]
fn assert_charset(run: &Run, id: &str, charset: &str, source: &str) {
    let metadata = &run.document(id)["metadata"];
    assert_eq!(
        (&metadata["charset"], &metadata["charset_source"]),
        (&charset.into(), &source.into()),
        "{id}"
    );
}

#[test]
fn a_byte_order_mark_beats_the_header_and_the_header_beats_meta() {
    let meta = |label: &str| format!("<meta charset={label}>").into_bytes();
    let marked = [b"\xef\xbb\xbf", &meta("koi8-r")[..], RUSSIAN.as_bytes()].concat();
    let headed = [meta("utf-8"), encoded(RUSSIAN, "windows-1251")].concat();
    let silent = [meta("windows-1251"), encoded(RUSSIAN, "windows-1251")].concat();
    let records = [
        page("mark", "windows-1251", &marked),
        page("header", "windows-1251", &headed),
        page("meta", "", &silent),
    ];
    let run = run_one("a.warc", &records.concat()).ends_with(0);
    for (id, charset, source) in [
        ("mark", "utf-8", "bom"),
        ("header", "windows-1251", "http"),
        ("meta", "windows-1251", "meta"),
    ] {
        assert_charset(&run, id, charset, source);
        assert_eq!(run.document(id)["text"], RUSSIAN);
    }
}

#[test]
fn a_page_with_an_unknown_charset_label_is_sniffed() {
    let run = run_one("a.warc", &page("x", "x-unheard-of", &encoded(RUSSIAN, "windows-1251"))).ends_with(0);
    run.gives("x", RUSSIAN, "charset_label");
    assert_charset(&run, "x", "windows-1251", "detected");
}

#[test]
fn valid_utf_8_beats_the_label_latin_1() {
    let run = run_one("a.warc", &page("x", "iso-8859-1", &encoded(FRENCH, "utf-8"))).ends_with(0);
    run.gives("x", FRENCH, "charset_label");
    assert_eq!(run.document("x")["metadata"]["charset"], "utf-8");
    assert_eq!(run.total("notes.charset_label"), 1);
}

#[test]
fn utf_16_without_a_mark_is_recognised_and_ascii_bytes_are_never_utf_16() {
    let records = [
        page("bare", "", &utf16(FRENCH, false)),
        page("marked", "", &utf16(FRENCH, true)),
        page("ascii", "", format!("<meta charset=utf-16>{}", FRENCH).as_bytes()),
    ];
    let run = run_one("a.warc", &records.concat()).ends_with(0);
    for (id, charset) in [("bare", "utf-16le"), ("marked", "utf-16le"), ("ascii", "utf-8")] {
        assert_eq!(run.document(id)["text"], FRENCH, "{id}");
        assert_eq!(run.document(id)["metadata"]["charset"], charset, "{id}");
    }
}

#[test]
fn utf_7_and_ebcdic_are_not_decoded() {
    // “<p>hello world, hello world” in code page 037.
    let ebcdic: Vec<u8> = "<p>hello world, hello world"
        .bytes()
        .map(|b| match b {
            b'<' => 0x4c,
            b'>' => 0x6e,
            b' ' => 0x40,
            b',' => 0x6b,
            b'a'..=b'i' => b - b'a' + 0x81,
            b'j'..=b'r' => b - b'j' + 0x91,
            _ => b - b's' + 0xa2,
        })
        .collect();
    let records = [
        page("utf7", "utf-7", b"<p>+AGEAYgBj-"),
        page("ebcdic", "ibm037", &ebcdic),
    ];
    let run = run_one("a.warc", &records.concat()).ends_with(3);
    assert_eq!((run.total("emitted"), run.total("failed.charset_unsupported")), (0, 2));
}

#[test]
fn utf_32_is_not_taken_for_utf_16() {
    let utf32 = |text: &str, to_bytes: fn(u32) -> [u8; 4]| -> Vec<u8> {
        text.chars().flat_map(|c| to_bytes(c.into())).collect()
    };
    let html = format!("<p>{FRENCH}</p>");
    let marked = format!("\u{feff}{html}");
    let records = [
        page("le", "", &utf32(&marked, u32::to_le_bytes)),
        page("be", "", &utf32(&marked, u32::to_be_bytes)),
        page("bare", "", &utf32(&html, u32::to_le_bytes)),
        page("labelled", "utf-32be", &utf32(&html, u32::to_be_bytes)),
    ];
    let run = run_one("a.warc", &records.concat()).ends_with(3);
    assert_eq!((run.total("emitted"), run.total("failed.charset_unsupported")), (0, 4));
}

#[test]
fn encodings_that_the_standard_replaces_are_not_shown_as_escapes() {
    // “Chinese page” in HZ, “Korean” in ISO-2022-KR, and the former in ISO-2022-CN.
    let pages: [(&str, &[u8]); 3] = [
        ("hz-gb-2312", b"<p>A page: ~{VPNDMxR3~} and ~{VPND~}.</p>"),
        ("iso-2022-kr", b"\x1b$)C<p>\x0eGQ1[\x0f and \x0eGQ1[\x0f</p>"),
        ("iso-2022-cn", b"\x1b$)A<p>\x0eVPNDMxR3\x0f and \x0eVPND\x0f</p>"),
    ];
    let mut records = Vec::new();
    for (label, body) in pages {
        let meta = [format!("<meta charset={label}>").as_bytes(), body].concat();
        for (place, label, body) in [("http", label, body), ("meta", "", &meta), ("none", "", body)] {
            records.extend(page(&format!("{place}-{label}"), label, body));
        }
    }
    let run = run_one("a.warc", &records).ends_with(3);
    assert_eq!((run.total("emitted"), run.total("failed.charset_unsupported")), (0, 9));
}

#[test]
fn a_page_declared_as_utf_8_stays_utf_8_with_a_few_broken_sequences() {
    let text = "The caf\u{e9} is open today.";
    let broken: [(&str, &[u8], usize); 4] = [
        ("cesu-8", b"\xed\xa0\xbd\xed\xb8\x80", 6),
        ("cut", b"\xe2\x82", 1),
        ("five", b"\xf8\x88\x80\x80\x80", 5),
        ("latin-1", b"\xe9", 1),
    ];
    let mut records = Vec::new();
    for (id, bytes, _) in broken {
        let body = [
            b"<meta charset=utf-8><p>",
            text.as_bytes(),
            b" ",
            bytes,
            b" ",
            text.as_bytes(),
        ]
        .concat();
        records.extend(page(id, "", &body));
        records.extend(page(&format!("{id}-http"), "utf-8", &body));
    }
    let run = run_one("a.warc", &records).ends_with(0);
    for (id, _, replaced) in broken {
        let shown = format!("{text} {} {text}", "\u{fffd}".repeat(replaced));
        run.gives(id, &shown, "invalid_text");
        run.gives(&format!("{id}-http"), &shown, "invalid_text");
        assert_charset(&run, id, "utf-8", "meta");
    }
}

#[test]
fn lone_surrogates_and_cut_characters_become_replacement_characters() {
    let mut lone = utf16("a b", true);
    lone[10..12].copy_from_slice(&0xd800u16.to_le_bytes());
    let cut = "<p>Une page coupée au milieu d’un caractère: \u{e9}".as_bytes();
    let records = [
        page("lone", "", &lone),
        page("cut", "utf-8", &cut[..cut.len() - 1]),
        page(
            "surrogate",
            "utf-8",
            &[RUSSIAN.as_bytes(), b" \xed\xa0\x80 ", RUSSIAN.as_bytes()].concat(),
        ),
    ];
    // That the shard's lines are JSON is checked wherever they are read.
    let run = run_one("a.warc", &records.concat()).ends_with(0);
    for id in ["lone", "cut", "surrogate"] {
        let document = run.document(id);
        assert!(
            document["text"].as_str().unwrap().contains('\u{fffd}'),
            "{id}: {document}"
        );
        assert!(
            document["metadata"]["flags"].as_str().unwrap().contains("invalid_text"),
            "{id}: {document}"
        );
    }
}

#[test]
fn multi_byte_encodings_are_decoded() {
    let mut records = Vec::new();
    let pages = [
        ("iso-2022-jp", "庭の木々についてのページと、あしたの天気。"),
        ("shift_jis", "庭の木々についてのページと、あしたの天気。"),
        ("euc-kr", "정원의 나무와 내일의 날씨에 관한 페이지입니다."),
        ("big5", "關於花園樹木和明天天氣的網頁。"),
        ("gb18030", "关于花园树木和明天天气的网页。㐀"),
    ];
    for (label, text) in pages {
        records.extend(page(label, label, &encoded(text, label)));
    }
    let run = run_one("a.warc", &records).ends_with(0);
    for (label, text) in pages {
        run.gives(label, text, "");
    }
}
