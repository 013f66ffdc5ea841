//! A run through the library: its report, and the errors that keep it from beginning.

use std::error::Error;
use std::fs;
use std::path::Path;

use dehusk::Config;
use dehusk::report::{DirectoryErrorKind, RunState};
use dehusk::{Report, RunError, RunOptions};

const SAMPLE: &str = "docs/sample/sample.warc.gz";

fn run(directory: &Path) -> Result<Report, RunError> {
    dehusk::run(&Config::default(), [SAMPLE], directory)
}

/// The kind of the error for a directory, and what the system reported.
#[track_caller]
fn kind(result: Result<Report, RunError>, path: &Path) -> (DirectoryErrorKind, Option<String>) {
    let error = result.unwrap_err();
    let source = error.source().map(ToString::to_string);
    match error {
        RunError::Directory(error) => {
            assert_eq!(error.path, path);
            (error.kind, source)
        }
        other => panic!("{other}"),
    }
}

#[test]
fn a_report_reads_back_from_its_directory() {
    let place = tempfile::tempdir().unwrap();
    let out = place.path().join("out");
    let report = run(&out).unwrap();
    let read = Report::read(&out).unwrap();
    assert_eq!(
        (&read.archives, &read.totals, &read.config),
        (&report.archives, &report.totals, &report.config)
    );
    assert_eq!((read.state, read.exit_status()), (RunState::Complete, 3));
    assert_eq!(read.totals.ledger.failed.sum(), 1);
}

#[test]
fn a_report_that_cannot_be_read_is_an_error_with_its_path() {
    let place = tempfile::tempdir().unwrap();
    let error = Report::read(place.path()).unwrap_err();
    assert!(matches!(error.kind, DirectoryErrorKind::NoRun { .. }), "{error}");
    let path = place.path().join("run.json");
    fs::write(&path, "{\"program\": \"dehusk 0.1.0\"}").unwrap();
    let error = Report::read(place.path()).unwrap_err();
    assert_eq!(error.path, path);
    assert!(
        matches!(error.kind, DirectoryErrorKind::InvalidReport { .. }),
        "{error}"
    );
    assert!(error.source().unwrap().to_string().contains("config_hash"), "{error}");
}

#[test]
fn a_directory_that_cannot_be_used_is_an_error_of_a_kind() {
    let place = tempfile::tempdir().unwrap();
    let path = |name: &str| place.path().join(name);
    fs::create_dir(path("foreign")).unwrap();
    fs::write(path("foreign/thesis.txt"), "years of work").unwrap();
    let (foreign, _) = kind(run(&path("foreign")), &path("foreign"));
    assert!(matches!(foreign, DirectoryErrorKind::NotRunDirectory), "{foreign:?}");
    run(&path("used")).unwrap();
    assert!(run(&path("used")).unwrap().was_finished);
    fs::write(path("file"), "in the way").unwrap();
    let (io, source) = kind(run(&path("file/out")), &path("file/out"));
    assert!(matches!(io, DirectoryErrorKind::Io { .. }), "{io:?}");
    assert!(source.is_some());
}

#[test]
fn an_empty_list_of_archives_is_an_error() {
    let place = tempfile::tempdir().unwrap();
    let out = place.path().join("out");
    let error = dehusk::run(&Config::default(), [] as [&str; 0], &out).unwrap_err();
    assert!(matches!(error, RunError::Input(_)), "{error}");
    assert!(!out.exists(), "nothing is begun");
}

#[test]
fn the_caller_hears_of_each_archive_that_is_finished() {
    let place = tempfile::tempdir().unwrap();
    let rules = dehusk_engine::config::Rules::new(&Config::default()).unwrap();
    let mut emitted = Vec::new();
    let mut on_archive = |archive: &dehusk::report::ArchiveReport| emitted.push(archive.ledger.emitted);
    let options = RunOptions::default().on_archive(&mut on_archive);
    let out = place.path().join("out");
    let report = dehusk_engine::run::run_with_rules(&rules.into(), &[SAMPLE.into()], &out, options).unwrap();
    assert_eq!(emitted, [report.totals.ledger.emitted]);
}
