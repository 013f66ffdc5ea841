//! Reading over a network gives the same as reading a file.

use std::collections::HashSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use dehusk::report::{ArchiveState, RunState};
use dehusk::{ArchiveInput, RunOptions, Stop, documents};

use super::{config, local, make, members, quiet_run, records, run};
use crate::server::{End, Reply, Server, file};

#[test]
fn every_form_of_archive_gives_the_same_bytes_at_every_number_of_threads_and_size_of_parts() {
    let records = records(12, 200_000);
    for (name, bytes) in [
        ("plain.warc", records.concat()),
        ("members.warc.gz", make::each(&records, make::gzip)),
        ("frames.warc.zst", make::each(&records, make::zstd)),
        ("one.warc.gz", make::gzip(&records.concat())),
    ] {
        let mut config = config();
        let expected = local(&config, name, &bytes);
        let server = Server::of(&bytes);
        for (threads, part_bytes, read_ahead) in [(1, 2 << 20, 4), (2, 300_000, 2), (8, 70_001, 0), (3, 64 << 20, 1)] {
            config.set("run.threads", threads).unwrap();
            config.set("remote.part_bytes", part_bytes).unwrap();
            config.set("remote.read_ahead", read_ahead).unwrap();
            let ran = quiet_run(&config, &[server.url(&format!("/a/{name}")).into()]);
            assert_eq!(ran.report.exit_status(), 0, "{name}: {}", ran.report.archives[0].error);
            assert!(ran.shards == expected.shards, "{name}, {threads} threads");
            let input = ran.report.archives[0].input.as_ref().unwrap();
            assert_eq!((input.bytes, input.etag.as_str()), (bytes.len() as u64, "\"a\""));
        }
    }
}

#[test]
fn a_server_that_refuses_a_quarter_and_breaks_a_fifth_off_changes_no_byte() {
    let bytes = members();
    let served = bytes.clone();
    // With several threads, the turns of requests could refuse the same part again and again.
    let refused = Mutex::new(HashSet::new());
    let server = Server::start(move |asked, before| {
        let reply = file(&served, "a", asked);
        match before {
            n if n % 4 == 1 && refused.lock().unwrap().insert(asked.range()) => {
                Reply::status(503).with("retry-after", 0)
            }
            n if n % 5 == 2 => {
                let half = reply.body.len() / 2;
                reply.broken(half, End::Close)
            }
            _ => reply,
        }
    });
    let mut config = config();
    config.set("remote.part_bytes", 100_000).unwrap();
    let expected = local(&config, "x.warc.gz", &bytes);
    for threads in [1, 3] {
        config.set("run.threads", threads).unwrap();
        let ran = quiet_run(&config, &[server.url("/x.warc.gz").into()]);
        assert_eq!(ran.report.exit_status(), 0, "{}", ran.report.archives[0].error);
        assert!(ran.shards == expected.shards, "{threads} threads");
    }
    // A range that broke off was asked for again from the place of the break.
    let starts: Vec<_> = server
        .asked()
        .iter()
        .filter_map(|asked| Some(asked.range()?.0 % 100_000))
        .collect();
    assert!(starts.contains(&50_000), "{starts:?}");
    let asked = server.asked();
    assert!(
        asked
            .iter()
            .skip(1)
            .any(|asked| asked.header("if-match") == Some("\"a\""))
    );
}

#[test]
fn requests_name_the_program_and_keep_to_the_limit_at_a_time() {
    let bytes = members();
    let served = bytes.clone();
    let (now, most) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
    let (counted, highest) = (Arc::clone(&now), Arc::clone(&most));
    let server = Server::start(move |asked, _| {
        highest.fetch_max(counted.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
        let reply = file(&served, "a", asked);
        (0..100).for_each(|_| std::thread::yield_now());
        counted.fetch_sub(1, Ordering::SeqCst);
        reply
    });
    let mut config = config();
    config.set("remote.part_bytes", 50_000).unwrap();
    config.set("remote.read_ahead", 8).unwrap();
    config.set("remote.requests", 2).unwrap();
    config.set("run.threads", 4).unwrap();
    let inputs = ["/a.warc.gz", "/b.warc.gz", "/c.warc.gz"].map(|path| ArchiveInput::from(server.url(path)));
    let ran = quiet_run(&config, &inputs);
    assert_eq!((ran.report.exit_status(), ran.report.totals.ledger.emitted), (0, 36));
    assert!(most.load(Ordering::SeqCst) <= 2);
    let agent = concat!("dehusk/", env!("CARGO_PKG_VERSION"));
    assert!(
        server
            .asked()
            .iter()
            .all(|asked| asked.header("user-agent") == Some(agent))
    );
    // Each part of each archive is asked for once.
    let parts = (bytes.len() as f64 / 50_000.0).ceil() as usize;
    assert_eq!(server.asked().len(), 3 * parts);
}

#[test]
fn a_server_without_ranges_is_read_as_a_stream() {
    let bytes = members();
    let served = bytes.clone();
    let server = Server::start(move |_, _| Reply::text(served.clone()));
    let expected = local(&config(), "x.warc.gz", &bytes);
    let ran = quiet_run(&config(), &[server.url("/x.warc.gz").into()]);
    assert_eq!(ran.report.exit_status(), 0, "{}", ran.report.archives[0].error);
    assert_eq!(server.asked().len(), 1);
    let texts = |ran: &super::Ran| ran.report.totals.ledger.emitted;
    assert_eq!(texts(&ran), texts(&expected));
}

#[test]
fn empty_files_are_empty_archives() {
    let empty = Server::of(b"");
    let ran = quiet_run(&config(), &[empty.url("/x.warc.gz").into()]);
    let archive = &ran.report.archives[0];
    assert_eq!((archive.state, archive.error.as_str()), (ArchiveState::Complete, ""));
}

#[test]
fn redirects_are_followed_on_the_same_scheme() {
    let target = Server::of(&members());
    let to = target.url("/x.warc.gz?signature=SECRET");
    let server = Server::start(move |asked, _| match asked.path.as_str() {
        "/1" => Reply::status(302).with("location", "/with%20a space"),
        "/with%20a%20space" => Reply::status(302).with("location", &to),
        _ => Reply::status(301).with("location", "1"),
    });
    let url = server.url("/0").replace("http://", "http://user:PASSWORD@");
    let ran = quiet_run(&config(), &[url.into()]);
    assert_eq!(ran.report.exit_status(), 0, "{}", ran.report.archives[0].error);
    let authorization = |server: &Server| server.asked()[0].header("authorization").map(str::to_owned);
    assert_eq!(authorization(&server).as_deref(), Some("Basic dXNlcjpQQVNTV09SRA=="));
    // Credentials go to the server that they were named with, and nowhere else.
    assert_eq!(authorization(&target), None);
    let written = String::from_utf8_lossy(&ran.written);
    assert!(!written.contains("SECRET") && !written.contains("PASSWORD"));
    assert_eq!(ran.report.archives[0].path, server.url("/0"));
}

#[test]
fn a_request_to_stop_ends_every_wait() {
    let bytes = members();
    // The first request, or a later one, is put off, or never answered.
    for first in [0, 1] {
        for reply in [
            Reply::status(503).with("retry-after", 599),
            Reply::text("x").broken(0, End::Hang),
        ] {
            let (bytes, stop) = (bytes.clone(), Stop::default());
            let asked_to_stop = stop.clone();
            let server = Server::start(move |asked, before| {
                if before < first {
                    return file(&bytes, "a", asked);
                }
                asked_to_stop.request();
                reply.clone()
            });
            let inputs = [ArchiveInput::from(server.url("/x.warc.gz"))];
            let ran = run(&config(), &inputs, RunOptions::default().stop(&stop));
            assert_eq!(ran.report.state, RunState::Interrupted);
            assert_eq!(ran.report.archives[0].state, ArchiveState::Interrupted);
        }
    }
}

#[test]
fn an_iterator_reads_them_too() {
    let server = Server::of(&members());
    let inputs = [ArchiveInput::from(server.url("/x.warc.gz"))];
    let found = documents(&config(), inputs).unwrap();
    assert_eq!(found.filter_map(Result::ok).count(), 12);
}
