//! Authors in the text that people read, and what is no author.

use super::{TEXT, of, of_page, pair, script};

const HEAD: &str = "<title>The night ferry returns</title>";
const HEADING: &str = "<h1>The night ferry returns</h1>";

#[test]
fn bylines_near_the_title_name_the_author() {
    for (byline, from) in [
        ("<p>By Marian Holt</p>", "visible"),
        ("<p>By <b>Marian Holt</b> | 4 min read</p>", "visible"),
        (
            "<div class='post-meta byline'>by <a href=/x>Marian Holt</a>, 11 March</div>",
            "byline",
        ),
        ("<p>ByMarian Holt</p>", "visible"),
        ("<a rel=author href=/holt>Marian Holt</a>", "rel-author"),
        (
            "<span itemprop=author itemscope><span itemprop=name>Marian Holt</span></span>",
            "microdata",
        ),
        (
            "<a class=author-card href=/x><div>Marian Holt</div><div>Head of Ferries</div></a>",
            "byline",
        ),
        (
            "<div class=author>Marian Holt<span>September 3, 2024</span></div>",
            "byline",
        ),
        ("<div class=author><a>Marian Holt</a> June 3</div>", "byline"),
    ] {
        let found = of(HEAD, &format!("{HEADING}{byline}"));
        assert_eq!(
            pair(&found.author, &found.author_from),
            ("Marian Holt", from),
            "{byline}"
        );
    }
}

#[test]
fn the_author_of_the_first_post_is_that_of_a_thread() {
    let counts = "<b>1</b> <i>2</i> ".repeat(12);
    for post in [
        format!("<article class=message data-author='@'><p>{counts}</p></article>"),
        format!("<div itemprop=author itemscope><i itemprop=name>@</i>{counts}</div>"),
        format!("<div class=question data-author-username='@'><p>{counts}</p></div>"),
    ] {
        let posts = ["mholt", "wolf7"].map(|name| post.replace('@', name)).concat();
        assert_eq!(of(HEAD, &format!("{HEADING}{posts}")).author, "mholt", "{post}");
    }
}

#[test]
fn bylines_of_many_languages_are_known() {
    for (language, byline, author) in [
        ("de", "Von Jürgen Wolf", "Jürgen Wolf"),
        ("fr", "Par Élise Durand", "Élise Durand"),
        ("es", "Por Ana Ruiz", "Ana Ruiz"),
        ("it", "di Carlo Neri", "Carlo Neri"),
        ("nl", "Door Pieter Bos", "Pieter Bos"),
        ("ru", "Автор: Иван Петров", "Иван Петров"),
        ("el", "Συντάκτης: Νίκος Παππάς", "Νίκος Παππάς"),
        ("zh", "作者：王小明", "王小明"),
        ("ja", "執筆者：山田太郎", "山田太郎"),
        ("vi", "Tác giả: Nguyễn Văn An", "Nguyễn Văn An"),
    ] {
        let page = format!("<html lang={language}><head>{HEAD}</head><body>{HEADING}<p>{byline}</p>{TEXT}");
        assert_eq!(of_page("https://news.example/2", &page).author, author, "{byline}");
    }
}

#[test]
fn a_preposition_of_another_language_is_no_byline() {
    assert_eq!(of(HEAD, &format!("{HEADING}<p>Di Carlo Neri</p>")).author, "");
}

#[test]
fn a_single_word_after_by_is_what_a_list_is_sorted_by() {
    for line in [
        "By Car",
        "Browse by <a href=/x>Industry</a>",
        "<span>By</span> <a href=/x>Style</a>",
    ] {
        assert_eq!(of(HEAD, &format!("{HEADING}<p>{line}</p>")).author, "", "{line}");
    }
    assert_eq!(of(HEAD, &format!("{HEADING}<p>By deckhand7</p>")).author, "");
    assert_eq!(of(HEAD, &format!("{HEADING}<p>By Deckhand7</p>")).author, "Deckhand7");
}

#[test]
fn labels_shops_and_hidden_names_in_bylines_are_no_authors() {
    for none in [
        "Name",
        "Home",
        "Visit the Selwick Store",
        "Read Marian’s articles",
        "Authorized Dealer",
        "h***t",
    ] {
        let byline = format!("{HEADING}<span class=byline>{none}</span>");
        assert_eq!(of(HEAD, &byline).author, "", "{none}");
    }
}

#[test]
fn addresses_handles_and_accounts_are_no_authors() {
    for none in [
        "https://social.example/holt",
        "@holt",
        "admin",
        "{{author}}",
        "  ",
        "12345",
        "www.news.example",
    ] {
        let head = format!("<meta name=author content='{none}'>");
        assert_eq!(of(&head, "").author, "", "{none}");
    }
}

#[test]
fn several_authors_are_one_string() {
    let authors = r#"{"@type": "Article", "author": [{"name": "Marian Holt"}, {"name": "Orla Venn"}, "Marian Holt"]}"#;
    assert_eq!(of(&script(authors), "").author, "Marian Holt; Orla Venn");
}

#[test]
fn a_person_in_the_byline_comes_before_the_site_as_author() {
    let head = format!(
        "{HEAD}<meta name=author content='Selwick Herald'><meta property=og:site_name content='Selwick Herald'>"
    );
    let byline = format!("{HEADING}<p class=byline>Marian Holt</p>");
    assert_eq!(of(&head, &byline).author, "Marian Holt");
    assert_eq!(of(&head, HEADING).author, "Selwick Herald");
}

#[test]
fn those_who_answer_are_not_the_author() {
    let posts = "<div class=username>ferryman</div><p>When does it sail?</p><div class=username>deckhand</div>";
    assert_eq!(of(HEAD, &format!("{HEADING}{posts}")).author, "ferryman");
}

#[test]
fn near_the_title_of_a_first_page_or_a_product_are_the_authors_of_others() {
    let teaser = format!("{HEADING}<p>By Marian Holt</p><p>Posted March 11, 2024</p>");
    let page = format!("<html lang=en><head>{HEAD}</head><body>{teaser}{TEXT}");
    let first = of_page("https://news.example/", &page);
    let product = of(&format!("{HEAD}<meta property=og:type content=product>"), &teaser);
    let article = of(HEAD, &teaser);
    for (found, expected) in [
        (first, ("", "")),
        (product, ("", "")),
        (article, ("Marian Holt", "2024-03-11")),
    ] {
        assert_eq!((&*found.author, &*found.published), expected);
    }
}

#[test]
fn the_credit_of_a_chinese_newspaper_names_the_reporter() {
    for credit in [
        "【聯合報╱記者王小明／台北報導】",
        "〔記者王小明/台北報導〕",
        "（记者 王小明）",
    ] {
        let byline = format!("{HEADING}<div class=byline>{credit}</div>");
        assert_eq!(of(HEAD, &byline).author, "王小明", "{credit}");
    }
}

#[test]
fn names_that_systems_write_into_every_page_are_no_authors() {
    for name in [
        "Discuz! Team and Comsenz UI Team",
        "Admin",
        "Selwick Media Ltd.",
        "Fähren Selwick GmbH",
        "Harbour Web Design",
        "海島日報網",
        "News.example",
        "news1",
        "page.head.extra.author",
    ] {
        let (head, byline) = (format!("<meta name=author content='{name}'>"), "<p>By Jane Doe</p>");
        assert_eq!(of(&head, "").author, "", "{name}");
        let title = "<title>The night ferry</title>";
        let found = of(&format!("{title}{head}"), &format!("<h1>The night ferry</h1>{byline}"));
        assert_eq!(
            pair(&found.author, &found.author_from),
            ("Jane Doe", "visible"),
            "{name}"
        );
    }
    for name in ["James S.A. Corey", "B.V. Larson", "Oy Vey", "J.R.R.Tolkien", "张网"] {
        assert_eq!(of(&format!("<meta name=author content='{name}'>"), "").author, name);
    }
    assert_eq!(of("<meta name=author content='Selwick Ferries B.V.'>", "").author, "");
    // A person can have the name of a site, and an organization can write.
    assert_eq!(of("<meta name=author content='The News'>", "").author, "The News");
    assert_eq!(of("<meta name=author content='jane.doe'>", "").author, "jane.doe");
    let article = r#"{"@type":"Article","author":{"@type":"Organization","name":"Selwick Ltd"}}"#;
    assert_eq!(of(&script(article), "").author, "Selwick Ltd");
}

#[test]
fn a_list_of_who_did_what_in_the_head_is_no_author() {
    let head = format!("{HEAD}<meta name=author content='content: Harbour Press, design: John Doe, code: Jim Doe'>");
    assert_eq!(of(&head, &format!("{HEADING}<p>By Jane Doe</p>")).author, "Jane Doe");
    assert_eq!(of(&head, HEADING).author, "");
}

#[test]
fn one_word_is_a_name_in_the_line_of_a_blog_about_author_and_day() {
    let author = |line: &str| of(HEAD, &format!("{HEADING}<p>{line}</p>")).author;
    assert_eq!(author("Posted by Jane at March 11, 2024 11:15 AM"), "Jane");
    assert_eq!(author("Posted by jane_d on 11 March 2024"), "jane_d");
    assert_eq!(author("Posted by admin on 11 March 2024"), "");
    assert_eq!(author("Posted by jane_d at 10:18"), "jane_d");
    assert_eq!(author("Posted by jane_d on 11/03/24"), "jane_d");
    for line in [
        "Posted by category",
        "Posted by us on 11 March 2024",
        "Posted by The on March 11, 2024",
        "Posted by news at 10:18",
        "Posted by them on 11 March 2024",
        "Posted by category on 3 shelves",
    ] {
        assert_eq!(author(line), "", "{line}");
    }
}

#[test]
fn who_started_a_thread_comes_before_those_who_answered() {
    let started =
        "<div class=hidden><div itemprop=author itemscope><span itemprop=name>selwick_jane</span></div></div>";
    let menu = "<li>FAQ</li>".repeat(20);
    let answered = format!(
        "{}<div itemprop=author itemscope><span itemprop=name>harbour_john</span></div>",
        "<p>Words of the ferry.</p>".repeat(60)
    );
    let thread = |kind: &str| {
        let item = format!("<section itemscope itemtype=https://schema.org/{kind}>{started}</section>");
        of(HEAD, &format!("{item}<ul>{menu}</ul>{HEADING}{answered}")).author
    };
    assert_eq!(thread("DiscussionForumPosting"), "selwick_jane");
    // Before the title of another page are the authors of other articles.
    assert_eq!(thread("Article"), "harbour_john");
    let item = format!("<section itemscope>{started}<ul>{menu}</ul>{HEADING}</section>{answered}");
    let found = of(HEAD, &item);
    assert_eq!(pair(&found.author, &found.author_from), ("selwick_jane", "microdata"));
}
