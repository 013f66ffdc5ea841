//! Kinds of pages: the names of several vocabularies, normalised to one short list. `words/kinds.txt` has the names.

use std::sync::LazyLock;

use super::words::{self, WordMap, lower_case};

/// The kinds that documents name, by the names that mean them.
static KINDS: LazyLock<WordMap<&str>> = LazyLock::new(|| {
    let lines = words::lines(words::KINDS);
    lines
        .flat_map(|(kind, line)| words::items(line).map(move |name| (name, kind)))
        .collect()
});

/// Longest name that is looked up, in bytes.
const LONGEST: usize = 64;

/// The kind that a name means.
pub(super) fn kind_of(name: &str) -> Option<&'static str> {
    let mut buffer = [0; LONGEST];
    let name = lower_case(name, &mut buffer)?.trim();
    let name = name.rsplit(['/', '#']).next().unwrap_or_default();
    KINDS.get(name.strip_prefix("schema:").unwrap_or(name))
}
