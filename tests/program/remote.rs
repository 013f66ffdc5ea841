//! The program over a network: names of clouds, credentials of the environment, lists, and going on with a run.

use std::process::Command;

use serde_json::Value;

use crate::program::{Ended, Place, make};
use crate::server::{Asked, Reply, Server, file};

/// Settings that make small parts and hardly a wait.
const QUICK: [&str; 6] = [
    "--set",
    "remote.part_bytes=300000",
    "--set",
    "remote.requests_per_second=0",
    "--set",
    "remote.retry_ms=1",
];

/// What the environment may hold for clouds. A test's programs see only what it sets.
const VARIABLES: [&str; 25] = [
    "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "AWS_REGION",
    "AWS_DEFAULT_REGION",
    "AWS_ENDPOINT_URL",
    "AWS_ENDPOINT_URL_S3",
    "AZURE_STORAGE_ACCOUNT",
    "AZURE_STORAGE_ACCOUNT_NAME",
    "AZURE_STORAGE_KEY",
    "AZURE_STORAGE_ACCOUNT_KEY",
    "AZURE_STORAGE_SAS_TOKEN",
    "AZURE_STORAGE_SERVICE_ENDPOINT",
    "AZURE_STORAGE_CONNECTION_STRING",
    "CLOUDSDK_AUTH_ACCESS_TOKEN",
    "GOOGLE_APPLICATION_CREDENTIALS",
    "STORAGE_EMULATOR_HOST",
    "SSL_CERT_FILE",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "http_proxy",
    "https_proxy",
    "all_proxy",
    "no_proxy",
];

fn command(place: &Place, arguments: &[&str], environment: &[(&str, &str)]) -> Command {
    let mut command = place.command();
    for variable in VARIABLES {
        command.env_remove(variable);
    }
    command.args(crate::program::with_extractor(arguments));
    command.envs(environment.iter().copied());
    command
}

fn ends(place: &Place, arguments: &[&str], environment: &[(&str, &str)]) -> Ended {
    let command = command(place, arguments, environment);
    place.spawn(command, std::process::Stdio::null()).end()
}

/// Runs the program over archives.
fn runs(place: &Place, archives: &[&str], environment: &[(&str, &str)]) -> Ended {
    let arguments = [&["run"], archives, &["-o", "out"], &QUICK].concat();
    ends(place, &arguments, environment)
}

fn account(place: &Place) -> Value {
    serde_json::from_slice(&std::fs::read(place.path("out/run.json")).unwrap()).unwrap()
}

/// The paths and states of the archives of a run.
fn archives(place: &Place) -> Vec<(String, String)> {
    let account = account(place);
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let archive = |archive: &Value| (text(&archive["path"]), text(&archive["state"]));
    account["archives"].as_array().unwrap().iter().map(archive).collect()
}

fn archive() -> Vec<u8> {
    let records: Vec<Vec<u8>> = (0..4)
        .map(|i| make::page(&format!("https://a.example/{i}"), "Some words of a page."))
        .collect();
    make::each(&records, make::gzip)
}

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
        match names.contains(&key) {
            true => file(&bytes, "a", asked),
            false => Reply::status(404),
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

/// Checks that nothing that was written or said holds one of these.
fn holds_none(place: &Place, ended: &Ended, secrets: &[&str]) {
    let mut all = ended.stderr.clone();
    all.push_str(&String::from_utf8_lossy(&ended.stdout));
    let mut folders = vec![place.path("out")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().map(Result::unwrap) {
            match entry.path().is_dir() {
                true => folders.push(entry.path()),
                false => all.push_str(&String::from_utf8_lossy(&std::fs::read(entry.path()).unwrap())),
            }
        }
    }
    for secret in secrets {
        assert!(!all.contains(secret), "{secret}");
    }
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
fn signatures_and_passwords_in_names_are_never_shown() {
    let server = Server::start(|asked, _| match asked.query.contains("SECRET-SIGNATURE") {
        true => file(&archive(), "a", asked),
        false => Reply::status(403),
    });
    let place = Place::new();
    let with_user = server
        .url("/bad.warc.gz")
        .replace("http://", "http://user:SECRET-PASSWORD@");
    let signed = server.url("/good.warc.gz?X-Amz-Signature=SECRET-SIGNATURE");
    let ended = runs(&place, &[&signed, &with_user], &[]);
    assert_eq!(ended.status, 1, "{}", ended.stderr);
    let expected = [("/good.warc.gz", "complete"), ("/bad.warc.gz", "failed")];
    assert_eq!(
        archives(&place),
        expected.map(|(path, state)| (server.url(path), state.to_owned()))
    );
    let secrets = ["SECRET-SIGNATURE", "SECRET-PASSWORD"];
    holds_none(&place, &ended, &secrets);
    // Nor while a run is stopped, nor by other commands.
    for arguments in [
        vec!["inspect", &with_user],
        vec!["run", "x", "--offsets", &with_user, "-o", "out2"],
        vec!["run", &*format!("@{with_user}"), "-o", "out3"],
    ] {
        let ended = ends(&place, &arguments, &[]);
        assert!(
            ended.status != 0 && ended.stderr.contains("(status 403)"),
            "{}",
            ended.stderr
        );
        holds_none(&place, &ended, &secrets);
    }
}

#[test]
fn an_authority_of_ones_own_is_trusted_if_it_is_named() {
    let authority = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/support/server/authority.pem");
    let server = crate::tls::start(|asked, _| file(&archive(), "a", asked));
    let place = Place::new();
    let ended = runs(&place, &[&server.url("/x.warc.gz")], &[("SSL_CERT_FILE", authority)]);
    assert_eq!(ended.status, 0, "{}", ended.stderr);
    let named = server.url("/x.warc.gz");
    let ended = ends(&place, &["inspect", &named], &[("SSL_CERT_FILE", "absent.pem")]);
    assert!(
        ended.status == 1 && ended.stderr.contains("SSL_CERT_FILE absent.pem: cannot be read"),
        "{}",
        ended.stderr
    );
}

#[test]
fn lists_behind_a_network_name_paths_from_the_root() {
    let list = make::gzip(b"# a list\ncrawl/a.warc.gz\n\n/crawl/b.warc.gz\n");
    let server = Server::start(move |asked, _| match asked.path.as_str() {
        "/lists/warc.paths.gz" => Reply::text(list.clone()),
        "/crawl/a.warc.gz" | "/crawl/b.warc.gz" => file(&archive(), "a", asked),
        _ => Reply::status(404),
    });
    let place = Place::new();
    let ended = runs(&place, &[&format!("@{}", server.url("/lists/warc.paths.gz"))], &[]);
    assert_eq!(ended.status, 0, "{}", ended.stderr);
    let expected = ["/crawl/a.warc.gz", "/crawl/b.warc.gz"];
    assert_eq!(
        archives(&place),
        expected.map(|path| (server.url(path), "complete".to_owned()))
    );
}

#[test]
fn a_record_by_its_offset_costs_at_most_two_requests() {
    let records = [
        make::page("https://a.example/1", "One."),
        make::filler(2, 600_000),
        make::page("https://a.example/3", "Three."),
    ];
    let members = records.each_ref().map(|record| make::gzip(record));
    let (second, third) = (members[0].len(), members[0].len() + members[1].len());
    let bytes = members.concat();
    for (offset, url, requests) in [(second, "fill.example", 2), (third, "a.example/3", 1)] {
        let server = Server::of(&bytes);
        let place = Place::new();
        let ended = ends(
            &place,
            &["inspect", &format!("{}@{offset}", server.url("/x.warc.gz"))],
            &[],
        );
        assert_eq!(ended.status, 0, "{}", ended.stderr);
        assert!(String::from_utf8_lossy(&ended.stdout).contains(url));
        assert!(server.asked().len() <= requests, "{:?}", server.asked());
    }
    let server = Server::of(&bytes);
    let ended = ends(
        &Place::new(),
        &["inspect", &format!("{}@7", server.url("/x.warc.gz"))],
        &[],
    );
    assert!(
        ended.status == 1 && ended.stderr.contains("no record starts there"),
        "{}",
        ended.stderr
    );
}

#[test]
fn the_original_of_a_revisit_costs_one_request() {
    let records = [
        make::page("https://a.example/1", "One."),
        make::filler(2, 600_000),
        make::page("https://a.example/3", "Three."),
    ];
    let members = records.each_ref().map(|record| make::gzip(record));
    let third = members[0].len() + members[1].len();
    let fields = "WARC-Refers-To: <urn:test:response:https://a.example/3>\r\n";
    let revisit = make::record("revisit", "https://b.example/", fields, b"HTTP/1.1 200 OK\r\n\r\n");
    let (originals, revisits) = (members.concat(), make::gzip(&revisit));
    let server = Server::start(move |asked, _| match asked.path.as_str() {
        "/originals.warc.gz" => file(&originals, "o", asked),
        _ => file(&revisits, "r", asked),
    });
    let (originals, revisits) = (server.url("/originals.warc.gz"), server.url("/revisits.warc.gz"));
    let run = |place: &Place, more: &[&str]| {
        let before = server.asked().len();
        let ended = runs(place, &[&[&*originals, &*revisits], more].concat(), &[]);
        assert_eq!(ended.status, 0, "{}", ended.stderr);
        server.asked().split_off(before)
    };
    let without = run(&Place::new(), &[]);
    let place = Place::new();
    let with = run(&place, &["--resolve-revisits"]);
    assert_eq!(account(&place)["totals"]["notes"]["revisit_resolved"], 1);
    assert_eq!(account(&place)["totals"]["emitted"], 3);
    // Both archives twice, and the one record.
    assert_eq!(with.len(), 2 * without.len() + 1, "{with:?}");
    let of_record = with
        .iter()
        .filter(|asked| asked.range().is_some_and(|(start, _)| start == third));
    assert_eq!(of_record.count(), 1, "{with:?}");
}

#[test]
fn a_finished_run_asks_what_its_archives_are_now() {
    let tag = std::sync::Arc::new(std::sync::Mutex::new("a"));
    let current = std::sync::Arc::clone(&tag);
    let server = Server::start(move |asked, _| match *current.lock().unwrap() {
        "" => Reply::status(503),
        tag => file(&archive(), tag, asked),
    });
    let place = Place::new();
    let url = server.url("/x.warc.gz");
    assert_eq!(runs(&place, &[&url], &[]).status, 0);
    assert_eq!(account(&place)["archives"][0]["input"]["etag"], "\"a\"");
    let asked = server.asked().len();
    let ended = runs(&place, &[&url], &[]);
    assert_eq!((ended.status, server.asked().len()), (0, asked + 1), "{}", ended.stderr);
    *tag.lock().unwrap() = "b";
    let ended = runs(&place, &[&url], &[]);
    assert!(
        ended.stderr.contains("its tag (ETag) is \"b\", and was \"a\" before"),
        "{}",
        ended.stderr
    );
    // While the server is away, what was made stays.
    *tag.lock().unwrap() = "";
    let ended = runs(&place, &[&url, "--changed"], &[]);
    assert!(
        ended.stderr.contains("it cannot be asked for any more"),
        "{}",
        ended.stderr
    );
    assert_eq!(account(&place)["archives"][0]["emitted"], 4);
    *tag.lock().unwrap() = "b";
    assert_eq!(runs(&place, &[&url, "--changed"], &[]).status, 0);
    assert_eq!(account(&place)["archives"][0]["input"]["etag"], "\"b\"");
}
