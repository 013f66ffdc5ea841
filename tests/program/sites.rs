//! `dehusk sites`, and runs with what it makes.

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
fn the_store_is_the_same_for_every_order_and_number_of_threads_and_when_it_grows() {
    let place = known();
    for (name, arguments) in [
        ("one", vec![vec!["b.warc", "a.warc", "-t", "1"]]),
        ("four", vec![vec!["a.warc", "b.warc", "-t", "4"]]),
        ("grown", vec![vec!["b.warc"], vec!["a.warc"], vec!["a.warc"]]),
    ] {
        for step in arguments {
            let made = place.dehusk(&[&["sites"][..], &step, &["-o", name]].concat());
            assert_eq!((made.status, made.stderr.as_str()), (0, ""));
        }
        let same = fs::read(place.path("store")).unwrap() == fs::read(place.path(name)).unwrap();
        assert!(same, "{name} differs");
    }
}

/// The store of pages that come one after the other, each with its own command, has all that documents depend on.
#[test]
fn a_store_that_grows_page_by_page_knows_the_same_of_them() {
    let place = Place::new();
    for number in 1..5 {
        place.write("page.warc", page("news.example", number));
        place.dehusk(&["sites", "page.warc", "-o", "grown"]);
    }
    place.write("all.warc", pages("news.example", 1..5));
    place.dehusk(&["sites", "all.warc", "-o", "store"]);
    place.write("new.warc", page("news.example", 5));
    let explained = |store: &str| {
        let store = format!("extract.sites={store}");
        let ended = place.dehusk(&["inspect", "new.warc@0", "-e", "fusion", "--set", &store]);
        String::from_utf8(ended.stdout).unwrap()
    };
    assert!(
        explained("store").contains("of 4 other pages of the host"),
        "{}",
        explained("store")
    );
    assert_eq!(explained("grown"), explained("store"));
}

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
fn a_link_to_a_store_stays_and_a_store_keeps_its_permissions() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let place = known();
    symlink("store", place.path("link")).unwrap();
    fs::set_permissions(place.path("store"), fs::Permissions::from_mode(0o600)).unwrap();
    let before = fs::read(place.path("store")).unwrap();
    place.write("c.warc", pages("third.example", 1..3));
    assert_eq!(place.dehusk(&["sites", "c.warc", "-o", "link"]).status, 0);
    assert!(place.path("link").is_symlink());
    assert!(fs::read(place.path("store")).unwrap() != before);
    let mode = fs::metadata(place.path("store")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
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
fn the_explanation_says_on_how_many_pages_a_text_is() {
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
fn documents_say_by_what_store_they_were_made() {
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
    // The name of the store says nothing.
    fs::copy(place.path("store"), place.path("copy")).unwrap();
    assert_eq!(version(&["--sites", "copy"]), with);
    place.write("c.warc", pages("news.example", [5]));
    place.dehusk(&["sites", "c.warc", "-o", "copy"]);
    assert_ne!(version(&["--sites", "copy", "-t", "1"]), with);
}

#[test]
fn what_a_host_repeats_is_listed() {
    let place = known();
    let shown = place.dehusk(&["sites", "store", "--show", "NEWS.example", "--json"]);
    let shown: Value = serde_json::from_slice(&shown.stdout).unwrap();
    assert_eq!((&shown["pages"], &shown["texts"]), (&3.into(), &6.into()));
    assert_eq!(shown["layouts"][0]["pages"], 3);
    let begins: Vec<&str> = shown["repeated"]
        .as_array()
        .unwrap()
        .iter()
        .map(|text| text["begin"].as_str().unwrap())
        .collect();
    assert_eq!(
        begins,
        [
            "Bring your dog and your children.",
            "Call us at any time of the day.",
            "Our offices are closed on Monday 0 and o",
            "The car park is behind the house.",
            "There is coffee, too.",
            "We are looking forward to your visit."
        ]
    );
    let text = String::from_utf8(place.dehusk(&["sites", "store", "--show", "news.example"]).stdout).unwrap();
    assert!(
        text.starts_with(
            "news.example: 3 pages known, 6 texts on two and more of them\n\npages  layout\n    3  1, 6 texts"
        ),
        "{text}"
    );
    let unknown = place.dehusk(&["sites", "store", "--show", "no.example"]);
    assert_eq!(
        (unknown.status, unknown.stderr.as_str()),
        (1, "dehusk: store: no page of no.example is known\n")
    );
}

/// A run with this store is a wrong configuration, and is told why.
fn refused(place: &Place, store: &str, why: &str) {
    let ended = place.dehusk(&["run", "a.warc", "-o", "none", "--sites", store]);
    assert_eq!(ended.status, 2, "{}", ended.stderr);
    assert!(ended.stderr.contains(why), "{}", ended.stderr);
}

#[test]
fn what_is_no_store_of_sites_is_refused_and_left_as_it_is() {
    let place = known();
    place.run_to("seen", &["a.warc", "--seen", "payloads"]);
    place.write("text", "not a store, but a file of some length");
    let store = fs::read(place.path("store")).unwrap();
    place.write("cut", &store[..store.len() / 2]);
    for (name, why) in [("payloads", "is a store of"), ("text", "text: "), ("cut", "cut: ")] {
        let before = fs::read(place.path(name)).unwrap();
        refused(&place, name, why);
        let made = place.dehusk(&["sites", "a.warc", "-o", name]);
        assert_eq!(made.status, 1, "{name}: {}", made.stderr);
        assert!(made.stderr.contains(why), "{name}: {}", made.stderr);
        assert!(fs::read(place.path(name)).unwrap() == before, "{name} has changed");
    }
    refused(&place, "absent", "`dehusk sites ARCHIVE... -o FILE` makes such a store");
    assert!(
        !place.names(".").iter().any(|name| name.contains("partial")),
        "{:?}",
        place.names(".")
    );
}

#[test]
fn a_damaged_archive_counts_as_far_as_it_is_read() {
    let place = Place::new();
    let mut bytes = pages("news.example", 1..4);
    bytes.truncate(bytes.len() - 300);
    place.write("cut.warc", bytes);
    let made = place.dehusk(&["sites", "cut.warc", "missing.warc", "-o", "store"]);
    assert_eq!(made.status, 3, "{}", made.stderr);
    assert!(made.stderr.contains("missing.warc"), "{}", made.stderr);
    let shown = place.dehusk(&["sites", "store", "--show", "news.example", "--json"]);
    let shown: Value = serde_json::from_slice(&shown.stdout).unwrap();
    assert_eq!(shown["pages"], 2);
}

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

/// The pages of a list that repeats teasers, and those of articles, have different structures.
#[test]
fn layouts_of_a_host_are_told_apart() {
    let place = Place::new();
    let article = |number: u32| {
        let parts = "<section class=part><h2 class=head>Part</h2><blockquote class=quote>Words</blockquote></section>";
        response(
            &format!("https://two.example/a{number}"),
            &format!("<article>{parts}</article>{}", body(number)),
        )
    };
    let list = |number: u32| {
        let rows = "<li class=teaser><h3 class=name>Name</h3><figure class=thumb>Picture</figure></li>".repeat(5);
        let html =
            format!("<nav class=tabs><ol class=teasers>{rows}</ol></nav><footer><form>{number} of 9</form></footer>");
        response(&format!("https://two.example/l{number}"), &html)
    };
    let archive: Vec<u8> = (1..5)
        .flat_map(|n| [article(n), list(n)].concat())
        .chain(article(5))
        .collect();
    place.write("two.warc", archive);
    place.dehusk(&["sites", "two.warc", "-o", "store"]);
    let shown = place.dehusk(&["sites", "store", "--show", "two.example", "--json"]);
    let shown: Value = serde_json::from_slice(&shown.stdout).unwrap();
    let layouts = shown["layouts"].as_array().unwrap();
    let pages: Vec<_> = layouts.iter().map(|layout| layout["pages"].as_u64().unwrap()).collect();
    assert_eq!(pages, [5, 4]);
    assert!(
        layouts.iter().all(|layout| layout["sure"].as_u64() > Some(50)),
        "{shown}"
    );
}

#[test]
fn a_host_with_very_many_pages_and_very_many_hosts_with_one_are_bounded() {
    let place = Place::new();
    let small = |host: String, number: u32| {
        response(
            &format!("https://{host}/{number}"),
            &format!("<p>Menu of all pages</p><p>Page {number}</p>"),
        )
    };
    let large = (0..3000).flat_map(|number| small("large.example".to_owned(), number));
    place.write("large.warc", large.collect::<Vec<u8>>());
    let many = (0..3000).flat_map(|number| small(format!("h{number}.example"), 1));
    place.write("many.warc", many.collect::<Vec<u8>>());
    let made = place.dehusk(&["sites", "large.warc", "many.warc", "-o", "store"]);
    let said = String::from_utf8(made.stdout).unwrap();
    for line in [
        "        6000 pages read\n",
        "        3001 hosts in the store\n",
        "        3032 pages in the store\n",
    ] {
        assert!(said.contains(line), "{said}");
    }
    // In the reverse order, by other threads and in two steps it is the same.
    for step in ["many.warc", "large.warc"] {
        place.dehusk(&["sites", step, "-o", "again", "-t", "3"]);
    }
    assert!(fs::read(place.path("store")).unwrap() == fs::read(place.path("again")).unwrap());
    let listed = place.dehusk(&["sites", "store", "--show", "large.example"]);
    let listed = String::from_utf8(listed.stdout).unwrap();
    assert!(listed.contains("   32  Menu of all pages"), "{listed}");
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

/// After a host has changed its template, the pages of the old one are forgotten by and by.
#[test]
fn an_old_template_fades() {
    let place = Place::new();
    let dated = |numbers: std::ops::Range<u32>, date: &str, template: &str| {
        let one = |number: u32| {
            let url = format!("https://news.example/{date}/{number}");
            let html = format!("<p>{template} of the site</p><p>Page {number} of {date}</p>");
            let page = String::from_utf8(response(&url, &html)).unwrap();
            let start = page.find("WARC-Date: ").unwrap() + "WARC-Date: ".len();
            format!("{}{date}{}", &page[..start], &page[start + date.len()..]).into_bytes()
        };
        numbers.flat_map(one).collect::<Vec<u8>>()
    };
    place.write("old.warc", dated(0..60, "2021-03-01", "Old menu"));
    place.write("new.warc", dated(0..60, "2024-03-01", "New menu"));
    // The old crawl comes last: its own dates count.
    for archive in ["new.warc", "old.warc"] {
        place.dehusk(&["sites", archive, "-o", "store"]);
    }
    let shown = place.dehusk(&["sites", "store", "--show", "news.example"]);
    let shown = String::from_utf8(shown.stdout).unwrap();
    assert!(
        shown.contains("New menu of the site") && !shown.contains("Old menu"),
        "{shown}"
    );
}

/// A page that repeats the texts of its neighbours thousands of times, and one of texts that no other has.
#[test]
fn a_hostile_page_changes_only_what_is_known_of_its_host() {
    let place = known();
    let entry = |host: &str| {
        let shown = place.dehusk(&["sites", "store", "--show", host, "--json"]);
        String::from_utf8(shown.stdout).unwrap()
    };
    let before = entry("news.example");
    let texts: String = (0..40_000)
        .map(|n| format!("<p>{}{}", "x".repeat(n % 97), char::from(b'a' + (n % 26) as u8)))
        .collect();
    place.write(
        "hostile.warc",
        [
            response("https://evil.example/1", &texts),
            response("https://evil.example/2", &texts),
        ]
        .concat(),
    );
    assert_eq!(place.dehusk(&["sites", "hostile.warc", "-o", "store"]).status, 0);
    assert_eq!(entry("news.example"), before);
    assert!(fs::metadata(place.path("store")).unwrap().len() < 4 << 20);
}

#[test]
fn a_store_of_an_older_version_is_refused_with_the_remedy() {
    use redb::{Database, TableDefinition};
    let place = known();
    let head: TableDefinition<&str, &str> = TableDefinition::new("dehusk");
    let database = Database::open(place.path("store")).unwrap();
    let transaction = database.begin_write().unwrap();
    transaction.open_table(head).unwrap().insert("version", "1").unwrap();
    transaction.commit().unwrap();
    drop(database);
    let before = fs::read(place.path("store")).unwrap();
    refused(
        &place,
        "store",
        "is a store of version 1, and this program reads version 2; name another file",
    );
    let made = place.dehusk(&["sites", "a.warc", "-o", "store"]);
    assert!(made.stderr.contains("is a store of version 1"), "{}", made.stderr);
    assert!(fs::read(place.path("store")).unwrap() == before);
}

#[cfg(unix)]
#[test]
fn two_processes_cannot_write_one_store() {
    let place = known();
    // The lock that the first of them holds.
    let partial = fs::File::create(place.path(".store.partial")).unwrap();
    partial.lock().unwrap();
    let before = fs::read(place.path("store")).unwrap();
    let second = place.dehusk(&["sites", "b.warc", "-o", "store"]);
    assert_eq!(second.status, 1);
    assert!(second.stderr.contains("in use by another process"), "{}", second.stderr);
    assert!(fs::read(place.path("store")).unwrap() == before);
    drop(partial);
    // What it left is no hindrance.
    assert_eq!(place.dehusk(&["sites", "b.warc", "-o", "store"]).status, 0);
}

#[test]
fn clusters_tell_how_much_of_a_document_is_template() {
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
