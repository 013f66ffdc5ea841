//! Directives for robots: `X-Robots-Tag` of the HTTP head, and `meta` elements named `robots` or after an agent.
//!
//! No standard has them. Google's and Bing's documentation define most, DeviantArt's `noai` and `noimageai`. Directives
//! that nobody knows are kept, too: others may know them.

use std::collections::BTreeSet;

/// Between two directives of a text.
const SEPARATOR: &str = "; ";

/// The most directives that a text has.
const MOST: usize = 32;

/// Well-known directives, by which pages are left out. However many others there are, these are kept.
const KNOWN: [&str; 7] = [
    "noai",
    "noarchive",
    "nocache",
    "noimageai",
    "noindex",
    "none",
    "nosnippet",
];

/// Names of agents that mean all.
const ALL: [&str; 2] = ["*", "all"];

/// The directive whose value is a date. A date can have a comma, after the day of the week (RFC 9110, section 5.6.7).
const DATED: &str = "unavailable_after";

/// The longest directive or name of an agent, in bytes.
const LONGEST: usize = 64;

/// Directives with a value after a colon. Every other name before a colon is that of an agent.
const VALUED: [&str; 4] = ["max-snippet", "max-image-preview", "max-video-preview", DATED];

/// Agents that have no name by which [`is_agent`] would know them.
const AGENTS: [&str; 8] = [
    "anthropic-ai",
    "baiduspider",
    "cohere-ai",
    "google-extended",
    "googleother",
    "meta-externalagent",
    "slurp",
    "teoma",
];

/// Whether a `meta` element of this name is for one agent: the name of a crawler, such as `googlebot-news`.
pub(super) fn is_agent(name: &str) -> bool {
    if name.len() > LONGEST || !name.bytes().all(is_of_name) {
        return false;
    }
    let lower = name.to_ascii_lowercase();
    let is_crawler = |part: &str| ["bot", "spider", "crawler"].iter().any(|end| part.ends_with(end));
    AGENTS.contains(&&*lower) || lower.split('-').any(is_crawler)
}

fn is_of_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_')
}

/// Directives in the order of the page, each once.
#[derive(Debug, Default)]
pub(super) struct Directives {
    listed: Vec<String>,
    known: BTreeSet<String>,
}

impl Directives {
    /// Adds those of one value of `X-Robots-Tag`, in which the name of an agent is before its directives.
    pub(super) fn add_header(&mut self, value: &str) {
        self.add_all("", value, true);
    }

    /// Adds those of a `meta` element. `agent` is `""` for all robots.
    pub(super) fn add(&mut self, agent: &str, content: &str) {
        self.add_all(&agent.to_ascii_lowercase(), content, false);
    }

    fn add_all(&mut self, agent: &str, value: &str, has_agents: bool) {
        let mut agent = agent.to_owned();
        let mut parts = value
            .split([',', ';'])
            .map(|part| part.trim().to_ascii_lowercase())
            .peekable();
        while let Some(mut part) = parts.next() {
            if part.contains(DATED) && ends_with_weekday(&part) {
                part = [Some(part), parts.next()]
                    .into_iter()
                    .flatten()
                    .collect::<Vec<_>>()
                    .join(", ");
            }
            let Some((name, rest)) = part.split_once(':') else {
                self.push_words(&agent, &part);
                continue;
            };
            let (name, rest) = (name.trim(), rest.trim());
            if VALUED.contains(&name) {
                self.push_valued(&agent, name, rest);
            } else if has_agents && is_agent_before(name) {
                agent = if ALL.contains(&name) {
                    String::new()
                } else {
                    name.to_owned()
                };
                match rest.split_once(':') {
                    Some((name, rest)) if VALUED.contains(&name.trim()) => {
                        self.push_valued(&agent, name.trim(), rest.trim());
                    }
                    Some(_) => {}
                    None => self.push_words(&agent, rest),
                }
            }
        }
    }

    fn push_words(&mut self, agent: &str, words: &str) {
        words
            .split_ascii_whitespace()
            .filter(|word| word.bytes().all(is_of_name))
            .for_each(|word| self.push(agent, word));
    }

    fn push_valued(&mut self, agent: &str, name: &str, value: &str) {
        let words: Vec<&str> = value.split_ascii_whitespace().collect();
        if !words.is_empty() && value.bytes().all(|b| b.is_ascii_graphic() || b == b' ') {
            self.push(agent, &format!("{name}:{}", words.join(" ")));
        }
    }

    fn push(&mut self, agent: &str, directive: &str) {
        if directive.len() > LONGEST {
            return;
        }
        let item = match agent {
            "" => directive.to_owned(),
            agent => format!("{agent}: {directive}"),
        };
        if self.listed.len() < MOST && !self.listed.contains(&item) {
            self.listed.push(item.clone());
        }
        if KNOWN.contains(&directive) {
            self.known.insert(item);
        }
    }

    /// The first of them in one text.
    pub(super) fn text(&self) -> String {
        self.listed.join(SEPARATOR)
    }

    /// All that are well known.
    pub(super) fn into_known(self) -> BTreeSet<String> {
        self.known
    }
}

/// Whether the part before a colon is the name of an agent, or means all.
fn is_agent_before(name: &str) -> bool {
    let is_name = !name.is_empty() && name.len() <= LONGEST && name.bytes().all(is_of_name);
    is_name || ALL.contains(&name)
}

fn ends_with_weekday(part: &str) -> bool {
    let last = part.rsplit([':', ' ']).next().unwrap_or_default();
    let days = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
    days.iter()
        .any(|day| last == *day || last.starts_with(day) && last.ends_with("day"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(values: &[&str]) -> String {
        let mut directives = Directives::default();
        values.iter().for_each(|value| directives.add_header(value));
        directives.text()
    }

    #[test]
    fn headers_have_directives_for_all_and_for_agents() {
        for (values, expected) in [
            (&["noindex, NoArchive"][..], "noindex; noarchive"),
            (&["noindex", "noindex, noai"], "noindex; noai"),
            (
                &["GoogleBot: noindex, nofollow"],
                "googlebot: noindex; googlebot: nofollow",
            ),
            (&["noai, ccbot: none", "nosnippet"], "noai; ccbot: none; nosnippet"),
            (
                &["max-snippet: 20, googlebot: max-image-preview:large"],
                "max-snippet:20; googlebot: max-image-preview:large",
            ),
            (
                &["unavailable_after: 25 Jun 2010 15:00:00 PST"],
                "unavailable_after:25 jun 2010 15:00:00 pst",
            ),
            (
                &["unavailable_after: Friday, 25-Jun-10 15:00:00 GMT, noai"],
                "unavailable_after:friday, 25-jun-10 15:00:00 gmt; noai",
            ),
            (
                &["ccbot: unavailable_after: Fri, 25 Jun 2010 15:00:00 GMT; none"],
                "ccbot: unavailable_after:fri, 25 jun 2010 15:00:00 gmt; ccbot: none",
            ),
            (
                &["unavailable_after: 25 Jun 2010, noai"],
                "unavailable_after:25 jun 2010; noai",
            ),
            (&["ccbot: none, *: noai", "all: noindex"], "ccbot: none; noai; noindex"),
            (&["noindex nofollow"], "noindex; nofollow"),
            (&["", ",;,", "a b: c", "\u{e9}t\u{e9}", "x: y: z"], ""),
        ] {
            assert_eq!(header(values), expected, "{values:?}");
        }
        let many: Vec<String> = (0..100).map(|i| format!("d{i}")).collect();
        assert_eq!(header(&[&many.join(",")]).split(SEPARATOR).count(), MOST);
        assert_eq!(header(&[&"a".repeat(LONGEST + 1)]), "");
    }

    #[test]
    fn an_agent_is_known_by_its_name() {
        for name in [
            "googlebot",
            "Googlebot-News",
            "CCBot",
            "GPTBot",
            "baiduspider",
            "Google-Extended",
            "bingbot",
        ] {
            assert!(is_agent(name), "{name}");
        }
        for name in [
            "viewport",
            "google",
            "google-site-verification",
            "twitter:bot",
            "robots",
            "bottom",
            "",
        ] {
            assert!(!is_agent(name), "{name}");
        }
    }
}
