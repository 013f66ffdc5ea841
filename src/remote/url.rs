//! Names of remote archives: an address, what of it may be shown, and what to ask for.

use std::path::{Path, PathBuf};

/// Whose names they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scheme {
    Http,
    Https,
    S3,
    Gs,
    Az,
}

impl Scheme {
    const ALL: [(&'static str, Self); 5] = [
        ("http", Self::Http),
        ("https", Self::Https),
        ("s3", Self::S3),
        ("gs", Self::Gs),
        ("az", Self::Az),
    ];

    /// Whether it is that of a cloud: a bucket and a key, which are no URL.
    pub(crate) fn is_cloud(self) -> bool {
        !matches!(self, Self::Http | Self::Https)
    }

    fn name(self) -> &'static str {
        Self::ALL
            .iter()
            .find(|(_, scheme)| *scheme == self)
            .map_or("", |(name, _)| name)
    }
}

/// The name of a remote archive, list or prefix.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct RemoteUrl {
    pub(crate) scheme: Scheme,
    /// `user:password`, if the name has it.
    pub(super) user: Option<String>,
    /// The host and its port; or the bucket or container.
    pub(super) host: String,
    /// The path as it goes over the wire, with its `/`; or the key, which has none at its start.
    pub(super) path: String,
    /// What follows the `?` of a URL.
    pub(super) query: Option<String>,
}

impl RemoteUrl {
    /// Reads a name; `None` if it is none of something remote.
    pub(crate) fn of(path: &Path) -> Option<Self> {
        Self::parse(path.to_str()?)
    }

    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (scheme, rest) = text.split_once("://")?;
        let (_, scheme) = Scheme::ALL
            .into_iter()
            .find(|(name, _)| scheme.eq_ignore_ascii_case(name))?;
        let is_cloud = scheme.is_cloud();
        let end = match is_cloud {
            true => rest.find('/'),
            false => rest.find(['/', '?', '#']),
        };
        let (authority, rest) = rest.split_at(end.unwrap_or(rest.len()));
        let (user, host) = match authority.rsplit_once('@') {
            Some((user, host)) => (Some(user.to_owned()), host),
            None => (None, authority),
        };
        let (path, query) = match is_cloud {
            true => (rest.strip_prefix('/').unwrap_or_default().to_owned(), None),
            false => {
                let rest = rest.split_once('#').map_or(rest, |(rest, _)| rest);
                let (path, query) = match rest.split_once('?') {
                    Some((path, query)) => (path, Some(query)),
                    None => (rest, None),
                };
                let path = if path.is_empty() { "/" } else { path };
                (escaped(path), query.map(escaped))
            }
        };
        Some(Self {
            scheme,
            user,
            host: match is_cloud {
                true => host.to_owned(),
                false => host.to_ascii_lowercase(),
            },
            path,
            query,
        })
    }

    /// What messages, reports and journals call it: without user, password and query, which may be secrets.
    pub(crate) fn label(&self) -> PathBuf {
        let Self { scheme, host, path, .. } = self;
        let slash = if scheme.is_cloud() && !path.is_empty() { "/" } else { "" };
        PathBuf::from(format!("{}://{host}{slash}{path}", scheme.name()))
    }

    /// Its path or key.
    pub(crate) fn path(&self) -> &str {
        &self.path
    }

    /// Whether it is a name of a cloud, which has buckets.
    pub(crate) fn is_cloud(&self) -> bool {
        self.scheme.is_cloud()
    }

    /// The same server or bucket with another path from its root.
    pub(crate) fn with_path(&self, path: &str) -> Self {
        let path = match self.scheme.is_cloud() {
            // A key may begin with a slash.
            true => path.to_owned(),
            false => escaped(&format!("/{}", path.trim_start_matches('/'))),
        };
        Self {
            path,
            query: None,
            ..self.clone()
        }
    }

    /// The whole name, credentials and all.
    pub(crate) fn full(&self) -> String {
        let user = self.user.as_ref().map_or_else(String::new, |user| format!("{user}@"));
        let query = self
            .query
            .as_ref()
            .map_or_else(String::new, |query| format!("?{query}"));
        let slash = if self.scheme.is_cloud() { "/" } else { "" };
        format!(
            "{}://{user}{}{slash}{}{query}",
            self.scheme.name(),
            self.host,
            self.path
        )
    }
}

/// It never shows a credential.
impl std::fmt::Debug for RemoteUrl {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.label().display())
    }
}

/// Percent-encodes what may not stand in a URL. What is encoded already stays.
fn escaped(text: &str) -> String {
    let is_allowed = |byte: u8| byte.is_ascii_graphic() && !b"\"<>\\^`{|}".contains(&byte);
    encoded(text, is_allowed)
}

/// Percent-encodes all bytes but those that are allowed.
pub(super) fn encoded(text: &str, is_allowed: impl Fn(u8) -> bool) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match is_allowed(byte) {
            true => out.push(char::from(byte)),
            false => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_hold_no_credentials() {
        let label = |text: &str| RemoteUrl::parse(text).map(|url| url.label().to_string_lossy().into_owned());
        for (name, shown) in [
            (
                "https://Host.example:8443/a b/x.warc.gz?sig=abc#f",
                "https://host.example:8443/a%20b/x.warc.gz",
            ),
            ("HTTP://user:p@ss@host/x", "http://host/x"),
            ("https://host?token=1", "https://host/"),
            ("s3://bucket/a?b#c/x.warc.gz", "s3://bucket/a?b#c/x.warc.gz"),
            ("s3://key:secret@bucket/x", "s3://bucket/x"),
            ("gs://bucket", "gs://bucket"),
            ("az://c/ä", "az://c/ä"),
        ] {
            assert_eq!(label(name).as_deref(), Some(shown));
            let debug = RemoteUrl::parse(name).map(|url| format!("{url:?}"));
            assert_eq!(debug.as_deref(), Some(shown));
        }
        for local in ["x.warc.gz", "ftp://host/x", "a/https://b", "hdfs://x", ""] {
            assert_eq!(label(local), None, "{local}");
        }
    }

    #[test]
    fn names_are_taken_apart_and_put_together() {
        let url = RemoteUrl::parse("https://u:p@h/a/b?c=d").expect("a URL");
        assert_eq!(url.full(), "https://u:p@h/a/b?c=d");
        assert_eq!(url.with_path("/x/y z").full(), "https://u:p@h/x/y%20z");
        let url = RemoteUrl::parse("s3://b/k/l").expect("a name");
        assert_eq!(
            (url.full(), url.with_path("m").full()),
            ("s3://b/k/l".into(), "s3://b/m".into())
        );
        assert_eq!(url.with_path("/m").full(), "s3://b//m");
    }
}
