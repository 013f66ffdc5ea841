//! Turns a page into a document: analyzes it and fills in the fields.
//!
//! Each worker has a [`Processor`] with the rules and with the buffers that are reused from page to page.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;

use crate::analysis::{Analysis, Analyzer, Extraction};
use crate::config::{Config, ConfigError, Rules, TextKind};
use crate::input::ArchiveInput;
use crate::page::{Dropped, Page, check_wishes};
use crate::post_dates::with_dates;
use crate::provenance::ArchiveName;
use crate::reason::{Filtered, Notes, PageFault, PageNote};
use crate::signatures;
use crate::title;
use dehusk_archive::http::Scratch;
use dehusk_archive::{Note, Record};
use dehusk_documents::document::{Document, ExtractedText, FieldSet, Form, Metadata};
use dehusk_documents::quality;
use dehusk_extract::Preset;
use dehusk_metadata::language;
use dehusk_metadata::{self, Evidence, PageMetadata, Rights, needs_script};

/// Turns pages into documents, one after the other.
///
/// ```
/// let html = b"<html lang=en><title>A walk</title>\
///     <p>We went out early in the morning, up the hill behind the village, and it rained until we were home.\
///     <p>Nobody minded, because the view from the top was worth every wet sock that we had to dry.</html>";
/// let mut processor = dehusk::Processor::new(&dehusk::Config::default())?;
/// let document = processor.page(html, "https://blog.example/walk").expect("a document");
/// assert!(document.text.starts_with("We went out early in the morning"));
/// assert_eq!(document.metadata.language, "en");
/// # Ok::<(), dehusk::ConfigError>(())
/// ```
#[derive(Debug)]
pub struct Processor {
    rules: Arc<Rules>,
    analyzer: Analyzer,
    http: Scratch,
}

/// A record whose page is wanted.
pub(crate) struct PageRecord<'a> {
    pub(crate) record: &'a Record<'a>,
    /// The original, if the record is a revisit.
    pub(crate) original: Option<&'a Record<'a>>,
    pub(crate) archive: ArchiveName<'a>,
    /// The language by the list of offsets; `""` for none.
    pub(crate) language: &'a str,
}

impl<'a> PageRecord<'a> {
    fn new(record: &'a Record<'a>, archive: ArchiveName<'a>) -> Self {
        Self {
            record,
            original: None,
            archive,
            language: "",
        }
    }
}

/// Does the work on one page. A panic, which is a bug, becomes the reason [`PageFault::Panic`].
///
/// The processor can be used again afterwards: it takes its buffers out while it works, so a panic leaves empty ones.
pub fn caught<T, E: From<Dropped>>(work: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| Err(Dropped::from(PageFault::Panic).into()))
}

/// The copy shares the rules and has buffers of its own.
impl Clone for Processor {
    fn clone(&self) -> Self {
        Self::with_rules(Arc::clone(&self.rules))
    }
}

impl Processor {
    /// A processor for a configuration.
    ///
    /// # Errors
    /// The configuration cannot be resolved.
    pub fn new(config: &Config) -> Result<Self, ConfigError> {
        Ok(Self::with_rules(Arc::new(Rules::new(config)?)))
    }

    /// A processor with rules that it shares with others.
    #[doc(hidden)]
    pub fn with_rules(rules: Arc<Rules>) -> Self {
        Self {
            rules,
            analyzer: Analyzer::default(),
            http: Scratch::default(),
        }
    }

    /// The processor's rules.
    #[doc(hidden)]
    pub fn rules(&self) -> &Arc<Rules> {
        &self.rules
    }

    /// Returns the fields that its documents have, without the texts of further extractors.
    pub fn fields(&self) -> FieldSet {
        self.rules.fields
    }

    /// Returns the most bytes that a page may have, as `limits.page_bytes` sets it.
    #[doc(hidden)]
    pub fn page_limit(&self) -> u64 {
        self.rules.config.limits.page_bytes
    }

    /// The document of a page in bytes. `url` may be `""`.
    ///
    /// # Errors
    /// The reason why there is no document: the bytes are no page, its text is empty or too short, or the page makes
    /// the extractor panic.
    pub fn page(&mut self, html: &[u8], url: &str) -> Result<Document, Dropped> {
        caught(|| self.document(&Page::from_bytes(html, url)?))
    }

    /// The document of a page that is text already. `url` may be `""`.
    ///
    /// # Errors
    /// The reason why there is no document.
    pub fn text(&mut self, html: &str, url: &str) -> Result<Document, Dropped> {
        caught(|| self.document(&Page::from_text(html, url)))
    }

    /// The document of a record, as a run makes it: with its id, its place and its notes. `archive` is the archive's
    /// path or file name.
    ///
    /// ```
    /// use dehusk::{Archive, Config, Dropped, Processor};
    ///
    /// let path = "docs/sample/sample.warc.gz";
    /// # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/sample/sample.warc.gz");
    /// let mut processor = Processor::new(&Config::default())?;
    /// let archive = Archive::open(path)?;
    /// let mut records = archive.records();
    /// let mut ids = Vec::new();
    /// while let Some(record) = records.next_record() {
    ///     match processor.record(&record, path) {
    ///         Ok(document) => ids.push(document.id),
    ///         Err(Dropped::Failed(reason)) => println!("{}: {reason}", record.offset),
    ///         Err(_) => {}
    ///     }
    /// }
    /// assert_eq!(ids[0], "urn:uuid:d3805a3e-0000-4000-8000-000000000002");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The reason why there is no document. If the page makes the extractor panic, that is [`PageFault::Panic`].
    pub fn record(&mut self, record: &Record<'_>, archive: impl AsRef<Path>) -> Result<Document, Dropped> {
        self.record_page(record, archive, Self::document)
    }

    /// Passes the analysis of a record's page to `visit`, and returns its result; `None` if the record is text already.
    /// `archive` is the archive's path or file name.
    ///
    /// # Errors
    /// The reason why the record holds no page. If the page makes an extractor panic, that is [`PageFault::Panic`].
    pub fn analyze_record<T>(
        &mut self,
        record: &Record<'_>,
        archive: impl AsRef<Path>,
        visit: impl FnOnce(&Analysis<'_, '_>) -> T,
    ) -> Result<Option<T>, Dropped> {
        self.record_page(record, archive, |processor, page| {
            if page.is_text {
                return Ok(None);
            }
            processor.analyze(page, visit).map(Some)
        })
    }

    /// Decodes the page of a record, passes it to `work`, and returns its result.
    ///
    /// # Errors
    /// The reason why the record holds no page, or the error of `work`. A panic is [`PageFault::Panic`].
    #[doc(hidden)]
    pub fn record_page<T>(
        &mut self,
        record: &Record<'_>,
        archive: impl AsRef<Path>,
        work: impl FnOnce(&mut Self, &Page<'_>) -> Result<T, Dropped>,
    ) -> Result<T, Dropped> {
        let archive = ArchiveInput::from(archive.as_ref());
        let record = PageRecord::new(record, archive.archive_name());
        caught(|| self.with_page(&record, work))
    }

    /// Decodes the page of a record and passes it to `work`. This is the one way from a record to its document.
    ///
    /// # Errors
    /// The reason why the record holds no page, or what `work` returns.
    pub(crate) fn with_page<T>(
        &mut self,
        record: &PageRecord<'_>,
        work: impl FnOnce(&mut Self, &Page<'_>) -> Result<T, Dropped>,
    ) -> Result<T, Dropped> {
        // The body is in these buffers while the page is analyzed.
        let mut http = std::mem::take(&mut self.http);
        let page = match record.original {
            Some(original) => Page::from_revisit(record.record, original, &self.rules, &mut http, record.archive),
            None => Page::from_record(record.record, &self.rules, &mut http, record.archive),
        };
        let done = page.and_then(|mut page| {
            page.labels.index = record.language;
            work(self, &page)
        });
        self.http = http;
        done
    }

    /// The document of a decoded page.
    ///
    /// # Errors
    /// The reason why there is no document.
    pub fn document(&mut self, page: &Page<'_>) -> Result<Document, Dropped> {
        self.document_and_notes(page).map(|(document, _)| document)
    }

    /// The document of a decoded page, with the notes that are in the document's `flags`.
    pub(crate) fn document_and_notes(&mut self, page: &Page<'_>) -> Result<(Document, Notes), Dropped> {
        if page.is_text {
            return text_document(page, &self.rules);
        }
        self.analyze(page, |analysis| analysis.document_and_notes())?
    }

    /// Parses a page and passes its analysis to `visit`.
    ///
    /// # Errors
    /// The page is too much work for the parser, or has too many nodes.
    pub fn analyze<T>(&mut self, page: &Page<'_>, visit: impl FnOnce(&Analysis<'_, '_>) -> T) -> Result<T, Dropped> {
        Ok(self.analyzer.analyze(&self.rules, page, visit)?)
    }
}

impl<'a> Analysis<'a, '_> {
    /// The page's document.
    ///
    /// # Errors
    /// The reason why there is no document: its text is empty or too short.
    pub fn document(&self) -> Result<Document, Dropped> {
        self.document_and_notes().map(|(document, _)| document)
    }

    /// The same with the notes that are in the document's `flags`.
    fn document_and_notes(&self) -> Result<(Document, Notes), Dropped> {
        let rights = self.rights().unwrap_or_default();
        check_wishes(&rights, self.rules())?;
        let mut found = self.document_by_rules().map_err(|dropped| match dropped {
            Dropped::Filtered(Filtered::Empty) if needs_script(self.dom()) => Filtered::NeedsScript.into(),
            dropped => dropped,
        })?;
        fill_rights(&mut found.0.metadata, rights, self.rules());
        Ok(found)
    }

    /// The same by the first preset whose text the rules accept.
    fn document_by_rules(&self) -> Result<(Document, Notes), Dropped> {
        let main = self.main_preset();
        let by_main = self.document_by(main);
        if matches!(by_main, Ok(_) | Err(Dropped::Failed(_))) {
            return by_main;
        }
        // Any other text that the rules accept will do.
        let others = self.rules().union.iter();
        let mut others = others.filter(|preset| main.is_none_or(|main| main.name != preset.name));
        let other = others.find_map(|preset| self.document_by(Some(preset)).ok());
        other.map_or(by_main, Ok)
    }

    /// The page's document with the text of one preset.
    fn document_by(&self, main: Option<&'a Preset>) -> Result<(Document, Notes), Dropped> {
        let (page, rules) = (self.page(), self.rules());
        let mut document = Document::default();
        fill_from_page(&mut document, self, main);
        check_text(&document, page, rules)?;
        // Only a page that the cheaper rules keep is searched for its metadata.
        fill_metadata(&mut document.metadata, self.metadata_beside(main), rules);
        title::settle(&mut document, &rules.config.output);
        // Without its title, a text can be too short.
        check_text(&document, page, rules)?;
        let mut notes = page.notes;
        if self.context().others().is_some() {
            notes.add(PageNote::SiteKnown);
        }
        complete(document, page, rules, notes)
    }
}

/// The document of a page that is text already: a conversion, as in a WET file. Its lines stay as they are.
fn text_document(page: &Page<'_>, rules: &Rules) -> Result<(Document, Notes), Dropped> {
    let mut document = Document::default();
    let lines: Vec<&str> = page.html.trim().lines().map(str::trim_end).collect();
    document.text = lines.join("\n");
    document.metadata.words = dehusk_html::counting::count_literal(&document.text).counts.words;
    document.metadata.page_words = document.metadata.words;
    check_text(&document, page, rules)?;
    fill_rights(&mut document.metadata, page.rights.clone(), rules);
    complete(document, page, rules, page.notes)
}

/// Checks what the rules ask of the text alone.
fn check_text(document: &Document, page: &Page<'_>, rules: &Rules) -> Result<(), Dropped> {
    if document.text.is_empty() {
        // The text may be in the part that could not be decoded.
        return Err(if page.notes.has(Note::ContentCoding) {
            PageFault::ContentCoding.into()
        } else {
            Filtered::Empty.into()
        });
    }
    if document.metadata.words < rules.config.select.min_words {
        return Err(Filtered::TooShort.into());
    }
    Ok(())
}

/// Fills in the rest of a document, and checks the other rules.
fn complete(
    mut document: Document,
    page: &Page<'_>,
    rules: &Rules,
    mut notes: Notes,
) -> Result<(Document, Notes), Dropped> {
    fill_from_record(&mut document, page, rules);
    if rules.config.output.html && !page.is_text {
        document.html = page.html.to_string();
    }
    notes.extend(fill_from_text(&mut document, page, rules));
    let languages = &rules.config.select.languages;
    if !languages.is_empty() && !language::is_among(&document.metadata.language, languages) {
        return Err(Filtered::Language.into());
    }
    if let Some(rule) = rules.quality.iter().find(|rule| !rule.holds(&document)) {
        return Err(Dropped::LowQuality(*rule));
    }
    if rules.config.output.format.changes(&document) {
        notes.add(PageNote::XmlForbidden);
    }
    document.metadata.flags = notes.to_string();
    if !rules.config.output.details {
        // Only the language of the text was found with it.
        document.metadata.language_claimed.clear();
    }
    Ok((document, notes))
}

/// Fills in the texts, and the facts from their selections. `main` makes the document's own text.
fn fill_from_page<'a>(document: &mut Document, analysis: &Analysis<'a, '_>, main: Option<&'a Preset>) {
    let dom = analysis.dom();
    let output = &analysis.rules().config.output;
    let form = output.text_form(&analysis.page().url);
    let has_elements = output.format.has_elements() && output.text == TextKind::Plain;
    for (i, extraction) in analysis.extractions_by(main).enumerate() {
        let Extraction {
            preset,
            view,
            selection,
        } = extraction;
        let mut text = String::new();
        let text_form = if has_elements {
            Form(with_dates(selection.render_marked(&view, &mut text), analysis))
        } else {
            selection.render(&view, form, &mut text);
            Form::default()
        };
        if i > 0 {
            let mut more = ExtractedText::new(preset.name.as_str(), text);
            more.form = text_form;
            document.more_texts.push(more);
            continue;
        }
        (document.text, document.text_form) = (text, text_form);
        if has_elements {
            let marks = selection.render_comments_marked(&view, &mut document.comments);
            document.comments_form = Form(with_dates(marks, analysis));
        } else {
            selection.render_comments(&view, form, &mut document.comments);
        }
        document.metadata.extractor = preset.name.clone();
        document.metadata.score = selection.score;
        document.metadata.words = selection.ranges.iter().map(|r| view.words(r.clone())).sum();
        document.metadata.page_words = dom.words(dom.body());
        if analysis.rules().wants_quality() {
            let linked = selection.ranges.iter().map(|r| view.range(r.clone()).linked_words);
            let words = document.metadata.words.max(1);
            document.metadata.quality_link_word_share = f64::from(linked.sum::<u32>()) / f64::from(words);
        }
    }
    document.more_texts.sort_by(|a, b| a.extractor.cmp(&b.extractor));
}

/// Fills in the metadata of the page.
fn fill_metadata(to: &mut Metadata, own: PageMetadata, rules: &Rules) {
    let has_evidence = rules.config.output.evidence;
    let fill = |(value, from): (&mut String, &mut String), evidence: Evidence| {
        *value = evidence.value;
        if has_evidence {
            *from = evidence.from.to_owned();
        }
    };
    fill((&mut to.title, &mut to.title_from), own.title);
    fill((&mut to.author, &mut to.author_from), own.author);
    fill((&mut to.published, &mut to.published_from), own.published);
    fill((&mut to.sitename, &mut to.sitename_from), own.sitename);
    // The language of the text is found with it.
    to.language_claimed = own.language;
    if !rules.config.output.details {
        return;
    }
    fill((&mut to.modified, &mut to.modified_from), own.modified);
    fill((&mut to.canonical_url, &mut to.canonical_url_from), own.canonical_url);
    fill((&mut to.description, &mut to.description_from), own.description);
    fill((&mut to.keywords, &mut to.keywords_from), own.keywords);
    fill((&mut to.image, &mut to.image_from), own.image);
    fill((&mut to.kind, &mut to.kind_from), own.kind);
}

/// Fills in what the page and its server ask.
fn fill_rights(to: &mut Metadata, rights: Rights, rules: &Rules) {
    if rules.config.output.rights {
        to.robots_header = rights.robots_header;
        to.robots_meta = rights.robots_meta;
        to.tdm_reservation = rights.tdm_reservation;
        to.tdm_policy = rights.tdm_policy;
        to.license = rights.license;
        to.license_links = rights.license_links;
    }
}

/// Fills in the fields that come from the record, its HTTP head and the configuration.
fn fill_from_record(document: &mut Document, page: &Page<'_>, rules: &Rules) {
    let provenance = &page.provenance;
    document.id = provenance.id.to_string();
    document.source = rules.config.output.source.clone();
    document.created = provenance.date.clone();
    document.version = rules.version.clone();
    document.fields = rules.fields;
    let metadata = &mut document.metadata;
    metadata.url = page.url.to_string();
    metadata.file_path = provenance.file_path.to_string();
    (metadata.warc_offset, metadata.warc_length) = (provenance.offset, provenance.length);
    metadata.offset_in_member = provenance.offset_in_member;
    metadata.payload_digest = provenance.payload_digest.to_string();
    metadata.http_status = page.status;
    metadata.mime = page.mime.clone();
    metadata.charset = page.charset.clone();
    metadata.charset_source = page.charset_source.to_owned();
    metadata.hostname = dehusk_metadata::hostname(&page.url);
    if metadata.language_claimed.is_empty() {
        metadata.language_claimed = page.content_language.clone();
    }
    metadata.truncated = page.truncated;
    metadata.text_hash = format!("{:016x}", xxhash_rust::xxh3::xxh3_64(document.text.as_bytes()));
}

/// Fills in the fields that come from the text. Returns a note if another source names its language.
fn fill_from_text(document: &mut Document, page: &Page<'_>, rules: &Rules) -> Notes {
    let metadata = &mut document.metadata;
    let (found, note) = rules
        .languages
        .detect(&document.text, &metadata.language_claimed, &page.labels);
    let mut notes = Notes::default();
    note.into_iter().for_each(|note| notes.add(note));
    (metadata.language, metadata.language_score) = (found.tag, found.score);
    signatures::fill(document, &rules.config.output.signatures);
    let metadata = &mut document.metadata;
    if !rules.wants_quality() {
        return notes;
    }
    let signals = quality::measure(&document.text, &metadata.language);
    metadata.quality_stop_words = signals.stop_words;
    metadata.quality_stop_word_share = signals.stop_word_share;
    metadata.quality_symbol_share = signals.symbol_share;
    metadata.quality_alphabetic_share = signals.alphabetic_share;
    metadata.quality_mean_word_length = signals.mean_word_length;
    metadata.quality_sentences = signals.sentences;
    metadata.quality_curly_brackets = signals.curly_brackets;
    metadata.quality_punctuated_line_share = signals.punctuated_line_share;
    metadata.quality_short_line_share = signals.short_line_share;
    metadata.quality_ellipsis_line_share = signals.ellipsis_line_share;
    metadata.quality_bullet_line_share = signals.bullet_line_share;
    metadata.quality_duplicate_line_share = signals.duplicate_line_share;
    metadata.quality_duplicate_line_character_share = signals.duplicate_line_character_share;
    metadata.quality_top_2gram_share = signals.top_2gram_share;
    metadata.quality_duplicate_5gram_share = signals.duplicate_5gram_share;
    notes
}
