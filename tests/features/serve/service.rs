//! The answers of the service.

use std::fs;

use serde_json::{Value, json};

use super::client::Connection;
use super::{PAGE, Served};

const JSON: [(&str, &str); 1] = [("Content-Type", "application/json")];

#[test]
fn a_page_is_answered_as_the_program_writes_it() {
    let served = Served::start(&[]);
    served.place.write("page.html", PAGE);
    let types = [
        ("text", "text/plain; charset=utf-8"),
        ("html", "text/html; charset=utf-8"),
        ("json", "application/json"),
        ("xml", "application/xml"),
    ];
    for (format, content_type) in types {
        let url = "https://blog.example/walk";
        let answer = served.ask(&format!("POST /extract?format={format}&url={url}"), PAGE.as_bytes());
        let arguments = ["extract", "page.html", "--format", format, "--url", url];
        let written = served.place.command().args(arguments).output().unwrap().stdout;
        // The program adds the name of the file.
        let written = String::from_utf8(written).unwrap().replace("page.html", "");
        assert_eq!(answer.text(), written, "{format}");
        assert_eq!(
            (answer.status, answer.header("content-type")),
            (200, Some(content_type))
        );
    }
    let plain = served.ask("POST /extract", PAGE.as_bytes());
    assert!(plain.text().starts_with("We went out early"), "{}", plain.text());
}

#[test]
fn parameters_choose_extractor_text_and_settings() {
    let served = Served::start(&[]);
    let of = |query: &str| served.ask(&format!("POST /extract?format=json&{query}"), PAGE.as_bytes());
    assert_eq!(of("extractor=coreex").json()["metadata"]["extractor"], "coreex");
    assert_eq!(of("").json()["metadata"]["extractor"], "fusion");
    let page = "<h2>Tea</h2><p>Black tea is brewed for <b>four</b> minutes, green tea for two, and white tea for one.";
    let markdown = served.ask("POST /extract?text=markdown&extractor=coreex", page.as_bytes());
    assert!(markdown.text().contains("**four**"), "{}", markdown.text());
    assert_eq!(of("set=select.min_words=1000").refusal(), (422, "too_short".to_owned()));
    assert_eq!(
        of("set=select.languages=[%22de%22]").refusal(),
        (422, "language".to_owned())
    );
    // The next request has the server's own settings again.
    assert_eq!(of("").status, 200);
}

#[test]
fn the_server_has_the_configuration_of_its_flags() {
    let served = Served::start(&["-e", "coreex", "--min-words", "1000"]);
    assert_eq!(
        served.ask("POST /extract", PAGE.as_bytes()).refusal(),
        (422, "too_short".to_owned())
    );
    let less = served.ask("POST /extract?format=json&set=select.min_words=1", PAGE.as_bytes());
    assert_eq!(less.json()["metadata"]["extractor"], "coreex");
}

#[test]
fn the_charset_of_the_request_counts() {
    let served = Served::start(&["-e", "coreex"]);
    let page = b"<p>Der K\xe4se und die \xdcbung sind gr\xf6\xdfer als gedacht, und das Wetter ist auch nicht besser.";
    let of = |content_type: &str| {
        let headers = [("Content-Type", content_type)];
        let answer = served.ask_with("POST /extract?format=json", &headers, page).json();
        (
            answer["metadata"]["charset_source"].clone(),
            answer["text"].as_str().unwrap().contains("Käse"),
        )
    };
    assert_eq!(of("text/html; charset=ISO-8859-1"), (json!("http"), true));
    assert_eq!(of("text/html"), (json!("detected"), true));
}

#[test]
fn a_list_is_answered_page_by_page() {
    let served = Served::start(&["-e", "coreex"]);
    let list = json!([{"html": PAGE, "url": "https://a.example/1"}, {"html": ""}, {"html": PAGE}]).to_string();
    let answer = served.ask_with("POST /extract", &JSON, list.as_bytes()).json();
    assert_eq!(answer[0]["document"]["metadata"]["url"], "https://a.example/1");
    assert_eq!(answer[1]["error"], "empty");
    assert_eq!(answer[1]["outcome"], "filtered");
    assert!(
        answer[2]["document"]["text"]
            .as_str()
            .unwrap()
            .starts_with("We went out")
    );
    let text = served
        .ask_with("POST /extract?format=text", &JSON, list.as_bytes())
        .json();
    assert!(text[0]["document"].as_str().unwrap().starts_with("We went out"));
    assert_eq!(served.ask_with("POST /extract", &JSON, b"[]").json(), json!([]));
}

#[test]
fn every_node_is_explained() {
    let served = Served::start(&[]);
    for extractor in ["coreex", "fusion", "nce", "cetd-ds", "econ", "contentex"] {
        let answer = served
            .ask(&format!("POST /explain?extractor={extractor}"), PAGE.as_bytes())
            .json();
        let nodes = answer["explanation"]["nodes"].as_array().unwrap();
        for (number, node) in nodes.iter().enumerate() {
            assert_eq!(node["node"], json!(number), "{extractor}");
        }
        let text = |start: &str| {
            let is_text = |node: &&Value| node["name"] == "text" && node["words"] == json!(start.split(' ').count());
            nodes
                .iter()
                .find(is_text)
                .unwrap_or_else(|| panic!("{extractor}: {start}"))
        };
        let home = text("Home");
        let walk =
            text("We went out early in the morning, up the hill behind the village, and it rained until we were home.");
        assert_eq!(walk["state"], "kept", "{extractor}");
        // The page is too short for the others to find a part of it.
        if ["coreex", "fusion"].contains(&extractor) {
            assert_eq!(home["state"], "left_out", "{extractor}");
        }
        let reasons = nodes
            .iter()
            .filter(|node| node["explanation"]["because"].is_string())
            .count();
        assert!(reasons > 0, "{extractor}");
        assert_eq!(answer["document"]["metadata"]["extractor"], extractor);
    }
    let none = served
        .ask("POST /explain?set=select.min_words=1000", PAGE.as_bytes())
        .json();
    assert_eq!(none["dropped"]["error"], "too_short");
    assert_eq!(none["explanation"]["extractor"], "fusion");
}

#[test]
fn pages_without_a_document_have_their_reason() {
    let served = Served::start(&[]);
    let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0";
    let utf32 = b"\xFF\xFE\0\0<\0\0\0p\0\0\0>\0\0\0";
    for (body, reason, outcome) in [
        (&b""[..], "empty", "filtered"),
        (b"<p>", "empty", "filtered"),
        (png, "binary", "filtered"),
        (utf32, "charset_unsupported", "failed"),
    ] {
        let answer = served.ask("POST /extract", body);
        assert_eq!(answer.refusal(), (422, reason.to_owned()));
        let answer = answer.json();
        assert_eq!(answer["outcome"], outcome);
        assert!(answer["message"].as_str().unwrap().ends_with('.'), "{answer}");
    }
    // Bytes that are no UTF-8 are decoded as some other charset, as everywhere.
    let latin = "<p>The caf\u{e9} is open every day, and the tea is better than anything that you find in the town.";
    let latin: Vec<u8> = latin.chars().map(|c| c as u8).collect();
    assert!(
        served
            .ask("POST /extract?extractor=coreex", &latin)
            .text()
            .contains("café")
    );
}

#[test]
fn health_metrics_and_description_are_there() {
    let served = Served::start(&[]);
    assert_eq!(served.ask("GET /health", b"").json(), json!({"status": "ok"}));
    served.ask("POST /extract", PAGE.as_bytes());
    served.ask("POST /extract", b"");
    let metrics = served.ask("GET /metrics", b"");
    let text = metrics.text();
    for line in [
        "dehusk_serve_requests_total{path=\"/extract\",status=\"200\"} 1",
        "dehusk_serve_requests_total{path=\"/extract\",status=\"422\"} 1",
        "dehusk_serve_pages_total{outcome=\"emitted\",reason=\"\"} 1",
        "dehusk_serve_pages_total{outcome=\"filtered\",reason=\"empty\"} 1",
        "dehusk_serve_request_seconds_count{path=\"/extract\"} 2",
        "dehusk_serve_requests_active 1",
    ] {
        assert!(text.lines().any(|known| known == line), "{line} is not in\n{text}");
    }
    let api = served.ask("GET /openapi.json", b"").json();
    let extractors = api["components"]["parameters"]["extractor"]["schema"]["enum"]
        .as_array()
        .unwrap();
    assert!(extractors.contains(&json!("fusion")) && extractors.contains(&json!("coreex")));
    // Every path of the description is answered, and with no other method than it states.
    for (path, methods) in api["paths"].as_object().unwrap() {
        for method in ["GET", "POST"] {
            let is_described = methods.get(method.to_lowercase()).is_some();
            let status = served.ask(&format!("{method} {path}"), PAGE.as_bytes()).status;
            assert_eq!(status != 405, is_described, "{method} {path}");
        }
    }
}

#[test]
fn a_connection_is_used_again() {
    let served = Served::start(&["-e", "coreex"]);
    let mut connection = Connection::new(&served);
    for _ in 0..3 {
        let answer = connection.ask("POST /extract", &[("Content-Type", "text/html")], PAGE.as_bytes());
        assert_eq!(answer.status, 200);
        // A faulty request does not end the connection.
        assert_eq!(
            connection.ask("POST /nothing", &[], b"").refusal(),
            (404, "not_found".to_owned())
        );
    }
    let mut head = connection.ask("GET /health", &[], b"");
    head.head.clear();
    assert_eq!(head.status, 200);
}

#[test]
fn no_answer_can_be_used_by_another_site() {
    let served = Served::start(&[]);
    let answer = served.ask("POST /extract?format=html", PAGE.as_bytes());
    let policy = answer.header("content-security-policy").unwrap();
    assert!(
        policy.starts_with("default-src 'none'") && policy.ends_with("sandbox"),
        "{policy}"
    );
    assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
    assert_eq!(answer.header("cross-origin-resource-policy"), Some("same-origin"));
    assert!(answer.header("access-control-allow-origin").is_none());
    let ask = |headers: &[(&str, &str)]| served.ask_with("POST /extract", headers, PAGE.as_bytes());
    assert_eq!(ask(&[("Host", "evil.example")]).refusal(), (403, "host".to_owned()));
    assert_eq!(
        ask(&[("Origin", "http://evil.example")]).refusal(),
        (403, "origin".to_owned())
    );
    let own = format!("127.0.0.1:{}", served.port);
    let origin = format!("http://{own}");
    assert_eq!(ask(&[("Host", &own), ("Origin", &origin)]).status, 200);
    let named = Served::start(&["--host", "inspect.example"]);
    let answer = named.ask_with("GET /health", &[("Host", "inspect.example:8070")], b"");
    assert_eq!(answer.status, 200);
}

#[test]
fn no_file_of_the_machine_can_be_read() {
    let served = Served::start(&[]);
    let secret = served.place.write("secret.toml", "secret = 1");
    let secret = secret.to_str().unwrap();
    for setting in [
        format!("extract.model={secret}"),
        format!("extract={{model=\"{secret}\"}}"),
        format!("presets.mine.model={secret}"),
        format!("presets.mine={{base=\"fusion\",model=\"{secret}\"}}"),
        format!("select.seen={secret}"),
        format!("input.url_pattern={secret}"),
        "limits.page_bytes=99999999999".to_owned(),
        "run.threads=1000".to_owned(),
    ] {
        let escaped = setting
            .replace('=', "%3D")
            .replace('"', "%22")
            .replace('{', "%7B")
            .replace('}', "%7D");
        let answer = served.ask(&format!("POST /extract?set={escaped}"), PAGE.as_bytes());
        assert_eq!(answer.refusal(), (400, "setting".to_owned()), "{setting}");
    }
    assert!(!served.place.path("secret.toml-journal").exists());
    assert_eq!(fs::read(secret).unwrap(), b"secret = 1");
    for path in [
        "/etc/passwd",
        "/../../etc/passwd",
        "/%2e%2e/secret.toml",
        "//etc/passwd",
    ] {
        assert_eq!(served.ask(&format!("GET {path}"), b"").status, 404, "{path}");
    }
}

#[test]
fn a_request_has_at_most_fifty_settings() {
    let served = Served::start(&[]);
    let ask = |count| {
        let settings = vec!["set=select.min_words%3D0"; count].join("&");
        served.ask(&format!("POST /extract?{settings}"), PAGE.as_bytes())
    };
    assert_eq!(ask(50).status, 200);
    let refused = ask(51);
    assert_eq!(refused.refusal(), (400, "setting".to_owned()));
    assert!(refused.text().contains("more than 50"), "{}", refused.text());
}
