//! Where the day of publication is found on pages that give none to machines.

use super::{TEXT, of, of_page, pair, script};

const HEAD: &str = "<title>The night ferry returns</title>";
const HEADING: &str = "<h1>The night ferry returns</h1>";

/// The day of a page in a language, with this body before its text, and its evidence.
fn day_of(language: &str, url: &str, head: &str, body: &str) -> (String, String) {
    let page = format!("<html lang={language}><head>{head}</head><body>{body}{TEXT}</body></html>");
    let found = of_page(url, &page);
    (found.published, found.published_from)
}

/// The day of an English article with this body before its text.
fn day(body: &str) -> String {
    of(HEAD, body).published
}

#[test]
fn blogs_and_newspapers_of_many_languages_show_their_day() {
    for (language, body, expected) in [
        // Blogger writes the day above all posts of a day, and the hour below each.
        (
            "de",
            "<h1>Hafentagebuch</h1><h2 class=date-header><span>Samstag, 3. August 2013</span></h2>\
             <h3 class=post-title>Die Nachtfähre</h3>",
            "2013-08-03",
        ),
        // An attribute has the day, and the text only the hour.
        (
            "de",
            "<h1>Die Nachtfähre</h1><abbr class=published title=2013-08-03T12:33:00+02:00>12:33</abbr>",
            "2013-08-03T12:33:00+02:00",
        ),
        (
            "de",
            "<h1>Die Nachtfähre</h1><div class=time>03.08.13 12:33</div>",
            "2013-08-03",
        ),
        (
            "de",
            "<h1>Die Nachtfähre</h1><p>Hafenpost 03.08.13, 12:33 Uhr</p>",
            "2013-08-03",
        ),
        (
            "de",
            "<h1>Die Nachtfähre</h1><p>Verfasst von anna am Sa, 03.08.2013 - 12:33</p>",
            "2013-08-03",
        ),
        (
            "fr",
            "<h1>Le bac de nuit</h1><p>Publié le 03/08/2013 à 12h33 par Anne</p>",
            "2013-08-03",
        ),
        ("fr", "<h1>Le bac de nuit</h1><p>Samedi 3 août 2013</p>", "2013-08-03"),
        (
            "es",
            "<h1>El ferry</h1><span>Sábado, 03 Agosto 2013 12:33</span>",
            "2013-08-03",
        ),
        (
            "it",
            "<h1>Il traghetto</h1><small>scritto da Anna il 3 agosto 2013</small>",
            "2013-08-03",
        ),
        (
            "pt",
            "<h1>A balsa</h1><p>03/08/2013 12h33 - Atualizado em 05/08/2013</p>",
            "2013-08-03",
        ),
        (
            "nl",
            "<h1>De nachtboot</h1><p>Geplaatst door Anna op 3 augustus 2013</p>",
            "2013-08-03",
        ),
        (
            "pl",
            "<h1>Nocny prom</h1><p>Data dodania: 2013-08-03 12:33</p>",
            "2013-08-03",
        ),
        (
            "ru",
            "<h1>Ночной паром</h1><p>Опубликовано: 3 августа 2013, 12:33</p>",
            "2013-08-03",
        ),
        (
            "tr",
            "<h1>Gece feribotu</h1><p>Eklenme: 03 Ağustos 2013 Cumartesi</p>",
            "2013-08-03",
        ),
        (
            "id",
            "<h1>Feri malam</h1><p>Diposting oleh Anna, Sabtu, 3 Agustus 2013</p>",
            "2013-08-03",
        ),
        ("el", "<h1>Το νυχτερινό</h1><p>ΑΠΕ 03/08/13-12:33</p>", "2013-08-03"),
        (
            "el",
            "<h1>Το νυχτερινό</h1><p>Δημοσίευση: 3-8-2013, 12:33</p>",
            "2013-08-03",
        ),
        (
            "zh",
            "<h1>夜航渡轮</h1><p>2013年08月03日 12:33 来源：海港新闻网 参与互动(0) 字体</p>",
            "2013-08-03",
        ),
        (
            "ja",
            "<h1>夜の渡し船</h1><p>公開日：2013年8月3日（土）</p>",
            "2013-08-03",
        ),
        ("ko", "<h1>밤배</h1><p>등록 2013.08.03 12:33</p>", "2013-08-03"),
        ("ar", "<h1>العبارة</h1><p>نشر في: 3 أغسطس 2013</p>", "2013-08-03"),
        ("hi", "<h1>रात की नाव</h1><p>प्रकाशित: 3 अगस्त 2013</p>", "2013-08-03"),
        ("vi", "<h1>Phà đêm</h1><p>Đăng ngày 3 tháng 8, 2013</p>", "2013-08-03"),
    ] {
        let found = day_of(language, "https://news.example/2", "<title>x</title>", body);
        assert_eq!(found.0, expected, "{language}: {body}");
    }
}

#[test]
fn attributes_of_elements_hold_days_as_programs_write_them() {
    for element in [
        "<span itemprop=datePublished content=2024-03-11>last week</span>",
        "<span itemprop=datePublished>March 11, 2024</span>",
        "<abbr title=2024-03-11>last week</abbr>",
        "<div class=posted data-date=2024-03-11>last week</div>",
        "<span data-date=1710144000>last week</span>",
    ] {
        let found = day(&format!("{HEADING}{element}"));
        assert_eq!(found.get(..10), Some("2024-03-11"), "{element}");
    }
    assert_eq!(day(&format!("{HEADING}<abbr title='World Wide Web'>WWW</abbr>")), "");
    let changed = "<span class=date-modified data-date=2024-03-11>last week</span>";
    assert_eq!(day(&format!("{HEADING}{changed}")), "");
}

#[test]
fn a_day_that_a_sentence_mentions_is_none() {
    let told = "<p>The night ferry was lost with all hands in the great storm of 11 March 2024, and nobody has found it \
        since then.</p>";
    assert_eq!(day(&format!("{HEADING}{told}")), "");
    // The day of the page can be above the title.
    let found = day(&format!("<p>2 May 2025</p>{HEADING}{told}"));
    assert_eq!(found, "2025-05-02");
    let dateline = "<p>SELWICK, March 11, 2024 — The night ferry came back to the harbour today, with all of its people \
        on board, after two weeks.</p>";
    assert_eq!(day(&format!("{HEADING}{dateline}")), "2024-03-11");
}

#[test]
fn days_of_other_things_are_none_of_the_page() {
    for line in [
        "Deadline: March 11, 2024",
        "Sale ends March 11, 2024",
        "Registered: March 11, 2024",
        "Last active March 11, 2024",
        "Gültig bis: 11. März 2024",
        "<span class=date_updated>March 11, 2024</span>",
        "Reviewed by Marian Holt Updated March 11, 2024",
    ] {
        assert_eq!(day(&format!("{HEADING}<p>{line}</p>")), "", "{line}");
    }
    for around in ["<li class=comment>", "<div class=comment-body>"] {
        let comment = format!("{HEADING}{around}<p>Jane says:</p><p>March 11, 2024 at 10:18</p></li></div>");
        assert_eq!(day(&comment), "", "{around}");
    }
    assert_eq!(day(&format!("{HEADING}<pre>March 11, 2024</pre>")), "");
}

#[test]
fn the_day_of_the_week_tells_the_day_from_the_month() {
    for (date, expected) in [
        ("Mon, 03/04/2024 - 10:18", "2024-03-04"),
        ("Wednesday 03/04/2024", "2024-04-03"),
        // It is neither.
        ("Sunday 03/04/2024", "2024-04-03"),
    ] {
        let found = day_of(
            "en-GB",
            "https://news.example/2",
            HEAD,
            &format!("{HEADING}<p>{date}</p>"),
        );
        assert_eq!(found.0, expected, "{date}");
    }
}

#[test]
fn years_of_two_digits_are_read_before_a_time_and_after_a_byline() {
    for (language, line, expected) in [
        ("el", "ΑΠΕ 08/11/11-15:24", "2011-11-08"),
        ("en-US", "By Andrea Wolf, Correspondent, 6/20/04", "2004-06-20"),
        ("en-GB", "Version 10.12.14", ""),
        (
            "de",
            "<span>26.11.11</span> <span>Redaktion Hafenpost</span>",
            "2011-11-26",
        ),
        ("de", "<span>10.11.14</span> <span>Der Winkel im Halbkreis</span>", ""),
    ] {
        let found = day_of(
            language,
            "https://news.example/2",
            HEAD,
            &format!("{HEADING}<p>{line}</p>"),
        );
        assert_eq!(found.0, expected, "{language}: {line}");
    }
}

#[test]
fn what_is_said_to_be_published_is_so_even_after_the_day_of_the_crawl() {
    // The pages of these tests were crawled on 2026-05-04.
    assert_eq!(day(&format!("{HEADING}<p>Published: May 20, 2026</p>")), "2026-05-20");
    assert_eq!(day(&format!("{HEADING}<p>Posted on June 1, 2027</p>")), "");
    assert_eq!(day(&format!("{HEADING}<p>Concert: May 20, 2026</p>")), "");
}

/// The day that a page shows before or after its title, crawled at a time.
fn crawled(created: &str, body: &str) -> String {
    let html = format!("<html lang=en><head>{HEAD}</head><body>{body}{TEXT}</body></html>");
    let dom = dehusk_html::parse(&html, dehusk_html::Buffers::default());
    let facts = dehusk_metadata::PageFacts {
        url: "https://news.example/2",
        created,
        content: Some((dom.len() - 4, dom.len())),
        ..dehusk_metadata::PageFacts::default()
    };
    dehusk_metadata::read(&dom, facts).published.value
}

#[test]
fn a_crawl_at_midnight_is_a_guess() {
    let later = format!("{HEADING}<p>May 20, 2026</p>");
    assert_eq!(crawled("2026-05-04T00:00:00Z", &later), "2026-05-20");
    assert_eq!(crawled("2026-05-04T00:00:01Z", &later), "");
    // The head of a site shows the day of the visit.
    let both = format!("<p>May 20, 2026</p>{HEADING}<p>March 11, 2024</p>");
    assert_eq!(crawled("2026-05-04T00:00:00Z", &both), "2024-03-11");
}

#[test]
fn the_first_post_of_a_forum_dates_its_thread() {
    let profile = "<dl><dt>jane</dt><dd>Posts: 138</dd><dd>Joined: 4 Jul 2012, 16:09</dd></dl>";
    let menu = "<li>FAQ</li>".repeat(60);
    let post = |date: &str| format!("{profile}<h3>The night ferry returns</h3><p>by jane » {date}</p>{TEXT}");
    let page = format!(
        "<h1>Harbour Forum</h1><ul>{menu}</ul>{}{}",
        post("Mon Mar 11, 2024 10:18 am"),
        post("Tue Mar 12, 2024 1:47 am")
    );
    assert_eq!(day(&page), "2024-03-11");
}

#[test]
fn the_address_has_the_day_in_many_forms() {
    for path in [
        "2024/03/11/ferry",
        "2024/mar/11/ferry",
        "2024-03/11/c_1.htm",
        "n/2024/0311/c1.html",
        "202403/11/ferry",
        "ferry-2024-03-11",
        "a/20240311/1.htm",
        "t20240311_1.htm",
        "20240311081500.html",
    ] {
        let url = format!("https://news.example/{path}");
        let found = day_of("en", &url, HEAD, HEADING);
        assert_eq!(pair(&found.0, &found.1), ("2024-03-11", "url"), "{path}");
    }
    for path in [
        "2024/03/ferry",
        "2024/may-be/11",
        "123420240311",
        "1024/03/11",
        "2024/0332/x",
        "v2024.03.11.5x/2024",
    ] {
        let url = format!("https://news.example/{path}");
        let found = day_of("en", &url, HEAD, HEADING).0;
        assert!(found.is_empty() || path.starts_with('v'), "{path}: {found}");
    }
}

#[test]
fn the_day_of_the_address_comes_before_one_far_from_the_title() {
    let far = format!("{HEADING}{}<p>2 May 2025</p>", "<p>Words of the ferry.</p>".repeat(60));
    let found = day_of("en", "https://news.example/2024/03/11/ferry", HEAD, &far);
    assert_eq!(pair(&found.0, &found.1), ("2024-03-11", "url"));
}

#[test]
fn an_instant_in_utc_is_on_the_day_of_the_address() {
    let head = |published: &str| format!("{HEAD}<meta property=article:published_time content={published}>");
    for (published, expected, from) in [
        ("2024-03-12T03:05:00Z", "2024-03-11", "url"),
        ("2024-03-10T20:00:00Z", "2024-03-11", "url"),
        // These are on that day in no zone, or tell their own.
        ("2024-03-12T15:05:00Z", "2024-03-12T15:05:00Z", "open-graph"),
        ("2024-03-12T03:05:00+01:00", "2024-03-12T03:05:00+01:00", "open-graph"),
        ("2024-03-14T03:05:00Z", "2024-03-14T03:05:00Z", "open-graph"),
    ] {
        let found = day_of("en", "https://news.example/2024/03/11/ferry", &head(published), HEADING);
        assert_eq!(pair(&found.0, &found.1), (expected, from), "{published}");
    }
}

#[test]
fn a_page_that_shows_no_day_can_have_it_elsewhere() {
    let canonical = "<link rel=canonical href=https://news.example/2024/03/11/ferry>";
    let titled = "<title>The night ferry returns | 11 March 2024</title>";
    let unknown = script(r#"{"@type":"Unheard","datePublished":"2024-03-11T08:00:00Z"}"#);
    let escaped = "<div data-page='{&quot;publishedAt&quot;:&quot;2024-03-11&quot;}'></div>";
    let program = "<script>window.page = {\"published_date\": \"2024-03-11\"}</script>";
    let other = "<script>window.page = {\"publisher\": \"2024-03-11\", \"republished\": \"2024-03-11\"}</script>";
    let several = format!("{program}<script>more = {{\"publishDate\": \"2024-03-12\"}}</script>");
    for (head, body, expected) in [
        (canonical, "", ("2024-03-11", "url")),
        (titled, "", ("2024-03-11", "title")),
        (HEAD, unknown.as_str(), ("2024-03-11", "json-ld")),
        (HEAD, escaped, ("2024-03-11", "json-ld")),
        (HEAD, program, ("2024-03-11", "json-ld")),
        (HEAD, other, ("", "")),
        (HEAD, several.as_str(), ("", "")),
    ] {
        let found = day_of("en", "https://news.example/2", head, &format!("{HEADING}{body}"));
        assert_eq!((&found.0[..found.0.len().min(10)], &*found.1), expected, "{head}{body}");
    }
}
