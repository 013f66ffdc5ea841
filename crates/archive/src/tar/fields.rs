//! What the path and the time of a file say in the terms of WARC.

/// The type that the ending of a file's name says, with or without the ending of a compression; `""` if it says none. Then the
/// bytes have to tell it.
pub(crate) fn mime_of(path: &[u8]) -> &'static str {
    let lower = path[path.len().saturating_sub(16)..].to_ascii_lowercase();
    let inner = [&b".gz"[..], b".zst"]
        .into_iter()
        .find_map(|ending| lower.strip_suffix(ending));
    let name = inner.unwrap_or(&lower);
    match name {
        _ if name.ends_with(b".html") || name.ends_with(b".htm") => "text/html",
        _ if name.ends_with(b".xhtml") => "application/xhtml+xml",
        _ => "",
    }
}

/// The time so many seconds after 1970, as `YYYY-MM-DDThh:mm:ssZ`; `""` behind the year 9999.
pub fn iso_date(seconds: u64) -> String {
    let (days, second) = (seconds / 86_400, seconds % 86_400);
    if days > 2_932_896 {
        return String::new();
    }
    // Years are counted from March, so that a leap day is the last day of a year; 400 years have 146,097 days.
    let day = days + 719_468;
    let (era, day) = (day / 146_097, day % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    format!(
        "{:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z",
        era * 400 + year + next,
        second / 3600,
        second / 60 % 60,
        second % 60
    )
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
    fn names_tell_types() {
        for (name, mime) in [
            ("a/page.HTML", "text/html"),
            ("page.htm.gz", "text/html"),
            ("page.xhtml.zst", "application/xhtml+xml"),
            ("page.gz", ""),
            ("html", ""),
        ] {
            assert_eq!(mime_of(name.as_bytes()), mime);
        }
    }
}
