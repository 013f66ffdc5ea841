//! Dates as HTTP and the signatures of clouds write them.

use std::time::{SystemTime, UNIX_EPOCH};

use dehusk_archive::calendar::{self, iso_date};

const MONTHS: [&str; 12] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
];

/// 1970-01-01 was a Thursday.
const WEEKDAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];

const DAY: u64 = 86_400;

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

/// A time as `Sun, 06 Nov 1994 08:49:37 GMT`.
pub(super) fn to_http(seconds: u64) -> String {
    let iso = iso_date(seconds);
    let weekday = WEEKDAYS[(seconds / DAY % 7) as usize];
    let month = iso[5..7].parse::<usize>().ok().and_then(|month| MONTHS.get(month - 1));
    let (month, day, year, time) = (month.copied().unwrap_or_default(), &iso[8..10], &iso[..4], &iso[11..19]);
    format!("{weekday}, {day} {month} {year} {time} GMT")
}

/// The seconds since 1970 of a date as [`to_http`] writes it.
pub(super) fn from_http(text: &str) -> Option<u64> {
    let mut words = text.trim().split_once(", ")?.1.split(' ');
    let (day, month, year) = (words.next()?, words.next()?, words.next()?);
    let month = MONTHS.iter().position(|name| *name == month)? as u64 + 1;
    let (day, year) = (day.parse::<u64>().ok()?, year.parse::<u64>().ok()?);
    let mut time = words.next()?.split(':').map(str::parse::<u64>);
    let (hour, minute, second) = (time.next()?.ok()?, time.next()?.ok()?, time.next()?.ok()?);
    if !(1970..=9999).contains(&year) || !(1..=31).contains(&day) || hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let days = calendar::day_of(year as i64, month as i64, day as i64) as u64;
    Some(days * DAY + hour * 3600 + minute * 60 + second)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_of_http_are_read_and_written() {
        assert_eq!(from_http("Sun, 06 Nov 1994 08:49:37 GMT"), Some(784_111_777));
        for seconds in [0, 951_782_399, 951_782_400, 1_772_323_199, 1_772_323_200, 4_102_444_799] {
            assert_eq!(from_http(&to_http(seconds)), Some(seconds), "{}", to_http(seconds));
        }
        assert_eq!(to_http(784_111_777), "Sun, 06 Nov 1994 08:49:37 GMT");
        assert_eq!(basic(1_369_353_600), "20130524T000000Z");
        for wrong in [
            "",
            "Sun, 06 Foo 1994 08:49:37 GMT",
            "Sun, 06 Nov 1994",
            "Sun, 99 Nov 1994 08:49:37 GMT",
            "a, b c d e",
        ] {
            assert_eq!(from_http(wrong), None, "{wrong}");
        }
    }
}
