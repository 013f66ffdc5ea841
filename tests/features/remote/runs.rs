//! Runs and single records over a network, and what is shown of names.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::{QUICK, account, archive, archives, ends, holds_none, runs};
use crate::program::{Place, make};
use crate::server::{Reply, Server, file};

#[test]
fn a_remote_list_of_offsets_costs_a_request_for_each_record() {
    let records = [
        make::page("https://a.example/1", "One."),
        make::page("https://a.example/2", "Two."),
    ];
    let members = records.each_ref().map(|record| make::gzip(record));
    let bytes = members.concat();
    let line = format!("/x.warc.gz\t{}\t{}\n", members[0].len(), members[1].len());
    let server = Server::start(move |asked, _| file(&bytes, "a", asked));
    let lines = format!("{}{line}", server.root());
    let lists = Server::start(move |_, _| Reply::text(lines.clone()));
    let place = Place::new();
    let ended = runs(&place, &["--offsets", &lists.url("/list?SECRET")], &[]);
    assert_eq!(ended.status, 0, "{}", ended.stderr);
    assert_eq!(account(&place)["archives"][0]["emitted"], 1);
    assert_eq!((server.asked().len(), lists.asked().len()), (1, 1));
    holds_none(&place, &ended, &["SECRET"]);
}

#[test]
fn signatures_and_passwords_in_names_are_never_shown() {
    let server = Server::start(|asked, _| {
        if asked.query.contains("SECRET-SIGNATURE") {
            file(&archive(), "a", asked)
        } else {
            Reply::status(403)
        }
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
fn names_whose_credentials_are_unclear_or_are_not_read_are_refused_and_not_shown() {
    let server = Server::start(|_, _| Reply::status(500));
    let root = server.root();
    let in_path = root.replace("http://", "http://user:HUSH/WORD@") + "/x.warc.gz";
    let in_query = root.replace("http://", "http://user:HUSH?WORD@") + "/x.warc.gz";
    let unclear = "it cannot be told where its user and password end";
    let keys = "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment";
    for (name, reason) in [
        (&*in_path, unclear),
        (&*in_query, unclear),
        ("s3://AKIAHUSH:HUSH/WORD@bucket/x.warc.gz", keys),
        ("s3://AKIAHUSH:HUSHWORD@bucket/x.warc.gz", keys),
        ("s3://AKIAHUSH:HUSH/WORD@bucket/crawl/", keys),
        (
            "gs://HUSH@bucket/x.warc.gz",
            "set CLOUDSDK_AUTH_ACCESS_TOKEN or GOOGLE_APPLICATION_CREDENTIALS",
        ),
        ("az://acct:HUSH@c/x.warc.gz", "set AZURE_STORAGE_CONNECTION_STRING or"),
    ] {
        let list = format!("@{name}");
        for arguments in [
            vec!["run", name, "-o", "out"],
            vec!["run", &list, "-o", "out"],
            vec!["run", "x", "--offsets", name, "-o", "out"],
            vec!["inspect", name],
        ] {
            let place = Place::new();
            let environment = [("AWS_ENDPOINT_URL", &*root), ("STORAGE_EMULATOR_HOST", &*root)];
            let ended = ends(&place, &arguments, &environment);
            assert!(ended.status != 0 && ended.stderr.contains(reason), "{}", ended.stderr);
            holds_none(&place, &ended, &["HUSH", "WORD"]);
        }
    }
    assert!(server.asked().is_empty());
}

#[test]
fn a_proxy_that_is_of_no_use_is_not_gone_around() {
    let server = Server::of(&archive());
    let url = server.url("/x.warc.gz");
    let refusing = Server::start(|_, _| Reply::status(407));
    let (refuses, not_a_url) = (refusing.root(), "in the environment is no URL of a proxy of HTTP");
    // No server has a port of this number.
    let absent = "http://127.0.0.1:1";
    for (variable, value, reason) in [
        ("HTTPS_PROXY", "ftp://SECRET@127.0.0.1:1", not_a_url),
        ("http_proxy", "http://user:SECRET@", not_a_url),
        ("all_proxy", "http://127.0.0.1:SECRET", not_a_url),
        (
            "ALL_PROXY",
            "socks5://user:SECRET@127.0.0.1:1",
            "names a proxy of SOCKS, which is not supported",
        ),
        (
            "HTTP_PROXY",
            &refuses,
            "the proxy that HTTP_PROXY names does not connect",
        ),
        (
            "https_proxy",
            absent,
            "the proxy that https_proxy names does not answer (connection refused)",
        ),
    ] {
        let place = Place::new();
        let ended = runs(&place, &[&url], &[(variable, value)]);
        // A proxy that does not answer may do so later.
        let status = if value == absent { 5 } else { 1 };
        assert!(
            ended.status == status && ended.stderr.contains(reason) && ended.stderr.contains(variable),
            "{}",
            ended.stderr
        );
        holds_none(&place, &ended, &["SECRET"]);
    }
    assert!(server.asked().is_empty());
    // One that is not for this server.
    let ended = runs(
        &Place::new(),
        &[&url],
        &[("HTTP_PROXY", &refuses), ("NO_PROXY", "127.0.0.1")],
    );
    assert_eq!(ended.status, 0, "{}", ended.stderr);
}

#[test]
fn an_authority_of_ones_own_is_trusted_if_it_is_named() {
    let authority = concat!(env!("CARGO_MANIFEST_DIR"), "/crates/testing/src/server/authority.pem");
    let place = Place::new();
    for (certificate, reason) in [("expired.pem", "expired"), ("other_host.pem", "not valid for name")] {
        let server = crate::tls::start(certificate, |asked, _| file(&archive(), "a", asked));
        let ended = runs(&place, &[&server.url("/x.warc.gz")], &[("SSL_CERT_FILE", authority)]);
        let refused = format!("its certificate is not accepted: certificate {reason}");
        assert!(ended.status == 1 && ended.stderr.contains(&refused), "{}", ended.stderr);
        assert!(server.asked().is_empty(), "nothing is sent to such a server");
    }
    let server = crate::tls::start("good.pem", |asked, _| file(&archive(), "a", asked));
    let place = Place::new();
    let ended = runs(&place, &[&server.url("/x.warc.gz")], &[("SSL_CERT_FILE", authority)]);
    assert_eq!(ended.status, 0, "{}", ended.stderr);
    // A certificate that is its own authority, and named as that.
    let own = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/crates/testing/src/server/own_authority.pem"
    );
    let of_authority = crate::tls::start("own_authority.pem", |asked, _| file(&archive(), "a", asked));
    let ended = ends(&place, &["inspect", &of_authority.url("/x")], &[("SSL_CERT_FILE", own)]);
    assert!(
        ended.status == 1
            && ended
                .stderr
                .contains("it is that of an authority, which cannot be a server's"),
        "{}",
        ended.stderr
    );
    let named = server.url("/x.warc.gz");
    let ended = ends(&place, &["inspect", &named], &[("SSL_CERT_FILE", "absent.pem")]);
    assert!(
        ended.status == 1 && ended.stderr.contains("SSL_CERT_FILE absent.pem: cannot be read"),
        "{}",
        ended.stderr
    );
}

#[test]
fn settings_reach_lists_prefixes_and_lists_of_offsets() {
    let server = Server::start(|_, _| Reply::status(503));
    let (root, list) = (server.root(), server.url("/list"));
    for arguments in [
        &["run", &format!("@{list}")][..],
        &["run", "s3://bucket/crawl/"],
        &["run", "s3://bucket/*.warc.gz"],
        &["run", "--offsets", &list],
    ] {
        let before = server.asked().len();
        let arguments = [arguments, &["-o", "out", "--set", "remote.retries=0"]].concat();
        let ended = ends(&Place::new(), &arguments, &[("AWS_ENDPOINT_URL", &root)]);
        assert!(
            ended.stderr.contains("the server answers with status 503"),
            "{}",
            ended.stderr
        );
        assert_eq!(server.asked().len(), before + 1, "{arguments:?}");
    }
}

#[test]
fn lists_on_servers_name_paths_from_the_root() {
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

#[test]
fn a_network_that_is_down_has_a_status_of_its_own() {
    let place = Place::new();
    let is_down = Arc::new(AtomicBool::new(true));
    let shared = Arc::clone(&is_down);
    let server = Server::start(move |asked, _| {
        if shared.load(Ordering::Relaxed) {
            Reply::status(503)
        } else {
            file(&archive(), "a", asked)
        }
    });
    let names = [server.url("/a.warc.gz"), server.url("/b.warc.gz")];
    let names = names.each_ref().map(String::as_str);
    let ended = runs(&place, &names, &[]);
    assert!(
        ended.status == 5 && !ended.stderr.contains("--forget"),
        "{}",
        ended.stderr
    );
    assert_eq!(account(&place)["archives"][0]["unreachable"], true);
    // Something worse counts more.
    let ended = ends(
        &place,
        &[&["run", "-o", "worse", "missing.warc"], &names[..], &QUICK].concat(),
        &[],
    );
    assert_eq!(ended.status, 1, "{}", ended.stderr);
    let list = format!("@{}", server.url("/list"));
    let ended = ends(&place, &[&["run", "-o", "list", &list], &QUICK[..]].concat(), &[]);
    assert_eq!(ended.status, 5, "{}", ended.stderr);
    // It is up again, and the same command does the rest.
    is_down.store(false, Ordering::Relaxed);
    assert_eq!(runs(&place, &names, &[]).status, 0);
    assert_eq!(account(&place)["totals"]["emitted"], 8);
    // Of a finished archive nothing is known while its server is down, and nothing is lost.
    is_down.store(true, Ordering::Relaxed);
    let ended = runs(&place, &names, &[]);
    assert_eq!(ended.status, 5, "{}", ended.stderr);
}
