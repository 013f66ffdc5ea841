//! Google's cloud storage by its XML interface: with a token, or anonymous.
//!
//! A token is in the environment, or is asked for with the credentials in a file: those of a service account sign a
//! claim, those of a user hold a token that can be renewed.

use std::env;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex};
use std::time::{Duration, Instant};

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use ring::rand::SystemRandom;
use ring::signature::{RSA_PKCS1_SHA256, RsaKeyPair};
use serde::Deserialize;
use serde_json::json;

use super::{component, endpoint, key, variable};
use crate::network::addresses::Reach;
use crate::network::target::{Header, Sign, Target};
use crate::network::{Settings, client, date, lock, other, retry};
use dehusk_documents::bounded;

/// The file of credentials.
const FILE: &str = "GOOGLE_APPLICATION_CREDENTIALS";

/// Largest file of credentials, and largest answer with a token, in bytes.
const LIMIT: u64 = 1 << 20;

/// The scope that a token is asked for.
const SCOPE: &str = "https://www.googleapis.com/auth/devstorage.read_only";

/// Where a user's token is renewed.
const TOKEN_URL: &str = "https://oauth2.googleapis.com/token";

/// How long a claim is good, in seconds.
const CLAIM_TIME: u64 = 3600;

/// A token is renewed so long before it ends.
const EARLY: Duration = Duration::from_secs(60);

/// The token of the process, and when it must be renewed.
static TOKEN: LazyLock<Mutex<Option<(String, Instant)>>> = LazyLock::new(Mutex::default);

/// Where a token comes from.
pub(crate) enum Credentials {
    Anonymous,
    Token(String),
    File(PathBuf),
}

/// The file of credentials.
#[derive(Deserialize)]
#[serde(tag = "type")]
enum Account {
    #[serde(rename = "service_account")]
    Service {
        client_email: String,
        private_key: String,
        token_uri: String,
    },
    #[serde(rename = "authorized_user")]
    User {
        client_id: String,
        client_secret: String,
        refresh_token: String,
        token_uri: Option<String>,
    },
    #[serde(other)]
    Unknown,
}

/// The target of a key in a bucket.
///
/// # Errors
/// The environment is malformed.
pub(super) fn target(bucket: &str, object: &str) -> io::Result<Target> {
    let (scheme, host, path) = match variable(&["STORAGE_EMULATOR_HOST"])? {
        Some((name, url)) => endpoint(name, &url)?,
        None => ("https", "storage.googleapis.com".to_owned(), String::new()),
    };
    let credentials = match (variable(&["CLOUDSDK_AUTH_ACCESS_TOKEN"])?, env::var_os(FILE)) {
        (Some((_, token)), _) => Credentials::Token(token),
        (None, Some(path)) if !path.is_empty() => Credentials::File(path.into()),
        _ => Credentials::Anonymous,
    };
    Ok(Target {
        scheme,
        host,
        path: format!("{path}/{}/{}", key(bucket), key(object)),
        query: None,
        signer: Some(Arc::new(credentials)),
        reach: Reach::Any,
    })
}

impl Sign for Credentials {
    /// The headers also ask for the stored bytes.
    fn sign(&self, _: &str, _: &Target, headers: &[Header], settings: &Settings) -> io::Result<Vec<Header>> {
        let token = match self {
            Self::Anonymous => None,
            Self::Token(token) => Some(token.clone()),
            Self::File(path) => Some(token(path, settings)?),
        };
        let mut new: Vec<Header> = Vec::new();
        new.extend(token.map(|token| ("authorization", format!("Bearer {token}"))));
        // An object that is stored with this encoding is decoded for a client that does not accept it, and then there
        // are no ranges of it. Nothing else is encoded on its way.
        if headers.iter().any(|(name, _)| *name == "range") {
            new.push(("accept-encoding", "gzip".to_owned()));
        }
        Ok(new)
    }
}

/// The token of the process, asked for if need be.
fn token(path: &Path, settings: &Settings) -> io::Result<String> {
    let mut known = lock(&TOKEN);
    if let Some((token, end)) = &*known
        && Instant::now() < *end
    {
        return Ok(token.clone());
    }
    let (token, lasts) = ask(path, settings).map_err(|e| other(format!("no token by {FILE}: {e}")))?;
    // A token whose end no clock can represent is asked for each time.
    *known = Instant::now()
        .checked_add(Duration::from_secs(lasts).saturating_sub(EARLY))
        .map(|end| (token.clone(), end));
    Ok(token)
}

fn ask(path: &Path, settings: &Settings) -> io::Result<(String, u64)> {
    let text = bounded::read_text(path, LIMIT)?;
    // The reason would show what the file holds.
    let account = serde_json::from_str(&text).map_err(|_| other("the file holds no credentials".into()))?;
    let (uri, form) = match account {
        Account::Service {
            client_email,
            private_key,
            token_uri,
        } => {
            let claim = claim(&client_email, &private_key, &token_uri)?;
            let grant = component("urn:ietf:params:oauth:grant-type:jwt-bearer");
            (token_uri, format!("grant_type={grant}&assertion={claim}"))
        }
        Account::User {
            client_id,
            client_secret,
            refresh_token,
            token_uri,
        } => {
            let [id, secret, token] = [client_id, client_secret, refresh_token].map(|text| component(&text));
            let form = format!("grant_type=refresh_token&client_id={id}&client_secret={secret}&refresh_token={token}");
            (token_uri.unwrap_or_else(|| TOKEN_URL.to_owned()), form)
        }
        Account::Unknown => {
            return Err(other(
                "the file holds neither a service account nor a user's credentials".into(),
            ));
        }
    };
    let (scheme, host, path) = endpoint("token_uri", &uri)?;
    let target = Target {
        scheme,
        host,
        path,
        query: None,
        signer: None,
        reach: Reach::Any,
    };
    let answer = retry::repeated(settings, || {
        let answer = client::post(&target, &form, settings)?;
        match answer.status {
            200 => answer.text(LIMIT),
            400 => Err(other("the credentials are refused (status 400)".into()).into()),
            status @ 300..=399 => {
                let message = format!("token_uri redirects, which is not followed (status {status})");
                Err(other(message).into())
            }
            _ => Err(answer.failure()),
        }
    })?;
    let answer: TokenResponse = serde_json::from_str(&answer).map_err(|_| other("the answer holds no token".into()))?;
    Ok((answer.access_token, answer.expires_in))
}

#[derive(Deserialize)]
struct TokenResponse {
    access_token: String,
    #[serde(default)]
    expires_in: u64,
}

/// A service account's claim to be itself: a JSON web token.
fn claim(account: &str, pem: &str, audience: &str) -> io::Result<String> {
    let malformed = || other("the private key in the file is malformed".into());
    let key: String = pem
        .lines()
        .filter(|line| !line.starts_with("-----"))
        .map(str::trim)
        .collect();
    let key = STANDARD.decode(key).map_err(|_| malformed())?;
    let key = RsaKeyPair::from_pkcs8(&key).map_err(|_| malformed())?;
    let now = date::now();
    let head = json!({"alg": "RS256", "typ": "JWT"}).to_string();
    let claims =
        json!({"iss": account, "scope": SCOPE, "aud": audience, "iat": now, "exp": now + CLAIM_TIME}).to_string();
    let text = format!("{}.{}", URL_SAFE_NO_PAD.encode(head), URL_SAFE_NO_PAD.encode(claims));
    let mut signature = vec![0; key.public().modulus_len()];
    let signed = key.sign(&RSA_PKCS1_SHA256, &SystemRandom::new(), text.as_bytes(), &mut signature);
    signed.map_err(|_| malformed())?;
    Ok(format!("{text}.{}", URL_SAFE_NO_PAD.encode(signature)))
}
