//! Documents as lines: whole, or some fields of each as text, JSON, CSV or TSV.

use std::io::Write;

use super::args::{CatArgs, CatFormat};
use dehusk_corpus::readback::Value;
use dehusk_documents::document::Document;
use dehusk_documents::encode::jsonl;

/// How documents become lines.
pub(super) struct Lines {
    format: CatFormat,
    fields: Vec<Column>,
    /// The byte at the end of a value in text.
    end: u8,
    documents: u64,
}

/// A field by the name that the command line gives it.
struct Column {
    name: String,
    value: Value,
    /// How many documents had it.
    values: u64,
}

impl Lines {
    /// The lines that the arguments ask for.
    ///
    /// # Errors
    /// They name no field of a document, or the format does not fit the fields.
    pub(super) fn new(args: &CatArgs) -> Result<Self, String> {
        let mut fields: Vec<Column> = Vec::new();
        for name in args.fields.iter().map(|name| name.trim()) {
            if fields.iter().any(|field| field.name == name) {
                return Err(format!("--field names “{name}” twice"));
            }
            fields.push(Column {
                name: name.to_owned(),
                value: Value::named(name)?,
                values: 0,
            });
        }
        let format = args.format.unwrap_or(match fields.len() {
            1 => CatFormat::Text,
            _ => CatFormat::Jsonl,
        });
        match (format, fields.len()) {
            (CatFormat::Csv | CatFormat::Tsv | CatFormat::Text, 0) => {
                return Err("--format text, csv and tsv need fields, such as --field url,title,words".to_owned());
            }
            (CatFormat::Text, 2..) => {
                return Err("--format text prints one field; csv, tsv and jsonl print several".to_owned());
            }
            (CatFormat::Text, _) => {}
            _ if args.null => {
                return Err("--null is for one field as text: name one --field, without --format".to_owned());
            }
            _ => {}
        }
        Ok(Self {
            format,
            fields,
            end: if args.null { b'\0' } else { b'\n' },
            documents: 0,
        })
    }

    /// Appends what comes before the documents.
    pub(super) fn head(&self, out: &mut Vec<u8>) {
        let separator = match self.format {
            CatFormat::Csv => b',',
            CatFormat::Tsv => b'\t',
            CatFormat::Jsonl | CatFormat::Text => return,
        };
        let names: Vec<&str> = self.fields.iter().map(|field| field.name.as_str()).collect();
        out.extend_from_slice(names.join(&*String::from(char::from(separator))).as_bytes());
        out.push(b'\n');
    }

    /// Why a document does not have one of the fields, if its run did not compute it.
    pub(super) fn absence(&self, document: &Document) -> Option<String> {
        self.fields.iter().find_map(|field| field.value.absence(document))
    }

    /// Appends a document.
    pub(super) fn document(&mut self, document: &Document, out: &mut Vec<u8>) {
        self.documents += 1;
        for field in &mut self.fields {
            field.values += u64::from(field.value.get(document).is_some());
        }
        let (separator, cell): (u8, fn(&str, &mut Vec<u8>)) = match self.format {
            CatFormat::Jsonl if self.fields.is_empty() => return jsonl::write(document, out),
            CatFormat::Jsonl => {
                let fields = self.fields.iter();
                let fields = fields.filter_map(|field| Some((field.name.as_str(), field.value.get(document)?)));
                return jsonl::write_fields(fields, out);
            }
            CatFormat::Text => {
                if let Some(value) = self.fields.first().and_then(|field| field.value.get(document)) {
                    // Writing to memory cannot fail.
                    let _ = write!(out, "{value}");
                }
                return out.push(self.end);
            }
            CatFormat::Csv => (b',', csv),
            CatFormat::Tsv => (b'\t', tsv),
        };
        for (number, field) in self.fields.iter().enumerate() {
            if number > 0 {
                out.push(separator);
            }
            if let Some(value) = field.value.known(document) {
                cell(&value.to_string(), out);
            }
        }
        out.push(b'\n');
    }

    /// The name of a field that no document had, if there were any.
    pub(super) fn missing(&self) -> Option<&str> {
        let mut missing = self
            .fields
            .iter()
            .filter(|field| self.documents > 0 && field.values == 0);
        missing.next().map(|field| field.name.as_str())
    }
}

/// Appends a cell of CSV, as RFC 4180 has it.
fn csv(text: &str, out: &mut Vec<u8>) {
    let needs_quotes = text.contains(['"', ',', '\n', '\r']) || text.trim() != text;
    if needs_quotes {
        out.extend_from_slice(format!("\"{}\"", text.replace('"', "\"\"")).as_bytes())
    } else {
        out.extend_from_slice(text.as_bytes())
    }
}

/// Appends a cell of TSV. Its readers know no quotes, so what would part cells or lines is escaped, as `@tsv` of jq and
/// `COPY` of PostgreSQL do.
fn tsv(text: &str, out: &mut Vec<u8>) {
    for byte in text.bytes() {
        match byte {
            b'\t' => out.extend_from_slice(br"\t"),
            b'\n' => out.extend_from_slice(br"\n"),
            b'\r' => out.extend_from_slice(br"\r"),
            b'\\' => out.extend_from_slice(br"\\"),
            byte => out.push(byte),
        }
    }
}
