//! The places where the day of publication is found on pages that give none to machines.

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
fn the_day_of_the_week_distinguishes_the_day_from_the_month() {
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
fn no_day_that_people_read_is_after_the_crawl() {
    for created in ["2026-05-04T08:00:00Z", "2026-05-04T00:00:00Z"] {
        for line in [
            "May 20, 2026",
            "Published: May 20, 2026",
            "Date: May 20, 2026",
            "Posted on June 1, 2027",
        ] {
            assert_eq!(
                crawled(created, &format!("{HEADING}<p>{line}</p>")),
                "",
                "{created}: {line}"
            );
        }
        let both = format!("<p>May 20, 2026</p>{HEADING}<p>March 11, 2024</p>");
        assert_eq!(crawled(created, &both), "2024-03-11");
        // Programs write the right day, and archives can have a wrong one.
        let written = format!("<meta property=article:published_time content=2026-05-20>{HEADING}");
        assert_eq!(crawled(created, &written), "2026-05-20");
    }
}

#[test]
fn a_stamp_that_is_not_believed_leaves_the_text() {
    for stamp in [
        "<time datetime=1970-01-01T00:00:00Z>11 March 2024</time>",
        "<time datetime=2031-01-01>11 March 2024</time>",
        "<span itemprop=datePublished content=1970-01-01>11 March 2024</span>",
    ] {
        assert_eq!(day(&format!("{HEADING}{stamp}")), "2024-03-11", "{stamp}");
    }
}

#[test]
fn days_of_widgets_and_events_are_none_of_the_page() {
    for element in [
        "<span itemprop=startDate content=2024-03-11>last week</span>",
        "<span itemprop=validThrough>March 11, 2024</span>",
        "<div class=event data-date=2024-03-11>Concert</div>",
        "<abbr class=dtstart title=2024-03-11>last week</abbr>",
        "<div class='timer countdown' data-date=2024-03-11>soon</div>",
        "<span class=offer-end data-date=2024-03-11>soon</span>",
        "<time class=birthdate datetime=2024-03-11>March 11, 2024</time>",
        "<table><tr><td data-date=2024-03-11>11</td></tr></table>",
        "<input class=date title=2024-03-11>",
        "<button data-date=2024-03-11>11</button>",
    ] {
        assert_eq!(day(&format!("{HEADING}{element}")), "", "{element}");
    }
    // Other words have these parts, and layouts these words.
    for class in ["weekend restart", "items-end text-start pointer-events-none"] {
        let element = format!("<span class='{class}' data-date=2024-03-11>last week</span>");
        assert_eq!(day(&format!("{HEADING}{element}")), "2024-03-11", "{class}");
    }
}

#[test]
fn days_in_the_data_of_scripts_and_at_the_end_of_titles_are_those_of_other_things() {
    for (head, body) in [
        (HEAD, "<script>related = [{\"publishedAt\": \"2024-03-11\"}]</script>"),
        (
            HEAD,
            "<div data-page='{&quot;publishedAt&quot;:&quot;2024-03-11&quot;}'></div>",
        ),
        ("<title>The night ferry returns | 11 March 2024</title>", ""),
    ] {
        assert_eq!(of(head, &format!("{HEADING}{body}")).published, "", "{head}{body}");
    }
    let mentions = script(r#"{"@type":"WebSite","mentions":[{"@type":"Article","datePublished":"2024-03-11"}]}"#);
    assert_eq!(day(&format!("{HEADING}{mentions}")), "");
}

#[test]
fn only_the_start_of_a_tag_around_a_day_is_read() {
    let around = |attributes: usize| {
        let before = "a=b ".repeat(attributes);
        day(&format!(
            "{HEADING}<div {before}class=comment><p>March 11, 2024</p></div>"
        ))
    };
    assert_eq!(around(10), "");
    // Otherwise each of many days would read all of it.
    assert_eq!(around(2_000), "2024-03-11");
}

#[test]
fn the_parts_of_a_comment_are_named_in_many_ways() {
    let within = |tag: &str, class: &str| {
        let element = format!("<{tag} class='{class}'><p>March 11, 2024 at 10:18</p></{tag}>");
        day(&format!("{HEADING}{element}"))
    };
    for (tag, class) in [
        ("div", "comment-1234"),
        ("div", "x comment_text"),
        ("footer", "comment__date"),
        ("article", "comment"),
        ("article", "comment-body"),
    ] {
        assert_eq!(within(tag, class), "", "{tag}.{class}");
    }
    assert_eq!(within("div", "commentary"), "2024-03-11");
    // The class of the whole post means that it is open to comments.
    let post = format!("<div class=comment-open>{HEADING}<p>March 11, 2024 at 10:18</p></div>");
    assert_eq!(day(&post), "2024-03-11");
}

#[test]
fn numbers_after_the_words_for_other_things_are_no_days() {
    for line in [
        "Score 6/4/12 10:15",
        "Version 13.12.14 10:15",
        "Tel. 13.12.14",
        "Fax: 13/12/14",
        // This year is still to come.
        "13.12.31",
        "13/12/31 10:15",
        "Born March 11, 2024",
        "Closing date: March 11, 2024",
        "Termin: 11.03.2024",
        "3.3. bis 11.03.2024",
        "Version 2024.03.11",
    ] {
        assert_eq!(day(&format!("{HEADING}<p>{line}</p>")), "", "{line}");
    }
    for (language, line) in [
        ("zh", "截止2024年3月11日"),
        ("zh", "活动：2024年3月11日"),
        ("de", "Geboren am 11. März 2024"),
    ] {
        let found = day_of(
            language,
            "https://news.example/2",
            HEAD,
            &format!("{HEADING}<p>{line}</p>"),
        );
        assert_eq!(found.0, "", "{line}");
    }
    assert_eq!(
        day(&format!("{HEADING}<p>The Telegraph, March 11, 2024</p>")),
        "2024-03-11"
    );
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
        "202403110815.html",
        "a/2024.03.11/ferry",
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
        // No clock shows such a time.
        "202403112500",
        "20240311086100",
        // These are numbers of other things, and versions.
        "id20240311",
        "part20240311",
        "release/2024.3.11/notes",
        "release/2024.03.1/notes",
    ] {
        let url = format!("https://news.example/{path}");
        assert_eq!(day_of("en", &url, HEAD, HEADING).0, "", "{path}");
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
        // These are on that day in no zone, or state their own.
        ("2024-03-12T15:05:00Z", "2024-03-12T15:05:00Z", "open-graph"),
        ("2024-03-12T03:05:00+01:00", "2024-03-12T03:05:00+01:00", "open-graph"),
        ("2024-03-14T03:05:00Z", "2024-03-14T03:05:00Z", "open-graph"),
    ] {
        let found = day_of("en", "https://news.example/2024/03/11/ferry", &head(published), HEADING);
        assert_eq!(pair(&found.0, &found.1), (expected, from), "{published}");
    }
}

#[test]
fn a_page_that_shows_no_day_can_have_it_in_another_address_of_its_own() {
    let canonical = "<link rel=canonical href=https://news.example/2024/03/11/ferry>";
    let found = day_of("en", "https://news.example/2", canonical, HEADING);
    assert_eq!(pair(&found.0, &found.1), ("2024-03-11", "url"));
    let found = day_of(
        "en",
        "https://news.example/2",
        canonical,
        &format!("{HEADING}<p>2 May 2025</p>"),
    );
    assert_eq!(pair(&found.0, &found.1), ("2025-05-02", "visible"));
}

#[test]
fn the_day_of_a_comment_is_not_that_of_the_page() {
    for (above, below) in [
        ("12 March 2019", "Comment of 25 March 2019"),
        ("12/03/2019", "Comment of 25/03/2019"),
        ("12/03/2019", "Jane, 25/03/2019"),
    ] {
        for level in ["h1", "h2"] {
            let page = format!(
                "<title>River survey</title><div>{above}</div><{level}>River survey</{level}>{TEXT}<div>{below}</div>"
            );
            assert_eq!(of_page("", &page).published, "2019-03-12", "{page}");
        }
    }
    let page = format!("<title>River survey</title><h1>River survey</h1>{TEXT}<div>Comment of 25 March 2019</div>");
    assert_eq!(of_page("", &page).published, "");
}
