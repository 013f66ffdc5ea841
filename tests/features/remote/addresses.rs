//! Addresses that servers name: ports, and servers of one's own network.

use super::{archive, archives, ends, holds_none, runs};
use crate::program::Place;
use crate::server::{Reply, Server, file};

/// A proxy behind which every server answers alike. It gives the archive, redirects, and lists.
fn public(redirect: &str, list: &str) -> Server {
    let (redirect, list) = (redirect.to_owned(), list.to_owned());
    Server::start(move |asked, _| match (asked.method.as_str(), asked.path.as_str()) {
        ("CONNECT", _) => Reply::status(200),
        (_, "/redirected.warc.gz") => Reply::status(302).with("location", &redirect),
        (_, "/list") => Reply::text(list.clone()),
        _ => file(&archive(), "a", asked),
    })
}

/// Runs the program where every server is behind the proxy, but those of this machine.
fn runs_behind(proxy: &Server, arguments: &[&str]) -> (Place, crate::program::Ended) {
    let place = Place::new();
    let environment = [("http_proxy", &*proxy.root()), ("NO_PROXY", "127.0.0.1,localhost")];
    let ended = runs(&place, arguments, &environment);
    (place, ended)
}

const REFUSED: &str = "is no public address, and only a server has named it";

#[test]
fn a_port_that_there_cannot_be_is_refused() {
    for port in ["0", "65536", "65616", "99999999999999999999"] {
        for name in [
            format!("http://127.0.0.1:{port}/x.warc.gz"),
            format!("http://[::1]:{port}/x.warc.gz"),
        ] {
            let list = format!("@{name}");
            for arguments in [["run", &name, "-o", "out"], ["run", &list, "-o", "out"]] {
                let ended = ends(&Place::new(), &arguments, &[]);
                let why = "its port is none: it must be a number from 1 to 65535";
                assert!(ended.status != 0 && ended.stderr.contains(why), "{}", ended.stderr);
            }
        }
        let location = format!("http://127.0.0.1:{port}/x.warc.gz");
        let server = Server::start(move |_, _| Reply::status(302).with("location", &location));
        let ended = runs(&Place::new(), &[&server.url("/x.warc.gz")], &[]);
        assert!(
            ended.stderr.contains("the server redirects to a port that is none"),
            "{}",
            ended.stderr
        );
    }
    let ended = runs(&Place::new(), &["http://127.0.0.1:port/x.warc.gz"], &[]);
    assert!(
        ended.status == 1 && ended.stderr.contains("cannot be told"),
        "{}",
        ended.stderr
    );
}

#[test]
fn redirects_do_not_lead_into_ones_own_network() {
    let own = Server::of(&archive());
    let port = own.address().port();
    let first = "http://crawl.example/redirected.warc.gz";
    for location in [
        own.url("/x.warc.gz"),
        format!("http://localhost:{port}/x.warc.gz"),
        format!("http://127.1:{port}/x.warc.gz"),
        format!("http://[::ffff:127.0.0.1]:{port}/x.warc.gz"),
        "http://169.254.169.254/latest/meta-data/".to_owned(),
        "//10.0.0.1/x.warc.gz".to_owned(),
    ] {
        let proxy = public(&location, "");
        let (_, ended) = runs_behind(&proxy, &[first]);
        assert!(
            ended.status == 1 && ended.stderr.contains(REFUSED),
            "{location}: {}",
            ended.stderr
        );
        assert!(own.asked().is_empty(), "{location}");
        // Not through the proxy either: it was asked for the first name alone.
        let connected = proxy.asked().iter().filter(|asked| asked.method == "CONNECT").count();
        assert_eq!(connected, 1, "{location}");
    }
    let proxy = public(&own.url("/x.warc.gz"), "");
    let (place, ended) = runs_behind(&proxy, &[first, "--set", "remote.private=true"]);
    assert_eq!(ended.status, 0, "{}", ended.stderr);
    assert_eq!(archives(&place), [(first.to_owned(), "complete".to_owned())]);
    assert_eq!(own.asked().len(), 1);
}

#[test]
fn a_first_name_of_ones_own_network_leads_on_in_it() {
    let own = Server::of(&archive());
    let location = own.url("/x.warc.gz");
    let first = Server::start(move |asked, _| match asked.path.as_str() {
        "/list" => Reply::text(location.clone()),
        _ => Reply::status(302).with("location", &location),
    });
    let list = format!("@{}", first.url("/list"));
    for name in [first.url("/x.warc.gz"), list] {
        let ended = runs(&Place::new(), &[&name], &[]);
        assert_eq!(ended.status, 0, "{}", ended.stderr);
    }
    assert_eq!(own.asked().len(), 2);
}

#[test]
fn remote_lists_do_not_name_servers_of_ones_own_network() {
    let own = Server::of(&archive());
    let (inside, outside) = (own.url("/x.warc.gz"), "http://other.example/y.warc.gz");
    let lines = format!("{inside}\n{outside}\n/z.warc.gz\n");
    let list = "@http://lists.example/list";
    let expected = |state: &str| {
        let archive = |name: &str, state: &str| (name.to_owned(), state.to_owned());
        [
            archive(&inside, state),
            archive(outside, "complete"),
            archive("http://lists.example/z.warc.gz", "complete"),
        ]
    };
    let proxy = public("", &lines);
    let (place, ended) = runs_behind(&proxy, &[list]);
    assert!(ended.status == 1 && ended.stderr.contains(REFUSED), "{}", ended.stderr);
    assert_eq!(archives(&place), expected("failed"));
    // The account of that run does not make it a name of the user's.
    let environment = [("http_proxy", &*proxy.root()), ("NO_PROXY", "127.0.0.1")];
    let again = ends(&place, &["run", "--only-failed", "out", "-o", "again"], &environment);
    assert!(again.status == 1 && again.stderr.contains(REFUSED), "{}", again.stderr);
    let offsets = format!("{inside}\t0\n");
    let offsets = public("", &offsets);
    let (_, ended) = runs_behind(&offsets, &["--offsets", "http://lists.example/list"]);
    assert!(ended.status == 1 && ended.stderr.contains(REFUSED), "{}", ended.stderr);
    // A base is for names that are relative.
    let base = ["--offsets-base", "http://crawl.example"];
    let (_, ended) = runs_behind(
        &offsets,
        &[&["--offsets", "http://lists.example/list"][..], &base].concat(),
    );
    assert!(ended.status == 1 && ended.stderr.contains(REFUSED), "{}", ended.stderr);
    assert!(own.asked().is_empty());
    // A name that is an argument, too, is the user's own.
    let (place, ended) = runs_behind(&proxy, &[list, &inside]);
    assert_eq!(ended.status, 0, "{}", ended.stderr);
    assert_eq!(archives(&place), expected("complete"));
    let (place, ended) = runs_behind(&proxy, &[list, "--set", "remote.private=true"]);
    assert_eq!(ended.status, 0, "{}", ended.stderr);
    assert_eq!(archives(&place), expected("complete"));
}

#[test]
fn what_a_server_answers_is_not_quoted() {
    let server = Server::of(b"HUSH: this is the answer of a service of the network, and no archive.\n");
    let place = Place::new();
    let ended = runs(&place, &[&server.url("/x.warc.gz")], &[]);
    assert!(
        ended.status == 1
            && ended
                .stderr
                .contains("is not an archive but text; WARC, ARC and tar are read"),
        "{}",
        ended.stderr
    );
    holds_none(&place, &ended, &["HUSH"]);
}
