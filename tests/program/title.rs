//! The place of a page's title: `output.title`.

use serde_json::Value;

use crate::program::{Place, make};

const TEXT: &str =
    "We went out early in the morning, up the hill behind the village, and it rained until we were home.";

/// Two pages of one text: “A walk” has its title as a heading, which the extractor selects; “A page” has it in its head
/// alone.
fn place() -> Place {
    let place = Place::new();
    let page = |url: &str, heading: &str| make::page(url, &format!("{heading}<p>{TEXT}"));
    let pages = [
        page("https://a.example/a-walk", "<h1>A walk</h1>"),
        page("https://a.example/b", ""),
    ];
    place.write("a.warc", pages.concat());
    place
}

fn run(place: &Place, options: &[&str]) -> (Vec<Value>, Value) {
    let run = place
        .run(&[&["a.warc", "--overwrite", "-e", "contentex"], options].concat())
        .ends_with(0);
    (run.documents(), run.report["config_hash"].clone())
}

#[test]
fn a_title_is_as_found_apart_or_first_and_a_field_is_whether_the_text_has_it() {
    const TITLES: [&str; 2] = ["A walk", "A page"];
    let place = place();
    let with = TITLES.map(|title| format!("{title}\n\n{TEXT}"));
    let mut hashes = Vec::new();
    for (options, texts, in_text) in [
        (&[][..], [&with[0], TEXT], [true, false]),
        (&["--title", "as found"], [&with[0], TEXT], [true, false]),
        (&["--title", "apart"], [TEXT, TEXT], [false, false]),
        (&["--title", "first"], [&with[0], &with[1]], [true, true]),
    ] {
        let (documents, hash) = run(&place, options);
        let words = [TEXT, &with[0]].map(|text| text.split_whitespace().count());
        for (n, document) in documents.iter().enumerate() {
            let metadata = &document["metadata"];
            assert_eq!(document["text"], texts[n], "{options:?}");
            assert_eq!(
                (&metadata["title"], &metadata["title_in_text"]),
                (&TITLES[n].into(), &in_text[n].into()),
                "{options:?}"
            );
            assert_eq!(metadata["words"], words[usize::from(in_text[n])], "{options:?}");
            // The hash is that of the text as it is written.
            let same = documents
                .iter()
                .filter(|other| other["metadata"]["text_hash"] == metadata["text_hash"]);
            assert!(same.map(|other| &other["text"]).all(|text| *text == document["text"]));
        }
        hashes.push(hash);
    }
    assert_eq!(hashes[0], hashes[1]);
    assert!(hashes[1] != hashes[2] && hashes[2] != hashes[3] && hashes[1] != hashes[3]);
}

#[test]
fn in_markdown_the_first_title_is_a_heading() {
    let place = place();
    let (documents, _) = run(&place, &["--text", "markdown", "--title", "first"]);
    for (document, title) in documents.iter().zip(["A walk", "A page"]) {
        let start = format!("# {title}\n\nWe went");
        assert!(document["text"].as_str().unwrap().starts_with(&start), "{document}");
    }
}

#[test]
fn xml_keeps_its_elements() {
    let place = Place::new();
    let html = format!(
        "<title>A walk</title><body><h1>A walk</h1><ul><li>One of them<li>Two of them</ul><p>{TEXT}</p></body>"
    );
    place.write("a.warc", make::page("https://a.example/a-walk", &html));
    let options = [
        "a.warc",
        "--overwrite",
        "-e",
        "contentex",
        "--format",
        "xml",
        "--compression",
        "none",
    ];
    let run = place.run(&[&options[..], &["--title", "apart"]].concat()).ends_with(0);
    let shard = String::from_utf8(run.shard().to_vec()).unwrap();
    assert!(
        shard.contains("</title>\n<list><item><label>-</label> One of them</item>"),
        "{shard}"
    );
    assert!(shard.contains(" title_in_text=\"false\""), "{shard}");
}

#[test]
fn a_text_that_is_its_title_alone_is_empty_without_it() {
    let place = Place::new();
    place.write(
        "a.warc",
        make::page(
            "https://a.example/a-walk",
            "<title>A walk</title><body><h1>A walk</h1></body>",
        ),
    );
    let with = place.run(&["a.warc", "-e", "contentex"]).ends_with(0);
    assert_eq!(with.texts(), ["A walk"]);
    let apart = place.run_to("apart", &["a.warc", "-e", "contentex", "--title", "apart"]);
    assert_eq!((apart.total("emitted"), apart.total("filtered.empty")), (0, 1));
}
