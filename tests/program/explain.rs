//! `dehusk extract --explain` and `dehusk inspect`: which nodes were kept, which left out, and the figures that
//! decided.

use crate::program::eval::stdout;
use crate::program::{Place, make};

/// A menu, an article with a link in a sentence and a row of links after it, and a foot.
const PAGE: &str = "<!doctype html><title>Harbour works begin</title>\
    <ul><li><a href=/>Home</a></li><li><a href=/n>News</a></li></ul><div id=main><h1>Harbour works begin</h1>\
    <p>Dredging of the old harbour began on Monday, after two years of delay. It will take until spring.</p>\
    <p>Boats are moved to the north quay, which has <a href=/q>room for forty</a>, and fishing goes on as before.</p>\
    <p>Related: <a href=/1>One</a> <a href=/2>Two</a> <a href=/3>Three</a></p></div>\
    <div id=foot><p>12:30</p><a href=/c>Contact</a> <a href=/i>Imprint</a></div>";

/// The explanation of a page, with line breaks and indents as single spaces.
fn told(page: &str, more: &[&str]) -> String {
    let place = Place::new();
    place.write("p.html", page);
    place.write(
        "c.toml",
        "[presets.small]\nbase = \"nce\"\nleaf_chars = 80\ntext_chars = 150\nsibling_chars = 50\n",
    );
    let ended = place.dehusk(&[&["extract", "p.html", "--explain", "--config", "c.toml"], more].concat());
    assert_eq!((ended.status, ended.stderr.as_str()), (0, ""));
    let told = stdout(&ended);
    assert!(!told.contains("NaN") && !told.contains(" inf"), "{told}");
    told.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Pages that leave a formula with next to nothing: no node, no word, one word, a text of 10 MB, links alone, no link.
#[test]
fn no_figure_of_any_extractor_is_undefined() {
    let huge = "A word, and more. ".repeat(2_000_000 / 18);
    let pages = [
        "",
        "<p> </p><p>…</p>",
        "<body></body>",
        "word",
        "<ul><li><a href=/a>One</a><li><a href=/b>Two</a></ul>",
        "<a href=/a><img src=a></a>",
        "<p>One two three.</p><p>Four, five.</p>",
        "<table><tr><td><form><p>One</form></table>",
        &huge,
    ];
    let place = Place::new();
    for page in pages {
        place.write("p.html", page);
        for extractor in dehusk_extract::PRESETS {
            let told = ["--explain", "--format=json"].map(|more| {
                let ended = place.dehusk(&["extract", "p.html", "-e", extractor, more]);
                assert!(ended.status == 0 || ended.stderr.contains("empty"), "{}", ended.stderr);
                stdout(&ended)
            });
            for told in &told {
                let mut words = told.split(|c: char| !c.is_alphanumeric());
                let undefined = words.find(|w| ["nan", "inf", "null"].contains(&w.to_lowercase().as_str()));
                let start: String = page.chars().take(60).collect();
                assert_eq!(undefined, None, "{extractor} of “{start}”");
            }
            // The 2 MB are one node, and content to all.
            assert!(page != huge || told[1].len() > huge.trim_end().len(), "{extractor}");
        }
    }
}

/// Every part is in the explanation of a page, in this order.
fn tells(page: &str, extractor: &str, parts: &[&str]) {
    let told = told(page, &["-e", extractor]);
    let mut rest = told.as_str();
    for part in parts {
        let at = rest
            .find(part)
            .unwrap_or_else(|| panic!("“{part}” is not in\n{rest}\nof\n{told}"));
        rest = &rest[at + part.len()..];
    }
}

#[test]
fn a_page_is_explained() {
    let place = Place::new();
    let html =
        "<title>T</title><ul><li><a href=/>Home</a></ul><div id=main class='a b'><p>One two three</p><p>four</p></div>";
    place.write("p.html", html);
    let ended = place.dehusk(&["extract", "p.html", "--explain", "-e", "coreex"]);
    let told = stdout(&ended);
    assert_eq!(ended.status, 0);
    // div: 4/0, set 4/0; body: 5/1 with the set {div}. Both sets score .99·1 + .01·4/5 = .998; the body is higher.
    for part in [
        "coreex: score 0.9980, 4 of 5 words kept, in 1 subtrees\n",
        "rule: take the node whose set scores highest, and keep its children with a ratio above 0.9; score = \
            0.99·ratio",
        "html > body > div#main  “One two three four”\n      because it is in the set of #",
        "(textCnt 4, linkCnt 0, ratio 1.0000)",
        "highest scores of ",
    ] {
        assert!(told.contains(part), "“{part}” is not in\n{told}");
    }
    place.write("e.html", "<p><a href=/>Home</a></p>");
    let ended = place.dehusk(&["extract", "e.html", "--explain"]);
    assert!(
        ended.status == 0 && stdout(&ended).contains("kept: nothing"),
        "{}",
        stdout(&ended)
    );
    let record = make::response("http://a.test/", "200 OK", "text/html", html.as_bytes());
    place.write("a.warc", record);
    let told = stdout(&place.dehusk(&["inspect", "a.warc@0", "-e", "coreex,coreex-modern"]));
    assert!(
        told.contains("\ncoreex: score 0.9980") && told.contains("\ncoreex-modern: score"),
        "{told}"
    );
}

/// ul holds two items of one link each, score 0; the row of links 1 word and 3 links, 1/4; the foot 1 and 2, 1/3. The
/// second paragraph holds 15 words and one link, 15/16.
#[test]
fn contentex_explains_scores_and_filters() {
    let parts = [
        "rule: keep what no filter deletes; score = U / (U + A)",
        "scores below 0.5, up while the score falls",
        "kept: ",
        "h1 “Harbour works begin” because no pattern filter deletes it, and it holds no link",
        "with 0.9375, not below 0.5",
        "left out, the largest of 3: ",
        "“Related: One Two Three” because it is a link table: score 0.2500, below 0.5",
        "“12:30 Contact Imprint” because it is a link table: score 0.3333, below 0.5",
        "“Home News” because everything in it was deleted, by 2 deletions; the first is #",
    ];
    tells(PAGE, "contentex", &parts);
    let page = "<p>One two three four five.</p><p>12:30</p><p>Reply</p><p>Reply</p><p>Reply</p><p>Written by:</p>";
    let parts = [
        "left out, the largest of 5: ",
        "“Written by:” because everything in it was deleted, by 1 deletions; the first is #",
        "it has 2 words, and texts that end in a colon are deleted",
        "“12:30” because",
        "it has 1 words, and texts with a time and at most 0 other words are deleted",
        "“Reply” because",
        "it has 1 words and occurs 3 times, and texts of at most 4 words that occur at least 3 times on the page are \
            deleted",
    ];
    tells(page, "contentex", &parts);
    // Under `main` are 41 of the 42 words outside links, more than the share that a table may hold.
    let parts = [
        "with at most 0.3 of the page's words outside links",
        "of the parents of its links, #",
        "not below 0.85",
    ];
    tells(PAGE, "contentex-modern", &parts);
}

/// The two paragraphs hold three marks each, and their father all six.
#[test]
fn econ_explains_marks_and_the_way_up() {
    let parts = [
        "rule: start at the set of neighbouring big-nodes with the longest text, and go up until a father adds no \
            mark;",
        "chosen: #",
        "because the set with the longest text begins with #",
        "(punc 6, ",
        "backtracking from there reached punc 6 (steps: 1), and its father #",
        "has no more than its 6 marks",
        "kept: ",
        "and in no set without a mark (its own punc is 3)",
        "left out, the largest of 6: ",
        "“room for forty” because the set that it is in has punc 0",
        "“12:30 Contact Imprint” because it is not below #",
    ];
    tells(PAGE, "econ", &parts);
    let markless = "<p>No mark at all</p>";
    tells(
        markless,
        "econ",
        &[
            "kept: nothing",
            "no set of big-nodes on the page holds a mark, so nothing is kept",
        ],
    );
    tells(
        markless,
        "econ-modern",
        &["no set of big-nodes on the page holds a mark, so all is kept"],
    );
}

/// `main` holds 19 + 97 + 90 + 19 characters; 14 of the second paragraph's and 11 of the last one's are in links. With
/// the sizes of the preset it is the separator; the last of its children has a link density of 11/19.
#[test]
fn nce_explains_its_phases() {
    let parts = [
        "rule: keep the separator's children with a link density of at most 0.4; the separator is, of the elements",
        "chosen: #",
        "(97 characters, at least 80), has 225 characters (at least 150) and 0 siblings with much text (at most 1)",
        "kept: ",
        "has a link density of 0.0000, not above 0.4, and is a child of the separator #",
        "has a link density of 0.1556, not above 0.4",
        "left out, ",
        "“Related: One Two Three” because #",
        "has a link density of 0.5789, above 0.4",
        "“12:30 Contact Imprint” because it is not under the separator #",
    ];
    tells(PAGE, "small", &parts);
    let parts = [
        "“Harbour works begin” because phase 3 took it for the title (3 words)",
        "because there is no separator: no text of at least 200 characters has one",
    ];
    tells(PAGE, "nce", &parts);
    let post = |n| format!("<div class=c><p>So it is said by number {n}.</p><span>3.12.2011</span></div>");
    let with_comments = PAGE.replace("<p>Related", &format!("{}{}{}<p>Related", post(1), post(2), post(3)));
    tells(
        &with_comments,
        "small",
        &[
            "left out, ",
            "phase 2 took #",
            "for the first comment, and drops everything from there on",
        ],
    );
}

/// DensitySum of `main`: its four children have no text but links in tags of their own: 19/1 + 97/1 + 90/1 + 19/3. The
/// densities of `foot` are (5 + 7 + 7)/3, of the menu 8/4, and of the body, the lowest on the path, 252/18.
#[test]
fn cetd_explains_densities_and_sums() {
    let parts = [
        "rule: search every tag that can be reached through tags whose text density is at least 1 times the threshold \
            (the",
        "because its DensitySum 212.3333 = 19.0000 + 97.0000 + 90.0000 + 6.3333 is the greatest in #",
        "which has a density of 14.0000 (C 252, T 18, LC 47, LT 8; in the body C 252, LC 47), at least 14.0000",
        "left out, the largest of 2: ",
        "“12:30 Contact Imprint” because #",
        "has a density of 6.3333 (C 19, T 3, LC 14, LT 2; in the body C 252, LC 47), below 14.0000",
        "“Home News” because #",
        "has a density of 2.0000 (C 8, T 4, LC 8, LT 2; in the body C 252, LC 47), below 14.0000",
    ];
    tells(PAGE, "cetd-ds", &parts);
    let parts = [
        "rule: keep the text directly inside each tag whose composite text density, averaged with its neighbours', is",
        "kept: ",
        "because the density of #",
        ", at least ",
        "“room for forty” because the density of #",
        "is 0.0000, below ",
    ];
    tells(PAGE, "cectd-s", &parts);
    tells(
        PAGE,
        "cectd-ds",
        &[
            "composite text density",
            "because its DensitySum ",
            "left out, ",
            ", below ",
        ],
    );
    tells(
        "<p>One two.</p>",
        "cectd-ds",
        &["because the page has no character in a link, so all of it is content"],
    );
    let page = format!("{PAGE}<div><p>A short notice, dense as the rest.</p></div>");
    tells(
        &page,
        "cectd-ds-modern",
        &[
            "left out, ",
            "the greatest DensitySum in #",
            "which is 0.25 of the page's greatest",
        ],
    );
}

#[test]
fn coreex_explains_what_is_left_out() {
    let page = PAGE.replace("<a href=/q>room for forty</a>", "room for forty");
    // The set of `main` has its heading and paragraphs, without a link. The row of links has a ratio of 1/4.
    let parts = [
        "left out, ",
        "“Related: One Two Three” because its ratio is not above 0.9 (textCnt 4, linkCnt 3, ratio 0.2500)",
        "“12:30 Contact Imprint” because it is no child of #",
    ];
    tells(&page, "coreex", &parts);
}

#[test]
fn explanations_are_written_as_json_too() {
    let place = Place::new();
    place.write("p.html", PAGE);
    let ended = place.dehusk(&["extract", "p.html", "--explain", "--format", "json", "-e", "coreex"]);
    let json: serde_json::Value = serde_json::from_str(&stdout(&ended)).unwrap();
    assert_eq!(
        (&json["extractor"], &json["kept"][0]["kept"]),
        (&"coreex".into(), &true.into())
    );
    let explanation = &json["left_out"][0]["explanation"];
    assert_eq!(explanation["verdict"], "left-out");
    assert!(explanation["rule"].as_str().unwrap().starts_with("coreex."));
    assert!(explanation["figures"]["ratio"].is_number(), "{explanation}");
    let ended = place.dehusk(&["extract", "p.html", "--explain", "--format", "xml"]);
    assert!(
        ended.status == 2 && ended.stderr.contains("text or json"),
        "{}",
        ended.stderr
    );
}
