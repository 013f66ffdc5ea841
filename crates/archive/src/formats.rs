//! What the bytes of an archive are, from where on. Nearly every archive has one format; a ZIP file may hold archives of
//! several, and each is read in its own.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use crate::archive::{Format, ReadOptions, recognise};
use crate::bytes::ByteSource;
use crate::bytes::input::Input;
use crate::error::{ArchiveError, ArchiveErrorKind};
use crate::zip::ZipLayout;

/// The formats of an archive's bytes. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct Formats {
    /// Each format with the offset that it holds from, up to the next one. The first offset is 0.
    sections: Arc<[(u64, Format)]>,
}

impl Formats {
    /// Those of an archive of one format; `None` for an empty one.
    pub(crate) fn one(format: Option<Format>) -> Self {
        Self {
            sections: format.into_iter().map(|format| (0, format)).collect(),
        }
    }

    /// Recognises every archive in a ZIP file. One in which no record is found is read as the one before: its bytes are
    /// skipped. So is one that cannot be read: its reader comes to the same error, after the archives before.
    ///
    /// # Errors
    /// The first archive cannot be read, none of them is one, or a dictionary is wrong or too large.
    pub(crate) fn of_zip(
        name: &Path,
        source: &dyn ByteSource,
        zip: &ZipLayout,
        options: ReadOptions,
    ) -> Result<Self, ArchiveError> {
        let mut sections: Vec<(u64, Format)> = Vec::new();
        let mut refused = None;
        let mut dictionaries = 0;
        for archive in zip.stored() {
            let mut input = Input::ranges(source, archive.start).until(archive.end);
            match recognise(name, &mut input, options) {
                Ok(None) => {}
                Ok(Some(format)) => {
                    if sections.last().is_none_or(|(_, last)| !last.reads_as(&format)) {
                        // A small file may hold thousands of dictionaries, and each would be kept.
                        dictionaries += format
                            .zstd
                            .dictionary
                            .as_ref()
                            .map_or(0, |dictionary| dictionary.len() as u64);
                        if dictionaries > options.dictionary_limit {
                            let message = format!(
                                "the zstd dictionaries of its archives have more than {} bytes together (limits.dictionary_bytes)",
                                options.dictionary_limit
                            );
                            return Err(ArchiveError::new(ArchiveErrorKind::DictionaryTooLarge, name, message));
                        }
                        let start = if sections.is_empty() { 0 } else { archive.start };
                        sections.push((start, format));
                    }
                }
                Err(e) if e.kind() == ArchiveErrorKind::Read => {
                    refused = refused.or(Some(e));
                    break;
                }
                // Its frames can be read with the right setting, so they are no damage.
                Err(e)
                    if matches!(
                        e.kind(),
                        ArchiveErrorKind::Dictionary | ArchiveErrorKind::DictionaryTooLarge
                    ) =>
                {
                    return Err(e);
                }
                Err(e) => refused = refused.or(Some(e)),
            }
        }
        if let (true, None, Some(message)) = (sections.is_empty(), &refused, zip.packed()) {
            refused = Some(ArchiveError::new(ArchiveErrorKind::NotAnArchive, name, message));
        }
        match refused {
            Some(e) if sections.is_empty() => Err(e),
            _ => Ok(Self {
                sections: sections.into(),
            }),
        }
    }

    /// The format of the first records; `None` for an empty archive.
    pub fn first(&self) -> Option<&Format> {
        self.sections.first().map(|(_, format)| format)
    }

    /// The format of the record, member or frame that starts at a stored offset.
    pub fn at(&self, offset: u64) -> Option<&Format> {
        self.section(offset).1
    }

    /// The stored bytes around an offset that have one format. The last of an archive have no end.
    pub(crate) fn section(&self, offset: u64) -> (Range<u64>, Option<&Format>) {
        let next = self.sections.partition_point(|(start, _)| *start <= offset);
        let end = self.sections.get(next).map_or(u64::MAX, |(start, _)| *start);
        match next.checked_sub(1).and_then(|own| self.sections.get(own)) {
            Some((start, format)) => (*start..end, Some(format)),
            None => (0..end, None),
        }
    }

    /// All bytes that have one format each, in order.
    pub(crate) fn sections(&self) -> impl Iterator<Item = (Range<u64>, &Format)> {
        self.sections
            .iter()
            .map(|(start, format)| (self.section(*start).0, format))
    }
}
