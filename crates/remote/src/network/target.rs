//! The target of a request, and where a redirect leads from it.

use std::io;
use std::sync::Arc;

use dehusk_archive::escape::terminal;

use super::addresses::{Reach, is_private_host, name_of};
use super::url::{escaped, has_good_port};
use super::{Settings, other};

/// Proves to a server who makes a request.
pub(super) trait Sign: Send + Sync {
    /// The headers that prove it, for a request with these other headers.
    ///
    /// # Errors
    /// No token is available.
    fn sign(&self, method: &str, target: &Target, headers: &[Header], settings: &Settings) -> io::Result<Vec<Header>>;
}

/// The target of a request.
#[derive(Clone)]
pub(super) struct Target {
    /// `http` or `https`.
    pub(super) scheme: &'static str,
    /// The host, with its port if it is not the usual one.
    pub(super) host: String,
    /// The path, percent-encoded.
    pub(super) path: String,
    /// The query, percent-encoded. It may hold a credential.
    pub(super) query: Option<String>,
    /// Proves who asks. `None` for anonymous requests.
    pub(super) signer: Option<Arc<dyn Sign>>,
    /// Which servers may be asked for it, unless the configuration allows all.
    pub(super) reach: Reach,
}

/// A header of a request.
pub(super) type Header = (&'static str, String);

impl Target {
    pub(super) fn url(&self) -> String {
        let query = self
            .query
            .as_ref()
            .map_or_else(String::new, |query| format!("?{query}"));
        format!("{}://{}{}{query}", self.scheme, self.host, self.path)
    }

    /// Where a redirect leads. It leaves the public network only from a server that is not in it, or within one server.
    ///
    /// # Errors
    /// It leads to another scheme, or nowhere.
    pub(super) fn redirected(&self, location: &str) -> io::Result<Self> {
        let mut next = self.clone();
        let rest = match location.split_once("://") {
            Some((scheme, rest)) => {
                if !scheme.eq_ignore_ascii_case(self.scheme) {
                    let scheme = scheme.to_ascii_lowercase();
                    return Err(other(format!(
                        "the server redirects to another scheme, “{}”, which is not followed",
                        terminal(&scheme)
                    )));
                }
                Some(rest)
            }
            None => location.strip_prefix("//"),
        };
        let path = match rest {
            Some(rest) => {
                let (host, path) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
                let host = host
                    .rsplit_once('@')
                    .map_or(host, |(_, host)| host)
                    .to_ascii_lowercase();
                if !has_good_port(&host) {
                    return Err(other("the server redirects to a port that is none".into()));
                }
                if host != self.host {
                    // Credentials are for the server that the name names.
                    next.signer = None;
                    next.host = host;
                }
                path.to_owned()
            }
            None if location.starts_with('/') => location.to_owned(),
            None => {
                let folder = self.path.rfind('/').map_or("/", |at| &self.path[..=at]);
                format!("{folder}{location}")
            }
        };
        let path = path.split('#').next().unwrap_or_default();
        let (path, query) = match path.split_once('?') {
            Some((path, query)) => (path, Some(escaped(query))),
            None => (path, None),
        };
        if name_of(&next.host) != name_of(&self.host) && !is_private_host(&self.host) {
            next.reach = Reach::Public;
        }
        next.path = if path.is_empty() { "/".to_owned() } else { escaped(path) };
        next.query = query;
        Ok(next)
    }
}
