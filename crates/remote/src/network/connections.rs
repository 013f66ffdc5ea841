//! The connections of the process: their certificates, and the proxy that the environment names.
//!
//! A proxy's name that cannot be used is an error: without it, requests would go around the proxy.

use std::env;
use std::io;
use std::path::Path;
use std::sync::{Arc, LazyLock};

use ureq::http::Uri;
use ureq::tls::{PemItem, RootCerts, TlsConfig};
use ureq::unversioned::transport::DefaultConnector;
use ureq::{Agent, Proxy, ProxyProtocol};

use super::addresses::{Lookup, Reach};
use super::other;
use dehusk_documents::bounded;

/// Largest file of root certificates, in bytes.
const ROOTS_LIMIT: u64 = 16 << 20;

/// The name of the program, which every request states.
const USER_AGENT: &str = concat!("dehusk/", env!("CARGO_PKG_VERSION"));

/// Where ureq looks for a proxy, in its order. The first that is set counts, for every scheme.
const VARIABLES: [&str; 6] = [
    "ALL_PROXY",
    "all_proxy",
    "HTTPS_PROXY",
    "https_proxy",
    "HTTP_PROXY",
    "http_proxy",
];

/// The connections of the process. An error is the reason why there can be none.
static NETWORK: LazyLock<Result<Network, String>> = LazyLock::new(Network::new);

/// The connections, and how they are made.
pub(super) struct Network {
    /// For all servers.
    any: Agent,
    /// For those with public addresses. It shares no connection with the other.
    public: Agent,
    /// The variable that names the proxy.
    proxy: Option<&'static str>,
}

impl Network {
    /// That of the process.
    ///
    /// # Errors
    /// The environment names what cannot be used.
    pub(super) fn get() -> io::Result<&'static Self> {
        NETWORK.as_ref().map_err(|message| other(message.clone()))
    }

    /// The agent that makes requests to these servers.
    pub(super) fn agent(&self, reach: Reach) -> &Agent {
        match reach {
            Reach::Any => &self.any,
            Reach::Public => &self.public,
        }
    }

    /// The variable that names the proxy which requests to an address go through.
    pub(super) fn proxy(&self, uri: &Uri) -> Option<&'static str> {
        let proxy = self.any.config().proxy()?;
        self.proxy.filter(|_| !proxy.is_no_proxy(uri))
    }

    fn new() -> Result<Self, String> {
        Ok(Self {
            proxy: variable()?,
            any: agent(Reach::Any)?,
            public: agent(Reach::Public)?,
        })
    }
}

fn agent(reach: Reach) -> Result<Agent, String> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut tls = TlsConfig::builder().unversioned_rustls_crypto_provider(provider);
    if let Some(path) = env::var_os("SSL_CERT_FILE").filter(|path| !path.is_empty()) {
        tls = tls.root_certs(roots(Path::new(&path))?);
    }
    let config = Agent::config_builder()
        .tls_config(tls.build())
        .http_status_as_error(false)
        .max_redirects(0)
        .user_agent(USER_AGENT)
        // Stored bytes, as they are: offsets are in them. Google is asked in another way.
        .accept_encoding("identity")
        .max_idle_connections_per_host(16)
        .max_idle_connections(64);
    Ok(Agent::with_parts(
        config.build(),
        DefaultConnector::default(),
        Lookup::new(reach),
    ))
}

/// The certificates in a file, instead of those that are built in.
fn roots(path: &Path) -> Result<RootCerts, String> {
    let cannot_read = |e: String| format!("SSL_CERT_FILE {}: {e}", dehusk_archive::escape::path(path));
    let pem = bounded::read_file(path, ROOTS_LIMIT).map_err(|e| cannot_read(format!("cannot be read: {e}")))?;
    let mut certificates = Vec::new();
    for item in ureq::tls::parse_pem(&pem) {
        match item {
            Ok(PemItem::Certificate(certificate)) => certificates.push(certificate),
            Ok(_) => {}
            Err(e) => return Err(cannot_read(e.to_string())),
        }
    }
    if certificates.is_empty() {
        Err(cannot_read("holds no certificate".into()))
    } else {
        Ok(RootCerts::new_with_certs(&certificates))
    }
}

/// The variable that names the proxy; `None` if there is none.
///
/// # Errors
/// It names none that can be used. The reason does not show its value, which may hold a password.
fn variable() -> Result<Option<&'static str>, String> {
    let set = |name: &&'static str| env::var_os(name).is_some_and(|value| !value.is_empty());
    let Some(name) = VARIABLES.iter().copied().find(set) else {
        return Ok(None);
    };
    let value = env::var(name).unwrap_or_default();
    match Proxy::new(&value) {
        Ok(proxy) if !matches!(proxy.protocol(), ProxyProtocol::Http | ProxyProtocol::Https) => Err(format!(
            "{name} in the environment names a proxy of SOCKS, which is not supported"
        )),
        Ok(proxy) if has_port(&proxy) => Ok(Some(name)),
        _ => Err(format!("{name} in the environment is no URL of a proxy of HTTP")),
    }
}

/// Whether a port that is named is a number.
fn has_port(proxy: &Proxy) -> bool {
    let authority = proxy.uri().authority().map_or("", |authority| authority.as_str());
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let port = proxy.uri().port_u16().filter(|port| *port > 0);
    !proxy.host().is_empty() && (host.len() == proxy.host().len() || port.is_some())
}
