//! What is asked of every archive, whatever its bytes.

use dehusk_archive::Container;
use dehusk_testing::archives::{mended, read};

/// Files on a disk would be what is measured.
fn in_memory() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        // A directory that is absent leaves the default.
        if std::path::Path::new("/dev/shm").is_dir() {
            let _ = tempfile::env::override_temp_dir("/dev/shm".as_ref());
        }
    });
}

/// The map, a stream and windows give the same records, and every byte of the input is framed, padding or skipped
/// (`read_some` asserts both); records are in order within the archive, and a failed one shows no block. What `mend`
/// makes of it, `check` passes.
pub fn check(bytes: &[u8]) {
    in_memory();
    let Ok(all) = read::read_some(bytes) else { return };
    let mut last = (0, 0);
    for record in &all.records {
        let place = (record.offset, record.offset_in_member);
        assert!(place >= last, "{all:?}");
        last = place;
        assert!(record.offset + record.stored_length <= bytes.len() as u64, "{all:?}");
        assert!(record.failure.is_none() || record.block.is_empty(), "{all:?}");
    }
    for range in &all.skipped {
        assert!(range.offset < bytes.len() as u64 && range.length() > 0, "{all:?}");
        assert!(range.offset + range.stored_length <= bytes.len() as u64, "{all:?}");
    }
    mended::check_and_mend(bytes, Container::Plain);
}
