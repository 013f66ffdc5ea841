//! The place of a record in an archive.

use std::fmt;

use crate::http::Refusal;
use dehusk_archive::Record;
use dehusk_archive::escape::terminal;

/// The place of a record: `OFFSET`, or `OFFSET+N` for the record N bytes into the decoded member there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    pub(crate) offset: u64,
    pub(crate) inside: u64,
}

impl Place {
    pub(crate) fn of(record: &Record<'_>) -> Self {
        Self {
            offset: record.offset,
            inside: record.offset_in_member,
        }
    }

    pub(crate) fn parse(text: &str) -> Result<Self, Refusal> {
        let (offset, inside) = text.split_once([' ', '+']).unwrap_or((text, "0"));
        match (offset.parse(), inside.parse()) {
            (Ok(offset), Ok(inside)) => Ok(Self { offset, inside }),
            _ => {
                let message = format!("“{}” is no place: give OFFSET or OFFSET+N", terminal(text));
                Err(Refusal::bad_request("place", message))
            }
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.inside {
            0 => write!(f, "{}", self.offset),
            inside => write!(f, "{}+{inside}", self.offset),
        }
    }
}
