"""P-matrices from other programs: the text of a spreadsheet or of a file."""

from __future__ import annotations

import re
from enum import StrEnum

import numpy as np

from ppworkbench.core.design.matrices import Custom
from ppworkbench.core.design.matrices.base import check_matrix
from ppworkbench.core.errors import DesignError
from ppworkbench.core.message import Message


class Orientation(StrEnum):
    """Which side of a matrix the true answers are on."""

    COLUMNS_ARE_TRUE = "columns"
    ROWS_ARE_TRUE = "rows"


def parse_matrix(
    text: str, orientation: Orientation, values: tuple[str, ...] | None = None
) -> Custom:
    r"""Read a matrix from text: a line a row, fields split by tab, semicolon, comma or blank.

    PRAM programs write the true answer in rows; then the matrix is transposed. A first line
    and a first column of names are passed over.

    >>> parse_matrix("0.9 0.1\n0.2 0.8", Orientation.ROWS_ARE_TRUE).matrix(2).tolist()
    [[0.9, 0.2], [0.1, 0.8]]
    """
    rows = [_fields(line) for line in text.splitlines() if line.strip()]
    if rows and _number(rows[0][-1]) is None:
        rows = rows[1:]
    if not rows:
        raise DesignError("There is no matrix in the text.", field="matrix")
    numbers = [_numbers(row, line) for line, row in enumerate(rows, 1)]
    if len({len(row) for row in numbers}) > 1:
        lengths = tuple(len(row) for row in numbers)
        raise DesignError(
            Message("The rows of the matrix have {lengths} numbers.", lengths=lengths),
            field="matrix",
        )
    matrix = np.array(numbers)
    if orientation is Orientation.ROWS_ARE_TRUE:
        matrix = matrix.T
    check_matrix(matrix, values)
    return Custom.of(matrix)


def _fields(line: str) -> list[str]:
    for separator in ("\t", ";"):
        if separator in line:
            return [field.strip().strip('"') for field in line.split(separator)]
    if re.search(r",\s|,.*\.|\.\d*,", line) or (
        "," in line and "." not in line and " " not in line
    ):
        return [field.strip().strip('"') for field in line.split(",")]
    return [field.strip('"') for field in line.split()]


def _numbers(row: list[str], line: int) -> list[float]:
    numbers = [_number(field) for field in row]
    if numbers[0] is None:
        numbers, row = numbers[1:], row[1:]
    bad = next((field for field, n in zip(row, numbers, strict=True) if n is None), None)
    if bad is not None:
        raise DesignError(
            Message(
                "Row {line} of the matrix has {bad!r}, which is not a number.", line=line, bad=bad
            ),
            field="matrix",
        )
    return [number for number in numbers if number is not None]


def _number(field: str) -> float | None:
    try:
        return float(field.replace(",", "."))
    except ValueError:
        return None
