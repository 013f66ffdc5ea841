//! The formats in which one page's document is written, for `extract` and the extraction service.

use crate::analysis::Analysis;
use crate::page::{Dropped, Page};
use crate::processor::Processor;
use crate::reason::Filtered;
use dehusk_documents::encode::{jsonl, xml};
use dehusk_html::xhtml_document;

/// A format of the document of one page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageFormat {
    /// The text, with a blank line between paragraphs.
    Text,
    /// The main content with its structure, as an XHTML document.
    Html,
    /// The document as a line of JSON.
    Json,
    /// The document as an XML file.
    Xml,
}

impl PageFormat {
    /// All formats.
    pub const ALL: [Self; 4] = [Self::Text, Self::Html, Self::Json, Self::Xml];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Html => "html",
            Self::Json => "json",
            Self::Xml => "xml",
        }
    }

    /// The bytes before the first document.
    pub fn header(self) -> &'static [u8] {
        match self {
            Self::Xml => xml::header(),
            _ => b"",
        }
    }

    /// The bytes after the last document.
    pub fn footer(self) -> &'static [u8] {
        match self {
            Self::Xml => xml::footer(),
            _ => b"",
        }
    }

    /// Appends the document of a page to `out`, without header and footer.
    ///
    /// # Errors
    /// The reason why there is no document.
    pub fn write(self, processor: &mut Processor, page: &Page<'_>, out: &mut Vec<u8>) -> Result<(), Dropped> {
        if self == Self::Html {
            out.extend(processor.analyze(page, html)??.into_bytes());
            return Ok(());
        }
        let document = processor.document(page)?;
        match self {
            Self::Json => jsonl::write(&document, out),
            Self::Xml => {
                // Characters that XML forbids are left out without a note here.
                let _ = xml::write(&document, out);
            }
            Self::Text | Self::Html => {
                out.extend(document.text.as_bytes());
                out.push(b'\n');
            }
        }
        Ok(())
    }

    /// Appends the document of a page with header and footer to `out`.
    ///
    /// # Errors
    /// The reason why there is no document.
    pub fn write_whole(self, processor: &mut Processor, page: &Page<'_>, out: &mut Vec<u8>) -> Result<(), Dropped> {
        out.extend_from_slice(self.header());
        self.write(processor, page, out)?;
        out.extend_from_slice(self.footer());
        Ok(())
    }
}

/// The main content as an XHTML document.
fn html(analysis: &Analysis<'_, '_>) -> Result<String, Dropped> {
    let (mut kept, mut text) = (String::new(), String::new());
    if let Some(first) = analysis.extractions().next() {
        first.selection.render_text(&first.view, &mut text);
        first.selection.render_xhtml(&first.view, &mut kept);
    }
    // As in the other formats, there is no document without text.
    if text.is_empty() {
        return Err(Filtered::Empty.into());
    }
    let own = analysis.metadata();
    Ok(xhtml_document(&own.title.value, &own.language, &kept))
}
