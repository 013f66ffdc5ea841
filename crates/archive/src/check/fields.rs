//! The named fields of WARC: the form of each one's value, and the types of records that must or must not have it
//! (ISO 28500:2017, section 5).

use crate::record_type::RecordType;

/// The form of a field's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// A URI between `<` and `>`.
    Id,
    Uri,
    /// A URI of the standard's list, or another one.
    Profile,
    Date,
    Length,
    RecordType,
    MediaType,
    Digest,
    IpAddress,
    Truncated,
    SegmentNumber,
    SegmentLength,
    Text,
}

/// A field.
pub(super) struct Field {
    pub(super) name: &'static str,
    pub(super) form: Form,
    /// The types of records that must have it.
    required: u8,
    /// The types of records that must not have it.
    forbidden: u8,
}

const WARCINFO: u8 = 1;
const RESPONSE: u8 = 1 << 1;
const RESOURCE: u8 = 1 << 2;
const REQUEST: u8 = 1 << 3;
const METADATA: u8 = 1 << 4;
const REVISIT: u8 = 1 << 5;
const CONVERSION: u8 = 1 << 6;
const CONTINUATION: u8 = 1 << 7;
const ALL: u8 = 0xff;

const fn field(name: &'static str, form: Form, required: u8, forbidden: u8) -> Field {
    Field {
        name,
        form,
        required,
        forbidden,
    }
}

/// The fields that every record must have come first.
pub(super) const MANDATORY: usize = 4;

/// All fields that the standard defines.
pub(super) const FIELDS: [Field; 21] = [
    field("WARC-Type", Form::RecordType, 0, 0),
    field("WARC-Record-ID", Form::Id, 0, 0),
    field("WARC-Date", Form::Date, 0, 0),
    field("Content-Length", Form::Length, 0, 0),
    field("Content-Type", Form::MediaType, 0, 0),
    field("WARC-Concurrent-To", Form::Id, 0, WARCINFO | CONVERSION | CONTINUATION),
    field("WARC-Block-Digest", Form::Digest, 0, 0),
    field("WARC-Payload-Digest", Form::Digest, 0, 0),
    field(
        "WARC-IP-Address",
        Form::IpAddress,
        0,
        WARCINFO | CONVERSION | CONTINUATION,
    ),
    field(
        "WARC-Refers-To",
        Form::Id,
        0,
        WARCINFO | RESPONSE | RESOURCE | REQUEST | CONTINUATION,
    ),
    field("WARC-Refers-To-Target-URI", Form::Uri, 0, ALL & !REVISIT),
    field("WARC-Refers-To-Date", Form::Date, 0, ALL & !REVISIT),
    field("WARC-Target-URI", Form::Uri, ALL & !(WARCINFO | METADATA), WARCINFO),
    field("WARC-Truncated", Form::Truncated, 0, 0),
    field("WARC-Warcinfo-ID", Form::Id, 0, WARCINFO),
    field("WARC-Filename", Form::Text, 0, ALL & !WARCINFO),
    field("WARC-Profile", Form::Profile, REVISIT, 0),
    field("WARC-Identified-Payload-Type", Form::MediaType, 0, 0),
    field("WARC-Segment-Number", Form::SegmentNumber, CONTINUATION, 0),
    field("WARC-Segment-Origin-ID", Form::Id, CONTINUATION, ALL & !CONTINUATION),
    field("WARC-Segment-Total-Length", Form::SegmentLength, 0, ALL & !CONTINUATION),
];

/// The only field that a record may have more than once.
pub(super) const REPEATABLE: &str = "WARC-Concurrent-To";

/// The place of a field in [`FIELDS`]; `None` if the standard does not define it.
pub(super) fn position(name: &str) -> Option<usize> {
    FIELDS.iter().position(|field| field.name.eq_ignore_ascii_case(name))
}

impl Field {
    /// Whether a record of this type must have the field.
    pub(super) fn is_required_in(&self, record_type: &RecordType) -> bool {
        self.required & bit(record_type) != 0
    }

    /// Whether a record of this type must not have the field.
    pub(super) fn is_forbidden_in(&self, record_type: &RecordType) -> bool {
        self.forbidden & bit(record_type) != 0
    }
}

/// The type as a set of one. That of an unknown type is empty: its rules are unknown, too.
fn bit(record_type: &RecordType) -> u8 {
    match record_type {
        RecordType::WarcInfo => WARCINFO,
        RecordType::Response => RESPONSE,
        RecordType::Resource => RESOURCE,
        RecordType::Request => REQUEST,
        RecordType::Metadata => METADATA,
        RecordType::Revisit => REVISIT,
        RecordType::Conversion => CONVERSION,
        RecordType::Continuation => CONTINUATION,
        RecordType::Unknown(_) => 0,
    }
}
