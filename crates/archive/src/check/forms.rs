//! The forms of the values of fields.

use std::net::IpAddr;

use super::fields::Form;
use super::rule::Rule;
use crate::digest::{self, Unverifiable};
use crate::record_type::RecordType;

/// The reasons of a truncation that the standard defines (5.15).
const TRUNCATIONS: [&str; 4] = ["length", "time", "disconnect", "unspecified"];

/// The profiles of revisits that the standard defines (6.7.2 and 6.7.3), without the version in their path.
const PROFILES: [&str; 2] = ["identical-payload-digest", "server-not-modified"];

/// The rule that a value breaks, if it breaks one. The value is not empty.
pub(super) fn broken(form: Form, value: &str, version: &str, record_type: &RecordType) -> Option<Rule> {
    match form {
        Form::Id => (!is_id(value)).then_some(Rule::RecordId),
        Form::Uri => uri(value),
        Form::Profile => uri(value).or_else(|| (!is_known_profile(value)).then_some(Rule::Profile)),
        Form::Date => date(value, version),
        Form::Length => (!is_number(value)).then_some(Rule::ContentLength),
        Form::RecordType => matches!(record_type, RecordType::Unknown(_)).then_some(Rule::RecordType),
        Form::MediaType => (!is_media_type(value)).then_some(Rule::MediaType),
        Form::Digest => match digest::read(value) {
            Ok(_) => None,
            Err(Unverifiable::Algorithm) => Some(Rule::DigestAlgorithm),
            Err(Unverifiable::Form) => Some(Rule::DigestForm),
        },
        Form::IpAddress => value.parse::<IpAddr>().is_err().then_some(Rule::IpAddress),
        Form::Truncated => {
            let is_known = TRUNCATIONS.iter().any(|known| known.eq_ignore_ascii_case(value));
            (!is_known).then_some(Rule::Truncated)
        }
        Form::SegmentNumber => (!is_segment_number(value, record_type)).then_some(Rule::SegmentNumber),
        Form::SegmentLength => (!is_number(value)).then_some(Rule::SegmentLength),
        Form::Text => None,
    }
}

/// The rule that the fields of an ARC header line break.
pub(super) fn broken_in_arc(url: &str, ip: &str, date: &str, mime: &str) -> Vec<String> {
    let has_scheme = scheme(url).is_some();
    let fields = [
        ("URL", url, has_scheme),
        (
            "IP-address",
            ip,
            ip.is_empty() || ip == "-" || ip.parse::<IpAddr>().is_ok(),
        ),
        ("Archive-date", date, precision(date.as_bytes()).is_some()),
        // Writers put what a server sent, up to its first space.
        ("Content-type", mime, !mime.is_empty()),
    ];
    let wrong = fields.into_iter().filter(|(_, _, is_right)| !is_right);
    wrong.map(|(name, value, _)| format!("{name}: {value}")).collect()
}

fn is_number(value: &str) -> bool {
    !value.is_empty() && value.bytes().all(|b| b.is_ascii_digit()) && value.parse::<u64>().is_ok()
}

/// The first segment is an ordinary record, and has the number 1, if it has one.
fn is_segment_number(value: &str, record_type: &RecordType) -> bool {
    is_number(value)
        && match value.parse() {
            Ok(1_u64) => *record_type != RecordType::Continuation,
            Ok(2..) => matches!(record_type, RecordType::Continuation | RecordType::Unknown(_)),
            _ => false,
        }
}

fn is_id(value: &str) -> bool {
    let inner = value.strip_prefix('<').and_then(|rest| rest.strip_suffix('>'));
    inner
        .is_some_and(|uri| scheme(uri).is_some() && uri.bytes().all(|b| b.is_ascii_graphic() && b != b'<' && b != b'>'))
}

/// The scheme of an absolute URI, if something follows it (RFC 3986, section 3.1).
fn scheme(uri: &str) -> Option<&str> {
    let (scheme, rest) = uri.split_once(':')?;
    let mut bytes = scheme.bytes();
    let is_scheme = bytes.next().is_some_and(|b| b.is_ascii_alphabetic())
        && bytes.all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.'));
    (is_scheme && !rest.is_empty()).then_some(scheme)
}

/// Whether a text is a URI, whatever its characters.
pub(crate) fn is_uri(value: &str) -> bool {
    uri(value) != Some(Rule::Uri)
}

fn uri(value: &str) -> Option<Rule> {
    let inner = value.strip_prefix('<').and_then(|rest| rest.strip_suffix('>'));
    let uri = inner.unwrap_or(value);
    if scheme(uri).is_none() || uri.contains(|c: char| c.is_whitespace() || c.is_control()) {
        return Some(Rule::Uri);
    }
    if !uri.bytes().all(is_of_uri) {
        return Some(Rule::UriCharacter);
    }
    inner.map(|_| Rule::UriBrackets)
}

/// Whether a URI may hold this byte: an unreserved or a reserved one, or that of an escape (RFC 3986, section 2).
fn is_of_uri(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~:/?#[]@!$&'()*+,;=%".contains(&byte)
}

fn is_known_profile(value: &str) -> bool {
    let value = value.trim_start_matches('<').trim_end_matches('>');
    let rest = value.split_once("://netpreserve.org/warc/").map(|(_, rest)| rest);
    let profile = rest.and_then(|rest| rest.split_once("/revisit/"));
    profile.is_some_and(|(version, name)| matches!(version, "1.0" | "1.1" | "0.18") && PROFILES.contains(&name))
}

/// `type/subtype` and parameters (RFC 9110, section 8.3.1).
fn is_media_type(value: &str) -> bool {
    let is_token = |text: &str| !text.is_empty() && text.bytes().all(is_of_token);
    let essence = value.split(';').next().unwrap_or_default().trim_end();
    essence
        .split_once('/')
        .is_some_and(|(kind, subtype)| is_token(kind) && is_token(subtype))
}

/// Whether a token may hold this byte (RFC 9110, section 5.6.2).
pub(crate) fn is_of_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

/// WARC 1.0 knows dates to the second alone. WARC 1.1 also knows years, months, days, minutes, and up to nine digits of
/// a second (5.4).
fn date(value: &str, version: &str) -> Option<Rule> {
    let upper = value.to_ascii_uppercase();
    let Some(precision) = precision(upper.as_bytes()) else {
        return Some(Rule::Date);
    };
    let is_allowed = match version {
        "1.1" => precision <= Precision::Part(9),
        _ => precision == Precision::Second,
    };
    (!is_allowed || upper != value).then_some(Rule::DateForm)
}

/// The precision of a date.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Precision {
    Year,
    Month,
    Day,
    Minute,
    Second,
    /// This many digits of a second.
    Part(usize),
}

/// The precision of a date; `None` if it is no date of UTC.
fn precision(date: &[u8]) -> Option<Precision> {
    const SHAPE: &[u8] = b"dddd-dd-ddTdd:dd:dd";
    let (date, is_utc) = match date.strip_suffix(b"Z") {
        Some(date) => (date, true),
        None => (date, false),
    };
    let (whole, part) = date.split_at(date.len().min(SHAPE.len()));
    let is_shaped = whole.iter().zip(SHAPE).all(|(byte, shape)| match shape {
        b'd' => byte.is_ascii_digit(),
        _ => byte == shape,
    });
    let precision = match (whole.len(), is_utc, part) {
        (4, false, []) => Precision::Year,
        (7, false, []) => Precision::Month,
        (10, false, []) => Precision::Day,
        (16, true, []) => Precision::Minute,
        (19, true, []) => Precision::Second,
        (19, true, [b'.', digits @ ..]) if !digits.is_empty() && digits.iter().all(u8::is_ascii_digit) => {
            Precision::Part(digits.len())
        }
        _ => return None,
    };
    let number = |from: usize, length: usize| {
        let digits = whole.get(from..from + length)?;
        Some(
            digits
                .iter()
                .fold(0, |n, digit| n * 10 + i64::from(digit.wrapping_sub(b'0'))),
        )
    };
    let is_within =
        |from, length, least: i64, most: i64| number(from, length).is_none_or(|n| (least..=most).contains(&n));
    let month_days = match (number(0, 4), number(5, 2)) {
        (Some(year), Some(2)) if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        (_, Some(2)) => 28,
        (_, Some(4 | 6 | 9 | 11)) => 30,
        _ => 31,
    };
    let is_real = is_shaped
        && is_within(5, 2, 1, 12)
        && is_within(8, 2, 1, month_days)
        && is_within(11, 2, 0, 23)
        && is_within(14, 2, 0, 59)
        && is_within(17, 2, 0, 60);
    is_real.then_some(precision)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(form: Form, value: &str) -> Option<Rule> {
        broken(form, value, "1.0", &RecordType::Response)
    }

    #[test]
    fn dates_are_of_the_version_and_of_the_calendar() {
        for (value, version, found) in [
            ("2024-05-06T07:08:09Z", "1.0", None),
            ("2024-05-06T07:08:09Z", "1.1", None),
            ("2024-05-06T07:08:09.123456789Z", "1.1", None),
            ("2024-05-06T07:08:09.1234567890Z", "1.1", Some(Rule::DateForm)),
            ("2024", "1.1", None),
            ("2024-05-06T07:08Z", "1.1", None),
            ("2024-05-06T07:08:09.123Z", "1.0", Some(Rule::DateForm)),
            ("2024-05-06", "1.0", Some(Rule::DateForm)),
            ("2024-05-06t07:08:09z", "1.0", Some(Rule::DateForm)),
            ("2024-02-29T00:00:00Z", "1.0", None),
            ("2023-02-29T00:00:00Z", "1.0", Some(Rule::Date)),
            ("2024-05-06T07:08:09", "1.1", Some(Rule::Date)),
            ("2024-05-06T07:08:09+01:00", "1.1", Some(Rule::Date)),
            ("20240506070809", "1.0", Some(Rule::Date)),
            ("blue monday", "1.0", Some(Rule::Date)),
        ] {
            assert_eq!(date(value, version), found, "{value} in {version}");
        }
    }

    #[test]
    fn ids_and_uris_have_a_scheme() {
        assert_eq!(
            rule(Form::Id, "<urn:uuid:35f02b38-eb19-4f0d-86e4-bfe95815069c-1>"),
            None
        );
        for id in ["urn:uuid:1", "<zaphod>", "<urn: x>", "<urn:>", "<>", "<<urn:x>>"] {
            assert_eq!(rule(Form::Id, id), Some(Rule::RecordId), "{id}");
        }
        for (value, found) in [
            ("http://a.example/?q=[1]&x=%20#f", None),
            ("dns:www.a.example", None),
            ("<http://a.example/>", Some(Rule::UriBrackets)),
            ("http://a.example/ä|", Some(Rule::UriCharacter)),
            ("http://a.example/a b", Some(Rule::Uri)),
            ("bad_uri", Some(Rule::Uri)),
            ("1http://a.example/", Some(Rule::Uri)),
        ] {
            assert_eq!(rule(Form::Uri, value), found, "{value}");
        }
    }

    #[test]
    fn segments_are_counted_from_the_first_record() {
        let number = |value: &str, record_type| broken(Form::SegmentNumber, value, "1.0", &record_type);
        assert_eq!(number("1", RecordType::Response), None);
        assert_eq!(number("2", RecordType::Response), Some(Rule::SegmentNumber));
        assert_eq!(number("2", RecordType::Continuation), None);
        for value in ["0", "1", "one", "-2", "99999999999999999999"] {
            assert_eq!(
                number(value, RecordType::Continuation),
                Some(Rule::SegmentNumber),
                "{value}"
            );
        }
    }

    #[test]
    fn media_types_and_digests_have_two_parts() {
        assert_eq!(rule(Form::MediaType, "application/http; msgtype=response"), None);
        assert_eq!(rule(Form::MediaType, "gif\\image"), Some(Rule::MediaType));
        assert_eq!(rule(Form::MediaType, "text/"), Some(Rule::MediaType));
        assert_eq!(rule(Form::Digest, "md5:cbUGgC20oZK/eAxkAe4x3g=="), None);
        assert_eq!(rule(Form::Digest, "md5:cbUGgC20"), Some(Rule::DigestForm));
        assert_eq!(rule(Form::Digest, "sharif-1; omar"), Some(Rule::DigestForm));
        assert_eq!(rule(Form::Digest, "blake3:af1349b9"), Some(Rule::DigestAlgorithm));
    }
}
