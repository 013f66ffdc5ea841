//! Makes the sample archive: `cargo study sample [DIR]`.
//!
//! It reads `docs/sample/records.txt`, the table of the archive's records, and writes `sample.warc.gz` and
//! `truth.jsonl` to DIR (default: `docs/sample`). It uses neither clock nor chance: the same sources give the same
//! bytes. To add a page, write its text to `docs/sample/pages/NAME.txt` and add a line to the table.

mod coding;
mod page;
mod record;
mod table;
mod template;

use crate::shared::{Outcome, root};
use dehusk_testing::archives::faults::sha1_base32;
use page::Page;
use record::{Record, damage};
use serde_json::json;
use std::{collections::HashMap, error::Error, fs, path::PathBuf, process::ExitCode};
use table::{Kind, Row};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// An earlier response, for revisit records.
struct Seen {
    number: usize,
    url: String,
    payload_digest: String,
}

/// The output, row by row.
struct Sample {
    sources: PathBuf,
    archive: Vec<u8>,
    truth: String,
    seen: HashMap<String, Seen>,
    last_page: usize,
}

pub fn main(arguments: &[String]) -> Outcome {
    let sources = root().join("docs/sample");
    let target = arguments.first().map_or(sources.clone(), PathBuf::from);

    let mut sample = Sample {
        sources: sources.clone(),
        archive: Vec::new(),
        truth: String::new(),
        seen: HashMap::new(),
        last_page: 0,
    };
    for row in table::read(&sources.join("records.txt"))? {
        let name = format!("record {} ({})", row.number, row.source);
        sample.add(&row).map_err(|error| format!("{name}: {error}"))?;
    }

    fs::create_dir_all(&target)?;
    fs::write(target.join("sample.warc.gz"), &sample.archive)?;
    fs::write(target.join("truth.jsonl"), &sample.truth)?;
    println!(
        "{}: {} bytes",
        target.join("sample.warc.gz").display(),
        sample.archive.len()
    );
    Ok(ExitCode::SUCCESS)
}

impl Sample {
    /// Appends the record of a row to the archive, and its line to the truth.
    fn add(&mut self, row: &Row) -> Result<()> {
        let mut page = None;
        let record = match row.kind {
            Kind::Warcinfo => Record::warcinfo(row),
            Kind::Request => Record::request(row, self.last_page),
            Kind::Metadata => Record::metadata(row, self.last_page),
            Kind::Revisit => {
                let seen = self
                    .seen
                    .get(&row.source)
                    .ok_or("a revisit of a page that did not come before it")?;
                let head = coding::head(row, 200, "text/html; charset=utf-8", &[], None);
                Record::revisit(row, seen.number, &seen.url, &seen.payload_digest, head)
            }
            Kind::File => {
                let body = fs::read(self.sources.join("files").join(&row.source))?;
                self.response(row, row.mime(), body)?
            }
            Kind::Page => {
                let (read, body) = self.page(row)?;
                page = Some(read);
                self.response(row, &row.content_type(), body)?
            }
            Kind::Resource => {
                let (read, body) = self.page(row)?;
                page = Some(read);
                Record::resource(row, &row.content_type(), body)
            }
        };

        let member = record.member()?;
        self.archive
            .extend(if row.has("damaged") { damage(member)? } else { member });
        if let Some(page) = &page {
            self.last_page = row.number;
            self.add_truth(row, page);
        }
        Ok(())
    }

    /// Reads the text of a page, fills it into its layout and encodes the result.
    fn page(&self, row: &Row) -> Result<(Page, Vec<u8>)> {
        let mut page = Page::read(&self.sources.join("pages").join(format!("{}.txt", row.source)))?;
        let locale = self.sources.join("locales").join(format!("{}.txt", page.language()));
        let context = page.context(row, page::read_locale(&locale)?);
        let mut html = template::render_file(&self.sources.join("layouts"), &row.layout, &context)?;
        if row.has("entities") {
            html = page::with_entities(&html);
        }
        if row.has("truncated") {
            html.truncate(page.cut(&html)?);
        }
        Ok((page, coding::encode(&html, &row.charset, row.declares("bom"))?))
    }

    /// Makes an HTTP response of a body, with the row's content and transfer codings.
    fn response(&mut self, row: &Row, content_type: &str, body: Vec<u8>) -> Result<Record> {
        let (declared, body) = coding::apply(&row.coding, body)?;
        let chunked = declared.contains(&"chunked");
        let digest = (!chunked).then(|| sha1_base32(&body));
        if let Some(payload_digest) = digest.clone() {
            let seen = Seen {
                number: row.number,
                url: row.url.clone(),
                payload_digest,
            };
            self.seen.insert(row.source.clone(), seen);
        }
        let length = (!chunked).then_some(body.len());
        let mut block = coding::head(row, row.status(), content_type, &declared, length);
        block.extend(body);
        Ok(Record::response(row, digest, block))
    }

    /// Adds the line of the truth, unless the page cannot be extracted because it is damaged or has no text.
    fn add_truth(&mut self, row: &Row, page: &Page) {
        let text = page.main_text();
        if row.has("damaged") || text.is_empty() {
            return;
        }
        let line = json!({
            "record_id": row.id(), "url": row.url, "lang": page.language(), "page_type": page.get("type"),
            "title": page.get("title"), "author": page.get("author"), "published": page.get("date"), "text": text,
        });
        self.truth += &format!("{line}\n");
    }
}
