from collections.abc import Iterable, Iterator, Mapping
from os import PathLike
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

class _Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...

_Path: TypeAlias = str | PathLike[str]
_Archive: TypeAlias = _Path | bytes | bytearray | memoryview | _Readable
_Config: TypeAlias = Mapping[str, Mapping[str, Any]] | _Path | None

__version__: str

class Error(Exception): ...

class ConfigError(Error, ValueError):
    key: str | None

class InputError(Error, ValueError): ...

class ArchiveError(Error):
    archives: list[tuple[str, str]]

class RunError(Error): ...
class InUseError(RunError): ...
class InternalError(Error): ...

class Dropped(Error):
    kind: Literal["filtered", "failed"]
    reason: str
    rule: str | None

class RecordBatch:
    @property
    def num_rows(self) -> int: ...
    def __len__(self) -> int: ...
    def to_pylist(self) -> list[dict[str, Any]]: ...
    def __arrow_c_schema__(self) -> object: ...
    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]: ...

class BatchIterator:
    def __iter__(self) -> BatchIterator: ...
    def __next__(self) -> RecordBatch: ...
    def close(self) -> None: ...
    def __enter__(self) -> BatchIterator: ...
    def __exit__(
        self,
        _class: type[BaseException] | None,
        _value: BaseException | None,
        _traceback: TracebackType | None,
    ) -> None: ...

class Reader:
    def __iter__(self) -> BatchIterator: ...
    @property
    def archives(self) -> list[dict[str, Any]]: ...
    @property
    def failures(self) -> list[dict[str, Any]]: ...
    def to_arrow(self) -> pyarrow.Table: ...
    def to_pandas(self) -> pandas.DataFrame: ...
    def to_polars(self) -> polars.DataFrame: ...
    def __arrow_c_schema__(self) -> object: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

class Rows:
    def __iter__(self) -> Rows: ...
    def __next__(self) -> dict[str, Any]: ...
    def close(self) -> None: ...

class Document:
    @property
    def text(self) -> str: ...
    @property
    def comments(self) -> str | None: ...
    @property
    def version(self) -> str: ...
    @property
    def metadata(self) -> dict[str, Any]: ...
    def to_dict(self) -> dict[str, Any]: ...

class Extractor:
    def __init__(self, config: _Config = None) -> None: ...
    def extract(self, html: bytes | bytearray | str, url: str = "") -> Document: ...

def text(html: bytes | bytearray | str, url: str = "", *, extractor: str = "fusion") -> str | None: ...
def markdown(html: bytes | bytearray | str, url: str = "", *, extractor: str = "fusion") -> str | None: ...
def read(
    archives: _Archive | Iterable[_Archive],
    config: _Config = None,
    *,
    threads: int | None = None,
    errors: Literal["raise", "report"] = "raise",
) -> Reader: ...
def run(
    archives: _Archive | Iterable[_Archive],
    output: _Path,
    config: _Config = None,
    *,
    threads: int | None = None,
    overwrite: bool = False,
    changed: bool = False,
    verify: bool = False,
    since: _Path | None = None,
    part: tuple[int, int] | None = None,
) -> dict[str, Any]: ...
def cat(
    runs: _Path | Iterable[_Path],
    where: str | Iterable[str] | None = None,
    *,
    fields: Iterable[str] | None = None,
) -> Rows: ...
def diff(
    a: _Path | Iterable[_Path],
    b: _Path | Iterable[_Path],
    *,
    worst: int = 5,
) -> dict[str, Any]: ...
def cluster(
    runs: _Path | Iterable[_Path],
    output: _Path,
    *,
    by: Literal["shingles", "spotsigs", "minhash"] = "shingles",
    threshold: float = 0.4,
    index: _Path | None = None,
    deduplicated: _Path | None = None,
    threads: int | None = None,
    overwrite: bool = False,
) -> dict[str, Any]: ...
def topics(
    runs: _Path | Iterable[_Path],
    output: _Path,
    *,
    window: int = 14,
    threshold: float = 0.2,
    stories: int = 2,
    clusters: _Path | None = None,
    overwrite: bool = False,
) -> dict[str, Any]: ...
def inspect(
    archive: _Archive,
    config: _Config = None,
    *,
    offset: int | None = None,
    offset_in_member: int = 0,
    verdicts: bool = False,
) -> Rows: ...
