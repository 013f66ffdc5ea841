//! The logistic function in integers.

/// The number of steps of 1/16 between 0 and 12.
const STEPS: usize = 12 * 16;

/// `65536 / (1 + exp(-k / 16))`, rounded, for `k` from 0 to 192.
static TABLE: [u32; STEPS + 1] = table();

const fn table() -> [u32; STEPS + 1] {
    const ONE: u128 = 1 << 62;
    /// `exp(-1 / 16)` in units of 2^-62.
    const STEP: u128 = 4_332_278_087_304_955_805;
    let mut table = [0; STEPS + 1];
    let (mut k, mut exp) = (0, ONE);
    while k <= STEPS {
        table[k] = (((ONE << 16) + (ONE + exp) / 2) / (ONE + exp)) as u32;
        exp = (exp * STEP) >> 62;
        k += 1;
    }
    table
}

/// The probability that belongs to a logit in units of 2^-12, of 65536.
///
/// It is read from a table with steps of 1/16 and interpolated. It is at most 4 of 65536 off the true value, never
/// decreases, and is the same on every machine.
pub fn probability(logit: i32) -> u16 {
    let distance = logit.unsigned_abs().min((STEPS as u32) << 8);
    let (k, rest) = ((distance >> 8) as usize, distance & 255);
    let next = TABLE[(k + 1).min(STEPS)];
    let above = TABLE[k] + (((next - TABLE[k]) * rest) >> 8);
    let probability = if logit < 0 { 65536 - above } else { above };
    probability.min(65535) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_close_to_the_logistic_function_and_never_falls() {
        let mut last = 0;
        for logit in -60_000..=60_000 {
            let p = probability(logit);
            assert!(p >= last, "at {logit}");
            last = p;
            let exact = 65536.0 / (1.0 + (-f64::from(logit) / 4096.0).exp());
            assert!((f64::from(p) - exact).abs() < 4.5, "{p} for {exact} at {logit}");
        }
        assert_eq!(
            (probability(0), probability(i32::MAX), probability(i32::MIN)),
            (32768, 65535, 0)
        );
    }
}
