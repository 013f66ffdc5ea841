//! Whether a record is accepted although its gzip member or zstd frame is damaged.

use crate::decoded::Damage;
use crate::digest;
use crate::fault::{Fault, Note};
use crate::header::Header;

/// Decides on a record in a damaged member or frame. `unproven` accepts data under a wrong checksum if no digest
/// disagrees.
///
/// In a large member or frame, a wrong checksum alone fails no record, because one flipped bit would cost all of them:
/// those that no digest proves bear a note. In a small one it may hit any, so they fail.
///
/// # Errors
/// The fault, if the record is not accepted.
pub(crate) fn accept(header: &Header, block: &[u8], damage: Damage, unproven: bool) -> Result<Option<Note>, Fault> {
    let fault = damage.fault;
    if digest::block_matches(header, block) == Some(true) {
        return Ok(Some(note(fault)));
    }
    match digest::record_matches(header, block) {
        Some(false) => Err(fault),
        _ if unproven && is_checksum(fault) => Ok(Some(note(fault))),
        _ if damage.is_large && is_checksum(fault) => Ok(Some(damage.unchecked)),
        _ if damage.bytes_after >= trusted_distance(fault) => Ok(Some(damage.unchecked)),
        _ => Err(fault),
    }
}

/// How many decoded bytes before the end of a damaged member or frame a record is given without a digest, with a note.
fn trusted_distance(fault: Fault) -> u64 {
    match fault {
        // The decoder ran out of data. The bytes that it gave are right, unless damage made it run on.
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
