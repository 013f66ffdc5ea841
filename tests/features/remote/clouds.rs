//! Names of clouds, and the credentials for them.

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use ring::signature::{RSA_PKCS1_2048_8192_SHA256, UnparsedPublicKey};
use serde_json::{Value, json};

use super::{account, archive, archives, holds_none, runs};
use crate::program::Place;
use crate::server::{Asked, Reply, Server, file};

/// A bucket of these names, each an archive, in a path `/bucket/`; `style` makes the answer to a listing.
fn bucket(names: &'static [&'static str], style: fn(&[&str], Option<&str>) -> String) -> Server {
    let bytes = archive();
    Server::start(move |asked, _| {
        let value = |name: &str| {
            let mut pairs = asked.query.split('&').filter_map(|pair| pair.split_once('='));
            pairs
                .find(|(known, _)| *known == name)
                .map(|(_, value)| value.replace("%2F", "/"))
        };
        if let Some(prefix) = value("prefix") {
            let found: Vec<&str> = names.iter().copied().filter(|name| name.starts_with(&prefix)).collect();
            // Two names in an answer.
            let mark = value("continuation-token")
                .or(value("marker"))
                .map_or(0, |mark| mark.parse().unwrap());
            let page = &found[mark..found.len().min(mark + 2)];
            let next = (mark + 2 < found.len()).then(|| (mark + 2).to_string());
            return Reply::text(style(page, next.as_deref()));
        }
        let key = asked.path.rsplit_once("/bucket/").map_or("", |(_, key)| key);
        if names.contains(&key) {
            file(&bytes, "a", asked)
        } else {
            Reply::status(404)
        }
    })
}

const NAMES: &[&str] = &[
    "crawl/.hidden.warc.gz",
    "crawl/a.warc.gz",
    "crawl/b.warc.gz",
    "crawl/c.warc.gz.part",
    "crawl/deep/d.warc.gz",
    "crawl/notes.txt",
    "other/e.warc.gz",
];

fn s3_list(names: &[&str], mark: Option<&str>) -> String {
    let names: String = names
        .iter()
        .map(|name| format!("<Contents><Key>{name}</Key></Contents>"))
        .collect();
    let mark = mark.map_or_else(String::new, |mark| {
        format!("<NextContinuationToken>{mark}</NextContinuationToken>")
    });
    format!("<?xml version=\"1.0\"?><ListBucketResult><Name>bucket</Name>{names}{mark}</ListBucketResult>")
}

fn azure_list(names: &[&str], mark: Option<&str>) -> String {
    let names: String = names
        .iter()
        .map(|name| format!("<Blob><Name>{name}</Name></Blob>"))
        .collect();
    let mark = mark.unwrap_or_default();
    format!("<EnumerationResults><Blobs>{names}</Blobs><NextMarker>{mark}</NextMarker></EnumerationResults>")
}

/// The headers `Authorization` that a server was sent, each once.
fn authorizations(server: &Server) -> Vec<String> {
    let header = |asked: &Asked| asked.header("authorization").map(str::to_owned);
    let mut all: Vec<String> = server.asked().iter().filter_map(header).collect();
    all.sort();
    all.dedup();
    all
}

#[test]
fn prefixes_globs_and_names_of_s3() {
    let server = bucket(NAMES, s3_list);
    let environment = [
        ("AWS_ENDPOINT_URL_S3", server.root()),
        ("AWS_REGION", "eu-west-1".into()),
    ];
    let environment = environment.each_ref().map(|(name, value)| (*name, value.as_str()));
    for (named, found) in [
        (
            &["s3://bucket/crawl/"][..],
            &["crawl/a.warc.gz", "crawl/b.warc.gz", "crawl/deep/d.warc.gz"][..],
        ),
        (
            &["s3://bucket/crawl/*.warc.gz"],
            &["crawl/a.warc.gz", "crawl/b.warc.gz"],
        ),
        (
            &["s3://bucket/**/[de].warc.gz"],
            &["crawl/deep/d.warc.gz", "other/e.warc.gz"],
        ),
        (
            &["s3://bucket/other/e.warc.gz", "s3://bucket/other/"],
            &["other/e.warc.gz"],
        ),
    ] {
        let place = Place::new();
        let ended = runs(&place, named, &environment);
        assert_eq!(ended.status, 0, "{}", ended.stderr);
        let expected: Vec<_> = found
            .iter()
            .map(|key| (format!("s3://bucket/{key}"), "complete".to_owned()))
            .collect();
        assert_eq!(archives(&place), expected);
    }
    assert!(authorizations(&server).is_empty(), "anonymous");
    let place = Place::new();
    let ended = runs(&place, &["s3://bucket/nothing/"], &environment);
    assert_eq!(ended.status, 2);
    assert!(
        ended
            .stderr
            .contains("s3://bucket/nothing/: there is no archive of such a name"),
        "{}",
        ended.stderr
    );
}

#[test]
fn credentials_sign_and_are_never_shown() {
    // The one failing archive makes the program speak.
    let of_s3 = bucket(NAMES, s3_list);
    let of_google = bucket(NAMES, s3_list);
    let of_azure = bucket(NAMES, azure_list);
    let azure = format!(
        "DefaultEndpointsProtocol=http;AccountName=devstore;AccountKey=U0VDUkVULUtFWQ==;BlobEndpoint={}/devstore",
        of_azure.root()
    );
    for (names, server, environment, secrets, shown) in [
        (
            ["s3://bucket/crawl/", "s3://bucket/absent.warc.gz"],
            &of_s3,
            vec![
                ("AWS_ENDPOINT_URL", of_s3.root()),
                ("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE".into()),
                ("AWS_SECRET_ACCESS_KEY", "SECRET-KEY".into()),
                ("AWS_SESSION_TOKEN", "SECRET-TOKEN".into()),
            ],
            vec!["AKIDEXAMPLE", "SECRET-KEY", "SECRET-TOKEN"],
            "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/",
        ),
        (
            ["gs://bucket/crawl/", "gs://bucket/absent.warc.gz"],
            &of_google,
            vec![
                ("STORAGE_EMULATOR_HOST", of_google.root()),
                ("CLOUDSDK_AUTH_ACCESS_TOKEN", "SECRET-TOKEN".into()),
            ],
            vec!["SECRET-TOKEN"],
            "Bearer SECRET-TOKEN",
        ),
        (
            ["az://bucket/crawl/", "az://bucket/absent.warc.gz"],
            &of_azure,
            vec![("AZURE_STORAGE_CONNECTION_STRING", azure)],
            vec!["U0VDUkVULUtFWQ"],
            "SharedKey devstore:",
        ),
    ] {
        let environment: Vec<_> = environment
            .iter()
            .map(|(name, value)| (*name, value.as_str()))
            .collect();
        let place = Place::new();
        let ended = runs(&place, &names, &environment);
        assert_eq!(ended.status, 1, "{}", ended.stderr);
        assert!(
            ended
                .stderr
                .contains("absent.warc.gz: cannot be opened: there is nothing of this name"),
            "{}",
            ended.stderr
        );
        let states: Vec<String> = archives(&place).into_iter().map(|(_, state)| state).collect();
        assert_eq!(states, ["complete", "complete", "complete", "failed"]);
        let sent = authorizations(server);
        assert!(
            !sent.is_empty() && sent.iter().all(|value| value.starts_with(shown)),
            "{sent:?}"
        );
        holds_none(&place, &ended, &secrets);
    }
    // S3's token is sent beside the signature.
    assert!(
        of_s3
            .asked()
            .iter()
            .all(|asked| asked.header("x-amz-security-token") == Some("SECRET-TOKEN"))
    );
}

#[test]
fn credentials_that_cannot_be_used_are_named_and_not_shown() {
    let server = bucket(NAMES, s3_list);
    let root = server.root();
    let endpoints = [
        ("AWS_ENDPOINT_URL", &*root),
        ("STORAGE_EMULATOR_HOST", &*root),
        ("AZURE_STORAGE_SERVICE_ENDPOINT", &*root),
    ];
    let (id, secret) = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY");
    let control = "in the environment is not UTF-8 or holds a control character";
    for (name, environment, reason) in [
        (
            "s3://bucket/a",
            &[(id, "HUSHID")][..],
            format!("{id} is in the environment without {secret}"),
        ),
        (
            "s3://bucket/a",
            &[(secret, "HUSH")],
            format!("{secret} is in the environment without {id}"),
        ),
        (
            "s3://bucket/a",
            &[(id, "HUSH\nID"), (secret, "HUSH")],
            format!("{id} {control}"),
        ),
        (
            "s3://bucket/a",
            &[(id, "HUSHID"), (secret, "HUSH"), ("AWS_SESSION_TOKEN", "HUSH\rTOKEN")],
            format!("AWS_SESSION_TOKEN {control}"),
        ),
        (
            "gs://bucket/a",
            &[("CLOUDSDK_AUTH_ACCESS_TOKEN", "HUSH\nTOKEN")],
            format!("CLOUDSDK_AUTH_ACCESS_TOKEN {control}"),
        ),
        (
            "az://bucket/a",
            &[("AZURE_STORAGE_SAS_TOKEN", "sig=HUSH\n2")],
            format!("AZURE_STORAGE_SAS_TOKEN {control}"),
        ),
        (
            "az://bucket/a",
            &[("AZURE_STORAGE_ACCOUNT", "my-acct"), ("AZURE_STORAGE_KEY", "U0VDUkVU")],
            "names an account that cannot be".to_owned(),
        ),
    ] {
        let place = Place::new();
        let ended = runs(&place, &[name], &[&endpoints[..], environment].concat());
        assert!(ended.status == 1 && ended.stderr.contains(&reason), "{}", ended.stderr);
        holds_none(&place, &ended, &["HUSH", "U0VDUkVU"]);
    }
    assert!(server.asked().is_empty());
    // The end of line that a shell's file of variables leaves.
    let environment = [
        endpoints[0],
        (id, "AKIDEXAMPLE\n"),
        (secret, "HUSH\r\n"),
        ("AWS_SESSION_TOKEN", "TOKEN\n"),
    ];
    let ended = runs(&Place::new(), &["s3://bucket/crawl/a.warc.gz"], &environment);
    assert_eq!(ended.status, 0, "{}", ended.stderr);
}

#[test]
fn what_google_stores_with_an_encoding_is_read_as_it_is_stored() {
    let stored = archive();
    let length = stored.len();
    let server = Server::start(move |asked, _| {
        let reply = match asked.header("accept-encoding") {
            Some("gzip") => file(&stored, "a", asked).with("content-encoding", "gzip"),
            // Decoded, and without ranges.
            _ => Reply::text("WARC/1.0\r\n"),
        };
        reply.with("x-goog-stored-content-encoding", "gzip")
    });
    let place = Place::new();
    let root = server.root();
    let ended = runs(&place, &["gs://bucket/x.warc.gz"], &[("STORAGE_EMULATOR_HOST", &root)]);
    assert_eq!(ended.status, 0, "{}", ended.stderr);
    let archive = &account(&place)["archives"][0];
    assert_eq!(
        (&archive["emitted"], &archive["input"]["bytes"]),
        (&json!(4), &json!(length))
    );
}

/// The public half of the key of the tests' service account.
fn public_key() -> (String, Vec<u8>) {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/crates/testing/src/server/account.key");
    let pem = std::fs::read_to_string(path).unwrap();
    let key: String = pem.lines().filter(|line| !line.starts_with("-----")).collect();
    let key = ring::signature::RsaKeyPair::from_pkcs8(&STANDARD.decode(key).unwrap()).unwrap();
    (pem, key.public().as_ref().to_vec())
}

#[test]
fn a_service_account_and_a_user_of_google_get_a_token() {
    let (private, public) = public_key();
    let elsewhere = Server::start(|_, _| Reply::status(500));
    let moved = elsewhere.url("/token");
    let server = Server::start(move |asked, _| {
        if asked.path == "/moved" {
            return Reply::status(307).with("location", &moved);
        }
        if asked.path != "/token" {
            return match asked.header("authorization") {
                Some("Bearer SECRET-TOKEN") => file(&archive(), "a", asked),
                _ => Reply::status(401),
            };
        }
        let form = String::from_utf8(asked.body.clone()).unwrap();
        let is_good = match form.split_once("&assertion=") {
            Some((grant, claim)) => {
                let (text, signature) = claim.rsplit_once('.').unwrap();
                let claims = URL_SAFE_NO_PAD.decode(text.split_once('.').unwrap().1).unwrap();
                let claims: Value = serde_json::from_slice(&claims).unwrap();
                let key = UnparsedPublicKey::new(&RSA_PKCS1_2048_8192_SHA256, &public);
                let signature = URL_SAFE_NO_PAD.decode(signature).unwrap();
                grant == "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer"
                    && claims["iss"] == "robot@example"
                    && key.verify(text.as_bytes(), &signature).is_ok()
            }
            None => form == "grant_type=refresh_token&client_id=id&client_secret=s%26&refresh_token=SECRET-REFRESH",
        };
        if is_good {
            Reply::text(r#"{"access_token": "SECRET-TOKEN", "expires_in": 3600, "token_type": "Bearer"}"#)
        } else {
            Reply::status(400)
        }
    });
    let user = |token: &str, path: &str| json!({"type": "authorized_user", "client_id": "id", "client_secret": "s&", "refresh_token": token, "token_uri": server.url(path)});
    let robot = json!({
        "type": "service_account", "client_email": "robot@example", "private_key": private, "token_uri": server.url("/token")
    });
    for (credentials, failure) in [
        (robot, None),
        (user("SECRET-REFRESH", "/token"), None),
        (
            user("SECRET-OTHER", "/token"),
            Some("the credentials are refused (status 400)"),
        ),
        (
            user("SECRET-REFRESH", "/moved"),
            Some("token_uri redirects, which is not followed (status 307)"),
        ),
        (
            json!({"type": "external_account"}),
            Some("neither a service account nor a user's credentials"),
        ),
        (json!({"type": 3}), Some("the file holds no credentials")),
    ] {
        let place = Place::new();
        let path = place.write("credentials.json", credentials.to_string());
        let root = server.root();
        let environment = [
            ("GOOGLE_APPLICATION_CREDENTIALS", path.to_str().unwrap()),
            ("STORAGE_EMULATOR_HOST", root.as_str()),
        ];
        let before = server.asked().len();
        let ended = runs(
            &place,
            &["gs://bucket/a.warc.gz", "gs://bucket/b.warc.gz"],
            &environment,
        );
        match failure {
            None => {
                assert_eq!(ended.status, 0, "{}", ended.stderr);
                let tokens = server.asked()[before..]
                    .iter()
                    .filter(|asked| asked.path == "/token")
                    .count();
                assert_eq!(tokens, 1, "a token is used again");
            }
            Some(reason) => assert!(ended.status == 1 && ended.stderr.contains(reason), "{}", ended.stderr),
        }
        holds_none(
            &place,
            &ended,
            &["SECRET-TOKEN", "SECRET-REFRESH", "SECRET-OTHER", "PRIVATE KEY"],
        );
    }
    assert!(elsewhere.asked().is_empty(), "a form follows no redirect");
}
