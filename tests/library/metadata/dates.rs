//! Dates: how they are written, near the title and in attributes, and which are believed.

use super::{TEXT, of, of_page, pair};

/// The day that a page in a language shows under its title.
fn shown(language: &str, url: &str, date: &str) -> String {
    let page = format!(
        "<html lang={language}><head><title>The night ferry returns</title></head>\
         <body><h1>The night ferry returns</h1><p>{date}</p>{TEXT}"
    );
    of_page(url, &page).published
}

/// The date that a `meta` element gives.
fn claimed(date: &str) -> String {
    of(&format!("<meta property=article:published_time content='{date}'>"), "").published
}

#[test]
fn dates_of_many_languages_are_read() {
    for (language, date) in [
        ("en", "March 11, 2024"),
        ("en", "Monday 11th of March, 2024"),
        ("en", "Mon Mar 11 08:00:00 GMT 2024"),
        ("en", "Mon Mar 11 08:00 2024"),
        ("de", "Montag, 11. März 2024"),
        ("fr", "le 11 mars 2024 à 8h00"),
        ("es", "11 de marzo de 2024"),
        ("pt", "11 de março de 2024"),
        ("it", "lunedì 11 marzo 2024"),
        ("nl", "maandag 11 maart 2024"),
        ("sv", "11 mars 2024"),
        ("fi", "11. maaliskuuta 2024"),
        ("et", "11. märts 2024"),
        ("lv", "2024. gada 11. marts"),
        ("lt", "2024 m. kovo 11 d."),
        ("pl", "11 marca 2024"),
        ("pl", "// 11.03.2024 // 10:19 //"),
        ("cs", "11. března 2024"),
        ("sk", "11. marca 2024"),
        ("hu", "2024. március 11."),
        ("ro", "11 martie 2024"),
        ("bg", "11 март 2024 г."),
        ("ru", "11 марта 2024 года"),
        ("uk", "11 березня 2024"),
        ("sr", "11. март 2024."),
        ("hr", "11. ožujka 2024."),
        ("el", "11 Μαρτίου 2024"),
        ("el", "Δευτέρα 11 Μάρτη 2024"),
        ("tr", "11 Mart 2024"),
        ("ar", "11 مارس 2024"),
        ("he", "11 במרץ 2024"),
        ("hi", "11 मार्च 2024"),
        ("bn", "১১ মার্চ ২০২৪"),
        ("id", "11 Maret 2024"),
        ("vi", "11 tháng 3, 2024"),
        ("ca", "11 de març del 2024"),
        ("ka", "11 მარტი 2024"),
        ("zh", "2024年3月11日"),
        ("ja", "令和6年3月11日"),
        ("ko", "2024년 3월 11일"),
        ("ko", "2024. 3. 11."),
    ] {
        assert_eq!(
            shown(language, "https://news.example/2", date),
            "2024-03-11",
            "{language}: {date}"
        );
    }
}

#[test]
fn the_same_month_name_means_what_it_means_in_the_language_of_the_page() {
    assert_eq!(shown("pl", "https://news.example/2", "5 listopada 2024"), "2024-11-05");
    assert_eq!(
        shown("hr", "https://news.example/2", "5. listopada 2024."),
        "2024-10-05"
    );
    assert_eq!(shown("en", "https://news.example/2", "5 listopada 2024"), "");
}

#[test]
fn the_buddhist_and_the_persian_calendar_are_converted_where_the_page_names_them() {
    assert_eq!(shown("th", "https://news.example/2", "11 มีนาคม 2567"), "2024-03-11");
    assert_eq!(shown("th", "https://news.example/2", "11 มี.ค. 2567"), "2024-03-11");
    assert_eq!(shown("fa", "https://news.example/2", "۲۱ اسفند ۱۴۰۲"), "2024-03-11");
    assert_eq!(shown("fa", "https://news.example/2", "1402/12/21"), "2024-03-11");
    assert_eq!(shown("en", "https://news.example/2", "11 March 2567"), "");
    assert_eq!(shown("en", "https://news.example/2", "1402/12/21"), "");
}

#[test]
fn the_order_of_numbers_follows_from_values_language_and_address() {
    for (language, url, date, day) in [
        ("en", "https://news.example/2", "3/25/2024", "2024-03-25"),
        ("en", "https://news.example/2", "25/3/2024", "2024-03-25"),
        ("en-US", "https://news.example/2", "3/4/2024", "2024-03-04"),
        ("en-GB", "https://news.example/2", "3/4/2024", "2024-04-03"),
        ("en", "https://news.uk/2", "3/4/2024", "2024-04-03"),
        ("de", "https://news.example/2", "3.4.2024", "2024-04-03"),
        ("fr", "https://news.example/2", "03/04/2024", "2024-04-03"),
        ("''", "https://news.example/2", "3/4/2024", ""),
        ("''", "https://news.gr/2", "3/4/2024", "2024-04-03"),
        ("''", "https://news.io/2", "3/4/2024", ""),
        ("en", "https://news.example/2", "2024/04/03", "2024-04-03"),
    ] {
        assert_eq!(shown(language, url, date), day, "{language}, {url}: {date}");
    }
}

#[test]
fn the_order_of_numbers_follows_from_the_other_dates_of_the_page() {
    let among = |others: &str| {
        let date = format!("<span>3/4/2024</span></p><ul>{others}</ul><p>");
        shown("en-GB", "https://news.example/2", &date)
    };
    assert_eq!(among("<li>News of 1/30/2024<li>News of 1/31/2024"), "2024-03-04");
    // One can be that of a quotation.
    assert_eq!(among("<li>News of 1/30/2024"), "2024-04-03");
    assert_eq!(
        among("<li>News of 1/30/2024<li>News of 1/31/2024<li>News of 30/1/2024"),
        "2024-04-03"
    );
    assert_eq!(among("<li>https://other.example/1/30/2024/news"), "2024-04-03");
    // In the usual order, this day is after the crawl.
    assert_eq!(shown("en-GB", "https://news.example/2", "01/12/2026"), "2026-01-12");
}

#[test]
fn years_of_two_digits_are_read_in_texts_that_are_little_but_a_date() {
    for (language, date, day) in [
        ("de", "11.03.24", "2024-03-11"),
        ("el", "11/03/24-10:18", "2024-03-11"),
        ("ru", "Добавлено: 11.03.24 09:01 | RSS", "2024-03-11"),
        ("en-US", "03/11/24", "2024-03-11"),
        ("de", "11.03.98", "1998-03-11"),
        ("ja", "11.03.24", ""),
        ("de", "1.3.24", ""),
        ("de", "10.11.03.24", ""),
        ("de", "11.03.24.5", ""),
        ("en-GB", "Monday 11.03.24", "2024-03-11"),
        ("de", "Peter Meier 11.03.24", "2024-03-11"),
        ("de", "Von Peter Meier 11.03.24", "2024-03-11"),
        ("en-GB", "Version 10.12.14", ""),
        ("en-GB", "The Ferry Version 10.12.14", ""),
        ("de", "Haus Meier Kapitel 10.12.14", ""),
        ("en-GB", "Rating 10/12/15", ""),
        ("ru", "ГОСТ 12.10.04", ""),
        ("de", "11.03.24 Der Winkel im Halbkreis", ""),
        ("de", "11.03.24 bis 12.03.24", ""),
        ("de", "Die Fähre lag am 11.03.24 noch immer im Hafen von Selwick", ""),
    ] {
        assert_eq!(
            shown(language, "https://news.example/2", date),
            day,
            "{language}: {date}"
        );
    }
}

#[test]
fn the_day_on_which_a_book_came_out_is_not_that_of_the_page() {
    let lines = "11 March 2024</p><p>Released: 5 May 2023";
    assert_eq!(shown("en", "https://news.example/2", lines), "2024-03-11");
}

#[test]
fn attributes_hold_dates_in_the_forms_of_machines() {
    for (written, date) in [
        ("2024-03-11", "2024-03-11"),
        ("2024-03-11T08:00:00Z", "2024-03-11T08:00:00Z"),
        ("2024-03-11T08:00:00.123+0100", "2024-03-11T08:00:00+01:00"),
        ("2024-03-11 08:00 -05:00", "2024-03-11T08:00:00-05:00"),
        ("2024-03-11T08:00:00", "2024-03-11"),
        ("20240311", "2024-03-11"),
        ("20240311T080000Z", "2024-03-11T08:00:00Z"),
        ("1710144000", "2024-03-11T08:00:00Z"),
        ("1710144000000", "2024-03-11T08:00:00Z"),
        ("Mon, 11 Mar 2024 08:00:00 GMT", "2024-03-11"),
        ("Mon Mar 11 2024 08:00:00 GMT+0000", "2024-03-11"),
        ("March 11, 2024", "2024-03-11"),
    ] {
        assert_eq!(claimed(written), date, "{written}");
    }
}

#[test]
fn what_no_calendar_has_is_no_date() {
    for none in [
        "0000-00-00",
        "2024-02-31",
        "2023-02-29",
        "2024-13-01",
        "99999-01-01",
        "2024-3",
        "2024",
        "11.03.24",
        "03/11/24",
        "0001-01-01T00:00:00Z",
        "1970-01-01T00:00:00Z",
        "yesterday",
        "99999999999999999999",
        "2567-03-11",
    ] {
        assert_eq!(claimed(none), "", "{none}");
    }
}

#[test]
fn a_time_that_no_clock_shows_leaves_the_day() {
    assert_eq!(claimed("2024-03-11T25:61:00Z"), "2024-03-11");
    assert_eq!(claimed("2024-03-11T08:00:00+99:00"), "2024-03-11");
    assert_eq!(claimed("2024-03-11T08:00:00+05:99"), "2024-03-11");
    assert_eq!(claimed("2024-03-11T23:59:60Z"), "2024-03-11");
}

/// The day that a page shows under its title, beside the day that a `meta` element gives.
fn shown_beside(property: &str, claimed: &str, shown: &str) -> String {
    let head = format!("<title>The night ferry</title><meta property={property} content='{claimed}'>");
    of(&head, &format!("<h1>The night ferry</h1><p>{shown}</p>")).published
}

#[test]
fn nothing_that_people_read_is_later_than_the_crawl() {
    // The pages of these tests were crawled on 2026-05-04 at 08:00 UTC, when the next day had begun in no zone; but
    // dates of archives are of other zones, too.
    let day = |text: &str| shown("en", "https://news.example/2", text);
    assert_eq!(day("May 4, 2026"), "2026-05-04");
    assert_eq!(day("May 5, 2026"), "2026-05-05");
    assert_eq!(day("May 6, 2026"), "");
    assert_eq!(day("<time datetime=2026-05-04T08:00:01Z>now</time>"), "");
}

#[test]
fn a_page_that_was_written_after_its_crawl_has_a_wrong_day_of_the_crawl() {
    assert_eq!(claimed("2026-05-04T08:00:01Z"), "2026-05-04T08:00:01Z");
    assert_eq!(claimed("2026-11-30"), "2026-11-30");
    assert_eq!(claimed("2027-05-05"), "2027-05-05");
    // In the other order, this day is before the crawl. With a time, a program wrote it.
    assert_eq!(claimed("2026-11-03"), "");
    assert_eq!(claimed("2026-11-03T08:00:00Z"), "2026-11-03T08:00:00Z");
    // More than a year later, it is the page that is wrong.
    assert_eq!(claimed("2027-05-06"), "");
    assert_eq!(claimed("2099-01-01"), "");
    let changed = |shown| shown_beside("article:modified_time", "2026-11-30", shown);
    assert_eq!(changed("Published November 2, 2026"), "2026-11-02");
    assert_eq!(changed("Published December 2, 2026"), "");
}

#[test]
fn labels_distinguish_publication_from_change() {
    let line = "<p>Published March 11, 2024 · Updated March 12, 2024</p>";
    let found = of(
        "<title>The night ferry</title>",
        &format!("<h1>The night ferry</h1>{line}"),
    );
    assert_eq!(pair(&found.published, &found.published_from), ("2024-03-11", "visible"));
    assert_eq!(pair(&found.modified, &found.modified_from), ("2024-03-12", "visible"));
}

#[test]
fn a_time_element_near_the_title_gives_its_date() {
    let body = "<h1>The night ferry</h1><time datetime=2024-03-11T08:00:00Z>two years ago</time>";
    let found = of("<title>The night ferry</title>", body);
    assert_eq!(
        pair(&found.published, &found.published_from),
        ("2024-03-11T08:00:00Z", "time")
    );
}

#[test]
fn the_day_of_the_last_change_is_not_that_of_publication() {
    let found = of("<meta property=article:modified_time content=2024-03-12>", "");
    assert_eq!((found.published.as_str(), found.modified.as_str()), ("", "2024-03-12"));
    for (line, published) in [
        ("Last updated March 11, 2024", ""),
        ("Edited on 11 March 2024", ""),
        ("Mise à jour le 11 mars 2024", ""),
        // These words say who or what, and not when.
        ("Edited by Marian Holt, 11 March 2024", "2024-03-11"),
        ("Last reviewed by Marian Holt, 11 March 2024", ""),
        ("Product reviews | 11 March 2024", "2024-03-11"),
        ("Marian Holt, Editor | March 11, 2024", "2024-03-11"),
        ("Major storms | March 11, 2024", "2024-03-11"),
    ] {
        assert_eq!(shown("en", "https://news.example/2", line), published, "{line}");
    }
}

#[test]
fn a_change_before_the_publication_is_not_believed() {
    let found = of(
        "<meta property=article:published_time content=2024-03-11><meta property=article:modified_time \
            content=2024-03-10>",
        "",
    );
    assert_eq!((found.published.as_str(), found.modified.as_str()), ("2024-03-11", ""));
}

/// The day of a page that claims two days, and shows others around its title.
fn corrected(published: &str, modified: &str, before: &str, after: &str) -> (String, String) {
    let head = format!(
        "<title>The night ferry</title><meta property=article:published_time content={published}>\
         <meta property=article:modified_time content={modified}>"
    );
    let found = of(&head, &format!("{before}<h1>The night ferry</h1>{after}"));
    (found.published, found.published_from)
}

#[test]
fn a_publication_on_the_day_of_the_last_change_gives_way_to_an_earlier_day_at_the_title() {
    let earlier = "<p>11 March 2024</p>";
    for (published, modified, after, day, from) in [
        ("2025-05-02", "2025-05-02", earlier, "2024-03-11", "visible"),
        ("2025-05-02", "2025-05-01", earlier, "2024-03-11", "visible"),
        ("2025-05-02", "2025-05-03", earlier, "2025-05-02", "open-graph"),
        ("2023-05-02", "2023-05-02", earlier, "2023-05-02", "open-graph"),
        (
            "2025-05-02",
            "2025-05-02",
            "<p>Updated 11 March 2024</p>",
            "2025-05-02",
            "open-graph",
        ),
    ] {
        let found = corrected(published, modified, "", after);
        assert_eq!(
            pair(&found.0, &found.1),
            (day, from),
            "{published}, {modified}: {after}"
        );
    }
    let far = format!("{}{earlier}", "<p>Words of the ferry.</p>".repeat(60));
    assert_eq!(corrected("2025-05-02", "2025-05-02", "", &far).1, "open-graph");
    let told = "<p>The night ferry was lost in the storm of 11 March 2024.</p>";
    assert_eq!(corrected("2025-05-02", "2025-05-02", "", told).1, "open-graph");
}

#[test]
fn a_day_right_above_the_title_comes_before_one_far_below() {
    let other = format!("{}<p>12 April 2025</p>", "<p>Words of the ferry.</p>".repeat(60));
    let found = of(
        "<title>The night ferry</title>",
        &format!("<p>11 March 2024</p><h1>The night ferry</h1>{other}"),
    );
    assert_eq!(found.published, "2024-03-11");
}

#[test]
fn the_day_on_which_somebody_joined_is_no_day_of_publication() {
    for joined in ["Joined:", "Join Date:", "Member since", "Registriert:", "Регистрация:"] {
        let found = of(
            "<title>The night ferry</title>",
            &format!(
                "<h1>The night ferry</h1><p>Posts: 138</p><p>{joined} 11 March 2012</p>\
                 <time datetime=2024-03-11>yesterday</time>"
            ),
        );
        assert_eq!(found.published, "2024-03-11", "{joined}");
    }
    let found = of(
        "<title>The night ferry</title>",
        "<h1>The night ferry</h1><p>Joint statement, 12 March 2024</p>",
    );
    assert_eq!(found.published, "2024-03-12");
}
