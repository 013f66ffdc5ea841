//! The title: which heading it is, or what is left of the `title` element without the site's name.
//!
//! CoreEx (section 3.5 and 6.1) and NCE look for the node that has the text of the `title` element, or a part of it; so does this.

use std::cmp::Reverse;

use dehusk_html::internal::is_cjk;

use super::evidence::{Claim, Claims, Field, Source};
use super::html::Heading;
use super::site_name::{SiteName, squeeze, words};

/// Longest heading that can be a title, in characters.
const LONGEST: usize = 300;

/// The title, and the heading that it stands in.
///
/// On a site's first page the name of the site before a slogan is a part of the title.
pub(super) fn choose(
    claims: &Claims,
    headings: &[Heading],
    site: &SiteName,
    is_home: bool,
) -> (Option<Claim>, Option<usize>) {
    let order = [
        Source::OpenGraph,
        Source::Twitter,
        Source::Citation,
        Source::DublinCore,
        Source::Meta,
    ];
    let element = claims.best(Field::Title, &[Source::TitleElement]);
    let card = claims.best(Field::Title, &order);
    let linked = claims.best(Field::Title, &[Source::JsonLd, Source::Microdata]);
    let references: Vec<String> = [element, card, linked]
        .into_iter()
        .flatten()
        .map(|claim| strip_site(&claim.value, site).to_owned())
        .collect();
    let best = headings
        .iter()
        .enumerate()
        .filter(|(_, heading)| heading.text.chars().count() <= LONGEST && !site.is(&heading.text))
        .map(|(at, heading)| {
            let fit = references
                .iter()
                .map(|r| similarity(r, &heading.text))
                .max()
                .unwrap_or(0);
            (fit, Reverse(at))
        })
        .max();
    if let Some((fit, Reverse(at))) = best
        && fit >= ALIKE
    {
        let text = headings[at].text.trim_end_matches(['¶', '#', '§']).trim_end();
        let text = strip_site(text, site);
        let text = text.split('|').find(|part| !part.trim().is_empty()).unwrap_or(text);
        return (Some(of_heading(text.trim().to_owned())), Some(at));
    }
    let heading = best.map(|(_, Reverse(at))| at);
    let value = |text: &str| {
        if is_home {
            strip_end(text, site).to_owned()
        } else {
            first_part(text, site).to_owned()
        }
    };
    let claim = match element.or(card) {
        Some(claim) => Some(Claim {
            value: value(&claim.value),
            ..claim.clone()
        }),
        None => heading.map(|at| of_heading(headings[at].text.clone())),
    };
    (claim.filter(|claim| !claim.value.is_empty()), heading)
}

fn of_heading(value: String) -> Claim {
    Claim {
        value,
        source: Source::Heading,
        rank: 0,
        is_near: true,
    }
}

/// How much two texts have in common: percent of the words of the shorter one. 100 is for equal texts only.
fn similarity(a: &str, b: &str) -> usize {
    if squeeze(a) == squeeze(b) {
        return 100;
    }
    let lower = |text: &str| words(text).map(str::to_lowercase).collect::<Vec<_>>();
    let (a, b) = (lower(a), lower(b));
    let common = b.iter().filter(|word| a.contains(word)).count();
    common * 99 / a.len().min(b.len()).max(1)
}

/// Percent of words that a heading must share with the `title` element to be the title.
const ALIKE: usize = 50;

/// The fewest words of a part of a title that can stand for the whole.
const LEAST_WORDS: usize = 2;

/// The part of a title before the first mark. What follows names the section, or repeats in other words. A part of one word is
/// no title if a longer one follows.
fn first_part<'t>(title: &'t str, site: &SiteName) -> &'t str {
    let title = strip_site(title, site);
    let mut parts = borders(title).into_iter().filter(|border| !border.is_colon);
    match parts.next() {
        Some(first) if word_count(&title[..first.at]) >= LEAST_WORDS => title[..first.at].trim_end(),
        Some(first) if word_count(&title[first.end..]) > LEAST_WORDS => title[first.end..].trim_start(),
        _ => title,
    }
}

/// The words of a text. Chinese and Japanese do not part them; three characters count as one.
fn word_count(text: &str) -> usize {
    let ideographs = text.chars().filter(|c| is_cjk(*c)).count();
    let others = words(text).filter(|word| !word.contains(is_cjk)).count();
    others + ideographs / 3
}

/// A title without the parts at its ends that are the name of the site.
fn strip_site<'t>(title: &'t str, site: &SiteName) -> &'t str {
    let title = strip_end(title, site);
    let mut from = 0;
    for border in borders(title) {
        let before = &title[from..border.at];
        let is_site = if border.is_colon {
            site.is_exactly(before)
        } else {
            site.is(before)
        };
        if !is_site {
            break;
        }
        from = border.end;
    }
    title[from..].trim_start()
}

/// A title without the parts at its end that are the name of the site.
fn strip_end<'t>(title: &'t str, site: &SiteName) -> &'t str {
    let title = title.trim();
    let mut to = title.len();
    for border in borders(title).into_iter().rev() {
        if border.is_colon || !site.is(&title[border.end..to]) {
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
