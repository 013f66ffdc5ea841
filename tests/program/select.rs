//! Every rule by which records are selected, with the reason in the ledger.

use crate::program::{Place, make};
use serde_json::json;

const HTML: &str = "text/html; charset=utf-8";

/// Runs an archive and compares what was emitted, filtered and failed.
#[track_caller]
fn expect(records: &[Vec<u8>], options: &[&str], emitted: u64, filtered: serde_json::Value, failed: serde_json::Value) {
    let place = Place::new();
    place.write("a.warc", records.concat());
    let status = if failed == json!({}) { 0 } else { 3 };
    let run = place.run(&[&["a.warc"], options].concat()).ends_with(status);
    assert_eq!(run.report["totals"]["filtered"], filtered);
    assert_eq!(run.report["totals"]["failed"], failed);
    assert_eq!(run.total("emitted"), emitted);
    assert_eq!(run.total("framed"), records.len() as u64);
}

fn page() -> Vec<u8> {
    make::page("https://www.example.org/a", "Five words are in here.")
}

fn html(kind: &str, fields: &str) -> Vec<u8> {
    make::record(
        kind,
        "https://www.example.org/r",
        fields,
        b"<title>t</title><p>Words of a resource.",
    )
}

#[test]
fn record_types() {
    let records = [
        page(),
        html("resource", "Content-Type: text/html\r\n"),
        html("conversion", "Content-Type: text/html\r\n"),
        make::record("request", "https://a.example/", "", b"GET / HTTP/1.1\r\n\r\n"),
        make::record("metadata", "https://a.example/", "", b"fetchTimeMs: 7\r\n"),
        make::record("warcinfo", "https://a.example/", "", b"software: none\r\n"),
        make::record("unheard-of", "https://a.example/", "", b""),
        make::record("revisit", "https://a.example/", "", b"HTTP/1.1 200 OK\r\n\r\n"),
        make::record(
            "continuation",
            "https://a.example/",
            "WARC-Segment-Number: 2\r\n",
            b"more",
        ),
    ];
    let rest = json!({"record_type": 5, "revisit": 1, "segmented": 1});
    expect(&records, &[], 2, rest, json!({}));
    let rest = json!({"record_type": 6, "revisit": 1, "segmented": 1});
    expect(&records, &["--record-type", "conversion"], 1, rest, json!({}));
    let rest = json!({"record_type": 4, "revisit": 1, "segmented": 1});
    expect(
        &records,
        &["--record-type", "response,resource,conversion"],
        3,
        rest,
        json!({}),
    );
}

#[test]
fn statuses() {
    let with = |status: &str| make::response("https://a.example/", status, HTML, b"<p>Some words.");
    let records = ["200 OK", "203 Other", "301 Moved", "404 Not Found", "500 Oops", "0"].map(with);
    expect(&records, &[], 1, json!({"status": 5}), json!({}));
    expect(&records, &["--status", "2xx,404"], 3, json!({"status": 3}), json!({}));
    expect(
        &records,
        &["--set", "select.statuses=[]"],
        0,
        json!({"status": 6}),
        json!({}),
    );
}

#[test]
fn mime_types() {
    let with = |mime: &str| make::response("https://a.example/", "200 OK", mime, b"<html><p>Some words.");
    let records = [
        "text/html",
        "Text/HTML;charset=utf-8",
        "application/xhtml+xml",
        "text/plain",
        "image/png",
    ]
    .map(with);
    expect(&records, &[], 3, json!({"mime": 2}), json!({}));
    expect(&records, &["--mime", "text/plain"], 1, json!({"mime": 4}), json!({}));
}

#[test]
fn urls() {
    let with = |url: &str| make::page(url, "Some words.");
    let records = [
        "https://a.example/one",
        "https://a.example/two",
        "https://b.example/one",
    ]
    .map(with);
    expect(
        &records,
        &["--url-include", "^https://a\\."],
        2,
        json!({"url": 1}),
        json!({}),
    );
    expect(&records, &["--url-exclude", "one$"], 1, json!({"url": 2}), json!({}));
    let both = [
        "--url-include",
        "a\\.example",
        "--url-include",
        "b\\.example",
        "--url-exclude",
        "two",
    ];
    expect(&records, &both, 2, json!({"url": 1}), json!({}));
}

#[test]
fn sizes() {
    let large = make::page("https://a.example/", &"Many words. ".repeat(200));
    let records = [page(), large];
    expect(&records, &["--min-words", "5"], 2, json!({}), json!({}));
    expect(&records, &["--min-words", "6"], 1, json!({"too_short": 1}), json!({}));
    expect(
        &records,
        &["--set", "select.min_bytes=1000"],
        1,
        json!({"too_short": 1}),
        json!({}),
    );
    expect(
        &records,
        &["--set", "select.max_bytes=1000"],
        1,
        json!({"too_long": 1}),
        json!({}),
    );
    expect(
        &records,
        &["--set", "limits.page_bytes=1000"],
        1,
        json!({}),
        json!({"too_large": 1}),
    );
    expect(
        &records,
        &["--set", "limits.record_bytes=1000"],
        1,
        json!({}),
        json!({"too_large": 1}),
    );
}

#[test]
fn a_bomb_is_stopped_at_the_limit_of_a_page() {
    let bomb = make::gzip(&vec![b' '; 30 << 20]);
    let mut block = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\n\r\n".to_vec();
    block.extend(bomb);
    let records = [make::record("response", "https://a.example/", "", &block), page()];
    expect(
        &records,
        &["--set", "limits.page_bytes=10000000"],
        1,
        json!({}),
        json!({"too_large": 1}),
    );
}

#[test]
fn pages_without_content() {
    let with = |body: &[u8]| make::response("https://a.example/", "200 OK", HTML, body);
    let binary = [b"\x89PNG\r\n\x1a\n".to_vec(), make::noise(3, 3000)].concat();
    let unknown = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: lzma\r\n\r\n\x01\x02\x03\x04";
    let records = [
        with(b""),
        with(b"<html><head><title>t</title></head><body><script>x()</script></body></html>"),
        with(&binary),
        make::record("response", "https://a.example/", "", unknown.as_bytes()),
        make::record(
            "response",
            "https://a.example/",
            "Content-Type: application/http\r\n",
            b"neither head nor page",
        ),
        with(b"<p>+AGE- utf-7"),
    ];
    let rest = json!({"empty": 2, "binary": 1, "encoding_unknown": 1, "no_http_header": 1});
    expect(&records, &[], 1, rest, json!({}));
}

#[test]
fn charsets_that_are_not_decoded() {
    let with = |charset: &str| {
        make::response(
            "https://a.example/",
            "200 OK",
            &format!("text/html; charset={charset}"),
            b"<p>+AGE-",
        )
    };
    expect(
        &[with("utf-7"), page()],
        &[],
        1,
        json!({}),
        json!({"charset_unsupported": 1}),
    );
}

#[test]
fn a_wrong_digest_fails_the_record_when_digests_are_checked() {
    let wrong = "WARC-Block-Digest: sha1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\r\nContent-Type: text/html\r\n";
    let records = [html("resource", wrong), page()];
    expect(&records, &[], 2, json!({}), json!({}));
    expect(
        &records,
        &["--set", "input.verify_digests=true"],
        1,
        json!({}),
        json!({"digest": 1}),
    );
    let note = [
        "--set",
        "input.verify_digests=true",
        "--set",
        "input.digest_mismatch=note",
    ];
    expect(&records, &note, 2, json!({}), json!({}));
    let place = Place::new();
    place.write("a.warc", records.concat());
    let run = place.run(&[&["a.warc"], &note[..]].concat()).ends_with(0);
    assert_eq!(run.total("notes.digest_mismatch"), 1);
    assert_eq!(run.documents()[0]["metadata"]["flags"], "digest_mismatch");
}

#[test]
fn a_page_that_the_crawler_cut_is_emitted_and_flagged() {
    let place = Place::new();
    let cut = make::record(
        "resource",
        "https://a.example/",
        "WARC-Truncated: length\r\nContent-Type: text/html\r\n",
        b"<p>Words that break o",
    );
    place.write("a.warc", cut);
    let run = place.run(&["a.warc"]).ends_with(0);
    let metadata = &run.documents()[0]["metadata"];
    assert_eq!(
        (&metadata["truncated"], &metadata["flags"]),
        (&json!(true), &json!("truncated"))
    );
    assert_eq!(run.total("notes.truncated"), 1);
}

/// A page whose head states no type is known by its decoded body.
#[test]
fn a_coded_page_without_a_stated_type_is_sniffed_after_decoding() {
    let place = Place::new();
    let html = b"\xef\xbb\xbf<!DOCTYPE html><p>A page of some words, and no type.</p>";
    let coded = make::gzip(html);
    let head = |more: &str| format!("HTTP/1.1 200 OK\r\n{more}\r\n");
    let plain = [head("").as_bytes(), html].concat();
    let gzip = [head("Content-Encoding: gzip\r\n").as_bytes(), &coded].concat();
    let json = [head("").as_bytes(), b"{\"not\": \"html\"}"].concat();
    let http = "Content-Type: application/http; msgtype=response\r\n";
    let records: Vec<Vec<u8>> = [plain, gzip, json]
        .iter()
        .map(|block| make::record("response", "http://a.example/", http, block))
        .collect();
    place.write("a.warc", records.concat());
    let run = place.run(&["a.warc"]).ends_with(0);
    assert_eq!((run.total("emitted"), run.total("filtered.mime")), (2, 1));
}

/// The last line names the rule that took most pages. Records that never are pages do not count, however many they are.
#[test]
fn a_run_that_emits_nothing_names_the_rule() {
    let request = || make::record("request", "https://a.example/", "", b"GET / HTTP/1.1\r\n\r\n");
    let wet = make::record(
        "conversion",
        "https://a.example/",
        "Content-Type: text/plain\r\n",
        b"Words.",
    );
    for (records, option, expected) in [
        (
            vec![page(), request(), request()],
            "--mime=text/plain",
            "1 of 3 records were filtered as mime (--mime)",
        ),
        (
            vec![page(), request(), request()],
            "--status=404",
            "1 of 3 records were filtered as status (--status)",
        ),
        (
            vec![wet.clone(), wet],
            "--quarantine",
            "2 of 2 records were filtered as record_type (--record-type)",
        ),
    ] {
        let place = Place::new();
        place.write("a.warc", records.concat());
        let run = place.run(&["a.warc", option]).ends_with(0);
        let last = run.ended.stderr.lines().last().unwrap();
        assert!(
            last.contains(expected) && last.contains("no documents were written"),
            "{last}"
        );
    }
}

#[test]
fn languages() {
    let of = |text: &str| make::page("https://www.example.org/l", text);
    let records = [
        of("We went out early in the morning, up the hill behind the village, and it rained until we were home."),
        of("Wir gingen am Morgen hinaus, den Hügel hinter dem Dorf hinauf, und es regnete, bis wir daheim waren."),
        of("我們早上很早就出去，爬上村子後面的山，一直下雨，直到我們回家。"),
        of("我们早上很早就出去，爬上村子后面的山，一直下雨，直到我们回家。"),
        of("12.50 14:30"),
    ];
    expect(&records, &[], 5, json!({}), json!({}));
    expect(
        &records,
        &["--languages", "en,de"],
        2,
        json!({"language": 3}),
        json!({}),
    );
    expect(&records, &["--languages", "zh"], 2, json!({"language": 3}), json!({}));
    expect(
        &records,
        &["--languages", "ZH-hant"],
        1,
        json!({"language": 4}),
        json!({}),
    );
    let short = ["--languages", "fr", "--min-words", "5"];
    expect(&records, &short, 0, json!({"language": 4, "too_short": 1}), json!({}));
}

#[test]
fn a_language_that_no_document_can_have_is_refused() {
    let place = Place::new();
    place.write("a.warc", page());
    for language in ["english", "en-US", "en-Hant"] {
        let ended = place.dehusk(&["run", "a.warc", "-o", "out", "--languages", language]);
        assert_eq!(ended.status, 2);
        assert!(ended.stderr.contains(&format!("not “{language}”")), "{}", ended.stderr);
    }
}

/// A page whose text the rules of Gopher, C4 and FineWeb keep.
fn good_page() -> Vec<u8> {
    let text = "<p>We went out early in the morning, up the hill behind the village, and it rained until noon.\
        <p>Nobody minded, because the view from the top was worth every wet sock that we had to dry.\
        <p>There is a hut on the other side, where an old man sells tea and tells of the winters of his youth.\
        <p>On the way back we lost the path, followed a stream and found a bridge that no map had known.\
        <p>The dog swam. The children did not, although they asked for it more than once.\
        <p>By the time that the lamps were lit, all of us were at home and fast asleep.";
    make::page("https://www.example.org/good", text)
}

#[test]
fn rules_of_quality() {
    let words = "<p>buy now".repeat(40);
    let records = [
        good_page(),
        make::page("https://www.example.org/short", "A few words are too few."),
        make::page("https://www.example.org/shop", &words),
    ];
    expect(&records, &[], 3, json!({}), json!({}));
    expect(
        &records,
        &["--quality", "gopher,c4,fineweb"],
        1,
        json!({"quality": 2}),
        json!({}),
    );
    let place = Place::new();
    place.write("a.warc", records.concat());
    let run = place
        .run(&["a.warc", "--quality", "c4", "--quality", "words >= 50"])
        .ends_with(0);
    assert_eq!(
        run.report["totals"]["quality_rules"],
        json!({"c4: quality_sentences >= 3": 2})
    );
    let run = place
        .run(&["a.warc", "--quality", "words >= 50,c4", "--overwrite"])
        .ends_with(0);
    let rules = json!({"c4: quality_sentences >= 3": 1, "words >= 50": 1});
    assert_eq!(run.report["totals"]["quality_rules"], rules);
    assert_eq!(run.archives()[0]["quality_rules"], rules);
}

#[test]
fn signals_are_filled_in_on_demand() {
    let place = Place::new();
    place.write("a.warc", good_page());
    let signals = |options: &[&str]| {
        let run = place.run(&[&["a.warc", "--overwrite"], options].concat()).ends_with(0);
        let metadata = run.documents()[0]["metadata"].clone();
        (metadata, run.report["config_hash"].clone())
    };
    let (none, plain) = signals(&[]);
    let (asked, own) = signals(&["--set", "output.quality=true"]);
    let (ruled, _) = signals(&["--quality", "words >= 1"]);
    assert_ne!(plain, own);
    let is_signal = |(key, _): &(&String, &serde_json::Value)| key.starts_with("quality_");
    // A 0 is a measured 0: what was not asked for is not there.
    assert_eq!(none.as_object().unwrap().iter().filter(is_signal).count(), 0);
    let of_rule = ruled.as_object().unwrap().iter().filter(is_signal);
    assert_eq!(of_rule.clone().count(), 16);
    for (key, value) in of_rule {
        assert_eq!(&asked[key], value, "{key}");
    }
    assert_eq!(asked["quality_sentences"], 7);
    assert_eq!(asked["quality_punctuated_line_share"], 1.0);
    assert!(asked["quality_stop_word_share"].as_f64().unwrap() > 0.3);
}

#[test]
fn a_rule_that_cannot_be_is_refused() {
    let place = Place::new();
    place.write("a.warc", page());
    for (rule, message) in [
        ("gofer", "did you mean “gopher”?"),
        ("quality_sentence >= 3", "did you mean “quality_sentences”?"),
        (
            "words > 3",
            "bounds with >= or <= such as words >= 50, not “words > 3”\nThe presets",
        ),
        ("nothing like any of them", "The presets are gopher, c4, fineweb."),
        ("wrods >= 3", "The numbers are "),
        ("words = 3", "quality_duplicate_5gram_share."),
    ] {
        let ended = place.dehusk(&["run", "a.warc", "-o", "out", "--quality", rule]);
        assert_eq!(ended.status, 2);
        assert!(ended.stderr.contains(message), "{}", ended.stderr);
    }
    let help = String::from_utf8(place.dehusk(&["run", "--help"]).stdout).unwrap();
    let help = Vec::from_iter(help.split_whitespace()).join(" ");
    assert!(help.contains("The presets are gopher, c4, fineweb."), "{help}");
    assert!(help.contains(" quality_sentences,"), "{help}");
}
