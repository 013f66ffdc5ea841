//! The ledger's closed lists: why a record was filtered, why one failed, and what was odd about one.
//!
//! The lists join what `dehusk-archive` reports ([`Fault`], [`dehusk_archive::Note`]) with what this package adds.
//! Every name may appear in `run.json`, in `failed.jsonl` and in a document's `flags`; `docs/ledger.md` explains each.

use dehusk_archive as archive;
use dehusk_archive::{Fault, closed_list};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A member of a closed list, which has a name for machines.
pub trait Named: Copy + Ord + 'static {
    /// The name that the ledger uses.
    fn name(self) -> &'static str;

    /// The member with a name.
    fn from_name(name: &str) -> Option<Self>;
}

/// Gives a closed list its names, and reads and writes it by name.
macro_rules! named {
    ($kind:ident, $all:expr) => {
        impl Named for $kind {
            fn name(self) -> &'static str {
                $kind::name(self)
            }

            fn from_name(name: &str) -> Option<Self> {
                $all.find(|member: &$kind| $kind::name(*member) == name)
            }
        }

        impl Serialize for $kind {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str($kind::name(*self))
            }
        }

        impl<'de> Deserialize<'de> for $kind {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let name = String::deserialize(deserializer)?;
                let unknown = || serde::de::Error::custom(format_args!("“{name}” is not a reason of this version"));
                <$kind as Named>::from_name(&name).ok_or_else(unknown)
            }
        }
    };
}

named!(Filtered, Filtered::ALL.iter().copied());
named!(Failed, Failed::all());
named!(Note, Note::all());

closed_list! {
    /// Why a rule left out a record. Nothing is wrong with the record.
    Filtered {
        RecordType = "record_type": "The record has a type that is not selected, such as request, metadata or \
            warcinfo.",
        Revisit = "revisit": "The record says that the page has not changed since an earlier capture; it holds no \
            page.",
        Segmented = "segmented": "The record is a continuation segment of another record; segments are not joined.",
        Status = "status": "The HTTP status is not selected.",
        Mime = "mime": "The page has a MIME type that is not selected.",
        Url = "url": "The URL matches no include pattern, or it matches an exclude pattern.",
        Host = "host": "The host is on no list of `select.hosts_from`, or on one of `select.drop_hosts_from`.",
        Wish = "wish": "The page or its server asks for something that `select.respect` respects.",
        TooShort = "too_short": "The page has fewer bytes, or its text fewer words, than the configured minimum.",
        TooLong = "too_long": "The page has more bytes than the configured maximum.",
        Language = "language": "The text is in a language that is not selected, or in none that was recognised.",
        Quality = "quality": "A number of the document is out of the bounds that the rules of quality set.",
        Empty = "empty": "No text of the page was kept.",
        NeedsScript = "needs_script": "No text of the page was kept, because its scripts would write it.",
        Duplicate = "duplicate": "An earlier run emitted the same payload.",
        Binary = "binary": "The body is labelled as HTML but holds binary data.",
        EncodingUnknown = "encoding_unknown": "The body has a content coding that dehusk does not know.",
        NoHttpHeader = "no_http_header": "The record should start with an HTTP response head but does not, and nothing \
            else says that it is HTML.",
    }
}

closed_list! {
    /// Why a page failed although its record was read whole.
    PageFault {
        CharsetUnsupported = "charset_unsupported": "The page's charset is not supported (UTF-7, UTF-32, EBCDIC, HZ, \
            ISO-2022-KR, ISO-2022-CN).",
        ContentCoding = "content_coding": "The compressed body is damaged, or asks for too much memory, and no text of \
            it could be decoded.",
        TooCostly = "too_costly": "The page has more nodes or needs more work than the limits allow.",
        Panic = "panic": "The page made a worker panic; this is a bug in dehusk.",
    }
}

closed_list! {
    /// An oddity of a page that lost nothing.
    PageNote {
        HeaderValue = "header_value": "The id, date or URL in the record's header is missing or cannot be right.",
        CharsetLabel = "charset_label": "The declared charset is wrong or unknown.",
        InvalidText = "invalid_text": "Bytes that are invalid in the page's charset were replaced by U+FFFD.",
        XmlForbidden = "xml_forbidden": "Characters that XML forbids were removed.",
        Truncated = "truncated": "The page is cut short: its record says so, or it has exactly the size at which \
            crawlers cut.",
        RevisitResolved = "revisit_resolved": "The record is a revisit; the page is that of its original.",
        SiteKnown = "site_known": "The store of `extract.sites` has other pages of the host.",
        LanguageIndex = "language_index": "The language is from the list of offsets.",
        LanguageHeader = "language_header": "The language is from the record's header.",
        LanguageModel = "language_model": "The language is from the model.",
        NotCopied = "not_copied": "`output.records` chose the record, but it is no whole record of WARC.",
    }
}

/// Why a record, or a range without a recognised record, was lost to damage or a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Failed {
    /// The archive or the record is at fault.
    Archive(Fault),
    /// The page is at fault.
    Page(PageFault),
}

impl Failed {
    /// Every reason, in the order of the documentation.
    pub fn all() -> impl Iterator<Item = Self> {
        let archive = Fault::ALL.iter().copied().map(Self::Archive);
        archive.chain(PageFault::ALL.iter().copied().map(Self::Page))
    }

    /// The name that the ledger uses.
    pub fn name(self) -> &'static str {
        match self {
            Self::Archive(fault) => fault.name(),
            Self::Page(fault) => fault.name(),
        }
    }

    /// Returns the meaning of the name, in one sentence.
    pub fn sentence(self) -> &'static str {
        match self {
            Self::Archive(fault) => fault.sentence(),
            Self::Page(fault) => fault.sentence(),
        }
    }
}

impl std::fmt::Display for Failed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

impl From<Fault> for Failed {
    fn from(fault: Fault) -> Self {
        Self::Archive(fault)
    }
}

impl From<PageFault> for Failed {
    fn from(fault: PageFault) -> Self {
        Self::Page(fault)
    }
}

/// An oddity that lost nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Note {
    /// About the archive, the record or its HTTP response.
    Archive(archive::Note),
    /// About the page.
    Page(PageNote),
}

impl Note {
    /// Every note, in the order of the documentation and of a document's `flags`.
    pub fn all() -> impl Iterator<Item = Self> {
        // The order of the flags: the notes of a page come between those on its codings and those on its size.
        let is_after_page = |note: &archive::Note| *note >= archive::Note::BodySize;
        let before = archive::Note::ALL.iter().copied().filter(move |n| !is_after_page(n));
        let after = archive::Note::ALL.iter().copied().filter(is_after_page);
        let page = PageNote::ALL.iter().copied().map(Self::Page);
        before.map(Self::Archive).chain(page).chain(after.map(Self::Archive))
    }

    /// The name that the ledger and a document's `flags` use.
    pub fn name(self) -> &'static str {
        match self {
            Self::Archive(note) => note.name(),
            Self::Page(note) => note.name(),
        }
    }

    /// Returns the meaning of the name, in one sentence.
    pub fn sentence(self) -> &'static str {
        match self {
            Self::Archive(note) => note.sentence(),
            Self::Page(note) => note.sentence(),
        }
    }
}

impl std::fmt::Display for Note {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

impl From<archive::Note> for Note {
    fn from(note: archive::Note) -> Self {
        Self::Archive(note)
    }
}

impl From<PageNote> for Note {
    fn from(note: PageNote) -> Self {
        Self::Page(note)
    }
}

/// A set of [`Note`]s.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Notes {
    archive: archive::Notes,
    /// One bit for each [`PageNote`].
    page: u16,
}

impl Notes {
    /// Adds a note.
    pub fn add(&mut self, note: impl Into<Note>) {
        match note.into() {
            Note::Archive(note) => self.archive.add(note),
            Note::Page(note) => self.page |= 1 << note as u8,
        }
    }

    /// Adds all notes of another set.
    pub fn extend(&mut self, other: impl Into<Notes>) {
        let other = other.into();
        self.archive.extend(other.archive);
        self.page |= other.page;
    }

    /// Whether the note is in the set.
    pub fn has(self, note: impl Into<Note>) -> bool {
        match note.into() {
            Note::Archive(note) => self.archive.has(note),
            Note::Page(note) => self.page & (1 << note as u8) != 0,
        }
    }

    /// Whether no note is in the set.
    pub fn is_empty(self) -> bool {
        self == Self::default()
    }

    /// The notes in the set, in the order of [`Note::all`].
    pub fn iter(self) -> impl Iterator<Item = Note> {
        Note::all().filter(move |n| self.has(*n))
    }
}

impl From<archive::Notes> for Notes {
    fn from(archive: archive::Notes) -> Self {
        Self { archive, page: 0 }
    }
}

impl std::fmt::Display for Notes {
    /// The names, separated by spaces.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        archive::write_names(f, self.iter().map(|note| note.name()))
    }
}
