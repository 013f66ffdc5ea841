//! Whether a record is accepted although its gzip member or zstd frame is damaged.

use crate::digest;
use crate::fault::{Fault, Note};
use crate::header::Header;

/// Decides on a record in a damaged member or frame. `damage` is the fault, and how many decoded bytes behind the
/// record the member or frame still gave. `unproven` accepts data under a wrong checksum if no digest disagrees.
///
/// # Errors
/// The fault, if the record is not accepted.
pub(crate) fn accept(
    header: &Header,
    block: &[u8],
    (fault, bytes_behind): (Fault, u64),
    unproven: bool,
) -> Result<Option<Note>, Fault> {
    match digest::block_matches(header, block) {
        Some(true) => Ok(Some(note(fault))),
        None if unproven && is_checksum(fault) => Ok(Some(note(fault))),
        None if bytes_behind >= trusted_distance(fault) => Ok(None),
        _ => Err(fault),
    }
}

/// How many decoded bytes before the end of a damaged member or frame its data are trusted without a digest.
fn trusted_distance(fault: Fault) -> u64 {
    match fault {
        // The decoder ran out of data. What it gave is right.
        Fault::TruncatedInput => 1,
        // The damage may be anywhere.
        fault if is_checksum(fault) => u64::MAX,
        // A decoder can decode garbled data for some blocks before it fails.
        _ => 64 << 10,
    }
}

/// Whether the member or frame decoded to its end, and only its checksum is wrong.
fn is_checksum(fault: Fault) -> bool {
    matches!(fault, Fault::GzipCrc | Fault::ZstdChecksum)
}

/// The note on a record that is accepted despite this fault.
fn note(fault: Fault) -> Note {
    match fault {
        Fault::GzipCrc => Note::GzipCrc,
        Fault::ZstdChecksum => Note::ZstdChecksum,
        _ => Note::DigestProven,
    }
}
