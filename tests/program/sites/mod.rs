//! `dehusk sites`, and runs with what it makes.
//!
//! - `store`: how a store is made and kept
//! - `metadata`: titles, authors, days and images

mod metadata;
mod store;

use std::fs;

use serde_json::Value;

use crate::program::{Place, make};

const NOTICE: &str = "Our offices are closed on Monday 12 and on all public holidays of the year.";

/// The body of a page with a text of its own, and with texts that all pages hold. Its number is among these.
fn body(number: u32) -> String {
    let notice = NOTICE.replace("12", &number.to_string());
    let own = format!(
        "Story {} begins with a walk through the town, {} and then goes on for a while, as stories do.",
        ["one", "two", "three", "four", "five", "six"][number as usize % 6],
        [
            "along the river",
            "over the hill",
            "past the mill",
            "down the lane",
            "by the sea",
            "in the rain"
        ][number as usize % 6]
    );
    format!(
        "<div><p>{own}</p><p>{own} And it ends.</p></div><div><p>{notice}</p><p>Call us at any time of the \
         day.</p><p>We are looking forward to your visit.</p><p>Bring your \
         dog and your children.</p><p>The car park is behind the house.</p><p>There is coffee, too.</p></div>"
    )
}

fn response(url: &str, body: &str) -> Vec<u8> {
    let html = format!("<html><body>{body}</body></html>");
    make::response(url, "200 OK", "text/html", html.as_bytes())
}

/// A page of `host`.
fn page(host: &str, number: u32) -> Vec<u8> {
    response(&format!("https://{host}/{number}"), &body(number))
}

fn pages(host: &str, numbers: impl IntoIterator<Item = u32>) -> Vec<u8> {
    numbers.into_iter().flat_map(|number| page(host, number)).collect()
}

/// A store of three pages of one host and one of another.
fn known() -> Place {
    let place = Place::new();
    place.write("a.warc", pages("news.example", 1..4));
    place.write("b.warc", pages("other.example", [1]));
    let made = place.dehusk(&["sites", "a.warc", "b.warc", "-o", "store"]);
    assert_eq!((made.status, made.stderr.as_str()), (0, ""));
    place
}

const DROP: [&str; 6] = [
    "-e",
    "coreex-modern",
    "--sites",
    "store",
    "--set",
    "extract.drop_repeated=2",
];

#[test]
fn what_other_pages_of_the_host_hold_is_dropped() {
    let place = known();
    place.write(
        "new.warc",
        [pages("news.example", [4]), pages("other.example", [4])].concat(),
    );
    let all = place.run_to("all", &["new.warc", "-e", "coreex-modern"]);
    assert!(all.texts().iter().all(|text| text.contains("public holidays")));
    let run = place.run_to("dropped", &[&["new.warc"][..], &DROP].concat());
    let texts = run.texts();
    assert!(texts[0].ends_with("And it ends."), "{}", texts[0]);
    // One other page is fewer than two.
    assert!(texts[1].contains("public holidays"), "{}", texts[1]);
    assert_eq!(run.total("notes.site_known"), 2);
}

#[test]
fn a_page_does_not_count_for_itself_and_an_unknown_host_changes_nothing() {
    let place = known();
    place.write(
        "same.warc",
        [pages("other.example", [1]), pages("unknown.example", [1])].concat(),
    );
    let plain = place.run_to("plain", &["same.warc", "-e", "coreex-modern"]);
    let run = place.run_to(
        "sites",
        &[&["same.warc"][..], &DROP, &["--set", "extract.drop_repeated=1"]].concat(),
    );
    assert_eq!(plain.texts(), run.texts());
    assert_eq!(run.total("notes.site_known"), 0);
}

/// Index pages repeat the teasers of articles, and each page of a thread repeats its first post: these are content, and
/// what is around them on the pages is, too.
#[test]
fn teasers_and_first_posts_are_kept() {
    let place = Place::new();
    let teaser = |number: u32| format!("Article {number} tells what happened in the town, and who was there to see it");
    let teaser_of = |number: u32| teaser(number).replace(&number.to_string(), ["one", "two", "three"][number as usize]);
    let article = |number: u32| {
        let text = "A long paragraph of the article, which no other page has, goes on and on, ".repeat(2);
        let own = ["first", "second", "third"][number as usize];
        let html = format!(
            "<p>{}.</p><p>{text}{own}.</p><p>The {own} end, {text}</p>",
            teaser_of(number)
        );
        response(&format!("https://news.example/a{number}"), &html)
    };
    let index = |number: u32| {
        let teasers: String = (0..3).map(|n| format!("<p>{}.</p>", teaser_of(n))).collect();
        let html = format!("{teasers}<p>Page {number} of the list of all articles.</p>");
        response(&format!("https://news.example/i{number}"), &html)
    };
    let thread = |number: u32| {
        let posts: String = ["red", "green", "blue"]
            .iter()
            .map(|own| {
                format!(
                    "<p>An answer, {own}, of page {} of the thread.</p>",
                    ["A", "B", "C", "D"][number as usize]
                )
            })
            .collect();
        let html = format!("<p>The first post asks how a mill works, and why there are so few of them.</p>{posts}");
        response(&format!("https://forum.example/t/{number}"), &html)
    };
    let known: Vec<u8> = (0..3).flat_map(|n| [index(n), thread(n)].concat()).collect();
    place.write("known.warc", known);
    place.write("new.warc", [article(0), article(1), thread(3)].concat());
    place.dehusk(&["sites", "known.warc", "-o", "store"]);
    let plain = place.run_to("plain", &["new.warc", "-e", "coreex-modern"]);
    let run = place.run_to("sites", &[&["new.warc"][..], &DROP].concat());
    assert_eq!(run.total("notes.site_known"), 3);
    assert_eq!(plain.texts(), run.texts());
    assert!(run.texts()[0].contains("Article one tells"), "{}", run.texts()[0]);
}

/// The lowest probability that the explanation of the new page names.
fn lowest_probability(place: &Place, settings: &[&str]) -> f64 {
    let ended = place.dehusk(&[&["inspect", "new.warc@0", "-e", "fusion"], settings].concat());
    let said = String::from_utf8(ended.stdout).unwrap();
    let figures = said.split("probabilities of ").skip(1);
    let lowest = figures.map(|rest| rest.split(' ').next().unwrap().parse().unwrap());
    lowest.fold(1.0, f64::min)
}

#[test]
fn copies_of_a_page_under_other_addresses_do_not_count() {
    let place = known();
    let page = |address: &str| {
        let page = String::from_utf8(page("copied.example", 1)).unwrap();
        page.replace("https://copied.example/1", address)
    };
    let copies = [
        page("https://copied.example/1?a"),
        page("https://copied.example/1?b"),
        page("https://COPIED.example:443/1#c"),
    ];
    place.write("copies.warc", copies.concat());
    place.dehusk(&["sites", "copies.warc", "-o", "store"]);
    let plain = place.run_to("plain", &["copies.warc", "-e", "coreex-modern"]);
    let run = place.run_to(
        "sites",
        &[&["copies.warc"][..], &DROP, &["--set", "extract.drop_repeated=1"]].concat(),
    );
    assert_eq!(plain.texts(), run.texts());
}

#[test]
fn the_learned_extractor_takes_repeated_blocks_for_less_likely() {
    let place = known();
    place.write("new.warc", pages("news.example", [4]));
    let alone = lowest_probability(&place, &[]);
    let with = lowest_probability(&place, &["--set", "extract.sites=store"]);
    assert!(with < alone, "{with} {alone}");
}

#[test]
fn the_explanation_has_the_number_of_pages_with_a_text() {
    const MENU: &str = "<ul><li><a href=/>Home</a><li><a href=/shop>Shop</a><li><a href=/about>About us</a></ul>";
    let place = Place::new();
    let page = |address: &str, number: u32| {
        let url = format!("https://news.example/{address}");
        response(&url, &format!("{MENU}{}", body(number)))
    };
    place.write("known.warc", [page("1", 1), page("2", 2), page("3", 3)].concat());
    place.write("new.warc", page("4", 4));
    place.write("copy.warc", page("4?copy", 4));
    // In the second store is a copy of the page under another address, which is no other page.
    for archive in ["known.warc", "copy.warc"] {
        place.dehusk(&["sites", archive, "-o", "store"]);
        for (settings, sentence) in [
            (
                ["--set", "extract.drop_repeated=2"],
                "at least 2 of 3 other pages of the host hold each of its texts",
            ),
            (
                ["-e", "fusion"],
                "its texts are on up to 3 of 3 other pages of the host",
            ),
        ] {
            let command = ["inspect", "new.warc@0", "--set", "extract.sites=store"];
            let explained = place.dehusk(&[&command[..], &settings].concat());
            let said = String::from_utf8(explained.stdout).unwrap();
            assert!(said.contains(sentence), "{archive}\n{said}");
        }
    }
}

#[test]
fn documents_name_the_store_that_they_were_made_by() {
    let place = known();
    let version = |arguments: &[&str]| {
        let folder = format!("out{}", arguments.join("-"));
        place
            .run_to(&folder, &[&["a.warc"][..], arguments].concat())
            .documents()[0]["version"]
            .clone()
    };
    let (with, without) = (version(&["--sites", "store"]), version(&[]));
    assert_ne!(with, without);
    // The name of the store does not matter.
    fs::copy(place.path("store"), place.path("copy")).unwrap();
    assert_eq!(version(&["--sites", "copy"]), with);
    place.write("c.warc", pages("news.example", [5]));
    place.dehusk(&["sites", "c.warc", "-o", "copy"]);
    assert_ne!(version(&["--sites", "copy", "-t", "1"]), with);
}

#[test]
fn pages_without_a_host_are_counted_and_left_out() {
    let place = known();
    place.write(
        "none.warc",
        [response("about:blank", &body(1)), response("", &body(2))].concat(),
    );
    let made = place.dehusk(&["sites", "none.warc", "-o", "store"]);
    let said = String::from_utf8(made.stdout).unwrap();
    assert!(
        said.contains("2 pages without a host\n") && said.contains("2 hosts in the store"),
        "{said}"
    );
    let run = place.run_to("out", &[&["none.warc"][..], &DROP].concat());
    assert_eq!((run.texts().len(), run.total("notes.site_known")), (2, 0));
}

#[test]
fn clusters_measure_how_much_of_a_document_is_template() {
    let place = known();
    place.write(
        "new.warc",
        [page("news.example", 4), page("unknown.example", 1)].concat(),
    );
    place.run_to("run", &["new.warc", "-e", "coreex-modern"]);
    let clustered = place.dehusk(&["cluster", "run", "-o", "near", "--sites", "store"]);
    assert_eq!((clustered.status, clustered.stderr.as_str()), (0, ""));
    let said = String::from_utf8(clustered.stdout).unwrap();
    let lines = fs::read_to_string(place.path("near/template.jsonl")).unwrap();
    let line: Value = serde_json::from_str(lines.lines().next().unwrap()).unwrap();
    assert_eq!(
        (lines.lines().count(), &line["id"]),
        (1, &"urn:test:response:https://news.example/4".into())
    );
    assert_eq!(line["known"], 3);
    let (words, repeated) = (line["words"].as_u64().unwrap(), line["repeated"].as_u64().unwrap());
    assert!(10 < repeated && repeated + 20 < words, "{line}");
    let mostly = u32::from(2 * repeated >= words);
    let sums = format!("           1 documents of known hosts\n           {mostly} of them at least half template\n");
    assert!(said.ends_with(&sums), "{said}");
    // Without the store, the next clusters leave no old figures beside them.
    place.dehusk(&["cluster", "run", "-o", "near", "--overwrite"]);
    assert!(!place.path("near/template.jsonl").exists());
}

/// A document that is all template does not count as a copy of the pages that hold it, and inline markup does not matter.
#[test]
fn a_document_that_is_all_template_is_counted() {
    let place = Place::new();
    let page = |number: u32| {
        let html = "<p>Our <b>office</b>s are closed on Monday &amp; on all public holidays of the year.<br>\
                    Call <i>us</i>, at any time of the day.<br>We are looking forward to your visit.</p>";
        response(&format!("https://all.example/{number}"), html)
    };
    place.write("known.warc", (1..4).flat_map(page).collect::<Vec<u8>>());
    place.write("new.warc", page(4));
    place.dehusk(&["sites", "known.warc", "-o", "store"]);
    place.run_to("run", &["new.warc", "-e", "coreex-modern"]);
    place.dehusk(&["cluster", "run", "-o", "near", "--sites", "store"]);
    let line = fs::read_to_string(place.path("near/template.jsonl")).unwrap();
    let line: Value = serde_json::from_str(&line).unwrap();
    assert_eq!((&line["known"], &line["words"]), (&3.into(), &28.into()));
    assert_eq!(line["repeated"], line["words"]);
}
