//! The site's name in titles: whether a part of a title is the name of the site.

use super::evidence::{Claims, Field, Source};
use dehusk_html::counting::{have_same_letters, letters};

/// The known names of a site.
#[derive(Debug)]
pub(super) struct SiteName {
    /// Names that the page gives, squeezed.
    names: Vec<String>,
    /// The labels of the host without `www` and the top level, without hyphens.
    labels: Vec<String>,
    /// The host without `www`, squeezed.
    host: String,
    /// Titles, parts of titles and headings that most other pages of the site have, squeezed.
    shared: Vec<String>,
}

impl SiteName {
    pub(super) fn new(claims: &Claims, host: &str, is_home: bool, shared: Vec<String>) -> Self {
        // A page that gives its own title for the name of its site has given none. A short title can be a part of the
        // name: `Harbour` on `Harbour News`.
        let titles = claims.all(Field::Title);
        let is_title = |name: &str| {
            titles
                .iter()
                .filter(|title| title.source != Source::TitleElement && name.starts_with(&title.value))
                .any(|title| name == title.value || words(&title.value).count() >= LEAST_WORDS)
        };
        let names = claims
            .all(Field::Site)
            .iter()
            .filter(|claim| is_home || !is_title(&claim.value));
        let names = names.map(|claim| squeeze(&claim.value));
        let mut labels: Vec<&str> = host.split('.').collect();
        labels.pop();
        let labels = labels.into_iter().filter(|label| *label != "www");
        Self {
            names: names.filter(|name| !name.is_empty()).collect(),
            labels: labels.map(|label| label.replace('-', "")).collect(),
            host: squeeze(host.strip_prefix("www.").unwrap_or(host)),
            shared,
        }
    }

    /// Whether a text is the site's name and nothing else.
    pub(super) fn is_exactly(&self, text: &str) -> bool {
        let squeezed = squeeze(text);
        [&self.names, &self.labels]
            .iter()
            .any(|names| names.contains(&squeezed))
    }

    /// Whether a text is the site's name, its address, or made of such names only. Unlike [`Self::is_like`], this does
    /// not take the first words of a title for the site: `Acme Lamp` is no name of `acme.example`.
    pub(super) fn is_known(&self, text: &str) -> bool {
        let is_name = |word: &str| self.names.iter().chain(&self.labels).any(|name| name == word);
        let squeezed = squeeze(text);
        squeezed == self.host || is_name(&squeezed) || words(text).all(|word| is_name(&word.to_lowercase()))
    }

    /// Whether a text is the site's address, or its name as a program writes it: `news.example`, `news1`.
    pub(super) fn is_account(&self, text: &str) -> bool {
        let is_small_word = text.is_ascii() && !text.contains(|c: char| c == ' ' || c.is_ascii_uppercase());
        !text.contains(' ') && squeeze(text) == self.host || is_small_word && self.is_like(text)
    }

    /// Whether most other pages of the site have a text as a title, a part of one or a heading. At the end of a title that
    /// is the name of the site or of a section. At its start it may be what these pages are about.
    pub(super) fn is_shared(&self, text: &str) -> bool {
        !self.shared.is_empty() && self.shared.contains(&squeeze(text))
    }

    /// Whether a text is the site's name, or contains little else.
    pub(super) fn is_like(&self, text: &str) -> bool {
        let text_words: Vec<&str> = words(text).collect();
        let squeezed = squeeze(text);
        let chars = squeezed.chars().count();
        if chars == 0 {
            return true;
        }
        let is_name = |name: &String| {
            let length = name.chars().count();
            *name == squeezed
                || chars >= 3 && name.contains(&squeezed)
                || length >= 3 && squeezed.contains(name.as_str()) && 2 * chars <= 5 * length
        };
        let is_label = |label: &String| {
            let length = label.chars().count();
            if length < 2 {
                return false;
            }
            let initials = || {
                text_words
                    .iter()
                    .filter_map(|w| w.chars().next())
                    .flat_map(char::to_lowercase)
            };
            *label == squeezed
                || (length >= 4 && squeezed.contains(label.as_str()) && 2 * chars <= 5 * length)
                || (chars >= 4 && label.contains(&squeezed))
                || initials().eq(label.chars())
        };
        self.names.iter().any(is_name) || self.labels.iter().any(is_label)
    }
}

/// The fewest words of a title that no name of a site starts with.
const LEAST_WORDS: usize = 3;

/// The words of a text: runs of letters and digits.
pub(super) fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
}

/// The letters and digits of a text in lower case.
pub(super) fn squeeze(text: &str) -> String {
    let mut squeezed = String::with_capacity(text.len());
    squeezed.extend(letters(text));
    squeezed
}

/// Whether two texts have the same letters and digits, in any case. Most pairs differ in one of the first, so this is
/// much cheaper than comparing what [`squeeze`] returns.
pub(super) fn is_same(a: &str, b: &str) -> bool {
    have_same_letters(a, b)
}
