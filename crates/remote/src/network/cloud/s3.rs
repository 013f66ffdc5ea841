//! S3 and services with the same protocol: requests that are signed by version 4 of AWS's signatures.

use std::io;
use std::sync::Arc;

use super::sign::{hex, hmac_sha256, sha256};
use super::{endpoint, key, variable};
use crate::network::addresses::Reach;
use crate::network::target::{Header, Sign, Target};
use crate::network::{Settings, date, other};

/// The region if the environment names none.
const REGION: &str = "us-east-1";

const ID: &str = "AWS_ACCESS_KEY_ID";
const SECRET: &str = "AWS_SECRET_ACCESS_KEY";

/// The keys that sign requests.
pub struct Keys {
    id: String,
    secret: String,
    /// Of temporary keys.
    token: Option<String>,
    region: String,
}

/// The target of a key in a bucket.
///
/// # Errors
/// The environment is malformed.
pub(super) fn target(bucket: &str, object: &str) -> io::Result<Target> {
    if !bucket
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || b"-._".contains(&byte))
    {
        return Err(other("its bucket has a name that no bucket can have".into()));
    }
    let region =
        variable(&["AWS_REGION", "AWS_DEFAULT_REGION"])?.map_or_else(|| REGION.to_owned(), |(_, region)| region);
    if !region.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-') {
        return Err(other("AWS_REGION in the environment is the name of no region".into()));
    }
    let object = key(object);
    let (scheme, host, path) = match variable(&["AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"])? {
        Some((name, url)) => {
            let (scheme, host, path) = endpoint(name, &url)?;
            (scheme, host, format!("{path}/{bucket}/{object}"))
        }
        // A certificate's star means one name without dots.
        None if bucket.contains('.') => (
            "https",
            format!("s3.{region}.amazonaws.com"),
            format!("/{bucket}/{object}"),
        ),
        None => (
            "https",
            format!("{bucket}.s3.{region}.amazonaws.com"),
            format!("/{object}"),
        ),
    };
    let (id, secret) = (variable(&[ID])?, variable(&[SECRET])?);
    let signer: Option<Arc<dyn Sign>> = match (id, secret) {
        (Some((_, id)), Some((_, secret))) => Some(Arc::new(Keys {
            id,
            secret,
            token: variable(&["AWS_SESSION_TOKEN"])?.map(|(_, token)| token),
            region,
        })),
        (None, None) => None,
        // Anonymous requests are not what was meant.
        (Some(_), None) => return Err(other(format!("{ID} is in the environment without {SECRET}"))),
        (None, Some(_)) => return Err(other(format!("{SECRET} is in the environment without {ID}"))),
    };
    Ok(Target {
        scheme,
        host,
        path,
        query: None,
        signer,
        reach: Reach::Any,
    })
}

impl Sign for Keys {
    fn sign(&self, method: &str, target: &Target, headers: &[Header], _: &Settings) -> io::Result<Vec<Header>> {
        Ok(self.headers(method, target, headers, date::now()))
    }
}

impl Keys {
    /// The headers that sign a request at a time, in seconds of Unix.
    fn headers(&self, method: &str, target: &Target, headers: &[Header], now: u64) -> Vec<Header> {
        let time = date::basic(now);
        let day = time.get(..8).unwrap_or_default();
        let empty = sha256("");
        let mut signed = vec![
            ("host", target.host.clone()),
            ("x-amz-content-sha256", empty.clone()),
            ("x-amz-date", time.clone()),
        ];
        signed.extend(self.token.iter().map(|token| ("x-amz-security-token", token.clone())));
        signed.extend(headers.iter().filter(|(name, _)| *name == "range").cloned());
        signed.sort_unstable_by_key(|(name, _)| *name);
        let names: Vec<&str> = signed.iter().map(|(name, _)| *name).collect();
        let names = names.join(";");
        let lines: String = signed
            .iter()
            .map(|(name, value)| format!("{name}:{}\n", value.trim()))
            .collect();
        let query = target.query.as_deref().unwrap_or_default();
        let request = format!("{method}\n{}\n{query}\n{lines}\n{names}\n{empty}", target.path);
        let scope = format!("{day}/{}/s3/aws4_request", self.region);
        let text = format!("AWS4-HMAC-SHA256\n{time}\n{scope}\n{}", sha256(&request));
        let mut signing = hmac_sha256(format!("AWS4{}", self.secret).as_bytes(), day);
        for part in [&self.region, "s3", "aws4_request"] {
            signing = hmac_sha256(&signing, part);
        }
        let signature = hex(&hmac_sha256(&signing, &text));
        let id = &self.id;
        let authorization =
            format!("AWS4-HMAC-SHA256 Credential={id}/{scope},SignedHeaders={names},Signature={signature}");
        let is_new = |(name, _): &Header| name.starts_with("x-amz-");
        let mut new: Vec<Header> = signed.into_iter().filter(is_new).collect();
        new.push(("authorization", authorization));
        new
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The keys of the examples in AWS's description of the signatures, “Examples: Signature Calculations”.
    fn keys() -> Keys {
        Keys {
            id: "AKIAIOSFODNN7EXAMPLE".into(),
            secret: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY".into(),
            token: None,
            region: "us-east-1".into(),
        }
    }

    fn signature(path: &str, query: Option<&str>, headers: &[Header]) -> String {
        let target = Target {
            scheme: "https",
            host: "examplebucket.s3.amazonaws.com".into(),
            path: path.into(),
            query: query.map(str::to_owned),
            signer: None,
            reach: Reach::Any,
        };
        let headers = keys().headers("GET", &target, headers, 1_369_353_600);
        let authorization = headers.iter().find(|(name, _)| *name == "authorization");
        let (_, signature) = authorization
            .and_then(|(_, value)| value.split_once("Signature="))
            .expect("one");
        signature.to_owned()
    }

    #[test]
    fn requests_are_signed_as_in_the_examples_of_aws() {
        assert_eq!(
            signature("/test.txt", None, &[("range", "bytes=0-9".into())]),
            "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"
        );
        assert_eq!(
            signature("/", Some("max-keys=2&prefix=J"), &[]),
            "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"
        );
    }
}
