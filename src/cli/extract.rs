//! `dehusk extract`: writes the main content of one page to standard output.

use std::path::Path;

use super::args::{ExtractArgs, ExtractFormat};
use super::{Failure, explain, output};
use crate::bounded;
use crate::config::{Config, ConfigError};
use crate::encode::{jsonl, xml};
use crate::page::Page;
use crate::processor::Processor;
use crate::reason::Filtered;
use dehusk_html::xhtml_document;

pub(super) fn run(args: &ExtractArgs) -> Result<u8, Failure> {
    let config = resolve(args).map_err(Failure::usage)?;
    let mut processor = Processor::new(&config).map_err(Failure::usage)?;
    let name = dehusk_archive::escape::path(&args.page);
    let bytes = read(&args.page, config.limits.page_bytes)
        .map_err(|e| Failure::other(format!("{name}: cannot be read: {e}")))?;
    let refused = |dropped| Failure::other(format!("{name}: {}", dropped));
    let mut page = Page::from_bytes(&bytes, &args.url).map_err(refused)?;
    page.provenance.file_path = args.page.file_name().unwrap_or_default().to_string_lossy();
    let mut out = Vec::new();
    if args.explain {
        let render = match args.format {
            ExtractFormat::Text => explain::text,
            ExtractFormat::Json => explain::json,
            ExtractFormat::Html | ExtractFormat::Xml => {
                return Err(Failure::usage("--explain writes text or json; see --format"));
            }
        };
        let explained = processor.analyze(&page, render).map_err(refused)?;
        return output::write_stdout(explained.as_bytes());
    }
    match args.format {
        ExtractFormat::Html => {
            let html = processor.analyze(&page, |analysis| {
                let (mut kept, mut text) = (String::new(), String::new());
                if let Some(first) = analysis.extractions().next() {
                    first.selection.render_text(&first.view, &mut text);
                    first.selection.render_xhtml(&first.view, &mut kept);
                }
                // As in the other formats, there is no document without text.
                if text.is_empty() {
                    Err(Filtered::Empty.into())
                } else {
                    let own = analysis.metadata();
                    Ok(xhtml_document(&own.title.value, &own.language, &kept))
                }
            });
            out.extend(html.and_then(|html| html).map_err(refused)?.into_bytes());
        }
        ExtractFormat::Text | ExtractFormat::Json | ExtractFormat::Xml => {
            let document = processor.document(&page).map_err(refused)?;
            match args.format {
                ExtractFormat::Json => jsonl::write(&document, &mut out),
                ExtractFormat::Xml => {
                    out.extend(xml::header());
                    // Characters that XML forbids are left out without a note here.
                    let _ = xml::write(&document, &mut out);
                    out.extend(xml::footer());
                }
                _ => {
                    out.extend(document.text.as_bytes());
                    out.push(b'\n');
                }
            }
        }
    }
    output::write_stdout(&out)
}

fn resolve(args: &ExtractArgs) -> Result<Config, ConfigError> {
    let mut config = args.file.resolve()?;
    if let Some(name) = &args.extractor {
        config.extract.extractors = vec![name.clone()];
    }
    args.extractors.apply(&mut config);
    config.dom.normalize |= args.normalize;
    Ok(config)
}

/// Reads a page that has no more bytes than `limits.page_bytes`.
fn read(path: &Path, limit: u64) -> std::io::Result<Vec<u8>> {
    match path == Path::new("-") {
        true => bounded::read(std::io::stdin().lock(), limit),
        false => bounded::read_file(path, limit),
    }
}
