//! Fixed-point numbers of the features.
//!
//! A feature is an `i16`, so that it is the same on every machine and eight fit into one vector register. A share of a
//! whole has ten fractional bits. A number of things is logarithmic, because ten words more matter to a block of five
//! words and not to one of five hundred.
//!
//! Counts are `i32` and never negative. In between are floats of 32 bits: sums, products, quotients and roots of them
//! are rounded in one way on every machine, and the compiler makes vector code of them.

/// A share of one, in fixed point.
pub(super) const ONE: i16 = 1024;

/// The value of a feature that the block does not have.
pub(super) const MISSING: i16 = -256;

/// A sum with this number has no bits after the point: 1.5 * 2^23.
const ROUND: f32 = 12_582_912.0;

/// A number below 2^15 as the nearest integer.
#[inline]
pub(super) fn round(value: f32) -> i16 {
    (value + ROUND).to_bits().wrapping_sub(ROUND.to_bits()) as i16
}

/// `part / whole`, at most one, with ten fractional bits. A whole of less than one counts as one.
#[inline]
pub(super) fn ratio(part: f32, whole: f32) -> i16 {
    let whole = if whole > 1.0 { whole } else { 1.0 };
    let share = part * 1024.0 / whole;
    round(if share < 1024.0 { share } else { 1024.0 })
}

/// The [`ratio`] of two counts.
#[inline]
pub(super) fn share(part: i32, whole: i32) -> i16 {
    ratio(part as f32, whole as f32)
}

/// `128 * log2(value)` for values of at least one, linear between powers of two: the exponent of the float and the
/// first bits after its point.
#[inline]
pub(super) fn log_of(value: f32) -> i16 {
    ((value.to_bits() >> 16) as i16).wrapping_sub(127 << 7)
}

/// `128 * log2(1 + count)`: 0 for 0, 128 for 1, 2048 for 65,535.
#[inline]
pub(super) fn log(count: i32) -> i16 {
    log_of(count as f32 + 1.0)
}

/// [`log`] with a sign: of a difference.
#[inline]
pub(super) fn signed_log(difference: i32) -> i16 {
    let size = log_of((difference as f32).abs() + 1.0);
    if difference < 0 { -size } else { size }
}

/// `128 * log2(1 + 16 * part / whole)`, for means, which are small numbers with a fraction.
#[inline]
pub(super) fn log_mean(part: i32, whole: i32) -> i16 {
    let whole = whole as f32;
    log_of(part as f32 * 16.0 / (if whole > 1.0 { whole } else { 1.0 }) + 1.0)
}

/// A count as an `i32`. No page comes near the bound.
#[inline]
pub(super) fn count(number: impl TryInto<i32>) -> i32 {
    number.try_into().unwrap_or(i32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithms_rise_and_fit() {
        assert_eq!([0, 1, 2, 3, 65_535].map(log), [0, 128, 192, 256, 2048]);
        assert_eq!(log(i32::MAX), 31 * 128);
        assert!((0..10_000).all(|n| log(n) <= log(n + 1)));
        assert_eq!(signed_log(-3), -256);
        assert_eq!(signed_log(i32::MIN), -31 * 128);
        assert_eq!([log_mean(0, 0), log_mean(1, 16), log_mean(3, 1)], [0, 128, log(48)]);
    }

    #[test]
    fn shares_lie_between_nothing_and_one() {
        assert_eq!([share(0, 0), share(0, 3), share(1, 2), share(5, 3)], [0, 0, 512, ONE]);
        assert_eq!([share(1, 3), share(2, 3)], [341, 683]);
        assert_eq!(share(i32::MAX, i32::MAX), ONE);
    }
}
