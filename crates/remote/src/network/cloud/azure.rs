//! Azure's blob storage: signed by a shared key, by a shared access signature, or not at all.

use std::io;
use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use httpdate::fmt_http_date;
use percent_encoding::percent_decode_str;

use super::sign::hmac_sha256;
use super::{endpoint, key, variable};
use crate::network::addresses::Reach;
use crate::network::target::{Header, Sign, Target};
use crate::network::{Settings, date, other};

/// The version of the service that is spoken to.
const VERSION: &str = "2021-08-06";

const CONNECTION: &str = "AZURE_STORAGE_CONNECTION_STRING";
const ACCOUNTS: [&str; 2] = ["AZURE_STORAGE_ACCOUNT", "AZURE_STORAGE_ACCOUNT_NAME"];
const KEYS: [&str; 2] = ["AZURE_STORAGE_KEY", "AZURE_STORAGE_ACCOUNT_KEY"];
const SIGNATURE: &str = "AZURE_STORAGE_SAS_TOKEN";
const ENDPOINT: &str = "AZURE_STORAGE_SERVICE_ENDPOINT";

/// Where the names of accounts are found, unless a connection string sets another place.
const SUFFIX: &str = "core.windows.net";

/// The account of Azurite and of other emulators of Azure's storage, and its key, which is the same everywhere and no
/// secret. Microsoft publishes both.
const EMULATED_ACCOUNT: &str = "devstoreaccount1";
const EMULATED_KEY: &str = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";

/// The server of an emulator, unless a connection string names another one.
const EMULATOR: &str = "http://127.0.0.1";

/// The credentials that sign requests.
pub(crate) struct Credentials {
    /// The account, and its key. `None` for anonymous requests, and those that a signature in the query signs.
    shared_key: Option<(String, Vec<u8>)>,
}

/// The settings in a connection string: `Name=value`, separated by semicolons. The names are those of Azure's own
/// tools.
struct Connection(Vec<(String, String)>);

impl Connection {
    /// # Errors
    /// A part has no name.
    fn parse(text: &str) -> io::Result<Self> {
        let parts = text.split(';').map(str::trim).filter(|part| !part.is_empty());
        let pair = |part: &str| {
            let (name, value) = part.split_once('=')?;
            Some((name.trim().to_owned(), value.trim().to_owned()))
        };
        let parts: Option<_> = parts.map(pair).collect();
        // The string itself is a secret.
        let parts = parts.ok_or_else(|| other(format!("{CONNECTION} in the environment is malformed")))?;
        let given = Self(parts);
        let is_emulated = given.get("UseDevelopmentStorage");
        if is_emulated.is_some_and(|value| value.eq_ignore_ascii_case("true")) {
            Ok(given.of_emulator())
        } else {
            Ok(given)
        }
    }

    /// The full form of the short form for an emulator. The storage of blobs answers at its first port.
    fn of_emulator(self) -> Self {
        let server = self.get("DevelopmentStorageProxyUri");
        let server = server.as_deref().unwrap_or(EMULATOR).trim_end_matches('/');
        let meant = [
            ("AccountName", EMULATED_ACCOUNT.to_owned()),
            ("AccountKey", EMULATED_KEY.to_owned()),
            ("BlobEndpoint", format!("{server}:10000/{EMULATED_ACCOUNT}")),
        ];
        Self(meant.map(|(name, value)| (name.to_owned(), value)).into())
    }

    /// A setting that is not empty.
    fn get(&self, name: &str) -> Option<String> {
        let found = self.0.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.clone()).filter(|value| !value.is_empty())
    }
}

/// The target of requests for a key in a container. As for Azure's own tools, a connection string goes before single
/// variables, and a key before a signature.
///
/// # Errors
/// The environment names no account, or is malformed.
pub(super) fn target(container: &str, object: &str) -> io::Result<Target> {
    let value = |names: &[&'static str]| Ok(variable(names)?.map(|(_, value)| value));
    let (target, credentials) = target_by(value, container, object)?;
    Ok(Target {
        signer: Some(Arc::new(credentials)),
        ..target
    })
}

/// The target without its signer, and the credentials, where `variables` has the first of these variables that is set.
fn target_by(
    variables: impl Fn(&[&'static str]) -> io::Result<Option<String>>,
    container: &str,
    object: &str,
) -> io::Result<(Target, Credentials)> {
    let connection = Connection::parse(&variables(&[CONNECTION])?.unwrap_or_default())?;
    let or_variable = |setting: Option<String>, names: &[&'static str]| match setting {
        None => variables(names),
        set => Ok(set),
    };
    let account = or_variable(connection.get("AccountName"), &ACCOUNTS)?;
    let is_name = |name: &str| name.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let account = || {
        let reason = match &account {
            Some(name) if is_name(name) => return Ok(name.clone()),
            Some(_) => "names an account that cannot be, for the name of one has letters and digits alone",
            None => "must name the account",
        };
        Err(other(format!(
            "AZURE_STORAGE_ACCOUNT or {CONNECTION} in the environment {reason}"
        )))
    };
    let (key_of_account, signature) = match (connection.get("AccountKey"), connection.get("SharedAccessSignature")) {
        (None, None) => (variables(&KEYS)?, variables(&[SIGNATURE])?),
        in_connection => in_connection,
    };
    let shared_key = match &key_of_account {
        Some(text) => {
            let key = STANDARD.decode(text.trim());
            let key = key.map_err(|_| other("the key of the account in the environment is not base64".into()))?;
            Some((account()?, key))
        }
        None => None,
    };
    let signature = signature.filter(|_| shared_key.is_none());
    let (scheme, host, path) = match or_variable(connection.get("BlobEndpoint"), &[ENDPOINT])? {
        // It names the account, if the server wants to know that at all.
        Some(url) => endpoint("the endpoint of AZURE_STORAGE", &url)?,
        None => {
            let scheme = connection.get("DefaultEndpointsProtocol");
            let scheme = scheme.as_deref().unwrap_or("https");
            let suffix = connection.get("EndpointSuffix");
            let suffix = suffix.as_deref().unwrap_or(SUFFIX);
            endpoint(CONNECTION, &format!("{scheme}://{}.blob.{suffix}", account()?))?
        }
    };
    let slash = if object.is_empty() { "" } else { "/" };
    let target = Target {
        scheme,
        host,
        path: format!("{path}/{}{slash}{}", key(container), key(object)),
        signer: None,
        query: signature.map(|signature| signature.trim_start_matches('?').to_owned()),
        reach: Reach::Any,
    };
    Ok((target, Credentials { shared_key }))
}

impl Sign for Credentials {
    fn sign(&self, method: &str, target: &Target, headers: &[Header], _: &Settings) -> io::Result<Vec<Header>> {
        Ok(self.headers(method, target, headers, date::now()))
    }
}

impl Credentials {
    /// The headers that sign a request at a time, in seconds of Unix.
    fn headers(&self, method: &str, target: &Target, headers: &[Header], now: u64) -> Vec<Header> {
        let time = fmt_http_date(UNIX_EPOCH + Duration::from_secs(now));
        let mut new = vec![("x-ms-date", time.clone()), ("x-ms-version", VERSION.to_owned())];
        if let Some((account, key)) = &self.shared_key {
            let text = string_to_sign(account, method, target, headers, &time);
            let signature = STANDARD.encode(hmac_sha256(key, &text));
            new.push(("authorization", format!("SharedKey {account}:{signature}")));
        }
        new
    }
}

fn string_to_sign(account: &str, method: &str, target: &Target, headers: &[Header], time: &str) -> String {
    let header = |name: &str| {
        let found = headers.iter().find(|(known, _)| *known == name);
        found.map_or("", |(_, value)| value)
    };
    let (matches, unmodified, range) = (header("if-match"), header("if-unmodified-since"), header("range"));
    let mut query: Vec<(String, String)> = target
        .query
        .iter()
        .flat_map(|query| query.split('&'))
        .filter_map(|pair| pair.split_once('='))
        .map(|(name, value)| {
            let value = percent_decode_str(value).decode_utf8_lossy();
            (name.to_ascii_lowercase(), value.into_owned())
        })
        .collect();
    query.sort_unstable();
    let query: String = query.iter().map(|(name, value)| format!("\n{name}:{value}")).collect();
    let path = &target.path;
    // After the method: the coding, language, length, digest, type and date of a body; then conditions.
    format!(
        "{method}\n\n\n\n\n\n\n\n{matches}\n\n{unmodified}\n{range}\n\
             x-ms-date:{time}\nx-ms-version:{VERSION}\n/{account}{path}{query}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The address and the account with a key, or why there is none.
    fn asked(environment: &[(&str, &str)]) -> Result<(String, Option<String>), String> {
        let variables = |names: &[&'static str]| {
            let set = |name: &&str| environment.iter().find(|(known, _)| known == name);
            Ok(names.iter().find_map(set).map(|(_, value)| (*value).to_owned()))
        };
        let (target, credentials) = target_by(variables, "c", "a/b").map_err(|e| e.to_string())?;
        let account = credentials.shared_key.as_ref().map(|(account, _)| account.clone());
        let query = target.query.map_or_else(String::new, |query| format!("?{query}"));
        Ok((
            format!("{}://{}{}{query}", target.scheme, target.host, target.path),
            account,
        ))
    }

    #[test]
    fn connection_strings_mean_what_they_mean_to_azures_tools() {
        for (connection, url, account) in [
            (
                "DefaultEndpointsProtocol=https;AccountName=acct;AccountKey=aw==;EndpointSuffix=core.chinacloudapi.cn",
                "https://acct.blob.core.chinacloudapi.cn/c/a/b",
                Some("acct"),
            ),
            (
                "accountname=acct;DefaultEndpointsProtocol=http;",
                "http://acct.blob.core.windows.net/c/a/b",
                None,
            ),
            (
                "BlobEndpoint=https://files.example/;QueueEndpoint=https://q.example/;SharedAccessSignature=sv=1&sig=a%3D=",
                "https://files.example/c/a/b?sv=1&sig=a%3D=",
                None,
            ),
            (
                "AccountName=acct;SharedAccessSignature=?sv=1&sig=x",
                "https://acct.blob.core.windows.net/c/a/b?sv=1&sig=x",
                None,
            ),
            (
                "BlobEndpoint=http://127.0.0.1:10000/acct;AccountName=acct;AccountKey=aw==;SharedAccessSignature=sv=1",
                "http://127.0.0.1:10000/acct/c/a/b",
                Some("acct"),
            ),
            (
                "UseDevelopmentStorage=true",
                "http://127.0.0.1:10000/devstoreaccount1/c/a/b",
                Some("devstoreaccount1"),
            ),
            (
                "usedevelopmentstorage=True;DevelopmentStorageProxyUri=http://azurite.example/",
                "http://azurite.example:10000/devstoreaccount1/c/a/b",
                Some("devstoreaccount1"),
            ),
            (
                "UseDevelopmentStorage=false;AccountName=acct",
                "https://acct.blob.core.windows.net/c/a/b",
                None,
            ),
        ] {
            // The values of the string go before other variables.
            let environment = [
                (CONNECTION, connection),
                (ACCOUNTS[0], "other"),
                (ENDPOINT, "https://other.example"),
            ];
            let environment = if connection.contains("BlobEndpoint") {
                &environment[..]
            } else {
                &environment[..2]
            };
            assert_eq!(
                asked(environment),
                Ok((url.to_owned(), account.map(str::to_owned))),
                "{connection}"
            );
        }
        let unsigned = [
            (CONNECTION, "AccountName=acct"),
            (KEYS[0], "aw=="),
            (SIGNATURE, "?sv=1"),
        ];
        let url = "https://acct.blob.core.windows.net/c/a/b".to_owned();
        assert_eq!(asked(&unsigned), Ok((url.clone(), Some("acct".to_owned()))));
        assert_eq!(asked(&[unsigned[0], unsigned[2]]), Ok((format!("{url}?sv=1"), None)));
    }

    #[test]
    fn the_key_of_an_emulator_signs_requests() {
        let connection = |_: &[&'static str]| Ok(Some("UseDevelopmentStorage=true".to_owned()));
        let (target, credentials) = target_by(connection, "c", "a").expect("a target");
        let headers = credentials.headers("GET", &target, &[], 0);
        let signed = headers.iter().find(|(name, _)| *name == "authorization");
        let (_, value) = signed.expect("a signature");
        assert!(value.starts_with("SharedKey devstoreaccount1:"), "{value}");
        // The path of an emulator names the account, and what is signed names it once more.
        let text = string_to_sign(EMULATED_ACCOUNT, "GET", &target, &[], "");
        assert!(text.ends_with("/devstoreaccount1/devstoreaccount1/c/a"), "{text}");
    }

    #[test]
    fn a_malformed_environment_is_named_and_not_shown() {
        for (environment, reason) in [
            (&[][..], "in the environment must name the account"),
            (
                &[(CONNECTION, "SECRET")],
                "AZURE_STORAGE_CONNECTION_STRING in the environment is malformed",
            ),
            (
                &[(CONNECTION, "AccountKey=aw==;BlobEndpoint=https://h")],
                "must name the account",
            ),
            (&[(ACCOUNTS[0], "my-acct")], "names an account that cannot be"),
            (&[(CONNECTION, "AccountName=a;AccountKey=SECRET!")], "is not base64"),
            (
                &[(CONNECTION, "BlobEndpoint=SECRET")],
                "the endpoint of AZURE_STORAGE in the environment is no URL of HTTP",
            ),
        ] {
            let error = asked(environment).expect_err("malformed");
            assert!(error.contains(reason) && !error.contains("SECRET"), "{error}");
        }
    }

    #[test]
    fn what_is_signed_has_the_lines_that_azure_expects() {
        let target = Target {
            scheme: "https",
            host: "acct.blob.core.windows.net".into(),
            path: "/c".into(),
            query: Some("comp=list&prefix=a%2Fb&restype=container".into()),
            signer: None,
            reach: Reach::Any,
        };
        let headers = [("range", "bytes=0-9".to_owned()), ("if-match", "\"e\"".to_owned())];
        let text = string_to_sign("acct", "GET", &target, &headers, "Sun, 06 Nov 1994 08:49:37 GMT");
        let expected = [
            "GET",
            "",
            "",
            "",
            "",
            "",
            "",
            "",
            "\"e\"",
            "",
            "",
            "bytes=0-9",
            "x-ms-date:Sun, 06 Nov 1994 08:49:37 GMT",
            "x-ms-version:2021-08-06",
            "/acct/c",
            "comp:list",
            "prefix:a/b",
            "restype:container",
        ];
        assert_eq!(text.split('\n').collect::<Vec<_>>(), expected);
    }
}
