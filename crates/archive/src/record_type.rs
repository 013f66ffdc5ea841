//! Types of records, by the value of the field `WARC-Type`.

use std::convert::Infallible;
use std::fmt;
use std::str::FromStr;

/// The type of a record (ISO 28500, section 6). An ARC record is a [`WarcInfo`](RecordType::WarcInfo) if it is the
/// first of its file, else a [`Response`](RecordType::Response).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RecordType {
    /// `warcinfo`: describes the records that follow it (6.2).
    WarcInfo,
    /// `response`: what a server sent, with its protocol's header (6.3).
    Response,
    /// `resource`: a file without a protocol's header (6.4).
    Resource,
    /// `request`: what the crawler sent (6.5).
    Request,
    /// `metadata`: what the crawler noted on another record (6.6).
    Metadata,
    /// `revisit`: the content is that of an earlier record (6.7).
    Revisit,
    /// `conversion`: another record's content in another format (6.8).
    Conversion,
    /// `continuation`: a further segment of an earlier record (6.9).
    Continuation,
    /// A type that the standard does not name, in lower case; `""` where the field is missing.
    Unknown(String),
}

impl RecordType {
    /// The value of `WARC-Type`, in lower case.
    pub fn name(&self) -> &str {
        match self {
            RecordType::WarcInfo => "warcinfo",
            RecordType::Response => "response",
            RecordType::Resource => "resource",
            RecordType::Request => "request",
            RecordType::Metadata => "metadata",
            RecordType::Revisit => "revisit",
            RecordType::Conversion => "conversion",
            RecordType::Continuation => "continuation",
            RecordType::Unknown(name) => name,
        }
    }
}

impl From<&str> for RecordType {
    /// Never fails: a name that the standard does not know is [`RecordType::Unknown`]. Case does not matter.
    fn from(name: &str) -> Self {
        let name = name.to_lowercase();
        match name.as_str() {
            "warcinfo" => RecordType::WarcInfo,
            "response" => RecordType::Response,
            "resource" => RecordType::Resource,
            "request" => RecordType::Request,
            "metadata" => RecordType::Metadata,
            "revisit" => RecordType::Revisit,
            "conversion" => RecordType::Conversion,
            "continuation" => RecordType::Continuation,
            _ => RecordType::Unknown(name),
        }
    }
}

impl FromStr for RecordType {
    type Err = Infallible;

    fn from_str(name: &str) -> Result<Self, Infallible> {
        Ok(name.into())
    }
}

impl fmt::Display for RecordType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::RecordType;

    #[test]
    fn names_are_read_in_any_case_and_written_in_lower_case() {
        for name in [
            "warcinfo",
            "response",
            "resource",
            "request",
            "metadata",
            "revisit",
            "conversion",
            "continuation",
        ] {
            let known = RecordType::from(name.to_uppercase().as_str());
            assert!(!matches!(known, RecordType::Unknown(_)), "{name}");
            assert_eq!(known.to_string(), name);
        }
        assert_eq!(RecordType::from("X-Own"), RecordType::Unknown("x-own".into()));
    }
}
