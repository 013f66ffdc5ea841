//! `run()`: archives into a directory.

use std::path::PathBuf;

use dehusk::report::DirectoryErrorKind;
use dehusk::{Report, RunError, RunOptions, Stop};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::interruptible::wait_for;
use crate::reader::to_python;
use crate::{config, error, input};

/// Write the documents of archives into a directory, as ``dehusk run`` does, and return the report as a dict.
///
/// An archive that has changed since an earlier run into the directory is not read again, and a warning says so, unless
/// ``changed`` or ``overwrite`` is true. For bytes, that is so if other bytes are at the same place of the list.
///
/// Ctrl-C ends the run cleanly, and the report in the directory states that. The next run into the directory continues
/// with it.
///
/// Parameters
/// ----------
/// archives, config, threads
///     As for ``read``.
/// output : path
///     The directory. It is created.
/// overwrite : bool
///     Whether to replace the output of an earlier run in the directory.
/// changed : bool
///     Whether to redo what is affected by archives or settings that have changed since an earlier run in the
///     directory.
/// verify : bool
///     Whether to compare archives with those of the earlier run by digest, not by size and time.
/// since : path
///     The directory of another run, from which archives are taken over that have not changed since.
/// part : (int, int)
///     Read only part ``number`` of ``count`` of the archives, from ``(1, count)`` on.
#[pyfunction]
#[pyo3(signature = (
    archives, output, config=None, *,
    threads=None, overwrite=false, changed=false, verify=false, since=None, part=None
))]
// They are the arguments of the function in Python.
#[allow(clippy::too_many_arguments)]
pub fn run<'py>(
    py: Python<'py>,
    archives: &Bound<'py, PyAny>,
    output: PathBuf,
    config: Option<&Bound<'py, PyAny>>,
    threads: Option<usize>,
    overwrite: bool,
    changed: bool,
    verify: bool,
    since: Option<PathBuf>,
    part: Option<(u64, u64)>,
) -> PyResult<Bound<'py, PyAny>> {
    let config = config::config(config, threads)?;
    if let Some((number, count)) = part
        && !(1..=count).contains(&number)
    {
        let message = format!("part is a number and how many parts there are, such as (2, 8), not ({number}, {count})");
        return Err(PyValueError::new_err(message));
    }
    let input::Archives { inputs, interrupt, .. } = input::archives(&config, archives)?;
    let stop = Stop::default();
    let stop_of_thread = stop.clone();
    let work = move || {
        let mut options = RunOptions::default()
            .overwrite(overwrite)
            .changed(changed)
            .verify(verify)
            .stop(&stop_of_thread);
        if let Some(since) = &since {
            options = options.since(since);
        }
        if let Some((number, count)) = part {
            options = options.part(number, count);
        }
        dehusk::run_with(&config, &inputs, &output, options)
    };
    let mut signal = None;
    let result = wait_for(py, "run", work, || {
        if let Some(error) = interrupt.take().or_else(|| py.check_signals().err()) {
            // A second signal does not wait for what is in flight.
            if signal.is_some() {
                stop.drop_in_flight();
            }
            stop.request();
            signal = Some(error);
        }
        Ok(())
    })?;
    if let Some(error) = signal.or_else(|| interrupt.take()) {
        return Err(error);
    }
    match result {
        Some(Ok(report)) => {
            if !changed {
                warn_of_changes(py, &report)?;
            }
            to_python(py, &report)
        }
        Some(Err(RunError::Config(e))) => Err(error::config(py, &e)),
        Some(Err(RunError::Input(e))) => Err(error::input(py, e.to_string())),
        Some(Err(RunError::Directory(e))) if matches!(e.kind, DirectoryErrorKind::InUse) => {
            Err(error::in_use(py, &e.to_string()))
        }
        Some(Err(e)) => Err(error::run(py, &e.to_string())),
        None => Err(error::internal(py, "the run panicked".into())),
    }
}

/// Warns of archives that have changed since the earlier run whose documents of them are kept.
fn warn_of_changes(py: Python<'_>, report: &Report) -> PyResult<()> {
    for archive in report.archives.iter().filter(|archive| !archive.changed.is_empty()) {
        let message = format!(
            "{}: {}; it is not read again, unless changed=True",
            archive.path, archive.changed
        );
        error::warn(py, &message)?;
    }
    Ok(())
}
