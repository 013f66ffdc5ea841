//! Lists of hosts whose pages are kept or dropped.

use std::fs;
use std::process::Command;

use crate::program::{EXTRACTOR, Place, make, program};
use serde_json::{Value, json};

fn page(host: &str) -> Vec<u8> {
    make::page(&format!("https://{host}/p"), "A page with a few words on it.")
}

#[test]
fn hosts_are_kept_and_dropped_by_lists() {
    let hosts = [
        "a.example",
        "www.a.example",
        "ad.a.example",
        "b.example",
        "b\u{fc}cher.example",
    ];
    let place = Place::new();
    place.write("a.warc", hosts.map(page).concat());
    place.write("kept.txt", "# ours\na.example\nxn--bcher-kva.example # in ASCII\n");
    place.write("ads.txt", "ad.a.example\nbook.example\n");
    place.write("books.txt", "*.B\u{fc}cher.example\r\n");
    let flags = [
        "--hosts-from",
        "kept.txt",
        "--drop-hosts-from",
        "ads.txt",
        "--drop-hosts-from",
        "books.txt",
    ];
    let run = place.run(&[&["a.warc"], &flags[..]].concat()).ends_with(0);
    let totals = &run.report["totals"];
    assert_eq!(
        (&totals["emitted"], &totals["filtered"]),
        (&json!(2), &json!({"host": 3}))
    );
    let by_list = json!({"drop_hosts_from[0]": 1, "drop_hosts_from[1]": 1, "hosts_from": 1});
    assert_eq!(totals["host_lists"], by_list);
    assert_eq!(run.archives()[0]["host_lists"], by_list);

    // The names in a list change the documents, and its comments do not.
    place.write("kept.txt", "xn--bcher-kva.example\na.example\n");
    let again = place.dehusk(&[&["run", "a.warc", "-o", "out"], &flags[..]].concat());
    assert_eq!(again.status, 0, "{}", again.stderr);
    place.write("ads.txt", "b.example\n");
    let again = place.dehusk(&[&["run", "a.warc", "-o", "out"], &flags[..]].concat());
    assert_eq!(again.status, 1, "{}", again.stderr);
}

#[test]
fn a_list_that_is_gone_takes_nothing_over_from_a_run_without_it() {
    let place = Place::new();
    place.write("a.warc", page("www.example.org"));
    place.run(&["a.warc"]).ends_with(0);
    place.write("kept.txt", "other.example\n");
    // A pipe gives its lines once.
    let script = "\"$0\" run a.warc -o new -e \"$1\" --since out --hosts-from <(cat kept.txt)";
    let ended = Command::new("bash")
        .args(["-c", script])
        .args([program().as_os_str(), EXTRACTOR.as_ref()])
        .current_dir(place.path(""))
        .output()
        .unwrap();
    assert!(ended.status.success(), "{ended:?}");
    let report = fs::read_to_string(place.path("new/run.json")).unwrap();
    let report: Value = serde_json::from_str(&report).unwrap();
    assert_eq!(report["totals"]["filtered"], json!({"host": 1}));
}

#[test]
fn a_list_that_is_none_names_its_file_line_and_remedy() {
    let place = Place::new();
    place.write("a.warc", page("www.example.org"));
    place.write("urls.txt", "good.example\nhttps://www.example.org/a\n");
    place.write("empty.txt", "# nothing yet\n");
    place.write("bytes.txt", [0xff, b'\n']);
    for (file, says) in [
        (
            "urls.txt",
            "urls.txt, line 2: \u{201c}https://www.example.org/a\u{201d} is no host; write it without scheme",
        ),
        (
            "empty.txt",
            "empty.txt: has no host; write one a line, such as example.org",
        ),
        ("bytes.txt", "bytes.txt, line 1: is not UTF-8"),
        ("absent.txt", "absent.txt: cannot be read"),
    ] {
        let ended = place.dehusk(&["run", "a.warc", "-o", "out", "--drop-hosts-from", file]);
        assert_eq!(ended.status, 2, "{file}");
        assert!(
            ended.stderr.contains("\u{201c}select.drop_hosts_from\u{201d}: "),
            "{}",
            ended.stderr
        );
        assert!(ended.stderr.contains(says), "{}", ended.stderr);
    }
}
