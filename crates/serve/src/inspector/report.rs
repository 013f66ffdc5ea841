//! `GET /report`: the `report.html` of a run, with links to the records that it counts.

use std::fs::File;
use std::io::Read;

use hyper::Request;
use hyper::body::Incoming;
use hyper::header::HeaderValue;

use crate::http::{Answer, Query, Refusal, answer_with_policy};
use crate::state::{App, Run, RunArchive};
use dehusk_archive::escape;

/// The page has styles, but no scripts, and loads nothing.
const POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Largest report that is shown, in bytes.
const LIMIT: u64 = 32 << 20;

pub(crate) fn report(app: &App, request: &Request<Incoming>) -> Result<Answer, Refusal> {
    let query = Query::parse(request.uri().query(), &["run"])?;
    let run = app.inputs.run(query.get("run")?.unwrap_or("0"))?;
    let path = run.directory.join("report.html");
    let mut html = String::new();
    let read = File::open(&path).and_then(|file| file.take(LIMIT).read_to_string(&mut html));
    read.map_err(|error| {
        let message = format!("{}: cannot be read: {error}", escape::path(&path));
        Refusal::new(404, "no_report", message)
    })?;
    let html = linked(&html, run);
    Ok(answer_with_policy(
        200,
        "text/html; charset=utf-8",
        HeaderValue::from_static(POLICY),
        html,
    ))
}

/// The report with its links. Each section has its heading, by which it is known.
fn linked(html: &str, run: &Run) -> String {
    let mut sections = html.split("<h2>");
    let mut out = sections.next().unwrap_or_default().to_owned();
    let back = "<p><a href=\"/\">To the inspector</a></p>\n<h1>";
    out = out.replacen("<h1>", back, 1);
    for section in sections {
        out.push_str("<h2>");
        let heading = section.split('<').next().unwrap_or_default();
        out.push_str(&match heading {
            "Failures" => each(section, "<td><span class=\"bad\">", |reason| {
                run.link_of_reason("failed", reason)
            }),
            "Records by reason" => each(section, "<span>", |text| match text.split_once(": ") {
                Some((outcome, reason)) => run.link_of_reason(outcome, reason),
                None => run.link(&[("outcome", text)]),
            }),
            "Hosts" => each(section, "<span>", |host| run.link(&[("find", &format!("//{host}"))])),
            "Slowest pages" => each(section, "<span class=\"quiet\">", |place| run.link_of_place(place)),
            "Archives" => each(section, "<tr><td>", |archive| run.link_of_archive(archive)),
            _ => section.to_owned(),
        });
    }
    out
}

/// Makes a link of each text after `start` that has an address.
fn each(section: &str, start: &str, address: impl Fn(&str) -> Option<String>) -> String {
    let mut parts = section.split(start);
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        out.push_str(start);
        let (text, rest) = part.split_at(part.find('<').unwrap_or(part.len()));
        match address(&unescaped(text)) {
            // An address has nothing else that HTML gives a meaning.
            Some(address) => out.push_str(&format!("<a href=\"{}\">{text}</a>", address.replace('&', "&amp;"))),
            None => out.push_str(text),
        }
        out.push_str(rest);
    }
    out
}

fn unescaped(text: &str) -> String {
    let escapes = [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&#39;", "'"),
        ("&amp;", "&"),
    ];
    escapes.iter().fold(text.to_owned(), |text, (escape, character)| {
        text.replace(escape, character)
    })
}

impl Run {
    /// The address of a view of the inspector, in the first archive of the run.
    fn link(&self, state: &[(&str, &str)]) -> Option<String> {
        self.archives.first().map(|archive| self.address(archive.input, state))
    }

    /// The records that were dropped for a reason, in the first archive that has such.
    fn link_of_reason(&self, outcome: &str, reason: &str) -> Option<String> {
        let has = |archive: &&RunArchive| {
            let counts = match outcome {
                "filtered" => &archive.filtered,
                _ => &archive.failed,
            };
            counts.get(reason).is_some_and(|count| *count > 0)
        };
        let archive = self.archives.iter().find(has)?;
        Some(self.address(archive.input, &[("outcome", &format!("{outcome}:{reason}"))]))
    }

    /// The record at `ARCHIVE@PLACE`.
    fn link_of_place(&self, place: &str) -> Option<String> {
        let (name, place) = place.rsplit_once('@')?;
        let archive = self.archives.iter().find(|archive| archive.name == name)?;
        Some(self.address(archive.input, &[("at", place)]))
    }

    fn link_of_archive(&self, name: &str) -> Option<String> {
        let archive = self.archives.iter().find(|archive| archive.name == name)?;
        Some(self.address(archive.input, &[("outcome", "pages")]))
    }

    /// The address of a view by the settings of the run.
    fn address(&self, input: usize, state: &[(&str, &str)]) -> String {
        let mut address = format!("/#input={input}&run={}", self.number);
        for (name, value) in state {
            address.push_str(&format!("&{name}="));
            for byte in value.bytes() {
                match byte {
                    b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' => address.push(char::from(byte)),
                    byte => address.push_str(&format!("%{byte:02X}")),
                }
            }
        }
        address
    }
}
