//! The reports of a run while it works and when it has ended: metrics, messages as JSON, and `report.html`.

use std::collections::BTreeMap;
use std::fs;

use serde_json::Value;

use crate::program::{Place, SAMPLE, make};

/// The lines of a file of metrics: name with labels, and value.
fn metrics(text: &str) -> BTreeMap<String, f64> {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let parsed = lines.map(|line| {
        let (name, value) = line.rsplit_once(' ').unwrap();
        (name.to_owned(), value.parse().unwrap())
    });
    parsed.collect()
}

#[test]
fn metrics_have_the_end_of_the_run() {
    let place = Place::new();
    let run = place.run(&[SAMPLE, "--metrics", "dehusk.prom"]).ends_with(3);
    let text = fs::read_to_string(place.path("dehusk.prom")).unwrap();
    let found = metrics(&text);
    assert_eq!(found["dehusk_exit_status"], 3.0);
    assert_eq!(found["dehusk_state{state=\"complete\"}"], 1.0);
    assert_eq!(found["dehusk_state{state=\"running\"}"], 0.0);
    assert_eq!(found["dehusk_archives_done_total"], 1.0);
    assert_eq!(found["dehusk_read_bytes_total"], run.total("bytes") as f64);
    assert_eq!(
        found["dehusk_records_total{class=\"emitted\",reason=\"\"}"],
        run.total("emitted") as f64
    );
    let records: f64 = found
        .iter()
        .filter(|(name, _)| name.starts_with("dehusk_records_total"))
        .map(|(_, n)| n)
        .sum();
    assert_eq!(records, run.total("framed") as f64);
    let failed = "dehusk_records_total{class=\"failed\",reason=\"gzip_data\"}";
    assert_eq!(found[failed], run.total("failed.gzip_data") as f64);
    for line in text.lines().filter(|line| line.starts_with("# TYPE ")) {
        assert!(line.ends_with(" counter") || line.ends_with(" gauge"), "{line}");
    }
    assert_eq!(place.names(""), ["dehusk.prom", "out"]);
}

#[test]
fn metrics_that_cannot_be_written_end_the_program_before_the_run() {
    let place = Place::new();
    let ended = place.dehusk(&["run", SAMPLE, "-o", "out", "--metrics", "missing/dehusk.prom"]);
    assert_eq!(ended.status, 1);
    assert!(
        ended.stderr.contains("there is no folder “missing”"),
        "{}",
        ended.stderr
    );
    assert!(!place.path("out").exists());
}

#[test]
fn metrics_replace_only_metrics_and_nothing_of_the_run() {
    let place = Place::new();
    let archive = make::page("https://a.example/", "Some words of a page.");
    place.write("a.warc", &archive);
    place.run(&["a.warc"]).ends_with(0);
    let report = fs::read(place.path("out/run.json")).unwrap();
    let names = place.names("out");
    for file in [
        "a.warc",
        "out",
        "out/run.json",
        "out/new.prom",
        "./out/../out/new.prom",
        "new/new.prom",
    ] {
        let output = if file.starts_with("new") { "new" } else { "out" };
        let ended = place.dehusk(&["run", "a.warc", "-o", output, "--metrics", file]);
        assert_eq!(ended.status, 2, "{file}: {}", ended.stderr);
        assert!(ended.stderr.contains("metrics"), "{file}: {}", ended.stderr);
    }
    assert_eq!(fs::read(place.path("a.warc")).unwrap(), archive);
    assert_eq!(fs::read(place.path("out/run.json")).unwrap(), report);
    assert_eq!(place.names("out"), names);
    // Those of an earlier run are replaced.
    for _ in 0..2 {
        place.run(&["a.warc", "--metrics", "dehusk.prom"]).ends_with(0);
    }
}

#[test]
fn metrics_show_that_a_run_was_refused() {
    let place = Place::new();
    place.write("a.warc", make::page("https://a.example/", "Some words of a page."));
    place.write("out/foreign", "not of a run");
    let ended = place.dehusk(&["run", "a.warc", "-o", "out", "--metrics", "dehusk.prom"]);
    assert_eq!(ended.status, 1, "{}", ended.stderr);
    let found = metrics(&fs::read_to_string(place.path("dehusk.prom")).unwrap());
    assert_eq!(found["dehusk_exit_status"], 1.0);
    assert_eq!(found["dehusk_state{state=\"failed\"}"], 1.0);
    assert_eq!(found["dehusk_state{state=\"running\"}"], 0.0);
}

#[test]
fn metrics_keep_the_last_run_until_the_next_has_ended() {
    let place = Place::new();
    place.run(&[SAMPLE, "--metrics", "dehusk.prom"]).ends_with(3);
    let pipe = place.pipe("pipe");
    let running = place.start(&["run", "pipe", "-o", "other", "--metrics", "dehusk.prom"]);
    // Opened by the run, which has written its metrics before.
    let open = fs::File::options().write(true).open(pipe).unwrap();
    let found = metrics(&fs::read_to_string(place.path("dehusk.prom")).unwrap());
    assert_eq!(found["dehusk_state{state=\"running\"}"], 1.0);
    assert!(!found.contains_key("dehusk_exit_status"));
    assert_eq!(found["dehusk_last_exit_status"], 3.0);
    assert_eq!(found["dehusk_last_records{class=\"emitted\"}"], 53.0);
    running.signal("INT");
    assert_eq!(running.end().status, 130);
    drop(open);
    let found = metrics(&fs::read_to_string(place.path("dehusk.prom")).unwrap());
    assert_eq!(found["dehusk_last_exit_status"], 130.0);
    assert_eq!(found["dehusk_last_records{class=\"emitted\"}"], 53.0);
    // A run whose arguments cannot be read leaves alone what is not of metrics, too.
    for (file, status) in [("dehusk.prom", Some(2.0)), ("pipe", None), ("out/new.prom", None)] {
        let arguments = ["run", "-o", "out", "--no-such-flag", SAMPLE, "--metrics", file];
        assert_eq!(place.dehusk(&arguments).status, 2);
        if let Some(status) = status {
            let found = metrics(&fs::read_to_string(place.path(file)).unwrap());
            assert_eq!(found["dehusk_last_exit_status"], status);
        }
    }
    assert!(!place.path("out/new.prom").exists());
}

/// The lines of standard error, which must all be objects with a time, a level and an event.
fn events(stderr: &str) -> Vec<Value> {
    let events: Vec<Value> = stderr.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for event in &events {
        let time = event["time"].as_str().unwrap();
        assert!(
            time.len() == 20 && time.ends_with('Z') && event["level"].is_string(),
            "{event}"
        );
    }
    events
}

#[test]
fn messages_are_json_if_asked_for() {
    let place = Place::new();
    let run = place.run(&[SAMPLE, "--log-format", "json"]).ends_with(3);
    let events = events(&run.ended.stderr);
    let names: Vec<&str> = events.iter().map(|e| e["event"].as_str().unwrap()).collect();
    assert_eq!(names, ["archive", "summary"]);
    assert_eq!(
        (&events[0]["state"], &events[0]["level"]),
        (&"damaged".into(), &"warning".into())
    );
    assert_eq!(events[1]["totals"], run.report["totals"]);
    assert_eq!(events[1]["exit_status"], 3);
    let quiet = place.run_to("quiet", &[SAMPLE, "--log-format", "json", "--quiet"]);
    assert_eq!(quiet.ended.stderr, "");
}

#[test]
fn a_run_that_cannot_begin_reports_it_as_json() {
    let place = Place::new();
    let ended = place.dehusk(&["run", "missing.warc", "-o", "out", "--log-format", "json"]);
    let events = events(&ended.stderr);
    assert_eq!((ended.status, events.len()), (1, 1));
    assert_eq!(
        (&events[0]["event"], &events[0]["exit_status"]),
        (&"failure".into(), &1.into())
    );
    assert!(
        events[0]["message"]
            .as_str()
            .unwrap()
            .contains("missing.warc: no such file")
    );
}

#[test]
fn a_run_leaves_a_page_that_needs_nothing_from_elsewhere() {
    let place = Place::new();
    let odd = make::page("https://a.example/<script>alert(1)</script>", "Words of a page.");
    place.write("odd<b>.warc", [&odd[..], b"what is this?\n", &odd[..]].concat());
    place.run(&["odd<b>.warc"]).ends_with(3);
    let html = fs::read_to_string(place.path("out/report.html")).unwrap();
    for part in [
        "<h1>Run: complete</h1>",
        "emitted",
        "<td><span class=\"bad\">damaged</span></td>",
        "odd&lt;b&gt;.warc",
        "https://a.example/&lt;script&gt;",
        "Slowest pages",
        "Languages",
        "Hosts",
        "a.example",
    ] {
        assert!(html.contains(part), "{part}");
    }
    for outside in ["<script", "src=", "href=", "@import", "url("] {
        assert!(!html.contains(outside), "{outside}");
    }
}

#[test]
fn the_account_of_a_run_has_its_times_its_end_its_failures_and_its_settings() {
    let place = Place::new();
    let run = place.run(&[SAMPLE, "missing.warc", "--min-words", "7"]).ends_with(1);
    assert_eq!(run.report["exit_status"], 1);
    let [started, ended] = ["started", "ended"].map(|key| run.report["timing"][key].as_str().unwrap().to_owned());
    assert!(
        started.len() == 20 && started.ends_with('Z') && started <= ended,
        "{started} {ended}"
    );
    let html = fs::read_to_string(place.path("out/report.html")).unwrap();
    for part in [
        "<p class=\"warning\">Exit status 1: ",
        &format!("<time datetime=\"{started}\">"),
        "<p class=\"warning\">missing.warc: no such file</p>",
        "<span class=\"bad\">gzip_data</span><br>The compressed data of the gzip member is damaged.",
        "<div class=\"fill bad\"",
        "<td>select.min_words</td><td><code>7</code></td><td><code>0</code></td>",
        "<p class=\"sideways\">",
    ] {
        assert!(html.contains(part), "{part}");
    }
    place.write("a.warc", make::page("https://a.example/", "Words of a page."));
    let run = place.run_to("good", &["a.warc"]).ends_with(0);
    assert_eq!(run.report["exit_status"], 0);
    let html = fs::read_to_string(place.path("good/report.html")).unwrap();
    assert!(html.contains("<p class=\"good\">Exit status 0: ") && !html.contains("<h2>Failures"));
}

#[test]
fn the_page_is_replaced_with_its_run() {
    let place = Place::new();
    place.run(&[SAMPLE]);
    place.write("a.warc", make::page("https://a.example/", "Words of a page."));
    place.run(&["a.warc", "--overwrite"]).ends_with(0);
    let html = fs::read_to_string(place.path("out/report.html")).unwrap();
    assert!(html.contains("a.warc") && !html.contains("sample.warc.gz"));
}
