//! Each source of evidence, alone on its page.

use super::{of, of_page, pair, script};

const ARTICLE: &str = r#"{"@context": "https://schema.org", "@type": "NewsArticle", "headline": "The night ferry returns",
    "author": {"@type": "Person", "name": "Marian Holt"}, "datePublished": "2024-03-11T08:00:00+01:00",
    "dateModified": "2024-03-12", "publisher": {"@type": "Organization", "name": "The Selwick Herald"},
    "description": "It sails again.", "keywords": ["ferries", "islands"], "image": {"url": "https://news.example/f.jpg"},
    "url": "https://news.example/ferry"}"#;

#[track_caller]
fn is_the_article(head: &str) {
    let found = of(head, "");
    assert_eq!(pair(&found.author, &found.author_from), ("Marian Holt", "json-ld"));
    assert_eq!(
        pair(&found.published, &found.published_from),
        ("2024-03-11T08:00:00+01:00", "json-ld")
    );
}

#[test]
fn json_ld_gives_every_field() {
    let found = of(&script(ARTICLE), "");
    is_the_article(&script(ARTICLE));
    assert_eq!(pair(&found.modified, &found.modified_from), ("2024-03-12", "json-ld"));
    assert_eq!(
        pair(&found.sitename, &found.sitename_from),
        ("The Selwick Herald", "json-ld")
    );
    assert_eq!(
        pair(&found.description, &found.description_from),
        ("It sails again.", "json-ld")
    );
    assert_eq!(
        pair(&found.keywords, &found.keywords_from),
        ("ferries; islands", "json-ld")
    );
    assert_eq!(
        pair(&found.image, &found.image_from),
        ("https://news.example/f.jpg", "json-ld")
    );
    assert_eq!(
        pair(&found.canonical_url, &found.canonical_url_from),
        ("https://news.example/ferry", "json-ld")
    );
    assert_eq!(pair(&found.kind, &found.kind_from), ("article", "json-ld"));
}

#[test]
fn the_subject_is_found_in_arrays_graphs_and_main_entities() {
    is_the_article(&script(&format!("[{ARTICLE}]")));
    let person = r#"{"@type": "Person", "name": "Somebody Else"}"#;
    is_the_article(&script(&format!(r#"{{"@graph": [{person}, {ARTICLE}]}}"#)));
    is_the_article(&script(&format!(r#"{{"@type": "WebPage", "mainEntity": {ARTICLE}}}"#)));
}

#[test]
fn an_author_may_be_described_elsewhere_in_the_script() {
    let graph = r##"{"@graph": [
        {"@type": "Article", "author": {"@id": "#holt"}, "datePublished": "2024-03-11T08:00:00+01:00"},
        {"@type": "Person", "@id": "#holt", "name": "Marian Holt"}]}"##;
    is_the_article(&script(graph));
}

#[test]
fn several_articles_in_one_script_are_a_list_and_do_not_describe_the_page() {
    let other = ARTICLE.replace("2024-03-11", "2024-03-12");
    let found = of(&script(&format!("[{ARTICLE}, {other}]")), "");
    assert_eq!((found.author.as_str(), found.published.as_str()), ("", ""));
}

#[test]
fn broken_json_ld_is_read_as_far_as_it_is_clear() {
    let trailing = ARTICLE
        .replace("\"2024-03-12\",", "\"2024-03-12\",,")
        .replace("\"islands\"]", "\"islands\",],");
    let raw_newline = ARTICLE.replace("It sails again.", "It sails\nagain.\tAt last.");
    let quotes = ARTICLE.replace("It sails again.", "It \"sails\" again.");
    let bad_escape = ARTICLE.replace("It sails again.", r"It sails\' again\x.");
    let no_comma = ARTICLE.replace("\"It sails again.\",", "\"It sails again.\"\n");
    let cut = format!(
        "{{\"author\": {{\"name\": \"Marian Holt\"}}, \"@type\": \"Article\", {}",
        &ARTICLE[150..400]
    );
    for broken in [&trailing, &raw_newline, &quotes, &bad_escape, &no_comma] {
        is_the_article(&script(broken));
    }
    assert_eq!(of(&script(&cut), "").author, "Marian Holt");
}

#[test]
fn json_ld_in_comments_cdata_and_a_second_layer_of_escapes_is_read() {
    is_the_article(&script(&format!("<!-- {ARTICLE} -->")));
    is_the_article(&script(&format!("//<![CDATA[\n{ARTICLE}\n//]]>")));
    is_the_article(&script(&format!("/* made by hand */ {ARTICLE};")));
    is_the_article(&script(&ARTICLE.replace('"', "&quot;")));
    is_the_article(&script(&ARTICLE.replace('\n', " ").replace('"', "\\\"")));
    is_the_article(&script(&serde_json::to_string(ARTICLE).unwrap()));
}

#[test]
fn values_that_are_escaped_twice_are_decoded() {
    let found = of(&script(&ARTICLE.replace("Marian Holt", "Holt &amp;amp; Venn")), "");
    assert_eq!(found.author, "Holt & Venn");
    let found = of(
        &script(&ARTICLE.replace("Marian Holt", r"Marian H\u00f6lt \ud83d\udea2")),
        "",
    );
    assert_eq!(found.author, "Marian Hölt 🚢");
}

#[test]
fn open_graph_gives_every_field() {
    let found = of(
        "<meta property=og:title content='The night ferry returns'><meta property=article:author content='Marian Holt'>\
         <meta property=article:published_time content='2024-03-11T08:00:00Z'>\
         <meta property=article:modified_time content='2024-03-12T08:00:00.123Z'>\
         <meta property=og:site_name content='The Selwick Herald'><meta property=og:url \
         content=https://news.example/ferry>\
         <meta property=og:description content='It sails again.'><meta property=article:tag content=ferries>\
         <meta property=article:tag content=islands><meta property=og:image content=https://news.example/f.jpg>\
         <meta property=og:type content=article>",
        "",
    );
    for (value, from, expected) in [
        (&found.title, &found.title_from, "The night ferry returns"),
        (&found.author, &found.author_from, "Marian Holt"),
        (&found.published, &found.published_from, "2024-03-11T08:00:00Z"),
        (&found.modified, &found.modified_from, "2024-03-12T08:00:00Z"),
        (&found.sitename, &found.sitename_from, "The Selwick Herald"),
        (
            &found.canonical_url,
            &found.canonical_url_from,
            "https://news.example/ferry",
        ),
        (&found.description, &found.description_from, "It sails again."),
        (&found.keywords, &found.keywords_from, "ferries; islands"),
        (&found.image, &found.image_from, "https://news.example/f.jpg"),
        (&found.kind, &found.kind_from, "article"),
    ] {
        assert_eq!(pair(value, from), (expected, "open-graph"));
    }
}

#[test]
fn other_meta_elements_are_known_by_their_vocabulary() {
    for (head, author, from) in [
        (
            "<meta name=DC.creator content='Holt, Marian'>",
            "Marian Holt",
            "dublin-core",
        ),
        (
            "<meta name=citation_author content='Holt, Marian'>",
            "Marian Holt",
            "citation",
        ),
        (
            "<meta name=parsely-author content='Marian Holt'>",
            "Marian Holt",
            "meta",
        ),
        (
            "<meta property=schema:author content='Marian Holt'>",
            "Marian Holt",
            "rdfa",
        ),
        (
            "<meta itemprop=author content='Marian Holt'>",
            "Marian Holt",
            "microdata",
        ),
        (
            "<meta name=twitter:label1 content='Written by'><meta name=twitter:data1 content='Marian Holt'>",
            "Marian Holt",
            "twitter",
        ),
    ] {
        let found = of(head, "");
        assert_eq!(pair(&found.author, &found.author_from), (author, from), "{head}");
    }
}

#[test]
fn a_link_to_the_page_itself_is_its_address() {
    let found = of("<link rel=canonical href=https://news.example/ferry>", "");
    assert_eq!(
        pair(&found.canonical_url, &found.canonical_url_from),
        ("https://news.example/ferry", "link")
    );
}

#[test]
fn the_day_in_the_address_is_the_last_resort() {
    let page = format!("<html lang=en><body>{}", super::TEXT);
    let found = of_page("https://news.example/2024/03/11/ferry", &page);
    assert_eq!(pair(&found.published, &found.published_from), ("2024-03-11", "url"));
    for none in [
        "https://news.example/2024/13/41/x",
        "https://news.example/2031/03/11/",
        "https://1.2.3.4/5",
    ] {
        assert_eq!(of_page(none, &page).published, "", "{none}");
    }
}

#[test]
fn kinds_of_all_vocabularies_have_one_name() {
    for (head, kind) in [
        (script(r#"{"@type": ["BlogPosting", "Thing"]}"#), "article"),
        (
            script(r#"{"@type": "https://schema.org/Product", "name": "Rope"}"#),
            "product",
        ),
        ("<meta property=og:type content='video.movie'>".into(), "video"),
        ("<meta property=og:type content='something.else'>".into(), ""),
    ] {
        assert_eq!(of(&head, "").kind, kind, "{head}");
    }
}
