//! Lowers the logits of blocks whose text other pages of the host hold.

use crate::site::around;

/// How far the logit of a block falls whose text, and all around it, all known pages hold, in units of 2^-12.
///
/// This and the two numbers below were chosen by models that were trained on one corpus and tested on another, whose
/// sites they had not seen.
const FALL: i64 = 9 << 12;

/// Fewer known pages count as so many, because one page that shares a text shows little.
const LEAST_PAGES: u32 = 3;

/// The power of the share of the blocks around that other pages hold. A text that pages share between others that they
/// do not share may be content.
const POWER: u32 = 3;

/// Lowers the logits. `repeated` says of each block how many of the `known` other pages hold its text.
///
/// It falls by the share of the pages that hold the block and by the share of the blocks around it that other pages
/// hold.
pub(super) fn shift(logits: &mut [i32], repeated: &[u32], known: u32) {
    let pages = i64::from(known.max(LEAST_PAGES));
    for ((logit, repeated), around) in logits.iter_mut().zip(repeated).zip(around(repeated)) {
        let (shared, all) = (i64::from(around.repeated), i64::from(around.all.max(1)));
        let fall = FALL * i64::from(*repeated) * shared.pow(POWER) / (pages * all.pow(POWER));
        *logit = logit.saturating_sub(fall as i32);
    }
}
