//! `input.url_pattern`: the URL and the date of a page that lies in a tar file or a directory, from its path there.

use regex::bytes::{Captures, Regex, RegexBuilder};

use dehusk_metadata::percent;

/// Memory that the regular expression may take, in bytes.
const REGEX_LIMIT: usize = 10 << 20;

/// A regular expression with the group `url`, `date` or both.
#[derive(Clone, Debug)]
pub struct UrlPattern(Regex);

impl UrlPattern {
    /// Reads the key's value; `None` if it is empty.
    ///
    /// # Errors
    /// A message about the mistake in it.
    pub(super) fn parse(text: &str) -> Result<Option<Self>, String> {
        if text.is_empty() {
            return Ok(None);
        }
        let regex = RegexBuilder::new(text).size_limit(REGEX_LIMIT).build();
        let regex = regex.map_err(|e| e.to_string())?;
        let has_group = regex
            .capture_names()
            .flatten()
            .any(|name| matches!(name, "url" | "date"));
        if has_group {
            Ok(Some(Self(regex)))
        } else {
            Err("it has neither a group (?<url>…) nor a group (?<date>…)".to_owned())
        }
    }

    /// The URL and the date that a path states.
    pub fn read(&self, path: &str) -> (Option<String>, Option<String>) {
        let Some(found) = self.0.captures(path.as_bytes()) else {
            return (None, None);
        };
        let group = |found: &Captures<'_>, name: &str| {
            let text = found.name(name)?.as_bytes();
            Some(String::from_utf8_lossy(text).into_owned())
        };
        let url = group(&found, "url").map(|url| with_scheme(&url));
        (url, group(&found, "date").and_then(|date| iso_date(&date)))
    }
}

/// A URL with a scheme. File names often hold URLs with percent signs in place of colons and slashes.
fn with_scheme(url: &str) -> String {
    if url.contains("://") {
        return url.to_owned();
    }
    let decoded = percent::decoded(url);
    let decoded = String::from_utf8_lossy(&decoded);
    if decoded.contains("://") {
        decoded.into_owned()
    } else {
        format!("https://{url}")
    }
}

/// A date of at least eight digits, whatever is between them, as `YYYY-MM-DDThh:mm:ssZ`. Missing digits are 0.
fn iso_date(text: &str) -> Option<String> {
    let mut digits: String = text.chars().filter(char::is_ascii_digit).take(14).collect();
    if digits.len() < 8 {
        return None;
    }
    while digits.len() < 14 {
        digits.push('0');
    }
    let number = |from: usize, to: usize| digits[from..to].parse::<u32>().unwrap_or_default();
    let is_date = (1..=12).contains(&number(4, 6)) && (1..=31).contains(&number(6, 8));
    let is_time = number(8, 10) < 24 && number(10, 12) < 60 && number(12, 14) < 61;
    (is_date && is_time).then(|| {
        format!(
            "{}-{}-{}T{}:{}:{}Z",
            &digits[..4],
            &digits[4..6],
            &digits[6..8],
            &digits[8..10],
            &digits[10..12],
            &digits[12..14]
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_and_dates_are_taken_from_paths() {
        for (pattern, path, url, date) in [
            (
                r"^(?<date>\d{8})/(?<url>.*)\.html$",
                "20240506/a.example/x.html",
                "https://a.example/x",
                "2024-05-06T00:00:00Z",
            ),
            (
                r"(?<url>[^/]+)$",
                "x/http%3A%2F%2Fa.example%2F%3Fq=%C3%A9",
                "http://a.example/?q=é",
                "",
            ),
            (
                r"(?<date>[0-9T:-]+)",
                "2024-05-06T07:08:09.html",
                "",
                "2024-05-06T07:08:09Z",
            ),
            (r"(?<date>\d+)", "20241306.html", "", ""),
            (r"(?<url>ftp://.*)", "no/match", "", ""),
            (r"(?<url>.*)", "a%zz%", "https://a%zz%", ""),
        ] {
            let pattern = UrlPattern::parse(pattern).expect("a pattern").expect("not empty");
            let (found_url, found_date) = pattern.read(path);
            assert_eq!(
                (found_url.unwrap_or_default(), found_date.unwrap_or_default()),
                (url.into(), date.into())
            );
        }
    }

    #[test]
    fn a_pattern_without_a_group_is_refused() {
        assert!(UrlPattern::parse("").expect("nothing").is_none());
        assert!(UrlPattern::parse("(.*)").is_err_and(|e| e.contains("neither a group")));
        assert!(UrlPattern::parse("(?<url>").is_err());
    }
}
