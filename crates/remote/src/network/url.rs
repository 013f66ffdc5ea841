//! Names of remote archives: an address, what of it may be shown, and what to ask for.

use std::io;
use std::path::{Path, PathBuf};

use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};

use super::other;
use dehusk_archive::redact;

/// The kind of server that a name belongs to.
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
    pub fn is_cloud(self) -> bool {
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
pub struct RemoteUrl {
    pub(super) scheme: Scheme,
    /// `user:password`, if the name has it.
    pub(super) user: Option<String>,
    /// The host and its port; or the bucket or container.
    pub(super) host: String,
    /// The path as it goes over the wire, with its `/`; or the key, which has none at its start.
    pub(super) path: String,
    /// The part after the `?` of a URL.
    pub(super) query: Option<String>,
    /// Whether only a remote list has named it, so that it must not lead into the network of this machine.
    pub(super) is_listed: bool,
    /// Whether it is unclear where user and password end, so that all after the scheme may be a secret.
    is_ambiguous: bool,
}

impl RemoteUrl {
    /// Reads a name; `None` if it is none of something remote.
    pub fn from_path(path: &Path) -> Option<Self> {
        Self::parse(path.to_str()?)
    }

    /// Reads a name; `None` if it is none of something remote.
    pub fn parse(text: &str) -> Option<Self> {
        let (scheme, rest) = text.split_once("://")?;
        let (_, scheme) = Scheme::ALL
            .into_iter()
            .find(|(name, _)| scheme.eq_ignore_ascii_case(name))?;
        let is_cloud = scheme.is_cloud();
        let end = if is_cloud {
            rest.find('/')
        } else {
            rest.find(['/', '?', '#'])
        };
        let (authority, rest) = rest.split_at(end.unwrap_or(rest.len()));
        let (user, host) = match authority.rsplit_once('@') {
            Some((user, host)) => (Some(user.to_owned()), host),
            None => (None, authority),
        };
        if redact::is_unclear(is_cloud, authority, host, rest) {
            // As it is, so that it is found ambiguous again.
            return Some(Self {
                scheme,
                user,
                host: host.to_owned(),
                path: rest.strip_prefix('/').filter(|_| is_cloud).unwrap_or(rest).to_owned(),
                query: None,
                is_listed: false,
                is_ambiguous: true,
            });
        }
        let (path, query) = if is_cloud {
            (rest.strip_prefix('/').unwrap_or_default().to_owned(), None)
        } else {
            let rest = rest.split_once('#').map_or(rest, |(rest, _)| rest);
            let (path, query) = match rest.split_once('?') {
                Some((path, query)) => (path, Some(query)),
                None => (rest, None),
            };
            let path = if path.is_empty() { "/" } else { path };
            (escaped(path), query.map(escaped))
        };
        Some(Self {
            scheme,
            user,
            host: if is_cloud {
                host.to_owned()
            } else {
                host.to_ascii_lowercase()
            },
            path,
            query,
            is_listed: false,
            is_ambiguous: false,
        })
    }

    /// # Errors
    /// It names no server, or credentials in a way that is not read. The reason does not show them.
    pub(super) fn check(&self) -> io::Result<()> {
        let variables = match self.scheme {
            Scheme::Http | Scheme::Https if self.is_ambiguous => {
                return Err(other(
                    "it cannot be told where its user and password end: write each / ? # @ of these, and an @ after \
                     the server, as %2F %3F %23 %40"
                        .into(),
                ));
            }
            Scheme::Http | Scheme::Https => "",
            Scheme::S3 => "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
            Scheme::Gs => "CLOUDSDK_AUTH_ACCESS_TOKEN or GOOGLE_APPLICATION_CREDENTIALS",
            Scheme::Az => "AZURE_STORAGE_CONNECTION_STRING or AZURE_STORAGE_KEY",
        };
        if self.scheme.is_cloud() && (self.is_ambiguous || self.user.is_some()) {
            return Err(other(format!(
                "no credentials are read from a name of a bucket: set {variables} in the environment"
            )));
        }
        if self.host.is_empty() {
            return Err(other("it names no server".into()));
        }
        if has_good_port(&self.host) {
            Ok(())
        } else {
            Err(other("its port is none: it must be a number from 1 to 65535".into()))
        }
    }

    /// The same name, as one that only servers have named.
    pub fn distrusted(self) -> Self {
        Self {
            is_listed: true,
            ..self
        }
    }

    /// Whether only a remote list has named it.
    pub fn is_listed(&self) -> bool {
        self.is_listed
    }

    /// The name in messages, reports and journals: without user, password and query, which may be secrets.
    pub fn label(&self) -> PathBuf {
        PathBuf::from(redact::name(&self.full()).into_owned())
    }

    /// Its path or key.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Whether it is a name of a cloud, which has buckets.
    pub fn is_cloud(&self) -> bool {
        self.scheme.is_cloud()
    }

    /// The same server or bucket with another path from its root.
    pub fn with_path(&self, path: &str) -> Self {
        let path = if self.scheme.is_cloud() {
            // A key may begin with a slash.
            path.to_owned()
        } else {
            // Where a port is named, the name could not be distinguished from one with a password.
            escaped(&format!("/{}", path.trim_start_matches('/'))).replace('@', "%40")
        };
        Self {
            path,
            query: None,
            ..self.clone()
        }
    }

    /// The whole name, credentials and all.
    pub fn full(&self) -> String {
        let user = self.user.as_ref().map_or_else(String::new, |user| format!("{user}@"));
        let query = self
            .query
            .as_ref()
            .map_or_else(String::new, |query| format!("?{query}"));
        let slash = if self.scheme.is_cloud() && !self.path.is_empty() {
            "/"
        } else {
            ""
        };
        format!(
            "{}://{user}{}{slash}{}{query}",
            self.scheme.name(),
            self.host,
            self.path
        )
    }
}

/// Whether a host has no port, or one that there can be.
pub(super) fn has_good_port(host: &str) -> bool {
    let port = host.rsplit_once(']').map_or(host, |(_, port)| port);
    // An empty one means that of the scheme.
    port.split_once(':').is_none_or(|(_, port)| {
        port.is_empty() || port.bytes().all(|b| b.is_ascii_digit()) && port.parse::<u16>().is_ok_and(|port| port > 0)
    })
}

/// It never shows a credential.
impl std::fmt::Debug for RemoteUrl {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.label().display())
    }
}

/// Percent-encodes what no URL may contain. Characters that are encoded already stay.
pub(super) fn escaped(text: &str) -> String {
    const FORBIDDEN: &AsciiSet = &CONTROLS
        .add(b' ')
        .add(b'"')
        .add(b'<')
        .add(b'>')
        .add(b'\\')
        .add(b'^')
        .add(b'`')
        .add(b'{')
        .add(b'|')
        .add(b'}');
    utf8_percent_encode(text, FORBIDDEN).to_string()
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
            ("http://[::1]:8080/x", "http://[::1]:8080/x"),
            ("https://host/@user/x", "https://host/@user/x"),
            ("s3://bucket/a@b:c/x", "s3://bucket/a@b:c/x"),
            ("http://user:pa/ss@host/x", "http://…"),
            ("http://user:pa?ss@host/x", "http://…"),
            ("http://user:12#3@host/x", "http://…"),
            ("http://user:p@s/s@host/x", "http://…"),
            ("http://user:password/x", "http://…"),
            ("s3://key:se/cret@bucket/x", "s3://…"),
            ("s3://key:12/cret@bucket/x", "s3://…"),
            ("gs://key:s@e/cret@bucket/x", "gs://…"),
        ] {
            assert_eq!(label(name).as_deref(), Some(shown));
            let debug = RemoteUrl::parse(name).map(|url| format!("{url:?}"));
            assert_eq!(debug.as_deref(), Some(shown));
            // A name that is put together again is shown alike.
            let again = RemoteUrl::parse(name).map(|url| url.full());
            assert_eq!(again.and_then(|name| label(&name)).as_deref(), Some(shown));
        }
        for local in ["x.warc.gz", "ftp://host/x", "a/https://b", "hdfs://x", ""] {
            assert_eq!(label(local), None, "{local}");
        }
    }

    #[test]
    fn ports_are_those_that_there_can_be() {
        for good in ["h", "h:1", "h:65535", "h:", "[::1]", "[::1]:80", "h:0080"] {
            assert!(has_good_port(good), "{good}");
        }
        for bad in [
            "h:0",
            "h:65536",
            "h:99999999999999999999",
            "h:x",
            "h:+80",
            "[::1]:0",
            "h:80:80",
        ] {
            assert!(!has_good_port(bad), "{bad}");
        }
        let of_65536 = RemoteUrl::parse("http://h:65536/x").map(|url| url.check());
        assert!(of_65536.is_some_and(|checked| checked.is_err()));
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
