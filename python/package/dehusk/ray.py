"""A source for Ray Data: the documents of archives as a dataset.

>>> from dehusk.ray import read
>>> dataset = read(["crawl/a.warc.gz", "crawl/b.warc.gz"]).filter(lambda row: row["metadata"]["language"] == "en")
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal

from ray.data import Dataset, Datasource, ReadTask, read_datasource
from ray.data.block import BlockMetadata

from ._dehusk import read as _read
from ._errors import InputError

if TYPE_CHECKING:
    import pyarrow

_logger = logging.getLogger(__name__)


def read(
    archives: str | PathLike[str] | Iterable[str | PathLike[str]],
    config: Mapping[str, Mapping[str, Any]] | str | PathLike[str] | None = None,
    *,
    errors: Literal["raise", "report"] = "raise",
    **options: Any,
) -> Dataset:
    """The documents of archives. ``config`` is that of ``dehusk.read``; ``options`` are those of ``ray.data.read_datasource``.

    Each name is read by one task, with one thread, so name archives one by one instead of by a glob. A task that Ray
    repeats gives the same documents. An archive that cannot be read fails its task; with ``errors="report"`` it is left out, and
    the task's log names it.
    """
    return read_datasource(DehuskDatasource(archives, config, errors=errors), **options)


class DehuskDatasource(Datasource):
    """The datasource of ``read``, for ``ray.data.read_datasource``."""

    def __init__(
        self,
        archives: str | PathLike[str] | Iterable[str | PathLike[str]],
        config: Mapping[str, Mapping[str, Any]] | str | PathLike[str] | None = None,
        *,
        errors: Literal["raise", "report"] = "raise",
    ) -> None:
        super().__init__()
        self.archives = [archives] if isinstance(archives, (str, PathLike)) else list(archives)
        self.config = config
        self.errors = errors
        # A mistake in the configuration is an error here, not in every task.
        _read(b"", config)

    def estimate_inmemory_data_size(self) -> int | None:
        return None

    def get_read_tasks(self, parallelism: int, *arguments: Any, **options: Any) -> list[ReadTask]:
        """At most ``parallelism`` tasks, each with archives of its own. Further arguments are Ray's limits on rows."""
        count = max(1, min(parallelism, len(self.archives)))
        parts = [self.archives[start::count] for start in range(count) if self.archives[start::count]]
        unknown = BlockMetadata(num_rows=None, size_bytes=None, input_files=None, exec_stats=None)
        return [ReadTask(_Task(part, self.config, self.errors), unknown) for part in parts]


class _Task:
    """Reads some archives in one of Ray's workers."""

    def __init__(self, archives: list[Any], config: Any, errors: Literal["raise", "report"]) -> None:
        self.archives = archives
        self.config = config
        self.errors = errors

    def __call__(self) -> Iterator[pyarrow.Table]:
        import pyarrow as pa

        for archive in self.archives:
            try:
                reader = _read([archive], self.config, threads=1, errors=self.errors)
            except InputError as error:
                if self.errors == "raise":
                    raise
                _logger.warning("%s", error)
                continue
            for batch in reader:
                yield pa.Table.from_batches([pa.record_batch(batch)])
            for account in reader.archives:
                if account.get("error"):
                    _logger.warning("%s", account["error"])


__all__ = ["DehuskDatasource", "read"]
