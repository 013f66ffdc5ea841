//! The pages of an archive.

use std::error::Error;
use std::path::Path;

use dehusk::Config;
use dehusk::Page;
use dehusk_archive::Archive;
use dehusk_archive::http::Scratch;
use dehusk_engine::config::Rules;
use dehusk_engine::provenance::ArchiveName;

/// Calls `each` with every page of an archive and the id of its record, without brackets.
pub fn for_each(archive: impl AsRef<Path>, mut each: impl FnMut(String, Page<'_>)) -> Result<(), Box<dyn Error>> {
    let rules = Rules::new(&Config::default())?;
    let archive = Archive::open(archive)?;
    let (mut records, mut scratch) = (archive.records(), Scratch::default());
    while let Some(record) = records.next_record() {
        let id = record.header.id().trim_matches(['<', '>']).to_owned();
        if let Ok(page) = Page::from_record(&record, &rules, &mut scratch, ArchiveName::default()) {
            each(id, page);
        }
    }
    Ok(())
}
