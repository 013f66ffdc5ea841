//! Decides whether a request may be answered.
//!
//! A page of another site can make a browser send requests to this server. It can also have its own name lead to this
//! machine (DNS rebinding), so that the browser takes the server for a part of that site. So the name by which a client
//! asks must be an address, `localhost` or one that was allowed; and where a browser names the site that asks, it must
//! be this one.

use std::net::IpAddr;

use hyper::header::{HOST, HeaderMap, ORIGIN};
use hyper::http::uri::Authority;
use hyper::{Method, Request};

use super::Refusal;
use dehusk_archive::escape::terminal;

/// The names by which clients may ask.
pub(crate) struct Guard {
    hosts: Vec<String>,
}

impl Guard {
    pub(crate) fn new(hosts: &[String]) -> Self {
        Self {
            hosts: hosts.iter().map(|host| host.to_ascii_lowercase()).collect(),
        }
    }

    /// Refuses a request that another site may have caused.
    pub(crate) fn check<B>(&self, request: &Request<B>) -> Result<(), Refusal> {
        let headers = request.headers();
        let host = only(headers, &HOST).ok_or_else(|| Refusal::bad_request("host", "there must be one header Host"))?;
        let named = request.uri().authority().map(Authority::as_str);
        for host in [Some(host), named].into_iter().flatten() {
            if !self.allows(host) {
                let message = format!(
                    "“{}” is no name of this server; ask by its address, by localhost, or allow the name by --host",
                    terminal(host)
                );
                return Err(Refusal::new(403, "host", message));
            }
        }
        let is_own = |origin: &str| {
            origin
                .strip_prefix("http://")
                .is_some_and(|own| own.eq_ignore_ascii_case(host))
        };
        if headers.contains_key(ORIGIN) && !only(headers, &ORIGIN).is_some_and(is_own) {
            return Err(Refusal::new(
                403,
                "origin",
                "a page of another site asks; only pages of this server may",
            ));
        }
        let is_visit = request.method() == Method::GET && header(headers, "sec-fetch-mode") == Some("navigate");
        let is_foreign = matches!(header(headers, "sec-fetch-site"), Some("cross-site" | "same-site"));
        if is_foreign && !is_visit {
            return Err(Refusal::new(
                403,
                "origin",
                "a page of another site asks; only pages of this server may",
            ));
        }
        Ok(())
    }

    /// Refuses a request that writes unless a page of this server sent it: a browser states that in a header that no
    /// page can set. Call it after [`check`](Self::check).
    pub(crate) fn check_own<B>(request: &Request<B>) -> Result<(), Refusal> {
        let headers = request.headers();
        let says_so = header(headers, "sec-fetch-site") == Some("same-origin");
        if says_so || headers.contains_key(ORIGIN) {
            return Ok(());
        }
        let message = "only a page of this server may change the truth: the request has neither “Origin” nor \
            “Sec-Fetch-Site: same-origin”";
        Err(Refusal::new(403, "origin", message))
    }

    fn allows(&self, host: &str) -> bool {
        let Ok(authority) = host.parse::<Authority>() else {
            return false;
        };
        let name = authority.host();
        let address = name
            .strip_prefix('[')
            .and_then(|name| name.strip_suffix(']'))
            .unwrap_or(name);
        let name = name.to_ascii_lowercase();
        !host.contains('@') && (address.parse::<IpAddr>().is_ok() || name == "localhost" || self.hosts.contains(&name))
    }
}

fn header<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    headers.get(name)?.to_str().ok()
}

/// The value of a header that is there once.
fn only<'h>(headers: &'h HeaderMap, name: &hyper::header::HeaderName) -> Option<&'h str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?.to_str().ok()?;
    values.next().is_none().then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(request: hyper::http::request::Builder) -> Option<u16> {
        let guard = Guard::new(&["Inspect.Example".to_owned()]);
        let checked = guard.check(&request.body(()).unwrap());
        checked.err().map(|refusal| refusal.status)
    }

    #[test]
    fn names_that_can_be_rebound_are_refused() {
        let of = |host: &str| check(Request::get("/").header("host", host));
        for host in [
            "127.0.0.1:8070",
            "[::1]:8070",
            "localhost",
            "LOCALHOST:1",
            "10.0.0.7",
            "inspect.example:8070",
        ] {
            assert_eq!(of(host), None, "{host}");
        }
        for host in [
            "evil.example",
            "localhost.evil.example",
            "127.0.0.1.evil.example",
            "user@127.0.0.1",
            "",
            "a b",
        ] {
            assert_eq!(of(host), Some(403), "{host}");
        }
        assert_eq!(check(Request::get("/")), Some(400));
        assert_eq!(
            check(Request::get("/").header("host", "127.0.0.1").header("host", "::1")),
            Some(400)
        );
        let absolute = Request::get("http://evil.example/").header("host", "127.0.0.1");
        assert_eq!(check(absolute), Some(403));
    }

    #[test]
    fn only_own_pages_write() {
        let own = |name: &str, value: &str| {
            let request = Request::post("/").header("host", "127.0.0.1:7").header(name, value);
            let refused = Guard::check_own(&request.body(()).unwrap()).err();
            refused.map(|refusal| refusal.status)
        };
        assert_eq!(own("origin", "http://127.0.0.1:7"), None);
        assert_eq!(own("sec-fetch-site", "same-origin"), None);
        assert_eq!(own("sec-fetch-site", "none"), Some(403));
        assert_eq!(own("accept", "*/*"), Some(403));
    }

    #[test]
    fn other_sites_are_refused() {
        let from =
            |name: &str, value: &str| check(Request::post("/").header("host", "127.0.0.1:7").header(name, value));
        assert_eq!(from("origin", "http://127.0.0.1:7"), None);
        for origin in [
            "null",
            "http://evil.example",
            "https://127.0.0.1:7",
            "http://127.0.0.1:8",
            "http://127.0.0.1",
        ] {
            assert_eq!(from("origin", origin), Some(403), "{origin}");
        }
        assert_eq!(from("sec-fetch-site", "same-origin"), None);
        assert_eq!(from("sec-fetch-site", "cross-site"), Some(403));
        let visit = Request::get("/")
            .header("host", "127.0.0.1")
            .header("sec-fetch-site", "cross-site");
        assert_eq!(check(visit.header("sec-fetch-mode", "navigate")), None);
    }
}
