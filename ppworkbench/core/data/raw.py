"""What a reader hands over: columns as the file has them, before kinds are guessed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import pyarrow as pa

from ppworkbench.core.data.attribute import Code, Kind, MissingCode


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
    ordered
        Whether the file says that the values have an order.
    kind
        The kind where the file says it outright (our own codebook).
    """

    name: str
    data: pa.ChunkedArray
    label: str = ""
    value_labels: Mapping[Code, str] = field(default_factory=dict)
    missing_codes: tuple[MissingCode, ...] = ()
    missing_ranges: tuple[tuple[float, float], ...] = ()
    measure: str = ""
    values: tuple[str, ...] = ()
    ordered: bool = False
    kind: Kind | None = None


@dataclass(frozen=True, eq=False)
class RawTable:
    """All columns of a file and what the reader has to say about them."""

    columns: tuple[RawColumn, ...]
    source: str
    class_name: str | None = None
    notes: tuple[str, ...] = ()
