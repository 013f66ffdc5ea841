//! The example: the first document of the sample, shortened.

use std::error::Error;

use dehusk::schema::FieldValue;
use dehusk::{Config, Document};
use dehusk_documents::encode::xml;

/// Longest text of the example, in characters.
const SHOWN: usize = 48;

/// Widest line of the example, in characters.
const WIDEST: usize = 120;

/// The first document of the sample. The configuration's hash in its version is a made-up one, so that a new key of the
/// configuration does not change the page.
pub fn document() -> Result<Document, Box<dyn Error>> {
    let sample = crate::task::root().join("docs/sample/sample.warc.gz");
    let mut documents = dehusk::documents(&Config::default(), [sample])?;
    let mut document = documents.next().ok_or("the sample has no document")??;
    let (program, rest) = document.version.split_once("+cfg").ok_or("a version without a hash")?;
    let (_, schema) = rest.split_once('.').ok_or("a version without a schema")?;
    document.version = format!("{program}+cfg1a2b3c4d.{schema}");
    Ok(document)
}

/// The beginning of a text, up to a space if there is one.
pub fn shortened(text: &str) -> String {
    let Some((end, _)) = text.char_indices().nth(SHOWN) else {
        return text.to_owned();
    };
    match text[..end].rsplit_once([' ', '\n']) {
        Some((start, _)) => format!("{start} …"),
        None => format!("{}…", &text[..end]),
    }
}

/// The document as a block of JSON, without its last line.
pub fn block(document: &Document) -> String {
    let mut block = String::from("```json\n");
    let mut line = String::from("{");
    let mut in_metadata = false;
    let fields: Vec<_> = document.fields().iter().collect();
    for (i, field) in fields.iter().enumerate() {
        let value = match field.get(document) {
            FieldValue::Text(text) => serde_json::Value::from(shortened(text)).to_string(),
            value => value.to_string(),
        };
        let mut item = format!("\"{}\": {value}", field.name());
        if field.is_in_metadata() && !in_metadata {
            in_metadata = true;
            item.insert_str(0, "\"metadata\": {");
            block.extend([line.as_str(), "\n"]);
            line = String::new();
        }
        item.push_str(if i + 1 < fields.len() { "," } else { "}}" });
        if line.chars().count() + item.chars().count() >= WIDEST {
            block.extend([line.as_str(), "\n"]);
            line = String::new();
        }
        if !line.ends_with('{') {
            // Also the indentation of a new line.
            line.push(' ');
        }
        line.push_str(&item);
    }
    block + &line
}

/// The document as a block of XML, without its last lines.
pub fn xml_block(document: &Document) -> Result<String, Box<dyn Error>> {
    let paragraphs = document.text.split("\n\n").take(2).map(shortened);
    let mut short = document.clone();
    short.text = paragraphs.collect::<Vec<_>>().join("\n\n");
    short.metadata.title = shortened(&document.metadata.title);
    let mut element = Vec::new();
    xml::write(&short, &mut element);
    let element = String::from_utf8(element)?;
    let (first, rest) = element.split_once(" version=").ok_or("an element without a version")?;
    let (_, last) = rest.split_once(" flags=").ok_or("an element without flags")?;
    let header = std::str::from_utf8(xml::header())?;
    Ok(format!("```xml\n{header}{first} … flags={}", last.trim_end()))
}
