//! Dates as clouds' signatures have them. Those of HTTP are `httpdate`'s.

use std::time::{SystemTime, UNIX_EPOCH};

use dehusk_archive::calendar::iso_date;

/// Seconds since 1970.
pub(super) fn now() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default()
        .as_secs()
}

/// A time as `20130524T000000Z`.
pub(super) fn basic(seconds: u64) -> String {
    iso_date(seconds).replace(['-', ':'], "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_have_the_form_that_clouds_sign() {
        assert_eq!(basic(1_369_353_600), "20130524T000000Z");
    }
}
