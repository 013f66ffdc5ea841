//! Words that are data: names of properties, and the words of many languages. `words/README.md` describes how to add
//! some.
//!
//! Every list is parsed once, when it is first needed. A lookup allocates nothing.

pub(crate) const ALIKE: &str = include_str!("words/alike.txt");
pub(crate) const BYLINES: &str = include_str!("words/bylines.txt");
pub(crate) const CHINESE: &str = include_str!("words/chinese.txt");
pub(crate) const DATES: &str = include_str!("words/dates.txt");
pub(crate) const KINDS: &str = include_str!("words/kinds.txt");
pub(crate) const LANGUAGES: &str = include_str!("words/languages.txt");
pub(crate) const MONTHS: &str = include_str!("words/months.txt");
pub(crate) const PROPERTIES: &str = include_str!("words/properties.txt");
pub(crate) const RARE_STOP_WORDS: &str = include_str!("words/rare_stop_words.txt");
pub(crate) const SCRIPTS: &str = include_str!("words/scripts.txt");
pub(crate) const STOP_WORDS: &str = include_str!("words/stop_words.txt");
pub(crate) const TITLES: &str = include_str!("words/titles.txt");

/// The lines of a list: each a key, and what is listed under it.
pub(crate) fn lines(list: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    let lines = list.lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| {
        let (key, items) = line.split_once('=')?;
        Some((key.trim(), items.trim()))
    })
}

/// The items of a line.
pub(crate) fn items(line: &'static str) -> impl Iterator<Item = &'static str> {
    let items = line.split(", ").filter(|item| !item.is_empty());
    items.map(|item| item.trim_matches('"'))
}

/// The items of all lines whose key begins with a word, each with the rest of the key: the languages.
pub(crate) fn items_under(list: &'static str, first: &str) -> impl Iterator<Item = (&'static str, &'static str)> {
    let under = move |(key, line): (&'static str, _)| {
        let (start, languages) = key.split_once(' ').unwrap_or((key, ""));
        (start == first).then_some((languages, line))
    };
    let lines = lines(list).filter_map(under);
    lines.flat_map(|(languages, line)| items(line).map(move |item| (languages, item)))
}

/// A word in ASCII's small letters, in a buffer that it must fit in.
pub(crate) fn lower_case<'b, const N: usize>(word: &str, buffer: &'b mut [u8; N]) -> Option<&'b str> {
    let bytes = buffer.get_mut(..word.len())?;
    bytes.copy_from_slice(word.as_bytes());
    bytes.make_ascii_lowercase();
    str::from_utf8(bytes).ok()
}

/// Words, each with its meaning.
#[derive(Debug)]
pub(crate) struct WordMap<V>(Box<[(&'static str, V)]>);

impl<V: Copy> WordMap<V> {
    /// The meaning of a word, if it has one.
    pub(crate) fn get(&self, word: &str) -> Option<V> {
        let at = self.0.binary_search_by(|(known, _)| (*known).cmp(word)).ok()?;
        Some(self.0[at].1)
    }

    /// Whether a word is one of them.
    pub(crate) fn contains(&self, word: &str) -> bool {
        self.get(word).is_some()
    }
}

impl<V> FromIterator<(&'static str, V)> for WordMap<V> {
    fn from_iter<I: IntoIterator<Item = (&'static str, V)>>(words: I) -> Self {
        let mut words: Vec<_> = words.into_iter().collect();
        words.sort_unstable_by_key(|(word, _)| *word);
        Self(words.into())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    /// Every list, and what parts the items of a line.
    const LISTS: [(&str, &str, &[char]); 12] = [
        ("alike", ALIKE, &[',']),
        ("bylines", BYLINES, &[',']),
        ("chinese", CHINESE, &[]),
        ("dates", DATES, &[',']),
        ("kinds", KINDS, &[',']),
        ("languages", LANGUAGES, &[',']),
        ("months", MONTHS, &[',', ' ']),
        ("properties", PROPERTIES, &[',']),
        ("rare_stop_words", RARE_STOP_WORDS, &[' ']),
        ("scripts", SCRIPTS, &[',']),
        ("stop_words", STOP_WORDS, &[' ']),
        ("titles", TITLES, &[',']),
    ];

    #[test]
    fn every_line_of_every_list_is_a_key_and_its_items_in_lower_case() {
        for (name, list, _) in LISTS {
            let written = list.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
            assert_eq!(written.clone().count(), lines(list).count(), "{name}");
            for line in written {
                assert_eq!(line.to_lowercase(), line, "{name}");
                assert_eq!(line.matches('=').count(), 1, "{name}: {line}");
                assert_eq!(line.trim_end(), line, "{name}: {line}");
            }
            for (key, line) in lines(list) {
                assert!(!key.is_empty() && !line.ends_with(','), "{name}: {key}");
                assert!(!line.contains("  ") && !line.contains(",,"), "{name}: {key}");
            }
        }
    }

    #[test]
    fn no_word_is_listed_twice_for_the_same_meaning() {
        for (name, list, parts) in LISTS {
            let mut seen = HashSet::new();
            for (at, (key, line)) in lines(list).enumerate() {
                // In these lists a word has one meaning in all languages, or one for each source of evidence.
                let scope = match name {
                    "kinds" | "languages" | "chinese" => "".to_owned(),
                    "bylines" | "dates" | "titles" => key.split(' ').next().unwrap_or_default().to_owned(),
                    "properties" => match key.split(' ').nth(1) {
                        Some(source @ ("microdata" | "rdfa")) => source.to_owned(),
                        _ => "meta".to_owned(),
                    },
                    _ => at.to_string(),
                };
                let items: Vec<String> = if parts.is_empty() {
                    line.chars().map(String::from).collect()
                } else {
                    line.split(parts)
                        .map(|item| item.trim_matches(' ').to_owned())
                        .collect()
                };
                for item in items.into_iter().filter(|item| !item.is_empty()) {
                    assert!(seen.insert((scope.clone(), item.clone())), "{name}: {key}: {item}");
                }
            }
        }
    }
}
