//! Lowers the logits of blocks whose text other pages of the host hold.

use crate::site::around;

/// How far the logit of a block falls whose text, and all around it, all known pages hold, in units of 2^-12.
const FALL: i64 = 3 << 12;

/// Lowers the logits. `repeated` says of each block how many of the `known` other pages hold its text.
///
/// It falls by the share of the pages that hold the block and by the share of the blocks around it that other pages
/// hold.
pub(super) fn shift(logits: &mut [i32], repeated: &[u32], known: u32) {
    for ((logit, repeated), around) in logits.iter_mut().zip(repeated).zip(around(repeated)) {
        let (pages, blocks) = (i64::from(known.max(1)), i64::from(around.all.max(1)));
        let fall = FALL * i64::from(*repeated) * i64::from(around.repeated) / (pages * blocks);
        *logit = logit.saturating_sub(fall as i32);
    }
}
