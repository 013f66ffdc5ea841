//! The rules that an archive is checked by: a closed list. Each has a name for machines, a severity, the part of a
//! specification that it is from, and a sentence for people.
//!
//! Numbers of sections are those of ISO 28500:2017 (WARC 1.1). Its section 5 has two fields more than that of 2009, so
//! the numbers after 5.11 are by two higher than in WARC 1.0.

use crate::fault::Fault;

/// How bad it is that an archive breaks a rule. The order is from harmless to bad.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Nothing is wrong, but a reader may want to know.
    Note,
    /// A recommendation is not followed, or readers can do nothing with a value.
    Warning,
    /// A requirement is broken, or bytes are damaged or lost.
    Error,
}

impl Severity {
    /// All severities, from harmless to bad.
    pub const ALL: [Severity; 3] = [Severity::Note, Severity::Warning, Severity::Error];

    /// Its name: `note`, `warning` or `error`.
    pub fn name(self) -> &'static str {
        match self {
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }
}

impl std::fmt::Display for Severity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.name())
    }
}

/// Declares the list of rules.
macro_rules! rules {
    ($($rule:ident = $name:literal, $severity:ident, $section:literal : $sentence:literal,)+) => {
        /// A rule that archives are checked by.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Rule {
            $(#[doc = $sentence] $rule,)+
        }

        impl Rule {
            /// Every rule, in the order of the documentation.
            pub const ALL: &'static [Rule] = &[$(Rule::$rule,)+];

            /// The rule's name, as reports use it.
            pub fn name(self) -> &'static str {
                match self { $(Rule::$rule => $name,)+ }
            }

            /// How bad it is that an archive breaks the rule.
            pub fn severity(self) -> Severity {
                match self { $(Rule::$rule => Severity::$severity,)+ }
            }

            /// The specification and its section, such as `ISO 28500, 5.4`.
            pub fn section(self) -> &'static str {
                match self { $(Rule::$rule => $section,)+ }
            }

            /// Returns the fault where the rule is broken, in one sentence.
            pub fn sentence(self) -> &'static str {
                match self { $(Rule::$rule => $sentence,)+ }
            }
        }
    };
}

rules! {
    NotAnArchive = "not_an_archive", Error, "ISO 28500, 4": "The bytes hold no record that can be recognised.",
    EmptyArchive = "empty_archive", Error, "ISO 28500, 4": "The archive holds no record.",
    GzipData = "gzip_data", Error, "RFC 1951, 3.2": "The compressed data of the gzip member is damaged.",
    GzipCrc = "gzip_crc", Error, "RFC 1952, 2.3.1": "The checksum or the length at the end of the gzip member is \
        wrong.",
    GzipGap = "gzip_gap", Error, "RFC 1952, 2.2": "The bytes between two gzip members are not a member.",
    GzipHeader = "gzip_header", Error, "RFC 1952, 2.3": "The header of the gzip member does not end within its limit.",
    GzipRecords = "gzip_records", Warning, "ISO 28500, D.2": "The gzip member or zstd frame holds several records, so \
        none of them can be read alone.",
    ZstdData = "zstd_data", Error, "RFC 8878, 3.1.1": "The compressed data of the zstd frame is damaged.",
    ZstdChecksum = "zstd_checksum", Error, "RFC 8878, 3.1.1": "The checksum of the zstd frame is wrong.",
    ZstdGap = "zstd_gap", Error, "RFC 8878, 3.1": "The bytes between two zstd frames are not a frame.",
    ZstdWindow = "zstd_window", Error, "RFC 8878, 3.1.1.1.2": "The zstd frame asks for a larger window than the limit \
        allows.",
    ZstdDict = "zstd_dict", Error, "WARC-zstd 1.0": "The zstd frame needs a dictionary that the archive does not \
        contain, or it follows a second dictionary.",
    TruncatedInput = "truncated_input", Error, "ISO 28500, 4": "The archive ends in the middle of the record.",
    Garbage = "garbage", Error, "ISO 28500, 4": "The bytes between two records are not a record.",
    Unreadable = "unreadable", Error, "ISO 28500, 4": "The bytes of the record cannot be read.",
    TailPadding = "tail_padding", Note, "ISO 28500, 4": "Zeros or plain text follow the last record.",
    TooLarge = "too_large", Warning, "ISO 28500, 4": "The record is larger than the limit, so its digests were not \
        verified.",
    HeaderTooLong = "header_too_long", Error, "ISO 28500, 4": "The record's header does not end within its limit.",
    BadHeader = "bad_header", Error, "ISO 28500, 4": "The record's header is cut off: another record starts in it.",
    Version = "version", Error, "ISO 28500, 4": "The record's version is neither WARC/1.0 nor WARC/1.1.",
    DraftVersion = "draft_version", Note, "ISO 28500, 4": "The record's version is that of a draft of the standard.",
    HeaderLineEnd = "header_line_end", Error, "ISO 28500, 4": "A line of the header does not end in CR and LF.",
    HeaderLine = "header_line", Error, "ISO 28500, 4": "A line of the header has no colon, or no name before it.",
    HeaderName = "header_name", Error, "ISO 28500, 4": "The name of a field holds a character that names cannot have.",
    HeaderEncoding = "header_encoding", Error, "ISO 28500, 4": "The value of a field is not UTF-8, or holds a control \
        character.",
    RecordEnd = "record_end", Error, "ISO 28500, 4": "The record does not end in two pairs of CR and LF.",
    DuplicateField = "duplicate_field", Error, "ISO 28500, 5.1": "A field occurs twice that may occur once.",
    MissingField = "missing_field", Error, "ISO 28500, 5.1": "A field is missing or empty that every record must have.",
    EmptyField = "empty_field", Error, "ISO 28500, 5.1": "A field has no value.",
    RequiredField = "required_field", Error, "ISO 28500, 6": "A field is missing or empty that records of this type \
        must have.",
    ForbiddenField = "forbidden_field", Error, "ISO 28500, 6": "A field is there that records of this type must not \
        have.",
    RecordId = "record_id", Error, "ISO 28500, 5.2": "A record's id is not a URI between < and >.",
    DuplicateId = "duplicate_id", Warning, "ISO 28500, 5.2": "An earlier record of the archive has the same id.",
    ContentLength = "content_length", Error, "ISO 28500, 5.3": "Content-Length is not a number of bytes.",
    BadLength = "bad_length", Error, "ISO 28500, 5.3": "Content-Length points past the end of the archive, or to a \
        place where no record ends.",
    LengthMismatch = "length_mismatch", Error, "ISO 28500, 5.3": "Content-Length disagrees with the start of the next \
        record, which shows where the record ends.",
    Date = "date", Error, "ISO 28500, 5.4": "A date is not one of ISO 8601 in UTC, such as 2024-05-06T07:08:09Z.",
    DateForm = "date_form", Warning, "ISO 28500, 5.4": "A date is not of the form that the record's version allows.",
    RecordType = "record_type", Warning, "ISO 28500, 5.5": "The standard does not define the record's type.",
    MediaType = "media_type", Error, "ISO 28500, 5.6": "A media type is not of the form type/subtype.",
    ContentType = "content_type", Warning, "ISO 28500, 5.6": "The record has a block, but no Content-Type.",
    DigestForm = "digest_form", Error, "ISO 28500, 5.8": "A digest is not of the form algorithm:value, or its value \
        cannot be one of its algorithm.",
    DigestAlgorithm = "digest_algorithm", Warning, "ISO 28500, 5.8": "A digest's algorithm is unknown, so it was not \
        verified.",
    BlockDigest = "block_digest", Error, "ISO 28500, 5.8": "The block does not match its digest.",
    PayloadDigest = "payload_digest", Error, "ISO 28500, 5.9": "The payload does not match its digest.",
    PayloadDecoded = "payload_decoded", Note, "ISO 28500, 5.9": "The payload's digest is that of the decoded payload.",
    IpAddress = "ip_address", Error, "ISO 28500, 5.10": "An IP address is neither one of IPv4 nor one of IPv6.",
    Uri = "uri", Error, "ISO 28500, 5.14": "A URI has no scheme, or holds a space.",
    UriCharacter = "uri_character", Warning, "ISO 28500, 5.14": "A URI holds a character that URIs cannot have.",
    UriBrackets = "uri_brackets", Note, "ISO 28500, 5.14": "A URI is between < and >, which only ids must be.",
    Truncated = "truncated", Warning, "ISO 28500, 5.15": "The standard does not define the reason of the truncation.",
    Profile = "profile", Note, "ISO 28500, 6.7.4": "The standard does not define the profile of the revisit.",
    SegmentNumber = "segment_number", Error, "ISO 28500, 5.20": "The number of a segment is not 1, or, in a \
        continuation, not 2 or more.",
    SegmentLength = "segment_length", Error, "ISO 28500, 5.22": "The total length of the segments is not a number of \
        bytes.",
    WarcinfoFields = "warcinfo_fields", Warning, "ISO 28500, 6.2": "A block of type application/warc-fields holds a \
        line that is no field.",
    HttpType = "http_type", Warning, "ISO 28500, 6.3.2": "The media type of a record of HTTP is not application/http, \
        or is that of the other kind of message.",
    HttpMessage = "http_message", Warning, "ISO 28500, 6.3.2": "The block is not an HTTP message.",
    HttpLength = "http_length", Note, "RFC 9110, 8.6": "The length that the HTTP head states is not that of the body.",
    ArcField = "arc_field", Warning, "ARC 1.0": "A field of the ARC header line is not of its form.",
}

impl std::fmt::Display for Rule {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.name())
    }
}

impl From<Fault> for Rule {
    /// The rule that a fault of the reader breaks.
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::GzipData => Rule::GzipData,
            Fault::GzipCrc => Rule::GzipCrc,
            Fault::GzipGap => Rule::GzipGap,
            Fault::GzipHeader => Rule::GzipHeader,
            Fault::ZstdData => Rule::ZstdData,
            Fault::ZstdChecksum => Rule::ZstdChecksum,
            Fault::ZstdGap => Rule::ZstdGap,
            Fault::ZstdWindow => Rule::ZstdWindow,
            Fault::ZstdDict => Rule::ZstdDict,
            Fault::TruncatedInput => Rule::TruncatedInput,
            Fault::BadLength => Rule::BadLength,
            Fault::HeaderTooLong => Rule::HeaderTooLong,
            Fault::BadHeader => Rule::BadHeader,
            Fault::NoRecord | Fault::Garbage => Rule::Garbage,
            Fault::TooLarge => Rule::TooLarge,
            Fault::Unreadable => Rule::Unreadable,
            Fault::Digest => Rule::BlockDigest,
        }
    }
}
