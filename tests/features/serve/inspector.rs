//! The pages of the inspector, and the data that they are given. `.ci/browser` looks at them in a browser.

use serde_json::Value;

use super::client::Answer;
use super::{PAGE, Served, hostile};
use crate::program::{Place, make};

const SAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/sample/sample.warc.gz");

/// All records of an archive, by answers of at most so many.
fn records(served: &Served, query: &str, limit: usize) -> Vec<Value> {
    let mut records = Vec::new();
    let mut from = Some("0".to_owned());
    while let Some(place) = from {
        let answer = served.get(&format!(
            "/inspector/records?{query}&limit={limit}&from={}",
            escaped(&place)
        ));
        let json = answer.json();
        assert_eq!((answer.status, &json["error"]), (200, &Value::Null), "{json}");
        let rows = json["records"].as_array().unwrap();
        assert!(rows.len() <= limit);
        records.extend(rows.iter().cloned());
        from = json["next"].as_str().map(str::to_owned);
    }
    records
}

fn escaped(place: &str) -> String {
    place.replace('+', "%2B")
}

fn at(record: &Value) -> &str {
    record["at"].as_str().unwrap()
}

fn count(records: &[Value], outcome: &str, reason: &str) -> u64 {
    let is_like = |record: &&Value| record["outcome"] == outcome && record["reason"] == reason;
    records.iter().filter(is_like).count() as u64
}

impl Served {
    fn get(&self, path: &str) -> Answer {
        self.ask(&format!("GET {path}"), b"")
    }
}

#[test]
fn the_pages_of_the_inspector_load_only_themselves() {
    let served = Served::start(&[]);
    let start = served.get("/");
    let parts: Vec<&str> = start
        .text()
        .split('"')
        .filter(|part| part.contains('.') && !part.contains(' '))
        .collect();
    assert!(
        parts.contains(&"inspector.js") && parts.contains(&"inspector.css"),
        "{parts:?}"
    );
    for path in ["/", "/inspector.js", "/inspector.css", "/icon.svg"] {
        let answer = served.get(path);
        let policy = answer.header("content-security-policy").unwrap();
        assert_eq!(answer.status, 200, "{path}");
        for part in [
            "default-src 'none'",
            "script-src 'self'",
            "base-uri 'none'",
            "frame-ancestors 'none'",
            "require-trusted-types-for 'script'",
        ] {
            assert!(policy.contains(part), "{path}: {policy}");
        }
        assert!(!policy.contains("unsafe"), "{policy}");
        for elsewhere in ["src=\"http", "href=\"http", "url(", "@import"] {
            assert!(!answer.text().contains(elsewhere), "{path} has {elsewhere}");
        }
    }
    assert_eq!(served.get("/missing.js").refusal(), (404, "not_found".to_owned()));
}

#[test]
fn the_list_shows_what_a_run_makes_of_each_record() {
    let served = Served::start(&[SAMPLE]);
    let run = served.place.run(&[SAMPLE]);
    let all = records(&served, "", 200);
    let records_only = all.iter().filter(|record| record["outcome"] != "skipped").count();
    assert_eq!(records_only as u64, run.total("framed"));
    assert_eq!(count(&all, "emitted", ""), run.total("emitted"));
    for kind in ["filtered", "failed"] {
        for (reason, expected) in run.report["totals"][kind].as_object().unwrap() {
            assert_eq!(
                count(&all, kind, reason),
                expected.as_u64().unwrap(),
                "{kind} as {reason}"
            );
        }
    }
    // However many are asked for at a time, the list is the same.
    assert_eq!(records(&served, "", 7), all);
}

#[test]
fn the_list_can_be_filtered_and_searched() {
    let served = Served::start(&[SAMPLE]);
    let all = records(&served, "", 200);
    let places =
        |query: &str| -> Vec<String> { records(&served, query, 200).iter().map(|r| at(r).to_owned()).collect() };
    let expected = |keep: &dyn Fn(&Value) -> bool| -> Vec<String> {
        all.iter()
            .filter(|record| keep(record))
            .map(|record| at(record).to_owned())
            .collect()
    };
    assert_eq!(places("outcome=emitted"), expected(&|r| r["outcome"] == "emitted"));
    assert_eq!(places("outcome=failed"), expected(&|r| r["outcome"] == "failed"));
    assert_eq!(
        places("outcome=filtered:status"),
        expected(&|r| r["reason"] == "status")
    );
    assert_eq!(
        places("outcome=pages"),
        expected(&|r| r["outcome"] != "skipped" && r["reason"] != "record_type")
    );
    let has_forum = |record: &Value| record["url"].as_str().is_some_and(|url| url.contains("forum.paddlers"));
    assert_eq!(places("url=FORUM.paddlers"), expected(&has_forum));
    let by_words = records(&served, "words=jammed+SKEG", 200);
    assert_eq!(by_words.len(), 1, "{by_words:?}");
    assert!(has_forum(&by_words[0]));
    let id = all[3]["id"].as_str().unwrap();
    assert_eq!(places(&format!("id=%3C{id}%3E")), [at(&all[3])]);
    assert_eq!(places("words=zzyzx"), [""; 0]);
}

#[test]
fn the_first_records_are_listed_without_reading_on() {
    let served = Served::start(&[SAMPLE]);
    let answer = served.get("/inspector/records?limit=3").json();
    assert_eq!(
        (answer["records"].as_array().unwrap().len(), &answer["read"]),
        (3, &Value::from(3))
    );
    assert!(answer["next"].is_string());
}

#[test]
fn the_list_goes_back_as_it_came() {
    let served = Served::start(&[SAMPLE]);
    let forth: Vec<String> = records(&served, "outcome=pages", 200)
        .iter()
        .map(|r| at(r).to_owned())
        .collect();
    let mut back: Vec<String> = Vec::new();
    let mut before = forth.last().cloned();
    while let Some(place) = before {
        let answer = served.get(&format!(
            "/inspector/records?outcome=pages&limit=5&before={}",
            escaped(&place)
        ));
        let json = answer.json();
        let rows = json["records"].as_array().unwrap();
        back.extend(rows.iter().rev().map(|record| at(record).to_owned()));
        before = json["next"].as_str().map(str::to_owned);
    }
    back.reverse();
    assert_eq!(back, forth[..forth.len() - 1]);
}

#[test]
fn a_page_has_its_text_and_the_words_of_explain() {
    let served = Served::start(&[SAMPLE]);
    let page = served.get("/inspector/page?at=341&extractor=coreex").json();
    assert_eq!(
        (&page["outcome"], &page["record"]["at"]),
        (&Value::from("emitted"), &Value::from("341"))
    );
    let said = served
        .place
        .dehusk(&["inspect", &format!("{SAMPLE}@341"), "-e", "coreex"])
        .stdout;
    let said = String::from_utf8(said).unwrap();
    let explained = &page["explanation"];
    let winner = explained["winner"].as_u64().unwrap();
    let nodes = explained["nodes"].as_array().unwrap();
    let row = nodes.iter().find(|row| row[0] == winner).unwrap();
    let note = row.as_array().unwrap().last().unwrap().as_str().unwrap();
    let (first, because) = note.split_once('\n').unwrap();
    assert!(first.starts_with(&format!("#{winner} ")), "{note}");
    let because = because.split_once("because ").unwrap().1;
    assert!(said.contains(because), "{because}\n{said}");
    assert!(said.contains(explained["rule"].as_str().unwrap()));
    let run = served.place.run(&[SAMPLE, "-e", "coreex"]);
    let emitted = run.documents();
    let document = emitted
        .iter()
        .find(|document| document["metadata"]["warc_offset"] == 341);
    assert_eq!(page["text"], document.unwrap()["text"]);
    let frame = served.get("/inspector/frame?at=341&extractor=coreex");
    assert_eq!(
        frame.header("content-type"),
        Some("application/xhtml+xml; charset=utf-8")
    );
    let element = format!("id=\"n{winner}\" class=\"");
    let (_, after) = frame.text().split_once(&element).unwrap();
    assert!(
        after.split('"').next().unwrap().split(' ').any(|class| class == "w"),
        "{after:.60}"
    );
}

#[test]
fn a_record_without_a_page_is_shown_with_its_reason_and_bytes() {
    let place = Place::new();
    let html = b"<script>alert(1)</script>\x1b[31m\xFF";
    let head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n\x1b]0;x\x07";
    let large = [&head[..], &[b'x'; 2000]].concat();
    let archive = [
        make::response("http://gone.example/", "404 Not Found", "text/html", html),
        make::record(
            "response",
            "http://no.example/",
            "Content-Type: application/http\r\n",
            &large,
        ),
    ];
    place.write("a.warc", archive.concat());
    let served = Served::start_in(place, &["a.warc", "--set", "limits.page_bytes=1000"]);
    let listed = records(&served, "", 50);
    for (record, outcome) in listed.iter().zip(["filtered", "failed"]) {
        let page = served.get(&format!("/inspector/page?at={}", at(record))).json();
        assert_eq!(
            (&page["outcome"], &record["outcome"]),
            (&Value::from(outcome), &Value::from(outcome))
        );
        assert_eq!(page["reason"], record["reason"]);
        assert!(page["sentence"].as_str().unwrap().ends_with('.'), "{page}");
        let raw = page["raw"].as_str().unwrap();
        assert!(raw.contains("HTTP") && !raw.contains(['\u{1b}', '\u{7}']), "{raw}");
        assert_eq!(page["explanation"], Value::Null);
        assert_eq!(served.get(&format!("/inspector/frame?at={}", at(record))).status, 200);
    }
}

#[test]
fn frames_have_nothing_that_a_page_could_do() {
    let place = Place::new();
    let pages: Vec<Vec<u8>> = hostile::pages()
        .map(|(name, html)| {
            make::response(
                &format!("http://{name}.example/"),
                "200 OK",
                "text/html",
                html.as_bytes(),
            )
        })
        .collect();
    place.write("hostile.warc", pages.concat());
    let served = Served::start_in(place, &["hostile.warc"]);
    let listed = records(&served, "", 50);
    assert_eq!(listed.len(), pages.len());
    for record in &listed {
        let frame = served.get(&format!("/inspector/frame?at={}", at(record)));
        let policy = frame.header("content-security-policy").unwrap();
        assert!(policy.starts_with("default-src 'none'; style-src 'sha256-"), "{policy}");
        assert!(policy.ends_with("; sandbox"), "{policy}");
        let (_, body) = frame.text().split_once("<div class=\"page\">").unwrap();
        // Only an element or an attribute makes a page do something, so it would be in a tag.
        let tags = body.split('<').skip(1).map(|tag| tag.split('>').next().unwrap());
        for tag in tags {
            let name: &str = tag.trim_start_matches('/').split([' ', '/']).next().unwrap();
            for refused in hostile::ELEMENTS {
                assert_ne!(name, refused, "{}: {tag}", record["url"]);
            }
            let attributes = tag.split('"').step_by(2).skip(usize::from(!tag.contains(' ')));
            for attribute in attributes.filter_map(|part| part.rsplit(' ').next()?.strip_suffix('=')) {
                let known = [
                    "id",
                    "class",
                    "data-note",
                    "tabindex",
                    "lang",
                    "dir",
                    "colspan",
                    "rowspan",
                ];
                assert!(known.contains(&attribute), "{}: {tag}", record["url"]);
            }
        }
        assert!(body.contains("The visible words"), "{}", record["url"]);
    }
}

#[test]
fn a_pasted_page_is_shown_until_it_is_forgotten() {
    let served = Served::start(&[]);
    let paste = || {
        served.ask("POST /inspector/paste", PAGE.as_bytes()).json()["pasted"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    let first = paste();
    let shown = served.get(&format!("/inspector/page?pasted={first}"));
    assert!(shown.json()["text"].as_str().unwrap().starts_with("We went out early"));
    assert_eq!(served.get(&format!("/inspector/frame?pasted={first}")).status, 200);
    for _ in 0..8 {
        paste();
    }
    let forgotten = served.get(&format!("/inspector/page?pasted={first}"));
    assert_eq!(forgotten.refusal(), (404, "no_page".to_owned()));
    assert_eq!(served.get("/inspector/records").refusal(), (404, "no_input".to_owned()));
}

#[test]
fn a_file_that_changes_or_vanishes_is_named_and_the_server_continues() {
    let place = Place::new();
    place.write("a.warc", make::page("http://a.example/", "Some words of one page."));
    place.write("b.warc", make::page("http://b.example/", "Some words of another page."));
    let served = Served::start_in(place, &["a.warc", "b.warc"]);
    let get = |input: usize| served.get(&format!("/inspector/page?at=0&input={input}"));
    assert_eq!((get(0).status, get(1).status), (200, 200));
    served.place.write(
        "a.warc",
        make::page("http://a.example/", "Other words, and more of them than before."),
    );
    let changed = get(0);
    assert_eq!(changed.refusal(), (409, "changed".to_owned()));
    assert!(
        changed.json()["message"].as_str().unwrap().starts_with("a.warc: "),
        "{changed:?}"
    );
    assert!(get(0).text().contains("Other words"));
    std::fs::remove_file(served.place.path("a.warc")).unwrap();
    assert_eq!(get(0).refusal(), (404, "unreadable".to_owned()));
    assert_eq!(get(1).status, 200);
}

#[test]
fn nothing_but_the_named_inputs_can_be_read() {
    let place = Place::new();
    place.write("shown.warc", make::page("http://a.example/", "Some words of one page."));
    place.write(
        "secret.warc",
        make::page("http://b.example/", "Secret words of one page."),
    );
    let served = Served::start_in(place, &["shown.warc"]);
    for query in [
        "input=1",
        "input=secret.warc",
        "input=-1",
        "input=..%2Fsecret.warc",
        "input=",
    ] {
        let answer = served.get(&format!("/inspector/page?at=0&{query}"));
        assert_eq!(answer.refusal(), (404, "no_input".to_owned()), "{query}");
    }
    for path in [
        "/secret.warc",
        "/../secret.warc",
        "/%2e%2e/secret.warc",
        "//etc/passwd",
        "/inspector/../secret.warc",
    ] {
        assert_eq!(served.get(path).refusal(), (404, "not_found".to_owned()), "{path}");
    }
    for (query, refusal) in [
        ("at=x", (400, "place")),
        ("at=7", (404, "no_record")),
        ("at=99999999", (404, "unreadable")),
        ("at=0&file=secret.warc", (400, "unknown_parameter")),
        ("at=0&set=extract.model=secret.warc", (400, "setting")),
    ] {
        let answer = served.get(&format!("/inspector/page?{query}"));
        assert_eq!(answer.refusal(), (refusal.0, refusal.1.to_owned()), "{query}");
    }
}

#[test]
fn a_run_directory_means_the_archives_of_the_run() {
    let place = Place::new();
    place.write("a.warc", make::page("http://a.example/", "Some words of one page."));
    place.run_to("out", &["a.warc"]).ends_with(0);
    let served = Served::start_in(place, &["out"]);
    let inputs = served.get("/inspector/inputs").json();
    assert_eq!(inputs["archives"][0]["name"], "a.warc");
    assert_eq!(records(&served, "", 50).len(), 1);
}

#[test]
fn what_can_be_read_only_once_is_refused() {
    let place = Place::new();
    place.pipe("pipe.warc");
    for (input, message) in [
        (
            "-",
            "standard input cannot be read twice; save the archive to a file first",
        ),
        (
            "pipe.warc",
            "pipe.warc: is a pipe, socket or device, which can be read only once",
        ),
    ] {
        let ended = place.dehusk(&["serve", "--port", "0", input]);
        assert!(ended.status != 0 && ended.stderr.contains(message), "{}", ended.stderr);
    }
}

#[test]
fn a_record_that_cannot_be_decoded_is_shown_as_it_is_stored() {
    let served = Served::start(&[SAMPLE]);
    let failed = records(&served, "outcome=failed:gzip_data", 50);
    let place = at(&failed[0]);
    let page = served.get(&format!("/inspector/page?at={place}")).json();
    let offset: usize = place.parse().unwrap();
    let first: Vec<String> = std::fs::read(SAMPLE).unwrap()[offset..offset + 16]
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    let raw = page["raw"].as_str().unwrap();
    assert!(
        raw.trim_start().starts_with(&format!("{offset}  {}", first.join(" "))),
        "{raw}"
    );
}

#[test]
fn the_report_of_a_run_leads_to_its_records() {
    let place = Place::new();
    place.run_to("out", &[SAMPLE]);
    let served = Served::start_in(place, &["out"]);
    let report = served.get("/report?run=0");
    let policy = report.header("content-security-policy").unwrap();
    assert!(
        policy.starts_with("default-src 'none'") && !policy.contains("script"),
        "{policy}"
    );
    let links: Vec<&str> = report
        .text()
        .split("href=\"/#input=0&amp;run=0&amp;")
        .skip(1)
        .map(|link| link.split('"').next().unwrap())
        .collect();
    for link in [
        "outcome=failed%3Agzip_data",
        "outcome=filtered%3Astatus",
        "outcome=emitted",
        "at=341",
        "find=%2F%2Fbackpack.example.org",
    ] {
        assert!(links.contains(&link), "{link}: {links:?}");
    }
    // But for the links, it is the file.
    let file = std::fs::read_to_string(served.place.path("out/report.html")).unwrap();
    let mut text = report.text().replace("<p><a href=\"/\">To the inspector</a></p>\n", "");
    for link in &links {
        text = text.replacen(&format!("<a href=\"/#input=0&amp;run=0&amp;{link}\">"), "", 1);
    }
    assert_eq!(text.replace("</a>", ""), file);
    assert_eq!(served.get("/report?run=1").refusal(), (404, "no_run".to_owned()));
    std::fs::remove_file(served.place.path("out/report.html")).unwrap();
    assert_eq!(served.get("/report").refusal(), (404, "no_report".to_owned()));
}
