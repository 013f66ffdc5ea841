"""The text of one page by one call."""

from __future__ import annotations

import threading
from typing import Literal

from ._dehusk import Extractor
from ._errors import Dropped

_extractors: dict[str, Extractor] = {}
_lock = threading.Lock()


def text(html: bytes | bytearray | str, url: str = "", *, extractor: str = "fusion") -> str | None:
    """The main content of a page as plain text, a line a paragraph. ``None`` if the page has none.

    ``extractor`` is the name of a preset. For anything else, see ``Extractor``.
    """
    return _extract(html, url, extractor, "plain")


def markdown(html: bytes | bytearray | str, url: str = "", *, extractor: str = "fusion") -> str | None:
    """The main content of a page as Markdown. ``None`` if the page has none.

    ``extractor`` is the name of a preset. For anything else, see ``Extractor``.
    """
    return _extract(html, url, extractor, "markdown")


def _extract(html: bytes | bytearray | str, url: str, extractor: str, form: Literal["plain", "markdown"]) -> str | None:
    key = f"{extractor} {form}"
    known = _extractors.get(key)
    if known is None:
        made = Extractor({"extract": {"extractors": [extractor]}, "output": {"text": form}})
        with _lock:
            known = _extractors.setdefault(key, made)
    try:
        return known.extract(html, url).text
    except Dropped:
        return None


__all__ = ["markdown", "text"]
