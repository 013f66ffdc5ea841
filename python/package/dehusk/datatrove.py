"""A reader and an extractor for datatrove.

The reader gives the documents of archives to its filters and writers:

>>> from datatrove.executor import LocalPipelineExecutor
>>> from datatrove.pipeline.writers import JsonlWriter
>>> from dehusk.datatrove import DehuskReader
>>> if __name__ == "__main__":
...     LocalPipelineExecutor([DehuskReader("crawl", glob_pattern="*.warc.gz"), JsonlWriter("out")], tasks=4).run()

The extractor takes the place of ``Trafilatura`` after any of datatrove's readers, such as ``WarcReader``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from os import PathLike
from typing import Any, Literal

from datatrove.data import Document, DocumentsPipeline
from datatrove.io import DataFolderLike
from datatrove.pipeline.extractors.base import BaseExtractor
from datatrove.pipeline.readers.base import BaseDiskReader

from ._dehusk import Extractor, read
from ._errors import Dropped, InputError


class DehuskReader(BaseDiskReader):
    """Reads the main content of the pages in archives. ``config`` is that of ``dehusk.read``; the rest is datatrove's.

    Each task reads whole archives with ``threads`` threads, and gives the same documents when it is repeated. An archive that
    cannot be read is logged and counted as ``failed_archives``; with ``errors="raise"`` it fails the task.
    """

    name = "🌾 dehusk"
    _requires_dependencies = ["dehusk"]

    def __init__(
        self,
        data_folder: DataFolderLike,
        config: Mapping[str, Mapping[str, Any]] | str | PathLike[str] | None = None,
        *,
        threads: int | None = 1,
        errors: Literal["raise", "report"] = "report",
        **kwargs: Any,
    ) -> None:
        super().__init__(data_folder, **kwargs)
        self.config = config
        self.threads = threads
        self.errors = errors

    def read_file(self, filepath: str) -> Iterator[Document]:
        if self.data_folder.is_local():
            # As `dehusk run` reads it: a file is more than a stream, which has no directory of a ZIP file, for instance.
            yield from self._documents(self.data_folder.resolve_paths(filepath))
        else:
            with self.data_folder.open(filepath, "rb") as file:
                yield from self._documents(_Named(file, filepath))

    def _documents(self, archive: str | _Named) -> Iterator[Document]:
        try:
            reader = read([archive], self.config, threads=self.threads, errors=self.errors)
        except InputError as error:
            if self.errors == "raise":
                raise
            self._count_failed(str(error))
            return
        for batch in reader:
            for row in batch.to_pylist():
                with self.track_time():
                    document = _document(row)
                    if self.default_metadata:
                        document.metadata = {**self.default_metadata, **document.metadata}
                yield document
        for archive in reader.archives:
            if archive.get("error"):
                self._count_failed(archive["error"])

    def _count_failed(self, message: str) -> None:
        from datatrove.utils.logging import logger

        self.stat_update("failed_archives")
        logger.warning(message)


class DehuskExtractor(BaseExtractor):
    """Replaces the HTML of each document by its main content. ``config`` is that of ``dehusk.Extractor``.

    A page without content is dropped, and counted by its reason. Pages are extracted in this process: the limits of ``config``
    bound each page's time and memory, so no second process has to be killed.
    """

    name = "🌾 dehusk"
    _requires_dependencies = ["dehusk"]

    def __init__(self, config: Mapping[str, Mapping[str, Any]] | str | PathLike[str] | None = None) -> None:
        super().__init__()
        self.extractor = Extractor(config)

    def extract(self, text: str) -> str:
        """The main content of a page, or an empty string."""
        try:
            return self.extractor.extract(text).text
        except Dropped:
            return ""

    def run(self, data: DocumentsPipeline, rank: int = 0, world_size: int = 1) -> DocumentsPipeline:
        for document in data:
            self.stat_update("total")
            with self.track_time():
                try:
                    document.text = self.extractor.extract(document.text, document.metadata.get("url") or "").text
                    reason = None
                except Dropped as dropped:
                    reason = dropped.reason
            if reason is None:
                self.stat_update("forwarded")
                self.update_doc_stats(document)
                yield document
            else:
                self.stat_update("dropped", f"dropped_{reason}")


class _Named:
    """A file under the name of its archive, which some remote files lack."""

    def __init__(self, file: Any, name: str) -> None:
        self.file = file
        self.name = name

    def read(self, size: int) -> bytes:
        chunk: bytes = self.file.read(size)
        return chunk


def _document(row: dict[str, Any]) -> Document:
    metadata = {key: value for key, value in row.pop("metadata").items() if value is not None}
    text, identifier = row.pop("text"), row.pop("id")
    metadata.update((key, value) for key, value in row.items() if value is not None)
    return Document(text=text, id=identifier, metadata=metadata)


__all__ = ["DehuskExtractor", "DehuskReader"]
