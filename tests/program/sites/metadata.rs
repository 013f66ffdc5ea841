//! What the other pages of a host say of a page's metadata.

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

#[test]
fn what_most_pages_of_a_host_say_is_no_metadata_of_one() {
    const NAME: &str = "The Quiet River Gazette";
    const LOGO: &str = "https://meta.example/logo.png";
    let place = Place::new();
    let usual = |number: u32, title: &str| {
        with_metadata(number, &format!("{NAME} | {title}"), "Maria Keller", "2024-05-01", LOGO)
    };
    let known = [
        usual(1, "Rain on the hills"),
        usual(2, "A walk to the mill"),
        usual(3, "Boats by night"),
    ];
    place.write("known.warc", known.concat());
    place.dehusk(&["sites", "known.warc", "-o", "store"]);
    let own = with_metadata(
        5,
        "Ten days at sea",
        "Jane Doe",
        "2024-03-07",
        "https://meta.example/5.png",
    );
    place.write("new.warc", [usual(4, "Snow in the town"), own].concat());
    let fields = |arguments: &[&str]| {
        let folder = format!("out{}", arguments.len());
        let details = ["new.warc", "-e", "coreex-modern", "--set", "output.details=true"];
        let run = place.run_to(&folder, &[&details[..], arguments].concat());
        let field = |document: &Value, name: &str| document["metadata"][name].as_str().unwrap().to_owned();
        let one = |document: &Value| ["title", "author", "published", "image"].map(|name| field(document, name));
        run.documents().iter().map(one).collect::<Vec<_>>()
    };
    let with = fields(&["--sites", "store"]);
    assert_eq!(with[0], ["Snow in the town", "", "", ""]);
    assert_eq!(
        with[1],
        [
            "Ten days at sea",
            "Jane Doe",
            "2024-03-07",
            "https://meta.example/5.png"
        ]
    );
    let without = fields(&[]);
    assert_eq!(without[0], [NAME, "Maria Keller", "2024-05-01", LOGO]);
    assert_eq!(without[1], with[1]);
}
