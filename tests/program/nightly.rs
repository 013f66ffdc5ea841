//! The nightly script of `docs/operations` over a month, its unit, and its alerts.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::program::{Ended, Place, make};

fn operations(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/operations").join(name)
}

/// Runs the script as the service does, on this day.
fn night(place: &Place, day: &str, options: &[&str]) -> Ended {
    let mut command = place.shell_command("sh");
    command
        .arg(operations("nightly.sh"))
        .args(["in", "out"])
        .args(options)
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .env("DEHUSK", env!("CARGO_BIN_EXE_dehusk"))
        .env("DEHUSK_CONFIG", place.path("pipeline.toml"))
        .env("DEHUSK_METRICS", place.path("dehusk.prom"))
        .env("DAY", day);
    place.spawn(command, Stdio::null()).end()
}

fn metrics(place: &Place) -> BTreeMap<String, f64> {
    let text = fs::read_to_string(place.path("dehusk.prom")).unwrap();
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let parsed = lines.map(|line| line.rsplit_once(' ').unwrap());
    parsed
        .map(|(name, value)| (name.to_owned(), value.parse().unwrap()))
        .collect()
}

fn account(place: &Place, day: &str) -> Value {
    serde_json::from_slice(&fs::read(place.path(&format!("out/{day}/run.json"))).unwrap()).unwrap()
}

/// A place with a store, in which a page of one word is too short.
fn place() -> Place {
    let place = Place::new();
    let config = format!(
        "[extract]\nextractors = [\"coreex-modern\"]\n[select]\nmin_words = 2\nseen = {:?}\n",
        place.path("store")
    );
    place.write("pipeline.toml", config);
    fs::create_dir(place.path("in")).unwrap();
    place
}

/// Two new pages, and one that every night brings again.
fn good(day: &str) -> Vec<u8> {
    let page = |name: &str, text: &str| make::page(&format!("https://a.example/{name}"), text);
    [
        page("front", "The front page stays as it is."),
        page(&format!("{day}/1"), &format!("The first page of {day}.")),
        page(&format!("{day}/2"), &format!("The second page of {day}.")),
    ]
    .concat()
}

/// Makes an archive that was read unreadable, and leaves its size and time: who reads it again fails.
fn spoil(path: &Path) {
    let metadata = path.metadata().unwrap();
    fs::write(path, vec![b'x'; metadata.len() as usize]).unwrap();
    File::options()
        .write(true)
        .open(path)
        .unwrap()
        .set_modified(metadata.modified().unwrap())
        .unwrap();
}

/// The value that `DehuskFewDocuments` compares. The last lines of the test check that it is this expression.
fn emitted_share(metrics: &BTreeMap<String, f64>) -> f64 {
    let class = |name: &str| metrics[&format!("dehusk_last_records{{class=\"{name}\"}}")];
    class("emitted") / (class("emitted") + class("filtered") + class("failed"))
}

#[test]
fn a_month_of_nights_over_a_folder_that_grows() {
    let place = place();
    let mut before = None;
    for n in 1..=30u64 {
        let day = format!("2026-11-{n:02}");
        // From the 21st on the extraction finds next to nothing.
        let is_good = n <= 20;
        let bytes = if is_good {
            good(&day)
        } else {
            (0..30)
                .flat_map(|i| make::page(&format!("https://a.example/{day}/{i}"), &format!("word{n}x{i}")))
                .collect()
        };
        let archive = place.write(&format!("in/{day}.warc"), &bytes);
        let ended = night(&place, &day, &[]);
        assert_eq!(ended.status, 0, "{day}: {}", ended.stderr);
        // Of this night alone.
        let totals = account(&place, &day)["totals"].clone();
        let emitted = match (n, is_good) {
            (1, _) => 3,
            (_, true) => 2,
            (_, false) => 0,
        };
        let numbers = ["archives", "bytes", "emitted"].map(|key| totals[key].as_u64().unwrap());
        assert_eq!(numbers, [1, bytes.len() as u64, emitted], "{day}");
        let metrics = metrics(&place);
        assert_eq!(metrics["dehusk_read_bytes_total"], bytes.len() as f64, "{day}");
        assert_eq!(metrics["dehusk_last_exit_status"], 0.0, "{day}");
        assert_eq!(emitted_share(&metrics) < 0.05, !is_good, "{day}");
        if !is_good {
            assert!(ended.stderr.contains("no documents were written"), "{}", ended.stderr);
        }
        if let Some(path) = before.replace(archive) {
            spoil(&path);
        }
    }

    // A night with nothing new, and one that is refused, show nothing of the crawl: its alert holds, and the other one
    // comes.
    let ended = night(&place, "2026-12-01", &[]);
    assert_eq!(ended.status, 0, "{}", ended.stderr);
    assert!(ended.stderr.contains("there is no new archive"), "{}", ended.stderr);
    assert!(!place.path("out/2026-12-01").exists());
    assert!(emitted_share(&metrics(&place)) < 0.05);
    for option in ["--set=select.min_wrods=2", "--no-such-flag"] {
        assert_eq!(night(&place, "2026-12-02", &[option]).status, 2);
        let refused = metrics(&place);
        let statuses = [refused["dehusk_last_exit_status"], refused["dehusk_exit_status"]];
        assert_eq!(statuses, [2.0, 2.0], "{option}");
        assert!(emitted_share(&refused) < 0.05 && refused["dehusk_state{state=\"failed\"}"] == 1.0);
    }

    place.write("in/2026-12-03.warc", good("2026-12-03"));
    assert_eq!(night(&place, "2026-12-03", &[]).status, 0);
    let mended = metrics(&place);
    assert!(mended["dehusk_last_exit_status"] == 0.0 && emitted_share(&mended) > 0.05);

    // Whatever the alerts ask for is there; `drift.rs` looks for the metrics of `dehusk diff`.
    let alerts = fs::read_to_string(operations("alerts.yml")).unwrap();
    let share =
        "sum by (instance) (dehusk_last_records{class=\"emitted\"}) / sum by (instance) (dehusk_last_records) < 0.05";
    assert!(alerts.contains(share) && alerts.contains("dehusk_last_exit_status == 2"));
    for expression in alerts.lines().filter_map(|line| line.trim().strip_prefix("expr: ")) {
        let names = expression.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        for name in names.filter(|name| name.starts_with("dehusk_") && !name.starts_with("dehusk_drift_")) {
            let is_there = mended.keys().any(|key| key.split('{').next() == Some(name));
            assert!(is_there, "{name}");
        }
    }
}

#[test]
fn an_archive_that_failed_is_read_again_every_night_until_it_is_mended() {
    let place = place();
    place.write("in/bad.warc", "this is no archive");
    place.write("in/good.warc", good("good"));
    let bytes = fs::metadata(place.path("in/good.warc")).unwrap().len();
    for (day, others) in [("2026-11-01", bytes), ("2026-11-02", 0)] {
        let ended = night(&place, day, &[]);
        assert_eq!(ended.status, 1, "{}", ended.stderr);
        assert!(ended.stderr.contains("bad.warc"), "{}", ended.stderr);
        assert_eq!(metrics(&place)["dehusk_last_exit_status"], 1.0);
        let account = account(&place, day);
        let read = account["archives"].as_array().unwrap().iter();
        let read = read.filter(|archive| archive["state"] == "complete");
        assert_eq!(
            read.map(|archive| archive["bytes"].as_u64().unwrap()).sum::<u64>(),
            others
        );
    }
    place.write("in/bad.warc", good("mended"));
    let ended = night(&place, "2026-11-03", &[]);
    assert_eq!(ended.status, 0, "{}", ended.stderr);
    assert_eq!(metrics(&place)["dehusk_last_exit_status"], 0.0);
}

#[test]
fn a_file_that_has_changed_is_new() {
    let place = place();
    place.write("in/a.warc", good("first"));
    assert_eq!(night(&place, "2026-11-01", &[]).status, 0);
    place.write("in/a.warc", [good("first"), good("second")].concat());
    assert_eq!(night(&place, "2026-11-02", &[]).status, 0);
    let totals = account(&place, "2026-11-02")["totals"].clone();
    assert_eq!((&totals["framed"], &totals["emitted"]), (&6.into(), &2.into()));
    let ended = night(&place, "2026-11-03", &[]);
    assert!(ended.stderr.contains("there is no new archive"), "{}", ended.stderr);
}

/// No archive is in two nights, and none is lost.
#[test]
fn a_night_that_was_cut_short_is_finished_first() {
    let place = place();
    place.write("in/a.warc", good("a"));
    fs::create_dir(place.path("out")).unwrap();
    let pipe = place.pipe("pipe");
    let archive = place.path("in/a.warc");
    let config = place.path("pipeline.toml");
    let [archive, config] = [&archive, &config].map(|path| path.to_str().unwrap());
    let running = place.start(&["run", archive, "pipe", "-o", "out/2026-11-01", "--config", config]);
    let open = File::options().write(true).open(pipe).unwrap();
    running.signal("INT");
    assert_eq!(running.end().status, 130);
    drop(open);

    // A run without the script leaves the archives of that run to it.
    place.write("in/b.warc", good("b"));
    let elsewhere = ["run", "in", "-o", "elsewhere", "--only-new", "out", "--config", config];
    let run = place.read("elsewhere", place.dehusk(&elsewhere));
    let dot = [
        "run",
        "./in",
        "-o",
        "dot",
        "--only-new",
        "elsewhere",
        "--config",
        config,
    ];
    let nothing = place.dehusk(&dot);
    assert!(nothing.stderr.contains("there is no new archive"), "{}", nothing.stderr);
    assert_eq!(run.total("archives"), 2, "the names are others");
    let absolute = place.path("in");
    let elsewhere = [
        "run",
        absolute.to_str().unwrap(),
        "-o",
        "absolute",
        "--only-new",
        "out",
        "--set",
        "select.seen=\"\"",
        "--config",
        config,
    ];
    let run = place.read("absolute", place.dehusk(&elsewhere));
    assert_eq!(run.total("archives"), 1, "{}", run.ended.stderr);
    assert!(
        run.ended.stderr.contains("out/2026-11-01 is not finished"),
        "{}",
        run.ended.stderr
    );

    let ended = night(&place, "2026-11-02", &[]);
    assert_eq!(ended.status, 0, "{}", ended.stderr);
    assert!(
        ended.stderr.contains("going on with out/2026-11-01"),
        "{}",
        ended.stderr
    );
    assert_eq!(place.names("out"), ["2026-11-01"]);
    let archives = account(&place, "2026-11-01")["totals"]["archives"].clone();
    assert_eq!(archives, 2);
    let ended = night(&place, "2026-11-03", &[]);
    assert!(ended.stderr.contains("there is no new archive"), "{}", ended.stderr);
}

#[test]
fn a_folder_of_nights_that_cannot_be_read_is_named() {
    let place = place();
    place.write("in/a.warc", good("a"));
    place.write("out/2026-11-01/run.json", "{\"program\": ");
    let ended = place.dehusk(&["run", "in", "-o", "new", "--only-new", "out"]);
    assert_eq!(ended.status, 1);
    assert!(ended.stderr.contains("out/2026-11-01/run.json"), "{}", ended.stderr);
    let ended = place.dehusk(&["run", "in", "-o", "new", "--only-new", "missing"]);
    assert!(
        ended.status == 1 && ended.stderr.contains("missing"),
        "{}",
        ended.stderr
    );
    assert!(!place.path("new").exists());
}

#[test]
fn systemd_accepts_the_unit() {
    if Command::new("systemd-analyze").arg("--version").output().is_err() {
        return;
    }
    let place = Place::new();
    // The script is not installed here.
    let unit = fs::read_to_string(operations("dehusk-nightly.service")).unwrap();
    let script = operations("nightly.sh");
    assert!(unit.contains("ExecStart=/usr/bin/dehusk-nightly "));
    place.write(
        "dehusk-nightly.service",
        unit.replace("/usr/bin/dehusk-nightly", script.to_str().unwrap()),
    );
    fs::copy(operations("dehusk-nightly.timer"), place.path("dehusk-nightly.timer")).unwrap();
    let mut command = place.shell_command("systemd-analyze");
    command.args([
        "verify",
        "--man=no",
        "./dehusk-nightly.service",
        "./dehusk-nightly.timer",
    ]);
    let ended = place.spawn(command, Stdio::null()).end();
    assert_eq!((ended.status, &*ended.stderr), (0, ""));
}
