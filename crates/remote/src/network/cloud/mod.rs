//! Names of clouds → requests. Credentials come from the environment, as the clouds' own tools read them; without any,
//! the requests are anonymous.

mod azure;
mod google;
mod s3;
mod sign;

use std::env;
use std::io;
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

use super::addresses::Reach;
use super::target::{Header, Sign, Target};
use super::url::Scheme;
use super::{RemoteUrl, Settings, other};

/// A user and a password, as the value of `Authorization`.
struct Basic(String);

impl Sign for Basic {
    fn sign(&self, _: &str, _: &Target, _: &[Header], _: &Settings) -> io::Result<Vec<Header>> {
        Ok(vec![("authorization", self.0.clone())])
    }
}

/// The target of a name.
///
/// # Errors
/// It names nothing that can be asked for, or a credential in the environment is malformed.
pub(super) fn target(url: &RemoteUrl) -> io::Result<Target> {
    url.check()?;
    if url.scheme.is_cloud() && url.path.is_empty() {
        return Err(other("it names a bucket, and no object in it".into()));
    }
    match url.scheme {
        Scheme::Http | Scheme::Https => {
            let basic = |user: &String| -> Arc<dyn Sign> {
                let value = STANDARD.encode(percent_decode_str(user).collect::<Vec<u8>>());
                Arc::new(Basic(format!("Basic {value}")))
            };
            Ok(Target {
                scheme: if url.scheme == Scheme::Http { "http" } else { "https" },
                host: usual_port(&url.host, url.scheme),
                path: url.path.clone(),
                query: url.query.clone(),
                signer: url.user.as_ref().map(basic),
                reach: if url.is_listed { Reach::Public } else { Reach::Any },
            })
        }
        Scheme::S3 => s3::target(&url.host, &url.path),
        Scheme::Gs => google::target(&url.host, &url.path),
        Scheme::Az => azure::target(&url.host, &url.path),
    }
}

/// The server that a name asks.
///
/// # Errors
/// Those of [`target`].
pub(super) fn host(url: &RemoteUrl) -> io::Result<String> {
    match url.scheme {
        Scheme::Http | Scheme::Https => Ok(url.host.clone()),
        Scheme::S3 => s3::target(&url.host, "").map(|target| target.host),
        Scheme::Gs => google::target(&url.host, "").map(|target| target.host),
        Scheme::Az => azure::target(&url.host, "").map(|target| target.host),
    }
}

/// The target of a request for the names below a prefix: the first of them, or those after a mark that the last answer
/// gave.
///
/// # Errors
/// Those of [`target`]; or it is no name of a cloud.
pub(super) fn listing(url: &RemoteUrl, prefix: &str, mark: Option<&str>) -> io::Result<Target> {
    url.check()?;
    let mut target = match url.scheme {
        Scheme::Http | Scheme::Https => return Err(other("an HTTP server does not list names".into())),
        Scheme::S3 => s3::target(&url.host, "")?,
        Scheme::Gs => google::target(&url.host, "")?,
        Scheme::Az => azure::target(&url.host, "")?,
    };
    let mut query = match url.scheme {
        Scheme::Az => vec![("comp", "list"), ("prefix", prefix), ("restype", "container")],
        _ => vec![("list-type", "2"), ("prefix", prefix)],
    };
    if let Some(mark) = mark {
        let name = if url.scheme == Scheme::Az {
            "marker"
        } else {
            "continuation-token"
        };
        query.push((name, mark));
    }
    // Signatures want them in order.
    query.sort_unstable();
    let query: Vec<String> = query
        .iter()
        .map(|(name, value)| format!("{name}={}", component(value)))
        .collect();
    let signed = target
        .query
        .take()
        .map_or_else(String::new, |query| format!("&{query}"));
    target.query = Some(query.join("&") + &signed);
    Ok(target)
}

/// A server without the port that its scheme has anyway.
fn usual_port(host: &str, scheme: Scheme) -> String {
    let port = if scheme == Scheme::Http { ":80" } else { ":443" };
    host.strip_suffix(port)
        .or(host.strip_suffix(':'))
        .unwrap_or(host)
        .to_owned()
}

/// A server as the environment names it: `https://host:port/path`. Returns its scheme, host and path, which ends
/// without `/`.
fn endpoint(name: &str, text: &str) -> io::Result<(&'static str, String, String)> {
    let malformed = || other(format!("{name} in the environment is no URL of HTTP"));
    let url = RemoteUrl::parse(text).filter(|url| !url.scheme.is_cloud() && url.check().is_ok());
    let url = url.ok_or_else(malformed)?;
    let scheme = if url.scheme == Scheme::Http { "http" } else { "https" };
    Ok((
        scheme,
        usual_port(&url.host, url.scheme),
        url.path.trim_end_matches('/').to_owned(),
    ))
}

/// The first of these variables that is set, and its value without white space around it.
///
/// # Errors
/// It holds what no header and no address can hold, such as an end of line. The reason does not show it.
fn variable(names: &[&'static str]) -> io::Result<Option<(&'static str, String)>> {
    for name in names {
        let Some(value) = env::var_os(name) else { continue };
        let value = value
            .to_str()
            .map(str::trim)
            .filter(|value| !value.chars().any(char::is_control));
        let value = value.ok_or_else(|| {
            other(format!(
                "{name} in the environment is not UTF-8 or holds a control character"
            ))
        })?;
        if !value.is_empty() {
            return Ok(Some((name, value.to_owned())));
        }
    }
    Ok(None)
}

/// The characters that are percent-encoded in the value of a query: all but the unreserved ones (RFC 3986, section
/// 2.3).
const RESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// A key, percent-encoded for a path.
fn key(text: &str) -> String {
    const RESERVED_IN_PATH: &AsciiSet = &RESERVED.remove(b'/');
    utf8_percent_encode(text, RESERVED_IN_PATH).to_string()
}

/// A value, percent-encoded for a query.
fn component(text: &str) -> String {
    utf8_percent_encode(text, RESERVED).to_string()
}
