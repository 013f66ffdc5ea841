//! The time of day, for messages and accounts. No document depends on it.

use std::time::{SystemTime, UNIX_EPOCH};

/// The time in UTC, such as `2026-11-22T20:33:05Z`.
pub fn now() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    dehusk_archive::calendar::iso_date(since.map_or(0, |since| since.as_secs()))
}
