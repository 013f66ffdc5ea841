//! Pages with known near-duplicates. `dehusk eval --clusters` scores clusters against the tables that are written, too.
//!
//!     cargo study planted TRUTH... ARCHIVE.warc
//!
//! Every text of at least [`LEAST_WORDS`] words is set in five page templates, with 0, 0, 2, 5 and 10 % of its words
//! replaced, and with a date and a byline of each page's own. `ARCHIVE.warc.tsv` has each page's id and text, and
//! `ARCHIVE.warc.few.tsv` those of the pages with up to [`FEW_EDITS`] % of the words replaced. Of texts that are equal, or that share half of their words' sequences, only
//! the first is taken.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::process::ExitCode;

use dehusk_eval::Truth;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::shared::Outcome;

/// Shorter texts are hardly texts.
const LEAST_WORDS: usize = 50;

/// The percentage of replaced words, by template.
const EDITS: [u64; 5] = [0, 0, 2, 5, 10];

/// The edits that clusters should see through, at most, in percent.
const FEW_EDITS: u64 = 5;

pub fn main(arguments: &[String]) -> Outcome {
    match arguments {
        [truth @ .., archive] if !truth.is_empty() => make(truth, archive),
        _ => Err("planted takes TRUTH... ARCHIVE.warc".into()),
    }
}

fn make(truth: &[String], archive: &str) -> Outcome {
    let paths: Vec<_> = truth.iter().map(Into::into).collect();
    let truth = Truth::read(&paths)?;
    let texts = truth.lines.iter().map(|line| line.text.as_str());
    let texts: Vec<&str> = different(texts.filter(|text| text.split_whitespace().count() >= LEAST_WORDS));
    // Words that replace others: any word of the corpus.
    let words: Vec<&str> = texts
        .iter()
        .flat_map(|text| text.split_whitespace().step_by(7))
        .collect();
    let mut out = BufWriter::new(File::create(archive)?);
    let (mut all, mut few) = (String::new(), String::new());
    for (number, text) in texts.iter().enumerate() {
        for (template, percent) in EDITS.into_iter().enumerate() {
            let seed = (number * EDITS.len() + template) as u64;
            let body = edited(text, percent, seed, &words);
            let page = page(template, number, seed, &body);
            let id = format!("urn:planted:{number}:{template}:{percent}");
            write_record(&mut out, &id, template, number, &page)?;
            let line = format!("{id}\t{number}\n");
            all += &line;
            if percent <= FEW_EDITS {
                few += &line;
            }
        }
    }
    out.flush()?;
    fs::write(format!("{archive}.tsv"), all)?;
    fs::write(format!("{archive}.few.tsv"), few)?;
    println!("{} texts, {} pages", texts.len(), texts.len() * EDITS.len());
    Ok(ExitCode::SUCCESS)
}

/// Leaves out texts that share half of their sequences of five words with an earlier one.
fn different<'t>(texts: impl Iterator<Item = &'t str>) -> Vec<&'t str> {
    let mut seen: HashMap<u64, usize> = HashMap::new();
    let mut kept = Vec::new();
    for text in texts {
        let words: Vec<&str> = text.split_whitespace().collect();
        let shingles: Vec<u64> = words
            .windows(5)
            .map(|w| xxh3_64_with_seed(w.join(" ").as_bytes(), 0))
            .collect();
        let mut shared: HashMap<usize, usize> = HashMap::new();
        for shingle in &shingles {
            if let Some(text) = seen.get(shingle) {
                *shared.entry(*text).or_default() += 1;
            }
        }
        if shared.values().all(|count| 4 * count < shingles.len()) {
            for shingle in shingles {
                seen.entry(shingle).or_insert(kept.len());
            }
            kept.push(text);
        }
    }
    kept
}

/// A number that looks random.
fn random(seed: u64, at: u64) -> u64 {
    xxh3_64_with_seed(&at.to_le_bytes(), seed)
}

/// The text with some of its words replaced, paragraph by paragraph.
fn edited(text: &str, percent: u64, seed: u64, words: &[&str]) -> String {
    let mut at = 0;
    let mut out = String::new();
    for paragraph in text.lines().filter(|line| !line.trim().is_empty()) {
        out.push_str("<p>");
        for word in paragraph.split_whitespace() {
            at += 1;
            let chance = random(seed, at);
            let word = if chance % 100 < percent {
                words[(chance >> 32) as usize % words.len()]
            } else {
                word
            };
            out.push_str(&escaped(word));
            out.push(' ');
        }
        out.push_str("</p>\n");
    }
    out
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// A page of one of the templates.
fn page(template: usize, number: usize, seed: u64, body: &str) -> String {
    let day = 1 + random(seed, u64::MAX) % 28;
    let name = ["Ann Lee", "Bo Marsh", "C. Ortiz", "Dana Wu", "Eli Novak"][(random(seed, u64::MAX - 1) % 5) as usize];
    let links: String = (0..12)
        .map(|i| {
            format!(
                "<li><a href=\"/{i}\">Section {} of site {template}</a></li>",
                random(seed, i) % 40
            )
        })
        .collect();
    let title = format!("Story {number}");
    match template {
        0 => format!(
            "<html><head><title>{title} | The Daily</title></head><body><nav><ul>{links}</ul></nav><main><article><h1>{title}</h1>\
             <p class=byline>By {name}, {day} March 2024</p>{body}</article></main><footer>© The Daily. All rights reserved. \
             <a href=/terms>Terms</a> <a href=/privacy>Privacy</a></footer></body></html>"
        ),
        1 => format!(
            "<html><head><title>{title}</title></head><body><table><tr><td width=150>{links}</td><td><h2>{title}</h2>\
             <font size=1>{day}.03.2024 {name}</font>{body}</td><td><b>Most read</b>{links}</td></tr></table></body></html>"
        ),
        2 => format!(
            "<html><head><title>Wire – {title}</title></head><body><div id=header><a href=/>Wire</a> Subscribe to our newsletter</div>\
             <div id=content><div class=post><h1 class=title>{title}</h1><div class=meta>Posted on March {day}, 2024 by {name}</div>\
             <div class=entry>{body}</div></div></div><div id=sidebar><h3>Archives</h3><ul>{links}</ul></div>\
             <div id=cookies>We use cookies to improve your experience. <button>Accept</button></div></body></html>"
        ),
        3 => format!(
            "<html><head><title>{title} - Portal</title></head><body><div class=top>{links}</div><section><header><h1>{title}</h1>\
             <time datetime=2024-03-{day:02}>{day}/03/2024</time> <span>{name}</span></header>{body}<aside>Share this: <a href=#>Mail</a> \
             <a href=#>Print</a></aside></section><section><h2>Related stories</h2><ul>{links}</ul></section></body></html>"
        ),
        _ => format!(
            "<html><head><title>{title} :: Mirror</title></head><body><center><a href=/>Home</a> | <a href=/a>About</a></center><hr>\
             <h1>{title}</h1>{body}<hr><i>Republished by {name} on 2024-03-{day:02}. Contact us for licensing.</i></body></html>"
        ),
    }
}

fn write_record(
    out: &mut impl Write,
    id: &str,
    template: usize,
    number: usize,
    page: &str,
) -> Result<(), Box<dyn std::error::Error>> {
    let http = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {}\r\n\r\n{page}",
        page.len()
    );
    write!(
        out,
        "WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <{id}>\r\nWARC-Date: 2024-03-{:02}T00:00:00Z\r\n\
         WARC-Target-URI: https://site{template}.example/{number}\r\nContent-Type: application/http;msgtype=response\r\n\
         Content-Length: {}\r\n\r\n{http}\r\n\r\n",
        1 + (number + template) % 28,
        http.len()
    )?;
    Ok(())
}
