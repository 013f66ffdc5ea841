//! Azure's blob storage: signed by a shared key, by a shared access signature, or not at all.

use std::io;
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::sign::hmac_sha256;
use super::{Signer, endpoint, key, variable};
use crate::percent;
use crate::remote::client::{Header, Target, other};
use crate::remote::date;

/// The version of the service that is spoken to.
const VERSION: &str = "2021-08-06";

const CONNECTION: &str = "AZURE_STORAGE_CONNECTION_STRING";

/// What signs requests.
pub(crate) struct Credentials {
    account: String,
    /// `None` for anonymous requests, and those that a signature in the query signs.
    key: Option<Vec<u8>>,
}

/// What a key in a container asks for.
///
/// # Errors
/// The environment names no account, or is malformed.
pub(super) fn target(container: &str, object: &str) -> io::Result<Target> {
    let connection = variable(&[CONNECTION]).map_or_else(String::new, |(_, text)| text);
    let setting = |name: &str| {
        let parts = connection.split(';').filter_map(|part| part.split_once('='));
        let mut found = parts.filter(|(part, _)| part.eq_ignore_ascii_case(name));
        found.next().map(|(_, value)| value.to_owned())
    };
    let known = |names: &[&'static str], part: &str| variable(names).map(|(_, value)| value).or_else(|| setting(part));
    let account = known(&["AZURE_STORAGE_ACCOUNT", "AZURE_STORAGE_ACCOUNT_NAME"], "AccountName");
    let account = account.filter(|name| name.bytes().all(|byte| byte.is_ascii_alphanumeric()));
    let account =
        account.ok_or_else(|| other("AZURE_STORAGE_ACCOUNT in the environment must name the account".into()))?;
    let secret = known(&["AZURE_STORAGE_KEY", "AZURE_STORAGE_ACCOUNT_KEY"], "AccountKey");
    let secret = secret.map(|text| STANDARD.decode(text.trim())).transpose();
    let secret = secret.map_err(|_| other("the key of the account in the environment is not base64".into()))?;
    let signature = known(&["AZURE_STORAGE_SAS_TOKEN"], "SharedAccessSignature");
    let (scheme, host, path) = match known(&["AZURE_STORAGE_SERVICE_ENDPOINT"], "BlobEndpoint") {
        Some(url) => endpoint("the endpoint of AZURE_STORAGE", &url)?,
        None => ("https", format!("{account}.blob.core.windows.net"), String::new()),
    };
    let slash = if object.is_empty() { "" } else { "/" };
    Ok(Target {
        scheme,
        host,
        path: format!("{path}/{}{slash}{}", key(container), key(object)),
        signer: Signer::Azure(Arc::new(Credentials {
            account,
            key: secret.filter(|_| signature.is_none()),
        })),
        query: signature.map(|signature| signature.trim_start_matches('?').to_owned()),
    })
}

impl Credentials {
    /// The headers that sign a request.
    pub(super) fn headers(&self, method: &str, target: &Target, headers: &[Header], now: u64) -> Vec<Header> {
        let time = date::to_http(now);
        let mut new = vec![("x-ms-date", time.clone()), ("x-ms-version", VERSION.to_owned())];
        if let Some(key) = &self.key {
            let text = self.string_to_sign(method, target, headers, &time);
            let signature = STANDARD.encode(hmac_sha256(key, &text));
            new.push(("authorization", format!("SharedKey {}:{signature}", self.account)));
        }
        new
    }

    fn string_to_sign(&self, method: &str, target: &Target, headers: &[Header], time: &str) -> String {
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
                (
                    name.to_ascii_lowercase(),
                    String::from_utf8_lossy(&percent::decoded(value)).into_owned(),
                )
            })
            .collect();
        query.sort_unstable();
        let query: String = query.iter().map(|(name, value)| format!("\n{name}:{value}")).collect();
        let account = &self.account;
        let path = &target.path;
        // After the method: the coding, language, length, digest, type and date of a body; then conditions.
        format!(
            "{method}\n\n\n\n\n\n\n\n{matches}\n\n{unmodified}\n{range}\n\
             x-ms-date:{time}\nx-ms-version:{VERSION}\n/{account}{path}{query}"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_signed_has_the_lines_that_azure_expects() {
        let credentials = Credentials {
            account: "acct".into(),
            key: Some(b"k".to_vec()),
        };
        let target = Target {
            scheme: "https",
            host: "acct.blob.core.windows.net".into(),
            path: "/c".into(),
            query: Some("comp=list&prefix=a%2Fb&restype=container".into()),
            signer: Signer::None,
        };
        let headers = [("range", "bytes=0-9".to_owned()), ("if-match", "\"e\"".to_owned())];
        let text = credentials.string_to_sign("GET", &target, &headers, "Sun, 06 Nov 1994 08:49:37 GMT");
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
