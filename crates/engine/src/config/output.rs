//! The section `output`: what is written.

use dehusk_html::TextForm;
use serde::{Deserialize, Serialize};

use super::choice::choice;
use dehusk_documents::encode::{Compression, OutputFormat, Tokenizer};

/// The content and form of the output.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct OutputConfig {
    /// Format of the output files.
    pub(crate) format: OutputFormat,
    /// The form of `text`: plain text or Markdown.
    pub(crate) text: TextKind,
    /// Where a page's title is.
    pub(crate) title: TitleKind,
    /// Keep links in Markdown.
    pub(crate) links: bool,
    /// Keep images in Markdown.
    pub(crate) images: bool,
    /// Compression of the output files.
    pub(crate) compression: CompressionKind,
    /// Compression level; 0 for the default: 3 for zstd, 4 for gzip.
    pub(crate) level: u32,
    /// The corpus' name. It fills the field `source` of every document.
    pub(crate) source: String,
    /// Documents also have more of the page's own metadata: `description`, `keywords` and so on.
    pub(crate) details: bool,
    /// Documents also have the evidence for the page's own metadata: `title_from` and so on.
    pub(crate) evidence: bool,
    /// Documents also have what the page and its server ask of those who use it: `robots_meta` and so on.
    pub(crate) rights: bool,
    /// Documents also have the signals of quality, even if no rule needs them.
    pub(crate) quality: bool,
    /// Which signatures documents have, for near-duplicate detection.
    pub(crate) signatures: Vec<Signature>,
    /// Documents also have the page's HTML, decoded.
    pub(crate) html: bool,
    /// Sets of records that are written out beside the documents, as `NAME` or `NAME:RULE`.
    pub(crate) records: Vec<String>,
    /// Write a table of the robots.txt and tdmrep.json records.
    pub(crate) robots: bool,
    /// Keep the stored bytes of records that fail.
    pub(crate) quarantine: bool,
    /// How the full-text index of a database cuts texts.
    pub(crate) tokenizer: TokenizerKind,
}

impl Default for OutputConfig {
    fn default() -> Self {
        Self {
            format: OutputFormat::default(),
            text: TextKind::Plain,
            title: TitleKind::AsFound,
            links: false,
            images: false,
            compression: CompressionKind::Zstd,
            level: 0,
            source: String::new(),
            details: false,
            evidence: false,
            rights: false,
            quality: false,
            signatures: Vec::new(),
            html: false,
            records: Vec::new(),
            robots: false,
            quarantine: false,
            tokenizer: TokenizerKind::Words,
        }
    }
}

choice! {
    /// The form of a document's text.
    TextKind {
        /// Plain text.
        Plain = "plain",
        /// Markdown: CommonMark with the tables of GFM.
        Markdown = "markdown",
    }
}

choice! {
    /// Where a page's title is, besides the field `title`.
    TitleKind {
        /// In the text if the extractor selected it there.
        AsFound = "as found",
        /// Not at the head of the text.
        Apart = "apart",
        /// At the head of the text, on every page that has a title.
        First = "first",
    }
}

choice! {
    /// A signature of a text.
    Signature {
        /// 64 bits, of which those of similar texts differ in few.
        Simhash = "simhash",
        /// 128 minima, which estimate the Jaccard similarity of two texts.
        Minhash = "minhash",
        /// Hashes of the words after stop words.
        Spotsigs = "spotsigs",
    }
}

choice! {
    /// How the full-text index of a database divides texts into terms.
    TokenizerKind {
        /// Whole words, whatever their accents.
        Words = "words",
        /// All parts of three and more characters, also of texts without spaces.
        Trigram = "trigram",
    }
}

choice! {
    /// The compression of the output files.
    CompressionKind {
        /// Zstandard frames.
        Zstd = "zstd",
        /// Gzip members.
        Gzip = "gzip",
        /// None.
        None = "none",
    }
}

impl OutputConfig {
    /// The form of the text of a page with this address.
    #[doc(hidden)]
    pub fn text_form<'u>(&self, url: &'u str) -> TextForm<'u> {
        match self.text {
            TextKind::Plain => TextForm::plain(),
            TextKind::Markdown => TextForm::markdown()
                .with_links(self.links)
                .with_images(self.images)
                .with_url(url),
        }
    }

    /// The signatures that documents have, each once and in a fixed order.
    #[doc(hidden)]
    pub fn signatures(&self) -> Vec<Signature> {
        let named = Signature::ALL.iter().filter(|known| self.signatures.contains(known));
        named.copied().collect()
    }

    /// How a full-text index cuts texts.
    pub(crate) fn tokenizer(&self) -> Tokenizer {
        match self.tokenizer {
            TokenizerKind::Words => Tokenizer::Words,
            TokenizerKind::Trigram => Tokenizer::Trigram,
        }
    }

    /// The compression with its level.
    pub fn compression(&self) -> Compression {
        let level = |default| if self.level == 0 { default } else { self.level };
        match self.compression {
            CompressionKind::Zstd => Compression::Zstd(level(Compression::ZSTD_LEVEL as u32) as i32),
            CompressionKind::Gzip => Compression::Gzip(level(Compression::GZIP_LEVEL)),
            CompressionKind::None => Compression::None,
        }
    }
}
