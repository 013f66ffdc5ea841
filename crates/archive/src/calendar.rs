//! Days of the Gregorian calendar as numbers, counted from 1970-01-01, and back.
//!
//! Years are counted from March, so that a leap day is the last day of a year; 400 years have 146,097 days.

/// The days from 0000-03-01 to 1970-01-01.
const EPOCH: i64 = 719_468;

/// The days of 400 years.
const ERA: i64 = 146_097;

/// The number of a date's day: 0 is 1970-01-01. A day after the end of its month counts on into the next month.
pub fn day_of(year: i64, month: i64, day: i64) -> i64 {
    let (year, month) = if month > 2 {
        (year, month - 3)
    } else {
        (year - 1, month + 9)
    };
    let (era, year) = (year.div_euclid(400), year.rem_euclid(400));
    era * ERA + 365 * year + year / 4 - year / 100 + (153 * month + 2) / 5 + day - 1 - EPOCH
}

/// The year, the month and the day of a day's number: the inverse of [`day_of`].
pub fn date_of(day: i64) -> (i64, i64, i64) {
    let day = day + EPOCH;
    let (era, day) = (day.div_euclid(ERA), day.rem_euclid(ERA));
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    (era * 400 + year + next, month, day)
}

/// The time this many seconds after 1970, as `YYYY-MM-DDThh:mm:ssZ`; `""` after the year 9999.
pub fn iso_date(seconds: u64) -> String {
    let (days, second) = (seconds / 86_400, seconds % 86_400);
    if days > 2_932_896 {
        return String::new();
    }
    let (year, month, day) = date_of(days as i64);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_those_of_the_calendar() {
        for (seconds, time) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (1_709_164_799, "2024-02-28T23:59:59Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
            (253_402_300_799, "9999-12-31T23:59:59Z"),
            (253_402_300_800, ""),
            (u64::MAX, ""),
        ] {
            assert_eq!(iso_date(seconds), time);
        }
    }

    #[test]
    fn days_and_dates_are_each_other_s_inverse() {
        for (date, day) in [
            ((1970, 1, 1), 0),
            ((1969, 12, 31), -1),
            ((2000, 2, 29), 11_016),
            ((2024, 3, 11), 19_793),
            ((0, 3, 1), -EPOCH),
            ((-1, 12, 31), -EPOCH - 61),
        ] {
            assert_eq!((date_of(day), day_of(date.0, date.1, date.2)), (date, day));
        }
        for day in (-1_000_000..3_000_000).step_by(17) {
            let (year, month, of_month) = date_of(day);
            assert_eq!(day_of(year, month, of_month), day);
        }
    }
}
