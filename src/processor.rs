//! A page → a document: parse, strip, extract, and fill in what is known.
//!
//! A [`Processor`] is one worker's share of that work: the rules, and the buffers that go from page to page.

use std::sync::Arc;

use crate::config::{Config, ConfigError, Rules};
use crate::document::{Document, ExtractedText};
use crate::extract::view::{View, ViewBuffers};
use crate::extract::{Preset, Selection};
use crate::metadata;
use crate::page::{Dropped, Page};
use crate::reason::{Filtered, Notes, PageFault, PageNote};
use crate::strip::Strip;
use dehusk_html::{Buffers, Dom};

/// Turns pages into documents, one after the other.
///
/// ```
/// let html = b"<html lang=en><title>A walk</title><nav><a href=/>Home</a></nav><p>We went out, and it rained.</p></html>";
/// let mut processor = dehusk::Processor::new(&dehusk::Config::default())?;
/// let document = processor.page(html, "https://blog.example/walk").expect("a document");
/// assert_eq!(document.text, "We went out, and it rained.");
/// assert_eq!(document.metadata.language, "en");
/// # Ok::<(), dehusk::config::ConfigError>(())
/// ```
#[derive(Debug)]
pub struct Processor {
    rules: Arc<Rules>,
    buffers: Buffers,
    views: Vec<ViewBuffers>,
}

impl Processor {
    /// A processor for a configuration.
    ///
    /// # Errors
    /// The configuration cannot be resolved.
    pub fn new(config: &Config) -> Result<Self, ConfigError> {
        Ok(Self::with_rules(Arc::new(Rules::new(config)?)))
    }

    /// A processor that shares its rules with others.
    pub fn with_rules(rules: Arc<Rules>) -> Self {
        Self {
            rules,
            buffers: Buffers::default(),
            views: Vec::new(),
        }
    }

    /// The rules that it works by.
    pub fn rules(&self) -> &Arc<Rules> {
        &self.rules
    }

    /// The bytes of a page → its document. `url` may be `""`.
    ///
    /// # Errors
    /// The reason why there is none: the bytes are no page, or nothing is left of its text.
    pub fn page(&mut self, html: &[u8], url: &str) -> Result<Document, Dropped> {
        self.document(&Page::from_bytes(html, url)?)
    }

    /// A decoded page → its document.
    ///
    /// # Errors
    /// The reason why there is none.
    pub fn document(&mut self, page: &Page<'_>) -> Result<Document, Dropped> {
        self.document_and_notes(page).map(|(document, _)| document)
    }

    /// As [`Processor::document`], with the notes that stand in the document's `flags`.
    pub(crate) fn document_and_notes(&mut self, page: &Page<'_>) -> Result<(Document, Notes), Dropped> {
        let mut document = Document::default();
        let mut notes = page.notes;
        self.look(page, |seen| fill_from_page(&mut document, seen))?;
        if document.text.is_empty() {
            return Err(Filtered::Empty.into());
        }
        if document.metadata.words < self.rules.config.select.min_words {
            return Err(Filtered::TooShort.into());
        }
        fill_from_record(&mut document, page, &self.rules);
        if self.rules.config.output.format.changes(&document) {
            notes.add(PageNote::XmlForbidden);
        }
        document.metadata.flags = notes.to_string();
        Ok((document, notes))
    }

    /// Parses a page and runs every extractor over it, and shows what they made of it.
    ///
    /// # Errors
    /// The page is too much work for the parser, or has too many nodes.
    pub fn look<T>(&mut self, page: &Page<'_>, show: impl FnOnce(&Seen<'_, '_>) -> T) -> Result<T, Dropped> {
        // The array pools are taken, so that a page that makes an extractor panic leaves empty ones behind.
        let buffers = std::mem::take(&mut self.buffers);
        let mut pool = std::mem::take(&mut self.views);
        let normalize = self.rules.config.dom.normalize;
        let limits = self.rules.config.limits.of_tree();
        let dom = match normalize {
            true => dehusk_html::parse_strict_within(&page.html, buffers, limits),
            false => dehusk_html::parse_within(&page.html, buffers, limits),
        };
        let dom = dom.map_err(|_| PageFault::TooCostly)?;
        let mut views: Vec<(Strip, View<'_>)> = Vec::with_capacity(1);
        let mut found = Vec::with_capacity(self.rules.presets.len());
        for preset in &self.rules.presets {
            let strip = preset.extractor.strip();
            let at = views.iter().position(|(of, _)| *of == strip).unwrap_or_else(|| {
                let view = strip.view(&dom, pool.pop().unwrap_or_default());
                views.push((strip, view));
                views.len() - 1
            });
            found.push((at, preset.extractor.extract(&views[at].1)));
        }
        let results = self.rules.presets.iter().zip(&found);
        let results = results
            .map(|(preset, (at, selection))| Extraction {
                preset,
                view: &views[*at].1,
                selection,
            })
            .collect();
        let shown = show(&Seen { dom: &dom, results });
        pool.extend(views.into_iter().map(|(_, view)| view.into_buffers()));
        self.views = pool;
        self.buffers = dom.into_buffers();
        Ok(shown)
    }
}

/// What one extractor made of a page.
#[derive(Debug)]
pub struct Extraction<'s, 'v> {
    /// The extractor.
    pub preset: &'s Preset,
    /// The view that it read.
    pub view: &'s View<'v>,
    /// What it chose.
    pub selection: &'s Selection,
}

/// A page with all that was made of it.
#[derive(Debug)]
pub struct Seen<'s, 'v> {
    /// Its tree.
    pub dom: &'v Dom<'v>,
    /// One entry an extractor, in order; never empty.
    pub results: Vec<Extraction<'s, 'v>>,
}

/// Fills in what comes from the page's tree.
fn fill_from_page(document: &mut Document, seen: &Seen<'_, '_>) {
    for (
        i,
        Extraction {
            preset,
            view,
            selection,
        },
    ) in seen.results.iter().enumerate()
    {
        let mut text = String::new();
        selection.render_text(view, &mut text);
        if i > 0 {
            document.more_texts.push(ExtractedText::new(preset.name.as_str(), text));
            continue;
        }
        document.text = text;
        document.metadata.extractor = preset.name.clone();
        document.metadata.score = selection.score;
        document.metadata.words = selection.ranges.iter().map(|r| view.range(r.clone()).text.words).sum();
        document.metadata.page_words = seen.dom.words(seen.dom.body());
    }
    document.more_texts.sort_by(|a, b| a.extractor.cmp(&b.extractor));
    if document.text.is_empty() {
        // Nothing will be written, so nothing more need be known.
        return;
    }
    let own = metadata::read(seen.dom);
    let metadata = &mut document.metadata;
    (metadata.title, metadata.author, metadata.published) = (own.title, own.author, own.published);
    (metadata.sitename, metadata.language) = (own.sitename, own.language);
}

/// Fills in what comes from the record, its HTTP head and the configuration.
fn fill_from_record(document: &mut Document, page: &Page<'_>, rules: &Rules) {
    let provenance = &page.provenance;
    document.id = provenance.id.to_string();
    document.source = rules.config.output.source.clone();
    document.created = provenance.date.clone();
    document.version = rules.version.clone();
    let metadata = &mut document.metadata;
    metadata.url = page.url.to_string();
    metadata.date = provenance.date.clone();
    metadata.file_path = provenance.file_path.to_string();
    (metadata.warc_offset, metadata.warc_length) = (provenance.offset, provenance.length);
    metadata.offset_in_member = provenance.offset_in_member;
    metadata.payload_digest = provenance.payload_digest.to_string();
    metadata.http_status = page.status;
    metadata.mime = page.mime.clone();
    metadata.charset = page.charset.clone();
    metadata.charset_source = page.charset_source.to_owned();
    metadata.hostname = metadata::hostname(&page.url);
    if metadata.language.is_empty() {
        metadata.language = page.content_language.clone();
    }
    metadata.truncated = page.truncated;
    metadata.text_hash = format!("{:016x}", xxhash_rust::xxh3::xxh3_64(document.text.as_bytes()));
}
