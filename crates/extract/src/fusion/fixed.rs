//! Fixed-point numbers of the features.
//!
//! A feature is an `i16`, so that it is the same on every machine and eight fit into one vector register. A share of a whole
//! has ten fractional bits. A number of things is logarithmic, because ten words more matter to a block of five words and
//! not to one of five hundred.

/// A share of one, in fixed point.
pub(super) const ONE: i16 = 1024;

/// The value of a feature that the block does not have.
pub(super) const MISSING: i16 = -256;

/// `part / whole`, at most one, with ten fractional bits. 0 where the whole is 0.
#[inline]
pub(super) fn share(part: u32, whole: u32) -> i16 {
    if part >= whole {
        return if whole == 0 { 0 } else { ONE };
    }
    // A float division is faster than one of 64-bit integers. Both operands are exact in 53 bits and the quotient is
    // correctly rounded on every machine.
    (f64::from(part) * 1024.0 / f64::from(whole)) as i16
}

/// `128 * log2(1 + count)`, linear between powers of two: 0 for 0, 128 for 1, 2048 for 65,535.
#[inline]
pub(super) fn log(count: u32) -> i16 {
    log_u64(u64::from(count))
}

/// As [`log`].
#[inline]
pub(super) fn log_u64(count: u64) -> i16 {
    let value = count.saturating_add(1);
    let zeros = value.leading_zeros();
    // The seven bits after the leading one.
    let mantissa = (value << zeros >> 56) as i16 & 127;
    (63 - zeros) as i16 * 128 + mantissa
}

/// [`log`] with a sign: of a difference.
#[inline]
pub(super) fn signed_log(difference: i64) -> i16 {
    let size = log_u64(difference.unsigned_abs());
    if difference < 0 { -size } else { size }
}

/// `128 * log2(1 + 16 * part / whole)`, for means, which are small numbers with a fraction.
#[inline]
pub(super) fn log_mean(part: u32, whole: u32) -> i16 {
    if whole == 0 {
        return 0;
    }
    log_u64((f64::from(part) * 16.0 / f64::from(whole)) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithms_rise_and_fit() {
        assert_eq!([0, 1, 2, 3, 65_535].map(log), [0, 128, 192, 256, 2048]);
        assert_eq!(log(u32::MAX), 4096);
        assert_eq!(log_u64(u64::MAX), 63 * 128 + 127);
        assert!((0..10_000).all(|n| log(n) <= log(n + 1)));
        assert_eq!(signed_log(-3), -256);
        assert_eq!(signed_log(i64::MIN), -63 * 128);
    }

    #[test]
    fn shares_lie_between_nothing_and_one() {
        assert_eq!([share(0, 0), share(0, 3), share(1, 2), share(5, 3)], [0, 0, 512, ONE]);
        assert_eq!(share(u32::MAX - 1, u32::MAX), ONE - 1);
    }
}
