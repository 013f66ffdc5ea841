//! Formats of history: tar files and directories of pages, and text that was converted before.

use std::fs;

use serde_json::Value;

use crate::archives::make::{TAR_END, tar_file, tar_header};
use crate::program::{Place, make};

/// A tar file of two pages, one of them compressed, a text, a directory and a link.
fn tar() -> Vec<u8> {
    [
        tar_header("20240607/", b'5', 0),
        tar_file(
            "20240607/a.example/one.html",
            b"<title>One</title><p>The first page has words.",
        ),
        tar_header("20240607/link.html", b'2', 0),
        tar_file("20240607/notes.txt", b"Not a page."),
        tar_file(
            "20240608/a.example/two.html.gz",
            &make::gzip(b"<title>Two</title><p>The second page has words."),
        ),
        TAR_END.to_vec(),
    ]
    .concat()
}

fn fields(documents: &[Value], key: &str) -> Vec<String> {
    let field = |d: &Value| d["metadata"][key].as_str().unwrap().to_owned();
    documents.iter().map(field).collect()
}

#[test]
fn pages_in_tar_files_become_documents_in_every_compression() {
    let place = Place::new();
    place.write("plain.tar", tar());
    place.write("packed.tar.gz", make::gzip(&tar()));
    place.write("other.tgz", make::gzip(&tar()));
    place.write("modern.tar.zst", zstd::encode_all(&tar()[..], 3).unwrap());
    for name in ["plain.tar", "packed.tar.gz", "other.tgz", "modern.tar.zst"] {
        let out = format!("{name}-out");
        let run = place.run_to(&out, &[name]).ends_with(0);
        assert_eq!(
            run.texts(),
            ["The first page has words.", "The second page has words."],
            "{name}"
        );
        assert_eq!((run.total("framed"), run.total("filtered.mime")), (3, 1), "{name}");
        let documents = run.documents();
        assert_eq!(fields(&documents, "url")[0], "20240607/a.example/one.html");
        assert_eq!(documents[0]["created"], "2024-05-06T07:08:09Z");
        let shard = run.shards.keys().next().unwrap();
        assert!(
            ["plain", "packed", "other", "modern"]
                .iter()
                .any(|stem| *shard == format!("documents/{stem}.jsonl.zst"))
        );
        let piped = place.dehusk_fed(
            &["run", "-", "-o", &format!("{name}-piped")],
            &fs::read(place.path(name)).unwrap(),
        );
        let piped = place.read(&format!("{name}-piped"), piped).ends_with(0);
        assert_eq!(piped.texts(), run.texts());
    }
}

#[test]
fn a_pattern_gives_pages_their_urls_and_dates() {
    let place = Place::new();
    place.write("a.tar", tar());
    let pattern = r"input.url_pattern=^(?<date>\d{8})/(?<url>.*?)[.]html";
    let run = place
        .run(&["a.tar", "--set", pattern, "--url-include", "/two$"])
        .ends_with(0);
    let documents = run.documents();
    assert_eq!(fields(&documents, "url"), ["https://a.example/two"]);
    assert_eq!(fields(&documents, "hostname"), ["a.example"]);
    assert_eq!(
        (&documents[0]["created"], run.total("filtered.url")),
        (&"2024-06-08T00:00:00Z".into(), 2)
    );
    let ended = place.dehusk(&["run", "a.tar", "-o", "b", "--set", "input.url_pattern=x"]);
    assert_eq!(ended.status, 2);
    assert!(
        ended.stderr.contains("“input.url_pattern”: it has neither a group"),
        "{}",
        ended.stderr
    );
}

#[test]
fn a_directory_of_pages_is_one_archive_with_one_shard() {
    let place = Place::new();
    place.write("crawl/b/two.html.gz", make::gzip(b"<p>The second page has words."));
    place.write("crawl/a.html", "<p>The first page has words.");
    place.write(
        "crawl/c.xhtml.zst",
        zstd::encode_all(&b"<p>The third page has words."[..], 3).unwrap(),
    );
    place.write("crawl/notes.txt", "No page.");
    place.write("crawl/.hidden.html", "<p>Hidden.");
    let long = format!("{}/page.html", "d".repeat(120));
    place.write(&format!("crawl/{long}"), "<p>The page with the long name has words.");
    let run = place.run(&["crawl"]).ends_with(0);
    assert_eq!(run.archives().len(), 1);
    let urls = fields(&run.documents(), "url");
    assert_eq!(urls, ["a.html", "b/two.html.gz", "c.xhtml.zst", long.as_str()]);
    assert_eq!(run.shards.keys().collect::<Vec<_>>(), ["documents/crawl.jsonl.zst"]);
    let documents = run.documents();
    let created: Vec<_> = documents.iter().map(|document| &document["created"]).collect();
    assert_eq!(created, [""; 4]);
    // The same command again has nothing to do, and a new page is a change.
    place.run(&["crawl"]).ends_with(0);
    place.write("crawl/d.html", "<p>A new page.");
    let changed = place.run(&["crawl"]).ends_with(1);
    assert_eq!(changed.documents().len(), 4);
    fs::remove_file(place.path("crawl/d.html")).unwrap();
    let again = place.run_to("again", &["crawl", "--threads", "1"]).ends_with(0);
    assert!(again.shard() == run.shard());
    let listed = place.dehusk(&["inspect", "crawl", "--verdicts"]);
    assert_eq!(
        (listed.status, String::from_utf8(listed.stdout).unwrap().lines().count()),
        (0, 5)
    );
}

#[test]
fn archives_in_a_directory_come_before_its_pages() {
    let place = Place::new();
    place.write("mixed/page.html", "<p>A page beside an archive.");
    place.write(
        "mixed/a.warc",
        make::page("https://a.example/", "A page in an archive."),
    );
    let run = place.run(&["mixed"]).ends_with(0);
    assert_eq!(run.texts(), ["A page in an archive."]);
}

#[test]
fn entries_of_tar_files_are_inspected_at_their_places() {
    let place = Place::new();
    place.write("a.tar", tar());
    let listed = place.dehusk(&["inspect", "a.tar"]);
    let text = String::from_utf8(listed.stdout).unwrap();
    let row: Vec<&str> = text.lines().nth(1).unwrap().split('\t').collect();
    assert_eq!((row[0], row[2], row[5]), ("512", "resource", "text/html"));
    let shown = place.dehusk(&["inspect", "a.tar@512"]);
    assert!(
        String::from_utf8(shown.stdout)
            .unwrap()
            .contains("The first page has words.")
    );
}

#[test]
fn conversions_are_passed_through_as_text() {
    let place = Place::new();
    let text = "A headline\r\nThe first line of a text, with a < in it.\n\n  The second.  \n";
    let fields = "Content-Type: text/plain\r\n";
    let empty = make::record("conversion", "https://b.example/", fields, b" \n");
    let wet = make::record("conversion", "https://a.example/", fields, text.as_bytes());
    place.write("a.warc.wet", [wet, empty].concat());
    let run = place.run(&["a.warc.wet"]).ends_with(0);
    assert_eq!((run.total("emitted"), run.total("filtered.record_type")), (0, 2));
    let run = place
        .run_to("text", &["a.warc.wet", "--record-type", "conversion"])
        .ends_with(0);
    assert_eq!(
        run.texts(),
        ["A headline\nThe first line of a text, with a < in it.\n\n  The second."]
    );
    assert_eq!(run.total("filtered.empty"), 1);
    let document = &run.documents()[0];
    assert_eq!(
        (&document["metadata"]["words"], &document["metadata"]["mime"]),
        (&14.into(), &"text/plain".into())
    );
    assert_eq!(document["metadata"]["url"], "https://a.example/");
    let shown = place.dehusk(&["inspect", "a.warc.wet@0", "--record-type", "conversion"]);
    assert!(
        String::from_utf8(shown.stdout)
            .unwrap()
            .contains("emitted: 14 of 14 words")
    );
}
