//! Stores that `dehusk sites` makes, grows, lists and refuses.

use std::fs;
use std::io::Write;

use serde_json::Value;

use super::{body, known, page, pages, response};
use crate::program::Place;

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

/// A run with this store is a wrong configuration, and the message gives the reason.
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

/// The pages of a list that repeats teasers, and those of articles, have different structures.
#[test]
fn layouts_of_a_host_are_distinguished() {
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
fn a_store_of_another_version_or_other_parameters_is_refused_with_the_remedy() {
    use redb::{Database, TableDefinition};
    let head: TableDefinition<&str, &str> = TableDefinition::new("dehusk");
    for (key, value, why) in [
        (
            "version",
            "1",
            "is a store of version 1, and this program reads version 4; name another file",
        ),
        (
            "parameters",
            "8 pages a host",
            "was made with 8 pages a host, and now it is 32 pages a host, ",
        ),
        (
            "digest",
            "0123456789abcdef",
            "the store is damaged (its digest is not as it was written); restore it",
        ),
    ] {
        let place = known();
        let database = Database::open(place.path("store")).unwrap();
        let transaction = database.begin_write().unwrap();
        transaction.open_table(head).unwrap().insert(key, value).unwrap();
        transaction.commit().unwrap();
        drop(database);
        let before = fs::read(place.path("store")).unwrap();
        refused(&place, "store", why);
        let made = place.dehusk(&["sites", "a.warc", "-o", "store"]);
        assert!(made.stderr.contains(why), "{}", made.stderr);
        assert!(fs::read(place.path("store")).unwrap() == before);
    }
}

#[test]
fn two_processes_cannot_write_one_store() {
    let place = known();
    let mut first = place.start(&["sites", "-", "-o", "store"]);
    let mut stdin = first.stdin.take().unwrap();
    // A pipe holds less. So once all is written, the process has read some of it, and before that it began the store.
    stdin.write_all(&pages("third.example", 0..1000)).unwrap();
    let before = fs::read(place.path("store")).unwrap();
    let second = place.dehusk(&["sites", "b.warc", "-o", "store"]);
    assert_eq!(second.status, 1);
    assert!(second.stderr.contains("in use by another process"), "{}", second.stderr);
    assert!(fs::read(place.path("store")).unwrap() == before);
    drop(stdin);
    let first = first.end();
    assert_eq!((first.status, first.stderr.as_str()), (0, ""));
    let said = String::from_utf8(first.stdout).unwrap();
    assert!(said.contains("        1000 pages read\n"), "{said}");
    assert!(said.contains("           3 hosts in the store\n"), "{said}");
    assert_eq!(place.dehusk(&["sites", "b.warc", "-o", "store"]).status, 0);
}

#[cfg(unix)]
#[test]
fn what_a_killed_process_left_is_no_hindrance() {
    let place = known();
    place.write(".store.partial", "half of a store");
    assert_eq!(place.dehusk(&["sites", "b.warc", "-o", "store"]).status, 0);
    assert!(!place.path(".store.partial").exists());
}

/// No command reads a damaged value, adds to its store or makes documents with it. Other hosts can still be looked up.
#[test]
fn a_damaged_value_is_refused_by_all_commands_that_need_it() {
    let place = known();
    let many = |letter: char| {
        let pages = (0..300).flat_map(move |number| page(&format!("{letter}{number:03}.example"), number));
        pages.collect::<Vec<u8>>()
    };
    place.write("many.warc", [many('c'), many('q')].concat());
    place.dehusk(&["sites", "many.warc", "-o", "store"]);
    let whole = fs::read(place.path("store")).unwrap();
    let show = |host: &str| place.dehusk(&["sites", "store", "--show", host, "--json"]);
    let refused = |damaged: &[u8], why: &str| {
        fs::write(place.path("store"), damaged).unwrap();
        let shown = show("news.example");
        let ended = place.dehusk(&["run", "a.warc", "-o", "none", "--sites", "store"]);
        let made = place.dehusk(&["sites", "a.warc", "-o", "store"]);
        for ended in [&shown, &ended, &made] {
            assert_eq!(ended.status, 1, "{}", ended.stderr);
            assert!(ended.stderr.contains(why), "{}", ended.stderr);
            assert_eq!(ended.stderr.matches("damaged").count(), 1, "{}", ended.stderr);
            assert!(!ended.stderr.contains("panicked"), "{}", ended.stderr);
            assert!(
                ended.stderr.contains("restore it from a copy, or name another file"),
                "{}",
                ended.stderr
            );
        }
        assert!(fs::read(place.path("store")).unwrap() == damaged);
        fs::remove_dir_all(place.path("none")).unwrap();
        assert_eq!(show("c000.example").status, 0);
    };
    let of_text = whole.windows(11).position(|bytes| bytes == b"Our offices").unwrap();
    let mut flipped = whole.clone();
    flipped[of_text] ^= 1;
    refused(&flipped, "the store is damaged (a value is not as it was written)");
    let mut zeroed = whole.clone();
    let start = of_text / 4096 * 4096;
    zeroed[start..start + 4096].fill(0);
    refused(&zeroed, "the store is damaged (");
    fs::write(place.path("store"), &whole).unwrap();
    assert_eq!(show("news.example").status, 0);
}
