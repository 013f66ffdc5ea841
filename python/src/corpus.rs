//! Functions over finished runs: `cat()`, `diff()`, `cluster()` and `topics()`.

use std::path::PathBuf;

use dehusk::Document;
use dehusk::schema::FieldValue;
use dehusk_corpus::cluster::{self as clusters, FeatureKind, cluster_with_index};
use dehusk_corpus::diff::compare;
use dehusk_corpus::readback::{Account, Condition, RunShard, Value};
use dehusk_corpus::topics as topic;
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use crate::config::type_name;
use crate::interruptible::interruptible;
use crate::reader::to_python;
use crate::rows::Rows;
use crate::{document, error};

/// Documents of finished runs, in the order of the runs and their archives.
///
/// Parameters
/// ----------
/// runs : path, or an iterable of paths
///     Run directories, or folders with runs in them.
/// where : str, or an iterable of str
///     Conditions such as ``"words >= 50"`` or ``"language = en and not (url ~ /tag/ or words < 50)"``. A document must
///     meet all of them.
/// fields : iterable of str, optional
///     The fields of each document, by name. The default is whole documents.
///
/// Returns
/// -------
/// Rows
///     An iterator over dicts. What is unknown is ``None``; a field that a run did not compute raises ``RunError``. A
///     shard that cannot be read raises ``RunError`` when those before it are read. A run that is not finished gives a
///     warning.
#[pyfunction]
#[pyo3(signature = (runs, r#where=None, *, fields=None))]
pub fn cat(
    py: Python<'_>,
    runs: &Bound<'_, PyAny>,
    r#where: Option<&Bound<'_, PyAny>>,
    fields: Option<Vec<String>>,
) -> PyResult<Rows> {
    let wrong = |message: String| PyValueError::new_err(message);
    let conditions = r#where.map(texts).transpose()?.unwrap_or_default();
    let conditions = conditions.iter().map(|text| Condition::parse(text));
    let conditions = conditions.collect::<Result<Vec<_>, _>>().map_err(wrong)?;
    let fields = fields.map(|names| {
        let named = |name: String| Value::named(&name).map(|value| (name, value));
        names.into_iter().map(named).collect::<Result<Vec<_>, _>>()
    });
    let fields = fields.transpose().map_err(wrong)?;
    let shards: Vec<RunShard> = accounts(py, runs)?.iter().flat_map(Account::all_shards).collect();
    Rows::start(py, move |rows| {
        for shard in shards {
            let failed = |e: dehusk::shards::ShardError| {
                rows.send(move |py| Err(error::run(py, &e.to_string())));
            };
            let documents = match shard.read() {
                Ok(documents) => documents,
                Err(e) => return failed(e),
            };
            let path = documents.path().to_owned();
            for (number, document) in documents.enumerate() {
                let document = match document {
                    Ok(document) => document,
                    Err(e) => return failed(e),
                };
                // The documents of a shard have the same fields.
                if number == 0 {
                    let named = fields.iter().flatten().map(|(_, value)| value);
                    let absences = conditions.iter().map(|condition| condition.absence(&document));
                    let mut absences = absences.chain(named.map(|value| value.absence(&document)));
                    if let Some(absence) = absences.find_map(|absence| absence) {
                        let message = format!("{}: {absence}", path.display());
                        rows.send(move |py| Err(error::run(py, &message)));
                        return;
                    }
                }
                if !conditions.iter().all(|condition| condition.holds(&document)) {
                    continue;
                }
                let fields = fields.clone();
                let is_wanted = rows.send(move |py| {
                    let row = match fields {
                        Some(fields) => chosen(py, &document, &fields),
                        None => document::to_dict(py, &document),
                    };
                    row.map(Bound::into_any)
                });
                if !is_wanted {
                    return;
                }
            }
        }
    })
}

/// Some fields of a document.
fn chosen<'py>(py: Python<'py>, document: &Document, fields: &[(String, Value)]) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    for (name, value) in fields {
        let value = match value.known(document) {
            None => py.None().into_bound(py),
            Some(FieldValue::Text(text)) => text.into_bound_py_any(py)?,
            Some(FieldValue::Integer(n)) => n.into_bound_py_any(py)?,
            Some(FieldValue::Float(n)) => n.into_bound_py_any(py)?,
            Some(FieldValue::Boolean(b)) => b.into_bound_py_any(py)?,
        };
        dict.set_item(name, value)?;
    }
    Ok(dict)
}

/// What changed between two runs: what ``dehusk diff --format json`` prints, as a dict.
///
/// Parameters
/// ----------
/// a, b : path, or an iterable of paths
///     The directories of the runs of each side, or folders with runs in them.
/// worst : int
///     How many examples of each kind to give: changed, gone and added documents.
///
/// What cannot be read is in ``problems``, and the rest is compared.
#[pyfunction]
#[pyo3(signature = (a, b, *, worst=5))]
pub fn diff<'py>(
    py: Python<'py>,
    a: &Bound<'py, PyAny>,
    b: &Bound<'py, PyAny>,
    worst: usize,
) -> PyResult<Bound<'py, PyAny>> {
    let (a, b) = (accounts(py, a)?, accounts(py, b)?);
    let comparison = interruptible(py, move || compare(&a, &b, worst))?;
    to_python(py, &comparison.map_err(|e| error::run(py, &e.to_string()))?)
}

/// Find the near-duplicates among the documents of runs, as ``dehusk cluster`` does, and return the summary as a dict.
///
/// Parameters
/// ----------
/// runs : path, or an iterable of paths
///     Run directories, or folders with runs in them.
/// output : path
///     The directory for ``clusters.jsonl`` and ``clusters.json``. It is created.
/// by : "shingles", "spotsigs" or "minhash"
///     What documents are compared by.
/// threshold : float
///     The least Jaccard similarity of two documents that belong together, above 0 and at most 1.
/// index : path, optional
///     A file that keeps the clusters of all nights. It is created.
/// deduplicated : path, optional
///     A directory for the documents that represent their clusters. It must not exist.
/// threads : int, optional
///     How many threads compute features. The default is the number of cores.
/// overwrite : bool
///     Whether to replace the clusters of an earlier call.
#[pyfunction]
#[pyo3(signature = (
    runs, output, *,
    by="shingles", threshold=clusters::DEFAULT_THRESHOLD, index=None, deduplicated=None, threads=None, overwrite=false
))]
// They are the arguments of the function in Python.
#[allow(clippy::too_many_arguments)]
pub fn cluster<'py>(
    py: Python<'py>,
    runs: &Bound<'py, PyAny>,
    output: PathBuf,
    by: &str,
    threshold: f64,
    index: Option<PathBuf>,
    deduplicated: Option<PathBuf>,
    threads: Option<usize>,
    overwrite: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let by = match by {
        "shingles" => FeatureKind::Shingles,
        "spotsigs" => FeatureKind::Spotsigs,
        "minhash" => FeatureKind::Minhash,
        other => {
            let message = format!("by is “shingles”, “spotsigs” or “minhash”, not “{other}”");
            return Err(PyValueError::new_err(message));
        }
    };
    let options = clusters::Options {
        by,
        threshold: share("threshold", threshold)?,
        threads: threads.unwrap_or_else(cores).max(1),
        overwrite,
    };
    let accounts = accounts(py, runs)?;
    let work = move || match index {
        Some(index) => cluster_with_index(&accounts, &output, options, (&index, deduplicated.as_deref())),
        None => clusters::cluster(&accounts, &output, options, deduplicated.as_deref()),
    };
    let summary = interruptible(py, work)?.map_err(|e| error::run(py, &e.to_string()))?;
    to_python(py, &summary)
}

/// Find the topics among the documents of runs, as ``dehusk topics`` does, and return the summary as a dict.
///
/// Parameters
/// ----------
/// runs : path, or an iterable of paths
///     Run directories, or folders with runs in them.
/// output : path
///     The directory for the topics. It is created.
/// window : int
///     Days without a story after which a topic is closed.
/// threshold : float
///     The least similarity of a story to the topic that it joins, above 0 and at most 1.
/// stories : int
///     The least stories of a listed topic.
/// clusters : path, optional
///     The result of ``cluster``. The default is to find the near-duplicates.
/// overwrite : bool
///     Whether to replace the topics of an earlier call.
#[pyfunction]
#[pyo3(signature = (
    runs, output, *,
    window=topic::DEFAULT_WINDOW, threshold=topic::DEFAULT_THRESHOLD, stories=topic::DEFAULT_STORIES,
    clusters=None, overwrite=false
))]
// They are the arguments of the function in Python.
#[allow(clippy::too_many_arguments)]
pub fn topics<'py>(
    py: Python<'py>,
    runs: &Bound<'py, PyAny>,
    output: PathBuf,
    window: u32,
    threshold: f64,
    stories: u32,
    clusters: Option<PathBuf>,
    overwrite: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let options = topic::Options {
        window,
        threshold: share("threshold", threshold)?,
        stories,
        clusters,
        overwrite,
    };
    let accounts = accounts(py, runs)?;
    let summary = interruptible(py, move || topic::topics(&accounts, &output, &options))?;
    to_python(py, &summary.map_err(|e| error::run(py, &e.to_string()))?)
}

fn share(name: &str, value: f64) -> PyResult<f64> {
    if value > 0.0 && value <= 1.0 {
        return Ok(value);
    }
    Err(PyValueError::new_err(format!(
        "{name} is above 0 and at most 1, not {value}"
    )))
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// One text, or several.
fn texts(argument: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
    if argument.is_instance_of::<PyString>() {
        return Ok(vec![argument.extract()?]);
    }
    argument.extract()
}

/// The accounts of one run, or of several. Those of runs that are not finished give a warning.
fn accounts(py: Python<'_>, runs: &Bound<'_, PyAny>) -> PyResult<Vec<Account>> {
    let wrong = |item: &Bound<'_, PyAny>| {
        let name = type_name(item);
        PyTypeError::new_err(format!("a run is the path of its directory, not {name}"))
    };
    let paths = match runs.extract::<PathBuf>() {
        Ok(path) => vec![path],
        Err(_) => {
            let items = runs.try_iter().map_err(|_| wrong(runs))?;
            let paths = items.map(|item| item.and_then(|item| item.extract().map_err(|_| wrong(&item))));
            paths.collect::<PyResult<_>>()?
        }
    };
    read_accounts(py, paths)
}

fn read_accounts(py: Python<'_>, paths: Vec<PathBuf>) -> PyResult<Vec<Account>> {
    let accounts =
        interruptible(py, move || Account::read_each(&paths))?.map_err(|e| error::run(py, &e.to_string()))?;
    for warning in accounts.iter().filter_map(Account::warning) {
        error::warn(py, &warning)?;
    }
    Ok(accounts)
}
