//! The date of a story as a number.

use dehusk_archive::calendar;
use dehusk_documents::document::Document;

const DAY: i64 = 86_400;

/// Seconds since 1970 (UTC).
pub(super) type Moment = i64;

/// When the story of a document came out: when its page was published, if it states that and it was before it was
/// crawled; else when it was crawled. `None` if neither is known.
pub(super) fn of_story(document: &Document) -> Option<Moment> {
    let crawled = parse(&document.created);
    let published = parse(&document.metadata.published);
    match (published, crawled) {
        // A date in the future is that of an event, or wrong. Clocks and zones differ by up to a day.
        (Some(published), Some(crawled)) if published > crawled + DAY => Some(crawled),
        (Some(published), _) => Some(published),
        (None, crawled) => crawled,
    }
}

/// The day that a document counts for in [`last_day`]: that of its crawl, or of its story if that is not known.
pub(super) fn night_of(document: &Document) -> Option<i64> {
    parse(&document.created).or_else(|| of_story(document)).map(day)
}

/// The last day that a night's stories can have, by the days of its documents: the one after the day by which 95 % of
/// them were crawled, and all but one. So neither a record whose clock was wrong nor one in twenty of them is believed,
/// and a run over a month is, up to its end. `None` if there are no days.
pub(super) fn last_day(mut days: Vec<i64>) -> Option<i64> {
    let last = days.len().checked_sub(1)?;
    let place = last - (days.len() / 20).max(1).min(last);
    let (_, day, _) = days.select_nth_unstable(place);
    Some(*day + 1)
}

/// The number of a moment's day.
pub(super) fn day(moment: Moment) -> i64 {
    moment.div_euclid(DAY)
}

/// The date of a day, as `YYYY-MM-DD`.
pub(super) fn date(day: i64) -> String {
    let (year, month, day) = calendar::date_of(day);
    format!("{year:04}-{month:02}-{day:02}")
}

/// `YYYY-MM-DDThh:mm:ss` with `Z`, `+hh:mm` or no zone, or `YYYY-MM-DD`, which is that day's beginning. `None` for
/// anything else.
fn parse(text: &str) -> Option<Moment> {
    let number = |from: usize, length: usize| -> Option<i64> {
        let digits = text.get(from..from + length)?;
        digits
            .bytes()
            .all(|b| b.is_ascii_digit())
            .then(|| digits.parse().ok())?
    };
    let (year, month, day) = (number(0, 4)?, number(5, 2)?, number(8, 2)?);
    if !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    let time = match (number(11, 2), number(14, 2)) {
        (Some(hours), Some(minutes)) => 3_600 * hours + 60 * minutes + number(17, 2).unwrap_or(0),
        _ => 0,
    };
    let zone = text.len().checked_sub(6).and_then(|at| {
        let sign = match text.as_bytes()[at] {
            b'+' if at >= 16 => 1,
            b'-' if at >= 16 => -1,
            _ => return None,
        };
        Some(sign * (3_600 * number(at + 1, 2)? + 60 * number(at + 4, 2)?))
    });
    Some(DAY * calendar::day_of(year, month, day) + time - zone.unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_and_days_agree() {
        for (text, number) in [
            ("1970-01-01", 0),
            ("1969-12-31", -1),
            ("2000-02-29", 11_016),
            ("2024-03-11", 19_793),
        ] {
            assert_eq!(parse(text).map(day), Some(number), "{text}");
            assert_eq!(date(number), text);
        }
    }

    #[test]
    fn a_few_late_days_are_not_those_of_the_night() {
        let after = |days: &[i64], late: usize| last_day([days, &vec![99_999; late]].concat());
        assert_eq!(after(&[], 0), None);
        assert_eq!(after(&[7], 0), Some(8));
        assert_eq!(after(&[7], 1), Some(8));
        assert_eq!(after(&[7; 95], 5), Some(8));
        assert_eq!(after(&[7; 80], 20), Some(100_000));
        let month: Vec<i64> = (0..3000).map(|n| n / 100).collect();
        assert_eq!(after(&month, 0), Some(29));
    }

    #[test]
    fn zones_count() {
        let noon = parse("2024-03-11T12:00:00Z");
        assert_eq!(parse("2024-03-11T14:00:00+02:00"), noon);
        assert_eq!(parse("2024-03-11T07:30:00-04:30"), noon);
        assert_eq!(parse("2024-03-11T12:00"), noon);
        for none in ["", "2024", "2024-13-01", "yesterday", "2024-ä3-11"] {
            assert_eq!(parse(none), None, "{none}");
        }
    }

    #[test]
    fn a_page_is_not_published_after_it_was_crawled() {
        let mut document = Document::default();
        document.created = "2024-05-06T07:08:09Z".into();
        let of_day = |document: &Document| of_story(document).map(|moment| date(day(moment)));
        document.metadata.published = "2024-05-01".into();
        assert_eq!(of_day(&document).as_deref(), Some("2024-05-01"));
        document.metadata.published = "2024-06-01".into();
        assert_eq!(of_day(&document).as_deref(), Some("2024-05-06"));
        document.created.clear();
        document.metadata.published.clear();
        assert_eq!(of_story(&document), None);
    }
}
