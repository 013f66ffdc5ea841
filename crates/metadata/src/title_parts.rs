//! The parts of a title, the marks between them, and titles without the name of the site.

use dehusk_html::counting::is_cjk;

use std::sync::LazyLock;

use super::site_name::{SiteName, is_same, words};
use super::words::{self as lists, TITLES, WordMap};

/// The words of `words/titles.txt`.
struct TitleWords {
    /// Names that sites give their first page.
    home: WordMap<()>,
    /// Words for the things that lists count.
    counted: WordMap<()>,
}

static WORDS: LazyLock<TitleWords> = LazyLock::new(|| {
    let set = |key| lists::items_under(TITLES, key).map(|(_, item)| (item, ())).collect();
    TitleWords {
        home: set("home"),
        counted: set("count"),
    }
});

/// Whether a text is what sites call their first page, and no title.
pub(super) fn is_home_word(text: &str) -> bool {
    WORDS.home.contains(&text.trim().to_lowercase())
}

/// A title without the count of a list at its end: `Lamps (158 items)`, `Lamps (102+)`. A number alone can be a part of
/// the title, so `Lamps (158)` loses it only if another source says `Lamps`: `is_title` answers that.
pub(super) fn strip_count(title: &str, is_title: impl Fn(&str) -> bool) -> &str {
    let counted = || {
        let (before, count) = title.strip_suffix(')')?.rsplit_once('(')?;
        let end = count
            .find(|c: char| !c.is_ascii_digit() && !matches!(c, ',' | '.'))
            .unwrap_or(count.len());
        let (number, rest) = (&count[..end], count[end..].trim_start());
        // A number alone may be that of a part, or a year.
        let is_large = number.len() >= 2 && !(number.len() == 4 && number.starts_with(['1', '2']));
        let is_count = match rest.trim_start_matches('+').trim() {
            "" => is_large && (rest.starts_with('+') || is_title(before.trim_end())),
            word => !number.is_empty() && WORDS.counted.contains(&word.to_lowercase()),
        };
        is_count.then(|| before.trim_end()).filter(|before| !before.is_empty())
    };
    counted().unwrap_or(title)
}

/// The most parts of each end of a title that are compared with those of other pages.
const MOST_PARTS: usize = 3;

/// The parts of a title at its ends.
pub(super) fn parts(title: &str) -> Vec<&str> {
    let borders = borders(title);
    let starts = [0].into_iter().chain(borders.iter().map(|border| border.end));
    let ends = borders.iter().map(|border| border.at).chain([title.len()]);
    let mut parts: Vec<&str> = starts.zip(ends).map(|(start, end)| title[start..end].trim()).collect();
    if parts.len() > 2 * MOST_PARTS {
        parts.drain(MOST_PARTS..parts.len() - MOST_PARTS);
    }
    parts
}

/// Whether there is no mark between parts of a title in a text.
pub(super) fn is_one_part(title: &str) -> bool {
    borders(title).iter().all(|border| border.is_colon)
}

/// The fewest words of a part of a title that can replace the whole.
pub(super) const LEAST_WORDS: usize = 2;

/// The most marks of a title whose parts are compared with another text. A title with more is a list of something.
const MOST_BORDERS: usize = 16;

/// The part of a title before the first mark. What follows names the section, or repeats in other words. A part of one
/// word is no title if a longer one follows.
pub(super) fn first_part<'t>(title: &'t str, site: &SiteName) -> &'t str {
    let has_shared_end = borders(title)
        .last()
        .is_some_and(|last| site.is_shared(&title[last.end..]));
    let title = strip_site(title, site);
    let mut parts = borders(title).into_iter().filter(|border| !border.is_colon);
    match parts.next() {
        Some(first) if is_home_word(&title[..first.at]) => title[first.end..].trim_start(),
        Some(first) if word_count(&title[..first.at]) >= LEAST_WORDS => title[..first.at].trim_end(),
        Some(first) if word_count(&title[first.end..]) > LEAST_WORDS => match parts.next() {
            Some(second) => title[..second.at].trim_end(),
            // Where other pages show the site's name at the end, it is not at the start.
            None if has_shared_end => title,
            None => title[first.end..].trim_start(),
        },
        _ => title,
    }
}

/// The texts before and after the last mark that is no colon, if the first of them can be a title.
pub(super) fn last_part(title: &str) -> Option<(&str, &str)> {
    let last = borders(title).into_iter().rfind(|border| !border.is_colon)?;
    let before = &title[..last.at];
    (word_count(before) >= LEAST_WORDS).then(|| (before, &title[last.end..]))
}

/// Whether a text is one part of a title, or several in a row, but not all of it.
pub(super) fn is_part_of(text: &str, title: &str) -> bool {
    if is_home_word(text) {
        return false;
    }
    let borders = borders(title);
    if borders.len() > MOST_BORDERS {
        return false;
    }
    let (first, last) = (borders.iter(), borders.iter());
    let starts = [0].into_iter().chain(first.map(|border| border.end));
    let ends: Vec<usize> = last.map(|border| border.at).chain([title.len()]).collect();
    !is_same(text, title)
        && starts.enumerate().any(|(at, start)| {
            let mut ends = ends[at..].iter().filter(|end| start < **end);
            ends.any(|end| is_same(&title[start..*end], text))
        })
}

/// Whether a title ends with a mark and a text.
pub(super) fn ends_with_part(title: &str, text: &str) -> bool {
    let borders = borders(title);
    let mut last = borders.iter().rev().take(MOST_BORDERS);
    last.any(|border| is_same(&title[border.end..], text))
}

/// The words of a text. Chinese and Japanese do not part them; three characters count as one.
pub(super) fn word_count(text: &str) -> usize {
    let ideographs = text.chars().filter(|c| is_cjk(*c)).count();
    let others = words(text).filter(|word| !word.contains(is_cjk)).count();
    others + ideographs / 3
}

/// A title without the parts at its ends that are the name of the site.
pub(super) fn strip_site<'t>(title: &'t str, site: &SiteName) -> &'t str {
    strip_start(strip_end(title, site), |before, is_colon| {
        if is_colon {
            site.is_exactly(before)
        } else {
            site.is_known(before)
        }
    })
}

/// A heading without the parts at its ends that are the name of the site. A name before a colon is a part of the
/// heading.
pub(super) fn strip_site_of_heading<'t>(heading: &'t str, site: &SiteName) -> &'t str {
    strip_start(strip_end(heading, site), |before, is_colon| {
        !is_colon && site.is_known(before)
    })
}

fn strip_start(title: &str, is_site: impl Fn(&str, bool) -> bool) -> &str {
    let mut from = 0;
    for border in borders(title) {
        if !is_site(&title[from..border.at], border.is_colon) {
            break;
        }
        from = border.end;
    }
    title[from..].trim_start()
}

/// A title without the parts at its end that are the name of the site, or that most of its pages have.
pub(super) fn strip_end<'t>(title: &'t str, site: &SiteName) -> &'t str {
    let title = title.trim();
    let mut to = title.len();
    for border in borders(title).into_iter().rev() {
        let end = &title[border.end..to];
        if border.is_colon || !(site.is_like(end) || site.is_shared(end)) {
            break;
        }
        to = border.at;
    }
    title[..to].trim_end()
}

/// A mark between two parts of a title.
#[derive(Clone, Copy, Debug)]
struct Border {
    at: usize,
    end: usize,
    is_colon: bool,
}

/// The marks between the parts of a title. Most have white space on both sides; a few need none.
fn borders(title: &str) -> Vec<Border> {
    let mut found = Vec::new();
    for (at, c) in title.char_indices().filter(|(_, c)| !c.is_ascii_alphanumeric()) {
        let spaced = matches!(
            c,
            '|' | '–' | '—' | '-' | '·' | '•' | '»' | '«' | ':' | '/' | '‹' | '›' | '~' | '→' | '_'
        );
        if !spaced {
            continue;
        }
        let end = at + c.len_utf8();
        let (space_before, space_after) = (at == 0 || title[..at].ends_with(' '), title[end..].starts_with(' '));
        let is_colon = c == ':' && space_after && !space_before;
        let unspaced = matches!(c, '|' | '»' | '·' | '•');
        // Chinese titles part their ends so: 标题_频道_网站.
        let is_within_cjk =
            || matches!(c, '_' | '-') && title[..at].ends_with(is_cjk) && title[end..].starts_with(is_cjk);
        if is_colon || unspaced || is_within_cjk() || space_before && space_after {
            found.push(Border { at, end, is_colon });
        }
    }
    found
}
