//! Pages made of pieces that the readers of days, titles and names look for, in any order and cut anywhere: each is read.

use dehusk_html::{Buffers, parse};
use dehusk_metadata::{PageFacts, PageMetadata, normalize_post_dates, read};
use proptest::prelude::*;

/// Reads a page, crawled on 4 May 2026.
fn read_page(html: &str, url: &str) -> PageMetadata {
    let dom = parse(html, Buffers::default());
    let facts = PageFacts {
        url,
        created: "2026-05-04T08:00:00Z",
        content: Some((0, dom.len())),
        ..PageFacts::default()
    };
    read(&dom, facts)
}

/// The dates of a page's posts, as they are written.
fn post_dates<const N: usize>(language: &str, dates: [&str; N]) -> [String; N] {
    let page = format!("<html lang={language}><p>1");
    let dom = parse(&page, Buffers::default());
    let facts = PageFacts {
        url: "https://forum.example/1",
        created: "2026-05-04T08:00:00Z",
        ..PageFacts::default()
    };
    let mut dates = dates.map(str::to_owned);
    normalize_post_dates(&dom, facts, &mut dates.each_mut());
    dates
}

#[test]
fn dates_of_posts_are_written_in_iso_8601() {
    for (language, date, expected) in [
        ("en", "2022-03-04 10:11:12Z", "2022-03-04T10:11:12Z"),
        ("en", "2020-05-06T10:00:00+02:00", "2020-05-06T10:00:00+02:00"),
        ("en", "2020-05-06T10:00:00", "2020-05-06T10:00:00"),
        ("en", "1585735200000", "2020-04-01T10:00:00Z"),
        ("en", "Wed May 06, 2020 12:05 am", "2020-05-06T00:05:00"),
        ("en", "May 6, 2020 1:05:09 PM", "2020-05-06T13:05:09"),
        ("pl", "10 września 2018, 21:48", "2018-09-10T21:48:00"),
        ("de", "4. November 2017", "2017-11-04"),
        ("en", "April 14, 2012 11:00 p.m.", "2012-04-14T23:00:00"),
        ("en", "April 14, 2012 12:05 a.m.", "2012-04-14T00:05:00"),
        ("zh", "2012年4月16日 下午 11:00", "2012-04-16T23:00:00"),
        ("zh", "2012年4月16日 上午 11:00", "2012-04-16T11:00:00"),
        ("ja", "2012年4月16日 午後11:00", "2012-04-16T23:00:00"),
        ("ko", "2012년 4월 16일 오후 11:00", "2012-04-16T23:00:00"),
        // Zones.
        ("en", "April 15, 2012 11:00 PM EST", "2012-04-15"),
        ("de", "15. April 2012 23:00 (MESZ)", "2012-04-15"),
        ("en", "April 15, 2012 11:00 p.m. GMT", "2012-04-15T23:00:00Z"),
        ("en", "Sun, 15 Apr 2012 23:00:00 -0330", "2012-04-15T23:00:00-03:30"),
        ("en", "April 15, 2012 11:00 PM UTC+2", "2012-04-15T23:00:00+02:00"),
        // No day, one after the crawl, and a number that is no instant.
        ("en", "Apr 1, '20", "Apr 1, '20"),
        ("en", "May 6, 2036", "May 6, 2036"),
        ("en", "9585735200000", ""),
    ] {
        assert_eq!(post_dates(language, [date]), [expected], "{date}");
    }
}

#[test]
fn one_date_of_a_thread_decides_whether_the_day_comes_first_in_the_others() {
    let month_first = post_dates("", ["04-01-2012, 10:00 AM", "04-14-2012, 11:00 PM"]);
    assert_eq!(month_first, ["2012-04-01T10:00:00", "2012-04-14T23:00:00"]);
    let day_first = post_dates("", ["04/01/2012", "14/04/2012"]);
    assert_eq!(day_first, ["2012-01-04", "2012-04-14"]);
    // Nothing decides it.
    assert_eq!(post_dates("", ["04-01-2012"]), ["04-01-2012"]);
}

#[test]
fn bylines_can_have_the_day_in_them() {
    for (language, byline, author, day) in [
        (
            "",
            "<div class=meta>Von Ida Roe, 3. März 2015</div>",
            "Ida Roe",
            "2015-03-03",
        ),
        (
            "fr",
            "<p class=byline>Par Ida Roe, publié le 14 août 2012</p>",
            "Ida Roe",
            "2012-08-14",
        ),
        (
            "",
            "<p>Publié le 14 août 2012 à 10h30 par Ida Roe</p>",
            "Ida Roe",
            "2012-08-14",
        ),
        (
            "en",
            "<p>March 3, 2015 at 10:30 am by Ida Roe</p>",
            "Ida Roe",
            "2015-03-03",
        ),
        (
            "",
            "<div>2005年3月4日 10:11 来源:新华网 作者:王明</div>",
            "王明",
            "2005-03-04",
        ),
        ("zh", "<div>作者：王明 来源：新华网</div>", "王明", ""),
        (
            "en",
            "<p>By Ann Lee, Bob Ray, 3 May 2024</p>",
            "Ann Lee, Bob Ray",
            "2024-05-03",
        ),
        (
            "en",
            "<p class=byline>By Ann Lee, Bob Ray and Cy Poe, Friday, 3 May 2024</p>",
            "Ann Lee, Bob Ray and Cy Poe",
            "2024-05-03",
        ),
        (
            "en",
            "<p>By Ann Lee, Bob Ray 3 May 2024</p>",
            "Ann Lee, Bob Ray",
            "2024-05-03",
        ),
        (
            "en",
            "<p class=byline>By Ann Lee, Bob Ray May 3, 2024</p>",
            "Ann Lee, Bob Ray",
            "2024-05-03",
        ),
        (
            "en",
            "<p>Published 3 May 2024 at 10:30 a.m. by Ida Roe</p>",
            "Ida Roe",
            "2024-05-03",
        ),
        ("en", "<p>Published 3 May 2024. By Ida Roe</p>", "Ida Roe", "2024-05-03"),
        // In these, nobody wrote the page.
        ("", "<p>3 May 2024 Leonardo da Vinci Museum</p>", "", "2024-05-03"),
        ("it", "<p>12 maggio 2024 Fiera di Milano Centrale</p>", "", "2024-05-12"),
        ("en", "<p>3 May 2024 Sponsored by Acme Bank</p>", "", "2024-05-03"),
        (
            "en",
            "<p>Tickets for 3 May 2024 concert by Berlin Philharmonic</p>",
            "",
            "2024-05-03",
        ),
        ("en", "<p>Comment from 3 May 2024 by Ann Lee</p>", "", ""),
        ("en", "<p>Published 3 May 2024. Photo by Jane Doe</p>", "", "2024-05-03"),
        ("en", "<p>March 3, 2015 by the harbour</p>", "", "2015-03-03"),
        ("en", "<p>Voted best of 2015 by Ferry Fans</p>", "", ""),
        ("fr", "<p>Publié le 3 mars 2015 di Carlo Neri</p>", "", "2015-03-03"),
    ] {
        let text =
            "<p>The ferry left the harbour before dawn, with forty people on board, and nobody had slept a minute.";
        let page = format!("<html lang='{language}'><title>Ferry night</title><h1>Ferry night</h1>{byline}{text}");
        let found = read_page(&page, "https://news.example/2");
        let found = (found.author.value.as_str(), found.published.value.as_str());
        assert_eq!(found, (author, day), "{byline}");
    }
}

/// Pieces of pages.
const PIECES: [&str; 40] = [
    "<title>",
    "</title>",
    "<h1>",
    "</h1>",
    "<p>",
    "</p>",
    "<button>",
    "</button>",
    "<time datetime=",
    "</time>",
    "<abbr title='",
    "<div class='comment date updated'>",
    "</div>",
    "<script>",
    "</script>",
    "<span data-date='",
    "<a rel=author href=/author/x>",
    "</a>",
    "'>",
    ">",
    "\"publishedAt\":\"",
    "datePublished&quot;:",
    "\":\"",
    "2024-03-11",
    "2024",
    "03/04/24 ",
    "11. März ",
    "2024年3月11日",
    "Posted by ",
    "Jane Doe ",
    " on ",
    "é",
    "日",
    "\u{1F600}",
    "١١",
    " | ",
    " - ",
    "（",
    "Updated ",
    "ﬁ",
];

proptest! {
    #[test]
    fn pages_of_any_pieces_are_read(pieces in prop::collection::vec(0..PIECES.len(), 0..40), any in ".{0,40}", at in 0usize..40) {
        let mut page = String::new();
        for (number, piece) in pieces.iter().enumerate() {
            if number == at {
                page.push_str(&any);
            }
            page.push_str(PIECES[*piece]);
        }
        read_page(&page, "https://news.example/2");
        // A path is cut by the same rules.
        read_page("<h1>x</h1>", &format!("https://news.example/{page}"));
    }

    #[test]
    fn days_in_addresses_are_read_beside_any_letters(before in "\\PC{0,3}", mark in "[-/_.é日]", after in "\\PC{0,6}") {
        let path = format!("{before}/2024{mark}03{mark}{after}11{mark}{before}20240311{after}");
        read_page("<h1>x</h1>", &format!("https://news.example/{path}"));
    }
}
