//! Lowers the logits of blocks whose text other pages of the host hold.

use crate::site::{REACH, around};

/// How far the logit of a block falls whose text, and all around it, all known pages hold, in units of 2^-12.
///
/// This and the two numbers below were chosen by models that were trained on one corpus and tested on another, whose
/// sites they had not seen.
const FALL: i64 = 9 << 12;

/// Fewer known pages count as this many, because one page that shares a text shows little.
const LEAST_PAGES: u32 = 3;

/// The power of the share of the blocks around that other pages hold. A text that pages share between others that they
/// do not share may be content.
const POWER: u32 = 3;

/// The most blocks in a row that can be content although other pages hold them: as many as are around the one in the
/// middle, and itself. A manual describes an option in the same words on many pages, and a longer row is a box.
const LONGEST_ROW: usize = 2 * REACH + 1;

/// Lowers the logits. `repeated` is, for each block, how many of the `known` other pages hold its text.
///
/// It falls by the share of the pages that hold the block and by the share of the blocks around it that other pages
/// hold. It does not fall in a short row between two blocks that no other page holds and that are content.
pub(super) fn shift(logits: &mut [i32], repeated: &[u32], known: u32) {
    let pages = i64::from(known.max(LEAST_PAGES));
    for (at, around) in around(repeated).enumerate() {
        if repeated[at] == 0 || is_within_content(logits, repeated, at) {
            continue;
        }
        let (shared, all) = (i64::from(around.repeated), i64::from(around.all.max(1)));
        let fall = FALL * i64::from(repeated[at]) * shared.pow(POWER) / (pages * all.pow(POWER));
        logits[at] = logits[at].saturating_sub(fall as i32);
    }
}

/// Whether a block is in a short row between two blocks that no other page holds and that are more likely content. The
/// logits of these do not fall.
fn is_within_content(logits: &[i32], repeated: &[u32], at: usize) -> bool {
    let is_own = |near: &usize| repeated[*near] == 0;
    let before = (0..at).rev().take(LONGEST_ROW).find(is_own);
    let after = (at + 1..repeated.len()).take(LONGEST_ROW).find(is_own);
    let (Some(before), Some(after)) = (before, after) else {
        return false;
    };
    after - before <= LONGEST_ROW + 1 && logits[before] > 0 && logits[after] > 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_row_between_content_stays_and_others_fall() {
        let fallen = |logits: &[i32], repeated: &[u32]| -> Vec<bool> {
            let mut shifted = logits.to_vec();
            shift(&mut shifted, repeated, 4);
            shifted
                .iter()
                .zip(logits)
                .map(|(shifted, logit)| shifted < logit)
                .collect()
        };
        assert_eq!(fallen(&[9; 6], &[0, 4, 4, 4, 4, 0]), [false; 6]);
        // At the end of a page, beside what is no content, and in a long row.
        assert_eq!(fallen(&[9; 4], &[0, 4, 4, 4]), [false, true, true, true]);
        assert_eq!(fallen(&[9, 9, 9, -9], &[0, 4, 4, 0]), [false, true, true, false]);
        let row = [&[0][..], &[4; LONGEST_ROW + 1], &[0]].concat();
        assert_eq!(
            fallen(&[9; LONGEST_ROW + 3], &row)[1..=LONGEST_ROW + 1],
            [true; LONGEST_ROW + 1]
        );
    }
}
