//! A rule that holds for every archive, whatever its bytes: `check` passes the output of `mend`.

use std::sync::Arc;

use dehusk_archive::check::{Severity, check};
use dehusk_archive::mend::{Mender, pack};
use dehusk_archive::{Archive, Container, Event};

use super::read::FIRM;

/// Checks an archive and mends it in memory. Returns how many records were mended, if it is an archive at all.
///
/// # Panics
/// `check` does not count the records that there are, its findings are not in the archive, or it finds an error in what
/// was mended.
pub fn check_and_mend(bytes: &[u8], container: Container) -> Option<u64> {
    let archive = open(bytes)?;
    let size = bytes.len() as u64;
    let summary = check(&archive, |finding| {
        assert!(
            finding.offset <= size && finding.offset + finding.length <= size,
            "{finding:?}"
        );
    });
    let mut mender = Mender::default();
    let (mut clean, mut records, mut mended) = (Vec::new(), 0, 0);
    let mut events = archive.records();
    while let Some(event) = events.next_event() {
        let Event::Record(record) = event else { continue };
        records += 1;
        if let Ok(record) = mender.mend(&record) {
            clean.extend(pack(&record.bytes, container).unwrap());
            mended += 1;
        }
    }
    assert_eq!(summary.unwrap().records, records);
    if mended > 0 {
        let clean = open(&clean).unwrap();
        let checked = check(&clean, |finding| {
            assert!(finding.rule.severity() < Severity::Error, "{finding:?}");
        });
        assert_eq!(checked.unwrap().records, mended);
    }
    Some(mended)
}

fn open(bytes: &[u8]) -> Option<Archive> {
    Archive::from_source("archive", Arc::new(bytes.to_vec()), FIRM).ok()
}
