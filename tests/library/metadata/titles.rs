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

/// The title and its evidence, on a page of this address.
fn at(url: &str, head: &str, body: &str) -> (String, String) {
    let found = of_page(url, &format!("<html lang=en><head>{head}</head><body>{body}{TEXT}"));
    (found.title, found.title_from)
}

#[test]
fn a_heading_with_more_words_of_the_address_is_the_title() {
    let (head, body) = (
        "<title>Sail with us today</title>",
        "<h1>Timetable of the night ferry ¶</h1>",
    );
    let found = at("https://selwick.example/night-ferry/timetable", head, body);
    assert_eq!(pair(&found.0, &found.1), ("Timetable of the night ferry", "h1"));
    let found = at("https://selwick.example/sail-today", head, body);
    assert_eq!(pair(&found.0, &found.1), ("Sail with us today", "title"));
}

#[test]
fn words_of_an_address_are_decoded() {
    let found = at(
        "https://selwick.example/f%C3%A4hre-nachts",
        "<title>Willkommen an Bord</title>",
        "<h1>Die Fähre fährt nachts</h1>",
    );
    assert_eq!(found.0, "Die Fähre fährt nachts");
}

#[test]
fn the_card_decides_which_part_of_the_title_element_is_the_title() {
    let found = of(
        "<title>Notes from Selwick: The night ferry</title><meta property=og:title content='The night ferry'>",
        "<h1>Notes from Selwick</h1>",
    );
    assert_eq!(pair(&found.title, &found.title_from), ("The night ferry", "open-graph"));
}

#[test]
fn a_heading_that_ends_the_title_element_names_the_site_if_the_address_agrees() {
    let head = "<title>What the ferry carries - The Selwick Handbook</title>";
    for (path, title) in [
        ("what-the-ferry-carries", "What the ferry carries"),
        ("selwick-handbook", "The Selwick Handbook"),
        ("2", "The Selwick Handbook"),
    ] {
        let found = at(
            &format!("https://news.example/{path}"),
            head,
            "<h1>The Selwick Handbook</h1>",
        );
        assert_eq!(found.0, title, "{path}");
    }
}

#[test]
fn a_label_before_the_title_in_its_heading_is_left_out() {
    let both = "<title>The night ferry returns</title><meta property=og:title content='The night ferry returns'>";
    let marked =
        "<title>News - The night ferry returns</title><meta name=twitter:title content='The night ferry returns'>";
    let unmarked = "<title>News The night ferry returns</title>";
    for (head, heading, title) in [
        (both, "Thread: The night ferry returns", "The night ferry returns"),
        (both, "Oh, the night ferry returns", "the night ferry returns"),
        (
            marked,
            "<span>News</span> The night ferry returns",
            "The night ferry returns",
        ),
        (
            unmarked,
            "<span>News</span> The night ferry returns",
            "News The night ferry returns",
        ),
        (both, "A: The night ferry returns", "A: The night ferry returns"),
    ] {
        let found = of(head, &format!("<h1>{heading}</h1>"));
        assert!(found.title.eq_ignore_ascii_case(title), "{heading}: {}", found.title);
    }
}

#[test]
fn the_name_of_a_product_that_starts_with_that_of_the_site_is_no_name_of_the_site() {
    let found = at(
        "https://selwick.example/lamp",
        "<title>Selwick Lamp | Light for ships</title>",
        "<h1>Selwick Lamp | New</h1>",
    );
    assert_eq!(found.0, "Selwick Lamp");
}

#[test]
fn a_title_element_of_the_name_of_the_site_only_gives_way_to_the_heading() {
    let found = of(
        "<title>| The Herald</title><meta property=og:site_name content='The Herald'>",
        "<h1>Boats</h1>",
    );
    assert_eq!(pair(&found.title, &found.title_from), ("Boats", "h1"));
}

#[test]
fn the_count_of_a_list_is_no_part_of_its_title() {
    for (heading, title) in [
        ("Lamps for ships (158 items)", "Lamps for ships"),
        ("Lamps for ships(102+)", "Lamps for ships"),
        ("Lampen für Schiffe (1.204 Artikel)", "Lampen für Schiffe"),
        ("Lamps for ships (2024)", "Lamps for ships (2024)"),
        ("Lamps for ships (2)", "Lamps for ships (2)"),
        ("Lamps for ships (20 oz)", "Lamps for ships (20 oz)"),
    ] {
        let found = of(&format!("<title>{heading}</title>"), &format!("<h1>{heading}</h1>"));
        assert_eq!(found.title, title, "{heading}");
        assert_eq!(of(&format!("<title>{heading}</title>"), "").title, title, "{heading}");
    }
    // A number alone can be a part of the title, unless another source leaves it out.
    let found = |element: &str| of(&format!("<title>{element}</title>"), "<h1>Lamps for ships (158)</h1>").title;
    assert_eq!(found("Lamps for ships (158) | Lights"), "Lamps for ships (158)");
    assert_eq!(found("Lamps for ships | Lights"), "Lamps for ships");
}

#[test]
fn a_card_of_one_word_is_no_title_beside_a_heading_that_is_another_part_of_the_element() {
    let found = of(
        "<title>The night ferry returns - Sport - Herald</title><meta property=og:title content=Sport>",
        "<h1>The night ferry returns</h1>",
    );
    assert_eq!(found.title, "The night ferry returns");
}

#[test]
fn a_heading_gives_way_to_a_title_that_element_and_card_agree_on() {
    let url = "https://selwick.example/lamps";
    let head = |kind: &str, element: &str, card: &str| {
        format!(
            "<title>{element}</title><meta property=og:title content='{card}'><meta property=og:type content={kind}>"
        )
    };
    let (title, other) = ("Lights and lamps for ships", "Modern lights for ships");
    for (kind, element, card, heading, expected) in [
        ("website", title, title, other, title),
        ("website", "Lights and lamps for ships - Selwick", title, other, title),
        // Of an article, the heading is the title, and the other is for those who search.
        ("article", title, title, other, other),
        ("website", title, other, other, other),
        (
            "website",
            "Lights and lamps for ships",
            title,
            "Lights and lamps",
            "Lights and lamps",
        ),
        (
            "website",
            "Lights and lamps | For all ships",
            "Lights and lamps | For all ships",
            other,
            other,
        ),
        // The address has more words of the heading.
        (
            "website",
            "Our fleet at sea",
            "Our fleet at sea",
            "Our fleet: the new lamps",
            "Our fleet: the new lamps",
        ),
        // The address has more words of the title.
        (
            "product",
            "Lamps, lights for ships",
            "Lamps, lights for ships",
            other,
            "Lamps, lights for ships",
        ),
    ] {
        let found = at(url, &head(kind, element, card), &format!("<h1>{heading}</h1>"));
        assert_eq!(found.0, expected, "{kind}: {element}: {card}: {heading}");
    }
}

#[test]
fn a_first_part_of_one_word_comes_before_the_second() {
    for (element, title) in [
        (
            "Ferries - Overview | Department of Ships and Harbours",
            "Ferries - Overview",
        ),
        ("Home - The ferries of Selwick", "The ferries of Selwick"),
        ("Startseite | Die Fähren von Selwick", "Die Fähren von Selwick"),
    ] {
        assert_eq!(of(&format!("<title>{element}</title>"), "").title, title, "{element}");
    }
    let found = of(
        "<title>Selwick: Handbook: 18: FERRY</title><meta property=og:title content=FERRY>",
        "",
    );
    assert_eq!(pair(&found.title, &found.title_from), ("FERRY", "open-graph"));
}

#[test]
fn a_word_of_the_title_is_none_where_a_page_has_many_headings() {
    let head = "<title>How the night ferry, the Selwick and the harbour came back</title>";
    let title = |headings: &str| of(head, headings).title;
    assert_eq!(title("<h1>Harbour</h1>"), "Harbour");
    let many = "<h1>Harbour</h1><h1>Storms</h1><h1>Lost ships</h1>";
    assert_eq!(
        title(many),
        "How the night ferry, the Selwick and the harbour came back"
    );
}

#[test]
fn what_follows_the_title_in_elements_of_a_heading_is_no_part_of_it() {
    let head = "<title>The night ferry returns | Harbour News</title>";
    for heading in [
        "<h1><a>The night ferry returns</a> <span>(selwick.example)</span> <span>87</span></h1>",
        "<h1>The night ferry returns<small>All that is known of it</small></h1>",
        "<h1><span><a>The night ferry returns</a> <small>(selwick.example)</small></span> <span>87</span></h1>",
    ] {
        assert_eq!(of(head, heading).title, "The night ferry returns", "{heading}");
    }
}

#[test]
fn what_a_forum_writes_before_a_thread_is_no_title() {
    let head = "<title>Harbour Forum • View topic - The night ferry returns</title>";
    assert_eq!(
        of(
            &format!("{head}<meta property=og:site_name content='Harbour Forum'>"),
            ""
        )
        .title,
        "The night ferry returns"
    );
}

#[test]
fn buttons_and_words_that_are_only_heard_are_no_part_of_a_heading() {
    let head = "<title>The night ferry returns - Harbour</title>";
    for heading in [
        "<h1>The night ferry returns <button>Copy path</button></h1>",
        "<h1><span class=visually-hidden>Collection: </span>The night ferry returns</h1>",
        "<h1>The night ferry returns<span class='icon sr-only'>Permalink</span></h1>",
        // The heading has the words of the button, too.
        "<h1>The night <button>night</button> ferry returns</h1>",
        "<h1>The <button>The <span class=sr-only>night</span></button> night ferry returns</h1>",
    ] {
        assert_eq!(of(head, heading).title, "The night ferry returns", "{heading}");
    }
    let head = "<title>Save the whales</title>";
    assert_eq!(
        of(head, "<h1>Save the <button>Save</button> whales</h1>").title,
        "Save the whales"
    );
    let head = "<title>The night ferry returns - Harbour</title>";
    let only = "<h1 class=top><span class=sr-only>The night ferry returns</span></h1>";
    assert_eq!(of(head, only).title, "The night ferry returns");
}

#[test]
fn a_heading_that_the_address_names_comes_before_one_that_shares_small_words_with_the_element() {
    let found = of_page(
        "https://news.example/best-trails-selwick",
        &format!(
            "<html lang=en><head><title>Where to walk in Selwick</title></head><body>\
             <h1>The Best Trails and Harbours of Selwick</h1><h1>Next in your guide to being in Selwick</h1>{TEXT}"
        ),
    );
    assert_eq!(found.title, "The Best Trails and Harbours of Selwick");
}

#[test]
fn a_page_that_gives_its_title_for_the_name_of_its_site_keeps_its_title() {
    let head = "<title>Ferry lamps of brass Selwick</title><meta property=og:title content='Ferry lamps of brass'>\
        <meta property=og:site_name content='Ferry lamps of brass Selwick'>";
    let found = of(head, "<h1>Ferry lamps of brass</h1><h1>Learn about our lamps</h1>");
    assert_eq!(found.title, "Ferry lamps of brass");
    // A short title can be a part of the site's name.
    let head = "<title>Selwick | Selwick Weather</title><meta property=og:title content=Selwick>\
        <meta property=og:site_name content='Selwick Weather'>";
    assert_eq!(of(head, "<h1>Selwick Weather</h1>").title, "Selwick");
}

#[test]
fn the_first_page_of_a_site_is_not_only_called_home() {
    let page = format!(
        "<html lang=en><head><title>Home - Selwick Ferries</title><meta property=og:site_name content='Selwick Ferries'>\
         </head><body><h1>All aboard</h1>{TEXT}"
    );
    assert_eq!(
        of_page("https://selwick.example/", &page).title,
        "Home - Selwick Ferries"
    );
}

#[test]
fn the_word_for_title_before_a_title_is_no_part_of_it() {
    let head =
        "<title>[2512.16245] The night ferry returns</title><meta property=og:title content='The night ferry returns'>";
    assert_eq!(
        of(head, "<h1><span>Title:</span>The night ferry returns</h1>").title,
        "The night ferry returns"
    );
}

#[test]
fn a_title_that_is_only_home_gives_way_to_the_heading() {
    let page = |heading: &str| {
        let card = "<meta property=og:title content='The Daily Alder'>";
        let page = format!("<title>Home</title>{card}<h1>{heading}</h1>{TEXT}");
        of_page("https://news.example/2", &page).title
    };
    assert_eq!(
        page("Survey of rivers shows clean water"),
        "Survey of rivers shows clean water"
    );
    // One word can name a section.
    assert_eq!(page("Rivers"), "Home");
}
