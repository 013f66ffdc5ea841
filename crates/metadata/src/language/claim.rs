//! The language that a page claims.

use std::sync::LazyLock;

use crate::words::{self, WordMap};

/// The primary subtags of `words/languages.txt`, by all codes of their languages.
static CODES: LazyLock<WordMap<&str>> = LazyLock::new(|| {
    let codes = |(tag, line)| {
        std::iter::once(tag)
            .chain(words::items(line))
            .map(move |code| (code, tag))
    };
    words::lines(words::LANGUAGES).flat_map(codes).collect()
});

/// The groups of `words/alike.txt`: languages that are alike in writing, so that a detector may take one for another.
static ALIKE: LazyLock<Vec<Vec<&str>>> = LazyLock::new(|| {
    let groups = words::lines(words::ALIKE);
    groups.map(|(_, line)| words::items(line).collect()).collect()
});

/// A claim of a page about its language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LanguageClaim {
    /// The primary subtag.
    pub language: &'static str,
    /// Whether it means traditional Chinese, by script or by country. `None` if it names neither script nor country.
    pub is_traditional: Option<bool>,
}

impl LanguageClaim {
    /// Reads a language tag as pages write it: `en`, `en-US`, `en_us`, `eng`; of several, the first. `None` if it names
    /// no language, as `utf-8` and `english` do not.
    pub fn parse(claimed: &str) -> Option<Self> {
        let first = claimed.split([',', ';', ' ', '/', '|']).find(|part| !part.is_empty())?;
        let mut subtags = first.split(['-', '_']);
        let language = code(&subtags.next()?.to_ascii_lowercase())?;
        let is_traditional = subtags.find_map(|subtag| match &*subtag.to_ascii_lowercase() {
            "hant" | "tw" | "hk" | "mo" | "cht" => Some(true),
            "hans" | "cn" | "sg" | "chs" => Some(false),
            _ => None,
        });
        Some(Self {
            language,
            is_traditional,
        })
    }

    /// Whether a detector may take the claimed language for another one.
    pub fn is_like(self, language: &str) -> bool {
        let both = |group: &Vec<&str>| group.contains(&self.language) && group.contains(&language);
        ALIKE.iter().any(both)
    }
}

/// The primary subtag for a code of two or three letters in lower case. `None` if it is not known.
pub fn code(code: &str) -> Option<&'static str> {
    CODES.get(code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_that_are_alike_are_known() {
        for language in ALIKE.iter().flatten() {
            assert_eq!(
                code(language),
                Some(*language).filter(|language| *language != "nb"),
                "{language}"
            );
        }
    }

    #[test]
    fn claims_are_read_as_pages_write_them() {
        let language = |claimed| LanguageClaim::parse(claimed).map(|claim| claim.language);
        for (claimed, expected) in [
            ("en", "en"),
            ("EN_us", "en"),
            ("eng", "en"),
            ("de-AT", "de"),
            (" fr, en", "fr"),
            ("iw", "he"),
            ("nb-NO", "no"),
            ("zh-Hant-HK", "zh"),
            ("fil", "tl"),
            ("ger", "de"),
        ] {
            assert_eq!(language(claimed), Some(expected), "{claimed}");
        }
        for claimed in ["", "utf-8", "english", "x-default", "-", "日本語", "xx", "{{lang}}"] {
            assert_eq!(language(claimed), None, "{claimed}");
        }
        let way = |claimed| LanguageClaim::parse(claimed).and_then(|claim| claim.is_traditional);
        assert_eq!(way("zh-tw"), Some(true));
        assert_eq!(way("zh-hant-cn"), Some(true));
        assert_eq!(way("zh_CN"), Some(false));
        assert_eq!(way("zh"), None);
    }
}
