//! The provenance of a page: its archive, its place in it, and the record's own identifiers.

use std::borrow::Cow;

use dehusk_archive::Record;

/// The names under which documents know an archive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ArchiveName<'a> {
    /// The file name, without folders.
    pub file: &'a str,
    /// The name of the archive's shard, which is unique in a run.
    pub shard: &'a str,
}

/// The place of a page in its archive.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Provenance<'a> {
    /// `WARC-Record-ID` without brackets, or what replaces it: a hash of the shard's name and the record's place.
    pub id: Cow<'a, str>,
    /// `WARC-Date` as `YYYY-MM-DDThh:mm:ssZ`.
    pub date: String,
    /// The archive's file name.
    pub file_path: Cow<'a, str>,
    /// Offset of the record's member, frame or record in the file, in bytes.
    pub offset: u64,
    /// Its stored length, in bytes.
    pub length: u64,
    /// Offset of the record in its decoded member, in bytes.
    pub offset_in_member: u64,
    /// `WARC-Payload-Digest`, verbatim.
    pub payload_digest: Cow<'a, str>,
}

impl<'a> Provenance<'a> {
    /// The provenance of a record of an archive.
    #[doc(hidden)]
    pub fn of_record(record: &'a Record<'_>, archive: ArchiveName<'a>) -> Self {
        Self {
            id: record_id(record, archive.shard),
            date: record.header.date(),
            file_path: archive.file.into(),
            offset: record.offset,
            length: record.stored_length,
            offset_in_member: record.offset_in_member,
            payload_digest: record.header.get("WARC-Payload-Digest").unwrap_or_default(),
        }
    }
}

/// The id under which documents and truth know a record: its own, or a hash of its place where it has none.
pub fn record_id<'a>(record: &'a Record<'_>, shard: &str) -> Cow<'a, str> {
    let id = record.header.id();
    if !id.is_empty() {
        return id;
    }
    let place = format!("{shard}\0{}\0{}", record.offset, record.offset_in_member);
    format!("dehusk:{:016x}", xxhash_rust::xxh3::xxh3_64(place.as_bytes())).into()
}
