//! Servers that fail, lie or change their minds cost their own archive only.

use dehusk::ArchiveInput;
use dehusk::report::ArchiveState;

use super::{changed_later, config, fails, local, members, quiet_run};
use crate::server::{End, Reply, Server, file};

#[test]
fn no_server() {
    // A port that was just free.
    let address = std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    fails(
        &config(),
        &format!("http://{address}/x.warc.gz"),
        "no server answers (connection refused)",
    );
}

#[test]
fn refused_and_absent() {
    for (status, reason) in [
        (401, "the server refuses it (status 401)"),
        (403, "the server refuses it (status 403)"),
        (404, "there is nothing of this name (status 404)"),
        (416, "the server answers with status 416"),
        (418, "the server answers with status 418"),
    ] {
        let server = Server::start(move |_, _| Reply::status(status));
        assert_eq!(fails(&config(), &server.url("/x.warc.gz"), reason), 0);
        assert_eq!(server.asked().len(), 1, "{status} is not asked again");
    }
}

#[test]
fn a_server_that_is_never_ready_is_asked_so_often() {
    let mut config = config();
    config.set("remote.retries", 3).unwrap();
    let server = Server::start(|_, _| Reply::status(503));
    fails(
        &config,
        &server.url("/x.warc.gz"),
        "the server answers with status 503 (4 attempts)",
    );
    assert_eq!(server.asked().len(), 4);
    let server = Server::start(|_, _| Reply::status(429).with("retry-after", 100_000));
    fails(&config, &server.url("/x.warc.gz"), "asks to wait for 100000 seconds");
    assert_eq!(server.asked().len(), 1);
}

#[test]
fn a_wait_that_is_too_long_holds_up_no_other_archive() {
    let mut config = config();
    config.set("run.threads", 1).unwrap();
    for asked_for in [1_000, u64::MAX] {
        let bytes = members();
        let server = Server::start(move |asked, _| match asked.path.as_str() {
            "/busy.warc.gz" => Reply::status(503).with("retry-after", asked_for),
            _ => file(&bytes, "a", asked),
        });
        let inputs = ["/busy.warc.gz", "/good.warc.gz"].map(|path| ArchiveInput::from(server.url(path)));
        let ran = quiet_run(&config, &inputs);
        let states: Vec<_> = ran.report.archives.iter().map(|archive| archive.state).collect();
        assert_eq!(states, [ArchiveState::Failed, ArchiveState::Complete]);
        let expected = format!("asks to wait for {asked_for} seconds");
        let error = &ran.report.archives[0].error;
        assert!(error.contains(&expected), "{error}");
    }
}

/// The same server, which claims that its file has another size.
fn claims(reply: Reply, size: u64) -> Reply {
    let range = reply.headers.iter().find(|(name, _)| name == "content-range");
    match range.and_then(|(_, value)| value.split_once('/')) {
        Some((range, _)) if reply.status == 206 => {
            let range = format!("{range}/{size}");
            reply.with("content-range", range)
        }
        _ => reply,
    }
}

#[test]
fn what_cannot_be_had_is_not_asked_for_again_and_again() {
    let bytes = members();
    let whole = local(&config(), "x.warc.gz", &bytes).report.totals.ledger.emitted;
    let mut config = config();
    config.set("remote.retries", 1).unwrap();
    config.set("run.threads", 1).unwrap();
    for (size, status, reason) in [
        (1_000_000_000, 404, "it is gone since it was opened"),
        (1_000_000_000, 503, "the server answers with status 503 (2 attempts)"),
        (u64::MAX, 416, "it has changed while it was read"),
        (u64::MAX, 404, "it is gone since it was opened"),
    ] {
        let served = bytes.clone();
        let server = Server::start(move |asked, _| match asked.range() {
            Some((_, last)) if last < served.len() => claims(file(&served, "a", asked), size),
            _ => Reply::status(status),
        });
        let emitted = fails(&config, &server.url("/x.warc.gz"), reason);
        assert!(0 < emitted && emitted <= whole, "{emitted} documents before it");
        // The file has 9 parts. Of those after, 33 can be on their way at a time: read ahead, of windows, and spare.
        let asked = server.asked().len();
        assert!(asked <= 9 + 2 * 33, "{asked} requests for {status}");
    }
}

#[test]
fn an_object_that_changes_or_shrinks() {
    let bytes = members();
    let (first, second) = (bytes.clone(), bytes.clone());
    let server = Server::start(move |asked, before| match before {
        0 => file(&first, "a", asked),
        _ => file(&second, "b", asked),
    });
    fails(&config(), &server.url("/x.warc.gz"), "it has changed while it was read");
    // A server that does not look at the condition.
    let server = changed_later(&bytes, |reply, _| reply.with("etag", "\"b\""));
    fails(&config(), &server.url("/x.warc.gz"), "it has changed while it was read");
    // A server without tags, whose file becomes shorter.
    let short = bytes[..700_000].to_vec();
    let long = bytes.clone();
    let server = Server::start(move |asked, before| {
        let bytes = if before == 0 { &long } else { &short };
        file(bytes, "a", asked).without("etag")
    });
    fails(&config(), &server.url("/x.warc.gz"), "it has changed while it was read");
    let server = changed_later(&bytes, |_, _| Reply::status(404));
    fails(&config(), &server.url("/x.warc.gz"), "it is gone since it was opened");
    let server = changed_later(&bytes, |_, _| Reply::status(403));
    fails(
        &config(),
        &server.url("/x.warc.gz"),
        "the server refuses it (status 403)",
    );
    let whole = bytes.clone();
    let server = changed_later(&bytes, move |_, _| Reply::text(whole.clone()).with("etag", "\"a\""));
    fails(
        &config(),
        &server.url("/x.warc.gz"),
        "the server no longer answers with ranges",
    );
}

#[test]
fn more_or_less_than_was_promised() {
    let bytes = members();
    let server = changed_later(&bytes, |reply, _| {
        let promised = reply.body.len() + 1;
        Reply {
            promised: Some(promised),
            end: End::Close,
            ..reply
        }
    });
    fails(&config(), &server.url("/x.warc.gz"), "bytes for a range of");
    let server = changed_later(&bytes, |reply, _| {
        let body = format!("{:x}\r\n", reply.body.len() + 1).into_bytes();
        let body = [&body[..], &reply.body, b"!\r\n0\r\n\r\n"].concat();
        Reply { body, ..reply }.with("transfer-encoding", "chunked")
    });
    fails(&config(), &server.url("/x.warc.gz"), "the server sends more than the");
    let mut config = config();
    config.set("remote.retries", 2).unwrap();
    let server = changed_later(&bytes, |reply, _| reply.broken(0, End::Close));
    fails(
        &config,
        &server.url("/x.warc.gz"),
        "its body breaks off after 0 bytes (3 attempts)",
    );
    let server = changed_later(&bytes, |reply, _| reply.with("content-range", "bytes 1-2/3"));
    fails(&config, &server.url("/x.warc.gz"), "it has changed while it was read");
    let size = bytes.len();
    let server = changed_later(&bytes, move |reply, _| {
        reply.with("content-range", format!("bytes 1-2/{size}"))
    });
    fails(
        &config,
        &server.url("/x.warc.gz"),
        "the server sends the bytes 1 to 2 where",
    );
    let server = changed_later(&bytes, |reply, _| reply.without("content-range"));
    fails(
        &config,
        &server.url("/x.warc.gz"),
        "the server does not say which bytes it sends",
    );
}

#[test]
fn a_stream_that_breaks_off_keeps_what_came_before() {
    let bytes = members();
    let server = Server::start(move |_, _| {
        let half = bytes.len() / 2;
        Reply::text(bytes.clone()).broken(half, End::Close)
    });
    let emitted = fails(
        &config(),
        &server.url("/x.warc.gz"),
        "the server answers with no ranges",
    );
    assert!(emitted > 0);
}

#[test]
fn a_body_that_never_ends() {
    let mut config = config();
    // Long enough for all answers that do come.
    config.set("remote.timeout_ms", 1000).unwrap();
    config.set("remote.retries", 2).unwrap();
    let bytes = members();
    for after in [0, 10] {
        let served = bytes.clone();
        let server = Server::start(move |asked, _| match asked.range() {
            Some((0, _)) => file(&served, "a", asked),
            _ => file(&served, "a", asked).broken(after, End::Hang),
        });
        let reason = format!("the server sends no more after {after} bytes (3 attempts)");
        fails(&config, &server.url("/x.warc.gz"), &reason);
    }
    let stream = Server::start(move |_, _| Reply::text(bytes.clone()).broken(100, End::Hang));
    fails(
        &config,
        &stream.url("/x.warc.gz"),
        "the server sends no more after 100 bytes",
    );
}

#[test]
fn answers_of_a_byte_each_are_given_up() {
    let mut config = config();
    config.set("remote.retries", 3).unwrap();
    let server = changed_later(&members(), |reply, asked| {
        let size = reply.headers.iter().find(|(name, _)| name == "content-range");
        let size = size.and_then(|(_, range)| range.rsplit('/').next()).unwrap().to_owned();
        let (first, _) = asked.range().unwrap();
        let body = reply.body[..1].to_vec();
        Reply { body, ..reply }.with("content-range", format!("bytes {first}-{first}/{size}"))
    });
    fails(
        &config,
        &server.url("/x.warc.gz"),
        "the server has sent 4 of 300000 bytes, and no more (4 attempts)",
    );
}

#[test]
fn an_answer_that_is_encoded_on_its_way() {
    let bytes = members();
    let with = |coding: &'static str, stored: &'static str| {
        let bytes = bytes.clone();
        Server::start(move |_, _| {
            let reply = Reply::text(bytes.clone()).with("content-encoding", coding);
            reply.with("x-goog-stored-content-encoding", stored)
        })
    };
    for (coding, stored, reason) in [
        (
            "gzip",
            "",
            "the server sends it with Content-Encoding “gzip”, which was not asked for",
        ),
        ("br", "identity", "the server sends it with Content-Encoding “br”"),
        (
            "",
            "gzip",
            "the server decodes it on its way, for it is stored with Content-Encoding “gzip”",
        ),
    ] {
        let server = with(coding, stored);
        assert_eq!(fails(&config(), &server.url("/x.warc"), reason), 0);
        assert_eq!(server.asked().len(), 1);
        assert_eq!(server.asked()[0].header("accept-encoding"), Some("identity"));
    }
    // Stored with it: in a range the coding is that of the stored bytes, as in a whole file of Google's.
    let in_ranges = bytes.clone();
    let in_ranges = Server::start(move |asked, _| file(&in_ranges, "a", asked).with("content-encoding", "gzip"));
    for server in [in_ranges, with("gzip", "gzip"), with("identity", "")] {
        let ran = quiet_run(&config(), &[server.url("/x.warc.gz").into()]);
        assert_eq!(ran.report.exit_status(), 0, "{}", ran.report.archives[0].error);
        assert_eq!(ran.report.totals.ledger.emitted, 12);
    }
}

#[test]
fn a_name_with_a_star() {
    let server = Server::start(|_, _| Reply::status(404));
    let reason = "there is nothing of this name (status 404); over HTTP there are no globs";
    fails(&config(), &server.url("/*.warc.gz"), reason);
}

#[test]
fn a_redirect_to_another_scheme_or_to_nowhere() {
    for (location, reason) in [
        ("https://127.0.0.1/x", "redirects to another scheme, “https”"),
        ("file:///etc/passwd", "redirects to another scheme, “file”"),
        ("/again", "the server redirects more than 5 times"),
        ("http://a b/x", "the server redirects to an address that is malformed"),
    ] {
        let server = Server::start(move |_, _| Reply::status(302).with("location", location));
        fails(&config(), &server.url("/x.warc.gz"), reason);
    }
    let server = Server::start(|_, _| Reply::status(302));
    fails(
        &config(),
        &server.url("/x.warc.gz"),
        "the server redirects to nowhere (status 302)",
    );
}

#[test]
fn a_certificate_of_nobody_known() {
    let bytes = members();
    let server = crate::tls::start("good.pem", move |asked, _| file(&bytes, "a", asked));
    fails(&config(), &server.url("/x.warc.gz"), "its certificate is not accepted");
}

#[test]
fn a_malformed_header_is_asked_for_once() {
    for (name, value) in [("bad header", "x"), ("content-length", "many"), ("x", "a\u{1}b")] {
        let mut reply = Reply::text("x").with(name, value);
        reply
            .headers
            .push(("transfer-encoding".to_owned(), "identity".to_owned()));
        let server = Server::start(move |_, _| reply.clone());
        fails(&config(), &server.url("/x.warc.gz"), "the server does not keep to HTTP");
        assert_eq!(server.asked().len(), 1, "{name}");
    }
}

#[test]
fn a_server_of_something_else() {
    let mut config = config();
    config.set("remote.retries", 1).unwrap();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().map_while(Result::ok) {
            let _ = std::io::Write::write_all(&mut stream, b"220 mail.example ESMTP\r\n");
        }
    });
    fails(&config, &format!("http://{address}/x.warc.gz"), "the server");
    // A page instead of an archive.
    let server = Server::of(b"<!doctype html><title>Not found</title><p>There is nothing here.");
    fails(&config, &server.url("/x.warc.gz"), "is not an archive but an HTML page");
}
