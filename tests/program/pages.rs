//! `dehusk extract` with several pages: files, directories, standard input.

use std::fs;
use std::io::Write;

use serde_json::Value;

use crate::program::Place;

fn page(words: &str) -> String {
    format!(
        "<html lang=en><title>T</title><article><p>We went out early, and {words}, up the hill.</p></article></html>"
    )
}

/// A directory with pages, and with what is none.
fn place() -> Place {
    let place = Place::new();
    for name in ["a.html", "b/c.HTM", "b/d.xhtml", "z.html"] {
        place.write(&format!("pages/{name}"), page(name));
    }
    place.write("pages/notes.txt", page("notes"));
    place.write("pages/.hidden.html", page("hidden"));
    place
}

#[track_caller]
fn documents(stdout: &[u8]) -> Vec<Value> {
    let lines = stdout.split_inclusive(|byte| *byte == b'\n');
    lines
        .map(|line| serde_json::from_slice(line).expect("a document"))
        .collect()
}

#[track_caller]
fn names(stdout: &[u8]) -> Vec<String> {
    let name = |document: &Value| document["metadata"]["file_path"].as_str().unwrap().to_owned();
    documents(stdout).iter().map(name).collect()
}

#[test]
fn the_pages_of_a_directory_are_documents_in_the_order_of_their_names() {
    let ended = place().dehusk(&["extract", "pages"]);
    assert_eq!((ended.status, ended.stderr.as_str()), (0, ""));
    assert_eq!(names(&ended.stdout), ["a.html", "b/c.HTM", "b/d.xhtml", "z.html"]);
    assert!(
        documents(&ended.stdout)[1]["text"]
            .as_str()
            .unwrap()
            .contains("b/c.HTM")
    );
}

#[test]
fn files_directories_and_standard_input_keep_their_order() {
    let place = place();
    let arguments = ["extract", "pages/z.html", "-", "pages/b", "pages/notes.txt"];
    let ended = place.dehusk_fed(&arguments, page("standard input").as_bytes());
    assert_eq!((ended.status, ended.stderr.as_str()), (0, ""));
    assert_eq!(
        names(&ended.stdout),
        ["z.html", "stdin", "c.HTM", "d.xhtml", "notes.txt"]
    );
}

#[test]
fn what_is_wrong_with_a_page_does_not_stop_the_others() {
    let place = place();
    place.write("pages/m.html", "<title>Nothing</title>");
    let ended = place.dehusk(&["extract", "pages"]);
    assert_eq!(names(&ended.stdout).len(), 4);
    assert_eq!(ended.status, 0, "a rule left it out");
    assert!(
        ended.stderr.contains("pages/m.html: filtered as empty"),
        "{}",
        ended.stderr
    );

    place.write("pages/n.html.gz", b"\x1F\x8B\x08 cut".as_slice());
    let ended = place.dehusk(&["extract", "missing.html", "pages"]);
    assert_eq!((names(&ended.stdout).len(), ended.status), (4, 1));
    assert!(
        ended.stderr.contains("missing.html: cannot be read"),
        "{}",
        ended.stderr
    );
    assert!(ended.stderr.contains("n.html.gz: cannot be read"), "{}", ended.stderr);

    let ended = place.dehusk(&[
        "extract",
        "pages/a.html",
        "pages/z.html",
        "--set",
        "limits.page_nodes=3",
    ]);
    assert_eq!((ended.status, ended.stdout.as_slice()), (3, b"".as_slice()));
    assert!(ended.stderr.contains("failed as too_costly"), "{}", ended.stderr);
}

#[test]
fn a_directory_without_pages_is_reported() {
    let place = Place::new();
    place.write("pages/notes.txt", "none");
    let ended = place.dehusk(&["extract", "pages"]);
    assert_eq!(ended.status, 1);
    assert!(
        ended.stderr.contains("no file in it is called .html"),
        "{}",
        ended.stderr
    );
}

#[test]
fn compressed_pages_are_read() {
    let place = Place::new();
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    gzip.write_all(page("gzip").as_bytes()).unwrap();
    place.write("pages/a.html.gz", gzip.finish().unwrap());
    place.write("pages/b.htm.zst", zstd::encode_all(page("zstd").as_bytes(), 3).unwrap());
    let ended = place.dehusk(&["extract", "pages"]);
    assert_eq!((ended.status, ended.stderr.as_str()), (0, ""));
    assert_eq!(names(&ended.stdout), ["a.html.gz", "b.htm.zst"]);
    let ended = place.dehusk(&["extract", "pages/a.html.gz"]);
    assert!(String::from_utf8(ended.stdout).unwrap().contains("and gzip"));
    // The limit counts decoded bytes.
    place.write("bomb.html.zst", zstd::encode_all(&*vec![b' '; 1 << 20], 3).unwrap());
    let ended = place.dehusk(&["extract", "bomb.html.zst", "--set", "limits.page_bytes=100000"]);
    assert_eq!(ended.status, 1);
    assert!(ended.stderr.contains("more than 100000 bytes"), "{}", ended.stderr);
}

#[test]
fn each_format_is_defined_for_several_pages() {
    let place = place();
    let ended = place.dehusk(&["extract", "pages/b", "--format", "text"]);
    let text = String::from_utf8(ended.stdout).unwrap();
    let texts: Vec<&str> = text.split("\n\u{C}\n").collect();
    assert_eq!((texts.len(), texts[2]), (3, ""));
    assert!(texts[0].contains("b/c.HTM") && texts[1].contains("b/d.xhtml"), "{text}");
    let ended = place.dehusk(&["extract", "pages", "--format", "xml"]);
    assert_eq!(crate::program::xml_flags(&ended.stdout).len(), 4);
    for refused in [
        ["--format", "html"],
        ["--explain", "--format=json"],
        ["--url", "https://a.example/"],
    ] {
        let ended = place.dehusk(&[&["extract", "pages"], &refused[..]].concat());
        assert_eq!((ended.status, ended.stdout.len()), (2, 0), "{refused:?}");
    }
}

#[cfg(unix)]
#[test]
fn links_and_pipes_in_a_directory_do_no_harm() {
    let place = place();
    std::os::unix::fs::symlink(".", place.path("pages/loop")).unwrap();
    std::os::unix::fs::symlink("a.html", place.path("pages/link.html")).unwrap();
    std::os::unix::fs::symlink("nowhere", place.path("pages/dead.html")).unwrap();
    assert!(
        std::process::Command::new("mkfifo")
            .arg(place.path("pages/pipe.html"))
            .status()
            .unwrap()
            .success()
    );
    let ended = place.dehusk(&["extract", "pages"]);
    assert_eq!(
        names(&ended.stdout),
        ["a.html", "b/c.HTM", "b/d.xhtml", "link.html", "z.html"]
    );
    assert_eq!(ended.status, 1);
    assert!(ended.stderr.contains("dead.html: cannot be read"), "{}", ended.stderr);
}

#[test]
fn standard_input_is_read_only_once() {
    let ended = place().dehusk_fed(&["extract", "-", "-"], page("standard input").as_bytes());
    assert_eq!((ended.status, ended.stdout.len()), (2, 0));
    assert!(ended.stderr.contains("only once"), "{}", ended.stderr);
}

#[test]
fn an_archive_is_no_page() {
    let place = Place::new();
    place.write("a.warc", "WARC/1.0\r\nWARC-Type: warcinfo\r\n");
    place.write("b.arc", "filedesc://b.arc 0.0.0.0 20090807060504 text/plain 0\n");
    for name in ["a.warc", "b.arc"] {
        let ended = place.dehusk(&["extract", name]);
        assert_eq!(ended.status, 1);
        assert!(ended.stderr.contains("`dehusk run` reads those"), "{}", ended.stderr);
    }
}

#[test]
fn the_report_of_a_run_is_no_page() {
    let place = place();
    let first = place.run_to("pages/out", &["pages"]).ends_with(0);
    assert!(place.path("pages/out/report.html").exists());
    assert_eq!(first.total("emitted"), 4);
    // Nothing has changed for a second run, and another counts the same.
    place.run_to("pages/out", &["pages"]).ends_with(0);
    let other = place.run_to("other", &["pages"]).ends_with(0);
    assert_eq!(other.total("framed"), first.total("framed"));
    // A run directory that was copied without its hidden files.
    fs::remove_file(place.path("pages/out/.dehusk.lock")).unwrap();
    let copied = place.run_to("copied", &["pages"]).ends_with(0);
    assert_eq!(copied.total("framed"), first.total("framed"));
    // Its name alone makes no run of a directory.
    place.write("pages/e/run.json", "{}");
    place.write("pages/e/e.html", page("e"));
    let more = place.run_to("more", &["pages"]).ends_with(0);
    assert_eq!(more.total("emitted"), 5);
}
