//! Dates: how people and machines write them, and how they are compared with the day of the crawl.
//!
//! [`machine`] reads what `content` and `datetime` attributes and JSON-LD hold, [`visible`] what people read. Neither
//! guesses: a date without a year, a year of two digits and a day that the calendar lacks are no dates.

pub(super) mod calendar;
pub(super) mod labels;
pub(super) mod machine;
pub(super) mod months;
mod order;
mod posts;
pub(super) mod tokens;
pub(super) mod visible;
mod words;

pub(super) use labels::{DateLabel, label};
pub use posts::normalize_post_dates;

use std::cell::OnceCell;
use std::fmt;

use calendar::days_of_month;
use dehusk_archive::calendar::day_of;
use dehusk_html::Dom;
use order::DateOrder;
use tokens::Token;

/// The first year that is believed of a page.
const FIRST_YEAR: u32 = 1500;

/// The last year that is believed of a page whose day of crawl is unknown.
const LAST_YEAR: u32 = 2100;

/// How many days an archive's date may be before those of its pages.
const MOST_DAYS_BEFORE: i64 = 366;

/// A day, perhaps with the time and the zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Date {
    year: u32,
    month: u32,
    day: u32,
    time: Option<Time>,
}

/// A time of day with its zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Time {
    pub(super) hour: u32,
    pub(super) minute: u32,
    pub(super) second: u32,
    /// Minutes east of UTC.
    pub(super) offset: i32,
}

impl Date {
    /// A day of the Gregorian calendar. `None` if there is no such day, or the year is implausible.
    pub(super) fn new(year: u32, month: u32, day: u32) -> Option<Self> {
        let is_day = (FIRST_YEAR..=LAST_YEAR).contains(&year) && day >= 1 && day <= days_of_month(year, month);
        is_day.then_some(Self {
            year,
            month,
            day,
            time: None,
        })
    }

    /// The same day with a time. A time that no clock shows is left out, and so is a leap second, which most readers of
    /// dates refuse.
    pub(super) fn at(self, time: Option<Time>) -> Self {
        let shown = |t: &Time| t.hour < 24 && t.minute < 60 && t.second < 60 && t.offset.abs() <= 14 * 60;
        Self {
            time: time.filter(shown),
            ..self
        }
    }

    pub(super) fn year(self) -> u32 {
        self.year
    }

    /// Whether this is later than the crawl: the instant if both have a time, or else the day.
    pub(super) fn is_after(self, crawl: Date) -> bool {
        match (self.seconds(), crawl.seconds()) {
            (Some(own), Some(crawl)) => own > crawl,
            _ => (self.year, self.month, self.day) > (crawl.year, crawl.month, crawl.day),
        }
    }

    /// The number of the day, counted from 1970-01-01.
    fn number(self) -> i64 {
        day_of(self.year.into(), self.month.into(), self.day.into())
    }

    /// The day of the week; 0 is Monday.
    fn weekday(self) -> usize {
        (self.number() + 3).rem_euclid(7) as usize
    }

    /// Whether two dates name the same day as written.
    pub(super) fn is_same_day(self, other: Date) -> bool {
        (self.year, self.month, self.day) == (other.year, other.month, other.day)
    }

    /// Whether this is an instant in UTC, and another date the day before or after it in some zone.
    pub(super) fn can_be_elsewhere(self, other: Date) -> bool {
        let hour = self.time.filter(|time| time.offset == 0).map(|time| time.hour);
        hour.is_some_and(|hour| match other.number() - self.number() {
            -1 => hour < 12,
            1 => hour >= 10,
            _ => false,
        })
    }

    /// Seconds in UTC since an arbitrary instant. `None` without a time.
    fn seconds(self) -> Option<i64> {
        let time = self.time?;
        let days = self.number();
        let minutes = i64::from(time.hour) * 60 + i64::from(time.minute) - i64::from(time.offset);
        Some((days * 24 * 60 + minutes) * 60 + i64::from(time.second))
    }

    /// Whether the date has a time with its zone.
    pub(super) fn is_instant(self) -> bool {
        self.time.is_some()
    }

    /// Whether the date is what programs write when they know none.
    pub(super) fn is_placeholder(self) -> bool {
        (self.month, self.day) == (1, 1) && matches!(self.year, 1900 | 1970 | 1980)
    }
}

/// ISO 8601: `2024-03-11`, or `2024-03-11T08:00:00+01:00`.
impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.year, self.month, self.day)?;
        let Some(time) = self.time else {
            return Ok(());
        };
        write!(f, "T{:02}:{:02}:{:02}", time.hour, time.minute, time.second)?;
        match time.offset {
            0 => f.write_str("Z"),
            offset => {
                let sign = if offset < 0 { '-' } else { '+' };
                write!(f, "{sign}{:02}:{:02}", offset.abs() / 60, offset.abs() % 60)
            }
        }
    }
}

/// The context in which the dates of a page are read.
pub(super) struct DateContext<'p> {
    /// Primary subtag of the page's language, in lower case; may be empty.
    pub(super) language: String,
    /// The order of numeric dates where the page comes from, if that is known.
    usual_order: Option<DateOrder>,
    /// The order of this page, found when it is first asked for.
    order: OnceCell<DateOrder>,
    /// The page.
    dom: &'p Dom<'p>,
    /// When the page was crawled.
    pub(super) crawl: Option<Date>,
}

impl<'p> DateContext<'p> {
    /// The context of a page, by its language and its host.
    pub(super) fn new(dom: &'p Dom<'p>, language: &str, host: &str, created: &str) -> Self {
        let language = language.trim().to_ascii_lowercase();
        let mut subtags = language.split(['-', '_']);
        let primary = subtags.next().unwrap_or_default().to_owned();
        let usual_order = order::usual(&primary, subtags.next_back().unwrap_or_default(), host);
        Self {
            language: primary,
            usual_order,
            order: OnceCell::new(),
            dom,
            crawl: machine::parse(created),
        }
    }

    /// The order of numeric dates: that of the page's other dates, or else the usual one.
    pub(super) fn order(&self) -> DateOrder {
        *self.order.get_or_init(|| {
            // One date of a quotation or of a form does not show what a country does not do.
            let least = if self.usual_order.is_some() { 2 } else { 1 };
            let default = match self.language.as_str() {
                "en" => DateOrder::MonthFirst,
                _ => DateOrder::Unknown,
            };
            order::of_page(self.dom, least).or(self.usual_order).unwrap_or(default)
        })
    }

    /// Takes the order of some dates for that of the page, if they show one.
    pub(super) fn take_order_of<'t>(&mut self, dates: impl Iterator<Item = &'t str>) {
        if let Some(order) = order::of_dates(dates) {
            self.order = OnceCell::from(order);
        }
    }

    /// Takes the latest of some days for the day of the crawl if that is earlier. The page's own properties give them,
    /// and nobody can have fetched a page before it was written: archives can have a wrong date, and clocks differ. A
    /// day that is more than a year later is a mistake of the page, and so may be one whose month and day can be
    /// exchanged.
    pub(super) fn correct_crawl<'c>(&mut self, days: impl Iterator<Item = &'c str>) {
        let Some(crawl) = self.crawl else {
            return;
        };
        let last = crawl.number() + MOST_DAYS_BEFORE;
        // With a time, a program wrote the day, and not in the wrong order.
        let may_be_exchanged = |date: Date| {
            let exchanged = Date::new(date.year, date.day, date.month);
            date.time.is_none() && exchanged.is_some_and(|exchanged| !exchanged.is_after(crawl))
        };
        for date in days.filter_map(machine::parse) {
            let is_plausible = date.number() <= last && !may_be_exchanged(date);
            if is_plausible && self.crawl.is_some_and(|crawl| date.is_after(crawl)) {
                self.crawl = Some(date);
            }
        }
    }

    /// A date unless it is later than the crawl, or a placeholder.
    pub(super) fn believed(&self, date: Date) -> Option<Date> {
        (!self.is_late(date) && !date.is_placeholder()).then_some(date)
    }

    /// Whether a date is later than the crawl. That is dated in UTC, and where the page was written it may be the next
    /// day already.
    fn is_late(&self, date: Date) -> bool {
        self.crawl.is_some_and(|crawl| match date.time {
            Some(_) => date.is_after(crawl),
            None => date.number() > crawl.number() + 1,
        })
    }
}

/// Whether a text starts with a day, even without a year, or with a time of day: `March 3`, `11/03/24`, `10:18`.
pub(super) fn starts_with_moment(text: &str) -> bool {
    let tokens = tokens::tokens(text);
    let first = &tokens[..tokens.len().min(MOST_MOMENT)];
    let is_number = |token: &Token| matches!(token, Token::Number(_, 1 | 2 | 4));
    let is_joined = |three: &[Token]| {
        let is_mark = matches!(three[1], Token::Mark('.' | '/' | '-' | ':'));
        is_mark && is_number(&three[0]) && is_number(&three[2])
    };
    let is_month = |word: &str| months::month(word, "").is_some();
    let is_day = |two: &[Token]| match two {
        [Token::Word(word), number] | [number, Token::Word(word)] => is_number(number) && is_month(word),
        _ => false,
    };
    first.windows(3).any(is_joined) || first.windows(2).any(is_day)
}

/// The most tokens at the start of a text that can be a day or a time: `Monday, the 3rd of March`.
const MOST_MOMENT: usize = 8;

/// Whether a word in lower case is a month's name or an English day of the week.
pub(super) fn is_calendar_word(word: &str) -> bool {
    months::month(word, "").is_some() || words::DATE_WORDS.weekdays.iter().any(|day| is_weekday(word, day))
}

/// Whether a word in lower case is an English day of the week, which is given in short.
fn is_weekday(word: &str, day: &str) -> bool {
    word == day || word.ends_with("day") && word.starts_with(day)
}
