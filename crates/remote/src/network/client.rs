//! Single requests over HTTP: redirects, and which failures are worth a repetition.

use std::io::{self, Read};

use ureq::http::{HeaderMap, Request, Uri};

use super::addresses::{OutOfReach, Reach};
use super::body::{Body, broke_off};
use super::connections::Network;
use super::hosts::Permit;
use super::retry::{Failure, LONGEST_ASKED, retry_after};
use super::target::{Header, Target};
use super::{Settings, other};
use dehusk_archive::escape::terminal;

/// How often a request follows a redirect.
const REDIRECTS: usize = 5;

/// A server's answer, whose body is still to be read.
pub(super) struct Response {
    pub(super) status: u16,
    headers: HeaderMap,
    pub(super) body: Body,
    permit: Permit,
}

impl Response {
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// A header that is a number.
    pub(super) fn number(&self, name: &str) -> Option<u64> {
        self.header(name)?.trim().parse().ok()
    }

    /// # Errors
    /// The body of a whole file is not what the server stores, so offsets in it would be others. Ranges are always of
    /// what is stored, even if it is stored with a coding.
    pub(super) fn check_is_stored(&self) -> io::Result<()> {
        let coding = |name| {
            self.header(name)
                .map(str::trim)
                .filter(|coding| !matches!(*coding, "" | "identity"))
        };
        let shown = |coding| terminal(coding).into_owned();
        // Google reports how it is stored. Others do not, and would have sent a range of it.
        match (coding("content-encoding"), coding("x-goog-stored-content-encoding")) {
            (sent, stored) if sent == stored => Ok(()),
            (None, Some(stored)) => Err(other(format!(
                "the server decodes it on its way, for it is stored with Content-Encoding “{}”, so its offsets \
                 cannot be told",
                shown(stored)
            ))),
            (sent, _) => Err(other(format!(
                "the server sends it with Content-Encoding “{}”, which was not asked for, so its offsets cannot \
                 be told",
                shown(sent.unwrap_or_default())
            ))),
        }
    }

    /// Why an answer of this status is useless.
    pub(super) fn failure(&self) -> Failure {
        let status = self.status;
        let error = |kind, message: String| io::Error::new(kind, message);
        match status {
            401 | 403 => {
                let message = format!("the server refuses it (status {status})");
                Failure::Final(error(io::ErrorKind::PermissionDenied, message))
            }
            404 | 410 => {
                let message = format!("there is nothing of this name (status {status})");
                Failure::Final(error(io::ErrorKind::NotFound, message))
            }
            408 | 429 | 500..=599 => {
                let asked = self.header("retry-after").and_then(retry_after);
                // A request that fails because its server asks for too long a wait must not hold up the server's other
                // archives.
                if let Some(asked) = asked.filter(|asked| *asked <= LONGEST_ASKED) {
                    self.permit.pause(asked);
                }
                let message = format!("the server answers with status {status}");
                Failure::Again(other(message), asked)
            }
            300..=399 => match self.header("x-amz-bucket-region") {
                Some(region) => {
                    let region = terminal(region);
                    Failure::Final(other(format!(
                        "the bucket is in the region {region}; set AWS_REGION to it"
                    )))
                }
                None => Failure::Final(other(format!("the server redirects to nowhere (status {status})"))),
            },
            _ => Failure::Final(other(format!("the server answers with status {status}"))),
        }
    }

    /// The body, which must be small.
    pub(super) fn text(mut self, limit: u64) -> Result<String, Failure> {
        let bytes = self.bytes(limit)?;
        String::from_utf8(bytes).map_err(|_| Failure::Final(other("its answer is not UTF-8".into())))
    }

    /// The body, up to a limit.
    pub(super) fn bytes(&mut self, limit: u64) -> Result<Vec<u8>, Failure> {
        let mut bytes = Vec::new();
        let read = (&mut self.body).take(limit + 1).read_to_end(&mut bytes);
        read.map_err(|e| Failure::Again(broke_off(&e, bytes.len() as u64), None))?;
        if bytes.len() as u64 > limit {
            Err(Failure::Final(other(format!("it has more than {limit} bytes"))))
        } else {
            Ok(bytes)
        }
    }
}

/// Asks once, and follows redirects.
///
/// # Errors
/// There is no answer. An answer with any status is one.
pub(super) fn get(target: &Target, headers: &[Header], settings: &Settings) -> Result<Response, Failure> {
    let mut redirected = None;
    for _ in 0..=REDIRECTS {
        let target = redirected.as_ref().unwrap_or(target);
        let answer = send("GET", target, headers, None, settings)?;
        match answer.header("location") {
            Some(location) if matches!(answer.status, 301 | 302 | 303 | 307 | 308) => {
                let next = target.redirected(location)?;
                if next.url().parse::<Uri>().is_err() {
                    return Err(Failure::Final(other(
                        "the server redirects to an address that is malformed".into(),
                    )));
                }
                redirected = Some(next);
            }
            _ => return Ok(answer),
        }
    }
    Err(Failure::Final(other(format!(
        "the server redirects more than {REDIRECTS} times"
    ))))
}

/// Sends a form. No redirect is followed, as the form may hold secrets.
///
/// # Errors
/// Those of [`get`].
pub(super) fn post(target: &Target, form: &str, settings: &Settings) -> Result<Response, Failure> {
    let kind = ("content-type", "application/x-www-form-urlencoded".to_owned());
    send("POST", target, &[kind], Some(form), settings)
}

fn send(
    method: &'static str,
    target: &Target,
    headers: &[Header],
    form: Option<&str>,
    settings: &Settings,
) -> Result<Response, Failure> {
    let network = Network::get()?;
    let uri: Uri = target
        .url()
        .parse()
        .map_err(|_| other("its address is malformed".into()))?;
    let proxy = network.proxy(&uri);
    let signed = match &target.signer {
        Some(signer) => signer.sign(method, target, headers, settings)?,
        None => Vec::new(),
    };
    let mut request = Request::builder().method(method).uri(uri);
    for (name, value) in headers.iter().chain(&signed) {
        request = request.header(*name, value);
    }
    let malformed = || Failure::Final(other("its credentials hold what no header may hold".into()));
    let reach = if settings.config.private {
        Reach::Any
    } else {
        target.reach
    };
    OutOfReach::check(reach, &target.host).map_err(|e| other(e.to_string()))?;
    let permit = Permit::wait(&format!("{}://{}", target.scheme, target.host), settings)?;
    let timeout = Some(settings.timeout());
    let agent = network.agent(reach);
    macro_rules! run {
        ($request:expr) => {
            agent.run(
                agent
                    .configure_request($request)
                    .timeout_resolve(timeout)
                    .timeout_connect(timeout)
                    .timeout_recv_response(timeout)
                    .timeout_per_read(timeout)
                    .timeout_per_write(timeout)
                    .build(),
            )
        };
    }
    let answer = match form {
        Some(form) => run!(request.body(form).map_err(|_| malformed())?),
        None => run!(request.body(()).map_err(|_| malformed())?),
    };
    let (head, body) = answer.map_err(|e| failure(e, proxy, settings))?.into_parts();
    Ok(Response {
        status: head.status.as_u16(),
        headers: head.headers,
        body: Body::new(body.into_reader(), settings.timeout()),
        permit,
    })
}

/// Why there is no answer, and whether to ask again. `proxy` is the variable that names the proxy, if the request went
/// there.
fn failure(error: ureq::Error, proxy: Option<&str>, settings: &Settings) -> Failure {
    let again = |message: String| Failure::Again(other(message), None);
    let no_host = || {
        Failure::Final(other(match proxy {
            Some(variable) => format!("there is no host of the name of the proxy in {variable}"),
            None => "there is no host of this name".into(),
        }))
    };
    match error {
        ureq::Error::HostNotFound => no_host(),
        ureq::Error::ConnectProxyFailed(reason) => {
            let is_final = ["401", "403", "407"].iter().any(|status| reason.contains(status));
            let message = format!(
                "the proxy that {} names does not connect: {reason}",
                proxy.unwrap_or("the environment")
            );
            if is_final {
                Failure::Final(other(message))
            } else {
                again(message)
            }
        }
        ureq::Error::Timeout(_) => again(silent(settings)),
        ureq::Error::Rustls(error) => Failure::Final(insecure(&error)),
        ureq::Error::Io(error) => match error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>()) {
            Some(error) => Failure::Final(insecure(error)),
            None if error.kind() == io::ErrorKind::ConnectionRefused => again(match proxy {
                Some(variable) => format!("the proxy that {variable} names does not answer (connection refused)"),
                None => "no server answers (connection refused)".into(),
            }),
            None if is_unknown_host(&error) => no_host(),
            None => again(format!("the server cannot be reached: {error}")),
        },
        ureq::Error::ConnectionFailed => again("the server cannot be reached".into()),
        // It would answer the same again.
        ureq::Error::Protocol(error) => Failure::Final(other(format!(
            "the server does not keep to HTTP: {}",
            terminal(&error.to_string())
        ))),
        ureq::Error::Other(error) if error.is::<OutOfReach>() => Failure::Final(other(error.to_string())),
        ureq::Error::BadUri(_) | ureq::Error::Http(_) => Failure::Final(other("its address is malformed".into())),
        error => Failure::Final(other(format!("the server cannot be asked: {error}"))),
    }
}

/// Whether the system reports that there is no such host. It has no kind of error for that. A name that only cannot be
/// looked up now is another thing.
fn is_unknown_host(error: &io::Error) -> bool {
    let message = error.to_string();
    message.starts_with("failed to lookup address") && !message.contains("Temporary failure")
}

fn insecure(error: &rustls::Error) -> io::Error {
    match error {
        // rustls has no name of its own for it.
        rustls::Error::InvalidCertificate(reason) if reason.to_string().contains("CaUsedAsEndEntity") => other(
            "its certificate is not accepted: it is that of an authority, which cannot be a server's, even if \
             SSL_CERT_FILE names it; the server needs one that the authority has signed"
                .into(),
        ),
        rustls::Error::InvalidCertificate(reason) => other(format!(
            "its certificate is not accepted: {reason}; SSL_CERT_FILE names a file of certificates to trust"
        )),
        error => other(format!("the connection is not secure: {error}")),
    }
}

fn silent(settings: &Settings) -> String {
    format!("the server sends nothing for {} ms", settings.config.timeout_ms)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_without_a_host_is_not_looked_up_again() {
        let of = |message: &str| {
            let error = io::Error::other(format!("failed to lookup address information: {message}"));
            failure(ureq::Error::Io(error), None, &Settings::default())
        };
        for unknown in [
            "Name or service not known",
            "nodename nor servname provided, or not known",
        ] {
            let Failure::Final(error) = of(unknown) else {
                panic!("{unknown}")
            };
            assert_eq!(error.to_string(), "there is no host of this name");
        }
        assert!(matches!(of("Temporary failure in name resolution"), Failure::Again(..)));
    }
}
