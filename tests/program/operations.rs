//! The scripts of `docs/operations`, run with the environment that a service gives them.

use std::fs;
use std::path::Path;
use std::process::Stdio;

use sha2::{Digest, Sha256};

use crate::program::{Ended, Place, SAMPLE, make};

fn script(place: &Place, name: &str, arguments: &[&str], variables: &[(&str, &str)]) -> Ended {
    let mut command = place.shell_command("sh");
    command
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/operations").join(name))
        .args(arguments)
        // Services start with next to nothing.
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .env("DEHUSK", env!("CARGO_BIN_EXE_dehusk"))
        .envs(variables.iter().copied());
    place.spawn(command, Stdio::null()).end()
}

#[test]
fn the_nightly_script_reports_damage_and_can_be_started_again() {
    let place = Place::new();
    fs::create_dir(place.path("in")).unwrap();
    fs::copy(SAMPLE, place.path("in/sample.warc.gz")).unwrap();
    let variables = [("DAY", "2026-11-22"), ("DEHUSK_METRICS", "dehusk.prom")];
    for _ in 0..2 {
        let ended = script(&place, "nightly.sh", &["in", "out"], &variables);
        assert_eq!(ended.status, 3, "{}", ended.stderr);
        assert!(ended.stderr.contains("1   gzip_data"), "{}", ended.stderr);
        assert!(place.path("out/2026-11-22/run.json").exists() && place.path("dehusk.prom").exists());
    }
}

#[test]
fn the_nightly_script_does_nothing_over_an_empty_folder() {
    let place = Place::new();
    fs::create_dir(place.path("in")).unwrap();
    let ended = script(&place, "nightly.sh", &["in", "out"], &[]);
    assert_eq!((ended.status, place.names("out")), (0, Vec::new()));
    assert!(ended.stderr.contains("there is no new archive"), "{}", ended.stderr);
    let ended = script(&place, "nightly.sh", &["missing", "out"], &[]);
    assert!(
        ended.status == 1 && ended.stderr.contains("missing: no such file"),
        "{}",
        ended.stderr
    );
}

/// Archives are known by their names, so a folder must not have several.
#[test]
fn the_nightly_script_knows_a_folder_by_every_spelling() {
    let place = Place::new();
    place.write("in/a.warc", make::page("https://a.example/", "Some words of a page."));
    let first = script(&place, "nightly.sh", &["in", "out"], &[("DAY", "1")]);
    assert_eq!(first.status, 0, "{}", first.stderr);
    for spelling in ["./in", "in/", "out/../in"] {
        let ended = script(&place, "nightly.sh", &[spelling, "out"], &[("DAY", "2")]);
        assert!(
            ended.status == 0 && ended.stderr.contains("there is no new archive"),
            "{spelling}: {}",
            ended.stderr
        );
    }
    assert_eq!(place.names("out"), ["1"]);
}

#[test]
fn the_nightly_script_names_only_an_account_that_is_there() {
    let place = Place::new();
    fs::create_dir(place.path("in")).unwrap();
    let ended = script(&place, "nightly.sh", &["in", "out", "--no-such-flag"], &[("DAY", "1")]);
    assert!(
        ended.status == 2 && ended.stderr.ends_with("nightly: dehusk ended with status 2\n"),
        "{}",
        ended.stderr
    );
}

/// `docs/operate.md`, “Take a document down”: a shard is written again, and its size and digest are put into the
/// account.
#[test]
fn a_shard_without_a_document_is_read_by_its_new_digest() {
    let place = Place::new();
    let page = |name: &str| make::page(&format!("https://{name}.example/"), "Some words of a page.");
    place.write("a.warc", [page("a"), page("b")].concat());
    place.run(&["a.warc", "--compression", "none"]).ends_with(0);
    let shard = "out/documents/a.jsonl";
    let left = place.dehusk(&["cat", shard, "--where", "url != https://a.example/"]);
    assert_eq!(left.status, 0, "{}", left.stderr);
    fs::write(place.path(shard), &left.stdout).unwrap();
    let refused = place.dehusk(&["cat", "out"]);
    assert_eq!(refused.status, 1, "{}", refused.stderr);
    let mut account: serde_json::Value =
        serde_json::from_slice(&fs::read(place.path("out/run.json")).unwrap()).unwrap();
    let digest: String = Sha256::digest(&left.stdout)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    let archive = &mut account["archives"][0];
    archive["output_bytes"]["documents/a.jsonl"] = left.stdout.len().into();
    archive["output_sha256"]["documents/a.jsonl"] = digest.into();
    fs::write(place.path("out/run.json"), serde_json::to_vec_pretty(&account).unwrap()).unwrap();
    let read = place.dehusk(&["cat", "out", "--field", "url"]);
    assert_eq!(
        (read.status, &*read.stdout),
        (0, &b"https://b.example/\n"[..]),
        "{}",
        read.stderr
    );
    for options in [&[][..], &["--verify"]] {
        let again = place.dehusk(&[&["run", "a.warc", "-o", "out", "--compression", "none"][..], options].concat());
        assert!(
            again.status == 0 && again.stderr.contains("finished already"),
            "{}",
            again.stderr
        );
    }
    assert_eq!(fs::read(place.path(shard)).unwrap(), left.stdout);
}

#[cfg(unix)]
#[test]
fn the_nightly_script_follows_links() {
    let place = Place::new();
    fs::create_dir(place.path("links")).unwrap();
    place.write("a.warc", make::page("https://a.example/", "Some words of a page."));
    std::os::unix::fs::symlink("../a.warc", place.path("links/a.warc")).unwrap();
    std::os::unix::fs::symlink("links", place.path("in")).unwrap();
    let ended = script(&place, "nightly.sh", &["in", "out"], &[("DAY", "day")]);
    assert_eq!(ended.status, 0, "{}", ended.stderr);
    assert!(place.path("out/day/run.json").exists(), "{}", ended.stderr);
}

#[cfg(unix)]
#[test]
fn the_nightly_script_passes_a_stop_on_and_waits() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    place.write("in/a.warc", "");
    // In place of the program: it stops the script, and then closes an account. Unless a signal stops it, it ends late.
    let program =
        "#!/bin/sh\nsleep 5 &\ntrap 'kill \"$!\"; echo closed >closed; exit 130' TERM\nkill -TERM \"$PPID\"\nwait\n";
    place.write("program", program);
    fs::set_permissions(place.path("program"), fs::Permissions::from_mode(0o755)).unwrap();
    let ended = script(&place, "nightly.sh", &["in", "out"], &[("DEHUSK", "./program")]);
    assert_eq!(ended.status, 130, "{}", ended.stderr);
    assert!(place.path("closed").exists(), "{}", ended.stderr);
}

#[test]
fn the_tasks_of_an_array_share_a_list() {
    let place = Place::new();
    let names: Vec<String> = (0..5).map(|n| format!("a{n}.warc")).collect();
    for name in &names {
        place.write(
            name,
            make::page(&format!("https://{name}.example/"), "Some words of a page."),
        );
    }
    place.write("list.txt", format!("# archives\n\n{}\n", names.join("\n")));
    place.write("pipeline.toml", "[extract]\nextractors = [\"coreex-modern\"]\n");
    // As if each task was submitted again alone, so that Slurm counts one task only.
    for task in 1..=16 {
        let task = task.to_string();
        let variables = [
            ("DEHUSK_CONFIG", "pipeline.toml"),
            ("SLURM_ARRAY_TASK_ID", task.as_str()),
            ("SLURM_ARRAY_TASK_COUNT", "1"),
            ("SLURM_ARRAY_TASK_MIN", task.as_str()),
        ];
        let ended = script(&place, "slurm-array.sh", &["list.txt", "out"], &variables);
        assert_eq!(ended.status, 0, "{}", ended.stderr);
    }
    let parts: Vec<String> = (1..=16).map(|task| format!("out/part-{task}")).collect();
    let mut command = vec!["cat", "-f", "file_path"];
    command.extend(parts.iter().map(String::as_str));
    let ended = place.dehusk(&command);
    let mut found: Vec<String> = String::from_utf8(ended.stdout)
        .unwrap()
        .lines()
        .map(str::to_owned)
        .collect();
    found.sort();
    assert_eq!(found, names);
}
