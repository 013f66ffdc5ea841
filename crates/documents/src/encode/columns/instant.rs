//! Instants as numbers: microseconds since 1970, in UTC.

use dehusk_archive::calendar;

/// The zone of the columns.
pub(super) const ZONE: &str = "UTC";

const SECOND: i64 = 1_000_000;
const DAY: i64 = 86_400;

/// The number of an instant, `YYYY-MM-DDThh:mm:ssZ`. `None` for anything else, and if no calendar has the day.
pub(super) fn parse(text: &str) -> Option<i64> {
    let shape = b"dddd-dd-ddTdd:dd:ddZ";
    let fits = |(byte, shape): (&u8, &u8)| match shape {
        b'd' => byte.is_ascii_digit(),
        _ => byte == shape,
    };
    if text.len() != shape.len() || !text.as_bytes().iter().zip(shape).all(fits) {
        return None;
    }
    let number = |at: usize, length: usize| text[at..at + length].parse::<i64>().ok();
    let (year, month, day) = (number(0, 4)?, number(5, 2)?, number(8, 2)?);
    let (hours, minutes, seconds) = (number(11, 2)?, number(14, 2)?, number(17, 2)?);
    if !(1..=12).contains(&month) || !(1..=31).contains(&day) || hours > 23 || minutes > 59 || seconds > 60 {
        return None;
    }
    let days = calendar::day_of(year, month, day);
    (calendar::date_of(days) == (year, month, day))
        .then_some((days * DAY + hours * 3_600 + minutes * 60 + seconds) * SECOND)
}

/// The instant of a number of units, of which a second has `in_second`. A part of a second is left out.
pub(super) fn format(number: i64, in_second: i64) -> String {
    let seconds = number.div_euclid(in_second);
    let (day, second) = (seconds.div_euclid(DAY), seconds.rem_euclid(DAY));
    let (year, month, day) = calendar::date_of(day);
    let (hours, minutes, seconds) = (second / 3_600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{day:02}T{hours:02}:{minutes:02}:{seconds:02}Z")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instants_and_numbers_are_each_other_s_inverse() {
        for (text, number) in [
            ("1970-01-01T00:00:00Z", 0),
            ("1969-12-31T23:59:59Z", -SECOND),
            ("2026-05-04T08:00:34Z", 1_777_881_634 * SECOND),
        ] {
            assert_eq!(parse(text), Some(number), "{text}");
            assert_eq!(format(number, SECOND), text);
        }
    }

    #[test]
    fn what_is_no_instant_has_no_number() {
        for text in [
            "",
            "2026-05-04",
            "2026-02-30T08:00:34Z",
            "2026-13-01T00:00:00Z",
            "2026-05-04T24:00:00Z",
            "2026-05-04T08:00:34+",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
