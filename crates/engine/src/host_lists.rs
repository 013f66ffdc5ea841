//! Lists of hosts whose pages are kept or left out: `select.hosts_from` and `select.drop_hosts_from`.
//!
//! A file has a host or domain a line, which names its subdomains, too. Of each name only a 64-bit hash is kept, eight
//! bytes, so that a list of millions stays small. A page of a host that is on no list is taken for one on a list of a
//! million once in 10¹³ hosts.

use std::borrow::Cow;
use std::fmt;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::net::{IpAddr, Ipv6Addr};
use std::path::Path;
use std::sync::Arc;

use xxhash_rust::xxh3::xxh3_64;

use crate::sites::host_of;
use dehusk_documents::hashes;

/// The lists of a configuration. Copies share them.
#[derive(Clone, Debug, Default)]
pub struct HostLists {
    /// Only pages of these hosts are kept. Empty for all.
    kept: Arc<[HostList]>,
    /// Pages of these hosts are left out.
    dropped: Arc<[HostList]>,
}

/// The list that leaves a page out. It is written as the configuration names it: `drop_hosts_from[0]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostRule {
    /// No list of `select.hosts_from` has the host.
    Unlisted,
    /// The list of `select.drop_hosts_from` with this number, from 0, has the host.
    Listed(usize),
}

impl fmt::Display for HostRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unlisted => f.write_str("hosts_from"),
            Self::Listed(list) => write!(f, "drop_hosts_from[{list}]"),
        }
    }
}

impl HostLists {
    /// Reads the lists of `select.hosts_from` and `select.drop_hosts_from`.
    ///
    /// # Errors
    /// The key of the lists, and what is wrong with which file.
    pub fn read(kept: &[String], dropped: &[String]) -> Result<Self, (&'static str, String)> {
        let all = |key: &'static str, names: &[String]| {
            let lists = names.iter().map(|name| HostList::read(Path::new(name)));
            let lists: Result<Arc<[HostList]>, String> = lists.collect();
            lists.map_err(|e| (key, e))
        };
        Ok(Self {
            kept: all("select.hosts_from", kept)?,
            dropped: all("select.drop_hosts_from", dropped)?,
        })
    }

    /// The list that leaves out the page of a URL, if one does. A page without a host is on no list.
    pub(crate) fn rule(&self, url: &str) -> Option<HostRule> {
        if self.kept.is_empty() && self.dropped.is_empty() {
            return None;
        }
        let host = host_of(url);
        let host = &*spelling(&host).unwrap_or(Cow::Borrowed(&host));
        if !self.kept.is_empty() && !self.kept.iter().any(|list| list.has(host)) {
            return Some(HostRule::Unlisted);
        }
        let list = self.dropped.iter().position(|list| list.has(host))?;
        Some(HostRule::Listed(list))
    }

    /// The rules that can leave a page out.
    pub(crate) fn rules(&self) -> impl Iterator<Item = HostRule> {
        let unlisted = (!self.kept.is_empty()).then_some(HostRule::Unlisted);
        unlisted
            .into_iter()
            .chain((0..self.dropped.len()).map(HostRule::Listed))
    }

    /// A hash of the hosts of each list that is kept, and of each that is left out. Neither their order nor comments
    /// change it.
    pub(crate) fn digests(&self) -> [Vec<String>; 2] {
        [&self.kept, &self.dropped].map(|lists| lists.iter().map(HostList::digest).collect())
    }
}

/// The hashes of the hosts of a file, in order.
#[derive(Debug)]
struct HostList(Vec<u64>);

/// How many bytes of a file are read at a time.
const BUFFER: usize = 1 << 16;

/// Most bytes of a line. A name has at most 253.
const LONGEST_LINE: u64 = 1024;

impl HostList {
    fn read(path: &Path) -> Result<Self, String> {
        let unreadable = |e: io::Error| format!("{}: cannot be read: {e}", path.display());
        let mut file = BufReader::with_capacity(BUFFER, File::open(path).map_err(unreadable)?);
        let (mut found, mut line, mut number) = (Vec::new(), Vec::new(), 0);
        loop {
            line.clear();
            number += 1;
            let length = (&mut file)
                .take(LONGEST_LINE)
                .read_until(b'\n', &mut line)
                .map_err(unreadable)?;
            if length == 0 {
                break;
            }
            if let Some(name) = hashes::plain_host(&line)
                && (length as u64) < LONGEST_LINE
            {
                found.push(xxh3_64(name));
                continue;
            }
            let wrong = |what: String| format!("{}, line {number}: {what}", path.display());
            if length as u64 == LONGEST_LINE {
                return Err(wrong(
                    "is too long for a host: such a file has one host a line".to_owned(),
                ));
            }
            let text = std::str::from_utf8(&line).map_err(|_| wrong("is not UTF-8".to_owned()))?;
            if let Some(host) = entry(text).map_err(wrong)? {
                found.push(xxh3_64(host.as_bytes()));
            }
        }
        if found.is_empty() {
            return Err(format!(
                "{}: has no host; write one a line, such as example.org",
                path.display()
            ));
        }
        hashes::sort(&mut found);
        Ok(Self(found))
    }

    /// Whether the list has a host, or a domain that it is in. An address is in none.
    fn has(&self, host: &str) -> bool {
        if host.parse::<IpAddr>().is_ok() {
            return self.0.binary_search(&xxh3_64(host.as_bytes())).is_ok();
        }
        let mut names = std::iter::successors(Some(host), |name| name.split_once('.').map(|(_, parent)| parent));
        names.any(|name| self.0.binary_search(&xxh3_64(name.as_bytes())).is_ok())
    }

    fn digest(&self) -> String {
        let mut hash = xxhash_rust::xxh3::Xxh3::new();
        self.0.iter().for_each(|host| hash.update(&host.to_le_bytes()));
        format!("{:016x}", hash.digest())
    }
}

/// The host that a line names; `None` for an empty line or a comment.
///
/// # Errors
/// A message about the mistake in it.
fn entry(line: &str) -> Result<Option<String>, String> {
    let line = line.trim_start_matches('\u{feff}');
    let text = line.split('#').next().unwrap_or_default().trim();
    if text.is_empty() {
        return Ok(None);
    }
    let name = text
        .strip_prefix("*.")
        .or_else(|| text.strip_prefix('.'))
        .unwrap_or(text);
    let name = name
        .strip_prefix('[')
        .and_then(|address| address.strip_suffix(']'))
        .unwrap_or(name);
    let name = name.trim_end_matches('.').to_lowercase();
    let host = spelling(&name).filter(|host| is_host(host));
    let host = host.ok_or_else(|| {
        let shown = text.escape_debug();
        format!("“{shown}” is no host; write it without scheme, port, path and patterns, such as example.org")
    })?;
    Ok(Some(host.into_owned()))
}

/// A host in lower case in one spelling: labels that are not ASCII by Punycode (RFC 3492), addresses as RFC 5952 has them.
/// `None` if that cannot be.
fn spelling(host: &str) -> Option<Cow<'_, str>> {
    if let Ok(address) = host.parse::<Ipv6Addr>() {
        return Some(Cow::Owned(address.to_string()));
    }
    if host.is_ascii() {
        return Some(Cow::Borrowed(host));
    }
    let label = |label: &str| {
        if label.is_ascii() {
            Some(label.to_owned())
        } else {
            idna::punycode::encode_str(label).map(|label| format!("xn--{label}"))
        }
    };
    let labels: Option<Vec<String>> = host.split('.').map(label).collect();
    Some(Cow::Owned(labels?.join(".")))
}

/// Whether a text can be a host: a name with letters, digits, hyphens and underscores, or an address.
fn is_host(host: &str) -> bool {
    let is_label = |label: &str| {
        !label.is_empty()
            && label
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
    };
    host.split('.').all(is_label) || host.parse::<Ipv6Addr>().is_ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn list(text: &str) -> Result<HostList, String> {
        let file = tempfile::NamedTempFile::new().expect("a file");
        std::fs::write(file.path(), text).expect("written");
        HostList::read(file.path()).map_err(|e| e.replace(&file.path().display().to_string(), "F"))
    }

    #[test]
    fn a_line_is_a_host_a_comment_or_nothing() {
        let text = "\u{feff}# hosts\r\n\r\nExample.ORG. # and below\n*.wild.test\n.dot.test\nbücher.example\n10.0.0.1\n[2001:DB8:0::1]\n1";
        let list = list(text).expect("a list");
        for host in [
            "example.org",
            "a.b.example.org",
            "wild.test",
            "x.dot.test",
            "xn--bcher-kva.example",
            "10.0.0.1",
            "2001:db8::1",
        ] {
            assert!(list.has(host), "{host}");
        }
        for host in ["", "org", "anexample.org", "example.org.evil.test", "11.0.0.1"] {
            assert!(!list.has(host), "{host}");
        }
    }

    #[test]
    fn what_is_no_host_is_named_with_its_line() {
        for wrong in [
            "http://a.test/",
            "a.test:80",
            "a.test/path",
            "a*.test",
            "two words",
            "a..test",
            "*",
        ] {
            let e = list(&format!("ok.test\n{wrong}\n")).expect_err(wrong);
            assert!(e.starts_with("F, line 2: ") && e.contains("such as example.org"), "{e}");
        }
        assert!(list("# nothing\n").expect_err("empty").starts_with("F: has no host"));
        assert!(
            list(&"a".repeat(2000))
                .expect_err("long")
                .starts_with("F, line 1: is too long")
        );
    }

    proptest! {
        #[test]
        fn a_host_is_on_a_list_with_one_of_its_domains(
            names in prop::collection::vec("[ab]{1,2}(\\.[ab]{1,2}){0,2}", 1..8),
            host in "[ab]{1,2}(\\.[ab]{1,2}){0,3}",
        ) {
            let expected = names.iter().any(|name| host == *name || host.ends_with(&format!(".{name}")));
            prop_assert_eq!(list(&names.join("\n")).expect("a list").has(&host), expected);
        }
    }
}
