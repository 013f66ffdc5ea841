//! The title: which heading it is, or what is left of the `title` element without the site's name.
//!
//! CoreEx (section 3.5 and 6.1) and NCE look for the node that has the text of the `title` element, or a part of it; so does this.

use super::evidence::{Claim, Claims, Field, Source, clean};
use super::html::Heading;
use super::site_name::{SiteName, squeeze, words};

/// Marks between a title and the name of a site, if white space is on both sides.
const SPACED: &str = "|–—-·•»«:/‹›~→_";

/// Marks that part a title from a site's name without white space, too.
const UNSPACED: &str = "|»·•";

/// Longest heading that can be a title, in characters.
const LONGEST: usize = 300;

/// The title, and the heading that it stands in.
pub(super) fn choose(claims: &Claims, headings: &[Heading], site: &SiteName) -> (Option<Claim>, Option<usize>) {
    let order = [
        Source::OpenGraph,
        Source::Twitter,
        Source::Citation,
        Source::DublinCore,
        Source::Meta,
    ];
    let element = claims.best(Field::Title, &[Source::TitleElement]);
    let card = claims.best(Field::Title, &order);
    let references: Vec<String> = [element, card]
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
            (fit, std::cmp::Reverse(at))
        })
        .max();
    if let Some((fit, std::cmp::Reverse(at))) = best
        && fit >= 50
    {
        let text = headings[at].text.trim_end_matches(['¶', '#', '§']).trim_end();
        let claim = Claim {
            value: strip_site(text, site).to_owned(),
            source: Source::Heading,
            rank: 0,
        };
        return (Some(claim), Some(at));
    }
    let fallback = element.or(card);
    let claim = fallback.map(|claim| Claim {
        value: strip_site(&claim.value, site).to_owned(),
        ..claim.clone()
    });
    match claim {
        Some(claim) => (Some(claim), best.map(|(_, at)| at.0)),
        None => {
            let heading = best.map(|(_, at)| at.0);
            let claim = heading.map(|at| Claim {
                value: clean(&headings[at].text),
                source: Source::Heading,
                rank: 0,
            });
            (claim, heading)
        }
    }
}

/// How much two texts have in common: percent of the words of the longer one.
fn similarity(a: &str, b: &str) -> usize {
    if squeeze(a) == squeeze(b) {
        return 100;
    }
    let lower = |text: &str| words(text).map(str::to_lowercase).collect::<Vec<_>>();
    let (a, b) = (lower(a), lower(b));
    let common = b.iter().filter(|word| a.contains(word)).count();
    common * 99 / a.len().min(b.len()).max(1)
}

/// A title without the parts at its ends that are the name of the site.
pub(super) fn strip_site<'t>(title: &'t str, site: &SiteName) -> &'t str {
    let mut rest = title.trim();
    loop {
        let borders = borders(rest);
        let (Some(first), Some(last)) = (borders.first(), borders.last()) else {
            return rest;
        };
        if site.is(&rest[last.1..]) {
            rest = rest[..last.0].trim_end();
        } else if site.is(&rest[..first.0]) {
            rest = rest[first.1..].trim_start();
        } else {
            return rest;
        }
    }
}

/// The places of the marks between the parts of a title, with the space around them.
fn borders(title: &str) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(c) = title[at..].chars().next() {
        let after = at + c.len_utf8();
        let before_space = title[..at].ends_with(' ') || at == 0;
        let is_border = UNSPACED.contains(c)
            || SPACED.contains(c) && before_space && title[after..].starts_with(' ')
            || c == ':' && title[after..].starts_with(' ');
        if is_border {
            found.push((at, after));
        }
        at = after;
    }
    found
}
