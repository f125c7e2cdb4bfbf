"""Small tables that are written down row by row."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.data.table import Column, Table


def table_of_rows(
    attributes: Sequence[Attribute],
    rows: Sequence[Sequence[str]],
    *,
    class_name: str | None = None,
    source: str = "",
) -> Table:
    """A table of cells written as text, each as its attribute reads it.

    >>> table_of_rows([Attribute("age", "integer", domain=(0, 99))], [["7"], ["8"]])["age"].data
    array([7., 8.])
    """
    columns = []
    for attribute, cells in zip(attributes, zip(*rows, strict=True), strict=True):
        if attribute.kind.is_categorical:
            data = np.array([attribute.values.index(cell) for cell in cells])
        else:
            data = np.array([float(cell) for cell in cells])
        columns.append(Column(attribute, data))
    return Table(tuple(columns), class_name=class_name, source=source)
