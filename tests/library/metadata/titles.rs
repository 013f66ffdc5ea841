//! Titles: which of several, and without the site's name.

use super::{TEXT, of, of_page, pair};

#[test]
fn the_heading_that_the_title_element_repeats_is_the_title() {
    let found = of(
        "<title>The night ferry returns | The Selwick Herald</title>",
        "<h1>Your choice of cookies</h1><h1>The night ferry returns to Selwick</h1>",
    );
    assert_eq!(
        pair(&found.title, &found.title_from),
        ("The night ferry returns to Selwick", "h1")
    );
}

#[test]
fn a_heading_with_other_words_is_not_the_title() {
    let found = of("<title>The night ferry returns</title>", "<h1>Welcome aboard</h1>");
    assert_eq!(
        pair(&found.title, &found.title_from),
        ("The night ferry returns", "title")
    );
}

#[test]
fn the_name_of_the_site_is_cut_off() {
    for (head, title) in [
        (
            "<title>A walk - The Herald</title><meta property=og:site_name content='The Herald'>",
            "A walk",
        ),
        (
            "<title>The Herald | A walk</title><meta property=og:site_name content='The Herald'>",
            "A walk",
        ),
        ("<title>A walk — News</title>", "A walk"),
        ("<title>Five-star walks</title>", "Five-star walks"),
        ("<title>News.example: A walk</title>", "News.example: A walk"),
        ("<title>Walks in May | Outdoors | The Herald</title>", "Walks in May"),
    ] {
        assert_eq!(of(head, "").title, title, "{head}");
    }
}

#[test]
fn chinese_titles_are_parted_without_white_space() {
    for (element, title) in [
        ("渡輪停航十一年後重返海島_社會_海島網", "渡輪停航十一年後重返海島"),
        ("渡轮停航多年后重返海岛-海岛网", "渡轮停航多年后重返海岛"),
        ("渡輪停航十一年後重返海島 - 海島網 - 新聞", "渡輪停航十一年後重返海島"),
        ("海島日報 - 渡輪停航十一年後重返海島", "渡輪停航十一年後重返海島"),
        ("night_ferry", "night_ferry"),
    ] {
        assert_eq!(of(&format!("<title>{element}</title>"), "").title, title, "{element}");
    }
}

#[test]
fn the_first_page_of_a_site_keeps_its_name_before_a_slogan() {
    let page = format!("<title>Selwick – Ferries that sail | Selwick</title>{TEXT}");
    assert_eq!(
        of_page("https://selwick.example/", &page).title,
        "Selwick – Ferries that sail"
    );
}

#[test]
fn a_title_is_one_line_without_marks_that_nobody_sees() {
    let found = of(
        "<title>\n  Ferry&nbsp;&amp;\u{200b} fog\u{ad}horn\u{202e} \n</title>",
        "",
    );
    assert_eq!(found.title, "Ferry & foghorn");
}

#[test]
fn a_page_without_any_title_has_none() {
    let found = of("", "");
    assert_eq!(pair(&found.title, &found.title_from), ("", ""));
}
