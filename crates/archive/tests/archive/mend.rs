//! Mends archives with every kind of damage, in memory.

use dehusk_archive::Container;

use crate::archives::Random;
use crate::archives::damaged::damaged;
use crate::archives::make::{Form, archive, warcs};
use crate::archives::mended::check_and_mend;

#[test]
fn what_is_mended_of_200_damaged_archives_passes_check() {
    let mut mended = 0;
    for (number, made) in damaged(200).iter().enumerate() {
        let container = [Container::Plain, Container::Gzip, Container::Zstd][number % 3];
        mended += check_and_mend(&made.bytes, container).unwrap_or_default();
    }
    assert!(mended > 1000, "most records are whole: {mended}");
}

/// Bytes that mean something in a header, or must not be there.
const CAREFUL: &[u8] = b"\r\n\t :<>/%;\x00\x85\xff9Aw";

/// Headers may hold anything, too.
#[test]
fn what_is_mended_of_archives_with_overwritten_bytes_passes_check() {
    let whole = archive(Form::Plain, &warcs(6, 200, 4)).bytes;
    let mut random = Random(99);
    for _ in 0..3000 {
        let mut bytes = whole.clone();
        for _ in 0..1 + random.below(6) {
            let at = random.below(bytes.len());
            bytes[at] = CAREFUL[random.below(CAREFUL.len())];
        }
        check_and_mend(&bytes, Container::Plain);
    }
}
