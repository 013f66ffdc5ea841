//! A directory of pages, which is one archive. It is always read from its start.

use std::io;
use std::ops::Range;
use std::path::PathBuf;

use super::{CurrentState, Location, StoredBytes};
use crate::input::pages::{self, PagesAsTar};
use crate::input::{Digest, InputState, Opening};
use dehusk_archive::ArchiveError;
use dehusk_remote::Settings;

/// A directory of pages.
pub(in crate::input) struct PageDirectory(pub(in crate::input) PathBuf);

impl Location for PageDirectory {
    fn open(&self, _: &Opening, _: Option<&[Range<u64>]>) -> Result<StoredBytes, ArchiveError> {
        let path = self.0.clone();
        Ok(StoredBytes::stream(move || PagesAsTar::new(&path)))
    }

    fn may_wait(&self) -> bool {
        false
    }

    fn may_lack_files(&self) -> bool {
        true
    }

    fn is_resumable(&self, _: bool) -> bool {
        false
    }

    /// The sum of the pages' sizes, and when the last of them was modified.
    fn state(&self) -> Option<InputState> {
        let pages = pages::summary(&self.0)?;
        Some(InputState {
            bytes: pages.bytes,
            listing: format!("{:016x}", pages.listing),
            ..InputState::of_file(&pages.newest)
        })
    }

    fn current_state(&self, _: &Settings) -> io::Result<CurrentState> {
        Ok(CurrentState::Known(self.state()))
    }

    fn digest_of_stream(&self) -> Option<io::Result<Digest>> {
        Some(PagesAsTar::new(&self.0).and_then(Digest::of_stream))
    }
}
