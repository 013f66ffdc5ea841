//! Code that the tests of `dehusk eval` share: truth, pages, and reading a report.

use serde_json::{Value, json};

use super::{Ended, make};

/// The truth about the sample archive of the repository.
pub const SAMPLE_TRUTH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/sample/truth.jsonl");

/// The program's standard output.
pub fn stdout(ended: &Ended) -> String {
    String::from_utf8(ended.stdout.clone()).unwrap()
}

/// Its standard output as JSON.
pub fn object(ended: &Ended) -> Value {
    serde_json::from_slice(&ended.stdout).unwrap_or_else(|e| panic!("{e}\n{}", ended.stderr))
}

/// A line of truth about the page at a URL.
pub fn truth(url: &str, text: &str) -> String {
    json!({"record_id": format!("<urn:test:response:{url}>"), "url": url, "text": text}).to_string()
}

/// A page of several paragraphs after a menu of links.
pub fn page(url: &str, paragraphs: &[&str]) -> Vec<u8> {
    let text: String = paragraphs.iter().map(|p| format!("<p>{p}</p>")).collect();
    let html = format!("<title>A</title><ul><li><a href=/>Home</a><li><a href=/n>News</a></ul><div>{text}</div>");
    make::response(url, "200 OK", "text/html", html.as_bytes())
}

/// Rows of one group by extractor.
pub fn rows<'r>(report: &'r Value, by: &str) -> Vec<&'r Value> {
    report["groups"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|r| r["by"] == by)
        .collect()
}

/// The figure of the first row over all pages.
pub fn figure(report: &Value, key: &str) -> f64 {
    rows(report, "all")[0][key].as_f64().unwrap()
}

/// Equal but for rounding.
pub fn near(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-6
}
