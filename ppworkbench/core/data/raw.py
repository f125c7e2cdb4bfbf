"""What a reader hands over: columns as the file has them, before kinds are guessed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ppworkbench.core.data.attribute import PUBLIC, Attribute, Code, Kind, MissingCode
from ppworkbench.core.errors import DataError


@dataclass(frozen=True, eq=False)
class RawColumn:
    """One column as a file has it.

    ``data`` is an Arrow array of doubles, whole numbers, booleans, text, or a dictionary of
    text; nulls are missing. Labelled formats put the stored codes (numbers or text) there,
    user-missing codes included, and describe them in the other fields.

    Parameters
    ----------
    value_labels
        Label of each code, as far as the file has labels.
    values
        The possible answers where the file declares them (ARFF, categorical columns), in order.
    values_source
        Whether these are a list for everybody, or those that were met.
    ordered
        Whether the file says that the values have an order.
    kind
        The kind where the file says it outright (our own codebook).
    why_missing
        Which missing code each null cell held, where codes cannot stand in the data themselves
        (Stata's ``.a`` in a column of numbers): 0 for none, i for ``missing_codes[i - 1]``.
    refusal
        Why the column is not read without a design, where its cells were lists of values.
    """

    name: str
    data: pa.ChunkedArray
    label: str = ""
    value_labels: Mapping[Code, str] = field(default_factory=dict)
    missing_codes: tuple[MissingCode, ...] = ()
    missing_ranges: tuple[tuple[float, float], ...] = ()
    measure: str = ""
    values: tuple[str, ...] = ()
    values_source: str = PUBLIC
    ordered: bool = False
    kind: Kind | None = None
    why_missing: NDArray[np.int16] | None = None
    refusal: DataError | None = None

    def check_single(self) -> None:
        if self.refusal is not None:
            raise self.refusal


@dataclass(frozen=True, eq=False)
class RawTable:
    """All columns of a file and what the reader has to say about them.

    ``schema`` holds the attributes where a codebook of our own came with the file; the columns
    then have the same names in the same order. ``has_design`` says that a design came with it,
    whose noise may lead out of the domains.
    """

    columns: tuple[RawColumn, ...]
    source: str
    class_name: str | None = None
    notes: tuple[str, ...] = ()
    schema: tuple[Attribute, ...] | None = None
    has_design: bool = False

    def without_codes(self, **changes: Any) -> RawTable:
        """The same table where no cell holds a missing code, which zeros say."""
        sure = tuple(
            replace(column, why_missing=np.zeros(len(column.data), np.int16))
            for column in self.columns
        )
        return replace(self, columns=sure, **changes)
