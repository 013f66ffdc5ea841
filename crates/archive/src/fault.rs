//! Problems of an archive: faults, which cost a record or a range, and notes, which cost nothing.
//!
//! Both are closed lists. Each member has a name for machines and a sentence for people.

/// Declares a closed list: an enum whose members each have a name and a sentence.
#[doc(hidden)]
#[macro_export]
macro_rules! closed_list {
    ($(#[$doc:meta])* $kind:ident { $($variant:ident = $name:literal : $sentence:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum $kind {
            $(#[doc = $sentence] $variant,)+
        }

        impl $kind {
            /// Every member of the list, in the order of the documentation.
            pub const ALL: &'static [$kind] = &[$($kind::$variant,)+];

            /// The member's name, as reports and documents use it.
            pub fn name(self) -> &'static str {
                match self { $($kind::$variant => $name,)+ }
            }

            /// Returns the meaning of the name, in one sentence.
            pub fn sentence(self) -> &'static str {
                match self { $($kind::$variant => $sentence,)+ }
            }
        }

        impl std::fmt::Display for $kind {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.name())
            }
        }
    };
}

closed_list! {
    /// Why a record, or a range without a recognised record, is lost: damage or a limit.
    Fault {
        GzipData = "gzip_data": "The compressed data of the gzip member is damaged.",
        GzipCrc = "gzip_crc": "The gzip member inflates, but its checksum or length is wrong and no digest proves the \
            data good.",
        GzipGap = "gzip_gap": "The bytes between two gzip members are not a member.",
        GzipHeader = "gzip_header": "The header of the gzip member does not end within its limit.",
        ZstdData = "zstd_data": "The compressed data of the zstd frame is damaged.",
        ZstdChecksum = "zstd_checksum": "The zstd frame decodes, but its checksum is wrong.",
        ZstdGap = "zstd_gap": "The bytes between two zstd frames are not a frame.",
        ZstdWindow = "zstd_window": "The zstd frame asks for a larger window than the limit allows.",
        ZstdDict = "zstd_dict": "The zstd frame needs a dictionary that the archive does not contain, or it follows a \
            second dictionary.",
        TruncatedInput = "truncated_input": "The archive ends in the middle of the record.",
        BadLength = "bad_length": "Content-Length is missing, is not a number, points past the end of the archive, or \
            points to a place where no record ends.",
        HeaderTooLong = "header_too_long": "The record's header block does not end within its limit.",
        BadHeader = "bad_header": "The record's header cannot be read.",
        NoRecord = "no_record": "No record begins at the offset that was asked for.",
        Garbage = "garbage": "The bytes between two records are not a record.",
        TooLarge = "too_large": "The record or its decoded page is larger than the limit.",
        Unreadable = "unreadable": "The file of the page, in a directory of pages, or the archive of a revisit's \
            original cannot be read.",
        Digest = "digest": "The block or the payload does not match the digest in the header.",
    }
}

closed_list! {
    /// Something odd about an archive, a record or an HTTP response that lost nothing.
    Note {
        EmptyInput = "empty_input": "The archive is empty.",
        NoSeek = "no_seek": "The archive is a single gzip member or zstd frame: reading cannot resume after damage, \
            and only one thread inflates it.",
        TailPadding = "tail_padding": "Zeros or plain text follow the last record.",
        GzipCrc = "gzip_crc": "The gzip checksum is wrong, but the block digest proves the data good, or the \
            configuration accepts data without a digest.",
        ZstdChecksum = "zstd_checksum": "The zstd checksum is wrong, but the block digest proves the data good, or the \
            configuration accepts data without a digest.",
        ZstdUnsized = "zstd_unsized": "The header of the zstd frame does not state the size of its data.",
        GzipUnchecked = "gzip_unchecked": "The gzip member is damaged, its checksum is wrong, or it was not seen yet, \
            and no digest proves the record's block good.",
        ZstdUnchecked = "zstd_unchecked": "The zstd frame has no checksum or is damaged, its checksum is wrong, or it \
            was not seen yet, and no digest proves the record's block good.",
        DigestProven = "digest_proven": "The member or frame is damaged, but the record's block digest proves its \
            block good.",
        LengthMismatch = "length_mismatch": "Content-Length disagreed with the start of the next record; the record \
            was cut or extended to it.",
        DuplicateLength = "duplicate_length": "Content-Length occurs twice; the first one counts.",
        UnknownType = "unknown_type": "The format does not define the record's type.",
        UnknownVersion = "unknown_version": "The record's WARC version is not one of 0.17 to 1.1.",
        LenientHeader = "lenient_header": "The record's header block departs from the format but could be read.",
        Chunked = "chunked": "The chunked body is damaged or lacks its last chunk; what could be read was kept.",
        ContentCoding = "content_coding": "The compressed body is cut or damaged; the decoded prefix was kept.",
        CodingAbsent = "coding_absent": "The body does not have the content or transfer coding that its head declares; \
            it was read as it is.",
        BodySize = "body_size": "HTTP Content-Length disagrees with the body; the record's end counts.",
        DigestMismatch = "digest_mismatch": "The block or the payload does not match the digest in the header; the \
            record was emitted nevertheless.",
    }
}

/// A set of [`Note`]s, one bit each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Notes(u32);

impl Notes {
    /// Adds a note.
    pub fn add(&mut self, note: Note) {
        self.0 |= 1 << note as u32;
    }

    /// Adds all notes of another set.
    pub fn extend(&mut self, other: Notes) {
        self.0 |= other.0;
    }

    /// Whether the note is in the set.
    pub fn has(self, note: Note) -> bool {
        self.0 & (1 << note as u32) != 0
    }

    /// Whether no note is in the set.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The notes in the set, in the order of [`Note::ALL`].
    pub fn iter(self) -> impl Iterator<Item = Note> {
        Note::ALL.iter().copied().filter(move |n| self.has(*n))
    }
}

/// Writes the names of a set of notes, separated by spaces.
#[doc(hidden)]
pub fn write_names(f: &mut std::fmt::Formatter<'_>, names: impl Iterator<Item = &'static str>) -> std::fmt::Result {
    for (i, name) in names.enumerate() {
        if i > 0 {
            f.write_str(" ")?;
        }
        f.write_str(name)?;
    }
    Ok(())
}

impl std::fmt::Display for Notes {
    /// The names, separated by spaces.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write_names(f, self.iter().map(Note::name))
    }
}
