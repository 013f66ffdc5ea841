//! Events that happen to a process: signals, full disks, files that change while they are read, other processes.

mod archives;
mod directory;
mod disk;
mod input;
mod killed;
mod outputs;
mod panic;
mod paths;
mod reads;
mod resume;
mod rewritten;
mod signals;

use std::sync::Arc;

use crate::program::{Ended, Place, make};
use dehusk::report::ArchiveReport;
use dehusk::{ArchiveInput, Config, Report, RunOptions, Stop};
use dehusk_engine::config::Rules;
use dehusk_engine::run::run_with_rules;
use dehusk_extract::strip::Strip;
use dehusk_extract::{CoreEx, Extractor, PageContext, Preset, Selection};

/// An extractor that lets a test act when it meets a text.
struct Watched<F>(CoreEx, F);

impl<F> std::fmt::Debug for Watched<F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Watched")
    }
}

impl<F: Fn(&str) + Send + Sync> Extractor for Watched<F> {
    fn strip(&self) -> Strip {
        self.0.strip()
    }

    fn extract(&self, page: &PageContext<'_>) -> Selection {
        let selection = self.0.extract(page);
        let mut text = String::new();
        selection.render_text(&page.view(&self.strip()), &mut text);
        (self.1)(&text);
        selection
    }
}

/// Runs mapped archives within this process into the folder `out`, with an extractor that shows every text to `watch`.
fn run_watched(
    place: &Place,
    archives: &[&str],
    threads: usize,
    stop: &Stop,
    on_archive: &mut dyn FnMut(&ArchiveReport),
    on_abandon: &mut dyn FnMut(&Report),
    watch: impl Fn(&str) + Send + Sync + 'static,
) -> Report {
    let mut config = Config::default();
    config.set("run.threads", threads).unwrap();
    let options = RunOptions::default()
        .overwrite(true)
        .stop(stop)
        .on_archive(on_archive)
        .on_abandon(on_abandon);
    run_watched_with(&config, place, archives, options, watch)
}

/// As [`run_watched`], with this configuration and these options.
fn run_watched_with(
    config: &Config,
    place: &Place,
    archives: &[&str],
    options: RunOptions<'_>,
    watch: impl Fn(&str) + Send + Sync + 'static,
) -> Report {
    let mut rules = Rules::new(config).unwrap();
    rules.presets = vec![Preset::new("watched", Arc::new(Watched(CoreEx::modern(), watch)))];
    #[cfg(unix)]
    dehusk_archive::sigbus::install();
    // SAFETY: the handler is installed, and these tests are about files that change.
    #[allow(unsafe_code)]
    let mapped = |name: &&str| unsafe { ArchiveInput::from(place.path(name)).mapped() };
    let inputs: Vec<ArchiveInput> = archives.iter().map(mapped).collect();
    run_with_rules(&Arc::new(rules), &inputs, &place.path("out"), options).unwrap()
}

/// The account of a run within this process, checked. It reads back from `run.json`.
fn read(place: &Place, report: &Report) -> crate::program::Run {
    let read = Report::read(&place.path("out")).unwrap();
    assert_eq!((&read.archives, &read.totals), (&report.archives, &report.totals));
    assert_eq!((&read.config, read.state), (&report.config, report.state));
    let ended = Ended {
        status: i32::from(report.exit_status()),
        stdout: Vec::new(),
        stderr: String::new(),
    };
    place.read("out", ended)
}

/// An archive of one page.
fn page(name: &str) -> Vec<u8> {
    make::page(
        &format!("https://{name}.example/"),
        &format!("The page {name} has some words."),
    )
}
