"""Streams crawl archives (WARC, ARC; plain, gzip, zstd) and gives the main content of their pages.

>>> import dehusk
>>> for batch in dehusk.read("crawl.warc.gz"):        # record batches, in the order of the archive
...     for document in batch.to_pylist():
...         print(document["metadata"]["url"], document["text"][:60])

``dehusk.read(...)`` is also an Arrow stream: ``pyarrow.table(reader)``, ``polars.DataFrame(reader)`` and
``duckdb.sql("select ... from reader")`` take it without a copy. ``reader.to_pandas()``, ``reader.to_polars()`` and
``reader.to_arrow()`` do it in one call. ``dehusk.markdown(html)`` gives one page's content.
"""

import atexit as _atexit

from ._dehusk import (
    BatchIterator,
    Document,
    Extractor,
    Reader,
    RecordBatch,
    Rows,
    __version__,
    _close_all,
    cat,
    cluster,
    diff,
    inspect,
    read,
    run,
    topics,
)
from ._errors import ArchiveError, ConfigError, Dropped, Error, InputError, InternalError, InUseError, RunError
from ._tables import to_arrow as _to_arrow, to_pandas as _to_pandas, to_polars as _to_polars
from ._texts import markdown, text

# PyArrow reads a stream without the lock of the interpreter, so these cannot be methods in Rust, which hold it.
Reader.to_arrow = _to_arrow
Reader.to_pandas = _to_pandas
Reader.to_polars = _to_polars

# Threads that still need Python must not outlive it.
_atexit.register(_close_all)

__all__ = [
    "ArchiveError",
    "BatchIterator",
    "ConfigError",
    "Document",
    "Dropped",
    "Error",
    "Extractor",
    "InUseError",
    "InputError",
    "InternalError",
    "Reader",
    "RecordBatch",
    "Rows",
    "RunError",
    "__version__",
    "cat",
    "cluster",
    "diff",
    "inspect",
    "markdown",
    "read",
    "run",
    "text",
    "topics",
]
