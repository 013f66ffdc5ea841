//! Calendars: the days of months, and years that other calendars count.

use dehusk_archive::calendar::{date_of, day_of};

/// The days of a month; 0 if there is no such month.
pub(super) fn days_of_month(year: u32, month: u32) -> u32 {
    match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400)) => 29,
        2 => 28,
        _ => 0,
    }
}

/// The Gregorian date of a day, counted from 1970-01-01. The day is not before the year 0.
pub(super) fn date(day: i64) -> (u32, u32, u32) {
    let (year, month, day) = date_of(day);
    (year as u32, month as u32, day as u32)
}

/// The Buddhist calendar counts from 543 BC; its months and days are the Gregorian ones.
pub(super) fn from_buddhist(year: u32) -> Option<u32> {
    (2400..2700).contains(&year).then(|| year - 543)
}

/// A day of the Persian calendar, by its cycle of 33 years with 8 leap years, which holds from 1210 to 1500.
pub(super) fn from_persian(year: u32, month: u32, day: u32) -> Option<(u32, u32, u32)> {
    let last = match month {
        1..=6 => 31,
        7..=12 => 30,
        _ => return None,
    };
    if !(1210..1500).contains(&year) || day == 0 || day > last {
        return None;
    }
    let in_year = if month < 7 {
        (month - 1) * 31
    } else {
        (month - 7) * 30 + 186
    } + day;
    // 1 Farvardin 1403 was 20 March 2024.
    let at = |year: u32| {
        let cycle = year + 1595;
        cycle * 365 + cycle / 33 * 8 + (cycle % 33).div_ceil(4)
    };
    let since = i64::from(at(year) + in_year) - i64::from(at(1403) + 1);
    Some(date(day_of(2024, 3, 20) + since))
}

#[cfg(test)]
mod tests {
    use super::from_persian;

    #[test]
    fn persian_new_years_are_right() {
        // The first of Farvardin of some years, as calendars print it.
        for (persian, day) in [
            (1370, (1991, 3, 21)),
            (1375, (1996, 3, 20)),
            (1399, (2020, 3, 20)),
            (1400, (2021, 3, 21)),
            (1402, (2023, 3, 21)),
            (1403, (2024, 3, 20)),
            (1404, (2025, 3, 21)),
        ] {
            assert_eq!(from_persian(persian, 1, 1), Some(day), "{persian}");
        }
        assert_eq!(from_persian(1402, 12, 29), Some((2024, 3, 19)));
        assert_eq!(from_persian(1403, 13, 1), None);
    }
}
