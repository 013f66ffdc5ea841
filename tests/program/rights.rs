//! The demands of pages and their servers: the fields for it, and pages that are dropped because of it.

use crate::program::{Place, json_lines, make};
use serde_json::{Value, json};

/// A response with more fields in its HTTP head, and more elements in its page's head.
fn page(name: &str, fields: &str, elements: &str) -> Vec<u8> {
    let html = format!("<title>A page</title>{elements}<p>A page with a few words on it.</p>");
    let block = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n{fields}\r\n{html}");
    let content_type = "Content-Type: application/http; msgtype=response\r\n";
    let url = format!("https://www.example.org/{name}");
    make::record("response", &url, content_type, block.as_bytes())
}

const FIELDS: [&str; 6] = [
    "robots_header",
    "robots_meta",
    "tdm_reservation",
    "tdm_policy",
    "license",
    "license_links",
];

#[test]
fn documents_have_what_pages_and_servers_ask() {
    let place = Place::new();
    let head = "X-Robots-Tag: noarchive\r\nX-Robots-Tag: GPTBot:\r\n noindex\r\ntdm-reservation: 1\r\n\
        Link: <https://a.example/license>; rel=license\r\n";
    let elements = "<meta name=Robots content='NoAI, noimageai'><meta name=ccbot content=none>\
        <meta name=tdm-policy content='https://www.example.org/policy.json'><link rel=license href=terms>\
        <a href='https://creativecommons.org/licenses/by/4.0/'>Picture: CC BY</a>";
    place.write(
        "a.warc",
        [
            page("a", head, elements),
            page("b", "", "<meta name=viewport content=x>"),
        ]
        .concat(),
    );
    let run = place.run(&["a.warc", "--set", "output.rights=true"]).ends_with(0);
    let asked = |document: &Value| FIELDS.map(|field| document["metadata"][field].clone());
    let documents = run.documents();
    let expected = [
        "noarchive; gptbot: noindex",
        "noai; noimageai; ccbot: none",
        "1",
        "https://www.example.org/policy.json",
        "https://a.example/license https://www.example.org/terms",
        "https://creativecommons.org/licenses/by/4.0/",
    ];
    assert_eq!(asked(&documents[0]), expected.map(Value::from));
    assert_eq!(asked(&documents[1]), [""; 6].map(Value::from));

    let without = place.run(&["a.warc", "--overwrite"]).ends_with(0);
    assert_eq!(asked(&without.documents()[0]), [const { Value::Null }; 6]);
}

#[test]
fn pages_are_dropped_by_the_wishes_that_are_respected() {
    let place = Place::new();
    let pages = [
        page("header", "X-Robots-Tag: noai\r\n", ""),
        page("meta", "", "<meta name=robots content='noindex, noai'>"),
        page("none", "", "<meta name=robots content=none>"),
        page("agent", "X-Robots-Tag: ccbot: noindex\r\n", ""),
        page("tdm", "tdm-reservation: 1\r\n", ""),
        page(
            "open",
            "tdm-reservation: 0\r\n",
            "<meta name=robots content='index, follow'>",
        ),
    ];
    place.write("a.warc", pages.concat());
    for (flags, emitted, wishes) in [
        (&["--respect", "noai,tdm"][..], 3, json!({"noai": 2, "tdm": 1})),
        (
            &["--respect", "tdm", "--respect", "noindex"],
            3,
            json!({"tdm": 1, "noindex": 2}),
        ),
        (
            &["--respect", "noindex", "--set", "select.respect_agents=[\"CCBot\"]"],
            3,
            json!({"noindex": 3}),
        ),
        (&["--respect", "noarchive"], 6, Value::Null),
    ] {
        let flags = [&["a.warc", "--overwrite"], flags].concat();
        let run = place.run(&flags).ends_with(0);
        let dropped = 6 - emitted;
        assert_eq!(run.total("emitted"), emitted, "{flags:?}");
        assert_eq!(run.total("filtered.wish"), dropped, "{flags:?}");
        assert_eq!(run.report["totals"]["wishes"], wishes, "{flags:?}");
        assert_eq!(run.archives()[0]["wishes"], wishes, "{flags:?}");
    }
    let inspected = place.dehusk(&["inspect", "a.warc", "--verdicts", "--respect", "noai"]);
    let inspected = String::from_utf8(inspected.stdout).unwrap();
    assert!(inspected.contains("wish: noai"), "{inspected}");
}

#[test]
fn a_wish_counts_however_long_the_head_before_it() {
    let place = Place::new();
    let unknown: Vec<String> = (0..40).map(|i| format!("d{i}")).collect();
    let unknown = unknown.join(",");
    let pages = [
        page("many", &format!("X-Robots-Tag: {unknown}, noai\r\n"), ""),
        page("meta", "", &format!("<meta name=robots content='{unknown},noai'>")),
        page("long", &format!("X-Robots-Tag: {} noai\r\n", "x,".repeat(50_000)), ""),
        page(
            "late",
            &format!("X: {}\r\nX-Robots-Tag: noai\r\n", "x,".repeat(50_000)),
            "",
        ),
        page("star", "X-Robots-Tag: ccbot: none, *: noai\r\n", ""),
        page("all", "X-Robots-Tag: all: noai\r\n", ""),
        page(
            "open",
            &format!("X: {}\r\nX-Robots-Tag: ccbot: noai\r\n", "x,".repeat(50_000)),
            "",
        ),
    ];
    place.write("a.warc", pages.concat());
    let run = place.run(&["a.warc", "--respect", "noai"]).ends_with(0);
    let urls: Vec<Value> = run.documents().iter().map(|d| d["metadata"]["url"].clone()).collect();
    assert_eq!(urls, ["https://www.example.org/open"]);
}

#[test]
fn robots_txt_records_are_kept_as_a_table() {
    let place = Place::new();
    let robots = |host: &str, status: &str, body: &[u8]| {
        let url = format!("https://{host}/robots.txt");
        make::response(&url, status, "text/plain", body)
    };
    let long = b"# a comment of some bytes\n".repeat(20_000);
    let coded = make::gzip(b"User-agent: *\nDisallow: /\n");
    let head = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n";
    let content_type = "Content-Type: application/http; msgtype=response\r\n";
    let coded = [head.as_bytes(), &coded].concat();
    let unknown = b"HTTP/1.1 200 OK\r\nContent-Encoding: zzz\r\n\r\nUser-agent: *\n";
    let short = b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nUser-agent: *\n";
    let records = [
        robots("a.example", "200 OK", b"User-agent: ccbot\nDisallow: /x\n"),
        page("a", "", ""),
        robots("B.example", "404 Not Found", b"no"),
        robots("long.example", "200 OK", &long),
        make::record("response", "https://c.example:8080/robots.txt?x", content_type, &coded),
        robots("a.example/deep", "200 OK", b"User-agent: *"),
        make::record("response", "https://d.example/robots.txt", content_type, unknown),
        make::record("response", "https://e.example/robots.txt", content_type, short),
    ];
    place.write("a.warc", records.concat());
    let run = place.run(&["a.warc", "--set", "output.robots=true"]).ends_with(0);
    assert_eq!(run.archives()[0]["records"], json!(["records/a.robots.jsonl"]));
    let table = std::fs::read(place.path("out/records/a.robots.jsonl")).unwrap();
    let lines = json_lines(&table);
    let cells = |line: &Value| (line["host"].clone(), line["status"].clone(), line["bytes"].clone());
    assert_eq!(
        lines.iter().map(cells).collect::<Vec<_>>(),
        [
            ("a.example".into(), 200.into(), 31.into()),
            ("b.example".into(), 404.into(), 2.into()),
            ("long.example".into(), 200.into(), long.len().into()),
            ("c.example".into(), 200.into(), 26.into()),
            ("d.example".into(), 200.into(), 0.into()),
            ("e.example".into(), 200.into(), 14.into()),
        ]
    );
    let problems: Vec<_> = lines.iter().map(|line| line["problem"].as_str().unwrap()).collect();
    assert_eq!(problems, ["", "", "", "", "undecodable", "cut"]);
    assert_eq!(lines[0]["text"], "User-agent: ccbot\nDisallow: /x\n");
    assert_eq!(lines[3]["text"], "User-agent: *\nDisallow: /\n");
    let text = lines[2]["text"].as_str().unwrap();
    assert_eq!((text.len(), &lines[2]["truncated"]), (500 << 10, &json!(true)));
    assert_eq!(lines[0]["truncated"], json!(false));
}

#[test]
fn the_file_of_tdmrep_is_in_the_table_and_a_license_of_json_ld_in_the_document() {
    let place = Place::new();
    let policy = br#"[{"location": "/", "tdm-reservation": 1}]"#;
    let license = "https://creativecommons.org/licenses/by/4.0/";
    let script =
        format!(r#"<script type="application/ld+json">{{"@type": "Article", "license": "{license}"}}</script>"#);
    let records = [
        make::response(
            "https://a.example/.well-known/tdmrep.json",
            "200 OK",
            "application/json",
            policy,
        ),
        make::response("https://a.example/x/tdmrep.json", "200 OK", "application/json", policy),
        page("a", "", &script),
    ];
    place.write("a.warc", records.concat());
    let sets = ["--set", "output.robots=true", "--set", "output.rights=true"];
    let run = place.run(&[&["a.warc"][..], &sets].concat()).ends_with(0);
    let lines = json_lines(&std::fs::read(place.path("out/records/a.robots.jsonl")).unwrap());
    assert_eq!(lines.len(), 1);
    assert_eq!(lines[0]["url"], "https://a.example/.well-known/tdmrep.json");
    assert_eq!(lines[0]["text"], std::str::from_utf8(policy).unwrap());
    assert_eq!(run.documents()[0]["metadata"]["license"], license);
}

#[test]
fn a_wish_that_nobody_knows_is_refused() {
    let place = Place::new();
    place.write("a.warc", page("a", "", ""));
    let ended = place.dehusk(&["run", "a.warc", "-o", "out", "--respect", "nosnip"]);
    assert_eq!(ended.status, 2);
    assert!(ended.stderr.contains("nosnippet"), "{}", ended.stderr);
}
