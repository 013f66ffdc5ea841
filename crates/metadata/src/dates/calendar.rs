//! Calendars: the days of months, and years that other calendars count.

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

/// The number of a day, counted from an arbitrary one.
pub(super) fn day_number(year: u32, month: u32, day: u32) -> u32 {
    let before = year - 1;
    let months: u32 = (1..month).map(|month| days_of_month(year, month)).sum();
    before * 365 + before / 4 - before / 100 + before / 400 + months + day
}

/// The day with a number.
pub(super) fn day_of(number: u32) -> (u32, u32, u32) {
    // At most two years too early, because 366 days are more than any year has.
    let mut year = number / 366 + 1;
    while day_number(year + 1, 1, 1) <= number {
        year += 1;
    }
    let mut month = 1;
    while month < 12 && day_number(year, month + 1, 1) <= number {
        month += 1;
    }
    (year, month, number - day_number(year, month, 1) + 1)
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
    let number = at(year) + in_year + day_number(2024, 3, 20) - at(1403) - 1;
    Some(day_of(number))
}

#[cfg(test)]
mod tests {
    use super::{day_number, day_of, from_persian};

    #[test]
    fn days_and_numbers_agree() {
        for number in 1..800_000 {
            let (year, month, day) = day_of(number);
            assert_eq!(day_number(year, month, day), number);
        }
    }

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
