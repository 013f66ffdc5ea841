//! `dehusk eval`: measures extractors on pages with known main content.

use std::fs::{self, OpenOptions};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::args::EvalArgs;
use super::{FAILURE, Failure, inputs, output};
use dehusk_archive::redact::redacted;
use dehusk_documents::encode::PartialFile;
use dehusk_engine::config::{Config, ConfigError, ConfigErrorKind, Rules};
use dehusk_engine::pipeline::threads;
use dehusk_eval::groups::{self, Kind, Labels, Score};
use dehusk_eval::report::{Fit, GroupBy, Report, ReportOptions};
use dehusk_eval::sweep::Sweep;
use dehusk_eval::table::TableFormat;
use dehusk_eval::{Evaluation, Metric, Metrics, Truth, TruthOutcome, densities, evaluate, papers, table};
use dehusk_extract::Preset;

/// Finished, but some lines of truth have no page, or some records failed.
const PARTLY: u8 = 3;

const PROGRAM: &str = concat!("dehusk ", env!("CARGO_PKG_VERSION"));

pub(super) fn run(args: &EvalArgs) -> Result<u8, Failure> {
    if let Some(truth) = &args.clusters {
        return score_groups(args, truth, Kind::Clusters);
    }
    if let Some(truth) = &args.topics {
        return score_groups(args, truth, Kind::Topics);
    }
    let config = args.resolve().map_err(Failure::usage)?;
    let sweeps: Vec<Sweep> = args
        .sweep
        .iter()
        .map(|text| Sweep::parse(text))
        .collect::<Result<_, _>>()
        .map_err(Failure::usage)?;
    let mut further = swept_presets(&sweeps, &config, args).map_err(Failure::usage)?;
    further.extend(papers::variants(&args.papers()).map_err(Failure::usage)?);
    let rules = Arc::new(Rules::with_presets(&config, further).map_err(Failure::usage)?);
    if args.svg.is_some() {
        check_drawable(args).map_err(Failure::usage)?;
    }
    let archives = inputs::resolve(&config, &args.archives)
        .map_err(Failure::usage)?
        .archives;
    let inputs = archives.iter().filter_map(|archive| archive.path());
    let inputs: Vec<&Path> = args.truth.iter().map(PathBuf::as_path).chain(inputs).collect();
    let svg = begin(args.svg.as_deref(), &inputs, args.overwrite)?;
    let file = begin(args.output.as_deref(), &inputs, args.overwrite)?;
    let truth = Truth::read_for(&args.truth, metrics(args)).map_err(Failure::other)?;
    let figures = figures(args, &truth)?;
    let drawn: Vec<usize> = figures.iter().map(|(line, _)| *line).collect();
    let evaluation = evaluate(&truth, &archives, &rules, metrics(args), &drawn, threads(&config));
    let options = ReportOptions {
        by: if args.tables.is_empty() {
            args.by.clone()
        } else {
            vec![GroupBy::Truth]
        },
        per_page: args.per_page,
        worst: args.worst,
        joined_only: args.joined_only,
    };
    let report = Report::new(&evaluation, &truth, &options);
    if let Some(file) = svg {
        let panels: Vec<_> = sweeps.iter().filter_map(|s| s.panel(&report)).collect();
        finish(file, dehusk_web::curves(&panels).as_bytes())?;
    }
    for (line, path) in &figures {
        draw_densities(path, &truth, &evaluation, *line)?;
    }
    let head = head(args, rules.hash.clone(), sweeps);
    let text = if args.tables.is_empty() {
        table::write(&report, args.format, &head)
    } else {
        table::write_papers(&report, &papers::fill(&args.papers(), &report), args.format, &head)
    };
    write_report(file, &text)?;
    print_fit(args, &report)
}

/// Scores clusters or topics.
fn score_groups(args: &EvalArgs, truth: &Path, kind: Kind) -> Result<u8, Failure> {
    let files: Vec<&Path> = args.archives.iter().map(Path::new).collect();
    let inputs = [&[truth], &*files].concat();
    let output = begin(args.output.as_deref(), &inputs, args.overwrite)?;
    let truth = Labels::read(truth, kind).map_err(Failure::other)?;
    let scores: Vec<Score> = files
        .into_iter()
        .map(|file| groups::score(&truth, file, args.joined_only))
        .collect::<Result<_, _>>()
        .map_err(Failure::other)?;
    write_report(output, &groups::table::write(&truth, &scores, args.format, PROGRAM))?;
    if !has_fit(args) {
        for line in groups::table::fit_lines(&truth, &scores) {
            output::say(line);
        }
    }
    for score in scores.iter().filter(|score| score.is_empty()) {
        output::say(format!(
            "{}: nothing is measured, because no topic of the truth has two of its documents in one language",
            dehusk_archive::escape::path(&score.path)
        ));
    }
    let is_whole = |score: &Score| score.is_complete() && !score.is_empty();
    Ok(if scores.iter().all(is_whole) { 0 } else { PARTLY })
}

/// Begins a file of results, so that the command fails now rather than after all the work. What the file holds stays
/// until then. An input is never replaced.
fn begin(path: Option<&Path>, inputs: &[&Path], overwrite: bool) -> Result<Option<PartialFile>, Failure> {
    let Some(path) = path else {
        return Ok(None);
    };
    output::refuse_in_run(path)?;
    let place = path.canonicalize().ok();
    if place.is_some() && inputs.iter().any(|input| input.canonicalize().ok() == place) {
        let path = dehusk_archive::escape::path(path);
        return Err(Failure::usage(format!(
            "{path}: is read; name another file for the results"
        )));
    }
    output::create(path, overwrite).map(Some)
}

fn finish(mut file: PartialFile, bytes: &[u8]) -> Result<(), Failure> {
    file.append(bytes).map_err(Failure::other)?;
    file.commit().map_err(Failure::other)?;
    Ok(())
}

fn write_report(file: Option<PartialFile>, text: &str) -> Result<(), Failure> {
    match file {
        Some(file) => finish(file, text.as_bytes()),
        None => {
            output::write_stdout(text.as_bytes())?;
            Ok(())
        }
    }
}

/// Whether standard output shows how truth and files fit.
fn has_fit(args: &EvalArgs) -> bool {
    args.output.is_none() && matches!(args.format, TableFormat::Text | TableFormat::Markdown)
}

/// The presets of all sweeps.
fn swept_presets(sweeps: &[Sweep], config: &Config, args: &EvalArgs) -> Result<Vec<Preset>, ConfigError> {
    let mut presets = Vec::new();
    for (number, sweep) in sweeps.iter().enumerate() {
        if sweeps[..number]
            .iter()
            .any(|s| (&s.preset, &s.parameter) == (&sweep.preset, &sweep.parameter))
        {
            let message = format!("“{}” is swept twice", args.sweep[number]);
            return Err(ConfigError::new(ConfigErrorKind::InvalidValue, message));
        }
        presets.extend(sweep.presets(config)?);
    }
    Ok(presets)
}

fn metrics(args: &EvalArgs) -> Metrics {
    if !args.tables.is_empty() {
        return papers::metrics(&args.papers());
    }
    if args.metrics.is_empty() {
        return Metrics::default();
    }
    args.metrics.iter().copied().collect()
}

/// The head of a report: truth, archives, program and configuration.
fn head(args: &EvalArgs, config_hash: String, sweeps: Vec<Sweep>) -> table::Head {
    table::Head {
        program: PROGRAM.to_owned(),
        config_hash,
        truth: args.truth.iter().map(|p| shown(p)).collect(),
        archives: args.archives.iter().map(|a| shown(Path::new(a))).collect(),
        sweeps,
    }
}

/// A name as figures state it.
fn shown(name: &Path) -> String {
    redacted(name).to_string_lossy().into_owned()
}

/// Checks that there will be curves to draw: those of precision, recall and F1 over all pages.
fn check_drawable(args: &EvalArgs) -> Result<(), &'static str> {
    let metrics = metrics(args);
    let measured = [Metric::Bag, Metric::Lcs, Metric::Nodes, Metric::Text]
        .iter()
        .any(|m| metrics.has(*m));
    let over_all = args.by.is_empty() || args.by.contains(&GroupBy::All);
    if over_all && measured {
        return Ok(());
    }
    Err("curves need all pages and one of the measures bag, lcs, nodes and text; see --by and --metrics")
}

/// The lines of truth whose pages are drawn, with the files for them. The files are made now, so that one that cannot
/// be written is named before the work.
fn figures(args: &EvalArgs, truth: &Truth) -> Result<Vec<(usize, PathBuf)>, Failure> {
    let Some(directory) = &args.figures else {
        return Ok(Vec::new());
    };
    output::refuse_in_run(directory)?;
    let unknown = |id: &str| {
        Failure::usage(format!(
            "--figure-of “{}”: no line of truth has this record_id",
            dehusk_archive::escape::terminal(id)
        ))
    };
    let line = |id: &String| truth.find(id.trim_matches(['<', '>'])).ok_or_else(|| unknown(id));
    let mut lines = match args.figure_of.as_slice() {
        [] => densities::examples(truth),
        ids => ids.iter().map(line).collect::<Result<Vec<usize>, Failure>>()?,
    };
    lines.sort_unstable();
    lines.dedup();
    let files: Vec<(usize, PathBuf)> = lines
        .into_iter()
        .map(|line| (line, directory.join(densities::file_name(&truth.lines[line].record_id))))
        .collect();
    if let Some((_, path)) = files.iter().find(|(_, path)| path.exists()) {
        let path = dehusk_archive::escape::path(path);
        return Err(Failure::usage(format!(
            "{path}: is there already, and is not overwritten; delete it, or name another directory with --figures"
        )));
    }
    fs::create_dir_all(directory).map_err(|e| cannot_write(directory, &e))?;
    for (_, path) in &files {
        let made = OpenOptions::new().write(true).create_new(true).open(path);
        made.map_err(|e| cannot_write(path, &e))?;
    }
    Ok(files)
}

/// Draws the densities of a page, or removes the file that was made for them if there is no page.
fn draw_densities(path: &Path, truth: &Truth, evaluation: &Evaluation, line: usize) -> Result<(), Failure> {
    let TruthOutcome::Page {
        densities: Some(densities),
        place,
        ..
    } = &evaluation.lines[line]
    else {
        let id = &truth.lines[line].record_id;
        output::say(format!("{id}: has no page, so its densities are not drawn"));
        return fs::remove_file(path).map_err(|e| cannot_write(path, &e));
    };
    let of = &truth.lines[line];
    let name = if of.url.is_empty() { &of.record_id } else { &of.url };
    write(path, densities.svg(&format!("{name} ({place})")).as_bytes())
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    fs::write(path, bytes).map_err(|e| cannot_write(path, &e))
}

fn cannot_write(path: &Path, error: &std::io::Error) -> Failure {
    Failure::other(format!(
        "{}: cannot be written: {error}",
        dehusk_archive::escape::path(path)
    ))
}

/// Why nothing was measured, with an id of either side.
fn nothing_joins(fit: &Fit) -> String {
    let first = |list: &[(String, String)]| list.first().map_or("none".to_owned(), |(id, _)| format!("“{id}”"));
    let (truth, pages) = (first(&fit.without_page), first(&fit.without_truth));
    format!(
        "no line of truth joins a page; are truth and archives of the same crawl? “record_id” is the page's \
         WARC-Record-ID, or the id of its document: the truth has {truth}, the archives have {pages}"
    )
}

/// Prints how truth and archives fit, unless the figures on standard output contain it. Returns the exit status.
fn print_fit(args: &EvalArgs, report: &Report) -> Result<u8, Failure> {
    let fit = &report.fit;
    if !has_fit(args) {
        for line in table::fit_lines(fit) {
            output::say(line);
        }
    }
    if fit.joined == 0 {
        return Err(Failure::other(nothing_joins(fit)));
    }
    Ok(match () {
        () if !fit.unread.is_empty() => FAILURE,
        () if !fit.without_page.is_empty() || fit.damaged > 0 => PARTLY,
        () if !fit.panicked.is_empty() || !fit.too_long.is_empty() => PARTLY,
        () => 0,
    })
}
