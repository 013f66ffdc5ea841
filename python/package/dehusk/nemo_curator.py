"""An algorithm for NeMo Curator, in the place of those of its own.

>>> from dehusk.nemo_curator import DehuskExtractor
>>> from nemo_curator.stages.text.download import CommonCrawlDownloadExtractStage
>>> stage = CommonCrawlDownloadExtractStage("2024-10", "2024-10", "downloads", html_extraction=DehuskExtractor())
"""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from typing import Any

from nemo_curator.stages.text.download.html_extractors import HTMLExtractorAlgorithm

from ._dehusk import Extractor
from ._errors import Dropped


class DehuskExtractor(HTMLExtractorAlgorithm):
    """Extracts the main content. ``config`` is that of ``dehusk.Extractor``.

    A page is judged by its structure, so no list of stop words is needed and none is used.
    """

    def __init__(self, config: Mapping[str, Mapping[str, Any]] | str | PathLike[str] | None = None) -> None:
        self.extractor = Extractor(config)

    def extract_text(self, html: str, stop_words: frozenset[str], language: str) -> list[str] | None:
        """The paragraphs. ``None`` if the page has none."""
        try:
            text = self.extractor.extract(html).text
        except Dropped:
            return None
        return [paragraph for paragraph in text.split("\n") if paragraph]


__all__ = ["DehuskExtractor"]
