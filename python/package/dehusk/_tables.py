"""All documents of a reader as one table: methods of ``dehusk.Reader``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._dehusk import Reader

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow


def to_arrow(reader: Reader) -> pyarrow.Table:
    """All documents as one ``pyarrow.Table``, in memory. It reads the archives."""
    import pyarrow

    return pyarrow.table(reader)


def to_pandas(reader: Reader) -> pandas.DataFrame:
    """All documents as one ``pandas.DataFrame``, in memory. It reads the archives, and needs ``pyarrow``."""
    import pandas  # noqa: F401  # What is absent is named before the archives are read.

    return to_arrow(reader).to_pandas()


def to_polars(reader: Reader) -> polars.DataFrame:
    """All documents as one ``polars.DataFrame``, in memory. It reads the archives."""
    import polars

    return polars.DataFrame(reader)


__all__ = ["to_arrow", "to_pandas", "to_polars"]
