//! `select.resolve_revisits`: a revisit becomes a document of its original's page.

mod runs;

use serde_json::Value;

use crate::program::{Place, Run, make};

const RESOLVE: &str = "--resolve-revisits";
const DIGEST: &str = "WARC-Payload-Digest: sha1:MGD6VOF3ZQGKHQ6U2VY6NS5YOEKXLNRX\r\n";
const IDENTICAL: &str = "WARC-Profile: http://netpreserve.org/warc/1.1/revisit/identical-payload-digest\r\n";
const NOT_MODIFIED: &str = "WARC-Profile: http://netpreserve.org/warc/1.1/revisit/server-not-modified\r\n";

/// A record of a night in June, with its own id and date.
fn record(kind: &str, number: u32, url: &str, fields: &str, block: &[u8]) -> Vec<u8> {
    let (id, date) = (format!("urn:test:{number}"), format!("2024-06-{number:02}T00:00:00Z"));
    make::record_of((kind, &id, &date), url, fields, block)
}

fn answer(head: &str, body: &[u8]) -> Vec<u8> {
    [format!("HTTP/1.1 {head}\r\n\r\n").as_bytes(), body].concat()
}

/// An original with a page of one sentence.
fn original(number: u32, url: &str, text: &str) -> Vec<u8> {
    let body = format!("<!doctype html><title>A page</title><p>{text}</p>");
    let block = answer("200 OK\r\nContent-Type: text/html; charset=utf-8", body.as_bytes());
    let fields = format!("Content-Type: application/http; msgtype=response\r\n{DIGEST}");
    record("response", number, url, &fields, &block)
}

/// A revisit, whose own head is that of an answer without a page.
fn revisit(number: u32, url: &str, fields: &str) -> Vec<u8> {
    let fields = format!("Content-Type: application/http; msgtype=response\r\n{fields}");
    record(
        "revisit",
        number,
        url,
        &fields,
        &answer("304 Not Modified\r\nContent-Type: image/png", b""),
    )
}

fn by_id(number: u32) -> String {
    format!("{IDENTICAL}WARC-Refers-To: <urn:test:{number}>\r\n")
}

fn run(place: &Place, folder: &str, arguments: &[&str]) -> Run {
    place.run_to(folder, &[arguments, &[RESOLVE]].concat())
}

/// Ids and texts of the documents.
fn texts(run: &Run) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let pair = |d: &Value| (text(&d["id"]), text(&d["text"]));
    run.documents().iter().map(pair).collect()
}

fn pairs(expected: &[(&str, &str)]) -> Vec<(String, String)> {
    let pair = |(id, text): &(&str, &str)| ((*id).to_owned(), (*text).to_owned());
    expected.iter().map(pair).collect()
}

/// How many revisits became documents, and how many did not.
fn counts(run: &Run) -> (u64, u64) {
    (run.total("notes.revisit_resolved"), run.total("filtered.revisit"))
}

#[test]
fn a_revisit_is_a_document_with_the_page_of_its_original() {
    let place = Place::new();
    let url = "https://a.example/";
    let first = original(1, url, "The page has some words.");
    let second = revisit(2, "https://a.example/again", &by_id(1));
    place.write("a.warc", [&first[..], &second].concat());
    let off = place.run_to("off", &["a.warc"]).ends_with(0);
    assert_eq!((off.documents().len(), counts(&off)), (1, (0, 1)), "only on request");
    let on = run(&place, "on", &["a.warc"]).ends_with(0);
    assert_eq!(counts(&on), (1, 0));
    assert_eq!(on.documents()[0], {
        let mut same = off.documents()[0].clone();
        same["version"] = on.documents()[0]["version"].clone();
        same
    });
    let document = on.document("2");
    assert_eq!(document["text"], "The page has some words.");
    assert_eq!(document["created"], "2024-06-02T00:00:00Z");
    let metadata = &document["metadata"];
    assert_eq!(metadata["url"], "https://a.example/again");
    assert_eq!(metadata["warc_offset"], first.len());
    assert_eq!(metadata["warc_length"], second.len());
    assert_eq!(
        (&metadata["http_status"], &metadata["mime"]),
        (&200.into(), &"text/html".into())
    );
    assert_eq!(metadata["flags"], "revisit_resolved");
    // Its place leads to the revisit.
    let place_of = format!("a.warc@{}", first.len());
    let found = place.dehusk(&["inspect", &place_of]);
    let found = String::from_utf8(found.stdout).unwrap();
    assert!(
        found.contains("WARC-Refers-To") && found.contains("urn:test:1"),
        "{found}"
    );
}

#[test]
fn originals_are_found_by_id_by_capture_and_by_digest() {
    let (one, two) = ("https://a.example/", "https://b.example/");
    let capture =
        "WARC-Refers-To-Target-URI: <https://a.example/>\r\nWARC-Refers-To-Date: 2024-06-01T00:00:00.123Z\r\n";
    let wrong = "WARC-Refers-To: <urn:test:99>\r\n";
    let other_url = "WARC-Refers-To-Target-URI: https://a.example/\r\n";
    let http = "http://netpreserve.org/warc/1.0/revisit";
    let cases = [
        (one, by_id(1)),
        (two, format!("{IDENTICAL}{capture}")),
        (two, format!("{NOT_MODIFIED}{capture}")),
        (
            one,
            format!("{NOT_MODIFIED}WARC-Refers-To-Date: 2024-06-01T00:00:00Z\r\n"),
        ),
        (one, format!("{IDENTICAL}{DIGEST}")),
        (one, DIGEST.to_lowercase().replace("warc-payload", "WARC-Payload")),
        (
            two,
            format!("WARC-Profile: <{http}/uri-agnostic-identical-payload-digest>\r\n{DIGEST}{other_url}"),
        ),
        // A reference that leads nowhere is followed by one that leads to a record.
        (one, format!("{IDENTICAL}{wrong}{DIGEST}")),
        (two, format!("{IDENTICAL}{wrong}{capture}")),
        // The digests are of two kinds, and prove nothing.
        (
            one,
            format!(
                "{}WARC-Payload-Digest: md5:d41d8cd98f00b204e9800998ecf8427e\r\n",
                by_id(1)
            ),
        ),
    ];
    let place = Place::new();
    for (url, fields) in &cases {
        place.write(
            "a.warc",
            [original(1, one, "Some words."), revisit(2, url, fields)].concat(),
        );
        let run = run(&place, "out", &["a.warc", "--overwrite"]).ends_with(0);
        assert_eq!(counts(&run), (1, 0), "{fields}");
        assert_eq!(
            texts(&run),
            pairs(&[("urn:test:1", "Some words."), ("urn:test:2", "Some words.")])
        );
        assert_eq!(run.documents()[1]["metadata"]["url"], *url);
    }
}

#[test]
fn a_revisit_whose_original_is_not_in_the_run_counts_as_revisit() {
    let (one, two) = ("https://a.example/", "https://b.example/");
    let other_digest = "WARC-Payload-Digest: sha1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\r\n";
    let cases = [
        (one, by_id(9)),
        (one, IDENTICAL.to_owned()),
        // The digest of a page at another URL.
        (two, format!("{IDENTICAL}{DIGEST}")),
        // A digest of an answer without a page.
        (one, format!("{NOT_MODIFIED}{DIGEST}")),
        // A record that has another payload than the revisit states.
        (one, format!("{}{other_digest}", by_id(1))),
        (one, format!("{IDENTICAL}WARC-Refers-To-Date: 2024-06-07T00:00:00Z\r\n")),
        // Nobody knows what it promises.
        (
            one,
            format!("WARC-Profile: https://a.example/mine\r\nWARC-Refers-To: <urn:test:1>\r\n{DIGEST}"),
        ),
        // No page is there.
        (one, by_id(3)),
    ];
    let place = Place::new();
    for (url, fields) in &cases {
        let request = record("request", 3, one, DIGEST, b"GET / HTTP/1.1\r\n\r\n");
        let records = [original(1, one, "Some words."), request, revisit(2, url, fields)];
        place.write("a.warc", records.concat());
        let run = run(&place, "out", &["a.warc", "--overwrite"]).ends_with(0);
        assert_eq!((counts(&run), run.documents().len()), ((0, 1), 1), "{fields}");
    }
}

#[test]
fn the_original_may_be_anywhere_in_the_run() {
    let url = |i: u32| format!("https://a.example/{i}");
    let text = |i: u32| format!("The page {i} has some words.");
    // Far apart, so that there are several windows.
    let originals: Vec<Vec<u8>> = (1..9)
        .flat_map(|i| [original(i, &url(i), &text(i)), make::filler(i.into(), 700_000)])
        .collect();
    let revisits: Vec<Vec<u8>> = (1..9)
        .flat_map(|i| [revisit(i + 10, &url(i), &by_id(i)), make::filler(i.into(), 700_000)])
        .collect();
    type Pack = fn(&[u8]) -> Vec<u8>;
    let packs: [(&str, Pack); 3] = [
        ("warc", <[u8]>::to_vec),
        ("warc.gz", make::gzip),
        ("warc.zst", make::zstd),
    ];
    for (ending, pack) in packs {
        let place = Place::new();
        let names = ["later", "before", "both"].map(|name| format!("{name}.{ending}"));
        place.write(&names[0], make::each(&revisits, pack));
        place.write(&names[1], make::each(&originals, pack));
        let both: Vec<Vec<u8>> = revisits.iter().chain(&originals).cloned().collect();
        place.write(&names[2], make::each(&both, pack));
        let archives: Vec<&str> = names.iter().map(String::as_str).collect();
        let one = run(&place, "one", &[&archives[..], &["--threads", "1"]].concat()).ends_with(0);
        assert_eq!(counts(&one), (16, 0), "{ending}");
        for i in 1..9 {
            let found = one.documents();
            let mut of_revisit = found.iter().filter(|d| d["id"] == format!("urn:test:{}", i + 10));
            assert!(of_revisit.all(|d| d["text"] == text(i).as_str()));
        }
        let many = run(&place, "many", &[&archives[..], &["--threads", "4"]].concat()).ends_with(0);
        assert_eq!(many.shards, one.shards, "{ending}");
        // The other way round.
        let reversed = run(&place, "reversed", &[archives[1], archives[0], archives[2]]).ends_with(0);
        assert_eq!(reversed.shards, one.shards, "{ending}");
    }
}

#[test]
fn of_one_large_member_the_first_part_has_originals() {
    let place = Place::new();
    // Digests of records in large members are checked, and this one is not that of the page.
    let original = |number, url, text| {
        let record = String::from_utf8(original(number, url, text)).unwrap();
        record.replace(DIGEST, "").into_bytes()
    };
    let records = [
        original(1, "https://a.example/1", "Near the start."),
        make::filler(1, 9_000_000),
        original(2, "https://a.example/2", "Far behind."),
        revisit(3, "https://a.example/1", &by_id(1)),
        revisit(4, "https://a.example/2", &by_id(2)),
    ];
    place.write("a.warc.gz", make::gzip_stored(&records.concat()));
    let run = run(&place, "out", &["a.warc.gz"]).ends_with(0);
    assert_eq!(counts(&run), (1, 1));
    assert_eq!(run.document("3")["text"], "Near the start.");
}

#[test]
fn chains_are_followed_and_loops_end() {
    let place = Place::new();
    let url = "https://a.example/";
    let chain = [
        revisit(4, url, &by_id(3)),
        revisit(3, url, &by_id(2)),
        revisit(2, url, &by_id(1)),
        original(1, url, "The end of the chain."),
        // Two that refer to each other, one to itself, and one that has another way out.
        revisit(5, url, &by_id(6)),
        revisit(6, url, &by_id(5)),
        revisit(7, url, &by_id(7)),
        revisit(8, url, &format!("{}{DIGEST}", by_id(8))),
    ];
    // And one that is too long.
    let long = (11..29).map(|i| revisit(i, url, &by_id(if i == 11 { 1 } else { i - 1 })));
    let records: Vec<Vec<u8>> = chain.into_iter().chain(long).collect();
    place.write("a.warc", records.concat());
    let run = run(&place, "out", &["a.warc"]).ends_with(0);
    let ids: Vec<String> = texts(&run).into_iter().map(|(id, _)| id).collect();
    let expected = [4, 3, 2, 1, 8].into_iter().chain(11..19);
    assert_eq!(ids, expected.map(|i| format!("urn:test:{i}")).collect::<Vec<_>>());
    assert!(texts(&run).iter().all(|(_, text)| text == "The end of the chain."));
    assert_eq!(counts(&run), (12, 13));
}

#[test]
fn the_original_at_the_end_of_a_chain_contradicts_no_revisit_of_it() {
    let place = Place::new();
    let url = "https://a.example/";
    let not_modified = |number: u32, fields: &str| {
        let fields = format!("{NOT_MODIFIED}WARC-Refers-To: <urn:test:1>\r\n{fields}");
        revisit(number, url, &fields)
    };
    let other = "WARC-Payload-Digest: sha1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\r\n";
    let records = [
        original(1, url, "Some words."),
        not_modified(2, ""),
        revisit(3, url, &format!("{}{other}", by_id(2))),
        revisit(4, url, &format!("{}{DIGEST}", by_id(2))),
        // The digest of an answer without a page contradicts nothing.
        not_modified(5, other),
        revisit(6, url, &format!("{}{DIGEST}", by_id(5))),
        // A revisit without a digest, of one that the original contradicts.
        revisit(7, url, &by_id(3)),
    ];
    place.write("a.warc", records.concat());
    let run = run(&place, "out", &["a.warc"]).ends_with(0);
    let ids: Vec<String> = texts(&run).into_iter().map(|(id, _)| id).collect();
    assert_eq!(ids, [1, 2, 4, 5, 6].map(|i| format!("urn:test:{i}")));
    assert_eq!(counts(&run), (4, 2));
}

#[test]
fn what_drops_the_original_drops_the_revisit() {
    let place = Place::new();
    let response = |number: u32, head: &str, body: &[u8]| {
        let fields = "Content-Type: application/http; msgtype=response\r\n";
        record("response", number, "https://a.example/", fields, &answer(head, body))
    };
    let cases = [
        (
            response(1, "404 Not Found\r\nContent-Type: text/html", b"<p>Gone."),
            "filtered.status",
        ),
        (
            response(1, "200 OK\r\nContent-Type: image/png", b"<p>Some words."),
            "filtered.mime",
        ),
        (
            response(1, "200 OK\r\nContent-Type: text/html", b"<p></p>"),
            "filtered.empty",
        ),
        (
            response(1, "200 OK\r\nContent-Type: text/html; charset=utf-7", b"<p>+AGEAYgBj-"),
            "failed.charset_unsupported",
        ),
        (
            record(
                "resource",
                1,
                "https://a.example/",
                "Content-Type: text/plain\r\n",
                b"Some words.",
            ),
            "filtered.mime",
        ),
    ];
    for (original, reason) in &cases {
        place.write(
            "a.warc",
            [&original[..], &revisit(2, "https://a.example/", &by_id(1))].concat(),
        );
        let run = run(&place, "out", &["a.warc", "--overwrite"]);
        assert_eq!(
            (run.total("framed"), run.total("emitted"), run.total(reason)),
            (2, 0, 2),
            "{reason}"
        );
        assert_eq!(counts(&run), (1, 0));
    }
    // Rules on the URL go by the revisit's own.
    let records = [
        original(1, "https://a.example/", "Some words."),
        revisit(2, "https://b.example/", &by_id(1)),
    ];
    place.write("a.warc", records.concat());
    let run = run(&place, "out", &["a.warc", "--overwrite", "--url-exclude", "a.example"]).ends_with(0);
    assert_eq!(texts(&run), pairs(&[("urn:test:2", "Some words.")]));
}

#[test]
fn a_damaged_original_fails_its_revisits_for_the_same_reason() {
    let place = Place::new();
    let mut damaged = make::gzip(&original(1, "https://a.example/", "Some words."));
    let crc = damaged.len() - 8;
    damaged[crc] ^= 0xff;
    let member = make::gzip(&revisit(2, "https://a.example/", &by_id(1)));
    place.write(
        "a.warc.gz",
        [
            make::gzip(&original(3, "https://c.example/", "Whole.")),
            damaged,
            member.clone(),
        ]
        .concat(),
    );
    let run = run(&place, "out", &["a.warc.gz"]).ends_with(3);
    assert_eq!((run.total("emitted"), run.total("failed.gzip_crc")), (1, 2));
    let of_revisit = run.failed.iter().find(|line| line["id"] == "urn:test:2").unwrap();
    assert_eq!(
        (&of_revisit["reason"], &of_revisit["length"]),
        (&"gzip_crc".into(), &member.len().into())
    );
}

#[test]
fn codings_and_charset_are_those_of_the_original() {
    let place = Place::new();
    let body = make::gzip(b"<!doctype html><p>Caf\xe9 and words.</p>");
    let head = "200 OK\r\nContent-Type: text/html; charset=iso-8859-1\r\nContent-Encoding: gzip";
    let fields = "Content-Type: application/http; msgtype=response\r\n";
    let original = record("response", 1, "https://a.example/", fields, &answer(head, &body));
    let own = answer(
        "200 OK\r\nContent-Type: text/html; charset=utf-16\r\nContent-Encoding: br",
        b"",
    );
    let revisit = record("revisit", 2, "https://a.example/", &by_id(1), &own);
    place.write("a.warc", [original, revisit].concat());
    let run = run(&place, "out", &["a.warc"]).ends_with(0);
    assert_eq!(run.document("2")["text"], "Café and words.");
    assert_eq!(run.document("2")["metadata"]["charset"], "windows-1252");
}

#[test]
fn a_stream_has_no_originals_but_finds_them_in_files() {
    let place = Place::new();
    let (one, two) = ("https://a.example/", "https://b.example/");
    let stream = [
        original(1, one, "In the stream."),
        revisit(2, one, &by_id(1)),
        revisit(3, two, &by_id(4)),
    ];
    place.write("file.warc", original(4, two, "In the file."));
    let arguments = ["run", "-", "file.warc", "-o", "out", RESOLVE];
    let ended = place.dehusk_fed(&arguments, &stream.concat());
    let run = place.read("out", ended).ends_with(0);
    assert_eq!(counts(&run), (1, 1));
    assert_eq!(run.document("3")["text"], "In the file.");
}

#[test]
fn records_that_the_run_does_not_read_are_no_originals() {
    let place = Place::new();
    let url = "https://a.example/";
    let (first, second) = (original(1, url, "Some words."), revisit(2, url, &by_id(1)));
    place.write("a.warc", [&first[..], &second].concat());
    place.write("b.warc", revisit(3, url, &by_id(1)));
    place.write("offsets", format!("a.warc\t{}\t{}\n", first.len(), second.len()));
    let alone = run(&place, "alone", &["--offsets", "offsets"]).ends_with(0);
    assert_eq!(counts(&alone), (0, 1));
    place.write(
        "offsets",
        format!(
            "a.warc\t0\t{}\na.warc\t{}\t{}\n",
            first.len(),
            first.len(),
            second.len()
        ),
    );
    let both = run(&place, "both", &["--offsets", "offsets"]).ends_with(0);
    assert_eq!(counts(&both), (1, 0));
    let part = run(&place, "part", &["a.warc", "b.warc", "--part", "2/2"]).ends_with(0);
    assert_eq!(counts(&part), (0, 1));
}
