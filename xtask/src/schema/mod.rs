//! Writes what is published of the schema of documents: `cargo xtask schema`.
//!
//! All of it is made from the table in `crates/documents/src/document/schema.rs`: `docs/document.schema.json`, and in
//! `docs/documents.md` the table of fields and the shortened examples. With `--check` it fails if one of them is out of
//! date.

mod example;
mod json;
mod table;

use std::error::Error;
use std::fs;
use std::process::ExitCode;

use crate::task::Outcome;

pub fn main(arguments: &[String]) -> Outcome {
    let is_check = match arguments {
        [] => false,
        [flag] if flag == "--check" => true,
        _ => return Err("schema takes only `--check`".into()),
    };
    let example = example::document()?;
    let page_path = crate::task::root().join("docs/documents.md");
    let page = fs::read_to_string(&page_path)?;
    let page = replaced(&page, "| key | type |", "\n\n", &table::table()?)?;
    let page = replaced(&page, "```json\n{\"id\"", "\n```", &example::block(&example))?;
    let page = replaced(&page, "```xml\n", "\n</documents>\n```", &example::xml_block(&example)?)?;
    let schema = json::schema();
    let mut is_good = true;
    for (path, text) in [
        (crate::task::root().join("docs/document.schema.json"), schema),
        (page_path, page),
    ] {
        if !is_check {
            fs::write(&path, text)?;
        } else if fs::read_to_string(&path).is_ok_and(|before| before != text) || !path.exists() {
            eprintln!("{} is out of date: cargo xtask schema", path.display());
            is_good = false;
        }
    }
    Ok(ExitCode::from(u8::from(!is_good)))
}

/// A page with other text for the part that begins with `start` and ends before `end`.
fn replaced(page: &str, start: &str, end: &str, part: &str) -> Result<String, Box<dyn Error>> {
    let (before, rest) = page
        .split_once(start)
        .ok_or_else(|| format!("docs/documents.md has no {start:?}"))?;
    let (_, after) = rest
        .split_once(end)
        .ok_or_else(|| format!("docs/documents.md has no {end:?} after {start:?}"))?;
    Ok([before, part, end, after].concat())
}
