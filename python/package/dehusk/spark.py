"""Documents in Spark: an explicit schema, and the function for ``mapInArrow``.

>>> from dehusk import spark as husk
>>> archives = spark.createDataFrame([(path,) for path in paths], "path string")
>>> rows = archives.repartition(64).mapInArrow(husk.documents({"select": {"min_words": 50}}), husk.schema())

Each row is a document or a failure. A document has ``failure`` null; a failure has all else null.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal

from . import _clusters
from ._dehusk import _THRESHOLD, _fields, read
from ._errors import InputError

if TYPE_CHECKING:
    import pyarrow
    from pyspark.sql import DataFrame

_SPARK_TYPES = {
    "string": "string",
    "timestamp": "timestamp",
    "int32": "int",
    "int64": "bigint",
    "double": "double",
    "bool": "boolean",
}

_FAILURE = "failure struct<archive: string, offset: bigint, length: bigint, id: string, reason: string>"


def schema(config: Mapping[str, Mapping[str, Any]] | str | PathLike[str] | None = None) -> str:
    """The schema of the rows as a DDL string, which Spark takes wherever it takes a schema.

    ``config`` is that of ``documents()``: it decides which fields there are.
    """
    fields, extractors = _fields(config)
    top = [f"{name} {_SPARK_TYPES[kind]}" for name, kind, in_metadata in fields if not in_metadata]
    metadata = [f"{name}: {_SPARK_TYPES[kind]}" for name, kind, in_metadata in fields if in_metadata]
    columns = [*top, "metadata struct<" + ", ".join(metadata) + ">"]
    columns += [f"`text_{name}` string" for name in sorted(extractors)]
    return ", ".join([*columns, _FAILURE])


def documents(
    config: Mapping[str, Mapping[str, Any]] | str | PathLike[str] | None = None,
    *,
    column: str = "path",
    threads: int = 1,
    errors: Literal["rows", "raise"] = "rows",
) -> Callable[[Iterable[pyarrow.RecordBatch]], Iterator[pyarrow.RecordBatch]]:
    """A function for ``DataFrame.mapInArrow`` that reads the archives that ``column`` names.

    With ``errors="rows"``, an archive that cannot be read, or not be found, is a row like any other failure: ``reason`` is the
    message. With ``errors="raise"``, it fails the task. If a task is repeated, its rows are the same.
    """
    if errors not in ("rows", "raise"):
        raise ValueError(f"errors is “rows” or “raise”, not “{errors}”")
    raising = "raise" if errors == "raise" else "report"

    def read_archives(batches: Iterable[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        import pyarrow as pa

        whole = _spark_schema(pa, pa.schema(read(b"", config, threads=threads)))
        for batch in batches:
            for path in batch.column(column).to_pylist():
                try:
                    if path is None:
                        raise InputError("no archive is named")
                    reader = read(path, config, threads=threads, errors=raising)
                except InputError as error:
                    if errors == "raise":
                        raise
                    # The message names it, without any password that the name may hold.
                    yield _failures(pa, [_unreadable(None, str(error))], whole)
                    continue
                for documents in reader:
                    yield _with_failures(pa, pa.record_batch(documents), whole)
                failed = list(reader.failures)
                for archive in reader.archives:
                    if archive.get("error"):
                        failed.append(_unreadable(archive["path"], archive["error"]))
                if failed:
                    yield _failures(pa, failed, whole)

    return read_archives


def clusters(
    documents: DataFrame,
    *,
    by: Literal["shingles", "spotsigs"] = "shingles",
    threshold: float = _THRESHOLD,
    order: Sequence[str] = _clusters._ORDER,
) -> DataFrame:
    """The near-duplicate clusters of documents, as ``dehusk cluster`` finds them, for more documents than one machine holds.

    ``documents`` has the columns ``id``, ``text``, ``created`` and ``metadata``, such as the rows of ``documents()`` or the Parquet
    files of runs. The rows of the result are the lines of ``clusters.jsonl``: ``id``, ``cluster``, ``size``, ``representative``.

    ``order`` names the columns that order the documents; clusters are named after their first document. The default is the
    order of a run whose archives are sorted by name. ``by="spotsigs"`` needs documents with that signature.

    The documents are read several times while this function runs, and must be the same each time: write them to files first. What
    comes from no file is written to Spark's local directories, texts included. If executors come and go, set
    ``spark.sql.files.minPartitionNum``, so that files are divided the same way each time.

    What is between goes to the local directories: 0.7 KB a document, twice that until Spark removes what it no longer needs, and
    for each set of documents that share a band their features, 4 bytes a word. A task needs memory for a part of all bands: 2.4 KB
    a document, divided by ``spark.sql.shuffle.partitions``, of which at most 4,096 count. One task needs 150 bytes for each copy of
    the commonest page. Where executors may be lost, set a checkpoint directory; Spark removes its files if
    ``spark.cleaner.referenceTracking.cleanCheckpoints`` is true.
    """
    return _clusters.clusters(documents, by, threshold, order)


def _spark_schema(pa, plain):
    failure = pa.struct(
        [
            ("archive", pa.string()),
            ("offset", pa.int64()),
            ("length", pa.int64()),
            ("id", pa.string()),
            ("reason", pa.string()),
        ]
    )
    fields = [pa.field(field.name, _nullable(pa, field.type)) for field in plain]
    return pa.schema([*fields, pa.field("failure", failure)])


def _nullable(pa, kind):
    if pa.types.is_struct(kind):
        return pa.struct([pa.field(inner.name, inner.type) for inner in kind])
    return kind


def _with_failures(pa, batch, whole):
    columns = [column.cast(whole.field(i).type) for i, column in enumerate(batch.columns)]
    columns.append(pa.nulls(batch.num_rows, whole.field("failure").type))
    return pa.RecordBatch.from_arrays(columns, schema=whole)


def _unreadable(archive, reason):
    return {"archive": archive, "offset": None, "length": None, "id": None, "reason": reason}


def _failures(pa, failed, whole):
    columns = [pa.nulls(len(failed), field.type) for field in whole]
    columns[-1] = pa.array(failed, whole.field("failure").type)
    return pa.RecordBatch.from_arrays(columns, schema=whole)
