//! Evidence that is huge, deep, cut or nonsense: what is found stays defined, and the rest of the page does not suffer.

use super::{TEXT, read, script};

fn page(head: &str, body: &str) -> String {
    format!("<html lang=en><head>{head}</head><body>{body}{TEXT}</body></html>")
}

#[test]
fn of_ten_megabytes_of_json_ld_the_first_is_read() {
    let filler = format!("\"articleBody\": \"{}\"", "word ".repeat(2 << 20));
    let before = read(&page(
        &script(&format!(
            "{{\"@type\": \"Article\", \"author\": \"Marian Holt\", {filler}}}"
        )),
        "",
    ));
    assert_eq!(before.author.value, "Marian Holt");
    let after = read(&page(
        &script(&format!(
            "{{\"@type\": \"Article\", {filler}, \"author\": \"Marian Holt\"}}"
        )),
        "",
    ));
    assert_eq!(after.author.value, "");
}

#[test]
fn json_ld_that_is_nested_ten_thousand_deep_is_skipped_where_it_is_too_deep() {
    let (open, close) = ("{\"a\":[".repeat(5_000), "]}".repeat(5_000));
    let json = format!("{{\"@type\": \"Article\", \"x\": {open}{close}, \"author\": \"Marian Holt\"}}");
    assert_eq!(read(&page(&script(&json), "")).author.value, "Marian Holt");
    read(&page(&script(&open), ""));
    read(&page(&script(&close), ""));
}

#[test]
fn halves_of_surrogate_pairs_and_ends_in_escapes_are_survived() {
    let json = r#"{"@type": "Article", "author": "Marian \ud83d Holt \udea2 \ud83d\ud83d \u12"}"#;
    let author = read(&page(&script(json), "")).author.value;
    assert!(author.starts_with("Marian Holt"), "{author}");
    for end in ["\\", "\\u", "\\ud83d", "\\ud83d\\", "\\ud83d\\u", "\""] {
        read(&page(
            &script(&format!("{{\"@type\": \"Article\", \"author\": \"{end}")),
            "",
        ));
    }
}

#[test]
fn json_ld_cut_at_any_byte_is_survived() {
    let json =
        r#"[{"@type": "Article", "headline": "Fähre \u00e9", "author": [{"name": "M"}], "x": /* y */ [1, null]}]"#;
    for end in (0..=json.len()).filter(|end| json.is_char_boundary(*end)) {
        read(&page(&script(&json[..end]), ""));
    }
}

#[test]
fn slashes_quotes_and_references_without_end_are_read_in_one_pass() {
    for text in [
        "/",
        "/*",
        "//",
        "\"",
        "\" x",
        "\\\"",
        "[",
        "{\"a\":",
        "&quot;",
        "{\"@id\":\"x\"},",
    ] {
        read(&page(&script(&text.repeat((1 << 20) / text.len())), ""));
    }
    let authors = "{\"@id\": \"nobody\"},".repeat(40_000);
    read(&page(
        &script(&format!("{{\"@type\": \"Article\", \"author\": [{authors}]}}")),
        "",
    ));
}

#[test]
fn thousands_of_references_to_one_person_name_it_once() {
    let person = r##"{"@type": "Person", "@id": "#holt", "name": "Marian Holt"}"##;
    let authors = r##"{"@id": "#holt"},"##.repeat(8_000);
    let article = format!("{{\"@type\": \"Article\", \"author\": [{authors}]}}");
    let page = page(&script(&format!("{{\"@graph\": [{person}, {article}]}}")), "");
    assert_eq!(read(&page).author.value, "Marian Holt");
}

#[test]
fn of_a_million_meta_elements_the_first_of_each_name_count() {
    let metas = "<meta name=author content='Marian Holt'><meta name=keywords content=ferry>".repeat(500_000);
    let found = read(&page(&metas, ""));
    assert_eq!(
        (found.author.value.as_str(), found.keywords.value.as_str()),
        ("Marian Holt", "ferry")
    );
}

#[test]
fn a_title_of_a_megabyte_is_no_title() {
    let long = "word ".repeat(200_000);
    let found = read(&page(
        &format!("<title>{long}</title><meta name=author content='{long}'>"),
        &format!("<h1>{long}</h1>"),
    ));
    assert_eq!((found.title.value.as_str(), found.author.value.as_str()), ("", ""));
    let marks = "| - ".repeat(400);
    read(&page(&format!("<title>{marks}</title>"), &format!("<h1>{marks}</h1>")));
}

#[test]
fn numbers_of_any_length_near_the_title_are_no_dates() {
    let digits = "9".repeat(300);
    for text in [
        format!("{digits}-01-01"),
        format!("2024-{digits}-01"),
        format!("{digits} March 2024"),
        "1.2.3.4.2024".into(),
    ] {
        let found = read(&page(
            "<title>The night ferry</title>",
            &format!("<h1>The night ferry</h1><p>{text}</p>"),
        ));
        assert_eq!(found.published.value, "", "{text:.40}");
    }
}
