//! `dehusk cluster --format sqlite`: runs and their clusters as one database.

use std::fs;

use rusqlite::Connection;

use crate::program::{Place, make};

/// Sixty words, of which some are the story's own.
fn story(name: &str, own: usize) -> String {
    let word = |i: usize| {
        if i < own {
            format!("own{i}{name}")
        } else {
            format!("word{i}")
        }
    };
    (0..60).map(word).collect::<Vec<_>>().join(" ")
}

fn two_nights(format: &str) -> Place {
    let place = Place::new();
    let page = |host: &str, text: &str| make::page(&format!("https://{host}.example/"), text);
    place.write(
        "monday.warc",
        [page("a", &story("a", 0)), page("b", &story("b", 60))].concat(),
    );
    place.write(
        "tuesday.warc",
        [page("c", &story("c", 2)), make::filler(1, 100)].concat(),
    );
    for night in ["monday", "tuesday"] {
        let ended = place.dehusk(&["run", "-o", night, &format!("{night}.warc"), "--format", format]);
        assert_eq!(ended.status, 0, "{}", ended.stderr);
    }
    place
}

fn cluster(place: &Place, more: &[&str]) {
    let ended = place.dehusk(
        &[
            &["cluster", "monday", "tuesday", "-o", "near", "--format", "sqlite"],
            more,
        ]
        .concat(),
    );
    assert_eq!((ended.status, ended.stderr.as_str()), (0, ""));
}

fn rows(database: &Connection, query: &str) -> Vec<(String, i64)> {
    let mut statement = database.prepare(query).unwrap();
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
    rows.map(Result::unwrap).collect()
}

#[test]
fn a_database_has_the_runs_and_their_clusters() {
    let place = two_nights("jsonl");
    cluster(&place, &[]);
    assert_eq!(
        place.names("near"),
        ["clusters.json", "clusters.jsonl", "clusters.sqlite"]
    );
    let database = Connection::open(place.path("near/clusters.sqlite")).unwrap();
    let expect = |query: &str, expected: &[(&str, i64)]| {
        let expected: Vec<(String, i64)> = expected.iter().map(|(name, n)| ((*name).to_owned(), *n)).collect();
        assert_eq!(rows(&database, query), expected, "{query}");
    };
    expect(
        "SELECT url, size FROM documents JOIN clusters USING (id) ORDER BY number",
        &[
            ("https://a.example/", 2),
            ("https://b.example/", 1),
            ("https://c.example/", 2),
        ],
    );
    expect(
        "SELECT url, number FROM search JOIN documents ON number = search.rowid WHERE search MATCH 'own1c'",
        &[("https://c.example/", 3)],
    );
    expect(
        "SELECT run, last FROM shards ORDER BY first",
        &[("monday", 2), ("tuesday", 3)],
    );
    expect(
        "SELECT run, records FROM ledger WHERE class = 'emitted' ORDER BY run",
        &[("monday", 2), ("tuesday", 1)],
    );
    expect(
        "SELECT reason, records FROM ledger WHERE class = 'filtered'",
        &[("mime", 1)],
    );
}

#[test]
fn it_is_the_same_whatever_format_the_runs_have() {
    let contents = |format: &str| {
        let place = two_nights(format);
        cluster(&place, &[]);
        let database = Connection::open(place.path("near/clusters.sqlite")).unwrap();
        let query = "SELECT cluster || text, number FROM documents JOIN clusters USING (id) ORDER BY number";
        rows(&database, query)
    };
    assert_eq!(contents("jsonl"), contents("sqlite"));
}

#[test]
fn a_shard_that_is_converted_is_that_of_a_direct_run() {
    let place = two_nights("jsonl");
    let sqlite = ["run", "monday.warc", "--format", "sqlite", "-o"];
    assert_eq!(place.dehusk(&[&sqlite[..], &["direct"]].concat()).status, 0);
    let since = place.dehusk(&[&sqlite[..], &["since", "--since", "monday"]].concat());
    assert_eq!(since.status, 0, "{}", since.stderr);
    let shard = |run: &str| fs::read(place.path(&format!("{run}/documents/monday.sqlite"))).unwrap();
    assert!(shard("since") == shard("direct"));
}

#[test]
fn a_database_of_other_clusters_does_not_stay() {
    let place = two_nights("jsonl");
    cluster(&place, &[]);
    let first = fs::read(place.path("near/clusters.sqlite")).unwrap();
    cluster(&place, &["--overwrite"]);
    assert!(fs::read(place.path("near/clusters.sqlite")).unwrap() == first);
    let ended = place.dehusk(&["cluster", "monday", "-o", "near", "--overwrite"]);
    assert_eq!(ended.status, 0, "{}", ended.stderr);
    assert!(!place.path("near/clusters.sqlite").exists());
}
