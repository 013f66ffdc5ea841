//! The scripts of `docs/operations`, run with the environment that a service gives them.

use std::fs;
use std::path::Path;
use std::process::Stdio;

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
    assert_eq!((ended.status, place.names("")), (0, vec!["in".to_owned()]));
    assert!(ended.stderr.contains("in is empty"), "{}", ended.stderr);
    assert_eq!(script(&place, "nightly.sh", &["missing", "out"], &[]).status, 1);
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
    for task in ["1", "2", "3"] {
        let variables = [
            ("DEHUSK_CONFIG", "pipeline.toml"),
            ("SLURM_ARRAY_TASK_ID", task),
            ("SLURM_ARRAY_TASK_COUNT", "3"),
            ("SLURM_ARRAY_TASK_MIN", "1"),
        ];
        let ended = script(&place, "slurm-array.sh", &["list.txt", "out"], &variables);
        assert_eq!(ended.status, 0, "{}", ended.stderr);
    }
    let ended = place.dehusk(&["cat", "out/part-1", "out/part-2", "out/part-3", "-f", "file_path"]);
    let mut found: Vec<String> = String::from_utf8(ended.stdout)
        .unwrap()
        .lines()
        .map(str::to_owned)
        .collect();
    found.sort();
    assert_eq!(found, names);
}
