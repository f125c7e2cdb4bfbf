"""Tiny tables in files, and what lies in a folder of them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.errors import DataError

WRITTEN = (".csv", ".xlsx", ".sav", ".dta", ".parquet", ".feather", ".arff")
BESIDE = (".csv", ".sav", ".dta", ".arff")


def table(*words: str, rows: int = 3) -> Table:
    """One question and its answers."""
    values = words or ("no", "yes")
    attribute = Attribute("q", Kind.NOMINAL, values=values, label="Do you?")
    return Table((Column(attribute, np.arange(rows) % len(values)),))


def listed(folder: Path) -> list[str]:
    """The names in a folder."""
    return sorted(path.name for path in folder.iterdir())


def content(folder: Path) -> dict[str, bytes]:
    """What every file of a folder holds."""
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def refusal(work: Callable[..., object], *given: object) -> DataError | None:
    """The sentence with which a piece of work was refused."""
    try:
        work(*given)
    except DataError as error:
        return error
    return None
