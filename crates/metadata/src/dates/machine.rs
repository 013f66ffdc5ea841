//! Dates as programs write them: ISO 8601 and its relatives, seconds since 1970, and the formats of mail and of
//! JavaScript.

use super::{Date, Time, calendar};

/// Longest text that is read.
const LONGEST: usize = 64;

/// Reads a date that a text starts with. The rest of the text does not matter.
pub(crate) fn parse(text: &str) -> Option<Date> {
    let text = text.trim();
    if text.len() > LONGEST || !text.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let bytes = text.as_bytes();
    let digits = bytes.iter().take_while(|b| b.is_ascii_digit()).count();
    match digits {
        4 => {
            let mut rest = Cursor(bytes);
            let year = rest.number(4)?;
            let mark = rest.one_of(b"-/.")?;
            let month = rest.number(2)?;
            rest.one_of(&[mark])?;
            let day = rest.number(2)?;
            if rest.0.first().is_some_and(u8::is_ascii_digit) {
                return None;
            }
            Some(Date::new(year, month, day)?.at(rest.time()))
        }
        8 => {
            let mut rest = Cursor(bytes);
            let (year, month, day) = (rest.exactly(4)?, rest.exactly(2)?, rest.exactly(2)?);
            Some(Date::new(year, month, day)?.at(rest.time()))
        }
        14 if bytes.len() == 14 => {
            let mut rest = Cursor(bytes);
            let (year, month, day) = (rest.exactly(4)?, rest.exactly(2)?, rest.exactly(2)?);
            Date::new(year, month, day)
        }
        10 | 13 if bytes.len() == digits => since_1970(text[..10].parse().ok()?),
        _ => None,
    }
}

/// Seconds since the start of 1970, in UTC.
fn since_1970(seconds: u64) -> Option<Date> {
    let (year, month, day) = calendar::date(i64::try_from(seconds / 86_400).ok()?);
    let in_day = (seconds % 86_400) as u32;
    let time = Time {
        hour: in_day / 3600,
        minute: in_day / 60 % 60,
        second: in_day % 60,
        offset: 0,
    };
    Some(Date::new(year, month, day)?.at(Some(time)))
}

/// The bytes of a text that are not read yet.
struct Cursor<'t>(&'t [u8]);

impl Cursor<'_> {
    /// A number of one to `most` digits.
    fn number(&mut self, most: usize) -> Option<u32> {
        let digits = self.0.iter().take(most).take_while(|b| b.is_ascii_digit()).count();
        self.exactly(digits.max(1))
    }

    /// A number of exactly `digits` digits.
    fn exactly(&mut self, digits: usize) -> Option<u32> {
        let (number, rest) = self.0.split_at_checked(digits)?;
        let value = number
            .iter()
            .try_fold(0, |value, b| Some(value * 10 + char::from(*b).to_digit(10)?))?;
        self.0 = rest;
        Some(value)
    }

    fn one_of(&mut self, bytes: &[u8]) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        if !bytes.contains(first) {
            return None;
        }
        self.0 = rest;
        Some(*first)
    }

    /// A time with its zone. `None` if one of them is missing: a time without a zone is no instant.
    fn time(&mut self) -> Option<Time> {
        while self.one_of(b"Tt ").is_some() {}
        let hour = self.number(2)?;
        let has_colons = self.one_of(b":").is_some();
        let minute = self.exactly(2)?;
        let has_second = if has_colons {
            self.one_of(b":").is_some()
        } else {
            self.0.first().is_some_and(u8::is_ascii_digit)
        };
        let second = if has_second { self.exactly(2)? } else { 0 };
        if self.one_of(b".,").is_some() {
            let fraction = self.0.iter().take_while(|b| b.is_ascii_digit()).count();
            self.0 = &self.0[fraction..];
        }
        while self.one_of(b" ").is_some() {}
        Some(Time {
            hour,
            minute,
            second,
            offset: self.zone()?,
        })
    }

    fn zone(&mut self) -> Option<i32> {
        if self.0.starts_with(b"UTC") || self.0.starts_with(b"GMT") {
            self.0 = &self.0[3..];
            if self.0.is_empty() {
                return Some(0);
            }
        }
        let sign = match self.one_of(b"Zz+-")? {
            b'+' => 1,
            b'-' => -1,
            _ => return Some(0),
        };
        let hours = self.number(2)? as i32;
        let _ = self.one_of(b":");
        let minutes = self.exactly(2).unwrap_or(0) as i32;
        (minutes < 60).then_some(sign * (hours * 60 + minutes))
    }
}
