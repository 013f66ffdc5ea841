//! The formats of an archive's bytes, with the offset where each begins. Nearly every archive has one format; a ZIP
//! file may hold archives of several, and each is read in its own.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use crate::bytes::ByteSource;
use crate::bytes::input::Input;
use crate::detect::detect;
use crate::error::{ArchiveError, ArchiveErrorKind, Refusal};
use crate::format::{Format, ReadOptions};
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
        let mut sections = Vec::new();
        let mut dictionaries = 0;
        let mut first_error = None;
        for archive in zip.stored() {
            let mut input = Input::ranges(source, archive.start).until(archive.end);
            match detect(name, &mut input, options) {
                Ok(None) => {}
                Ok(Some(format)) => {
                    if sections
                        .last()
                        .is_some_and(|(_, last): &(u64, Format)| last.reads_as(&format))
                    {
                        continue;
                    }
                    dictionaries += format.zstd.dictionary.as_ref().map_or(0, |d| d.len() as u64);
                    check_dictionaries(dictionaries, options).map_err(|e| e.for_archive(name))?;
                    let start = if sections.is_empty() { 0 } else { archive.start };
                    sections.push((start, format));
                }
                // Its frames can be read with the right setting, so they are no damage.
                Err(e) if e.kind().is_of_dictionary() => return Err(e),
                Err(e) => {
                    let is_unreadable = e.kind() == ArchiveErrorKind::Read;
                    first_error = first_error.or(Some(e));
                    if is_unreadable {
                        break;
                    }
                }
            }
        }
        let error = || first_error.or_else(|| zip.packed().map(|packed| packed.for_archive(name)));
        match sections.is_empty().then(error).flatten() {
            Some(e) => Err(e),
            None => Ok(Self {
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

/// Checks the size of the dictionaries of all archives in a ZIP file. A small file may hold thousands, and each is
/// kept.
///
/// # Errors
/// They have more bytes together than one may have.
fn check_dictionaries(bytes: u64, options: ReadOptions) -> Result<(), Refusal> {
    let limit = options.dictionary_limit;
    if bytes > limit {
        let message = format!(
            "the zstd dictionaries of its archives have more than {limit} bytes together (limits.dictionary_bytes)"
        );
        return Err(Refusal::new(ArchiveErrorKind::DictionaryTooLarge, message));
    }
    Ok(())
}
