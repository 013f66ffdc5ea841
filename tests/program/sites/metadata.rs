//! The evidence of a host's other pages about a page's metadata.

use serde_json::Value;

use super::body;
use crate::program::{Place, make};

/// A page with a title, an author, a day, an image and a text of its own.
fn with_metadata(number: u32, title: &str, author: &str, day: &str, image: &str) -> Vec<u8> {
    let head = format!(
        "<head><title>{title}</title><meta name=author content='{author}'>\
         <meta property='article:published_time' content='{day}'><meta property='og:image' content='{image}'></head>"
    );
    let html = format!("<html>{head}<body>{}</body></html>", body(number));
    make::response(
        &format!("https://meta.example/{number}"),
        "200 OK",
        "text/html",
        html.as_bytes(),
    )
}

/// The title, author, day of publication and image of each document of `new.warc`.
fn fields(place: &Place, arguments: &[&str]) -> Vec<[String; 4]> {
    let folder = format!("out{}", arguments.len());
    let details = ["new.warc", "-e", "coreex-modern", "--set", "output.details=true"];
    let run = place.run_to(&folder, &[&details[..], arguments].concat());
    let field = |document: &Value, name: &str| document["metadata"][name].as_str().unwrap().to_owned();
    let one = |document: &Value| ["title", "author", "published", "image"].map(|name| field(document, name));
    run.documents().iter().map(one).collect()
}

#[test]
fn a_shared_end_of_the_title_and_a_shared_image_are_not_the_pages_own() {
    const NAME: &str = "The Quiet River Gazette";
    const LOGO: &str = "https://meta.example/logo.png";
    let place = Place::new();
    let usual = |number: u32, title: &str| {
        with_metadata(number, &format!("{title} | {NAME}"), "Maria Keller", "2024-05-01", LOGO)
    };
    let known = [usual(1, "Rain"), usual(2, "Mills"), usual(3, "Boats")];
    let own = with_metadata(
        5,
        "Ten days at sea",
        "Jane Doe",
        "2024-03-07",
        "https://meta.example/5.png",
    );
    place.write("new.warc", [usual(4, "Snow"), own].concat());
    let without = fields(&place, &[]);
    assert_eq!(without[0], [NAME, "Maria Keller", "2024-05-01", LOGO]);
    // Two pages may be about the same thing.
    place.write("known.warc", known[..2].concat());
    place.dehusk(&["sites", "known.warc", "-o", "two"]);
    assert_eq!(fields(&place, &["--sites", "two"])[0][0], NAME);
    // The page states its author and its day for programs: a blog has one author, and the crawl came on the day of
    // publication.
    place.write("known.warc", known.concat());
    place.dehusk(&["sites", "known.warc", "-o", "three"]);
    let with = fields(&place, &["--sites", "three", "-t", "1"]);
    assert_eq!(with[0], ["Snow", "Maria Keller", "2024-05-01", ""]);
    assert_eq!(with[1], without[1]);
}

/// A page whose title, author and day are only in its texts.
fn in_texts(number: u32, title: &str, name: &str, day: &str) -> Vec<u8> {
    let html = format!(
        "<html><head><title>{title} | The Mill - news of the whole valley</title></head><body><h2>{title}</h2><p class=byline>{name}</p>\
         <p>Published: {day}</p><p>Photographs by Robert Smith</p>{}</body></html>",
        body(number)
    );
    let url = format!("https://texts.example/{number}");
    make::response(&url, "200 OK", "text/html", html.as_bytes())
}

#[test]
fn a_name_that_people_read_on_all_pages_is_not_the_pages_own() {
    let place = Place::new();
    let usual =
        |number: u32, about: &str| in_texts(number, &format!("Grypa – {about}"), "By Maria Keller", "3 May 2019");
    let known = [
        usual(1, "jak się chronić przed zachorowaniem"),
        usual(2, "kiedy trzeba iść do lekarza"),
        usual(3, "objawy u małych dzieci"),
    ];
    place.write("known.warc", known.concat());
    place.dehusk(&["sites", "known.warc", "-o", "store"]);
    let other = in_texts(5, "Ten days at sea", "By Jane Doe", "7 March 2018");
    place.write("new.warc", [usual(4, "co musisz o niej wiedzieć"), other].concat());
    let without = fields(&place, &[]);
    let subject = "Grypa – co musisz o niej wiedzieć";
    assert_eq!(without[0], [subject, "Maria Keller", "2019-05-03", ""]);
    assert_eq!(without[1], ["Ten days at sea", "Jane Doe", "2018-03-07", ""]);
    let with = fields(&place, &["--sites", "store"]);
    // The start of a title may be what it is about, no other name takes the place of the one that was dropped, and all
    // pages may be of one day.
    assert_eq!(with[0], [subject, "", "2019-05-03", ""]);
    assert_eq!(with[1], without[1]);
}

/// The first line of a card is the same on all pages, and the name is not.
#[test]
fn a_name_beside_a_line_that_all_pages_have_is_the_pages_own() {
    let place = Place::new();
    let card = |number: u32, name: &str| {
        let html = format!(
            "<html><head><title>Rain and mills, part {number}</title></head><body><h1>Rain and mills, part {number}</h1>\
             <div class=byline><p>{number} answers</p><p><a href=/u/{number}>{name}</a></p></div>{}</body></html>",
            body(number)
        );
        make::response(
            &format!("https://cards.example/{number}"),
            "200 OK",
            "text/html",
            html.as_bytes(),
        )
    };
    let known = [card(1, "Maria Keller"), card(2, "Robert Smith"), card(3, "Ann Miller")];
    place.write("known.warc", known.concat());
    place.write("new.warc", card(4, "Jane Doe"));
    place.dehusk(&["sites", "known.warc", "-o", "store"]);
    let without = fields(&place, &[]);
    assert_eq!(without[0][1], "Jane Doe");
    assert_eq!(fields(&place, &["--sites", "store"]), without);
}

#[test]
fn a_blog_keeps_the_author_whose_line_is_between_texts_of_the_pages_own() {
    let place = Place::new();
    let post = |number: u32, title: &str| {
        let html = format!(
            "<html><head><title>{title}</title></head><body><h1>{title}</h1><p class=byline>By Jane Doe</p>{}</body></html>",
            body(number)
        );
        make::response(
            &format!("https://blog.example/{number}"),
            "200 OK",
            "text/html",
            html.as_bytes(),
        )
    };
    let known = [
        post(1, "Rain at night"),
        post(2, "The mills"),
        post(3, "Boats and ropes"),
    ];
    place.write("known.warc", known.concat());
    place.write("new.warc", post(4, "Ten days at sea"));
    place.dehusk(&["sites", "known.warc", "-o", "store"]);
    let without = fields(&place, &[]);
    assert_eq!(without[0][1], "Jane Doe");
    assert_eq!(fields(&place, &["--sites", "store"]), without);
}
