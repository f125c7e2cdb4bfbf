"""A P-matrix on its way to other programs and back."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ppworkbench.gui.clipboard import copy_rows
from ppworkbench.gui.language.text import tr
from ppworkbench.gui.words import trimmed

LARGEST = 2_000_000
"""Letters on the clipboard that are looked at; the largest matrix of the program has fewer."""
_EXACT = 15
"""Decimals without which the columns of a copy would not sum to 1."""


def matrix_rows(
    matrix: NDArray[np.float64], values: tuple[str, ...], digits: int = 4
) -> list[list[str]]:
    """The matrix as a table: what a column's true answer becomes, and how often."""
    head = [tr("becomes"), *(tr("true “%s”") % value for value in values)]
    cells = [[trimmed(cell, digits) for cell in row] for row in matrix.tolist()]
    return [head, *([value, *row] for value, row in zip(values, cells, strict=True))]


def copy_matrix(matrix: NDArray[np.float64], values: tuple[str, ...]) -> None:
    """Put a matrix on the clipboard with the names of the answers."""
    copy_rows(matrix_rows(matrix, values, _EXACT))


def without_names(content: str, values: tuple[str, ...]) -> str:
    r"""The text of a matrix without the names of answers, which may look like numbers.

    >>> without_names("\t1\t2\n1\t0.9\t0.2\n2\t0.1\t0.8", ("1", "2"))
    '0.9\t0.2\n0.1\t0.8'
    """
    k = len(values)
    rows = [line.split("\t") for line in content.splitlines() if line.strip()]
    if len(rows) != k + 1 or any(len(row) != k + 1 for row in rows):
        return content
    return "\n".join("\t".join(row[1:]) for row in rows[1:])
